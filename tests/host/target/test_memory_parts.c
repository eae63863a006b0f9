// SPDX-License-Identifier: Apache-2.0
// Host memory and contents of VRAM as partitions (memory_parts.h): whole lines, masks, faults, credits, and what the
// hash over the writes is made of.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/run/sched_save.h"
#include "gantry_msg.h"
#include "saved/state_io.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define LATENCY 8u
#define MIB (UINT64_C(1) << 20)

// What stands before a memory partition: output 0 requests, output 1 credits (hostmem); inputs likewise.
struct asker {
    union {
        struct msg_mem_rsp far;
        struct msg_dram_rsp dram;
    } answer[32];
    unsigned answers, credits;
    size_t bytes; // of an answer
};

static void asker_visit(struct part *part, uint64_t from)
{
    struct asker *a = part->own;
    (void)from;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            if (part->due[c][i].slot == 1)
                a->credits++;
            else
                memcpy(&a->answer[a->answers++], part->due[c][i].data, a->bytes);
        }
}
static const struct part_ops asker_ops = {.visit = asker_visit};

struct bench {
    struct pmem *memory;
    struct sched sched;
    struct asker asker;
    struct part *from, *to;
};

static void bench_open(struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->memory = pmem_new(1, 64 * MIB, 4 * MIB);
    assert_non_null(b->memory);
    sched_init(&b->sched);
}

static void bench_close(struct bench *b)
{
    sched_fini(&b->sched);
    pmem_free(b->memory);
}

static void hostmem_open(struct bench *b, uint32_t depth)
{
    bench_open(b);
    b->asker.bytes = sizeof(struct msg_mem_rsp);
    b->from = part_new(&asker_ops, "asker", 2, 2, &b->asker);
    b->to = hostmem_new(b->memory, 1, depth);
    sched_add(&b->sched, b->from);
    sched_add(&b->sched, b->to);
    sched_connect(&b->sched, b->from, 0, b->to, 0, sizeof(struct msg_mem_req), LATENCY, 64);
    sched_connect(&b->sched, b->from, 1, b->to, 1, 0, LATENCY, 64);
    sched_connect(&b->sched, b->to, 0, b->from, 0, sizeof(struct msg_mem_rsp), LATENCY, 64);
    sched_connect(&b->sched, b->to, 1, b->from, 1, 0, LATENCY, 64);
    assert_true(sched_start(&b->sched));
}

static void settle(struct bench *b)
{
    for (uint64_t next; (next = sched_next(&b->sched)) != UINT64_MAX;) {
        b->sched.now = next;
        sched_run(&b->sched, 1);
    }
}

// One request; its answer, with the credit for it given back.
static struct msg_mem_rsp ask(struct bench *b, uint8_t op, uint64_t address, uint64_t mask, const uint64_t *data)
{
    struct msg_mem_req req = {.op = op, .addr = address, .mask = mask, .atomic = ATOMIC_ADD, .size = 8, .tag = 7};
    if (data)
        memcpy(req.data, data, sizeof req.data);
    sched_send(b->from, 0, b->sched.now, &req);
    sched_send(b->from, 1, b->sched.now, NULL);
    settle(b);
    assert_true(b->asker.answers > 0);
    struct msg_mem_rsp rsp = b->asker.answer[--b->asker.answers].far;
    assert_int_equal(rsp.tag, 7);
    assert_int_equal(rsp.op, op);
    return rsp;
}

static void line_fill(uint64_t line[8], uint8_t first)
{
    for (unsigned i = 0; i < 64; i++)
        ((uint8_t *)line)[i] = (uint8_t)(first + i);
}

// A read brings the whole line that holds its address; a write the bytes of its mask; an atomic what was there before.
static void host_memory_holds_what_was_written(void **state)
{
    struct bench b;
    uint64_t one[8], two[8];
    (void)state;
    hostmem_open(&b, 4);
    line_fill(one, 1);
    line_fill(two, 101);
    assert_int_equal(ask(&b, MEM_WRITE, 0x1000, UINT64_MAX, one).status, MEM_OK);
    assert_int_equal(ask(&b, MEM_WRITE, 0x1000, 0xf0, two).status, MEM_OK);
    memcpy((uint8_t *)one + 4, (uint8_t *)two + 4, 4);
    struct msg_mem_rsp rsp = ask(&b, MEM_READ, 0x1000 + 40, 0, NULL);
    assert_int_equal(rsp.status, MEM_OK);
    assert_memory_equal(rsp.data, one, 64);
    const uint64_t operand[8] = {5};
    rsp = ask(&b, MEM_ATOMIC, 0x1008, 0, operand);
    assert_true(rsp.data[0] == one[1]);
    rsp = ask(&b, MEM_READ_NC, 0x1000, 0, NULL);
    assert_true(rsp.data[1] == one[1] + 5 && rsp.data[2] == one[2]);
    bench_close(&b);
}

// Memory that nobody owns answers with an error, whatever is asked of it, and nothing of it counts.
static void unowned_memory_is_a_bus_error(void **state)
{
    static const uint8_t ops[] = {MEM_READ, MEM_READ_NC, MEM_WRITE, MEM_ATOMIC};
    struct bench b;
    uint64_t line[8];
    (void)state;
    hostmem_open(&b, 4);
    line_fill(line, 1);
    uint64_t before = hostmem_hash(b.to);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(ask(&b, ops[i], 16 * MIB, i < 3 ? UINT64_MAX : 0, line).status, MEM_FAULT_BUS);
    assert_true(hostmem_hash(b.to) == before);
    bench_close(&b);
}

// Answers are sent while there are credits for them, in order, none is lost; the place of a request is free at once.
static void answers_wait_for_credits(void **state)
{
    struct bench b;
    (void)state;
    hostmem_open(&b, 2);
    for (uint32_t i = 0; i < 7; i++) {
        struct msg_mem_req req = {.op = MEM_READ, .addr = 64 * i, .tag = (uint8_t)i};
        sched_send(b.from, 0, 0, &req);
    }
    settle(&b);
    assert_int_equal(b.asker.answers, 2);
    assert_int_equal(b.asker.credits, 7);
    for (unsigned given = 1; given <= 5; given++) {
        sched_send(b.from, 1, b.sched.now, NULL);
        settle(&b);
        assert_int_equal(b.asker.answers, 2 + given);
    }
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(b.asker.answer[i].far.tag, i);
    bench_close(&b);
}

static uint64_t hash_of(uint64_t address, uint64_t mask, uint8_t first, bool backwards)
{
    struct bench b;
    uint64_t line[8], other[8];
    hostmem_open(&b, 4);
    line_fill(line, first);
    line_fill(other, 77);
    if (backwards)
        ask(&b, MEM_WRITE, 0x2000, UINT64_MAX, other);
    ask(&b, MEM_WRITE, address, mask, line);
    if (!backwards)
        ask(&b, MEM_WRITE, 0x2000, UINT64_MAX, other);
    ask(&b, MEM_READ, 0x3000, 0, NULL);
    uint64_t hash = hostmem_hash(b.to);
    bench_close(&b);
    return hash;
}

// Address, mask, written bytes and order make the hash; bytes that a store does not write do not.
static void the_hash_is_over_what_is_written(void **state)
{
    (void)state;
    uint64_t hash = hash_of(0x1000, 1, 5, false);
    assert_true(hash == hash_of(0x1000, 1, 5, false));
    assert_true(hash != hash_of(0x1040, 1, 5, false));
    assert_true(hash != hash_of(0x1000, 3, 5, false));
    assert_true(hash != hash_of(0x1000, 1, 6, false));
    assert_true(hash != hash_of(0x1000, 1, 5, true));
    struct bench a, b;
    uint64_t line[8];
    line_fill(line, 9);
    hostmem_open(&a, 4);
    ask(&a, MEM_WRITE, 0x1000, 0xff, line);
    hostmem_open(&b, 4);
    line[1] = line[7] = 0x1234; // outside the mask
    ask(&b, MEM_WRITE, 0x1000, 0xff, line);
    assert_true(hostmem_hash(a.to) == hostmem_hash(b.to));
    bench_close(&a);
    bench_close(&b);
}

// The contents of VRAM: each slice gets its own answers; a masked write leaves the other bytes as they are.
static void vram_holds_what_was_written(void **state)
{
    struct bench b;
    uint64_t one[8], two[8];
    (void)state;
    bench_open(&b);
    b.asker.bytes = sizeof(struct msg_dram_rsp);
    b.from = part_new(&asker_ops, "asker", 1, 1, &b.asker);
    b.to = store_new(b.memory, 0, 64 * MIB, 1);
    sched_add(&b.sched, b.from);
    sched_add(&b.sched, b.to);
    sched_connect(&b.sched, b.from, 0, b.to, 0, sizeof(struct msg_dram_req), LATENCY, 64);
    sched_connect(&b.sched, b.to, 0, b.from, 0, sizeof(struct msg_dram_rsp), LATENCY, 64);
    assert_true(sched_start(&b.sched));
    line_fill(one, 1);
    line_fill(two, 101);
    struct msg_dram_req write = {.write = 1, .addr = 0x1000, .mask = UINT64_MAX};
    memcpy(write.data, one, 64);
    sched_send(b.from, 0, 0, &write);
    write.mask = 0x8000000000000001;
    memcpy(write.data, two, 64);
    sched_send(b.from, 0, 0, &write);
    struct msg_dram_req read = {.addr = 0x1000, .tag = 3};
    sched_send(b.from, 0, 0, &read);
    settle(&b);
    ((uint8_t *)one)[0] = 101, ((uint8_t *)one)[63] = 164;
    assert_int_equal(b.asker.answers, 1); // writes are not answered
    assert_int_equal(b.asker.answer[0].dram.tag, 3);
    assert_memory_equal(b.asker.answer[0].dram.data, one, 64);
    assert_memory_equal(pmem_vram(b.memory, 0, 0x1000, 64), one, 64);
    pmem_move(b.memory, pmem_addr(1, 0x5000), pmem_addr(1, 0x1000), false); // a page comes here, what was here is there
    sched_send(b.from, 0, b.sched.now, &write);
    sched_send(b.from, 0, b.sched.now, &read);
    read.addr = 0x5000;
    sched_send(b.from, 0, b.sched.now, &read);
    settle(&b);
    assert_int_equal(b.asker.answers, 3);
    assert_memory_equal(b.asker.answer[2].dram.data, one, 64);
    memset((uint8_t *)one + 1, 0, 62);
    assert_memory_equal(b.asker.answer[1].dram.data, one, 64);
    assert_memory_equal(pmem_pages(b.memory, 0, 0x5000, 64), one, 64);
    bench_close(&b);
}

// A line of a frame whose page moves: what nobody may do to it ends the run with the frame and the line.
static int guarded(enum pmem_guard guard, bool write)
{
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        struct bench b;
        bench_open(&b);
        assert_true(pmem_guard_begin(b.memory));
        b.asker.bytes = sizeof(struct msg_dram_rsp);
        b.from = part_new(&asker_ops, "asker", 1, 1, &b.asker);
        b.to = store_new(b.memory, 0, 64 * MIB, 1);
        sched_add(&b.sched, b.from);
        sched_add(&b.sched, b.to);
        sched_connect(&b.sched, b.from, 0, b.to, 0, sizeof(struct msg_dram_req), LATENCY, 64);
        sched_connect(&b.sched, b.to, 0, b.from, 0, sizeof(struct msg_dram_rsp), LATENCY, 64);
        if (!sched_start(&b.sched) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        pmem_guard_set(b.memory, pmem_addr(1, 0x7000), guard);
        sched_send(b.from, 0, 0, &(struct msg_dram_req){.write = write, .addr = 0x7fc0, .mask = UINT64_MAX});
        sched_send(b.from, 0, 0, &(struct msg_dram_req){.write = !write, .addr = 0x8000, .mask = UINT64_MAX});
        settle(&b);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void frames_of_moving_pages_are_guarded(void **state)
{
    (void)state;
    for (unsigned write = 0; write < 2; write++) {
        assert_int_equal(guarded(PMEM_OPEN, write), 0);
        assert_int_equal(guarded(PMEM_LEFT, write), 70);
        assert_int_equal(guarded(PMEM_SENT, write), write ? 70 : 0);
        assert_int_equal(guarded(PMEM_COMES, write), write ? 0 : 70);
    }
}

// Saved with answers that wait and with the hash in the middle of a block, restored into a new partition: the answers
// come in their order with the credits, the hash and the counters go on.
static uint64_t counted;
static void count(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)arg, (void)location, (void)name, (void)unit;
    counted = counted * 1000 + value;
}

static void a_saved_partition_goes_on(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct bench a, b;
        struct state_buffer saved, again;
        uint64_t line[8];
        state_buffer_init(&saved);
        state_buffer_init(&again);
        hostmem_open(&a, 2);
        hostmem_open(&b, 2);
        line_fill(line, 1);
        for (uint32_t i = 0; i < 7; i++) { // 96 and 48 bytes of the hash: in the middle of its 32
            struct msg_mem_req req = {.op = i == 3  ? MEM_ATOMIC
                                            : i & 1 ? MEM_READ
                                                    : MEM_WRITE,
                                      .addr = 64 * i,
                                      .atomic = ATOMIC_ADD,
                                      .size = 8,
                                      .mask = UINT64_MAX << i,
                                      .tag = i};
            memcpy(req.data, line, 64);
            sched_send(a.from, 0, 0, &req);
        }
        settle(&a);
        if (way)
            sched_send(a.from, 1, a.sched.now, NULL); // one more has gone: the list does not begin at its beginning
        settle(&a);
        sched_save(&a.sched, &saved.writer);
        for (uint32_t i = 0; i < 3; i++) // what it has done before is gone
            ask(&b, MEM_READ, 64 * i, 0, NULL);
        sched_send(b.from, 0, b.sched.now, &(struct msg_mem_req){.op = MEM_READ});
        settle(&b);
        assert_true(sched_restore(&b.sched, &saved.reader));
        assert_true(hostmem_hash(a.to) == hostmem_hash(b.to));
        assert_true(part_state_hash(a.to) == part_state_hash(b.to));
        sched_save(&b.sched, &again.writer);
        assert_int_equal(saved.count, again.count);
        assert_memory_equal(saved.bytes, again.bytes, saved.count);
        const unsigned before = a.asker.answers;
        b.asker = a.asker; // who asks has no state of its own
        struct bench *both[] = {&a, &b};
        uint64_t counters[2];
        for (unsigned n = 0; n < 2; n++) {
            struct msg_mem_req req = {.op = MEM_WRITE, .addr = 640, .mask = 0xff, .tag = 9};
            sched_send(both[n]->from, 0, both[n]->sched.now, &req);
            settle(both[n]);
            assert_int_equal(both[n]->asker.answers, before); // no credit, no answer
            for (unsigned i = 0; i < 7; i++)
                sched_send(both[n]->from, 1, both[n]->sched.now, NULL);
            settle(both[n]);
            counted = 0;
            both[n]->to->ops->counters(both[n]->to, count, NULL);
            counters[n] = counted;
        }
        assert_int_equal(a.asker.answers, 8);
        assert_int_equal(b.asker.answers, 8);
        for (unsigned i = before; i < 8; i++)
            assert_int_equal(b.asker.answer[i].far.tag, i == 7 ? 9 : i);
        assert_true(hostmem_hash(a.to) == hostmem_hash(b.to));
        assert_true(counters[0] == 2005001 && counters[1] == counters[0]);
        bench_close(&a);
        bench_close(&b);
        free(saved.bytes);
        free(again.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_memory_holds_what_was_written), cmocka_unit_test(unowned_memory_is_a_bus_error),
        cmocka_unit_test(answers_wait_for_credits),           cmocka_unit_test(the_hash_is_over_what_is_written),
        cmocka_unit_test(vram_holds_what_was_written),        cmocka_unit_test(frames_of_moving_pages_are_guarded),
        cmocka_unit_test(a_saved_partition_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
