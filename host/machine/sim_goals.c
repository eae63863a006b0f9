/* SPDX-License-Identifier: Apache-2.0
 * A live machine on its way to its goals (goals.h): kernels that have ended, the checkpoint.  Contract in sim.h.
 */
#include <stdlib.h>

#include "machine/goals.h"
#include "machine/sim_private.h"
#include "record/record.h"
#include "record/recorded.h"

void sim_kernel(struct sim *sim, uint64_t number)
{
    if (sim->options.record)
        record_kernel(sim->options.record, number);
    if (goals_kernel(sim->options.goals, number))
        sim_stop(sim);
}

void sim_checkpoint(struct sim *sim)
{
    struct goals *goals = sim->options.goals;
    if (!goals_due(goals, sim->now))
        return;
    struct recorded place;
    char *file = record_file(sim->options.record);
    enum gantry_status status = record_place(sim->options.record, &place);
    if (status == STATUS_OK)
        status = recorded_save(sim, &place, file, goals->checkpoint);
    goals_tried(goals, status);
    free(file);
}
