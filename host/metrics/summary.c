/* SPDX-License-Identifier: Apache-2.0
 * Final line and hashes of a run.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

#include "base/check.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "metrics/metrics.h"

double cpu_seconds(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

static void hash_u64(XXH64_state_t *state, uint64_t value)
{
    XXH64_update(state, &value, sizeof(value));
}

static void hash_text(XXH64_state_t *state, const char *text)
{
    XXH64_update(state, text, strlen(text) + 1);
}

static void hash_counter(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)unit;
    hash_text(arg, location);
    hash_text(arg, name);
    hash_u64(arg, value);
}

static XXH64_state_t *hash_begin(void)
{
    XXH64_state_t *state = XXH64_createState();

    CHECK(state, "metrics", "no memory for a hash");
    XXH64_reset(state, 0);
    return state;
}

static uint64_t hash_end(XXH64_state_t *state)
{
    uint64_t hash = XXH64_digest(state);

    XXH64_freeState(state);
    return hash;
}

uint64_t summary_counters(struct sim *sim)
{
    XXH64_state_t *state = hash_begin();

    if (sim)
        sim_counters(sim, hash_counter, state);
    return hash_end(state);
}

uint64_t summary_hash(const struct kernel_row *rows, unsigned count, struct sim *sim)
{
    XXH64_state_t *state = hash_begin();

    for (unsigned i = 0; i < count; i++) {
        const struct kernel_row *r = &rows[i];

        if (r->unfinished)
            continue;
        hash_u64(state, r->gpu);
        hash_u64(state, r->queue);
        hash_text(state, r->name);
        for (unsigned d = 0; d < 3; d++) {
            hash_u64(state, r->grid[d]);
            hash_u64(state, r->group[d]);
        }
        hash_u64(state, r->start);
        hash_u64(state, r->end);
        hash_u64(state, r->wavefronts);
        hash_u64(state, r->instructions);
    }
    if (sim)
        hash_u64(state, sim_write_hash(sim));
    return hash_end(state);
}

unsigned summary_kernels(const struct summary *s)
{
    unsigned count = 0;

    for (unsigned i = 0; i < s->row_count; i++)
        count += !s->rows[i].unfinished;
    return count;
}

void line_print(FILE *out, const struct summary *s)
{
    fprintf(out,
            "gantry: gpus=%" PRIu32 " kernels=%u cycles=%" PRIu64 " instructions=%" PRIu64
            " cpu_s=%.2f inst_per_cpu_s=%.0f repeatable=%s hash=%016" PRIx64 " data=%016" PRIx64 " counters=%016" PRIx64
            " now=%" PRIu64 "\n",
            s->cfg->system_gpus, summary_kernels(s), s->cycles, s->instructions, s->cpu_s,
            s->cpu_s > 0 ? (double)s->instructions / s->cpu_s : 0.0, s->repeatable ? "yes" : "no", s->hash, s->data,
            s->counters, s->now);
}
