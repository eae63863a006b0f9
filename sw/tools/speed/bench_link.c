/* SPDX-License-Identifier: Apache-2.0
 * Links between two processes over shared memory, by their own operations, messages of 64 bytes, each checked: prints
 * the median round trip in microseconds and messages a second one way (median of pieces of 20,000).  Each process has a
 * core of its own if there are two; on a busy machine the figures say how busy it is.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "bridge/link/peers.h"
#include "bridge/link/region.h"

enum { BYTES = 64, DEPTH = 1024, BATCH = 128, ROUNDS = 200000, PIECES = 400, PIECE = 20000 };
static const uint64_t STREAM = (uint64_t)PIECES * PIECE;
static const struct region_link FORTH = {"a:0 -> b:0", BYTES, 8, DEPTH, 0, 1},
                                BACK = {"b:0 -> a:0", BYTES, 8, DEPTH, 1, 0},
                                CREDITS = {"b:1 -> a:1", 0, 8, DEPTH, 1, 0};

struct load {
    uint64_t number, rest[BYTES / 8 - 1];
};

static void end_open(struct link *link, struct region *r, const struct region_link *like, bool sends)
{
    link_init(link, &transport_shm, like->name, sends, like->bytes, like->latency, like->depth);
    if (!link->transport->open(link, r))
        exit(70);
}

/* Between two looks the sender has the line to itself; whoever has a core to itself never looks so often as to yield
 * it.
 */
static void look_again(unsigned looks)
{
    __builtin_ia32_pause();
    if (looks % 10000 == 0)
        sched_yield();
}

/* Number `n` of a link: waits for it, looks at it, gives its place back. */
static void await(struct link *link, uint64_t n)
{
    for (unsigned looks = 1; link->arrived < n && link->transport->peek(link) < n; looks++)
        look_again(looks);
    struct load load;
    memcpy(&load, ring_slot(link->ring, n - 1)->payload, sizeof load);
    CHECK(load.number == n && load.rest[6] == ~n, link->name, "message %llu says %llu", (unsigned long long)n,
          (unsigned long long)load.number);
    link->transport->done(link, n);
}

static void put(struct link *link, uint64_t n)
{
    struct load load = {n, {[6] = ~n}};
    link_send(link, n, &load);
}

static void core_of_own(unsigned which)
{
    cpu_set_t all, one;
    unsigned seen = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2)
        return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || seen++ != which)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
}

static void answer(struct region *r)
{
    struct link forth, back, credits;
    end_open(&forth, r, &FORTH, false);
    end_open(&back, r, &BACK, true);
    end_open(&credits, r, &CREDITS, true);
    for (uint64_t n = 1; n <= ROUNDS; n++) {
        await(&forth, n);
        put(&back, n);
    }
    for (uint64_t n = 1; n <= STREAM; n++) {
        await(&forth, ROUNDS + n);
        if (n % BATCH == 0)
            link_send(&credits, n, NULL);
    }
    put(&back, ROUNDS + 1);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void ask(struct region *r)
{
    static uint64_t took[ROUNDS], piece[PIECES];
    struct link forth, back, credits;
    end_open(&forth, r, &FORTH, true);
    end_open(&back, r, &BACK, false);
    end_open(&credits, r, &CREDITS, false);
    uint64_t begin = peers_clock();
    for (uint64_t n = 1; n <= ROUNDS; n++) {
        put(&forth, n);
        await(&back, n);
        uint64_t end = peers_clock();
        took[n - 1] = end - begin;
        begin = end;
    }
    for (uint64_t n = 1; n <= STREAM; n++) {
        for (unsigned looks = 1; n > credits.arrived * BATCH + DEPTH; looks++) {
            credits.transport->done(&credits, credits.transport->peek(&credits));
            look_again(looks);
        }
        put(&forth, ROUNDS + n);
        if (n % PIECE == 0) {
            uint64_t end = peers_clock();
            piece[n / PIECE - 1] = end - begin;
            begin = end;
        }
    }
    await(&back, ROUNDS + 1);
    qsort(took, ROUNDS, sizeof *took, by_value);
    qsort(piece, PIECES, sizeof *piece, by_value);
    printf("round_trip_us %.3f one_way_per_s %.0f best_tenth_us %.3f best_tenth_per_s %.0f\n",
           (double)took[ROUNDS / 2] * 1e-3, PIECE / ((double)piece[PIECES / 2] * 1e-9),
           (double)took[ROUNDS / 10] * 1e-3, PIECE / ((double)piece[PIECES / 10] * 1e-9));
}

int main(void)
{
    static const char *const processes[] = {"asks", "answers"};
    struct region_link links[] = {FORTH, BACK, CREDITS};
    struct region_plan plan = {processes, 2, links, 3, REGION_NONE};
    struct hello hello = hello_make("", "", "", 0);
    int fd = region_create(&plan), status = 1;
    pid_t pid = fd < 0 ? -1 : fork();
    if (pid < 0)
        return 74;
    core_of_own(pid == 0);
    struct region *r = region_open(fd, pid == 0, &hello, 1);
    if (r == NULL || !peers_greet(r, 10))
        return 70;
    if (pid == 0) {
        answer(r);
        return 0;
    }
    ask(r);
    waitpid(pid, &status, 0);
    return status ? 70 : 0;
}
