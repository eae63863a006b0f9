/* SPDX-License-Identifier: Apache-2.0
 * Replays: what a recording's end holds, and the figures of a replay held against it; for gantry_replay and the
 * commands `gantry replay` and `gantry restore`.  Not responsible for: messages, which are compared as they come
 * (host/machine/replay.h).
 */
#ifndef GANTRY_LIB_REPLAYS_H
#define GANTRY_LIB_REPLAYS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct config;
struct kernel_row;
struct replay;
struct sim;
struct summary;

/* Change RECORD_VERSION with it, or with struct kernel_row: RECORD_RESULT of a recording. */
struct replay_result {
    uint64_t cycles, hash, data, counters;
    uint32_t row_bytes, row_count;
    uint8_t complete, repeatable, lockstep, zero[5];
};

/* A replay may set this KEY=VALUE; else one line. */
bool replay_may_set(const char *setting);
/* Open the recording in folder dir and take its configuration, where everything runs in this process.  config is at its
 * defaults; its file is `dir`, borrowed.  One line on failure; *replay may be there then, too. */
enum gantry_status replay_config(const char *dir, struct config *config, struct replay **replay);
/* Fill in what only the recorded run could know: kernel table, its cycles, data.  The rows, new; NULL: it was cut off
 * before, or is damaged. */
struct kernel_row *replay_recorded(const struct replay *replay, struct summary *summary);
/* Counters may be compared: those of lock step are among them.  part: the replay began at a checkpoint. */
bool replay_counters_comparable(const struct summary *recorded, bool lockstep, bool part);
/* The figures of the end against those recorded; false with one line. */
bool replay_compare(const struct summary *recorded, struct sim *sim, bool lockstep, bool part);
#endif
