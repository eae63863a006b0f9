/* SPDX-License-Identifier: Apache-2.0
 * Sealed files; contract in seal.h.
 */
#include "bridge/verilated/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/xalloc.h"

#define PIECE ((size_t)1 << 20)

bool seal_trusted(const struct stat *st)
{
    return (st->st_uid == 0 || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* A regular file of a folder, not followed to elsewhere; -1 with *why. */
static int file_open(int folder, const char *name, const char **why)
{
    struct stat st;
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *why = NULL;
    if (fd < 0 || fstat(fd, &st) < 0)
        *why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        *why = "no regular file";
    else if (!seal_trusted(&st))
        *why = "somebody else may write it";
    if (*why == NULL)
        return fd;
    close(fd); /* -1: nothing happens */
    return -1;
}

/* Of all of it; false: it cannot be read. */
static bool content_hash(int fd, uint64_t *hash, uint64_t *bytes)
{
    char *piece = xcalloc(1, PIECE);
    XXH3_state_t *state = XXH3_createState();
    ssize_t n = -1;
    *bytes = 0;
    if (state && XXH3_64bits_reset(state) == XXH_OK)
        while ((n = read(fd, piece, PIECE)) > 0 || (n < 0 && errno == EINTR)) {
            XXH3_64bits_update(state, piece, n > 0 ? (size_t)n : 0);
            *bytes += n > 0 ? (uint64_t)n : 0;
        }
    *hash = state ? XXH3_64bits_digest(state) : 0;
    XXH3_freeState(state);
    free(piece);
    return n == 0;
}

static const char *content_check(int folder, const char *name, int fd)
{
    const char *why;
    char text[64] = "", *end;
    char *seal = xasprintf("%s.sum", name);
    const int from = file_open(folder, seal, &why);
    free(seal);
    if (from < 0)
        return "without a seal";
    const ssize_t n = read(from, text, sizeof text - 1);
    close(from);
    uint64_t hash, bytes;
    const uint64_t sealed = strtoull(text, &end, 16), size = strtoull(end, NULL, 10);
    if (n <= 0 || !content_hash(fd, &hash, &bytes))
        return "cannot be read";
    return hash == sealed && bytes == size ? NULL : "damaged (check sum)";
}

int seal_open(const char *path, const char **why)
{
    struct stat st;
    const char *base = strrchr(path, '/');
    char *folder = base ? xasprintf("%.*s/", (int)(base - path), path) : xstrdup(".");
    const int in = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = -1;
    *why = NULL;
    base = base ? base + 1 : path;
    if (in < 0 || fstat(in, &st) < 0)
        *why = strerror(errno);
    else if (!seal_trusted(&st))
        *why = "somebody else may write its folder";
    else
        fd = file_open(in, base, why);
    if (fd >= 0)
        *why = content_check(in, base, fd);
    if (*why) {
        close(fd);
        fd = -1;
    }
    close(in);
    free(folder);
    return fd;
}
