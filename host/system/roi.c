/* SPDX-License-Identifier: Apache-2.0
 * Region of interest; contract in roi.h.
 */
#include "system/roi.h"

#include <stddef.h>

#include "machine/goals.h"
#include "machine/sim.h"

static enum sim_model model_of(const struct roi *roi, uint64_t kernel)
{
    return kernel >= roi->first && kernel <= roi->last ? SIM_RTL : SIM_GOLDEN;
}

void roi_init(struct roi *roi, struct sim *sim, const struct goals *goals)
{
    *roi = (struct roi){0};
    if (!goals || !goals->roi_first)
        return;
    *roi = (struct roi){.sim = sim, .first = goals->roi_first, .last = goals->roi_last};
    sim_switch(sim, model_of(roi, 1));
}

bool roi_may_start(struct roi *roi, bool *look)
{
    *look = false;
    if (!roi->sim)
        return true;
    if (!roi->waits && model_of(roi, roi->started + 1) == sim_model_now(roi->sim)) {
        roi->started++;
        return true;
    }
    *look = !roi->waits;
    roi->waits = true;
    return false;
}

void roi_cross(struct roi *roi)
{
    sim_switch(roi->sim, model_of(roi, roi->started + 1));
    roi->waits = false;
}

bool roi_untimed(const struct roi *roi)
{
    return roi->sim && sim_model_now(roi->sim) == SIM_GOLDEN;
}
