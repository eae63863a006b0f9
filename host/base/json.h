/* SPDX-License-Identifier: Apache-2.0
 * Writing JSON by hand, where a few values are all there is.
 */
#ifndef GANTRY_JSON_H
#define GANTRY_JSON_H
#include <stdio.h>

/* A string with its quotes, in UTF-8 whatever the bytes are: what may not be printed is \uXXXX, a byte 0xXX that is
 * part of no character is \udcXX, from which Python's os.fsencode() makes the byte again. */
void json_text(FILE *out, const char *text);
#endif
