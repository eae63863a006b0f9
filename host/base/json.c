/* SPDX-License-Identifier: Apache-2.0
 * JSON strings; contract in json.h.
 */
#include "base/json.h"

#include <stdint.h>

#include "base/text.h"

/* The code point of a well-formed character of so many bytes. */
static uint32_t code_point(const char *at, size_t bytes)
{
    uint32_t value = bytes == 1 ? (uint8_t)*at : (uint8_t)*at & (0x7fu >> bytes);

    for (size_t i = 1; i < bytes; i++)
        value = value << 6 | ((uint8_t)at[i] & 0x3f);
    return value;
}

static void escape(FILE *out, uint32_t value)
{
    if (value >= 0x10000)
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((value - 0x10000) >> 10), 0xdc00 + (value & 0x3ff));
    else
        fprintf(out, "\\u%04x", value);
}

void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const size_t bytes = text_utf8(text);

        if (bytes == 0)
            escape(out, 0xdc00u + (uint8_t)*text);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (text_printable(text))
            fwrite(text, 1, bytes, out);
        else
            escape(out, code_point(text, bytes));
        text += bytes ? bytes : 1;
    }
    fputc('"', out);
}
