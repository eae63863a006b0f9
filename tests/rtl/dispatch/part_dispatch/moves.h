// SPDX-License-Identifier: Apache-2.0
// Pages that move and counters of far accesses in the bench of part_dispatch: what the RDMA engine is told, which is over when its agent has taken it; reports of the engine, of which the
// host hears each once, every field, in order, in turn with those of the L2 TLB; a command that its agent refuses.  Not responsible for: what the
// engine does (tests/rtl/rdma).
#ifndef MOVES_H
#define MOVES_H

static uint16_t agent_name(unsigned port);
static std::vector<msg_cp_move> moves;          // commands that the engine has not seen, in order
static std::vector<msg_cp_move> moves_refused;  // of which the host has not heard
static std::deque<msg_move_evt> move_reports;   // that the host has not heard of
static unsigned move_credits = 4, move_credit, moves_reported, moves_refused_told, moves_seen;

static bool move_report_maybe()
{
    dut->move_evt_valid_i = move_credits && !reports_over && pick(30) == 0;
    move_credits += move_credit, move_credit = 0;
    if (!dut->move_evt_valid_i)
        return false;
    msg_move_evt m = {};
    m.kind = pick(2) ? CP_EVT_MOVED : CP_EVT_STORED, m.status = (uint8_t)pick(3), m.move = (uint16_t)rng(), m.flags = (uint16_t)pick(4096);
    m.slot = (uint8_t)pick(8), m.lines = (uint16_t)pick(1025), m.checksum = rng(), m.start = rng(), m.end = rng();
    if (pick(3) == 0) {
        msg_count_evt c = {};
        c.kind = CP_EVT_COUNT, c.entries = (uint8_t)(1 + pick(3));
        for (unsigned e = 0; e < c.entries; e++)
            c.frame[e] = (1 + rng() % 255) << 48 | (rng() & 0xfffffffff000), c.reads[e] = (uint16_t)pick(4096), c.writes[e] = (uint16_t)(1 + pick(4095));
        memcpy(&m, &c, sizeof m);
    } else if (pick(4) == 0) {
        msg_counted_evt c = {};
        c.kind = CP_EVT_COUNTED, c.counts = (uint16_t)rng(), c.entries = (uint32_t)rng(), c.below = (uint32_t)rng(), c.lost = (uint32_t)rng();
        memcpy(&m, &c, sizeof m);
    }
    memcpy(&dut->move_evt_i, &m, sizeof m);
    move_reports.push_back(m);
    move_credits--;
    return true;
}

static bool is_move(const msg_cp_evt &e) { return e.kind == CP_EVT_MOVED || e.kind == CP_EVT_STORED || e.kind == CP_EVT_COUNT || e.kind == CP_EVT_COUNTED; }

// What a report of counters becomes.
static msg_cp_evt counts_wanted(const msg_move_evt &m)
{
    msg_cp_evt want;
    if (m.kind == CP_EVT_COUNT) {
        msg_count_evt c;
        memcpy(&c, &m, sizeof c);
        msg_cp_evt_count w = {};
        w.kind = c.kind, w.entries = c.entries;
        memcpy(w.reads, c.reads, sizeof w.reads), memcpy(w.writes, c.writes, sizeof w.writes), memcpy(w.frame, c.frame, sizeof w.frame);
        memcpy(&want, &w, sizeof w);
    } else {
        msg_counted_evt c;
        memcpy(&c, &m, sizeof c);
        msg_cp_evt_counted w = {};
        w.kind = c.kind, w.id = c.counts, w.begun = 1, w.entries = c.entries, w.below = c.below, w.lost = c.lost;
        memcpy(&want, &w, sizeof w);
    }
    return want;
}

static void move_heard(const msg_cp_evt &e)
{
    if (e.kind == CP_EVT_COUNT || (e.kind == CP_EVT_COUNTED && e.va & 0xffff)) {
        if (move_reports.empty() || move_reports.front().kind != e.kind)
            FAIL("counters that the RDMA engine has not sent");
        const msg_cp_evt want = counts_wanted(move_reports.front());
        if (memcmp(&e, &want, sizeof want))
            FAIL("report of counters: fields");
        move_reports.pop_front(), moves_reported++;
        return;
    }
    msg_cp_evt_move got, want = {};
    memcpy(&got, &e, sizeof got);
    if (!got.begun) {
        want.kind = e.kind, want.status = CTL_ERROR_OFF, want.place = agent_name(1), want.state = CTL_STATE_OFF;
        if (moves_refused.size() == 1)
            want.id = moves_refused[0].id, want.slot = moves_refused[0].slot;
        if (moves_refused.size() == 1 && e.kind == CP_EVT_COUNTED) // it has no slot: bits that nobody reads
            want.slot = got.slot;
        if (moves_refused.size() != 1 || (e.kind == CP_EVT_MOVED) != (moves_refused[0].kind == CP_MOVE) ||
            (e.kind == CP_EVT_COUNTED) != (moves_refused[0].kind == CP_COUNTS) || memcmp(&got, &want, sizeof got))
            FAIL("refusal of page %u", got.id);
        moves_refused.clear(), moves_refused_told++;
        return;
    }
    if (move_reports.empty())
        FAIL("a report that the RDMA engine has not sent");
    const msg_move_evt &m = move_reports.front();
    want.kind = m.kind, want.status = m.status, want.id = m.move, want.slot = m.slot, want.begun = 1, want.flags = m.flags, want.lines = m.lines;
    want.checksum = m.checksum, want.start = m.start, want.end = m.end;
    if (memcmp(&got, &want, sizeof got))
        FAIL("report of page %u: fields", got.id);
    move_reports.pop_front(), moves_reported++;
}

// A command for counters, as the engine is to hear it.
static void counts_view(const msg_cp_move &which, msg_ctl_move &want)
{
    msg_cp_counts c;
    msg_ctl_counts w = {};
    memcpy((void *)&c, &which, sizeof which);
    w.op = CTL_COUNTS, w.page = c.page, w.id = 0xffff, w.counts = c.id, w.action = c.action, w.least = c.least;
    memcpy(&want, &w, sizeof w);
}

// Is this what the engine is to hear?
static bool move_asked(const msg_ctl_cmd &cmd, msg_cp_move &which)
{
    msg_ctl_move m, want = {};
    memcpy(&m, &cmd, sizeof m);
    if (moves.empty())
        return false;
    which = moves.front();
    moves.erase(moves.begin());
    want.op = which.kind == CP_MOVE ? CTL_MOVE : CTL_STORE, want.slot = which.slot, want.id = 0xffff, want.move = which.id;
    want.lines = which.lines, want.flags = which.flags, want.source = which.source, want.target = which.target;
    if (which.kind == CP_COUNTS)
        counts_view(which, want);
    moves_seen++;
    return !memcmp(&m, &want, sizeof m);
}

static msg_cp_cmd move_random()
{
    msg_cp_move m = {};
    m.kind = pick(2) ? CP_MOVE : CP_STORE, m.slot = (uint8_t)pick(8), m.id = (uint16_t)rng(), m.lines = (uint16_t)(1 + pick(1024)), m.flags = (uint16_t)pick(4096);
    m.source = rng(), m.target = rng();
    msg_cp_cmd c;
    memcpy(&c, &m, sizeof c);
    if (pick(3) == 0) {
        msg_cp_counts k = {};
        k.kind = CP_COUNTS, k.page = pick(2) ? 12 : 16, k.id = (uint16_t)rng(), k.action = (uint16_t)pick(3), k.least = (uint16_t)rng();
        memcpy(&c, &k, sizeof c);
    }
    return c;
}
#endif
