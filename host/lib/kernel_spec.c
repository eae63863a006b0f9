/* SPDX-License-Identifier: Apache-2.0
 * One argument spec as typed becomes a value or a buffer; contract in kernel_args.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/number.h"
#include "base/xalloc.h"
#include "lib/kernel_args.h"

#define BUFFER_LIMIT (UINT64_C(64) << 30)
#define LDS_LIMIT 65536u

enum gantry_status spec_wrong(const struct kernel_arg *a, const char *why)
{
    char what[128], tail[256] = "";

    if (a->param) {
        object_arg_text(a->param, what, sizeof what);
        snprintf(tail, sizeof tail, "; argument %u%s%s is %s", a->number, *a->param->name ? " " : "", a->param->name,
                 what);
    }
    diag(a->place ? a->place : "--arg", "%s: %s%s", a->spec, why, tail);
    return STATUS_USAGE;
}

/* Bytes with an optional K, M or G, into a->room; form: what is expected.  0 is refused. */
static enum gantry_status size_parse(struct kernel_arg *a, const char *text, const char **end, const char *form)
{
    char *stop;

    errno = 0;
    const uint64_t value = strtoull(text, &stop, 0);
    if (stop == text || *text == '-' || value == 0)
        return spec_wrong(a, form);
    const unsigned shift = *stop == 'K' ? 10 : *stop == 'M' ? 20 : *stop == 'G' ? 30 : 0;
    *end = stop + (shift > 0);
    if (errno || value > BUFFER_LIMIT >> shift) {
        spec_wrong(a, "GPU memory is too small: no GPU has more than 64 GiB");
        return STATUS_DATA;
    }
    a->room = value << shift;
    return STATUS_OK;
}

/* The same, and nothing behind it. */
static enum gantry_status room_parse(struct kernel_arg *a, const char *text, const char *form)
{
    const char *end = "";
    const enum gantry_status status = size_parse(a, text, &end, form);

    return status == STATUS_OK && *end ? spec_wrong(a, form) : status;
}

static enum gantry_status integer_parse(struct kernel_arg *a, const char *text, unsigned bits, bool is_signed)
{
    const int64_t most = INT64_MAX >> (64 - bits), least = -most - 1;
    const uint64_t unsigned_most = UINT64_MAX >> (64 - bits);
    char *end, why[80];
    bool outside;

    errno = 0;
    if (is_signed) {
        const int64_t value = strtoll(text, &end, 0);

        outside = errno || value < least || value > most;
        snprintf(why, sizeof why, "outside %lld..%lld", (long long)least, (long long)most);
        memcpy(a->value, &value, 8);
    } else {
        const uint64_t value = strtoull(text, &end, 0);

        outside = errno || text[strspn(text, " \t")] == '-' || value > unsigned_most;
        snprintf(why, sizeof why, "outside 0..%llu", (unsigned long long)unsigned_most);
        memcpy(a->value, &value, 8);
    }
    if (end == text || *end)
        return spec_wrong(a, "not an integer");
    return outside ? spec_wrong(a, why) : STATUS_OK;
}

static enum gantry_status float_parse(struct kernel_arg *a, const char *text, unsigned bits)
{
    char *end;
    double wide = number_read(text, &end);
    float single = (float)wide;
    _Float16 half = (_Float16)wide;

    if (end == text || *end)
        return spec_wrong(a, "not a number");
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
        return spec_wrong(a, "no file to write to");
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
        return room_parse(a, text, "expected zero:BYTES");
    if (strcmp(kind, "fill") == 0) {
        char *stop;
        unsigned long byte = strtoul(text, &stop, 0);

        if (stop == text || *stop != ':' || byte > 255)
            return spec_wrong(a, "expected fill:BYTE:BYTES");
        a->fill = (uint8_t)byte;
        return room_parse(a, stop + 1, "expected fill:BYTE:BYTES");
    }
    if (strcmp(kind, "out") == 0) {
        status = size_parse(a, text, &end, "expected out:BYTES:FILE");
        if (status == STATUS_OK && *end != ':')
            return spec_wrong(a, "expected out:BYTES:FILE");
        return status == STATUS_OK ? output_open(a, end + 1) : status;
    }
    end = strchr(text, ':');
    if (!end || end == text)
        return spec_wrong(a, "expected inout:FILE:FILE");
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
        struct kernel_arg m = {
            .spec = a->spec, .place = a->place, .param = a->param, .number = a->number, .kind = SPEC_BUFFER};
        char *colon = strchr(member, ':');

        if (colon)
            *colon = 0;
        status = colon ? value_parse(&m, member, colon + 1) : STATUS_OK;
        if (status == STATUS_OK && m.kind != SPEC_VALUE)
            status = spec_wrong(a, "expected struct:u32:VALUE,f64:VALUE and so on");
        if (status != STATUS_OK)
            break;
        at = (at + m.bytes - 1) & ~(m.bytes - 1);
        if (at + m.bytes > STRUCT_MOST) {
            status = spec_wrong(a, "more than 4096 bytes");
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

enum gantry_status spec_parse(struct kernel_arg *a)
{
    static const char *const buffers[] = {"in", "zero", "fill", "out", "inout"};
    const char *colon = strchr(a->spec, ':');
    char kind[8];

    if (!colon || (size_t)(colon - a->spec) >= sizeof(kind))
        return spec_wrong(a, "not an argument spec like u32:VALUE or in:FILE");
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
        return *a->name ? STATUS_OK : spec_wrong(a, "expected buf:NAME");
    }
    for (unsigned i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        if (strcmp(kind, buffers[i]) == 0)
            return buffer_parse(a, kind, colon + 1);
    if (strcmp(kind, "lds") == 0) {
        a->kind = SPEC_LDS;
        status = room_parse(a, colon + 1, "expected lds:BYTES");
        return status == STATUS_OK && a->room > LDS_LIMIT ? spec_wrong(a, "no CU has more than 64 KiB of LDS") : status;
    }
    return spec_wrong(a, "unknown kind of argument");
}

enum gantry_status arg_buffer(struct kernel_arg *a, const char *name, const char *spec, const char *place)
{
    *a = (struct kernel_arg){.spec = spec, .place = place, .name = name, .out_fd = -1};
    enum gantry_status status = spec_parse(a);

    return status == STATUS_OK && a->kind != SPEC_BUFFER ? spec_wrong(a, "no buffer") : status;
}
