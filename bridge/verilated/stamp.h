/* SPDX-License-Identifier: Apache-2.0
 * Stamps of model libraries: what sw/tools/builder/models.py answered to one command line, and size and time of
 * everything it read to find that answer (build/models/stamps/HASH).  While all of it is unchanged the answer holds and
 * no Python has to start.  Responsible for: naming, reading and checking a stamp.  Not responsible for: writing it
 * (models.py).
 */
#ifndef GANTRY_STAMP_H
#define GANTRY_STAMP_H

/* Name of the stamp of a command line: a new string. */
char *stamp_name(char *const *words);
/* The lines "KIND PATH" that models.py would print, as a new string; NULL when it has to be asked. */
char *stamp_answer(const char *root, const char *name);
#endif
