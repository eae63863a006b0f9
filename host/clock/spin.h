/* SPDX-License-Identifier: Apache-2.0
 * Threads that run without a driver call while others wait: how long they are waited for (docs/reference/clock.md,
 * "Threads that spin").
 */
#ifndef GANTRY_SPIN_H
#define GANTRY_SPIN_H
#include <stdbool.h>

struct driver;

/* While somebody runs: counts CPU time, and leaves out who spins longer than `limit` seconds, or runs longer than
 * `most` with the time in which it is given memory. */
void spin_count(struct driver *d, double limit, double most);
/* What was counted so far is forgotten. */
void spin_anew(struct driver *d);
/* All rest: what they have computed is forgotten, and who was left out and is blocked counts again. */
void spin_rested(struct driver *d);
bool spin_any(const struct driver *d); /* a thread is left out */
#endif
