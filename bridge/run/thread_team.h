/* SPDX-License-Identifier: Apache-2.0
 * A team of host threads that share out numbered pieces of work, again and again, thousands of times a second.  Each
 * thread has its own slice of the numbers, the same every time (what it works on stays in its caches), and takes from
 * the others' slices when its own is done.  Responsible for: threads, sharing out, waiting for the end.  Not
 * responsible for: what the pieces do to each other (they must be independent).
 */
#ifndef GANTRY_TEAM_H
#define GANTRY_TEAM_H
#include <stdint.h>

struct team;

/* `threads` (2 to TEAM_MOST) counts the caller.  Threads take no signals.  NULL when they cannot be made. */
#define TEAM_MOST 64
struct team *team_new(unsigned threads);
void team_free(struct team *team);
/* work(ctx, n) for every n below `count`, on any thread, each once; returns when all have returned.  The caller works
 * too.  Not from within `work`. */
void team_run(struct team *team, uint32_t count, void (*work)(void *ctx, uint32_t n), void *ctx);
#endif
