// SPDX-License-Identifier: Apache-2.0
// The host's side of a byte stream against a side by hand: the bytes of frames, the session, and that a stream that is
// lost says why, in time.
#include "../link/stream_peer.h"

/* ---- bytes, by another program */
static const uint8_t question[] = {
    0x47, 0x01, 0x38, 0x00, 0x00, 0x00, 0xff, 0x87, /* head */
    0x01, 0x00, 0x01, 0x00, 0x78, 0x56, 0x34, 0x12, 0x02, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, /* version to pad2 */
    0x6c, 0x32, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x11, 0x11, 0x11,
    0x11, 0x11, 0x11, 0x11, /* kind, rtl */
    0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x33, 0x33, 0x33, 0x33,
    0x33, 0x33, 0x33, 0x33,                                                  /* keys, graph */
    0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x03, 0xb9, 0xbb, 0xfa}; /* links, CRC-32 */
static const uint8_t answer[] = {0x47, 0x01, 0x38, 0x00, 0x00, 0x00, 0x40, 0xb3, 0x01, 0x00, 0x01, 0x00, 0x78, 0x56,
                                 0x34, 0x12, 0x02, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x6c, 0x32, 0x00, 0x00,
                                 0x00, 0x00, 0x00, 0x00, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22,
                                 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33,
                                 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x07, 0xa1, 0xcf, 0xc3};
static const uint8_t run[] = {0x47, 0x02, 0x08, 0x00, 0x00, 0x00, 0xff, 0xaa, /* a RUN to cycle 8,208 */
                              0x02, 0x00, 0x00, 0x00, 0x10, 0x20, 0x00, 0x00, 0x19, 0x23, 0x5f, 0x1e};
static const uint8_t value[] = {0x47, 0x02, 0x10, 0x00, 0x00, 0x01, 0x40, 0xa0, 0x13, 0x00, 0x00, 0x00, 0x00, 0x00,
                                0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xa0, 0x4a, 0x23, 0x9c};
static const uint8_t bye[] = {0x47, 0x05, 0x00, 0x00, 0x01, 0x01, 0xff, 0x12, 0x52, 0xba, 0xa1, 0xcd};

static void assert_written(struct peer *p, const uint8_t *bytes, size_t n)
{
    assert_int_equal(p->out_end - p->out_at, n);
    assert_memory_equal(p->out + p->out_at, bytes, n);
    p->out_at = p->out_end;
}

static void test_bytes(void **state)
{
    const struct stream_hello mine = {1,
                                      HELLO_ATTACH,
                                      0,
                                      0x12345678,
                                      0x0102,
                                      0,
                                      0,
                                      0x326c,
                                      0x1111111111111111,
                                      0x2222222222222222,
                                      0x3333333333333333,
                                      0x4444444444444444};
    struct stream_hello theirs;
    struct peer *p = peer_new();
    uint8_t got[16], want[16] = {0x13, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    peer_bytes(p, answer, sizeof answer);
    assert_true(stream_hello(p->stream, &mine, &theirs));
    assert_written(p, question, sizeof question);
    assert_memory_equal(&theirs, answer + 8, 56);
    stream_put(p->stream, run + 8, 8);
    peer_expect_none(p);
    assert_true(stream_flush(p->stream));
    assert_written(p, run, sizeof run);
    peer_bytes(p, value, sizeof value);
    assert_int_equal(stream_poll(p->stream), 16);
    assert_true(stream_get(p->stream, got, 16));
    assert_memory_equal(got, want, 16);
    stream_bye(p->stream);
    assert_written(p, bye, sizeof bye);
    const struct stream_counts want_counts = {1, 1, 68 + 20 + 12, 68 + 28, 0, 0, 0, 0};
    assert_memory_equal(stream_counts(p->stream), &want_counts, sizeof want_counts);
    assert_int_equal(stream_expected(p->stream), 1);
    assert_null(stream_why(p->stream));
    peer_free(p);
}

/* ---- the session */
static void test_hello_again(void **state)
{
    const struct stream_hello mine = {.version = 1, .nonce = 7};
    struct stream_hello theirs;
    struct peer *p = peer_new();
    (void)state;
    assert_false(stream_hello(p->stream, &mine, &theirs));
    for (unsigned n = 0; n < 20; n++) /* at 0, 50, .. 950 ms */
        assert_memory_equal(peer_expect(p, 1, 0, 0).payload, &mine, sizeof mine);
    peer_expect_none(p);
    assert_int_equal(p->now, 5000000000u + 1000);
    assert_string_equal(stream_why(p->stream), "no answer to HELLO for 1 s");
    assert_false(stream_hello(p->stream, &mine, &theirs) || stream_flush(p->stream)); /* lost stays lost */
    peer_expect_none(p);
    peer_free(p);
}

/* Nothing counts before the answer to this very question: not another's, not what is left of an earlier session. */
static void test_stale(void **state)
{
    struct stream_hello mine = {.version = 1, .flags = HELLO_ATTACH}, theirs, other = {.version = 1, .nonce = 9};
    struct peer *p = peer_new();
    uint8_t got = 0, junk[300], twice[1];
    (void)state;
    for (unsigned n = 0; n < sizeof junk; n++)
        junk[n] = (uint8_t)(n * 71);
    mine.nonce = 8;
    peer_bytes(p, value + 5, sizeof value - 5);
    peer_send(p, 2, 0, 0, 3, "old", 3);
    peer_send(p, 4, 0, 0, 0, NULL, 0);
    peer_send(p, 5, 0, 0, 0, NULL, 0);
    peer_send(p, 1, 0, 0, 0, &other, sizeof other);
    peer_send(p, 1, 0, 0, 0, &mine, 7); /* too short for a nonce */
    peer_bytes(p, junk, sizeof junk);
    other = mine;
    other.kind = 5;
    peer_send(p, 1, 0, 0, 255, &other, sizeof other);
    peer_send(p, 1, 0, 0, 1, &mine, sizeof mine); /* a second answer changes nothing */
    peer_send(p, 2, 0, 0, 255, "x", 1);
    assert_true(stream_hello(p->stream, &mine, &theirs));
    assert_int_equal(theirs.kind, 5);
    assert_true(stream_get(p->stream, &got, 1));
    assert_int_equal(got, 'x');
    peer_expect(p, 1, 0, 0);
    memset(twice, 0, 1);
    stream_put(p->stream, twice, 1);
    assert_true(stream_flush(p->stream));
    peer_expect(p, 2, 0, 1);
    peer_free(p);
}

/* A nonce of the stream's own, and an answer of another version: what the two have in common is told. */
static void answer_other(struct peer *p)
{
    struct frame f;
    assert_true(peer_take(p, &f));
    struct stream_hello hello;
    memcpy(&hello, f.payload, sizeof hello);
    assert_int_not_equal(hello.nonce, 0);
    hello.version = 2;
    peer_send(p, 1, 0, 0, 0, &hello, 8);
}

static void test_other_version(void **state)
{
    const struct stream_hello mine = {.version = 1, .kind = 77};
    struct stream_hello theirs;
    struct peer *p = peer_new();
    (void)state;
    p->idle = answer_other;
    assert_true(stream_hello(p->stream, &mine, &theirs));
    assert_true(theirs.version == 2 && theirs.kind == 0 && p->now == 5000000000u);
    assert_false(stream_flush(p->stream)); /* only told: no session */
    assert_null(stream_why(p->stream));
    peer_free(p);
}

/* ---- ends */
static void test_silent(void **state)
{
    struct peer *p = peer_new();
    uint8_t got;
    (void)state;
    peer_attach(p, 255);
    stream_put(p->stream, "r", 1);
    p->now += 100000; /* time that passes between two waits does not count */
    const uint64_t from = p->now;
    assert_false(stream_get(p->stream, &got, 1));
    assert_string_equal(stream_why(p->stream), "no answer for 1 s");
    assert_int_equal(p->now - from, 1000);
    peer_expect(p, 2, 0, 0);
    for (unsigned n = 0; n < 19; n++) { /* at 50, .. 950 ms: a NAK, and what is not acknowledged */
        peer_expect(p, 4, 1, 0);
        peer_expect(p, 2, 0, 0);
    }
    peer_expect_none(p);
    assert_int_equal(stream_counts(p->stream)->resent, 19);
    peer_free(p);
}

static void acknowledge(struct peer *p)
{
    if (p->idles % 2) /* in between time passes */
        peer_send(p, 3, 0, 1, 255, NULL, 0);
}

static void bring_slowly(struct peer *p)
{
    acknowledge(p);
    if (p->idles % 1000 == 0) /* some 25 s */
        peer_send(p, 2, (uint8_t)(p->idles / 1000 - 1), 1, 255, "x", 1);
}

/* It answers, and brings nothing; seldom something, which is enough. */
static void test_stuck(void **state)
{
    struct peer *p = peer_new();
    uint8_t got;
    (void)state;
    peer_attach(p, 255);
    stream_put(p->stream, "r", 1);
    p->idle = acknowledge;
    assert_false(stream_get(p->stream, &got, 1));
    assert_string_equal(stream_why(p->stream), "answers, but takes and sends no records for 60 s");
    assert_in_range(p->now - 5000000000u, 60000, 60050);
    peer_free(p);
    uint8_t three[3];
    p = peer_new();
    peer_attach(p, 255);
    stream_put(p->stream, "r", 1);
    p->idle = bring_slowly;
    assert_true(stream_get(p->stream, three, 3));
    assert_in_range(p->now - 5000000000u, 60050, 100000);
    peer_free(p);
}

static void cut(struct peer *p)
{
    p->gone = true;
}

static void test_gone(void **state)
{
    struct peer *p = peer_new();
    uint8_t got;
    (void)state;
    peer_attach(p, 255);
    p->idle = cut;
    assert_int_equal(stream_poll(p->stream), 0);
    assert_false(stream_get(p->stream, &got, 1));
    assert_string_equal(stream_why(p->stream), "the cable is cut");
    assert_int_equal(p->now, 5000000000u);
    peer_free(p);
    p = peer_new();
    peer_attach(p, 255);
    p->gone = true; /* seen by a write first */
    stream_put(p->stream, "r", 1);
    assert_false(stream_flush(p->stream));
    assert_string_equal(stream_why(p->stream), "the cable is cut");
    peer_free(p);
    p = peer_new();
    peer_attach(p, 255);
    peer_send(p, 5, 0, 0, 255, NULL, 0);
    assert_false(stream_get(p->stream, &got, 1));
    assert_string_equal(stream_why(p->stream), "the other side has ended the session");
    peer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_hello_again), cmocka_unit_test(test_stale),
        cmocka_unit_test(test_other_version), cmocka_unit_test(test_silent),      cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
