/* SPDX-License-Identifier: Apache-2.0
 * How alike two words are, for "did you mean".
 */
#ifndef GANTRY_NEAREST_H
#define GANTRY_NEAREST_H

/* Insertions, deletions and exchanges of one letter that make `a` of `b`; most + 1 when they are more than `most`, and
 * for a `b` of more than 127 letters.  Words that are not alike cost next to nothing. */
unsigned edit_distance(const char *a, const char *b, unsigned most);

/* Of a list that ends with NULL the word that was meant by `typed`: with one slip, or two (as two letters exchanged)
 * behind the first letter and in no more than half of it; else NULL. */
const char *nearest_word(const char *typed, const char *const *words);
#endif
