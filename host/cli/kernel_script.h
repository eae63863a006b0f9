/* SPDX-License-Identifier: Apache-2.0
 * What `gantry kernel` does: named buffers, launches one after another, what buffers hold in the end.  From a script
 * (YAML; docs/reference/cli.md) or one launch from the command line.  Everything is read and checked, and files are
 * opened, before a machine is made.  Not responsible for: memory and dispatch (kernel_run.h), specs (kernel_args.h).
 */
#ifndef GANTRY_KERNEL_SCRIPT_H
#define GANTRY_KERNEL_SCRIPT_H
#include "cli/options.h"
#include "lib/kernel_args.h"
#include "loader/object.h"

/* Pages of a buffer that go to the memory of another GPU. */
struct script_move {
    const struct kernel_arg *buffer; /* NULL: this is a launch */
    unsigned to;                     /* GPU */
    bool beside;                     /* the next launch, from `after` cycles of it on; else before it begins */
    uint64_t after;
};

/* A launch, or a move. */
struct script_launch {
    const char *place; /* for messages: FILE:LINE, or NULL: the command line */
    struct script_move move;
    struct cli_options options; /* shape and specs */
    uint64_t repeat;            /* times, 1 or more */
    const struct object_kernel *kernel;
    struct kernel_args args;
};

struct script_object {
    char *path;
    struct object *object;
};

struct kernel_script {
    struct words texts; /* that the rest points into */
    struct script_object *objects;
    struct script_launch *launches;
    struct kernel_arg *buffers; /* named; `want` is what they hold in the end */
    unsigned object_count, launch_count, buffer_count;
};

#define SCRIPT_LAUNCHES 4096u /* of a script */
#define SCRIPT_BUFFERS 1024u
#define SCRIPT_REPEAT 100000000u

/* The one launch of the command line: word is FILE[:KERNEL].  STATUS_* with one line; script_fini in any case. */
enum gantry_status script_of_word(struct kernel_script *script, const struct cli_options *options, const char *word);
enum gantry_status script_read(struct kernel_script *script, const char *file);
void script_fini(struct kernel_script *script);
#endif
