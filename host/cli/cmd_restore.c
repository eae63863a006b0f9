/* SPDX-License-Identifier: Apache-2.0
 * gantry restore: a recorded run goes on from a checkpoint.
 */
#include "cli/cli.h"
#include "cli/replay_run.h"

int cmd_restore(int argc, char **argv)
{
    struct session s;
    enum gantry_status status = session_open(&s, "restore", argc, argv);
    int exit_status = status == STATUS_OK ? replay_machine(&s, argv[s.options.first]) : status_exit(status);

    return session_close(&s, exit_status);
}
