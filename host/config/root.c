/* SPDX-License-Identifier: Apache-2.0
 * Where the command's own files are: next to build/ in the tree, or in PREFIX/share/gantry.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"

static bool root_try(char *root, const char *from, int length, const char *below)
{
    char probe[PATH_MAX + 64];

    if (snprintf(root, PATH_MAX, "%.*s%s", length, from, below) >= PATH_MAX)
        return false;
    snprintf(probe, sizeof(probe), "%s/configs/params.def", root);
    return access(probe, R_OK) == 0;
}

const char *config_root(void)
{
    static char root[PATH_MAX];
    char exe[PATH_MAX];
    ssize_t n;

    if (root[0])
        return root;
    n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    exe[n > 0 ? n : 0] = 0;
    /* build/bin/gantry, build/tests/.../test_x: the nearest folder above that has configs/; then share/gantry. */
    for (char *slash; (slash = strrchr(exe, '/')); *slash = 0) {
        int length = (int)(slash - exe);

        if (root_try(root, exe, length, "") || root_try(root, exe, length, "/share/gantry"))
            return root;
    }
    strcpy(root, ".");
    return root;
}
