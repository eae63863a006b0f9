/* SPDX-License-Identifier: Apache-2.0
 * Scripts of `gantry kernel`; see kernel_script.h.
 */
#include "cli/kernel_script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/xalloc.h"
#include "cli/kernel_word.h"
#include "config/document.h"

struct reader {
    const char *file;
    yaml_document_t doc;
    struct kernel_script *script;
    const char *object; /* of launches that name none */
};

/* The object of a file, opened once; NULL: STATUS_* with one line. */
static enum gantry_status object_get(struct kernel_script *script, const char *path, struct object **object)
{
    for (unsigned i = 0; i < script->object_count; i++) {
        *object = script->objects[i].object;
        if (strcmp(script->objects[i].path, path) == 0)
            return STATUS_OK;
    }
    enum gantry_status status = object_open(path, object);
    if (status != STATUS_OK)
        return status;
    script->objects = xrealloc(script->objects, script->object_count + 1, sizeof *script->objects);
    script->objects[script->object_count++] = (struct script_object){.path = xstrdup(path), .object = *object};
    return STATUS_OK;
}

/* Arguments that name a buffer get it. */
static enum gantry_status names_resolve(struct kernel_script *script, struct script_launch *l)
{
    for (unsigned i = 0; i < l->args.count; i++) {
        struct kernel_arg *a = &l->args.arg[i];

        if (a->kind != SPEC_NAMED)
            continue;
        for (unsigned b = 0; b < script->buffer_count && !a->shared; b++)
            if (strcmp(script->buffers[b].name, a->name) == 0)
                a->shared = &script->buffers[b];
        if (!a->shared) {
            diag(l->place ? l->place : "--arg",
                 l->place ? "%s: no such buffer" : "%s: buffers have names in a script only", a->spec);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static enum gantry_status launch_check(struct kernel_script *script, struct script_launch *l, const char *path,
                                       const char *name)
{
    struct object *object;
    enum gantry_status status = object_get(script, path, &object);

    if (status == STATUS_OK && !(l->kernel = object_kernel_find(object, name)))
        status = STATUS_USAGE;
    if (status == STATUS_OK)
        status = shape_check(&l->options.shape, l->kernel, l->place);
    if (status == STATUS_OK)
        status = args_parse(&l->args, l->kernel, l->options.args, l->options.arg_count, l->place);
    return status == STATUS_OK ? names_resolve(script, l) : status;
}

/* The last launch, to be filled in. */
static struct script_launch *launch_add(struct kernel_script *script)
{
    script->launches = xrealloc(script->launches, script->launch_count + 1, sizeof *script->launches);
    struct script_launch *l = &script->launches[script->launch_count++];
    memset(l, 0, sizeof *l);
    l->repeat = 1;
    return l;
}

enum gantry_status script_of_word(struct kernel_script *script, const struct cli_options *options, const char *word)
{
    const char *name;
    char *path = kernel_word_split(word, &name);
    struct script_launch *l = launch_add(script);

    l->options = *options;
    enum gantry_status status = launch_check(script, l, path, name);
    free(path);
    return status;
}

/* The text, which lives as long as the script. */
static const char *keep(struct reader *r, char *text)
{
    words_add(&r->script->texts, text);
    return text;
}

/* "FILE:LINE", which lives as long as the script. */
static const char *place_of(struct reader *r, const yaml_node_t *node)
{
    return keep(r, xasprintf("%s:%zu", r->file, node->start_mark.line + 1));
}

static enum gantry_status bad(struct reader *r, const yaml_node_t *node, const char *key, const char *why)
{
    diag(place_of(r, node), "%s%s%s", key ? key : "", key ? ": " : "", why);
    return STATUS_DATA;
}

static const yaml_node_t *node_of(struct reader *r, int item)
{
    return yaml_document_get_node(&r->doc, item);
}

static const char *scalar(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* A scalar, or those of a sequence with commas between them; kept; NULL: neither. */
static const char *joined(struct reader *r, const yaml_node_t *node)
{
    char *text = xstrdup(scalar(node) ? scalar(node) : "");

    if (node->type == YAML_MAPPING_NODE) {
        free(text);
        return NULL;
    }
    for (yaml_node_item_t *i = node->data.sequence.items.start;
         node->type == YAML_SEQUENCE_NODE && i < node->data.sequence.items.top; i++) {
        const char *item = scalar(node_of(r, *i));
        char *longer = item ? xasprintf("%s%s%s", text, *text ? "," : "", item) : NULL;

        free(text);
        if (!(text = longer))
            return NULL;
    }
    return keep(r, text);
}

typedef enum gantry_status key_fn(struct reader *r, const char *key, const yaml_node_t *value, void *arg);

/* Every key of a mapping, in order, to the first of `keys` (NULL: any) that it is, else it is refused; no key twice. */
static enum gantry_status mapping_each(struct reader *r, const yaml_node_t *map, const char *const *keys, key_fn *apply,
                                       void *arg)
{
    if (map->type != YAML_MAPPING_NODE)
        return bad(r, map, NULL, "expected keys and values");
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *name = node_of(r, p->key), *value = node_of(r, p->value);
        const char *key = scalar(name);
        unsigned k = 0;

        if (!key)
            return bad(r, name, NULL, "a key is no text");
        for (yaml_node_pair_t *other = map->data.mapping.pairs.start; other < p; other++)
            if (strcmp(scalar(node_of(r, other->key)), key) == 0)
                return bad(r, name, key, "stands twice");
        while (keys && keys[k] && strcmp(keys[k], key) != 0)
            k++;
        if (keys && !keys[k]) {
            const char *near = nearest_word(key, keys);
            char why[64] = "unknown key";

            if (near)
                snprintf(why, sizeof why, "unknown key; did you mean %s?", near);
            return bad(r, name, key, why);
        }
        enum gantry_status status = apply(r, key, value, arg);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum gantry_status launch_args(struct reader *r, const yaml_node_t *value, struct script_launch *l)
{
    if (value->type != YAML_SEQUENCE_NODE)
        return bad(r, value, "args", "expected a list of specs");
    for (yaml_node_item_t *i = value->data.sequence.items.start; i < value->data.sequence.items.top; i++) {
        const yaml_node_t *item = node_of(r, *i);

        if (!scalar(item))
            return bad(r, item, "args", "expected a list of specs");
        if (l->options.arg_count == CLI_ARGS_MAX)
            return bad(r, item, "args", "one argument too many");
        l->options.args[l->options.arg_count++] = keep(r, xstrdup(scalar(item)));
    }
    return STATUS_OK;
}

struct named {
    struct script_launch *launch;
    const char *object, *kernel;
};

static enum gantry_status launch_key(struct reader *r, const char *key, const yaml_node_t *value, void *arg)
{
    struct named *n = arg;
    struct cli_options *o = &n->launch->options;
    const char *text = joined(r, value);
    char *end;

    if (strcmp(key, "args") == 0)
        return launch_args(r, value, n->launch);
    if (!text || !*text)
        return bad(r, value, key, "no value");
    if (strcmp(key, "grid") == 0)
        return cli_dims_read(place_of(r, value), text, UINT32_MAX, o->shape.grid, &o->shape.grid_dims);
    if (strcmp(key, "group") == 0)
        return cli_dims_read(place_of(r, value), text, 65535, o->shape.group, &o->shape.group_dims);
    if (strcmp(key, "kernel") == 0)
        n->kernel = text;
    else if (strcmp(key, "object") == 0)
        n->object = text;
    else {
        errno = 0;
        n->launch->repeat = strtoull(text, &end, 0);
        if (*end || errno || *text == '-' || n->launch->repeat < 1 || n->launch->repeat > SCRIPT_REPEAT)
            return bad(r, value, key, "not a number from 1 to 100000000");
    }
    return STATUS_OK;
}

static enum gantry_status number_read(struct reader *r, const char *key, const yaml_node_t *value, uint64_t most,
                                      uint64_t *number)
{
    const char *text = scalar(value);
    char *end = NULL;
    errno = 0;
    *number = text ? strtoull(text, &end, 0) : 0;
    if (!text || !*text || *end || errno || *text == '-' || *number > most)
        return bad(r, value, key, "not a number, or too large");
    return STATUS_OK;
}

static enum gantry_status move_key(struct reader *r, const char *key, const yaml_node_t *value, void *arg)
{
    struct script_move *move = arg;
    uint64_t number = 0;
    if (strcmp(key, "buffer") == 0) {
        for (unsigned b = 0; b < r->script->buffer_count && scalar(value); b++)
            if (strcmp(r->script->buffers[b].name, scalar(value)) == 0)
                move->buffer = &r->script->buffers[b];
        return move->buffer ? STATUS_OK : bad(r, value, key, "no such buffer");
    }
    const bool after = strcmp(key, "after") == 0;
    enum gantry_status status = number_read(r, key, value, after ? UINT32_MAX : 63, &number);
    if (after) {
        move->beside = true;
        move->after = number;
    } else {
        move->to = (unsigned)number;
    }
    return status;
}

/* A mapping with the key `move`. */
static enum gantry_status move_read(struct reader *r, const char *key, const yaml_node_t *value, void *arg)
{
    static const char *const keys[] = {"buffer", "to", "after", NULL};
    struct script_launch *l = arg;
    (void)key;
    l->move.to = UINT32_MAX;
    enum gantry_status status = mapping_each(r, value, keys, move_key, &l->move);
    if (status == STATUS_OK && (!l->move.buffer || l->move.to == UINT32_MAX))
        status = bad(r, value, "move", "needs buffer and to: the GPU's number");
    return status;
}

static bool has_key(struct reader *r, const yaml_node_t *map, const char *key)
{
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
         map->type == YAML_MAPPING_NODE && p < map->data.mapping.pairs.top; p++)
        if (scalar(node_of(r, p->key)) && strcmp(scalar(node_of(r, p->key)), key) == 0)
            return true;
    return false;
}

static enum gantry_status launch_read(struct reader *r, const yaml_node_t *node)
{
    static const char *const keys[] = {"object", "kernel", "grid", "group", "args", "repeat", NULL};
    static const char *const moves[] = {"move", NULL};
    if (r->script->launch_count == SCRIPT_LAUNCHES)
        return bad(r, node, NULL, "more than 4096 launches: use repeat");
    struct named n = {.launch = launch_add(r->script), .object = r->object};

    n.launch->place = place_of(r, node);
    if (has_key(r, node, moves[0]))
        return mapping_each(r, node, moves, move_read, n.launch);
    enum gantry_status status = mapping_each(r, node, keys, launch_key, &n);
    if (status == STATUS_OK && !n.object)
        status = bad(r, node, NULL, "no code object: object: FILE here or at the top");
    return status == STATUS_OK ? launch_check(r->script, n.launch, n.object, n.kernel) : status;
}

static enum gantry_status buffer_read(struct reader *r, const char *key, const yaml_node_t *value, void *arg)
{
    (void)arg;
    if (!scalar(value))
        return bad(r, value, key, "expected a spec like zero:4K or in:FILE");
    if (r->script->buffer_count == SCRIPT_BUFFERS)
        return bad(r, value, key, "more than 1024 buffers");
    const char *name = keep(r, xstrdup(key)), *spec = keep(r, xstrdup(scalar(value)));
    r->script->buffers = xrealloc(r->script->buffers, r->script->buffer_count + 1, sizeof *r->script->buffers);
    return arg_buffer(&r->script->buffers[r->script->buffer_count++], name, spec, place_of(r, value));
}

static enum gantry_status expect_read(struct reader *r, const char *key, const yaml_node_t *value, void *arg)
{
    (void)arg;
    struct kernel_arg *b = NULL;
    for (unsigned i = 0; i < r->script->buffer_count; i++)
        if (strcmp(r->script->buffers[i].name, key) == 0)
            b = &r->script->buffers[i];
    if (!b)
        return bad(r, value, key, "no such buffer");
    if (!scalar(value))
        return bad(r, value, key, "expected a spec like fill:1:4K or in:FILE");
    b->want = xzalloc(sizeof *b->want);
    const char *place = place_of(r, value);
    enum gantry_status status = arg_buffer(b->want, b->name, keep(r, xstrdup(scalar(value))), place);
    if (status == STATUS_OK && (b->want->out || b->want->room != b->room)) {
        diag(place,
             b->want->out ? "%s: expected in:FILE, zero:BYTES or fill:BYTE:BYTES" : "%s: the buffer has another size",
             key);
        status = STATUS_DATA;
    }
    return status;
}

/* Keys of the top in the order in which they are needed: a walk for each. */
struct top {
    const char *wanted;
};

static enum gantry_status top_key(struct reader *r, const char *key, const yaml_node_t *value, void *arg)
{
    const struct top *t = arg;
    enum gantry_status status = STATUS_OK;

    if (strcmp(key, t->wanted) != 0)
        return STATUS_OK;
    if (strcmp(key, "object") == 0) {
        r->object = joined(r, value);
        return r->object && *r->object ? STATUS_OK : bad(r, value, key, "no value");
    }
    if (strcmp(key, "buffers") == 0)
        return mapping_each(r, value, NULL, buffer_read, NULL);
    if (strcmp(key, "expect") == 0)
        return mapping_each(r, value, NULL, expect_read, NULL);
    if (value->type != YAML_SEQUENCE_NODE)
        return bad(r, value, key, "expected a list");
    for (yaml_node_item_t *i = value->data.sequence.items.start;
         i < value->data.sequence.items.top && status == STATUS_OK; i++)
        status = launch_read(r, node_of(r, *i));
    return status;
}

static enum gantry_status document_apply(struct reader *r)
{
    static const char *const keys[] = {"object", "buffers", "expect", "launches", NULL};
    const yaml_node_t *root = yaml_document_get_root_node(&r->doc);
    enum gantry_status status = STATUS_OK;

    if (!root) {
        diag(r->file, "empty script");
        return STATUS_DATA;
    }
    for (unsigned k = 0; keys[k] && status == STATUS_OK; k++)
        status = mapping_each(r, root, keys, top_key, &(struct top){keys[k]});
    if (status == STATUS_OK && r->script->launch_count == 0) {
        diag(r->file, "no launches");
        status = STATUS_DATA;
    }
    return status;
}

enum gantry_status script_read(struct kernel_script *script, const char *name)
{
    struct reader r = {.file = name, .script = script};
    enum gantry_status status = document_load(name, &r.doc);

    if (status != STATUS_OK)
        return status;
    status = document_apply(&r);
    yaml_document_delete(&r.doc);
    return status;
}

void script_fini(struct kernel_script *script)
{
    for (unsigned i = 0; i < script->launch_count; i++)
        args_fini(&script->launches[i].args);
    for (unsigned i = 0; i < script->buffer_count; i++)
        arg_fini(&script->buffers[i]);
    for (unsigned i = 0; i < script->object_count; i++) {
        object_free(script->objects[i].object);
        free(script->objects[i].path);
    }
    free(script->launches);
    free(script->buffers);
    free(script->objects);
    words_fini(&script->texts);
}
