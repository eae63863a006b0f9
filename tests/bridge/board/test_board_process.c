/* SPDX-License-Identifier: Apache-2.0
 * Processes of simulated boards (board_process.h): the socket, how they end, what is left behind; and a socket as a
 * byte stream (socket.h).
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/board/board_process.h"
#include "bridge/board/socket.h"

static char why[200];

static void start(struct board_process *p, const char *script)
{
    char *words[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
    if (!board_process_start(p, words, why, sizeof why))
        fail_msg("%s", why);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool alive(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

/* It talks over its descriptor, not over this process's output, and ends when the socket is closed. */
static void test_talks(void **state)
{
    struct board_process p;
    char text[64] = "";
    (void)state;
    start(&p, "echo lost; read line <&3; echo \"$line, too\" >&3; read line <&3");
    struct board_socket s = {.fd = p.fd};
    const struct stream_port port = board_socket_port(&s);
    assert_int_equal(port.read(port.ctx, text, sizeof text, 20), 0);
    assert_int_equal(port.write(port.ctx, "one\n", 4), 4);
    assert_int_equal(port.read(port.ctx, text, sizeof text, 5000), 9);
    assert_memory_equal(text, "one, too\n", 9);
    assert_false(board_process_ended(&p, 20));
    const pid_t pid = p.pid;
    const double begin = seconds();
    board_process_finish(&p);
    assert_true(seconds() - begin < 0.9 && p.pid == 0 && p.fd == -1);
    assert_false(alive(pid));
    board_process_finish(&p); /* once more: nothing */
}

static void test_how_it_ends(void **state)
{
    static const struct {
        const char *script, *text;
    } cases[] = {{"exit 7", "its process has ended with status 7"},
                 {"kill -9 $$", "its process was ended by signal 9"},
                 {"kill -15 $$", "its process was ended by signal 15"}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct board_process p;
        char text[80];
        start(&p, cases[i].script);
        struct board_socket s = {.fd = p.fd};
        const struct stream_port port = board_socket_port(&s);
        assert_int_equal(port.read(port.ctx, text, sizeof text, 5000), -1);
        assert_string_equal(port.why(port.ctx), "the other side has closed the connection");
        assert_true(board_process_ended(&p, 5000));
        board_process_end(&p, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_true(port.write(port.ctx, "x", 1) < 0); /* and no SIGPIPE */
        board_process_finish(&p);
    }
}

/* A socket that is full takes no more, and does not wait. */
static void test_full(void **state)
{
    static char many[1 << 20];
    struct board_process p;
    size_t taken = 0;
    (void)state;
    start(&p, "exec sleep 100");
    struct board_socket s = {.fd = p.fd};
    const struct stream_port port = board_socket_port(&s);
    for (ssize_t n; (n = port.write(port.ctx, many, sizeof many)) != 0; taken += (size_t)n)
        assert_true(n > 0 && taken < sizeof many * 64);
    const double begin = seconds();
    const pid_t pid = p.pid;
    board_process_finish(&p); /* it does not look at its socket */
    assert_true(seconds() - begin < 3);
    assert_false(alive(pid));
}

/* Not at once, somebody may look at it; one that goes on runs.  The end of its use does not wait for it. */
static void test_stopped(void **state)
{
    struct board_process p;
    char text[80];
    (void)state;
    start(&p, "exec sleep 100");
    const pid_t pid = p.pid;
    for (unsigned n = 0; n < 2; n++) {
        assert_true(board_process_runs(&p));
        assert_int_equal(kill(pid, SIGSTOP), 0);
        const double begin = seconds();
        while (board_process_runs(&p) && seconds() - begin < 5)
            usleep(10000);
        assert_true(seconds() - begin > 0.25 && seconds() - begin < 1);
        board_process_end(&p, text, sizeof text);
        assert_string_equal(text, "its process is stopped");
        if (n == 0)
            assert_int_equal(kill(pid, SIGCONT), 0);
        for (unsigned i = 0; i < 300 && n == 0 && !board_process_runs(&p); i++)
            usleep(10000);
    }
    const double begin = seconds();
    board_process_finish(&p);
    assert_true(seconds() - begin < 0.5 && !alive(pid));
}

/* A socket whose other side is known not to run: a read that waits in vain tells it. */
static bool gone(void *ctx)
{
    return --*(int *)ctx > 0;
}

static void test_here(void **state)
{
    struct board_process p;
    char text[8];
    int looks = 3;
    (void)state;
    start(&p, "read line <&3; echo >&3; read line <&3");
    struct board_socket s = {.fd = p.fd, .here = gone, .ctx = &looks};
    const struct stream_port port = board_socket_port(&s);
    assert_int_equal(port.read(port.ctx, text, sizeof text, 1), 0);
    assert_int_equal(port.write(port.ctx, "\n", 1), 1);
    assert_int_equal(port.read(port.ctx, text, sizeof text, 5000), 1); /* what has come is taken without asking */
    assert_int_equal(port.read(port.ctx, text, sizeof text, 1), 0);
    assert_int_equal(port.read(port.ctx, text, sizeof text, 1), -1);
    assert_string_equal(port.why(port.ctx), "no answer any more");
    board_process_finish(&p);
}

static void test_no_program(void **state)
{
    char *words[] = {(char *)"/nowhere/board", NULL};
    struct board_process p;
    (void)state;
    assert_false(board_process_start(&p, words, why, sizeof why));
    assert_string_equal(why, "/nowhere/board: No such file or directory");
    assert_true(p.pid == 0 && p.fd == -1);
}

/* Who started it is killed: it ends, too. */
static void test_orphan(void **state)
{
    int ends[2];
    pid_t board = 0;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        struct board_process p;
        start(&p, "exec sleep 100");
        if (write(ends[1], &p.pid, sizeof p.pid) == sizeof p.pid)
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(read(ends[0], &board, sizeof board), sizeof board);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    for (unsigned i = 0; i < 500 && alive(board); i++)
        usleep(10000);
    assert_false(alive(board));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_talks),   cmocka_unit_test(test_how_it_ends), cmocka_unit_test(test_full),
        cmocka_unit_test(test_stopped), cmocka_unit_test(test_here),        cmocka_unit_test(test_no_program),
        cmocka_unit_test(test_orphan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
