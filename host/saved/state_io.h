/* SPDX-License-Identifier: Apache-2.0
 * Writing and reading saved states (state.h): numbers, texts, fields, and the two streams that need no file: bytes in
 * memory and a hash.  All numbers as the host keeps them (little endian).  A state is canonical: no pointers, no
 * padding, nothing that does not matter, so that its hash names it.  Not responsible for: files
 * (host/checkpoint/checkpoint_file.h), who saves what.
 */
#ifndef GANTRY_STATE_IO_H
#define GANTRY_STATE_IO_H
#include <stdint.h>

#include "saved/state.h"

#define STATE_PUT(writer, field) state_put(writer, &(field), sizeof(field))
#define STATE_GET(reader, field) state_get(reader, &(field), sizeof(field))

void state_put(struct state_writer *to, const void *bytes, size_t count);
void state_put_u64(struct state_writer *to, uint64_t value);
/* At most 64 KiB. */
void state_put_text(struct state_writer *to, const char *text);

/* False when the bytes end. */
bool state_get(struct state_reader *from, void *bytes, size_t count);
bool state_get_u64(struct state_reader *from, uint64_t *value);
/* A number that may be `most` at most; `what`: of what, for the reason. */
bool state_get_count(struct state_reader *from, const char *what, uint64_t most, uint64_t *value);
/* A new string; NULL: the bytes end, or it is longer than a text is. */
char *state_get_text(struct state_reader *from);
/* The next text is this one; else the reason says whose it is, what it was and what is here. */
bool state_get_same(struct state_reader *from, const char *whose, const char *what, const char *here);
/* Keeps the first reason; always false. */
bool state_refuse(struct state_reader *from, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* XXH64 over all that is written. */
struct state_hash {
    struct state_writer writer;
    void *xxh;
};
void state_hash_begin(struct state_hash *hash);
uint64_t state_hash_end(struct state_hash *hash);

/* Bytes in memory; the buffer is the user's to free. */
struct state_buffer {
    struct state_writer writer;
    struct state_reader reader;
    unsigned char *bytes;
    size_t count, room, taken;
};
void state_buffer_init(struct state_buffer *buffer);
#endif
