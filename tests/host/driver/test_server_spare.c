/* SPDX-License-Identifier: Apache-2.0
 * The descriptor that the driver's socket keeps for telling others that there is none (S0.10).
 */
#include "server_bench.h"

#include <sys/resource.h>

/* A connection takes the last descriptor, and there was none to spare: it is refused, and what it gives back is spared.
 */
static void the_last_descriptor_is_spared(void **state)
{
    struct bench *b = *state;
    struct rlimit files, few;
    getrlimit(RLIMIT_NOFILE, &files);
    close(b->d->spare_fd);
    b->d->spare_fd = -1;
    int last = dup(0);
    close(last);
    pid_t pid = fork();
    if (pid == 0)
        _exit(say(client_connect(b), REQ_HELLO));
    few = (struct rlimit){(rlim_t)last + 1, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    int status = serve(b, pid);
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(status, REFUSED + EMFILE);
    assert_int_equal(b->d->spare_fd, last);
    assert_int_equal(fcntl(last, F_GETFD), FD_CLOEXEC);
    assert_null(b->d->conns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SERVED(the_last_descriptor_is_spared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
