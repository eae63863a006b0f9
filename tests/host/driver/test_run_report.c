/* SPDX-License-Identifier: Apache-2.0
 * What a run tells of its kernels and its data when it has ended (run.h).  The program is this binary with an argument.
 */
#include "run_bench.h"

#include <sys/mman.h>

#define SLEEP_NS 5000u
#define DESCRIPTOR_AT 0x3000u /* in the ring's memory */
#define SIGNAL_AT 0x2000u
#define KERNEL_HEADER 0x1502u /* barrier bit, system scope */
#define LATE_CYCLES 100000000u

/* ---- the program */

static void nap(int fd)
{
    struct shim_request r = {.op = REQ_SLEEP, .tid = getpid(), .arg = SLEEP_NS};
    struct shim_answer answer;
    if (send(fd, &r, sizeof r, 0) < 0 || recv(fd, &answer, sizeof answer, 0) <= 0 || answer.result)
        _exit(94);
}

/* What a descriptor and the bytes from `arg` on are mapped to; index as in REQ_MMAP. */
static uint8_t *map_file(int fd, uint32_t index, uint64_t arg, uint64_t bytes)
{
    struct shim_request r = {.op = REQ_MMAP, .tid = getpid(), .index = index, .arg = arg};
    struct shim_answer answer;
    struct map_place place;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&answer, sizeof answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    int file;
    memcpy(r.data, &bytes, sizeof bytes);
    if (send(fd, &r, sizeof r, 0) < 0 || recvmsg(fd, &message, 0) <= 0 || answer.result || !CMSG_FIRSTHDR(&message))
        _exit(95);
    memcpy(&file, CMSG_DATA(&control.header), sizeof file);
    memcpy(&place, answer.data, sizeof place);
    uint8_t *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)place.offset);
    if (at == MAP_FAILED || place.bytes != bytes)
        _exit(96);
    return at;
}

/* One kernel of one wavefront, from packet to doorbell; where its completion signal counts down. */
static const volatile int64_t *kernel_start(int fd, const struct queue_made *made)
{
    uint8_t *memory = map_file(fd, 128, made->memory, 0x4000);
    uint32_t *doorbells = (uint32_t *)(void *)map_file(fd, 0, made->doorbells, 4096);
    const uint16_t setup = 1, sizes[3] = {64, 1, 1}, header = KERNEL_HEADER;
    const uint32_t grid[3] = {64, 1, 1};
    const uint64_t entry = 0x100, object = RING + DESCRIPTOR_AT, signal = RING + SIGNAL_AT, one = 1, all = 1;
    memcpy(memory + DESCRIPTOR_AT + 0x10, &entry, 8);
    memcpy(memory + SIGNAL_AT, &one, 8); /* a user signal of value 1 */
    memcpy(memory + SIGNAL_AT + 8, &one, 8);
    memcpy(memory + 2, &setup, 2);
    memcpy(memory + 4, sizes, sizeof sizes);
    memcpy(memory + 0xc, grid, sizeof grid);
    memcpy(memory + 0x20, &object, 8);
    memcpy(memory + 0x38, &signal, 8);
    memcpy(memory, &header, 2);
    memcpy(memory + 0x1050, &all, 8);
    doorbells[made->number] = 1;
    return (const volatile int64_t *)(const void *)(memory + SIGNAL_AT + 8);
}

static void stays(void)
{
    alarm(20);
    for (;;)
        pause();
}

static int client_main(const char *what)
{
    int life = client_connect(), fd = client_connect();
    ask(life, REQ_HELLO, 0, NULL);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    if (strcmp(what, "idle") == 0) {
        usleep(200000);
        return 3;
    }
    struct queue_made made = queue_make(fd);
    struct kfd_ioctl_alloc_memory_of_gpu_args vram = {
        .va_addr = 0x20000000,
        .size = 4096,
        .gpu_id = GPU_ID,
        .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE};
    ask(fd, REQ_IOCTL, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &vram);
    nap(fd);
    const volatile int64_t *value = kernel_start(fd, &made); /* "kernel" */
    nap(fd);
    if (strcmp(what, "endless") == 0) {
        kill(getppid(), SIGINT);
        stays();
    }
    return *value == 0 ? 4 : 2;
}

/* ---- the run */

static void stop_now(int number)
{
    stop = number;
}

/* What a run tells of a kernel, of the data that is left, and of who computes without a GPU: nothing. */
static void runs_are_summed_up(void **state)
{
    (void)state;
    struct run_report report = run("kernel", GATED, LATE);
    assert_exit(&report, 4, true);
    assert_true(report.gpu_work && report.row_count == 1 && !first_row.unfinished);
    assert_true(report.first_doorbell >= SLEEP_NS && report.first_doorbell < first_row.start);
    assert_true(report.last_completion > first_row.end && report.last_completion < LATE_CYCLES);
    assert_int_not_equal(report.data_hash, 0);
    const clock_t begin = clock();
    report = run("idle", GATED, LATE);
    assert_true(clock() - begin < CLOCKS_PER_SEC / 10); /* it was waited for, not looked for */
    assert_exit(&report, 3, true);
    assert_true(!report.gpu_work && report.row_count == 0 && report.data_hash == 0);
    assert_true(report.first_doorbell == 0 && report.last_completion == 0);
}

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

/* A kernel that was at work when the run was stopped has a row, too. */
static void unfinished_kernels_have_rows(void **state)
{
    (void)state;
    fake_launch = endless;
    signal(SIGINT, stop_now);
    struct run_report report = run("endless", GATED, LATE);
    signal(SIGINT, SIG_DFL);
    fake_launch = NULL, stop = 0;
    assert_int_equal(report.end, RUN_STOPPED);
    assert_true(report.row_count == 1 && first_row.unfinished);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_summed_up),
                                       cmocka_unit_test(unfinished_kernels_have_rows)};
    if (argc == 2)
        _exit(client_main(argv[1]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
