// SPDX-License-Identifier: Apache-2.0
// Messages of a partition given back (part_feed, part_log.h), to a toy compute unit that stands alone: each in its
// cycle on its input, however many a window holds; the partition is woken for them and otherwise left alone; one that
// cannot have been recorded ends the program.
#include "toy_recording.h"

#include "bridge/run/sched.h"
#include "bridge/verilated/rtl_part.h"
#include "record/message_log.h"
#include "record/message_sink.h"
#include "record/part_log.h"
#include "saved/journal.h"
#include "target/models.h"

#define STREAM 130u

/* A compute unit, a sink for what it sends, and a feed from a journal that a test has written. */
struct stand {
    struct config config;
    struct models models;
    struct sched sched;
    struct part *part;
    struct journal_reader *reader;
    struct part_feed *feed;
    char path[100];
};

struct written {
    uint64_t cycle;
    uint32_t slot, bytes, value;
};

static void journal_write(const char *path, const struct written *list, unsigned count)
{
    struct message_log log = {.stream = STREAM};
    struct journal *j = journal_create(path, "test", 1);
    assert_non_null(j);
    for (unsigned i = 0; i < count; i++) {
        uint64_t data[MESSAGE_MOST / 8] = {list[i].value};
        message_write(&log, j, list[i].cycle, list[i].slot, list[i].bytes ? data : NULL, list[i].bytes);
    }
    assert_true(journal_close(j, true));
    message_log_fini(&log);
}

static void stand_open(struct stand *s, const struct written *list, unsigned count)
{
    const struct sim_options options = {.seed = 1};
    const struct wave wave = {.scope = ""};
    enum gantry_status failure;
    memset(s, 0, sizeof *s);
    toy_config(&s->config, 1, NULL);
    assert_true(models_load(&s->models, &s->config.cfg, &options, &wave));
    snprintf(s->path, sizeof s->path, "%s/feed", toy_folder);
    unlink(s->path);
    journal_write(s->path, list, count);
    s->reader = journal_open(s->path, "test", 1, &failure);
    assert_non_null(s->reader);
    sched_init(&s->sched);
    s->part = rtl_part_new(&s->models.plain[KIND_CU], "gpu0.cu0", 0, 0, 1, false);
    sched_add(&s->sched, s->part);
    sink_connect(&s->sched, s->part, "sink");
    assert_true(sched_start(&s->sched));
    s->feed = part_feed_new(s->part, s->reader, STREAM);
}

static void stand_close(struct stand *s)
{
    const struct part_ops *fed = s->part->ops;
    part_feed_free(s->feed);
    assert_true(s->part->ops != fed && s->part->ops->visit != NULL);
    part_feed_free(NULL);
    journal_reader_free(s->reader);
    sched_fini(&s->sched);
    models_free(&s->models);
    config_fini(&s->config);
}

/* Visit by visit, at the cycles at which there is something; the windows visited go to `at`. */
static unsigned stand_run(struct stand *s, uint64_t *at)
{
    unsigned n = 0;
    for (uint64_t next; (next = sched_next(&s->sched)) != UINT64_MAX; n++) {
        assert_true(n < 100);
        s->sched.now = at[n] = next;
        sched_run(&s->sched, 1);
    }
    return n;
}

static struct toy_state expected;

/* What the model mixes into its word: cycle, input and bytes of each message in their order. */
static void expect(const struct written *w, uint32_t bytes)
{
    uint64_t data[MESSAGE_MOST / 8] = {w->value};
    toy_mix(&expected, &w->cycle, 8);
    toy_mix(&expected, &w->slot, 4);
    if (w->bytes)
        toy_mix(&expected, data, bytes);
}

static void test_cycles(void **state)
{
    (void)state;
    struct stand s;
    uint64_t at[100];
    /* fetches answered, answers of memory for nobody: the unit takes them and does nothing */
    struct written list[] = {{3, 1, 40, 5}, {3, 3, 72, 6},   {7, 1, 40, 7},
                             {8, 3, 72, 8}, {800, 1, 40, 9}, {807, 1, 40, 10}};
    stand_open(&s, list, 6);
    assert_int_equal(part_feed_count(s.feed), 0);
    assert_int_equal(s.part->ins, 7); /* five ports, two of credits */
    const unsigned visits = stand_run(&s, at);
    assert_int_equal(part_feed_count(s.feed), 6);
    assert_int_equal(visits, 3);
    assert_true(at[0] == 0 && at[1] == 8 && at[2] == 800);
    memset(&expected, 0, sizeof expected);
    for (unsigned i = 0; i < 6; i++)
        expect(&list[i], list[i].bytes);
    assert_true(toy_named("gpu0.cu0")->s.word == expected.word);
    assert_int_equal(toy_named("gpu0.cu0")->s.taken, 6);
    stand_close(&s);
}

/* As many as a window has places for: each input in each of its cycles. */
static void test_full_window(void **state)
{
    (void)state;
    struct stand s;
    uint64_t at[100];
    struct written list[PART_WINDOW * 6];
    static const uint32_t bytes[] = {168, 40, 80, 72, 0, 0};
    unsigned n = 0;
    for (unsigned c = 0; c < PART_WINDOW; c++)
        for (uint32_t slot = 1; slot < 4; slot++)
            list[n++] = (struct written){16 + c, slot, bytes[slot], n};
    stand_open(&s, list, n);
    assert_int_equal(stand_run(&s, at), 2); /* the first visit, of every partition, and this one */
    assert_int_equal(part_feed_count(s.feed), n);
    assert_int_equal(toy_named("gpu0.cu0")->s.taken, n);
    stand_close(&s);
}

/* A stream without messages: a partition that is left alone. */
static void test_empty(void **state)
{
    (void)state;
    struct stand s;
    uint64_t at[100];
    stand_open(&s, NULL, 0);
    assert_int_equal(stand_run(&s, at), 1);
    assert_int_equal(part_feed_count(s.feed), 0);
    stand_close(&s);
}

static void feed_wrong(void *ctx)
{
    struct stand s;
    uint64_t at[100];
    stand_open(&s, ctx, 2);
    stand_run(&s, at);
}

/* An input that the partition does not have. */
static void test_wrong(void **state)
{
    (void)state;
    struct written input[] = {{3, 1, 40, 5}, {9, 7, 40, 6}};
    assert_int_equal(toy_ends(feed_wrong, input), 70);
    assert_non_null(strstr(toy_said, "recorded message of cycle 9 on input 7"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_full_window),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, toy_folder_make, toy_folder_remove);
}
