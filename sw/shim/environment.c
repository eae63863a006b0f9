/* SPDX-License-Identifier: Apache-2.0
 * The environment as the shim needs it, whatever the program does to its own (clearenv, another LD_PRELOAD): what the
 * run gave to this process, and what the ROCm user space has to read.  Not responsible for: what the next program is
 * started with (exec.c).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

#define TOOL "libgantry_shim.so" /* our name for the loader: it is loaded */

static char *value_find(const char *name)
{
    const size_t length = strlen(name);
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    const char *name;
    char *value;
} given[] = {{.name = ENV_ROOT}, {.name = ENV_CLOCK}, {.name = ENV_PROGRAM}};

static const char *shim;

static void given_keep(void)
{
    Dl_info info;
    shim = dladdr((void *)given_keep, &info) ? info.dli_fname : TOOL;
    for (unsigned i = 0; i < sizeof given / sizeof given[0]; i++) {
        const char *value = value_find(given[i].name);
        given[i].value = value ? strdup(value) : NULL;
    }
}

const char *environment_given(const char *name)
{
    pthread_once(&once, given_keep);
    for (unsigned i = 0; i < sizeof given / sizeof given[0]; i++)
        if (strcmp(given[i].name, name) == 0)
            return given[i].value;
    return NULL;
}

const char *environment_shim(void)
{
    pthread_once(&once, given_keep);
    return shim;
}

/* The runtime's tools: the shim (runtime.c), then what the program asks for. */
static char *tools(void)
{
    static char list[4096];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char *own = value_find("HSA_TOOLS_LIB"), whole[sizeof list];
    snprintf(whole, sizeof whole, TOOL "%s%s", own && *own ? " " : "", own ? own : "");
    pthread_mutex_lock(&lock);
    if (strcmp(list, whole) != 0)
        strcpy(list, whole);
    pthread_mutex_unlock(&lock);
    return list;
}

EXPORT char *getenv(const char *name)
{
    static char zero[] = "0";
    if (strncmp(name, "HSA_", 4) == 0 && shim_active()) {
        if (strcmp(name, "HSA_USERPTR_FOR_PAGED_MEM") == 0)
            return zero; /* system memory from the driver, where the simulator can reach it */
        if (strcmp(name, "HSA_TOOLS_LIB") == 0)
            return tools();
    }
    return value_find(name);
}
