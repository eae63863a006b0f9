/* SPDX-License-Identifier: Apache-2.0
 * Boards as models; contract in board.h.
 */
#include "bridge/board/board.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "bridge/board/board_private.h"

/* ---- what it must be */
static uint64_t field(const struct stream_hello *hello, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)hello + offset, sizeof value);
    return value;
}

/* Eight characters, made printable. */
static const char *kind_text(uint64_t kind, char text[9])
{
    for (unsigned i = 0; i < 8; i++) {
        const char c = (char)(kind >> 8 * i & 255);
        text[i] = (char)(c == 0 || (c > ' ' && c <= '~') ? c : '?');
    }
    text[8] = 0;
    return text;
}

/* The first thing in which it differs is told. */
static bool hello_check(struct board *b, const struct stream_hello *theirs)
{
    static const struct {
        size_t offset;
        const char *what;
    } hashes[] = {{offsetof(struct stream_hello, rtl), "RTL text"},
                  {offsetof(struct stream_hello, keys), "keys"},
                  {offsetof(struct stream_hello, graph), "graph of partitions"},
                  {offsetof(struct stream_hello, links), "links"}};
    char text[2][9];
    if (theirs->version != b->wanted.version)
        return board_lose(b, "the board has version %u of the protocol, this host %u", theirs->version,
                          b->wanted.version);
    if (theirs->kind != b->wanted.kind)
        return board_lose(b, "the board holds a partition of kind %s, not %s", kind_text(theirs->kind, text[0]),
                          kind_text(b->wanted.kind, text[1]));
    for (unsigned i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        const uint64_t have = field(theirs, hashes[i].offset), want = field(&b->wanted, hashes[i].offset);
        if (have != want)
            return board_lose(b, "the board was made with other %s: %016" PRIx64 " instead of %016" PRIx64,
                              hashes[i].what, have, want);
    }
    return true;
}

/* ---- the model */
static struct board *board_of(const struct model_api *api)
{
    return (struct board *)((uintptr_t)api - offsetof(struct board, api));
}

enum gantry_status board_attach(struct board *b, uint16_t id)
{
    struct stream_hello mine = b->wanted, theirs = {0};
    if (*b->why)
        return STATUS_IO;
    mine.flags = HELLO_ATTACH;
    mine.id = id;
    if (b->stream == NULL)
        b->stream = stream_new(b->port);
    records_begin(b);
    b->attached = stream_hello(b->stream, &mine, &theirs);
    b->id = id;
    if (!b->attached) {
        board_lose(b, "%s", stream_why(b->stream));
        return STATUS_IO;
    }
    return hello_check(b, &theirs) ? STATUS_OK : STATUS_CONFIG;
}

static void *board_create(const struct model_api *api, const char *name, uint16_t id, uint64_t seed)
{
    struct board *b = board_of(api);
    const bool fresh = b->attached && b->id == id;
    (void)name, (void)seed;
    if (*b->why || (!fresh && board_attach(b, id) != STATUS_OK))
        return NULL;
    b->attached = false;
    return b;
}

static void board_destroy(void *model)
{
    struct board *b = model;
    if (!*b->why)
        stream_bye(b->stream);
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool board_step(void *model, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                       const struct model_sink *sink)
{
    struct board *b = model;
    bool idle = true;
    if (*b->why)
        return true;
    if (b->lock)
        pthread_mutex_lock(b->lock);
    const uint64_t begin = clock_ns();
    const bool ok = records_run(b, from, due, count, no_skip, sink, &idle);
    b->figures.ns += clock_ns() - begin;
    b->figures.exchanges += ok;
    if (b->lock)
        pthread_mutex_unlock(b->lock);
    return !ok || idle;
}

static uint64_t board_evaluated(const void *model)
{
    return ((const struct board *)model)->figures.cycles;
}

static uint64_t board_ask(struct board *b, uint8_t part, uint8_t address, uint8_t edges, uint8_t flags)
{
    uint64_t value = 0;
    if (*b->why || b->api.counter_count == 0 || !records_ask(b, part, address, edges, flags, &value))
        return 0;
    return value;
}

static uint64_t board_counter(void *model, uint32_t n)
{
    struct board *b = model;
    return board_ask(b, b->api.asks[n].part, b->api.asks[n].address, 1, 0);
}

/* As bridge/verilated/model.hpp looks: by chance between three and ten edges later. */
static uint64_t board_look(void *model, uint32_t what)
{
    struct board *b = model;
    b->looks = b->looks * 1103515245 + 12345;
    return board_ask(b, (uint8_t)(what >> 8), (uint8_t)what, (uint8_t)(3 + (b->looks >> 16) % 8), ASK_STOPPED);
}

static uint64_t board_shown(const void *model)
{
    return ((const struct board *)model)->shown;
}

static void board_observe(void *model, bool on)
{
    (void)model, (void)on; /* it has no such ports: whoever needs them is refused (host/place/boards.h) */
}

/* ---- the board */
static void lanes_note(struct board *b)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < b->api.port_count; i++) {
        const struct model_port *p = &b->api.ports[i];
        for (uint32_t lane = 0; lane < p->count; lane++)
            (p->out ? b->out_bytes : b->in_bytes)[p->slot + lane] = p->bytes;
        most = p->out && p->bytes > most ? p->bytes : most;
    }
    b->message = xcalloc(most + 1, 1);
}

struct board *board_new(const char *name, const struct model_api *plain, const struct stream_hello *wanted,
                        const struct stream_port *port, void (*lost)(void *ctx), void *ctx)
{
    struct board *b = xzalloc(sizeof *b);
    b->api = *plain;
    b->api.create = board_create;
    b->api.destroy = board_destroy;
    b->api.step = board_step;
    b->api.evaluated = board_evaluated;
    b->api.counter = board_counter;
    b->api.shown = board_shown;
    b->api.look = board_look;
    b->api.observe = board_observe;
    b->api.trace = NULL;
    b->api.save = NULL;
    b->api.restore = NULL;
    b->api.hold = b->api.release = NULL;
    b->api.unsavable = "it is on a board: record there, and save while the recording is replayed in simulation";
    snprintf(b->name, sizeof b->name, "%s", name);
    b->wanted = *wanted;
    b->port = port;
    b->lost = lost;
    b->lost_ctx = ctx;
    b->in_bytes = xcalloc(plain->ins + 1, sizeof *b->in_bytes);
    b->out_bytes = xcalloc(plain->outs + 1, sizeof *b->out_bytes);
    lanes_note(b);
    credits_make(b);
    return b;
}

void board_lock(struct board *board, pthread_mutex_t *lock)
{
    board->lock = lock;
}

void board_free(struct board *board)
{
    if (board == NULL)
        return;
    stream_free(board->stream);
    free(board->in_bytes);
    free(board->out_bytes);
    free(board->message);
    credits_free(board);
    free(board);
}

const struct model_api *board_api(const struct board *board)
{
    return &board->api;
}

const char *board_why(const struct board *board)
{
    return *board->why ? board->why : NULL;
}

bool board_alive(struct board *b)
{
    if (*b->why || b->stream == NULL)
        return !*b->why;
    return stream_alive(b->stream) || board_lose(b, "%s", stream_why(b->stream));
}

void board_give_up(struct board *board, const char *why)
{
    board_lose(board, "%s", why);
}

struct board_figures board_figures(const struct board *board)
{
    struct board_figures f = board->figures;
    if (board->stream) {
        const struct stream_counts *counts = stream_counts(board->stream);
        f.bytes_sent = counts->bytes_sent;
        f.bytes_taken = counts->bytes_taken;
        f.resent = counts->resent;
    }
    return f;
}
