/* SPDX-License-Identifier: Apache-2.0
 * metrics.sqlite of the result folder; inside of host/metrics.
 */
#ifndef GANTRY_DATABASE_H
#define GANTRY_DATABASE_H
#include "metrics/metrics.h"

/* Write the file under its name until it is kept (saved/whole_file.h): tables metrics(location, what, value, unit) and
 * kernels. */
enum gantry_status database_write(const char *path, const struct summary *summary, struct sim *sim);
#endif
