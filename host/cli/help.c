/* SPDX-License-Identifier: Apache-2.0
 * What --help prints: of the command as a whole, and of each of its commands.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_table.h"

static const char overview[] =
    "usage: gantry COMMAND [options]\n"
    "\n"
    "  run      an unmodified ROCm or HIP program on the simulated GPUs\n"
    "           gantry run -c demo -- build/apps/vecadd\n"
    "  kernel   one kernel of a code object, without ROCm\n"
    "           gantry kernel -c tiny build/kernels/hash.v4.co --grid 64 --group 64 --arg zero:256 --arg zero:256\n"
    "  replay   the RTL of a recorded run (--record) again, without program and driver\n"
    "           gantry replay DIR --wave gpu0.cu3\n"
    "  restore  a recorded run goes on from a checkpoint (--checkpoint)\n"
    "           gantry restore DIR\n"
    "  config   the configuration: its keys, their values, the systems that come with the command\n"
    "           gantry config --list gpu.l2\n"
    "  cuda-path  the folder with bin/nvcc, include and lib64, for makefiles of CUDA programs\n"
    "           make CUDA_PATH=$(gantry cuda-path)\n"
    "  boards   FPGA boards at USB cables: which there are, what they carry\n"
    "           gantry boards --echo SERIAL\n"
    "\n"
    "gantry COMMAND --help tells the options of a command, man gantry tells more.\n";

static const char exits_run[] = "\n"
                                "exit status: the program's; otherwise 64 usage, 65 bad input, 66 missing file, 70 "
                                "internal error, 74 input or output\n"
                                "error, 75 no progress, 128+N ended by signal N\n";

static const char exits_kernel[] =
    "\n"
    "exit status: 0 success, 1 other results than the script expects, 64 usage, 65 bad input, 66 missing file,\n"
    "70 internal error, 74 input or output error, 75 no progress, 76 fault of the kernel, 128+N ended by signal N\n";

static const char exits_replay[] =
    "\n"
    "exit status: 0 as recorded, 70 something differs from the recording; otherwise 64 usage, 65 damaged recording,\n"
    "66 missing, 74 input or output error, 75 stopped by a limit, 128+N ended by signal N\n";

static const char config_text[] =
    "usage: gantry config [-c CONFIG] [--set KEY=VALUE]... [--json]   every key with its value\n"
    "       gantry config --list [PREFIX] [--json]                    keys (below PREFIX) with type, range, default\n"
    "       gantry config [-c CONFIG] [--set KEY=VALUE]... --get KEY  one value\n"
    "       gantry config [-c CONFIG] [--set KEY=VALUE]... --sv       constants for SystemVerilog\n"
    "       gantry config --names                                     systems that come with the command\n";

static const char cuda_text[] =
    "usage: gantry cuda-path   the folder with bin/nvcc, include and lib64 (docs/cuda.md)\n";

static const char boards_text[] =
    "usage: gantry boards                 FTDI chips that are plugged in, and the boards that answer behind them\n"
    "       gantry boards --echo SERIAL   round trips, bytes a second and errors of one; its target is reset\n"
    "\n"
    "exit status: 0 success, 64 usage, 74 no such board, or it does not answer\n";

bool help_asked(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

void help_print(FILE *out, const char *command)
{
    if (command && strcmp(command, "run") == 0) {
        fputs("usage: gantry run [options] -- PROGRAM [ARG...]\n\n", out);
        option_help(out, OPTION_RUN);
        fputs(exits_run, out);
    } else if (command && strcmp(command, "kernel") == 0) {
        fputs("usage: gantry kernel [options] FILE[:KERNEL] --grid X[,Y[,Z]] --group X[,Y[,Z]] [--arg SPEC]...\n"
              "       gantry kernel [options] --script FILE\n"
              "       gantry kernel --list FILE[:KERNEL]\n\n",
              out);
        option_help(out, OPTION_KERNEL);
        fputs(exits_kernel, out);
    } else if (command && strcmp(command, "replay") == 0) {
        fputs("usage: gantry replay [options] DIR\n\n", out);
        option_help(out, OPTION_REPLAY);
        fputs(exits_replay, out);
    } else if (command && strcmp(command, "restore") == 0) {
        fputs("usage: gantry restore [options] DIR\n\n", out);
        option_help(out, OPTION_RESTORE);
        fputs(exits_replay, out);
    } else if (command && strcmp(command, "cuda-path") == 0) {
        fputs(cuda_text, out);
    } else if (command && strcmp(command, "boards") == 0) {
        fputs(boards_text, out);
    } else {
        fputs(command && strcmp(command, "config") == 0 ? config_text : overview, out);
    }
}
