/* SPDX-License-Identifier: Apache-2.0
 * Rules between keys; inside of host/config.
 */
#ifndef GANTRY_CONFIG_RULES_H
#define GANTRY_CONFIG_RULES_H
#include "config/config.h"

/* Fill in derived values, then check; the first broken rule is printed. */
enum gantry_status rules_apply(struct config *config);
#endif
