/* SPDX-License-Identifier: Apache-2.0
 * Replays from their opening to their figures, held against what the recording's end holds: for gantry_replay and the
 * commands `gantry replay` and `gantry restore`, which are clients of it.  Not responsible for: messages, which are
 * compared as they come (host/record/replay.h), tables and lines of a success (host/cli).
 */
#ifndef GANTRY_LIB_REPLAYS_H
#define GANTRY_LIB_REPLAYS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "record/replay.h"

struct config;
struct kernel_row;
struct summary;

/* Change RECORD_VERSION with it, or with struct kernel_row: RECORD_RESULT of a recording. */
struct replay_result {
    uint64_t cycles, hash, data, counters;
    uint32_t row_bytes, row_count;
    uint8_t complete, repeatable, lockstep, zero[5];
};

/* A replay may set this KEY=VALUE; else one line. */
bool replay_may_set(const char *setting);
/* Open the recording in folder dir and take its configuration, where everything runs in this process, and then the
 * `count` settings.  config is at its defaults, and not finished; its file is `dir`, borrowed.  One line on failure;
 * *replay may be there then, too. */
enum gantry_status replay_config(const char *dir, const char *const *settings, size_t count, bool lockstep,
                                 struct config *config, struct replay **replay);
/* Counters may be compared: those of lock step are among them.  part: the replay began at a checkpoint. */
bool replay_counters_comparable(const struct summary *recorded, bool lockstep, bool part);

/* ---- a replay of a machine, or of one GPU of it (options->only) */
struct replaying {
    struct replay *replay; /* of replay_config, as the rest borrowed */
    const struct gantry_cfg *cfg;
    const struct sim_options *options; /* with `failure` */
    const char *from;                  /* folder of the checkpoint at which it begins; NULL: at the beginning */
    uint64_t before;                   /* found by replaying_begin: kernels that had ended by then */
    enum replay_end end;               /* found by replaying_run */
    bool matches;                      /* found by replaying_end: nothing differs, and all that is recorded was there */
    struct kernel_row *rows;           /* of the summary; freed by replaying_fini */
};
/* Make the machine and bring it to where it begins.  One line on failure; when options->unwanted has said so none. */
enum gantry_status replaying_begin(struct replaying *r);
/* Run it, as replay_run. */
void replaying_run(struct replaying *r, const volatile int *stop, void (*progress)(void *arg), void *arg);
/* How it has ended, with its line, and the figures of the end against those recorded.  Into *summary, which is empty,
 * what only the recorded run could know: kernel table (of its GPU), cycles, data.  enum gantry_result; of
 * GANTRY_STOPPED no line. */
int replaying_end(struct replaying *r, struct summary *summary);
void replaying_fini(struct replaying *r);
/* The same of an end alone: also of a replay of one partition. */
int replay_outcome(enum replay_end end, const struct sim_options *options);
#endif
