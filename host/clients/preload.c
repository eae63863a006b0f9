/* SPDX-License-Identifier: Apache-2.0
 * How the shim gets into a program (preload.h): LD_PRELOAD and options.  Compiled into the shim, too: files are opened
 * by the kernel itself.  Not responsible for: what a file says (preload_inspect.c).
 */
#include "clients/preload.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clients/protocol.h"

const char *const preload_options[PRELOAD_OPTIONS] = {"ASAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS",
                                                      "MSAN_OPTIONS"};
/* No child for symbols: it would be started past the shim, with the time-stamp counter trapped. */
#define NO_SYMBOLIZER "external_symbolizer_path="
/* The addresses of the GPUs lie in the gap of the shadow; ROCclr gives its threads signal stacks of its own, which the
 * sanitizer takes for its own. */
static const char *const needed_options[PRELOAD_OPTIONS] = {"protect_shadow_gap=0:use_sigaltstack=0:" NO_SYMBOLIZER,
                                                            NO_SYMBOLIZER, NO_SYMBOLIZER, NO_SYMBOLIZER, NO_SYMBOLIZER};
/* Libraries of sanitizers that have to come first, and the index of their options. */
static const struct {
    const char *name;
    unsigned options;
} libraries[] = {{"libasan.so", 0}, {"libclang_rt.asan", 0}, {"libtsan.so", 1},        {"libclang_rt.tsan", 1},
                 {"liblsan.so", 2}, {"libhwasan.so", 0},     {"libclang_rt.hwasan", 0}};

/* Index into `libraries`, or -1. */
static int library_of(const char *entry, size_t length)
{
    size_t base = length;
    while (base && entry[base - 1] != '/')
        base--;
    for (unsigned i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        const size_t name = strlen(libraries[i].name);
        if (length - base >= name && strncmp(entry + base, libraries[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

bool preload_is_sanitizer(const char *entry, size_t length)
{
    return library_of(entry, length) >= 0;
}

bool preload_find(const char *file, const char *search, char path[PRELOAD_PATH])
{
    char tried[PRELOAD_PATH];
    if (!search)
        search = "/bin:/usr/bin"; /* as the C library */
    if (strchr(file, '/'))
        return snprintf(path, PRELOAD_PATH, "%s", file) < PRELOAD_PATH && access(path, X_OK) == 0;
    for (const char *folder = search; folder; folder = strchr(folder, ':') ? strchr(folder, ':') + 1 : NULL) {
        const int length = (int)strcspn(folder, ":");
        if (snprintf(tried, sizeof tried, "%.*s%s%s", length, folder, length ? "/" : "", file) < PRELOAD_PATH &&
            access(tried, X_OK) == 0) {
            strcpy(path, tried);
            return true;
        }
    }
    return false;
}

static int note_open(const char *root, int flags)
{
    char file[PRELOAD_PATH];
    snprintf(file, sizeof file, "%s/" OUT_OF_REACH, root);
    return (int)syscall(SYS_openat, AT_FDCWD, file, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void preload_note(const char *root, const char *path, const char *why)
{
    char text[PRELOAD_PATH];
    const int length = snprintf(text, sizeof text, "%s %s", path, why);
    int fd = note_open(root, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0)
        return;
    if (length < (int)sizeof text && write(fd, text, (size_t)length) != length)
        (void)!ftruncate(fd, 0);
    syscall(SYS_close, fd);
}

void preload_noted(const char *root, char text[PRELOAD_PATH])
{
    int fd = note_open(root, O_RDONLY);
    ssize_t got = fd >= 0 ? read(fd, text, PRELOAD_PATH - 1) : 0;
    text[got > 0 ? got : 0] = 0;
    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* A text that is counted beyond its room. */
struct list {
    char *to;
    size_t room, length;
};

static void list_add(struct list *l, const char *entry, size_t length)
{
    const size_t from = l->length + (l->length > 0);
    l->length = from + length;
    if (l->length >= l->room)
        return;
    if (from)
        l->to[from - 1] = ':';
    memcpy(l->to + from, entry, length);
    l->to[l->length] = 0;
}

/* The next entry from `*list` on, which it is set behind; its length, 0 at the end. */
static size_t entry_next(const char **list, const char **entry)
{
    *entry = *list + strspn(*list, " :");
    const size_t length = strcspn(*entry, " :");
    *list = *entry + length;
    return length;
}

static bool entry_is(const char *entry, size_t length, const char *what)
{
    return strlen(what) == length && strncmp(entry, what, length) == 0;
}

size_t preload_list(char *to, size_t room, const struct preload_program *program, const char *shim, const char *old,
                    const char *own)
{
    struct list l = {to, room, 0};
    const char *entry, *from = old ? old : "", *rest;
    size_t length;
    bool there = false;
    if (own && *own) {
        rest = from;
        length = entry_next(&rest, &entry);
        if (entry_is(entry, length, own))
            from = rest;
    }
    if (program->sanitizer[0])
        list_add(&l, program->sanitizer, strlen(program->sanitizer));
    for (rest = from; (length = entry_next(&rest, &entry));) {
        there |= entry_is(entry, length, shim);
        if (preload_is_sanitizer(entry, length) && !entry_is(entry, length, program->sanitizer))
            list_add(&l, entry, length);
    }
    if (!there)
        list_add(&l, shim, strlen(shim));
    for (rest = from; (length = entry_next(&rest, &entry));)
        if (!preload_is_sanitizer(entry, length))
            list_add(&l, entry, length);
    return l.length + 1;
}

unsigned preload_sanitizers(const char *list)
{
    unsigned found = 0;
    const char *entry;
    for (size_t length; (length = entry_next(&list, &entry));)
        if (library_of(entry, length) >= 0)
            found |= 1u << libraries[library_of(entry, length)].options;
    return found;
}

size_t preload_options_list(char *to, size_t room, unsigned which, const char *old)
{
    struct list l = {to, room, 0};
    const char *needed = needed_options[which];
    if (!old || strncmp(old, needed, strlen(needed)) != 0) /* else it was here before */
        list_add(&l, needed, strlen(needed));
    if (old && *old)
        list_add(&l, old, strlen(old));
    return l.length + 1;
}
