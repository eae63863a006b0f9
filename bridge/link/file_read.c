/* SPDX-License-Identifier: Apache-2.0
 * Replay of a recorded link; contract in file.h.  The whole file is looked through when it is opened, so that damage is
 * told before anything runs; then block by block is taken apart when its messages are wanted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/link/file_format.h"

struct reader {
    FILE *file;
    uint8_t *raw, *packed;
    size_t at, used; /* of the present block */
    uint64_t blocks; /* whole ones that are still to be read */
    uint64_t last;   /* stamp taken last */
    uint64_t end;    /* horizon behind the last message */
};

static size_t raw_room(const struct link *link)
{
    return FILE_BLOCK + sizeof(uint64_t) + link->bytes;
}

static bool head_read(FILE *file, const char *path, struct file_head *head)
{
    size_t n = file ? fread(head, 1, sizeof *head, file) : 0;
    if (file == NULL || ferror(file))
        diag(path, "%s", strerror(errno));
    else if (n < sizeof head->magic || memcmp(head->magic, FILE_MAGIC, sizeof head->magic) != 0)
        diag(path, "not a recording of a link");
    else if (n >= offsetof(struct file_head, bytes) && head->version != FILE_VERSION)
        diag(path, "recording of version %u, this is %u", head->version, FILE_VERSION);
    else if (n < sizeof *head)
        diag(path, "cut off in its head");
    else if (head->check != file_head_check(head) || memchr(head->name, 0, sizeof head->name) == NULL)
        diag(path, "damaged: head");
    else
        return true;
    return false;
}

bool file_read_head(const char *path, struct file_head *head)
{
    FILE *file = fopen(path, "rbe");
    bool good = head_read(file, path, head);
    if (file)
        fclose(file);
    return good;
}

enum found { FOUND_WHOLE, FOUND_END, FOUND_DAMAGE };

/* The next block's head and data; FOUND_END: the file ends in it. */
static enum found block_read(const struct link *link, struct reader *r, struct file_block *block)
{
    size_t record = sizeof(uint64_t) + link->bytes;
    if (fread(block, sizeof *block, 1, r->file) != 1)
        return FOUND_END;
    if (block->check != file_block_check(block) || block->raw > raw_room(link) ||
        block->packed > ZSTD_compressBound(raw_room(link)) || block->raw != block->records * record)
        return FOUND_DAMAGE;
    if (fread(r->packed, 1, block->packed, r->file) != block->packed)
        return FOUND_END;
    return block->data_check == XXH64(r->packed, block->packed, 0) ? FOUND_WHOLE : FOUND_DAMAGE;
}

/* Looks through all blocks; false after one line when one is damaged. */
static bool blocks_check(const struct link *link, struct reader *r, const char *path)
{
    struct file_block block;
    enum found found;
    while ((found = block_read(link, r, &block)) == FOUND_WHOLE) {
        r->end = block.promise;
        if (block.last)
            break;
        r->blocks++;
    }
    if (found == FOUND_DAMAGE || (found == FOUND_WHOLE && fgetc(r->file) != EOF))
        diag(path, "damaged: block %llu", (unsigned long long)r->blocks + 1);
    else if (found == FOUND_END)
        diag(path, "was cut off; what is there goes to cycle %llu", (unsigned long long)r->end);
    return found == FOUND_END || (found == FOUND_WHOLE && feof(r->file));
}

bool file_read_open(struct link *link, const struct file_place *place)
{
    struct file_head head;
    struct reader *r = xzalloc(sizeof *r);
    r->file = fopen(place->path, "rbe");
    r->raw = xzalloc(raw_room(link));
    r->packed = xzalloc(ZSTD_compressBound(raw_room(link)));
    link->own = r;
    bool good = head_read(r->file, place->path, &head);
    if (good && strcmp(head.name, link->name) != 0) {
        diag(place->path, "recording of link %s, wanted is %s", head.name, link->name);
        good = false;
    }
    good = good && link_fits(link, head.bytes, head.latency, head.depth > link->depth ? head.depth : link->depth) &&
           (place->hello == NULL || hello_fits(place->path, place->hello, &head.hello)) &&
           blocks_check(link, r, place->path);
    if (!good) {
        file_read_close(link);
        return false;
    }
    clearerr(r->file);
    CHECK(fseek(r->file, sizeof head, SEEK_SET) == 0, link->name, "%s", strerror(errno));
    link->ring = ring_new(link->bytes, link->depth, sizeof(uint64_t));
    return true;
}

/* Another record is at hand. */
static bool record_at_hand(const struct link *link, struct reader *r)
{
    struct file_block block;
    while (r->at == r->used) {
        if (r->blocks == 0)
            return false;
        bool whole = block_read(link, r, &block) == FOUND_WHOLE;
        size_t raw = whole ? ZSTD_decompress(r->raw, raw_room(link), r->packed, block.packed) : 0;
        CHECK(whole && raw == block.raw, link->name, "the recording changed while it was read");
        r->blocks--;
        r->at = 0;
        r->used = raw;
    }
    return true;
}

static uint64_t stamp_at_hand(const struct reader *r)
{
    uint64_t step;
    memcpy(&step, r->raw + r->at, sizeof step);
    return r->last + step;
}

uint64_t file_read_peek(struct link *link)
{
    struct reader *r = link->own;
    while (link->arrived - link->freed < link->depth && record_at_hand(link, r)) {
        struct slot *slot = ring_slot(link->ring, link->arrived);
        slot->stamp = r->last = stamp_at_hand(r);
        memcpy(slot->payload, r->raw + r->at + sizeof(uint64_t), link->bytes);
        atomic_store_explicit(&slot->sequence, ++link->arrived, memory_order_relaxed);
        r->at += sizeof(uint64_t) + link->bytes;
    }
    return link->arrived;
}

void file_read_done(struct link *link, uint64_t messages)
{
    link->freed = messages;
}

/* What there is room for is taken first: the horizon is that of the rest. */
uint64_t file_read_horizon(struct link *link)
{
    struct reader *r = link->own;
    file_read_peek(link);
    return record_at_hand(link, r) ? stamp_at_hand(r) : r->end;
}

void file_read_close(struct link *link)
{
    struct reader *r = link->own;
    if (r->file)
        fclose(r->file);
    free(r->raw);
    free(r->packed);
    free(r);
    free(link->ring);
    link->ring = NULL;
    link->own = NULL;
}
