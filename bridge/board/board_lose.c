/* SPDX-License-Identifier: Apache-2.0
 * The end of a board's use: its cause is kept for whoever tells it (board_why).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "bridge/board/board_private.h"

bool board_lose(struct board *b, const char *format, ...)
{
    char cause[256];
    va_list list;
    if (*b->why)
        return false;
    va_start(list, format);
    vsnprintf(cause, sizeof cause, format, list);
    va_end(list);
    const uint64_t frames = b->stream ? stream_counts(b->stream)->frames_sent : 0;
    if (frames)
        snprintf(b->why, sizeof b->why, "the board is lost at cycle %" PRIu64 ", behind frame %u: %s", b->cycle,
                 (unsigned)(frames - 1) & 255, cause);
    else
        snprintf(b->why, sizeof b->why, "%s", cause);
    if (b->lost)
        b->lost(b->lost_ctx);
    return false;
}
