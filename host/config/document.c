/* SPDX-License-Identifier: Apache-2.0
 * Reading YAML with bounds (document.h): the file as bytes, a walk over its events, and only then libyaml's tree.
 */
#include "config/document.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/xalloc.h"

struct bytes {
    const char *name;
    unsigned char *text;
    size_t length;
};

static enum gantry_status bad(const struct bytes *b, size_t line, const char *why)
{
    char place[PATH_MAX + 32];

    snprintf(place, sizeof(place), "%s:%zu", b->name, line);
    diag(place, "%s", why);
    return STATUS_CONFIG;
}

static enum gantry_status failed(const char *name, int cause)
{
    diag(name, "%s", strerror(cause));
    return cause == ENOENT || cause == ENOTDIR ? STATUS_MISSING : STATUS_IO;
}

static enum gantry_status file_read(struct bytes *b)
{
    FILE *file = fopen(b->name, "re");
    struct stat info;
    enum gantry_status status = STATUS_OK;

    if (!file || fstat(fileno(file), &info) != 0 || S_ISDIR(info.st_mode)) {
        const int cause = file ? EISDIR : errno;

        if (file)
            fclose(file);
        return failed(b->name, cause);
    }
    b->text = xcalloc(DOCUMENT_BYTES + 1, 1);
    b->length = fread(b->text, 1, DOCUMENT_BYTES + 1, file); /* also of what has no size, like a pipe */
    if (ferror(file)) {
        status = failed(b->name, errno);
    } else if (b->length > DOCUMENT_BYTES) {
        diag(b->name, "longer than %u MiB", DOCUMENT_BYTES >> 20);
        status = STATUS_CONFIG;
    }
    fclose(file);
    return status;
}

/* Line of a place in the file, from 1. */
static size_t line_of(const struct bytes *b, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at && i < b->length; i++)
        line += b->text[i] == '\n';
    return line;
}

static enum gantry_status not_yaml(const struct bytes *b, const yaml_parser_t *parser)
{
    /* what is no text at all is found before there are marks */
    const size_t line =
        parser->error == YAML_READER_ERROR ? line_of(b, parser->problem_offset) : parser->problem_mark.line + 1;
    char why[256];

    snprintf(why, sizeof(why), "not YAML: %s", parser->problem ? parser->problem : "unreadable");
    return bad(b, line, why);
}

/* libyaml compares each directive with all before, and does so before the first event. */
static enum gantry_status directives_check(const struct bytes *b)
{
    unsigned count = 0;

    for (size_t i = 0; i < b->length; i++)
        if (b->text[i] == '%' && (i == 0 || b->text[i - 1] == '\n' || b->text[i - 1] == '\r') &&
            ++count > DOCUMENT_DIRECTIVES)
            return bad(b, line_of(b, i), "more than 16 directives");
    return STATUS_OK;
}

struct walk {
    unsigned depth, anchors, documents;
};

static const char *event_anchor(const yaml_event_t *event)
{
    return (const char *)(event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
                          : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
                          : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                                                     : NULL);
}

/* What is wrong with the file from this event on; NULL: nothing. */
static const char *event_check(struct walk *w, const yaml_event_t *event)
{
    const yaml_event_type_t type = event->type;

    w->documents += type == YAML_DOCUMENT_START_EVENT;
    w->anchors += event_anchor(event) != NULL;
    w->depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    w->depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
    return w->documents > 1                ? "a second document: a file has one"
           : w->depth > DOCUMENT_DEPTH     ? "nested deeper than 64"
           : w->anchors > DOCUMENT_ANCHORS ? "more than 1024 anchors"
                                           : NULL;
}

static enum gantry_status events_check(const struct bytes *b)
{
    enum gantry_status status = STATUS_OK;
    struct walk walk = {0};
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser))
        return STATUS_INTERNAL;
    yaml_parser_set_input_string(&parser, b->text, b->length);
    for (bool more = true; more && status == STATUS_OK;) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event)) {
            status = not_yaml(b, &parser);
            break;
        }
        const char *why = event_check(&walk, &event);
        if (why)
            status = bad(b, event.start_mark.line + 1, why);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

static enum gantry_status tree_make(const struct bytes *b, yaml_document_t *doc)
{
    enum gantry_status status = STATUS_OK;
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser))
        return STATUS_INTERNAL;
    yaml_parser_set_input_string(&parser, b->text, b->length);
    if (!yaml_parser_load(&parser, doc)) /* an alias of nothing, for example */
        status = not_yaml(b, &parser);
    yaml_parser_delete(&parser);
    return status;
}

enum gantry_status document_load(const char *name, yaml_document_t *doc)
{
    struct bytes b = {.name = name};
    enum gantry_status status = file_read(&b);

    if (status == STATUS_OK)
        status = directives_check(&b);
    if (status == STATUS_OK)
        status = events_check(&b);
    if (status == STATUS_OK)
        status = tree_make(&b, doc);
    free(b.text);
    return status;
}
