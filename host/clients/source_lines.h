/* SPDX-License-Identifier: Apache-2.0
 * The source line of code that a client has loaded on a GPU.
 */
#ifndef GANTRY_SOURCE_H
#define GANTRY_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client;

/* "FILE:LINE" of the address, where the runtime's list for debuggers names a code object with DWARF there. */
bool source_line(const struct client *c, uint64_t pc, char *text, size_t room);
#endif
