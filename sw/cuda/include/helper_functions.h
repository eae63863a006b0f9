/* SPDX-License-Identifier: Apache-2.0
 * All helpers that need no device.
 */
#ifndef GANTRY_HELPER_FUNCTIONS_H
#define GANTRY_HELPER_FUNCTIONS_H
#include <helper_string.h>
#include <helper_timer.h>
#endif
