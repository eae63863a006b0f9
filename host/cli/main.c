/* SPDX-License-Identifier: Apache-2.0
 * The gantry command: picks the sub-command.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "cli/cli.h"
#include "config/version.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", cmd_run},         {"kernel", cmd_kernel}, {"replay", cmd_replay},
                    {"restore", cmd_restore}, {"config", cmd_config}, {"cuda-path", cmd_cuda_path}};

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* beyond ulimit -f writes fail like others, with EFBIG */
    if (argc >= 2 && (help_asked(argv[1]) || strcmp(argv[1], "help") == 0)) {
        help_print(stdout, argc >= 3 ? argv[2] : NULL);
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        char commit[64];

        version_commit(commit, sizeof(commit));
        printf("gantry %s (%s)\n", GANTRY_VERSION, commit);
        return 0;
    }
    for (unsigned i = 0; argc >= 2 && i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            if (argc < 3 || !help_asked(argv[2]))
                return commands[i].run(argc - 1, argv + 1);
            help_print(stdout, argv[1]);
            return 0;
        }
    if (argc >= 2)
        diag(argv[1], "unknown command (gantry --help shows all)");
    else
        help_print(stderr, NULL);
    return status_exit(STATUS_USAGE);
}
