// SPDX-License-Identifier: Apache-2.0
// Both sides of a byte stream over a channel with faults: whatever is lost, damaged, doubled or cut, every byte comes
// out once and in order, and the counts say what happened.  The board is one that sends each record back.
#include "stream_channel.h"

enum { MOST = 4096 };

static void echo(struct stream *stream)
{
    struct stream_hello hello;
    struct stream_record head;
    static uint8_t payload[MOST];
    while (stream_hello(stream, NULL, &hello)) {
        while (stream_get(stream, &head, sizeof head)) {
            if (head.kind != REC_ECHO || head.arg > MOST || !stream_get(stream, payload, head.arg))
                break;
            stream_put(stream, &head, sizeof head);
            stream_put(stream, payload, head.arg);
            if (!stream_flush(stream))
                break;
        }
    }
}

/* That many bytes of echo records, up to `ahead` before their answers are looked at.  True: all came, as they were. */
static bool exchange(struct stream *stream, uint64_t seed, unsigned records, unsigned ahead, unsigned most)
{
    uint8_t *sent = malloc((size_t)ahead * (8 + most)), *got = malloc((size_t)ahead * (8 + most));
    bool right = true;
    for (unsigned n = 0; n < records && right; n += ahead) {
        size_t bytes = 0;
        for (unsigned k = 0; k < ahead; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const struct stream_record head = {.kind = REC_ECHO, .arg = (uint32_t)(seed >> 40) % (most + 1)};
            memcpy(sent + bytes, &head, sizeof head);
            for (unsigned i = 0; i < head.arg; i++)
                sent[bytes + 8 + i] = i % 7 == 0 ? FRAME_MAGIC : (uint8_t)((seed >> 32) + i * i);
            stream_put(stream, sent + bytes, 8 + head.arg);
            bytes += 8 + head.arg;
        }
        right = stream_get(stream, got, bytes) && memcmp(sent, got, bytes) == 0 && stream_poll(stream) == 0;
    }
    free(sent);
    free(got);
    return right;
}

static struct stream_counts echoed(const struct faults *faults, uint64_t seed, unsigned records, unsigned ahead,
                                   unsigned most, struct stream_counts *of_board)
{
    struct board_thread board = {.run = echo};
    struct channel *c = channel_new(faults, seed, &board);
    const struct stream_port port = host_port(c);
    struct stream *stream = stream_new(&port);
    const struct stream_hello mine = {.version = STREAM_VERSION, .flags = HELLO_ATTACH, .id = 5};
    struct stream_hello theirs;
    assert_true(stream_hello(stream, &mine, &theirs));
    assert_true(theirs.kind == 0x6f686365 && theirs.links == 4 && theirs.id == 5);
    if (!exchange(stream, seed, records, ahead, most))
        fail_msg("seed %llu: %s", (unsigned long long)seed, stream_why(stream) ? stream_why(stream) : "wrong bytes");
    assert_true(c->struck > 0 || !(faults->lost + faults->damaged + faults->doubled + faults->cut + faults->byte));
    const struct stream_counts counts = *stream_counts(stream);
    stream_free(stream);
    channel_end(c, &board);
    *of_board = board.counts;
    return counts;
}

static void test_whole(void **state)
{
    struct stream_counts board, host = echoed(&(struct faults){0}, 1, 1000, 1, 600, &board);
    (void)state;
    assert_true(host.frames_sent > 1000 && host.frames_sent == board.frames_taken); /* numbers wrap */
    assert_true(board.frames_sent == host.frames_taken && board.frames_sent > 1000);
    assert_true(host.bytes_sent == board.bytes_taken && board.bytes_sent == host.bytes_taken);
    assert_true(host.resent + host.damaged + host.gaps + host.naks == 0);
    assert_true(board.resent + board.damaged + board.gaps + board.naks == 0);
    host = echoed(&(struct faults){.fill = true, .write_most = 1}, 2, 300, 1, 600, &board);
    assert_true(host.resent + host.damaged + host.gaps + host.naks == 0);
}

/* More is under way than the board's buffer holds, and than it may send: it waits for room, and nothing is lost. */
static void test_full(void **state)
{
    struct stream_counts board, host = echoed(&(struct faults){0}, 3, 240, 12, MOST, &board);
    (void)state;
    assert_true(host.damaged + host.gaps + board.damaged + board.gaps == 0);
    assert_true(host.frames_sent == board.frames_taken && board.frames_sent == host.frames_taken);
    assert_true(host.naks + board.naks == 0); /* it was told in time */
    host = echoed(&(struct faults){.write_most = 1}, 4, 60, 12, MOST, &board);
    assert_true(host.damaged + host.gaps + board.damaged + board.gaps == 0);
}

static void many(const struct faults *faults, unsigned seeds, unsigned records)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct stream_counts board, host;
        host = echoed(faults, seed, records, 1, 600, &board); /* one exchange after the other */
        assert_true(host.resent + board.resent > 0 || faults->doubled);
        echoed(faults, seed + 100, records / 12 * 12, 12, 1500, &board); /* window and room are full */
    }
}

static void test_lost(void **state)
{
    (void)state;
    many(&(struct faults){.lost = 100}, 4, 400);
}

static void test_damaged(void **state)
{
    (void)state;
    many(&(struct faults){.damaged = 100}, 4, 400);
}

static void test_doubled(void **state)
{
    (void)state;
    many(&(struct faults){.doubled = 100}, 4, 400);
}

static void test_cut(void **state)
{
    (void)state;
    many(&(struct faults){.cut = 100}, 4, 400);
}

static void test_bytes(void **state)
{
    (void)state;
    many(&(struct faults){.byte = 1}, 4, 400);
}

static void test_all(void **state)
{
    (void)state;
    many(&(struct faults){100, 100, 100, 100, 1, 0, true}, 4, 400);
    many(&(struct faults){300, 300, 300, 300, 3, 1, false}, 4, 120);
}

/* Another session over the same channel, with what the one before has left in it. */
static void test_sessions(void **state)
{
    struct board_thread board = {.run = echo};
    struct channel *c = channel_new(&(struct faults){.lost = 100, .cut = 100}, 9, &board);
    const struct stream_port port = host_port(c);
    const struct stream_hello mine = {.version = STREAM_VERSION, .flags = HELLO_ATTACH};
    (void)state;
    for (unsigned n = 0; n < 40; n++) {
        struct stream *stream = stream_new(&port);
        struct stream_hello theirs;
        assert_true(stream_hello(stream, &mine, &theirs));
        assert_true(exchange(stream, n, 10, 1, 600));
        if (n % 2) { /* an answer that nobody reads */
            const struct stream_record head = {.kind = REC_ECHO, .arg = 0};
            stream_put(stream, &head, sizeof head);
            stream_flush(stream);
        }
        if (n % 4 < 2)
            stream_bye(stream);
        stream_free(stream);
    }
    channel_end(c, &board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_full),    cmocka_unit_test(test_lost),
        cmocka_unit_test(test_cut),   cmocka_unit_test(test_damaged), cmocka_unit_test(test_doubled),
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_all),     cmocka_unit_test(test_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
