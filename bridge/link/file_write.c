/* SPDX-License-Identifier: Apache-2.0
 * Recording of a link; contract in file.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/link/file_format.h"

#define LEVEL 3 /* of zstd */

struct writer {
    FILE *file;
    char *path;
    ZSTD_CCtx *zstd;
    uint8_t *raw, *packed;
    size_t used, packed_room;
    uint32_t records;
    uint64_t last; /* stamp */
    time_t written;
};

static void failed(struct link *link)
{
    const struct writer *w = link->own;
    if (!link->failed)
        diag(w->path, "%s", strerror(errno));
    link->failed = true;
}

static time_t seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec;
}

static void block_write(struct link *link, bool last)
{
    struct writer *w = link->own;
    size_t packed = w->used ? ZSTD_compressCCtx(w->zstd, w->packed, w->packed_room, w->raw, w->used, LEVEL) : 0;
    CHECK(!ZSTD_isError(packed), link->name, "zstd: %s", ZSTD_getErrorName(packed));
    struct file_block block = {.records = w->records,
                               .raw = (uint32_t)w->used,
                               .packed = (uint32_t)packed,
                               .last = last,
                               .promise = link->promised,
                               .data_check = XXH64(w->packed, packed, 0)};
    block.check = file_block_check(&block);
    if (!link->failed && (fwrite(&block, sizeof block, 1, w->file) != 1 ||
                          fwrite(w->packed, 1, packed, w->file) != packed || fflush(w->file) != 0))
        failed(link);
    w->used = 0;
    w->records = 0;
    w->written = seconds_now();
}

bool file_write_open(struct link *link, const struct file_place *place)
{
    struct file_head head = {.version = FILE_VERSION,
                             .bytes = link->bytes,
                             .latency = link->latency,
                             .depth = link->depth,
                             .hello = *place->hello};
    memcpy(head.magic, FILE_MAGIC, sizeof head.magic);
    memcpy(head.name, link->name, sizeof head.name);
    head.check = file_head_check(&head);
    FILE *file = fopen(place->path, "wbe");
    if (file == NULL || fwrite(&head, sizeof head, 1, file) != 1 || fflush(file) != 0) {
        diag(place->path, "%s", strerror(errno));
        if (file)
            fclose(file);
        return false;
    }
    struct writer *w = xzalloc(sizeof *w);
    size_t room = FILE_BLOCK + sizeof(uint64_t) + link->bytes;
    *w = (struct writer){.file = file,
                         .path = strdup(place->path),
                         .zstd = ZSTD_createCCtx(),
                         .raw = xzalloc(room),
                         .packed_room = ZSTD_compressBound(room),
                         .written = seconds_now()};
    w->packed = xzalloc(w->packed_room);
    CHECK(w->zstd != NULL && w->path != NULL, link->name, "no memory");
    link->own = w;
    return true;
}

void file_write_send(struct link *link, uint64_t stamp, const void *payload)
{
    struct writer *w = link->own;
    uint64_t step = stamp - w->last;
    memcpy(w->raw + w->used, &step, sizeof step);
    if (link->bytes)
        memcpy(w->raw + w->used + sizeof step, payload, link->bytes);
    w->used += sizeof step + link->bytes;
    w->last = stamp;
    w->records++;
    link->sent++;
    link->promised = stamp + 1 > link->promised ? stamp + 1 : link->promised;
    if (w->used >= FILE_BLOCK)
        block_write(link, false);
}

void file_write_promise(struct link *link, uint64_t stamp)
{
    const struct writer *w = link->own;
    link->promised = stamp > link->promised ? stamp : link->promised;
    if (w->records && seconds_now() > w->written + 1)
        block_write(link, false);
}

void file_write_close(struct link *link)
{
    struct writer *w = link->own;
    if (w->records)
        block_write(link, false);
    block_write(link, true);
    if (fclose(w->file) != 0)
        failed(link);
    ZSTD_freeCCtx(w->zstd);
    free(w->path);
    free(w->raw);
    free(w->packed);
    free(w);
    link->own = NULL;
}
