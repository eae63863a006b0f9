/* SPDX-License-Identifier: Apache-2.0
 * The client inside the simulator (`gantry kernel`), on a fake machine: what a kernel finds in its registers, its
 * packet and its queue, what memory it gets (S0.8); how a dispatch ends: test_local_ends.c.
 */
#include "../driver/local_bench.h"

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
        assert_int_equal(seen32(b, queue + 0x88), 0x80);        /* where the read index lies in it, */
        assert_int_equal(seen32(b, queue + 0xb4) & 2, 2);       /* 64-bit pointers, */
        assert_int_equal(seen64(b, queue + 0xc0), signal + 64); /* the signal of an inactive queue, */
        assert_int_equal(seen64(b, queue + 0x50), n + 1);       /* write */
        assert_int_equal(seen64(b, queue + 0x80), n + 1);       /* and read index */
        assert_int_equal(seen64(b, signal + 8), 0);             /* completed */
        for (uint64_t i = n + 1; i < 64; i++)
            assert_int_equal(seen32(b, packet + (i - n) * 64), 1); /* no packet yet */
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

/* The data figure is over VRAM as it is now: each byte of an allocation counts, host memory and scratch do not. */
static void data_is_what_lies_in_vram(void **state)
{
    struct bench *b = *state;
    void *vram, *host;
    local_alloc(b->l, LOCAL_HOST, 5000, &host);
    local_alloc(b->l, LOCAL_VRAM, 200000, &vram); /* farther than host memory reaches */
    uint64_t zero = local_data_hash(b->l);
    assert_int_equal(local_data_hash(b->l), zero);
    memset(host, 1, 5000);
    assert_int_equal(local_data_hash(b->l), zero);
    static const unsigned places[] = {0, 4095, 4096, 150000, 199999};
    for (unsigned i = 0; i < 5; i++) {
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

/* Before the first dispatch the GPU forgets what it knew of the number of the address space; none of it goes away
 * between dispatches, so later ones keep their translations. */
static void translations_are_dropped_once(void **state)
{
    struct bench *b = *state;
    struct local_dispatch d = small(b);
    for (unsigned n = 0; n < 3; n++) {
        unsigned from = fake(b)->logged, dropped = 0;
        assert_int_equal(run(b, &d).outcome, LOCAL_DONE);
        for (unsigned i = from; i < fake(b)->logged; i++)
            dropped += fake(b)->log[i].cmd.kind == CP_CACHE && (fake(b)->log[i].cmd.flags & CACHE_INV_TLB) != 0;
        assert_int_equal(dropped, n == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_finds_what_it_was_given),
        TEST(dispatches_go_round_the_ring),
        TEST(scratch_has_room_for_its_wavefronts),
        TEST(memory_is_the_kernels_own),
        TEST(memory_ends),
        TEST(data_is_what_lies_in_vram),
        TEST(translations_are_dropped_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
