/* SPDX-License-Identifier: Apache-2.0
 * VRAM as its GPU has it; contract in shadow.h.  Only what is there is compared: pages that the files of a VRAM hold
 * (pmem_data_next), and those of the copy that are not zero.
 */
#include "record/shadow.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "saved/state_io.h"
#include "vm/pmem.h"
#include "vm/pmem_save.h"

#define PAGE (UINT64_C(1) << SHADOW_PAGE)
#define LINE 64u
#define PATCH_MOST (UINT64_C(64) << 10)

static size_t kept_bytes(const struct shadow *s)
{
    return (s->bytes / PAGE + 63) / 64 * sizeof *s->kept;
}

struct shadow *shadow_new(struct pmem *memory, unsigned gpu, bool shared)
{
    struct shadow *s = xcalloc(1, sizeof *s);
    const int flags = (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE;
    *s = (struct shadow){.memory = memory, .gpu = gpu, .bytes = pmem_vram_bytes(memory)};
    void *copy = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *kept = mmap(NULL, kept_bytes(s), PROT_READ | PROT_WRITE, flags, -1, 0);
    s->copy = copy == MAP_FAILED ? NULL : copy;
    s->kept = kept == MAP_FAILED ? NULL : kept;
    if (!s->copy || !s->kept) {
        shadow_free(s);
        return NULL;
    }
    return s;
}

void shadow_free(struct shadow *s)
{
    if (!s)
        return;
    if (s->copy)
        munmap(s->copy, s->bytes);
    if (s->kept)
        munmap(s->kept, kept_bytes(s));
    free(s);
}

struct run { /* of changed lines that have been brought in and are not yet told */
    uint64_t at, end;
    shadow_patch_fn patch;
    void *ctx;
};

static void run_tell(const struct shadow *s, struct run *run)
{
    if (run->end > run->at)
        run->patch(run->ctx, s->gpu, run->at, s->copy + run->at, run->end - run->at);
    run->at = run->end = 0;
}

/* [at, +PAGE) of VRAM against the copy; `now`: its bytes. */
static void page_update(struct shadow *s, uint64_t at, const uint8_t *now, struct run *run)
{
    if (memcmp(s->copy + at, now, PAGE) == 0)
        return;
    for (uint64_t line = at; line < at + PAGE; line += LINE) {
        if (memcmp(s->copy + line, now + (line - at), LINE) == 0)
            continue;
        if (line != run->end || run->end - run->at >= PATCH_MOST) {
            run_tell(s, run);
            run->at = line;
        }
        memcpy(shadow_line(s, line), now + (line - at), LINE);
        run->end = line + LINE;
    }
}

/* Nothing is behind [from, to) any more. */
static void gap_update(struct shadow *s, uint64_t from, uint64_t to, struct run *run)
{
    static const uint8_t zeros[PAGE];
    for (uint64_t page = from / PAGE; page < to / PAGE; page++) {
        uint64_t *word = &s->kept[page / 64];
        if (*word == 0) {
            page |= 63;
        } else if (*word >> (page & 63) & 1) {
            page_update(s, page * PAGE, zeros, run);
            *word &= ~(UINT64_C(1) << (page & 63));
        }
    }
}

void shadow_update(struct shadow *s, shadow_patch_fn patch, void *ctx)
{
    struct run run = {.patch = patch, .ctx = ctx};
    uint64_t done = 0, at, end;
    while (pmem_data_next(s->memory, s->gpu, done, &at, &end)) {
        gap_update(s, done, at, &run);
        end = (end + PAGE - 1) & ~(PAGE - 1);
        for (uint64_t page = at; page < end; page += PAGE)
            page_update(s, page, pmem_vram(s->memory, s->gpu, page, PAGE), &run);
        done = end;
    }
    gap_update(s, done, s->bytes, &run);
    run_tell(s, &run);
}

void shadow_save(const struct shadow *s, struct state_writer *to)
{
    static const uint8_t zeros[PAGE];
    for (uint64_t word = 0; word < (s->bytes / PAGE + 63) / 64; word++) {
        for (uint64_t bits = s->kept[word]; bits; bits &= bits - 1) {
            const uint64_t at = (word * 64 + (uint64_t)__builtin_ctzll(bits)) * PAGE;
            if (memcmp(s->copy + at, zeros, PAGE) == 0)
                continue;
            state_put_u64(to, at);
            state_put(to, s->copy + at, PAGE);
        }
    }
    state_put_u64(to, PMEM_SAVE_END);
}
