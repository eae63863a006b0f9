/* SPDX-License-Identifier: Apache-2.0
 * What `gantry kernel --list` prints.
 */
#ifndef GANTRY_KERNEL_LIST_H
#define GANTRY_KERNEL_LIST_H
#include "base/status.h"

/* The kernels of a file, or the one of that name (NULL: all), with their limits and arguments, on stdout.  STATUS_*
 * with one line. */
enum gantry_status kernel_list(const char *path, const char *name);
#endif
