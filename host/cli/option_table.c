/* SPDX-License-Identifier: Apache-2.0
 * The table of options (option_table.h).
 */
#include "cli/option_table.h"

#include <string.h>

#include "base/check.h"

#define LIVE (OPTION_RUN | OPTION_KERNEL)
#define KERNEL OPTION_KERNEL
#define WITHOUT_KERNEL (OPTION_RUN | OPTION_REPLAY | OPTION_RESTORE)
#define AGAIN (OPTION_REPLAY | OPTION_RESTORE)
#define BEGINS (OPTION_RUN | OPTION_KERNEL | OPTION_REPLAY)
#define ALL (BEGINS | OPTION_RESTORE)

static const struct row {
    enum option_id id;
    const char *name;
    const char *value; /* NULL: takes none */
    const char *help;  /* NULL: not told; lines after the first are indented alike */
    unsigned users;    /* bits of enum option_user */
} rows[] = {
    {OPT_CONFIG, "config", "CONFIG", "system file, or the name of one (default demo; gantry config --names)", LIVE},
    {OPT_MODEL, "model", "rtl|golden", "what executes the kernels (default rtl)", LIVE},
    {OPT_LOCKSTEP, "lockstep", NULL, "compare every retired instruction with the golden model", ALL},
    {OPT_SET, "set", "KEY=VALUE", "override a configuration key; may be repeated", LIVE},
    {OPT_SET, "set", "KEY=VALUE", "where GPUs run: place.processes or place.gpus; may be repeated", AGAIN},
    {OPT_GPU, "gpu", "I", "GPU that runs the kernel", KERNEL},
    {OPT_GRID, "grid", "X[,Y[,Z]]", "work-items", KERNEL},
    {OPT_GROUP, "group", "X[,Y[,Z]]", "work-items of a work-group", KERNEL},
    {OPT_ARG, "arg", "SPEC",
     "the next argument of the kernel:\nu8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64:VALUE, in:FILE, zero:BYTES,\n"
     "fill:BYTE:BYTES, out:BYTES:FILE, inout:FILE:FILE, lds:BYTES, struct:SPEC,SPEC",
     KERNEL},
    {OPT_SCRIPT, "script", "FILE", "launches, named buffers and expected results (YAML) instead of these", KERNEL},
    {OPT_OUTPUT, "output", "DIR", "result folder: run.json, metrics.sqlite, kernels.csv, log.txt", ALL},
    {OPT_SEED, "seed", "N", "seed of everything chosen at random", LIVE},
    {OPT_WAVE, "wave", "SCOPE[@FROM:TO]", "FST wave of one part, e.g. gpu0.cu3@1000:5000", ALL},
    {OPT_TRACE, "trace", "KIND", NULL, LIVE},
    {OPT_MAX_CYCLES, "max-cycles", "N", "stop after N target cycles; K, M, G count thousands", ALL},
    {OPT_MAX_SECONDS, "max-seconds", "N", "stop after N seconds", ALL},
    {OPT_THREADS, "threads", "N", "host threads (1 to 64, default 1): same results, less time", ALL},
    {OPT_PROGRESS, "progress", "auto|always|never", "the progress line (auto: on a terminal)", ALL},
    {OPT_QUIET, "quiet", NULL, "no progress line, no table; the final line stays", ALL},
    {OPT_VERBOSE, "verbose", NULL, "more messages; twice: all", ALL},
    {OPT_NO_SKIP, "no-skip", NULL, "evaluate idle parts too: slower, same hash", ALL},
    {OPT_RECORD, "record", "DIR[,PART...]", "keep what enters the RTL, for gantry replay; PART: and all messages of it",
     BEGINS},
    {OPT_ONLY, "only", "gpuI|PART", "of the recording that GPU alone, or that part (kept by --record)", OPTION_REPLAY},
    {OPT_CHECKPOINT, "checkpoint", "kernel:N,DIR",
     "a state to go on from (gantry restore DIR), when kernel N has ended", ALL},
    {OPT_CHECKPOINT, "checkpoint", "cycle:C,DIR", "the same at cycle C; live runs: with --record", ALL},
    {OPT_ROI, "roi", "kernel:A..B", "kernels A to B on the RTL, those before and behind on the golden model",
     OPTION_RUN},
    {OPT_EXIT_AFTER, "exit-after", "kernel:N", "end when kernel N of the table has ended", WITHOUT_KERNEL},
};
#define HELP_COLUMN 34 /* where explanations begin */
#define ROWS (sizeof rows / sizeof *rows)

enum option_user option_user(const char *command)
{
    static const char *const names[] = {"run", "kernel", "replay", "restore"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(command, names[i]) == 0)
            return 1u << i;
    return OPTION_RUN;
}

void option_longs(enum option_user user, struct option longs[OPTIONS_MOST])
{
    unsigned count = 0;

    _Static_assert(ROWS < OPTIONS_MOST, "room for the end");
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].users & user)
            longs[count++] = (struct option){rows[i].name, rows[i].value != NULL, NULL, (int)rows[i].id};
    longs[count] = (struct option){NULL, 0, NULL, 0};
}

void option_help(FILE *out, enum option_user user)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        const char *text = r->help;

        if (!text || !(r->users & user))
            continue;
        int width =
            r->id < 256 ? fprintf(out, "  -%c, --%s", (int)r->id, r->name) : fprintf(out, "      --%s", r->name);
        width += r->value ? fprintf(out, " %s", r->value) : 0;
        for (; *text; width = 0) {
            int length = (int)strcspn(text, "\n");

            fprintf(out, "%*s%.*s\n", width < HELP_COLUMN ? HELP_COLUMN - width : 1, "", length, text);
            text += length + (text[length] == '\n');
        }
    }
}
