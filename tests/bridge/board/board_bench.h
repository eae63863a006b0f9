/* SPDX-License-Identifier: Apache-2.0
 * For tests: a board (bridge/board/board.h) whose other side is a process of its own, which plays it with the toy model
 * (soft_board.h).
 */
#ifndef TESTS_BRIDGE_BOARD_BOARD_BENCH_H
#define TESTS_BRIDGE_BOARD_BOARD_BENCH_H
#include <sys/socket.h>
#include <sys/wait.h>

#include "bridge/board/board.h"
#include "bridge/board/socket.h"
#include "soft_board.h"
#include "toy_model.h"

static const struct stream_hello wanted = {.version = STREAM_VERSION,
                                           .kind = 0x796f74, /* "toy" */
                                           .rtl = 0x1111,
                                           .keys = 0x2222,
                                           .graph = 0x3333,
                                           .links = 0x4444};
struct bench {
    pid_t pid;
    struct board_socket socket;
    struct stream_port port;
    struct board *board;
    const struct model_api *api;
    unsigned lost;
};
static inline void lost_note(void *ctx)
{
    ((struct bench *)ctx)->lost++;
}
static inline void bench_open(struct bench *b, const struct stream_hello *hello, enum soft_fault fault,
                              uint64_t fault_at)
{
    int ends[2];
    memset(b, 0, sizeof *b);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    b->pid = fork();
    if (b->pid == 0) {
        struct board_socket socket = {.fd = ends[1]};
        close(ends[0]);
        alarm(60);
        const struct stream_port port = board_socket_port(&socket);
        soft_serve(&plain, &port, hello, fault, fault_at);
        _exit(0);
    }
    close(ends[1]);
    b->socket.fd = ends[0];
    b->port = board_socket_port(&b->socket);
    b->board = board_new("gpu0.toy", &plain, &wanted, &b->port, lost_note, b);
    b->api = board_api(b->board);
}
static inline void bench_close(struct bench *b)
{
    board_free(b->board);
    close(b->socket.fd);
    kill(b->pid, SIGKILL);
    assert_int_equal(waitpid(b->pid, NULL, 0), b->pid);
}

static inline void assert_why(const struct bench *b, const char *text)
{
    if (!board_why(b->board) || strcmp(board_why(b->board), text) != 0)
        fail_msg("\"%s\" instead of \"%s\"", board_why(b->board), text);
}
#endif
