/* SPDX-License-Identifier: Apache-2.0
 * Model libraries; contract in library.h.
 */
#include "bridge/verilated/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/verilated/builder.h"
#include "bridge/verilated/library_ask.h"
#include "bridge/verilated/seal.h"
#include "bridge/verilated/stamp.h"

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

/* Through the descriptor: what is loaded is the file that was checked. */
static void name_of(int fd, char name[40])
{
    snprintf(name, 40, "/proc/self/fd/%d", fd);
}

/* The loader knows libraries by their names: a descriptor by which one is loaded must not become another file's. */
static void descriptor_close(int fd)
{
    char name[40];
    name_of(fd, name);
    void *loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded)
        dlclose(loaded);
    else
        close(fd);
}

/* Takes fd. */
static bool library_open(struct library *lib, const char *path, int fd)
{
    char name[40];
    name_of(fd, name);
    lib->key = key_of(path);
    lib->tools = tools_read(path);
    lib->fd = fd;
    lib->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (lib->handle == NULL) {
        const char *why = dlerror(), *behind = strstr(why, ": ");
        diag("models", "%s: %s: %s", lib->kind, path, behind ? behind + 2 : why);
        close(fd);
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

static void library_close(const struct library *lib)
{
    dlclose(lib->handle);
    descriptor_close(lib->fd);
}

/* An answer: lines "KIND PATH", one for each library, each of which is whole. */
struct answer {
    unsigned count;
    struct {
        char *path;
        int fd;
    } of[];
};

static void answer_free(struct answer *a)
{
    for (unsigned i = 0; a && i < a->count; i++) {
        free(a->of[i].path);
        close(a->of[i].fd); /* -1: nothing happens */
    }
    free(a);
}

/* One line; false with one on stderr, and its class, unless `failure` is NULL. */
static bool line_read(struct answer *a, const struct library *lib, const char *line, enum gantry_status *failure)
{
    const size_t kind = lib ? strlen(lib->kind) : 0;
    const char *why;
    if (!lib || strncmp(line, lib->kind, kind) != 0 || line[kind] != ' ') {
        if (failure)
            diag("models", "the builder answers \"%s\"", line);
        return false;
    }
    const int fd = seal_open(line + kind + 1, &why);
    if (fd < 0 && failure) {
        *failure = STATUS_IO;
        diag("models", "%s: %s: %s", lib->kind, line + kind + 1, why);
    }
    if (fd < 0)
        return false;
    a->of[a->count].path = xstrdup(line + kind + 1);
    a->of[a->count++].fd = fd;
    return true;
}

/* NULL: it is not such an answer; the text is used up. */
static struct answer *answer_read(char *text, const struct library *libraries, unsigned count,
                                  enum gantry_status *failure)
{
    struct answer *a = xzalloc(sizeof *a + count * sizeof *a->of);
    bool ok = text != NULL;
    for (char *rest = text, *line; ok && (line = strsep(&rest, "\n")) && (rest || *line);)
        ok = line_read(a, a->count < count ? &libraries[a->count] : NULL, line, failure);
    if (ok && a->count != count && failure)
        diag("models", "%u of %u libraries were named", a->count, count);
    if (ok && a->count == count)
        return a;
    answer_free(a);
    return NULL;
}

/* The loader's names are descriptors, and a library that is loaded twice is one: one thread at a time. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

bool library_load(const struct library_source *source, bool trace, struct library *libraries, unsigned count)
{
    struct words w = {0};
    enum gantry_status failure = STATUS_INTERNAL;
    if (count == 0)
        return true;
    library_words(&w, source, trace);
    for (unsigned i = 0; i < count; i++)
        words_add(&w, xstrdup(libraries[i].kind));
    char *stamp = stamp_name(w.list), *text = stamp_answer(source->root, stamp);
    struct answer *a = answer_read(text, libraries, count, NULL);
    if (a == NULL) { /* also when a library is not what it was: the builder makes it anew */
        free(text);
        words_add(&w, xasprintf("--stamp=%s", stamp));
        text = builder_run(w.list, source->unwanted, source->unwanted_arg, &failure);
        a = text ? answer_read(text, libraries, count, &failure) : NULL;
    }
    free(text);
    free(stamp);
    words_fini(&w);
    if (a == NULL && source->failure)
        *source->failure = failure;
    bool ok = a != NULL;
    pthread_mutex_lock(&loading);
    for (unsigned i = 0; ok && i < count; i++) {
        ok = library_open(&libraries[i], a->of[i].path, a->of[i].fd);
        a->of[i].fd = -1; /* it is the library's now */
    }
    pthread_mutex_unlock(&loading);
    answer_free(a);
    return ok;
}

void library_unload(struct library *libraries, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_mutex_lock(&loading);
        if (libraries[i].handle)
            library_close(&libraries[i]);
        pthread_mutex_unlock(&loading);
        free(libraries[i].key);
        free(libraries[i].tools);
        libraries[i] = (struct library){.kind = libraries[i].kind};
    }
}
