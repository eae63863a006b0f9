/* SPDX-License-Identifier: Apache-2.0
 * Levenshtein's distance by rows; contract in nearest.h.
 */
#include "base/nearest.h"

#include <string.h>

unsigned edit_distance(const char *a, const char *b)
{
    size_t n = strlen(b);
    unsigned row[128];

    if (n >= 128)
        return 999;
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}
