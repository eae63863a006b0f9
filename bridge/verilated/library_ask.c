/* SPDX-License-Identifier: Apache-2.0
 * The words for sw/tools/builder/models.py; contract in library_ask.h.
 */
#include "bridge/verilated/library_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/verilated/builder.h"

static void add_defines(struct words *w, const char *names)
{
    while (names && *names) {
        size_t n = strcspn(names, ",");
        words_add(w, xasprintf("--define=%.*s", (int)n, names));
        names += n + (names[n] == ',');
    }
}

void library_words(struct words *w, const struct library_source *source, bool trace)
{
    words_add(w, xstrdup("python3"));
    words_add(w, xasprintf("%s/sw/tools/builder/models.py", source->root));
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
}

char *library_ask(const struct library_source *source, const char *question, const char *const *kinds, unsigned count)
{
    struct words w = {0};
    enum gantry_status failure = STATUS_INTERNAL;
    library_words(&w, source, false);
    words_add(&w, xstrdup(question));
    for (unsigned i = 0; i < count; i++)
        words_add(&w, xstrdup(kinds[i]));
    char *answer = builder_run(w.list, source->unwanted, source->unwanted_arg, &failure);
    words_fini(&w);
    if (answer == NULL && source->failure)
        *source->failure = failure;
    return answer;
}
