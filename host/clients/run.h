/* SPDX-License-Identifier: Apache-2.0
 * `gantry run`: start a program with the shim, serve it as its kernel driver until it ends.  Not responsible for:
 * options, tables and files of the command (host/cli, host/metrics).
 */
#ifndef GANTRY_RUN_H
#define GANTRY_RUN_H
#include <stdbool.h>
#include <stdint.h>

#include "clients/preload.h"
#include "system/machine.h"

struct ledger;
struct run;

struct run_options {
    const struct gantry_cfg *cfg; /* borrowed */
    struct sim_options sim;
    char *const *argv;        /* program and arguments, NULL at the end; looked up in PATH */
    const char *shim;         /* path of libgantry_shim.so */
    const volatile int *stop; /* number of a signal that asks to end, 0 so far; may be NULL.  SIGALRM: time is over */
    void (*progress)(void *arg, struct machine *machine,
                     unsigned kernels); /* ten times a second; kernels that have ended */
    void *arg;                          /* of progress */
};

enum run_end {
    RUN_EXITED,      /* the program ended; wait_status as of waitpid */
    RUN_NOT_STARTED, /* exec failed: error = errno */
    RUN_STOPPED,     /* *stop was set; the program was killed */
    RUN_MAX_CYCLES,
    RUN_EXIT_AFTER, /* options.sim.goals: the kernel that was to be the last has ended; the program was killed */
    RUN_NO_PROGRESS,
    RUN_FAILED, /* diagnostic on stderr: exit 70 or 74 */
};

struct run_report {
    enum run_end end;
    int wait_status;
    int error;
    bool gpu_work;                   /* a queue was created */
    char out_of_reach[PRELOAD_PATH]; /* path of the first program that was started without the shim, and why; or "" */
    bool repeatable;
    uint64_t first_doorbell, last_completion; /* target cycles */
    uint64_t data_hash;
    const struct kernel_row *rows; /* owned by the run */
    unsigned row_count;
    const struct ledger *ledger; /* of pages that have moved; owned by the run */
};

/* NULL with a line on stderr. */
struct run *run_new(const struct run_options *options);
/* Serve until the program has ended.  The machine stays for counters and hashes until run_free. */
void run_program(struct run *r, struct run_report *report);
struct machine *run_machine(struct run *r);
void run_free(struct run *r);
#endif
