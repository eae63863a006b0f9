/* SPDX-License-Identifier: Apache-2.0
 * Starting another program: it belongs to the run whatever environment it is given, so the shim goes into it (a wrapper
 * sets LD_PRELOAD of its own, `env -i` clears all), behind the library of its sanitizer.  The trapped time-stamp
 * counter must not reach a program that has no handler yet.  A child of vfork calls this: nothing is allocated or kept.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clients/preload.h"
#include "shim.h"

static const char *const ours[] = {ENV_ROOT, ENV_CLOCK, ENV_PROGRAM};
#define OURS (sizeof ours / sizeof ours[0])
#define FRESH (OURS + 2 + PRELOAD_OPTIONS) /* and LD_PRELOAD, ENV_SANITIZER, options of sanitizers */

struct start {
    struct preload_program program;
    const char *shim;
    const char *list, *own, *options[PRELOAD_OPTIONS]; /* of the environment that is given */
    size_t entries;                                    /* of that */
};

static const char *value_of(char *const envp[], const char *name)
{
    const size_t length = strlen(name);
    for (; envp && *envp; envp++)
        if (strncmp(*envp, name, length) == 0 && (*envp)[length] == '=')
            return *envp + length + 1;
    return NULL;
}

/* Bytes that the environment of the program needs; 0: as it is given. */
static size_t start_plan(struct start *s, const char *path, char *const envp[])
{
    if (!shim_active())
        return 0;
    preload_inspect(path, &s->program);
    if (s->program.why)
        preload_note(environment_given(ENV_ROOT), path, s->program.why);
    s->shim = environment_shim();
    s->list = value_of(envp, "LD_PRELOAD");
    s->own = value_of(envp, ENV_SANITIZER);
    for (s->entries = 0; envp && envp[s->entries];)
        s->entries++;
    size_t bytes = (s->entries + FRESH + 1) * sizeof(char *);
    for (unsigned i = 0; i < OURS; i++)
        bytes += strlen(ours[i]) + strlen(environment_given(ours[i]) ? environment_given(ours[i]) : "") + 2;
    bytes += sizeof "LD_PRELOAD=" + preload_list(NULL, 0, &s->program, s->shim, s->list, s->own);
    bytes += sizeof ENV_SANITIZER "=" + PRELOAD_NAME;
    for (unsigned i = 0; i < PRELOAD_OPTIONS; i++) {
        s->options[i] = value_of(envp, preload_options[i]);
        bytes += strlen(preload_options[i]) + 1 + preload_options_list(NULL, 0, i, s->options[i]);
    }
    return bytes;
}

struct text {
    char **entry;
    char *at;
};

static void entry_end(struct text *t, size_t length)
{
    *t->entry++ = t->at;
    t->at += length + 1;
}

static bool named(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* The entry is one of those that are made anew. */
static bool replaced(const char *entry, unsigned sanitizers)
{
    bool found = named(entry, "LD_PRELOAD") || named(entry, ENV_SANITIZER);
    for (unsigned i = 0; i < OURS; i++)
        found |= named(entry, ours[i]);
    for (unsigned i = 0; i < PRELOAD_OPTIONS; i++)
        found |= (sanitizers >> i & 1) && named(entry, preload_options[i]);
    return found;
}

/* The environment in `room` of as many bytes as planned. */
static char *const *start_environment(const struct start *s, char *room, size_t bytes, char *const envp[])
{
    char *const end = room + bytes;
    struct text t = {(char **)(void *)room, room + (s->entries + FRESH + 1) * sizeof(char *)};
    char *list = stpcpy(t.at, "LD_PRELOAD=");
    preload_list(list, (size_t)(end - list), &s->program, s->shim, s->list, s->own);
    const unsigned sanitizers = s->program.sanitizers | preload_sanitizers(list);
    entry_end(&t, strlen(t.at));
    if (s->program.sanitizer[0])
        entry_end(&t, (size_t)sprintf(t.at, ENV_SANITIZER "=%s", s->program.sanitizer));
    for (unsigned i = 0; i < PRELOAD_OPTIONS; i++)
        if (sanitizers >> i & 1) {
            char *options = t.at + sprintf(t.at, "%s=", preload_options[i]);
            preload_options_list(options, (size_t)(end - options), i, s->options[i]);
            entry_end(&t, strlen(t.at));
        }
    for (unsigned i = 0; i < OURS; i++)
        if (environment_given(ours[i]))
            entry_end(&t, (size_t)sprintf(t.at, "%s=%s", ours[i], environment_given(ours[i])));
    for (size_t i = 0; i < s->entries; i++)
        if (!replaced(envp[i], sanitizers))
            *t.entry++ = envp[i];
    *t.entry = NULL;
    return (char *const *)(void *)room;
}

/* Runs `call` with the environment `fresh` in place of `envp` for the program at `path`, the trap being off. */
#define START(result, path, envp, call)                                                                                \
    struct start start;                                                                                                \
    const size_t bytes = start_plan(&start, path, envp);                                                               \
    _Alignas(char *) char room[bytes + 1]; /* bytes are 0 outside of a run */                                          \
    char *const *fresh = bytes ? start_environment(&start, room, bytes, envp) : envp;                                  \
    clock_pause();                                                                                                     \
    result = call;                                                                                                     \
    clock_resume()

/* The C library's own spawn (system, popen) takes the environment of this process: what the program has taken out of it
 * goes back. */
static void environment_restore(void)
{
    START(const bool whole, "/bin/sh", environ, fresh == environ);
    for (unsigned i = 0; !whole && fresh[i]; i++)
        if (replaced(fresh[i], 0)) {
            char name[PRELOAD_NAME];
            const char *value = strchr(fresh[i], '=');
            snprintf(name, sizeof name, "%.*s", (int)(value - fresh[i]), fresh[i]);
            const char *now = value_of(environ, name);
            if (!now || strcmp(now, value + 1) != 0)
                setenv(name, value + 1, 1);
        }
}

EXPORT int system(const char *command)
{
    REAL(int, "system", const char *);
    environment_restore();
    clock_pause();
    int status = real(command);
    clock_resume();
    return status;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
    REAL(FILE *, "popen", const char *, const char *);
    environment_restore();
    clock_pause();
    FILE *file = real(command, mode);
    clock_resume();
    return file;
}

/* `file` as execvp finds it, for a look at it. */
#define FOUND(file)                                                                                                    \
    char found[PRELOAD_PATH];                                                                                          \
    const char *program = preload_find(file, getenv("PATH"), found) ? found : file

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
                       char *const argv[restrict], char *const envp[restrict])
{
    REAL(int, "posix_spawn", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const[], char *const[]);
    START(const int status, path, envp, real(pid, path, actions, attributes, argv, fresh));
    return status;
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                        char *const envp[restrict])
{
    REAL(int, "posix_spawnp", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
         char *const[], char *const[]);
    FOUND(file);
    START(const int status, program, envp, real(pid, file, actions, attributes, argv, fresh));
    return status;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    REAL(int, "execve", const char *, char *const[], char *const[]);
    START(const int status, path, envp, real(path, argv, fresh));
    return status;
}

EXPORT int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
    char place[PRELOAD_PATH];
    snprintf(place, sizeof place, *path ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", folder, path);
    START(const int status, *path == '/' || folder == AT_FDCWD ? path : place, envp,
          (int)syscall(SYS_execveat, folder, path, argv, fresh, flags));
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
    FOUND(file);
    START(const int status, program, envp, real(file, argv, fresh));
    return status;
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}
