/* SPDX-License-Identifier: Apache-2.0
 * Starts the program of a run as a child that has the shim, no randomised addresses, default signals and the
 * descriptors that it would have without us; it ends with us.
 */
#ifndef GANTRY_PROGRAM_H
#define GANTRY_PROGRAM_H
#include <stdbool.h>
#include <sys/types.h>

struct driver;
struct run_options;

/* The run has been asked to end. */
bool program_unwanted(const struct run_options *options);
/* Blocks until the child has become the program, and sets *child.  0, or the errno of fork or exec; EINTR: it was
 * killed before, for the run has been asked to end.  After an error no child is left. */
int program_start(struct driver *d, const struct run_options *options, pid_t *child);
#endif
