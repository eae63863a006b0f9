/* SPDX-License-Identifier: Apache-2.0
 * Caches and page-move engines of a fake machine: what they are told of pages that move, answered at once or when the
 * test says so, and as it says.  The bytes of a page come over when the first of both engines tells that it is done.
 */
#ifndef TESTS_HOST_DRIVER_PAGE_ENGINES_H
#define TESTS_HOST_DRIVER_PAGE_ENGINES_H
#include "moves_bench.h"

#define FLUSH_ID 0xfcu /* CP_PAGE of host/firmware */
#define COMMANDS 1024u

enum told { GOOD, REFUSED, FAULT, DISCARDED };

struct command {
    unsigned gpu;
    uint8_t kind; /* CP_CACHE, CP_MOVE, CP_STORE */
    struct msg_cp_move view;
    uint64_t at, bytes; /* of CP_CACHE: in that GPU's memory */
    bool open, held;
};

static struct engines {
    struct command list[COMMANDS];
    unsigned count;
    bool hold_flushes, hold_moves, hold_stores; /* for the test to answer */
    bool lose;                                  /* the last word of a page does not come over */
    bool overtaken;                             /* a slot that is given up has just told of its page */
    struct msg_cp_evt_move odd;                 /* flags, lines, checksum: by which CP_EVT_STORED differ */
} engines;

static inline unsigned owner_of(uint64_t frame)
{
    return (unsigned)(frame >> PMEM_OWNER_SHIFT) - 1;
}

/* The order by which the page of this CP_STORE comes. */
static inline const struct command *order_of(const struct command *store)
{
    if (store->view.lines)
        for (const struct command *c = store + 1; c < engines.list + engines.count; c++)
            if (c->kind == CP_MOVE && c->view.slot == store->view.slot && owner_of(c->view.target) == store->gpu)
                return c;
    return NULL;
}

static inline uint64_t bytes_carry(struct sim *sim, const struct command *move)
{
    uint64_t word[64], sum = 0, all = move->view.lines * UINT64_C(64);
    for (uint64_t at = 0; at < all; at += sizeof word) {
        assert_int_equal(pmem_read(sim->memory, pmem_addr(move->gpu + 1, move->view.source + at), word, sizeof word),
                         0);
        for (unsigned i = 0; i < 64; i++)
            sum += word[i] * (at / 8 + i + 1);
        word[63] += engines.lose && at + sizeof word == all;
        assert_int_equal(pmem_write(sim->memory, move->view.target + at, word, sizeof word), 0);
    }
    return sum;
}

static inline void report(struct sim *sim, struct command *c, enum told how, uint64_t cycles)
{
    const struct command *move = c->kind == CP_MOVE ? c : c->kind == CP_STORE ? order_of(c) : NULL;
    struct msg_cp_evt evt = {.kind = CP_EVT_CACHE_DONE, .id = FLUSH_ID, .status = how == GOOD ? CTL_OK : CTL_ERROR_OFF};
    struct msg_cp_evt_move told = {.kind = c->kind == CP_MOVE ? CP_EVT_MOVED : CP_EVT_STORED,
                                   .status = how == FAULT       ? MOVE_FAULT
                                             : how == DISCARDED ? MOVE_DISCARDED
                                             : how == REFUSED   ? CTL_ERROR_OFF
                                                                : MOVE_OK,
                                   .id = c->view.id,
                                   .slot = c->view.slot,
                                   .begun = how != REFUSED};
    assert_true(c->open);
    c->open = false;
    if (move && how != REFUSED) {
        told.flags = move->view.flags;
        told.lines = how == GOOD ? move->view.lines : move->view.lines - 3u;
        told.checksum = bytes_carry(sim, move) + (how != GOOD);
    }
    if (c->kind == CP_STORE) {
        told.flags ^= engines.odd.flags;
        told.lines ^= engines.odd.lines;
        told.checksum ^= engines.odd.checksum;
    }
    if (c->kind != CP_CACHE)
        memcpy(&evt, &told, sizeof evt);
    fake_add(sim, (struct fake_due){.at = sim->now + cycles, .gpu = c->gpu, .evt = evt});
}

/* The page that was to come by it is told of by this command's answer, or has been. */
static inline void slot_given_up(struct sim *sim, const struct command *by)
{
    for (struct command *c = engines.list; by->kind == CP_STORE && by->view.lines == 0 && c < by; c++)
        if (c->kind == CP_STORE && c->open && c->gpu == by->gpu && c->view.slot == by->view.slot) {
            if (engines.overtaken)
                report(sim, c, FAULT, 50);
            c->open = false;
        }
}

/* Caches answer in the order of commands. */
static inline bool flush_waits(const struct command *flush)
{
    for (const struct command *c = engines.list; c < flush; c++)
        if (c->kind == CP_CACHE && c->open && c->gpu == flush->gpu)
            return true;
    return false;
}

static inline bool takes(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    const bool flush = cmd->kind == CP_CACHE && cmd->id == FLUSH_ID;
    if (!flush && cmd->kind != CP_MOVE && cmd->kind != CP_STORE)
        return false;
    struct command *c = &engines.list[engines.count++];
    assert_true(engines.count < COMMANDS);
    *c = (struct command){.gpu = gpu, .kind = cmd->kind, .open = true};
    if (flush) {
        c->at = cmd->root;
        c->bytes = cmd->pc;
        assert_int_equal(cmd->flags, CACHE_WB_L2 | CACHE_INV_L2);
    } else {
        memcpy(&c->view, cmd, sizeof c->view);
        slot_given_up(sim, c);
    }
    c->held = flush                  ? engines.hold_flushes || flush_waits(c)
              : cmd->kind == CP_MOVE ? engines.hold_moves
                                     : engines.hold_stores;
    for (struct command *store = engines.list; cmd->kind == CP_MOVE && store < c; store++)
        if (store->open && !store->held && order_of(store) == c)
            report(sim, store, GOOD, 400);
    if (!c->held && (cmd->kind != CP_STORE || c->view.lines == 0))
        report(sim, c, GOOD, flush || cmd->kind == CP_MOVE ? 400 : 100);
    return true;
}
#endif
