/* SPDX-License-Identifier: Apache-2.0
 * Allocation that cannot fail: out of memory ends the process with one line and exit status 70.
 * Everything is released by free().
 */
#ifndef GANTRY_XALLOC_H
#define GANTRY_XALLOC_H
#include <stddef.h>

void *xcalloc(size_t count, size_t size) __attribute__((returns_nonnull, malloc, alloc_size(1, 2)));
void *xzalloc(size_t size) __attribute__((returns_nonnull, malloc, alloc_size(1))); /* one, of zeros */
void *xrealloc(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((returns_nonnull, malloc));
char *xasprintf(const char *format, ...) __attribute__((returns_nonnull, malloc, format(printf, 1, 2)));
/* Makes room for `need` elements in a growing array; *room is in elements. */
void *xgrow(void *array, size_t *room, size_t need, size_t size) __attribute__((returns_nonnull));
#endif
