/* SPDX-License-Identifier: Apache-2.0
 * Kernel metadata of code-object versions 3 to 5: msgpack in an NT_AMDGPU_METADATA note.
 */
#include <msgpack.h>
#include <string.h>

#include "loader/object_private.h"

static const msgpack_object *map_get(const msgpack_object *map, const char *key)
{
    if (!map || map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *kv = &map->via.map.ptr[i];

        if (kv->key.type == MSGPACK_OBJECT_STR && kv->key.via.str.size == strlen(key) &&
            memcmp(kv->key.via.str.ptr, key, strlen(key)) == 0)
            return &kv->val;
    }
    return NULL;
}

static bool number_of(const msgpack_object *node, uint32_t *value)
{
    if (!node || node->type != MSGPACK_OBJECT_POSITIVE_INTEGER || node->via.u64 > 0x7fffffff)
        return false;
    *value = (uint32_t)node->via.u64;
    return true;
}

static enum gantry_status arg_read(struct object_image *image, struct object_kernel *kernel, const msgpack_object *node)
{
    const msgpack_object *kind = map_get(node, ".value_kind"), *name = map_get(node, ".name");
    const msgpack_object *type = map_get(node, ".type_name");
    struct object_arg arg = {.offset = 0};

    if (!kind || kind->type != MSGPACK_OBJECT_STR || !number_of(map_get(node, ".size"), &arg.size) ||
        !number_of(map_get(node, ".offset"), &arg.offset))
        return object_bad(image->place, "damaged notes: argument %u of kernel %s", kernel->arg_count, kernel->name);
    arg.kind = arg_kind_find(kind->via.str.ptr, kind->via.str.size);
    if (arg.kind == ARG_KIND_COUNT)
        return object_bad(image->place, "argument %u of kernel %s is a %.*s, which is not supported", kernel->arg_count,
                          kernel->name, (int)kind->via.str.size, kind->via.str.ptr);
    if (name && name->type == MSGPACK_OBJECT_STR)
        snprintf(arg.name, sizeof(arg.name), "%.*s", (int)name->via.str.size, name->via.str.ptr);
    if (type && type->type == MSGPACK_OBJECT_STR)
        snprintf(arg.type, sizeof(arg.type), "%.*s", (int)type->via.str.size, type->via.str.ptr);
    if (!kernel_arg_add(kernel, &arg))
        return object_bad(image->place, "damaged notes: argument %u of kernel %s does not fit into %u bytes",
                          kernel->arg_count, kernel->name, kernel->kernarg_bytes);
    return STATUS_OK;
}

static enum gantry_status kernel_read(struct object *object, struct object_image *image, unsigned first,
                                      const msgpack_object *node)
{
    const msgpack_object *symbol = map_get(node, ".symbol"), *args = map_get(node, ".args");
    const msgpack_object *required = map_get(node, ".reqd_workgroup_size");
    struct object_kernel *kernel = NULL;
    enum gantry_status status = STATUS_OK;

    if (!symbol || symbol->type != MSGPACK_OBJECT_STR)
        return object_bad(image->place, "damaged notes: a kernel without symbol");
    kernel = kernel_of_symbol(object, image, first, symbol->via.str.ptr, symbol->via.str.size);
    if (!kernel)
        return object_bad(image->place, "damaged notes: kernel %.*s has no symbol", (int)symbol->via.str.size,
                          symbol->via.str.ptr);
    if (kernel->described)
        return object_bad(image->place, "damaged notes: kernel %s twice", kernel->name);
    kernel->described = true;
    if (!number_of(map_get(node, ".kernarg_segment_size"), &kernel->kernarg_bytes) || kernel->kernarg_bytes > 65536)
        return object_bad(image->place, "damaged notes: kernel %s has no size of arguments", kernel->name);
    number_of(map_get(node, ".max_flat_workgroup_size"), &kernel->max_group);
    if (required && required->type == MSGPACK_OBJECT_ARRAY)
        for (unsigned i = 0; i < 3 && i < required->via.array.size; i++)
            number_of(&required->via.array.ptr[i], &kernel->required_group[i]);
    if (!args)
        return STATUS_OK;
    if (args->type != MSGPACK_OBJECT_ARRAY)
        return object_bad(image->place, "damaged notes: arguments of kernel %s", kernel->name);
    for (uint32_t i = 0; i < args->via.array.size && status == STATUS_OK; i++)
        status = arg_read(image, kernel, &args->via.array.ptr[i]);
    return status;
}

enum gantry_status notes_msgpack_read(struct object *object, struct object_image *image, unsigned first,
                                      const char *text, size_t bytes)
{
    msgpack_unpacked unpacked;
    const msgpack_object *kernels;
    size_t at = 0;
    enum gantry_status status = STATUS_OK;

    msgpack_unpacked_init(&unpacked);
    if (msgpack_unpack_next(&unpacked, text, bytes, &at) != MSGPACK_UNPACK_SUCCESS) {
        status = object_bad(image->place, "damaged notes: the metadata is no msgpack");
    } else if (!(kernels = map_get(&unpacked.data, "amdhsa.kernels")) || kernels->type != MSGPACK_OBJECT_ARRAY) {
        status = object_bad(image->place, "damaged notes: no list of kernels");
    } else {
        for (uint32_t i = 0; i < kernels->via.array.size && status == STATUS_OK; i++)
            status = kernel_read(object, image, first, &kernels->via.array.ptr[i]);
    }
    msgpack_unpacked_destroy(&unpacked);
    return status;
}
