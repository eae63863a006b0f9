/* SPDX-License-Identifier: Apache-2.0
 * The functions that take the arguments of another program as a list of their own (exec.c starts it).
 */
#include <stdarg.h>
#include <unistd.h>

#include "shim.h"

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
