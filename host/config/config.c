/* SPDX-License-Identifier: Apache-2.0
 * Defaults, system files, --set, and the values as text.
 */
#include "config/config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/json.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "config/key_table.h"
#include "config/names.h"
#include "config/rules.h"
#include "config/yaml.h"

void config_init(struct config *config)
{
    char why[512];

    memset(config, 0, sizeof(*config));
    config->origin = xcalloc(cfg_param_count, sizeof(*config->origin));
    for (unsigned i = 0; i < cfg_param_count; i++)
        CHECK(param_parse(&cfg_params[i], &config->cfg, cfg_params[i].default_text, why, sizeof(why)) == STATUS_OK,
              "config", "default of %s: %s", cfg_params[i].key, why);
}

void config_fini(struct config *config)
{
    for (unsigned i = 0; config->origin && i < cfg_param_count; i++)
        free(config->origin[i]);
    free(config->origin);
    config->origin = NULL;
}

enum gantry_status config_load(struct config *config, const char *file)
{
    const char *name = strncmp(file, "configs/", 8) == 0 ? file + 8 : file; /* as if in the tree, from anywhere */
    char own[PATH_MAX], hint[512];

    config->file = file;
    if (access(file, F_OK) == 0)
        return yaml_load(config, file, NULL, 0);
    if (system_find(name, own, sizeof(own)))
        return yaml_load(config, own, NULL, 0);
    system_hint(name, hint, sizeof(hint));
    diag(file, "%s%s", strerror(ENOENT), hint);
    return STATUS_MISSING;
}

enum gantry_status config_set(struct config *config, const char *place, const char *setting)
{
    const char *equals = strchr(setting, '=');
    const char *near;
    char key[256], why[512];
    int index;

    if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof(key)) {
        diag(place, "'%s' is not KEY=VALUE", setting);
        return STATUS_USAGE;
    }
    memcpy(key, setting, (size_t)(equals - setting));
    key[equals - setting] = 0;
    index = param_find(key);
    if (index < 0 && param_retired(key)) {
        diag(place, "%s: %s", key, param_retired(key));
        return STATUS_CONFIG;
    }
    if (index < 0) {
        near = param_nearest(key);
        diag(place, "%s: unknown key%s%s%s", key, near ? "; did you mean " : " (gantry config --list shows all)",
             near ? near : "", near ? "?" : "");
        return STATUS_CONFIG;
    }
    if (param_parse(&cfg_params[index], &config->cfg, equals + 1, why, sizeof(why)) != STATUS_OK) {
        diag(place, "%s: %s", key, why);
        return STATUS_CONFIG;
    }
    free(config->origin[index]);
    config->origin[index] = xstrdup(place);
    return STATUS_OK;
}

enum gantry_status config_finish(struct config *config)
{
    return rules_apply(config);
}

bool config_get(const struct gantry_cfg *cfg, const char *key, char *text, size_t room)
{
    int index = param_find(key);

    if (index < 0)
        return false;
    param_format(&cfg_params[index], cfg, text, room);
    return true;
}

/* A string that YAML would not read as one without quotes. */
static bool quoted(const struct cfg_param *p, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+ ";

    return p->type == CFG_STRING && text[strspn(text, plain)] != '\0';
}

void config_print(FILE *out, const struct gantry_cfg *cfg)
{
    char text[2048];

    for (unsigned i = 0; i < cfg_param_count; i++) {
        param_format(&cfg_params[i], cfg, text, sizeof(text));
        fprintf(out, "%s: ", cfg_params[i].key);
        if (quoted(&cfg_params[i], text))
            json_text(out, text); /* which YAML reads as well */
        else
            fputs(text, out);
        fputc('\n', out);
    }
}

/* A key, or a part of one up to a dot. */
static bool key_below(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);

    return strncmp(key, prefix, n) == 0 && (n == 0 || prefix[n - 1] == '.' || key[n] == '.' || !key[n]);
}

typedef void (*key_fn)(FILE *out, const struct cfg_param *p, const char *type, const char *range, bool first);

/* Calls fn for every key below the prefix; false: there is none. */
static bool keys_each(FILE *out, const char *prefix, key_fn fn)
{
    bool any = false;

    for (unsigned i = 0; i < cfg_param_count; i++) {
        char type[256], range[256];

        if (!key_below(cfg_params[i].key, prefix))
            continue;
        param_type(&cfg_params[i], type, sizeof(type));
        param_range(&cfg_params[i], range, sizeof(range));
        fn(out, &cfg_params[i], type, range, !any);
        any = true;
    }
    return any;
}

static void key_lines(FILE *out, const struct cfg_param *p, const char *type, const char *range, bool first)
{
    (void)first;
    fprintf(out, "%s\n    type %s", p->key, type);
    if (*range)
        fprintf(out, ", range %s", range);
    if (*p->unit)
        fprintf(out, ", unit %s", p->unit);
    fprintf(out, ", default %s (%s)\n    %s\n", *p->default_text ? p->default_text : "(empty)", p->source, p->help);
}

bool config_list(FILE *out, const char *prefix)
{
    return keys_each(out, prefix, key_lines);
}

static void json_value(FILE *out, const struct cfg_param *p, const char *text)
{
    if (p->type == CFG_BOOL)
        fputs(strcmp(text, "on") == 0 ? "true" : "false", out);
    else if (p->type == CFG_STRING || p->type == CFG_ENUM)
        json_text(out, text);
    else
        fputs(text, out);
}

void config_json(FILE *out, const struct gantry_cfg *cfg, const char *indent)
{
    char text[2048];

    fputc('{', out);
    for (unsigned i = 0; i < cfg_param_count; i++) {
        param_format(&cfg_params[i], cfg, text, sizeof(text));
        fprintf(out, "%s\n%s  \"%s\": ", i ? "," : "", indent, cfg_params[i].key);
        json_value(out, &cfg_params[i], text);
    }
    fprintf(out, "\n%s}", indent);
}

static void json_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    json_text(out, text);
}

static void key_json(FILE *out, const struct cfg_param *p, const char *type, const char *range, bool first)
{
    fprintf(out, "%s{\"key\": \"%s\"", first ? "[" : ",\n ", p->key);
    json_field(out, "type", type);
    json_field(out, "range", range);
    json_field(out, "unit", p->unit);
    json_field(out, "default", p->default_text);
    json_field(out, "source", p->source);
    json_field(out, "help", p->help);
    fputc('}', out);
}

bool config_list_json(FILE *out, const char *prefix)
{
    bool any = keys_each(out, prefix, key_json);

    fputs(any ? "]\n" : "[]\n", out);
    return any;
}
