/* SPDX-License-Identifier: Apache-2.0
 * gantry config: the resolved configuration, the list of keys, one key, the SystemVerilog constants.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/option_table.h"
#include "config/config.h"
#include "config/key_table.h"
#include "config/names.h"

struct config_options {
    const char *file;
    const char *get;
    const char *prefix; /* of --list */
    bool list, json, names, sv;
};

static enum gantry_status options_read(int argc, char **argv, struct config_options *o, struct config *config)
{
    struct option longs[OPTIONS_MOST];
    enum gantry_status status = STATUS_OK;
    int c;

    /* First the file, then --set in its order: a setting wins wherever it stands. */
    option_longs(OPTION_CONFIG, longs);
    opterr = 0;
    o->file = "demo";
    o->prefix = "";
    for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
        optind = 0;
        while ((c = getopt_long(argc, argv, option_shorts(OPTION_CONFIG), longs, NULL)) != -1 && status == STATUS_OK) {
            if (c == '?' || c == ':')
                return option_refused("config", c, argv);
            if (c == OPT_CONFIG) {
                o->file = optarg;
                status = option_name_check("-c", optarg);
            } else if (c == OPT_LIST) {
                o->list = true;
            } else if (c == OPT_GET) {
                o->get = optarg;
            } else if (c == OPT_SV) {
                o->sv = true;
            } else if (c == OPT_JSON) {
                o->json = true;
            } else if (c == OPT_NAMES) {
                o->names = true;
            } else if (pass == 1) {
                status = config_set(config, "--set", optarg);
            }
        }
        if (o->list && optind < argc)
            o->prefix = argv[optind++];
        if (optind < argc && status == STATUS_OK) {
            diag("config", "unexpected argument %s", argv[optind]);
            return STATUS_USAGE;
        }
        if (pass == 0 && status == STATUS_OK)
            status = config_load(config, o->file);
    }
    return status;
}

static void constant_print(void *arg, const char *name, uint64_t value)
{
    fprintf(arg, "%s=%" PRIu64 "\n", name, value);
}

static enum gantry_status key_unknown(const char *option, const char *key)
{
    const char *near = param_nearest(key);

    if (param_retired(key)) {
        diag(option, "%s: %s", key, param_retired(key));
        return STATUS_USAGE;
    }
    diag(option, "%s: unknown key%s%s%s", key, near ? "; did you mean " : " (gantry config --list shows all)",
         near ? near : "", near ? "?" : "");
    return STATUS_USAGE;
}

static enum gantry_status answer_print(const struct config_options *o, const struct gantry_cfg *cfg)
{
    char text[2048];

    if (o->names) {
        system_list(stdout);
    } else if (o->get) {
        if (!config_get(cfg, o->get, text, sizeof(text)))
            return key_unknown("--get", o->get);
        printf("%s\n", text);
    } else if (o->list) {
        if (!(o->json ? config_list_json : config_list)(stdout, o->prefix))
            return key_unknown("--list", o->prefix);
    } else if (o->sv) {
        config_constants(cfg, constant_print, stdout);
    } else if (o->json) {
        config_json(stdout, cfg, "");
        putchar('\n');
    } else {
        config_print(stdout, cfg);
    }
    return STATUS_OK;
}

int cmd_config(int argc, char **argv)
{
    struct config_options o = {0};
    struct config config;
    enum gantry_status status;

    config_init(&config);
    status = options_read(argc, argv, &o, &config);
    if (status == STATUS_OK)
        status = config_finish(&config);
    if (status == STATUS_OK)
        status = answer_print(&o, &config.cfg);
    config_fini(&config);
    if (fflush(stdout) != 0 && status == STATUS_OK) {
        diag("stdout", "%m");
        status = STATUS_IO;
    }
    return status_exit(status);
}
