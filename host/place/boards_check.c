/* SPDX-License-Identifier: Apache-2.0
 * What boards cannot do; contract in boards_check.h.
 */
#include "place/boards_check.h"

#include <stdlib.h>

#include "base/log.h"
#include "config/on_boards.h"
#include "gantry_cfg.h"
#include "machine/goals.h"
#include "machine/sim.h"
#include "observe/wave.h"
#include "target/rtl_kinds.h"

/* The way round for whatever looks into a partition. */
#define REPLAYED "record the run with --record, and replay it in simulation"

/* What is asked of the whole run. */
static enum gantry_status run_check(const struct gantry_cfg *cfg, const struct sim_options *o, const char *part)
{
    if (o->model == SIM_GOLDEN) {
        diag("place.boards", "the golden model has no partitions: %s stays in RTL", part);
        return STATUS_USAGE;
    }
    if (o->goals && o->goals->checkpoint) {
        diag("--checkpoint", "%s is on a board, whose state nobody can save: " REPLAYED " with --checkpoint", part);
        return STATUS_USAGE;
    }
    if (cfg->metrics_kernels) {
        diag("metrics.kernels",
             "%s is on a board, whose counters are read at the end only: " REPLAYED " with --set metrics.kernels=on",
             part);
        return STATUS_CONFIG;
    }
    if (getenv("GANTRY_MODEL_STD_X")) {
        diag("GANTRY_MODEL_STD_X", "%s is on a board, whose registers begin as they are", part);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* What is asked of one partition. */
static enum gantry_status part_check(const struct gantry_cfg *cfg, const struct sim_options *o, const char *part)
{
    struct rtl_place place;
    struct wave wave = {.scope = ""};
    if (!rtl_kind_find(cfg, part, &place)) {
        diag("place.boards", "no partition of the machine is called '%s'%s", part,
             cfg->system_rtl == CFG_SYSTEM_RTL_WHOLE ? " (system.rtl is whole: each GPU is one)" : "");
        return STATUS_CONFIG;
    }
    if (o->lockstep && (place.kind == KIND_CU || place.kind == KIND_L2)) {
        diag("--lockstep", "%s is on a board, into which nobody looks: " REPLAYED " with --lockstep", part);
        return STATUS_USAGE;
    }
    if (o->wave && !wave_parse(&wave, o->wave))
        return STATUS_USAGE;
    if (wave_wants(&wave, part)) {
        diag("--wave", "%s is on a board, which has no waves: " REPLAYED " with --wave", part);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum gantry_status boards_check(const struct gantry_cfg *cfg, const struct sim_options *options)
{
    struct on_boards boards;
    char why[300];
    enum gantry_status status = STATUS_OK;
    if (!on_boards_read(cfg, &boards, why, sizeof why)) {
        diag("place.boards", "%s", why);
        return STATUS_CONFIG;
    }
    for (unsigned i = 0; i < boards.count && status == STATUS_OK; i++) {
        status = run_check(cfg, options, boards.list[i].part);
        if (status == STATUS_OK)
            status = part_check(cfg, options, boards.list[i].part);
    }
    return status;
}
