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

static enum gantry_status wrong(const struct kernel_arg *a, const char *why)
{
    diag(a->place ? a->place : "--arg", "%s: %s", a->spec, why);
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
            return wrong(a, "not a value of this type");
        memcpy(a->value, &value, 8);
    } else {
        uint64_t value = strtoull(text, &end, 0);

        if (end == text || *end || errno || *text == '-' || (bits < 64 && value >> bits))
            return wrong(a, "not a value of this type");
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
        return wrong(a, "not a number");
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
        return wrong(a, "no file to write to");
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
        return size_parse(text, &end, &a->room) && !*end ? STATUS_OK : wrong(a, "expected zero:BYTES");
    if (strcmp(kind, "fill") == 0) {
        char *stop;
        unsigned long byte = strtoul(text, &stop, 0);

        if (stop == text || *stop != ':' || byte > 255 || !size_parse(stop + 1, &end, &a->room) || *end)
            return wrong(a, "expected fill:BYTE:BYTES");
        a->fill = (uint8_t)byte;
        return STATUS_OK;
    }
    if (strcmp(kind, "out") == 0)
        return size_parse(text, &end, &a->room) && *end == ':' ? output_open(a, end + 1)
                                                               : wrong(a, "expected out:BYTES:FILE");
    end = strchr(text, ':');
    if (!end || end == text)
        return wrong(a, "expected inout:FILE:FILE");
    char *from = xasprintf("%.*s", (int)(end - text), text);

    status = file_load(a, from);
    free(from);
    return status == STATUS_OK ? output_open(a, end + 1) : status;
}

/* A value of the kind, or STATUS_OK with kind SPEC_BUFFER: there is no such kind. */
static enum gantry_status value_parse(struct kernel_arg *a, const char *kind, const char *text)
{
    static const struct {
        const char *name;
        unsigned bits;
        char type; /* u, i, f */
    } values[] = {{"u8", 8, 'u'},   {"i8", 8, 'i'},   {"u16", 16, 'u'}, {"i16", 16, 'i'},
                  {"u32", 32, 'u'}, {"i32", 32, 'i'}, {"u64", 64, 'u'}, {"i64", 64, 'i'},
                  {"f16", 16, 'f'}, {"f32", 32, 'f'}, {"f64", 64, 'f'}};
    a->kind = SPEC_BUFFER;
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(kind, values[i].name) == 0) {
            a->kind = SPEC_VALUE;
            a->bytes = a->align = values[i].bits / 8;
            return values[i].type == 'f' ? float_parse(a, text, values[i].bits)
                                         : integer_parse(a, text, values[i].bits, values[i].type == 'i');
        }
    }
    return STATUS_OK;
}

/* "u32:5,f32:1.5": members as C lays them out. */
static enum gantry_status struct_parse(struct kernel_arg *a, const char *text)
{
    uint32_t most = 1, at = 0;
    char *copy = xstrdup(text), *rest = copy, *member;
    enum gantry_status status = STATUS_OK;

    a->content = xcalloc(STRUCT_MOST, 1);
    while (status == STATUS_OK && (member = strsep(&rest, ","))) {
        struct kernel_arg m = {.spec = a->spec, .place = a->place, .kind = SPEC_BUFFER};
        char *colon = strchr(member, ':');

        if (colon)
            *colon = 0;
        status = colon ? value_parse(&m, member, colon + 1) : STATUS_OK;
        if (status == STATUS_OK && m.kind != SPEC_VALUE)
            status = wrong(a, "expected struct:u32:VALUE,f64:VALUE and so on");
        if (status != STATUS_OK)
            break;
        at = (at + m.bytes - 1) & ~(m.bytes - 1);
        if (at + m.bytes > STRUCT_MOST) {
            status = wrong(a, "more than 4096 bytes");
            break;
        }
        memcpy(a->content + at, m.value, m.bytes);
        at += m.bytes;
        most = m.bytes > most ? m.bytes : most;
    }
    a->kind = SPEC_VALUE;
    a->align = most;
    a->bytes = (at + most - 1) & ~(most - 1);
    free(copy);
    return status;
}

static enum gantry_status spec_parse(struct kernel_arg *a)
{
    static const char *const buffers[] = {"in", "zero", "fill", "out", "inout"};
    const char *colon = strchr(a->spec, ':'), *end;
    char kind[8];

    if (!colon || (size_t)(colon - a->spec) >= sizeof(kind))
        return wrong(a, "not an argument spec like u32:VALUE or in:FILE");
    memcpy(kind, a->spec, (size_t)(colon - a->spec));
    kind[colon - a->spec] = 0;
    enum gantry_status status = value_parse(a, kind, colon + 1);
    if (status != STATUS_OK || a->kind == SPEC_VALUE)
        return status;
    if (strcmp(kind, "struct") == 0)
        return struct_parse(a, colon + 1);
    if (strcmp(kind, "buf") == 0) {
        a->kind = SPEC_NAMED;
        a->name = colon + 1;
        return *a->name ? STATUS_OK : wrong(a, "expected buf:NAME");
    }
    for (unsigned i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        if (strcmp(kind, buffers[i]) == 0)
            return buffer_parse(a, kind, colon + 1);
    if (strcmp(kind, "lds") == 0) {
        a->kind = SPEC_LDS;
        return size_parse(colon + 1, &end, &a->room) && !*end && a->room <= UINT32_MAX / 64
                   ? STATUS_OK
                   : wrong(a, "expected lds:BYTES");
    }
    return wrong(a, "unknown kind of argument");
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
    else if ((a->kind == SPEC_BUFFER || a->kind == SPEC_NAMED) && want->size != 8)
        snprintf(why, sizeof(why), "argument %u%s%s is a value of %u bytes, not a buffer", index, gap, name,
                 want->size);
    else if (a->kind == SPEC_VALUE && a->bytes != want->size)
        snprintf(why, sizeof(why), "argument %u%s%s has %u bytes, this one %u", index, gap, name, want->size, a->bytes);
    else
        return STATUS_OK;
    return wrong(a, why);
}

enum gantry_status args_parse(struct kernel_args *args, const struct object_kernel *kernel,
                              const struct cli_options *options, const char *place)
{
    enum gantry_status status = STATUS_OK;
    unsigned wanted = 0;

    memset(args, 0, sizeof(*args));
    for (unsigned i = 0; i < CLI_ARGS_MAX; i++)
        args->arg[i].out_fd = -1;
    for (unsigned i = 0; i < kernel->arg_count; i++)
        wanted += !arg_hidden(&kernel->args[i]);
    if (kernel->described && wanted != options->arg_count) {
        diag(place ? place : "--arg", "kernel %s takes %u argument%s, %u given", kernel->name, wanted,
             wanted == 1 ? "" : "s", options->arg_count);
        return STATUS_USAGE;
    }
    for (unsigned i = 0; i < options->arg_count && status == STATUS_OK; i++) {
        args->arg[i].spec = options->args[i];
        args->arg[i].place = place;
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

enum gantry_status arg_buffer(struct kernel_arg *a, const char *name, const char *spec, const char *place)
{
    *a = (struct kernel_arg){.spec = spec, .place = place, .name = name, .out_fd = -1};
    enum gantry_status status = spec_parse(a);

    return status == STATUS_OK && a->kind != SPEC_BUFFER ? wrong(a, "no buffer") : status;
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
