/* SPDX-License-Identifier: Apache-2.0
 * What CHECK does when it fails.
 */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"

static void (*check_cleanup)(void);

void check_set_cleanup(void (*cleanup)(void))
{
    check_cleanup = cleanup;
}

void check_fail(const char *file, int line, const char *condition, const char *component, const char *format, ...)
{
    char values[1024], text[2048];
    va_list args;
    void (*cleanup)(void) = check_cleanup;

    va_start(args, format);
    vsnprintf(values, sizeof(values), format, args);
    va_end(args);
    snprintf(text, sizeof text, "internal error at cycle %llu: CHECK(%s) %s [%s:%d]", (unsigned long long)log_cycle,
             condition, values, file, line);
    diag(component, "%s", text);
    if (log_place->bug) {
        char whole[sizeof text + 128];
        snprintf(whole, sizeof whole, "gantry: %s%s%s", component ? component : "", component ? ": " : "", text);
        log_place->bug(log_place->ctx, whole);
        abort();
    }
    check_cleanup = NULL;
    if (cleanup)
        cleanup();
    fflush(NULL);
    if (getenv("GANTRY_CORE"))
        abort();
    _exit(status_exit(STATUS_INTERNAL));
}
