/* SPDX-License-Identifier: Apache-2.0
 * Messages in a stream of a journal: cycle, slot, payload; a payload is stored as what differs from the one before it
 * on its slot, which compresses well.  Cycles never fall within a stream.  Writing and reading take one struct each,
 * which must see all messages of its stream in order.
 */
#ifndef GANTRY_MESSAGE_LOG_H
#define GANTRY_MESSAGE_LOG_H
#include <stdbool.h>
#include <stdint.h>

struct journal;
struct journal_reader;

#define MESSAGE_MOST 256u /* bytes of a payload */

struct message {
    uint64_t cycle;
    uint32_t slot, bytes; /* 0: a credit */
    uint8_t data[MESSAGE_MOST];
};

struct message_log {
    unsigned stream;
    uint64_t cycle;
    uint8_t (*last)[MESSAGE_MOST]; /* by slot */
    uint32_t slots;
};

void message_log_fini(struct message_log *log);
void message_write(struct message_log *log, struct journal *j, uint64_t cycle, uint32_t slot, const void *data,
                   uint32_t bytes);
/* False at the end of the stream. */
bool message_read(struct message_log *log, struct journal_reader *r, struct message *message);
#endif
