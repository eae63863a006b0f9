/* SPDX-License-Identifier: Apache-2.0
 * Escaped and shortened text as a new string (text.h): apart from text.c, which log.c and so all allocation stands on.
 */
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

#define ESCAPE 4u /* bytes that one can become */

char *text_escaped(const char *from)
{
    const size_t room = strlen(from) * ESCAPE + 16;
    char *to = xcalloc(room, 1);
    text_escape(to, room, from);
    return to;
}

char *text_shortened(const char *text, size_t width)
{
    const size_t bytes = strlen(text), head = text_cut(text, (width - 2) / 2);
    const char *tail = text + bytes;
    size_t step;
    if (bytes <= width)
        return xstrdup(text);
    for (const char *at = text + head; at < tail; at += step) {
        step = text_printable(at);
        step = step ? step : 1; /* not printable after all */
        if ((size_t)(text + bytes - at) <= width - 2 - head)
            tail = at;
    }
    return xasprintf("%.*s..%s", (int)head, text, tail);
}
