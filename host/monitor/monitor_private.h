/* SPDX-License-Identifier: Apache-2.0
 * Inside of the monitor of moves: pages that are locked (monitor_page.c), by which entries (monitor_locks.c), what GPUs
 * have been told and owe (monitor_gpu.c), what the engines owe (monitor_orders.c).  A "number" orders all that is sent.
 */
#ifndef GANTRY_MONITOR_PRIVATE_H
#define GANTRY_MONITOR_PRIVATE_H
#include "migrate/move.h"
#include "monitor/monitor.h"
#include "vm/ranges.h"

#define MONITOR_ACTIONS A(nothing) A(shoot) A(flush) A(push) A(await) A(unlock) A(leave) A(undo) A(bind) A(copy)
#define A(name) ACTION_##name,
enum monitor_action { MONITOR_ACTIONS ACTIONS };
#undef A

/* An order of the page-move engines. */
struct monitor_order {
    struct monitor_order *next;
    unsigned home;
    uint16_t id; /* of its CP_MOVE */
    uint64_t from, to, bytes;
    bool moved, stored, failed; /* reported; badly */
};

/* A CP_STORE that is not reported. */
struct monitor_store {
    struct monitor_store *next;
    unsigned gpu;
    uint8_t slot;
    bool clears;
    uint16_t id, lines;
    struct monitor_order *order; /* by which its lines come; NULL: not sent yet, or over */
};

/* A frame whose page moves. */
struct monitor_page {
    struct range frame;
    uint64_t own; /* address of the page */
    uint64_t to;  /* where it goes, since the order */
    enum move_state state;
    unsigned locks;                /* entries that lead here and are locked */
    uint64_t flush;                /* number of its write-back */
    bool answered;                 /* nobody can have an access under way */
    bool flushed, arrived, failed; /* GPUs have said so */
    struct monitor_order *order;
};

/* An entry of a page table that was written as locked. */
struct monitor_lock {
    struct range place;
    uint64_t entry;
    unsigned gpu;
    uint64_t since, shot; /* numbers of its write, and of the shoot-down that named it; 0: none did */
    struct monitor_page *page;
};

/* A CP_CACHE that is not answered. */
struct monitor_cache {
    uint64_t number;
    struct msg_cp_cmd cmd;
};

struct monitor_launch {
    uint16_t id;
    uint8_t vmid;
};

struct monitor_gpu {
    struct monitor_cache *caches; /* in the order of sending */
    size_t cache_count, cache_room;
    struct monitor_launch *launches;
    size_t launch_count, launch_room;
    uint64_t roots[256];
    uint64_t dropped[256]; /* by space: number of the last command that drops all of its translations */
    uint64_t owed[256];    /* by space: a lock of that number that no shoot-down has told; 0: none */
    uint64_t shot[256];    /* by space: the last shoot-down that is done, with all before it */
};

struct monitor {
    struct pmem *pm;
    const struct sim *sim;
    bool fixed; /* moves take a fixed time, and the host copies; else engines carry */
    struct sim_watch watch;
    uint64_t number;
    struct ranges pages, locks;
    struct monitor_gpu *gpus;
    struct monitor_order *orders;
    struct monitor_store *stores;
};

/* Pages that a command names: range i, `count` of them. */
struct monitor_named {
    unsigned count;
    uint64_t at[8], bytes;
};
struct monitor_named named_pages(const struct msg_cp_cmd *cmd);

/* monitor_page.c: whether the host copies what moves now; the page of a frame, NULL: none moves there; it is locked
 * somewhere, unlocked, mapped elsewhere; nobody has it locked any more; something is done with it: by a row of the
 * table whose event has happened. */
bool page_copied(const struct monitor *m);
struct monitor_page *page_find(const struct monitor *m, uint64_t frame);
struct monitor_page *page_locked(struct monitor *m, uint64_t frame);
void page_unlocked(struct monitor *m, struct monitor_page *p);
void page_mapped(struct monitor *m, struct monitor_page *p, uint64_t to);
void page_rests(struct monitor *m, struct monitor_page *p);
void page_step(struct monitor *m, struct monitor_page *p, enum monitor_action action);
const char *page_state(const struct monitor_page *p);

/* monitor_locks.c: an entry is written; the page's entry of that address is locked, NULL: it is not; each page of [at,
 * +bytes) is locked wherever it is mapped, and no TLB leads there. */
void entry_written(struct monitor *m, unsigned gpu, uint64_t place, uint64_t value);
struct monitor_lock *lock_of(const struct monitor *m, unsigned gpu, uint8_t vmid, uint64_t va);
void locks_check(struct monitor *m, uint64_t at, uint64_t bytes);
void locks_refused(struct monitor *m, unsigned gpu, uint64_t number);

/* Wavefronts of the space may be at the GPU. */
static inline bool space_runs(const struct monitor_gpu *g, uint8_t vmid)
{
    bool runs = false;
    for (size_t i = 0; i < g->launch_count; i++)
        runs |= g->launches[i].vmid == vmid;
    return runs;
}

/* monitor_gpu.c */
void gpu_command(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd);
void gpu_event(struct monitor *m, unsigned gpu, const struct msg_cp_evt *evt);

/* monitor_orders.c */
void order_sent(struct monitor *m, unsigned gpu, const struct msg_cp_cmd *cmd);
void order_reported(struct monitor *m, unsigned gpu, const struct msg_cp_evt *evt);
void orders_free(struct monitor *m);
#endif
