/* SPDX-License-Identifier: Apache-2.0
 * For tests of the monitor of moves: two GPUs with one address space, and the messages of a page that goes from GPU 0
 * to GPU 1, each as the engine sends it or a GPU answers it.
 */
#ifndef TESTS_HOST_MIGRATE_MONITOR_BENCH_H
#define TESTS_HOST_MIGRATE_MONITOR_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "maintenance/page_commands.h"
#include "monitor/monitor.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define VA UINT64_C(0x40000000)
#define FROM pmem_addr(1, 0x100000)
#define TO pmem_addr(2, 0x200000)
#define RIGHTS (PTE_R | PTE_W)
#define VMID 3u
#define LINES (PAGE / PAGE_LINE)

struct world {
    struct pmem *pm;
    struct pagetable *pt[2];
    struct monitor *monitor;
    const struct sim_watch *watch;
};

/* Changes of tables as the command processors write them: line by line. */
static inline void sink(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    struct world *w = ctx;
    for (uint32_t done = 0, n; done < bytes; done += n) {
        const unsigned place = (unsigned)((pa + done) % 64);
        n = 64 - place < bytes - done ? 64 - place : bytes - done;
        struct msg_mem_req req = {
            .op = MEM_WRITE, .addr = pa + done - place, .mask = (UINT64_MAX >> (64 - n)) << place};
        memcpy((uint8_t *)req.data + place, (const uint8_t *)from + done, n);
        w->watch->access(w->watch->ctx, &req);
        assert_int_equal(pmem_write(w->pm, pa + done, (const uint8_t *)from + done, n), 0);
    }
}

static inline void command(struct world *w, unsigned gpu, struct msg_cp_cmd cmd)
{
    w->watch->command(w->watch->ctx, gpu, &cmd);
}

static inline void event(struct world *w, unsigned gpu, struct msg_cp_evt evt)
{
    w->watch->event(w->watch->ctx, gpu, &evt);
}

static inline void world_of(struct world *w, bool fixed)
{
    w->pm = pmem_new(2, 64 << 20, 1 << 20);
    w->monitor = monitor_new(w->pm, fixed);
    w->watch = monitor_watch(w->monitor);
    for (unsigned g = 0; g < 2; g++) {
        w->pt[g] = pagetable_new(w->pm, g);
        assert_int_equal(pagetable_map(w->pt[g], VA - PAGE, FROM - PAGE, 4 * PAGE, RIGHTS), 0);
        command(w, g, (struct msg_cp_cmd){.kind = CP_VMID, .vmid = VMID, .root = pagetable_root(w->pt[g])});
    }
    pagetable_sink_set(w->pm, sink, w);
}

static inline void world_new(struct world *w)
{
    world_of(w, false);
}

static inline void world_free(struct world *w)
{
    for (unsigned g = 0; g < 2; g++)
        pagetable_free(w->pt[g]);
    monitor_free(w->monitor);
    pmem_free(w->pm);
}

static inline void launch(struct world *w, unsigned gpu)
{
    command(w, gpu, (struct msg_cp_cmd){.kind = CP_LAUNCH, .vmid = VMID, .id = 7});
}

static inline void lock(struct world *w, unsigned gpu, bool locked)
{
    assert_int_equal(pagetable_lock(w->pt[gpu], VA, PAGE, locked), 0);
}

static inline void shoot(struct world *w, unsigned gpu, bool more)
{
    command(w, gpu,
            (struct msg_cp_cmd){.kind = CP_CACHE,
                                .vmid = VMID,
                                .id = 1,
                                .flags = CACHE_INV_TLB | (more ? CACHE_MORE : 0),
                                .root = VA,
                                .pc = PAGE});
}

static inline void caches_answer(struct world *w, unsigned gpu, unsigned id, uint8_t status)
{
    event(w, gpu, (struct msg_cp_evt){.kind = CP_EVT_CACHE_DONE, .id = (uint16_t)id, .status = status});
}

static inline void write_back(struct world *w)
{
    command(w, 0,
            (struct msg_cp_cmd){.kind = CP_CACHE,
                                .id = 2,
                                .flags = CACHE_WB_L2 | CACHE_INV_L2,
                                .root = FROM & PMEM_OFFSET_MASK,
                                .pc = PAGE});
}

static inline void order(struct world *w, unsigned gpu, struct msg_cp_move view)
{
    struct msg_cp_cmd cmd;
    memcpy(&cmd, &view, sizeof cmd);
    command(w, gpu, cmd);
}

static inline void store(struct world *w, uint64_t lines)
{
    order(w, 1, (struct msg_cp_move){.kind = CP_STORE, .slot = 4, .id = lines ? 5 : 8, .lines = (uint16_t)lines});
}

static inline void send(struct world *w)
{
    order(w, 0,
          (struct msg_cp_move){
              .kind = CP_MOVE, .slot = 4, .id = 6, .lines = LINES, .source = FROM & PMEM_OFFSET_MASK, .target = TO});
}

static inline void report_of(struct world *w, unsigned gpu, uint8_t kind, uint16_t id, uint8_t status)
{
    const struct msg_cp_evt_move told = {
        .kind = kind, .id = id, .slot = 4, .begun = 1, .status = status, .lines = LINES};
    struct msg_cp_evt evt;
    memcpy(&evt, &told, sizeof evt);
    event(w, gpu, evt);
}

static inline void report(struct world *w, unsigned gpu, uint8_t kind, uint8_t status)
{
    report_of(w, gpu, kind, kind == CP_EVT_MOVED ? 6 : 5, status);
}

static inline void map(struct world *w, uint64_t to, uint32_t rights)
{
    for (unsigned g = 0; g < 2; g++)
        assert_int_equal(pagetable_map(w->pt[g], VA, to, PAGE, rights), 0);
}

static inline void host(struct world *w, uint64_t addr, uint8_t op)
{
    w->watch->access(w->watch->ctx, &(struct msg_mem_req){.op = op, .addr = addr, .mask = UINT64_MAX});
}
#endif
