// SPDX-License-Identifier: Apache-2.0
// Transport file: what was recorded comes back, message for message, with horizons; a recording that was cut off is
// replayed as far as it goes, a damaged one or another link's is refused in one line.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/file.h"
#include "take.h"

static char path[64];
static const char NAME[] = "gpu0.rdma:3 -> gpu1.rdma:5";

static unsigned at_first; /* descriptors; each test leaves as many */
static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int folder_make(void **state)
{
    (void)state;
    at_first = descriptors();
    snprintf(path, sizeof path, "/tmp/gantry-file-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int folder_remove(void **state)
{
    (void)state;
    return unlink(path);
}

/* Stamps and contents that both sides can compute. */
static uint64_t stamp_of(uint64_t n)
{
    return 100 + 7 * n + (n * n % 5) + (n / 1000) * 100000;
}
static void payload_of(uint64_t n, uint8_t *payload, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        payload[i] = (uint8_t)((n * 0x9e3779b97f4a7c15u >> (8 + i % 40)) + i);
}

static void record(uint32_t bytes, uint64_t count, uint64_t seed, uint64_t end)
{
    struct hello hello = hello_make("r", "g", "c", seed);
    struct file_place place = {path, &hello};
    struct link link;
    uint8_t payload[256];
    link_init(&link, &transport_file, NAME, true, bytes, 100, 8);
    assert_true(link.transport->open(&link, &place));
    for (uint64_t n = 0; n < count; n++) {
        payload_of(n, payload, bytes);
        link_send(&link, stamp_of(n), payload);
        link.transport->promise(&link, stamp_of(n) + 1);
    }
    link.transport->promise(&link, end);
    link.transport->close(&link);
    assert_false(link.failed);
}

/* Messages that come back, each as it was sent; *end: horizon behind them.  -1: refused. */
static int64_t replay(uint32_t bytes, uint32_t latency, uint32_t depth, const char *name, const struct hello *hello,
                      uint64_t *end)
{
    struct file_place place = {path, hello};
    struct link link;
    uint8_t payload[256];
    uint64_t taken = 0;
    link_init(&link, &transport_file, name, false, bytes, latency, depth);
    if (!link.transport->open(&link, &place))
        return -1;
    for (;;) {
        uint64_t horizon = take_all(&link);
        if (link.arrived == taken) {
            *end = horizon;
            break;
        }
        assert_true(link.arrived - taken <= depth);
        for (; taken < link.arrived; taken++) {
            const struct slot *slot = ring_slot(link.ring, taken);
            payload_of(taken, payload, bytes);
            assert_int_equal(slot->sequence, taken + 1);
            assert_int_equal(slot->stamp, stamp_of(taken));
            assert_true(slot->stamp < horizon);
            assert_memory_equal(slot->payload, payload, bytes);
            if (taken % 3 == 0) /* place by place */
                link.transport->done(&link, taken + 1);
        }
        link.transport->done(&link, taken);
    }
    link.transport->close(&link);
    return (int64_t)taken;
}

static void test_what_was_recorded_comes_back(void **state)
{
    static const uint32_t widths[] = {0, 1, 8, 64, 100, 256};
    static const uint64_t counts[] = {0, 1, 2, 1000, 30000};
    (void)state;
    for (unsigned w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            uint64_t end, last = counts[c] ? stamp_of(counts[c] - 1) : 0;
            struct hello hello = hello_make("r", "g", "c", 3);
            struct file_head head;
            record(widths[w], counts[c], 3, last + 5000);
            assert_int_equal(replay(widths[w], 100, 8 + w, NAME, &hello, &end), counts[c]);
            assert_int_equal(end, last + 5000);
            assert_true(file_read_head(path, &head));
            assert_int_equal(head.bytes, widths[w]);
            assert_int_equal(head.hello.seed, 3);
            assert_string_equal(head.name, NAME);
        }
    }
}

/* Equal payloads cost little: what is regular in time is packed. */
static void test_recordings_are_packed(void **state)
{
    struct stat st;
    (void)state;
    record(0, 30000, 3, 1);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size < 30000);
}

static uint8_t *file_bytes(size_t *size)
{
    FILE *f = fopen(path, "rb");
    static uint8_t bytes[1 << 22];
    *size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return bytes;
}
static void file_set(const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void assert_line(const char *text, const char *cause)
{
    char begin[100];
    snprintf(begin, sizeof begin, "gantry: %s: ", path);
    assert_memory_equal(text, begin, strlen(begin));
    if (strstr(text, cause) == NULL)
        fail_msg("\"%s\" without \"%s\"", text, cause);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void test_cut_off_is_replayed_as_far_as_it_goes(void **state)
{
    const char *text;
    uint64_t end;
    size_t size;
    (void)state;
    record(64, 4000, 3, 1000000);
    uint8_t *bytes = file_bytes(&size);
    int64_t before = -1;
    for (size_t cut = sizeof(struct file_head); cut < size; cut += 97) {
        file_set(bytes, cut);
        catch_errors();
        int64_t came = replay(64, 100, 8, NAME, NULL, &end);
        text = release_errors();
        assert_true(came >= 0 && came >= before && came <= 4000); /* never less of more */
        assert_true(came == 0 ? end == 0 : end >= stamp_of((uint64_t)came - 1) + 1 && end <= 1000000);
        assert_line(text, "was cut off; what is there goes to cycle");
        before = came;
    }
    file_set(bytes, size - 1); /* only the mark of the end is missing */
    catch_errors();
    assert_int_equal(replay(64, 100, 8, NAME, NULL, &end), 4000);
    text = release_errors();
    assert_int_equal(end, 1000000);
    file_set(bytes, sizeof(struct file_head) - 1);
    catch_errors();
    assert_int_equal(replay(64, 100, 8, NAME, NULL, &end), -1);
    text = release_errors();
    assert_line(text, "cut off in its head");
}

static void test_damage_is_refused(void **state)
{
    const char *text;
    uint64_t end;
    size_t size;
    (void)state;
    record(64, 3000, 3, 1000000);
    uint8_t *bytes = file_bytes(&size);
    for (size_t at = 0; at < size; at += at < 600 ? 1 : 61) {
        bytes[at] ^= 0x10;
        file_set(bytes, size);
        catch_errors();
        int64_t came = replay(64, 100, 8, NAME, NULL, &end);
        text = release_errors();
        if (came != -1)
            fail_msg("byte %zu: not seen", at);
        assert_line(text, at < 8 ? "not a recording" : at < 12 ? "version" : "damaged: ");
        bytes[at] ^= 0x10;
    }
    bytes[size] = 0; /* more behind the end */
    file_set(bytes, size + 1);
    catch_errors();
    assert_int_equal(replay(64, 100, 8, NAME, NULL, &end), -1);
    text = release_errors();
    assert_line(text, "damaged: ");
}

static void test_other_links_are_refused(void **state)
{
    const char *text;
    uint64_t end;
    struct hello hello = hello_make("r", "g", "c", 4);
    (void)state;
    record(64, 10, 3, 1000000);
    for (unsigned n = 0; n < 6; n++) {
        static const char *const causes[] = {"recording of link gpu0.rdma:3 -> gpu1.rdma:5, wanted is other",
                                             "messages of 65 bytes here, 64 there",
                                             "latency 101 here, 100 there",
                                             "other seed: 4 here, 3 there",
                                             "depth 7 here, 8 there",
                                             "No such file"};
        if (n == 5)
            unlink(path);
        catch_errors();
        int64_t came = replay(n == 1 ? 65 : 64, n == 2 ? 101 : 100, n == 4 ? 7 : 8, n == 0 ? "other" : NAME,
                              n == 3 ? &hello : NULL, &end);
        text = release_errors();
        assert_int_equal(came, -1);
        assert_int_equal(descriptors(), at_first);
        if (strstr(text, causes[n]) == NULL)
            fail_msg("\"%s\" without \"%s\"", text, causes[n]);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    }
    record(64, 10, 3, 1000000);
}

/* A full disk is told once, and the run can go on; what was not opened leaves no descriptor. */
static void test_full_disk(void **state)
{
    const char *text;
    struct hello hello = hello_make("r", "g", "c", 3);
    struct file_place place = {path, &hello};
    struct link link;
    (void)state;
    link_init(&link, &transport_file, NAME, true, 64, 100, 8);
    assert_true(link.transport->open(&link, &place));
    assert_int_equal(truncate(path, 0), 0);
    FILE *full = freopen("/dev/full", "wb", *(FILE **)link.own); /* the writer's file is its first member */
    assert_non_null(full);
    catch_errors();
    for (uint64_t n = 0; n < 5000; n++) {
        uint8_t payload[64];
        payload_of(n, payload, 64);
        link_send(&link, stamp_of(n), payload);
    }
    bool failed = link.failed;
    link.transport->close(&link);
    text = release_errors();
    assert_true(failed && link.failed);
    assert_line(text, "No space left on device");
    place.path = "/dev/full";
    catch_errors();
    bool opened = link.transport->open(&link, &place);
    text = release_errors();
    assert_false(opened);
    assert_string_equal(text, "gantry: /dev/full: No space left on device\n");
    place.path = "/nowhere/x";
    catch_errors();
    opened = link.transport->open(&link, &place);
    assert_string_equal(release_errors(), "gantry: /nowhere/x: No such file or directory\n");
    assert_false(opened);
    assert_int_equal(descriptors(), at_first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_recorded_comes_back),
        cmocka_unit_test(test_recordings_are_packed),
        cmocka_unit_test(test_cut_off_is_replayed_as_far_as_it_goes),
        cmocka_unit_test(test_damage_is_refused),
        cmocka_unit_test(test_other_links_are_refused),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
