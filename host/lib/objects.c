/* SPDX-License-Identifier: Apache-2.0
 * Code objects of the library (gantry.h).  An object lives until its handle is freed and no machine holds an image of
 * it.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "lib/lib_private.h"

void lib_object_drop(struct gantry_object *o)
{
    if (o == NULL || atomic_fetch_sub(&o->refs, 1) != 1)
        return;
    object_free(o->object);
    handle_fini(&o->handle);
    free(o);
}

int gantry_object_open(const char *path, struct gantry_object **object, struct gantry_error *error)
{
    struct handle plain;
    struct call call;
    struct object *opened = NULL;
    int status;
    call_plain(&call, &plain, "gantry_object_open", error);
    if (path == NULL || object == NULL)
        status = call_refuse(&call, "no file, or no place for the handle");
    else
        status = object_open(path, &opened);
    if (object)
        *object = NULL;
    if (status == GANTRY_OK) {
        *object = xzalloc(sizeof **object);
        (*object)->object = opened;
        atomic_init(&(*object)->refs, 1);
        handle_init(&(*object)->handle, HANDLE_OBJECT, false);
    }
    status = call_end(&call, status);
    handle_fini(&plain);
    return status;
}

void gantry_object_free(struct gantry_object *object)
{
    if (object == NULL)
        return;
    handle_end(&object->handle, HANDLE_OBJECT, "gantry_object_free");
    lib_object_drop(object);
}

unsigned gantry_object_kernels(const struct gantry_object *object)
{
    return handle_known(object, HANDLE_OBJECT) ? object->object->kernel_count : 0;
}

const char *gantry_object_kernel(const struct gantry_object *object, unsigned n)
{
    return n < gantry_object_kernels(object) ? object->object->kernels[n].name : NULL;
}
