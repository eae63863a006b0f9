/* SPDX-License-Identifier: Apache-2.0
 * Contract in kernel_word.h.
 */
#include "cli/kernel_word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Where FILE of "FILE[:KERNEL]" ends: all of it when that is a file, else the first colon behind a file (a kernel's
 * name may have colons, too), else the first. */
static size_t file_length(const char *word)
{
    const char *colon = access(word, F_OK) == 0 ? NULL : strchr(word, ':');
    size_t first = colon ? (size_t)(colon - word) : strlen(word);

    for (; colon; colon = strchr(colon + 1, ':')) {
        char *path = xasprintf("%.*s", (int)(colon - word), word);
        bool there = access(path, F_OK) == 0;

        free(path);
        if (there)
            return (size_t)(colon - word);
    }
    return first;
}

char *kernel_word_split(const char *word, const char **name)
{
    const size_t length = file_length(word);

    *name = word[length] ? word + length + 1 : NULL;
    return xasprintf("%.*s", (int)length, word);
}
