/* SPDX-License-Identifier: Apache-2.0
 * Which waits end by the host's clock (docs/reference/clock.md, "Several processes"; B.4).
 */
#include <linux/futex.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "clients/blocked.h"

static int never[2]; /* a pipe to which nobody writes */
static struct timespec hour = {3600, 0};
static struct timeval hour_too = {3600, 0};
static uint32_t word;
static sigset_t signals;

static void sleeps(void)
{
    nanosleep(&hour, NULL);
}
static void sleeps_by_clock(void)
{
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &hour, NULL);
}
static void polls_for_long(void)
{
    poll(NULL, 0, 3600000);
}
static void polls_for_ever(void)
{
    struct pollfd fd = {.fd = never[0], .events = POLLIN};
    poll(&fd, 1, -1);
}
static void ppolls_for_long(void)
{
    ppoll(NULL, 0, &hour, NULL);
}
static void ppolls_for_ever(void)
{
    ppoll(NULL, 0, NULL, NULL);
}
static void selects_for_long(void)
{
    syscall(SYS_select, 0, NULL, NULL, NULL, &hour_too);
}
static void pselects_for_ever(void)
{
    syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, NULL);
}
static void pselects_for_long(void)
{
    syscall(SYS_pselect6, 0, NULL, NULL, NULL, &hour, NULL);
}
static void epolls_for_long(void)
{
    struct epoll_event event;
    epoll_wait(epoll_create1(0), &event, 1, 3600000);
}
static void epolls_for_ever(void)
{
    struct epoll_event event;
    epoll_wait(epoll_create1(0), &event, 1, -1);
}
static void locks_for_long(void)
{
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &hour, NULL, 0);
}
static void locks_for_ever(void)
{
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
static void signals_for_long(void)
{
    sigtimedwait(&signals, NULL, &hour);
}
static void signals_for_ever(void)
{
    sigwaitinfo(&signals, NULL);
}
static void reads(void)
{
    char byte;
    (void)!read(never[0], &byte, 1);
}
static void computes(void)
{
    for (volatile uint64_t n = 0;; n++)
        ;
}

/* shows B.4: waits that the host's clock ends, and their like that it does not. */
static void waits_for_a_time_are_known(void **state)
{
    static const struct {
        void (*wait)(void);
        bool timed;
    } cases[] = {{sleeps, true},           {sleeps_by_clock, true},    {polls_for_long, true},
                 {polls_for_ever, false},  {ppolls_for_long, true},    {ppolls_for_ever, false},
                 {selects_for_long, true}, {pselects_for_ever, false}, {pselects_for_long, true},
                 {epolls_for_long, true},  {epolls_for_ever, false},   {locks_for_long, true},
                 {locks_for_ever, false},  {signals_for_long, true},   {signals_for_ever, false},
                 {reads, false},           {computes, false}};
    (void)state;
    sigaddset(&signals, SIGUSR1);
    assert_int_equal(pipe(never), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
            for (;;)
                cases[i].wait();
        }
        const bool running = cases[i].wait == computes;
        unsigned look = 0; /* it may still be on its way */
        while (look < 4000 && (thread_runs(pid, pid) != running || blocked_timed(pid, pid) != cases[i].timed)) {
            look++;
            usleep(2500);
        }
        usleep(cases[i].timed ? 0 : 20000);
        if (blocked_timed(pid, pid) != cases[i].timed)
            fail_msg("case %u", i);
        assert_int_equal(thread_runs(pid, pid), running);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        assert_false(thread_runs(pid, pid));
        assert_false(blocked_timed(pid, pid)); /* who has gone waits for nothing */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits_for_a_time_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
