/* SPDX-License-Identifier: Apache-2.0
 * What this command is.
 */
#ifndef GANTRY_VERSION_H
#define GANTRY_VERSION_H
#include <stddef.h>

#define GANTRY_VERSION "0.1"

/* Commit of the tree that the command was built in, with "+" when files differed from it; "unknown" outside of a
 * repository.  It is read from a file that make writes, so that a new commit compiles nothing anew. */
void version_commit(char *text, size_t room);
#endif
