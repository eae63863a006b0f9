/* SPDX-License-Identifier: Apache-2.0
 * The progress line on stderr.
 */
#include "metrics/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

static struct {
    bool on, terminal, drawn;
    uint64_t max_cycles;
    double begin, last;
    uint64_t last_instructions, last_cycle;
} line;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void line_wipe(void)
{
    if (line.drawn)
        fputs("\r\033[K", stderr);
    line.drawn = false;
}

void progress_start(enum progress_mode mode, uint64_t max_cycles)
{
    line.terminal = isatty(STDERR_FILENO);
    line.on = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && line.terminal);
    line.max_cycles = max_cycles;
    line.begin = line.last = seconds();
    line.last_instructions = line.last_cycle = 0;
    if (line.on && line.terminal)
        log_set_wipe(line_wipe);
}

void progress_show(uint64_t cycle, uint64_t instructions, unsigned kernels)
{
    double now, passed, rate;
    char eta[48] = "";

    if (!line.on)
        return;
    now = seconds();
    passed = now - line.last;
    if (passed < (line.terminal ? 0.2 : 1.0))
        return;
    rate = (double)(instructions - line.last_instructions) / passed;
    if (line.max_cycles && cycle > line.last_cycle && cycle < line.max_cycles)
        snprintf(eta, sizeof(eta), ", ETA %.0f s",
                 (double)(line.max_cycles - cycle) * passed / (double)(cycle - line.last_cycle));
    fprintf(stderr, "%scycle %" PRIu64 ", %" PRIu64 " instructions, %.2f M/s, %u kernels done%s%s",
            line.terminal ? "\r" : "", cycle, instructions, rate / 1e6, kernels, eta, line.terminal ? "\033[K" : "\n");
    fflush(stderr);
    line.drawn = line.terminal;
    line.last = now;
    line.last_instructions = instructions;
    line.last_cycle = cycle;
}

void progress_end(void)
{
    if (line.on && line.terminal) {
        line_wipe();
        fflush(stderr);
        log_set_wipe(NULL);
    }
    line.on = false;
}
