/* SPDX-License-Identifier: Apache-2.0
 * Where Gantry's own files are: next to build/ in the tree, or in PREFIX/share/gantry; GANTRY_FILES, for programs that
 * libgantry.a is part of, which may lie anywhere.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"

static bool root_try(char *into, const char *from, int length, const char *below)
{
    char probe[PATH_MAX + 64];

    if (snprintf(into, PATH_MAX, "%.*s%s", length, from, below) >= PATH_MAX)
        return false;
    snprintf(probe, sizeof(probe), "%s/configs/params.def", into);
    return access(probe, R_OK) == 0;
}

static char root[PATH_MAX];

/* build/bin/gantry, build/lib/libgantry.so.1, build/tests/.../test_x: the nearest folder above that has configs/; then
 * share/gantry. */
static bool root_above(char *path)
{
    for (char *slash; (slash = strrchr(path, '/')); *slash = 0) {
        int length = (int)(slash - path);

        if (root_try(root, path, length, "") || root_try(root, path, length, "/share/gantry"))
            return true;
    }
    return false;
}

/* Of the library, when this is part of one; else of the program. */
static void root_find(void)
{
    const char *given = getenv("GANTRY_FILES");
    char path[PATH_MAX];
    Dl_info here;
    ssize_t n;

    if (given && root_try(root, given, (int)strlen(given), ""))
        return;
    if (dladdr(root, &here) && here.dli_fname && strstr(here.dli_fname, ".so") && realpath(here.dli_fname, path) &&
        root_above(path))
        return;
    n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = 0;
    if (!root_above(path))
        strcpy(root, ".");
}

const char *config_root(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, root_find);
    return root;
}
