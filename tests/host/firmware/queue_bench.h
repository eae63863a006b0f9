/* SPDX-License-Identifier: Apache-2.0
 * What tests of a queue's head and ring share, on cp_bench.h: a kernel that runs for a while, packets that nothing
 * holds back, and how often a line of memory was read.
 */
#ifndef QUEUE_BENCH_H
#define QUEUE_BENCH_H
#include "cp_bench.h"
#include "firmware/cp_private.h"

#define BARRIER 0x0003u /* a barrier packet's header: no barrier bit, no fences */

static uint64_t slow_cycles = 10000;
__attribute__((unused)) static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd,
                                             struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return slow_cycles;
}

/* So far, of this physical line. */
__attribute__((unused)) static unsigned reads(struct bench *b, uint64_t line)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->sim->accesses; i++)
        n += b->sim->access[i].req.op == MEM_READ_NC && b->sim->access[i].req.addr == line;
    return n;
}

/* Runs until so many launches were sent. */
__attribute__((unused)) static void kernel_started(struct bench *b, unsigned count)
{
    for (unsigned n = 0; n < 1000 && commands(b, CP_LAUNCH) < count; n++)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(commands(b, CP_LAUNCH), count);
}

/* Barrier packets, and a doorbell for all of them. */
__attribute__((unused)) static void packets_put(struct bench *b, unsigned q, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        barrier_put(b, q, BARRIER, NULL, 0, 0);
    ring(b, q);
}
#endif
