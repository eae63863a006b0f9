/* SPDX-License-Identifier: Apache-2.0
 * What `gantry run` does for a program that calls the driver: sleeps, computes, floods, ends with a queue left; with a
 * gated and a free clock (docs/reference/clock.md).  The program is this binary with an argument, on a fake machine.
 */
#include "run_bench.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "base/log.h"

#define SLEEP_NS 5000u
#define NO_THREAD 1 /* as if the request were another thread's than the one that goes on */

static void *idle_thread(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/* The calling thread goes on beside a wait without end for an event that nobody signals. */
static void wait_beside(int fd)
{
    static struct kfd_event_data event;
    struct kfd_ioctl_create_event_args made = {.event_type = KFD_IOC_EVENT_SIGNAL};
    pthread_t thread;
    ask(fd, REQ_IOCTL, AMDKFD_IOC_CREATE_EVENT, &made);
    event.event_id = made.event_id;
    const struct kfd_ioctl_wait_events_args wait = {
        .events_ptr = (uint64_t)(uintptr_t)&event, .num_events = 1, .timeout = UINT32_MAX};
    struct shim_request r = {
        .op = REQ_IOCTL, .code = (uint32_t)AMDKFD_IOC_WAIT_EVENTS, .tid = NO_THREAD, .bytes = sizeof wait};
    memcpy(r.data, &wait, sizeof wait);
    if (pthread_create(&thread, NULL, idle_thread, NULL) || send(client_connect(), &r, sizeof r, 0) < 0)
        _exit(93);
}

/* A sleep is under way on the connection that is returned; the calling thread goes on. */
static int sleep_beside(void)
{
    pthread_t thread;
    int fd = client_connect();
    const struct shim_request r = {.op = REQ_SLEEP, .tid = NO_THREAD, .arg = SLEEP_NS};
    if (pthread_create(&thread, NULL, idle_thread, NULL) || send(fd, &r, sizeof r, 0) < 0)
        _exit(92);
    return fd;
}

/* The calling thread goes on beside one that maps memory; where that is answered is returned. */
static int map_beside(int fd)
{
    static uint32_t gpu = GPU_ID;
    struct kfd_ioctl_alloc_memory_of_gpu_args m = {.va_addr = 2 * RING,
                                                   .size = 0x4000,
                                                   .gpu_id = gpu,
                                                   .flags =
                                                       KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE};
    pthread_t thread;
    int beside = client_connect();
    ask(fd, REQ_IOCTL, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &m);
    const struct kfd_ioctl_map_memory_to_gpu_args to = {
        .handle = m.handle, .device_ids_array_ptr = (uintptr_t)&gpu, .n_devices = 1};
    struct shim_request r = {
        .op = REQ_IOCTL, .code = (uint32_t)AMDKFD_IOC_MAP_MEMORY_TO_GPU, .tid = NO_THREAD, .bytes = sizeof to};
    memcpy(r.data, &to, sizeof to);
    if (pthread_create(&thread, NULL, idle_thread, NULL) || send(beside, &r, sizeof r, 0) < 0)
        _exit(94);
    return beside;
}

/* Exit status of a thread that spins until another one has mapped memory. */
static int spin(int fd)
{
    struct shim_answer answer;
    const int beside = map_beside(fd);
    while (recv(beside, &answer, sizeof answer, MSG_DONTWAIT) < 0 && clock() < 20 * CLOCKS_PER_SEC)
        ;
    return clock() >= CLOCKS_PER_SEC ? 2 : answer.error ? 3 : 0;
}

static int client_main(const char *what)
{
    struct shim_answer answer;
    int life = client_connect(), fd = client_connect();
    ask(life, REQ_HELLO, 0, NULL);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    if (strcmp(what, "compute") == 0) {
        compute(0.1);
        return 0;
    }
    queue_make(fd);
    if (strcmp(what, "queue") == 0)
        return 0;
    if (strcmp(what, "stay") == 0)
        for (bool told = alarm(10) == 0 && write(2, "1", 1) == 1; told;)
            pause();
    if (strcmp(what, "spin") == 0)
        return spin(fd);
    uint64_t before = cycle(fd);
    if (strcmp(what, "sleep") == 0) {
        struct shim_request r = {.op = REQ_SLEEP, .tid = getpid(), .arg = SLEEP_NS};
        bool good = send(fd, &r, sizeof r, 0) > 0 && recv(fd, &answer, sizeof answer, 0) > 0 && answer.result == 0;
        return good && cycle(fd) - before >= SLEEP_NS ? 0 : 1;
    }
    if (strcmp(what, "polls again") == 0) {
        wait_beside(fd);
        compute(0.6);
        uint64_t first = cycle(fd);
        sleep_beside();
        compute(0.1);
        return cycle(fd) - first < SLEEP_NS ? 12 : 13;
    }
    int beside = sleep_beside();
    if (strcmp(what, "poll") == 0) {
        compute(0.4);
        const bool woken = recv(beside, &answer, sizeof answer, MSG_DONTWAIT) >= 0,
                   late = cycle(fd) - before >= SLEEP_NS;
        return woken && late ? 10 : woken || late ? 15 : 11;
    }
    while (recv(beside, &answer, sizeof answer, MSG_DONTWAIT) < 0 && clock() < 20 * CLOCKS_PER_SEC) /* "flood" */
        compute(0.003), cycle(fd); /* most of the time is its own, not the driver's */
    if (clock() < CLOCKS_PER_SEC * 3 / 10)
        return 3; /* at once */
    return clock() < 20 * CLOCKS_PER_SEC ? 0 : 2;
}

/* A sleep takes target time, whatever the clock; only the gated one can be repeated. */
static void sleeps_end(void **state)
{
    (void)state;
    struct run_report gated = run("sleep", GATED, LATE);
    fake_stills = 0;
    struct run_report free_clock = run("sleep", FREE, LATE);
    assert_int_equal(fake_stills, 0); /* clients run on */
    assert_exit(&gated, 0, true);
    assert_exit(&free_clock, 0, false);
    assert_true(gated.gpu_work && free_clock.gpu_work);
}

/* shows B.4: who computes may be polling memory: after the patience the clock goes on without it, for the others too,
 * and not before. */
static void the_clock_has_patience(void **state)
{
    (void)state;
    fake_stills = 0;
    FILE *log = tmpfile();
    char text[4096];
    log_set_file(log);
    struct run_report soon = run("poll", GATED, SOON);
    log_set_file(NULL);
    rewind(log);
    text[fread(text, 1, sizeof text - 1, log)] = 0;
    fclose(log);
    const char *told = strstr(text, "the clock runs beside a client from cycle ");
    assert_true(told && !strstr(told + 1, "the clock runs beside")); /* once */
    const char *who = strstr(text, " has run for "), *key = who ? strstr(who, "(clock.patience)") : NULL;
    assert_true(key && !strstr(key, " has run for ")); /* once, and what changes it */
    assert_int_equal(fake_stills, 0);
    struct run_report late = run("poll", GATED, LATE);
    assert_exit(&soon, 10, false);
    assert_exit(&late, 11, true);
    struct run_report none = run("compute", GATED, SOON); /* nobody needs the clock */
    assert_exit(&none, 0, true);
    assert_false(none.gpu_work);
}

/* However long a client has computed before, a call gives it patience again: half of it. */
static void patience_begins_again(void **state)
{
    (void)state;
    struct run_report report = run("polls again", GATED, "clock.patience=0.3");
    assert_exit(&report, 12, true);
}

/* A thread that spins for another one's MAP is behind the patience for computing, not that for floods, 32 times that.
 */
static void who_spins_for_a_mapping_gets_on(void **state)
{
    (void)state;
    struct run_report report = run("spin", GATED, "clock.patience=0.1");
    assert_exit(&report, 0, false);
}

/* A thread that calls again and again holds up the sleep of another for much longer than the patience, not for ever. */
static void a_flood_of_calls_ends_the_gate(void **state)
{
    (void)state;
    struct run_report report = run("flood", GATED, SOON);
    assert_exit(&report, 0, false);
}

/* The machine's end is the run's: the program is asked to end, whatever the clock. */
static void the_machine_ends_the_run(void **state)
{
    static const struct {
        enum sim_result machine;
        enum run_end end;
    } ends[] = {{SIM_MAX_CYCLES, RUN_MAX_CYCLES}, {SIM_NO_PROGRESS, RUN_NO_PROGRESS}};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        fake_end = ends[i / 2].machine;
        struct run_report report = run("sleep", i & 1 ? FREE : GATED, LATE);
        fake_end = SIM_STOPPED;
        assert_int_equal(report.end, ends[i / 2].end);
        assert_int_equal(report.wait_status, SIGTERM);
    }
}

/* A queue that a program leaves behind is closed before the run is over, and the GPU is through with it. */
static void what_is_left_is_carried_out(void **state)
{
    (void)state;
    struct run_report report = run("queue", GATED, LATE);
    assert_exit(&report, 0, true);
    assert_true(report.gpu_work && report.row_count == 0);
    assert_true(space_closed && !work_left);
}

/* Nobody serves the program any more when the simulator is killed: it ends, too. */
static void no_program_outlives_the_run(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        dup2(ends[1], 2); /* of the program, which inherits it */
        close(ends[1]);
        run("stay", GATED, LATE);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    struct pollfd last = {.fd = ends[0]}; /* of those that could write */
    assert_true(poll(&last, 1, 8000) == 1 && last.revents & POLLHUP);
    close(ends[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeps_end),
        cmocka_unit_test(the_clock_has_patience),
        cmocka_unit_test(patience_begins_again),
        cmocka_unit_test(a_flood_of_calls_ends_the_gate),
        cmocka_unit_test(who_spins_for_a_mapping_gets_on),
        cmocka_unit_test(the_machine_ends_the_run),
        cmocka_unit_test(what_is_left_is_carried_out),
        cmocka_unit_test(no_program_outlives_the_run),
    };
    if (argc == 2)
        _exit(client_main(argv[1]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
