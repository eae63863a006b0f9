/* SPDX-License-Identifier: Apache-2.0
 * Threads that spin: when nobody waits for them any more, and when they count again (docs/reference/clock.md, "Threads
 * that spin"; B.4).
 */
#include "../driver/bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

#include "clock/spin.h"

#define LIMIT 0.1 /* seconds of CPU */
#define LOOKS 20000
#define GROWS_PAGES 65536

struct word {
    volatile int pause; /* who spins sleeps for good */
    volatile int grows; /* who spins touches a new page each 50 us or so */
    volatile pid_t second;
};

static struct word *word;
static pid_t started[8];
static unsigned started_count;

static void *spins(void *arg)
{
    volatile char *page = NULL;
    word->second = gettid();
    for (size_t left = 0; !word->pause; left--) {
        if (word->grows && !left) {
            left = GROWS_PAGES;
            page = mmap(NULL, left * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        }
        for (volatile unsigned i = 0; word->grows && i < 20000; i++)
            ;
        if (word->grows)
            page[(left - 1) * 4096] = 1;
        else
            left = 1;
    }
    for (;;)
        pause();
    return arg;
}

/* A client with `threads` that spin beside a first one that pauses. */
static struct client *start(struct bench *b, unsigned threads)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        prctl(PR_SET_NAME, "a\nb\x80", 0, 0, 0);
        for (unsigned i = 0; i < threads; i++)
            pthread_create(&thread, NULL, spins, NULL);
        for (;;)
            pause();
    }
    started[started_count++] = pid;
    while (!word->second)
        usleep(1000);
    return client_get(b->d, pid);
}

static int watch_setup(void **state)
{
    if (setup(state))
        return -1;
    struct bench *b = *state;
    client_end(b->d, b->client[0]); /* this process is none of them */
    word = mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return word == MAP_FAILED ? -1 : 0;
}

static int watch_teardown(void **state)
{
    while (started_count) {
        pid_t pid = started[--started_count];
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    munmap(word, sizeof *word);
    return teardown(state);
}

/* Counts until all rest but those that spin. */
static bool rests(struct bench *b, double limit)
{
    for (unsigned look = 0; look < LOOKS; look++) {
        if (rest_reached(b->d, NULL))
            return true;
        spin_count(b->d, limit, 5 * limit);
        usleep(1000);
    }
    return false;
}

/* Everything that is written on stderr meanwhile. */
static const char *told(struct bench *b, double limit, bool *rested)
{
    static char text[4096];
    FILE *file = tmpfile();
    int before = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    *rested = rests(b, limit);
    fflush(stderr);
    dup2(before, 2);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

/* shows B.4: a thread that runs without asking holds up the others for the patience, once, and is named once. */
static void a_spinning_thread_is_left_out(void **state)
{
    struct bench *b = *state;
    bool rested;
    char line[256];
    const struct client *c = start(b, 1);
    assert_false(rest_reached(b->d, NULL));
    assert_false(spin_any(b->d));
    const char *text = told(b, LIMIT, &rested);
    assert_true(rested && spin_any(b->d));
    int n = snprintf(line, sizeof line, "gantry: clock: thread %d (a) of process %d has run for 0.1", (int)word->second,
                     (int)c->pid);
    if (strncmp(text, line, (size_t)n) || !strstr(text, "(clock.patience)") || strchr(text, '\n')[1])
        fail_msg("told: %s", text);
    assert_true(b->d->watch.cpu_ns > LIMIT / 2 * 1e9);
    for (unsigned step = 0; step < 100; step++) {
        spin_rested(b->d);
        assert_true(rest_reached(b->d, NULL)); /* at once from now on */
    }
    start(b, 1);
    assert_string_equal(told(b, LIMIT, &rested), "");
    assert_true(rested);
}

/* Each thread has its own time, but all of a process have the patience together. */
static void all_that_spin_are_left_out_together(void **state)
{
    struct bench *b = *state;
    bool rested;
    start(b, 6);
    told(b, LIMIT, &rested);
    assert_true(rested);
    unsigned out = 0;
    for (const struct watched *p = b->d->watch.all; p; p = p->next)
        for (size_t i = 0; i < p->count; i++)
            out += p->threads[i].left_out;
    assert_int_equal(out, 6);
    assert_true(b->d->watch.cpu_ns < 5 * LIMIT * 1e9);
}

static bool still_out(struct bench *b)
{
    for (unsigned look = 0; look < LOOKS; look++, usleep(1000)) {
        if (rest_reached(b->d, NULL))
            spin_rested(b->d);
        if (!spin_any(b->d))
            return false;
    }
    return true;
}

/* Who blocks, or asks, counts again; it has half of the patience then. */
static void who_blocks_or_asks_counts_again(void **state)
{
    struct bench *b = *state;
    bool rested;
    const struct client *c = start(b, 1);
    told(b, LIMIT, &rested);
    const struct conn asks = {.pid = c->pid, .tid = word->second};
    watch_asked(b->d, &asks);
    assert_false(spin_any(b->d) || rest_reached(b->d, NULL));
    const uint64_t before = b->d->watch.cpu_ns;
    told(b, LIMIT, &rested);
    assert_true(rested && spin_any(b->d));
    assert_in_range(b->d->watch.cpu_ns - before, LIMIT * 0.3e9, LIMIT * 0.9e9);
    word->pause = 1;
    assert_false(still_out(b));
    assert_true(rest_reached(b->d, NULL));
}

/* A rest is no patience lost: who computes and then blocks has all of it at the next time. */
static void a_rest_begins_a_new_spell(void **state)
{
    struct bench *b = *state;
    start(b, 1);
    for (unsigned i = 0; i < 5; i++) {
        spin_count(b->d, LIMIT, 5 * LIMIT);
        usleep(3000);
        spin_count(b->d, LIMIT, 5 * LIMIT);
        for (struct watched *p = b->d->watch.all; p; p = p->next)
            for (size_t t = 0; t < p->count; t++)
                assert_true(i == 0 || spell_ns(&p->threads[t].spell) < 3 * LIMIT * 1e9);
        spin_rested(b->d);
        for (struct watched *p = b->d->watch.all; p; p = p->next)
            for (size_t t = 0; t < p->count; t++)
                assert_true(spell_ns(&p->threads[t].spell) == 0);
    }
}

/* shows B.4: who is given memory all the time reads or builds something: it has the long patience, and no more. */
static void who_grows_has_more_patience(void **state)
{
    struct bench *b = *state;
    bool rested;
    word->grows = 1;
    start(b, 1);
    told(b, LIMIT, &rested);
    assert_true(rested && spin_any(b->d));
    assert_in_range(b->d->watch.cpu_ns, 4.5 * LIMIT * 1e9, 8 * LIMIT * 1e9);
}

/* What a process has had while nothing was pending counts no more. */
static void counting_begins_anew(void **state)
{
    struct bench *b = *state;
    start(b, 1);
    while (b->d->watch.cpu_ns < LIMIT * 0.8e9) {
        spin_count(b->d, 1e9, 1e9);
        usleep(1000);
    }
    spin_anew(b->d);
    for (unsigned i = 0; i < 3; i++, usleep(1000))
        spin_count(b->d, LIMIT / 2, LIMIT / 2);
    assert_false(spin_any(b->d));
}

#define WATCHES(f) cmocka_unit_test_setup_teardown(f, watch_setup, watch_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCHES(a_spinning_thread_is_left_out),   WATCHES(all_that_spin_are_left_out_together),
        WATCHES(who_blocks_or_asks_counts_again), WATCHES(a_rest_begins_a_new_spell),
        WATCHES(who_grows_has_more_patience),     WATCHES(counting_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
