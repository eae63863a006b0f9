/* SPDX-License-Identifier: Apache-2.0
 * Arguments of `gantry kernel`: specs as typed become values and buffers, hidden arguments are filled in, output
 * buffers go to their files afterwards.  Not responsible for: GPU memory (host/driver/local.h) and dispatch.
 */
#ifndef GANTRY_KERNEL_ARGS_H
#define GANTRY_KERNEL_ARGS_H
#include "cli/options.h"
#include "loader/object.h"

struct kernel_arg {
    const char *spec;
    enum { SPEC_VALUE, SPEC_BUFFER, SPEC_LDS } kind;
    uint8_t value[8]; /* SPEC_VALUE */
    uint32_t bytes;   /* of the value */
    uint8_t *content; /* SPEC_BUFFER: initial bytes; owned; NULL: `fill` in all of them */
    uint8_t fill;
    uint64_t room; /* of the buffer or LDS in bytes */
    char *out;     /* file to write afterwards, NULL: none; owned */
    int out_fd;
    uint8_t *host; /* the buffer in GPU memory */
    uint64_t address;
};

struct kernel_args {
    struct kernel_arg arg[CLI_ARGS_MAX];
    unsigned count;
    uint32_t lds_bytes; /* dynamic LDS in all, after the static part */
};

/* Parse the specs against the kernel's arguments, read input files, open output files.
 * STATUS_USAGE, STATUS_MISSING, STATUS_IO, STATUS_DATA with one line.  args_fini in any case. */
enum gantry_status args_parse(struct kernel_args *args, const struct object_kernel *kernel,
                              const struct cli_options *options);
void args_fini(struct kernel_args *args);
/* The argument block; buffers have their addresses.  block has kernel->kernarg_bytes, zeroed. */
void args_block(const struct kernel_args *args, const struct object_kernel *kernel, const struct cli_options *options,
                uint8_t *block);
/* Write output buffers to their files: STATUS_IO. */
enum gantry_status args_write(struct kernel_args *args);
#endif
