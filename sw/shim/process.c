/* SPDX-License-Identifier: Apache-2.0
 * Processes: what happens when the shim is loaded, when the program forks and when it starts another program.  The
 * trapped time-stamp counter must not reach a program that has no handler yet.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

static pid_t forking; /* the parent, in the child: it may have ended */

static void forks(void)
{
    forking = getpid();
}

static void forked(void)
{
    shim_after_fork(forking);
    clock_after_fork();
    fault_after_fork();
}

__attribute__((constructor)) static void shim_start(void)
{
    if (!shim_active())
        return;
    shim_hello(0);
    pthread_atfork(forks, NULL, forked);
    clock_arm();
}

EXPORT int system(const char *command)
{
    REAL(int, "system", const char *);
    clock_pause();
    int status = real(command);
    clock_resume();
    return status;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
    REAL(FILE *, "popen", const char *, const char *);
    clock_pause();
    FILE *file = real(command, mode);
    clock_resume();
    return file;
}

#define SPAWN_BODY(name)                                                                                               \
    {                                                                                                                  \
        REAL(int, name, pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,          \
             char *const[], char *const[]);                                                                            \
        clock_pause();                                                                                                 \
        int status = real(pid, path, actions, attributes, argv, envp);                                                 \
        clock_resume();                                                                                                \
        return status;                                                                                                 \
    }

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
                       char *const argv[restrict], char *const envp[restrict]) SPAWN_BODY("posix_spawn") EXPORT
    int posix_spawnp(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
                     const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                     char *const envp[restrict]) SPAWN_BODY("posix_spawnp")

        EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    REAL(int, "execve", const char *, char *const[], char *const[]);
    clock_pause();
    int status = real(path, argv, envp);
    clock_resume();
    return status;
}

EXPORT int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
    clock_pause();
    int status = (int)syscall(SYS_execveat, folder, path, argv, envp, flags);
    clock_resume();
    return status;
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    return execveat(fd, "", argv, envp, AT_EMPTY_PATH);
}

EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    REAL(int, "execvpe", const char *, char *const[], char *const[]);
    clock_pause();
    int status = real(file, argv, envp);
    clock_resume();
    return status;
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

#define ARGS_MAX 1024

/* Collects the list of execl* into an array; returns what stands after its NULL. */
#define ARGS_COLLECT(argv, first, more)                                                                                \
    char *argv[ARGS_MAX] = {(char *)(uintptr_t)first};                                                                 \
    for (unsigned n = 1; argv[n - 1] && n < ARGS_MAX; n++)                                                             \
    argv[n] = va_arg(more, char *)

EXPORT int execl(const char *path, const char *arg, ...)
{
    va_list more;
    va_start(more, arg);
    ARGS_COLLECT(argv, arg, more);
    va_end(more);
    return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
    va_list more;
    va_start(more, arg);
    ARGS_COLLECT(argv, arg, more);
    va_end(more);
    return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
    va_list more;
    va_start(more, arg);
    ARGS_COLLECT(argv, arg, more);
    char *const *envp = va_arg(more, char *const *);
    va_end(more);
    return execve(path, argv, envp);
}
