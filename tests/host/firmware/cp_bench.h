/* SPDX-License-Identifier: Apache-2.0
 * A bench around command processors: two GPUs on the fake machine, client memory that looks the same to both, queues
 * laid out as ROCr does, packets written by the test.
 */
#ifndef CP_BENCH_H
#define CP_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_sim.h"
#include "firmware/cp.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define VA 0x100000000u
#define GTT_BYTES (UINT64_C(8) << 20)
#define AT_KD 0x1000u      /* kernel descriptors, 64 bytes each */
#define AT_SIGNALS 0x2000u /* 64 bytes each */
#define AT_QUEUES 0x10000u /* 0x2000 each: ring of 64 packets, then amd_queue_t */
#define MAILBOX 0x3000u
#define BELL 40u /* cycles on its way */

struct bench {
    struct pmem *pm;
    struct sim *sim;
    struct cp *cp[2];
    struct cp_space space[2][2]; /* client, GPU */
    uint64_t written[16];        /* packets written to each queue */
    struct cp_queue *queue[16];
    unsigned gpu_of[16], client_of[16];
    unsigned events, faults, errors, kernels, unfinished, closed, interrupts, halted, visible, shootdowns;
    unsigned asked, allowed; /* times that it was asked whether a kernel may start; kernels that still may */
    uint64_t numbers;        /* of kernels */
    uint32_t last_event, last_error;
    uint64_t fault_va;
    struct msg_cp_evt told; /* the last fault, as it was told, also with the error of a queue */
    bool stand;
    unsigned withheld; /* pages without an entry that it was asked about */
    bool takes;        /* what it said */
    uint64_t withheld_va;
    uint32_t withheld_rights;
    unsigned tables;         /* times that writes to page tables were done */
    uint64_t watch, watched; /* word whose value is noted when an event is raised */
    struct cp_space *last_closed;
    struct kernel_row rows[64], last_unfinished;
};

static uint8_t *at(struct bench *b, uint64_t offset)
{
    return pmem_gtt(b->pm, offset, 8);
}
__attribute__((unused)) static uint64_t get(struct bench *b, uint64_t offset)
{
    uint64_t v;
    memcpy(&v, at(b, offset), 8);
    return v;
}
static void put(struct bench *b, uint64_t offset, uint64_t v, unsigned bytes)
{
    memcpy(at(b, offset), &v, bytes);
}

static void poll_all(struct bench *b)
{
    cp_poll(b->cp[0]);
    cp_poll(b->cp[1]);
}

static void on_event(void *ctx, void *owner, uint32_t id)
{
    struct bench *b = ctx;
    (void)owner;
    b->events++;
    b->last_event = id;
    if (b->watch)
        b->watched = get(b, b->watch);
}
/* As the machine does: the clock stands, and the command processors look. */
static void on_visible(void *ctx)
{
    struct bench *b = ctx;
    b->visible++;
    b->stand = true;
}
static void on_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct bench *b = ctx;
    (void)owner, (void)gpu;
    b->faults++;
    b->fault_va = evt->va;
    b->told = *evt;
}
static void on_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code, const struct msg_cp_evt *evt)
{
    struct bench *b = ctx;
    (void)owner, (void)gpu, (void)queue;
    b->told = evt ? *evt : (struct msg_cp_evt){0};
    b->errors++;
    b->last_error = code;
}
static void on_halted(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    (void)owner, (void)gpu, (void)evt;
    ((struct bench *)ctx)->halted++;
}
static void on_interrupt(void *ctx, void *owner)
{
    (void)owner;
    ((struct bench *)ctx)->interrupts++;
}
static void on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    struct bench *b = ctx;
    (void)owner;
    if (row->unfinished)
        b->unfinished++, b->last_unfinished = *row;
    else
        b->rows[b->kernels++ % 64] = *row;
}
static void on_closed(void *ctx, struct cp_space *space)
{
    struct bench *b = ctx;
    b->closed++;
    b->last_closed = space;
}

static void on_shootdown(void *ctx)
{
    ((struct bench *)ctx)->shootdowns++;
}

static bool on_withheld(void *ctx, void *owner, unsigned gpu, uint64_t va, uint32_t rights)
{
    struct bench *b = ctx;
    (void)owner, (void)gpu;
    b->withheld_va = va;
    b->withheld_rights = rights;
    b->withheld++;
    return b->takes;
}

static void on_tables(void *ctx)
{
    ((struct bench *)ctx)->tables++;
}

static void stand(struct bench *b)
{
    if (b->stand) {
        b->stand = false;
        poll_all(b);
    }
}

static bool on_may_start(void *ctx)
{
    struct bench *b = ctx;
    b->asked++;
    return b->allowed && b->allowed--;
}

static struct cp *other(void *ctx, unsigned gpu)
{
    return ((struct bench *)ctx)->cp[gpu];
}

static uint64_t on_number(void *ctx)
{
    return ++((struct bench *)ctx)->numbers;
}

static void host_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct bench *b = ctx;
    (void)now;
    cp_event(b->cp[gpu], evt);
    for (unsigned g = 0; evt->kind == CP_EVT_LAUNCH_DONE && g < 2; g++)
        cp_look(b->cp[g]);
    stand(b);
}
static void host_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct bench *b = ctx;
    (void)now;
    cp_timer(b->cp[cookie >> 56], cookie);
    stand(b);
}
static void host_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct bench *b = ctx;
    (void)now;
    cp_answer(b->cp[cookie >> 56], cookie, rsp);
    stand(b);
}

static int bench_setup(void **state)
{
    static const struct sim_host_ops ops = {.event = host_event, .timer = host_timer, .answer = host_answer};
    static const struct cp_config config = {.doorbell_cycles = BELL,
                                            .packet_cycles = 100,
                                            .launch_cycles = 200,
                                            .barrier_cycles = 100,
                                            .signal_cycles = 50,
                                            .interrupt_cycles = 700,
                                            .launches = 8,
                                            .slots = 16,
                                            .engines = 1,
                                            .quantum_cycles = 50000,
                                            .map_cycles = 300,
                                            .cus = 4,
                                            .parts = 2,
                                            .poll_cycles = 1000,
                                            .lds_bytes = 65536,
                                            .simds = 4,
                                            .waves_per_simd = 10,
                                            .vgprs_per_simd = 256,
                                            .sgprs_per_simd = 800,
                                            .counters = true,
                                            .count_page = 65536,
                                            .cu_mask = 0xf,
                                            .tables_base = (UINT64_C(64) << 20) - (1 << 20),
                                            .tables_bytes = 1 << 20};
    struct bench *b = calloc(1, sizeof *b);
    b->pm = pmem_new(2, UINT64_C(64) << 20, GTT_BYTES);
    b->allowed = UINT32_MAX;
    b->sim = sim_new(NULL, b->pm, NULL, &ops, b);
    const struct cp_host host = {b,         on_event,  on_visible,   on_fault,     on_error,    on_halted, on_interrupt,
                                 on_kernel, on_closed, on_shootdown, on_may_start, on_withheld, on_tables, on_number,
                                 other};
    for (unsigned g = 0; g < 2; g++)
        b->cp[g] = cp_new(b->sim, g, &config, &host);
    for (unsigned c = 0; c < 2; c++)
        for (unsigned g = 0; g < 2; g++) {
            b->space[c][g] = (struct cp_space){.pt = pagetable_new(b->pm, g), .vmid = (uint8_t)(c + 1), .owner = b};
            pagetable_map(b->space[c][g].pt, VA, 0, GTT_BYTES, PTE_R | PTE_W | PTE_X);
            cp_space_open(b->cp[g], &b->space[c][g]);
        }
    /* descriptor 0: entry 0x100 on, 12 VGPRs, 24 SGPRs, all user SGPRs, group id x, v0..v2 */
    put(b, AT_KD + 0x10, 0x100, 8);
    put(b, AT_KD + 0x30, 2 | 2 << 6, 4);
    put(b, AT_KD + 0x34, 15u << 1 | 1 << 7 | 2 << 11, 4);
    put(b, AT_KD + 0x38, 0x7f, 2);
    fake_launch = NULL;
    fake_fault_at = 0;
    *state = b;
    return 0;
}

static int bench_teardown(void **state)
{
    struct bench *b = *state;
    for (unsigned g = 0; g < 2; g++) {
        cp_free(b->cp[g]);
        for (unsigned c = 0; c < 2; c++)
            pagetable_free(b->space[c][g].pt);
    }
    sim_free(b->sim);
    pmem_free(b->pm);
    free(b);
    return 0;
}

static uint64_t queue_at(unsigned q)
{
    return AT_QUEUES + q * 0x2000u;
}
static uint64_t slot_at(unsigned q, uint64_t index)
{
    return queue_at(q) + index % 64 * 64;
}
static uint64_t amd_at(unsigned q)
{
    return queue_at(q) + 0x1000;
}
static uint64_t signal_at(unsigned s)
{
    return AT_SIGNALS + s * 64u;
}
static uint64_t signal_va(unsigned s)
{
    return VA + signal_at(s);
}

__attribute__((unused)) static void queue_open(struct bench *b, unsigned q, unsigned client, unsigned gpu)
{
    for (unsigned i = 0; i < 64; i++)
        put(b, slot_at(q, i), 1, 2);
    put(b, amd_at(q) + 0xc0, signal_va(40 + q), 8);
    put(b, amd_at(q) + 0xb4, 8, 4); /* with timestamps */
    const struct cp_queue_args args = {.number = q,
                                       .ring = VA + queue_at(q),
                                       .packets = 64,
                                       .write_index = VA + amd_at(q) + 0x50,
                                       .read_index = VA + amd_at(q) + 0x80};
    b->queue[q] = cp_queue_open(b->cp[gpu], &b->space[client][gpu], &args);
    b->gpu_of[q] = gpu;
    b->client_of[q] = client;
    assert_non_null(b->queue[q]);
}

__attribute__((unused)) static void ring(struct bench *b, unsigned q)
{
    put(b, amd_at(q) + 0x50, b->written[q], 8);
    cp_doorbell(b->cp[b->gpu_of[q]], b->queue[q]);
}

/* Header low byte: type, high byte: barrier bit and scopes. */
__attribute__((unused)) static uint64_t kernel_put(struct bench *b, unsigned q, uint16_t header, uint64_t signal)
{
    uint64_t s = slot_at(q, b->written[q]++);
    put(b, s + 2, 3, 2);
    put(b, s + 4, 64 | 1ull << 16 | 1ull << 32, 8);
    put(b, s + 0xc, 256 | 1ull << 32, 8);
    put(b, s + 0x14, 1, 4);
    put(b, s + 0x18, 0, 8);
    put(b, s + 0x20, VA + AT_KD, 8);
    put(b, s + 0x28, 0x1122334455667788, 8);
    put(b, s + 0x38, signal, 8);
    put(b, s, header, 2);
    return s;
}

__attribute__((unused)) static uint64_t barrier_put(struct bench *b, unsigned q, uint16_t header, const unsigned *deps,
                                                    unsigned count, uint64_t signal)
{
    uint64_t s = slot_at(q, b->written[q]++);
    for (unsigned i = 0; i < 5; i++)
        put(b, s + 8 + 8 * i, i < count ? signal_va(deps[i]) : 0, 8);
    put(b, s + 0x38, signal, 8);
    put(b, s, header, 2);
    return s;
}

/* A vendor-specific slot of PM4 words; behind them filler. */
__attribute__((unused)) static uint64_t pm4_put(struct bench *b, unsigned q, const uint32_t *words, unsigned count)
{
    uint64_t s = slot_at(q, b->written[q]++);
    for (unsigned i = 16; i-- > 0;) /* the header last */
        put(b, s + 4 * i, i < count ? words[i] : 0x80000000, 4);
    return s;
}

/* As ROCr's: a NOP of five words, an indirect buffer, the slot's end. */
__attribute__((unused)) static uint64_t pm4_call(struct bench *b, unsigned q, uint64_t va, uint32_t words)
{
    const uint32_t slot[16] = {0xc0031000,       0,          0,    0, 0, 0xc0023f00, (uint32_t)va, (uint32_t)(va >> 32),
                               words | 1u << 23, 0xc0054900, 0x700};
    return pm4_put(b, q, slot, 16);
}

__attribute__((unused)) static void run(struct bench *b)
{
    while (b->sim->count)
        sim_run(b->sim, UINT64_MAX);
}

__attribute__((unused)) static unsigned commands(struct bench *b, unsigned kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->sim->logged; i++)
        n += b->sim->log[i].cmd.kind == kind;
    return n;
}

__attribute__((unused)) static const struct msg_cp_cmd *command_last(struct bench *b, unsigned kind)
{
    for (unsigned i = b->sim->logged; i-- > 0;)
        if (b->sim->log[i].cmd.kind == kind)
            return &b->sim->log[i].cmd;
    return NULL;
}
#endif
