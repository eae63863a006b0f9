// SPDX-License-Identifier: Apache-2.0
// State of a channel byte by byte: what is written, where the messages lie after a restore, in storage of its own and
// in a link's ring, what cannot be a state, and that every field of the graph is described.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/link/channel_save.h"
#include "saved/state_io.h"

enum { DEPTH = 5, LATENCY = 20 };

static struct channel made(void)
{
    struct channel c;
    channel_init(&c, 9, "a", "b", 8, LATENCY, DEPTH);
    c.rate = (struct channel_rate){.bytes_per_cycle = 16, .header = 20, .kind_at = 1, .payload = {3, 5, 7, 9}};
    return c;
}

/* As after seven messages, of which the first four are taken. */
static struct channel used(void)
{
    struct channel c = made();
    for (uint64_t n = 1; n <= 7; n++) {
        uint64_t message = 100 * n & ~UINT64_C(0xff00);
        channel_send(&c, 10 * n, &message);
        if (n <= 4)
            channel_drop(&c, 1);
    }
    return c;
}

static uint64_t word(const struct state_buffer *b, size_t n)
{
    uint64_t value;
    memcpy(&value, b->bytes + 8 * n, 8);
    return value;
}
static void word_set(struct state_buffer *b, size_t n, uint64_t value)
{
    memcpy(b->bytes + 8 * n, &value, 8);
}

/* When the port is free, when the link is, how many were sent, how many are inside, and these. */
static void test_bytes(void **state)
{
    struct channel c = used();
    struct state_buffer b;
    (void)state;
    state_buffer_init(&b);
    channel_save(&c, &b.writer);
    assert_int_equal(b.count, 8 * (4 + 2 * 3));
    assert_true(word(&b, 0) == 91 && word(&b, 1) == c.link_free && word(&b, 2) == 7 && word(&b, 3) == 3);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(word(&b, 4 + 2 * n), 70 + 10 * n);
        assert_int_equal(word(&b, 5 + 2 * n), 100 * (5 + n) & ~UINT64_C(0xff00));
    }
    channel_fini(&c);
    free(b.bytes);
}

static void assert_like(const struct channel *to, const struct channel *c)
{
    assert_true(to->last == c->last && to->link_free == c->link_free && to->sent == c->sent);
    assert_int_equal(channel_count(to), channel_count(c));
    for (size_t n = 0; n < channel_count(c); n++) {
        assert_int_equal(channel_stamp(to, n), channel_stamp(c, n));
        assert_memory_equal(channel_payload(to, n), channel_payload(c, n), 8);
        assert_int_equal(channel_slot(to, n)->sequence, c->sent - channel_count(c) + n + 1);
    }
}

/* In storage of its own from the first place on; in a link's ring each in the place of its number. */
static void test_restore(void **state)
{
    struct channel c = used(), own = made(), end;
    struct ring *ring = ring_new_empty(8, DEPTH, RING_LINE);
    struct state_buffer b;
    uint64_t count = 0;
    (void)state;
    state_buffer_init(&b);
    channel_save(&c, &b.writer);
    own.head = own.tail = 3; /* whatever it held */
    assert_true(channel_restore(&own, &b.reader));
    assert_int_equal(b.taken, b.count);
    assert_true(own.head == 0 && own.tail == 3);
    assert_like(&own, &c);
    b.taken = 0;
    channel_init_end(&end, 9, "a", "b", 8, LATENCY, DEPTH, ring);
    assert_true(channel_restore(&end, &b.reader));
    assert_true(end.head == 4 && end.tail == 7);
    assert_like(&end, &c);
    for (unsigned n = 4; n < 7; n++)
        assert_int_equal(ring_slot(ring, n)->sequence, n + 1);
    b.taken = 0;
    struct channel sender = {.bytes = 8, .depth = DEPTH}; /* which has none at hand */
    assert_true(channel_restore_sender(&sender, &b.reader, &count));
    assert_true(b.taken == b.count && count == 3);
    assert_true(sender.last == c.last && sender.link_free == c.link_free && sender.sent == 7);
    channel_fini(&c);
    channel_fini(&own);
    free(ring);
    free(b.bytes);
}

/* A channel as it was made, or full to its depth. */
static void test_ends_of_depth(void **state)
{
    (void)state;
    for (unsigned count = 0; count <= DEPTH; count += DEPTH) {
        struct channel c = made(), to = made();
        struct state_buffer b;
        for (uint64_t n = 0; n < count; n++) {
            uint64_t message = n << 16;
            channel_send(&c, 5 * n, &message);
        }
        state_buffer_init(&b);
        channel_save(&c, &b.writer);
        assert_true(channel_restore(&to, &b.reader));
        assert_like(&to, &c);
        channel_fini(&c);
        channel_fini(&to);
        free(b.bytes);
    }
}

static bool refused(struct state_buffer *b, bool sender, const char *why)
{
    struct channel to = made();
    uint64_t count;
    b->taken = 0;
    *b->reader.why = 0;
    bool good = sender ? channel_restore_sender(&to, &b->reader, &count) : channel_restore(&to, &b->reader);
    channel_fini(&to);
    if (!good && strstr(b->reader.why, why) == NULL)
        fail_msg("\"%s\" without \"%s\"", b->reader.why, why);
    return !good;
}

/* More inside than it is deep or than were sent, out of order, beyond what the port has taken, bytes that end. */
static void test_what_is_refused(void **state)
{
    static const struct {
        unsigned word;
        uint64_t value;
        const char *why; /* NULL: it is good */
        bool head;       /* seen at the sender's end, too */
    } cases[] = {{3, DEPTH + 1, "at most 5", true},
                 {2, 2, "a -> b: more messages under way than were sent", true},
                 {2, 3, NULL, true},
                 {6, 70, "a -> b: messages are not in order", false}, /* the stamp of the one before it */
                 {6, 69, "a -> b: messages are not in order", false},
                 {6, 71, NULL, false},
                 {8, 80, "a -> b: messages are not in order", false},
                 {4, 0, NULL, false},
                 {0, 90, "a -> b: a message from the future", false},
                 {0, 91, NULL, false},
                 {0, 92, NULL, false}};
    struct channel c = used();
    struct state_buffer b;
    (void)state;
    state_buffer_init(&b);
    channel_save(&c, &b.writer);
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        const uint64_t kept = word(&b, cases[n].word);
        word_set(&b, cases[n].word, cases[n].value);
        assert_int_equal(refused(&b, false, cases[n].why ? cases[n].why : ""), cases[n].why != NULL);
        if (cases[n].head)
            assert_int_equal(refused(&b, true, cases[n].why ? cases[n].why : ""), cases[n].why != NULL);
        word_set(&b, cases[n].word, kept);
    }
    const size_t whole = b.count;
    for (b.count = 0; b.count < whole; b.count++)
        assert_true(refused(&b, false, "") && refused(&b, true, ""));
    assert_false(refused(&b, false, "") || refused(&b, true, ""));
    channel_fini(&c);
    free(b.bytes);
}

/* A message of no width has a stamp only. */
static void test_credits(void **state)
{
    struct channel c, to;
    struct state_buffer b;
    uint64_t count;
    (void)state;
    channel_init(&c, 1, "a", "b", 0, 8, 4);
    channel_init(&to, 1, "a", "b", 0, 8, 4);
    channel_send(&c, 3, NULL);
    channel_send(&c, 5, NULL);
    state_buffer_init(&b);
    channel_save(&c, &b.writer);
    assert_int_equal(b.count, 8 * (4 + 2));
    assert_true(channel_restore(&to, &b.reader));
    assert_true(channel_count(&to) == 2 && channel_stamp(&to, 1) == 13);
    b.taken = 0;
    assert_true(channel_restore_sender(&to, &b.reader, &count));
    assert_int_equal(b.taken, b.count);
    channel_fini(&c);
    channel_fini(&to);
    free(b.bytes);
}

static void test_description(void **state)
{
    struct channel c = made();
    struct state_buffer first, then;
    (void)state;
    state_buffer_init(&first);
    state_buffer_init(&then);
    channel_describe(&c, &first.writer);
    uint32_t *const numbers[] = {&c.id,          &c.bytes,       &c.latency, &c.depth, &c.rate.bytes_per_cycle,
                                 &c.rate.header, &c.rate.kind_at};
    for (unsigned n = 0; n < 7 + CHANNEL_KINDS + 1; n++) {
        uint8_t *const byte = n < 7 ? NULL : n < 7 + CHANNEL_KINDS ? &c.rate.payload[n - 7] : (uint8_t *)c.name;
        if (byte)
            ++*byte;
        else
            ++*numbers[n];
        then.count = 0;
        channel_describe(&c, &then.writer);
        assert_int_equal(then.count, first.count);
        assert_memory_not_equal(then.bytes, first.bytes, first.count);
        if (byte)
            --*byte;
        else
            --*numbers[n];
    }
    struct channel other = {.id = 0, .rate = c.rate};
    channel_share(&c, &other);
    then.count = 0;
    channel_describe(&c, &then.writer);
    assert_memory_not_equal(then.bytes, first.bytes, first.count);
    c.shared = NULL;
    c.last = c.sent = c.link_free = 77; /* what it does is no part of it */
    then.count = 0;
    channel_describe(&c, &then.writer);
    assert_memory_equal(then.bytes, first.bytes, first.count);
    channel_fini(&c);
    free(first.bytes);
    free(then.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),           cmocka_unit_test(test_restore), cmocka_unit_test(test_ends_of_depth),
        cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_credits), cmocka_unit_test(test_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
