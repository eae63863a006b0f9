/* SPDX-License-Identifier: Apache-2.0
 * Who may connect to the driver.
 */
#ifndef GANTRY_PEER_H
#define GANTRY_PEER_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The process at the other end of a socket belongs to this run: it has our user id and descends from us.  Orphans do
 * too, as long as we adopt them (PR_SET_CHILD_SUBREAPER).  *pid is that process; false with the reason in `why`. */
bool peer_belongs(int fd, pid_t *pid, char *why, size_t room);
#endif
