/* SPDX-License-Identifier: Apache-2.0
 * The progress line on stderr.
 */
#include "metrics/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/log.h"
#include "base/text.h"

#define NAME_LEAST 16 /* a name is not cut further */

static struct {
    bool on, terminal, drawn;
    uint64_t max_cycles;
    double last; /* when the line was drawn */
    struct progress_state drawn_state;
    double since; /* when work-groups began to be counted */
    struct progress_state first_state;
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
    line.last = line.since = seconds();
    line.drawn_state = line.first_state = (struct progress_state){0};
    if (line.on && line.terminal)
        log_set_wipe(line_wipe);
}

bool progress_due(void)
{
    return line.on && seconds() - line.last >= (line.terminal ? 0.2 : 1.0);
}

double progress_eta(const struct progress_state *before, const struct progress_state *now, double passed,
                    uint64_t max_cycles)
{
    double eta = -1, cycles;

    if (now->groups && now->groups_done > before->groups_done)
        eta = (double)(now->groups - now->groups_done) * passed / (double)(now->groups_done - before->groups_done);
    if (max_cycles > now->cycle && now->cycle > before->cycle) {
        cycles = (double)(max_cycles - now->cycle) * passed / (double)(now->cycle - before->cycle);
        eta = eta < 0 || cycles < eta ? cycles : eta;
    }
    return eta;
}

void progress_line(char *text, size_t room, const struct progress_state *s, double rate, double eta, int width)
{
    char *plain = symbol_plain(s->kernel), *escaped = text_escaped(plain), *name, groups[80];
    const int most = width > 0 ? width : (int)room - 1;
    int n = snprintf(text, room, "cycle %" PRIu64 ", %" PRIu64 " instructions, %.2f M/s, %u kernels done", s->cycle,
                     s->instructions, rate / 1e6, s->kernels);
    int more = snprintf(groups, sizeof(groups), " %" PRIu64 " of %" PRIu64 " work-groups", s->groups_done, s->groups);

    if (eta >= 0)
        more += snprintf(groups + more, sizeof(groups) - (size_t)more, ", ETA %.0f s", eta);
    more = most - n - 2 - more; /* what they leave to the name */
    name = text_shortened(escaped, (size_t)(more < NAME_LEAST ? NAME_LEAST : more));
    if (*name && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, ", %s%s", name, groups);
    else if (eta >= 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, ", ETA %.0f s", eta);
    text[text_cut(text, width > 0 ? (size_t)width : room)] = 0; /* no part of a character at its end */
    free(plain);
    free(escaped);
    free(name);
}

/* Work-groups are counted anew when others run. */
static void pace_restart(const struct progress_state *state, double now)
{
    if (state->groups == line.first_state.groups && state->kernels == line.first_state.kernels &&
        state->groups_done >= line.first_state.groups_done)
        return;
    line.first_state = *state;
    line.since = now;
}

void progress_show(const struct progress_state *state)
{
    double now = seconds(), rate = (double)(state->instructions - line.drawn_state.instructions) / (now - line.last);
    struct winsize size = {0};
    char text[512];

    pace_restart(state, now);
    if (line.terminal)
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    progress_line(text, sizeof(text), state, rate,
                  progress_eta(&line.first_state, state, now - line.since, line.max_cycles), size.ws_col - 1);
    fprintf(stderr, "%s%s%s", line.terminal ? "\r" : "", text, line.terminal ? "\033[K" : "\n");
    fflush(stderr);
    line.drawn = line.terminal;
    line.last = now;
    line.drawn_state = *state;
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
