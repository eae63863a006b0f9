/* SPDX-License-Identifier: Apache-2.0
 * Which work-group each wavefront of the RTL GPUs belongs to, for the report of a fault: noted from the dispatchers'
 * messages, the RTL keeps it nowhere.  Not responsible for: the report.
 */
#ifndef GANTRY_RTL_GROUPS_H
#define GANTRY_RTL_GROUPS_H
#include <stdint.h>

#include "saved/state.h"

struct rtl_groups;
struct sim;

/* After lock step has laid its taps. */
struct rtl_groups *rtl_groups_new(struct sim *sim);
void rtl_groups_free(struct rtl_groups *groups);
/* The SGPRs with which the wavefront last placed there began. */
const uint32_t *rtl_groups_sgprs(const struct rtl_groups *groups, unsigned gpu, unsigned cu, unsigned wave);
/* What was noted, for a saved machine. */
void rtl_groups_save(const struct rtl_groups *groups, struct state_writer *to);
bool rtl_groups_restore(struct rtl_groups *groups, struct state_reader *from);
#endif
