/* SPDX-License-Identifier: Apache-2.0
 * Argument vectors; contract in words.h.
 */
#include "base/words.h"

#include <stdlib.h>

#include "base/xalloc.h"

void words_add(struct words *w, char *text)
{
    w->list = xgrow(w->list, &w->room, w->count + 2, sizeof *w->list);
    w->list[w->count++] = text;
    w->list[w->count] = NULL;
}

void words_fini(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i]);
    free(w->list);
    *w = (struct words){0};
}
