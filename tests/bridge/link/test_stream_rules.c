// SPDX-License-Identifier: Apache-2.0
// Go-back-N of the host's side, frame by frame against a side by hand: what is taken and what is dropped, when a NAK
// leaves and how one is answered, window and room.
#include "stream_peer.h"

static struct peer *attached(uint8_t room)
{
    struct peer *p = peer_new();
    peer_attach(p, room);
    return p;
}

static void assert_got(struct peer *p, const char *text)
{
    char got[64] = "";
    assert_int_equal(stream_poll(p->stream), strlen(text));
    assert_true(stream_get(p->stream, got, strlen(text)));
    assert_string_equal(got, text);
}

static void data(struct peer *p, uint8_t seq, const char *text)
{
    peer_send(p, 2, seq, 0, 255, text, strlen(text));
}

/* The same with a wrong CRC-32. */
static void data_damaged(struct peer *p, uint8_t seq, const char *text)
{
    data(p, seq, text);
    p->in[p->in_end - 2] ^= 0x10;
}

/* ---- what comes */
static void test_taken_once(void **state)
{
    struct peer *p = attached(255);
    (void)state;
    data(p, 0, "a");
    data(p, 0, "a");
    data(p, 1, "b");
    data(p, 0, "a");
    data(p, 255, "z");
    assert_got(p, "ab");
    peer_expect_none(p); /* what came before is no gap */
    assert_int_equal(stream_counts(p->stream)->gaps, 0);
    peer_free(p);
}

static void test_one_nak_a_gap(void **state)
{
    struct peer *p = attached(255);
    (void)state;
    data(p, 0, "a");
    for (uint8_t n = 2; n < 6; n++)
        data(p, n, "x");
    data(p, 5, "x"); /* doubled on its way */
    assert_got(p, "a");
    peer_expect(p, 4, 0, 1);
    peer_expect_none(p);
    for (uint8_t n = 2; n < 6; n++) /* sent again, and 1 is lost again */
        data(p, n, "x");
    assert_got(p, "");
    peer_expect(p, 4, 0, 1);
    peer_expect_none(p);
    data(p, 1, "b");
    data(p, 3, "x"); /* 2 is lost now */
    assert_got(p, "b");
    peer_expect(p, 4, 0, 2);
    data(p, 2, "c");
    data(p, 3, "d");
    assert_got(p, "cd");
    peer_expect_none(p);
    data(p, 6, "x"); /* further ahead than the last */
    assert_got(p, "");
    peer_expect(p, 4, 0, 4);
    assert_int_equal(stream_counts(p->stream)->gaps, 4);
    assert_int_equal(stream_counts(p->stream)->naks, 4);
    peer_free(p);
}

static void test_damaged(void **state)
{
    struct peer *p = attached(255);
    (void)state;
    data_damaged(p, 0, "a");
    data(p, 1, "b");
    assert_got(p, "");
    peer_expect(p, 4, 0, 0);
    peer_expect_none(p);
    data_damaged(p, 0, "a"); /* again */
    assert_got(p, "");
    peer_expect(p, 4, 0, 0);
    data(p, 0, "a");
    data_damaged(p, 0, "a"); /* which came already */
    assert_got(p, "a");
    peer_expect_none(p);
    peer_send(p, 3, 0, 0, 255, NULL, 0); /* of any type */
    p->in[p->in_end - 1] ^= 1;
    data(p, 1, "b");
    assert_got(p, "b");
    assert_int_equal(stream_counts(p->stream)->damaged, 4);
    assert_int_equal(stream_counts(p->stream)->gaps, 0);
    peer_free(p);
}

/* Bytes that are no head are passed over one by one: lengths and types that there are not, a wrong CRC-8, half a frame.
 */
static void test_no_heads(void **state)
{
    struct peer *p = attached(255);
    uint8_t bytes[PEER_FRAME + 400];
    (void)state;
    peer_bytes(p, "", 1); /* one 0x00 fills up a burst */
    data(p, 0, "a");
    peer_bytes(p, "", 1);
    assert_got(p, "a");
    assert_int_equal(stream_counts(p->stream)->damaged, 0);
    memset(bytes, 0, sizeof bytes);
    peer_head(bytes, 2, 1, 0, 255, 497);
    peer_bytes(p, bytes, 300);
    data(p, 1, "b");
    peer_head(bytes, 2, 2, 0, 255, 0xff01);
    peer_bytes(p, bytes, 8);
    data(p, 2, "c");
    peer_bytes(p, bytes, peer_frame(bytes, 6, 3, 0, 255, "x", 1));
    data(p, 3, "d");
    peer_bytes(p, bytes, peer_frame(bytes, 0, 4, 0, 255, "x", 1));
    data(p, 4, "e");
    size_t n = peer_frame(bytes, 2, 5, 0, 255, "x", 1);
    bytes[5] ^= 1;
    peer_bytes(p, bytes, n);
    peer_bytes(p, "GGGG", 3);
    data(p, 5, "f");
    assert_got(p, "bcdef");
    assert_int_equal(stream_counts(p->stream)->damaged, 5);
    peer_free(p);
}

/* A frame whose end does not come: after 50 ms what stands behind its head is looked at. */
static void test_cut(void **state)
{
    struct peer *p = attached(255);
    uint8_t bytes[PEER_FRAME], got[2];
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    peer_head(bytes, 2, 0, 0, 255, 200);
    peer_bytes(p, bytes, 9);
    data(p, 0, "ab");
    assert_true(stream_get(p->stream, got, 2));
    assert_memory_equal(got, "ab", 2);
    assert_int_equal(p->now, 5000000000u + 50);
    peer_free(p);
}

/* More than fits is dropped, until there is room again: whole frames, nothing twice. */
static void test_room_of_own(void **state)
{
    struct peer *p = attached(255);
    uint8_t payload[PEER_PAYLOAD], got[PEER_PAYLOAD];
    unsigned sent = 0;
    struct frame f;
    (void)state;
    while (stream_counts(p->stream)->frames_taken == sent) {
        memset(payload, (int)sent, sizeof payload);
        peer_send(p, 2, (uint8_t)sent++, 0, 255, payload, sizeof payload);
        stream_poll(p->stream);
    }
    assert_int_equal(sent, (1 << 20) / PEER_PAYLOAD + 1);
    peer_send(p, 4, 0, 0, 255, NULL, 0); /* a NAK is always answered */
    stream_poll(p->stream);
    f = peer_expect(p, 3, 0, (uint8_t)(sent - 1));
    assert_int_equal(f.room, (1 << 20) % PEER_PAYLOAD / 64);
    for (unsigned n = 0; n < 2; n++)
        assert_true(stream_get(p->stream, got, sizeof got));
    f = peer_expect(p, 3, 0, (uint8_t)(sent - 1)); /* at once, by itself: 16 units again */
    assert_int_equal(f.room, ((1 << 20) % PEER_PAYLOAD + 2 * PEER_PAYLOAD) / 64);
    peer_send(p, 2, (uint8_t)(sent - 1), 0, 255, payload, sizeof payload);
    for (unsigned n = 2; n < sent; n++) {
        memset(payload, (int)n, sizeof payload);
        assert_true(stream_get(p->stream, got, sizeof got));
        assert_memory_equal(got, payload, sizeof got);
    }
    peer_free(p);
}

/* ---- what is acknowledged */
static void four(struct peer *p)
{
    for (uint8_t n = 0; n < 4 && p->idles < 3; n++)
        data(p, (uint8_t)(p->idles * 4 + n - 4), "x");
    if (p->idles == 3)
        data(p, 8, "y");
}

static void test_every_fourth(void **state)
{
    struct peer *p = attached(255);
    uint8_t got[9];
    (void)state;
    p->idle = four;
    assert_true(stream_get(p->stream, got, 9));
    peer_expect(p, 3, 0, 4);
    peer_expect(p, 3, 0, 8);
    peer_expect_none(p);
    assert_memory_equal(got, "xxxxxxxxy", 9);
    peer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_once),   cmocka_unit_test(test_one_nak_a_gap), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_heads),     cmocka_unit_test(test_cut),           cmocka_unit_test(test_room_of_own),
        cmocka_unit_test(test_every_fourth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
