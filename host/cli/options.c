/* SPDX-License-Identifier: Apache-2.0
 * Reading the options of `gantry run` and `gantry kernel`.
 */
#include "cli/options_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/run/thread_team.h"
#include "cli/goal_options.h"
#include "cli/option_table.h"
#include "lib/replays.h"

#define MAX_SECONDS 31536000u /* a year */

static enum gantry_status wrong(const char *option, const char *text, const char *why)
{
    diag(option, "'%s' %s", text, why);
    return STATUS_USAGE;
}

static enum gantry_status number_read(const char *option, const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 0);
    if (end == text || *end || errno || *text == '-')
        return wrong(option, text, "is not a number");
    return STATUS_OK;
}

static enum gantry_status name_read(const char *option, const char *text, const char **name)
{
    *name = text;
    return option_name_check(option, text);
}

enum gantry_status cli_dims_read(const char *option, const char *text, uint32_t limit, uint32_t dims[3],
                                 unsigned *count)
{
    const char *at = text;

    dims[0] = dims[1] = dims[2] = 1;
    for (*count = 0; *count < 3; (*count)++) {
        char *end;
        unsigned long value;

        errno = 0;
        value = strtoul(at, &end, 0);
        if (end == at || *at == '-' || (*end && *end != ','))
            return wrong(option, text, "is not X[,Y[,Z]]");
        if (errno || value < 1 || value > limit) {
            diag(option, "%.*s is outside 1..%u", (int)(end - at), at, limit);
            return STATUS_USAGE;
        }
        dims[*count] = (uint32_t)value;
        if (!*end) {
            (*count)++;
            return STATUS_OK;
        }
        at = end + 1;
    }
    return wrong(option, text, "has more than three dimensions");
}

static enum gantry_status progress_read(const char *text, enum progress_mode *mode)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *mode = (enum progress_mode)i;
            return STATUS_OK;
        }
    }
    return wrong("--progress", text, "is none of auto, always, never");
}

static enum gantry_status trace_read(const char *text)
{
    static const char *const kinds[] = {"instruction", "memory", "message"};

    for (unsigned i = 0; i < 3; i++)
        if (strcmp(text, kinds[i]) == 0)
            return wrong("--trace", text, "traces are not built into this version");
    return wrong("--trace", text, "is none of instruction, memory, message");
}

static enum gantry_status model_read(const char *text, enum sim_model *model)
{
    if (strcmp(text, "rtl") != 0 && strcmp(text, "golden") != 0)
        return wrong("--model", text, "is neither rtl nor golden");
    *model = strcmp(text, "rtl") == 0 ? SIM_RTL : SIM_GOLDEN;
    return STATUS_OK;
}

/* What the RTL is, a replay has from its recording; where it runs and what is told of it is not recorded. */
static enum gantry_status set_apply(struct cli_options *o, struct config *config, const char *text)
{
    if (!(option_user(o->command) & (OPTION_REPLAY | OPTION_RESTORE)))
        return config_set(config, "--set", text);
    if (!replay_may_set(text))
        return STATUS_USAGE;
    words_add(&o->placement, xstrdup(text));
    return STATUS_OK;
}

static enum gantry_status option_apply(struct cli_options *o, struct config *config, int c, const char *text)
{
    uint64_t number = 0;
    enum gantry_status status = STATUS_OK;

    switch (c) {
    case OPT_MODEL:
        return model_read(text, &o->sim.model);
    case OPT_LOCKSTEP:
        o->sim.lockstep = true;
        return STATUS_OK;
    case OPT_NO_SKIP:
        o->sim.no_skip = true;
        return STATUS_OK;
    case OPT_THREADS:
        status = number_read("--threads", text, &number);
        o->sim.threads = (unsigned)number;
        return status == STATUS_OK && (number < 1 || number > TEAM_MOST) ? wrong("--threads", text, "is outside 1..64")
                                                                         : status;
    case OPT_SET:
        return set_apply(o, config, text);
    case OPT_SEED:
        status = number_read("--seed", text, &number);
        config->cfg.seed = number;
        return status;
    case OPT_WAVE:
        o->sim.wave = text;
        return STATUS_OK;
    case OPT_TRACE:
        return trace_read(text);
    case OPT_MAX_CYCLES:
        return count_read("--max-cycles", text, &o->sim.max_cycles);
    case OPT_MAX_SECONDS:
        status = number_read("--max-seconds", text, &number);
        o->max_seconds = (unsigned)number;
        return status == STATUS_OK && (number < 1 || number > MAX_SECONDS)
                   ? wrong("--max-seconds", text, "is outside 1..31536000")
                   : status;
    case OPT_PROGRESS:
        return progress_read(text, &o->progress);
    case OPT_GPU:
        status = number_read("--gpu", text, &number);
        o->gpu = number > UINT32_MAX ? UINT32_MAX : (unsigned)number;
        return status;
    case OPT_GRID:
        return cli_dims_read("--grid", text, UINT32_MAX, o->shape.grid, &o->shape.grid_dims);
    case OPT_GROUP:
        return cli_dims_read("--group", text, 65535, o->shape.group, &o->shape.group_dims);
    case OPT_RECORD:
        return name_read("--record", text, &o->record);
    case OPT_CHECKPOINT:
        return checkpoint_read(text, &o->goals);
    case OPT_ROI:
        return roi_read(text, &o->goals);
    case OPT_EXIT_AFTER:
        return exit_after_read(text, &o->goals);
    case OPT_ONLY:
        return name_read("--only", text, &o->only);
    case OPT_LIST:
        o->list = true;
        return STATUS_OK;
    case OPT_SCRIPT:
        return name_read("--script", text, &o->script);
    case OPT_ARG:
        if (*text == '-')
            return wrong("--arg", text, "is not an argument spec like u32:VALUE or in:FILE");
        if (o->arg_count == CLI_ARGS_MAX)
            return wrong("--arg", text, "is one argument too many");
        o->args[o->arg_count++] = text;
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

enum gantry_status options_read(struct cli_options *o, struct config *config, int argc, char **argv)
{
    enum option_user user = option_user(o->command);
    bool again = user == OPTION_REPLAY || user == OPTION_RESTORE;
    enum gantry_status status = STATUS_OK;
    struct option longs[OPTIONS_MOST];
    int c;

    option_longs(user, longs);
    o->file = "demo";
    opterr = 0;
    /* The file first, then the other options in their order: an option wins over the file wherever it stands. */
    for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
        optind = 0;
        while (status == STATUS_OK && (c = getopt_long(argc, argv, option_shorts(user), longs, NULL)) != -1) {
            if (c == '?' || c == ':')
                return option_refused(o->command, c, argv);
            if (pass == 0 && c == OPT_CONFIG)
                status = name_read("-c", optarg, &o->file);
            else if (pass == 0 && c == OPT_OUTPUT)
                status = name_read("-o", optarg, &o->output);
            else if (pass == 0 && c == OPT_QUIET)
                o->quiet = true;
            else if (pass == 0 && c == OPT_VERBOSE)
                o->verbose++;
            else if (pass == 1)
                status = option_apply(o, config, c, optarg);
        }
        if (pass == 0 && status == STATUS_OK && !again) /* a replay has that of its recording */
            status = config_load(config, o->file);
    }
    o->first = optind;
    if (status == STATUS_OK && o->record && o->sim.model == SIM_GOLDEN)
        status = wrong("--record", "golden", "keeps what enters the RTL: use --model rtl");
    if (status == STATUS_OK)
        status = goals_check(o);
    if (status == STATUS_OK && o->sim.lockstep && o->sim.model == SIM_GOLDEN)
        status = wrong("--lockstep", "golden", "compares the RTL with the golden model: use --model rtl");
    return status;
}
