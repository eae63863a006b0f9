/* SPDX-License-Identifier: Apache-2.0
 * Measuring a board's stream; contract in usb_echo.h.
 */
#include "bridge/board/usb_echo.h"

#include <string.h>

#include "base/check.h"

struct echo {
    struct stream_record head;
    uint8_t payload[ECHO_PAYLOAD];
};

/* Bytes that no other record near it has in that place, magic numbers of frames among them. */
static void echo_make(struct echo *echo, unsigned number, unsigned payload)
{
    uint32_t random = number * 2654435761u + 1;

    memset(&echo->head, 0, sizeof echo->head);
    echo->head.kind = REC_ECHO;
    echo->head.arg = payload;
    for (unsigned n = 0; n < payload; n++) {
        random = random * 1664525u + 1013904223u;
        echo->payload[n] = (uint8_t)(random >> 24);
    }
}

bool usb_echo(struct stream *stream, const struct stream_port *port, unsigned records, unsigned payload, unsigned ahead,
              uint64_t *ms, bool *other)
{
    const size_t size = sizeof(struct stream_record) + payload;
    const uint64_t begin = port->now_ms(port->ctx);
    struct echo sent, back;

    CHECK(payload <= ECHO_PAYLOAD && ahead > 0, "board", "payload=%u ahead=%u", payload, ahead);
    *other = false;
    for (unsigned put = 0, got = 0; got < records; got++) {
        for (; put < records && put < got + ahead; put++) {
            echo_make(&sent, put, payload);
            stream_put(stream, &sent, size);
        }
        if (!stream_flush(stream) || !stream_get(stream, &back, size))
            return false;
        echo_make(&sent, got, payload);
        *other = memcmp(&sent, &back, size) != 0;
        if (*other)
            return false;
    }
    *ms = port->now_ms(port->ctx) - begin;
    return true;
}
