/* SPDX-License-Identifier: Apache-2.0
 * Saved states; contract in state_io.h.
 */
#include "saved/state_io.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/xalloc.h"

#define TEXT_MOST 65536u

void state_put(struct state_writer *to, const void *bytes, size_t count)
{
    if (count)
        to->write(to, bytes, count);
}

void state_put_u64(struct state_writer *to, uint64_t value)
{
    to->write(to, &value, sizeof value);
}

void state_put_text(struct state_writer *to, const char *text)
{
    size_t count = strlen(text);
    CHECK(count <= TEXT_MOST, "state", "text of %zu bytes", count);
    state_put_u64(to, count);
    state_put(to, text, count);
}

bool state_get(struct state_reader *from, void *bytes, size_t count)
{
    return count == 0 || from->read(from, bytes, count);
}

bool state_get_u64(struct state_reader *from, uint64_t *value)
{
    return from->read(from, value, sizeof *value);
}

bool state_get_count(struct state_reader *from, const char *what, uint64_t most, uint64_t *value)
{
    if (!state_get_u64(from, value))
        return false;
    return *value <= most ||
           state_refuse(from, "%llu %s, at most %llu", (unsigned long long)*value, what, (unsigned long long)most);
}

char *state_get_text(struct state_reader *from)
{
    uint64_t count;
    if (!state_get_count(from, "bytes of a text", TEXT_MOST, &count))
        return NULL;
    char *text = xcalloc(count + 1, 1);
    if (state_get(from, text, count))
        return text;
    free(text);
    return NULL;
}

bool state_get_same(struct state_reader *from, const char *whose, const char *what, const char *here)
{
    char *saved = state_get_text(from);
    bool same = saved && (strcmp(saved, here) == 0 ||
                          state_refuse(from, "%s: %s %s was saved, %s is here", whose, what, saved, here));
    free(saved);
    return same;
}

bool state_refuse(struct state_reader *from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*from->why)
        vsnprintf(from->why, sizeof from->why, format, list);
    va_end(list);
    return false;
}

static void hash_write(struct state_writer *writer, const void *bytes, size_t count)
{
    XXH64_update(((struct state_hash *)(void *)writer)->xxh, bytes, count);
}

void state_hash_begin(struct state_hash *hash)
{
    *hash = (struct state_hash){.writer = {hash_write}, .xxh = XXH64_createState()};
    CHECK(hash->xxh, "state", "out of memory");
    XXH64_reset(hash->xxh, 0);
}

uint64_t state_hash_end(struct state_hash *hash)
{
    uint64_t value = XXH64_digest(hash->xxh);
    XXH64_freeState(hash->xxh);
    hash->xxh = NULL;
    return value;
}

static void buffer_write(struct state_writer *writer, const void *bytes, size_t count)
{
    struct state_buffer *b = (struct state_buffer *)(void *)writer;
    b->bytes = xgrow(b->bytes, &b->room, b->count + count, 1);
    memcpy(b->bytes + b->count, bytes, count);
    b->count += count;
}

static bool buffer_read(struct state_reader *reader, void *bytes, size_t count)
{
    struct state_buffer *b = (struct state_buffer *)(void *)((char *)reader - offsetof(struct state_buffer, reader));
    if (count > b->count - b->taken)
        return false;
    memcpy(bytes, b->bytes + b->taken, count);
    b->taken += count;
    return true;
}

void state_buffer_init(struct state_buffer *buffer)
{
    *buffer = (struct state_buffer){.writer = {buffer_write}, .reader = {.read = buffer_read}};
}
