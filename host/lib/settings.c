/* SPDX-License-Identifier: Apache-2.0
 * Configurations and versions of the library (gantry.h).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "config/version.h"
#include "lib/lib_private.h"

#define TEXT_OF(x) TEXT(x)
#define TEXT(x) #x

static char simulator[96];

const char *gantry_library_version(void)
{
    return TEXT_OF(GANTRY_LIBRARY_MAJOR) "." TEXT_OF(GANTRY_LIBRARY_MINOR) "." TEXT_OF(GANTRY_LIBRARY_PATCH);
}

static void simulator_find(void)
{
    char commit[64];

    version_commit(commit, sizeof commit);
    snprintf(simulator, sizeof simulator, "%s (%s)", GANTRY_VERSION, commit);
}

const char *gantry_simulator_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, simulator_find);
    return simulator;
}

int gantry_config_new(struct gantry_config **config, struct gantry_error *error)
{
    struct handle plain;
    struct call call;
    call_plain(&call, &plain, "gantry_config_new", error);
    int status = GANTRY_OK;
    if (config) {
        *config = xzalloc(sizeof **config);
        config_init(&(*config)->config);
        handle_init(&(*config)->handle, HANDLE_CONFIG, true);
    } else {
        status = call_refuse(&call, "no place for the handle");
    }
    status = call_end(&call, status);
    handle_fini(&plain);
    return status;
}

void gantry_config_free(struct gantry_config *config)
{
    if (config == NULL)
        return;
    handle_end(&config->handle, HANDLE_CONFIG, "gantry_config_free");
    config_fini(&config->config);
    handle_fini(&config->handle);
    free((char *)(uintptr_t)config->config.file);
    free(config);
}

int gantry_config_load(struct gantry_config *config, const char *file, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, config, HANDLE_CONFIG, "gantry_config_load", error))
        return GANTRY_USAGE;
    if (file == NULL)
        return call_end(&call, call_refuse(&call, "no file"));
    char *before = (char *)(uintptr_t)config->config.file, *name = xstrdup(file);
    const int status = config_load(&config->config, name);
    free(before);
    return call_end(&call, status);
}

int gantry_config_set(struct gantry_config *config, const char *setting, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, config, HANDLE_CONFIG, "gantry_config_set", error))
        return GANTRY_USAGE;
    return call_end(&call, setting ? config_set(&config->config, "--set", setting) : call_refuse(&call, "no setting"));
}

int gantry_config_get(struct gantry_config *config, const char *key, char *text, size_t room,
                      struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, config, HANDLE_CONFIG, "gantry_config_get", error))
        return GANTRY_USAGE;
    if (key == NULL || text == NULL || room == 0)
        return call_end(&call, call_refuse(&call, "no key, or no place for its value"));
    int status = GANTRY_OK;
    if (!config_get(&config->config.cfg, key, text, room))
        status = call_refuse(&call, "unknown key (gantry config --list shows all)");
    return call_end(&call, status);
}
