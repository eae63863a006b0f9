/* SPDX-License-Identifier: Apache-2.0
 * What the simulator and the command processors of a machine tell it (machine_private.h).  When a kernel ends, all
 * command processors look at their waiting queues again, in the order of GPUs, since it may have stored to a signal
 * that releases a queue elsewhere; and when the clock has stood still since one of them has written.
 */
#include "base/log.h"
#include "machine/goals.h"
#include "system/machine_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

void machine_visible(struct machine *m)
{
    m->visible = true;
    sim_stop(m->sim);
}

void machine_halt(struct machine *m)
{
    m->halted = true;
    sim_stop(m->sim);
}

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    log_cycle = now;
    cp_event(m->cps[gpu], evt);
    for (unsigned g = 0; evt->kind == CP_EVT_LAUNCH_DONE && g < m->gpus; g++)
        cp_look(m->cps[g]);
}

/* A kernel waits at a border of the region: has everything before it ended? */
static void border_look(struct machine *m, uint64_t now)
{
    m->cross = sim_settled(m->sim) && !m->moving;
    for (unsigned g = 0; g < m->gpus; g++)
        m->cross &= !cp_busy(m->cps[g]);
    if (m->cross)
        sim_stop(m->sim);
    else
        sim_timer(m->sim, now + ROI_LOOK_CYCLES, ROI_COOKIE);
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    log_cycle = now;
    if (cookie == ROI_COOKIE) {
        border_look(m, now);
        return;
    }
    if (cookie == HOLD_COOKIE) { /* kernels that were held back are looked at again */
        for (unsigned g = 0; g < m->gpus; g++)
            cp_poll(m->cps[g]);
        return;
    }
    if (cookie == PHASE_COOKIE) {
        m->phases.timer(m->phases.ctx);
        return;
    }
    if (cookie == FAULT_COOKIE) {
        m->phases.fault(m->phases.ctx);
        return;
    }
    if (cookie == ALARM_COOKIE) {
        m->alarm(m->alarm_ctx);
        return;
    }
    if (cookie == USER_COOKIE) {
        machine_visible(m);
        return;
    }
    cp_timer(m->cps[cookie >> 56], cookie);
}

static void on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct machine *m = ctx;
    log_cycle = now;
    if (cookie >= USER_ACCESS)
        m->answer(m->answer_ctx, cookie & ~USER_ACCESS, rsp);
    else
        cp_answer(m->cps[cookie >> 56], cookie, rsp);
}

const struct sim_host_ops machine_sim_ops = {.event = on_event, .timer = on_timer, .answer = on_answer};

/* The command processors report here; the user is told, and the clock stops where a client may see something. */
static void cp_on_event(void *ctx, void *owner, uint32_t event_id)
{
    struct machine *m = ctx;
    m->user.event(m->user.ctx, owner, event_id);
    machine_visible(m);
}

static void cp_on_visible(void *ctx)
{
    struct machine *m = ctx;
    if (m->user.visible)
        m->user.visible(m->user.ctx);
    machine_visible(m);
}

static void cp_on_memory_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    m->user.memory_fault(m->user.ctx, owner, gpu, evt);
}

static void cp_on_queue_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code,
                              const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    m->user.queue_error(m->user.ctx, owner, gpu, queue, code, evt);
}

static void cp_on_halted(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    m->user.halted(m->user.ctx, owner, gpu, evt);
}

static void cp_on_interrupt(void *ctx, void *owner)
{
    struct machine *m = ctx;
    m->user.interrupt(m->user.ctx, owner);
}

static void cp_on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    struct machine *m = ctx;
    struct kernel_row own = *row;
    own.untimed = m->options.model == SIM_GOLDEN || roi_untimed(&m->roi);
    m->user.kernel(m->user.ctx, owner, &own);
    if (!m->over)
        sim_kernel(m->sim, row->number);
}

static void cp_on_space_closed(void *ctx, struct cp_space *space)
{
    struct machine *m = ctx;
    m->user.space_closed(m->user.ctx, space);
}

void machine_moving(struct machine *m, bool on)
{
    m->moving = on;
    m->held = on && m->sim && sim_model_now(m->sim) == SIM_GOLDEN;
    if (!on && m->sim)
        sim_timer(m->sim, sim_now(m->sim), HOLD_COOKIE);
}

static bool cp_withheld(void *ctx, void *owner, unsigned gpu, uint64_t va, uint32_t rights)
{
    struct machine *m = ctx;
    return m->user.withheld && m->user.withheld(m->user.ctx, owner, gpu, va, rights);
}

static bool cp_may_start(void *ctx)
{
    struct machine *m = ctx;
    if (m->held)
        return false;
    bool look, may = roi_may_start(&m->roi, &look);
    if (look)
        sim_timer(m->sim, sim_now(m->sim), ROI_COOKIE);
    return may;
}

static uint64_t cp_number(void *ctx)
{
    struct machine *m = ctx;
    if (m->phases.wake)
        m->phases.wake(m->phases.ctx);
    return ++m->started;
}

static struct cp *cp_other(void *ctx, unsigned gpu)
{
    const struct machine *m = ctx;
    return m->cps[gpu];
}

static void cp_on_shootdown(void *ctx)
{
    struct machine *m = ctx;
    if (m->user.shootdown)
        m->user.shootdown(m->user.ctx);
}

static void cp_on_tables(void *ctx)
{
    struct machine *m = ctx;
    if (m->user.tables)
        m->user.tables(m->user.ctx);
}

/* Changes of page tables, once the machine has begun: before, they are what memory holds at the beginning. */
void machine_table_write(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    struct machine *m = ctx;
    cp_tables_write(m->cps[(pa >> PMEM_OWNER_SHIFT) - 1], pa, from, bytes);
}

void machine_tables_sent(struct machine *m, bool sent)
{
    pagetable_sink_set(m->memory, sent ? machine_table_write : NULL, sent ? m : NULL);
}

const struct cp_host machine_cp_ops = {.event = cp_on_event,
                                       .visible = cp_on_visible,
                                       .memory_fault = cp_on_memory_fault,
                                       .queue_error = cp_on_queue_error,
                                       .halted = cp_on_halted,
                                       .interrupt = cp_on_interrupt,
                                       .kernel = cp_on_kernel,
                                       .space_closed = cp_on_space_closed,
                                       .may_start = cp_may_start,
                                       .withheld = cp_withheld,
                                       .number = cp_number,
                                       .other = cp_other,
                                       .shootdown = cp_on_shootdown,
                                       .tables = cp_on_tables};
