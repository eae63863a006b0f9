/* SPDX-License-Identifier: Apache-2.0
 * `gantry replay`: the RTL of a recorded run (record.h) without program, driver and firmware.  What entered it enters
 * again at the same cycles; what leaves it is held against the recording, message by message.
 * Not responsible for: the recording's file (saved/journal.h), tables and options of the command (host/cli).
 */
#ifndef GANTRY_REPLAY_H
#define GANTRY_REPLAY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "record/record.h"

struct gantry_cfg;
struct replay;
struct sim;
struct sim_options;

/* Read and check the recording in folder dir.  NULL with one line and the class in *failure. */
struct replay *replay_open(const char *dir, enum gantry_status *failure);
void replay_free(struct replay *r);
/* The first text of that kind, ended by a zero byte behind its *bytes; NULL: none. */
const void *replay_text(const struct replay *r, enum record_text what, uint32_t *bytes);
/* Which of the partitions kept has that name; -1: none. */
int replay_part(const struct replay *r, const char *name);
/* The recorded run came to its end and nothing of it is missing. */
bool replay_whole(const struct replay *r);

/* Make the machine of the whole, or of one GPU (options->only).  False with one line. */
bool replay_start(struct replay *r, const struct gantry_cfg *cfg, const struct sim_options *options);
/* Then, instead of the beginning: the checkpoint in folder dir (recorded.h), of this recording. */
enum gantry_status replay_restore(struct replay *r, const char *dir);
/* Kernels that have ended so far. */
uint64_t replay_kernels(const struct replay *r);
struct sim *replay_sim(const struct replay *r);

enum replay_end {
    REPLAY_ENDED,   /* at the end of the recording, and everything was as recorded */
    REPLAY_DIFFERS, /* one line was printed: the first message that differs */
    REPLAY_STOPPED, /* *stop was set */
    REPLAY_MAX_CYCLES,
    REPLAY_EXIT_AFTER, /* goals.h */
    REPLAY_FAILED,     /* one line was printed: it could not be started, or a worker process is lost */
};
/* Run to the end of the recording; progress is called now and then and may be NULL. */
enum replay_end replay_run(struct replay *r, const volatile int *stop, void (*progress)(void *arg), void *arg);

/* One partition alone, `part` of replay_part, from the messages kept of it.  wave: SCOPE[@FROM:TO] or NULL. */
enum replay_end replay_run_part(struct replay *r, int part, const struct gantry_cfg *cfg,
                                const struct sim_options *options, const volatile int *stop, uint64_t *messages);
#endif
