/* SPDX-License-Identifier: Apache-2.0
 * Two sides of a byte stream and a channel between them that loses, damages, doubles and cuts frames, by a seed, in
 * played time.  Each side has a thread of its own, of which one runs at a time: a side that finds nothing to read hands
 * over; time passes when neither finds anything.
 */
#ifndef TESTS_BRIDGE_LINK_STREAM_CHANNEL_H
#define TESTS_BRIDGE_LINK_STREAM_CHANNEL_H
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/stream/stream.h"

struct faults { /* of 10,000 frames, each way; `byte`: of 10,000 bytes */
    unsigned lost, damaged, doubled, cut, byte;
    unsigned write_most; /* bytes a write takes; 0: all that fit */
    bool fill;           /* a stray 0x00 behind each frame of the board */
};

struct channel;
struct side {
    struct channel *channel;
    sem_t turn;
    uint8_t bytes[4096]; /* on their way to it */
    size_t first, held;
    uint8_t frame[600]; /* that the other side is writing */
    size_t begun;
    bool found; /* something, since it last had its turn */
};

struct channel {
    struct side host, board;
    struct faults faults;
    uint64_t random, now, struck; /* struck: faults that took place */
    bool ended;
};

static inline unsigned channel_chance(struct channel *c, unsigned of)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(c->random >> 33) % of;
}

static inline bool channel_strikes(struct channel *c, unsigned in_10000)
{
    const bool yes = channel_chance(c, 10000) < in_10000;
    c->struck += yes;
    return yes;
}

static inline void channel_push(struct side *to, const uint8_t *bytes, size_t n)
{
    struct channel *c = to->channel;
    for (size_t i = 0; i < n; i++) {
        const uint8_t flip =
            c->faults.byte && channel_strikes(c, c->faults.byte) ? (uint8_t)(1 + channel_chance(c, 255)) : 0;
        assert_true(to->held < sizeof to->bytes);
        to->bytes[(to->first + to->held++) % sizeof to->bytes] = bytes[i] ^ flip;
    }
}

/* The whole frame of the other side: what becomes of it. */
static inline void channel_frame(struct side *to)
{
    struct channel *c = to->channel;
    const unsigned copies = channel_strikes(c, c->faults.lost) ? 0 : 1 + channel_strikes(c, c->faults.doubled);
    for (unsigned n = 0; n < copies; n++) {
        uint8_t frame[600];
        memcpy(frame, to->frame, to->begun);
        if (channel_strikes(c, c->faults.damaged))
            frame[channel_chance(c, (unsigned)to->begun)] ^= (uint8_t)(1 + channel_chance(c, 255));
        channel_push(to, frame, channel_strikes(c, c->faults.cut) ? channel_chance(c, (unsigned)to->begun) : to->begun);
    }
    if (to == &c->host && c->faults.fill)
        channel_push(to, (const uint8_t *)"", 1);
    to->begun = 0;
}

static inline ssize_t channel_write(struct side *to, const uint8_t *bytes, size_t n)
{
    const unsigned most = to->channel->faults.write_most;
    size_t done = 0;
    n = most && n > most ? most : n;
    for (; done < n && sizeof to->bytes - to->held >= 2 * 509; done++) {
        to->frame[to->begun++] = bytes[done];
        if (to->begun > 8 && to->begun == 12u + to->frame[2] + 256u * to->frame[3])
            channel_frame(to);
    }
    return (ssize_t)done;
}

static inline ssize_t channel_take(struct side *own, uint8_t *bytes, size_t room)
{
    size_t n = 0;
    for (; n < room && own->held; n++, own->held--) {
        bytes[n] = own->bytes[own->first];
        own->first = (own->first + 1) % sizeof own->bytes;
    }
    own->found |= n > 0;
    return (ssize_t)n;
}

static inline void channel_hand_over(struct side *from, struct side *to)
{
    sem_post(&to->turn);
    while (sem_wait(&from->turn) != 0)
        continue;
}

static inline ssize_t host_write(void *ctx, const void *bytes, size_t n)
{
    return channel_write(&((struct channel *)ctx)->board, bytes, n);
}

static inline ssize_t host_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    struct channel *c = ctx;
    ssize_t n = channel_take(&c->host, bytes, room);
    while (n == 0) {
        c->board.found = false;
        channel_hand_over(&c->host, &c->board);
        n = channel_take(&c->host, bytes, room);
        if (n == 0 && !c->board.found) {
            c->now += ms;
            break;
        }
    }
    return n;
}

static inline ssize_t board_write(void *ctx, const void *bytes, size_t n)
{
    return channel_write(&((struct channel *)ctx)->host, bytes, n);
}

static inline ssize_t board_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    struct channel *c = ctx;
    ssize_t n = channel_take(&c->board, bytes, room);
    if (n == 0 && ms) {
        channel_hand_over(&c->board, &c->host);
        n = channel_take(&c->board, bytes, room);
    }
    return c->ended ? -1 : n;
}

static inline const char *channel_why(void *ctx)
{
    (void)ctx;
    return "the test has ended";
}

static inline uint64_t channel_now(void *ctx)
{
    return ((struct channel *)ctx)->now;
}

static inline struct stream_port host_port(struct channel *c)
{
    return (struct stream_port){c, host_write, host_read, channel_why, channel_now};
}

/* The board as a thread: it waits for its turn first. */
struct board_thread {
    struct channel *channel;
    void (*run)(struct stream *stream); /* ends when the stream is lost */
    struct stream_counts counts;        /* at the end */
    pthread_t id;
};

static inline void *board_main(void *arg)
{
    struct board_thread *b = arg;
    struct channel *c = b->channel;
    const struct stream_port port = {c, board_write, board_read, channel_why, channel_now};
    const struct stream_hello hello = {
        .version = STREAM_VERSION, .kind = 0x6f686365, .rtl = 1, .keys = 2, .graph = 3, .links = 4};
    struct stream *stream = stream_new_board(&port, &hello);
    while (sem_wait(&c->board.turn) != 0)
        continue;
    b->run(stream);
    b->counts = *stream_counts(stream);
    stream_free(stream);
    return NULL;
}

static inline struct channel *channel_new(const struct faults *faults, uint64_t seed, struct board_thread *board)
{
    struct channel *c = calloc(1, sizeof *c);
    c->faults = *faults;
    c->random = seed;
    c->host.channel = c->board.channel = board->channel = c;
    sem_init(&c->host.turn, 0, 0);
    sem_init(&c->board.turn, 0, 0);
    assert_int_equal(pthread_create(&board->id, NULL, board_main, board), 0);
    return c;
}

static inline void channel_end(struct channel *c, struct board_thread *board)
{
    c->ended = true;
    sem_post(&c->board.turn);
    pthread_join(board->id, NULL);
    free(c);
}
#endif
