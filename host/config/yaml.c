/* SPDX-License-Identifier: Apache-2.0
 * YAML system files through libyaml: nested or dotted keys, `include:`, every error with file:line.
 * Not responsible for: values (key_table.c) and rules between keys (rules.c).
 */
#include "config/yaml.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "config/document.h"
#include "config/key_table.h"
#include "config/names.h"

#define INCLUDE_DEPTH 16
#define INCLUDE_FILES 64u /* of one configuration: files that each include the next one twice are 2^16 reads */
#define KEY_ROOM 256

/* Files being read, innermost first: a file that includes itself is found here. */
struct source {
    const struct source *outer;
    const char *name; /* as printed */
    char real[PATH_MAX];
    struct config *config;
    unsigned *files; /* read so far, this one too */
    yaml_document_t doc;
};

static enum gantry_status bad(const struct source *src, const yaml_node_t *node, const char *key, const char *why)
{
    char place[PATH_MAX + 32];

    snprintf(place, sizeof(place), "%s:%zu", src->name, node->start_mark.line + 1);
    if (key && *key)
        diag(place, "%s: %s", key, why);
    else
        diag(place, "%s", why);
    return STATUS_CONFIG;
}

/* Text of a value node: a scalar, or a flow/block sequence of scalars as "a,b". */
static bool node_text(struct source *src, const yaml_node_t *node, char *text, size_t room)
{
    size_t n = 0;

    text[0] = 0;
    if (node->type == YAML_SCALAR_NODE)
        return (size_t)snprintf(text, room, "%s", (char *)node->data.scalar.value) < room;
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
        const yaml_node_t *item = yaml_document_get_node(&src->doc, *i);

        if (item->type != YAML_SCALAR_NODE)
            return false;
        n += (size_t)snprintf(text + n, room - n, "%s%s", n ? "," : "", (char *)item->data.scalar.value);
        if (n >= room)
            return false;
    }
    return true;
}

static enum gantry_status value_apply(struct source *src, const yaml_node_t *node, const char *key)
{
    struct config *config = src->config;
    char text[2048], why[512];
    int index = param_find(key);

    if (index < 0) {
        const char *near = param_nearest(key), *retired = param_retired(key);

        if (retired)
            return bad(src, node, key, retired);
        if (near)
            snprintf(why, sizeof(why), "unknown key; did you mean %s?", near);
        else
            snprintf(why, sizeof(why), "unknown key (gantry config --list shows all)");
        return bad(src, node, key, why);
    }
    if (node->type == YAML_SEQUENCE_NODE && cfg_params[index].type != CFG_LIST)
        return bad(src, node, key, "a list where one value is expected");
    if (!node_text(src, node, text, sizeof(text)))
        return bad(src, node, key, "not a plain value");
    if (param_parse(&cfg_params[index], &config->cfg, text, why, sizeof(why)) != STATUS_OK)
        return bad(src, node, key, why);
    free(config->origin[index]);
    config->origin[index] = xasprintf("%s:%zu", src->name, node->start_mark.line + 1);
    return STATUS_OK;
}

/* All pairs of a mapping; prefix is the key so far, without a dot at its end. */
static enum gantry_status mapping_apply(struct source *src, const yaml_node_t *map, const char *prefix)
{
    yaml_node_pair_t *const first = map->data.mapping.pairs.start, *const end = map->data.mapping.pairs.top;

    for (yaml_node_pair_t *pair = first; pair < end; pair++) {
        const yaml_node_t *name = yaml_document_get_node(&src->doc, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&src->doc, pair->value);
        char key[KEY_ROOM];
        enum gantry_status status;

        /* With an empty one the key would not grow: a mapping that holds itself would never end. */
        if (name->type != YAML_SCALAR_NODE || name->data.scalar.length == 0)
            return bad(src, name, prefix, "a key must be a plain word");
        if ((size_t)snprintf(key, sizeof(key), "%s%s%s", prefix, *prefix ? "." : "", (char *)name->data.scalar.value) >=
            sizeof(key))
            return bad(src, name, prefix, "key too long");
        for (yaml_node_pair_t *other = first; other < pair; other++) {
            const yaml_node_t *before = yaml_document_get_node(&src->doc, other->key);

            if (strcmp((char *)before->data.scalar.value, (char *)name->data.scalar.value) == 0)
                return bad(src, name, key, "given twice in this file");
        }
        if (strcmp(key, "include") == 0)
            continue;
        /* Mappings full of aliases of each other that hold nothing at last would be walked for ever. */
        if (value->type == YAML_MAPPING_NODE && value->data.mapping.pairs.start == value->data.mapping.pairs.top)
            status = bad(src, value, key, "no keys below it");
        else if (value->type == YAML_MAPPING_NODE)
            status = mapping_apply(src, value, key);
        else
            status = value_apply(src, value, key);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum gantry_status include_one(struct source *src, const yaml_node_t *node)
{
    const char *slash = strrchr(src->name, '/');
    char path[PATH_MAX], own[PATH_MAX];
    const char *name;

    if (node->type != YAML_SCALAR_NODE)
        return bad(src, node, "include", "not a file name");
    name = (const char *)node->data.scalar.value;
    if (name[0] == '/' || !slash)
        snprintf(path, sizeof(path), "%s", name);
    else
        snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - src->name), src->name, name);
    if (access(path, R_OK) != 0 && system_find(name, own, sizeof(own))) {
        strcpy(path, own);
    } else if (access(path, R_OK) != 0) {
        char why[PATH_MAX + 600], hint[512];

        system_hint(name, hint, sizeof(hint));
        snprintf(why, sizeof(why), "%s: %s%s", path, strerror(ENOENT), hint);
        bad(src, node, "include", why);
        return STATUS_MISSING;
    }
    return yaml_load(src->config, path, src, node->start_mark.line + 1);
}

static enum gantry_status includes_apply(struct source *src, const yaml_node_t *root)
{
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(&src->doc, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&src->doc, pair->value);
        enum gantry_status status = STATUS_OK;

        if (name->type != YAML_SCALAR_NODE || strcmp((char *)name->data.scalar.value, "include") != 0)
            continue;
        if (value->type != YAML_SEQUENCE_NODE)
            return include_one(src, value);
        for (yaml_node_item_t *i = value->data.sequence.items.start;
             i < value->data.sequence.items.top && status == STATUS_OK; i++)
            status = include_one(src, yaml_document_get_node(&src->doc, *i));
        return status;
    }
    return STATUS_OK;
}

enum gantry_status yaml_load(struct config *config, const char *name, const struct source *outer, size_t line)
{
    unsigned files = 0, depth = 0;
    struct source src = {.outer = outer, .name = name, .config = config, .files = outer ? outer->files : &files};
    enum gantry_status status = STATUS_OK;
    char place[PATH_MAX + 32];

    if (!realpath(name, src.real))
        src.real[0] = 0;
    for (const struct source *s = outer; s; s = s->outer, depth++) {
        if (strcmp(s->real, src.real) == 0 || depth == INCLUDE_DEPTH) {
            snprintf(place, sizeof(place), "%s:%zu", outer->name, line);
            diag(place, "include: %s includes itself", name);
            return STATUS_CONFIG;
        }
    }
    if (++*src.files > INCLUDE_FILES) {
        snprintf(place, sizeof(place), "%s:%zu", outer->name, line);
        diag(place, "include: more than %u files", INCLUDE_FILES);
        return STATUS_CONFIG;
    }
    status = document_load(name, &src.doc);
    if (status == STATUS_OK) {
        yaml_node_t *root = yaml_document_get_root_node(&src.doc);

        if (root && root->type != YAML_MAPPING_NODE)
            status = bad(&src, root, NULL, "expected keys and values");
        if (root && status == STATUS_OK)
            status = includes_apply(&src, root);
        if (root && status == STATUS_OK)
            status = mapping_apply(&src, root, "");
        yaml_document_delete(&src.doc);
    }
    return status;
}
