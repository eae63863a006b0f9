/* SPDX-License-Identifier: Apache-2.0
 * Messages in a stream; contract in message_log.h.
 */
#include "record/message_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "saved/journal.h"

#define LATE UINT32_MAX /* step that does not fit: eight bytes follow */

struct head {
    uint32_t step; /* cycles since the message before it */
    uint16_t slot, bytes;
};

void message_log_fini(struct message_log *log)
{
    free(log->last);
}

static uint8_t *last_of(struct message_log *log, uint32_t slot)
{
    if (slot >= log->slots) {
        log->last = xrealloc(log->last, slot + 1, sizeof *log->last);
        memset(log->last + log->slots, 0, (slot + 1 - log->slots) * sizeof *log->last);
        log->slots = slot + 1;
    }
    return log->last[slot];
}

void message_write(struct message_log *log, struct journal *j, uint64_t cycle, uint32_t slot, const void *data,
                   uint32_t bytes)
{
    CHECK(slot <= UINT16_MAX && bytes <= MESSAGE_MOST && cycle >= log->cycle, "record",
          "message of %u bytes on slot %u at cycle %llu after %llu", bytes, slot, (unsigned long long)cycle,
          (unsigned long long)log->cycle);
    uint64_t step = cycle - log->cycle;
    struct head head = {step < LATE ? (uint32_t)step : LATE, (uint16_t)slot, (uint16_t)bytes};
    uint8_t delta[MESSAGE_MOST], *last = last_of(log, slot);
    log->cycle = cycle;
    journal_put(j, log->stream, &head, sizeof head);
    if (head.step == LATE)
        journal_put(j, log->stream, &step, sizeof step);
    for (uint32_t i = 0; i < bytes; i++)
        delta[i] = ((const uint8_t *)data)[i] ^ last[i];
    if (bytes)
        memcpy(last, data, bytes);
    journal_put(j, log->stream, delta, bytes);
}

bool message_read(struct message_log *log, struct journal_reader *r, struct message *m)
{
    struct head head;
    uint64_t step;
    if (!journal_take(r, log->stream, &head, sizeof head))
        return false;
    step = head.step;
    CHECK(head.bytes <= MESSAGE_MOST && (step < LATE || journal_take(r, log->stream, &step, sizeof step)), "replay",
          "stream %u: message of %u bytes", log->stream, head.bytes);
    uint8_t *last = last_of(log, head.slot);
    log->cycle += step;
    *m = (struct message){.cycle = log->cycle, .slot = head.slot, .bytes = head.bytes};
    CHECK(journal_take(r, log->stream, m->data, m->bytes), "replay", "stream %u ends within a message", log->stream);
    for (uint32_t i = 0; i < m->bytes; i++)
        last[i] = m->data[i] ^= last[i];
    return true;
}
