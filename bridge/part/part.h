/* SPDX-License-Identifier: Apache-2.0
 * A partition as the scheduler sees it: inputs and outputs that are channels, a visit for one window of cycles, an
 * idle flag.  RTL partitions (bridge/verilated) and C partitions share it, and nothing else knows which is which.
 * Responsible for: what a partition is, gathering the messages of a window, its state.  Not responsible for: when it is
 * visited, and sending, which wakes the receiver (bridge/run/sched.h).
 */
#ifndef GANTRY_PART_H
#define GANTRY_PART_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bridge/link/channel.h"
#include "bridge/part/window.h"
#include "saved/state.h"

struct link;
struct part;
struct sched;

/* A channel as a scheduler sees it: between two of its partitions, or one end of a link to elsewhere. */
struct wire {
    struct channel channel;
    struct part *from, *to; /* NULL: elsewhere */
    uint32_t to_slot;       /* input number at the receiver, wherever it is */
    bool silent;            /* the receiver is not woken: it looks when it needs to (credits of the host) */
    bool crosses;           /* from one group of this scheduler to another */
    struct link *in, *out;  /* that its messages come from, or leave by; NULL: none */
    bool held;              /* the scheduler keeps in mind that messages of `in` are not finished with */
};

typedef void (*part_counter_fn)(void *arg, const char *location, const char *name, uint64_t value, const char *unit);

/* Each but visit may be NULL: there is nothing. */
struct part_ops {
    /* Run cycles [from, from + PART_WINDOW); part->due holds the messages.  Sets part->idle. */
    void (*visit)(struct part *part, uint64_t from);
    void (*counters)(struct part *part, part_counter_fn fn, void *arg);
    void (*report)(struct part *part, FILE *out); /* watchdog: what it waits for */
    void (*free)(struct part *part);
    /* Its own state between visits, canonical (saved/state_io.h).  restore, into an equal partition, is false when the
     * bytes end or are not its state; the partition is then good for `free` only. */
    void (*save)(struct part *part, struct state_writer *to);
    bool (*restore)(struct part *part, struct state_reader *from);
    /* Why it cannot be saved, a constant text; NULL: it can. */
    const char *(*unsavable)(const struct part *part);
    /* The word it shows for `what` (docs/contracts.md: CUs, where a wavefront is); 0: nothing.  May take clock edges:
     * at the end of a run only. */
    uint64_t (*look)(struct part *part, uint32_t what);
    /* What it shows of its progress at any time (CUs: wavefront instructions; dispatchers: work-groups). */
    uint64_t (*shown)(const struct part *part);
};

struct part {
    const struct part_ops *ops;
    struct sched *sched;
    char name[40];    /* "gpu0.cu3" */
    uint32_t index;   /* in its group: order of visits */
    uint32_t number;  /* of all partitions of the machine, wherever they run, in the order of assembly */
    uint32_t process; /* that runs it (bridge/place); 0 where there is one */
    bool elsewhere;   /* another process runs it: here it has name and ports only, and nothing calls it */
    uint32_t group;   /* of partitions that the scheduler visits together (sched.h); 0 unless set before sched_start */
    bool over;        /* nobody visits it any more: what asks it need not keep its state */
    bool idle;        /* no clock edge changes its state until a message arrives */
    uint32_t ins, outs;
    struct wire **in, **out; /* NULL: not connected */
    uint64_t *waiting;       /* bit per input: its channel holds messages */
    struct part_in *due[PART_WINDOW];
    uint32_t due_count[PART_WINDOW];
    size_t due_room[PART_WINDOW];
    uint64_t visits;
    void *own; /* of the implementation */
};

struct part *part_new(const struct part_ops *ops, const char *name, uint32_t ins, uint32_t outs, void *own);
/* One that process `process` runs: no operation but the end, which leaves `own` to the caller. */
struct part *part_elsewhere(const char *name, uint32_t ins, uint32_t outs, uint32_t process);
void part_free(struct part *part);
const char *part_name(const struct part *part);

/* Collect the messages due in [from, from + PART_WINDOW) into part->due, by input number within a cycle. */
void part_gather(struct part *part, uint64_t from);
/* One more message of the present visit, which did not come over a channel; data lives until its end. */
void part_due(struct part *part, unsigned cycle, uint32_t slot, const void *data);
/* Forget the gathered messages: their ring places are free again. */
void part_release(struct part *part);

/* A word of it, and its progress; 0 when it shows none. */
uint64_t part_look(struct part *part, uint32_t what);
uint64_t part_shown(const struct part *part);

/* Its state: idle flag, visits, and what is its own.  NULL or why not: before anything is written. */
const char *part_unsavable(const struct part *part);
void part_save(struct part *part, struct state_writer *to);
bool part_restore(struct part *part, struct state_reader *from);
/* XXH64 over what part_save writes, visits left out: equal for equal states. */
uint64_t part_state_hash(struct part *part);

/* The end of the program on our own bug: component, cycle, condition, values (host/base/check.h). */
void part_bug(const struct part *part, uint64_t cycle, const char *file, int line, const char *what, const char *format,
              ...) __attribute__((noreturn, format(printf, 6, 7)));
#define PART_CHECK(condition, part, cycle, ...)                                                                        \
    do {                                                                                                               \
        if (__builtin_expect(!(condition), 0))                                                                         \
            part_bug(part, cycle, __FILE__, __LINE__, #condition, __VA_ARGS__);                                        \
    } while (0)
#endif
