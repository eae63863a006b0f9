/* SPDX-License-Identifier: Apache-2.0
 * Queues of a process by their ioctls: pages, suspension, CU masks, doorbells and their order, address space numbers,
 * what is told before the first queue (S0.8 to S0.14, S3.12).
 */
#include "packets.h"

#include <sys/mman.h>

/* shows S0.14: doorbells and registers of all GPUs lie on pages of their own; what is stored to registers rings
 * nothing. */
static void pages_do_not_overlap(void **state)
{
    struct bench *b = *state;
    uint64_t at[2 * GPUS];
    for (unsigned g = 0; g < GPUS; g++) {
        struct sender s = sender_new(b, 0, g, g);
        at[2 * g] = s.doorbells;
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {
            .va_addr = 0x20000000, .size = 4096, .gpu_id = id_of(g), .flags = KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP};
        assert_int_equal(call(b, 0, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
        assert_int_equal(queue_map_offset(b->d, b->client[0], a.mmap_offset, 4096, &at[2 * g + 1]), 0);
    }
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        assert_int_equal(at[i] % 4096, 0);
        assert_true(at[i] + 4096 <= b->client[0]->pages_bytes);
        for (unsigned k = 0; k < i; k++)
            assert_int_not_equal(at[i], at[k]);
    }
    for (unsigned g = 0; g < GPUS; g++)
        memset(b->client[0]->pages + at[2 * g + 1], 0, 4096);
    assert_false(queue_doorbells(b->d));
}

/* UPDATE_QUEUE with 0 percent holds the queue's packets back, with more lets them go. */
static void a_queue_of_no_percent_waits(void **state)
{
    struct bench *b = *state;
    struct sender s[2] = {sender_new(b, 0, 0, 0), sender_new(b, 0, 0, 1)};
    struct kfd_ioctl_update_queue_args u = {.queue_id = s[0].id, .queue_percentage = 0};
    assert_int_equal(call(b, 0, AMDKFD_IOC_UPDATE_QUEUE, &u), 0);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned q = 0; q < 2; q++)
            sender_run(b, &s[q]);
    assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), 3); /* those of the other queue */
    u.queue_percentage = 50;
    assert_int_equal(call(b, 0, AMDKFD_IOC_UPDATE_QUEUE, &u), 0);
    run_dry(b);
    assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), 6); /* without another doorbell */
}

static int setup_64_cus(void **state)
{
    if (setup(state))
        return -1;
    struct bench *b = *state; /* the machine has not started */
    b->config.cfg.gpu_cu_count = 64;
    return 0;
}

/* A queue's kernels run on the CUs of its mask, in both halves, and on no others. */
static void kernels_run_on_the_cus_of_the_mask(void **state)
{
    static uint32_t words[3];
    static const uint64_t masks[] = {0x8000000000000001, 0xa5a5a5a500000000, 0x00000000ffff0000, 1};
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0), other = sender_new(b, 0, 0, 1);
    struct kfd_ioctl_set_cu_mask_args a = {.queue_id = s.id, .cu_mask_ptr = (uintptr_t)words};
    for (unsigned n = 0; n < sizeof masks / sizeof masks[0]; n++) {
        words[0] = (uint32_t)masks[n], words[1] = (uint32_t)(masks[n] >> 32), words[2] = 0xffffffff;
        a.num_cu_mask = n & 1 ? 96 : 64; /* longer than the machine: the rest means nothing */
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_CU_MASK, &a), 0);
        sender_run(b, &s);
        assert_true(launch_last(b)->cu_mask == masks[n]);
        sender_run(b, &other);
        assert_true(launch_last(b)->cu_mask == UINT64_MAX);
    }
    for (unsigned n = 0; n < 64; n += n ? 31 : 1) { /* 0, 1, 32, 63 */
        a.num_cu_mask = n;
        words[0] = 0x40000002, words[1] = 0xffffffff;
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_CU_MASK, &a), n == 32 ? 0 : EINVAL);
        sender_run(b, &s);
        assert_true(launch_last(b)->cu_mask == (n < 32 ? masks[3] : 0x40000002)); /* the word that was given, alone */
    }
    words[0] = 1, words[1] = 0;
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_NONE) == 0);
    memcpy(pages + 4096 - 8, words, 8);
    a.cu_mask_ptr = (uintptr_t)pages + 4096 - 8;
    for (a.num_cu_mask = 64; a.num_cu_mask <= 128; a.num_cu_mask += 32) /* more words than CUs are not even read */
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_CU_MASK, &a), 0);
    munmap(pages, 8192);
    a.num_cu_mask = 64, a.queue_id = 77;
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_CU_MASK, &a), EINVAL);
}

/* shows S0.13: docs/reference/clock.md: doorbells that were rung together are read in the order (process, GPU, queue),
 * each once. */
static void doorbells_are_read_in_order(void **state)
{
    struct bench *b = *state;
    struct sender young = sender_new(b, 1, 0, 0), second = sender_new(b, 0, 0, 1), first = second;
    struct kfd_ioctl_destroy_queue_args q = {.queue_id = second.id};
    second = sender_new(b, 0, 0, 2); /* a higher id */
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_QUEUE, &q), 0);
    first = sender_new(b, 0, 0, 3); /* a lower one, though created later */
    assert_true(first.id < second.id);
    struct sender *rung[] = {&young, &second, &first};
    for (unsigned i = 0; i < 3; i++) {
        sender_kernel(b, rung[i], 0, 0);
        sender_ring(b, rung[i]);
    }
    assert_true(queue_doorbells(b->d));
    assert_false(queue_doorbells(b->d));
    run_dry(b);
    assert_int_equal(b->d->row_count, 3);
    const struct queue *expected[] = {queue_find(b->client[0], first.id), queue_find(b->client[0], second.id),
                                      queue_find(b->client[1], young.id)};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(b->d->rows[i].queue, expected[i]->number);
}

/* What was rung for a queue is gone with it: the next one with its id has not been rung. */
static void a_doorbell_ends_with_its_queue(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0);
    sender_kernel(b, &s, 0, 0);
    sender_ring(b, &s);
    struct kfd_ioctl_destroy_queue_args q = {.queue_id = s.id};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_QUEUE, &q), 0);
    struct sender next = sender_new(b, 0, 0, 1);
    assert_int_equal(next.id, s.id);
    assert_false(queue_doorbells(b->d));
}

/* A ring of N packets takes N: the packet behind the last is the first. */
static void a_ring_has_the_packets_of_its_size(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 0, 0, 0);
    for (unsigned i = 0; i < 70; i++)
        sender_run(b, &s);
    assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), 70);
    assert_int_equal(guest_get(b, &s, s.ring + 0x1080), 70);
}

/* A process that does not exist, and its first queue: 0 or the error of its creation. */
static int stranger_queue(struct bench *b, unsigned n, struct client **c)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args m = {
        .va_addr = 0x10000000, .size = 0x4000, .gpu_id = id_of(0), .flags = FLAGS_GTT};
    struct kfd_ioctl_create_queue_args a = {.queue_percentage = 100,
                                            .ring_base_address = 0x10000000,
                                            .write_pointer_address = 0x10001050,
                                            .read_pointer_address = 0x10001080,
                                            .ring_size = 0x2000,
                                            .gpu_id = id_of(0),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    *c = client_get(b->d, (pid_t)(0x3ffff000 + n));
    assert_int_equal(client_open(b->d, *c), 0);
    assert_int_equal(client_vm_open(b->d, *c, 0), 0);
    assert_int_equal(memory_alloc(b->d, *c, &m), 0);
    const struct object *o = memory_find(*c, m.handle);
    pagetable_map((*c)->gpu[0].pt, o->va, pmem_addr(0, o->hold->backing->offset), o->bytes, PTE_R | PTE_W);
    return queue_create(b->d, *c, &a);
}

static void stranger_end(struct bench *b, struct client *c)
{
    client_end(b->d, c);
    run_dry(b);
    client_reap(b->d);
}

/* shows S3.12: processes have address spaces of their own; a number is used again when its process has gone. */
static void address_spaces_are_apart(void **state)
{
    struct bench *b = *state;
    uint8_t vmid[2];
    for (unsigned c = 0; c < 2; c++) {
        struct sender s = sender_new(b, c, 0, 0);
        sender_run(b, &s);
        vmid[c] = launch_last(b)->vmid;
        struct sender second = sender_new(b, c, 0, 1); /* in the same address space, which is told once */
        sender_run(b, &second);
        assert_int_equal(launch_last(b)->vmid, vmid[c]);
        unsigned roots = 0;
        for (unsigned i = 0; i < fake(b)->logged; i++)
            roots += fake(b)->log[i].cmd.kind == CP_VMID && fake(b)->log[i].cmd.vmid == vmid[c] &&
                     fake(b)->log[i].cmd.root == pagetable_root(b->client[c]->gpu[0].pt);
        assert_int_equal(roots, 1);
    }
    assert_int_not_equal(vmid[0], vmid[1]);
    for (unsigned n = 0; n < 3 * VMIDS; n++) {
        struct client *c;
        assert_int_equal(stranger_queue(b, n, &c), 0);
        stranger_end(b, c);
    }
}

/* Without an address space on the GPU nothing is mapped there that a queue could lie in. */
static void a_queue_needs_an_address_space(void **state)
{
    struct bench *b = *state;
    struct client *c = client_get(b->d, 0x3ffff000); /* no such process */
    struct kfd_ioctl_create_queue_args a = {.queue_percentage = 100,
                                            .ring_base_address = 0x10000000,
                                            .write_pointer_address = 0x10001050,
                                            .read_pointer_address = 0x10001080,
                                            .ring_size = 0x2000,
                                            .gpu_id = id_of(0),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    assert_int_equal(client_open(b->d, c), 0);
    assert_int_equal(queue_create(b->d, c, &a), EINVAL);
    assert_true(!c->gpu[0].space_open && c->vmid == NO_VMID);
}

/* shows S3.12: as many processes as there are numbers have queues at once; the next is told so, until one of them ends.
 */
static void address_spaces_are_counted(void **state)
{
    struct bench *b = *state;
    struct client *c[VMIDS], *late;
    unsigned seen = 0;
    for (unsigned n = 0; n < VMIDS; n++) {
        assert_int_equal(stranger_queue(b, n, &c[n]), 0);
        assert_true(c[n]->vmid >= 0 && c[n]->vmid < (int)VMIDS && !(seen >> c[n]->vmid & 1));
        seen |= 1u << c[n]->vmid;
    }
    assert_int_equal(stranger_queue(b, VMIDS, &late), ENOSPC);
    assert_int_equal(late->vmid, NO_VMID);
    stranger_end(b, late); /* who had none gives none back */
    assert_int_equal(stranger_queue(b, VMIDS + 2, &late), ENOSPC);
    stranger_end(b, late);
    const int freed = c[3]->vmid;
    stranger_end(b, c[3]);
    assert_int_equal(stranger_queue(b, VMIDS + 1, &late), 0);
    assert_int_equal(late->vmid, freed);
}

/* The scratch window and the trap handler of a process hold for its queues, told before or after the first. */
static void what_was_told_before_the_first_queue_holds(void **state)
{
    struct bench *b = *state;
    for (unsigned after = 0; after < 2; after++) {
        unsigned gpu = after;
        struct kfd_ioctl_set_scratch_backing_va_args w = {.gpu_id = id_of(gpu), .va_addr = 0x40000 + after};
        struct kfd_ioctl_set_trap_handler_args t = {
            .gpu_id = id_of(gpu), .tba_addr = 0x30001000 + after * 256, .tma_addr = 0x30005000 + after * 256};
        struct sender s;
        if (after)
            s = sender_new(b, 0, gpu, after);
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &w), 0);
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_TRAP_HANDLER, &t), 0);
        if (!after)
            s = sender_new(b, 0, gpu, after);
        guest_put(b, &s, s.ring + 0x1000 + 0x8c, 1u << 12 | 256, 4); /* room for 256 wavefronts of 1 KiB */
        guest_put(b, &s, s.ring + 0x1000 + 0xb0, 16, 4);
        sender_kernel(b, &s, 0, 16);
        sender_ring(b, &s);
        assert_true(queue_doorbells(b->d));
        run_dry(b);
        assert_true(launch_last(b)->root == (w.va_addr << 16)); /* units of 64 KiB */
        unsigned told = 0;
        for (unsigned i = 0; i < fake(b)->logged; i++) {
            const struct msg_cp_cmd *cmd = &fake(b)->log[i].cmd;
            told += fake(b)->log[i].gpu == gpu && cmd->kind == CP_TRAP && cmd->vmid == launch_last(b)->vmid &&
                    cmd->root == t.tba_addr && cmd->pc == t.tma_addr;
        }
        assert_int_equal(told, 1);
        assert_int_equal(commands(b, 0, gpu, CP_TRAP, 0), 1);
    }
}

/* One kernel on any GPU is work of the machine, and is shown as under way until it ends. */
static void the_machine_is_as_busy_as_its_gpus(void **state)
{
    for (unsigned g = 0; g < GPUS; g++) {
        assert_int_equal(g ? teardown(state) || setup(state) : 0, 0);
        struct bench *b = *state;
        struct machine *m = b->d->machine;
        struct sender s = sender_new(b, 0, g, 0);
        struct cp_progress progress;
        run_dry(b);
        assert_false(machine_busy(m));
        machine_progress(m, &progress);
        assert_true(progress.total == 0 && progress.done == 0 && !*progress.kernel);
        fake_launch = endless;
        sender_run(b, &s);
        fake_launch = NULL;
        assert_true(machine_busy(m));
        machine_progress(m, &progress);
        assert_true(progress.total == 1 && progress.done == 0 && *progress.kernel);
    }
}

/* Two readings of the counters always differ: the runtime divides by their distance. */
static void the_clock_counters_move(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_get_clock_counters_args a = {.gpu_id = id_of(0)};
    uint64_t last = 0;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(call(b, 0, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a), 0);
        assert_true(a.gpu_clock_counter > last && a.gpu_clock_counter == a.system_clock_counter);
        last = a.gpu_clock_counter;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_do_not_overlap),
        TEST(a_queue_of_no_percent_waits),
        cmocka_unit_test_setup_teardown(kernels_run_on_the_cus_of_the_mask, setup_64_cus, teardown),
        TEST(doorbells_are_read_in_order),
        TEST(a_doorbell_ends_with_its_queue),
        TEST(a_ring_has_the_packets_of_its_size),
        TEST(address_spaces_are_apart),
        TEST(address_spaces_are_counted),
        TEST(a_queue_needs_an_address_space),
        TEST(what_was_told_before_the_first_queue_holds),
        TEST(the_machine_is_as_busy_as_its_gpus),
        TEST(the_clock_counters_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
