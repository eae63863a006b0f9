/* SPDX-License-Identifier: Apache-2.0
 * Starts the program of argument 2 with an environment that has nothing of the run in it, for
 * tests/system/test_children.py; argument 1: system, popen, spawn, execve, execle, vfork (of execve in a child).  Exit:
 * its status.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const other[] = {"PATH=/usr/bin:/bin", "LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6", NULL};

static int waited(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 98;
    const char *how = argv[1], *path = argv[2];
    pid_t pid;
    if (strcmp(how, "system") == 0 || strcmp(how, "popen") == 0) {
        clearenv();
        if (*how == 's')
            return system(path) ? 97 : 0;
        char line[256];
        FILE *pipe = popen(path, "r");
        while (pipe && fgets(line, sizeof line, pipe))
            fputs(line, stdout);
        return !pipe || pclose(pipe) ? 97 : 0;
    }
    if (strcmp(how, "spawn") == 0)
        return posix_spawn(&pid, path, NULL, NULL, argv + 2, other) ? 97 : waited(pid);
    if (strcmp(how, "execle") == 0)
        execle(path, path, (char *)NULL, other);
    if (strcmp(how, "vfork") == 0) {
        pid = vfork();
        if (pid > 0)
            return waited(pid);
    }
    execve(path, argv + 2, other);
    _exit(96);
}
