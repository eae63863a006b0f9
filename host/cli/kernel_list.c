/* SPDX-License-Identifier: Apache-2.0
 * gantry kernel --list FILE: what a code object's metadata tell of its kernels.
 */
#include "cli/kernel_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/log.h"
#include "base/text.h"
#include "loader/object.h"

static void kernel_print(const struct object_kernel *k)
{
    char *plain = symbol_plain(k->name);
    unsigned number = 0;

    text_put(stdout, k->name);
    if (strcmp(plain, k->name) != 0)
        printf(" (%s)", plain);
    free(plain);
    printf("\n  code object    version %u\n  work-group     ", k->image->version);
    if (k->required_group[0])
        printf("%u,%u,%u work-items\n", k->required_group[0], k->required_group[1], k->required_group[2]);
    else if (k->max_group)
        printf("compiled for at most %u work-items\n", k->max_group);
    else
        puts("any");
    printf("  LDS            %u bytes a work-group\n  scratch        %u bytes a work-item\n", k->group_bytes,
           k->private_bytes);
    printf("  argument block %u bytes%s\n", k->kernarg_bytes, k->described ? "" : ", not described: no metadata");
    for (unsigned i = 0; i < k->arg_count; i++) {
        const struct object_arg *arg = &k->args[i];
        char text[128];

        if (arg_hidden(arg))
            continue;
        object_arg_text(arg, text, sizeof text);
        printf("  argument %-5u ", number++);
        text_put(stdout, arg->name);
        fputs(*arg->name ? ": " : "", stdout);
        text_put(stdout, text);
        printf(", at %u\n", arg->offset);
    }
}

enum gantry_status kernel_list(const char *path, const char *name)
{
    struct object *object;
    enum gantry_status status = object_open(path, &object);
    const struct object_kernel *one = NULL;

    if (status != STATUS_OK)
        return status;
    if (name && !(one = object_kernel_find(object, name)))
        status = STATUS_USAGE;
    for (unsigned i = 0; i < object->kernel_count && status == STATUS_OK; i++)
        if (!one || one == &object->kernels[i])
            kernel_print(&object->kernels[i]);
    object_free(object);
    if (status == STATUS_OK && fflush(stdout) != 0) {
        diag("stdout", "%m");
        return STATUS_IO;
    }
    return status;
}
