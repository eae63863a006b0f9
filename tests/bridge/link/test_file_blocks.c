// SPDX-License-Identifier: Apache-2.0
// Recordings byte by byte: when a block is written and what stands in it, which head is refused with which line, blocks
// that lie about themselves, and how far a reader looks ahead.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/file.h"
#include "take.h"

/* The recorder's clock: seconds pass when the test says so. */
static time_t seconds = 100;
int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){.tv_sec = seconds};
    return 0;
}

enum { BYTES = 56, RECORD = 64, FULL = FILE_BLOCK / RECORD, ROOM = 1 << 20 };
static char path[64];
static uint8_t bytes[ROOM];
static size_t size;

static int file_make(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/gantry-blocks-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}
static int file_remove(void **state)
{
    (void)state;
    return unlink(path);
}

static size_t size_now(void)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}
static void file_get(void)
{
    FILE *f = fopen(path, "rb");
    size = fread(bytes, 1, ROOM, f);
    fclose(f);
}
static void file_put(size_t count)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    fclose(f);
}

static uint64_t stamp_of(uint64_t n)
{
    return 100 + 9 * n + n % 3;
}
static void send(struct link *link, uint64_t n)
{
    uint8_t payload[BYTES];
    memset(payload, (int)(n & 0xff), BYTES);
    link_send(link, stamp_of(n), payload);
}
static struct link writer(void)
{
    static struct hello hello;
    struct file_place place = {path, &hello};
    struct link link;
    hello = hello_make("r", "g", "c", 3);
    link_init(&link, &transport_file, "a:0 -> b:0", true, BYTES, 100, 8);
    assert_true(link.transport->open(&link, &place));
    return link;
}
static void record(uint64_t count, uint64_t end)
{
    struct link link = writer();
    for (uint64_t n = 0; n < count; n++)
        send(&link, n);
    link.transport->promise(&link, end);
    link.transport->close(&link);
}

static struct file_block block_at(size_t at)
{
    struct file_block block;
    assert_true(at + sizeof block <= size);
    memcpy(&block, bytes + at, sizeof block);
    return block;
}
static void block_set(size_t at, struct file_block block)
{
    block.check = XXH64(&block, offsetof(struct file_block, check), 0);
    memcpy(bytes + at, &block, sizeof block);
}

/* One whole block of `records` messages from number *n on; returns where it ends. */
static size_t assert_block(size_t at, uint64_t *n, uint32_t records, uint64_t promise, bool last)
{
    static uint8_t raw[FILE_BLOCK + RECORD];
    struct file_block block = block_at(at);
    assert_int_equal(block.records, records);
    assert_int_equal(block.raw, records * RECORD);
    assert_int_equal(block.promise, promise);
    assert_int_equal(block.last, last);
    assert_true(block.check == XXH64(&block, offsetof(struct file_block, check), 0));
    at += sizeof block;
    assert_true(at + block.packed <= size && (block.packed > 0) == (records > 0));
    assert_true(block.data_check == XXH64(bytes + at, block.packed, 0));
    if (records)
        assert_int_equal(ZSTD_decompress(raw, sizeof raw, bytes + at, block.packed), block.raw);
    for (uint32_t k = 0; k < records; k++, ++*n) {
        uint64_t step;
        memcpy(&step, raw + (size_t)k * RECORD, sizeof step);
        assert_int_equal(step, stamp_of(*n) - (*n ? stamp_of(*n - 1) : 0));
        assert_int_equal(raw[(size_t)k * RECORD + 8], *n & 0xff);
        assert_int_equal(raw[(size_t)k * RECORD + 63], *n & 0xff);
    }
    return at + block.packed;
}

/* The head at once; a block with the message that makes it full, not before; at the end what is left and the mark. */
static void test_full_blocks(void **state)
{
    struct file_head head;
    uint64_t n = 0;
    (void)state;
    struct link link = writer();
    assert_int_equal(size_now(), sizeof head);
    for (; n < FULL - 1; n++)
        send(&link, n);
    assert_int_equal(size_now(), sizeof head);
    send(&link, n++);
    assert_true(size_now() > sizeof head + sizeof(struct file_block));
    link.transport->promise(&link, 7); /* long passed */
    for (unsigned k = 0; k < 5; k++)
        send(&link, n++);
    assert_int_equal(link.sent, n);
    link.transport->promise(&link, 1000000);
    link.transport->close(&link);
    file_get();
    memcpy(&head, bytes, sizeof head);
    assert_memory_equal(head.magic, "gantrylk", 8);
    assert_true(head.version == FILE_VERSION && head.bytes == BYTES && head.latency == 100 && head.depth == 8);
    assert_string_equal(head.name, "a:0 -> b:0");
    assert_int_equal(head.hello.seed, 3);
    assert_true(head.check == XXH64(&head, offsetof(struct file_head, check), 0));
    n = 0;
    size_t at = assert_block(sizeof head, &n, FULL, stamp_of(FULL - 1) + 1, false);
    at = assert_block(at, &n, 5, 1000000, false);
    at = assert_block(at, &n, 0, 1000000, true);
    assert_int_equal(at, size);
    record(0, 50); /* nothing was sent: the mark alone */
    file_get();
    assert_int_equal(assert_block(sizeof head, &n, 0, 50, true), size);
}

/* What waits is written with a promise when the last block is more than a whole second ago; nothing is written for
 * nothing. */
static void test_blocks_of_time(void **state)
{
    const size_t head = sizeof(struct file_head);
    uint64_t n = 0;
    (void)state;
    struct link link = writer();
    seconds += 50;
    link.transport->promise(&link, 90);
    assert_int_equal(size_now(), head);
    send(&link, n++);
    assert_int_equal(size_now(), head);
    link.transport->promise(&link, 110);
    const size_t one = size_now();
    assert_true(one > head);
    for (unsigned k = 0; k < 2; k++) { /* the same second and the next */
        send(&link, n++);
        link.transport->promise(&link, 120 + 20 * k);
        assert_int_equal(size_now(), one);
        seconds++;
    }
    link.transport->promise(&link, 141);
    assert_true(size_now() > one);
    link.transport->close(&link);
    file_get();
    n = 0;
    size_t at = assert_block(head, &n, 1, 110, false);
    at = assert_block(at, &n, 2, 141, false);
    assert_int_equal(assert_block(at, &n, 0, 141, true), size);
}

/* ---- reading */
static bool quiet_open(struct link *link, uint32_t depth)
{
    struct file_place place = {path, NULL};
    catch_errors();
    link_init(link, &transport_file, "a:0 -> b:0", false, BYTES, 100, depth);
    bool good = link->transport->open(link, &place);
    release_errors();
    return good;
}

static void assert_refused(const char *why)
{
    struct link link;
    char line[200];
    snprintf(line, sizeof line, "gantry: %s: %s\n", path, why);
    assert_false(quiet_open(&link, 8));
    assert_string_equal(errors.text, line);
}

static void test_heads(void **state)
{
    struct file_head head;
    (void)state;
    record(3, 1000);
    file_get();
    memcpy(&head, bytes, sizeof head);
    for (size_t cut = 0; cut < sizeof head; cut++) {
        file_put(cut);
        assert_refused(cut < 8 ? "not a recording of a link" : "cut off in its head");
    }
    bytes[8] = FILE_VERSION + 1; /* what follows may then mean something else */
    for (size_t cut = 8; cut <= sizeof head; cut++) {
        file_put(cut);
        assert_refused(cut < 12 ? "cut off in its head" : "recording of version 2, this is 1");
    }
    memset(head.name, 'x', sizeof head.name); /* a name without an end, with the right sum */
    head.check = XXH64(&head, offsetof(struct file_head, check), 0);
    memcpy(bytes, &head, sizeof head);
    file_put(size);
    assert_refused("damaged: head");
    char file[sizeof path];
    strcpy(file, path);
    strcpy(path, "/tmp");
    assert_refused("Is a directory");
    strcpy(path, file);
}

static size_t second_block(void)
{
    return sizeof(struct file_head) + sizeof(struct file_block) + block_at(sizeof(struct file_head)).packed;
}

/* Sums that fit do not make a block good, and a bad one is named by its number. */
static void test_blocks_that_lie(void **state)
{
    struct file_block good;
    const size_t first = sizeof(struct file_head);
    (void)state;
    record(FULL + 5, 1000000);
    file_get();
    good = block_at(first);
    const struct file_block lies[] = {
        {.records = good.records + 1, .raw = good.raw, .packed = good.packed},
        {.records = good.records - 1, .raw = good.raw, .packed = good.packed},
        {.records = FULL + 9, .raw = (FULL + 9) * RECORD, .packed = good.packed}, /* more than a block holds */
        {.records = good.records, .raw = good.raw, .packed = 1 << 24}};
    for (unsigned n = 0; n < sizeof lies / sizeof *lies; n++) {
        struct file_block lie = lies[n];
        lie.promise = good.promise;
        lie.data_check = good.data_check;
        block_set(first, lie);
        file_put(size);
        assert_refused("damaged: block 1");
    }
    block_set(first, good);
    const size_t second = second_block();
    const size_t third = second + sizeof good + block_at(second).packed;
    bytes[second + sizeof good] ^= 1;
    file_put(size);
    assert_refused("damaged: block 2");
    bytes[second + sizeof good] ^= 1;
    bytes[third] ^= 1;
    file_put(size);
    assert_refused("damaged: block 3");
    bytes[third] ^= 1;
    bytes[size] = 0;
    file_put(size + 1);
    assert_refused("damaged: block 3");
    struct link link;
    char line[200];
    static const char *const cycles[] = {"0", "9308", "1000000"};
    for (unsigned n = 0; n < 3; n++) { /* whole blocks: none, one, all but the mark */
        file_put(n == 0 ? second - 1 : n == 1 ? third - 1 : size - 1);
        snprintf(line, sizeof line, "gantry: %s: was cut off; what is there goes to cycle %s\n", path, cycles[n]);
        assert_true(quiet_open(&link, 8));
        assert_string_equal(errors.text, line);
        link.transport->close(&link);
    }
}

/* As many messages as the link is deep are at hand; the horizon is the stamp of the next one, taken or not read yet,
 * and at the end what was promised. */
static void test_looking_ahead(void **state)
{
    struct link link;
    (void)state;
    record(FULL + 10, 1000000);
    assert_true(quiet_open(&link, 9)); /* one that was recorded with less depth */
    assert_string_equal(errors.text, "");
    uint64_t done = 0;
    while (done < FULL + 10) {
        const uint64_t all = done + 9 < FULL + 10 ? done + 9 : FULL + 10;
        assert_int_equal(take_all(&link), all < FULL + 10 ? stamp_of(all) : 1000000);
        assert_int_equal(link.arrived, all);
        for (uint64_t n = done; n < all; n++) {
            assert_int_equal(ring_slot(link.ring, n)->stamp, stamp_of(n));
            assert_int_equal(ring_slot(link.ring, n)->sequence, n + 1);
            assert_int_equal(ring_slot(link.ring, n)->payload[BYTES - 1], n & 0xff);
        }
        done += done % 4 + 1 < all - done ? done % 4 + 1 : all - done;
        link.transport->done(&link, done);
    }
    link.transport->close(&link);
    assert_true(link.ring == NULL && link.own == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_blocks),     cmocka_unit_test(test_blocks_of_time), cmocka_unit_test(test_heads),
        cmocka_unit_test(test_blocks_that_lie), cmocka_unit_test(test_looking_ahead),
    };
    return cmocka_run_group_tests(tests, file_make, file_remove);
}
