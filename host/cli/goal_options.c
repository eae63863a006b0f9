/* SPDX-License-Identifier: Apache-2.0
 * Options that name a place in a run; contract in goal_options.h.
 */
#include "cli/goal_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/options.h"

static enum gantry_status wrong(const char *option, const char *text, const char *why)
{
    diag(option, "'%s' %s", text, why);
    return STATUS_USAGE;
}

enum gantry_status count_read(const char *option, const char *text, uint64_t *value)
{
    static const char suffixes[] = "KMG";
    uint64_t factor = 1;
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 0);
    const char *suffix = isalpha((unsigned char)*end) ? strchr(suffixes, *end & ~0x20) : NULL;
    for (long i = suffix ? suffix - suffixes : -1; i >= 0; i--)
        factor *= 1000;
    if (!isdigit((unsigned char)*text) || errno || end[suffix != NULL] != 0)
        return wrong(option, text, "is not a number");
    if (*value > UINT64_MAX / factor)
        return wrong(option, text, "is too large");
    *value *= factor;
    return *value ? STATUS_OK : wrong(option, text, "must be at least 1");
}

/* What stands behind "name:" at the beginning of text; NULL: something else does. */
static const char *behind(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && text[n] == ':' ? text + n + 1 : NULL;
}

enum gantry_status checkpoint_read(const char *text, struct goals *goals)
{
    const char *kernel = behind(text, "kernel"), *cycle = behind(text, "cycle"), *comma = strchr(text, ',');
    const char *number = kernel ? kernel : cycle;

    if (!number || !comma || !comma[1])
        return wrong("--checkpoint", text, "is neither kernel:N,DIR nor cycle:C,DIR");
    char *digits = xasprintf("%.*s", (int)(comma - number), number);
    uint64_t value;
    enum gantry_status status = count_read("--checkpoint", digits, &value);
    free(digits);
    goals->checkpoint_kernel = kernel ? value : 0;
    goals->checkpoint_cycle = kernel ? 0 : value;
    goals->checkpoint = comma + 1;
    return status;
}

enum gantry_status exit_after_read(const char *text, struct goals *goals)
{
    const char *kernel = behind(text, "kernel");

    return kernel ? count_read("--exit-after", kernel, &goals->exit_after)
                  : wrong("--exit-after", text, "is not kernel:N");
}

enum gantry_status roi_read(const char *text, struct goals *goals)
{
    const char *first = behind(text, "kernel"), *dots = first ? strstr(first, "..") : NULL;

    if (!dots)
        return wrong("--roi", text, "is not kernel:A..B");
    char *number = xasprintf("%.*s", (int)(dots - first), first);
    enum gantry_status status = count_read("--roi", number, &goals->roi_first);
    free(number);
    if (status == STATUS_OK)
        status = count_read("--roi", dots + 2, &goals->roi_last);
    return status == STATUS_OK && goals->roi_last < goals->roi_first ? wrong("--roi", text, "ends before it begins")
                                                                     : status;
}

static enum gantry_status roi_check(const struct cli_options *o)
{
    if (!o->goals.roi_first)
        return STATUS_OK;
    if (o->record)
        return wrong("--roi", o->record, "cannot be recorded: most of such a run enters no RTL");
    if (o->goals.checkpoint)
        return wrong("--roi", o->goals.checkpoint, "cannot be saved: a checkpoint needs --record");
    return o->sim.model == SIM_GOLDEN ? wrong("--roi", "golden", "has no RTL for the region: use --model rtl")
                                      : STATUS_OK;
}

enum gantry_status goals_check(const struct cli_options *o)
{
    const struct goals *g = &o->goals;
    bool live = strcmp(o->command, "run") == 0 || strcmp(o->command, "kernel") == 0;

    if (g->roi_first || !g->checkpoint)
        return roi_check(o);
    if (live && !o->record) {
        diag("--checkpoint", "a run goes on from its recording: give --record DIR, too");
        return STATUS_USAGE;
    }
    if (o->only)
        return wrong("--checkpoint", o->only, "alone cannot be saved: without --only");
    if (access(g->checkpoint, F_OK) == 0) {
        diag(g->checkpoint, "exists already: a checkpoint makes its folder");
        return STATUS_USAGE;
    }
    size_t length = strlen(g->checkpoint); /* without slashes at the end */
    while (length > 1 && g->checkpoint[length - 1] == '/')
        length--;
    const char *slash = memrchr(g->checkpoint, '/', length);
    char *parent = slash ? xasprintf("%.*s/", (int)(slash - g->checkpoint), g->checkpoint) : xstrdup(".");
    int error = access(parent, W_OK | X_OK) == 0 ? 0 : errno;
    free(parent);
    if (error)
        diag(g->checkpoint, "%s", strerror(error));
    return error ? STATUS_IO : STATUS_OK;
}

enum gantry_status goals_ahead(const struct goals *g, uint64_t now)
{
    unsigned long long kernels = g->kernels, cycle = now;

    if (g->checkpoint && g->checkpoint_over)
        diag("--checkpoint", "kernel %llu has ended before: %llu have here", (unsigned long long)g->checkpoint_kernel,
             kernels);
    else if (g->checkpoint && !g->checkpoint_kernel && g->checkpoint_cycle <= now)
        diag("--checkpoint", "cycle %llu is over: here begins %llu", (unsigned long long)g->checkpoint_cycle, cycle);
    else if (g->exit_over)
        diag("--exit-after", "kernel %llu has ended before: %llu have here", (unsigned long long)g->exit_after,
             kernels);
    else
        return STATUS_OK;
    return STATUS_USAGE;
}

enum gantry_status goals_reached(const struct goals *g)
{
    if (g->roi_first > g->kernels) {
        diag("--roi", "nothing ran on the RTL: the run ended after kernel %llu, before %llu",
             (unsigned long long)g->kernels, (unsigned long long)g->roi_first);
        return STATUS_USAGE;
    }
    if (!g->checkpoint || g->tried)
        return g->failure;
    if (g->checkpoint_kernel)
        diag("--checkpoint", "nothing was saved: the run ended after %llu kernel%s, before kernel %llu had",
             (unsigned long long)g->kernels, g->kernels == 1 ? "" : "s", (unsigned long long)g->checkpoint_kernel);
    else
        diag("--checkpoint", "nothing was saved: the run ended before cycle %llu",
             (unsigned long long)g->checkpoint_cycle);
    return STATUS_USAGE;
}
