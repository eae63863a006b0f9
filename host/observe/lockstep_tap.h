/* SPDX-License-Identifier: Apache-2.0
 * --lockstep: taps every compute unit of an RTL machine (commands, events, requests, observations) and hands what it
 * sees to host/lockstep/lockstep.h.  Not responsible for: the comparison.
 */
#ifndef GANTRY_LOCKSTEP_TAP_H
#define GANTRY_LOCKSTEP_TAP_H
#include <stdint.h>

struct sim;
struct lockstep_tap;

struct lockstep_tap *lockstep_tap_new(struct sim *sim);
/* The machine was restored, and no wavefront is in it: what the host has told GPUs before. */
void lockstep_tap_restored(struct lockstep_tap *tap, const struct sim *sim);
void lockstep_tap_free(struct lockstep_tap *tap);
/* Between windows: finish the comparison of wavefronts that have ended. */
void lockstep_tap_settle(struct lockstep_tap *tap);
uint64_t lockstep_tap_compared(const struct lockstep_tap *tap);
uint64_t lockstep_tap_observed(const struct lockstep_tap *tap);
#endif
