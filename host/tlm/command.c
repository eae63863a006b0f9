/* SPDX-License-Identifier: Apache-2.0
 * Commands of the host model; contract in command.h.
 */
#include "tlm/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/cli.h"
#include "cli/options.h"

int tlm_command(const char *const *words, unsigned count, const struct external *external)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"kernel", cmd_kernel}, {"replay", cmd_replay}, {"run", cmd_run}};
    int status = -1;
    char **list = xcalloc(count + 1u, sizeof *list); /* getopt moves them */
    for (unsigned i = 0; i < count; i++)
        list[i] = xstrdup(words[i]);
    char **moved = xcalloc(count + 1u, sizeof *moved);
    memcpy(moved, list, count * sizeof *moved);
    cli_external = external;
    for (unsigned i = 0; count && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(words[0], commands[i].name) == 0)
            status = commands[i].run((int)count, moved);
    cli_external = NULL;
    if (status < 0) {
        diag(count ? words[0] : NULL, "is no command with GPUs: kernel, replay, run");
        status = status_exit(STATUS_USAGE);
    }
    for (unsigned i = 0; i < count; i++)
        free(list[i]);
    free(list);
    free(moved);
    return status;
}
