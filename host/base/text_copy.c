/* SPDX-License-Identifier: Apache-2.0
 * Escaped text as a new string (text.h): apart from text.c, which log.c and so all allocation stands on.
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
