/* SPDX-License-Identifier: Apache-2.0
 * A run on a system that refuses a call: what is still done, and what is told (S0.7).  The program is this binary with
 * an argument; it leaves a queue behind.
 */
#include "refuse.h"
#include "run_bench.h"

#include <fcntl.h>
#include <pthread.h>

#include "clients/janitor.h"

static void no_personality(void)
{
    refuse(SYS_personality, EPERM, SPARE_NONE);
}

static void no_new_personality(void)
{
    refuse(SYS_personality, EPERM, UINT32_MAX);
}

static void no_pipe(void)
{
    refuse(SYS_pipe2, EMFILE, SPARE_NONE);
}

static void no_pidfd(void)
{
    refuse(SYS_pidfd_open, ENOSYS, SPARE_NONE);
}

/* Where addresses stay random a run cannot be repeated; without processes or pipes there is none, and it is told why;
 * without descriptors of processes their end is noticed all the same. */
static void systems_that_refuse(void **state)
{
    static const struct {
        void (*before)(void);
        enum run_end end;
        int error;
        bool repeatable;
    } cases[] = {{NULL, RUN_EXITED, 0, true},
                 {no_personality, RUN_EXITED, 0, false},
                 {no_new_personality, RUN_EXITED, 0, false},
                 {refuse_fork, RUN_NOT_STARTED, EAGAIN, false},
                 {no_pipe, RUN_NOT_STARTED, EMFILE, false},
                 {no_pidfd, RUN_EXITED, 0, true}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0) { /* what is refused remains so */
            alarm(30);
            before_program = cases[i].before;
            struct run_report report = run("queue", GATED, LATE);
            bool good = report.end == cases[i].end && report.error == cases[i].error &&
                        report.repeatable == cases[i].repeatable;
            good = good && (report.end != RUN_EXITED || (report.wait_status == 5 << 8 && space_closed && !work_left));
            _exit(good ? 0 : 1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

static bool stops_at_once;
static void child_begins(void)
{
    if (stops_at_once)
        raise(SIGSTOP);
}

static void stop_note(int number)
{
    stop = number;
}

static void child_stops(void)
{
    stops_at_once = true;
    signal(SIGALRM, stop_note);
    alarm(1);
}

/* A child that is stopped before it has become the program is waited for until nobody waits any more; then it is
 * ended. */
static void program_that_does_not_begin(void **state)
{
    int status = 0;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        const time_t begin = time(NULL);
        pthread_atfork(NULL, NULL, child_begins);
        before_program = child_stops;
        struct run_report report = run("queue", GATED, LATE);
        bool good = report.end == RUN_STOPPED && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
        _exit(good && time(NULL) - begin < 8 ? 0 : 1);
    }
    for (unsigned n = 0; n < 200 && waitpid(pid, &status, WNOHANG) != pid; n++) {
        usleep(50000);
        status = -1;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(status, 0);
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* A folder that nobody would remove is not left. */
static void folders_need_a_janitor(void **state)
{
    int status = 0;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct janitor j = {.root = ""};
        const unsigned before = descriptors();
        refuse_fork();
        bool good = janitor_start(&j) == -1 && errno == EAGAIN && descriptors() == before;
        _exit(good && *j.root == '/' && access(j.root, F_OK) < 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(systems_that_refuse),
                                       cmocka_unit_test(program_that_does_not_begin),
                                       cmocka_unit_test(folders_need_a_janitor)};
    if (argc != 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    int life = client_connect(), fd = client_connect();
    ask(life, REQ_HELLO, 0, NULL);
    ask(fd, REQ_OPEN_KFD, 0, NULL);
    queue_make(fd);
    return strcmp(argv[1], "queue") == 0 ? 5 : 1;
}
