// SPDX-License-Identifier: Apache-2.0
// Messages in a stream (record/message_log.h) and the text of those that differ (observe/fields.h): what was written
// is read, on slots in any order, with credits and with steps of more than 32 bits; a message that cannot be one is our
// bug; every field that differs is named once, with both values, as far as there is room.
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

#include "gantry_msg.h"
#include "observe/fields.h"
#include "record/message_log.h"
#include "saved/journal.h"

#define STREAM 5u

static char path[] = "/tmp/gantry-messages-XXXXXX";

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(path) ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    return rmdir(path);
}

static const struct sent {
    uint64_t cycle;
    uint32_t slot, bytes;
    uint8_t first;
} sent[] = {
    {3, 2, 256, 0x11},
    {3, 0, 1, 0x22},  // a slot below those known
    {10, 7, 8, 0x33}, // and one above
    {10, 2, 0, 0},    // a credit changes nothing of what was last on its slot
    {11, 2, 256, 0x44},
    {UINT64_C(10) + UINT32_MAX, 2, 4, 0x44},               // the largest step that fits
    {UINT64_C(10) + 2 * UINT64_C(0xffffffff), 2, 4, 0x44}, // the first that does not
    {UINT64_C(1) << 50, 7, 8, 0x33},
    {UINT64_C(1) << 50, 2, 256, 0x44},
};
#define COUNT (sizeof sent / sizeof *sent)

static void payload(const struct sent *s, uint8_t *data)
{
    for (uint32_t i = 0; i < s->bytes; i++)
        data[i] = (uint8_t)(s->first + 3 * i);
}

static void test_what_was_written_is_read(void **state)
{
    (void)state;
    char file[80];
    snprintf(file, sizeof file, "%s/j", path);
    struct journal *j = journal_create(file, "TEST", 1);
    assert_non_null(j);
    struct message_log out = {.stream = STREAM}, in = {.stream = STREAM};
    uint8_t data[MESSAGE_MOST];
    size_t heads = 0;
    for (size_t i = 0; i < COUNT; i++) {
        payload(&sent[i], data);
        message_write(&out, j, sent[i].cycle, sent[i].slot, sent[i].bytes ? data : NULL, sent[i].bytes);
        heads += 8 + sent[i].bytes;
    }
    assert_int_equal(journal_put_bytes(j, STREAM), heads + 2 * 8); // two steps have words of their own
    assert_int_equal(out.cycle, UINT64_C(1) << 50);
    assert_true(journal_close(j, true));

    enum gantry_status failure;
    struct journal_reader *r = journal_open(file, "TEST", 1, &failure);
    assert_non_null(r);
    struct message m;
    for (size_t i = 0; i < COUNT; i++) {
        memset(&m, 0xff, sizeof m);
        assert_true(message_read(&in, r, &m));
        assert_int_equal(m.cycle, sent[i].cycle);
        assert_int_equal(m.slot, sent[i].slot);
        assert_int_equal(m.bytes, sent[i].bytes);
        payload(&sent[i], data);
        assert_memory_equal(m.data, data, m.bytes);
        for (uint32_t rest = m.bytes; rest < MESSAGE_MOST; rest++)
            assert_int_equal(m.data[rest], 0); // nothing of another message stands behind it
    }
    assert_false(message_read(&in, r, &m));
    message_log_fini(&out);
    message_log_fini(&in);
    journal_reader_free(r);
    assert_int_equal(unlink(file), 0);
}

/* Whether writing that aborts. */
static bool refused(uint64_t last, uint64_t cycle, uint32_t slot, uint32_t bytes)
{
    static const uint8_t data[MESSAGE_MOST + 1] = {0};
    pid_t child = fork();
    if (child == 0) {
        char file[80];
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        snprintf(file, sizeof file, "%s/r", path);
        struct journal *j = journal_create(file, "TEST", 1);
        struct message_log log = {.stream = STREAM, .cycle = last};
        message_write(&log, j, cycle, slot, data, bytes);
        _exit(0);
    }
    int status;
    char file[80];
    snprintf(file, sizeof file, "%s/r", path);
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(file);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void test_bounds(void **state)
{
    (void)state;
    assert_false(refused(5, 5, UINT16_MAX, MESSAGE_MOST));
    assert_true(refused(5, 4, 0, 1));
    assert_true(refused(5, 5, UINT16_MAX + 1u, 1));
    assert_true(refused(5, 5, 0, MESSAGE_MOST + 1));
}

/* A stream that holds these bytes, and nothing is behind them. */
static bool unreadable(const void *raw, size_t bytes)
{
    char file[80];
    int status;
    snprintf(file, sizeof file, "%s/u", path);
    struct journal *j = journal_create(file, "TEST", 1);
    assert_non_null(j);
    journal_put(j, STREAM, raw, bytes);
    assert_true(journal_close(j, true));
    pid_t child = fork();
    if (child == 0) {
        enum gantry_status failure;
        struct message m;
        struct message_log log = {.stream = STREAM};
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        struct journal_reader *r = journal_open(file, "TEST", 1, &failure);
        _exit(r && message_read(&log, r, &m) ? 0 : 4);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(unlink(file), 0);
    assert_false(WIFEXITED(status) && (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 4));
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* A stream that cannot be one is our bug: files are held against their sums before. */
static void test_what_cannot_be_read(void **state)
{
    (void)state;
    struct {
        uint32_t step;
        uint16_t slot, bytes;
        uint64_t more[40];
    } raw = {1, 2, 256, {0}};
    assert_false(unreadable(&raw, 8 + 256));
    assert_true(unreadable(&raw, 8 + 255));
    raw.bytes = 257;
    assert_true(unreadable(&raw, 8 + 257));
    raw.bytes = 8;
    raw.step = UINT32_MAX; /* eight bytes of its own */
    assert_false(unreadable(&raw, 8 + 8 + 8));
    assert_true(unreadable(&raw, 8 + 8 + 7));
    assert_true(unreadable(&raw, 8 + 7));
}

static void test_fields_that_differ(void **state)
{
    (void)state;
    struct msg_cp_evt a = {.kind = 1, .id = 7, .end = 0x13d8, .instructions = 12}, b = a;
    char text[200] = "old";
    fields_differ("cp_evt", &a, &b, text, sizeof text);
    assert_string_equal(text, "");
    b.id = 0x107;
    b.end = UINT64_C(0x1234567890);
    fields_differ("cp_evt", &a, &b, text, sizeof text);
    assert_string_equal(text, "id=0x7 (recorded 0x107), end=0x13d8 (recorded 0x1234567890)");
}

/* far_req is a mem_req, and no smem_req; words of an array have their number. */
static void test_fields_of_far_messages(void **state)
{
    (void)state;
    struct msg_mem_req a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    uint64_t word = 9;
    a.vmid = 3;
    memcpy((uint8_t *)a.data + 56, &word, sizeof word);
    static const char wanted[] = "vmid=0x3 (recorded 0x0), data[7]=0x9 (recorded 0x0)";
    char text[200];
    fields_differ("far_req", &a, &b, text, sizeof text);
    assert_string_equal(text, wanted);
    fields_differ("mem_req", &a, &b, text, sizeof text);
    assert_string_equal(text, wanted);
    fields_differ("far_r", &a, &b, text, sizeof text); // no message
    assert_string_equal(text, "");
}

/* The text ends where the room does; nothing is written behind it. */
static void test_fields_without_room(void **state)
{
    (void)state;
    struct msg_cp_evt a = {.id = 7, .end = 1, .instructions = 5}, b = {.id = 8, .end = 2, .instructions = 6};
    char text[64];
    for (size_t room = 1; room < 40; room++) {
        memset(text, '#', sizeof text);
        fields_differ("cp_evt", &a, &b, text, room);
        assert_int_equal(strlen(text), room - 1);
        assert_memory_equal(text, "id=0x7 (recorded 0x8), end=0x1 (recorded 0x2)", room - 1);
        assert_int_equal(text[room], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_is_read), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_what_cannot_be_read),      cmocka_unit_test(test_fields_that_differ),
        cmocka_unit_test(test_fields_of_far_messages),   cmocka_unit_test(test_fields_without_room),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
