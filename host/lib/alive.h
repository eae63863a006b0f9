/* SPDX-License-Identifier: Apache-2.0
 * The handles that are alive: a set of addresses, asked in each call of the library, in a time that does not grow with
 * their number.  Not responsible for: locks (handle.c), what a handle is.
 */
#ifndef GANTRY_LIB_ALIVE_H
#define GANTRY_LIB_ALIVE_H
#include <stdbool.h>
#include <stddef.h>

/* Open addressing: an address lies at its home or behind it, with no empty place between. */
struct alive {
    const void **place; /* NULL: empty */
    size_t count, mask; /* places less one, a power of two; twice as many as addresses at least */
};

bool alive_has(const struct alive *alive, const void *handle);
/* It is not there yet. */
void alive_add(struct alive *alive, const void *handle);
/* It is there.  With the last one the memory goes. */
void alive_drop(struct alive *alive, const void *handle);
#endif
