/* SPDX-License-Identifier: Apache-2.0
 * A partition on a board (board.h) against the same model called directly: messages, cycles, idle, counters, progress;
 * what a board may not say; what it must be.  The board is a process of its own (soft_board.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "bridge/board/board.h"
#include "bridge/board/socket.h"
#include "soft_board.h"

#define INS 4u  /* lanes 0 and 1 of a port with credits, a plain one, a credit that comes back */
#define OUTS 6u /* two lanes of messages of 12 bytes, one of 4, two credits, one more of 4 */

/* ---- a model: answers each message a drawn number of cycles later, more than once */
struct model {
    uint16_t id;
    uint64_t hash, evaluated, seed, looks;
    unsigned waiting;
};
static void *model_create(const struct model_api *api, const char *name, uint16_t id, uint64_t seed)
{
    struct model *m = calloc(1, sizeof *m);
    (void)api, (void)name, (void)seed;
    m->id = id;
    m->hash = 0x9e3779b97f4a7c15u + id;
    m->waiting = 3;
    return m;
}
static void model_destroy(void *model)
{
    free(model);
}
static void stir(struct model *m, uint64_t value)
{
    m->hash = (m->hash ^ value) * 0x100000001b3u;
    m->hash ^= m->hash >> 29;
}
static const uint32_t in_bytes[INS] = {8, 8, 4, 0}, out_bytes[OUTS] = {12, 12, 4, 0, 0, 4};
static bool model_step(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                       const struct model_sink *sink)
{
    struct model *m = model;
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        if (m->waiting == 0 && count[c] == 0 && !no_skip)
            continue;
        m->evaluated++;
        for (uint32_t i = 0; i < count[c]; i++) {
            stir(m, (from + c) << 8 | due[c][i].slot);
            for (uint32_t n = 0; n < in_bytes[due[c][i].slot]; n++)
                stir(m, ((const uint8_t *)due[c][i].data)[n]);
            m->waiting += 1 + m->hash % 9;
        }
        if (m->waiting)
            m->waiting--;
        for (uint32_t slot = 0; slot < OUTS; slot++) {
            uint32_t message[3] = {(uint32_t)m->hash, slot, (uint32_t)(from + c)};
            if ((m->hash >> (8 * slot) & 7) == 1 && m->waiting)
                sink->send(sink->ctx, slot, from + c, out_bytes[slot] ? message : NULL);
        }
        if (m->waiting)
            stir(m, 1);
    }
    return m->waiting == 0;
}
static uint64_t model_evaluated(const void *model)
{
    return ((const struct model *)model)->evaluated;
}
static uint64_t model_counter(void *model, uint32_t n)
{
    return ((struct model *)model)->hash * (n + 1);
}
static uint64_t model_shown(const void *model)
{
    return ((const struct model *)model)->hash >> 3;
}
static uint64_t model_look(void *model, uint32_t what)
{
    return ((struct model *)model)->hash ^ what;
}
static void model_observe(void *model, bool on)
{
    (void)model, (void)on;
    fail();
}
static void model_save(void *model, struct state_writer *to)
{
    (void)model, (void)to;
}
static const struct model_port ports[] = {
    {.name = "a_req", .credit = 1, .count = 2, .bytes = 8, .slot = 0, .credit_slot = 3},
    {.name = "b", .count = 1, .bytes = 4, .slot = 2},
    {.name = "a_rsp", .out = 1, .count = 2, .bytes = 12, .slot = 0},
    {.name = "c", .out = 1, .credit = 1, .count = 1, .bytes = 4, .slot = 2, .credit_slot = 3},
    {.name = "d", .out = 1, .count = 1, .bytes = 4, .slot = 5}};
static const struct model_counter counters[] = {{"", "one", "1"}, {"x", "two", "1"}, {"y", "three", "1"}};
static const struct model_ask asks[] = {{0, 0}, {0, 7}, {3, 7}};
static const struct model_api plain = {.abi = MODEL_ABI,
                                       .kind = "toy",
                                       .ports = ports,
                                       .counters = counters,
                                       .asks = asks,
                                       .port_count = 5,
                                       .counter_count = 3,
                                       .ins = INS,
                                       .outs = OUTS,
                                       .create = model_create,
                                       .destroy = model_destroy,
                                       .step = model_step,
                                       .evaluated = model_evaluated,
                                       .counter = model_counter,
                                       .shown = model_shown,
                                       .look = model_look,
                                       .observe = model_observe,
                                       .save = model_save};

/* ---- the board's process, and the board */
static const struct stream_hello wanted = {.version = STREAM_VERSION,
                                           .kind = 0x796f74, /* "toy" */
                                           .rtl = 0x1111,
                                           .keys = 0x2222,
                                           .graph = 0x3333,
                                           .links = 0x4444};
struct bench {
    pid_t pid;
    struct board_socket socket;
    struct stream_port port;
    struct board *board;
    const struct model_api *api;
    unsigned lost;
};
static void lost_note(void *ctx)
{
    ((struct bench *)ctx)->lost++;
}
static void bench_open(struct bench *b, const struct stream_hello *hello, enum soft_fault fault, uint64_t fault_at)
{
    int ends[2];
    memset(b, 0, sizeof *b);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    b->pid = fork();
    if (b->pid == 0) {
        struct board_socket socket = {.fd = ends[1]};
        close(ends[0]);
        alarm(60);
        const struct stream_port port = board_socket_port(&socket);
        soft_serve(&plain, &port, hello, fault, fault_at);
        _exit(0);
    }
    close(ends[1]);
    b->socket.fd = ends[0];
    b->port = board_socket_port(&b->socket);
    b->board = board_new("gpu0.toy", &plain, &wanted, &b->port, lost_note, b);
    b->api = board_api(b->board);
}
static void bench_close(struct bench *b)
{
    board_free(b->board);
    close(b->socket.fd);
    kill(b->pid, SIGKILL);
    assert_int_equal(waitpid(b->pid, NULL, 0), b->pid);
}

/* ---- what a model does */
struct seen {
    uint64_t hash, count;
    uint32_t bytes;
};
static void seen_send(void *ctx, uint32_t slot, uint64_t cycle, const void *message)
{
    struct seen *s = ctx;
    s->hash = (s->hash ^ (cycle << 8 | slot)) * 0x100000001b3u;
    assert_int_equal(message != NULL, out_bytes[slot] != 0);
    for (uint32_t n = 0; n < out_bytes[slot]; n++)
        s->hash = (s->hash ^ ((const uint8_t *)message)[n]) * 0x100000001b3u;
    s->count++;
    s->bytes += out_bytes[slot];
}
struct window {
    struct part_in due[PART_WINDOW][INS], *list[PART_WINDOW];
    uint32_t count[PART_WINDOW];
    uint64_t data[PART_WINDOW][INS];
};
static uint64_t draw_state;
static uint32_t draw(void)
{
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw_state >> 33);
}
static void window_draw(struct window *w, bool some)
{
    memset(w->count, 0, sizeof w->count);
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        w->list[c] = w->due[c];
        for (uint32_t slot = 0; slot < INS && some; slot++) {
            if (draw() % 5)
                continue;
            w->data[c][slot] = (uint64_t)draw() << 32 | draw();
            w->due[c][w->count[c]++] = (struct part_in){slot, in_bytes[slot] ? &w->data[c][slot] : NULL};
        }
    }
}

/* Windows, gaps of idle time, one of more than 2^32 cycles, and all the same as the model itself. */
static void compare(bool no_skip, uint64_t far)
{
    struct bench b;
    struct seen seen[2] = {{0}, {0}};
    struct window w;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    void *model[2] = {b.api->create(b.api, "gpu0.toy", 0x203, 9), plain.create(&plain, "gpu0.toy", 0x203, 9)};
    assert_non_null(model[0]);
    const struct model_api *api[2] = {b.api, &plain};
    bool idle[2] = {false, false};
    uint64_t exchanges = 0, from = 0;
    for (unsigned n = 0; n < 3000; n++, from += PART_WINDOW) {
        window_draw(&w, n > 2 && draw() % 4 == 0);
        if (idle[0] && !no_skip && draw() % 8 == 0)
            from += far && draw() % 8 == 0 ? far : (uint64_t)(draw() % 100) * PART_WINDOW;
        for (unsigned i = 0; i < 2; i++) {
            const struct model_sink sink = {.ctx = &seen[i], .send = seen_send};
            idle[i] = api[i]->step(model[i], from, w.list, w.count, no_skip, &sink);
        }
        exchanges++;
        assert_int_equal(idle[0], idle[1]);
        assert_true(seen[0].hash == seen[1].hash && seen[0].count == seen[1].count);
        assert_true(api[0]->shown(model[0]) == api[1]->shown(model[1]));
        assert_true(api[0]->evaluated(model[0]) == api[1]->evaluated(model[1]));
    }
    assert_true(seen[0].count > 2000);
    assert_true(!far || from > 2 * far);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(api[0]->counter(model[0], i) == api[1]->counter(model[1], i));
    assert_true(api[0]->look(model[0], 0x305) == api[1]->look(model[1], 0x305));
    const struct board_figures f = board_figures(b.board);
    assert_true(f.exchanges == exchanges && f.cycles == api[1]->evaluated(model[1]) && f.resent == 0 && f.ns > 0);
    assert_true(f.bytes_taken > exchanges * 24 + seen[0].count * 8 + seen[0].bytes && f.bytes_sent > exchanges * 8);
    assert_null(board_why(b.board));
    assert_int_equal(b.lost, 0);
    b.api->observe(model[0], true);
    b.api->destroy(model[0]);
    plain.destroy(model[1]);
    bench_close(&b);
}

static void test_same_as_the_model(void **state)
{
    (void)state;
    draw_state = 1;
    compare(false, 0);
    compare(true, 0);
}

static void test_far_ahead(void **state)
{
    (void)state;
    draw_state = 2;
    compare(false, (UINT64_C(3) << 32) + 8 * PART_WINDOW);
}

/* A second partition of the same board begins at cycle 0 with its own identity; what is attached is not attached again.
 */
static void test_begins_anew(void **state)
{
    struct bench b;
    struct window w;
    (void)state;
    uint64_t count = 0;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    assert_int_equal(board_attach(b.board, 5), STATUS_OK);
    for (unsigned n = 0; n < 4; n++) {
        const uint16_t id = (uint16_t)(5 + n / 2);
        struct seen seen[2] = {{0}, {0}};
        void *model = b.api->create(b.api, "a", id, 0), *same = plain.create(&plain, "a", id, 0);
        assert_non_null(model);
        window_draw(&w, true);
        for (unsigned i = 0; i < 2; i++) {
            const struct model_sink sink = {.ctx = &seen[i], .send = seen_send};
            (i ? &plain : b.api)->step(i ? same : model, 0, w.list, w.count, false, &sink);
        }
        assert_true(seen[0].hash == seen[1].hash);
        count += seen[0].count;
        b.api->destroy(model);
        plain.destroy(same);
    }
    assert_true(count > 3);
    bench_close(&b);
}

static void assert_why(const struct bench *b, const char *text)
{
    if (!board_why(b->board) || strcmp(board_why(b->board), text) != 0)
        fail_msg("\"%s\" instead of \"%s\"", board_why(b->board), text);
}

#define LOST "the board is lost at cycle 56, behind frame 7: "
static void test_what_a_board_may_not_say(void **state)
{
    static const char *const why[SOFT_FAULTS] = {
        [SOFT_DIES] = LOST "the other side has closed the connection",
        [SOFT_KIND] = LOST "it answers with a record of kind 99",
        [SOFT_LINK] = LOST "a message of its output 6; it has 6",
        [SOFT_EARLY] = LOST "a message of its output 5 comes from outside of the window",
        [SOFT_LATE] = LOST "a message of its output 5 comes from outside of the window",
        [SOFT_TWICE] = LOST "a message of its output 5 of cycle 56 comes out of order",
        [SOFT_ORDER] = LOST "a message of its output 4 of cycle 56 comes out of order",
        [SOFT_CYCLE] = LOST "it stands at cycle 65 instead of 64",
        [SOFT_ERROR] = LOST "it refuses a record for its second message of a cycle"};
    (void)state;
    for (enum soft_fault fault = SOFT_DIES; fault < SOFT_FAULTS; fault++) {
        struct bench b;
        struct seen seen = {0};
        struct window w;
        const struct model_sink sink = {.ctx = &seen, .send = seen_send};
        if (why[fault] == NULL)
            continue;
        bench_open(&b, &wanted, fault, 7);
        void *model = b.api->create(b.api, "a", 1, 0);
        window_draw(&w, false);
        for (uint64_t from = 0; from < 7 * PART_WINDOW; from += PART_WINDOW)
            b.api->step(model, from, w.list, w.count, true, &sink);
        assert_null(board_why(b.board));
        assert_true(b.api->step(model, 7 * PART_WINDOW, w.list, w.count, true, &sink));
        assert_why(&b, why[fault]);
        assert_int_equal(b.lost, 1);
        const uint64_t count = seen.count; /* from then on it is idle, silent, and counts 0 */
        assert_true(b.api->step(model, 8 * PART_WINDOW, w.list, w.count, true, &sink));
        assert_true(b.api->counter(model, 1) == 0 && b.api->look(model, 3) == 0 && seen.count == count);
        board_give_up(b.board, "another cause");
        assert_why(&b, why[fault]);
        assert_null(b.api->create(b.api, "a", 1, 0));
        assert_int_equal(b.lost, 1);
        b.api->destroy(model);
        bench_close(&b);
    }
}

/* The first field that differs is told. */
static void test_what_a_board_must_be(void **state)
{
    static const char *const why[6] = {
        "the board has version 2 of the protocol, this host 1",
        "the board holds a partition of kind t?y, not toy",
        "the board was made with other RTL text: 0000000000001112 instead of 0000000000001111",
        "the board was made with other keys: 0000000000002223 instead of 0000000000002222",
        "the board was made with other graph of partitions: 0000000000003334 instead of 0000000000003333",
        "the board was made with other links: 0000000000004445 instead of 0000000000004444"};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct bench b;
        struct stream_hello h = wanted;
        h.version += i == 0;
        h.kind = i < 1 ? 1 : i == 1 ? 0x790a74 : h.kind;
        h.rtl += i <= 2;
        h.keys += i <= 3;
        h.graph += i <= 4;
        h.links += i <= 5;
        bench_open(&b, &h, SOFT_NONE, 0);
        assert_int_equal(board_attach(b.board, 1), STATUS_CONFIG);
        assert_why(&b, why[i]);
        assert_int_equal(board_attach(b.board, 1), STATUS_IO);
        assert_null(b.api->create(b.api, "a", 1, 0));
        bench_close(&b);
    }
}

/* Nobody answers at all. */
static void test_nobody(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    kill(b.pid, SIGSTOP);
    assert_int_equal(board_attach(b.board, 1), STATUS_IO);
    assert_non_null(board_why(b.board));
    assert_null(strstr(board_why(b.board), "lost at cycle"));
    bench_close(&b);
}

static void test_what_it_cannot(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    const struct model_api *a = b.api;
    assert_true(!a->save && !a->restore && !a->hold && !a->release && !a->trace);
    assert_non_null(strstr(a->unsavable, "on a board"));
    assert_ptr_equal(a->ports, plain.ports);
    assert_ptr_equal(a->counters, plain.counters);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_model),    cmocka_unit_test(test_far_ahead),
        cmocka_unit_test(test_begins_anew),          cmocka_unit_test(test_what_a_board_may_not_say),
        cmocka_unit_test(test_what_a_board_must_be), cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_what_it_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
