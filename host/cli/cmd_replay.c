/* SPDX-License-Identifier: Apache-2.0
 * gantry replay: the RTL of a recorded run again, held against the recording.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/recording.h"
#include "cli/replay_run.h"

/* --only: a GPU (options.sim.only), or a partition (*part). */
static enum gantry_status only_read(struct session *s, int *part)
{
    const char *only = s->options.only;
    unsigned gpu, length = 0;

    *part = -1;
    if (!only)
        return STATUS_OK;
    if (sscanf(only, "gpu%u%n", &gpu, &length) == 1 && only[length] == 0 && gpu < s->config.cfg.system_gpus) {
        s->options.sim.only = gpu + 1;
        return STATUS_OK;
    }
    *part = replay_part(s->replay, only);
    if (*part >= 0 && s->options.record)
        diag("--record", "not of a single part");
    else if (*part < 0)
        diag("--only", "the recording keeps no messages of '%s'; gantry replay --record DIR,PART makes one that does",
             only);
    return *part >= 0 && !s->options.record ? STATUS_OK : STATUS_USAGE;
}

static bool stop_asked(void *arg)
{
    (void)arg;
    return cli_stop != 0;
}

static int part_replay(struct session *s, int part)
{
    uint64_t messages = 0;
    s->options.sim.unwanted = stop_asked;
    enum replay_end end = replay_run_part(s->replay, part, &s->config.cfg, &s->options.sim, &cli_stop, &messages);
    int exit_status = replay_explain(s, end);

    if (end == REPLAY_ENDED)
        fprintf(stderr, "gantry: replay: %s: %llu messages out, all as recorded\n", s->options.only,
                (unsigned long long)messages);
    return exit_status;
}

int cmd_replay(int argc, char **argv)
{
    struct session s;
    enum gantry_status status = session_open(&s, "replay", argc, argv);
    int exit_status, part = -1;

    if (status == STATUS_OK)
        status = only_read(&s, &part);
    if (status == STATUS_OK)
        status = recording_begin(&s);
    exit_status = status != STATUS_OK ? status_exit(status)
                  : part >= 0         ? part_replay(&s, part)
                                      : replay_machine(&s, NULL);
    return session_close(&s, exit_status);
}
