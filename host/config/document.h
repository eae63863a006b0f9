/* SPDX-License-Identifier: Apache-2.0
 * One YAML document from a file that anybody may have written: how large it is, how deep it nests and what else takes
 * libyaml more than linear time is bounded before its tree is made.  Not responsible for: what it says (yaml.c, scripts
 * of `gantry kernel`).
 */
#ifndef GANTRY_CONFIG_DOCUMENT_H
#define GANTRY_CONFIG_DOCUMENT_H
#include <stdbool.h>

#include <yaml.h>

#include "base/status.h"

#define DOCUMENT_BYTES (4u << 20)
#define DOCUMENT_DEPTH 64u     /* collections in each other */
#define DOCUMENT_ANCHORS 1024u /* libyaml compares each with all before */
#define DOCUMENT_DIRECTIVES 16u

struct document_problem {
    size_t line; /* from 1 */
    char why[160];
};

/* Make the tree of a text; false: it is no YAML, beyond a bound, or has a second document. */
bool document_parse(const char *text, size_t length, yaml_document_t *doc, struct document_problem *problem);
/* Read file `name` into *doc, which is the caller's to delete on STATUS_OK; of an empty file it has no root.
 * STATUS_MISSING, STATUS_IO, or STATUS_CONFIG: no YAML, beyond a bound, or a second document; one line each. */
enum gantry_status document_load(const char *name, yaml_document_t *doc);
#endif
