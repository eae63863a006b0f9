// SPDX-License-Identifier: Apache-2.0
// The host's port into memories (sim_access), of RTL and golden machines: what is written is read, by masks and by
// atomics, in host memory and in the VRAM of each GPU; a thousand random requests at once against an array; order, and
// the cycles that each way takes; what nobody owns; a stop; a lost answer.
#include "port_bench.h"

static const uint64_t places[] = {0x10000, UINT64_C(1) << 48 | 0x20000, UINT64_C(2) << 48 | 0x30000}; // one a memory
#define BOTH(model) for (enum sim_model model = SIM_RTL; model <= SIM_GOLDEN; model++)

// A write of bytes, a read of either kind, an atomic: each finds what the last left, and memory holds it.
static void what_is_written_is_read(void **state)
{
    (void)state;
    BOTH(model)
    {
        struct bench *b = bench_model(model);
        for (unsigned i = 0; i < 3; i++) {
            uint64_t one[8], two[8], held[8];
            const uint64_t operand[2] = {5};
            line_fill(one, 1);
            line_fill(two, 101);
            assert_int_equal(pmem_write(b->memory, places[i] + 64, two, 64), 0);
            assert_memory_equal(asked(b, MEM_READ_NC, places[i] + 64, 0, NULL)->rsp.data, two, 64);
            assert_int_equal(asked(b, MEM_WRITE, places[i], UINT64_MAX, one)->rsp.status, MEM_OK);
            assert_int_equal(asked(b, MEM_WRITE, places[i], 0x8000000000000ff0, two)->rsp.status, MEM_OK);
            memcpy((uint8_t *)one + 4, (uint8_t *)two + 4, 8);
            ((uint8_t *)one)[63] = ((uint8_t *)two)[63];
            assert_memory_equal(asked(b, MEM_READ, places[i], 0, NULL)->rsp.data, one, 64);
            struct answered *a = asked(b, MEM_ATOMIC, places[i] + 24, 0, operand);
            assert_int_equal(a->rsp.status, MEM_OK);
            assert_true(a->rsp.data[0] == one[3]);
            one[3] += 5;
            assert_memory_equal(asked(b, MEM_READ_NC, places[i], 0, NULL)->rsp.data, one, 64);
            assert_int_equal(pmem_read(b->memory, places[i], held, 64), 0);
            assert_memory_equal(held, one, 64);
        }
        bench_close(b);
    }
}

// ---- random requests
#define LINES 24u // a memory
struct expected {
    unsigned memory;
    uint8_t op;
    uint64_t data[8];
};
static struct expected expected[4096];

static uint64_t random64(void)
{
    return (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
}

static void random_request(struct bench *b, uint64_t content[3][LINES][8], unsigned number)
{
    struct expected *e = &expected[number];
    unsigned memory = e->memory = (unsigned)rand() % 3, line = (unsigned)rand() % LINES;
    uint64_t *held = content[memory][line], addr = places[memory] + line * 320; // lines of several slices
    struct msg_mem_req req = {.op = (uint8_t)(rand() % 4), .addr = addr, .mask = random64() & random64()};
    for (unsigned i = 0; i < 8; i++)
        req.data[i] = random64();
    e->op = req.op;
    if (req.op == MEM_ATOMIC) {
        unsigned word = (unsigned)rand() % 8;
        req.size = rand() & 1 ? 8 : 4;
        req.atomic = (uint8_t)(rand() % 13);
        req.addr += word * 8;
        uint64_t low = req.size == 8 ? UINT64_MAX : UINT32_MAX;
        if (rand() & 1)
            req.data[1] = held[word];
        e->data[0] = held[word] & low;
        uint64_t now = pmem_atomic_result(req.atomic, req.size, held[word], req.data[0], req.data[1]);
        held[word] = (held[word] & ~low) | (now & low);
    } else if (req.op == MEM_WRITE) {
        for (unsigned i = 0; i < 64; i++)
            if (req.mask >> i & 1)
                ((uint8_t *)held)[i] = ((uint8_t *)req.data)[i];
    } else {
        memcpy(e->data, held, 64);
    }
    sim_access(b->sim, &req, rand() & 1, number);
}

// Hash over the cycles of the answers.
static uint64_t random_run(const struct sim_options *options, unsigned bursts)
{
    static uint64_t content[3][LINES][8];
    struct bench *b = bench_open(options);
    unsigned asked_for = 0;
    uint64_t next[3] = {0}, hash = 1;
    srand(11);
    memset(content, 0, sizeof content);
    for (unsigned burst = 0; burst < bursts; burst++) {
        for (unsigned n = 1 + (unsigned)rand() % (burst % 4 ? 30 : 400); n; n--)
            random_request(b, content, asked_for++);
        sim_run(b->sim, sim_now(b->sim) + (uint64_t)rand() % 2000);
    }
    bench_run(b);
    assert_int_equal(b->count, asked_for);
    for (unsigned i = 0; i < b->count; i++) {
        const struct answered *a = &b->got[i];
        const struct expected *e = &expected[a->cookie];
        assert_true(a->cookie >= next[e->memory]); // in the order of requests of a memory
        next[e->memory] = a->cookie + 1;
        assert_int_equal(a->rsp.status, MEM_OK);
        assert_int_equal(a->rsp.op, e->op);
        if (e->op == MEM_ATOMIC)
            assert_true(a->rsp.data[0] == e->data[0]);
        else if (e->op != MEM_WRITE)
            assert_memory_equal(a->rsp.data, e->data, 64);
        hash = (hash ^ a->cycle ^ a->cookie << 40) * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (unsigned m = 0; m < 3; m++)
        for (unsigned line = 0; line < LINES; line++) {
            uint64_t held[8];
            assert_int_equal(pmem_read(b->memory, places[m] + line * 320, held, 64), 0);
            assert_memory_equal(held, content[m][line], 64);
        }
    bench_close(b);
    return hash;
}

static void random_requests_agree_with_an_array(void **state)
{
    struct sim_options options = {.model = SIM_RTL, .seed = 1};
    (void)state;
    uint64_t cycles = random_run(&options, 24);
    options.threads = 2;
    assert_true(random_run(&options, 24) == cycles);
    options.no_skip = true;
    assert_true(random_run(&options, 4) != cycles);
    uint64_t evaluated = random_run(&options, 6);
    options.no_skip = false;
    assert_true(random_run(&options, 6) == evaluated);
    const struct sim_options golden = {.model = SIM_GOLDEN};
    random_run(&golden, 24);
}

// ---- time
// Host memory answers after both ways of the link, as fast as the link carries them (of golden GPUs, without a link,
// one a cycle and no more under way than it has places); VRAM
// of an RTL GPU after its caches and DRAM too; that of a golden one, which has no clock, as host memory.
static void answers_come_at_their_cycle(void **state)
{
    (void)state;
    BOTH(model)
    {
        struct bench *b = bench_model(model);
        const uint64_t way = b->config.cfg.link_host;
        for (unsigned i = 0; i < 3; i++) {
            uint64_t begin = sim_now(b->sim), cold, warm;
            cold = asked(b, MEM_READ, places[i], 0, NULL)->cycle - begin;
            begin = sim_now(b->sim);
            warm = asked(b, MEM_READ, places[i], 0, NULL)->cycle - begin;
            if (i == 0 || model == SIM_GOLDEN)
                assert_true(cold == 2 * way && warm == 2 * way);
            else /* crossbar, slice, DRAM: within the figures of a GPU's own access */
                assert_true(warm > 2 * way + 4 * 16 && warm < 2 * way + 600 && cold > warm + 20 && cold < warm + 1000);
        }
        uint64_t begin = sim_now(b->sim);
        const unsigned first = b->count;
        for (unsigned i = 0; i < 100; i++)
            ask(b, MEM_READ, places[0] + 64 * i, 0, NULL, false, i);
        bench_run(b);
        for (unsigned i = 0; i < 100; i++) /* an answer is 80 bytes, and 8 are a credit */
            assert_true(b->got[first + i].cycle ==
                        begin + 2 * way + (model == SIM_RTL ? (88 * i + 15) / 16 : 2 * way * (i / 16) + i % 16));
        bench_close(b);
    }
}

// Requests to VRAM that must keep their order wait for each other, those that need not are under way together.
static void order_is_waited_for(void **state)
{
    struct bench *b = bench_model(SIM_RTL);
    uint64_t took[2], line[8];
    (void)state;
    line_fill(line, 9);
    for (unsigned overlap = 0; overlap < 2; overlap++) {
        uint64_t begin = sim_now(b->sim);
        const unsigned first = b->count;
        for (unsigned i = 0; i < 40; i++)
            ask(b, MEM_WRITE, places[1] + 64 * i, UINT64_MAX, line, overlap, i);
        bench_run(b);
        took[overlap] = sim_now(b->sim) - begin;
        for (unsigned i = 0; i < 40; i++)
            assert_int_equal(b->got[first + i].cookie, i);
        for (unsigned i = 1; i < 40 && !overlap; i++)
            assert_true(b->got[first + i].cycle > b->got[first + i - 1].cycle + 2 * b->config.cfg.link_host);
    }
    assert_true(took[1] * 6 < took[0]);
    // one that must keep its order is behind all those before it, and those that need not go on beside it
    const unsigned first = b->count;
    for (unsigned i = 0; i < 21; i++)
        ask(b, MEM_READ, places[2] + 64 * i, 0, NULL, i != 10, i);
    bench_run(b);
    assert_true(b->got[first + 10].cycle > b->got[first + 9].cycle + 2 * b->config.cfg.link_host);
    assert_true(b->got[first + 20].cycle < b->got[first + 10].cycle + 2 * b->config.cfg.link_host);
    bench_close(b);
}

// What the host asks of VRAM and what comes back take their bytes of the link, one way each: 80 with a line, 16
// without.
static void the_link_has_its_rate(void **state)
{
    static const struct {
        uint8_t op;
        uint64_t bytes; /* of the message with the line; credits come before or behind */
    } kinds[] = {{MEM_READ, 80}, {MEM_WRITE, 80}, {MEM_ATOMIC, 80}};
    struct bench *b = bench_model(SIM_RTL);
    const uint64_t rate = b->config.cfg.link_host_bytes_per_cycle;
    uint64_t line[8];
    (void)state;
    line_fill(line, 3);
    for (unsigned n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        for (unsigned round = 0; round < 2; round++) { /* the second finds lines and places of its own in the L2 */
            b->count = 0;
            for (unsigned i = 0; i < 60; i++)
                ask(b, kinds[n].op, places[1] + 64 * i, UINT64_MAX, line, true, i);
            bench_run(b);
        }
        const uint64_t took = b->got[59].cycle - b->got[0].cycle, least = 59 * kinds[n].bytes / rate;
        if (b->count != 60 || took + 5 < least || took > least + 60)
            fail_msg("kind %u: %llu cycles, not %llu", kinds[n].op, (unsigned long long)took,
                     (unsigned long long)least);
    }
    bench_close(b);
}

// More requests than a lane knows apart, to rows of one DRAM bank, one after another: none is taken for another.
static void a_slow_memory_holds_requests_up(void **state)
{
    struct bench *b = bench_model(SIM_RTL);
    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        uint64_t addr = (UINT64_C(1) << 48) + i % 60 * MIB + i / 60 * 65536, mark = 0xabcd0000 + i;
        assert_int_equal(pmem_write(b->memory, addr, &mark, 8), 0);
        ask(b, MEM_READ_NC, addr, 0, NULL, true, i);
    }
    bench_run(b);
    assert_int_equal(b->count, 600);
    for (unsigned i = 0; i < 600; i++)
        assert_true(b->got[i].cookie == i && b->got[i].rsp.data[0] == 0xabcd0000 + i);
    bench_close(b);
}

// Events of a cycle come first, then answers of memories, host memory's first, then timers.
static void answers_stand_between_events_and_timers(void **state)
{
    struct bench *b = bench_model(SIM_GOLDEN);
    const struct msg_cp_cmd cache = {.kind = CP_CACHE, .id = 1, .flags = CACHE_INV_L2};
    (void)state;
    sim_timer(b->sim, 2 * (uint64_t)b->config.cfg.link_host, 1);
    ask(b, MEM_READ, places[2], 0, NULL, false, 3);
    ask(b, MEM_READ, places[0], 0, NULL, false, 1);
    ask(b, MEM_READ, places[1], 0, NULL, false, 2);
    sim_cmd(b->sim, 1, &cache);
    bench_run(b);
    assert_string_equal(b->order, "eaaat");
    for (unsigned i = 0; i < 3; i++)
        assert_true(b->got[i].cookie == i + 1 && b->got[i].cycle == 2 * (uint64_t)b->config.cfg.link_host);
    bench_close(b);
}

// ---- what may go wrong
static void nobodys_memory_is_a_bus_error(void **state)
{
    (void)state;
    BOTH(model)
    {
        struct bench *b = bench_model(model);
        const uint64_t end = 64 * MIB, bad[] = {UINT64_C(3) << 48,
                                                UINT64_C(255) << 48,
                                                UINT64_C(1) << 48 | end,
                                                UINT64_C(2) << 48 | end,
                                                GTT,
                                                UINT64_C(1) << 56};
        uint64_t line[8];
        line_fill(line, 3);
        for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
            for (uint8_t op = MEM_READ; op <= MEM_ATOMIC; op++)
                assert_int_equal(asked(b, op, bad[i], UINT64_MAX, line)->rsp.status, MEM_FAULT_BUS);
        for (unsigned m = 0; m < 3; m++) { // an atomic that is not aligned, or of no size that there is
            assert_int_equal(asked(b, MEM_ATOMIC, places[m] + 4, 0, line)->rsp.status, MEM_FAULT_BUS);
            const struct msg_mem_req req = {.op = MEM_ATOMIC, .addr = places[m], .atomic = ATOMIC_ADD, .size = 2};
            sim_access(b->sim, &req, false, 4711);
            bench_run(b);
            assert_int_equal(b->got[b->count - 1].rsp.status, MEM_FAULT_BUS);
        }
        const uint64_t last[] = {GTT - 64, UINT64_C(1) << 48 | (end - 64), UINT64_C(2) << 48 | (end - 64)};
        for (unsigned m = 0; m < 3; m++) {
            assert_int_equal(asked(b, MEM_WRITE, last[m], UINT64_MAX, line)->rsp.status, MEM_OK);
            assert_memory_equal(asked(b, MEM_READ, last[m], 0, NULL)->rsp.data, line, 64);
        }
        bench_close(b);
    }
}

// A stop in an answer ends the run there; what has come in the same cycle is told by the next.
static void a_stop_loses_no_answer(void **state)
{
    (void)state;
    BOTH(model)
    {
        struct bench *b = bench_model(model);
        b->stop = true;
        for (unsigned i = 0; i < 60; i++)
            ask(b, MEM_READ_NC, places[i % 3] + 64 * i, 0, NULL, true, i);
        for (unsigned i = 0; i < 60; i++) {
            assert_int_equal(sim_run(b->sim, UINT64_MAX), SIM_STOPPED);
            assert_int_equal(b->count, i + 1);
            assert_true(sim_now(b->sim) == b->got[i].cycle && (i == 0 || b->got[i].cycle >= b->got[i - 1].cycle));
        }
        bench_run(b);
        assert_int_equal(b->count, 60);
        bench_close(b);
    }
}

static void asks_again(struct bench *b, const struct answered *a)
{
    if (a->cookie < 500)
        ask(b, MEM_ATOMIC, places[a->cookie % 3], 0, (const uint64_t[2]){1}, a->cookie & 1, a->cookie + 3);
}

// Callbacks may ask: chains that go on from each answer come to their end.
static void an_answer_may_ask(void **state)
{
    (void)state;
    BOTH(model)
    {
        struct bench *b = bench_model(model);
        b->told = asks_again;
        for (unsigned i = 0; i < 3; i++)
            ask(b, MEM_ATOMIC, places[i], 0, (const uint64_t[2]){1}, false, i);
        bench_run(b);
        assert_int_equal(b->count, 503);
        for (unsigned i = 0; i < 3; i++)
            assert_true(asked(b, MEM_READ, places[i], 0, NULL)->rsp.data[0] == (i < 2 ? 168 : 167));
        bench_close(b);
    }
}

/* shows B.7: an answer that never comes is a machine that waits for itself, and the report names what was asked. */
static void a_lost_answer_is_diagnosed(void **state)
{
    static const char *const from[] = {"host.memory -> host.cp", "gpu1.rdma -> host.cp"};
    static const uint64_t at[] = {0x10040, UINT64_C(2) << 48 | 0x30040};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bench *b = bench_model(SIM_RTL);
        struct channel *lost = NULL;
        for (uint32_t w = 0; w < b->sim->sched.wire_count; w++) {
            struct channel *c = &b->sim->sched.wires[w]->channel;
            if (strcmp(c->name, from[i]) == 0 && c->bytes)
                lost = c;
        }
        assert_non_null(lost);
        ask(b, MEM_READ, at[i], 0, NULL, false, 1);
        uint64_t cycle = 0;
        while (channel_empty(lost) && cycle < 100000)
            assert_int_equal(sim_run(b->sim, cycle += 8), SIM_STOPPED);
        assert_false(channel_empty(lost));
        channel_drop(lost, 1);
        char *text = NULL, wanted[100];
        size_t size = 0;
        FILE *saved = stderr;
        stderr = open_memstream(&text, &size);
        enum sim_result result = sim_run(b->sim, UINT64_MAX);
        fclose(stderr);
        stderr = saved;
        assert_int_equal(result, SIM_NO_PROGRESS);
        snprintf(wanted, sizeof wanted,
                 "  host.cp waits for %s: memory request at 0x%llx of cycle 0, 1 under way, 0 to send\n",
                 i ? "gpu1.rdma" : "host.memory", (unsigned long long)at[i]);
        assert_non_null(strstr(text, wanted));
        free(text);
        bench_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(random_requests_agree_with_an_array),
        cmocka_unit_test(answers_come_at_their_cycle),
        cmocka_unit_test(order_is_waited_for),
        cmocka_unit_test(the_link_has_its_rate),
        cmocka_unit_test(a_slow_memory_holds_requests_up),
        cmocka_unit_test(answers_stand_between_events_and_timers),
        cmocka_unit_test(nobodys_memory_is_a_bus_error),
        cmocka_unit_test(a_stop_loses_no_answer),
        cmocka_unit_test(an_answer_may_ask),
        cmocka_unit_test(a_lost_answer_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
