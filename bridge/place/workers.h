/* SPDX-License-Identifier: Apache-2.0
 * Worker processes of a run: copies of this process (fork), so of the same version and with what it had loaded.  They
 * end with it, and nothing of them stays.  Number 0 is this process, workers are 1 to count. Responsible for: starting,
 * what a worker inherits and how it dies, waiting for its end.  Not responsible for: what it does, noticing its end
 * during the run (bridge/link/peers.h).
 */
#ifndef GANTRY_WORKERS_H
#define GANTRY_WORKERS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WORKERS_DYING_S 3 /* that a worker has to end by itself when the process that started it has gone */

struct worker {
    pid_t pid;  /* 0: not started, or reaped */
    int pidfd;  /* readable when it has ended; -1: none */
    int socket; /* to it; -1: none */
    int status; /* exit status when reaped: 128 + N when signal N ended it */
};
struct workers {
    uint32_t count;
    struct worker list[];
};
/* Runs in the worker; what it returns is the worker's exit status.  socket: to the process that started it. */
typedef int (*worker_fn)(void *ctx, uint32_t self, int socket);

/* Starts `count` workers.  This process must have one thread.  A worker ignores what a terminal sends, holds none of
 * the sockets and pipes of this process but standard input, output and error, and leaves no handler to be run by exit.
 * NULL after one line. */
struct workers *workers_start(uint32_t count, worker_fn fn, void *ctx);
/* Waits until all have ended, or kills those that are left after `seconds`, and frees. */
void workers_finish(struct workers *workers, unsigned seconds);
/* Worker `self` has ended, now or within `milliseconds`: its status is then known. */
bool workers_ended(struct workers *workers, uint32_t self, int milliseconds);
#endif
