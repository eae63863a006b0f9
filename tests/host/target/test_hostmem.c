// SPDX-License-Identifier: Apache-2.0
// Host memory with several askers (hostmem.c): each gets its own answers, one a cycle and no more than it has credits
// for; what of a request comes back; the hash over writes and atomics, byte for byte; counters, report, saved state, a
// server of somebody else's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#include "bridge/run/sched.h"
#include "gantry_msg.h"
#include "saved/state_io.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define ASKERS 3u
#define DEPTH 2u // credits for answers
#define LATENCY 8u
#define HOST (UINT64_C(4) << 20)

// Who asks: outputs and inputs as of hostmem.
struct note {
    uint32_t slot;
    uint64_t cycle;
    struct msg_mem_rsp rsp;
};
struct bench {
    struct pmem *memory;
    struct sched sched;
    struct part *from, *to;
    struct note notes[512];
    unsigned count;
};

static void visit(struct part *part, uint64_t from)
{
    struct bench *b = part->own;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            assert_true(b->count < 512);
            struct note *n = &b->notes[b->count++];
            *n = (struct note){.slot = part->due[c][i].slot, .cycle = from + c};
            if (n->slot < ASKERS)
                memcpy(&n->rsp, part->due[c][i].data, sizeof n->rsp);
        }
}
static const struct part_ops ops = {.visit = visit};

static struct bench *bench_open(void)
{
    struct bench *b = calloc(1, sizeof *b);
    b->memory = pmem_new(1, UINT64_C(64) << 20, HOST);
    assert_non_null(b->memory);
    sched_init(&b->sched);
    b->from = part_new(&ops, "asker", 2 * ASKERS, 2 * ASKERS, b);
    b->from->idle = true;
    b->to = hostmem_new(b->memory, ASKERS, DEPTH);
    assert_int_equal(b->to->ins, 2 * ASKERS);
    assert_int_equal(b->to->outs, 2 * ASKERS);
    sched_add(&b->sched, b->from);
    sched_add(&b->sched, b->to);
    for (unsigned a = 0; a < ASKERS; a++) {
        sched_connect(&b->sched, b->from, a, b->to, a, sizeof(struct msg_mem_req), LATENCY, 128);
        sched_connect(&b->sched, b->from, ASKERS + a, b->to, ASKERS + a, 0, LATENCY, 128);
        sched_connect(&b->sched, b->to, a, b->from, a, sizeof(struct msg_mem_rsp), LATENCY, DEPTH);
        sched_connect(&b->sched, b->to, ASKERS + a, b->from, ASKERS + a, 0, LATENCY, 128);
    }
    assert_true(sched_start(&b->sched));
    return b;
}

static void bench_close(struct bench *b)
{
    sched_fini(&b->sched);
    pmem_free(b->memory);
    free(b);
}

static void settle(struct bench *b)
{
    for (uint64_t next; (next = sched_next(&b->sched)) != UINT64_MAX;) {
        b->sched.now = next;
        sched_run(&b->sched, 1);
    }
}

static void ask(struct bench *b, unsigned asker, uint64_t cycle, const struct msg_mem_req *req)
{
    sched_send(b->from, asker, cycle, req);
}
static void read_of(struct bench *b, unsigned asker, uint64_t cycle, uint32_t tag)
{
    const struct msg_mem_req req = {.op = MEM_READ, .addr = 64 * tag, .tag = tag};
    ask(b, asker, cycle, &req);
}
static void credit(struct bench *b, unsigned asker, uint64_t cycle)
{
    sched_send(b->from, ASKERS + asker, cycle, NULL);
}

// Answers of one asker, in their order.
static const struct note *answer(const struct bench *b, unsigned asker, unsigned number)
{
    for (unsigned i = 0; i < b->count; i++)
        if (b->notes[i].slot == asker && number-- == 0)
            return &b->notes[i];
    return NULL;
}

// Its own answers, with the credits it has; the place of a request is free in the cycle in which it comes.
static void each_asker_has_its_own(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    for (unsigned a = 0; a < ASKERS; a++)
        for (unsigned i = 0; i < 4; i++)
            read_of(b, a, 100 + a, 10 * a + i);
    credit(b, 1, 300);
    credit(b, 2, 403);
    credit(b, 2, 403);
    settle(b);
    static const uint64_t third[] = {0, 300 + 2 * LATENCY, 403 + 2 * LATENCY};
    for (unsigned a = 0; a < ASKERS; a++) {
        for (unsigned i = 0; i < 2 + a; i++) {
            const struct note *n = answer(b, a, i);
            assert_non_null(n);
            assert_int_equal(n->rsp.tag, 10 * a + i);
            assert_true(n->cycle == (i < 2 ? 100 + a + i + 2 * LATENCY : third[a] + i - 2));
        }
        assert_null(answer(b, a, 2 + a));
        for (unsigned i = 0; i < 4; i++)
            assert_true(answer(b, ASKERS + a, i)->cycle == 100 + a + i + 2 * LATENCY);
        assert_null(answer(b, ASKERS + a, 4));
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    b->to->ops->report(b->to, out);
    fclose(out);
    assert_string_equal(text, "  host.memory waits for asker: 2 answers held, no credit\n"
                              "  host.memory waits for asker: 1 answers held, no credit\n");
    free(text);
    bench_close(b);
}

// Many answers that wait, given back one by one while more come: none is lost or changes places.
static void many_answers_wait(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    unsigned asked = 0, given = 0;
    for (unsigned round = 0; round < 12; round++) {
        for (unsigned i = 0; i < 13; i++)
            read_of(b, 1, b->sched.now, asked++);
        settle(b);
        for (unsigned i = 0; i < 5 + round / 2; i++, given++) {
            credit(b, 1, b->sched.now);
            settle(b);
        }
    }
    while (given < asked - DEPTH) {
        credit(b, 1, b->sched.now);
        settle(b);
        given++;
    }
    for (unsigned i = 0; i < asked; i++) {
        assert_non_null(answer(b, 1, i));
        assert_int_equal(answer(b, 1, i)->rsp.tag, i);
    }
    bench_close(b);
}

// ---- what is served
static void what_comes_back(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    uint64_t line[8];
    for (unsigned i = 0; i < 8; i++)
        line[i] = 0x0101010101010101u * (i + 1);
    assert_int_equal(pmem_write(b->memory, 0x1000, line, 64), 0);
    static const struct {
        uint8_t op;
        uint64_t addr;
        uint8_t status;
    } cases[] = {{MEM_READ, 0x1000, MEM_OK},
                 {MEM_READ_NC, 0x1028, MEM_OK},
                 {MEM_WRITE, 0x1008, MEM_OK},
                 {MEM_ATOMIC, 0x1008, MEM_OK},
                 {MEM_XLAT, 0x1000, MEM_FAULT_BUS},
                 {MEM_READ, HOST - 1, MEM_OK},
                 {MEM_READ, HOST, MEM_FAULT_BUS},
                 {MEM_ATOMIC, 0x100c, MEM_FAULT_BUS},
                 {MEM_READ, UINT64_C(1) << 56, MEM_FAULT_BUS},
                 {MEM_WRITE, (UINT64_C(1) << 56) + 0x1000, MEM_FAULT_BUS},
                 {MEM_READ, UINT64_C(1) << 63, MEM_FAULT_BUS}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct msg_mem_req req = {.op = cases[i].op,
                                        .source = 7,
                                        .gpu = 9,
                                        .tag = 11 + i,
                                        .addr = cases[i].addr,
                                        .mask = cases[i].op == MEM_ATOMIC ? 0 : 0xff00,
                                        .atomic = ATOMIC_CMPSWAP,
                                        .size = 8,
                                        .data = {5, 6, 7}};
        struct msg_mem_rsp rsp,
            wanted = {.op = cases[i].op, .status = cases[i].status, .source = 7, .gpu = 9, .tag = 11 + i};
        memset(&rsp, 0xee, sizeof rsp);
        if (i < 2)
            memcpy(wanted.data, line, 64);
        else if (i == 3)
            wanted.data[0] = 6; // as the write before has left it
        hostmem_serve(b->memory, &req, &rsp);
        assert_memory_equal(&rsp, &wanted, sizeof wanted);
    }
    uint64_t now[8];
    line[1] = 5; // written as 6, then swapped
    // words of a line: operands and old values in their places
    const struct msg_mem_req words = {.op = MEM_ATOMIC,
                                      .addr = 0x1000,
                                      .mask = 0xff00000000ff0000,
                                      .atomic = ATOMIC_ADD,
                                      .size = 8,
                                      .data = {9, 9, 3, 9, 9, 9, 9, 4}};
    struct msg_mem_rsp rsp, wanted = {.op = MEM_ATOMIC, .data = {[2] = line[2], [7] = line[7]}};
    hostmem_serve(b->memory, &words, &rsp);
    assert_memory_equal(&rsp, &wanted, sizeof wanted);
    line[2] += 3, line[7] += 4;
    assert_int_equal(pmem_read(b->memory, 0x1000, now, 64), 0);
    assert_memory_equal(now, line, 64);
    bench_close(b);
}

static void other_serves(void *ctx, unsigned asker, uint64_t cycle, const struct msg_mem_req *req,
                         struct msg_mem_rsp *rsp)
{
    uint64_t *seen = ctx;
    seen[0] = asker;
    seen[1] = cycle;
    *rsp = (struct msg_mem_rsp){.op = req->op, .tag = req->tag + 1, .data = {4711}};
}

static void somebody_else_serves(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    uint64_t seen[2];
    const struct hostmem_server own = hostmem_serve_by(b->to, (struct hostmem_server){other_serves, seen});
    assert_ptr_equal(own.ctx, b->memory);
    read_of(b, 2, 107, 3);
    settle(b);
    assert_true(seen[0] == 2 && seen[1] == 107 + LATENCY);
    assert_int_equal(answer(b, 2, 0)->rsp.tag, 4);
    assert_int_equal(answer(b, 2, 0)->rsp.data[0], 4711);
    const struct hostmem_server before = hostmem_serve_by(b->to, own);
    assert_ptr_equal(before.ctx, seen);
    read_of(b, 2, 307, 3);
    settle(b);
    assert_int_equal(answer(b, 2, 1)->rsp.tag, 3);
    bench_close(b);
}

// ---- hash and counters
struct counted {
    char text[400];
};
static void count(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct counted *c = arg;
    size_t used = strlen(c->text);
    snprintf(c->text + used, sizeof c->text - used, "%s %s %llu %s\n", location, name, (unsigned long long)value, unit);
}

// Of a write its address, mask, operation and the written bytes, others as zeros; of an atomic its size and both
// operands, or its mask and those of the words that it has.
static void the_hash_is_of_writes_and_atomics(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    XXH64_state_t *hash = XXH64_createState();
    XXH64_reset(hash, 0);
    assert_true(hostmem_hash(b->to) == XXH64_digest(hash));
    for (unsigned i = 0; i < 6; i++) {
        struct msg_mem_req req = {.op = i == 5  ? MEM_READ_NC
                                        : i < 3 ? MEM_WRITE
                                                : MEM_ATOMIC,
                                  .addr = 0x1000 + 64 * i,
                                  .mask = i < 3    ? UINT64_C(0x800000000000f0f1) << i
                                          : i == 4 ? UINT64_C(0x00ff00000000ff00)
                                                   : 0,
                                  .atomic = ATOMIC_ADD,
                                  .size = i == 3 ? 4 : 8,
                                  .tag = 5};
        for (unsigned n = 0; n < 8; n++)
            req.data[n] = 0x1122334455667788u + n + i;
        // the fifth: words of a line
        const uint64_t head[4] = {req.addr, i < 3 ? req.mask : req.size, req.op, ATOMIC_ADD};
        uint8_t line[64];
        for (unsigned n = 0; n < 64; n++)
            line[n] = req.mask >> n & 1 ? ((uint8_t *)req.data)[n] : 0;
        if (i < 5)
            XXH64_update(hash, head, sizeof head);
        if (i == 4)
            XXH64_update(hash, &req.mask, 8);
        if (i < 3 || i == 4)
            XXH64_update(hash, line, 64);
        else if (i < 5)
            XXH64_update(hash, req.data, 16);
        ask(b, i % ASKERS, b->sched.now, &req);
        settle(b);
        assert_true(hostmem_hash(b->to) == XXH64_digest(hash));
        req.addr = HOST; // what is refused is not hashed, and counted
        ask(b, i % ASKERS, b->sched.now, &req);
        settle(b);
        assert_true(hostmem_hash(b->to) == XXH64_digest(hash));
        credit(b, i % ASKERS, b->sched.now);
        credit(b, i % ASKERS, b->sched.now);
    }
    read_of(b, 0, b->sched.now, 1);
    settle(b);
    struct counted c = {""};
    b->to->ops->counters(b->to, count, &c);
    assert_string_equal(c.text, "host.memory reads 3 count\nhost.memory writes 6 count\nhost.memory atomics 4 count\n");
    XXH64_freeState(hash);
    bench_close(b);
}

// ---- state
static void a_state_is_whole_or_refused(void **state)
{
    (void)state;
    struct bench *b = bench_open(), *other = bench_open();
    struct state_buffer saved, again;
    state_buffer_init(&saved);
    state_buffer_init(&again);
    for (unsigned i = 0; i < 25; i++)
        read_of(b, 1, 10, i);
    credit(b, 1, 90);
    settle(b);
    struct msg_mem_req write = {.op = MEM_WRITE, .addr = 64, .mask = 1};
    ask(b, 0, b->sched.now, &write);
    settle(b);
    for (unsigned i = 0; i < 5; i++)
        read_of(other, 2, 10, i); // is gone
    settle(other);
    b->to->ops->save(b->to, &saved.writer);
    const size_t bytes = saved.count;
    for (size_t n = 0; n < bytes; n += n < 250 ? 1 : 71) {
        saved.count = n;
        saved.taken = 0;
        assert_false(other->to->ops->restore(other->to, &saved.reader));
    }
    saved.count = bytes;
    saved.taken = 0;
    assert_true(other->to->ops->restore(other->to, &saved.reader));
    assert_int_equal(saved.taken, bytes);
    other->to->ops->save(other->to, &again.writer);
    assert_int_equal(again.count, bytes);
    assert_memory_equal(again.bytes, saved.bytes, bytes);
    for (unsigned i = 0; i < 30; i++) {
        credit(other, 1, other->sched.now);
        read_of(other, 1, other->sched.now, 25 + i); // more behind those that wait
        settle(other);
    }
    for (unsigned i = 0; i < 30; i++)
        assert_int_equal(answer(other, 1, i)->rsp.tag, 3 + i);
    const size_t counts = bytes - 22 * sizeof(struct msg_mem_rsp) - 4 - 8 - 8; // of asker 1
    const uint64_t many = (1 << 20) + 1;
    memcpy(saved.bytes + counts, &many, sizeof many);
    saved.taken = 0;
    assert_false(other->to->ops->restore(other->to, &saved.reader));
    assert_string_equal(saved.reader.why, "1048577 answers that wait, at most 1048576");
    free(saved.bytes);
    free(again.bytes);
    bench_close(b);
    bench_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_asker_has_its_own),
        cmocka_unit_test(many_answers_wait),
        cmocka_unit_test(what_comes_back),
        cmocka_unit_test(somebody_else_serves),
        cmocka_unit_test(the_hash_is_of_writes_and_atomics),
        cmocka_unit_test(a_state_is_whole_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
