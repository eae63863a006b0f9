/* SPDX-License-Identifier: Apache-2.0
 * The other side of a host's stream, by hand: a test says which frames it sends and looks at each that the host sends.
 * Frames are made and taken apart here, not by the code under test.  Time is played: a read that finds nothing takes as
 * long as it may.
 */
#ifndef TESTS_BRIDGE_LINK_STREAM_PEER_H
#define TESTS_BRIDGE_LINK_STREAM_PEER_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/stream/stream.h"

enum { PEER_PAYLOAD = 496, PEER_FRAME = 508 };

struct frame { /* of the host, taken apart */
    uint8_t type, seq, ack, room;
    unsigned length;
    uint8_t payload[PEER_PAYLOAD];
};

struct peer {
    struct stream_port port;
    struct stream *stream;
    uint64_t now;
    uint8_t in[1 << 16], out[1 << 21]; /* to the host; from it */
    size_t in_at, in_end, out_at, out_end;
    size_t write_most;               /* bytes that a write takes */
    bool gone;                       /* the transport says lost */
    void (*idle)(struct peer *peer); /* instead of letting time pass: what the peer does when the host waits */
    unsigned idles;                  /* how often it was called */
    uint32_t nonce;
};

static inline uint32_t peer_crc32(const uint8_t *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * n; i++)
        crc = crc >> 1 ^ (((crc ^ bytes[i / 8] >> i % 8) & 1) ? 0xedb88320u : 0);
    return ~crc;
}

static inline uint8_t peer_crc8(const uint8_t *bytes, size_t n)
{
    uint32_t crc = 0xff;
    for (size_t i = 0; i < 8 * n; i++)
        crc = (crc << 1 ^ (((crc >> 7 ^ bytes[i / 8] >> (7 - i % 8)) & 1) ? 0x07 : 0)) & 0xff;
    return (uint8_t)crc;
}

static inline ssize_t peer_write(void *ctx, const void *bytes, size_t n)
{
    struct peer *p = ctx;
    n = p->gone ? 0 : n < p->write_most ? n : p->write_most;
    assert_true(p->out_end + n <= sizeof p->out);
    memcpy(p->out + p->out_end, bytes, n);
    p->out_end += n;
    return p->gone ? -1 : (ssize_t)n;
}

static inline ssize_t peer_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    struct peer *p = ctx;
    if (p->gone)
        return -1;
    if (p->in_at == p->in_end && p->idle)
        p->idles++, p->idle(p);
    size_t n = p->in_end - p->in_at;
    n = n < room ? n : room;
    memcpy(bytes, p->in + p->in_at, n);
    p->in_at += n;
    if (p->in_at == p->in_end)
        p->in_at = p->in_end = 0;
    p->now += n ? 0 : ms;
    return (ssize_t)n;
}

static inline const char *peer_why(void *ctx)
{
    (void)ctx;
    return "the cable is cut";
}

static inline uint64_t peer_now(void *ctx)
{
    return ((struct peer *)ctx)->now;
}

static inline void peer_bytes(struct peer *p, const void *bytes, size_t n)
{
    assert_true(p->in_end + n <= sizeof p->in);
    memcpy(p->in + p->in_end, bytes, n);
    p->in_end += n;
}

static inline void peer_head(uint8_t *to, uint8_t type, uint8_t seq, uint8_t ack, uint8_t room, size_t n)
{
    const uint8_t head[7] = {0x47, type, (uint8_t)n, (uint8_t)(n >> 8), seq, ack, room};
    memcpy(to, head, 7);
    to[7] = peer_crc8(to, 7);
}

static inline size_t peer_frame(uint8_t *to, uint8_t type, uint8_t seq, uint8_t ack, uint8_t room, const void *payload,
                                size_t n)
{
    peer_head(to, type, seq, ack, room, n);
    if (n)
        memcpy(to + 8, payload, n);
    const uint32_t crc = peer_crc32(to, 8 + n);
    for (unsigned i = 0; i < 4; i++)
        to[8 + n + i] = (uint8_t)(crc >> 8 * i);
    return 8 + n + 4;
}

static inline void peer_send(struct peer *p, uint8_t type, uint8_t seq, uint8_t ack, uint8_t room, const void *payload,
                             size_t n)
{
    uint8_t bytes[PEER_FRAME];
    peer_bytes(p, bytes, peer_frame(bytes, type, seq, ack, room, payload, n));
}

/* The next frame that the host has written, each of its bytes checked; false: none. */
static inline bool peer_take(struct peer *p, struct frame *f)
{
    const uint8_t *b = p->out + p->out_at;
    if (p->out_at == p->out_end)
        return false;
    assert_true(p->out_end - p->out_at >= 12);
    assert_int_equal(b[0], 0x47);
    assert_int_equal(b[7], peer_crc8(b, 7));
    *f = (struct frame){.type = b[1], .length = b[2] | b[3] << 8u, .seq = b[4], .ack = b[5], .room = b[6]};
    assert_in_range(f->type, 1, 5);
    assert_in_range(f->length, f->type == 2 ? 1 : 0, f->type == 1 ? 56 : f->type == 2 ? PEER_PAYLOAD : 0);
    assert_true(p->out_end - p->out_at >= 12 + f->length);
    memcpy(f->payload, b + 8, f->length);
    const uint32_t crc = peer_crc32(b, 8 + f->length);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(b[8 + f->length + i], crc >> 8 * i & 0xff);
    p->out_at += 12 + f->length;
    return true;
}

/* Takes one frame, which must be of that type, number and ack. */
static inline struct frame peer_expect(struct peer *p, uint8_t type, uint8_t seq, uint8_t ack)
{
    struct frame f;
    assert_true(peer_take(p, &f));
    assert_int_equal(f.type, type);
    assert_int_equal(f.seq, seq);
    assert_int_equal(f.ack, ack);
    return f;
}

static inline void peer_expect_none(struct peer *p)
{
    assert_int_equal(p->out_at, p->out_end);
}

static inline struct peer *peer_new(void)
{
    struct peer *p = calloc(1, sizeof *p);
    *p = (struct peer){
        .port = {p, peer_write, peer_read, peer_why, peer_now}, .now = 5000000000u, .write_most = 1 << 20};
    p->stream = stream_new(&p->port);
    return p;
}

/* A session in which this side has that much room. */
static inline void peer_attach(struct peer *p, uint8_t room)
{
    const struct stream_hello mine = {.version = STREAM_VERSION, .flags = HELLO_ATTACH, .nonce = ++p->nonce};
    struct stream_hello theirs;
    peer_send(p, 1, 0, 0, room, &mine, sizeof mine);
    assert_true(stream_hello(p->stream, &mine, &theirs));
    assert_memory_equal(&theirs, &mine, sizeof mine);
    peer_expect(p, 1, 0, 0);
    peer_expect_none(p);
}

static inline void peer_free(struct peer *p)
{
    stream_free(p->stream);
    free(p);
}
#endif
