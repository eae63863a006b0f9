/* SPDX-License-Identifier: Apache-2.0
 * Whether a machine may have its partitions on boards as key place.boards says.  Not responsible for: whether the
 * boards are there (boards.h), the form of the key (config/on_boards.h).
 */
#ifndef GANTRY_MACHINE_BOARDS_CHECK_H
#define GANTRY_MACHINE_BOARDS_CHECK_H
#include "base/status.h"

struct gantry_cfg;
struct sim_options;

/* What is asked of a board that it does not have or cannot do is refused, with the way round: one line. */
enum gantry_status boards_check(const struct gantry_cfg *cfg, const struct sim_options *options);
#endif
