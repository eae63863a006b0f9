/* SPDX-License-Identifier: Apache-2.0
 * The model libraries of a machine's RTL partitions: for each kind the plain one, and one with tracing for the kinds in
 * the scope of --wave; its boards.  Not responsible for: building and loading (bridge/verilated/library.h).
 */
#ifndef GANTRY_MODELS_H
#define GANTRY_MODELS_H
#include "bridge/verilated/library.h"
#include "machine/sim.h"
#include "observe/wave.h"
#include "target/rtl_kinds.h"

struct models {
    struct library plain[KIND_COUNT], traced[KIND_COUNT];
    struct boards *boards; /* boards.h */
};

/* False with one line on stderr, or without when nobody waits any more (sim_options.unwanted); free what is there. */
bool models_load(struct models *models, const struct gantry_cfg *cfg, const struct sim_options *options,
                 const struct wave *wave);
/* One kind alone, whatever the machine has, without boards.  False as above; the library is the caller's. */
bool models_load_kind(struct library *library, enum rtl_kind kind, const struct gantry_cfg *cfg,
                      const struct sim_options *options);
/* After the partitions. */
void models_free(struct models *models);
/* Walk them: key in the cache, tools that built it. */
void models_walk(const struct models *models, void (*fn)(void *arg, const char *key, const char *tools), void *arg);
#endif
