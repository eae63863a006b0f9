/* SPDX-License-Identifier: Apache-2.0
 * The progress line: target cycle, instructions and their rate, kernels done, the kernel that runs with its work-groups
 * done of all, and when it will have ended.  On a terminal it is one line that is rewritten; elsewhere (--progress
 * always) a line a second.
 */
#ifndef GANTRY_PROGRESS_H
#define GANTRY_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct progress_state {
    uint64_t cycle, instructions;
    unsigned kernels;             /* that have ended */
    const char *kernel;           /* symbol of one that runs; "": none */
    uint64_t groups_done, groups; /* of all that run */
};

/* When it ends, in seconds from now: the kernels that run by the pace of their work-groups since they are under way
 * (`before`: `passed` seconds ago), or the run at max_cycles (0: none) if that is earlier.  Negative: nobody can tell.
 */
double progress_eta(const struct progress_state *before, const struct progress_state *now, double passed,
                    uint64_t max_cycles);
/* The line itself, without its end; rate in instructions per second; at most `width` characters (0: any). */
void progress_line(char *text, size_t room, const struct progress_state *state, double rate, double eta, int width);

/* max_cycles 0: no end. */
void progress_start(enum progress_mode mode, uint64_t max_cycles);
/* Cheap to call often: five times a second on a terminal, else once. */
bool progress_due(void);
void progress_show(const struct progress_state *state);
/* Wipe the line; no further drawing. */
void progress_end(void);
#endif
