/* SPDX-License-Identifier: Apache-2.0
 * Questions from the process that started a run to a worker of it, beside the links, while target time stands still: a
 * head with numbers, bytes, maybe a file descriptor, over a stream socket.  Both ends are of one version (workers.h).
 * Responsible for: whole messages, waiting for them.  Not responsible for: what they mean, waking the worker
 * (region_ask).
 */
#ifndef GANTRY_ASK_H
#define GANTRY_ASK_H
#include <stdbool.h>
#include <stdint.h>

#define ASK_LOOK_MS 100

struct ask {
    uint32_t kind, memory;
    uint64_t a, b;
    uint64_t bytes; /* behind the head */
};

/* data: ask->bytes of them; fd: goes with it, -1: none.  False when the other end is closed or keeps what it is sent
 * until the answer to `wait` is false; that is asked each ASK_LOOK_MS; NULL: waits as long as it takes. */
bool ask_send(int socket, const struct ask *ask, const void *data, int fd, bool (*wait)(void *ctx), void *ctx);
/* *data: a new buffer of ask->bytes and a 0 behind them, the caller's; *fd: -1 without one, the caller's. */
bool ask_receive(int socket, struct ask *ask, void **data, int *fd, bool (*wait)(void *ctx), void *ctx);
#endif
