/* SPDX-License-Identifier: Apache-2.0
 * For tests of `gantry run` whose program is the test's own binary, called with one word: what that program asks of the
 * driver, and a run of it on a fake machine.
 */
#ifndef TESTS_HOST_DRIVER_RUN_BENCH_H
#define TESTS_HOST_DRIVER_RUN_BENCH_H
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/kfd_ioctl.h>

#include "../firmware/fake_sim.h"
#include "clients/address.h"
#include "clients/protocol.h"
#include "clients/run.h"
#include "config/config.h"

#define GPU_ID 0x1001u
#define RING 0x10000000u

/* ---- the program */

static inline int client_connect(void)
{
    struct sockaddr_un address;
    int folder = address_open(getenv(ENV_ROOT), &address), fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        _exit(90);
    close(folder);
    return fd;
}

static inline void ask(int fd, enum request_op op, unsigned long code, void *arg)
{
    struct shim_request r = {
        .op = op, .code = (uint32_t)code, .tid = (pid_t)syscall(SYS_gettid), .bytes = code >> 16 & 0x3fff};
    struct shim_answer answer = {0};
    if (arg)
        memcpy(r.data, arg, r.bytes);
    if (send(fd, &r, sizeof r, 0) < 0 || recv(fd, &answer, sizeof answer, 0) <= 0 || answer.result)
        _exit(91);
    if (arg)
        memcpy(arg, answer.data, r.bytes);
}

static inline uint64_t cycle(int fd)
{
    struct kfd_ioctl_get_clock_counters_args a = {.gpu_id = GPU_ID};
    ask(fd, REQ_IOCTL, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a);
    return a.gpu_clock_counter;
}

/* What queue_make has made: places for mmap, and the number whose doorbell is its own. */
struct queue_made {
    uint64_t memory, doorbells;
    uint32_t number;
};

static inline struct queue_made queue_make(int fd)
{
    uint32_t gpu = GPU_ID;
    struct kfd_ioctl_acquire_vm_args vm = {.gpu_id = gpu};
    struct kfd_ioctl_alloc_memory_of_gpu_args m = {.va_addr = RING,
                                                   .size = 0x4000,
                                                   .gpu_id = gpu,
                                                   .flags =
                                                       KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    struct kfd_ioctl_create_queue_args q = {.queue_percentage = 100,
                                            .ring_base_address = RING,
                                            .write_pointer_address = RING + 0x1050,
                                            .read_pointer_address = RING + 0x1080,
                                            .ring_size = 0x2000,
                                            .gpu_id = gpu,
                                            .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL};
    ask(fd, REQ_IOCTL, AMDKFD_IOC_ACQUIRE_VM, &vm);
    ask(fd, REQ_IOCTL, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m);
    struct kfd_ioctl_map_memory_to_gpu_args to = {
        .handle = m.handle, .device_ids_array_ptr = (uintptr_t)&gpu, .n_devices = 1};
    ask(fd, REQ_IOCTL, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &to);
    ask(fd, REQ_IOCTL, AMDKFD_IOC_CREATE_QUEUE, &q);
    return (struct queue_made){.memory = m.mmap_offset, .doorbells = q.doorbell_offset, .number = q.queue_id};
}

static inline void compute(double seconds)
{
    for (clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end;)
        ;
}

/* ---- the run */

static volatile int stop;            /* of the run */
static void (*before_program)(void); /* when the run is ready for it */
/* Of the last run's machine and rows. */
static bool space_closed, work_left;
static struct kernel_row first_row;
static unsigned notes; /* of its progress */

static inline void note(void *arg, struct machine *machine, unsigned kernels)
{
    (void)arg, (void)machine, (void)kernels;
    notes++;
}

static inline struct run_report run(const char *what, const char *clock, const char *patience)
{
    char folder[] = "/tmp/gantry-test-XXXXXX", self[] = "/proc/self/exe", word[32];
    char *argv[] = {self, strcpy(word, what), NULL};
    struct config config;
    struct run_report report;
    config_init(&config);
    config_set(&config, "test", "gpu.vram_mib=64");
    config_set(&config, "test", "host.gtt_mib=64");
    config_set(&config, "test", clock);
    config_set(&config, "test", patience);
    assert_int_equal(config_finish(&config), STATUS_OK);
    assert_true(mkdtemp(folder) && setenv("TMPDIR", folder, 1) == 0);
    const struct run_options options = {.cfg = &config.cfg,
                                        .sim = {.model = SIM_GOLDEN},
                                        .argv = argv,
                                        .shim = "libm.so.6",
                                        .stop = &stop,
                                        .progress = note};
    struct run *r = run_new(&options);
    assert_non_null(r);
    if (before_program)
        before_program();
    run_program(r, &report);
    if (report.row_count)
        first_row = report.rows[0];
    const struct sim *sim = machine_sim(run_machine(r));
    space_closed = sim && sim->logged > 1 && sim->log[sim->logged - 2].cmd.kind == CP_VMID &&
                   sim->log[sim->logged - 2].cmd.root == 0;
    work_left = sim && sim->count;
    run_free(r);
    config_fini(&config);
    assert_int_equal(rmdir(folder), 0);
    return report;
}

#define GATED "clock.mode=gated"
#define FREE "clock.mode=free"
#define SOON "clock.patience=0.02"
#define LATE "clock.patience=3600"

static inline void assert_exit(const struct run_report *report, int status, bool repeatable)
{
    assert_int_equal(report->end, RUN_EXITED);
    assert_int_equal(report->wait_status, status << 8);
    assert_int_equal(report->repeatable, repeatable);
}

#endif
