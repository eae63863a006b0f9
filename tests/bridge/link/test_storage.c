// SPDX-License-Identifier: Apache-2.0
// Storage of links to the byte: places and sizes of rings, where a channel's messages lie, what promises and room leave
// in the words beside a ring, and what one end says when the other does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/channel.h"
#include "bridge/link/link.h"
#include "take.h"

/* Places are the smallest power of two that holds the depth, a place the smallest multiple of the alignment that holds
 * a message with its head, the whole the fewest whole lines; at first it holds nothing. */
static void test_rings_are_no_larger_than_needed(void **state)
{
    static const uint32_t widths[] = {0, 1, 8, 15, 16, 17, 48, 49, 64, 65, 200},
                          depths[] = {1, 2, 3, 4, 5, 7, 8, 9, 64, 65, 100}, aligns[] = {8, RING_LINE};
    (void)state;
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
        for (unsigned d = 0; d < sizeof depths / sizeof *depths; d++)
            for (unsigned a = 0; a < 2; a++) {
                struct ring *ring = ring_new_empty(widths[w], depths[d], aligns[a]);
                const uint32_t places = ring->mask + 1, record = (uint32_t)sizeof(struct slot) + widths[w];
                const size_t size = ring_size(widths[w], depths[d], aligns[a]),
                             used = sizeof(struct ring) + (size_t)places * ring->stride;
                assert_int_equal(ring->bytes, widths[w]);
                assert_int_equal(ring->depth, depths[d]);
                assert_true((places & (places - 1)) == 0 && places >= depths[d] && places / 2 < depths[d]);
                assert_true(ring->stride % aligns[a] == 0 && ring->stride >= record &&
                            ring->stride < record + aligns[a]);
                assert_true(size % RING_LINE == 0 && size >= used && size < used + RING_LINE);
                assert_true(ring->promise == 0 && ring->done == 0);
                for (uint32_t n = 0; n < 2 * places; n++) {
                    assert_ptr_equal(ring_slot(ring, n), ring->slots + n % places * ring->stride);
                    assert_int_equal(ring_slot(ring, n)->sequence, 0);
                }
                memset(ring, 0xff, size); /* as memory that was used before */
                ring_init(ring, widths[w], depths[d], aligns[a]);
                assert_true(ring->promise == 0 && ring->done == 0 && ring->mask == places - 1);
                free(ring);
            }
}

static void test_channels(void **state)
{
    struct channel c, end;
    uint64_t value = 5;
    (void)state;
    channel_init(&c, 9, "a", "gpu0.noc", 8, 20, 3);
    assert_string_equal(c.name, "a -> gpu0.noc");
    assert_string_equal(channel_to(&c), "gpu0.noc");
    assert_true(c.id == 9 && c.bytes == 8 && c.latency == 20 && c.depth == 3 && channel_empty(&c));
    for (unsigned n = 1; n <= 3; n++) {
        channel_send(&c, 100 * n, &value);
        assert_int_equal(channel_slot(&c, n - 1)->sequence, n);
        assert_int_equal(c.sent, n);
        assert_int_equal(c.last, 100 * n + 21);
    }
    channel_drop(&c, 2);
    assert_int_equal(channel_count(&c), 1);
    channel_send(&c, 400, &value);
    assert_int_equal(channel_slot(&c, 1)->sequence, 4);
    channel_drop(&c, 2);
    channel_send(&c, 500, &value); /* nothing was inside: the place used first is used again */
    assert_ptr_equal(channel_slot(&c, 0), c.slots);
    assert_int_equal(channel_slot(&c, 0)->sequence, 5);
    channel_fini(&c);
    assert_null(c.slots);
    assert_null(c.own);
    channel_init_end(&end, 3, "a", "b", 8, 20, 2, NULL); /* a sending end keeps nothing and has no bound here */
    for (unsigned n = 0; n < 5; n++)
        assert_int_equal(channel_leave(&end, 50, &value), 70 + n);
    assert_int_equal(end.sent, 5);
    assert_true(channel_empty(&end) && end.slots == NULL && end.own == NULL);
    struct ring *ring = ring_new_empty(8, 2, RING_LINE);
    channel_init_end(&end, 3, "a", "b", 8, 20, 2, ring);
    assert_ptr_equal(end.slots, ring->slots);
    assert_int_equal(end.mask, ring->mask);
    assert_int_equal(end.stride, ring->stride);
    assert_null(end.own); /* the link's */
    free(ring);
}

/* An empty channel begins again at its first place, which the host has in its caches; one that is not goes on. */
static void test_places_are_used_again(void **state)
{
    struct channel c;
    uint64_t value = 5;
    (void)state;
    channel_init(&c, 9, "a", "b", 8, 20, 8);
    for (unsigned n = 0; n < 3; n++)
        channel_send(&c, 10 * n, &value);
    channel_drop(&c, 2);
    channel_send(&c, 40, &value);
    assert_true(c.head == 2 && c.tail == 4);
    channel_drop(&c, 2);
    channel_send(&c, 50, &value);
    assert_true(c.head == 0 && c.tail == 1 && channel_stamp(&c, 0) == 70);
    assert_ptr_equal(channel_slot(&c, 0), c.slots);
    channel_fini(&c);
}

/* ---- ends of links */
static struct link opened(struct ring *ring, bool sends)
{
    struct link link;
    link_init(&link, &transport_inproc, "a:0 -> b:0", sends, ring->bytes, 8, ring->depth);
    assert_true(link.transport->open(&link, ring));
    assert_ptr_equal(link.ring, ring);
    return link;
}

static void test_words_beside_a_ring(void **state)
{
    struct ring *ring = ring_new_empty(8, 3, RING_LINE);
    struct link from = opened(ring, true), to = opened(ring, false);
    uint64_t value = 1;
    (void)state;
    from.transport->promise(&from, 50);
    assert_true(ring->promise == 50 && from.promised == 50);
    assert_int_equal(take_all(&to), 50);
    from.transport->promise(&from, 40); /* never falls */
    assert_true(ring->promise == 50 && from.promised == 50);
    link_send(&from, 50, &value); /* the first cycle that was not promised */
    from.transport->promise(&from, 45);
    assert_int_equal(from.flushed, 1);
    link_send(&from, 51, &value); /* the next cycle of its port */
    link_send(&from, 60, &value);
    assert_int_equal(ring_peek(&to), 3);
    assert_int_equal(to.last, 61);
    to.transport->done(&to, 1);
    assert_int_equal(ring->done, 1);
    to.transport->done(&to, 2);
    assert_int_equal(ring->done, 2);
    assert_int_equal(from.freed, 0); /* looked at when there is no room, not before */
    link_send(&from, 70, &value);
    assert_int_equal(from.freed, 2);
    assert_int_equal(from.sent, 4);
    assert_int_equal(ring_peek(&to), 4);
    assert_int_equal(ring_peek(&to), 4); /* nothing new */
    from.transport->promise(&from, 90);
    assert_int_equal(take_all(&to), 90);
    assert_int_equal(to.promised, 90);
    from.transport->close(&from);
    to.transport->close(&to);
    assert_true(from.ring == NULL && to.ring == NULL);
    free(ring);
}

/* The sender looks at what the receiver has finished with when it has no more room by what it knows, not before. */
static void test_room_is_looked_for_late(void **state)
{
    struct ring *ring = ring_new_empty(8, 3, RING_LINE);
    struct link from = opened(ring, true), to = opened(ring, false);
    uint64_t value = 1;
    (void)state;
    link_send(&from, 50, &value);
    link_send(&from, 51, &value);
    take_all(&to);
    to.transport->done(&to, 2);
    link_send(&from, 52, &value); /* the last place */
    assert_int_equal(from.freed, 0);
    link_send(&from, 53, &value);
    assert_int_equal(from.freed, 2);
    free(ring);
}

/* Both ends go on behind a message, the sender with what is still inside, the receiver with what has come. */
static void test_resume(void **state)
{
    struct ring *ring = ring_new_empty(8, 4, RING_LINE);
    struct link from = opened(ring, true), to = opened(ring, false);
    uint64_t value = 1;
    (void)state;
    link_resume(&from, 9, 7, 55);
    assert_true(from.sent == 9 && from.flushed == 9 && from.freed == 7 && from.arrived == 0 && from.last == 0);
    link_resume(&to, 9, 7, 55);
    assert_true(to.arrived == 9 && to.last == 55 && to.sent == 0 && to.freed == 0);
    for (unsigned n = 0; n < 2; n++) /* two are still inside */
        link_send(&from, 55 + n, &value);
    assert_int_equal(ring_peek(&to), 11);
    assert_int_equal(ring_slot(ring, 9)->sequence, 10);
    assert_int_equal(to.last, 57);
    free(ring);
}

static int resumed_late(void *ctx)
{
    const unsigned which = *(const unsigned *)ctx;
    struct ring *ring = ring_new_empty(8, 4, RING_LINE);
    struct link link = opened(ring, which == 0);
    if (which == 0)
        link_send(&link, 3, &(uint64_t){1});
    link.arrived = which == 1;
    link_resume(&link, 9, which == 2 ? 10 : 9, 55);
    return 0;
}

/* By which something has crossed, or that has finished more than was sent: our own bug. */
static void test_resumed_late(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        if (n < 3)
            assert_said(resumed_late, &n, 70, "before the state with 9 was restored");
        else
            assert_int_equal(status_of(resumed_late, &n), 0);
    }
}

static void test_names(void **state)
{
    struct link link;
    char name[LINK_NAME + 1], made[LINK_NAME];
    (void)state;
    memset(name, 'x', sizeof name);
    name[LINK_NAME - 1] = 0; /* the longest there is */
    link_init(&link, &transport_inproc, name, true, 3, 9, 5);
    assert_string_equal(link.name, name);
    assert_true(link.sends && link.bytes == 3 && link.latency == 9 && link.depth == 5 && link.ring == NULL);
    link_name(made, "gpu0.rdma", 3, "gpu1.rdma", 15);
    assert_string_equal(made, "gpu0.rdma:3 -> gpu1.rdma:15");
    name[LINK_NAME - 1 - (int)strlen(":0 -> b:1")] = 0;
    link_name(made, name, 0, "b", 1);
    assert_int_equal(strlen(made), LINK_NAME - 1);
}

/* The first difference, of width, latency and depth, in one line. */
static void test_what_differs(void **state)
{
    static const struct {
        uint32_t bytes, latency, depth;
        const char *line;
    } cases[] = {{8, 9, 5, ""},
                 {7, 8, 4, "gantry: a:0 -> b:0: messages of 8 bytes here, 7 there\n"},
                 {8, 10, 4, "gantry: a:0 -> b:0: latency 9 here, 10 there\n"},
                 {8, 9, 6, "gantry: a:0 -> b:0: depth 5 here, 6 there\n"}};
    struct link link;
    (void)state;
    link_init(&link, &transport_inproc, "a:0 -> b:0", true, 8, 9, 5);
    for (unsigned n = 0; n < 4; n++) {
        catch_errors();
        bool fits = link_fits(&link, cases[n].bytes, cases[n].latency, cases[n].depth);
        assert_string_equal(release_errors(), cases[n].line);
        assert_int_equal(fits, n == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings_are_no_larger_than_needed),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_places_are_used_again),
        cmocka_unit_test(test_words_beside_a_ring),
        cmocka_unit_test(test_room_is_looked_for_late),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resumed_late),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
