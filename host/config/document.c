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
    const unsigned char *text;
    size_t length;
    struct document_problem *problem;
};

static bool bad(const struct bytes *b, size_t line, const char *kind, const char *why)
{
    b->problem->line = line;
    snprintf(b->problem->why, sizeof(b->problem->why), "%s%s", kind, why);
    return false;
}

/* Line of a place in the file, from 1. */
static size_t line_of(const struct bytes *b, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at && i < b->length; i++)
        line += b->text[i] == '\n';
    return line;
}

static bool not_yaml(const struct bytes *b, const yaml_parser_t *parser)
{
    /* what is no text at all is found before there are marks */
    const size_t line =
        parser->error == YAML_READER_ERROR ? line_of(b, parser->problem_offset) : parser->problem_mark.line + 1;
    return bad(b, line, "not YAML: ", parser->problem ? parser->problem : "unreadable");
}

/* libyaml compares each directive with all before, and does so before the first event. */
static bool directives_check(const struct bytes *b)
{
    unsigned count = 0;

    for (size_t i = 0; i < b->length; i++)
        if (b->text[i] == '%' && (i == 0 || b->text[i - 1] == '\n' || b->text[i - 1] == '\r') &&
            ++count > DOCUMENT_DIRECTIVES)
            return bad(b, line_of(b, i), "", "more than 16 directives");
    return true;
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

static bool events_check(const struct bytes *b)
{
    struct walk walk = {0};
    yaml_parser_t parser;
    bool good = true;

    if (!yaml_parser_initialize(&parser))
        return bad(b, 1, "", "no memory");
    yaml_parser_set_input_string(&parser, b->text, b->length);
    for (bool more = true; more && good;) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event)) {
            good = not_yaml(b, &parser);
            break;
        }
        const char *why = event_check(&walk, &event);
        if (why)
            good = bad(b, event.start_mark.line + 1, "", why);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

static bool tree_make(const struct bytes *b, yaml_document_t *doc)
{
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser))
        return bad(b, 1, "", "no memory");
    yaml_parser_set_input_string(&parser, b->text, b->length);
    const bool good = yaml_parser_load(&parser, doc) || not_yaml(b, &parser); /* an alias of nothing, for example */
    yaml_parser_delete(&parser);
    return good;
}

bool document_parse(const char *text, size_t length, yaml_document_t *doc, struct document_problem *problem)
{
    const struct bytes b = {(const unsigned char *)text, length, problem};

    return directives_check(&b) && events_check(&b) && tree_make(&b, doc);
}

static enum gantry_status failed(const char *name, int cause)
{
    diag(name, "%s", strerror(cause));
    return cause == ENOENT || cause == ENOTDIR ? STATUS_MISSING : STATUS_IO;
}

/* The bytes of a file: new. */
static enum gantry_status file_read(const char *name, char **text, size_t *length)
{
    FILE *file = fopen(name, "re");
    struct stat info;
    enum gantry_status status = STATUS_OK;

    if (!file || fstat(fileno(file), &info) != 0 || S_ISDIR(info.st_mode)) {
        const int cause = file ? EISDIR : errno;

        if (file)
            fclose(file);
        return failed(name, cause);
    }
    *text = xcalloc(DOCUMENT_BYTES + 1, 1);
    *length = fread(*text, 1, DOCUMENT_BYTES + 1, file); /* also of what has no size, like a pipe */
    if (ferror(file)) {
        status = failed(name, errno);
    } else if (*length > DOCUMENT_BYTES) {
        diag(name, "longer than %u MiB", DOCUMENT_BYTES >> 20);
        status = STATUS_CONFIG;
    }
    fclose(file);
    return status;
}

enum gantry_status document_load(const char *name, yaml_document_t *doc)
{
    struct document_problem problem;
    char *text = NULL, place[PATH_MAX + 32];
    size_t length = 0;
    enum gantry_status status = file_read(name, &text, &length);

    if (status == STATUS_OK && !document_parse(text, length, doc, &problem)) {
        snprintf(place, sizeof(place), "%s:%zu", name, problem.line);
        diag(place, "%s", problem.why);
        status = STATUS_CONFIG;
    }
    free(text);
    return status;
}
