// SPDX-License-Identifier: Apache-2.0
// Bench of noc_xbar: random messages, credits, holds, discards and resets at any time against a model in C++ that says of
// each cycle which messages leave where, which places come free, whether it rests, and what the counters hold.  As in
// simulation it is not evaluated in a cycle in which it rests and nothing comes, so what it would have done then is found missing.
// Responsible for one direction, with sources written and credits counted; noc_xbar_answers runs the other form.
// top: noc_xbar
// opt: -O1
// args: -GIn=70 -GOut=9 -GDepth=4 -GLanes=2 -GRun=3 -GOutCredits=3 -GSetSource=1 --x-initial unique
// mutate: grant + 32'd1 == In ? 32'd0 : grant + 32'd1; => grant;
// mutate: left[o] - 32'd1 : Run - 32'd1; => Run - 32'd1 : Run - 32'd1;
// mutate: left[o] - 32'd1 : Run - 32'd1; => left[o] - 32'd1 : Run;
// mutate: left[o] = Run; => ;
// mutate: left      = '{default: Run}; => ;
// mutate: blocked = blocked + 64'd1; => blocked = blocked;
// mutate: turn      = '{default: 32'd0}; => ;
// mutate: credits   = '{default: OutCredits}; => ;
// mutate: owed[grant] + 32'd1; => 32'd1;
// mutate: owing[i] && !freed[i] => owing[i]
// mutate: owing[i] = owed[i] != 32'd0; => owing[i] = 1'b0;
// mutate: count[q] != 32'd0 && !freed[q/Lanes] => count[q] != 32'd0
// mutate: dropping = Lanes > 1 && owing != '0; => dropping = 1'b0;
// mutate: owing   = '0; => ;
// mutate: owed    = '{default: 32'd0}; => ;
#ifndef SHAPE
enum { In = 70, Out = 9, Depth = 4, Lanes = 2, Run = 3, OutCredits = 3, SetSource = 1 };
#endif
#include <array>
#include <deque>

#include "tests/rtl/case_done.h"
#include "../../mem_bench.h"
#include "Vnoc_xbar.h"

using Message = std::array<uint32_t, 24>;

static Vnoc_xbar &dut = *[] { // what reset leaves alone holds anything
    Verilated::randReset(2);
    return new Vnoc_xbar;
}();
static struct Model {
    std::deque<Message> queue[In][Lanes];
    bool head[In][Lanes];    // its first message asks for its output
    unsigned unpaid[In];     // places that came free, whose credit has not gone back
    unsigned turn[Out], left[Out], credits[Out]; // left: so many of that input before it is the next one's turn
    bool dropping, busy;     // busy: something was told in the last cycle
    uint64_t moved, blocked;
} model;
static unsigned room[In], owed[Out]; // places of the queues; messages of an output whose credit has not come back
static uint64_t dropped, skipped, resets, twice;
static uint64_t served[In];

static unsigned dest_of(const Message &m) { return m[0] >> 8 & 255; }

struct Out_ {
    bool valid[Out], credit[In];
    Message message[Out];
};

static unsigned at(unsigned long i, unsigned long n) { return (unsigned)(i % n); }

// One edge of the model.
static Out_ edge(const bool *valid, const Message *in, const bool *credit, bool hold, bool discard)
{
    Out_ o = {};
    unsigned taken[Out], chosen = 0, from[Out];
    for (unsigned t = 0; t < Out; t++)
        model.credits[t] += OutCredits && credit[t];
    for (unsigned t = 0; t < Out && !hold; t++) {
        bool wanted = false;
        unsigned who = 0;
        for (unsigned n = 0; n < In && !wanted; n++) {
            who = at(model.turn[t] + n, In);
            wanted = model.head[who][t % Lanes] && dest_of(model.queue[who][t % Lanes].front()) == t;
        }
        if (wanted && OutCredits && model.credits[t] == 0) {
            model.blocked++;
        } else if (wanted) {
            if (who != model.turn[t])
                model.turn[t] = who, model.left[t] = Run;
            if (--model.left[t] == 0)
                model.turn[t] = at(who + 1, In), model.left[t] = Run;
            model.credits[t] -= OutCredits ? 1 : 0;
            taken[chosen] = t, from[chosen] = who, chosen++;
        }
    }
    for (unsigned n = 0; n < chosen; n++) {
        auto &q = model.queue[from[n]][taken[n] % Lanes];
        o.valid[taken[n]] = true, o.message[taken[n]] = q.front(), model.unpaid[from[n]]++;
        twice += model.unpaid[from[n]] == 2;
        q.pop_front();
        model.head[from[n]][taken[n] % Lanes] = !q.empty();
        model.moved++, served[from[n]]++;
    }
    if (discard || model.dropping) {
        model.dropping = false;
        for (unsigned i = 0; i < In; i++) {
            model.dropping |= model.unpaid[i] != 0;
            bool one = false;
            for (unsigned l = 0; l < Lanes; l++) {
                auto &q = model.queue[i][l];
                if (!q.empty() && !one) {
                    q.pop_front();
                    model.unpaid[i]++, dropped++;
                    one = true;
                }
                model.dropping |= !q.empty();
                model.head[i][l] = false;
            }
        }
    }
    for (unsigned i = 0; i < In; i++) { // one credit goes back in a cycle
        o.credit[i] = model.unpaid[i] != 0;
        model.unpaid[i] -= o.credit[i];
    }
    for (unsigned i = 0; i < In; i++)
        if (valid[i]) {
            auto &q = model.queue[i][dest_of(in[i]) % Lanes];
            model.head[i][dest_of(in[i]) % Lanes] |= q.empty();
            q.push_back(in[i]);
            if (SetSource)
                q.back()[0] = (in[i][0] & ~0xff0000u) | i << 16;
        }
    return o;
}

static void reset()
{
    dut.rst_ni = 0;
    clear(dut.in_valid_i), clear(dut.out_credit_i);
    dut.discard_i = 0, dut.hold_i = 0;
    dut.clk_i = 0, dut.eval(), dut.clk_i = 1, dut.eval(), dut.clk_i = 0, dut.eval(); // one cycle is enough
    dut.rst_ni = 1;
    dut.eval();
    model = {};
    for (auto &r : room)
        r = Depth;
    for (unsigned t = 0; t < Out; t++)
        model.credits[t] = OutCredits, model.left[t] = Run, owed[t] = 0;
    if (dut.moved_o || dut.blocked_o || !dut.idle_o || dut.dropping_o)
        fail("counters, rest and the discard behind reset", dut.moved_o, 0);
    for (unsigned t = 0; t < Out; t++)
        if (bit(dut.out_valid_o, t))
            fail("leaves in reset", t, 0);
    for (unsigned i = 0; i < In; i++)
        if (bit(dut.in_credit_o, i))
            fail("gives a credit in reset", i, 0);
    resets++;
}

// load and drain: chances of a message at an input and of a credit from an output, in 256ths; hot: of output 1, in 100ths.
static void step(unsigned load, unsigned drain, unsigned hot, bool hold, bool discard)
{
    bool valid[In] = {}, credit[Out] = {}, something = discard;
    static Message in[In];
    clear(dut.in_valid_i), clear(dut.out_credit_i);
    for (unsigned i = 0; i < In; i++)
        if (room[i] && pick(256) < load) {
            for (auto &word : in[i])
                word = (uint32_t)rng();
            in[i][0] = (in[i][0] & ~0xff00u) | (uint32_t)(pick(100) < hot ? 1 : pick(Out)) << 8;
            memcpy((void *)&dut.in_i[i], in[i].data(), sizeof in[i]);
            valid[i] = something = true;
            set_bit(dut.in_valid_i, i);
            room[i]--;
        }
    for (unsigned t = 0; t < Out; t++)
        if (OutCredits && owed[t] && pick(256) < drain) {
            credit[t] = something = true;
            set_bit(dut.out_credit_i, t);
            owed[t]--;
        }
    // a hold that ends is a cause to look once more, as its agent's answer is
    const bool was_held = dut.hold_i;
    dut.hold_i = hold, dut.discard_i = discard;
    const Out_ want = edge(valid, in, credit, hold, discard);
    const bool rests = dut.idle_o && !something && hold == was_held;
    if (rests) {
        skipped++;
        for (unsigned t = 0; t < Out; t++)
            if (bit(dut.out_valid_o, t))
                fail("rests with a message at an output", t, 0);
    } else {
        dut.clk_i = 1, dut.eval(), dut.clk_i = 0, dut.eval();
    }
    cycle++;
    bool told = false, heads = false;
    for (unsigned t = 0; t < Out; t++) {
        told |= want.valid[t];
        if (bit(dut.out_valid_o, t) != want.valid[t])
            fail("a message leaves in this cycle, output", t << 1 | bit(dut.out_valid_o, t), want.valid[t]);
        else if (want.valid[t] && memcmp(&dut.out_o[t], want.message[t].data(), sizeof(Message)))
            fail("message, output", dut.out_o[t][0], want.message[t][0]);
        owed[t] += want.valid[t];
    }
    for (unsigned i = 0; i < In; i++) {
        told |= want.credit[i];
        for (const bool head : model.head[i])
            heads |= head;
        if (bit(dut.in_credit_o, i) != want.credit[i])
            fail("a place comes free, input", i, want.credit[i]);
        room[i] += want.credit[i];
    }
    if ((bool)dut.dropping_o != model.dropping)
        fail("a discard is under way", dut.dropping_o, model.dropping);
    if (dut.moved_o != model.moved)
        fail("moved", dut.moved_o, model.moved);
    if ((told || model.busy) && dut.blocked_o != model.blocked)
        fail("blocked", dut.blocked_o, model.blocked);
    if ((bool)dut.idle_o != ((!heads || hold) && !told))
        fail("rests", dut.idle_o, (!heads || hold) && !told);
    model.busy = told;
}

static void run(unsigned cycles, unsigned load, unsigned drain, unsigned hot)
{
    for (unsigned n = 0; n < cycles; n++)
        step(load, drain, hot, false, false);
    for (unsigned n = 0; n < 400 && !dut.idle_o; n++)
        step(0, 256, 0, false, false);
    step(0, 256, 0, false, false);
    for (unsigned i = 0; i < In; i++)
        if (room[i] != Depth)
            fail("a queue is not empty", room[i], Depth);
    if (dut.blocked_o != model.blocked)
        fail("blocked, at rest", dut.blocked_o, model.blocked);
}

int main()
{
    for (unsigned round = 0; round < 6; round++) {
        reset();
        run(500, 2, 256, 0);
        run(300, 40, 100, 0);
        run(300, 256, 256, 0);
        run(300, 60, 20, 0);
        for (unsigned n = 0; n < 100; n++) // in the middle of it
            step(100, 100, 0, false, false);
    }
    case_done("each cycle of traffic, from reset on");
    reset();
    memset(served, 0, sizeof served);
    for (unsigned n = 0; n < 7 * Run * In; n++)
        step(256, 256, 100, false, false); // one output: one of the queues of each
    for (unsigned i = 0; i < In; i++)
        if (served[i] < 7 * Run - 1 || served[i] > 7 * Run + 1)
            fail("served in turn", served[i], 7 * Run);
    run(0, 0, 256, 0);
    case_done("in turn at one output");
    for (unsigned round = 0; round < 200; round++) {
        const unsigned load = round % 3 ? 60 : 256;
        for (unsigned n = 0; n < 10 + pick(40); n++)
            step(load, 60, 20, false, false);
        for (unsigned n = 0; n < pick(20); n++)
            step(load, 60, 20, true, false);
        if (round % 2) {
            step(round % 4 == 1 ? 100 : 0, 60, 20, true, true);
            for (unsigned n = 0; n < 20 && dut.dropping_o; n++)
                step(n == 1 ? 100 : 0, 60, 20, true, false);
            if (dut.dropping_o)
                fail("a discard ends", 1, 0);
            for (unsigned n = 0; n < 5; n++)
                step(20, 60, 20, true, false);
        }
    }
    for (unsigned round = 0; round < 300; round++) { // few are left, but credits of what has left are still owed
        for (unsigned n = 0; n < 4; n++)
            step(20 + pick(100), 256, 0, false, false);
        for (unsigned n = pick(40); n > 0; n--)
            step(0, 256, 0, false, false);
        step(0, 256, 0, true, true);
        for (unsigned n = 0; n < 20 && dut.dropping_o; n++)
            step(0, 256, 0, true, false);
        step(0, 256, 0, true, false);
    }
    run(200, 60, 200, 0);
    case_done("holds and discards");
    if (dropped < 1000 || skipped < 100 || model.blocked < 1000 * (OutCredits != 0) || (twice < 300 && Lanes > 1))
        fail("too few of a kind", dropped, skipped);
    dut.final();
    return bench_end("noc_xbar");
}
