/* SPDX-License-Identifier: Apache-2.0
 * Writing JSON by hand, where a few values are all there is.
 */
#ifndef GANTRY_JSON_H
#define GANTRY_JSON_H
#include <stdio.h>

/* A string with its quotes; bytes from 0x80 on are taken for UTF-8. */
void json_text(FILE *out, const char *text);
#endif
