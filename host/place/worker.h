/* SPDX-License-Identifier: Apache-2.0
 * A worker process of a machine (place.h): runs the GPUs that are its own, as far as links allow, and answers
 * questions.
 */
#ifndef GANTRY_MACHINE_WORKER_H
#define GANTRY_MACHINE_WORKER_H
struct sim;

/* Until the owner has left, or some process is lost.  Returns the exit status. */
int worker_run(struct sim *sim, int socket);
#endif
