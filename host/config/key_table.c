/* SPDX-License-Identifier: Apache-2.0
 * The table of parameters: generated rows, look-up, values as text.
 */
#include "config/key_table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "gantry_cfg_table.h"

int param_find(const char *key)
{
    unsigned low = 0, high = cfg_param_count;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = strcmp(key, cfg_params[cfg_by_key[middle]].key);

        if (order == 0)
            return cfg_by_key[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

/* Integer within min..max of the row. */
static bool integer_parse(const struct cfg_param *p, const char *text, uint64_t *value, char *why, size_t room)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (end == text || *end) {
        snprintf(why, room, "'%s' is not an integer", text);
        return false;
    }
    if (*text == '-' && *value != 0) {
        snprintf(why, room, "%s is below the minimum %" PRIu64, text, p->min);
        return false;
    }
    if (errno == ERANGE || *value > p->max) {
        snprintf(why, room, "%s is above the maximum %" PRIu64, text, p->max);
        return false;
    }
    if (*value < p->min) {
        snprintf(why, room, "%" PRIu64 " is below the minimum %" PRIu64, *value, p->min);
        return false;
    }
    if (p->pow2 && (*value & (*value - 1))) {
        snprintf(why, room, "%" PRIu64 " is not a power of two", *value);
        return false;
    }
    return true;
}

static bool float_parse(const struct cfg_param *p, const char *text, double *value, char *why, size_t room)
{
    char *end;
    double number = number_read(text, &end);

    if (end == text || *end || isnan(number))
        snprintf(why, room, "'%s' is not a number", text);
    else if (number < p->fmin)
        snprintf(why, room, "%s is below the minimum %g", text, p->fmin);
    else if (number > p->fmax)
        snprintf(why, room, "%s is above the maximum %g", text, p->fmax);
    else {
        *value = number;
        return true;
    }
    return false;
}

static bool bool_parse(const char *text, bool *value, char *why, size_t room)
{
    static const char *const yes[] = {"on", "true", "yes", "1"}, *const no[] = {"off", "false", "no", "0"};

    for (unsigned i = 0; i < 4; i++) {
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *value = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    snprintf(why, room, "'%s' is neither on nor off", text);
    return false;
}

static bool enum_parse(const struct cfg_param *p, const char *text, uint32_t *value, char *why, size_t room)
{
    int n = snprintf(why, room, "'%s' is none of", text);

    for (uint32_t i = 0; p->choices[i]; i++) {
        if (strcmp(p->choices[i], text) == 0) {
            *value = i;
            return true;
        }
        if (n > 0 && (size_t)n < room)
            n += snprintf(why + n, room - (size_t)n, "%s %s", i ? "," : "", p->choices[i]);
    }
    const char *near = nearest_word(text, p->choices);
    if (near && n > 0 && (size_t)n < room)
        snprintf(why + n, room - (size_t)n, "; did you mean %s?", near);
    return false;
}

/* "[1, 2]" or "1,2"; empty is an empty list. */
static bool list_parse(const struct cfg_param *p, const char *text, struct cfg_list *list, char *why, size_t room)
{
    char copy[2048], *rest = copy, *item;
    size_t n = strlen(text);

    list->count = 0;
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    if (n >= sizeof(copy)) {
        snprintf(why, room, "too long");
        return false;
    }
    memcpy(copy, text, n);
    copy[n] = 0;
    if (strspn(copy, " ") == n)
        return true;
    while ((item = strsep(&rest, ","))) {
        size_t len;

        item += strspn(item, " ");
        len = strlen(item);
        while (len && item[len - 1] == ' ')
            item[--len] = 0;
        if (list->count == CFG_LIST_MAX) {
            snprintf(why, room, "more than %u members", CFG_LIST_MAX);
            return false;
        }
        if (!integer_parse(p, item, &list->value[list->count], why, room))
            return false;
        list->count++;
    }
    return true;
}

enum gantry_status param_parse(const struct cfg_param *p, struct gantry_cfg *cfg, const char *text, char *why,
                               size_t room)
{
    void *field = (char *)cfg + p->offset;
    struct cfg_list list;
    uint64_t integer;
    bool ok = false;

    switch (p->type) {
    case CFG_U32:
    case CFG_U64:
        ok = integer_parse(p, text, &integer, why, room);
        if (ok && p->type == CFG_U32)
            *(uint32_t *)field = (uint32_t)integer;
        else if (ok)
            *(uint64_t *)field = integer;
        break;
    case CFG_FLOAT:
        ok = float_parse(p, text, field, why, room);
        break;
    case CFG_BOOL:
        ok = bool_parse(text, field, why, room);
        break;
    case CFG_ENUM:
        ok = enum_parse(p, text, field, why, room);
        break;
    case CFG_LIST:
        ok = list_parse(p, text, &list, why, room);
        if (ok)
            *(struct cfg_list *)field = list;
        break;
    case CFG_STRING:
        ok = strlen(text) < CFG_STRING_MAX;
        if (ok)
            strcpy(field, text);
        else
            snprintf(why, room, "longer than %u characters", CFG_STRING_MAX - 1);
        break;
    }
    return ok ? STATUS_OK : STATUS_CONFIG;
}

void param_format(const struct cfg_param *p, const struct gantry_cfg *cfg, char *text, size_t room)
{
    const void *field = (const char *)cfg + p->offset;
    const struct cfg_list *list = field;
    size_t n;

    switch (p->type) {
    case CFG_U32:
        snprintf(text, room, "%" PRIu32, *(const uint32_t *)field);
        break;
    case CFG_U64:
        snprintf(text, room, "%" PRIu64, *(const uint64_t *)field);
        break;
    case CFG_FLOAT:
        number_write(text, room, *(const double *)field);
        break;
    case CFG_BOOL:
        snprintf(text, room, "%s", *(const bool *)field ? "on" : "off");
        break;
    case CFG_ENUM:
        snprintf(text, room, "%s", p->choices[*(const uint32_t *)field]);
        break;
    case CFG_STRING:
        snprintf(text, room, "%s", (const char *)field);
        break;
    case CFG_LIST:
        n = (size_t)snprintf(text, room, "[");
        for (uint32_t i = 0; i < list->count && n < room; i++)
            n += (size_t)snprintf(text + n, room - n, "%s%" PRIu64, i ? ", " : "", list->value[i]);
        if (n < room)
            snprintf(text + n, room - n, "]");
        break;
    }
}

void param_type(const struct cfg_param *p, char *text, size_t room)
{
    static const char *const names[] = {"u32", "u64", "float", "bool", "string", "enum(", "list"};
    size_t n = (size_t)snprintf(text, room, "%s", names[p->type]);

    if (p->type != CFG_ENUM)
        return;
    for (unsigned i = 0; p->choices[i] && n < room; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%s", i ? "," : "", p->choices[i]);
    if (n < room)
        snprintf(text + n, room - n, ")");
}

void param_range(const struct cfg_param *p, char *text, size_t room)
{
    if (p->type == CFG_FLOAT)
        snprintf(text, room, "%g..%g", p->fmin, p->fmax);
    else if (p->type == CFG_U32 || p->type == CFG_U64 || p->type == CFG_LIST)
        snprintf(text, room, "%" PRIu64 "..%" PRIu64 "%s", p->min, p->max, p->pow2 ? ", power of two" : "");
    else
        snprintf(text, room, "%s", "");
}
