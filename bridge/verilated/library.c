/* SPDX-License-Identifier: Apache-2.0
 * Model libraries; contract in library.h.
 */
#include "bridge/verilated/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/verilated/builder.h"
#include "bridge/verilated/stamp.h"

static void add_defines(struct words *w, const char *names)
{
    while (names && *names) {
        size_t n = strcspn(names, ",");
        words_add(w, xasprintf("--define=%.*s", (int)n, names));
        names += n + (names[n] == ',');
    }
}

static void command_line(struct words *w, const struct library_source *source, bool trace,
                         const struct library *libraries, unsigned count)
{
    words_add(w, xstrdup("python3"));
    words_add(w, xasprintf("%s/sw/tools/models.py", source->root));
    for (size_t i = 0; i < source->words.count; i++)
        words_add(w, xstrdup(source->words.list[i]));
    if (trace)
        words_add(w, xstrdup("--trace"));
    if (getenv("GANTRY_MODEL_CHECK"))
        words_add(w, xstrdup("--check"));
    if (getenv("GANTRY_MODEL_STD_X"))
        words_add(w, xstrdup("--std-x"));
    if (getenv("GANTRY_RTL_COVERAGE"))
        words_add(w, xstrdup("--coverage"));
    add_defines(w, getenv("GANTRY_MODEL_DEFINES"));
    for (unsigned i = 0; i < count; i++)
        words_add(w, xstrdup(libraries[i].kind));
}

static void model_bug(const char *name, uint64_t cycle, const char *text)
{
    check_fail(__FILE__, __LINE__, "RTL assertion", name, "cycle=%llu %s", (unsigned long long)cycle, text);
}

/* What models.py noted about the build beside the library: a new string. */
static char *tools_read(const char *path)
{
    char *name = xasprintf("%.*s/tools.txt", (int)(strrchr(path, '/') - path), path), line[256] = "";
    FILE *file = fopen(name, "re");
    if (file && fgets(line, sizeof line, file))
        line[strcspn(line, "\n")] = 0;
    if (file)
        fclose(file);
    free(name);
    return xstrdup(line);
}

/* "cu-1e8a677be468" of ".../cu-1e8a677be468/Vpart_cu" */
static char *key_of(const char *path)
{
    const char *end = strrchr(path, '/'), *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    return xasprintf("%.*s", (int)(end - begin), begin);
}

static bool library_open(struct library *lib, const char *path)
{
    lib->key = key_of(path);
    lib->tools = tools_read(path);
    lib->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (lib->handle == NULL) {
        diag("models", "%s: %s", lib->kind, dlerror());
        return false;
    }
    const struct model_api *(*entry)(void);
    *(void **)&entry = dlsym(lib->handle, "gantry_model");
    lib->api = entry ? entry() : NULL;
    if (lib->api == NULL || lib->api->abi != MODEL_ABI || strcmp(lib->api->kind, lib->kind) != 0) {
        diag("models", "%s: not a library of this kind and version", path);
        return false;
    }
    lib->api->set_bug(model_bug);
    return true;
}

/* A line of the answer, "KIND PATH"; lib: whose turn it is, NULL: of none. */
static bool answer_open(struct library *lib, const char *line)
{
    size_t kind = lib ? strlen(lib->kind) : 0;
    if (lib && strncmp(line, lib->kind, kind) == 0 && line[kind] == ' ')
        return library_open(lib, line + kind + 1);
    diag("models", "the builder answers \"%s\"", line);
    return false;
}

bool library_load(const struct library_source *source, bool trace, struct library *libraries, unsigned count)
{
    struct words w = {0};
    enum gantry_status failure = STATUS_INTERNAL;
    if (count == 0)
        return true;
    command_line(&w, source, trace, libraries, count);
    char *stamp = stamp_name(w.list), *text = stamp_answer(source->root, stamp);
    if (text == NULL) {
        words_add(&w, xasprintf("--stamp=%s", stamp));
        text = builder_run(w.list, source->unwanted, source->unwanted_arg, &failure);
    }
    free(stamp);
    words_fini(&w);
    bool ok = text != NULL;
    if (!ok && source->failure)
        *source->failure = failure;
    unsigned n = 0;
    for (char *rest = text, *line; ok && (line = strsep(&rest, "\n")) && (rest || *line); n++)
        ok = answer_open(n < count ? &libraries[n] : NULL, line);
    if (ok && n != count)
        diag("models", "%u of %u libraries were named", n, count);
    free(text);
    return ok && n == count;
}

void library_unload(struct library *libraries, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (libraries[i].handle)
            dlclose(libraries[i].handle);
        free(libraries[i].key);
        free(libraries[i].tools);
        libraries[i] = (struct library){.kind = libraries[i].kind};
    }
}
