/* SPDX-License-Identifier: Apache-2.0
 * The client inside the simulator (`gantry kernel`), on a fake machine: what a kernel finds in its registers, its
 * packet and its queue, what memory it gets, and how a dispatch ends (S0.8, B.8).
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../firmware/fake_sim.h"
#include "config/config.h"
#include "driver/local.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define GPU 1u
#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define VRAM (64 * MIB)
#define FULL_VRAM (63 * MIB) /* without the page tables */
#define ALL_SGPRS 0x7fu      /* SRD, packet, queue, arguments, dispatch id, flat scratch, private size */

struct bench {
    struct config config;
    struct local *l;
    uint64_t code;
    uint8_t *code_host;
};

static int setup(void **state)
{
    static const struct sim_options options = {.model = SIM_GOLDEN};
    struct bench *b = calloc(1, sizeof *b);
    void *host;
    config_init(&b->config);
    config_set(&b->config, "test", "system.gpus=2");
    config_set(&b->config, "test", "gpu.vram_mib=64");
    config_set(&b->config, "test", "host.gtt_mib=64");
    config_set(&b->config, "test", "gpu.cu.count=4");
    if (config_finish(&b->config) != STATUS_OK)
        return -1;
    fake_launch = NULL;
    fake_end = SIM_STOPPED;
    fake_wheres = 0;
    b->l = local_open(&b->config.cfg, &options, GPU);
    b->code = local_alloc(b->l, LOCAL_VRAM, 4096, &host);
    b->code_host = host;
    b->code_host[0x10] = 0x80;     /* the first instruction */
    b->code_host[0x34] = 15u << 1; /* user SGPRs */
    b->code_host[0x38] = ALL_SGPRS;
    *state = b;
    return b->code ? 0 : -1;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    local_close(b->l);
    config_fini(&b->config);
    free(b);
    return 0;
}

static struct sim *fake(struct bench *b)
{
    return machine_sim(local_machine(b->l));
}

static const struct msg_cp_cmd *last(struct bench *b, unsigned kind)
{
    for (unsigned i = fake(b)->logged; i-- > 0;)
        if (fake(b)->log[i].cmd.kind == kind) {
            assert_int_equal(fake(b)->log[i].gpu, GPU);
            return &fake(b)->log[i].cmd;
        }
    fail_msg("no such command");
    return NULL;
}

/* As the GPU sees it. */
static void seen(struct bench *b, uint64_t va, void *to, size_t bytes)
{
    uint64_t root = last(b, CP_VMID)->root;
    assert_int_equal(pagetable_walk_read(machine_memory(local_machine(b->l)), root, va, to, bytes), 0);
}

static uint64_t entry_of(struct bench *b, uint64_t va)
{
    return pagetable_walk(machine_memory(local_machine(b->l)), last(b, CP_VMID)->root, va);
}

static uint64_t seen64(struct bench *b, uint64_t va)
{
    uint64_t value;
    seen(b, va, &value, 8);
    return value;
}

static uint32_t seen32(struct bench *b, uint64_t va)
{
    return (uint32_t)(seen64(b, va - va % 8) >> (va % 8 * 8));
}

static uint64_t sgpr64(const struct msg_cp_cmd *cmd, unsigned at)
{
    return cmd->user_sgpr[at] | (uint64_t)cmd->user_sgpr[at + 1] << 32;
}

static struct local_dispatch small(const struct bench *b)
{
    return (struct local_dispatch){.grid = {64, 1, 1}, .group = {64, 1, 1}, .kernel_object = b->code};
}

static struct local_result run(struct bench *b, const struct local_dispatch *d)
{
    static struct local_result result;
    local_dispatch(b->l, d, NULL, &result);
    return result;
}

/* shows S0.8: sizes, LDS, code, arguments, packet and queue are those of the dispatch, and of HSA's structures. */
static void a_kernel_finds_what_it_was_given(void **state)
{
    struct bench *b = *state;
    struct local_dispatch d = {.grid = {130, 40, 6},
                               .group = {16, 8, 2},
                               .group_bytes = 3000,
                               .kernel_object = b->code,
                               .kernarg = 0x123456789a40};
    for (uint64_t n = 0; n < 3; n++) {
        struct local_result r = run(b, &d);
        const struct msg_cp_cmd *cmd = last(b, CP_LAUNCH);
        assert_int_equal(r.outcome, LOCAL_DONE);
        assert_true(r.launched && r.row.gpu == GPU && !r.row.unfinished && r.row.end > r.row.start);
        assert_string_equal(r.text, "");
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(cmd->grid[i], d.grid[i]);
            assert_int_equal(cmd->group[i], d.group[i]);
            assert_int_equal(r.row.grid[i], d.grid[i]);
        }
        assert_int_equal(cmd->lds_bytes, 3072);
        assert_int_equal(cmd->pc, b->code + 0x80);
        assert_int_equal(cmd->vmid, last(b, CP_VMID)->vmid);
        assert_int_not_equal(cmd->vmid, 0);
        assert_int_equal(sgpr64(cmd, 8), d.kernarg);
        assert_int_equal(sgpr64(cmd, 10), n); /* dispatch id */
        uint64_t packet = sgpr64(cmd, 4), queue = sgpr64(cmd, 6), signal = seen64(b, packet + 0x38);
        assert_int_equal(seen64(b, packet + 0x20), b->code);
        assert_int_equal(seen64(b, packet + 0x28), d.kernarg);
        assert_int_equal(seen32(b, packet + 0x1c), 3000);
        assert_int_equal(seen64(b, queue + 0x08), packet - n * 64); /* hsa_queue_t: base address, */
        assert_int_equal(seen32(b, queue + 0x18), 64);              /* size */
        assert_int_equal(seen32(b, queue + 0x40), 0x20000000);      /* amd_queue_t: apertures of LDS and scratch, */
        assert_int_equal(seen32(b, queue + 0x44), 0x20000001);
        assert_int_equal(seen32(b, queue + 0x88), 0x80);  /* where the read index lies in it, */
        assert_int_equal(seen32(b, queue + 0xb4) & 2, 2); /* 64-bit pointers, */
        assert_int_equal(seen64(b, queue + 0x50), n + 1); /* write */
        assert_int_equal(seen64(b, queue + 0x80), n + 1); /* and read index */
        assert_int_equal(seen64(b, signal + 8), 0);       /* completed */
    }
}

/* Each group dimension and grid edge is free; a dispatch of one dimension has the others of size 1. */
static void dispatches_go_round_the_ring(void **state)
{
    struct bench *b = *state;
    struct local_dispatch d = small(b);
    for (uint32_t n = 0; n < 200; n++) { /* three times round */
        d.grid[0] = 64 + n;
        struct local_result r = run(b, &d);
        assert_int_equal(r.outcome, LOCAL_DONE);
        assert_int_equal(last(b, CP_LAUNCH)->grid[0], 64 + n);
        assert_int_equal(r.row.grid[0], 64 + n);
    }
    assert_int_equal(seen64(b, sgpr64(last(b, CP_LAUNCH), 6) + 0x80), 200);
}

/* A kernel with private memory gets a slot for each wavefront that may be there, in the memory that its resource
 * describes; no more of VRAM than a quarter; and what does not fit is said. */
static void scratch_has_room_for_its_wavefronts(void **state)
{
    static const uint32_t sizes[] = {1, 16, 100, 1000, 3000};
    struct bench *b = *state;
    struct local_dispatch d = small(b);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        d.private_bytes = sizes[i];
        struct local_result r = run(b, &d);
        const struct msg_cp_cmd *cmd = last(b, CP_LAUNCH);
        assert_int_equal(r.outcome, LOCAL_DONE);
        const uint64_t wave = cmd->scratch_wave_bytes, all = wave * cmd->scratch_waves, base = cmd->root;
        assert_true(wave >= sizes[i] * 64u && wave < sizes[i] * 64u + 1024);
        assert_true(cmd->scratch_waves == 4 * 32 || (all <= VRAM / 4 && 2 * all > VRAM / 4)); /* 4 CUs */
        assert_true(all <= VRAM / 4);
        for (uint64_t at = 0; at < all; at += 4096)
            assert_true((entry_of(b, base + at) & (PTE_R | PTE_W)) == (PTE_R | PTE_W));
        assert_int_equal(entry_of(b, base) & PTE_ADDR & ~PMEM_OFFSET_MASK, pmem_addr(GPU + 1, 0));
        assert_int_equal(cmd->user_sgpr[0], (uint32_t)base);
        assert_int_equal(cmd->user_sgpr[1], (uint32_t)(base >> 32) | 0x80000000u); /* swizzled */
        assert_int_equal(cmd->user_sgpr[2], all);
        assert_int_equal(cmd->user_sgpr[12], 0); /* offset from the window */
        assert_int_equal(cmd->user_sgpr[13], sizes[i]);
        assert_int_equal(cmd->user_sgpr[14], sizes[i]);
        uint64_t queue = sgpr64(cmd, 6);
        assert_int_equal(seen64(b, queue + 0xa8), all);
    }
    d.private_bytes = UINT32_MAX;
    struct local_result r = run(b, &d);
    assert_int_equal(r.outcome, LOCAL_QUEUE_ERROR);
    assert_string_equal(r.text, "no memory for 4294967295 bytes of scratch a work-item");
    d.private_bytes = 0;
    assert_int_equal(run(b, &d).outcome, LOCAL_DONE);
}

/* Memory is zeroed, whole and with all rights; the same bytes lie here; large allocations begin at large pages, and
 * none touches another. */
static void memory_is_the_kernels_own(void **state)
{
    static const uint64_t sizes[] = {1, 4096, 5000, 64 * KIB, 100 * KIB, MIB, 2 * MIB, 3 * MIB + 1, 0};
    struct bench *b = *state;
    uint64_t end[2] = {0, 0}, before = 0;
    for (unsigned i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        const enum local_place place = i % 2 ? LOCAL_HOST : LOCAL_VRAM;
        const uint64_t bytes = sizes[i / 2], pages = bytes ? (bytes + 4095) / 4096 : 1;
        void *host = NULL;
        uint64_t va = local_alloc(b->l, place, bytes, &host);
        if (i == 0)
            before = b->code + 4096;
        assert_non_null(host);
        assert_true(va >= before + 4096); /* a page that leads nowhere lies between */
        assert_int_equal(va % (bytes >= 2 * MIB    ? 2 * MIB
                               : bytes >= MIB      ? MIB
                               : bytes >= 64 * KIB ? 64 * KIB
                                                   : 4096),
                         0);
        before = va + pages * 4096;
        assert_int_equal(entry_of(b, va - 1), 0);
        assert_int_equal(entry_of(b, before), 0);
        for (uint64_t p = 0; p < pages; p++) {
            uint64_t entry = entry_of(b, va + p * 4096), mark = (uint64_t)i << 32 | p;
            assert_true((entry & (PTE_R | PTE_W | PTE_X)) == (PTE_R | PTE_W | PTE_X));
            assert_int_equal((entry & PTE_UNCACHED) != 0, place == LOCAL_HOST);
            assert_int_equal((entry & PTE_ADDR) >> PMEM_OWNER_SHIFT, place == LOCAL_HOST ? 0 : GPU + 1);
            assert_int_equal(seen64(b, va + p * 4096), 0);
            memcpy((uint8_t *)host + p * 4096, &mark, 8);
            assert_int_equal(seen64(b, va + p * 4096), mark);
        }
        assert_int_equal((entry_of(b, va) & PTE_FRAGMENT) >> PTE_FRAGMENT_SHIFT, bytes >= 2 * MIB    ? 9
                                                                                 : bytes >= MIB      ? 8
                                                                                 : bytes >= 64 * KIB ? 4
                                                                                                     : 0);
        uint64_t pa = entry_of(b, va) & PMEM_OFFSET_MASK & PTE_ADDR;
        assert_true(pa >= end[i % 2]);
        end[i % 2] = pa + pages * 4096;
    }
}

/* Full is full to the page: what does not fit is refused and takes nothing. */
static void memory_ends(void **state)
{
    struct bench *b = *state;
    void *host = NULL;
    for (unsigned p = 0; p < 2; p++) {
        const enum local_place place = p ? LOCAL_HOST : LOCAL_VRAM;
        const uint64_t all = p ? VRAM : FULL_VRAM;
        assert_int_equal(local_alloc(b->l, place, all + 1, &host), 0);
        assert_int_equal(local_alloc(b->l, place, UINT64_MAX, &host), 0);
        assert_int_equal(local_alloc(b->l, place, UINT64_MAX - 5000, &host), 0);
        assert_int_equal(local_alloc(b->l, place, all, &host), 0); /* some pages are taken */
        uint64_t pages = 0;
        while (local_alloc(b->l, place, 4096, &host))
            pages++;
        assert_int_equal(pages, all / 4096 - (p ? 3 : 1)); /* ring, queue, signal; code */
        assert_int_equal(local_alloc(b->l, place, 0, &host), 0);
    }
    assert_int_equal(
        run(b, &(struct local_dispatch){.grid = {64, 1, 1}, .group = {64, 1, 1}, .kernel_object = b->code}).outcome,
        LOCAL_DONE);
}

static uint64_t writes_beyond(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    evt->kind = CP_EVT_FAULT;
    evt->status = FAULT_READ_ONLY;
    evt->va = cmd->user_sgpr[8] | (uint64_t)cmd->user_sgpr[9] << 32; /* where the arguments would be */
    evt->pc = cmd->pc + 8;
    return 500;
}

/* shows B.8: a memory fault ends the dispatch with its address, kind, and the allocation it belongs to. */
static void faults_name_the_allocation(void **state)
{
    static const char *const words[] = {"16 bytes into a 100-byte VRAM allocation at 0x",
                                        "0 bytes beyond the end of a 100-byte VRAM allocation at 0x",
                                        "200 bytes beyond the end of a 100-byte VRAM allocation at 0x",
                                        "64 bytes before a 5000-byte host-memory allocation at 0x",
                                        "4999 bytes into a 5000-byte host-memory allocation at 0x"};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(i ? teardown(state) || setup(state) : 0, 0);
        struct bench *b = *state;
        void *host;
        uint64_t vram = local_alloc(b->l, LOCAL_VRAM, 100, &host), other = local_alloc(b->l, LOCAL_HOST, 5000, &host);
        const uint64_t places[] = {vram + 16, vram + 100, vram + 300, other - 64, other + 4999};
        struct local_dispatch d = small(b);
        char expected[200];
        d.kernarg = places[i];
        fake_launch = writes_beyond;
        struct local_result r = run(b, &d);
        assert_int_equal(r.outcome, LOCAL_MEMORY_FAULT);
        assert_int_equal(r.fault_va, places[i]);
        assert_int_equal(r.fault_kind, FAULT_READ_ONLY);
        snprintf(expected, sizeof expected, "; 0x%llx is %s%llx", (unsigned long long)places[i], words[i],
                 (unsigned long long)(i < 3 ? vram : other));
        assert_non_null(strstr(r.text, expected));
        assert_non_null(strstr(r.text, "gpu1"));
        fake_launch = NULL;
    }
}

static uint64_t illegal(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    evt->kind = CP_EVT_FAULT;
    evt->status = FAULT_ILLEGAL;
    evt->pc = cmd->pc + 24;
    evt->data = 0xbf9fffffbf9effff;
    return 500;
}

/* What stops the queue ends the dispatch with the code, and of an instruction with its place and bytes; a packet that
 * is refused has none. */
static void errors_of_the_queue_are_told(void **state)
{
    struct bench *b = *state;
    struct local_dispatch d = small(b);
    fake_launch = illegal;
    struct local_result r = run(b, &d);
    assert_int_equal(r.outcome, LOCAL_QUEUE_ERROR);
    assert_int_equal(r.error, CP_ERROR_ILLEGAL);
    assert_int_equal(r.pc, b->code + 0x80 + 24);
    assert_true(r.instruction == 0xbf9fffffbf9effff);
    assert_non_null(strstr(r.text, "illegal"));
    assert_null(strstr(r.text, "allocation")); /* it has no address */
    fake_launch = NULL;
    assert_int_equal(teardown(state) || setup(state), 0);
    b = *state;
    d = small(b);
    d.group[0] = 1025, d.grid[0] = 2050;
    r = run(b, &d);
    assert_int_equal(r.outcome, LOCAL_QUEUE_ERROR);
    assert_int_equal(r.error, CP_ERROR_GROUP);
    assert_true(r.pc == 0 && r.instruction == 0 && !r.launched);
    assert_non_null(strstr(r.text, "work-group too large"));
}

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 100000000;
}

static volatile int stop;
static unsigned notes;

static void note(void *arg, struct machine *machine)
{
    struct bench *b = arg;
    assert_ptr_equal(machine, local_machine(b->l));
    notes++;
    if (notes == 3)
        stop = SIGINT;
}

/* A dispatch that cannot end, that is stopped, or has no cycles left: each says so, with the row of what it began. */
static void dispatches_end_without_their_kernel(void **state)
{
    static const struct {
        uint64_t (*launch)(struct sim *, unsigned, const struct msg_cp_cmd *, struct msg_cp_evt *);
        enum sim_result end;
        int stop;
        enum local_outcome outcome;
        unsigned wheres;
    } ends[] = {{endless, SIM_STOPPED, 0, LOCAL_NO_PROGRESS, 0},
                {slow, SIM_MAX_CYCLES, 0, LOCAL_MAX_CYCLES, 0},
                {slow, SIM_NO_PROGRESS, 0, LOCAL_NO_PROGRESS, 0},
                {slow, SIM_STOPPED, SIGTERM, LOCAL_STOPPED, 0},
                {endless, SIM_STOPPED, SIGALRM, LOCAL_STOPPED, 1}};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        assert_int_equal(i ? teardown(state) || setup(state) : 0, 0);
        struct bench *b = *state;
        struct local_dispatch d = small(b);
        struct local_result r;
        const struct local_watch watch = {.stop = &stop};
        fake_launch = ends[i].launch;
        fake_end = ends[i].end;
        stop = ends[i].stop;
        local_dispatch(b->l, &d, &watch, &r);
        assert_int_equal(r.outcome, ends[i].outcome);
        assert_int_equal(fake_wheres, ends[i].wheres); /* time is over: where was it? */
        if (ends[i].launch == endless && ends[i].stop == 0)
            assert_true(r.launched && r.row.unfinished);
        fake_launch = NULL;
        fake_end = SIM_STOPPED;
    }
    struct bench *b = *state; /* in the course of a dispatch */
    assert_int_equal(teardown(state) || setup(state), 0);
    b = *state;
    const struct local_watch watch = {.progress = note, .arg = b, .stop = &stop};
    struct local_dispatch d = small(b);
    struct local_result r;
    stop = 0, notes = 0;
    fake_launch = slow;
    local_dispatch(b->l, &d, &watch, &r);
    assert_int_equal(r.outcome, LOCAL_STOPPED);
    assert_int_equal(notes, 3);
    assert_true(machine_now(local_machine(b->l)) < 1000000); /* stopped at once */
    fake_launch = NULL;
}

/* The data figure is over VRAM as it is now: each byte of an allocation counts, host memory and scratch do not. */
static void data_is_what_lies_in_vram(void **state)
{
    struct bench *b = *state;
    void *vram, *host;
    local_alloc(b->l, LOCAL_VRAM, 5000, &vram);
    local_alloc(b->l, LOCAL_HOST, 5000, &host);
    uint64_t zero = local_data_hash(b->l);
    assert_int_equal(local_data_hash(b->l), zero);
    memset(host, 1, 5000);
    assert_int_equal(local_data_hash(b->l), zero);
    static const unsigned places[] = {0, 4095, 4096, 4999};
    for (unsigned i = 0; i < 4; i++) {
        ((uint8_t *)vram)[places[i]] = 1;
        assert_int_not_equal(local_data_hash(b->l), zero);
        ((uint8_t *)vram)[places[i]] = 0;
        assert_int_equal(local_data_hash(b->l), zero);
    }
    b->code_host[4000] = 1; /* the first allocation counts, too */
    assert_int_not_equal(local_data_hash(b->l), zero);
    b->code_host[4000] = 0;
    struct local_dispatch d = small(b);
    d.private_bytes = 16;
    assert_int_equal(run(b, &d).outcome, LOCAL_DONE);
    assert_int_equal(local_data_hash(b->l), zero);
    uint64_t at = entry_of(b, last(b, CP_LAUNCH)->root) & PTE_ADDR, mark = 5;
    assert_int_equal(pmem_write(machine_memory(local_machine(b->l)), at, &mark, 8), 0);
    assert_int_equal(local_data_hash(b->l), zero);
}

/* Before each dispatch the GPU forgets what it knew of the address space: memory may have come since the last one. */
static void translations_are_dropped_before_a_dispatch(void **state)
{
    struct bench *b = *state;
    struct local_dispatch d = small(b);
    for (unsigned n = 0; n < 3; n++) {
        unsigned from = fake(b)->logged, dropped = 0;
        assert_int_equal(run(b, &d).outcome, LOCAL_DONE);
        for (unsigned i = from; i < fake(b)->logged; i++)
            dropped += fake(b)->log[i].cmd.kind == CP_CACHE && (fake(b)->log[i].cmd.flags & CACHE_INV_TLB) != 0;
        assert_int_equal(dropped, 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_finds_what_it_was_given),
        TEST(dispatches_go_round_the_ring),
        TEST(scratch_has_room_for_its_wavefronts),
        TEST(memory_is_the_kernels_own),
        TEST(memory_ends),
        TEST(faults_name_the_allocation),
        TEST(errors_of_the_queue_are_told),
        TEST(dispatches_end_without_their_kernel),
        TEST(data_is_what_lies_in_vram),
        TEST(translations_are_dropped_before_a_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
