// SPDX-License-Identifier: Apache-2.0
// Lanes of the host's port (machine/port.h) against memories that the test answers for: what a request says, how many
// are under way and which waits for which, answers in any order, at which cycle each thing happens; as a saved state.
// Memories that answer themselves: test_port.c.
#include "hand_bench.h"
#include "saved/state_io.h"

#define GPU(g) ((uint64_t)((g) + 1) << 48)

static const struct hand_note *request(const struct hand *h, unsigned number)
{
    for (unsigned i = 0; i < h->count; i++)
        if (h->notes[i].what == 'r' && number-- == 0)
            return &h->notes[i];
    fail_msg("so many requests have not come");
    return NULL;
}

static void run(struct hand *h, uint64_t until)
{
    assert_int_equal(sim_run(h->sim, until), SIM_STOPPED);
}

// Timers that keep a machine from being idle.
static struct hand *open_busy(unsigned gpus, bool ordered)
{
    struct hand *h = hand_open(gpus, ordered, NULL);
    sim_timer(h->sim, UINT64_C(1) << 40, 0);
    return h;
}

// Only what the memory needs is taken from a request; the answer is the memory's, with the owner's number.
static void what_is_sent_and_told(void **state)
{
    (void)state;
    struct hand *h = open_busy(2, true);
    struct msg_mem_req req = {.op = MEM_WRITE,
                              .target = 1,
                              .source = 2,
                              .vmid = 3,
                              .atomic = 4,
                              .size = 5,
                              .access = 6,
                              .gpu = 7,
                              .tag = 8,
                              .user = 9,
                              .addr = GPU(1) | 640,
                              .mask = 0x1234,
                              .data = {1, 2, 3, 4, 5, 6, 7, 8}};
    run(h, 13);
    for (unsigned i = 0; i < 3; i++)
        sim_access(h->sim, &req, false, 1000 + i);
    assert_int_equal(port_waiting(h->sim), 3);
    run(h, 200);
    req.target = req.source = req.vmid = 0;
    req.gpu = UINT8_MAX;
    req.user = UINT32_MAX;
    for (unsigned i = 0; i < 3; i++) {
        req.tag = i;
        assert_memory_equal(&request(h, i)->req, &req, sizeof req);
        assert_int_equal(request(h, i)->where, 2);
        assert_true(request(h, i)->cycle == 13 + HAND_LINK + i);
    }
    const struct msg_mem_rsp rsp = {
        .op = MEM_WRITE, .status = MEM_FAULT_BUS, .source = 3, .gpu = 4, .tag = 0, .data = {9, 8, 7, 6, 5, 4, 3, 2}};
    sched_send(h->lane[2], HAND_EVENTS, 300, &rsp);
    run(h, 700);
    assert_int_equal(h->told, 1);
    struct msg_mem_rsp wanted = rsp;
    wanted.gpu = 1;
    assert_memory_equal(&h->host[0].rsp, &wanted, sizeof wanted);
    assert_true(h->host[0].cycle == 300 + HAND_LINK && h->host[0].value == 1000);
    assert_int_equal(port_waiting(h->sim), 2);
    assert_int_equal(hand_notes(h, 'p'), 1); // the answer's place is free at its cycle
    assert_true(h->notes[h->count - 1].cycle == 300 + 2 * HAND_LINK);
    hand_close(h);
}

// Whose memory an address is, and of an atomic that nobody does: host memory's, which says so.
static void lanes_of_addresses(void **state)
{
    (void)state;
    struct hand *h = open_busy(2, true);
    const struct {
        uint64_t addr;
        unsigned size, lane; // size 0: a line
    } cases[] = {{0, 0, 0},
                 {GPU(0), 0, 1},
                 {GPU(1) | (HAND_VRAM - 64), 0, 2},
                 {GPU(1) | HAND_VRAM, 0, 0},
                 {GPU(2), 0, 0},
                 {GPU(255), 0, 0},
                 {UINT64_MAX & ~UINT64_C(63), 0, 0},
                 {GPU(0) | 8, 8, 1},
                 {GPU(0) | 12, 4, 1},
                 {GPU(0) | 12, 8, 0},
                 {GPU(0) | 10, 4, 0},
                 {GPU(0) | 8, 2, 0},
                 {GPU(0) | 8, 16, 0},
                 {GPU(1) | (HAND_VRAM - 8), 8, 2}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct msg_mem_req req = {
            .op = cases[i].size ? MEM_ATOMIC : MEM_READ_NC, .size = (uint8_t)cases[i].size, .addr = cases[i].addr};
        assert_int_equal(port_lane(h->sim, &req), cases[i].lane);
    }
    hand_close(h);
}

// An ordered memory has as many requests as it has places; a place that comes back is used at that cycle.
static void places_of_an_ordered_memory(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, true);
    for (unsigned i = 0; i < 20; i++)
        hand_read(h, 64 * i, false, i);
    assert_true(port_due(h->sim) == UINT64_MAX);
    hand_credit(h->lane[0], 333);
    hand_credit(h->lane[0], 345);
    hand_credit(h->lane[1], 300); // of a lane that asks for nothing
    assert_true(port_due(h->sim) == 333);
    run(h, 332);
    assert_int_equal(hand_notes(h, 'r'), 16);
    assert_true(request(h, 15)->cycle == HAND_LINK + 15);
    run(h, 1000);
    assert_int_equal(hand_notes(h, 'r'), 18);
    assert_true(request(h, 16)->cycle == 333 + HAND_LINK && request(h, 17)->cycle == 345 + HAND_LINK);
    for (unsigned i = 0; i < 18; i++)
        assert_true(request(h, i)->req.addr == 64 * i && request(h, i)->req.tag == i);
    assert_int_equal(port_waiting(h->sim), 20);
    hand_close(h);
}

// Of the others one that must keep its order leaves when all before it are answered; no later one overtakes it.
static void order_of_an_unordered_memory(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, false);
    hand_read(h, GPU(0), false, 0);
    hand_read(h, GPU(0) | 64, true, 1);
    hand_read(h, GPU(0) | 128, false, 2);
    hand_read(h, GPU(0) | 192, true, 3);
    hand_answer(h, 1, 503, 1, 0);
    hand_answer(h, 1, 600, 0, 0);
    run(h, 590);
    assert_int_equal(hand_notes(h, 'r'), 2);
    assert_int_equal(h->told, 0);
    assert_true(port_due(h->sim) == 600);
    run(h, 900);
    assert_int_equal(hand_notes(h, 'r'), 4);
    assert_true(request(h, 1)->cycle == HAND_LINK + 1 && request(h, 2)->cycle == 600 + HAND_LINK);
    assert_true(request(h, 3)->cycle == 600 + HAND_LINK + 1);
    assert_int_equal(h->told, 2);
    assert_true(h->host[0].cycle == 600 && h->host[0].value == 0 && h->host[1].cycle == 600 && h->host[1].value == 1);
    hand_close(h);
}

// Answers come in any order, and are told in that of the requests, each as soon as all before it are.
static void answers_in_any_order(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, true);
    static const unsigned tags[] = {3, 1, 0, 4, 2};
    static const uint64_t at[] = {500, 510, 520, 530, 540}, told[] = {520, 520, 540, 540, 540};
    for (unsigned i = 0; i < 5; i++)
        hand_read(h, 64 * i, false, i);
    for (unsigned i = 0; i < 5; i++)
        hand_answer(h, 0, at[i], tags[i], 100 + tags[i]);
    run(h, 900);
    assert_int_equal(h->told, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_true(h->host[i].value == i && h->host[i].cycle == told[i]);
        assert_true(h->host[i].rsp.data[0] == 100 + i);
    }
    assert_int_equal(hand_notes(h, 'p'), 5);
    for (unsigned i = 0, n = 0; i < h->count; i++)
        if (h->notes[i].what == 'p')
            assert_true(h->notes[i].cycle == at[n++] + HAND_LINK);
    assert_int_equal(port_waiting(h->sim), 0);
    hand_close(h);
}

// No more than 64 have no answer, whatever places there are; the next leaves with the answer to the oldest.
static void as_many_as_can_be_told_apart(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, true);
    for (unsigned i = 0; i < 200; i++)
        hand_read(h, 64 * i, false, i);
    for (unsigned i = 0; i < 60; i++) { // 16 places come back as often as they are used
        run(h, 200 + 10 * i);
        hand_credit(h->lane[0], 300 + 10 * i);
    }
    run(h, 890);
    assert_int_equal(hand_notes(h, 'r'), PORT_DEPTH);
    assert_true(request(h, PORT_DEPTH - 1)->req.tag == PORT_DEPTH - 1);
    assert_true(request(h, PORT_DEPTH - 1)->cycle == 300 + 10 * 47 + HAND_LINK);
    hand_answer(h, 0, 1006, 1, 0);
    hand_answer(h, 0, 1010, 0, 0);
    run(h, 1200);
    assert_int_equal(h->told, 2);
    assert_int_equal(hand_notes(h, 'r'), PORT_DEPTH + 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(request(h, PORT_DEPTH + i)->cycle == 1010 + HAND_LINK + i);
        assert_int_equal(request(h, PORT_DEPTH + i)->req.tag, i);
        assert_true(request(h, PORT_DEPTH + i)->req.addr == 64 * (PORT_DEPTH + i));
    }
    hand_close(h);
}

// Of one cycle lower lanes come first, whoever asked first.
static void lanes_of_one_cycle(void **state)
{
    (void)state;
    struct hand *h = open_busy(3, true);
    for (unsigned lane = 4; lane-- > 0;) {
        hand_read(h, (uint64_t)lane << 48, false, lane);
        hand_answer(h, lane, 505, 0, 0);
    }
    run(h, 700);
    assert_int_equal(h->told, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(h->host[i].where == i && h->host[i].cycle == 505);
    hand_close(h);
}

static void asks_once(struct hand *h, const struct hand_note *n)
{
    if (n->value == 0)
        hand_read(h, 0x100000, false, 77);
}

// What waits is before what the callback of its cycle asks.
static void those_that_wait_come_first(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, false);
    h->act = asks_once;
    hand_read(h, GPU(0), false, 0);
    hand_read(h, GPU(0) | 64, false, 1);
    for (unsigned i = 0; i < 16; i++)
        hand_read(h, 64 * i, false, 100 + i);
    hand_answer(h, 1, 400, 0, 0);
    run(h, 600);
    assert_int_equal(hand_notes(h, 'r'), 18);
    assert_true(request(h, 17)->where == 1 && request(h, 17)->cycle == 500);
    hand_credit(h->lane[0], 800);
    run(h, 1000);
    assert_true(request(h, 18)->req.addr == 0x100000 && request(h, 18)->cycle == 900);
    hand_close(h);
}

static void many_wait(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, true);
    unsigned asked = 0;
    for (unsigned round = 0; round < 60; round++) {
        for (unsigned i = 0; i < round % 7 * 9; i++, asked++)
            hand_read(h, 64 * asked, false, asked);
        const unsigned answers = hand_notes(h, 'r') - h->told; // of all that have come
        for (unsigned i = 0; i < answers; i++)
            hand_answer(h, 0, sim_now(h->sim) + HAND_LINK, (h->told + i) % PORT_DEPTH, h->told + i);
        for (unsigned i = 0; i < answers; i++)
            hand_credit(h->lane[0], sim_now(h->sim) + HAND_LINK);
        run(h, sim_now(h->sim) + 500);
    }
    assert_true(asked > 1000 && h->told > 500 && h->told < asked - 300);
    for (unsigned i = 0; i < h->told; i++)
        assert_true(h->host[i].value == i && h->host[i].rsp.data[0] == i);
    for (unsigned i = 0; i < hand_notes(h, 'r'); i += 13)
        assert_true(request(h, i)->req.addr == 64 * i);
    hand_close(h);
}

static void a_report_counts(void **state)
{
    (void)state;
    struct hand *h = open_busy(2, true);
    run(h, 9);
    hand_read(h, GPU(0), false, 0);
    hand_answer(h, 1, 300, 0, 0);
    for (unsigned i = 0; i < 19; i++)
        hand_read(h, GPU(1) | 64 * (i + 5), false, 0);
    hand_answer(h, 2, 301, 0, 0);
    run(h, 400);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    port_report(h->sim, out);
    fclose(out);
    assert_string_equal(
        text, "  host.cp waits for memory2: memory request at 0x2000000000180 of cycle 9, 15 under way, 3 to send\n");
    free(text);
    hand_close(h);
}

// ---- state
static void lane_fields(struct hand *h)
{
    for (unsigned i = 0; i < 30; i++)
        hand_read(h, GPU(0) | 64 * i, i % 3 != 0, UINT64_C(1) << 40 | i);
    hand_answer(h, 1, 400, 0, 5);
    hand_credit(h->lane[1], 410);
    hand_read(h, 4096, false, 2);
}

static void a_saved_port_goes_on(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, false), *other = open_busy(1, false);
    struct state_buffer saved, again;
    state_buffer_init(&saved);
    state_buffer_init(&again);
    for (unsigned i = 0; i < 6; i++)
        hand_read(h, GPU(0) | 64 * i, i % 4 != 0, UINT64_C(1) << 40 | i); // four at once, the fifth waits
    hand_read(h, 4096, false, 2);
    hand_answer(h, 1, 400, 2, 22); // answered, and not the first
    hand_answer(h, 1, 401, 0, 20);
    lane_fields(other); // is gone
    run(h, 500);
    assert_int_equal(h->told, 1);
    port_save(h->sim->port, &saved.writer);
    const size_t bytes = saved.count;
    for (size_t n = 0; n < bytes; n++) {
        saved.count = n;
        saved.taken = 0;
        assert_false(port_restore(other->sim->port, &saved.reader));
        assert_string_equal(saved.reader.why, "");
    }
    saved.count = bytes;
    saved.taken = 0;
    assert_true(port_restore(other->sim->port, &saved.reader));
    assert_int_equal(saved.taken, bytes);
    assert_int_equal(port_waiting(other->sim), 6);
    assert_int_equal(port_waiting(h->sim), 6);
    port_save(other->sim->port, &again.writer);
    assert_int_equal(again.count, bytes);
    assert_memory_equal(again.bytes, saved.bytes, bytes);
    hand_close(other);
    other = open_busy(1, false);
    saved.taken = 0;
    assert_true(port_restore(other->sim->port, &saved.reader));
    struct hand *both[] = {h, other};
    for (unsigned i = 0; i < 2; i++) {
        struct hand *b = both[i];
        run(b, 500);
        b->told = 0;
        hand_answer(b, 1, 700, 1, 21);
        hand_answer(b, 1, 800, 3, 23);
        hand_answer(b, 0, 900, 0, 9);
        run(b, 1100);
        assert_int_equal(b->told, 4);
        static const struct {
            uint64_t cycle, cookie, word;
        } told[] = {{700, 1, 21}, {700, 2, 22}, {800, 3, 23}, {900, 2, 9}};
        for (unsigned n = 0; n < 4; n++) {
            assert_true(b->host[n].cycle == told[n].cycle && b->host[n].rsp.data[0] == told[n].word);
            assert_true(b->host[n].value == (n < 3 ? UINT64_C(1) << 40 | told[n].cookie : told[n].cookie));
        }
        assert_true(request(b, hand_notes(b, 'r') - 2)->cycle == 800 + HAND_LINK);
        assert_true(request(b, hand_notes(b, 'r') - 2)->req.addr == (GPU(0) | 256));
        assert_true(request(b, hand_notes(b, 'r') - 1)->req.addr == (GPU(0) | 320));
    }
    free(saved.bytes);
    free(again.bytes);
    hand_close(h);
    hand_close(other);
}

// credits, told, left, ready and what waits of one lane, nothing else.
static bool taken(uint32_t credits, uint64_t told, uint64_t left, uint64_t waiting, struct state_buffer *b)
{
    struct hand *h = open_busy(1, true);
    static const uint8_t nothing[1000] = {0};
    state_buffer_init(b);
    STATE_PUT(&b->writer, credits);
    state_put_u64(&b->writer, told);
    state_put_u64(&b->writer, left);
    state_put_u64(&b->writer, 3);
    for (uint64_t n = told; n < left && n < told + 70; n++)
        state_put(&b->writer, nothing, 25); // cookie, address, cycle; no answer
    state_put_u64(&b->writer, waiting);
    for (uint64_t n = 0; n < waiting && n < 3; n++)
        state_put(&b->writer, nothing, sizeof(struct msg_mem_req) + 8 + 1);
    const uint64_t lane[4] = {0};
    state_put(&b->writer, lane, 4);
    for (unsigned n = 0; n < 4; n++)
        state_put_u64(&b->writer, 0);
    bool ok = port_restore(h->sim->port, &b->reader);
    if (ok)
        assert_int_equal(port_waiting(h->sim), left - told + waiting);
    hand_close(h);
    return ok;
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t credits;
        uint64_t told, left, waiting;
        const char *why; // NULL: it is none
    } cases[] = {{16, 7, 7, 0, NULL},
                 {0, 7, 71, 2, NULL},
                 {17, 7, 7, 0, "memory requests of the host: 7 to 7"},
                 {16, 8, 7, 0, "memory requests of the host: 8 to 7"},
                 {16, 7, 72, 0, "memory requests of the host: 7 to 72"},
                 {16, 7, 7, (1 << 24) + 1, "16777217 memory requests that wait, at most 16777216"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct state_buffer b;
        assert_int_equal(taken(cases[i].credits, cases[i].told, cases[i].left, cases[i].waiting, &b),
                         cases[i].why == NULL);
        if (cases[i].why)
            assert_non_null(strstr(b.reader.why, cases[i].why));
        free(b.bytes);
    }
}

// ---- bugs
static struct msg_mem_req wrong;
static void asks_wrongly(void *arg)
{
    sim_access(((struct hand *)arg)->sim, &wrong, false, 0);
}
static unsigned wrong_tag;
static void answers_wrongly(void *arg)
{
    struct hand *h = arg;
    for (unsigned i = 0; i < 3; i++)
        hand_read(h, 64 * i, false, i);
    hand_answer(h, 0, 300, 1, 0);
    hand_answer(h, 0, 301, wrong_tag, 0);
    sim_run(h->sim, 400);
}
static void more_places(void *arg)
{
    struct hand *h = arg;
    hand_read(h, 0, false, 1);
    for (unsigned i = 0; i < 2; i++)
        hand_credit(h->lane[0], 200);
    sim_run(h->sim, 220);
    hand_read(h, 0, false, 1);
}
static void steps_without_need(void *arg)
{
    struct port_answer answer;
    hand_read(arg, 0, false, 1);
    port_step(((struct hand *)arg)->sim, &answer);
}

static void bugs_are_told(void **state)
{
    (void)state;
    struct hand *h = open_busy(1, true);
    char *said;
    static const struct msg_mem_req right[] = {{.op = MEM_ATOMIC, .addr = 4, .atomic = ATOMIC_DEC, .size = 4},
                                               {.op = MEM_WRITE, .addr = 64, .atomic = 99}},
                                    wrongs[] = {{.op = MEM_XLAT},
                                                {.op = MEM_ATOMIC, .atomic = ATOMIC_DEC + 1},
                                                {.op = MEM_READ, .addr = 32},
                                                {.op = MEM_WRITE, .addr = 65}};
    for (unsigned i = 0; i < 2; i++) {
        wrong = right[i];
        assert_false(hand_aborts(asks_wrongly, h, NULL));
    }
    for (unsigned i = 0; i < 4; i++) {
        wrong = wrongs[i];
        assert_true(hand_aborts(asks_wrongly, h, &said));
        assert_non_null(strstr(said, "memory request"));
        free(said);
    }
    for (wrong_tag = 0; wrong_tag < 66; wrong_tag += wrong_tag == 3 ? 60 : 1) {
        bool right_tag = wrong_tag == 0 || wrong_tag == 2;
        assert_int_equal(hand_aborts(answers_wrongly, h, &said), !right_tag);
        assert_int_equal(strstr(said, "of which nothing was asked") != NULL, !right_tag);
        free(said);
    }
    assert_true(hand_aborts(more_places, h, &said));
    assert_non_null(strstr(said, "lane 0: 17 credits of 16"));
    free(said);
    assert_true(hand_aborts(steps_without_need, h, &said));
    assert_non_null(strstr(said, "memory of the host due at cycle 18446744073709551615"));
    free(said);
    hand_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sent_and_told),
        cmocka_unit_test(lanes_of_addresses),
        cmocka_unit_test(places_of_an_ordered_memory),
        cmocka_unit_test(order_of_an_unordered_memory),
        cmocka_unit_test(answers_in_any_order),
        cmocka_unit_test(as_many_as_can_be_told_apart),
        cmocka_unit_test(lanes_of_one_cycle),
        cmocka_unit_test(those_that_wait_come_first),
        cmocka_unit_test(many_wait),
        cmocka_unit_test(a_report_counts),
        cmocka_unit_test(a_saved_port_goes_on),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(bugs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
