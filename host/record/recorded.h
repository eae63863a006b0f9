/* SPDX-License-Identifier: Apache-2.0
 * A checkpoint of a recorded run: a folder with `state`, the machine at one cycle (checkpoint.h) with the place in its
 * recording, and `recording`, which holds the input from there on.  Host memory is not in it: the recording answers.
 * The folder gets its name when it is whole: one of this name is never half a checkpoint.
 * Not responsible for: when one is made (goals.h), how the run goes on (replay.h).
 */
#ifndef GANTRY_RECORDED_H
#define GANTRY_RECORDED_H
#include <stdint.h>

#include "base/status.h"
#include "saved/journal.h"

#define CHECKPOINT_STATE "state"
#define RECORDED_GPUS 64u

struct shadow;
struct sim;

/* A place in a recording: what had entered and left the machine by then. */
struct recorded {
    unsigned gpus;
    uint64_t kernels;             /* that have ended: rows of the kernel table */
    struct journal_place journal; /* the file holds at least this */
    uint64_t host;                /* bytes of the host's stream, whole records */
    /* Bytes of the streams of host memory, whole messages: of each GPU, then of the host's own port. */
    uint64_t memory[RECORDED_GPUS + 1];
    struct shadow **shadows; /* copies of VRAM that the GPUs read, by GPU; NULL: they read VRAM.  Borrowed */
};

/* Make folder `dir`.  recording: path of the recording's file, which becomes part of the folder: a second name of it,
 * or where file systems have none of that a symbolic link.  Failures as in sim_save; nothing is left of the folder. */
enum gantry_status recorded_save(struct sim *sim, const struct recorded *place, const char *recording, const char *dir);
/* Into a machine in which nothing has happened, with its memory.  `go` brings its host to *place, when all else is
 * restored: NULL, or why it cannot.  Failures as in sim_restore. */
typedef const char *(*recorded_go)(void *ctx, const struct recorded *place);
enum gantry_status recorded_restore(struct sim *sim, const char *dir, recorded_go go, void *ctx);
#endif
