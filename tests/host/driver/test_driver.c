/* SPDX-License-Identifier: Apache-2.0
 * The driver by its ioctls, on a fake machine, with this process as the client: memory objects, events, queues and
 * their GPUs (S0.8 to S0.13), several clients (S0.10, S3.12).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/kfd_ioctl.h>

#include "../firmware/fake_sim.h"
#include "config/config.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define GPUS 3u
#define FLAGS_VRAM                                                                                                     \
    (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
#define FLAGS_GTT (KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT)

struct bench {
    struct config config;
    struct driver *d;
    struct client *client[2];
    uint64_t ring[2]; /* GTT buffer of each client, mapped on all GPUs */
    pid_t other;      /* process of client 1 */
};

static int call(struct bench *b, unsigned client, unsigned long code, void *arg)
{
    struct conn conn = {.fd = -1, .client = b->client[client], .request = {.op = REQ_IOCTL, .code = (uint32_t)code}};
    struct shim_answer answer;
    memset(&answer, 0, sizeof answer);
    conn.request.bytes = code >> 16 & 0x3fff;
    memcpy(conn.request.data, arg, conn.request.bytes);
    if (!ioctl_serve(b->d, &conn, &answer))
        return -2; /* waits */
    memcpy(arg, answer.data, conn.request.bytes);
    assert_int_equal(answer.result, answer.error ? -1 : 0);
    return (int)answer.error;
}

static uint32_t id_of(unsigned gpu)
{
    return 0x1001 * (gpu + 1);
}

static uint64_t alloc(struct bench *b, unsigned client, unsigned gpu, uint64_t va, uint64_t bytes, uint32_t flags,
                      int error)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = va, .size = bytes, .gpu_id = id_of(gpu), .flags = flags};
    assert_int_equal(call(b, client, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), error);
    return a.handle;
}

static int map(struct bench *b, unsigned client, uint64_t handle, uint32_t gpus, bool on)
{
    static uint32_t ids[GPUS];
    uint32_t n = 0;
    for (unsigned g = 0; g < GPUS; g++)
        if (gpus >> g & 1)
            ids[n++] = id_of(g);
    struct kfd_ioctl_map_memory_to_gpu_args a = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = n};
    int error = call(b, client, on ? AMDKFD_IOC_MAP_MEMORY_TO_GPU : AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &a);
    assert_true(error || a.n_success == n);
    return error;
}

static int queue_new(struct bench *b, unsigned client, unsigned gpu, uint32_t *id, uint64_t *offset)
{
    struct kfd_ioctl_create_queue_args a = {.ring_base_address = b->ring[client],
                                            .write_pointer_address = b->ring[client] + 0x1050,
                                            .read_pointer_address = b->ring[client] + 0x1080,
                                            .ring_size = 0x2000,
                                            .gpu_id = id_of(gpu),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    int error = call(b, client, AMDKFD_IOC_CREATE_QUEUE, &a);
    *id = a.queue_id;
    *offset = a.doorbell_offset;
    return error;
}

static int queue_end(struct bench *b, unsigned client, uint32_t id)
{
    struct kfd_ioctl_destroy_queue_args a = {.queue_id = id};
    return call(b, client, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

static int setup(void **state)
{
    static const struct sim_options options = {.model = SIM_GOLDEN};
    struct bench *b = calloc(1, sizeof *b);
    config_init(&b->config);
    config_set(&b->config, "test", "system.gpus=3");
    config_set(&b->config, "test", "gpu.vram_mib=64");
    config_set(&b->config, "test", "host.gtt_mib=64");
    config_set(&b->config, "test", "cp.queues=24");
    if (config_finish(&b->config) != STATUS_OK)
        return -1;
    b->d = driver_new(&b->config.cfg, &options);
    b->other = fork();
    if (b->other == 0)
        for (;;)
            pause();
    for (unsigned c = 0; c < 2; c++) {
        b->client[c] = client_get(b->d, c ? b->other : getpid());
        assert_int_equal(client_open(b->d, b->client[c]), 0);
        for (unsigned g = 0; g < GPUS; g++)
            assert_int_equal(client_vm_open(b->d, b->client[c], g), 0);
        b->ring[c] = 0x10000000;
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {
            .va_addr = b->ring[c], .size = 0x10000, .gpu_id = id_of(0), .flags = FLAGS_GTT};
        assert_int_equal(memory_alloc(b->d, b->client[c], &a), 0);
        struct object *o = memory_find(b->client[c], a.handle);
        for (unsigned g = 0; g < GPUS; g++)
            pagetable_map(b->client[c]->gpu[g].pt, o->va, pmem_addr(0, o->offset), o->bytes, PTE_R | PTE_W);
    }
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    driver_delete(b->d);
    kill(b->other, SIGKILL);
    waitpid(b->other, NULL, 0);
    config_fini(&b->config);
    free(b);
    return 0;
}

/* S0.9, S0.10, S0.12: random creation, update and destruction over GPUs and processes, against a table. */
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
            struct queue *q = queue_find(b->d, b->client[c], i);
            assert_int_equal(q != NULL, model[c][i].live);
            assert_true(!q || q->gpu == model[c][i].gpu);
        }
    }
}

static void foreign_queues_are_refused(void **state)
{
    struct bench *b = *state;
    uint32_t id;
    uint64_t offset;
    assert_int_equal(queue_new(b, 0, 1, &id, &offset), 0);
    assert_int_equal(queue_end(b, 1, id), EINVAL); /* S0.10 */
    assert_int_equal(queue_end(b, 0, id), 0);
    assert_int_equal(queue_end(b, 0, id), EINVAL);
    struct kfd_ioctl_create_queue_args a = {.gpu_id = 0x7777, .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_QUEUE, &a), EINVAL);
    a = (struct kfd_ioctl_create_queue_args){.gpu_id = id_of(0), .queue_type = KFD_IOC_QUEUE_TYPE_SDMA};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_QUEUE, &a), EINVAL);
}

/* S0.13, S0.14: a doorbell in the window of GPU i rings queues of GPU i alone. */
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

static void memory_is_mapped_where_asked(void **state)
{
    struct bench *b = *state;
    uint64_t h = alloc(b, 0, 1, 0x20000000, 0x3000, FLAGS_VRAM, 0);
    struct object *o = memory_find(b->client[0], h);
    assert_int_equal(map(b, 0, h, 6, true), 0);
    assert_int_equal(pagetable_lookup(b->client[0]->gpu[0].pt, 0x20000000), 0);
    for (unsigned g = 1; g < 3; g++) /* GPU 2 reaches it as a peer */
        assert_int_equal(pagetable_lookup(b->client[0]->gpu[g].pt, 0x20002000),
                         pmem_addr(2, o->offset + 0x2000) | PTE_VALID | PTE_LEAF | PTE_R | PTE_W | PTE_X);
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
            memset(pmem_vram(machine_memory(b->d->machine), 0, o->offset, 4096), (int)(i + 1 + (round == 2)), 4096);
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

static uint32_t event_new(struct bench *b, uint32_t type, bool auto_reset)
{
    struct kfd_ioctl_create_event_args a = {.event_type = type, .auto_reset = auto_reset};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    assert_int_not_equal(a.event_page_offset, 0);
    return a.event_id;
}

static void events_wake_waiters(void **state)
{
    struct bench *b = *state;
    uint32_t one = event_new(b, KFD_IOC_EVENT_SIGNAL, true), two = event_new(b, KFD_IOC_EVENT_SIGNAL, false);
    uint32_t memory = event_new(b, KFD_IOC_EVENT_MEMORY, false);
    struct kfd_event_data data[3] = {{.event_id = one}, {.event_id = two}, {.event_id = memory}};
    struct kfd_ioctl_wait_events_args w = {
        .events_ptr = (uintptr_t)data, .num_events = 2, .wait_for_all = 1, .timeout = UINT32_MAX};
    struct conn conn = {.fd = -1, .client = b->client[0]};
    struct shim_answer answer;
    memcpy(conn.request.data, &w, sizeof w);
    assert_int_equal(event_wait_begin(b->d, &conn), 0);
    assert_false(event_wait_ready(b->d, &conn));
    event_raise(b->client[0], one);
    assert_false(event_wait_ready(b->d, &conn));
    event_raise(b->client[0], two);
    assert_true(event_wait_ready(b->d, &conn));
    event_wait_finish(&conn, &answer);
    memcpy(&w, answer.data, sizeof w);
    assert_int_equal(w.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_false(b->client[0]->events[one].set); /* consumed */
    assert_true(b->client[0]->events[two].set);
    w.events_ptr = (uintptr_t)&data[2];
    w.num_events = 1;
    memcpy(conn.request.data, &w, sizeof w);
    assert_false(event_wait_ready(b->d, &conn));
    event_raise_fault(b->client[0], id_of(2), 0xdead00000, FAULT_READ_ONLY);
    assert_true(event_wait_ready(b->d, &conn));
    event_wait_finish(&conn, &answer);
    assert_int_equal(data[2].memory_exception_data.va, 0xdead00000);
    assert_int_equal(data[2].memory_exception_data.gpu_id, id_of(2));
    assert_int_equal(data[2].memory_exception_data.failure.ReadOnly, 1);
    assert_int_equal(data[2].memory_exception_data.failure.NotPresent, 0);
    data[2].event_id = 4000;
    memcpy(conn.request.data, &w, sizeof w);
    assert_int_equal(event_wait_begin(b->d, &conn), EINVAL);
}

/* An interrupt sets the event whose slot in the event page was written, whatever the hint in M0 says. */
static void interrupts_find_the_written_slot(void **state)
{
    struct bench *b = *state;
    struct client *c = b->client[0];
    uint32_t id[4];
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL,
                                            .event_page_offset =
                                                alloc(b, 0, 0, 0x30000000, EVENT_LIMIT * 8, FLAGS_GTT, 0)};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    id[0] = a.event_id;
    const struct object *page = memory_find(c, c->event_page);
    assert_non_null(page);
    uint64_t *slots = (uint64_t *)(void *)pmem_gtt(machine_memory(b->d->machine), page->offset, page->bytes);
    for (unsigned n = 0; n < EVENT_LIMIT; n++)
        assert_true(slots[n] == UINT64_MAX);
    for (unsigned n = 1; n < 4; n++)
        id[n] = event_new(b, n == 3 ? KFD_IOC_EVENT_MEMORY : KFD_IOC_EVENT_SIGNAL, false);
    event_raise_interrupt(b->d, c, id[0]); /* nothing was written */
    for (unsigned n = 0; n < 4; n++)
        assert_false(c->events[id[n]].set);
    slots[id[0]] = id[0], slots[id[1]] = id[1];
    event_raise_interrupt(b->d, c, 0xffffff00 | id[1]); /* a good hint: this one alone */
    assert_true(c->events[id[1]].set && !c->events[id[0]].set);
    assert_true(slots[id[1]] == UINT64_MAX && slots[id[0]] == id[0]);
    c->events[id[1]].set = false;
    slots[id[2]] = slots[id[3]] = 1;
    event_raise_interrupt(b->d, c, 0xff); /* a wrong one: all signal events that were written */
    assert_true(c->events[id[0]].set && c->events[id[2]].set && !c->events[id[1]].set && !c->events[id[3]].set);
    assert_true(slots[id[0]] == UINT64_MAX && slots[id[2]] == UINT64_MAX && slots[id[3]] == 1);
    event_raise_mailbox(b->d, c, id[1]); /* the command processor has no need of the slot */
    assert_true(c->events[id[1]].set);
}

static void event_ids_run_out_cleanly(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL};
    for (unsigned i = 1; i < EVENT_LIMIT; i++) {
        a.event_page_offset = 0;
        assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
        assert_int_equal(a.event_id, i);
    }
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), ENOSPC);
    struct kfd_ioctl_destroy_event_args e = {.event_id = 77};
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), 0);
    assert_int_equal(call(b, 0, AMDKFD_IOC_DESTROY_EVENT, &e), EINVAL);
    a.event_page_offset = 0;
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &a), 0);
    assert_int_equal(a.event_id, 77);
}

/* S0.8: what is not served is refused, and so is an argument that is too small. */
static void unknown_ioctls_are_refused(void **state)
{
    struct bench *b = *state;
    char room[160] = {0};
    for (unsigned number = 0; number < 256; number++) {
        int error = call(b, 0, _IOC(_IOC_READ | _IOC_WRITE, 'K', number, 4), room);
        assert_true(error > 0);
    }
}

static void everything_goes_with_its_process(void **state)
{
    struct bench *b = *state;
    uint32_t id;
    uint64_t offset, free_before = b->d->vram[1].free_bytes;
    unsigned commands = 0;
    assert_int_equal(queue_new(b, 1, 1, &id, &offset), 0);
    assert_int_equal(queue_new(b, 1, 2, &id, &offset), 0);
    alloc(b, 1, 1, 0x20000000, 0x100000, FLAGS_VRAM, 0);
    assert_true(b->d->vram[1].free_bytes < free_before);
    client_end(b->d, b->client[1]);
    while (machine_sim(b->d->machine)->count)
        machine_run(b->d->machine, UINT64_MAX);
    client_reap(b->d);
    assert_null(b->client[0]->next);
    assert_int_equal(b->d->vram[1].free_bytes, free_before);
    assert_int_equal(b->d->vmid_used, 1);
    for (unsigned k = 0; k < QUEUE_BUCKETS; k++)
        assert_null(b->d->queues[k]);
    struct sim *sim = machine_sim(b->d->machine);
    for (unsigned i = 0; i < sim->logged; i++)
        commands += sim->log[i].cmd.kind == CP_VMID && sim->log[i].cmd.root == 0;
    assert_int_equal(commands, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(queues_agree_with_a_table),        TEST(foreign_queues_are_refused),
        TEST(doorbells_ring_their_gpu),         TEST(memory_is_mapped_where_asked),
        TEST(aql_rings_show_their_pages_twice), TEST(client_memory_is_reached_by_a_window),
        TEST(data_figure_is_over_contents),     TEST(events_wake_waiters),
        TEST(data_figure_is_over_contents),     TEST(interrupts_find_the_written_slot),
        TEST(event_ids_run_out_cleanly),        TEST(unknown_ioctls_are_refused),
        TEST(everything_goes_with_its_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
