/* SPDX-License-Identifier: Apache-2.0
 * For tests: a region whose other processes are processes.
 */
#ifndef TESTS_BRIDGE_LINK_PEERS_BENCH_H
#define TESTS_BRIDGE_LINK_PEERS_BENCH_H
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"

static const char *const PROCESSES[] = {"host", "left", "right"};
static const struct region_link LINKS[] = {{"left:0 -> host:0", 8, 10, 4, 1, 0},
                                           {"left:1 -> host:1", 8, 30, 4, 1, 0},
                                           {"right:0 -> host:2", 8, 20, 4, 2, 0},
                                           {"host:0 -> left:0", 8, 10, 4, 0, 1}};
enum { IN = 3 };

static inline int region_make(void)
{
    struct region_plan plan = {PROCESSES, 3, LINKS, 4, REGION_NONE};
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    return fd;
}

static inline struct region *join(int fd, uint32_t self)
{
    struct hello hello = hello_make("r", "g", "c", 1);
    struct region *r = region_open(fd, self, &hello, 1);
    assert_non_null(r);
    return r;
}

/* A process that joins as `self` and then waits for a signal, or leaves at once. */
static inline pid_t process(int fd, uint32_t self, bool leaves)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        struct region *r = join(fd, self);
        peers_beat(r, 100 * self);
        if (leaves) {
            region_close(r);
            _exit(0);
        }
        for (;;)
            pause();
    }
    return pid;
}

static inline void links_open(struct region *r, struct link *links, struct link **in)
{
    for (unsigned i = 0; i < IN; i++) {
        link_init(&links[i], &transport_shm, LINKS[i].name, false, 8, LINKS[i].latency, 4);
        assert_true(links[i].transport->open(&links[i], r));
        in[i] = &links[i];
    }
}

static inline void links_close(struct link *links)
{
    for (unsigned i = 0; i < IN; i++)
        links[i].transport->close(&links[i]);
}

static inline void end_of(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static inline unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}
#endif
