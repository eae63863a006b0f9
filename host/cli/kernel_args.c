/* SPDX-License-Identifier: Apache-2.0
 * Argument specs of `gantry kernel`; see kernel_args.h.
 */
#include "cli/kernel_args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"

#define BUFFER_LIMIT (UINT64_C(64) << 30)

static enum gantry_status wrong(const char *spec, const char *why)
{
    diag("--arg", "%s: %s", spec, why);
    return STATUS_USAGE;
}

/* Bytes with an optional K, M or G; 0 is refused. */
static bool size_parse(const char *text, const char **end, uint64_t *bytes)
{
    char *stop;

    errno = 0;
    *bytes = strtoull(text, &stop, 0);
    if (stop == text || errno || *text == '-')
        return false;
    unsigned shift = *stop == 'K' ? 10 : *stop == 'M' ? 20 : *stop == 'G' ? 30 : 0;
    *end = stop + (shift > 0);
    if (*bytes == 0 || *bytes > BUFFER_LIMIT >> shift)
        return false;
    *bytes <<= shift;
    return true;
}

static enum gantry_status integer_parse(struct kernel_arg *a, const char *text, unsigned bits, bool is_signed)
{
    char *end;

    errno = 0;
    if (is_signed) {
        int64_t value = strtoll(text, &end, 0);

        if (end == text || *end || errno ||
            (bits < 64 && (value < -(INT64_C(1) << (bits - 1)) || value >= INT64_C(1) << (bits - 1))))
            return wrong(a->spec, "not a value of this type");
        memcpy(a->value, &value, 8);
    } else {
        uint64_t value = strtoull(text, &end, 0);

        if (end == text || *end || errno || *text == '-' || (bits < 64 && value >> bits))
            return wrong(a->spec, "not a value of this type");
        memcpy(a->value, &value, 8);
    }
    return STATUS_OK;
}

static enum gantry_status float_parse(struct kernel_arg *a, const char *text, unsigned bits)
{
    char *end;
    double wide = strtod(text, &end);
    float single = (float)wide;
    _Float16 half = (_Float16)wide;

    if (end == text || *end)
        return wrong(a->spec, "not a number");
    if (bits == 64)
        memcpy(a->value, &wide, 8);
    else if (bits == 32)
        memcpy(a->value, &single, 4);
    else
        memcpy(a->value, &half, 2);
    return STATUS_OK;
}

static enum gantry_status file_load(struct kernel_arg *a, const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "re");
    enum gantry_status status = STATUS_OK;

    if (!file || fstat(fileno(file), &info) != 0) {
        int cause = errno;

        diag(path, "%s", strerror(cause));
        if (file)
            fclose(file);
        return cause == ENOENT || cause == ENOTDIR ? STATUS_MISSING : STATUS_IO;
    }
    if (!S_ISREG(info.st_mode) || info.st_size == 0 || (uint64_t)info.st_size > BUFFER_LIMIT) {
        diag(path, "%s", S_ISREG(info.st_mode) ? info.st_size ? "too large" : "empty file" : "not a regular file");
        status = STATUS_DATA;
    } else if (!(a->content = malloc((size_t)info.st_size))) {
        diag(path, "too large");
        status = STATUS_DATA;
    } else {
        a->room = (uint64_t)info.st_size;
        if (fread(a->content, 1, a->room, file) != a->room) {
            diag(path, "%s", strerror(errno));
            status = STATUS_IO;
        }
    }
    fclose(file);
    return status;
}

static enum gantry_status output_open(struct kernel_arg *a, const char *path)
{
    if (!*path)
        return wrong(a->spec, "no file to write to");
    a->out = xstrdup(path);
    a->out_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (a->out_fd < 0) {
        diag(path, "%s", strerror(errno));
        return STATUS_IO;
    }
    return STATUS_OK;
}

static enum gantry_status buffer_parse(struct kernel_arg *a, const char *kind, const char *text)
{
    const char *end = "";
    enum gantry_status status;

    a->kind = SPEC_BUFFER;
    if (strcmp(kind, "in") == 0)
        return file_load(a, text);
    if (strcmp(kind, "zero") == 0)
        return size_parse(text, &end, &a->room) && !*end ? STATUS_OK : wrong(a->spec, "expected zero:BYTES");
    if (strcmp(kind, "fill") == 0) {
        char *stop;
        unsigned long byte = strtoul(text, &stop, 0);

        if (stop == text || *stop != ':' || byte > 255 || !size_parse(stop + 1, &end, &a->room) || *end)
            return wrong(a->spec, "expected fill:BYTE:BYTES");
        a->fill = (uint8_t)byte;
        return STATUS_OK;
    }
    if (strcmp(kind, "out") == 0)
        return size_parse(text, &end, &a->room) && *end == ':' ? output_open(a, end + 1)
                                                               : wrong(a->spec, "expected out:BYTES:FILE");
    end = strchr(text, ':');
    if (!end || end == text)
        return wrong(a->spec, "expected inout:FILE:FILE");
    char *from = xasprintf("%.*s", (int)(end - text), text);

    status = file_load(a, from);
    free(from);
    return status == STATUS_OK ? output_open(a, end + 1) : status;
}

static enum gantry_status spec_parse(struct kernel_arg *a)
{
    static const struct {
        const char *name;
        unsigned bits;
        char type; /* u, i, f */
    } values[] = {{"u8", 8, 'u'},   {"i8", 8, 'i'},   {"u16", 16, 'u'}, {"i16", 16, 'i'},
                  {"u32", 32, 'u'}, {"i32", 32, 'i'}, {"u64", 64, 'u'}, {"i64", 64, 'i'},
                  {"f16", 16, 'f'}, {"f32", 32, 'f'}, {"f64", 64, 'f'}};
    static const char *const buffers[] = {"in", "zero", "fill", "out", "inout"};
    const char *colon = strchr(a->spec, ':'), *end;
    char kind[8];

    if (!colon || (size_t)(colon - a->spec) >= sizeof(kind))
        return wrong(a->spec, "not an argument spec like u32:VALUE or in:FILE");
    memcpy(kind, a->spec, (size_t)(colon - a->spec));
    kind[colon - a->spec] = 0;
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(kind, values[i].name) == 0) {
            a->kind = SPEC_VALUE;
            a->bytes = values[i].bits / 8;
            return values[i].type == 'f' ? float_parse(a, colon + 1, values[i].bits)
                                         : integer_parse(a, colon + 1, values[i].bits, values[i].type == 'i');
        }
    }
    for (unsigned i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        if (strcmp(kind, buffers[i]) == 0)
            return buffer_parse(a, kind, colon + 1);
    if (strcmp(kind, "lds") == 0) {
        a->kind = SPEC_LDS;
        return size_parse(colon + 1, &end, &a->room) && !*end && a->room <= UINT32_MAX / 64
                   ? STATUS_OK
                   : wrong(a->spec, "expected lds:BYTES");
    }
    return wrong(a->spec, "unknown kind of argument");
}

/* Does a spec suit the kernel's argument? */
static enum gantry_status spec_match(const struct kernel_arg *a, const struct object_arg *want, unsigned index)
{
    const char *gap = *want->name ? " " : "", *name = want->name;
    char why[160];

    if (want->kind == ARG_LDS && a->kind != SPEC_LDS)
        snprintf(why, sizeof(why), "argument %u%s%s is dynamic LDS: expected lds:BYTES", index, gap, name);
    else if (want->kind != ARG_LDS && a->kind == SPEC_LDS)
        snprintf(why, sizeof(why), "argument %u%s%s is no LDS pointer", index, gap, name);
    else if (a->kind == SPEC_BUFFER && want->size != 8)
        snprintf(why, sizeof(why), "argument %u%s%s is a value of %u bytes, not a buffer", index, gap, name,
                 want->size);
    else if (a->kind == SPEC_VALUE && a->bytes != want->size)
        snprintf(why, sizeof(why), "argument %u%s%s has %u bytes, this one %u", index, gap, name, want->size, a->bytes);
    else
        return STATUS_OK;
    return wrong(a->spec, why);
}

enum gantry_status args_parse(struct kernel_args *args, const struct object_kernel *kernel,
                              const struct cli_options *options)
{
    enum gantry_status status = STATUS_OK;
    unsigned wanted = 0;

    memset(args, 0, sizeof(*args));
    for (unsigned i = 0; i < CLI_ARGS_MAX; i++)
        args->arg[i].out_fd = -1;
    for (unsigned i = 0; i < kernel->arg_count; i++)
        wanted += !arg_hidden(&kernel->args[i]);
    if (kernel->described && wanted != options->arg_count) {
        diag("--arg", "kernel %s takes %u argument%s, %u given", kernel->name, wanted, wanted == 1 ? "" : "s",
             options->arg_count);
        return STATUS_USAGE;
    }
    for (unsigned i = 0; i < options->arg_count && status == STATUS_OK; i++) {
        args->arg[i].spec = options->args[i];
        args->count++;
        status = spec_parse(&args->arg[i]);
    }
    for (unsigned i = 0, next = 0; i < kernel->arg_count && status == STATUS_OK; i++)
        if (!arg_hidden(&kernel->args[i]))
            status = spec_match(&args->arg[next], &kernel->args[i], next), next++;
    for (unsigned i = 0; i < args->count; i++)
        if (args->arg[i].kind == SPEC_LDS)
            args->lds_bytes += (uint32_t)((args->arg[i].room + 15) & ~UINT64_C(15));
    return status;
}

void args_fini(struct kernel_args *args)
{
    for (unsigned i = 0; i < args->count; i++) {
        free(args->arg[i].content);
        free(args->arg[i].out);
        if (args->arg[i].out_fd >= 0)
            close(args->arg[i].out_fd);
    }
    args->count = 0;
}

/* Value of a hidden argument; not given: 0. */
static uint64_t hidden_value(const struct object_arg *arg, const struct kernel_args *args, const struct cli_options *o)
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

void args_block(const struct kernel_args *args, const struct object_kernel *kernel, const struct cli_options *options,
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
            value = hidden_value(want, args, options);
            memcpy(block + want->offset, &value, want->size < 8 ? want->size : 8);
            continue;
        }
        next++;
        if (!kernel->described) {
            plain.size = a->kind == SPEC_VALUE ? a->bytes : a->kind == SPEC_LDS ? 4 : 8;
            plain.offset = (offset + plain.size - 1) & ~(plain.size - 1);
            offset = plain.offset + plain.size;
            if (offset > kernel->kernarg_bytes)
                return;
        }
        if (a->kind == SPEC_VALUE) {
            memcpy(block + want->offset, a->value, want->size);
        } else {
            value = a->kind == SPEC_LDS ? lds : a->address;
            if (a->kind == SPEC_LDS)
                lds += (uint32_t)((a->room + 15) & ~UINT64_C(15));
            memcpy(block + want->offset, &value, want->size);
        }
    }
}

enum gantry_status args_write(struct kernel_args *args)
{
    for (unsigned i = 0; i < args->count; i++) {
        struct kernel_arg *a = &args->arg[i];
        uint64_t done = 0;

        if (!a->out)
            continue;
        if (ftruncate(a->out_fd, 0) != 0 && errno != EINVAL)
            goto lost;
        while (done < a->room) {
            ssize_t n = write(a->out_fd, a->host + done, a->room - done);

            if (n < 0 && errno != EINTR)
                goto lost;
            done += n > 0 ? (uint64_t)n : 0;
        }
        if (close(a->out_fd) != 0) {
            a->out_fd = -1;
            goto lost;
        }
        a->out_fd = -1;
        continue;
    lost:
        diag(a->out, "%s", strerror(errno));
        return STATUS_IO;
    }
    return STATUS_OK;
}
