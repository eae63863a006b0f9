/* SPDX-License-Identifier: Apache-2.0
 * Running a scheduler with links: steps as far as the links in allow, waiting where they do not.
 * Responsible for: the order of taking, running, promising and waiting.  Not responsible for: events of a host's own
 * (it runs to the next of them by `until`).
 */
#ifndef GANTRY_RUN_ADVANCE_H
#define GANTRY_RUN_ADVANCE_H
#include <stdint.h>

#include "bridge/run/sched_links.h"

enum sched_end {
    SCHED_UNTIL,   /* all windows that end at or before `until` are run or need not be */
    SCHED_QUIET,   /* no event and no message anywhere (told as the region's plan says) */
    SCHED_BLOCKED, /* no region to wait in, and a horizon that is not enough: the end of a recording, or a partner that
                      this thread must run */
    SCHED_STOPPED, /* s->stop was set; it is cleared */
    SCHED_ASKED,   /* somebody has asked this process (region_ask) */
    SCHED_ENDED,   /* a process left in order */
    SCHED_LOST     /* a process died; told in one line */
};
/* Runs, and waits where it must.  The owner has no event of its own before `until` and sends nothing meanwhile;
 * afterwards it may send at any cycle from `now` on, as host after QUIET from region_active() on.
 *
 * With s->act, UNTIL also comes at the window of the first cycle at which the owner acts, and at s->limit, where `now`
 * is then: no process (each has a link in from this one) has run that window or a later one, all have run those before,
 * and all messages due in it are here. So whatever the owner does there, to memory that it shares with other processes
 * too, comes between the same cycles as within one process. */
enum sched_end sched_advance(struct sched *s, uint64_t until);
#endif
