/* SPDX-License-Identifier: Apache-2.0
 * Between exchanges (stream_alive, bridge/stream/stream.h): the host asks for a sign of life, and no board is lost
 * because the host itself was late.
 */
#include "stream_peer.h"

enum { ACK = 3, NAK = 4 };

/* As a machine looks: each 0.1 s. */
static bool look(struct peer *p)
{
    p->now += 100;
    return stream_alive(p->stream);
}

/* It answers each question, which is asked when 0.2 s have passed without a word. */
static void test_answers(void **state)
{
    struct peer *p = peer_new();
    (void)state;
    peer_attach(p, 255);
    for (unsigned n = 0; n < 5; n++) {
        assert_true(look(p));
        peer_expect_none(p);
        assert_true(look(p));
        peer_expect(p, NAK, 0, 0);
        peer_send(p, ACK, 0, 0, 255, NULL, 0);
        assert_true(look(p));
        peer_expect_none(p);
    }
    assert_null(stream_why(p->stream));
    peer_free(p);
}

/* Lost 0.7 s after its last word; a question that is lost, or an answer, is none of that. */
static void test_silent(void **state)
{
    struct peer *p = peer_new();
    (void)state;
    peer_attach(p, 255);
    look(p);
    for (unsigned n = 0; n < 3; n++) { /* the fourth question is answered */
        assert_true(look(p));
        peer_expect(p, NAK, 0, 0);
    }
    assert_true(look(p));
    peer_expect(p, NAK, 0, 0);
    peer_send(p, ACK, 0, 0, 255, NULL, 0);
    assert_true(look(p));
    const uint64_t from = p->now;
    assert_true(look(p));
    peer_expect_none(p);
    for (unsigned n = 0; n < 4; n++) {
        assert_true(look(p));
        peer_expect(p, NAK, 0, 0);
    }
    assert_false(look(p));
    assert_int_equal(p->now - from, 600);
    assert_string_equal(stream_why(p->stream), "no answer to 4 NAKs while nothing was asked");
    assert_false(look(p));
    peer_expect_none(p);
    peer_free(p);
}

/* The host stood still, or looks seldom or all the time: only questions count, and what has come is taken first. */
static void test_late(void **state)
{
    struct peer *p = peer_new();
    (void)state;
    peer_attach(p, 255);
    p->now += 200;
    assert_true(stream_alive(p->stream));
    peer_expect(p, NAK, 0, 0);
    for (unsigned n = 0; n < 1000; n++)
        assert_true(stream_alive(p->stream));
    peer_expect_none(p);
    for (unsigned n = 0; n < 3; n++) {
        p->now += 1000000;
        assert_true(stream_alive(p->stream));
        peer_expect(p, NAK, 0, 0);
    }
    peer_send(p, ACK, 0, 0, 255, NULL, 0);
    p->now += 1000000;
    assert_true(stream_alive(p->stream));
    peer_expect_none(p);
    peer_free(p);
}

/* An exchange begins anew: questions before it do not count. */
static void test_between_exchanges(void **state)
{
    struct peer *p = peer_new();
    uint8_t got;
    (void)state;
    peer_attach(p, 255);
    look(p);
    for (unsigned n = 0; n < 4; n++) {
        assert_true(look(p));
        peer_expect(p, NAK, 0, 0);
    }
    peer_send(p, 2, 0, 0, 255, "x", 1);
    assert_true(stream_get(p->stream, &got, 1));
    assert_true(look(p));
    peer_expect_none(p);
    peer_free(p);
}

static void test_gone(void **state)
{
    struct peer *p = peer_new();
    (void)state;
    peer_attach(p, 255);
    assert_true(look(p));
    p->gone = true;
    assert_false(look(p));
    assert_string_equal(stream_why(p->stream), "the cable is cut");
    peer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),           cmocka_unit_test(test_silent), cmocka_unit_test(test_late),
        cmocka_unit_test(test_between_exchanges), cmocka_unit_test(test_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
