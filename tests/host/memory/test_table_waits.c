/* SPDX-License-Identifier: Apache-2.0
 * Page tables that take time: who is answered when, what memory and tables wait for, and clients that go meanwhile
 * (S0.8, S3.12).
 */
#include <sys/socket.h>

#include "../driver/packets.h"
#include "firmware/cp_private.h"

#define AT UINT64_C(0x20000000)
#define BYTES 0x3000u
#define BIG (UINT64_C(2) << 20)

static struct cp *cp_of(struct bench *b, unsigned gpu)
{
    return machine_cp(b->d->machine, gpu);
}

static uint64_t now(struct bench *b)
{
    return machine_now(b->d->machine);
}

static bool is_written(struct bench *b, unsigned gpu)
{
    return cp_tables_done(cp_of(b, gpu)) == cp_tables_asked(cp_of(b, gpu));
}

/* What a walker finds in VRAM, and what it is to find. */
static uint64_t walk(struct bench *b, unsigned client, unsigned gpu, uint64_t va)
{
    return pagetable_walk(machine_memory(b->d->machine), pagetable_root(b->client[client]->gpu[gpu].pt), va);
}
static uint64_t wanted(struct bench *b, unsigned client, unsigned gpu, uint64_t va)
{
    return pagetable_lookup(b->client[client]->gpu[gpu].pt, va);
}

/* A thread of the client asks; its end of the connection. */
static struct conn *ask(struct bench *b, unsigned client, pid_t tid, unsigned long code, const void *arg, int *end)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    struct conn *conn = calloc(1, sizeof *conn), **link = &b->d->conns;
    *conn = (struct conn){.fd = ends[0], .client = b->client[client], .tid = tid};
    conn->request = (struct shim_request){.op = REQ_IOCTL, .code = (uint32_t)code, .bytes = code >> 16 & 0x3fff};
    memcpy(conn->request.data, arg, conn->request.bytes);
    while (*link)
        link = &(*link)->next;
    *link = conn;
    *end = ends[1];
    struct shim_answer answer;
    if (ioctl_serve(b->d, conn, &answer))
        server_answer(b->d, conn, &answer, NO_FILE);
    return conn;
}

/* As setup does, but for the process of client 1, which is this one here: its arrays are read. */
static int setup_here(void **state)
{
    int status = setup(state);
    struct bench *b = *state;
    b->client[1]->pid = getpid();
    return status;
}

#define HERE(f) cmocka_unit_test_setup_teardown(f, setup_here, teardown)

/* Its answer has come: the error in it; -1: not yet. */
static int answered(int end, void *arg, size_t bytes)
{
    struct shim_answer answer;
    if (recv(end, &answer, sizeof answer, MSG_DONTWAIT) != (ssize_t)sizeof answer)
        return -1;
    memcpy(arg, answer.data, bytes);
    return (int)answer.error;
}

static uint32_t ids[GPUS];

static struct conn *map_ask(struct bench *b, unsigned client, pid_t tid, uint64_t handle, unsigned gpus, int *end)
{
    for (unsigned g = 0; g < gpus; g++)
        ids[g] = id_of(g);
    const struct kfd_ioctl_map_memory_to_gpu_args a = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = gpus};
    return ask(b, client, tid, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &a, end);
}

static void give_back(struct bench *b, unsigned client, uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
    assert_int_equal(call(b, client, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f), 0);
}

/* Steps of the clock until the thread is answered. */
static int steps(struct bench *b, int end, struct kfd_ioctl_map_memory_to_gpu_args *a)
{
    for (unsigned n = 0; n < 1000; n++) {
        int error = answered(end, a, sizeof *a);
        if (error >= 0)
            return error;
        assert_int_equal(gate_step(b->d), GATE_BUSY);
    }
    fail_msg("nobody is answered");
    return -1;
}

/* Before the machine begins tables are there at once.  Then MAP is answered at the cycle at which all GPUs have it
 * written, other waits notwithstanding; again, and for what is not for GPUs, at once. */
static void maps_are_answered_when_written(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_map_memory_to_gpu_args a = {0};
    int end, sleeper;
    uint64_t early = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0);
    map_ask(b, 0, 1, early, GPUS, &end);
    assert_int_equal(answered(end, &a, sizeof a), 0);
    assert_true(a.n_success == GPUS && walk(b, 0, 2, AT) == wanted(b, 0, 2, AT) && wanted(b, 0, 2, AT));
    close(end);
    server_close(b->d);
    sender_new(b, 0, 0, 0);
    run_dry(b);
    fake_memory[3] = 1500; /* GPU 2 is slow */
    uint64_t handle = alloc(b, 0, 0, AT + BIG, BYTES, FLAGS_VRAM, 0);
    struct conn *conn = map_ask(b, 0, 1, handle, GPUS, &end);
    assert_int_equal(conn->state, CONN_TABLES);
    assert_true(gate_needed(b->d) && walk(b, 0, 0, AT + BIG) == 0);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    struct conn *sleeps = calloc(1, sizeof *sleeps); /* to a time that is long after */
    *sleeps = (struct conn){.fd = pair[0], .client = b->client[0], .tid = 2, .state = CONN_SLEEP, .deadline = 5000000};
    sleeper = pair[1];
    conn->next = sleeps;
    const uint64_t begin = now(b);
    assert_int_equal(steps(b, end, &a), 0);
    assert_int_equal(a.n_success, GPUS);
    for (unsigned g = 0; g < GPUS; g++)
        assert_true(walk(b, 0, g, AT + BIG) == wanted(b, 0, g, AT + BIG) && wanted(b, 0, g, AT + BIG));
    uint64_t last = 0; /* answer of all that was asked */
    for (unsigned i = 0; i < fake(b)->accesses; i++)
        last = fake(b)->access[i].answered > last ? fake(b)->access[i].answered : last;
    assert_true(now(b) == last && now(b) >= begin + 2 * 1500 && now(b) < 1000000);
    assert_int_equal(answered(sleeper, &a, sizeof a), -1);
    fake_memory[3] = fake_memory[1];
    const uint64_t asked = cp_tables_asked(cp_of(b, 0));
    close(end);
    map_ask(b, 0, 1, handle, GPUS, &end);
    assert_int_equal(answered(end, &a, sizeof a), 0);
    close(end);
    map_ask(b, 0, 1, alloc(b, 0, 0, AT, 0x1000, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, 0), GPUS, &end);
    assert_int_equal(answered(end, &a, sizeof a), 0);
    assert_true(cp_tables_asked(cp_of(b, 0)) == asked);
    close(end), close(sleeper);
}

/* A clock that runs freely answers, too. */
static void free_clocks_answer(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_map_memory_to_gpu_args a = {0};
    int end;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    map_ask(b, 0, 1, alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), 1, &end);
    gate_release(b->d);
    assert_int_equal(answered(end, &a, sizeof a), -1);
    for (unsigned n = 0; n < 100 && !is_written(b, 0); n++) {
        gate_advance(b->d);
        gate_release(b->d);
    }
    assert_int_equal(answered(end, &a, sizeof a), 0);
    close(end);
}

/* UNMAP and FREE are answered at once.  The pages wait until their entries are gone, also where nothing runs; and a
 * second thread that maps what the first one is about to map waits with it. */
static void pages_wait_for_their_entries(void **state)
{
    struct bench *b = *state;
    struct kfd_ioctl_map_memory_to_gpu_args a = {0};
    int ends[2];
    sender_new(b, 0, 0, 0);
    run_dry(b);
    uint64_t handle = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0),
             offset = memory_find(b->client[0], handle)->hold->backing->offset;
    struct conn *first = map_ask(b, 0, 1, handle, 1, &ends[0]), *second = map_ask(b, 0, 2, handle, 1, &ends[1]);
    assert_true(first->state == CONN_TABLES && second->state == CONN_TABLES);
    int end; /* of another process, of which nothing is written */
    map_ask(b, 1, 3, alloc(b, 1, 0, AT, 0x1000, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, 0), 1, &end);
    assert_int_equal(answered(end, &a, sizeof a), 0);
    close(end);
    assert_int_equal(first->state, CONN_TABLES);
    assert_int_equal(steps(b, ends[0], &a), 0);
    assert_int_equal(steps(b, ends[1], &a), 0);
    close(ends[0]), close(ends[1]);
    const uint64_t begin = now(b);
    assert_int_equal(map(b, 0, handle, 1, false), 0);
    give_back(b, 0, handle);
    assert_true(now(b) == begin && !is_written(b, 0) && !quarantine_empty(b->d));
    assert_true(walk(b, 0, 0, AT) != 0 && wanted(b, 0, 0, AT) == 0);
    assert_int_not_equal(memory_find(b->client[1], alloc(b, 1, 0, AT, BYTES, FLAGS_VRAM, 0))->hold->backing->offset,
                         offset);
    while (!is_written(b, 0)) {
        assert_false(quarantine_empty(b->d));
        machine_run(b->d->machine, now(b) + 1);
    }
    assert_true(quarantine_empty(b->d) && walk(b, 0, 0, AT) == 0);
    assert_int_equal(memory_find(b->client[0], alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0))->hold->backing->offset,
                     offset);
}

/* So do those of a process without a queue on the GPU, for which there is no shoot-down: all kinds of memory, and the
 * table itself. */
static void pages_wait_without_a_queue(void **state)
{
    struct bench *b = *state;
    struct pmem *pm = machine_memory(b->d->machine);
    static uint8_t own[8192] __attribute__((aligned(4096)));
    sender_new(b, 0, 0, 0); /* of the other client */
    run_dry(b);
    for (unsigned kind = 0; kind < 3; kind++) {
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = AT,
                                                       .size = 4096,
                                                       .gpu_id = id_of(0),
                                                       .mmap_offset = (uintptr_t)own,
                                                       .flags = kind == 0   ? FLAGS_VRAM
                                                                : kind == 1 ? FLAGS_GTT
                                                                            : KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
        assert_int_equal(call(b, 1, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
        assert_int_equal(map(b, 1, a.handle, 1, true), 0);
        const uint64_t at = memory_find(b->client[1], a.handle)->hold->backing->offset,
                       removed = pagetable_removed(pm, 0);
        const uint64_t vram = b->d->vram[0].arena.free_bytes, gtt = b->d->gtt.arena.free_bytes;
        uint8_t byte = 0;
        give_back(b, 1, a.handle);
        assert_true(pagetable_removed(pm, 0) == removed + 1);
        while (!is_written(b, 0)) {
            assert_false(quarantine_empty(b->d));
            assert_true(b->d->vram[0].arena.free_bytes == vram && b->d->gtt.arena.free_bytes == gtt);
            assert_int_equal(pmem_read(pm, pmem_addr(kind ? 0 : 1, at), &byte, 1), 0);
            machine_run(b->d->machine, now(b) + 1);
        }
        assert_true(quarantine_empty(b->d) && walk(b, 1, 0, AT) == 0);
        assert_int_equal(b->d->vram[0].arena.free_bytes > vram, kind == 0);
        assert_int_equal(b->d->gtt.arena.free_bytes > gtt, kind == 1);
        assert_int_equal(pmem_read(pm, pmem_addr(kind ? 0 : 1, at), &byte, 1) == 0, kind != 2);
    }
}

/* A queue opens behind the root of its space: the GPU is told of it, then the thread is answered. */
static void queues_open_when_written(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    struct client *c = b->client[1];
    pagetable_free(c->gpu[1].pt);
    c->gpu[1].pt = NULL;
    assert_int_equal(client_vm_open(b->d, c, 1), 0); /* its root is on the way */
    struct object *o = memory_find(c, 1);
    pagetable_map(c->gpu[1].pt, o->va, pmem_addr(0, o->hold->backing->offset), o->bytes, PTE_R | PTE_W);
    const unsigned from = fake(b)->logged;
    struct kfd_ioctl_create_queue_args a = {.queue_percentage = 100,
                                            .ring_base_address = b->ring[1],
                                            .write_pointer_address = b->ring[1] + 0x1050,
                                            .read_pointer_address = b->ring[1] + 0x1080,
                                            .ring_size = 0x2000,
                                            .gpu_id = id_of(1),
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    int end;
    struct conn *conn = ask(b, 1, 1, AMDKFD_IOC_CREATE_QUEUE, &a, &end);
    assert_true(conn->state == CONN_TABLES && fake(b)->logged == from);
    assert_false(c->gpu[1].space.known);
    while (answered(end, &a, sizeof a) < 0) {
        assert_true(conn->state == CONN_TABLES && (fake(b)->logged == from || is_written(b, 1)));
        gate_step(b->d);
    }
    assert_int_equal(commands(b, from, 1, CP_VMID, 0), 1);
    assert_true(c->gpu[1].space.known);
    assert_true(walk(b, 1, 1, b->ring[1]) == wanted(b, 1, 1, b->ring[1]));
    assert_true(a.doorbell_offset != 0);
    close(end);
}

/* A client that ends while its tables are written stays until that is done, with a space on the GPU or without: nothing
 * is written late into a table that has another owner. */
static void clients_wait_for_their_writes(void **state)
{
    struct bench *b = *state;
    sender_new(b, 0, 0, 0);
    for (unsigned space = 0; space < 2; space++) {
        struct client *c = b->client[1];
        if (space)
            sender_new(b, 1, 0, 0);
        run_dry(b);
        int end;
        struct conn *conn = map_ask(b, 1, 1, alloc(b, 1, 0, AT, BYTES, FLAGS_VRAM, 0), 1, &end);
        machine_run(b->d->machine, now(b) + 1); /* some are on their way */
        assert_int_equal(conn->state, CONN_TABLES);
        client_end(b->d, c);
        assert_true(conn->gone);
        server_close(b->d);
        while (!is_written(b, 0)) {
            client_reap(b->d);
            assert_true(b->d->clients->next == c);
            machine_run(b->d->machine, now(b) + 1);
        }
        const uint64_t asked = cp_tables_asked(cp_of(b, 0));
        client_reap(b->d);
        assert_null(b->d->clients->next);
        assert_int_equal(cp_tables_asked(cp_of(b, 0)), asked); /* its tables go whole */
        close(end);
        run_dry(b);
        assert_true(quarantine_empty(b->d));
        b->client[1] = client_get(b->d, getppid());
        b->client[1]->pid = getpid(); /* whose array is read */
        assert_int_equal(client_open(b->d, b->client[1]), 0);
        assert_int_equal(client_vm_open(b->d, b->client[1], 0), 0);
        b->ring[1] = 0x10000000;
        uint64_t handle = alloc(b, 1, 0, b->ring[1], 0x10000, FLAGS_GTT, 0);
        assert_int_equal(map(b, 1, handle, 1, true), 0);
        assert_true(walk(b, 1, 0, b->ring[1]) == wanted(b, 1, 0, b->ring[1]) && walk(b, 1, 0, AT) == 0);
    }
}

/* Whether the clock has run between a client's last UNMAP and its end is the host's chance: the machine comes to rest
 * at the same cycle. */
static void ends_do_not_depend_on_chance(void **state)
{
    struct bench *b = *state;
    uint64_t ended[2];
    sender_new(b, 0, 0, 0);
    for (unsigned ran = 0; ran < 2; ran++) {
        sender_new(b, 1, 0, 0);
        uint64_t handle = alloc(b, 1, 0, AT, BYTES, FLAGS_VRAM, 0);
        assert_int_equal(map(b, 1, handle, 1, true), 0);
        run_dry(b);
        const uint64_t begin = now(b);
        assert_int_equal(map(b, 1, handle, 1, false), 0);
        fake_add(fake(b), (struct fake_due){.at = begin + 2 * fake_memory[1] + 140, /* a credit, say */
                                            .gpu = 0,
                                            .evt = {.id = CP_NO_JOB}});
        if (ran)
            run_dry(b);
        client_end(b->d, b->client[1]);
        run_dry(b);
        ended[ran] = now(b) - begin;
        client_reap(b->d);
        assert_null(b->d->clients->next);
        b->client[1] = client_get(b->d, getppid());
        b->client[1]->pid = getpid(); /* whose array is read */
        assert_int_equal(client_open(b->d, b->client[1]), 0);
        assert_int_equal(client_vm_open(b->d, b->client[1], 0), 0);
        handle = alloc(b, 1, 0, b->ring[1], 0x10000, FLAGS_GTT, 0);
        assert_int_equal(map(b, 1, handle, 1, true), 0);
    }
    assert_int_equal(ended[0], ended[1]);
}

/* All pages of tables are taken, some of them only until they are written: who maps then is told to try again when that
 * is done, with the same argument, and has them; when there really are none, he is told that. */
static void tables_come_back(void **state)
{
    struct bench *b = *state;
    enum { COUNT = 300 };
    uint64_t h[COUNT], va = AT;
    unsigned count = 0;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    for (; count < COUNT; count++, va += BIG) {
        h[count] = alloc(b, 0, 0, va, 0x1000, FLAGS_VRAM, 0);
        int error = map(b, 0, h[count], 1, true);
        if (error == ENOMEM)
            break;
        assert_int_equal(error, 0);
    }
    assert_true(count > 100 && count < COUNT);
    assert_int_equal(map(b, 0, h[count], 1, true), ENOMEM); /* as often as it likes */
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(map(b, 0, h[i], 1, false), 0);
    unsigned tries = 0;
    struct kfd_ioctl_map_memory_to_gpu_args a = {0};
    for (unsigned i = 0; i < 50; i++) {
        int end;
        map_ask(b, 0, 1, i ? h[i] : h[count], 1, &end);
        int error = steps(b, end, &a);
        if (error == EAGAIN) {
            assert_true(a.n_devices == 1 && a.n_success == 0 && a.device_ids_array_ptr == (uintptr_t)ids);
            assert_true(++tries < 10);
            i--;
        } else {
            assert_int_equal(error, 0);
        }
        close(end);
        server_close(b->d);
    }
    assert_true(tries > 0);
    assert_int_equal(map(b, 0, h[0], 1, true), ENOMEM);
}

/* Two buffers are freed whose entries stand in one line: memory that comes back behind the first makes caches drop it
 * while the second shoot-down is due behind the same write. */
static void two_frees_behind_one_write(void **state)
{
    struct bench *b = *state;
    uint64_t h[3];
    sender_new(b, 0, 0, 0);
    run_dry(b);
    for (unsigned i = 0; i < 3; i++) {
        h[i] = alloc(b, 0, 0, AT + i * 0x2000, 0x1000, FLAGS_VRAM, 0);
        assert_int_equal(map(b, 0, h[i], 1, true), 0);
    }
    run_dry(b);
    const uint64_t asked = cp_tables_asked(cp_of(b, 0));
    give_back(b, 0, h[0]);
    give_back(b, 0, h[1]);
    assert_int_equal(cp_tables_asked(cp_of(b, 0)), asked + 1);
    assert_false(quarantine_empty(b->d));
    run_dry(b);
    assert_true(quarantine_empty(b->d) && is_written(b, 0));
}

/* A change that joins a write which waits is waited for as any other: the entry of the buffer that was unmapped there
 * must be gone. */
static void maps_that_join_are_waited_for(void **state)
{
    struct bench *b = *state;
    uint64_t h[3];
    int end;
    struct kfd_ioctl_map_memory_to_gpu_args a;
    sender_new(b, 0, 0, 0);
    run_dry(b);
    for (unsigned i = 0; i < 3; i++)
        h[i] = alloc(b, 0, 0, AT + i * 0x2000, 0x1000, FLAGS_VRAM, 0);
    assert_int_equal(map(b, 0, h[0], 1, true), 0);
    assert_int_equal(map(b, 0, h[2], 1, true), 0);
    run_dry(b);
    assert_int_equal(map(b, 0, h[0], 1, false), 0);
    const uint64_t asked = cp_tables_asked(cp_of(b, 0));
    struct conn *conn = map_ask(b, 0, 1, h[1], 1, &end);
    assert_true(cp_tables_asked(cp_of(b, 0)) == asked && conn->state == CONN_TABLES);
    assert_int_equal(steps(b, end, &a), 0);
    assert_true(walk(b, 0, 0, AT + 0x2000) == wanted(b, 0, 0, AT + 0x2000) && wanted(b, 0, 0, AT + 0x2000));
    close(end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(maps_are_answered_when_written), HERE(free_clocks_answer),       HERE(pages_wait_for_their_entries),
        HERE(pages_wait_without_a_queue),     HERE(queues_open_when_written), HERE(clients_wait_for_their_writes),
        HERE(ends_do_not_depend_on_chance),   HERE(tables_come_back),         HERE(two_frees_behind_one_write),
        HERE(maps_that_join_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
