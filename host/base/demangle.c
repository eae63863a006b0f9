/* SPDX-License-Identifier: Apache-2.0
 * Demangling by libstdc++; contract in demangle.h.
 */
#include "base/demangle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define PLAIN_MOST 4096u

/* libstdc++: the name in a new string, NULL when it is not a mangled one. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* Without the return type, which only templates carry and which is always void for a kernel. */
static char *symbol_full(const char *symbol)
{
    int status = 0;
    char *full = strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;

    if (full && strncmp(full, "void ", 5) == 0)
        memmove(full, full + 5, strlen(full + 5) + 1);
    return full;
}

/* Cut the parameters off: from the bracket that belongs to the last one. */
static void parameters_cut(char *full)
{
    size_t end = strlen(full);
    int depth = 0;

    if (end == 0 || full[end - 1] != ')')
        return;
    do {
        end--;
        depth += full[end] == ')';
        depth -= full[end] == '(';
    } while (end > 0 && depth > 0);
    if (end > 0)
        full[end] = 0;
}

char *symbol_plain(const char *symbol)
{
    char *full = symbol_full(symbol);

    if (!full)
        return xstrdup(symbol);
    parameters_cut(full);
    if (strlen(full) <= PLAIN_MOST)
        return full;
    free(full); /* a few bytes can stand for millions */
    return xstrdup(symbol);
}

bool symbol_is(const char *symbol, const char *name)
{
    char *full = symbol_full(symbol);
    bool is = strcmp(symbol, name) == 0;

    if (strncmp(name, "void ", 5) == 0)
        name += 5;
    if (full) {
        is = is || strcmp(full, name) == 0;
        parameters_cut(full);
        is = is || strcmp(full, name) == 0;
    }
    free(full);
    return is;
}
