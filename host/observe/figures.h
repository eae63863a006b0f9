/* SPDX-License-Identifier: Apache-2.0
 * What a machine tells of itself (sim.h), as its parts use it; from process 0 of all processes, where not said
 * otherwise.
 */
#ifndef GANTRY_MACHINE_FIGURES_H
#define GANTRY_MACHINE_FIGURES_H
#include <stdint.h>

struct sim;

/* Counters of this process's partitions; number: the partition's, UINT32_MAX: of lock step. */
typedef void (*figures_fn)(void *arg, uint32_t number, const char *location, const char *name, uint64_t value,
                           const char *unit);
void figures_counters_here(struct sim *sim, figures_fn fn, void *arg);
/* Wavefront instructions of this process's GPUs. */
uint64_t figures_issued_here(const struct sim *sim);
/* Of a GPU of this process: hash of its stream of writes, work-groups that have ended. */
uint64_t figures_hash_here(const struct sim *sim, unsigned gpu);
uint64_t figures_ended_here(const struct sim *sim, unsigned gpu);
/* The first of these, wherever the GPU runs; 0 when its process is lost, or the GPU is absent (sim_options.only). */
uint64_t figures_hash(const struct sim *sim, unsigned gpu);
/* Messages and instructions so far. */
uint64_t figures_moved(struct sim *sim);
/* Lock step: compares what is known by now. */
void figures_settle(struct sim *sim);
#endif
