/* SPDX-License-Identifier: Apache-2.0
 * Named systems (names.h): the files of configs/, next to the command.
 */
#include "config/names.h"

#include <glob.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "config/config.h"

#define SUFFIX ".yaml"

bool system_find(const char *name, char *path, size_t room)
{
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    bool whole = length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;

    if (strchr(name, '/') || !*name)
        return false;
    return (size_t)snprintf(path, room, "%s/configs/%s%s", config_root(), name, whole ? "" : SUFFIX) < room &&
           access(path, R_OK) == 0;
}

static void systems_glob(glob_t *found)
{
    char pattern[PATH_MAX];

    snprintf(pattern, sizeof(pattern), "%s/configs/*" SUFFIX, config_root());
    if (glob(pattern, 0, NULL, found) != 0)
        *found = (glob_t){.gl_pathc = 0};
}

/* "demo" of "/usr/share/gantry/configs/demo.yaml" */
static void system_name(const char *path, char *name, size_t room)
{
    const char *base = strrchr(path, '/') + 1;

    snprintf(name, room, "%.*s", (int)(strlen(base) - strlen(SUFFIX)), base);
}

void system_hint(const char *name, char *text, size_t room)
{
    unsigned least = 3; /* edits: as many are another word */
    char one[NAME_MAX + 1];
    size_t n = 0;
    glob_t found;

    *text = 0;
    if (strchr(name, '/'))
        return;
    systems_glob(&found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        system_name(found.gl_pathv[i], one, sizeof(one));
        unsigned edits = edit_distance(name, one, least - 1);

        if (edits < least) {
            least = edits;
            snprintf(text, room, "; did you mean %s?", one);
        }
    }
    for (size_t i = 0; i < found.gl_pathc && least == 3 && n < room; i++) {
        system_name(found.gl_pathv[i], one, sizeof(one));
        n += (size_t)snprintf(text + n, room - n, "%s %s", i ? "," : "; named systems:", one);
    }
    globfree(&found);
}

/* The first sentence of the first comment that is not the licence's, behind the name. */
static void head_print(FILE *out, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[256];
    const char *text, *end;

    while (file && fgets(line, sizeof(line), file) && *line == '#') {
        if (strstr(line, "SPDX"))
            continue;
        line[strcspn(line, "\n")] = 0;
        text = strstr(line, ": ");
        text = text ? text + 2 : line + 1;
        end = strstr(text, ". ");
        fprintf(out, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        break;
    }
    fputc('\n', out);
    if (file)
        fclose(file);
}

void system_list(FILE *out)
{
    char one[NAME_MAX + 1];
    glob_t found;

    systems_glob(&found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        system_name(found.gl_pathv[i], one, sizeof(one));
        fprintf(out, "%-14s ", one);
        head_print(out, found.gl_pathv[i]);
    }
    globfree(&found);
}
