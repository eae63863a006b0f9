/* SPDX-License-Identifier: Apache-2.0
 * Kernels of a code object as its metadata describe them, in either of their forms; what is wrong with a file.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "loader/object_private.h"

enum gantry_status object_bad(const char *place, const char *format, ...)
{
    char cause[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(cause, sizeof(cause), format, args);
    va_end(args);
    diag(place, "%s", cause);
    return STATUS_OBJECT;
}

enum arg_kind arg_kind_find(const char *text, size_t bytes)
{
    static const char *const names[] = {
#define ARG_KIND_NAME(name, text) text,
        ARG_KIND_LIST(ARG_KIND_NAME)
#undef ARG_KIND_NAME
    };
    char plain[64];
    size_t n = 0;

    for (size_t i = 0; i < bytes && n < sizeof(plain) - 1; i++)
        if (text[i] != '_')
            plain[n++] = (char)tolower((unsigned char)text[i]);
    plain[n] = 0;
    for (int i = 0; i < ARG_KIND_COUNT; i++)
        if (strcmp(plain, names[i]) == 0)
            return (enum arg_kind)i;
    return ARG_KIND_COUNT;
}

void object_arg_text(const struct object_arg *arg, char *text, size_t room)
{
    const char *gap = *arg->type ? ", " : "";

    if (arg->kind == ARG_BUFFER)
        snprintf(text, room, "%s%sa buffer", arg->type, gap);
    else if (arg->kind == ARG_LDS)
        snprintf(text, room, "%s%sdynamic LDS", arg->type, gap);
    else
        snprintf(text, room, "%s%sa value of %u byte%s", arg->type, gap, arg->size, arg->size == 1 ? "" : "s");
}

struct object_kernel *kernel_of_symbol(struct object *object, const struct object_image *image, unsigned first,
                                       const char *symbol, size_t bytes)
{
    if (bytes > 3 && (memcmp(symbol + bytes - 3, "@kd", 3) == 0 || memcmp(symbol + bytes - 3, ".kd", 3) == 0))
        bytes -= 3;
    for (unsigned i = first; i < object->kernel_count; i++) {
        struct object_kernel *k = &object->kernels[i];

        if (k->image == image && strlen(k->name) == bytes && memcmp(k->name, symbol, bytes) == 0)
            return k;
    }
    return NULL;
}

bool kernel_arg_add(struct object_kernel *kernel, const struct object_arg *arg)
{
    if (arg->size == 0 || arg->size > kernel->kernarg_bytes || arg->offset > kernel->kernarg_bytes - arg->size)
        return false;
    if (arg->kind != ARG_BY_VALUE && arg->kind != ARG_NONE && arg->size > 8)
        return false;
    kernel->args = xrealloc(kernel->args, kernel->arg_count + 1, sizeof(*kernel->args));
    kernel->args[kernel->arg_count++] = *arg;
    return true;
}
