/* SPDX-License-Identifier: Apache-2.0
 * Text from outside (names of kernels, programs, threads and files, what a client sends) on its way to people:
 * printable UTF-8 stays as it is; every other byte becomes \xHH.  So it is one line, moves no cursor and is UTF-8.
 * diag() and log_write() do this to whole lines; who prints to a file by other means calls text_put().
 */
#ifndef GANTRY_TEXT_H
#define GANTRY_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the well-formed UTF-8 character at `at`, control characters too; 0 where none is and at the end (NUL). */
size_t text_utf8(const char *at);
/* The same of a character that may be printed: no control character, none that breaks lines or turns their
 * direction. */
size_t text_printable(const char *at);
/* `from`, escaped, into `to`, of `room` bytes (at least 16), NUL included.  What is too long ends in "..." behind a
 * whole character; then false. */
bool text_escape(char *to, size_t room, const char *from);
/* The same, whole, as a new string. */
char *text_escaped(const char *from);
/* Printable `text` in at most `width` (2 or more) bytes: the middle of a longer one gives way to "..", whole characters
 * stay.  A new string. */
char *text_shortened(const char *text, size_t width);
/* Bytes of the whole characters of printable `text` that lie within its first `most` bytes. */
size_t text_cut(const char *text, size_t most);
/* `text`, escaped, whole. */
void text_put(FILE *out, const char *text);
#endif
