/* SPDX-License-Identifier: Apache-2.0
 * The table of options (option_table.h).
 */
#include "cli/option_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/xalloc.h"

#define LIVE (OPTION_RUN | OPTION_KERNEL)
#define KERNEL OPTION_KERNEL
#define WITHOUT_KERNEL (OPTION_RUN | OPTION_REPLAY | OPTION_RESTORE)
#define AGAIN (OPTION_REPLAY | OPTION_RESTORE)
#define BEGINS (OPTION_RUN | OPTION_KERNEL | OPTION_REPLAY)
#define ALL (BEGINS | OPTION_RESTORE)
#define CONFIG OPTION_CONFIG
#define EACH (ALL | CONFIG | OPTION_CUDA_PATH | OPTION_BOARDS)

static const struct row {
    enum option_id id;
    const char *name;
    const char *value; /* NULL: takes none */
    const char *help;  /* NULL: not told; lines after the first are indented alike */
    unsigned users;    /* bits of enum option_user */
} rows[] = {
    {OPT_CONFIG, "config", "CONFIG", "system file, or the name of one (default demo; gantry config --names)", LIVE},
    {OPT_CONFIG, "config", "CONFIG", NULL, CONFIG},
    {OPT_MODEL, "model", "rtl|golden", "what executes the kernels (default rtl)", LIVE},
    {OPT_LOCKSTEP, "lockstep", NULL, "compare every retired instruction with the golden model", ALL},
    {OPT_SET, "set", "KEY=VALUE", "override a configuration key; may be repeated", LIVE},
    {OPT_SET, "set", "KEY=VALUE", "where GPUs run: place.processes, place.gpus or place.boards; may be repeated",
     AGAIN},
    {OPT_GPU, "gpu", "I", "GPU that runs the kernel", KERNEL},
    {OPT_GRID, "grid", "X[,Y[,Z]]", "work-items", KERNEL},
    {OPT_GROUP, "group", "X[,Y[,Z]]", "work-items of a work-group", KERNEL},
    {OPT_ARG, "arg", "SPEC",
     "the next argument of the kernel:\nu8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64:VALUE, in:FILE, zero:BYTES,\n"
     "fill:BYTE:BYTES, out:BYTES:FILE, inout:FILE:FILE, lds:BYTES, struct:SPEC,SPEC",
     KERNEL},
    {OPT_SCRIPT, "script", "FILE", "launches, named buffers and expected results (YAML) instead of these", KERNEL},
    {OPT_LIST, "list", NULL, "only tell the kernels of FILE: limits and arguments", KERNEL},
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
    {OPT_SET, "set", "KEY=VALUE", NULL, CONFIG},
    {OPT_LIST, "list", NULL, NULL, CONFIG},
    {OPT_GET, "get", "KEY", NULL, CONFIG},
    {OPT_JSON, "json", NULL, NULL, CONFIG},
    {OPT_NAMES, "names", NULL, NULL, CONFIG},
    {OPT_SV, "sv", NULL, NULL, CONFIG},
    {OPT_EXIT_AFTER, "exit-after", "kernel:N", "end when kernel N of the table has ended", WITHOUT_KERNEL},
    {OPT_ECHO, "echo", "SERIAL", NULL, OPTION_BOARDS},
    {OPT_HELP, "help", NULL, "this text", EACH},
    {OPT_VERSION, "version", NULL, "version and commit", EACH},
};
#define HELP_COLUMN 34 /* where explanations begin */
#define ROWS (sizeof rows / sizeof *rows)

static const char *const commands[] = {"run", "kernel", "replay", "restore", "config", "cuda-path", "boards"};
#define COMMANDS (sizeof commands / sizeof *commands)

enum option_user option_user(const char *command)
{
    unsigned i = 0;

    while (i + 1 < COMMANDS && strcmp(command, commands[i]) != 0)
        i++;
    return 1u << i;
}

const char *option_shorts(enum option_user user)
{
    return user == OPTION_RUN                        ? "+:c:o:qvh"
           : user == OPTION_KERNEL                   ? ":c:o:qvh"
           : user & (OPTION_REPLAY | OPTION_RESTORE) ? ":o:qvh"
           : user == OPTION_CONFIG                   ? ":c:h"
                                                     : ":h";
}

int option_asked(int argc, char *const *argv)
{
    const enum option_user user = option_user(argv[0]);
    char **words = xcalloc((size_t)argc + 1, sizeof *words); /* which getopt_long puts into another order */
    struct option longs[OPTIONS_MOST];
    int c;

    memcpy(words, argv, (size_t)argc * sizeof *words);
    option_longs(user, longs);
    opterr = optind = 0;
    do
        c = getopt_long(argc, words, option_shorts(user), longs, NULL);
    while (c != -1 && c != '?' && c != ':' && c != OPT_HELP && c != OPT_VERSION);
    free(words);
    return c == OPT_HELP || c == OPT_VERSION ? c : 0;
}

/* "--max-cycles, --model" of those that begin like the word; how many there are. */
static unsigned longs_like(enum option_user user, const char *word, size_t length, char *text, size_t room)
{
    unsigned count = 0;
    size_t n = 0;

    *text = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];

        if (!(r->users & user) || !r->help || strncmp(r->name, word, length) != 0 ||
            (i > 0 && r->id == rows[i - 1].id && rows[i - 1].users & user))
            continue;
        n += (size_t)snprintf(text + n, n < room ? room - n : 0, "%s--%s", count++ ? ", " : "", r->name);
    }
    return count;
}

/* What else is said of a long option that the command does not have. */
static void long_hint(enum option_user user, const char *word, char *text, size_t room)
{
    const char *names[ROWS + 1];
    const size_t length = strcspn(word, "=");
    char name[64], like[256];
    unsigned count = 0;

    *text = 0;
    if (length >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (unsigned i = 0; i < ROWS; i++)
        if (rows[i].users & user)
            names[count++] = rows[i].name;
    names[count] = NULL;
    const char *near = nearest_word(name, names);
    if (length && longs_like(user, name, length, like, sizeof like) > 1) {
        snprintf(text, room, ": one of %s?", like);
        return;
    }
    for (unsigned i = 0; i < ROWS && !*text; i++)
        for (unsigned u = 0; u < COMMANDS && !*text && strcmp(rows[i].name, name) == 0; u++)
            if (rows[i].users & 1u << u)
                snprintf(text, room, ", which gantry %s has", commands[u]);
    if (!*text && near)
        snprintf(text, room, "; did you mean --%s?", near);
}

enum gantry_status option_refused(const char *command, int c, char *const *argv)
{
    const enum option_user user = option_user(command);
    const char *typed = argv[optind - 1];
    const char letter[] = {'-', (char)optopt, 0};
    bool known = false;
    char hint[320] = "";

    for (unsigned i = 0; i < ROWS; i++)
        known |= optopt && (int)rows[i].id == optopt && rows[i].users & user;
    if (c == ':') {
        diag(command, "%s needs a value", optopt < 256 ? letter : typed);
    } else if (known) {
        diag(command, "%s: this option takes no value", typed);
    } else if (optopt && optopt < 256) {
        diag(command, "unknown option %s", letter);
    } else {
        long_hint(user, typed + strspn(typed, "-"), hint, sizeof hint);
        diag(command, "unknown option %s%s", typed, hint);
    }
    return STATUS_USAGE;
}

enum gantry_status option_name_check(const char *option, const char *text)
{
    if (*text && *text != '-')
        return STATUS_OK;
    if (*text)
        diag(option, "'%s' begins like an option: a file or folder of that name is ./%s", text, text);
    else
        diag(option, "an empty name");
    return STATUS_USAGE;
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
