/* SPDX-License-Identifier: Apache-2.0
 * The progress line: target cycle, instructions and their rate, kernels done, time left under --max-cycles.
 * On a terminal it is one line that is rewritten; elsewhere (--progress always) a line a second.
 */
#ifndef GANTRY_PROGRESS_H
#define GANTRY_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* max_cycles 0: no ETA. */
void progress_start(enum progress_mode mode, uint64_t max_cycles);
/* Cheap to call often; draws at most five times a second. */
void progress_show(uint64_t cycle, uint64_t instructions, unsigned kernels);
/* Wipe the line; no further drawing. */
void progress_end(void);
#endif
