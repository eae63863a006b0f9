/* SPDX-License-Identifier: Apache-2.0
 * Kernel table, final line and hash of a run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "bridge/inproc/sim.h"
#include "gantry_cfg.h"
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

uint64_t summary_hash(const struct kernel_row *rows, unsigned count, struct sim *sim)
{
    XXH64_state_t *state = XXH64_createState();
    uint64_t hash;

    CHECK(state, "metrics", "no memory for a hash");
    XXH64_reset(state, 0);
    for (unsigned i = 0; i < count; i++) {
        const struct kernel_row *r = &rows[i];

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
    if (sim) {
        sim_counters(sim, hash_counter, state);
        hash_u64(state, sim_write_hash(sim));
    }
    hash = XXH64_digest(state);
    XXH64_freeState(state);
    return hash;
}

static double row_ipc(const struct kernel_row *r)
{
    return r->end > r->start ? (double)r->instructions / (double)(r->end - r->start) : 0;
}

/* libstdc++: the name in a new string, NULL when it is not a mangled one. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* A C++ kernel as its source names it: qualified name and template arguments, without the parameters. */
static char *name_plain(const char *name)
{
    int status = 0, depth = 0;
    char *full = strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    size_t end = full ? strlen(full) : 0;

    if (!full)
        return xstrdup(name);
    if (full[end - 1] == ')') {
        do {
            end--;
            depth += full[end] == ')';
            depth -= full[end] == '(';
        } while (end > 0 && depth > 0);
        if (end > 0)
            full[end] = 0;
    }
    if (strncmp(full, "void ", 5) == 0) /* only templates carry their return type */
        memmove(full, full + 5, strlen(full + 5) + 1);
    return full;
}

void table_print(FILE *out, const struct kernel_row *rows, unsigned count)
{
    if (count == 0)
        return;
    fprintf(out, "%3s %5s %-28s %14s %11s %12s %12s %10s %9s %12s %7s\n", "gpu", "queue", "kernel", "grid", "group",
            "start", "end", "cycles", "waves", "instructions", "IPC");
    for (unsigned i = 0; i < count; i++) {
        const struct kernel_row *r = &rows[i];
        char grid[40], group[24], *name = name_plain(r->name);

        snprintf(grid, sizeof(grid), "%" PRIu32 ",%" PRIu32 ",%" PRIu32, r->grid[0], r->grid[1], r->grid[2]);
        snprintf(group, sizeof(group), "%u,%u,%u", r->group[0], r->group[1], r->group[2]);
        fprintf(out,
                "%3u %5u %-28s %14s %11s %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %9" PRIu64 " %12" PRIu64 " %7.3f\n",
                r->gpu, r->queue, name, grid, group, r->start, r->end, r->end - r->start, r->wavefronts,
                r->instructions, row_ipc(r));
        free(name);
    }
}

void line_print(FILE *out, const struct summary *s)
{
    fprintf(out,
            "gantry: gpus=%" PRIu32 " kernels=%u cycles=%" PRIu64 " instructions=%" PRIu64
            " cpu_s=%.2f inst_per_cpu_s=%.0f repeatable=%s hash=%016" PRIx64 " data=%016" PRIx64 "\n",
            s->cfg->system_gpus, s->row_count, s->cycles, s->instructions, s->cpu_s,
            s->cpu_s > 0 ? (double)s->instructions / s->cpu_s : 0.0, s->repeatable ? "yes" : "no", s->hash, s->data);
}
