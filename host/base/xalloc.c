/* SPDX-License-Identifier: Apache-2.0
 * Allocation that cannot fail.
 */
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void *xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);

    CHECK(p, "alloc", "out of memory: %zu x %zu bytes", count, size);
    return p;
}

void *xzalloc(size_t size)
{
    return xcalloc(1, size);
}

void *xrealloc(void *old, size_t count, size_t size)
{
    void *p = reallocarray(old, count ? count : 1, size ? size : 1);

    CHECK(p, "alloc", "out of memory: %zu x %zu bytes", count, size);
    return p;
}

char *xstrdup(const char *text)
{
    char *p = strdup(text);

    CHECK(p, "alloc", "out of memory: %zu bytes", strlen(text));
    return p;
}

char *xasprintf(const char *format, ...)
{
    char *p = NULL;
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&p, format, args);
    va_end(args);
    CHECK(n >= 0 && p, "alloc", "out of memory: %s", format);
    return p;
}

void *xgrow(void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room && array)
        return array;
    *room = need < 8 ? 8 : need > 2 * *room ? need : 2 * *room;
    return xrealloc(array, *room, size);
}
