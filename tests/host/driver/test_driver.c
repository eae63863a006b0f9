/* SPDX-License-Identifier: Apache-2.0
 * The driver by its ioctls, on a fake machine, with this process as the client: memory objects, queues and their GPUs
 * (S0.8 to S0.13), several clients (S0.10, S3.12).
 */
#include "packets.h"

/* shows S0.9, S0.10, S0.12: random creation, update and destruction over GPUs and processes, against a table. */
static void queues_agree_with_a_table(void **state)
{
    enum { IDS = 64 };
    struct bench *b = *state;
    struct {
        bool live;
        unsigned gpu;
    } model[2][IDS] = {{{false, 0}}};
    unsigned on_gpu[GPUS] = {0};
    srand(17);
    for (int round = 0; round < 6000; round++) {
        unsigned c = (unsigned)rand() % 2, gpu = (unsigned)rand() % GPUS;
        uint32_t id = (uint32_t)rand() % IDS;
        uint64_t offset;
        if (rand() % 2) {
            uint32_t lowest = 0;
            while (model[c][lowest].live)
                lowest++;
            int error = queue_new(b, c, gpu, &id, &offset);
            assert_int_equal(error, on_gpu[gpu] == 24 ? ENOSPC : 0);
            if (error)
                continue;
            assert_int_equal(id, lowest);
            model[c][id].live = true;
            model[c][id].gpu = gpu;
            on_gpu[gpu]++;
            enum page_kind kind;
            uint32_t gpu_id;
            assert_true(doorbell_decode(offset, &kind, &gpu_id) && kind == PAGE_DOORBELL && gpu_id == id_of(gpu));
        } else if (rand() % 3 == 0) {
            struct kfd_ioctl_update_queue_args u = {.queue_id = id, .queue_percentage = (uint32_t)rand() % 130};
            int error = call(b, c, AMDKFD_IOC_UPDATE_QUEUE, &u);
            assert_int_equal(error, model[c][id].live && u.queue_percentage <= 100 ? 0 : EINVAL);
        } else {
            int error = queue_end(b, c, id); /* double destroy and foreign ids included */
            assert_int_equal(error, model[c][id].live ? 0 : EINVAL);
            if (!error) {
                on_gpu[model[c][id].gpu]--;
                model[c][id].live = false;
            }
        }
        for (uint32_t i = 0; i < IDS; i++) {
            struct queue *q = queue_find(b->client[c], i);
            assert_int_equal(q != NULL, model[c][i].live);
            assert_true(!q || q->gpu == model[c][i].gpu);
        }
    }
}

/* shows S0.10 */
static void foreign_queues_are_refused(void **state)
{
    struct bench *b = *state;
    uint32_t id;
    uint64_t offset;
    assert_int_equal(queue_new(b, 0, 1, &id, &offset), 0);
    assert_int_equal(queue_end(b, 1, id), EINVAL); /* S0.10 */
    assert_int_equal(queue_end(b, 0, id), 0);
    assert_int_equal(queue_end(b, 0, id), EINVAL);
    struct kfd_ioctl_create_queue_args a = {
        .gpu_id = 0x7777, .queue_percentage = 100, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_QUEUE, &a), EINVAL);
    a = (struct kfd_ioctl_create_queue_args){
        .gpu_id = id_of(0), .queue_percentage = 100, .queue_type = KFD_IOC_QUEUE_TYPE_SDMA};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_QUEUE, &a), EINVAL);
}

/* shows S0.13, S0.14: a doorbell in the window of GPU i rings queues of GPU i alone. */
static void doorbells_ring_their_gpu(void **state)
{
    struct bench *b = *state;
    uint32_t id[GPUS];
    uint64_t offset[GPUS], at;
    for (unsigned g = 0; g < GPUS; g++)
        assert_int_equal(queue_new(b, 0, g, &id[g], &offset[g]), 0);
    assert_false(queue_doorbells(b->d));
    for (unsigned g = 0; g < GPUS; g++) {
        uint64_t before[GPUS];
        memcpy(before, b->d->doorbells, sizeof before);
        assert_int_equal(queue_map_offset(b->d, b->client[0], offset[g], 4096, &at), 0);
        uint32_t *words = (uint32_t *)(void *)(b->client[0]->pages + at);
        words[(id[g] + 1) % 3] = 1; /* no queue of this GPU has that word */
        words[id[g]] = 0;
        assert_true(queue_doorbells(b->d));
        assert_false(queue_doorbells(b->d));
        for (unsigned k = 0; k < GPUS; k++)
            assert_int_equal(b->d->doorbells[k], before[k] + (k == g));
    }
    assert_int_equal(queue_map_offset(b->d, b->client[0], offset[0] | 4096, 4096, &at), EINVAL);
    assert_int_equal(queue_map_offset(b->d, b->client[0], offset[0], 8192, &at), EINVAL);
    assert_int_equal(queue_map_offset(b->d, b->client[0], doorbell_encode(PAGE_DOORBELL, 0x7777), 4096, &at), EINVAL);
}

/* shows S3.12 */
static void memory_is_mapped_where_asked(void **state)
{
    struct bench *b = *state;
    uint64_t h = alloc(b, 0, 1, 0x20000000, 0x3000, FLAGS_VRAM, 0);
    struct object *o = memory_find(b->client[0], h);
    assert_int_equal(map(b, 0, h, 6, true), 0);
    assert_int_equal(pagetable_lookup(b->client[0]->gpu[0].pt, 0x20000000), 0);
    for (unsigned g = 1; g < 3; g++) /* GPU 2 reaches it as a peer */
        assert_int_equal(pagetable_lookup(b->client[0]->gpu[g].pt, 0x20002000),
                         pmem_addr(2, o->hold->backing->offset + 0x2000) | PTE_VALID | PTE_LEAF | PTE_R | PTE_W |
                             PTE_X);
    assert_int_equal(pagetable_lookup(b->client[1]->gpu[1].pt, 0x20000000), 0); /* S3.12 */
    assert_int_equal(map(b, 0, h, 2, false), 0);
    assert_int_equal(pagetable_lookup(b->client[0]->gpu[1].pt, 0x20000000), 0);
    assert_int_not_equal(pagetable_lookup(b->client[0]->gpu[2].pt, 0x20000000), 0);
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = h};
    assert_int_equal(call(b, 1, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), EINVAL);
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
    assert_int_equal(pagetable_lookup(b->client[0]->gpu[2].pt, 0x20000000), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), EINVAL);
    assert_int_equal(map(b, 0, h, 1, true), EINVAL);
    alloc(b, 0, 0, 0x20000000, UINT64_C(1) << 30, FLAGS_VRAM, ENOMEM);
    alloc(b, 0, 0, 0x20000800, 4096, FLAGS_VRAM, EINVAL);
    alloc(b, 0, 0, 0x20000000, 4096, 0, EINVAL);
}

static void aql_rings_show_their_pages_twice(void **state)
{
    struct bench *b = *state;
    uint64_t h = alloc(b, 0, 0, 0x30000000, 0x4000, FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM, 0);
    assert_int_equal(map(b, 0, h, 1, true), 0);
    struct pagetable *pt = b->client[0]->gpu[0].pt;
    assert_int_equal(pagetable_lookup(pt, 0x30001000), pagetable_lookup(pt, 0x30003000));
    assert_int_not_equal(pagetable_lookup(pt, 0x30000000), pagetable_lookup(pt, 0x30001000));
}

static void client_memory_is_reached_by_a_window(void **state)
{
    struct bench *b = *state;
    static uint32_t page[2048] __attribute__((aligned(4096)));
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x40000000,
                                                   .size = 8192,
                                                   .gpu_id = id_of(0),
                                                   .mmap_offset = (uintptr_t)page,
                                                   .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR |
                                                            KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    uint32_t v = 0;
    assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
    assert_int_equal(map(b, 0, a.handle, 1, true), 0);
    page[1030] = 99;
    assert_int_equal(pagetable_read(b->client[0]->gpu[0].pt, 0x40000000 + 1030 * 4, &v, 4), 0);
    assert_int_equal(v, 99);
    v = 55;
    assert_int_equal(pagetable_write(b->client[0]->gpu[0].pt, 0x40000000 + 4, &v, 4), 0);
    assert_int_equal(page[1], 55);
}

/* The data figure: contents count, the order of frees does not. */
static void data_figure_is_over_contents(void **state)
{
    struct bench *b = *state;
    uint64_t sums[3];
    for (unsigned round = 0; round < 3; round++) {
        uint64_t h[2], before = b->d->data.value;
        for (unsigned i = 0; i < 2; i++) {
            h[i] = alloc(b, 0, 0, 0x50000000 + i * 0x10000, 4096, FLAGS_VRAM, 0);
            struct object *o = memory_find(b->client[0], h[i]);
            memset(pmem_vram(machine_memory(b->d->machine), 0, o->hold->backing->offset, 4096),
                   (int)(i + 1 + (round == 2)), 4096);
        }
        for (unsigned i = 0; i < 2; i++) {
            struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = h[i ^ (round & 1)]};
            assert_int_equal(call(b, 0, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
        }
        sums[round] = b->d->data.value - before;
    }
    assert_int_equal(sums[0], sums[1]);
    assert_int_not_equal(sums[0], sums[2]);
}

/* shows S0.8: what is not served is refused, of whatever size (served ones: test_ioctl_sizes.c). */
static void unknown_ioctls_are_refused(void **state)
{
    struct bench *b = *state;
    static const struct {
        unsigned first, last;
    } served[] = {{0x01, 0x05}, {0x07, 0x0c}, {0x11, 0x1a}, {0x20, 0x21}, {0x23, 0x23}, {0x80, 0x81}};
    for (unsigned number = 0; number < 256; number++) {
        bool known = false;
        for (unsigned i = 0; i < sizeof served / sizeof served[0]; i++)
            known |= number >= served[i].first && number <= served[i].last;
        for (unsigned bytes = 0; bytes <= PROTOCOL_BYTES && !known; bytes += 8) {
            char room[PROTOCOL_BYTES] = {0};
            assert_int_equal(call(b, 0, _IOC(_IOC_READ | _IOC_WRITE, 'K', number, bytes), room), EINVAL);
        }
    }
}

/* The run-time asks with -1; gfx803 cannot switch it on. */
static void xnack_mode_is_off(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_set_xnack_mode_args args = {.xnack_enabled = -1};
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
    assert_int_equal(args.xnack_enabled, 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
    args.xnack_enabled = 1;
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_XNACK_MODE, &args), EPERM);
}

static void everything_goes_with_its_process(void **state)
{
    struct bench *b = *state;
    uint32_t id;
    uint64_t offset, free_before = b->d->vram[1].arena.free_bytes;
    unsigned commands = 0;
    assert_int_equal(queue_new(b, 1, 1, &id, &offset), 0);
    assert_int_equal(queue_new(b, 1, 2, &id, &offset), 0);
    alloc(b, 1, 1, 0x20000000, 0x100000, FLAGS_VRAM, 0);
    assert_true(b->d->vram[1].arena.free_bytes < free_before);
    client_end(b->d, b->client[1]);
    for (uint32_t k = 0; k < DOORBELL_QUEUES; k++)
        assert_null(queue_find(b->client[1], k));
    while (machine_sim(b->d->machine)->count)
        machine_run(b->d->machine, UINT64_MAX);
    client_reap(b->d);
    assert_null(b->client[0]->next);
    assert_int_equal(b->d->vram[1].arena.free_bytes, free_before);
    assert_int_equal(b->d->vmid_used, 0);
    struct sim *sim = machine_sim(b->d->machine);
    for (unsigned i = 0; i < sim->logged; i++)
        commands += sim->log[i].cmd.kind == CP_VMID && sim->log[i].cmd.root == 0;
    assert_int_equal(commands, 2);
}

static uint64_t short_on_the_first(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)cmd, (void)evt;
    return gpu ? 5000 : 10;
}

/* The last completion is that of the kernel that ended last, also when the GPUs tell it in another order. */
static void the_last_completion_is_the_latest(void **state)
{
    struct bench *b = *state;
    struct sender s[2] = {sender_new(b, 0, 0, 0), sender_new(b, 0, 1, 1)};
    run_dry(b);
    fake_launch = short_on_the_first;
    for (unsigned g = 0; g < 2; g++) {
        fake_latency = g ? 1 : 3000; /* the first GPU's word is on its way for long */
        sender_kernel(b, &s[g], 0, 0);
        sender_ring(b, &s[g]);
        assert_true(queue_doorbells(b->d));
        machine_run(b->d->machine, machine_now(b->d->machine) + 500);
    }
    fake_latency = 100;
    run_dry(b);
    fake_launch = NULL;
    uint64_t latest = 0;
    assert_int_equal(b->d->row_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(b->d->rows[i].process, b->client[0]->index);
        latest = b->d->rows[i].end > latest ? b->d->rows[i].end : latest;
    }
    assert_true(b->d->last_completion >= latest);
    latest = b->d->last_completion;
    fake_launch = endless;
    sender_run(b, &s[0]);
    machine_unfinished(b->d->machine); /* what has not ended is a row without an end */
    fake_launch = NULL;
    assert_int_equal(b->d->row_count, 3);
    assert_true(b->d->rows[2].unfinished && b->d->rows[2].end == 0);
    assert_true(b->d->last_completion >= latest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(queues_agree_with_a_table),
        TEST(foreign_queues_are_refused),
        TEST(doorbells_ring_their_gpu),
        TEST(memory_is_mapped_where_asked),
        TEST(aql_rings_show_their_pages_twice),
        TEST(client_memory_is_reached_by_a_window),
        TEST(data_figure_is_over_contents),
        TEST(unknown_ioctls_are_refused),
        TEST(xnack_mode_is_off),
        TEST(everything_goes_with_its_process),
        TEST(the_last_completion_is_the_latest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
