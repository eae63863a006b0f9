/* SPDX-License-Identifier: Apache-2.0
 * The argument vector of a command in the making: owns its words.  Not responsible for: running it.
 */
#ifndef GANTRY_WORDS_H
#define GANTRY_WORDS_H
#include <stddef.h>

struct words {
    char **list; /* NULL behind the last, when there is one */
    size_t count, room;
};

/* Append a word, which is `w`'s from then on (xstrdup, xasprintf). */
void words_add(struct words *w, char *text);
void words_fini(struct words *w);
#endif
