/* SPDX-License-Identifier: Apache-2.0
 * What else sw/tools/builder/models.py is asked, with the words by which libraries are asked for (library.h).  Not
 * responsible for: what the answers mean.
 */
#ifndef GANTRY_LIBRARY_ASK_H
#define GANTRY_LIBRARY_ASK_H
#include "bridge/verilated/library.h"

/* The command and all its words but the kinds. */
void library_words(struct words *words, const struct library_source *source, bool trace);
/* The answer to `question` ("--board") about some kinds, as a new string; builds what is missing.  NULL after one line
 * (source->failure), or without one when nobody waits any more. */
char *library_ask(const struct library_source *source, const char *question, const char *const *kinds, unsigned count);
#endif
