/* SPDX-License-Identifier: Apache-2.0
 * What a client gives back while a kernel runs: neither it nor another client gets the pages, nor are their contents or
 * window changed, before all GPUs have answered their shoot-downs (S3.12); without a running kernel they are free at
 * once.
 */
#include "../driver/bench.h"

#define AT UINT64_C(0x20000000)
#define BYTES 0x3000u

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

/* A kernel of client 0 runs on each GPU of the set and will not end. */
static void kernels_start(struct bench *b, unsigned gpus)
{
    struct pmem *pm = machine_memory(b->d->machine);
    struct client *c = b->client[0];
    fake_launch = endless;
    for (unsigned g = 0; g < GPUS; g++) {
        if (!(gpus >> g & 1))
            continue;
        uint32_t id;
        uint64_t offset, kd = b->ring[0] + 0x3000, ring = b->ring[0];
        assert_int_equal(queue_new(b, 0, g, &id, &offset), 0);
        uint64_t words[8] = {0x0000000000030b02 | UINT64_C(64) << 32 | UINT64_C(1) << 48,
                             1 | UINT64_C(64) << 32,
                             1 | UINT64_C(1) << 32,
                             0,
                             kd,
                             0,
                             0,
                             0};
        uint64_t at = pagetable_lookup(c->gpu[g].pt, ring) & PTE_ADDR, one = 1, zero = 0;
        pmem_write(pm, at, words, sizeof words);
        pmem_write(pm, at + 0x1050, &one, 8);
        pmem_write(pm, at + 0x1080, &zero, 8);
        cp_doorbell(machine_cp(b->d->machine, g), queue_find(c, id)->cp);
        unsigned before = machine_sim(b->d->machine)->logged;
        machine_run(b->d->machine, client_cycle(b->d) + 20000);
        const struct sim *sim = machine_sim(b->d->machine);
        bool launched = false;
        for (unsigned i = before; i < sim->logged; i++)
            launched |= sim->log[i].cmd.kind == CP_LAUNCH && sim->log[i].gpu == g;
        assert_true(launched);
        pmem_write(pm, at + 0x1050, &zero, 8);
    }
}

static void give_back(struct bench *b, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

static uint64_t offset_of(struct bench *b, unsigned client, uint64_t handle)
{
    return memory_find(b->client[client], handle)->hold->backing->offset;
}

static void pages_of_the_resting_are_free_at_once(void **state)
{
    struct bench *b = *state;
    uint64_t h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), offset = offset_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 1, true), 0);
    give_back(b, h);
    assert_true(quarantine_empty(b->d));
    assert_int_equal(offset_of(b, 1, alloc(b, 1, 0, AT, BYTES, FLAGS_VRAM, 0)), offset);
}

/* VRAM of GPU 1 that GPU 2 reaches as a peer: the slower answer counts, in whatever order map and free came. */
static void pages_wait_for_all_answers(void **state)
{
    struct bench *b = *state;
    struct pmem *pm = machine_memory(b->d->machine);
    fake_memory[3] = 250; /* page tables of GPU 2, which its shoot-downs stand behind */
    for (unsigned way = 0; way < 2; way++) {
        uint64_t h = alloc(b, 0, 1, AT, BYTES, FLAGS_VRAM, 0), offset = offset_of(b, 0, h), free_bytes;
        assert_int_equal(map(b, 0, h, 6, true), 0);
        if (way == 0)
            kernels_start(b, 6);
        uint32_t *page = (uint32_t *)(void *)pmem_vram(pm, 1, offset, BYTES);
        page[5] = 77;
        free_bytes = b->d->vram[1].arena.free_bytes;
        if (way) /* an unmap before it is still on its way */
            assert_int_equal(map(b, 0, h, 6, false), 0);
        give_back(b, h);
        assert_false(quarantine_empty(b->d));
        assert_int_equal(b->d->vram[1].arena.free_bytes, free_bytes);
        page[6] = 78; /* an access that was translated before */
        uint64_t other = alloc(b, 1, 1, AT, BYTES, FLAGS_VRAM, 0);
        assert_int_not_equal(offset_of(b, 1, other), offset);
        uint64_t sent = cp_shootdowns_sent(machine_cp(b->d->machine, 1));
        assert_int_equal(sent, 2 * way + 1); /* each time an answer of the caches follows */
        while (cp_shootdowns_done(machine_cp(b->d->machine, 1)) < sent)
            machine_run(b->d->machine, client_cycle(b->d) + 1);
        assert_true(cp_shootdowns_done(machine_cp(b->d->machine, 2)) < sent); /* one GPU has answered */
        while (cp_shootdowns_done(machine_cp(b->d->machine, 2)) < sent) {
            assert_false(quarantine_empty(b->d));
            machine_run(b->d->machine, client_cycle(b->d) + 1);
        }
        machine_run(b->d->machine, client_cycle(b->d) + 1000);
        assert_true(quarantine_empty(b->d));
        uint64_t again = alloc(b, 1, 1, AT + 0x100000, BYTES, FLAGS_VRAM, 0);
        assert_int_equal(offset_of(b, 1, again), offset);
        assert_true(page[5] == 0 && page[6] == 0); /* nobody reads what was written late */
        struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = other};
        assert_int_equal(call(b, 1, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
        f.handle = again;
        assert_int_equal(call(b, 1, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
        machine_run(b->d->machine, client_cycle(b->d) + 1000);
    }
    fake_memory[3] = 150;
}

/* shows B.8: Once nothing is under way that was translated before, what the pages held leaves the caches of every GPU
 * that reached them, the home's L2 with its own; only then does somebody get them. */
static void contents_leave_the_caches_last(void **state)
{
    struct bench *b = *state;
    uint64_t h = alloc(b, 0, 1, AT, BYTES, FLAGS_VRAM, 0),
             unmapped = alloc(b, 0, 1, AT + 0x100000, BYTES, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, h, 4, true), 0); /* GPU 2 reaches memory of GPU 1 */
    kernels_start(b, 6);
    unsigned from = machine_sim(b->d->machine)->logged;
    give_back(b, unmapped); /* no cache has seen it */
    assert_true(quarantine_empty(b->d));
    give_back(b, h);
    const struct sim *sim = machine_sim(b->d->machine);
    uint64_t done = 0, own = 0, dropped = 0;
    while (!quarantine_empty(b->d)) {
        done = cp_shootdowns_done(machine_cp(b->d->machine, 2));
        machine_run(b->d->machine, client_cycle(b->d) + 1);
        for (; from < sim->logged; from++) {
            const struct msg_cp_cmd *cmd = &sim->log[from].cmd;
            if (cmd->kind != CP_CACHE || cmd->flags & CACHE_INV_TLB)
                continue;
            assert_true(cp_shootdowns_done(machine_cp(b->d->machine, 2)) > 0); /* behind the translations */
            assert_int_equal(cmd->flags & CACHE_INV_L1V, CACHE_INV_L1V);
            assert_int_equal((cmd->flags & CACHE_INV_L2) != 0, sim->log[from].gpu == 1);
            dropped |= 1u << sim->log[from].gpu;
            own += sim->log[from].gpu == 1;
        }
    }
    assert_int_equal(dropped, 6);
    assert_int_equal(own, 1);
    assert_int_equal(done, 1); /* its second answer, the caches', set them free */
    for (unsigned g = 1; g <= 2; g++)
        assert_int_equal(cp_shootdowns_done(machine_cp(b->d->machine, g)),
                         cp_shootdowns_sent(machine_cp(b->d->machine, g)));
}

/* Whatever a shoot-down is for: what is given back while it is under way leaves the caches behind it. */
static void contents_wait_for_any_shootdown(void **state)
{
    struct bench *b = *state;
    uint64_t h = alloc(b, 0, 1, AT, BYTES, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, h, 4, true), 0);
    kernels_start(b, 6);
    assert_int_equal(map(b, 0, h, 4, false), 0);
    machine_run(b->d->machine, client_cycle(b->d) + 1000);
    assert_true(quarantine_empty(b->d)); /* the page itself still belongs to the client */
    struct cp *cp = machine_cp(b->d->machine, 2);
    const struct sim *sim = machine_sim(b->d->machine);
    cp_space_shootdown(cp, &b->client[0]->gpu[2].space, 0, 0);
    unsigned from = sim->logged;
    uint64_t sent = cp_shootdowns_sent(cp), free_bytes = b->d->vram[1].arena.free_bytes;
    give_back(b, h);
    while (cp_shootdowns_done(cp) < sent) {
        assert_int_equal(sim->logged, from);
        assert_int_equal(b->d->vram[1].arena.free_bytes, free_bytes);
        machine_run(b->d->machine, client_cycle(b->d) + 1);
    }
    assert_int_equal(sim->logged, from + 2); /* the caches of the GPU that reached it, and of its home */
    assert_false(quarantine_empty(b->d));
    machine_run(b->d->machine, client_cycle(b->d) + 1000);
    assert_true(quarantine_empty(b->d));
    assert_true(b->d->vram[1].arena.free_bytes > free_bytes);
}

/* Many are given back one by one, behind each other's shoot-downs: all of them come back. */
static void all_pages_come_back(void **state)
{
    enum { COUNT = 20 };
    struct bench *b = *state;
    uint64_t h[COUNT], free_bytes = b->d->vram[1].arena.free_bytes;
    for (unsigned i = 0; i < COUNT; i++) {
        h[i] = alloc(b, 0, 1, AT + i * 0x10000u, BYTES, FLAGS_VRAM, 0);
        assert_int_equal(map(b, 0, h[i], 6, true), 0);
    }
    kernels_start(b, 6);
    for (unsigned i = 0; i < COUNT; i++) {
        give_back(b, h[i]);
        machine_run(b->d->machine, client_cycle(b->d) + 50);
    }
    assert_false(quarantine_empty(b->d));
    machine_run(b->d->machine, client_cycle(b->d) + 2000);
    assert_true(quarantine_empty(b->d));
    assert_int_equal(b->d->vram[1].arena.free_bytes, free_bytes);
    assert_int_equal(b->d->vram[1].arena.free.count, 1);
}

/* A window keeps its number, a page table its page. */
static void windows_and_tables_wait_too(void **state)
{
    struct bench *b = *state;
    struct pmem *pm = machine_memory(b->d->machine);
    static uint8_t page[8192] __attribute__((aligned(4096)));
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = AT,
                                                   .size = 8192,
                                                   .gpu_id = id_of(0),
                                                   .mmap_offset = (uintptr_t)page,
                                                   .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR |
                                                            KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    assert_int_equal(map(b, 0, a.handle, 1, true), 0);
    kernels_start(b, 1);
    uint64_t at = offset_of(b, 0, a.handle), removed = pagetable_removed(pm, 0);
    give_back(b, a.handle);
    assert_true(pagetable_removed(pm, 0) > removed);
    uint8_t late = 9;
    assert_int_equal(pmem_write(pm, pmem_addr(0, at) + 3, &late, 1), 0);
    assert_int_equal(page[3], 9);
    machine_run(b->d->machine, client_cycle(b->d) + 1000);
    assert_true(quarantine_empty(b->d));
    assert_int_not_equal(pmem_write(pm, pmem_addr(0, at) + 3, &late, 1), 0);
}

/* Memory that is full but for pages in quarantine is not full: the runtime is told to try again, some cycles later. */
static void a_full_memory_waits(void **state)
{
    struct bench *b = *state;
    kernels_start(b, 1);
    uint64_t most = b->d->vram[0].arena.free.root->bytes & ~UINT64_C(0x1fffff),
             h = alloc(b, 0, 0, AT, most, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, h, 1, true), 0);
    alloc(b, 1, 0, AT, most, FLAGS_VRAM, ENOMEM);
    give_back(b, h);
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {
        .va_addr = AT, .size = most, .gpu_id = id_of(0), .flags = FLAGS_VRAM};
    struct conn conn = {
        .fd = -1, .client = b->client[1], .request = {.code = (uint32_t)AMDKFD_IOC_ALLOC_MEMORY_OF_GPU}};
    struct shim_answer answer = {0};
    conn.request.bytes = sizeof a;
    memcpy(conn.request.data, &a, sizeof a);
    assert_false(ioctl_serve(b->d, &conn, &answer));
    assert_true(conn.state == CONN_SLEEP && conn.again && conn.deadline == client_cycle(b->d) + WAIT_LEAST);
    machine_run(b->d->machine, client_cycle(b->d) + WAIT_LEAST);
    assert_int_equal(call(b, 1, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_of_the_resting_are_free_at_once),
        TEST(pages_wait_for_all_answers),
        TEST(contents_leave_the_caches_last),
        TEST(contents_wait_for_any_shootdown),
        TEST(all_pages_come_back),
        TEST(windows_and_tables_wait_too),
        TEST(a_full_memory_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
