// SPDX-License-Identifier: Apache-2.0
// Bench of control_agent with a component: all 2^6 signals in every state against the table of the requirements, with junk
// in the other fields; maintenance in every state; then random messages while the component has traffic: nothing is taken
// or sent against a hold, what was taken is finished when a drain is answered and the buffer is as it was, dirty
// lines are gone when a flush is, each message is answered once with every field.  Carries S1.18 to S1.29.
// top: control_agent
// args: -Irtl/common --x-initial unique
// mutate: if (signals.enable) return CTL_ERROR_ON; => if (signals == 6'd1) return CTL_ERROR_ON;
// mutate: 2'(signals.drain) + 2'(signals.flush) + 2'(signals.discard) > 2'd1 => signals.drain && signals.flush
// mutate: return signals.proceed || finished ? CTL_OK : CTL_ERROR_OUTSTANDING; => return CTL_OK;
// mutate: state_q == StateDraining ? drained_i && => state_q == StateDraining ?
// mutate: assign hold_take_o = state_q != StateRun; => assign hold_take_o = state_q != StateRun && state_q != StateDraining;
// mutate: (state_q == StateRun || state_q == StatePaused); => state_q != StateOff;
// mutate: !maint_told_q && !late_q && => !late_q &&
// mutate: judge(state_q, drained_i && !maint_busy_q, => judge(state_q, drained_i,
// mutate: drained_i && !(operation_q.flush && maint_busy_q && !maint_late_q) => drained_i
#include "Vcontrol_agent.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/mem_bench.h"

#include <deque>
#include <map>

namespace {
Vcontrol_agent *dut;
constexpr unsigned States = 6;

struct Component { // has a buffer of requests, some that it has taken, dirty lines
    std::deque<unsigned> buffer;
    unsigned taken = 0, dirty = 0, flush_left = 0, discard_left = 0, maint_left = 0;
    bool slow = false; // does nothing of what it is asked, for now
} c;

std::deque<msg_ctl_evt> answers;
std::deque<uint64_t> answer_at;
unsigned maint_seen;
msg_ctl_cmd maint_got;
uint64_t maint_at;
bool dropped; // by a discard, at the last edge

msg_ctl_cmd message(uint8_t op, uint8_t signals)
{
    msg_ctl_cmd m;
    auto *bytes = reinterpret_cast<uint8_t *>(&m);
    for (size_t i = 0; i < sizeof m; i++)
        bytes[i] = (uint8_t)rng();
    m.op = op, m.signals = signals;
    return m;
}

// One cycle; m: a message in it.  Checks the holds against the state that the answers so far say.
void step(const msg_ctl_cmd *m = nullptr, bool traffic = false)
{
    dut->ctl_cmd_valid_i = m != nullptr;
    if (m)
        put(dut->ctl_cmd_i, *m);
    dut->drained_i = c.taken == 0;
    dut->flush_done_i = c.flush_left == 1 && !c.slow;
    dut->discard_done_i = c.discard_left == 1 && !c.slow;
    dut->maint_done_i = c.maint_left == 1 && !c.slow;
    dut->eval();
    const bool asleep = dut->idle_o && !m;
    if (asleep && (dut->ctl_evt_valid_o || dut->maint_valid_o || dut->flush_o || dut->discard_o))
        fail("rests while something is told", 1, 0);
    if (dut->ctl_evt_valid_o) {
        answers.push_back(get<msg_ctl_evt>(dut->ctl_evt_o));
        answer_at.push_back(cycle);
        if (answers.back().op == CTL_SIGNAL && answers.back().status == CTL_OK && answers.back().state == CTL_STATE_PAUSED && traffic) {
            if (dut->flush_o || dut->discard_o)
                fail("an operation begins beside its answer", 1, 0);
        }
    }
    if (dut->maint_valid_o) {
        maint_seen++, maint_at = cycle, maint_got = get<msg_ctl_cmd>(dut->maint_o);
        if (c.maint_left)
            fail("two maintenance commands at once", 2, 1);
    }
    if (dut->flush_o && c.taken)
        fail("a flush begins with something unfinished", c.taken, 0);
    const bool hold_take = dut->hold_take_o, hold_all = dut->hold_all_o, flush = dut->flush_o, discard = dut->discard_o, maint = dut->maint_valid_o;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    // ---- the component at this edge
    auto count = [](unsigned &left, bool begin) { left = begin ? 2 + pick(6) : left > 1 && !c.slow ? left - 1 : left == 1 && !c.slow ? 0 : left; };
    dropped = discard;
    if (discard)
        c.taken = 0, c.buffer.clear();
    if (flush)
        c.dirty = 0;
    count(c.flush_left, flush), count(c.discard_left, discard), count(c.maint_left, maint);
    if (traffic && !hold_all && c.taken && pick(3) == 0)
        c.taken--, c.dirty += pick(2);
    if (traffic && !hold_take && !c.buffer.empty())
        c.buffer.pop_front(), c.taken++;
    if (traffic && c.buffer.size() < 8 && pick(2))
        c.buffer.push_back(0);
    if (asleep && dut->idle_o == 0)
        fail("rested and does not, without a cause", 0, 1);
    cycle++;
}

void reset()
{
    c = {}, answers.clear(), answer_at.clear(), maint_seen = 0;
    dut->rst_ni = 0, dut->clk_i = 0, dut->ctl_cmd_valid_i = 0, dut->drained_i = 1;
    dut->flush_done_i = dut->discard_done_i = dut->maint_done_i = 0;
    for (int i = 0; i < 2; i++)
        dut->eval(), dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->rst_ni = 1;
    dut->eval();
}

// The answer to what was just sent, within `limit` cycles.
msg_ctl_evt answer(unsigned limit, uint64_t *at = nullptr)
{
    for (unsigned n = 0; n < limit && answers.empty(); n++)
        step();
    if (answers.empty()) {
        fail("no answer", limit, 0);
        return {};
    }
    msg_ctl_evt e = answers.front();
    if (at)
        *at = answer_at.front();
    answers.pop_front(), answer_at.pop_front();
    return e;
}

void expect(const msg_ctl_evt &e, const msg_ctl_cmd &m, unsigned status, unsigned state, const char *where)
{
    const msg_ctl_evt want = {m.op, (uint8_t)status, (uint8_t)state, 0, m.id, 0};
    if (memcmp(&e, &want, sizeof want))
        fail(where, *(const uint64_t *)&e, *(const uint64_t *)&want);
}

void tell(uint8_t signals, unsigned state)
{
    const msg_ctl_cmd m = message(CTL_SIGNAL, signals);
    step(&m);
    if (state)
        expect(answer(200), m, CTL_OK, state, "on the way into a state");
}

// The component stays in this state until c.slow is cleared.
void into(unsigned state)
{
    reset();
    if (state != CTL_STATE_RUN)
        tell(CTL_PAUSE, CTL_STATE_PAUSED);
    if (state == CTL_STATE_OFF) {
        const msg_ctl_cmd m = message(CTL_SIGNAL, 0);
        step(&m);
        expect(answer(5), m, CTL_OK, CTL_STATE_OFF, "disable");
    }
    c.slow = true;
    if (state == CTL_STATE_DRAINING)
        c.taken = 1, tell(CTL_DRAIN, 0);
    if (state == CTL_STATE_FLUSHING)
        tell(CTL_FLUSH, 0);
    if (state == CTL_STATE_DISCARDING)
        tell(CTL_DISCARD, 0);
    for (int i = 0; i < 6; i++)
        step();
    if (!answers.empty())
        fail("answered too early", answers.front().status, 255);
}

// S1.18 to S1.29 as a table: status, and the state in the answer.
void table(unsigned state, uint8_t s, bool unfinished, unsigned &status, unsigned &next)
{
    const bool busy = state >= CTL_STATE_DRAINING;
    next = state;
    if (state == CTL_STATE_OFF) {
        status = s & CTL_ENABLE ? CTL_OK : CTL_ERROR_OFF;
        next = s & CTL_ENABLE ? CTL_STATE_RUN : CTL_STATE_OFF;
        return;
    }
    if (busy || s & CTL_ENABLE) {
        status = busy ? CTL_ERROR_BUSY : CTL_ERROR_ON;
        return;
    }
    switch (s) {
    case 0:
        status = state != CTL_STATE_PAUSED ? CTL_ERROR_STATE : unfinished ? CTL_ERROR_OUTSTANDING : CTL_OK;
        next = status == CTL_OK ? CTL_STATE_OFF : state;
        return;
    case CTL_PAUSE:
        status = state == CTL_STATE_RUN ? CTL_OK : CTL_ERROR_STATE, next = CTL_STATE_PAUSED;
        return;
    case CTL_CONTINUE:
        status = state == CTL_STATE_PAUSED ? CTL_OK : CTL_ERROR_STATE, next = CTL_STATE_RUN;
        return;
    case CTL_DRAIN:
    case CTL_FLUSH:
    case CTL_DISCARD:
    case CTL_PAUSE | CTL_DRAIN:
    case CTL_PAUSE | CTL_FLUSH:
    case CTL_PAUSE | CTL_DISCARD:
        status = CTL_OK, next = CTL_STATE_PAUSED;
        return;
    default:
        status = CTL_ERROR_TOGETHER;
        return;
    }
}

void every_signal()
{
    for (unsigned state = 0; state < States; state++)
        for (unsigned s = 0; s < 64; s++)
            for (unsigned unfinished = 0; unfinished < 2; unfinished++) {
                unsigned status, next;
                into(state);
                if (state != CTL_STATE_DRAINING)
                    c.taken = unfinished;
                table(state, (uint8_t)s, unfinished, status, next);
                const bool later = status == CTL_OK && s & (CTL_DRAIN | CTL_FLUSH | CTL_DISCARD) && !(s & CTL_ENABLE);
                const msg_ctl_cmd m = message(CTL_SIGNAL, (uint8_t)s);
                const uint64_t sent = cycle;
                uint64_t at = 0;
                step(&m);
                if (later) {
                    for (int i = 0; i < 10; i++)
                        step();
                    if (unfinished && !(s & CTL_DISCARD) && !answers.empty())
                        fail("a drain is answered with something unfinished", s, 0);
                    c.slow = false, c.taken = 0;
                }
                const msg_ctl_evt e = answer(50, &at);
                expect(e, m, status, next, "table");
                if (!later && at != sent + 1)
                    fail("an immediate answer came late", at - sent, 1);
                if (dut->hold_take_o != (e.state != CTL_STATE_RUN) || dut->hold_all_o != (e.state == CTL_STATE_OFF || e.state == CTL_STATE_PAUSED || e.state == CTL_STATE_DISCARDING))
                    fail("holds", dut->hold_take_o * 2 + dut->hold_all_o, e.state);
                // what was under way is answered all the same
                if (state >= CTL_STATE_DRAINING) {
                    c.slow = false, c.taken = 0;
                    if (answer(50).state != CTL_STATE_PAUSED)
                        fail("the operation under way", s, state);
                }
                for (int i = 0; i < 10; i++)
                    step();
                if (!answers.empty() || !dut->idle_o)
                    fail("one answer too many", state, s);
            }
    case_done("all signals in all states", "S1.18, S1.23, S1.24, S1.25, S1.26, S1.27, S1.28, S1.29");
}

void maintenance()
{
    for (unsigned state = 0; state < States; state++)
        for (unsigned op = CTL_INV; op <= CTL_ROOT; op++) {
            into(state);
            c.slow = false;
            if (state >= CTL_STATE_DRAINING)
                c.slow = true;
            msg_ctl_cmd m = message((uint8_t)op, (uint8_t)rng()), second = message(CTL_INV, 0);
            const uint64_t sent = cycle;
            step(&m);
            if (state == CTL_STATE_OFF) {
                expect(answer(1), m, CTL_ERROR_OFF, state, "maintenance of what is off");
                continue;
            }
            if ((state < CTL_STATE_DRAINING) != (maint_seen == 1 && maint_at == sent))
                fail("passed on in the cycle of the message", maint_seen, state);
            step(&second);
            expect(answer(1), second, CTL_ERROR_BUSY, state, "a second one");
            for (int i = 0; i < 10 && state >= CTL_STATE_DRAINING; i++)
                step();
            if (maint_seen != (state < CTL_STATE_DRAINING))
                fail("passed on during an operation", maint_seen, state);
            c.slow = false, c.taken = 0;
            if (state >= CTL_STATE_DRAINING && (answer(50).op != CTL_SIGNAL || maint_seen > 1))
                fail("the operation first", state, 0);
            const msg_ctl_evt e = answer(50);
            expect(e, m, CTL_OK, state < CTL_STATE_DRAINING ? state : CTL_STATE_PAUSED, "maintenance");
            if (maint_seen != 1 || memcmp(&maint_got, &m, sizeof m))
                fail("passed on unaltered, once", maint_seen, 1);
        }
    case_done("maintenance in all states");
}

// All signals beside a maintenance command that is not answered yet: a disable is refused as outstanding, a flush begins behind the answer, and the command
// is answered once, whatever the signals say.
void signals_beside_maintenance()
{
    for (unsigned state : {(unsigned)CTL_STATE_RUN, (unsigned)CTL_STATE_PAUSED})
        for (unsigned s = 0; s < 64; s++) {
            unsigned status, next;
            into(state);
            table(state, (uint8_t)s, true, status, next);
            const bool later = status == CTL_OK && s & (CTL_DRAIN | CTL_FLUSH | CTL_DISCARD), flush = later && s & CTL_FLUSH, discard = later && s & CTL_DISCARD;
            const msg_ctl_cmd open = message(CTL_INV, (uint8_t)rng()), m = message(CTL_SIGNAL, (uint8_t)s);
            step(&open), step(), step(&m);
            for (int i = 0; i < 20; i++)
                step();
            if (c.maint_left == 0)
                fail("maintenance is still open", state, s);
            if (flush && c.flush_left)
                fail("a flush begins beside open maintenance", state, s);
            if (!flush && !discard)
                expect(answer(1), m, status, next, "signals beside maintenance");
            c.slow = false;
            const msg_ctl_evt e = answer(50), other = discard || flush ? answer(50) : e;
            const bool first = e.op == CTL_INV;
            if (flush && !first)
                fail("a flush is answered before the maintenance that it waits for", state, s);
            if (flush || discard)
                expect(first ? other : e, m, status, next, "flush or discard beside maintenance");
            const msg_ctl_evt &told = first ? e : other;
            const unsigned at = flush ? CTL_STATE_DRAINING : discard && first ? CTL_STATE_DISCARDING : next;
            expect(told, open, CTL_OK, at, "maintenance beside signals");
            for (int i = 0; i < 20; i++)
                step();
            if (!answers.empty() || !dut->idle_o)
                fail("one answer too many beside maintenance", state, s);
        }
    case_done("all signals beside open maintenance", "S1.23");
}

// Random messages, one in some cycles, while the component works.
void random_traffic()
{
    reset();
    std::map<uint16_t, msg_ctl_cmd> open;
    unsigned done[4] = {}, busy_errors = 0;
    uint16_t next = 0;
    bool ran_before = true, paused_before = false;
    for (unsigned n = 0; n < 200000; n++) {
        static const uint8_t likely[] = {CTL_ENABLE, CTL_PAUSE, CTL_CONTINUE, CTL_DRAIN, CTL_FLUSH, CTL_DISCARD, 0, CTL_CONTINUE, CTL_ENABLE, CTL_PAUSE | CTL_DRAIN};
        msg_ctl_cmd m = message(pick(4) ? CTL_SIGNAL : CTL_INV, pick(4) ? likely[pick(10)] : (uint8_t)pick(64));
        const bool send = pick(n / 1000 % 2 ? 2 : 20) == 0;
        const unsigned taken = c.taken;
        const size_t waiting = c.buffer.size();
        m.id = next;
        if (send)
            open[next++] = m;
        step(send ? &m : nullptr, true);
        // nothing moves behind the answer of a pause
        if (paused_before && !dropped && c.taken != taken)
            fail("moved while paused", c.taken, taken);
        if (!ran_before && c.taken > taken)
            fail("taken from the buffer while not running", c.taken, taken);
        if (!ran_before && !dropped && c.buffer.size() < waiting)
            fail("the buffer is not as it was", c.buffer.size(), waiting);
        while (!answers.empty()) {
            const msg_ctl_evt e = answers.front();
            answers.pop_front(), answer_at.pop_front();
            auto it = open.find(e.id);
            if (it == open.end() || it->second.op != e.op) {
                fail("an answer to nothing", e.id, 0);
                continue;
            }
            const uint8_t s = it->second.signals;
            if (e.status == CTL_OK && e.op == CTL_SIGNAL && !(s & CTL_ENABLE) && s & (CTL_DRAIN | CTL_FLUSH)) {
                if (c.taken)
                    fail("drained with something unfinished", c.taken, 0);
                if (s & CTL_FLUSH && c.dirty)
                    fail("flushed with something dirty", c.dirty, 0);
                done[s & CTL_FLUSH ? 1 : 0]++;
            }
            if (e.status == CTL_OK && e.op == CTL_SIGNAL && s & CTL_DISCARD && !(s & CTL_ENABLE))
                done[2]++;
            done[3] += e.status == CTL_OK && e.op == CTL_INV;
            busy_errors += e.status == CTL_ERROR_BUSY;
            open.erase(it);
        }
        ran_before = !dut->hold_take_o, paused_before = dut->hold_all_o;
        if (open.size() > 4)
            fail("answers are missing", open.size(), 4);
    }
    for (unsigned n = 0; n < 100; n++)
        step(nullptr, true);
    for (const auto &e : answers)
        open.erase(e.id);
    if (!open.empty())
        fail("never answered", open.size(), 0);
    for (unsigned i = 0; i < 4; i++)
        if (done[i] < 100)
            fail("too few of a kind", done[i], 100);
    if (busy_errors < 100)
        fail("too few refused", busy_errors, 100);
    case_done("random messages during traffic", "S1.19, S1.20, S1.21, S1.22, S1.23");
}
} // namespace

int main()
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vcontrol_agent;
    every_signal();
    maintenance();
    signals_beside_maintenance();
    random_traffic();
    dut->final();
    delete dut;
    return bench_end("control_agent");
}
