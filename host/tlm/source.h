/* SPDX-License-Identifier: Apache-2.0
 * What modules of a SystemC program are made of: one configuration, the model libraries of its kinds of partitions
 * (found or built as for the command), the latencies of their links.  Responsible for: that they are those which a
 * machine of this configuration has.  Not responsible for: instances (bridge/tlm).  One thread.
 */
#ifndef GANTRY_TLM_SOURCE_H
#define GANTRY_TLM_SOURCE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct gantry_cfg;
struct model_api;
struct tlm_source;

/* words: as behind a command, `-c FILE` and `--set KEY=VALUE` (also `-cFILE`, `--set=KEY=VALUE`).  NULL after
 * the line that the command prints, with its class in *status. */
struct tlm_source *tlm_source_open(const char *const *words, unsigned count, enum gantry_status *status);
void tlm_source_close(struct tlm_source *source);
const struct gantry_cfg *tlm_source_cfg(const struct tlm_source *source);

/* A machine of that configuration has the same GPUs and links as the modules.  False after one line: the first key that
 * differs. */
bool tlm_source_fits(const struct tlm_source *source, const struct gantry_cfg *cfg);

/* The library of a kind as in partitions.yaml ("gpu": a whole GPU), loaded at the first call and kept until the end;
 * NULL after one line: there is no such kind, or the library cannot be had. */
const struct model_api *tlm_source_model(struct tlm_source *source, const char *kind, enum gantry_status *status);
/* How many a GPU has; 0: no such kind. */
unsigned tlm_source_count(const struct tlm_source *source, const char *kind);
/* The seed of an instance; without effect but with --x-initial unique models. */
uint64_t tlm_source_seed(const struct tlm_source *source, unsigned gpu, unsigned index);

/* Cycles from a message's leaving until lane `lane` of port `port` of instance `index` takes it; out: until the credit
 * for what that output has sent is there. */
uint32_t tlm_source_latency(const struct tlm_source *source, const char *kind, unsigned index, const char *port,
                            bool out, unsigned lane);
/* Of a GPU's DRAM: from a slice to the memory or back, and what the default memory takes in addition. */
uint32_t tlm_source_store(const struct tlm_source *source);
uint32_t tlm_source_dram_path(const struct tlm_source *source);
/* Messages of each kind that a far port has places for. */
uint32_t tlm_source_far_credits(const struct tlm_source *source, unsigned port);
/* MHz */
uint32_t tlm_source_clock(const struct tlm_source *source);
/* As many as `gpu0` to `gpuN` there are. */
unsigned tlm_source_gpus(const struct tlm_source *source);
#endif
