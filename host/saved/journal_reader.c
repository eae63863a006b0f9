/* SPDX-License-Identifier: Apache-2.0
 * Reading a journal; contract in journal.h.  All checks are made when it is opened, so that a run never finds out in
 * its middle that the rest is unreadable; then each stream unpacks one frame at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "saved/journal.h"
#include "saved/journal_private.h"

struct cursor {
    const struct journal_frame **frames; /* in the mapped file, possibly not aligned: read by copying */
    size_t count, room, next;
    uint8_t *data; /* of the frame before `next` */
    uint32_t at, used;
    uint64_t left; /* bytes in frames from `next` on */
    uint64_t taken;
};

struct journal_reader {
    const uint8_t *file;
    size_t bytes;
    bool whole;
    char *path;
    struct cursor streams[JOURNAL_STREAMS];
};

static struct journal_frame frame_at(const void *at)
{
    struct journal_frame frame;
    memcpy(&frame, at, sizeof frame);
    return frame;
}

static bool damaged(const struct journal_reader *r, size_t at, const char *what)
{
    diag(r->path, "damaged at byte %zu: %s", at, what);
    return false;
}

static bool head_check(const struct journal_reader *r, const char *kind, uint32_t version)
{
    struct journal_head head;
    char wanted[8] = {0};
    if (r->bytes < sizeof head || memcmp(r->file, JOURNAL_MAGIC, 8) != 0) {
        diag(r->path, "is no recording");
        return false;
    }
    memcpy(&head, r->file, sizeof head);
    memcpy(wanted, kind, strnlen(kind, sizeof wanted));
    if (head.check != XXH64(&head, offsetof(struct journal_head, check), 0))
        return damaged(r, 0, "its head");
    if (memcmp(head.kind, wanted, sizeof wanted) != 0 || head.version != version) {
        diag(r->path, "is %.8s of version %u: this is %.8s of version %u", head.kind, head.version, wanted, version);
        return false;
    }
    return true;
}

static void cursor_add(struct cursor *c, const void *frame)
{
    c->frames = xgrow(c->frames, &c->room, c->count + 1, sizeof *c->frames);
    c->frames[c->count++] = frame;
}

/* Frames behind the last commit do not count: a stream forgets those after its count at that commit. */
static bool frames_find(struct journal_reader *r)
{
    size_t at = sizeof(struct journal_head), committed[JOURNAL_STREAMS] = {0};
    uint32_t sequence = 0;
    while (at < r->bytes && !r->whole) {
        if (r->bytes - at < sizeof(struct journal_frame))
            break; /* cut off */
        struct journal_frame f = frame_at(r->file + at);
        if (f.magic != JOURNAL_FRAME || f.head_check != XXH32(&f, offsetof(struct journal_frame, head_check), 0) ||
            f.sequence != sequence++ || f.raw > JOURNAL_RAW ||
            (f.stream >= JOURNAL_STREAMS && f.stream < JOURNAL_COMMIT))
            return damaged(r, at, "head of a frame");
        const uint8_t *data = r->file + at + sizeof f;
        if (r->bytes - at - sizeof f < f.packed)
            break; /* cut off */
        if (f.data_check != XXH32(data, f.packed, 0))
            return damaged(r, at, "bytes of a frame");
        if (f.stream < JOURNAL_STREAMS)
            cursor_add(&r->streams[f.stream], r->file + at);
        for (unsigned i = 0; f.stream == JOURNAL_COMMIT && i < JOURNAL_STREAMS; i++)
            committed[i] = r->streams[i].count;
        r->whole = f.stream == JOURNAL_END;
        at += sizeof f + f.packed;
    }
    if (r->whole && at != r->bytes)
        return damaged(r, at, "bytes behind its end");
    for (unsigned i = 0; i < JOURNAL_STREAMS; i++) {
        struct cursor *c = &r->streams[i];
        c->count = committed[i];
        for (size_t n = 0; n < c->count; n++)
            c->left += frame_at(c->frames[n]).raw;
    }
    return true;
}

static bool file_map(struct journal_reader *r, enum gantry_status *failure)
{
    struct stat st;
    int fd = open(r->path, O_RDONLY | O_CLOEXEC);
    *failure = errno == ENOENT || errno == ENOTDIR ? STATUS_MISSING : STATUS_IO;
    bool ok = fd >= 0 && fstat(fd, &st) == 0;
    if (ok && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = p != MAP_FAILED;
        if (ok) {
            r->file = p;
            r->bytes = (size_t)st.st_size;
        }
    }
    if (!ok)
        diag(r->path, "%s", strerror(errno));
    close(fd); /* -1: nothing happens */
    return ok;
}

struct journal_reader *journal_open(const char *path, const char *kind, uint32_t version, enum gantry_status *failure)
{
    struct journal_reader *r = xcalloc(1, sizeof *r);
    r->path = xstrdup(path);
    if (file_map(r, failure)) {
        *failure = STATUS_DATA;
        if (head_check(r, kind, version) && frames_find(r))
            return r;
    }
    journal_reader_free(r);
    return NULL;
}

bool journal_whole(const struct journal_reader *r)
{
    return r->whole;
}

static void frame_unpack(struct journal_reader *r, struct cursor *c)
{
    const uint8_t *at = (const uint8_t *)c->frames[c->next++];
    struct journal_frame f = frame_at(at);
    if (!c->data)
        c->data = xcalloc(1, JOURNAL_RAW);
    size_t n = ZSTD_decompress(c->data, JOURNAL_RAW, at + sizeof f, f.packed);
    CHECK(n == f.raw, "journal", "%s: a frame of %u bytes unpacks to %zu, though its check is right", r->path, f.raw,
          n);
    c->at = 0;
    c->used = f.raw;
    c->left -= f.raw;
}

bool journal_take(struct journal_reader *r, unsigned stream, void *to, size_t bytes)
{
    CHECK(stream < JOURNAL_STREAMS, "journal", "stream %u of %u", stream, JOURNAL_STREAMS);
    struct cursor *c = &r->streams[stream];
    uint8_t *out = to;
    if (c->left + (c->used - c->at) < bytes)
        return false;
    c->taken += bytes;
    while (bytes) {
        if (c->at == c->used)
            frame_unpack(r, c);
        size_t n = c->used - c->at < bytes ? c->used - c->at : bytes;
        if (out) {
            memcpy(out, c->data + c->at, n);
            out += n;
        }
        c->at += (uint32_t)n;
        bytes -= n;
    }
    return true;
}

bool journal_skip(struct journal_reader *r, unsigned stream, size_t bytes)
{
    return journal_take(r, stream, NULL, bytes);
}

uint64_t journal_taken(const struct journal_reader *r, unsigned stream)
{
    return r->streams[stream].taken;
}

/* Its last whole frame ends at *end, or the first that ends at `most` or behind it; the chain there. */
static uint64_t chain_to(const struct journal_reader *r, uint64_t most, uint64_t *end)
{
    uint64_t chain = 0;
    for (*end = sizeof(struct journal_head); *end < most && r->bytes - *end >= sizeof(struct journal_frame);) {
        struct journal_frame f = frame_at(r->file + *end);
        if (r->bytes - *end - sizeof f < f.packed)
            break; /* cut off */
        chain = journal_chain(chain, &f);
        *end += sizeof f + f.packed;
    }
    return chain;
}

struct journal_place journal_reader_place(const struct journal_reader *r)
{
    struct journal_place place;
    place.chain = chain_to(r, UINT64_MAX, &place.bytes);
    return place;
}

bool journal_has(const struct journal_reader *r, struct journal_place place)
{
    uint64_t end, chain = chain_to(r, place.bytes, &end);
    return end == place.bytes && chain == place.chain;
}

void journal_reader_free(struct journal_reader *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < JOURNAL_STREAMS; i++) {
        free(r->streams[i].frames);
        free(r->streams[i].data);
    }
    if (r->file)
        munmap((void *)(uintptr_t)r->file, r->bytes);
    free(r->path);
    free(r);
}
