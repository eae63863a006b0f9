/* SPDX-License-Identifier: Apache-2.0
 * Opening a file with code objects, finding a kernel by name.
 */
#include "loader/object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "loader/object_private.h"

#define FILE_LIMIT (UINT64_C(4) << 30)

static enum gantry_status file_read(struct object *object)
{
    struct stat info;
    FILE *file = fopen(object->path, "re");
    enum gantry_status status = STATUS_OK;

    if (!file || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) {
        int cause = !file ? errno : S_ISDIR(info.st_mode) ? EISDIR : EINVAL;

        diag(object->path, "%s", strerror(cause));
        if (file)
            fclose(file);
        return cause == ENOENT || cause == ENOTDIR ? STATUS_MISSING : STATUS_IO;
    }
    if ((uint64_t)info.st_size > FILE_LIMIT) {
        status = object_bad(object->path, "larger than 4 GiB");
    } else {
        object->size = (size_t)info.st_size;
        object->data = xcalloc(object->size + 1, 1);
        if (fread(object->data, 1, object->size, file) != object->size) {
            diag(object->path, "%s", ferror(file) ? strerror(errno) : "file changed while reading");
            status = STATUS_IO;
        }
    }
    fclose(file);
    return status;
}

enum gantry_status object_open(const char *path, struct object **out)
{
    struct object *object = xcalloc(1, sizeof(*object));
    enum gantry_status status;

    object->path = xstrdup(path);
    status = file_read(object);
    if (status == STATUS_OK)
        status = bundle_scan(object);
    for (unsigned i = 0; i < object->image_count && status == STATUS_OK; i++)
        status = elf_image_read(object, &object->images[i]);
    if (status == STATUS_OK && object->kernel_count == 0)
        status = object_bad(path, "holds no kernel");
    if (status != STATUS_OK) {
        object_free(object);
        return status;
    }
    *out = object;
    return STATUS_OK;
}

void object_free(struct object *object)
{
    if (!object)
        return;
    for (unsigned i = 0; i < object->kernel_count; i++) {
        free(object->kernels[i].name);
        free(object->kernels[i].args);
    }
    for (unsigned i = 0; i < object->image_count; i++)
        free(object->images[i].place);
    for (unsigned i = 0; i < object->unpacked_count; i++)
        free(object->unpacked[i]);
    free(object->unpacked);
    free(object->kernels);
    free(object->images);
    free(object->data);
    free(object->path);
    free(object);
}

bool object_foreign(const char *path, char *targets, size_t room)
{
    struct object *object = xcalloc(1, sizeof(*object));
    bool foreign;

    object->path = xstrdup(path);
    foreign = access(path, R_OK) == 0 && file_read(object) == STATUS_OK && bundle_foreign(object, targets, room);
    object_free(object);
    return foreign;
}

/* Names as the source has them, where they are others than the symbols. */
static void kernels_list(const struct object *object, char *list, size_t room)
{
    size_t n = 0;

    *list = 0;
    for (unsigned i = 0; i < object->kernel_count && n < room; i++) {
        char *plain = symbol_plain(object->kernels[i].name);

        n += (size_t)snprintf(list + n, room - n, "%s%s", i ? ", " : "", plain);
        free(plain);
    }
}

const struct object_kernel *object_kernel_find(const struct object *object, const char *name)
{
    const struct object_kernel *found = NULL;
    unsigned count = 0;
    char list[1024];

    if (!name && object->kernel_count == 1)
        return &object->kernels[0];
    for (unsigned i = 0; name && i < object->kernel_count; i++) {
        if (strcmp(object->kernels[i].name, name) == 0)
            return &object->kernels[i];
        if (symbol_is(object->kernels[i].name, name)) {
            found = &object->kernels[i];
            count++;
        }
    }
    if (count == 1)
        return found;
    kernels_list(object, list, sizeof(list));
    if (count > 1)
        diag(object->path, "%u kernels are named %s: give the parameters too, or the symbol", count, name);
    else if (name)
        diag(object->path, "no kernel %s; it holds %s", name, list);
    else
        diag(object->path, "several kernels, name one as %s:KERNEL: %s", object->path, list);
    return NULL;
}
