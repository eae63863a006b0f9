/* SPDX-License-Identifier: Apache-2.0
 * Levenshtein's distance by rows; contract in nearest.h.
 */
#include "base/nearest.h"

#include <string.h>

unsigned edit_distance(const char *a, const char *b, unsigned most)
{
    size_t m = strlen(a), n = strlen(b);
    unsigned row[128];

    if (n >= 128 || (m > n ? m - n : n - m) > most)
        return most + 1;
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) { /* cells more than `most` off the diagonal are too far away, whatever comes */
        size_t from = i > most ? i - most : 1, to = i + most < n ? i + most : n;
        unsigned diagonal = row[from - 1], least;

        row[from - 1] = least = from == 1 ? (unsigned)i : most + 1;
        for (size_t j = from; j <= to; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            if (best < least)
                least = best;
        }
        if (least > most) /* of the whole row, and no later one has less */
            return most + 1;
    }
    return row[n] > most ? most + 1 : row[n];
}

const char *nearest_word(const char *typed, const char *const *words)
{
    const char *best = NULL;
    unsigned least = 3;

    for (; *words; words++) {
        const unsigned edits = edit_distance(typed, *words, least - 1);

        if (edits < least && (edits < 2 || (**words == *typed && 2 * edits <= strlen(*words) + 1))) {
            least = edits;
            best = *words;
        }
    }
    return best;
}
