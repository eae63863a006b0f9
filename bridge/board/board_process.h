/* SPDX-License-Identifier: Apache-2.0
 * The process of a simulated board: a program at the other end of a socket, which ends with whoever started it.  Not
 * responsible for: which program, what is said over the socket.
 */
#ifndef GANTRY_BOARD_PROCESS_H
#define GANTRY_BOARD_PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct board_process {
    pid_t pid;                /* 0: there is none */
    int fd;                   /* this side of the socket; -1: closed */
    int status;               /* of its end (wait.h); -1: it has not ended */
    uint64_t looked, stopped; /* ms: the last look whether it runs; since when it is stopped, 0: it is not */
};

/* Start `words` (NULL at the end), which finds its end of the socket as descriptor BOARD_PROCESS_FD.  A signal from a
 * terminal does not reach it.  False with the cause in why. */
bool board_process_start(struct board_process *process, char *const *words, char *why, size_t room);
#define BOARD_PROCESS_FD 3
/* It has ended; waits for that up to ms. */
bool board_process_ended(struct board_process *process, unsigned ms);
/* It has neither ended nor been stopped for 0.3 s.  Whoever waits for it asks often: one look each 0.1 s at most. */
bool board_process_runs(struct board_process *process);
/* How it has ended, or that it is stopped, in words. */
void board_process_end(const struct board_process *process, char *text, size_t room);
/* Close the socket, by which it ends; what is stopped, or has not ended after 1 s, is
 * killed.  It is reaped when this returns. */
void board_process_finish(struct board_process *process);
#endif
