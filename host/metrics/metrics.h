/* SPDX-License-Identifier: Apache-2.0
 * What a run leaves: the kernel table and the final line on stderr, and the result folder (run.json, metrics.sqlite,
 * kernels.csv, log.txt).  Formats are fixed by docs/reference/cli.md.
 * Not responsible for: counting (bridge, rtl, firmware) and the progress line (progress.h).
 */
#ifndef GANTRY_METRICS_H
#define GANTRY_METRICS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "firmware/cp.h"

struct gantry_cfg;
struct ledger;
struct sim;

/* A finished run; every pointer is borrowed. */
struct summary {
    const char *const *argv; /* the command as typed, NULL at the end */
    const struct gantry_cfg *cfg;
    const char *model; /* "rtl" or "golden" */
    const struct kernel_row *rows;
    unsigned row_count;
    unsigned rows_before; /* of these, kernels that had ended before this part of the run: in the figures alone */
    const struct ledger *ledger; /* pages that have moved (migrate/ledger.h); NULL: none */
    uint64_t cycles;             /* first doorbell to last completion; 0 without a clock */
    uint64_t instructions;
    double cpu_s; /* of this process */
    bool repeatable;
    bool lockstep;
    uint64_t compared; /* instructions compared in lock step */
    uint64_t hash;
    uint64_t data;
    uint64_t counters; /* hash over all counters */
    uint64_t now;      /* target cycle of the end; 0 without a clock */
    int exit_status;
    bool complete; /* it came to its own end: not stopped by a signal, a limit or the watchdog */
};

/* Kernels that have ended. */
unsigned summary_kernels(const struct summary *summary);
/* XXH64 over the rows of kernels that have ended and the stream of GPU writes; sim may be NULL (nothing ran). */
uint64_t summary_hash(const struct kernel_row *rows, unsigned count, struct sim *sim);
/* XXH64 over location, name and value of all counters; sim may be NULL. */
uint64_t summary_counters(struct sim *sim);

/* Cycles and wavefront instructions per cycle of a row; 0 while it is unfinished, and without a clock. */
static inline uint64_t row_cycles(const struct kernel_row *row)
{
    return !row->untimed && row->end > row->start ? row->end - row->start : 0;
}
static inline double row_ipc(const struct kernel_row *row)
{
    return row_cycles(row) ? (double)row->instructions / (double)row_cycles(row) : 0.0;
}

/* CPU seconds of this process so far. */
double cpu_seconds(void);

/* The kernel table, with a head; nothing for no kernels.  Launches of one kernel with one shape on one queue are one
 * line, copies and fills come last.  No line is longer than `width` characters as far as names can be shortened and
 * columns left out; 0: as wide as it gets. */
void table_print(FILE *out, const struct kernel_row *rows, unsigned count, int width);
/* Under the table a line for each partition on a board: where, exchanges, bytes each way, frames sent again, cycles of
 * the target and how many a second. */
void boards_print(FILE *out, struct sim *sim);
/* `gantry: gpus=... data=...` */
void line_print(FILE *out, const struct summary *summary);

/* ---- result folder */
struct results;
/* Make the folder and begin the log, and see that there is room for the rest, so that a lack of space or rights shows
 * before the run.  What the folder holds stays until results_write.  STATUS_IO with one line. */
enum gantry_status results_open(const char *dir, struct results **out);
FILE *results_log(struct results *results);
const char *results_dir(const struct results *results);
/* Write run.json, metrics.sqlite, kernels.csv, which then take the place of those of a run before; sim may be NULL.
 * The first failure is printed, and the old ones stay. */
enum gantry_status results_write(struct results *results, const struct summary *summary, struct sim *sim);
/* Close the log, which becomes log.txt; STATUS_IO when a line of it was lost.  Without a results_write nothing is left
 * of it, nor of a folder that was made.  NULL is allowed. */
enum gantry_status results_close(struct results *results);
#endif
