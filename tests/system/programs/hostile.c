/* SPDX-License-Identifier: Apache-2.0
 * For tests/system/test_boundary.py: a client that wishes the simulator and its neighbours ill.  It speaks the protocol
 * of the shim itself, so that nothing corrects what it says.  Argument "files": does all it can with the descriptors it
 * gets; "asks": random ioctls, maps and lengths; "edges": sizes and addresses at the ends of what there is; "crowd":
 * 1,200 connections of one thread; "dies": children that end in the middle of everything; "flood": asks without end,
 * never resting; "many": 65,536 allocations, and 6,000 mistakes.  Each but the last says "done".  Its VRAM is not
 * executable, so that it is no part of the `data` figure.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kfd_ioctl.h>

#include "clients/address.h"
#include "clients/protocol.h"

#define GPU_ID 0x1001u
#define RENDER 128u
#define VRAM (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
#define GTT (KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
#define MIB (UINT64_C(1) << 20)

static uint64_t seed = 88172645463325252u;

static uint64_t any(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* A number as likely to be small, round, at an edge or anything. */
static uint64_t odd(void)
{
    switch (any() % 6) {
    case 0:
        return any() % 64;
    case 1:
        return UINT64_C(1) << any() % 64;
    case 2:
        return (UINT64_C(1) << any() % 64) - 1;
    case 3:
        return -(any() % 8192);
    case 4:
        return any() % 4096 * 4096;
    default:
        return any();
    }
}

static int driver_connect(void)
{
    struct sockaddr_un address;
    int folder = address_open(getenv(ENV_ROOT), &address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        fd = -1;
    }
    close(folder);
    return fd;
}

/* The answer's descriptor is in *fd; false when the driver has closed the connection. */
static int ask(int connection, const struct shim_request *request, struct shim_answer *answer, int *fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *fd = -1;
    if (send(connection, request, sizeof *request, MSG_NOSIGNAL) < 0 ||
        recvmsg(connection, &message, MSG_CMSG_CLOEXEC) <= 0)
        return 0;
    struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
    if (passed && passed->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(passed), sizeof *fd);
    return 1;
}

static int ask_ioctl(int connection, unsigned long code, void *arg)
{
    struct shim_request request = {.op = REQ_IOCTL, .code = (uint32_t)code, .tid = gettid(), .bytes = _IOC_SIZE(code)};
    struct shim_answer answer = {0};
    int fd;
    memcpy(request.data, arg, request.bytes);
    if (!ask(connection, &request, &answer, &fd))
        return -1;
    memcpy(arg, answer.data, request.bytes);
    return (int)answer.error;
}

static int ask_map(int connection, uint32_t index, uint64_t offset, uint64_t bytes, struct map_place *place)
{
    struct shim_request request = {.op = REQ_MMAP, .index = index, .arg = offset, .bytes = 8, .tid = gettid()};
    struct shim_answer answer = {0};
    int fd;
    memcpy(request.data, &bytes, sizeof bytes);
    ask(connection, &request, &answer, &fd);
    memcpy(place, answer.data, sizeof *place);
    return fd;
}

static int device_open(int connection)
{
    struct shim_request request = {.op = REQ_OPEN_KFD, .tid = gettid()};
    struct shim_answer answer;
    struct kfd_ioctl_acquire_vm_args vm = {.gpu_id = GPU_ID};
    int fd;
    ask(connection, &request, &answer, &fd);
    ask_ioctl(connection, AMDKFD_IOC_ACQUIRE_VM, &vm);
    return fd;
}

static struct kfd_ioctl_alloc_memory_of_gpu_args memory_get(int connection, uint64_t va, uint64_t bytes, uint32_t flags)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = va, .size = bytes, .gpu_id = GPU_ID, .flags = flags};
    uint32_t id = GPU_ID;
    if (ask_ioctl(connection, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a))
        return a;
    struct kfd_ioctl_map_memory_to_gpu_args m = {
        .handle = a.handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1};
    ask_ioctl(connection, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &m);
    return a;
}

/* All that can be done to a file; then all that can be seen of it is overwritten. */
static void file_abuse(int fd)
{
    static const off_t lengths[] = {0, 1, 4096, 1 << 30, -1};
    if (fd < 0)
        return;
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        if (ftruncate(fd, lengths[i]) == 0 && lengths[i] != lseek(fd, 0, SEEK_END))
            exit(3);
    off_t end = lseek(fd, 0, SEEK_END);
    fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 4096);
    fallocate(fd, 0, end, 1 << 20);
    if (lseek(fd, 0, SEEK_END) != end) {
        printf("length changed\n");
        exit(3);
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK);
    uint8_t *p = end ? mmap(NULL, (size_t)end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (p != MAP_FAILED) {
        for (off_t at = 0; at < end && at < (off_t)(8 * MIB); at += 256)
            p[at] = (uint8_t)any();
        for (off_t at = end; at > 0 && at > end - (off_t)MIB; at -= 4096)
            p[at - 1] = (uint8_t)any();
    }
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end ? end : 1);
    write(fd, &seed, sizeof seed);
    pwrite(fd, &seed, sizeof seed, end);
}

static void files(void)
{
    int connection = driver_connect();
    struct map_place place;
    file_abuse(device_open(connection));
    for (unsigned round = 0; round < 20; round++) {
        struct kfd_ioctl_alloc_memory_of_gpu_args a =
            memory_get(connection, 0x100000000 + round * (64 * MIB), 5 * MIB, round & 1 ? GTT : VRAM);
        file_abuse(ask_map(connection, RENDER, a.mmap_offset, 4096, &place));
        file_abuse(ask_map(connection, RENDER, a.mmap_offset + 4 * MIB, MIB, &place));
        struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = a.handle};
        if (round % 3)
            ask_ioctl(connection, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f);
    }
    file_abuse(ask_map(connection, 0, UINT64_C(3) << 62 | (uint64_t)GPU_ID << 46, 4096, &place));
    file_abuse(ask_map(connection, 0, (uint64_t)GPU_ID << 46, 4096, &place));
    for (unsigned i = 0; i < 500; i++) { /* what belongs to others */
        int fd = ask_map(connection, RENDER + (uint32_t)(any() % 3), any() % 4096 * MIB, 4096, &place);
        file_abuse(fd);
        close(fd);
    }
}

static void asks(unsigned count, int flood)
{
    int connection = driver_connect();
    static uint8_t own[1 << 16];
    close(device_open(connection));
    for (unsigned i = 0; flood || i < count; i++) {
        struct shim_request request = {
            .op = (uint32_t)(any() % 10), .tid = (int32_t)odd(), .pid = (int32_t)odd(), .arg = odd()};
        struct shim_answer answer;
        int fd;
        uint32_t number = (uint32_t)(any() % 0x24);
        if (request.op == REQ_HELLO || request.op == REQ_PARK || request.op == REQ_SLEEP ||
            flood) /* hello: ends what we had */
            request.op = REQ_IOCTL;
        request.code = (uint32_t)(any() % 8 ? _IOC(_IOC_READ | _IOC_WRITE, 'K', number, PROTOCOL_BYTES) : odd());
        request.index = (uint32_t)odd();
        request.bytes = any() % 4 ? _IOC_SIZE(request.code) : (uint32_t)odd();
        for (unsigned at = 0; at < PROTOCOL_BYTES; at += 8) {
            uint64_t v = any() % 3 ? odd() : any() % 2 ? (uintptr_t)own + any() % sizeof own : GPU_ID;
            memcpy(request.data + at, &v, 8);
        }
        if (flood)
            request.code = (uint32_t)AMDKFD_IOC_GET_VERSION;
        if ((request.code & 0xff) == 0x0c) /* a wait could last for ever */
            continue;
        if ((request.code & 0xff) == 0x16 && request.op == REQ_IOCTL) { /* small, and no part of the data figure */
            struct kfd_ioctl_alloc_memory_of_gpu_args *a = (void *)request.data;
            a->flags &= ~KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
            a->size %= any() % 16 ? 256 * 4096 : UINT64_MAX;
            a->gpu_id = any() % 4 ? GPU_ID : a->gpu_id;
            a->va_addr &= any() % 4 ? 0xfffffff000 : UINT64_MAX;
        }
        if (!ask(connection, &request, &answer, &fd)) {
            close(connection);
            connection = driver_connect();
        }
        if (fd >= 0)
            close(fd);
    }
}

static void crowd(void)
{
    unsigned good = 0, refused = 0;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    for (unsigned i = 0; i < 1200; i++) {
        const struct shim_request request = {.op = REQ_HELLO, .tid = gettid()};
        struct shim_answer answer = {0};
        int fd, connection = driver_connect();
        if (connection < 0)
            break;
        if (ask(connection, &request, &answer, &fd) && answer.result == 0)
            good++;
        else
            refused++;
    }
    printf("crowd: %u in, %u refused\n", good, refused);
}

/* Numbers at the edge of what there is: user pointers beyond the numbers of windows, sums that wrap, rings at the end.
 */
static void edges(void)
{
    const uint64_t tib = UINT64_C(1) << 40, ends[] = {0, 4096, tib - 4096, tib, UINT64_MAX - 4095, UINT64_MAX};
    const uint32_t user = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
    int connection = driver_connect();
    close(device_open(connection));
    for (unsigned round = 0; round < 2; round++) {
        uint64_t handle = 0;
        for (unsigned i = 0; i < 300; i++) {
            struct kfd_ioctl_alloc_memory_of_gpu_args a = {
                .size = tib, .gpu_id = GPU_ID, .mmap_offset = 4096, .flags = user};
            if (ask_ioctl(connection, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a) != (i ? ENOMEM : 0))
                exit(4);
            handle = i ? handle : a.handle;
        }
        struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handle};
        if (ask_ioctl(connection, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f))
            exit(4);
    }
    for (unsigned i = 0; i < 6 * 6 * 3; i++) {
        const uint32_t flags[] = {user, VRAM, GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM};
        struct kfd_ioctl_alloc_memory_of_gpu_args a =
            memory_get(connection, ends[i % 6], ends[i / 6 % 6], flags[i / 36]);
        struct kfd_ioctl_create_queue_args q = {.queue_percentage = 100,
                                                .ring_base_address = ends[i % 6],
                                                .write_pointer_address = ends[i / 6 % 6],
                                                .read_pointer_address = ends[(i + 1) % 6],
                                                .ring_size = (uint32_t)ends[i / 6 % 6],
                                                .gpu_id = GPU_ID,
                                                .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
        struct map_place place;
        ask_ioctl(connection, AMDKFD_IOC_CREATE_QUEUE, &q);
        file_abuse(ask_map(connection, RENDER, a.mmap_offset, ends[i / 6 % 6], &place));
        file_abuse(ask_map(connection, RENDER, ends[i % 6], ends[i / 6 % 6], &place));
    }
}

/* A child that has memory, a queue full of nonsense and requests under way is killed. */
static void dies(void)
{
    for (unsigned round = 0; round < 8; round++) {
        pid_t pid = fork();
        if (pid == 0) {
            seed += round * 977;
            int connection = driver_connect();
            struct map_place place;
            device_open(connection);
            struct kfd_ioctl_alloc_memory_of_gpu_args a = memory_get(connection, 0x10000000, MIB, GTT);
            int fd = ask_map(connection, RENDER, a.mmap_offset, MIB, &place);
            uint64_t *ring = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place.offset);
            if (ring == MAP_FAILED)
                _exit(5);
            for (unsigned i = 0; i < 64 * 8; i++)
                ring[i] = i % 8 ? odd() : odd() << 16 | any() % 6;
            ring[(0x10000 + 0x50) / 8] = round % 2 ? 64 : odd();
            struct kfd_ioctl_create_queue_args q = {.queue_percentage = 100,
                                                    .ring_base_address = 0x10000000,
                                                    .write_pointer_address = 0x10010050,
                                                    .read_pointer_address = 0x10010080,
                                                    .ring_size = 0x2000,
                                                    .gpu_id = GPU_ID,
                                                    .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
            if (ask_ioctl(connection, AMDKFD_IOC_CREATE_QUEUE, &q))
                _exit(6);
            fd = ask_map(connection, 0, q.doorbell_offset, 4096, &place);
            uint32_t *doorbells = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)place.offset);
            for (unsigned i = 0; i < 1024; i++)
                doorbells[i] = i;
            struct shim_request park = {.op = round % 2 ? REQ_PARK : REQ_SLEEP, .arg = 5000 * round, .tid = gettid()};
            send(connection, &park, round % 3 ? sizeof park : 40, MSG_NOSIGNAL);
            if (round % 4 == 0)
                raise(SIGKILL);
            pause();
        }
        usleep(20000);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

/* As many allocations as a process may have, and each freed; then what is refused, again and again. */
static void many(void)
{
    static uint64_t handles[65536];
    struct map_place place;
    unsigned n = 0;
    int connection = driver_connect();
    device_open(connection);
    for (int error = 0; n < 65536 && !error; n += !error) {
        struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = (UINT64_C(1) << 32) + 4096 * n,
                                                       .size = 4096,
                                                       .gpu_id = GPU_ID,
                                                       .mmap_offset = UINT64_C(1) << 40,
                                                       .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR};
        error = ask_ioctl(connection, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a);
        handles[n] = a.handle;
    }
    for (unsigned i = 0; i < n; i++) {
        struct kfd_ioctl_free_memory_of_gpu_args f = {.handle = handles[i * 40503u % n]};
        if (ask_ioctl(connection, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &f))
            printf("%u is not freed\n", i);
    }
    for (unsigned i = 0; i < 3000; i++) {
        ask_map(connection, RENDER, 4096 * i, 4096, &place);
        ask_ioctl(connection, _IOWR('K', 0x99, uint64_t), &(uint64_t){i});
    }
    printf("%u allocations\n", n);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2)
        seed ^= strtoull(argv[2], NULL, 0) * 2654435761u;
    if (!strcmp(what, "files"))
        files();
    else if (!strcmp(what, "asks"))
        asks(3000, 0);
    else if (!strcmp(what, "crowd"))
        crowd();
    else if (!strcmp(what, "edges"))
        edges();
    else if (!strcmp(what, "dies"))
        dies();
    else if (!strcmp(what, "many"))
        many();
    else if (!strcmp(what, "flood"))
        asks(0, 1);
    else
        return 64;
    printf("hostile %s: done\n", what);
    return 0;
}
