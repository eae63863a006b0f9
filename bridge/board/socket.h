/* SPDX-License-Identifier: Apache-2.0
 * A socket as the byte stream of a board (bridge/stream/stream.h), for boards that another program plays.  Not
 * responsible for: who connects it.
 */
#ifndef GANTRY_BOARD_SOCKET_H
#define GANTRY_BOARD_SOCKET_H
#include "bridge/stream/stream.h"

struct board_socket {
    int fd; /* connected, of kind SOCK_STREAM; borrowed */
    /* Asked whenever a read has waited for nothing: false ends the use of the socket.  NULL: nobody knows. */
    bool (*here)(void *ctx);
    void *ctx;
    char why[128];
};

/* Good as long as *socket. */
struct stream_port board_socket_port(struct board_socket *socket);
#endif
