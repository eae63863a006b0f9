/* SPDX-License-Identifier: Apache-2.0
 * The gantry command: picks the sub-command.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "cli/cli.h"

static const char usage[] =
    "usage: gantry run    -c CONFIG [options] -- PROGRAM [ARG...]\n"
    "       gantry kernel -c CONFIG [options] FILE[:KERNEL] --grid X[,Y[,Z]] --group X[,Y[,Z]] [--arg SPEC]...\n"
    "       gantry config [-c CONFIG] [--set KEY=VALUE]... [--list | --get KEY | --sv]\n"
    "\n"
    "options of run and kernel:\n"
    "  -c, --config FILE      system file, or a name: tiny, smallest, demo, r9nano, r9nano-2gpu,\n"
    "                         r9nano-4gpu\n"
    "  --model rtl|golden     what executes the kernels (default rtl)\n"
    "  --lockstep             compare every retired instruction with the golden model\n"
    "  --set KEY=VALUE        override a configuration key; may be repeated\n"
    "  -o, --output DIR       result folder: run.json, metrics.sqlite, kernels.csv, log.txt\n"
    "  --seed N               seed of everything chosen at random\n"
    "  --wave SCOPE[@FROM:TO] FST wave of one part, e.g. gpu0.cu3@1000:5000\n"
    "  --max-cycles N         stop after N target cycles\n"
    "  --threads N            host threads (1 to 64, default 1): same results, less time\n"
    "  --progress auto|always|never\n"
    "  -q, --quiet            no progress line, no table\n"
    "  -v, --verbose          more messages; twice: all\n"
    "  --no-skip              evaluate idle parts too: slower, same hash\n"
    "  --gpu I                GPU that runs the kernel (kernel only)\n"
    "\n"
    "argument specs: u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64:VALUE, in:FILE, zero:BYTES, fill:BYTE:BYTES,\n"
    "  out:BYTES:FILE, inout:FILE:FILE, lds:BYTES\n"
    "\n"
    "exit status: the program's (run), 0 success, 64 usage, 65 bad input, 66 missing file, 70 internal error,\n"
    "  74 input or output error, 75 no progress, 76 fault of the kernel, 128+N ended by signal N\n";

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", cmd_run}, {"kernel", cmd_kernel}, {"config", cmd_config}};

    signal(SIGPIPE, SIG_IGN);
    if (argc >= 2 && (asks_help(argv[1]) || strcmp(argv[1], "help") == 0 || (argc >= 3 && asks_help(argv[2])))) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        puts("gantry 0.1");
        return 0;
    }
    for (unsigned i = 0; argc >= 2 && i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (argc >= 2)
        diag(argv[1], "unknown command (gantry --help shows all)");
    else
        diag(NULL, "no command (gantry --help shows all)");
    return status_exit(STATUS_USAGE);
}
