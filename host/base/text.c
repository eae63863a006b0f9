/* SPDX-License-Identifier: Apache-2.0
 * Escaping of text from outside; contract in text.h.
 */
#include "base/text.h"

#include <stdint.h>
#include <string.h>

#define ROOM 8u /* of one piece: a character or an escape, and NUL */

/* The character and its bytes; 0: no well-formed one. */
static size_t decode(const char *at, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* shorter forms are the only ones */
    const uint8_t first = (uint8_t)*at;
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xc0 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf8 ? 4
                                        : 0;
    if (bytes == 0 || first == 0)
        return 0;
    uint32_t value = bytes == 1 ? first : first & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        const uint8_t next = (uint8_t)at[i]; /* NUL ends it here, too */
        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3f);
    }
    if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *character = value;
    return bytes;
}

size_t text_utf8(const char *at)
{
    uint32_t character;
    return decode(at, &character);
}

size_t text_printable(const char *at)
{
    static const struct {
        uint32_t first, last;
    } control[] = /* behind the first two: directions, ends of lines and paragraphs, marks without a sign */
        {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},  {0x2028, 0x202e},
         {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    uint32_t character;
    const size_t bytes = decode(at, &character);
    for (unsigned i = 0; bytes && i < sizeof control / sizeof control[0]; i++)
        if (character >= control[i].first && character <= control[i].last)
            return 0;
    return bytes;
}

/* The next piece of the output into `piece`; what it takes of the input. */
static size_t piece_of(const char *from, char piece[ROOM])
{
    const size_t bytes = text_printable(from);
    if (bytes == 0) {
        snprintf(piece, ROOM, "\\x%02x", (unsigned)(uint8_t)*from);
        return 1;
    }
    memcpy(piece, from, bytes);
    piece[bytes] = 0;
    return bytes;
}

bool text_escape(char *to, size_t room, const char *from)
{
    static const char more[] = "...";
    size_t used = 0, keep = 0; /* up to `keep` there is room for `more` behind it */
    while (*from) {
        char piece[ROOM];
        from += piece_of(from, piece);
        const size_t bytes = strlen(piece);
        if (used + bytes >= room) {
            memcpy(to + keep, more, sizeof more);
            return false;
        }
        memcpy(to + used, piece, bytes);
        used += bytes;
        keep = used + sizeof more <= room ? used : keep;
    }
    to[used] = 0;
    return true;
}

size_t text_cut(const char *text, size_t most)
{
    size_t used = 0, bytes;
    while ((bytes = text_printable(text + used)) > 0 && used + bytes <= most)
        used += bytes;
    return used;
}

void text_put(FILE *out, const char *text)
{
    while (*text) {
        char piece[ROOM];
        text += piece_of(text, piece);
        fputs(piece, out);
    }
}
