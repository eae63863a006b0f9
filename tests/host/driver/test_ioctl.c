/* SPDX-License-Identifier: Apache-2.0
 * What the runtime asks before it does anything: version, apertures, tiles, address spaces (S0.7, S0.8).
 */
#include "bench.h"

#define LDS UINT64_C(0x2000000000000000)
#define SCRATCH UINT64_C(0x2000000100000000)

/* The interface whose structures linux/kfd_ioctl.h of Debian 12 has. */
static void the_version_is_the_kernels(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_get_version_args a = {0};
    assert_int_equal(call(b, 0, AMDKFD_IOC_GET_VERSION, &a), 0);
    assert_int_equal(a.major_version, KFD_IOCTL_MAJOR_VERSION);
    assert_in_range(a.minor_version, 6, KFD_IOCTL_MINOR_VERSION);
}

/* shows S0.8: one entry a GPU, as many as there is room for; LDS and scratch where amd_queue_t says, 4 GiB each. */
static void apertures_of_all_gpus(void **state)
{
    struct bench *b = *state;
    for (uint32_t room = 0; room < 6; room++) {
        struct kfd_process_device_apertures list[6];
        memset(list, 0xee, sizeof list);
        struct kfd_ioctl_get_process_apertures_new_args a = {.kfd_process_device_apertures_ptr = (uintptr_t)list,
                                                             .num_of_nodes = room};
        assert_int_equal(call(b, 0, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a), 0);
        assert_int_equal(a.num_of_nodes, GPUS);
        for (unsigned g = 0; g < 6; g++) {
            if (g >= room || g >= GPUS) {
                assert_int_equal(list[g].gpu_id, 0xeeeeeeee); /* no entry beyond either */
                continue;
            }
            assert_int_equal(list[g].gpu_id, id_of(g));
            assert_int_equal(list[g].pad, 0);
            assert_true(list[g].lds_base == LDS && list[g].lds_limit == LDS + UINT32_MAX);
            assert_true(list[g].scratch_base == SCRATCH && list[g].scratch_limit == SCRATCH + UINT32_MAX);
            assert_true(list[g].gpuvm_base > 0 && list[g].gpuvm_limit == (UINT64_C(1) << 40) - 1);
        }
    }
    struct kfd_ioctl_get_process_apertures_new_args a = {.kfd_process_device_apertures_ptr = 64, .num_of_nodes = 1};
    assert_int_equal(call(b, 0, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a), EFAULT);
}

/* 32 and 16 words, no more and no fewer; mode 8 is linear. */
static void tiles_are_told_whole(void **state)
{
    struct bench *b = *state;
    uint32_t tiles[40], macros[24];
    memset(tiles, 0xee, sizeof tiles);
    memset(macros, 0xee, sizeof macros);
    const struct kfd_ioctl_get_tile_config_args good = {.tile_config_ptr = (uintptr_t)tiles,
                                                        .macro_tile_config_ptr = (uintptr_t)macros,
                                                        .num_tile_configs = 32,
                                                        .num_macro_tile_configs = 16,
                                                        .gpu_id = id_of(1)};
    struct kfd_ioctl_get_tile_config_args a = good;
    assert_int_equal(call(b, 0, AMDKFD_IOC_GET_TILE_CONFIG, &a), 0);
    assert_true(a.num_tile_configs == 32 && a.num_macro_tile_configs == 16 && a.num_banks == 2 && a.num_ranks == 0);
    for (unsigned i = 0; i < 40; i++) /* ARRAY_MODE in bits 5:2, 1: linear aligned, 2: tiled; PIPE_CONFIG 12 */
        assert_int_equal(tiles[i], i >= 32 ? 0xeeeeeeee : i == 8 ? 4 : 2 << 2 | 12 << 6);
    for (unsigned i = 0; i < 24; i++)
        assert_int_equal(macros[i], i >= 16 ? 0xeeeeeeee : 0);
    a = good;
    a.num_tile_configs = 40, a.num_macro_tile_configs = 24; /* room for more */
    assert_int_equal(call(b, 0, AMDKFD_IOC_GET_TILE_CONFIG, &a), 0);
    assert_true(a.num_tile_configs == 32 && a.num_macro_tile_configs == 16);
    for (unsigned wrong = 0; wrong < 5; wrong++) {
        a = good;
        a.num_tile_configs -= wrong == 0;
        a.num_macro_tile_configs -= wrong == 1;
        a.gpu_id += wrong == 2;
        a.tile_config_ptr = wrong == 3 ? 64 : a.tile_config_ptr;
        a.macro_tile_config_ptr = wrong == 4 ? 64 : a.macro_tile_config_ptr;
        assert_int_equal(call(b, 0, AMDKFD_IOC_GET_TILE_CONFIG, &a), wrong < 3 ? EINVAL : EFAULT);
    }
}

/* ACQUIRE_VM again, as each part of the runtime does, keeps what is mapped; a GPU that is none has no address space. */
static void an_address_space_is_acquired_once(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_acquire_vm_args a = {.gpu_id = id_of(1)};
    uint64_t handle = alloc(b, 0, 1, 0x50000000, 4096, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, handle, 2, true), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_ACQUIRE_VM, &a), 0);
    assert_int_not_equal(pagetable_lookup(b->client[0]->gpu[1].pt, 0x50000000), 0);
    a.gpu_id = 0x7777;
    assert_int_equal(call(b, 0, AMDKFD_IOC_ACQUIRE_VM, &a), EINVAL);
    client_end(b->d, b->client[0]);
    b->client[0] = client_get(b->d, getpid()); /* another program of the same process */
    assert_int_equal(client_open(b->d, b->client[0]), 0);
    handle = alloc(b, 0, 0, 0x50000000, 4096, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, handle, 1, true), EINVAL); /* not before it was acquired */
    a.gpu_id = id_of(0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_ACQUIRE_VM, &a), 0);
    assert_int_equal(map(b, 0, handle, 1, true), 0);
    uint32_t id;
    uint64_t offset;
    assert_int_equal(queue_new(b, 0, 2, &id, &offset), EINVAL);
}

/* GPUs that are none are refused wherever one is named. */
static void unknown_gpus_are_refused(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_set_memory_policy_args p = {.gpu_id = id_of(0)};
    struct kfd_ioctl_get_clock_counters_args c = {.gpu_id = 0};
    struct kfd_ioctl_get_available_memory_args m = {.gpu_id = id_of(2)};
    struct kfd_ioctl_set_scratch_backing_va_args s = {.gpu_id = id_of(2)};
    struct kfd_ioctl_set_trap_handler_args t = {.gpu_id = id_of(2)};
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_MEMORY_POLICY, &p), wrong ? EINVAL : 0);
        assert_int_equal(call(b, 0, AMDKFD_IOC_GET_CLOCK_COUNTERS, &c), wrong ? EINVAL : 0);
        assert_int_equal(call(b, 0, AMDKFD_IOC_AVAILABLE_MEMORY, &m), wrong ? EINVAL : 0);
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &s), wrong ? EINVAL : 0);
        assert_int_equal(call(b, 0, AMDKFD_IOC_SET_TRAP_HANDLER, &t), wrong ? EINVAL : 0);
        p.gpu_id = c.gpu_id = m.gpu_id = s.gpu_id = t.gpu_id = id_of(GPUS);
    }
    assert_int_equal(c.system_clock_freq, 1000000000);
    t = (struct kfd_ioctl_set_trap_handler_args){.gpu_id = id_of(0), .tma_addr = UINT64_C(1) << 40};
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_TRAP_HANDLER, &t), EINVAL);
    t.tma_addr--;
    t.tba_addr = t.tma_addr; /* the last address, of both */
    assert_int_equal(call(b, 0, AMDKFD_IOC_SET_TRAP_HANDLER, &t), 0);
}

/* shows S0.8: without an open device of its own a process gets nothing, as with a descriptor that came by fork. */
static void the_device_has_to_be_opened(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_get_version_args a = {0};
    b->client[0] = client_get(b->d, 0x3ffff000); /* no such process */
    assert_int_equal(call(b, 0, AMDKFD_IOC_GET_VERSION, &a), EBADF);
    assert_int_equal(client_open(b->d, b->client[0]), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_GET_VERSION, &a), 0);
    uint8_t *pages = b->client[0]->pages;
    assert_int_equal(client_open(b->d, b->client[0]), 0); /* again: the same pages */
    assert_ptr_equal(b->client[0]->pages, pages);
    assert_ptr_equal(client_get(b->d, 0x3ffff000), b->client[0]);
    unsigned index = b->client[0]->index;
    client_end(b->d, b->client[0]);
    assert_int_equal(client_get(b->d, 0x3ffff000)->index, index + 1); /* whoever has the number next is another */
}

/* A wait for nothing, for too much, for what cannot be read or is no event is refused at once; the thread goes on. */
static void waits_for_nothing_are_refused(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_create_event_args made = {.event_type = KFD_IOC_EVENT_SIGNAL};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &made), 0);
    static struct kfd_event_data events[2];
    const uint64_t list = (uintptr_t)events;
    events[0].event_id = events[1].event_id = made.event_id;
    const struct {
        uint64_t list;
        uint32_t count, last;
        int result;
    } cases[] = {{list, 0, made.event_id, EINVAL},
                 {list, UINT32_MAX, made.event_id, EINVAL},
                 {8, 2, made.event_id, EINVAL},
                 {list, 2, made.event_id + 1, EINVAL},
                 {list, 2, made.event_id, -2}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kfd_ioctl_wait_events_args a = {
            .events_ptr = cases[i].list, .num_events = cases[i].count, .timeout = UINT32_MAX};
        events[1].event_id = cases[i].last;
        assert_int_equal(call(b, 0, AMDKFD_IOC_WAIT_EVENTS, &a), cases[i].result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_version_is_the_kernels),        TEST(apertures_of_all_gpus),    TEST(tiles_are_told_whole),
        TEST(an_address_space_is_acquired_once), TEST(unknown_gpus_are_refused), TEST(the_device_has_to_be_opened),
        TEST(waits_for_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
