// SPDX-License-Identifier: Apache-2.0
// Pages that move in the bench of part_dispatch: what the RDMA engine is told, which is over when its agent has taken it; reports of the engine, of which the
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
    memcpy(&dut->move_evt_i, &m, sizeof m);
    move_reports.push_back(m);
    move_credits--;
    return true;
}

static void move_heard(const msg_cp_evt &e)
{
    msg_cp_evt_move got, want = {};
    memcpy(&got, &e, sizeof got);
    if (!got.begun) {
        want.kind = e.kind, want.status = CTL_ERROR_OFF, want.place = agent_name(1), want.state = CTL_STATE_OFF;
        if (moves_refused.size() == 1)
            want.id = moves_refused[0].id, want.slot = moves_refused[0].slot;
        if (moves_refused.size() != 1 || (e.kind == CP_EVT_MOVED) != (moves_refused[0].kind == CP_MOVE) || memcmp(&got, &want, sizeof got))
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
    return c;
}
#endif
