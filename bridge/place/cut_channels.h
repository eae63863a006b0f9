/* SPDX-License-Identifier: Apache-2.0
 * A machine whose partitions run in several processes is assembled by the same code in each of them: partitions of
 * other processes are there by name and ports (part_elsewhere), and sched_connect asks here what becomes of a channel
 * that leads to one.  Before, the same code runs once without any partition, to find all links: the plan. Responsible
 * for: links of the plan, ends of links of one process.  Not responsible for: which process runs what (the owner says
 * so with each partition), starting processes (workers.h).
 */
#ifndef GANTRY_CUT_H
#define GANTRY_CUT_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/region.h"
#include "bridge/run/sched_links.h"

struct cut_plan {
    struct region_link *links; /* between processes, in the order of assembly */
    uint32_t count;
    size_t room;
    bool failed; /* a link that cannot be: told in one line */
};
/* For a scheduler in which every partition is elsewhere.  The plan is empty at first; borrowed. */
struct sched_cut cut_planner(struct cut_plan *plan);
void cut_plan_fini(struct cut_plan *plan);
/* 16 hexadecimal digits over names, widths, latencies, depths and processes of all links. */
void cut_plan_text(const struct cut_plan *plan, char text[17]);

struct cut {
    struct carrier carrier;
    bool failed; /* a link that the carrier does not have: told in one line */
};
/* For the scheduler of one process; borrowed. */
struct sched_cut cut_here(struct cut *cut);
#endif
