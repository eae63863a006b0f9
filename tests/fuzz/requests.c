/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the driver's socket: two clients (processes that only wait, so that their memory can be read and written)
 * send requests over two connections each to a driver with a golden machine of two GPUs: ioctls whose arguments are
 * mostly of a kind that fits, others, and bytes as they are; between them packets, doorbells and steps of the clock.
 * Afterwards everything goes with its process, and all memory is free again.  A driver serves INPUTS inputs, as one
 * does that sees many processes come and go: the clients of each are new to it.
 */
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "config/config.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "fuzz.h"
#include "vm/pagetable.h"

#define CLIENTS 2u
#define CONNS 4u
#define GPUS 2u
#define OP_BYTES 16u
#define OPS 32u
#define ARENA ((uint8_t *)0x20000000)
#define ARENA_BYTES 0x10000u
#define HANDLES 16u
#define INPUTS 1000u
#define FAR (UINT64_C(1) << 40) /* cycles: a sleep may take the clock to the end of time, where others are cut off */
#define GOLDEN_SLICE_SMALL 64u  /* instructions: what never ends takes little time */

static struct {
    struct config config;
    pid_t pid[CLIENTS];
    struct driver *d;
    unsigned inputs; /* that it has served */
    uint64_t free_bytes[GPUS + 1];
    int end[CONNS]; /* our ends of the connections */
    struct conn *conn[CONNS];
    uint64_t handle[HANDLES];
    unsigned handles;
    struct {
        uint64_t va;
        unsigned gpu, client;
        uint32_t id;
        uint64_t written;
        bool open;
    } queue;
} f;

static void fuzz_start(void)
{
    config_init(&f.config);
    CHECK(config_load(&f.config, "tiny") == STATUS_OK && config_set(&f.config, "fuzz", "system.gpus=2") == STATUS_OK &&
              config_set(&f.config, "fuzz", "gpu.vram_mib=64") == STATUS_OK &&
              config_set(&f.config, "fuzz", "host.gtt_mib=64") == STATUS_OK && config_finish(&f.config) == STATUS_OK,
          "fuzz", "configuration");
    CHECK(mmap(ARENA, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
              ARENA,
          "fuzz", "memory of the clients");
    for (unsigned c = 0; c < CLIENTS; c++) {
        f.pid[c] = fork();
        if (f.pid[c] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
            for (;;)
                pause();
        }
    }
}

static void arena_fill(void)
{
    uint32_t *ids = (uint32_t *)(void *)ARENA; /* of GPUs, as MAP and UNMAP take them */
    struct kfd_event_data *events = (struct kfd_event_data *)(void *)(ARENA + 0x1000);
    memset(ARENA, 0, ARENA_BYTES);
    for (unsigned i = 0; i < 64; i++)
        ids[i] = i == 63 ? 0x7777 : topology_gpu_id(&f.config.cfg, i % GPUS);
    for (unsigned i = 0; i < 8; i++)
        events[i].event_id = i + 1;
}

static void driver_open(void)
{
    static const struct sim_options options = {.model = SIM_GOLDEN, .golden_slice = GOLDEN_SLICE_SMALL};
    f.d = driver_new(&f.config.cfg, &options);
    CHECK(f.d, "fuzz", "driver");
    for (unsigned g = 0; g < GPUS; g++)
        f.free_bytes[g] = f.d->vram[g].arena.free_bytes;
    f.free_bytes[GPUS] = f.d->gtt.arena.free_bytes;
    f.inputs = 0;
}

static void open_all(void)
{
    if (f.d && (f.inputs == INPUTS || client_cycle(f.d) > FAR)) {
        driver_delete(f.d);
        f.d = NULL;
    }
    if (!f.d)
        driver_open();
    f.inputs++;
    f.handles = 0;
    memset(&f.queue, 0, sizeof f.queue);
    for (unsigned i = 0; i < CONNS; i++) { /* as server.c makes them of what it accepts */
        int ends[2];
        CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "fuzz", "no socket");
        struct conn *conn = calloc(1, sizeof *conn), **link = &f.d->conns;
        *conn = (struct conn){.fd = ends[1], .pid = f.pid[i % CLIENTS]};
        while (*link)
            link = &(*link)->next;
        *link = f.conn[i] = conn;
        f.end[i] = ends[0];
    }
}

static bool conn_there(unsigned i)
{
    for (const struct conn *c = f.d->conns; c; c = c->next)
        if (c == f.conn[i])
            return true;
    return false;
}

/* Send; the answer if it comes at once. */
static bool ask(unsigned i, struct shim_request *request, struct shim_answer *answer)
{
    request->tid = (int32_t)(100 + i);
    if (!conn_there(i) || send(f.end[i], request, sizeof *request, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        return false;
    server_poll(f.d, 0, -1);
    return recv(f.end[i], answer, sizeof *answer, MSG_DONTWAIT) == (ssize_t)sizeof *answer;
}

static bool ask_ioctl(unsigned i, unsigned long code, void *arg)
{
    struct shim_request request = {.op = REQ_IOCTL, .code = (uint32_t)code, .bytes = (uint32_t)(code >> 16 & 0x3fff)};
    struct shim_answer answer;
    memcpy(request.data, arg, request.bytes < sizeof request.data ? request.bytes : sizeof request.data);
    if (!ask(i, &request, &answer) || answer.result)
        return false;
    memcpy(arg, answer.data, request.bytes < sizeof request.data ? request.bytes : sizeof request.data);
    return true;
}

static uint32_t gpu_id(uint8_t b)
{
    return b & 0x40 ? b : topology_gpu_id(&f.config.cfg, b % GPUS);
}

/* An address: blocks of 1 MiB that are wanted again and again, edges, and now and then anything. */
static uint64_t address(const uint8_t *b)
{
    static const uint64_t edges[] = {
        0, 0xfff, UINT64_C(1) << 39, (UINT64_C(1) << 40) - 4096, UINT64_C(1) << 40, UINT64_MAX - 4095};
    if (b[0] & 0x80)
        return b[0] & 0x40 ? (uint64_t)b[1] << (b[0] & 63) : edges[b[1] % 6];
    return 0x10000000 + (uint64_t)(b[0] & 7) * 0x100000 + (uint64_t)(b[1] & 15) * 0x1000;
}

static uint64_t handle(uint8_t b)
{
    return f.handles && !(b & 0x80) ? f.handle[b % f.handles] : b;
}

static void op_alloc(unsigned i, const uint8_t *b)
{
    static const uint32_t kinds[8] = {KFD_IOC_ALLOC_MEM_FLAGS_VRAM,     KFD_IOC_ALLOC_MEM_FLAGS_GTT,
                                      KFD_IOC_ALLOC_MEM_FLAGS_USERPTR,  KFD_IOC_ALLOC_MEM_FLAGS_GTT,
                                      KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP,
                                      KFD_IOC_ALLOC_MEM_FLAGS_VRAM,     0};
    static const uint64_t sizes[8] = {4096, 8192, 0x10000, 0x3000, 0x200000, 1, UINT64_C(1) << 40, UINT64_MAX};
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = address(b + 2),
                                                   .size = sizes[b[4] & 7],
                                                   .gpu_id = gpu_id(b[5]),
                                                   .flags = kinds[b[6] & 7] | (uint32_t)b[7] << 24 |
                                                            (b[8] & 1 ? KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM : 0),
                                                   .mmap_offset = (uintptr_t)ARENA + (b[9] & 15) * 0x1000u};
    if (ask_ioctl(i, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a) && f.handles < HANDLES)
        f.handle[f.handles++] = a.handle;
}

static void op_map(unsigned i, const uint8_t *b, bool on)
{
    struct kfd_ioctl_map_memory_to_gpu_args a = {.handle = handle(b[2]),
                                                 .device_ids_array_ptr =
                                                     (uintptr_t)ARENA + (b[3] & 0x80 ? b[3] * 4096u : (b[3] & 1) * 4u),
                                                 .n_devices = b[4] & 0x80 ? b[4] : 1 + b[4] % GPUS,
                                                 .n_success = b[5] & 0x80 ? b[5] : 0};
    ask_ioctl(i, on ? AMDKFD_IOC_MAP_MEMORY_TO_GPU : AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &a);
}

static void op_queue(unsigned i, const uint8_t *b)
{
    uint64_t ring = address(b + 2);
    struct kfd_ioctl_create_queue_args a = {.queue_percentage = 100,
                                            .ring_base_address = ring,
                                            .write_pointer_address = (b[4] & 0x80 ? address(b + 5) : ring) + 0x1050,
                                            .read_pointer_address = (b[4] & 0x40 ? address(b + 5) : ring) + 0x1080,
                                            .ring_size = b[7] & 0x80 ? b[7] << (b[8] & 31) : 0x2000,
                                            .gpu_id = gpu_id(b[9]),
                                            .queue_type = b[10] & 0x80 ? b[10] & 7 : KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    if (!ask_ioctl(i, AMDKFD_IOC_CREATE_QUEUE, &a))
        return;
    f.queue.va = ring;
    f.queue.gpu = b[9] % GPUS;
    f.queue.client = i % CLIENTS;
    f.queue.id = a.queue_id;
    f.queue.written = 0;
    f.queue.open = true;
}

/* A kernel or barrier packet into the ring of the last queue, and its doorbell. */
static void op_packet(unsigned i, const uint8_t *b)
{
    struct client *c = f.conn[f.queue.client] && conn_there(f.queue.client) ? f.conn[f.queue.client]->client : NULL;
    uint8_t packet[64] = {0};
    (void)i;
    if (!f.queue.open || !c || c->ended || !c->pages || !c->gpu[f.queue.gpu].pt)
        return;
    struct pagetable *pt = c->gpu[f.queue.gpu].pt;
    packet[0] = b[2] & 7;
    packet[1] = b[3];
    packet[2] = 1;
    packet[4] = b[4] | 1;
    packet[0xc] = b[5] | 1;
    uint64_t code = address(b + 6), signal = b[8] & 1 ? address(b + 9) : 0;
    memcpy(packet + 0x20, &code, 8);
    memcpy(packet + 0x38, &signal, 8);
    pagetable_write(pt, f.queue.va + f.queue.written++ % 64 * 64, packet, sizeof packet);
    pagetable_write(pt, f.queue.va + 0x1050, &f.queue.written, 8);
    uint32_t *words = (uint32_t *)(void *)(c->pages + queue_window(f.d, f.queue.gpu));
    words[b[11] & 0x80 ? b[11] & 63 : f.queue.id] = b[12];
}

static void op_event(unsigned i, const uint8_t *b)
{
    union {
        struct kfd_ioctl_create_event_args create;
        struct kfd_ioctl_set_event_args set;
        struct kfd_ioctl_reset_event_args reset;
        struct kfd_ioctl_destroy_event_args destroy;
        struct kfd_ioctl_wait_events_args wait;
    } a;
    memset(&a, 0, sizeof a);
    switch (b[2] % 5) {
    case 0:
        a.create = (struct kfd_ioctl_create_event_args){
            .event_page_offset = b[3] & 1 ? handle(b[4]) : 0, .event_type = b[5] % 10, .auto_reset = b[6] & 1};
        ask_ioctl(i, AMDKFD_IOC_CREATE_EVENT, &a.create);
        break;
    case 1:
        a.set.event_id = b[3];
        ask_ioctl(i, AMDKFD_IOC_SET_EVENT, &a.set);
        break;
    case 2:
        a.reset.event_id = b[3];
        ask_ioctl(i, AMDKFD_IOC_RESET_EVENT, &a.reset);
        break;
    case 3:
        a.destroy.event_id = b[3];
        ask_ioctl(i, AMDKFD_IOC_DESTROY_EVENT, &a.destroy);
        break;
    default:
        a.wait = (struct kfd_ioctl_wait_events_args){.events_ptr =
                                                         (uintptr_t)ARENA + 0x1000 + (b[3] & 0x80 ? b[3] * 4096u : 0),
                                                     .num_events = b[4] & 0x80 ? b[4] << 5 : 1 + b[4] % 8,
                                                     .wait_for_all = b[5] & 1,
                                                     .timeout = b[6] & 1 ? UINT32_MAX : b[7]};
        ask_ioctl(i, AMDKFD_IOC_WAIT_EVENTS, &a.wait);
        break;
    }
}

/* Anything: an ioctl of any number and size, another request, or bytes. */
static void op_any(unsigned i, const uint8_t *b)
{
    struct shim_request request = {.op = b[2] % 9,
                                   .code = (uint32_t)(b[3] % 0x24) | (uint32_t)b[4] << 16,
                                   .bytes = b[4],
                                   .arg = address(b + 5),
                                   .index = b[7]};
    struct shim_answer answer;
    for (unsigned n = 0; n < PROTOCOL_BYTES / 8; n++) {
        uint64_t value = b[8 + n % 8] & 1   ? address(b + 8 + n % 7)
                         : b[8 + n % 8] & 2 ? gpu_id(b[8 + n % 8] >> 2)
                                            : b[8 + n % 8];
        memcpy(request.data + 8 * n, &value, 8);
    }
    if (b[2] & 0x80 && conn_there(i)) {
        send(f.end[i], &request, b[15] % sizeof request,
             MSG_NOSIGNAL | MSG_DONTWAIT); /* too short: the connection ends */
        server_poll(f.d, 0, -1);
        return;
    }
    ask(i, &request, &answer);
}

static void steps(unsigned count)
{
    struct shim_answer answer;
    for (unsigned n = 0; n < count; n++)
        if (gate_step(f.d) != GATE_BUSY)
            break;
    for (unsigned i = 0; i < CONNS; i++)
        while (recv(f.end[i], &answer, sizeof answer, MSG_DONTWAIT) > 0)
            ;
}

static void op(const uint8_t *b)
{
    unsigned i = b[1] % CONNS;
    struct shim_request request = {.op = b[2] & 1 ? REQ_PARK : REQ_SLEEP, .arg = b[3] * 100u};
    struct shim_answer answer;
    struct kfd_ioctl_free_memory_of_gpu_args release = {.handle = handle(b[2])};
    struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = b[2] & 3};
    struct kfd_ioctl_update_queue_args update = {
        .queue_id = b[2] & 3, .queue_percentage = b[3] % 104, .queue_priority = b[4] % 20};
    switch (b[0] % 16) {
    case 0:
    case 1:
        op_alloc(i, b);
        break;
    case 2:
    case 3:
        op_map(i, b, true);
        break;
    case 4:
        op_map(i, b, false);
        break;
    case 5:
        ask_ioctl(i, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &release);
        break;
    case 6:
        op_queue(i, b);
        break;
    case 7:
    case 8:
        op_packet(i, b);
        break;
    case 9:
        op_event(i, b);
        break;
    case 10:
        ask_ioctl(i, AMDKFD_IOC_DESTROY_QUEUE, &destroy);
        break;
    case 11:
        ask_ioctl(i, AMDKFD_IOC_UPDATE_QUEUE, &update);
        break;
    case 12:
    case 13:
        steps(1 + b[2] % 4);
        break;
    case 14:
        ask(i, &request, &answer);
        break;
    default:
        op_any(i, b);
        break;
    }
}

/* Both clients open the device and their address spaces; a ring in host memory for each. */
static void begin(void)
{
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct shim_request request = {.op = REQ_OPEN_KFD};
        struct shim_answer answer;
        CHECK(ask(i, &request, &answer) && answer.result == 0, "fuzz", "the device is not opened");
        for (unsigned g = 0; g < GPUS; g++) {
            struct kfd_ioctl_acquire_vm_args vm = {.gpu_id = gpu_id((uint8_t)g)};
            CHECK(ask_ioctl(i, AMDKFD_IOC_ACQUIRE_VM, &vm), "fuzz", "no address space");
        }
        const uint8_t ring[OP_BYTES] = {0, (uint8_t)i, 0, 0, 2, 0, 1, 0xc0, 0, 0},
                      mapped[OP_BYTES] = {2, (uint8_t)i, (uint8_t)i, 0, 1};
        op_alloc(i, ring);
        op_map(i, mapped, true);
    }
}

static void end(void)
{
    fprintf(stderr, "%llu requests, %zu kernels, cycle %llu\n", (unsigned long long)f.d->requests, f.d->row_count,
            (unsigned long long)client_cycle(f.d));
    f.d->row_count = 0;
    for (struct client *c = f.d->clients; c; c = c->next)
        client_end(f.d, c);
    for (unsigned n = 0; n < 200 && machine_started(f.d->machine) && machine_busy(f.d->machine); n++)
        machine_run(f.d->machine, client_cycle(f.d) + 100000);
    CHECK(!machine_busy(f.d->machine), "fuzz", "work is left without clients");
    client_reap(f.d);
    CHECK(!f.d->clients, "fuzz", "a client is left");
    for (unsigned g = 0; g < GPUS; g++)
        CHECK(f.d->vram[g].arena.free_bytes == f.free_bytes[g], "fuzz", "memory of gpu%u is lost", g);
    CHECK(f.d->gtt.arena.free_bytes == f.free_bytes[GPUS], "fuzz", "host memory is lost");
    CHECK(f.d->vmid_used == 0, "fuzz", "an address space number is lost");
    for (unsigned i = 0; i < CONNS; i++)
        close(f.end[i]);
    server_poll(f.d, 0, -1);
    CHECK(!f.d->conns, "fuzz", "a connection is left");
}

static void fuzz_one(const uint8_t *data, size_t bytes)
{
    arena_fill();
    open_all();
    begin();
    for (unsigned n = 0; n < OPS && OP_BYTES * (n + 1) <= bytes; n++)
        op(data + OP_BYTES * n);
    steps(4);
    end();
}
