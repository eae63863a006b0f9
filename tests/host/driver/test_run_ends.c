/* SPDX-License-Identifier: Apache-2.0
 * How a run ends and what is then told of it: stopped, without a machine, with work left (docs/reference/clock.md). The
 * program is this binary with an argument.
 */
#include "run_bench.h"

#include "clock/time_slice.h"

#include <sys/prctl.h>

#define LONG_CYCLES 1000000000u
#define LATE_CYCLES 100000000u /* no slice of a run's first turns reaches so far */

/* ---- the program */

static void stays(void)
{
    alarm(20);
    for (;;)
        pause();
}

/* Polls for a while: 7 when it was answered about once a millisecond at most. */
static int polls(int fd)
{
    const struct shim_request r = {.op = REQ_PARK, .tid = getpid(), .arg = PARK_YIELD};
    struct shim_answer answer;
    struct timespec begin, now;
    long ms = 0, looks = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (; ms < 200 || looks < 12; looks++) {
        if (send(fd, &r, sizeof r, 0) < 0 || recv(fd, &answer, sizeof answer, 0) <= 0)
            _exit(97);
        clock_gettime(CLOCK_MONOTONIC, &now);
        ms = (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
    }
    return looks < ms + 30 ? 7 : 8;
}

static int client_main(const char *what)
{
    int life = client_connect(), fd = client_connect();
    ask(life, REQ_HELLO, 0, NULL);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    if (strcmp(what, "early") == 0) {
        kill(getppid(), SIGALRM);
        stays();
    }
    if (strcmp(what, "family") == 0) {
        const pid_t run = getppid();
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            ask(client_connect(), REQ_HELLO, 0, NULL);
            kill(run, SIGUSR1); /* it is there */
            kill(run, SIGINT);
        }
        stays();
    }
    if (strcmp(what, "told") == 0)
        kill(getppid(), SIGUSR1);
    queue_make(fd);
    if (strcmp(what, "polls") == 0)
        return polls(fd);
    if (strcmp(what, "queue") == 0)
        return 5;
    if (strcmp(what, "alarm") == 0 || strcmp(what, "interrupt") == 0) {
        kill(getppid(), strcmp(what, "alarm") ? SIGINT : SIGALRM);
        stays();
    }
    _exit(98);
}

/* ---- the run */

static pid_t program; /* or child of it, that has told who it is */

static void told(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    program = info->si_pid;
}

static void stop_now(int number)
{
    stop = number;
}

static int ends_setup(void **state)
{
    (void)state;
    stop = 0;
    fake_wheres = 0;
    signal(SIGALRM, stop_now), signal(SIGINT, stop_now);
    return sigaction(SIGUSR1, &(struct sigaction){.sa_sigaction = told, .sa_flags = SA_SIGINFO}, NULL);
}

static int ends_teardown(void **state)
{
    (void)state;
    signal(SIGALRM, SIG_DFL), signal(SIGINT, SIG_DFL), signal(SIGUSR1, SIG_DFL);
    stop = 0;
    fake_launch = NULL, fake_start = NULL, fake_run = NULL, before_program = NULL;
    fake_end = SIM_STOPPED;
    fake_cache_cycles = 50;
    return 0;
}

/* When time is over, and only then, it is told where wavefronts are, if there are any. */
static void stops_tell_where_it_was(void **state)
{
    static const struct {
        const char *what;
        unsigned wheres;
    } cases[] = {{"alarm", 1}, {"interrupt", 0}, {"early", 0}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        stop = 0, fake_wheres = 0;
        struct run_report report = run(cases[i].what, GATED, LATE);
        assert_int_equal(report.end, RUN_STOPPED);
        assert_int_equal(report.wait_status, SIGTERM);
        assert_int_equal(fake_wheres, cases[i].wheres);
    }
}

/* Other clients of a run that is stopped are ended as well, also those that do not care to be asked. */
static void clients_do_not_survive_a_stop(void **state)
{
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, true);
    program = 0;
    struct run_report report = run("family", GATED, LATE);
    assert_int_equal(report.end, RUN_STOPPED);
    assert_int_equal(report.wait_status, SIGTERM);
    assert_true(program > 0);
    for (unsigned look = 0; look < 1000 && kill(program, 0) == 0; look++, usleep(5000))
        waitpid(program, NULL, WNOHANG); /* unless the run has done that */
    assert_int_equal(kill(program, 0), -1);
}

/* Threads that poll for what never comes do not keep the host busy. */
static void polling_for_nothing_is_slow(void **state)
{
    (void)state;
    const double begin = host_seconds();
    notes = 0;
    struct run_report report = run("polls", GATED, LATE);
    assert_exit(&report, 7, true);
    assert_true(notes >= 2 && notes <= 10 * (host_seconds() - begin) + 1); /* progress is shown ten times a second */
}

static bool begun_wanted, then_unwanted; /* what the run said to who was about to build models */

static bool broken(const struct sim_options *options)
{
    begun_wanted = !options->unwanted(options->unwanted_arg);
    return false;
}

static bool stopped_meanwhile(const struct sim_options *options)
{
    begun_wanted = !options->unwanted(options->unwanted_arg);
    stop = SIGINT;
    then_unwanted = options->unwanted(options->unwanted_arg);
    return false;
}

static bool killed_meanwhile(const struct sim_options *options)
{
    begun_wanted = !options->unwanted(options->unwanted_arg);
    kill(program, SIGKILL);
    for (unsigned look = 0; look < 2000 && !then_unwanted; look++, usleep(5000))
        then_unwanted = options->unwanted(options->unwanted_arg);
    return false;
}

/* A machine that cannot be had is a failure of the run, unless nobody waits for it any more: the program has ended, or
 * is asked to. */
static void machines_that_cannot_be_had(void **state)
{
    static const struct {
        bool (*start)(const struct sim_options *);
        enum run_end end;
        bool unwanted;
    } cases[] = {
        {broken, RUN_FAILED, false}, {stopped_meanwhile, RUN_STOPPED, true}, {killed_meanwhile, RUN_EXITED, true}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        stop = 0, program = 0;
        begun_wanted = then_unwanted = false;
        fake_start = cases[i].start;
        struct run_report report = run("told", GATED, LATE);
        assert_int_equal(report.end, cases[i].end);
        assert_true(begun_wanted && then_unwanted == cases[i].unwanted);
        assert_true(report.end != RUN_EXITED || report.wait_status == SIGKILL);
        assert_false(report.gpu_work);
    }
}

static enum sim_result late_end;
static int late_stop;

static void late(struct sim *sim, uint64_t until)
{
    (void)sim;
    if (until > LATE_CYCLES)
        fake_end = late_end, stop = late_stop;
}

/* What a program leaves behind is carried out, unless the machine comes to an end with it or the user has enough. */
static void what_is_left_may_end_otherwise(void **state)
{
    static const struct {
        enum sim_result machine;
        int stop;
        enum run_end end;
    } cases[] = {{SIM_STOPPED, 0, RUN_EXITED},
                 {SIM_MAX_CYCLES, 0, RUN_MAX_CYCLES},
                 {SIM_NO_PROGRESS, 0, RUN_NO_PROGRESS},
                 {SIM_STOPPED, SIGINT, RUN_STOPPED}};
    (void)state;
    fake_cache_cycles = LONG_CYCLES;
    fake_run = late;
    for (unsigned i = 0; i < 4; i++) {
        late_end = cases[i].machine, late_stop = cases[i].stop;
        struct run_report report = run("queue", GATED, LATE);
        fake_end = SIM_STOPPED, stop = 0;
        assert_int_equal(report.end, cases[i].end);
        assert_int_equal(report.wait_status, 5 << 8); /* it was not stopped */
        assert_int_equal(work_left, i > 0);
    }
}

#define ENDS(f) cmocka_unit_test_setup_teardown(f, ends_setup, ends_teardown)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        ENDS(stops_tell_where_it_was),     ENDS(clients_do_not_survive_a_stop),  ENDS(polling_for_nothing_is_slow),
        ENDS(machines_that_cannot_be_had), ENDS(what_is_left_may_end_otherwise),
    };
    if (argc == 2)
        _exit(client_main(argv[1]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
