/* SPDX-License-Identifier: Apache-2.0
 * A client inside the simulator, for `gantry kernel`: memory, one AQL queue, one dispatch at a time, by the same
 * packets, doorbell and command processor that a ROCm program uses.  Not responsible for: code objects, arguments.
 */
#ifndef GANTRY_LOCAL_H
#define GANTRY_LOCAL_H
#include <stddef.h>
#include <stdint.h>

#include "system/machine.h"

struct ledger;
struct local;

enum local_place { LOCAL_VRAM, LOCAL_HOST };

/* What a dispatch packet says; grid in work-items. */
struct local_dispatch {
    uint32_t grid[3];
    uint16_t group[3];
    uint32_t private_bytes; /* of a work-item */
    uint32_t group_bytes;   /* static and dynamic LDS */
    uint64_t kernel_object; /* GPU address of the kernel descriptor */
    uint64_t kernarg;       /* GPU address of the arguments */
};

enum local_outcome {
    LOCAL_DONE,
    LOCAL_MEMORY_FAULT, /* fault_va, fault_kind, pc */
    LOCAL_QUEUE_ERROR,  /* error: enum cp_error; pc and instruction for CP_ERROR_ILLEGAL */
    LOCAL_STOPPED,      /* `stop` became non-zero */
    LOCAL_MAX_CYCLES,
    LOCAL_LOST,        /* a worker process has ended (sim_options.failure) */
    LOCAL_NO_PROGRESS, /* watchdog, or the dispatch can never end */
};

struct local_result {
    enum local_outcome outcome;
    bool launched; /* row is there, unfinished unless LOCAL_DONE */
    struct kernel_row row;
    uint64_t fault_va;
    enum fault_kind fault_kind;
    uint32_t error;
    uint64_t pc, instruction;
    char text[1024]; /* one line about what went wrong */
};

/* cfg is borrowed.  NULL with a line on stderr. */
struct local *local_open(const struct gantry_cfg *cfg, const struct sim_options *options, unsigned gpu);
void local_close(struct local *l);
struct machine *local_machine(struct local *l);

/* `bytes` of zeroed memory, readable, writable and executable by the GPU; its GPU address (2 MiB apart from others
 * when large, at least a 4 KiB gap), or 0 when memory is full.  *host is where the same bytes lie here. */
uint64_t local_alloc(struct local *l, enum local_place place, uint64_t bytes, void **host);

/* The code object whose load-relative address 0 is at `base`, for source lines of faults; borrowed. */
void local_code(struct local *l, uint64_t base, const void *elf, size_t bytes);

/* Called now and then during a dispatch (progress line); may be NULL.  *stop may be set by a signal handler. */
struct local_watch {
    void (*progress)(void *arg, struct machine *machine);
    void *arg;
    const volatile int *stop;
};
void local_dispatch(struct local *l, const struct local_dispatch *d, const struct local_watch *watch,
                    struct local_result *result);
/* The same in steps: local_begin sends it (false: it is over at once), local_run runs as far as target cycle `until`,
 * true when it is over before.  One at a time; `result` is kept until then. */
bool local_begin(struct local *l, const struct local_dispatch *d, struct local_result *result);
bool local_run(struct local *l, uint64_t until, const struct local_watch *watch);
/* Where the bytes from GPU address `va` on lie here: all of them in one allocation, else NULL. */
void *local_host(struct local *l, uint64_t va, uint64_t bytes, enum local_place *place);

/* The pages of [va, +bytes), whole pages of one allocation in VRAM, go to the memory of `gpu`, in batches behind those
 * of earlier calls: while a dispatch runs, which is not over before they are there, or when the machine runs next.
 * NULL, or why not, for people: then none does.  What cannot go later, since that GPU has no memory left, stays where
 * it is: one line on stderr, and local_moved says so. */
const char *local_move(struct local *l, uint64_t va, uint64_t bytes, unsigned gpu);
/* Everything has gone so far that was to. */
bool local_moved(const struct local *l);
/* Some wait, or are on their way. */
bool local_moving(const struct local *l);
/* What became of pages so far; owned by it. */
const struct ledger *local_ledger(struct local *l);
/* The machine makes no progress: who owes what to pages that move, as a report; nothing when none moves. */
void local_stuck(const struct local *l);

/* The `data` figure of the final line over all VRAM allocations. */
uint64_t local_data_hash(struct local *l);
#endif
