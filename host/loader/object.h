/* SPDX-License-Identifier: Apache-2.0
 * Code objects for gfx803: a file's kernels with their arguments, and the bytes to place in GPU memory.  The file is an
 * AMD GPU ELF (code-object version 2 to 6), a clang offload bundle, compressed or not, or a host ELF with such bundles
 * in .hip_fatbin. Every failure prints one line `gantry: FILE: cause` before it returns. Not responsible for: argument
 * values (host/cli), memory and dispatch (host/local/local.h).
 */
#ifndef GANTRY_OBJECT_H
#define GANTRY_OBJECT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Argument kinds: enumerator, name in metadata without underscores and case. */
#define ARG_KIND_LIST(X)                                                                                               \
    X(BY_VALUE, "byvalue")                                                                                             \
    X(BUFFER, "globalbuffer")                                                                                          \
    X(LDS, "dynamicsharedpointer")                                                                                     \
    X(OFFSET_X, "hiddenglobaloffsetx")                                                                                 \
    X(OFFSET_Y, "hiddenglobaloffsety")                                                                                 \
    X(OFFSET_Z, "hiddenglobaloffsetz")                                                                                 \
    X(NONE, "hiddennone")                                                                                              \
    X(PRINTF, "hiddenprintfbuffer")                                                                                    \
    X(HOSTCALL, "hiddenhostcallbuffer")                                                                                \
    X(DEFAULT_QUEUE, "hiddendefaultqueue")                                                                             \
    X(COMPLETION, "hiddencompletionaction")                                                                            \
    X(MULTIGRID, "hiddenmultigridsyncarg")                                                                             \
    X(HEAP, "hiddenheapv1")                                                                                            \
    X(COUNT_X, "hiddenblockcountx")                                                                                    \
    X(COUNT_Y, "hiddenblockcounty")                                                                                    \
    X(COUNT_Z, "hiddenblockcountz")                                                                                    \
    X(GROUP_X, "hiddengroupsizex")                                                                                     \
    X(GROUP_Y, "hiddengroupsizey")                                                                                     \
    X(GROUP_Z, "hiddengroupsizez")                                                                                     \
    X(REMAINDER_X, "hiddenremainderx")                                                                                 \
    X(REMAINDER_Y, "hiddenremaindery")                                                                                 \
    X(REMAINDER_Z, "hiddenremainderz")                                                                                 \
    X(DIMS, "hiddengriddims")                                                                                          \
    X(LDS_BYTES, "hiddendynamicldssize")                                                                               \
    X(PRIVATE_BASE, "hiddenprivatebase")                                                                               \
    X(SHARED_BASE, "hiddensharedbase")                                                                                 \
    X(QUEUE_PTR, "hiddenqueueptr")

#define ARG_KIND_ENUM(name, text) ARG_##name,
enum arg_kind { ARG_KIND_LIST(ARG_KIND_ENUM) ARG_KIND_COUNT };
#undef ARG_KIND_ENUM

struct object_arg {
    enum arg_kind kind;
    uint32_t offset; /* in the argument block */
    uint32_t size;
    char name[48]; /* as in the source, may be empty */
    char type[48]; /* likewise */
};

static inline bool arg_hidden(const struct object_arg *arg)
{
    return arg->kind >= ARG_OFFSET_X;
}

struct object_image;

/* For people: "uint*, a buffer", "a value of 4 bytes". */
void object_arg_text(const struct object_arg *arg, char *text, size_t room);

struct object_kernel {
    char *name;
    const struct object_image *image;
    uint64_t descriptor; /* load-relative address of the kernel descriptor or amd_kernel_code_t */
    uint32_t kernarg_bytes;
    uint32_t group_bytes;       /* static LDS */
    uint32_t private_bytes;     /* scratch of a work-item */
    uint32_t required_group[3]; /* reqd_work_group_size, or 0 */
    uint32_t max_group;         /* most work-items of a group, 0 unknown */
    bool described;             /* args come from metadata */
    struct object_arg *args;
    unsigned arg_count;
};

/* One ELF code object inside the file. */
struct object_image {
    const uint8_t *bytes;
    size_t size;
    unsigned version;    /* code-object version */
    uint64_t load_bytes; /* of memory, from load-relative address 0 */
    char *place;         /* for messages: file, and where in it */
};

struct object {
    char *path;
    uint8_t *data;
    size_t size;
    struct object_image *images;
    unsigned image_count;
    struct object_kernel *kernels;
    unsigned kernel_count;
    uint8_t **unpacked; /* bundles that were compressed */
    unsigned unpacked_count;
    bool quiet; /* only looked at: nothing is printed */
};

/* STATUS_MISSING, STATUS_IO, STATUS_OBJECT. */
enum gantry_status object_open(const char *path, struct object **out);
void object_free(struct object *object);

/* The program at `path` holds GPU code, but none for our GPU: true, with "gfx900, gfx906" in targets.  Prints nothing.
 */
bool object_foreign(const char *path, char *targets, size_t room);

/* The kernel `name` (symbol, or as in the source with or without parameters), or the only one when name is NULL; NULL
 * with a line that lists the kernels. */
const struct object_kernel *object_kernel_find(const struct object *object, const char *name);

/* Write the loaded image (load_bytes, zeroed by the caller) to `to`; base is its GPU address, for relocations. */
enum gantry_status object_image_place(const struct object_image *image, uint64_t base, uint8_t *to);
#endif
