/* SPDX-License-Identifier: Apache-2.0
 * Files of /proc; contract in proc.h.
 */
#include "clients/proc.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool proc_read(const char *path, struct proc_text *text)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    *text = (struct proc_text){""};
    size_t got = fread(text->line, 1, PROC_BYTES, file);
    fclose(file);
    return got;
}

bool proc_state(const char *path, char *state, int *parent)
{
    struct proc_text text;
    const char *after = proc_read(path, &text) ? strrchr(text.line, ')') : NULL; /* the name may hold anything */
    return after && sscanf(after, ") %c %d", state, parent) == 2;
}

bool proc_birth(pid_t pid, struct proc_birth *birth)
{
    char path[64], state;
    struct proc_text text;
    unsigned long long start;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const char *after = proc_read(path, &text) ? strrchr(text.line, ')') : NULL;
    if (!after || sscanf(after, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                         &state, &birth->parent, &start) != 3)
        return false;
    birth->start = start;
    return true;
}

unsigned proc_threads(pid_t pid)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return stat(path, &s) == 0 && s.st_nlink > 2 ? (unsigned)s.st_nlink - 2 : 0; /* "." and ".." */
}

uint64_t proc_faults(pid_t pid, pid_t tid)
{
    char path[96];
    struct proc_text text;
    unsigned long long minor, major;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    const char *after = proc_read(path, &text) ? strrchr(text.line, ')') : NULL;
    if (!after || sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) != 2)
        return 0;
    return minor + major;
}

bool proc_times(pid_t pid, pid_t tid, uint64_t *cpu_ns, uint64_t *runs)
{
    char path[96];
    struct proc_text text;
    unsigned long long ran, waited, times;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    if (!proc_read(path, &text) || sscanf(text.line, "%llu %llu %llu", &ran, &waited, &times) != 3)
        return false;
    *cpu_ns = ran;
    *runs = times;
    return true;
}

char proc_thread(pid_t pid, pid_t tid)
{
    char path[96], state;
    int parent;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    return proc_state(path, &state, &parent) ? state : 0;
}

bool proc_blocked(char state)
{
    return !state || strchr("SZXT", state);
}
