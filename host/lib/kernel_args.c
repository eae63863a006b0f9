/* SPDX-License-Identifier: Apache-2.0
 * Shape and arguments of a launch against its kernel, the argument block, what is written and compared afterwards; see
 * kernel_args.h.  One spec: kernel_spec.c.
 */
#include "lib/kernel_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"

static enum gantry_status group_check(struct kernel_shape *shape, const struct object_kernel *k, const char *place)
{
    for (unsigned i = 0; i < 3; i++) {
        if (shape->group_dims == 0)
            shape->group[i] = k->required_group[i];
        if (k->required_group[0] && shape->group[i] != k->required_group[i]) {
            diag(place ? place : "--group", "kernel %s demands %u,%u,%u", k->name, k->required_group[0],
                 k->required_group[1], k->required_group[2]);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

enum gantry_status shape_check(struct kernel_shape *shape, const struct object_kernel *k, const char *place)
{
    if (shape->grid_dims == 0) {
        diag(place ? place : "kernel",
             place ? "no grid: [X, Y, Z] in work-items" : "no grid: give --grid X[,Y[,Z]] in work-items");
        return STATUS_USAGE;
    }
    if (shape->group_dims == 0 && k->required_group[0] == 0) {
        diag(place ? place : "kernel",
             place ? "no work-group size: group: [X, Y, Z]" : "no work-group size: give --group X[,Y[,Z]]");
        return STATUS_USAGE;
    }
    return group_check(shape, k, place);
}

enum gantry_status spec_match(const struct kernel_arg *a)
{
    const struct object_arg *want = a->param;
    char why[64];

    if (want == NULL)
        return STATUS_OK;
    if (want->kind == ARG_LDS && a->kind != SPEC_LDS)
        return spec_wrong(a, "expected lds:BYTES");
    if (want->kind != ARG_LDS && a->kind == SPEC_LDS)
        return spec_wrong(a, "no LDS is wanted");
    if ((a->kind == SPEC_BUFFER || a->kind == SPEC_NAMED) && want->size != 8)
        return spec_wrong(a, "a buffer is no value");
    if (a->kind != SPEC_VALUE || a->bytes == want->size)
        return STATUS_OK;
    snprintf(why, sizeof why, "these are %u bytes of %u", a->bytes, want->size);
    return spec_wrong(a, why);
}

enum gantry_status args_begin(struct kernel_args *args, const struct object_kernel *kernel, unsigned count,
                              const char *place)
{
    unsigned wanted = 0;

    memset(args, 0, sizeof(*args));
    for (unsigned i = 0; i < KERNEL_ARGS_MAX; i++)
        args->arg[i].out_fd = -1;
    for (unsigned i = 0; i < kernel->arg_count; i++)
        wanted += !arg_hidden(&kernel->args[i]);
    if (!kernel->described || wanted == count)
        return STATUS_OK;
    diag(place ? place : "--arg", "kernel %s takes %u argument%s, %u given (gantry kernel --list FILE tells them)",
         kernel->name, wanted, wanted == 1 ? "" : "s", count);
    return STATUS_USAGE;
}

const struct object_arg *args_param(const struct object_kernel *kernel, unsigned *next)
{
    while (*next < kernel->arg_count && arg_hidden(&kernel->args[*next]))
        ++*next;
    return *next < kernel->arg_count ? &kernel->args[(*next)++] : NULL;
}

void args_lds(struct kernel_args *args)
{
    for (unsigned i = 0; i < args->count; i++)
        if (args->arg[i].kind == SPEC_LDS)
            args->lds_bytes += (uint32_t)((args->arg[i].room + 15) & ~UINT64_C(15));
}

enum gantry_status args_parse(struct kernel_args *args, const struct object_kernel *kernel, const char *const *specs,
                              unsigned count, const char *place)
{
    enum gantry_status status = args_begin(args, kernel, count, place);

    for (unsigned i = 0, next = 0; i < count && status == STATUS_OK; i++) {
        struct kernel_arg *a = &args->arg[i];

        a->spec = specs[i];
        a->place = place;
        a->number = i;
        a->param = args_param(kernel, &next);
        args->count++;
        status = spec_parse(a);
        if (status == STATUS_OK)
            status = spec_match(a);
    }
    args_lds(args);
    return status;
}

void args_fini(struct kernel_args *args)
{
    for (unsigned i = 0; i < args->count; i++)
        arg_fini(&args->arg[i]);
    args->count = 0;
}

void arg_fini(struct kernel_arg *a)
{
    free(a->content);
    free(a->out);
    if (a->out_fd >= 0)
        close(a->out_fd);
    if (a->want)
        arg_fini(a->want);
    free(a->want);
}

/* Value of a hidden argument; not given: 0. */
static uint64_t hidden_value(const struct object_arg *arg, const struct kernel_args *args, const struct kernel_shape *o)
{
    switch (arg->kind) {
    case ARG_COUNT_X:
    case ARG_COUNT_Y:
    case ARG_COUNT_Z:
        return o->grid[arg->kind - ARG_COUNT_X] / o->group[arg->kind - ARG_COUNT_X];
    case ARG_GROUP_X:
    case ARG_GROUP_Y:
    case ARG_GROUP_Z:
        return o->group[arg->kind - ARG_GROUP_X];
    case ARG_REMAINDER_X:
    case ARG_REMAINDER_Y:
    case ARG_REMAINDER_Z:
        return o->grid[arg->kind - ARG_REMAINDER_X] % o->group[arg->kind - ARG_REMAINDER_X];
    case ARG_DIMS:
        return o->grid_dims;
    case ARG_LDS_BYTES:
        return args->lds_bytes;
    case ARG_PRIVATE_BASE:
        return 0x20000001;
    case ARG_SHARED_BASE:
        return 0x20000000;
    default:
        return 0;
    }
}

void args_block(const struct kernel_args *args, const struct object_kernel *kernel, const struct kernel_shape *shape,
                uint8_t *block)
{
    uint32_t lds = (kernel->group_bytes + 15) & ~15u, offset = 0;
    unsigned next = 0;

    for (unsigned i = 0; i < (kernel->described ? kernel->arg_count : args->count); i++) {
        struct object_arg plain = {.kind = ARG_BY_VALUE}; /* no metadata: in order, naturally aligned */
        const struct object_arg *want = kernel->described ? &kernel->args[i] : &plain;
        const struct kernel_arg *a = &args->arg[next];
        uint64_t value;

        if (arg_hidden(want)) {
            value = hidden_value(want, args, shape);
            memcpy(block + want->offset, &value, want->size < 8 ? want->size : 8);
            continue;
        }
        next++;
        if (!kernel->described) {
            plain.size = a->kind == SPEC_VALUE ? a->bytes : a->kind == SPEC_LDS ? 4 : 8;
            const uint32_t align = a->kind == SPEC_VALUE ? a->align : plain.size;
            plain.offset = (offset + align - 1) & ~(align - 1);
            offset = plain.offset + plain.size;
            if (offset > kernel->kernarg_bytes)
                return;
        }
        if (a->kind == SPEC_VALUE) {
            memcpy(block + want->offset, a->content ? a->content : a->value, want->size);
        } else {
            value = a->kind == SPEC_LDS ? lds : a->kind == SPEC_NAMED ? a->shared->address : a->address;
            if (a->kind == SPEC_LDS)
                lds += (uint32_t)((a->room + 15) & ~UINT64_C(15));
            memcpy(block + want->offset, &value, want->size);
        }
    }
}

enum gantry_status arg_write(struct kernel_arg *a)
{
    uint64_t done = 0;

    if (!a->out)
        return STATUS_OK;
    if (ftruncate(a->out_fd, 0) != 0 && errno != EINVAL)
        goto lost;
    while (done < a->room) {
        ssize_t n = write(a->out_fd, a->host + done, a->room - done);

        if (n < 0 && errno != EINTR)
            goto lost;
        done += n > 0 ? (uint64_t)n : 0;
    }
    const int closed = close(a->out_fd);
    a->out_fd = -1;
    if (closed == 0)
        return STATUS_OK;
lost:
    diag(a->out, "%s", strerror(errno));
    return STATUS_IO;
}

enum gantry_status args_write(struct kernel_args *args)
{
    enum gantry_status status = STATUS_OK;

    for (unsigned i = 0; i < args->count && status == STATUS_OK; i++)
        status = arg_write(&args->arg[i]);
    return status;
}

enum gantry_status arg_compare(const struct kernel_arg *a)
{
    uint64_t wrong_bytes = 0, first = 0;

    for (uint64_t i = a->want ? a->room : 0; i-- > 0;)
        if (a->host[i] != (a->want->content ? a->want->content[i] : a->want->fill)) {
            wrong_bytes++;
            first = i;
        }
    if (wrong_bytes == 0)
        return STATUS_OK;
    diag(a->want->place, "buffer %s: %llu %s, the first at %llu: 0x%02x, expected 0x%02x", a->name,
         (unsigned long long)wrong_bytes, wrong_bytes == 1 ? "byte differs" : "bytes differ", (unsigned long long)first,
         a->host[first], a->want->content ? a->want->content[first] : a->want->fill);
    return STATUS_DIFFERS;
}
