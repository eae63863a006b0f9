/* SPDX-License-Identifier: Apache-2.0
 * Model libraries: asks sw/tools/builder/models.py for the one of each kind that fits the constants given (built when
 * missing) and loads it.  Responsible for: finding, building, dlopen of what is whole, ABI check.  Not responsible for:
 * the process that builds (builder.h), instances (rtl_part.h). GANTRY_MODEL_DEFINES (names separated by commas: seeded
 * faults of the RTL) and GANTRY_MODEL_STD_X (any value: all registers start with random contents) select variants for
 * tests.
 */
#ifndef GANTRY_LIBRARY_H
#define GANTRY_LIBRARY_H
#include <stdbool.h>

#include "base/status.h"
#include "base/words.h"
#include "bridge/verilated/model.h"

struct library {
    const char *kind;
    const struct model_api *api;
    void *handle;
    int fd;      /* while there is a handle: the file that was checked, by whose name it was loaded */
    char *key;   /* name in the cache: kind and hash of sources, constants, tools */
    char *tools; /* versions that built it, "" when nobody knows */
};

/* Where libraries come from, and who waits for them. */
struct library_source {
    const char *root;            /* of the tree: sw/tools/builder/models.py, build/models */
    struct words words;          /* for models.py: constants of the RTL, compiler, observation ports */
    bool (*unwanted)(void *arg); /* builder.h; may be NULL */
    void *unwanted_arg;
    enum gantry_status *failure; /* the class of what made loading fail is left here; may be NULL */
};

/* Load `count` kinds (library[i].kind is set by the caller), with FST tracing when asked for.  What is loaded holds
 * what was built (seal.h): what does not is asked for again, and made anew by the builder, or refused (STATUS_IO).
 * False with one line on stderr, or without when source->unwanted said that nobody waits any more. */
bool library_load(const struct library_source *source, bool trace, struct library *libraries, unsigned count);
void library_unload(struct library *libraries, unsigned count);
#endif
