/* SPDX-License-Identifier: Apache-2.0
 * The gantry command: picks the sub-command.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cli/option_table.h"
#include "config/version.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", cmd_run},       {"kernel", cmd_kernel},       {"replay", cmd_replay}, {"restore", cmd_restore},
                {"config", cmd_config}, {"cuda-path", cmd_cuda_path}, {"boards", cmd_boards}};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int version_print(void)
{
    char commit[64];

    version_commit(commit, sizeof(commit));
    printf("gantry %s (%s)\n", GANTRY_VERSION, commit);
    return 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* beyond ulimit -f writes fail like others, with EFBIG */
    if (argc >= 2 && (help_asked(argv[1]) || strcmp(argv[1], "help") == 0)) {
        help_print(stdout, argc >= 3 ? argv[2] : NULL);
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0)
        return version_print();
    const char *names[COMMANDS + 1] = {NULL};
    for (unsigned i = 0; argc >= 2 && i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        const int asked = option_asked(argc - 1, argv + 1);
        if (!asked)
            return commands[i].run(argc - 1, argv + 1);
        if (asked == OPT_VERSION)
            return version_print();
        help_print(stdout, argv[1]);
        return 0;
    }
    const char *near = argc >= 2 ? nearest_word(argv[1], names) : NULL;
    if (near)
        diag(argv[1], "unknown command; did you mean %s?", near);
    else if (argc >= 2)
        diag(argv[1], "unknown command (gantry --help shows all)");
    else
        help_print(stderr, NULL);
    return status_exit(STATUS_USAGE);
}
