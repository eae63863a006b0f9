// SPDX-License-Identifier: Apache-2.0
// A GPU's own copy of its VRAM: what others change there comes in by patches, each change once and nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/message_log.h"
#include "record/shadow.h"
#include "saved/journal.h"
#include "saved/state_io.h"
#include "vm/pmem.h"
#include "vm/pmem_save.h"

#define MIB (UINT64_C(1) << 20)
#define VRAM (64 * MIB)

// A second copy that is built from patches alone.
struct twin {
    uint8_t *bytes;
    unsigned patches;
    uint64_t patched, first;
};

static void twin_patch(void *ctx, unsigned gpu, uint64_t at, const void *data, size_t bytes)
{
    struct twin *t = ctx;
    assert_int_equal(gpu, 1);
    assert_true(bytes > 0 && bytes <= 64 << 10 && bytes % 64 == 0 && at % 64 == 0 && at + bytes <= VRAM);
    memcpy(t->bytes + at, data, bytes);
    t->first = t->patches++ ? t->first : at;
    t->patched += bytes;
}

static struct twin twin_make(void)
{
    return (struct twin){.bytes = calloc(1, VRAM)};
}

static unsigned update(struct shadow *s, struct twin *t)
{
    t->patches = 0;
    t->patched = 0;
    shadow_update(s, twin_patch, t);
    return t->patches;
}

/* shows S4.7: single lines, neighbours, a long run, page tables at the top; nothing twice. */
static void changes(void **state)
{
    (void)state;
    struct pmem *pm = pmem_new(2, VRAM, 4 * MIB);
    struct shadow *s = shadow_new(pm, 1, false);
    struct twin t = twin_make();
    uint8_t *vram = pmem_vram(pm, 1, 0, VRAM);
    assert_int_equal(update(s, &t), 0);
    vram[5] = 1;
    vram[MIB + 64] = 2;
    vram[MIB + 128] = 3;
    vram[VRAM - 1] = 4;
    assert_int_equal(update(s, &t), 3);
    assert_int_equal(t.patched, 4 * 64);
    assert_int_equal(update(s, &t), 0);
    memset(vram + 2 * MIB, 7, 200 << 10);
    assert_int_equal(update(s, &t), 4); // 64 KiB each
    assert_int_equal(t.patched, 200 << 10);
    vram[5] = 0; // back to what it was
    assert_int_equal(update(s, &t), 1);
    pmem_vram(pm, 0, 0, 64)[0] = 9; // another GPU's
    assert_int_equal(update(s, &t), 0);
    assert_memory_equal(t.bytes, vram, VRAM);
    assert_memory_equal(s->copy, vram, VRAM);
    shadow_free(s);
    shadow_free(NULL);
    pmem_free(pm);
    free(t.bytes);
}

/* shows S4.7: memory that a program gets, writes and gives back: its file comes and goes, holes are zeros. */
static void slabs(void **state)
{
    (void)state;
    struct pmem *pm = pmem_new(2, VRAM, 4 * MIB);
    struct shadow *s = shadow_new(pm, 1, false);
    struct twin t = twin_make();
    const uint64_t granule = pmem_granule(pm, 1), at = 3 * granule;
    uint64_t changes = pmem_changes(pm), unused;
    assert_int_equal(pmem_slab_take(pm, 1, at, 2 * granule), 0);
    assert_true(pmem_changes(pm) > changes);
    int fd = pmem_slab_fd(pm, 1, at, &unused, &unused);
    assert_int_equal(pwrite(fd, "program", 7, (off_t)granule + 4096), 7); // by its own descriptor
    assert_int_equal(update(s, &t), 1);
    assert_int_equal(t.first, at + granule + 4096);
    uint8_t *vram = pmem_vram(pm, 1, 0, VRAM);
    vram[at + 64] = 8;
    memset(shadow_line(s, at), 5, 64); // by its GPU: both
    memset(vram + at, 5, 64);
    assert_int_equal(update(s, &t), 1);
    assert_int_equal(t.first, at + 64);
    changes = pmem_changes(pm);
    pmem_clear(pm, 1, at, 4096);
    assert_true(pmem_changes(pm) > changes);
    assert_int_equal(update(s, &t), 1); // both lines are zeros again
    assert_int_equal(t.patched, 128);
    pmem_slab_give(pm, 1, at + granule);
    assert_int_equal(update(s, &t), 1);
    assert_int_equal(t.first, at + granule + 4096);
    assert_int_equal(update(s, &t), 0);
    assert_memory_equal(s->copy, vram, VRAM);
    shadow_free(s);
    pmem_free(pm);
    free(t.bytes);
}

/* shows S4.7: a page that comes with the bytes which its GPU has written is no change; what the program writes there
 * from then on is, at its new address, and what it had at the old one is nobody's. */
static void a_page_that_moves(void **state)
{
    (void)state;
    struct pmem *pm = pmem_new(2, VRAM, 4 * MIB);
    struct shadow *s = shadow_new(pm, 1, false);
    struct twin t = twin_make();
    const uint64_t page = pmem_addr(1, MIB), frame = pmem_addr(2, 2 * MIB);
    uint8_t *program = pmem_pages(pm, 0, MIB, 4096);
    program[70] = 5;
    shadow_line(s, 2 * MIB + 64)[6] = 5; // the push
    pmem_vram(pm, 1, 2 * MIB + 64, 64)[6] = 5;
    pmem_move(pm, page, frame, true);
    assert_int_equal(update(s, &t), 0);
    program[200] = 6;
    pmem_pages(pm, 1, 2 * MIB, 4096)[300] = 7; // stands at the page's own address
    assert_int_equal(update(s, &t), 1);
    assert_int_equal(t.first, 2 * MIB + 192);
    assert_int_equal(s->copy[2 * MIB + 200], 6);
    pmem_move(pm, page, page, false);
    assert_int_equal(update(s, &t), 1); // the frame has what it had itself, in two lines
    assert_int_equal(t.patched, 128);
    assert_true(s->copy[2 * MIB + 200] == 0 && s->copy[2 * MIB + 300] == 7);
    shadow_free(s);
    pmem_free(pm);
    free(t.bytes);
}

/* shows S4.7: what is saved: each page that is not zero, by its address, and the end. */
static void saved(void **state)
{
    (void)state;
    struct pmem *pm = pmem_new(2, VRAM, 4 * MIB);
    struct shadow *s = shadow_new(pm, 1, false);
    static const uint64_t pages[] = {0, 63 * 4096, 64 * 4096, VRAM - 4096};
    for (unsigned i = 0; i < 4; i++)
        shadow_line(s, pages[i] + 64 * i)[5] = (uint8_t)(i + 1);
    shadow_line(s, 5 * MIB)[0] = 0; // may be other than zero, and is not
    struct state_buffer b;
    state_buffer_init(&b);
    shadow_save(s, &b.writer);
    assert_int_equal(b.count, 4 * (8 + 4096) + 8);
    for (unsigned i = 0; i < 4; i++) {
        uint8_t page[4096] = {0};
        uint64_t at;
        page[64 * i + 5] = (uint8_t)(i + 1);
        assert_true(state_get_u64(&b.reader, &at));
        assert_int_equal(at, pages[i]);
        assert_memory_equal(b.bytes + b.taken, page, 4096);
        b.taken += 4096;
    }
    uint64_t end;
    assert_true(state_get_u64(&b.reader, &end));
    assert_true(end == PMEM_SAVE_END);
    struct twin t = twin_make();
    assert_int_equal(update(s, &t), 4); // memory has none of it: zeros come in
    assert_int_equal(t.patched, 4 * 64);
    assert_int_equal(update(s, &t), 0);
    for (uint64_t word = 0; word < VRAM / 4096 / 64; word++)
        assert_int_equal(s->kept[word], 0);
    free(t.bytes);
    free(b.bytes);
    shadow_free(s);
    pmem_free(pm);
}

/* What is written by pmem's functions is announced; host memory is not this copy's business. */
static void announced(void **state)
{
    (void)state;
    struct pmem *pm = pmem_new(1, VRAM, 4 * MIB);
    uint64_t old, before = pmem_changes(pm);
    uint32_t word = 1;
    pmem_write(pm, pmem_addr(0, 64), &word, sizeof word);
    pmem_atomic(pm, pmem_addr(0, 64), 0, 4, 1, 0, &old);
    pmem_read(pm, pmem_addr(1, 64), &word, sizeof word);
    assert_int_equal(pmem_changes(pm), before);
    pmem_write(pm, pmem_addr(1, 64), &word, sizeof word);
    assert_int_equal(pmem_changes(pm), before + 1);
    pmem_atomic(pm, pmem_addr(1, 64), 0, 4, 1, 0, &old);
    assert_int_equal(pmem_changes(pm), before + 2);
    pmem_free(pm);
}

/* shows S4.7: messages of several slots and widths, credits, and cycles far apart come back as they were. */
static void messages(void **state)
{
    (void)state;
    char path[] = "/tmp/messages-XXXXXX";
    close(mkstemp(path));
    unlink(path);
    struct journal *j = journal_create(path, "test", 1);
    struct message_log out = {.stream = 5}, in = {.stream = 5};
    uint8_t data[MESSAGE_MOST];
    uint64_t cycle = 0;
    for (unsigned i = 0; i < 300; i++) {
        cycle += i % 7 == 0 ? UINT64_C(1) << 33 : i % 3;
        memset(data, (int)i, sizeof data);
        message_write(&out, j, cycle, i % 5, i % 5 ? data : NULL, i % 5 * 64);
    }
    assert_true(journal_close(j, true));
    enum gantry_status failure;
    struct journal_reader *r = journal_open(path, "test", 1, &failure);
    struct message m;
    cycle = 0;
    for (unsigned i = 0; i < 300; i++) {
        cycle += i % 7 == 0 ? UINT64_C(1) << 33 : i % 3;
        memset(data, (int)i, sizeof data);
        assert_true(message_read(&in, r, &m));
        assert_true(m.cycle == cycle && m.slot == i % 5 && m.bytes == i % 5 * 64);
        assert_memory_equal(m.data, data, m.bytes);
    }
    assert_false(message_read(&in, r, &m));
    journal_reader_free(r);
    message_log_fini(&in);
    message_log_fini(&out);
    unlink(path);
}

/* shows S4.7: a copy that two processes have: what its GPU has written in one of them is no change in the other one,
 * and is saved there; what the program writes is. */
static void two_processes(void **state)
{
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++) {
        struct pmem *pm = pmem_new(2, VRAM, 4 * MIB);
        struct shadow *s = shadow_new(pm, 1, shared);
        struct twin t = twin_make();
        uint8_t *vram = pmem_vram(pm, 1, 0, VRAM);
        const pid_t gpu = fork();
        if (gpu == 0) {
            memset(shadow_line(s, MIB), 5, 64);
            memset(vram + MIB, 5, 64);
            _exit(0);
        }
        assert_int_equal(waitpid(gpu, NULL, 0), gpu);
        vram[5 * MIB] = 1;
        assert_int_equal(update(s, &t), shared ? 1 : 2);
        assert_int_equal(t.first, shared ? 5 * MIB : MIB);
        assert_int_equal(s->kept[MIB >> (SHADOW_PAGE + 6)] >> (MIB >> SHADOW_PAGE & 63) & 1, 1);
        assert_memory_equal(s->copy, vram, VRAM);
        shadow_free(s);
        pmem_free(pm);
        free(t.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes),           cmocka_unit_test(slabs),     cmocka_unit_test(saved),
        cmocka_unit_test(two_processes),     cmocka_unit_test(announced), cmocka_unit_test(messages),
        cmocka_unit_test(a_page_that_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
