// SPDX-License-Identifier: Apache-2.0
// A GPU that the test simulates itself (external.h): what arrives and when, what it sends and when that arrives,
// credits kept by the machine or by the model, VRAM behind dram_req, idle windows, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "config/config.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "target/external.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define HOST UINT64_C(140) // link.host
#define VRAM (UINT64_C(64) << 20)

struct note {
    char what; // of the GPU: c command, q request, a answer, d DRAM, '.' credit; of the host: e event, r answer
    unsigned lane;
    uint64_t cycle, id;
};

struct bench {
    struct config config;
    struct pmem *memory;
    struct external external;
    struct sim *sim;
    struct note gpu[4096], host[256];
    unsigned taken, told, steps;
    bool idle, answer; // step says so; commands and requests are answered in the call that brings them
    uint64_t dram;     // word read by dram_req
};

static void event_of(struct bench *b, uint16_t id, uint64_t cycle)
{
    const struct msg_cp_evt evt = {.kind = CP_EVT_CACHE_DONE, .id = id};
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_EVT, 0, cycle, &evt), STATUS_OK);
}

static void on_take(void *ctx, unsigned gpu, enum external_port port, unsigned lane, uint64_t cycle, const void *m)
{
    static const char what[] = "c?.dqa";
    struct bench *b = ctx;
    uint64_t id = 0;
    assert_true(gpu == 0 && b->taken < 4096);
    if (m && port == EXTERNAL_CMD)
        id = ((const struct msg_cp_cmd *)m)->id;
    else if (m && port == EXTERNAL_FAR_REQ)
        id = ((const struct msg_mem_req *)m)->addr;
    else if (m && port == EXTERNAL_FAR_RSP)
        id = ((const struct msg_mem_rsp *)m)->data[0];
    else if (m && port == EXTERNAL_DRAM_RSP)
        b->dram = ((const struct msg_dram_rsp *)m)->data[0];
    b->gpu[b->taken++] = (struct note){m ? what[port] : '.', lane, cycle, id};
    if (!b->answer || !m)
        return;
    if (port == EXTERNAL_CMD)
        event_of(b, (uint16_t)id, cycle + 3);
    if (port != EXTERNAL_FAR_REQ)
        return;
    struct msg_mem_rsp rsp;
    hostmem_serve(b->memory, m, &rsp);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_RSP, lane, cycle + 5, &rsp), STATUS_OK);
}

static bool on_step(void *ctx, unsigned gpu, uint64_t from)
{
    struct bench *b = ctx;
    (void)gpu, (void)from;
    b->steps++;
    return b->idle;
}

static void on_shown(void *ctx, unsigned gpu, uint64_t *instructions, uint64_t *groups)
{
    (void)ctx, (void)gpu;
    *instructions = 1234;
    *groups = 5;
}

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct bench *b = ctx;
    (void)gpu;
    b->host[b->told++] = (struct note){'e', 0, now, evt->id};
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    (void)ctx, (void)now, (void)cookie;
}

static void on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct bench *b = ctx;
    assert_int_equal(rsp->status, MEM_OK);
    b->host[b->told++] = (struct note){'r', 0, now, rsp->op == MEM_READ ? rsp->data[0] : cookie};
}

static struct sim *machine_open(struct bench *b, const struct sim_options *options)
{
    static const struct sim_host_ops ops = {.event = on_event, .timer = on_timer, .answer = on_answer};
    return sim_new(&b->config.cfg, b->memory, options, &ops, b);
}

static struct bench *bench_new(bool credits)
{
    struct bench *b = calloc(1, sizeof *b);
    config_init(&b->config);
    config_set(&b->config, "test", "gpu.vram_mib=64");
    config_set(&b->config, "test", "system.rtl=whole");
    assert_int_equal(config_finish(&b->config), STATUS_OK);
    assert_true(b->config.cfg.link_host == HOST);
    b->memory = pmem_new(1, VRAM, UINT64_C(1) << 20);
    b->external =
        (struct external){.gpus = 1, .ctx = b, .take = on_take, .step = on_step, .shown = on_shown, .credits = credits};
    return b;
}

static struct bench *bench_open(bool credits)
{
    struct bench *b = bench_new(credits);
    const struct sim_options options = {.model = SIM_RTL, .external = &b->external};
    b->sim = machine_open(b, &options);
    assert_non_null(b->sim);
    return b;
}

static void bench_close(struct bench *b)
{
    sim_free(b->sim);
    pmem_free(b->memory);
    config_fini(&b->config);
    free(b);
}

static void cache_send(struct bench *b, uint16_t id)
{
    const struct msg_cp_cmd cmd = {.kind = CP_CACHE, .id = id};
    sim_cmd(b->sim, 0, &cmd);
}

static struct msg_mem_req request(uint8_t op, uint64_t addr, uint64_t word)
{
    return (struct msg_mem_req){.op = op, .addr = addr, .mask = op == MEM_WRITE ? UINT64_MAX : 0, .data = {word}};
}

// A command arrives with the link's latency, its event goes back with it; what the GPU says of itself is shown.
static void a_command_is_answered(void **state)
{
    struct bench *b = bench_open(false);
    (void)state;
    b->answer = b->idle = true;
    sim_run(b->sim, 1003);
    const uint64_t sent = sim_now(b->sim);
    cache_send(b, 7);
    assert_int_equal(sim_run(b->sim, UINT64_MAX), SIM_STOPPED);
    assert_true(b->taken == 1 && b->gpu[0].what == 'c' && b->gpu[0].id == 7 && b->gpu[0].cycle == sent + HOST);
    assert_true(b->told == 1 && b->host[0].what == 'e' && b->host[0].id == 7 &&
                b->host[0].cycle == sent + HOST + 3 + HOST);
    assert_true(sim_instructions(b->sim) == 1234 && sim_groups(b->sim, 0) == 5);
    assert_true(b->steps < 8); /* idle windows are left out */
    bench_close(b);
}

// A user with a clock of his own runs the machine window by window, sends what his model did in the window afterwards,
// and the host sees it in the same cycle as if it had been sent from within.
static void what_is_sent_after_its_window_is_in_time(void **state)
{
    struct bench *b = bench_open(false);
    (void)state;
    cache_send(b, 9);
    for (uint64_t end = 8; b->told == 0; end += 8) {
        const unsigned before = b->taken;
        sim_run(b->sim, end);
        assert_true(sim_now(b->sim) == end && b->steps == end / 8 && end < 2000);
        if (b->taken > before)
            event_of(b, 9, b->gpu[before].cycle);
    }
    assert_true(b->host[0].cycle == HOST + HOST);
    bench_close(b);
}

// The host's requests reach the GPU's memory by far port 0, the GPU's those of the host; dram_req leads to VRAM.
static void memories_are_reached(void **state)
{
    struct bench *b = bench_open(false);
    struct msg_mem_req req = request(MEM_WRITE, pmem_addr(1, 4096), 42);
    (void)state;
    b->answer = b->idle = true;
    sim_access(b->sim, &req, false, 1);
    req = request(MEM_READ, pmem_addr(1, 4096), 0);
    sim_access(b->sim, &req, false, 2);
    sim_run(b->sim, UINT64_MAX);
    assert_true(b->told == 2 && b->host[0].id == 1 && b->host[1].id == 42 && b->taken == 2);
    const uint64_t wrote = 43, now = external_next(b->sim);
    assert_int_equal(pmem_write(b->memory, pmem_addr(0, 64), &wrote, sizeof wrote), 0);
    req = request(MEM_READ, pmem_addr(0, 64), 0);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, now, &req), STATUS_OK);
    const struct msg_dram_req dram = {.addr = 4096};
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_DRAM_REQ, 0, now, &dram), STATUS_OK);
    sim_run(b->sim, now + 1000);
    assert_true(b->dram == 42 && b->taken == 4);
    const struct note *answer = &b->gpu[b->gpu[2].what == 'a' ? 2 : 3];
    assert_true(answer->what == 'a' && answer->id == 43 && answer->cycle >= now + 2 * HOST);
    bench_close(b);
}

// The machine keeps the credits: a GPU may send more than the link has places for, in order, and take any number.
static void credits_of_the_machine(void **state)
{
    struct bench *b = bench_open(false);
    const unsigned many = 1000;
    (void)state;
    b->idle = true;
    for (unsigned i = 0; i < many; i++) {
        const struct msg_mem_req req = request(MEM_READ, pmem_addr(0, 64 * (i % 16)), 0);
        assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 0, &req), STATUS_OK);
    }
    for (unsigned i = 0; i < 200; i++)
        cache_send(b, (uint16_t)i);
    sim_run(b->sim, 40000);
    unsigned commands = 0, answers = 0;
    for (unsigned i = 0; i < b->taken; i++) {
        assert_true(b->gpu[i].what != 'c' || b->gpu[i].id == commands);
        commands += b->gpu[i].what == 'c';
        answers += b->gpu[i].what == 'a';
    }
    assert_true(commands == 200 && answers == many);
    bench_close(b);
}

// The model keeps the credits: the host stops at 64 commands, and goes on with each place that comes back.
static void credits_of_the_model(void **state)
{
    struct bench *b = bench_open(true);
    (void)state;
    for (unsigned i = 0; i < 70; i++)
        cache_send(b, (uint16_t)i);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_CMD, 0, 8, NULL), STATUS_USAGE); /* none has arrived */
    sim_run(b->sim, 1000);
    assert_int_equal(b->taken, 64);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(external_send(b->sim, 0, EXTERNAL_CMD, 0, 1000, NULL), STATUS_OK);
    sim_run(b->sim, 2000);
    assert_true(b->taken == 67 && b->gpu[64].cycle == 1000 + HOST + HOST);
    const struct msg_mem_req req = request(MEM_READ, pmem_addr(0, 0), 0);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 2000, &req), STATUS_OK);
    sim_run(b->sim, 3000);
    assert_true(b->taken == 69 && b->gpu[67].what + b->gpu[68].what == 'a' + '.');
    bench_close(b);
}

// A place that comes back in the window of a message which has one of the others does not hold it up.
static void a_credit_holds_nothing_up(void **state)
{
    struct bench *b = bench_open(true);
    const struct msg_mem_req req = request(MEM_READ, pmem_addr(0, 0), 0);
    (void)state;
    sim_run(b->sim, 1000);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 1000, &req), STATUS_OK);
    sim_run(b->sim, 2000);
    assert_int_equal(b->taken, 2);
    const unsigned place = b->gpu[0].what == 'a';
    const uint64_t credit = b->gpu[place].cycle - 1000, answer = b->gpu[!place].cycle - 1000;
    const uint64_t first = 2016 - (credit + 4) % 8, second = first + credit - 2; /* in one window with its credit */
    assert_true(b->gpu[place].what == '.' && (second + 2) % 8 == 4);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, first, &req), STATUS_OK);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, second, &req), STATUS_OK);
    sim_run(b->sim, 4000);
    unsigned answers = 0, last = 0;
    for (unsigned i = 0; i < b->taken; i++)
        if (b->gpu[i].what == 'a') {
            answers++;
            last = i;
        }
    assert_true(answers == 3 && b->gpu[last].cycle == second + answer);
    bench_close(b);
}

// A GPU that is not there, ports and lanes that it does not have, what is over, nonsense: refused, and nothing is sent.
static void what_is_refused(void **state)
{
    struct bench *b = bench_open(false);
    struct msg_mem_req req = request(MEM_READ, 0, 0);
    const struct msg_cp_evt evt = {.kind = CP_EVT_CACHE_DONE};
    (void)state;
    sim_run(b->sim, 800);
    assert_int_equal(external_send(b->sim, 1, EXTERNAL_EVT, 0, 800, &evt), STATUS_USAGE);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_EVT, 1, 800, &evt), STATUS_USAGE);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_CMD, 0, 800, &evt), STATUS_USAGE);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_PORTS, 0, 800, &evt), STATUS_USAGE);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 800, NULL), STATUS_USAGE);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_EVT, 0, 791, &evt), STATUS_USAGE);
    const struct msg_dram_req dram = {.addr = 0};
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_DRAM_REQ, 0, 799, &dram), STATUS_USAGE); /* link.store is 8 */
    req.op = 200;
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 800, &req), STATUS_USAGE);
    req.op = MEM_READ;
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 900, &req), STATUS_OK);
    assert_int_equal(external_send(b->sim, 0, EXTERNAL_FAR_REQ, 0, 899, &req), STATUS_USAGE);
    sim_run(b->sim, 2000);
    assert_true(b->taken == 1 && b->told == 0);
    bench_close(b);
}

// What a machine with such a GPU cannot be.
static void machines_that_are_refused(void **state)
{
    struct bench *b = bench_new(false);
    enum gantry_status failure = STATUS_OK;
    (void)state;
    struct sim_options o = {.model = SIM_RTL, .external = &b->external, .failure = &failure, .lockstep = true};
    assert_null(machine_open(b, &o));
    assert_int_equal(failure, STATUS_USAGE);
    o.lockstep = false;
    o.wave = "gpu0";
    assert_int_equal(external_check(&b->config.cfg, &o), STATUS_USAGE);
    o.wave = NULL;
    assert_int_equal(external_check(&b->config.cfg, &o), STATUS_OK);
    o.model = SIM_GOLDEN;
    assert_int_equal(external_check(&b->config.cfg, &o), STATUS_USAGE);
    o.model = SIM_RTL;
    b->external.gpus = 2;
    assert_int_equal(external_check(&b->config.cfg, &o), STATUS_USAGE);
    b->external.gpus = 1;
    b->config.cfg.system_rtl = CFG_SYSTEM_RTL_PARTS;
    assert_int_equal(external_check(&b->config.cfg, &o), STATUS_USAGE);
    bench_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_answered),     cmocka_unit_test(what_is_sent_after_its_window_is_in_time),
        cmocka_unit_test(memories_are_reached),      cmocka_unit_test(credits_of_the_machine),
        cmocka_unit_test(credits_of_the_model),      cmocka_unit_test(what_is_refused),
        cmocka_unit_test(machines_that_are_refused), cmocka_unit_test(a_credit_holds_nothing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
