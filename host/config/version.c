/* SPDX-License-Identifier: Apache-2.0
 * The commit that make has noted (sw/tools/mk/generate.mk); contract in version.h.
 */
#include "config/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "config/config.h"

void version_commit(char *text, size_t room)
{
    char *path = xasprintf("%s/build/gen/commit", config_root());
    FILE *file = fopen(path, "re");

    if (!file || !fgets(text, (int)room, file))
        snprintf(text, room, "unknown");
    text[strcspn(text, "\n")] = 0;
    if (file)
        fclose(file);
    free(path);
}
