// SPDX-License-Identifier: Apache-2.0
// A journal: what is read is what was written, however the file ends; a byte that changed anywhere is noticed.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "saved/journal.h"

#define COUNT 100000u // words of a stream: more than a frame holds

static char folder[] = "/tmp/journal-XXXXXX";

static const char *name(const char *file)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    unlink(path);
    return path;
}

static uint8_t *whole_file(const char *path, size_t *bytes)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    uint8_t *data = malloc((size_t)st.st_size);
    *bytes = fread(data, 1, (size_t)st.st_size, f);
    fclose(f);
    return data;
}

static void file_write(const char *path, const uint8_t *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

static void word_put(struct journal *j, unsigned stream, uint32_t word)
{
    journal_put(j, stream, &word, sizeof word);
}

/* shows S4.7: streams keep their bytes apart and in order, over frames and commits. */
static void streams(void **state)
{
    (void)state;
    const char *path = name("streams");
    enum gantry_status failure = STATUS_OK;
    struct journal *j = journal_create(path, "test", 3);
    assert_non_null(j);
    for (uint32_t i = 0; i < COUNT; i++) {
        word_put(j, 0, i * 2654435761u);
        if (i % 3 == 0)
            word_put(j, JOURNAL_STREAMS - 1, ~i);
        if (i == COUNT / 2)
            assert_true(journal_commit(j));
    }
    assert_true(journal_pending(j) > 0);
    assert_true(journal_close(j, true));
    struct journal_reader *r = journal_open(path, "test", 3, &failure);
    assert_non_null(r);
    assert_true(journal_whole(r));
    uint32_t word = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(journal_take(r, 0, &word, sizeof word));
        assert_int_equal(word, i * 2654435761u);
    }
    assert_false(journal_take(r, 0, &word, 1));
    assert_true(journal_skip(r, JOURNAL_STREAMS - 1, (COUNT + 2) / 3 * 4 - 4));
    assert_false(journal_take(r, JOURNAL_STREAMS - 1, &word, 5));
    assert_true(journal_take(r, JOURNAL_STREAMS - 1, &word, 4));
    assert_int_equal(word, ~(COUNT - 1 - (COUNT - 1) % 3));
    assert_false(journal_take(r, 1, &word, 1));
    journal_reader_free(r);
}

/* A file with two commits and an end, and what is behind its second commit. */
static uint8_t *sample(const char *path, size_t *bytes, size_t commits[2])
{
    struct journal *j = journal_create(path, "test", 1);
    for (uint32_t i = 0; i < 2; i++) {
        word_put(j, 7, 100 + i);
        word_put(j, 8, 200 + i);
        assert_true(journal_commit(j));
        commits[i] = journal_bytes(j);
    }
    assert_true(journal_close(j, true));
    return whole_file(path, bytes);
}

/* shows S4.7: wherever the file was cut off, it reads as far as the last commit before that. */
static void cut(void **state)
{
    (void)state;
    char path[64], other[64];
    size_t bytes, commits[2];
    strcpy(path, name("cut"));
    strcpy(other, name("short"));
    uint8_t *data = sample(path, &bytes, commits);
    for (size_t n = 32; n < bytes; n++) { // 32: its head
        enum gantry_status failure = STATUS_OK;
        file_write(other, data, n);
        struct journal_reader *r = journal_open(other, "test", 1, &failure);
        assert_non_null(r);
        assert_false(journal_whole(r));
        uint32_t word, there = 0;
        while (journal_take(r, 8, &word, sizeof word))
            assert_int_equal(word, 200 + there++);
        assert_int_equal(there, (n >= commits[0]) + (n >= commits[1]));
        assert_true(journal_skip(r, 7, 4 * there));
        assert_false(journal_skip(r, 7, 1));
        journal_reader_free(r);
    }
    free(data);
}

/* shows S4.7: a place names what stands before it: of a longer file with the same beginning, not of another one or of a
 * shorter one; and how much of each stream that was. */
static void places(void **state)
{
    (void)state;
    enum gantry_status failure = STATUS_OK;
    char path[64], other[64];
    strcpy(path, name("places"));
    strcpy(other, name("others"));
    struct journal_place place[3];
    struct journal *j = journal_create(path, "test", 1), *o = journal_create(other, "test", 1);
    for (uint32_t i = 0; i < 3; i++) {
        word_put(j, 7, 100 + i);
        word_put(j, 8, 200);
        word_put(j, 8, 200);
        word_put(o, 7, i == 1 ? 99 : 100 + i);
        word_put(o, 8, 200);
        word_put(o, 8, 200);
        assert_int_equal(journal_put_bytes(j, 7), 4 * (i + 1));
        assert_int_equal(journal_put_bytes(j, 8), 8 * (i + 1));
        assert_true(journal_commit(j) && journal_commit(o));
        place[i] = journal_place(j);
        assert_int_equal(place[i].bytes, journal_bytes(j));
    }
    assert_true(journal_close(j, false) && journal_close(o, true));
    struct journal_reader *r = journal_open(path, "test", 1, &failure);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(journal_has(r, place[i]));
    assert_false(journal_has(r, (struct journal_place){place[1].bytes + 1, place[1].chain}));
    assert_false(journal_has(r, (struct journal_place){place[1].bytes, place[2].chain}));
    assert_int_equal(journal_reader_place(r).bytes, place[2].bytes);
    assert_true(journal_reader_place(r).chain == place[2].chain);
    uint32_t word;
    assert_int_equal(journal_taken(r, 8), 0);
    assert_true(journal_take(r, 8, &word, 4) && journal_skip(r, 8, 7));
    assert_false(journal_skip(r, 8, 14));
    assert_int_equal(journal_taken(r, 8), 11);
    assert_int_equal(journal_taken(r, 7), 0);
    journal_reader_free(r);
    r = journal_open(other, "test", 1, &failure);
    assert_true(journal_has(r, place[0]));
    assert_false(journal_has(r, place[1]));
    assert_false(journal_has(r, place[2]));
    assert_int_equal(journal_reader_place(r).bytes, place[2].bytes + 24); // its end
    journal_reader_free(r);
    size_t bytes;
    uint8_t *data = whole_file(path, &bytes);
    file_write(other, data, (size_t)place[1].bytes + 30); // within a frame
    free(data);
    r = journal_open(other, "test", 1, &failure);
    assert_true(journal_has(r, place[1]));
    assert_false(journal_has(r, place[2]));
    assert_int_equal(journal_reader_place(r).bytes, place[1].bytes);
    journal_reader_free(r);
}

/* shows S4.7: every bit that differs is noticed before anything is read. */
static void damaged(void **state)
{
    (void)state;
    char path[64], other[64];
    size_t bytes, commits[2];
    strcpy(path, name("sound"));
    strcpy(other, name("damaged"));
    uint8_t *data = sample(path, &bytes, commits);
    for (size_t n = 0; n < bytes; n++) {
        enum gantry_status failure = STATUS_OK;
        data[n] ^= (uint8_t)(1u << n % 8);
        file_write(other, data, bytes);
        assert_null(journal_open(other, "test", 1, &failure));
        assert_int_equal(failure, STATUS_DATA);
        data[n] ^= (uint8_t)(1u << n % 8);
    }
    file_write(other, data, bytes - 1); // without its last byte it is only cut off; with one more it is damaged
    enum gantry_status failure = STATUS_OK;
    uint8_t *more = calloc(1, bytes + 1);
    memcpy(more, data, bytes);
    file_write(other, more, bytes + 1);
    assert_null(journal_open(other, "test", 1, &failure));
    assert_int_equal(failure, STATUS_DATA);
    free(more);
    free(data);
}

/* Another kind, another version, no file, an empty one. */
static void refused(void **state)
{
    (void)state;
    char path[64];
    size_t bytes, commits[2];
    strcpy(path, name("other"));
    free(sample(path, &bytes, commits));
    static const struct {
        const char *kind;
        uint32_t version;
    } asked[] = {{"test", 2}, {"tes", 1}, {"testy", 1}};
    for (unsigned i = 0; i < 3; i++) {
        enum gantry_status failure = STATUS_OK;
        assert_null(journal_open(path, asked[i].kind, asked[i].version, &failure));
        assert_int_equal(failure, STATUS_DATA);
    }
    enum gantry_status failure = STATUS_OK;
    assert_null(journal_create(path, "test", 1)); // there is one
    assert_null(journal_open(name("none"), "test", 1, &failure));
    assert_int_equal(failure, STATUS_MISSING);
    file_write(path, (const uint8_t *)"", 0);
    assert_null(journal_open(path, "test", 1, &failure));
    assert_int_equal(failure, STATUS_DATA);
}

/* A disk that is full: told once, nothing is written behind it, what was committed before is there. */
static void full(void **state)
{
    (void)state;
    char path[64];
    enum gantry_status failure = STATUS_OK;
    struct rlimit before, limit;
    strcpy(path, name("full"));
    signal(SIGXFSZ, SIG_IGN);
    struct journal *j = journal_create(path, "test", 1);
    word_put(j, 1, 1);
    assert_true(journal_commit(j));
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = journal_bytes(j) + 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    word_put(j, 1, 2);
    bool ok = journal_commit(j);
    int error = journal_error(j);
    setrlimit(RLIMIT_FSIZE, &before);
    word_put(j, 1, 3);
    bool closed = journal_close(j, true);
    assert_false(ok);
    assert_int_not_equal(error, 0);
    assert_false(closed);
    struct journal_reader *r = journal_open(path, "test", 1, &failure);
    assert_non_null(r);
    assert_false(journal_whole(r));
    uint32_t word;
    assert_true(journal_take(r, 1, &word, sizeof word));
    assert_int_equal(word, 1);
    assert_false(journal_take(r, 1, &word, 1));
    journal_reader_free(r);
}

struct drained {
    uint32_t words[3][COUNT], count[3]; // of streams 0, 7 and the last
    unsigned calls;
};

static void drained_take(void *ctx, unsigned stream, const void *data, size_t bytes)
{
    struct drained *d = ctx;
    unsigned n = stream == 0 ? 0 : stream == 7 ? 1 : 2;
    assert_true(n < 2 || stream == JOURNAL_STREAMS - 1);
    assert_int_equal(bytes % 4, 0);
    memcpy(d->words[n] + d->count[n], data, bytes);
    d->count[n] += (uint32_t)(bytes / 4);
    d->calls++;
}

// shows S4.7: without a file, what was put is given away once, each stream in order, however much it is.
static void without_a_file(void **state)
{
    (void)state;
    struct journal *j = journal_buffer();
    struct drained *d = calloc(1, sizeof *d);
    journal_drain(j, drained_take, d);
    assert_int_equal(d->calls, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        word_put(j, i % 2 ? 7 : JOURNAL_STREAMS - 1, i);
        if (i == COUNT / 4) {
            assert_int_equal(journal_pending(j), 4 * (i + 1));
            journal_drain(j, drained_take, d);
            assert_int_equal(d->calls, 2);
            assert_int_equal(journal_pending(j), 0);
        }
    }
    assert_int_equal(journal_put_bytes(j, 7), 2 * COUNT);
    journal_drain(j, drained_take, d);
    assert_int_equal(d->calls, 4);
    journal_drain(j, drained_take, d);
    assert_int_equal(d->calls, 4);
    assert_true(d->count[0] == 0 && d->count[1] == COUNT / 2 && d->count[2] == COUNT / 2);
    for (uint32_t i = 0; i < COUNT / 2; i++)
        assert_true(d->words[1][i] == 2 * i + 1 && d->words[2][i] == 2 * i);
    assert_true(journal_close(j, false));
    free(d);
}

// shows S4.7: behind journal_cut nothing counts, though whole frames of it may be in the file.
static void cut_short(void **state)
{
    (void)state;
    char path[64];
    enum gantry_status failure;
    uint32_t word;
    strcpy(path, name("short"));
    struct journal *j = journal_create(path, "test", 1);
    word_put(j, 7, 1);
    assert_true(journal_commit(j));
    word_put(j, 7, 2);
    journal_cut(j);
    for (uint32_t i = 0; i < COUNT; i++)
        word_put(j, 7, 3);
    journal_commit(j);
    assert_true(journal_close(j, true));
    struct journal_reader *r = journal_open(path, "test", 1, &failure);
    assert_non_null(r);
    assert_false(journal_whole(r));
    assert_true(journal_take(r, 7, &word, 4) && word == 1);
    assert_false(journal_take(r, 7, &word, 1));
    journal_reader_free(r);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams),        cmocka_unit_test(cut),       cmocka_unit_test(damaged),
        cmocka_unit_test(refused),        cmocka_unit_test(full),      cmocka_unit_test(places),
        cmocka_unit_test(without_a_file), cmocka_unit_test(cut_short),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed;
}
