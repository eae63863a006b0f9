/* SPDX-License-Identifier: Apache-2.0
 * Shape and arguments of a launch: specs as typed become values and buffers, hidden arguments are filled in, output
 * buffers go to their files afterwards.  Not responsible for: GPU memory (host/local/local.h) and dispatch.
 */
#ifndef GANTRY_KERNEL_ARGS_H
#define GANTRY_KERNEL_ARGS_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "loader/object.h"

#define KERNEL_ARGS_MAX 64u
#define STRUCT_MOST 4096u /* bytes of one that is passed by value */

struct kernel_arg {
    const char *spec;
    const char *place;              /* for messages; NULL: --arg */
    const struct object_arg *param; /* what it is given for; NULL: not known */
    unsigned number;                /* of that one */
    const char *name;               /* of a buffer of a script, also SPEC_NAMED */
    enum { SPEC_VALUE, SPEC_BUFFER, SPEC_LDS, SPEC_NAMED } kind;
    uint8_t value[8];      /* SPEC_VALUE of at most 8 bytes */
    uint32_t bytes, align; /* of the value */
    uint8_t *content;      /* SPEC_BUFFER: initial bytes, SPEC_VALUE: of a struct; owned; NULL: `fill` in all of them */
    uint8_t fill;
    uint64_t room; /* of the buffer or LDS in bytes */
    char *out;     /* file to write afterwards, NULL: none; owned */
    int out_fd;
    uint8_t *host; /* the buffer in GPU memory */
    uint64_t address;
    struct kernel_arg *shared; /* SPEC_NAMED: the buffer; borrowed */
    struct kernel_arg *want;   /* what a buffer holds in the end; owned; NULL: anything */
};

/* Work-items; dims 0: not given. */
struct kernel_shape {
    uint32_t grid[3], group[3];
    unsigned grid_dims, group_dims;
};

struct kernel_args {
    struct kernel_arg arg[KERNEL_ARGS_MAX];
    unsigned count;
    uint32_t lds_bytes; /* dynamic LDS in all, after the static part */
};

/* Grid and group against the kernel, whose demands are filled in; place: for messages, or NULL. STATUS_USAGE with one
 * line. */
enum gantry_status shape_check(struct kernel_shape *shape, const struct object_kernel *kernel, const char *place);
/* As many specs as the kernel has arguments, or the kernel does not say: else STATUS_USAGE with one line.  Also makes
 * *args empty. */
enum gantry_status args_begin(struct kernel_args *args, const struct object_kernel *kernel, unsigned count,
                              const char *place);
/* The next argument of the kernel, which `a` of args_parse is for; *next counts. */
const struct object_arg *args_param(const struct object_kernel *kernel, unsigned *next);
/* Does it suit the kernel's argument a->param?  NULL: any does. */
enum gantry_status spec_match(const struct kernel_arg *a);
/* LDS of all arguments, once they are there. */
void args_lds(struct kernel_args *args);
/* Parse the specs against the kernel's arguments, read input files, open output files; place: for messages, or NULL.
 * STATUS_USAGE, STATUS_MISSING, STATUS_IO, STATUS_DATA with one line.  args_fini in any case. */
enum gantry_status args_parse(struct kernel_args *args, const struct object_kernel *kernel, const char *const *specs,
                              unsigned count, const char *place);
void args_fini(struct kernel_args *args);
/* One spec: a->spec, place, param and number are set; likewise. */
enum gantry_status spec_parse(struct kernel_arg *a);
/* One line about it; STATUS_USAGE. */
enum gantry_status spec_wrong(const struct kernel_arg *a, const char *why);
/* A buffer of its own, by the spec; likewise. */
enum gantry_status arg_buffer(struct kernel_arg *a, const char *name, const char *spec, const char *place);
void arg_fini(struct kernel_arg *a);
/* The argument block; buffers have their addresses.  block has kernel->kernarg_bytes, zeroed. */
void args_block(const struct kernel_args *args, const struct object_kernel *kernel, const struct kernel_shape *shape,
                uint8_t *block);
/* Write output buffers to their files: STATUS_IO. */
enum gantry_status args_write(struct kernel_args *args);
enum gantry_status arg_write(struct kernel_arg *a);
/* A buffer holds what it should: else STATUS_DIFFERS with one line. */
enum gantry_status arg_compare(const struct kernel_arg *a);
#endif
