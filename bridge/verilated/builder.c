/* SPDX-License-Identifier: Apache-2.0
 * The builder process; contract in builder.h.  It has a process group of its own: Ctrl-C on a terminal reaches the
 * whole foreground group, and then one process, the simulator, decides what becomes of the build.
 */
#include "bridge/verilated/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"

#define LOOK_MS 100    /* between two questions whether the answer is still wanted */
#define END_NS 5000000 /* between two looks whether it has ended */
#define END_LOOKS 80   /* 0.4 s to tidy up */
#define PIECE 4096

struct builder {
    pid_t pid;
    int output; /* its standard output */
};

static void child_main(char *const *words, pid_t parent, int output)
{
    setpgid(0, 0);
    signal(SIGTERM, SIG_DFL); /* not the simulator's handler, until exec has replaced it */
    signal(SIGINT, SIG_IGN);  /* SIGTERM ends it; Python keeps an ignored SIGINT ignored, also while it starts */
    signal(SIGTTOU, SIG_IGN); /* in the background of the terminal it may still tell its progress */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(EXIT_FAILURE);
    unsetenv("LD_PRELOAD");
    execvp(words[0], words);
    diag("models", "%s: %s", words[0], strerror(errno));
    _exit(EXIT_FAILURE);
}

static bool builder_start(struct builder *b, char *const *words)
{
    int ends[2];
    pid_t self = getpid();
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    b->pid = fork();
    if (b->pid == 0)
        child_main(words, self, ends[1]);
    if (b->pid != -1)
        setpgid(b->pid, b->pid); /* whoever is first: it must be there before anything is sent to the group */
    close(ends[1]);
    b->output = ends[0];
    if (b->pid == -1)
        close(ends[0]);
    return b->pid != -1;
}

/* Ask it to end, make it end; it is reaped when this returns. */
static void builder_stop(struct builder *b)
{
    const struct timespec pause = {.tv_nsec = END_NS};
    kill(-b->pid, SIGTERM);
    for (unsigned i = 0; i < END_LOOKS; i++) {
        if (waitpid(b->pid, NULL, WNOHANG) == b->pid)
            return;
        nanosleep(&pause, NULL);
    }
    kill(-b->pid, SIGKILL);
    while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* All it writes until it closes its output, as a new string; NULL when that is no longer wanted. */
static char *output_read(const struct builder *b, bool (*unwanted)(void *arg), void *arg)
{
    char *text = NULL;
    size_t room = 0, length = 0;
    struct pollfd end = {.fd = b->output, .events = POLLIN};
    for (;;) {
        if (unwanted && unwanted(arg)) {
            free(text);
            return NULL;
        }
        if (poll(&end, 1, LOOK_MS) <= 0)
            continue;
        text = xgrow(text, &room, length + PIECE + sizeof *text, sizeof *text);
        ssize_t n = read(b->output, text + length, PIECE);
        if (n > 0)
            length += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    text[length] = 0;
    return text;
}

/* Wait for its end as long as the answer is wanted; false: it is not, and it runs on. */
static bool end_wait(const struct builder *b, int *status, bool (*unwanted)(void *arg), void *arg)
{
    const struct timespec pause = {.tv_nsec = END_NS};
    while (waitpid(b->pid, status, WNOHANG) != b->pid) {
        if (unwanted && unwanted(arg))
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

char *builder_run(char *const *words, bool (*unwanted)(void *arg), void *arg, enum gantry_status *failure)
{
    struct builder b;
    int status = 0;
    *failure = STATUS_INTERNAL;
    if (unwanted && unwanted(arg))
        return NULL;
    if (!builder_start(&b, words)) {
        *failure = STATUS_IO;
        diag("models", "%s: %s", words[0], strerror(errno));
        return NULL;
    }
    char *text = output_read(&b, unwanted, arg);
    close(b.output);
    if (text == NULL || !end_wait(&b, &status, unwanted, arg)) {
        builder_stop(&b);
        free(text);
        return NULL;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return text;
    if (WIFEXITED(status) && WEXITSTATUS(status) == status_exit(STATUS_IO))
        *failure = STATUS_IO;
    if (WIFSIGNALED(status))
        diag("models", "the builder of the RTL models was ended");
    free(text);
    return NULL;
}
