/* SPDX-License-Identifier: Apache-2.0
 * run.json of the result folder; inside of host/metrics.
 */
#ifndef GANTRY_RUN_JSON_H
#define GANTRY_RUN_JSON_H
#include "metrics/metrics.h"

/* Command, configuration, what made the figures (versions, models, boards, host, date), the figures themselves. */
void run_json_write(FILE *out, const struct summary *summary, struct sim *sim);
#endif
