/* SPDX-License-Identifier: Apache-2.0
 * Writing a journal; contract in journal.h.
 */
#include "saved/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "saved/journal_private.h"

#define LEVEL 1 /* of zstd: the recorded run must not wait for it */

struct stream {
    uint8_t *data; /* JOURNAL_RAW bytes, made with the first; without a file as many as it takes */
    size_t used, room;
    uint64_t put; /* so far */
};

struct journal {
    int fd, error; /* -1: no file */
    bool cut;
    uint32_t sequence;
    uint64_t written, chain;
    size_t pending;
    ZSTD_CCtx *packer;
    uint8_t *packed;
    size_t packed_room;
    struct stream streams[JOURNAL_STREAMS];
};

static void bytes_write(struct journal *j, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    while (bytes && !j->error) {
        ssize_t n = write(j->fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            j->error = n < 0 ? errno : ENOSPC;
            break;
        }
        at += n;
        bytes -= (size_t)n;
        j->written += (uint64_t)n;
    }
}

static void frame_write(struct journal *j, unsigned stream, const uint8_t *data, uint32_t raw)
{
    size_t packed = 0;
    if (raw) {
        packed = ZSTD_compressCCtx(j->packer, j->packed, j->packed_room, data, raw, LEVEL);
        CHECK(!ZSTD_isError(packed), "journal", "%u bytes: %s", raw, ZSTD_getErrorName(packed));
    }
    struct journal_frame frame = {.magic = JOURNAL_FRAME,
                                  .stream = (uint16_t)stream,
                                  .sequence = j->sequence++,
                                  .raw = raw,
                                  .packed = (uint32_t)packed,
                                  .data_check = XXH32(j->packed, packed, 0)};
    frame.head_check = XXH32(&frame, offsetof(struct journal_frame, head_check), 0);
    bytes_write(j, &frame, sizeof frame);
    bytes_write(j, j->packed, packed);
    j->chain = journal_chain(j->chain, &frame);
}

struct journal *journal_create(const char *path, const char *kind, uint32_t version)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    struct journal *j = xcalloc(1, sizeof *j);
    struct journal_head head = {.version = version};
    j->fd = fd;
    j->packer = ZSTD_createCCtx();
    CHECK(j->packer, "journal", "no memory to compress with");
    j->packed_room = ZSTD_compressBound(JOURNAL_RAW);
    j->packed = xcalloc(1, j->packed_room);
    memcpy(head.magic, JOURNAL_MAGIC, sizeof head.magic);
    memcpy(head.kind, kind, strnlen(kind, sizeof head.kind));
    head.check = XXH64(&head, offsetof(struct journal_head, check), 0);
    bytes_write(j, &head, sizeof head);
    return j;
}

struct journal *journal_buffer(void)
{
    struct journal *j = xcalloc(1, sizeof *j);
    j->fd = -1;
    return j;
}

static void keep(struct journal *j, struct stream *s, const void *data, size_t bytes)
{
    CHECK(j->pending <= JOURNAL_BUFFER, "journal", "%zu bytes that nobody takes", j->pending);
    s->data = xgrow(s->data, &s->room, s->used + bytes, 1);
    if (bytes)
        memcpy(s->data + s->used, data, bytes);
    s->used += bytes;
}

void journal_drain(struct journal *j, void (*take)(void *ctx, unsigned stream, const void *data, size_t bytes),
                   void *ctx)
{
    for (unsigned i = 0; i < JOURNAL_STREAMS; i++) {
        if (j->streams[i].used)
            take(ctx, i, j->streams[i].data, j->streams[i].used);
        j->streams[i].used = 0;
    }
    j->pending = 0;
}

void journal_put(struct journal *j, unsigned stream, const void *data, size_t bytes)
{
    CHECK(stream < JOURNAL_STREAMS, "journal", "stream %u of %u", stream, JOURNAL_STREAMS);
    struct stream *s = &j->streams[stream];
    const uint8_t *from = data;
    if (j->error)
        return;
    j->pending += bytes;
    s->put += bytes;
    if (j->fd < 0) {
        keep(j, s, data, bytes);
        return;
    }
    if (!s->data)
        s->data = xcalloc(1, JOURNAL_RAW);
    while (bytes) {
        size_t n = JOURNAL_RAW - s->used < bytes ? JOURNAL_RAW - s->used : bytes;
        memcpy(s->data + s->used, from, n);
        s->used += n;
        from += n;
        bytes -= n;
        if (s->used == JOURNAL_RAW) {
            frame_write(j, stream, s->data, JOURNAL_RAW);
            s->used = 0;
        }
    }
}

size_t journal_pending(const struct journal *j)
{
    return j->pending;
}

bool journal_commit(struct journal *j)
{
    for (unsigned i = 0; i < JOURNAL_STREAMS && !j->error && !j->cut; i++) {
        if (j->streams[i].used)
            frame_write(j, i, j->streams[i].data, (uint32_t)j->streams[i].used);
        j->streams[i].used = 0;
    }
    if (!j->error && !j->cut && j->pending)
        frame_write(j, JOURNAL_COMMIT, NULL, 0);
    j->pending = 0;
    return j->error == 0;
}

int journal_error(const struct journal *j)
{
    return j->error;
}

uint64_t journal_bytes(const struct journal *j)
{
    return j->written;
}

uint64_t journal_put_bytes(const struct journal *j, unsigned stream)
{
    return j->streams[stream].put;
}

struct journal_place journal_place(const struct journal *j)
{
    return (struct journal_place){j->written, j->chain};
}

void journal_cut(struct journal *j)
{
    j->cut = true;
}

bool journal_close(struct journal *j, bool whole)
{
    if (!j)
        return true;
    if (j->fd >= 0 && !j->cut && journal_commit(j) && whole) {
        frame_write(j, JOURNAL_END, NULL, 0);
        if (fsync(j->fd) != 0 && errno != EINVAL && errno != EROFS) /* a pipe or device has nothing to sync */
            j->error = errno;
    }
    if (j->fd >= 0 && close(j->fd) != 0 && !j->error)
        j->error = errno;
    int error = j->error;
    for (unsigned i = 0; i < JOURNAL_STREAMS; i++)
        free(j->streams[i].data);
    ZSTD_freeCCtx(j->packer);
    free(j->packed);
    free(j);
    errno = error;
    return error == 0;
}
