/* SPDX-License-Identifier: Apache-2.0
 * Source lines of a client's code (source_lines.h).  ROCr keeps a list of loaded code objects for debuggers, of the
 * form of the dynamic linker's: _amdgpu_r_debug, whose names are `file://PATH#offset=N&size=N` or `memory://PID#...`.
 * What the client says is read in a process of its own, with a limit of time: nothing that is in it can harm the
 * simulator.
 */
#include "clients/source_lines.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "driver/driver.h"
#include "loader/lines.h"

#define OBJECTS_MOST 4096
#define OBJECT_BYTES_MOST (UINT64_C(1) << 30)
#define SECONDS_MOST 5 /* of CPU time */
#define MS_MOST 5000   /* of host time */
#define PATH_ROOM 4100

/* Where the client has mapped libhsa-runtime64 from its beginning, and its path. */
static uint64_t runtime_base(const struct client *c, char *path, size_t room)
{
    char name[64], line[4600], file[4100];
    unsigned long long base, offset, found = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)c->pid);
    FILE *maps = fopen(name, "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %4095[^\n]", &base, &offset, file) == 3 && offset == 0 &&
            strstr(file, "libhsa-runtime64")) {
            found = base;
            snprintf(path, room, "%s", file);
        }
    if (maps)
        fclose(maps);
    return found;
}

/* Value of a dynamic symbol of the file; 0: none.  The process that looks does not live to close it. */
static uint64_t symbol_value(const char *path, const char *symbol)
{
    Elf64_Ehdr header;
    Elf64_Shdr table, strings;
    uint64_t value = 0;
    FILE *f = fopen(path, "re");
    bool good = f && fread(&header, sizeof header, 1, f) == 1 && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    for (unsigned i = 0; good && !value && i < header.e_shnum; i++) {
        if (fseek(f, (long)(header.e_shoff + i * sizeof table), SEEK_SET) || fread(&table, sizeof table, 1, f) != 1)
            break;
        if (table.sh_type != SHT_DYNSYM || fseek(f, (long)(header.e_shoff + table.sh_link * sizeof table), SEEK_SET) ||
            fread(&strings, sizeof strings, 1, f) != 1)
            continue;
        for (uint64_t at = 0; at < table.sh_size && !value; at += sizeof(Elf64_Sym)) {
            Elf64_Sym entry;
            char name[64] = "";
            if (fseek(f, (long)(table.sh_offset + at), SEEK_SET) || fread(&entry, sizeof entry, 1, f) != 1 ||
                fseek(f, (long)(strings.sh_offset + entry.st_name), SEEK_SET) || !fgets(name, sizeof name, f))
                break;
            if (strcmp(name, symbol) == 0)
                value = entry.st_value;
        }
    }
    return value;
}

/* Text of the client into `room` bytes that are all 0: it ends with them, and where nothing can be read. */
static void string_read(const struct client *c, uint64_t at, char *text, size_t room)
{
    size_t n = 0;
    while (n + 1 < room && client_read(c, at + n, &text[n], 1) == 0 && text[n])
        n++;
}

/* The runtime in the client: its file and where it lies. */
struct runtime {
    char path[PATH_ROOM];
    uint64_t base;
};

/* The code object that lies at pc: its load address; its name into uri. */
static uint64_t object_find(const struct client *c, const struct runtime *runtime, uint64_t pc, char *uri, size_t room)
{
    uint64_t base = runtime->base, debug = symbol_value(runtime->path, "_amdgpu_r_debug");
    uint64_t map, best = 0, name = 0, entry[4]; /* of a link_map: address, name, -, next */
    if (!debug || client_read(c, base + debug + 8, &map, sizeof map))
        return 0;
    for (unsigned n = 0; n < OBJECTS_MOST && client_read(c, map, entry, sizeof entry) == 0; n++, map = entry[3])
        if (entry[0] <= pc && entry[0] > best) {
            best = entry[0];
            name = entry[1];
        }
    string_read(c, name, uri, room);
    return best;
}

static uint64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

/* %XX of a path, in place. */
static void percent_decode(char *path)
{
    char *to = path;
    for (const char *from = path; *from; to++) {
        unsigned byte;
        if (*from == '%' && sscanf(from + 1, "%2x", &byte) == 1) {
            *to = (char)byte;
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

static void *room_for(uint64_t bytes)
{
    return bytes < OBJECT_BYTES_MOST ? malloc(bytes) : NULL;
}

static void *memory_read(const struct client *c, uint64_t at, size_t bytes)
{
    void *to = room_for(bytes);
    return to && client_read(c, at, to, bytes) == 0 ? to : NULL;
}

/* *bytes 0: to the end of the file. */
static void *file_read(char *path, uint64_t offset, size_t *bytes)
{
    percent_decode(path);
    int fd = open(path, O_RDONLY);
    if (!*bytes) /* -1 without a file: too many */
        *bytes = (size_t)lseek(fd, 0, SEEK_END);
    void *to = room_for(*bytes);
    return to && pread(fd, to, *bytes, (off_t)offset) == (ssize_t)*bytes ? to : NULL;
}

/* What follows `scheme` in the name of a code object; NULL: it has another. */
static char *after(char *uri, const char *scheme)
{
    const size_t n = strlen(scheme);
    return strncmp(uri, scheme, n) == 0 ? uri + n : NULL;
}

static void *object_read(const struct client *c, char *uri, size_t *bytes)
{
    char *path = after(uri, "file://"), *part = strchrnul(uri, '#');
    const uint64_t offset = number_after(part, "offset=");
    *bytes = number_after(part, "size=");
    *part = 0;
    if (path)
        return file_read(path, offset, bytes);
    return after(uri, "memory://") ? memory_read(c, offset, *bytes) : NULL;
}

/* Never returns; the answer goes to `out`. */
static void line_look(const struct client *c, const struct runtime *runtime, uint64_t pc, int out)
{
    const struct rlimit cpu = {SECONDS_MOST, SECONDS_MOST}, none = {0, 0};
    char uri[8192] = "", text[256];
    size_t bytes = 0;
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &none);
    for (int number = SIGHUP; number <= SIGSYS; number++)
        signal(number, SIG_DFL);
    uint64_t base = object_find(c, runtime, pc, uri, sizeof uri);
    void *elf = base ? object_read(c, uri, &bytes) : NULL;
    if (elf && lines_find(elf, bytes, pc - base, text, sizeof text))
        dprintf(out, "%s", text);
    _exit(EXIT_SUCCESS);
}

bool source_line(const struct client *c, uint64_t pc, char *text, size_t room)
{
    struct runtime runtime;
    int ends[2];
    memset(text, 0, room);
    runtime.base = runtime_base(c, runtime.path, sizeof runtime.path); /* the kernel's text: no harm in it */
    if (!runtime.base || pipe2(ends, O_CLOEXEC) < 0)
        return false; /* a client without ROCr has no list, either, and is not worth a process */
    pid_t child = fork();
    if (child == 0)
        line_look(c, &runtime, pc, ends[1]);
    close(ends[1]);
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};
    ssize_t got = poll(&fd, 1, MS_MOST) > 0 ? read(ends[0], text, room - 1) : 0;
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    char *raw = xstrdup(text);
    text_escape(text, room, raw);
    free(raw);
    return got > 0;
}
