/* SPDX-License-Identifier: Apache-2.0
 * Processes of simulated boards; contract in board_process.h.
 */
#include "bridge/board/board_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bridge/link/peers.h"

#define LEAVE_MS 1000  /* to end when its socket is closed */
#define LOOK_MS 5      /* between two looks whether it has ended */
#define RUNS_MS 100    /* between two looks whether it runs */
#define STOPPED_MS 300 /* so long it may be stopped: somebody who only looks at it */

/* In the child, after fork: no more than system calls. */
static void child_main(char *const *words, pid_t parent, int socket, int report)
{
    setpgid(0, 0); /* Ctrl-C reaches the foreground group: gantry decides what ends */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    report = fcntl(report, F_DUPFD_CLOEXEC, BOARD_PROCESS_FD + 1);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO); /* of the program that gantry runs */
    if (socket == BOARD_PROCESS_FD)
        fcntl(socket, F_SETFD, 0);
    else
        dup2(socket, BOARD_PROCESS_FD);
    execvp(words[0], words);
    const int error = errno;
    if (write(report, &error, sizeof error) != sizeof error)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

bool board_process_start(struct board_process *process, char *const *words, char *why, size_t room)
{
    int ends[2], report[2], error = 0;
    *process = (struct board_process){.fd = -1, .status = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        snprintf(why, room, "%s", strerror(errno));
        return false;
    }
    if (pipe2(report, O_CLOEXEC) < 0) {
        snprintf(why, room, "%s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    const pid_t parent = getpid();
    process->pid = fork();
    if (process->pid == 0)
        child_main(words, parent, ends[1], report[1]);
    if (process->pid < 0)
        error = errno;
    close(ends[1]);
    close(report[1]);
    process->fd = ends[0];
    if (process->pid > 0 && read(report[0], &error, sizeof error) <= 0) /* closed by exec */
        error = 0;
    close(report[0]);
    if (error == 0)
        return true;
    snprintf(why, room, "%s: %s", words[0], strerror(error));
    process->pid = process->pid > 0 ? process->pid : 0;
    board_process_finish(process);
    return false;
}

bool board_process_ended(struct board_process *process, unsigned ms)
{
    int status;
    for (unsigned waited = 0; process->pid; waited += LOOK_MS) {
        if (waitpid(process->pid, &status, WNOHANG) == process->pid) {
            process->pid = 0;
            process->status = status;
        } else if (waited >= ms) {
            return false;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        }
    }
    return true;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool board_process_runs(struct board_process *process)
{
    const uint64_t now = now_ms();
    if (now - process->looked >= RUNS_MS) {
        process->looked = now;
        if (board_process_ended(process, 0) || !peers_is_stopped(process->pid))
            process->stopped = 0;
        else if (process->stopped == 0)
            process->stopped = now;
    }
    return process->pid && (process->stopped == 0 || now - process->stopped < STOPPED_MS);
}

void board_process_end(const struct board_process *process, char *text, size_t room)
{
    if (process->pid)
        snprintf(text, room, "its process is stopped");
    else if (process->status >= 0 && WIFSIGNALED(process->status))
        snprintf(text, room, "its process was ended by signal %d", WTERMSIG(process->status));
    else
        snprintf(text, room, "its process has ended with status %d", WEXITSTATUS(process->status));
}

void board_process_finish(struct board_process *process)
{
    close(process->fd); /* -1: nothing happens */
    process->fd = -1;
    if (board_process_ended(process, process->pid && peers_is_stopped(process->pid) ? 0 : LEAVE_MS))
        return;
    kill(process->pid, SIGKILL);
    waitpid(process->pid, &process->status, 0);
    process->pid = 0;
}
