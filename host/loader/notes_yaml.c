/* SPDX-License-Identifier: Apache-2.0
 * Kernel metadata of code-object version 2: YAML in an NT_AMD_HSA_METADATA note, arguments without offsets.
 */
#include <stdlib.h>
#include <string.h>

#include "config/document.h"
#include "loader/object_private.h"

static const yaml_node_t *node_get(yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *name = yaml_document_get_node(doc, p->key);

        if (name->type == YAML_SCALAR_NODE && strcmp((char *)name->data.scalar.value, key) == 0)
            return yaml_document_get_node(doc, p->value);
    }
    return NULL;
}

static const char *text_get(yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = node_get(doc, map, key);

    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Unsigned number of at most 16 bits above the usual; false when absent or malformed. */
static bool number_get(yaml_document_t *doc, const yaml_node_t *map, const char *key, uint32_t *value)
{
    const char *text = text_get(doc, map, key);
    char *end;
    unsigned long n;

    if (!text || *text < '0' || *text > '9')
        return false;
    n = strtoul(text, &end, 10);
    if (*end || n > 0x7fffffff)
        return false;
    *value = (uint32_t)n;
    return true;
}

static enum gantry_status arg_read(struct object_image *image, struct object_kernel *kernel, yaml_document_t *doc,
                                   const yaml_node_t *node, uint32_t *offset)
{
    const char *kind = text_get(doc, node, "ValueKind"), *name = text_get(doc, node, "Name");
    const char *type = text_get(doc, node, "TypeName");
    struct object_arg arg = {.offset = 0};
    uint32_t align = 0;

    if (!kind || !number_get(doc, node, "Size", &arg.size) || !number_get(doc, node, "Align", &align) || align == 0 ||
        (align & (align - 1)) || align > 4096)
        return object_bad(image->place, "damaged notes: argument %u of kernel %s", kernel->arg_count, kernel->name);
    arg.kind = arg_kind_find(kind, strlen(kind));
    if (arg.kind == ARG_KIND_COUNT)
        return object_bad(image->place, "argument %u of kernel %s is a %s, which is not supported", kernel->arg_count,
                          kernel->name, kind);
    arg.offset = (*offset + align - 1) & ~(align - 1);
    snprintf(arg.name, sizeof(arg.name), "%s", name ? name : "");
    snprintf(arg.type, sizeof(arg.type), "%s", type ? type : "");
    if (!kernel_arg_add(kernel, &arg))
        return object_bad(image->place, "damaged notes: argument %u of kernel %s does not fit into %u bytes",
                          kernel->arg_count, kernel->name, kernel->kernarg_bytes);
    *offset = arg.offset + arg.size;
    return STATUS_OK;
}

static enum gantry_status kernel_read(struct object *object, struct object_image *image, unsigned first,
                                      yaml_document_t *doc, const yaml_node_t *node)
{
    const yaml_node_t *args = node_get(doc, node, "Args"), *props = node_get(doc, node, "CodeProps");
    const yaml_node_t *required = node_get(doc, node_get(doc, node, "Attrs"), "ReqdWorkGroupSize");
    const char *symbol = text_get(doc, node, "SymbolName");
    struct object_kernel *kernel = symbol ? kernel_of_symbol(object, image, first, symbol, strlen(symbol)) : NULL;
    uint32_t offset = 0;
    enum gantry_status status = STATUS_OK;

    if (!kernel)
        return object_bad(image->place, "damaged notes: kernel %s has no symbol", symbol ? symbol : "without name");
    if (kernel->described)
        return object_bad(image->place, "damaged notes: kernel %s twice", kernel->name);
    kernel->described = true;
    if (props && !number_get(doc, props, "KernargSegmentSize", &kernel->kernarg_bytes))
        return object_bad(image->place, "damaged notes: kernel %s has no size of arguments", kernel->name);
    if (kernel->kernarg_bytes > 65536)
        return object_bad(image->place, "damaged notes: %u bytes of arguments for kernel %s", kernel->kernarg_bytes,
                          kernel->name);
    number_get(doc, props, "MaxFlatWorkGroupSize", &kernel->max_group);
    if (required && required->type == YAML_SEQUENCE_NODE)
        for (unsigned i = 0; i < 3 && required->data.sequence.items.start + i < required->data.sequence.items.top;
             i++) {
            const yaml_node_t *n = yaml_document_get_node(doc, required->data.sequence.items.start[i]);

            if (n->type == YAML_SCALAR_NODE)
                kernel->required_group[i] = (uint32_t)strtoul((char *)n->data.scalar.value, NULL, 10);
        }
    if (!args)
        return STATUS_OK;
    if (args->type != YAML_SEQUENCE_NODE)
        return object_bad(image->place, "damaged notes: arguments of kernel %s", kernel->name);
    for (yaml_node_item_t *i = args->data.sequence.items.start;
         i < args->data.sequence.items.top && status == STATUS_OK; i++)
        status = arg_read(image, kernel, doc, yaml_document_get_node(doc, *i), &offset);
    return status;
}

enum gantry_status notes_yaml_read(struct object *object, struct object_image *image, unsigned first, const char *text,
                                   size_t bytes)
{
    yaml_document_t doc;
    const yaml_node_t *kernels;
    enum gantry_status status = STATUS_OK;
    struct document_problem problem;

    while (bytes && text[bytes - 1] == 0)
        bytes--;
    if (!document_parse(text, bytes, &doc, &problem))
        return object_bad(image->place, "damaged notes: line %zu of the metadata: %s", problem.line, problem.why);
    kernels = node_get(&doc, yaml_document_get_root_node(&doc), "Kernels");
    if (!kernels || kernels->type != YAML_SEQUENCE_NODE)
        status = object_bad(image->place, "damaged notes: no list of kernels");
    else
        for (yaml_node_item_t *i = kernels->data.sequence.items.start;
             i < kernels->data.sequence.items.top && status == STATUS_OK; i++)
            status = kernel_read(object, image, first, &doc, yaml_document_get_node(&doc, *i));
    yaml_document_delete(&doc);
    return status;
}
