// SPDX-License-Identifier: Apache-2.0
// Contents of a GPU's VRAM behind its slices (store.c): each slice its answers, one a cycle; whole and masked writes,
// in a recording's copy as well; the hash over them byte for byte, counters, saved state, an address outside of it.
#include "../machine/hand_bench.h"
#include "record/shadow.h"
#include "saved/state_io.h"
#include <xxhash.h>

#define SLICES 3u
#define LATENCY 8u

struct note {
    uint32_t slice;
    uint64_t cycle;
    struct msg_dram_rsp rsp;
};
struct bench {
    struct pmem *memory;
    struct sched sched;
    struct part *from, *to;
    struct note notes[64];
    unsigned count;
};

static void visit(struct part *part, uint64_t from)
{
    struct bench *b = part->own;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < part->due_count[c]; i++) {
            struct note *n = &b->notes[b->count++];
            *n = (struct note){.slice = part->due[c][i].slot, .cycle = from + c};
            memcpy(&n->rsp, part->due[c][i].data, sizeof n->rsp);
        }
}
static const struct part_ops ops = {.visit = visit};

static struct bench *bench_open(void)
{
    struct bench *b = calloc(1, sizeof *b);
    b->memory = pmem_new(2, HAND_VRAM, HAND_VRAM);
    sched_init(&b->sched);
    b->from = part_new(&ops, "slices", SLICES, SLICES, b);
    b->from->idle = true;
    b->to = store_new(b->memory, 1, HAND_VRAM, SLICES);
    assert_string_equal(part_name(b->to), "gpu1.store");
    assert_true(b->to->ins == SLICES && b->to->outs == SLICES);
    sched_add(&b->sched, b->from);
    sched_add(&b->sched, b->to);
    for (unsigned s = 0; s < SLICES; s++) {
        sched_connect(&b->sched, b->from, s, b->to, s, sizeof(struct msg_dram_req), LATENCY, 64);
        sched_connect(&b->sched, b->to, s, b->from, s, sizeof(struct msg_dram_rsp), LATENCY, 64);
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

static struct msg_dram_req line_of(uint64_t addr, uint64_t mask, uint8_t first)
{
    struct msg_dram_req req = {.write = 1, .tag = 99, .addr = addr, .mask = mask};
    for (unsigned i = 0; i < 64; i++)
        ((uint8_t *)req.data)[i] = (uint8_t)(first + i);
    return req;
}

static void ask(struct bench *b, unsigned slice, uint64_t cycle, struct msg_dram_req req)
{
    sched_send(b->from, slice, cycle, &req);
}

// Reads of each slice are answered where they came from, in the next cycle each, with what has been written before.
static void slices_have_their_answers(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    const struct msg_dram_req whole = line_of(HAND_VRAM - 64, UINT64_MAX, 3),
                              some = line_of(HAND_VRAM - 64, 0x8000000000000ff1, 100);
    uint8_t wanted[64];
    memcpy(wanted, whole.data, 64);
    for (unsigned i = 0; i < 64; i++)
        if (some.mask >> i & 1)
            wanted[i] = ((const uint8_t *)some.data)[i];
    ask(b, 0, 105, whole);
    ask(b, 2, 106, some);
    ask(b, 2, 107, (struct msg_dram_req){.addr = HAND_VRAM - 64, .tag = 5});
    ask(b, 2, 107, (struct msg_dram_req){.addr = 64, .tag = 6});
    ask(b, 1, 109, (struct msg_dram_req){.addr = HAND_VRAM - 64, .tag = 7});
    settle(b);
    assert_int_equal(b->count, 3);
    static const struct {
        unsigned slice, tag;
        uint64_t cycle;
    } answers[] = {{2, 5, 107}, {2, 6, 108}, {1, 7, 109}};
    const uint8_t zeros[64] = {0};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(b->notes[i].slice == answers[i].slice && b->notes[i].cycle == answers[i].cycle + 2 * LATENCY);
        assert_int_equal(b->notes[i].rsp.tag, answers[i].tag);
        assert_memory_equal(b->notes[i].rsp.data, i == 1 ? zeros : wanted, 64);
    }
    assert_memory_equal(pmem_vram(b->memory, 1, HAND_VRAM - 64, 64), wanted, 64);
    assert_memory_equal(pmem_vram(b->memory, 0, HAND_VRAM - 64, 64), zeros, 64);
    bench_close(b);
}

// With a recording's copy the GPU reads that, and writes both.
static void a_copy_is_what_the_gpu_sees(void **state)
{
    (void)state;
    struct bench *b = bench_open();
    struct shadow *shadow = shadow_new(b->memory, 1, false);
    memset(pmem_vram(b->memory, 1, 128, 64), 7, 64); // a program's write that has not been brought in
    store_shadow(b->to, shadow);
    ask(b, 0, 10, line_of(128, 0xf0, 50));
    ask(b, 0, 11, (struct msg_dram_req){.addr = 128});
    settle(b);
    uint8_t copy[64] = {0}, vram[64];
    memset(vram, 7, 64);
    for (unsigned i = 4; i < 8; i++)
        copy[i] = vram[i] = (uint8_t)(50 + i);
    assert_memory_equal(b->notes[0].rsp.data, copy, 64);
    assert_memory_equal(pmem_vram(b->memory, 1, 128, 64), vram, 64);
    assert_int_equal(shadow->kept[0], 1);
    store_shadow(b->to, NULL);
    ask(b, 0, b->sched.now, (struct msg_dram_req){.addr = 128});
    settle(b);
    assert_memory_equal(b->notes[1].rsp.data, vram, 64);
    shadow_free(shadow);
    bench_close(b);
}

// ---- hash, counters, state
static void count(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    char *text = arg;
    snprintf(text + strlen(text), 100, "%s %s %llu %s\n", location, name, (unsigned long long)value, unit);
}

static void the_hash_is_of_writes(void **state)
{
    (void)state;
    struct bench *b = bench_open(), *other = bench_open();
    XXH64_state_t *hash = XXH64_createState();
    XXH64_reset(hash, 0);
    assert_true(store_hash(b->to) == XXH64_digest(hash));
    for (unsigned i = 0; i < 5; i++) {
        const struct msg_dram_req req =
            line_of(64 * i, i == 2 ? UINT64_MAX : UINT64_C(0x80000000000000f1) << i, (uint8_t)(9 * i));
        const uint64_t head[2] = {req.addr, req.mask};
        uint8_t line[64];
        for (unsigned n = 0; n < 64; n++)
            line[n] = req.mask >> n & 1 ? ((const uint8_t *)req.data)[n] : 0;
        XXH64_update(hash, head, sizeof head);
        XXH64_update(hash, line, sizeof line);
        ask(b, i % SLICES, b->sched.now, req);
        ask(b, i % SLICES, b->sched.now, (struct msg_dram_req){.addr = 64 * i});
        ask(b, i % SLICES, b->sched.now, (struct msg_dram_req){.addr = 64 * i});
        settle(b);
        assert_true(store_hash(b->to) == XXH64_digest(hash));
    }
    struct state_buffer saved;
    char text[2][300] = {"", ""};
    state_buffer_init(&saved);
    ask(other, 0, 0, line_of(0, 1, 1)); // is gone
    settle(other);
    b->to->ops->save(b->to, &saved.writer);
    const size_t bytes = saved.count;
    for (size_t n = 0; n < bytes; n++) {
        saved.count = n;
        saved.taken = 0;
        assert_false(other->to->ops->restore(other->to, &saved.reader));
    }
    saved.count = bytes;
    saved.taken = 0;
    assert_true(other->to->ops->restore(other->to, &saved.reader));
    assert_int_equal(saved.taken, bytes);
    b->to->ops->counters(b->to, count, text[0]);
    other->to->ops->counters(other->to, count, text[1]);
    assert_string_equal(text[0], "gpu1.store reads 10 count\ngpu1.store writes 5 count\n");
    assert_string_equal(text[1], text[0]);
    assert_true(store_hash(other->to) == store_hash(b->to));
    struct bench *both[] = {b, other};
    for (unsigned i = 0; i < 2; i++) {
        ask(both[i], 0, both[i]->sched.now, line_of(640, 0xff, 77));
        settle(both[i]);
    }
    assert_true(store_hash(other->to) == store_hash(b->to));
    free(saved.bytes);
    XXH64_freeState(hash);
    bench_close(b);
    bench_close(other);
}

// ---- bugs
static struct bench *wrong;
static void asks(void *arg)
{
    ask(wrong, 1, 0, (struct msg_dram_req){.addr = *(const uint64_t *)arg});
    settle(wrong);
}
static void has_no_memory(void *arg)
{
    (void)arg;
    store_new(wrong->memory, 1, HAND_VRAM + 64, 1);
}

static void bugs_are_told(void **state)
{
    (void)state;
    static const uint64_t addrs[] = {32, 65, HAND_VRAM, HAND_VRAM + 64, UINT64_MAX - 63};
    char *said;
    wrong = bench_open();
    uint64_t right = HAND_VRAM - 64;
    assert_false(hand_aborts(asks, &right, NULL));
    for (unsigned i = 0; i < 5; i++) {
        char wanted[80];
        uint64_t addr = addrs[i];
        assert_true(hand_aborts(asks, &addr, &said));
        snprintf(wanted, sizeof wanted, "slice 1 asks for address 0x%llx", (unsigned long long)addr);
        assert_non_null(strstr(said, wanted));
        free(said);
    }
    assert_true(hand_aborts(has_no_memory, NULL, &said));
    assert_non_null(strstr(said, "gpu1.store: no memory of 67108928 bytes"));
    free(said);
    bench_close(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_have_their_answers),
        cmocka_unit_test(a_copy_is_what_the_gpu_sees),
        cmocka_unit_test(the_hash_is_of_writes),
        cmocka_unit_test(bugs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
