// SPDX-License-Identifier: Apache-2.0
// What the host's side sends and when: window, room of the other side, acknowledgements that do not fit, frames sent
// again from the right place, numbers beyond 255.
#include "../link/stream_peer.h"

static uint8_t text[40 * PEER_PAYLOAD];

static struct peer *attached(uint8_t room)
{
    struct peer *p = peer_new();
    for (unsigned n = 0; n < sizeof text; n++)
        text[n] = (uint8_t)(n * 13 + n / 251);
    peer_attach(p, room);
    return p;
}

/* DATA frames first .. last - 1, whole ones of the text. */
static void expect_data(struct peer *p, unsigned first, unsigned last)
{
    for (unsigned n = first; n < last; n++) {
        struct frame f = peer_expect(p, 2, (uint8_t)n, 0);
        assert_int_equal(f.length, PEER_PAYLOAD);
        assert_memory_equal(f.payload, text + n * PEER_PAYLOAD, PEER_PAYLOAD);
    }
}

static void say(struct peer *p, uint8_t type, uint8_t ack, uint8_t room)
{
    peer_send(p, type, 0, ack, room, NULL, 0);
    stream_poll(p->stream);
}

static void test_window(void **state)
{
    struct peer *p = attached(255);
    (void)state;
    stream_put(p->stream, text, sizeof text);
    assert_int_equal(p->now, 5000000000u); /* forty fit without waiting */
    expect_data(p, 0, 32);
    peer_expect_none(p);
    say(p, 3, 1, 255);
    expect_data(p, 32, 33);
    say(p, 3, 5, 255);
    expect_data(p, 33, 37);
    say(p, 3, 37, 255);
    expect_data(p, 37, 40);
    peer_expect_none(p);
    assert_int_equal(stream_counts(p->stream)->frames_sent, 40);
    assert_int_equal(stream_counts(p->stream)->resent, 0);
    peer_free(p);
}

/* An `ack` that nobody can have meant changes nothing: not the window, not the room beside it. */
static void test_ack_out_of_window(void **state)
{
    struct peer *p = attached(24);
    (void)state;
    stream_put(p->stream, text, sizeof text);
    expect_data(p, 0, 3);
    say(p, 3, 4, 255); /* 3 was not sent */
    say(p, 3, 255, 255);
    say(p, 3, 130, 255);
    peer_expect_none(p);
    say(p, 3, 2, 16);
    expect_data(p, 3, 4);
    say(p, 3, 1, 255);
    peer_expect_none(p);
    say(p, 4, 1, 255); /* a NAK is answered all the same */
    peer_expect(p, 3, 4, 0);
    peer_expect_none(p);
    peer_free(p);
}

static void test_nak(void **state)
{
    struct peer *p = attached(255);
    (void)state;
    stream_put(p->stream, text, 8 * PEER_PAYLOAD);
    expect_data(p, 0, 8);
    say(p, 4, 3, 255);
    expect_data(p, 3, 8);
    peer_expect_none(p);
    say(p, 4, 8, 255);
    peer_expect(p, 3, 8, 0); /* nothing: an ACK */
    peer_expect_none(p);
    say(p, 4, 8, 0);
    peer_expect(p, 3, 8, 0);
    assert_int_equal(stream_counts(p->stream)->resent, 5);
    /* an acknowledgement overtakes frames that are being sent again */
    stream_put(p->stream, text + 8 * PEER_PAYLOAD, 8 * PEER_PAYLOAD);
    peer_expect_none(p);
    say(p, 3, 8, 255);
    expect_data(p, 8, 16);
    p->write_most = 600; /* of 8 to 15 the transport takes 8 and a part of 9 */
    peer_send(p, 4, 0, 8, 255, NULL, 0);
    stream_poll(p->stream);
    say(p, 3, 16, 255);
    p->write_most = 1 << 20;
    stream_poll(p->stream);
    expect_data(p, 8, 16); /* what was on its way */
    peer_expect_none(p);
    peer_free(p);
}

/* Room counts units of 64 bytes, whole ones for each frame. */
static void test_room(void **state)
{
    struct peer *p = attached(7);
    (void)state;
    stream_put(p->stream, text, 8 * PEER_PAYLOAD); /* 7.75 units each */
    peer_expect_none(p);
    say(p, 3, 0, 8);
    expect_data(p, 0, 1);
    say(p, 3, 0, 23);
    expect_data(p, 1, 2);
    say(p, 3, 2, 0);
    say(p, 3, 2, 7);
    peer_expect_none(p);
    say(p, 4, 2, 15);
    expect_data(p, 2, 3);
    say(p, 4, 2, 0); /* what was sent may be there no more: not sent again without room, but answered */
    peer_expect(p, 3, 3, 0);
    peer_expect_none(p);
    say(p, 3, 3, 40);
    expect_data(p, 3, 8);
    say(p, 3, 8, 2);
    stream_put(p->stream, text, 64);
    stream_flush(p->stream);
    assert_int_equal(peer_expect(p, 2, 8, 0).length, 64);
    stream_put(p->stream, text, 1);
    stream_flush(p->stream);
    assert_int_equal(peer_expect(p, 2, 9, 0).length, 1);
    peer_expect_none(p);
    peer_free(p);
}

/* ---- waits for the window */
static void acknowledge_all(struct peer *p)
{
    struct frame f;
    uint8_t next = 0, any = 0;
    while (peer_take(p, &f))
        next = f.type == 2 ? (uint8_t)(f.seq + 1) : f.seq, any = f.type;
    if (any == 4) /* speaks when it is asked, and not before */
        peer_send(p, 3, 0, next, 255, NULL, 0);
}

static void test_asks(void **state)
{
    struct peer *p = attached(255);
    (void)state;
    p->idle = acknowledge_all;
    for (unsigned n = 0; n < 30; n++)
        stream_put(p->stream, text, sizeof text);
    assert_true(stream_flush(p->stream));
    assert_int_equal(stream_counts(p->stream)->frames_sent, 1200);
    assert_int_equal(stream_counts(p->stream)->resent, 0);
    assert_in_range(p->now - 5000000000u, 60, 200); /* about 2 ms for each 32 frames */
    assert_in_range(stream_counts(p->stream)->naks, 34, 40);
    peer_free(p);
}

static void flood(struct peer *p)
{
    static uint8_t seq;
    seq = p->idles == 1 ? 0 : seq;
    for (unsigned n = 0; n < 32; n++)
        peer_send(p, 2, seq++, 0, 255, text, PEER_PAYLOAD);
}

/* The other side takes nothing and sends without end: a put that waits for the window ends. */
static void test_flood(void **state)
{
    struct peer *p = attached(8);
    (void)state;
    p->idle = flood;
    stream_put(p->stream, text, sizeof text);
    stream_put(p->stream, text, sizeof text);
    assert_non_null(stream_why(p->stream));
    assert_string_equal(stream_why(p->stream), "sends more than 1048544 bytes of records that nobody asks for");
    peer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window), cmocka_unit_test(test_ack_out_of_window),
        cmocka_unit_test(test_nak),    cmocka_unit_test(test_room),
        cmocka_unit_test(test_asks),   cmocka_unit_test(test_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
