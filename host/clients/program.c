/* SPDX-License-Identifier: Apache-2.0
 * Start of the program; contract in program.h.
 */
#include "clients/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "clients/debugger.h"
#include "clients/preload.h"
#include "clients/run.h"
#include "driver/driver.h"

#define EXEC_LOOK_MS 50

bool program_unwanted(const struct run_options *options)
{
    return options->stop && *options->stop;
}

/* The shim into the program, which the loader finds as `path`. */
static void child_preload(const struct driver *d, const char *shim, const char *path)
{
    struct preload_program program;
    const char *list = getenv("LD_PRELOAD");
    preload_inspect(path, &program);
    if (program.why)
        preload_note(d->root, path, program.why);
    const size_t room = preload_list(NULL, 0, &program, shim, list, NULL);
    char *fresh = xcalloc(1, room);
    preload_list(fresh, room, &program, shim, list, NULL);
    program.sanitizers |= preload_sanitizers(fresh);
    for (unsigned i = 0; i < PRELOAD_OPTIONS; i++) {
        const char *old = getenv(preload_options[i]);
        const size_t bytes = preload_options_list(NULL, 0, i, old);
        char *options = xcalloc(1, bytes);
        preload_options_list(options, bytes, i, old);
        if (program.sanitizers >> i & 1)
            setenv(preload_options[i], options, true);
        free(options);
    }
    setenv("LD_PRELOAD", fresh, true);
    if (program.sanitizer[0])
        setenv(ENV_SANITIZER, program.sanitizer, true);
    free(fresh);
}

static void child_main(const struct driver *d, const struct run_options *options, pid_t parent, int error_fd)
{
    char *const *argv = debugger_argv(options->argv), path[PRELOAD_PATH];
    child_preload(d, options->shim, preload_find(argv[0], getenv("PATH"), path) ? path : argv[0]);
    setenv(ENV_ROOT, d->root, true);
    setenv(ENV_CLOCK, d->gated ? "gated" : "free", true);
    setenv(ENV_PROGRAM, d->gated && d->program_time ? "target" : "host", true);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = d->files_before;
    setrlimit(RLIMIT_NOFILE, &files);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    execvp(argv[0], argv);
    int error = errno;
    (void)!write(error_fd, &error, sizeof error);
    _exit(EXIT_FAILURE);
}

/* What the child says before it has become the program: 0 when it has, the errno of exec, or EINTR: it is ended, for
 * nobody waits for it any more. */
static int exec_wait(const struct run_options *options, pid_t child, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int error = 0;
    while (poll(&p, 1, EXEC_LOOK_MS) <= 0 && !program_unwanted(options))
        ;
    if (p.revents == 0) {
        kill(child, SIGKILL);
        error = EINTR;
    } else if (read(fd, &error, sizeof error) != (ssize_t)sizeof error) {
        return 0;
    }
    waitid(P_PID, (id_t)child, NULL, WEXITED);
    return error;
}

int program_start(struct driver *d, const struct run_options *options, pid_t *child)
{
    int ends[2], error = 0;
    pid_t self = getpid();
    int persona = personality(0xffffffff);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    if (persona < 0 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0) {
        log_warn("driver", "address randomisation cannot be switched off: runs may differ");
        d->not_repeatable = true;
    }
    log_info("driver", "the clocks of the program tell %s time%s (clock.program)",
             d->gated && d->program_time ? "target" : "the host's",
             d->gated && d->program_time ? ": its own code takes none" : "");
    prctl(PR_SET_CHILD_SUBREAPER, true); /* whose parent has ended still belongs to the run (peer.h) */
    *child = fork();
    if (*child == 0) {
        close(ends[0]);
        child_main(d, options, self, ends[1]);
    }
    error = *child < 0 ? errno : 0;
    d->program = d->kin.program = *child;
    watch_process(d, *child, NULL);
    if (persona >= 0)
        personality((unsigned long)persona);
    close(ends[1]);
    error = error ? error : exec_wait(options, *child, ends[0]);
    close(ends[0]);
    return error;
}
