/* SPDX-License-Identifier: Apache-2.0
 * Stamps of model libraries; contract in stamp.h.
 */
#include "bridge/verilated/stamp.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/xalloc.h"
#include "bridge/verilated/seal.h"

/* Of a variable that is set, also to nothing. */
static uint64_t variable_hash(const char *name, uint64_t hash)
{
    const char *text = getenv(name);
    return text ? XXH64(text, strlen(text), hash) : hash;
}

/* What processor.py makes of the processor, told differently: a tree may be seen from several machines. */
static uint64_t processor_hash(uint64_t hash)
{
#ifdef __x86_64__
    static const unsigned leaves[] = {0x00000001, 0x00000007, 0x80000001, 0x80000002, 0x80000003, 0x80000004};
    for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        unsigned word[4] = {0};
        __get_cpuid_count(leaves[i], 0, &word[0], &word[1], &word[2], &word[3]);
        if (leaves[i] == 1)
            word[1] = 0; /* the number of the core that asks */
        hash = XXH64(word, sizeof word, hash);
    }
#endif
    return variable_hash("GANTRY_MARCH", hash); /* processor.py reads it too */
}

char *stamp_name(char *const *words)
{
    uint64_t hash = processor_hash(variable_hash("GANTRY_MODEL_OPT", 0)); /* models.py reads it too */
    for (; *words; words++)
        hash = XXH64(*words, strlen(*words), hash);
    return xasprintf("%016llx", (unsigned long long)hash);
}

static char *path_below(const char *root, const char *path)
{
    return *path == '/' ? xstrdup(path) : xasprintf("%s/%s", root, path);
}

/* "SIZE NANOSECONDS PATH": the file is still what it was. */
static bool input_same(const char *root, const char *line)
{
    char *end;
    uint64_t size = strtoull(line, &end, 10), time = strtoull(end, &end, 10);
    char *path = path_below(root, end + (*end == ' '));
    struct stat st;
    bool same = stat(path, &st) == 0 && (uint64_t)st.st_size == size &&
                (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec == time;
    free(path);
    return same;
}

/* "KIND PATH": append it to the answer; false when the library is gone.  Its folder counts as used now. */
static bool library_there(const char *root, const char *line, char **answer)
{
    const char *space = strchr(line, ' ');
    if (space == NULL)
        return false;
    char *path = path_below(root, space + 1);
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there) {
        char *longer = xasprintf("%s%.*s %s\n", *answer, (int)(space - line), line, path);
        free(*answer);
        *answer = longer;
        utimensat(AT_FDCWD, dirname(path), NULL, 0);
    }
    free(path);
    return there;
}

/* What follows on a line of this kind; NULL: it is another one. */
static const char *behind(const char *line, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(line, kind, length) == 0 ? line + length : NULL;
}

/* The stamp of a cache, which nobody else may have written. */
static FILE *stamp_open(const char *cache, const char *below, const char *name)
{
    struct stat st;
    char *path = xasprintf("%s%s/stamps/%s", cache, below, name);
    FILE *file = fopen(path, "re");
    free(path);
    if (file && (fstat(fileno(file), &st) < 0 || !seal_trusted(&st))) {
        fclose(file);
        return NULL;
    }
    return file;
}

/* What it says when all that it names is as it was; NULL: nothing.  Closes the file. */
static char *stamp_read(const char *root, FILE *file)
{
    char *answer = xstrdup(""), *line = NULL;
    size_t room = 0;
    bool same = file != NULL, ended = false;
    while (same && !ended && getline(&line, &room, file) != -1) {
        line[strcspn(line, "\n")] = 0;
        ended = strcmp(line, "end") == 0; /* written last: the stamp is complete */
        const char *in = behind(line, "in "), *out = behind(line, "out ");
        if (in)
            same = input_same(root, in);
        else if (!ended)
            same = out && library_there(root, out, &answer);
    }
    if (file)
        fclose(file);
    free(line);
    if (same && ended)
        return answer;
    free(answer);
    return NULL;
}

/* Caches in the order in which model_cache.py looks for one. */
char *stamp_answer(const char *root, const char *name)
{
    static const char *const places[][2] = {{"XDG_CACHE_HOME", "/gantry/models"}, {"HOME", "/.cache/gantry/models"}};
    const char *named = getenv("GANTRY_MODEL_CACHE");
    if (named && *named)
        return stamp_read(root, stamp_open(named, "", name));
    char *answer = stamp_read(root, stamp_open(root, "/build/models", name));
    for (unsigned i = 0; i < 2 && answer == NULL; i++) {
        const char *base = getenv(places[i][0]);
        if (base && *base == '/')
            answer = stamp_read(root, stamp_open(base, places[i][1], name));
    }
    if (answer == NULL) {
        char *own = xasprintf("/var/tmp/gantry-models-%u", (unsigned)geteuid());
        answer = stamp_read(root, stamp_open(own, "", name));
        free(own);
    }
    return answer;
}
