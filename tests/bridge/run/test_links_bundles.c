// SPDX-License-Identifier: Apache-2.0
// Ends of links that promise together, in a scheduler of three processes: which link stands for its bundle, what is
// kept in mind of messages that came, what is shown without a promise, and that every input is woken by its own number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/bundle.h"
#include "bridge/link/region_layout.h"
#include "bridge/run/sched_links.h"

enum { INS = 130, LINKS = 7 };
/* The first process has this: to and from the others, in the order in which they are opened. */
static const struct {
    uint32_t partner, latency;
    bool sends;
    uint32_t slot; /* here */
} ends[LINKS] = {{1, 30, true, 0},  {1, 20, true, 1},   {2, 16, true, 2},   {1, 25, true, 3},
                 {1, 24, false, 1}, {2, 48, false, 65}, {1, 40, false, 127}};

static unsigned visits;
static uint64_t visited;
static uint32_t slots[8], slot_count;
static void toy_visit(struct part *part, uint64_t from)
{
    visits++;
    visited = from;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            slots[slot_count++] = part->due[c][i].slot;
    part->idle = true;
}
static const struct part_ops toy = {.visit = toy_visit};

struct bench {
    struct region *r[3];
    struct sched s;
    struct part *part;
    struct wire *wires[LINKS];
    struct link other[LINKS]; /* the other ends */
};

static void bench_open(struct bench *b)
{
    static const char *const names[] = {"p0", "p1", "p2"};
    struct region_link links[LINKS];
    const struct hello hello = hello_make("r", "g", "c", 3);
    for (unsigned n = 0; n < LINKS; n++) {
        links[n] = (struct region_link){.bytes = 8, .latency = ends[n].latency, .depth = 4};
        links[n].from = ends[n].sends ? 0 : ends[n].partner;
        links[n].to = ends[n].sends ? ends[n].partner : 0;
        if (ends[n].sends)
            link_name(links[n].name, "a", ends[n].slot, "b", n);
        else
            link_name(links[n].name, "b", n, "a", ends[n].slot);
    }
    const struct region_plan plan = {names, 3, links, LINKS, REGION_NONE};
    int fd = region_create(&plan);
    memset(b, 0, sizeof *b);
    for (uint32_t i = 0; i < 3; i++)
        b->r[i] = region_open(fd, i, &hello, 1);
    close(fd);
    sched_init(&b->s);
    b->part = part_new(&toy, "a", INS, 4, NULL);
    sched_add(&b->s, b->part);
    const struct carrier carrier = {&transport_shm, b->r[0]};
    for (unsigned n = 0; n < LINKS; n++) {
        const struct far_end far = {"b", n};
        b->wires[n] = ends[n].sends ? sched_export(&b->s, b->part, ends[n].slot, far, 8, ends[n].latency, 4, carrier)
                                    : sched_import(&b->s, far, b->part, ends[n].slot, 8, ends[n].latency, 4, carrier);
        assert_non_null(b->wires[n]);
        link_init(&b->other[n], &transport_shm, links[n].name, !ends[n].sends, 8, ends[n].latency, 4);
        assert_true(transport_shm.open(&b->other[n], b->r[ends[n].partner]));
    }
    assert_true(sched_start(&b->s));
    sched_join(&b->s, b->r[0]);
    visits = slot_count = 0;
}

static void bench_close(struct bench *b)
{
    for (unsigned n = 0; n < LINKS; n++)
        transport_shm.close(&b->other[n]);
    sched_fini(&b->s);
    for (unsigned i = 0; i < 3; i++)
        region_close(b->r[i]);
}

/* The fastest of each bundle, whatever the order in which they were opened; who promises for itself stands for itself.
 */
static void test_heads(void **state)
{
    struct bench b;
    struct ring *rings[2];
    (void)state;
    bench_open(&b);
    assert_true(b.s.head_out_count == 2 && b.s.export_count == 4);
    assert_ptr_equal(b.s.heads_out[0], b.wires[1]->out);
    assert_ptr_equal(b.s.heads_out[1], b.wires[2]->out);
    assert_true(b.s.head_in_count == 2 && b.s.import_count == 3);
    assert_ptr_equal(b.s.heads_in[0], b.wires[4]->in);
    assert_ptr_equal(b.s.heads_in[1], b.wires[5]->in);
    struct wire *more[2];
    for (unsigned n = 0; n < 2; n++) {
        rings[n] = ring_new_empty(8, 4, RING_LINE);
        more[n] = sched_import(&b.s, (struct far_end){"c", n}, b.part, 2 + n, 8, 50 - 10 * n, 4,
                               (struct carrier){&transport_inproc, rings[n]});
    }
    assert_true(b.s.head_in_count == 4 && b.s.import_count == 5);
    assert_ptr_equal(b.s.heads_in[2], more[0]->in);
    assert_ptr_equal(b.s.heads_in[3], more[1]->in);
    bench_close(&b);
    free(rings[0]);
    free(rings[1]);
}

/* With one word each bundle is promised what each of its links is; the other way round the same. */
static void test_promises(void **state)
{
    struct bench b;
    struct link *in[3];
    (void)state;
    bench_open(&b);
    b.s.now = 80;
    sched_promise(&b.s);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(transport_shm.horizon(&b.other[n]), 80 + ends[n].latency);
    transport_shm.promise(&b.other[4], 124);
    transport_shm.promise(&b.other[5], 160);
    assert_int_equal(sched_take(&b.s), 124);
    sched_links_in(&b.s, in);
    assert_true(in[0] == b.wires[4]->in && in[0]->promised == 124);
    assert_true(in[1] == b.wires[5]->in && in[1]->promised == 160);
    assert_true(in[2] == b.wires[6]->in && in[2]->promised == 140); /* of the first's bundle */
    assert_true(sched_rested(&b.s, 100) && !sched_rested(&b.s, 101));
    transport_shm.promise(&b.other[5], 140);
    transport_shm.promise(&b.other[4], 1000);
    assert_int_equal(sched_take(&b.s), 160); /* does not fall */
    assert_true(sched_rested(&b.s, 112) && !sched_rested(&b.s, 113));
    bench_close(&b);
}

/* Imports with messages are kept in mind, once each, until all is taken, and what was taken makes room at the next
 * promise. */
static void test_held(void **state)
{
    struct bench b;
    uint64_t value = 1;
    (void)state;
    bench_open(&b);
    transport_shm.promise(&b.other[4], 100);
    transport_shm.promise(&b.other[5], 100);
    sched_take(&b.s);
    assert_int_equal(b.s.held_count, 0);
    link_send(&b.other[4], 101, &value);
    link_send(&b.other[6], 117, &value);
    transport_shm.promise(&b.other[4], 102);
    sched_take(&b.s);
    assert_int_equal(b.s.held_count, 2);
    assert_true(b.wires[4]->held && !b.wires[5]->held && b.wires[6]->held);
    link_send(&b.other[4], 103, &value);
    link_send(&b.other[5], 130, &value);
    transport_shm.promise(&b.other[4], 104);
    transport_shm.promise(&b.other[5], 131);
    sched_take(&b.s);
    sched_take(&b.s);
    assert_int_equal(b.s.held_count, 3);
    sched_promise(&b.s); /* nothing was taken */
    assert_int_equal(b.s.held_count, 3);
    assert_true(b.wires[4]->in->ring->done == 0 && b.wires[6]->in->ring->done == 0);
    b.s.horizon = 1000;
    b.s.now = 96;
    sched_run(&b.s, 1); /* the two of input 1 */
    sched_promise(&b.s);
    assert_int_equal(b.wires[4]->in->ring->done, 2);
    assert_int_equal(b.s.held_count, 2);
    assert_true(!b.wires[4]->held && b.wires[5]->held && b.wires[6]->held);
    assert_true(b.s.held[0] == b.wires[6] || b.s.held[1] == b.wires[6]);
    b.s.now = 112;
    sched_run(&b.s, 1);
    b.s.now = 128;
    sched_run(&b.s, 1);
    sched_promise(&b.s);
    assert_int_equal(b.s.held_count, 0);
    assert_true(b.wires[5]->in->ring->done == 1 && b.wires[6]->in->ring->done == 1);
    assert_int_equal(slot_count, 4); /* each by its own number */
    assert_true(slots[0] == 1 && slots[1] == 1 && slots[2] == 127 && slots[3] == 65);
    assert_int_equal(visits, 3);
    bench_close(&b);
}

/* What was sent is shown, the promise stays. */
static void test_flush(void **state)
{
    struct bench b;
    uint64_t value = 1;
    (void)state;
    bench_open(&b);
    sched_flush(&b.s); /* before anything was promised */
    assert_true(b.other[0].bundle->shared->promise == 0 && b.other[2].bundle->shared->promise == 0);
    b.s.now = 80;
    sched_promise(&b.s);
    sched_send(b.part, 0, 80, &value);
    sched_send(b.part, 2, 80, &value);
    assert_false(bundle_more(b.other[0].bundle) || bundle_more(b.other[2].bundle));
    b.s.now = 160;
    sched_flush(&b.s);
    assert_true(bundle_more(b.other[0].bundle) && bundle_more(b.other[2].bundle));
    assert_int_equal(transport_shm.horizon(&b.other[0]), 110);
    assert_int_equal(transport_shm.horizon(&b.other[2]), 96);
    uint64_t sent, received;
    region_messages(b.r[0], &sent, &received);
    assert_true(sent == 2 && received == 0); /* to both processes */
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
