// SPDX-License-Identifier: Apache-2.0
// Bench of board_link: a host (host.h) over a channel that loses, damages, doubles and cuts frames and loses bytes, a harness that takes
// and sends records at any rate, and a reference (reference.h) that compares every byte, head field and flush.
// top: board_link
// mutate: assign expected = ahead == '0; => assign expected = 1'b1;
// mutate: assign behind = ahead >= 8'd128; => assign behind = 1'b0;
// mutate: assign nak_o = missed && (!asked_q || back); => assign nak_o = missed && !asked_q;
// mutate: credit_q <= credit - 8'(frame_units(length_t'(head_i.length))); => credit_q <= credit;
// mutate: if (full) over_q <= 1'b1; => if (1'b0) over_q <= 1'b1;
// mutate: head_i.type_ == FRAME_BYE) session_q <= 1'b0; => head_i.type_ == FRAME_BYE) session_q <= 1'b1;
// mutate: bad_o   <= sum32_q != Crc32Residue; => bad_o   <= 1'b0;
// mutate: good_o  <= sum32_q == Crc32Residue; => good_o  <= 1'b1;
// mutate: count_q <= HeadBytes - 4'd1; => count_q <= '0;
// mutate: window_q.check == (sum8_q ^ Crc8Seven); => 1'b1;
// mutate: fill_q != 9'(PacketBytes - 1)); => fill_q != 9'(PacketBytes));
// mutate: default: byte_d = room_q; => default: byte_d = room_i;
// mutate: !(fresh_q && (state_q == Check || state_q == Tail)); => 1'b1;
// mutate: send_place_q <= base_place_q; => send_place_q <= send_place_q;
// mutate: if (base_q == send_q) begin => if (1'b0) begin
// mutate: answer_q     <= 1'b1; => answer_q     <= 1'b0;
// mutate: assign fits = room_q == 8'hff || => assign fits = 1'b1 ||
// mutate: (close ? 8'(Frames - 1) : 8'(Frames)) => (close ? 8'(Frames) : 8'(Frames + 1))
// mutate: fresh_q <= hears; => fresh_q <= 1'b0;
// mutate: (put ? after : next_place_q) == limit => next_place_q == limit
// mutate: data_q       <= 1'b0; => data_q       <= data_q;
// mutate: assign hears = heard_i && acked <= 8'(known_q); => assign hears = heard_i;
// mutate: room_q       <= attach_room_i; => room_q       <= '0;
// mutate: if (start) answer_q <= asked_q; => answer_q <= asked_q;
#include <cstdlib>

#include "tests/rtl/case_done.h"
#include "Vboard_link.h"
#include "host.h"
#include "reference.h"

struct rates { // one in so many cycles does something
    unsigned rx = 1, tx = 1, rec = 1, snd = 1;
};

struct bench {
    Vboard_link d;
    host h;
    reference r;
    rates rate;
    std::vector<uint16_t> plan; // what the harness sends; 0x100: end of a burst
    size_t planned = 0, read = 0;
    uint64_t attaches = 0;
    bool was_valid = false, was_taken = true, snd_on = false;
    bytes frame_out; // of the board, on its way
    bytes up_plan() const
    {
        bytes b;
        for (uint16_t p : plan)
            b.push_back(p);
        return b;
    }

    bench()
    {
        uint64_t *hash = &r.mine.kind;
        r.mine.version = STREAM_VERSION;
        for (int i = 0; i < 5; i++)
            hash[i] = rng();
        memcpy(&d.hello_i, &r.mine, sizeof r.mine);
        d.clk_i = 0, d.rst_ni = 0, d.rx_valid_i = d.tx_ready_i = d.rec_ready_i = d.snd_valid_i = 0, d.eval();
        for (int i = 0; i < 3; i++)
            d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        d.rst_ni = 1;
    }
    static bool one_in(unsigned n) { return n == 1 || (n && rng() % n == 0); }
    void clock()
    {
        r.begin_cycle();
        h.clock();
        if (!d.rx_valid_i || rx_taken)
            d.rx_valid_i = !h.line.empty() && one_in(rate.rx);
        d.rx_data_i = d.rx_valid_i ? h.line.front() : rng();
        d.tx_ready_i = one_in(rate.tx), d.rec_ready_i = one_in(rate.rec);
        if (!snd_on)
            snd_on = planned < plan.size() && one_in(rate.snd);
        d.snd_valid_i = snd_on, d.snd_data_i = snd_on ? plan[planned] : rng(), d.snd_end_i = snd_on ? plan[planned] >> 8 : rng() & 1;
        d.eval();
        if (d.attach_o != r.attach || (d.attach_o && d.id_o != r.id))
            r.fail("attach %d id %x, expected %d, %x", d.attach_o, d.id_o, r.attach, r.id);
        if (d.attach_o)
            read = 0, planned = 0, snd_on = false, attaches++, r.attach_at = r.cycle;
        if (d.rec_valid_o && !d.attach_o) {
            if (r.read == read)
                r.read++; // it has left the buffer
            if (read >= r.taken.size() || d.rec_data_o != r.taken[read])
                r.fail("record byte %zu is %02x, expected %02x of %zu", read, d.rec_data_o, read < r.taken.size() ? r.taken[read] : 0, r.taken.size());
        }
        if (d.tx_valid_o && (was_taken || !was_valid))
            r.byte_stands();
        was_valid = d.tx_valid_o, was_taken = d.tx_valid_o && d.tx_ready_i;
        rx_taken = d.rx_valid_i && d.rx_ready_o;
        if (rx_taken)
            r.byte_in(h.line.front()), h.line.pop_front();
        if (!d.attach_o && d.rec_valid_o && d.rec_ready_i)
            read++;
        if (!d.attach_o && d.snd_valid_i && d.snd_ready_o)
            r.byte_from_harness(plan[planned], plan[planned] >> 8), planned++, snd_on = false;
        if (was_taken) {
            size_t before = r.frames[1] + r.frames[2] + r.frames[3] + r.frames[4];
            frame_out.push_back(d.tx_data_o);
            r.byte_out(d.tx_data_o, d.tx_flush_o);
            if (before != r.frames[1] + r.frames[2] + r.frames[3] + r.frames[4]) {
                std::deque<uint8_t> up;
                put_frame(up, frame_out, h.up);
                for (uint8_t b : up)
                    h.receive(b);
                frame_out.clear();
            }
        }
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        r.end_cycle();
    }
    bool rx_taken = true;
    bool bad() const { return r.wrong[0]; }
    void run(unsigned n)
    {
        while (n-- && !bad())
            clock();
    }
    bool attach(uint16_t id = 7, uint8_t flags = HELLO_ATTACH)
    {
        for (int tries = 0; tries < 40 && !h.attached && !bad(); tries++) {
            h.hello(flags, id);
            for (int n = 0; n < 3000 && !h.attached && !bad(); n++)
                clock();
        }
        return h.attached;
    }
    // All that was planned has come, both ways, and nothing is owed.
    bool finish(uint64_t limit, const char *what)
    {
        while (limit-- && !bad() && (h.heard.size() < plan.size() || read < h.records.size() || h.base < h.next))
            clock();
        h.quiet = true;
        run(3000);
        h.quiet = false;
        if (!bad() && (h.heard != up_plan() || r.taken != h.records || read != h.records.size()))
            r.fail("%zu of %zu bytes came up, %zu of %zu down", h.heard.size(), plan.size(), read, h.records.size());
        if (!bad() && h.line.empty())
            r.at_rest();
        if (bad())
            std::printf("%s: cycle %llu: %s\n", what, (unsigned long long)r.cycle, r.wrong);
        return !bad();
    }
    void traffic(size_t down, size_t up, unsigned burst)
    {
        h.records.resize(down);
        for (auto &b : h.records)
            b = rng() & 3 ? rng() : FRAME_MAGIC; // many that could begin a head
        plan.resize(up);
        for (size_t i = 0; i < up; i++)
            plan[i] = (rng() & 3 ? rng() & 0xff : FRAME_MAGIC) | (i + 1 == up || rng() % burst == 0 ? 0x100 : 0);
    }
};

static bool silent()
{
    bench b;
    stream_hello q = {};
    for (int n = 0; n < 50; n++) { // stale bytes, and frames of another session
        b.h.put(bytes(rng() % 30, FRAME_MAGIC)), b.h.put(frame_bytes(FRAME_DATA, n, 0, 255, bytes(20, 5)));
        b.h.put(frame_bytes(FRAME_NAK, n, 0, 255)), b.h.put(frame_bytes(FRAME_BYE, n, 0, 255)), b.h.put(frame_bytes(FRAME_ACK, n, n, 255));
    }
    b.plan = {1, 2, 0x103};
    b.run(9000);
    if (!b.bad() && (b.r.out_bytes || !b.h.line.empty() || b.planned))
        b.r.fail("something came before a HELLO");
    q.nonce = 77, q.id = 5;
    b.h.put(frame_bytes(FRAME_HELLO, 0, 0, 255, bytes((uint8_t *)&q, (uint8_t *)(&q + 1))));
    b.run(500);
    if (!b.bad() && (b.attaches || b.r.frames[FRAME_HELLO] != 1 || b.planned || b.r.session))
        b.r.fail("HELLO that asks only: %llu answers", (unsigned long long)b.r.frames[FRAME_HELLO]);
    b.plan.clear();
    b.attach(0x1234);
    return b.finish(1000, "silent") && b.attaches == 1;
}

static bool both_ways()
{
    for (unsigned n = 0; n < 8; n++) {
        bench b;
        b.traffic(n & 1 ? 60000 : 3000, n & 2 ? 60000 : 3000, n & 4 ? 30 : 2000);
        b.rate = {1u + (unsigned)(rng() % 3), 1u + (unsigned)(rng() % 3), 1u + (unsigned)(rng() % 3), 1u + (unsigned)(rng() % 3)};
        b.h.largest = n & 4 ? 100 : 496, b.h.patience = ~0ull;
        b.attach();
        if (!b.finish(2000000, "both ways"))
            return false;
        if (b.h.naks || b.h.resent || b.r.again || b.r.naks)
            return std::printf("frames again on a channel without faults\n"), false;
        if (n == 7 && (b.h.expected < 300 || b.r.expected < 300))
            return std::printf("numbers did not wrap\n"), false;
    }
    return true;
}

static bool with_faults(unsigned n)
{
    bench b;
    b.traffic(10000 + rng() % 10000, 10000 + rng() % 10000, 1 + rng() % 2000);
    b.rate = {1u + (unsigned)(rng() % 2), 1u + (unsigned)(rng() % 2), 1u + (unsigned)(rng() % 4), 1u + (unsigned)(rng() % 4)};
    b.h.down.frames = n % 3 ? 100 >> n % 5 : 0, b.h.up.frames = n % 4 ? 100 >> n % 6 : 0;
    b.h.down.bytes = n % 2 ? 2000 : 0, b.h.up.bytes = n % 5 == 0 ? 2000 : 0;
    b.h.largest = n % 2 ? 496 : 1 + rng() % 200, b.h.patience = 8000;
    b.h.put(bytes(rng() % 600, FRAME_MAGIC), true); // stale
    if (!b.attach())
        return std::printf("faults %u: no session: %s\n", n, b.r.wrong), false;
    return b.finish(8000000, "faults");
}

static bool full_buffers()
{
    bench b; // a harness that does not read for long, then does; the window closes and opens without any timer
    b.traffic(40000, 0, 1);
    b.rate.rec = 0, b.h.patience = ~0ull;
    b.attach();
    b.run(20000);
    if (!b.bad() && (b.r.taken.size() < 3500 || b.r.taken.size() > 4096))
        b.r.fail("%zu bytes in the buffer", b.r.taken.size());
    b.rate.rec = 1;
    if (!b.finish(200000, "full buffer of the board") || b.h.naks)
        return std::printf("%llu NAKs\n", (unsigned long long)b.h.naks), false;
    bench g; // a host that does not keep to the room: what does not fit is not taken, and harms nothing
    g.traffic(6000, 0, 1);
    g.rate.rec = 0;
    g.attach();
    g.h.quiet = true;
    for (unsigned n = 0; n < 12; n++)
        g.h.put(frame_bytes(FRAME_DATA, n, 0, 255, bytes(g.h.records.begin() + 496 * n, g.h.records.begin() + 496 * (n + 1))));
    g.run(10000);
    if (!g.bad() && (g.r.expected != 8 || g.r.frames[FRAME_NAK] != 1))
        g.r.fail("%llu frames taken, %llu NAKs", (unsigned long long)g.r.expected, (unsigned long long)g.r.frames[FRAME_NAK]);
    g.h.begin(), g.rate.rec = 1, g.h.patience = ~0ull;
    g.attach();
    g.h.quiet = false;
    if (!g.finish(100000, "more than there is room for"))
        return false;
    bench c; // a host that does not take or acknowledge; then one with little room
    c.traffic(0, 20000, 3000);
    c.h.room = 20;
    c.attach();
    c.h.attached = false;
    c.run(20000);
    if (!c.bad() && (c.planned > 4096 || c.planned < 3968 || c.r.top > 3))
        c.r.fail("%zu bytes taken from the harness, %llu frames sent", c.planned, (unsigned long long)c.r.top);
    c.h.attached = true, c.h.patience = 2000; // what was sent meanwhile is gone
    if (!c.finish(400000, "full buffer of the host"))
        return false;
    bench e; // many small frames: the window of 32
    e.traffic(0, 300, 1);
    e.attach();
    e.h.attached = false;
    e.h.room = 255;
    e.h.say(FRAME_ACK);
    e.run(20000);
    if (!e.bad() && (e.r.top != FRAME_WINDOW || e.planned != FRAME_WINDOW))
        e.r.fail("%llu frames sent without an acknowledgement", (unsigned long long)e.r.top);
    e.h.attached = true, e.h.patience = 2000;
    return e.finish(100000, "window");
}

static bool again()
{
    for (unsigned n = 0; n < 30; n++) { // a HELLO at any time begins anew; the host sends some twice
        bench b;
        b.traffic(5000, 5000, 500);
        b.rate.tx = 1 + n % 3;
        b.h.down.frames = n & 1 ? 20 : 0, b.h.patience = 8000;
        b.attach(1);
        b.run(200 + rng() % 8000);
        b.h.begin();
        for (unsigned twice = rng() % 3; twice && !b.bad(); twice--)
            b.h.hello(HELLO_ATTACH, 9), b.run(rng() % 2000);
        b.h.begin();
        b.h.line.clear(); // as a purge does: perhaps within a frame
        b.rx_taken = true;
        b.attach(2 + n);
        if (!b.finish(3000000, "again"))
            return false;
        if (b.d.id_o != 2 + n || b.attaches < 2)
            return std::printf("again: id %u, %llu sessions\n", b.d.id_o, (unsigned long long)b.attaches), false;
    }
    return true;
}

static bool bye()
{
    bench b;
    b.traffic(3000, 100000, 4000);
    b.attach();
    b.run(6000);
    b.h.quiet = true;
    b.run(1500);
    b.h.say(FRAME_BYE);
    b.run(2000);
    uint64_t before = b.r.out_bytes, taken = b.planned;
    b.h.say(FRAME_NAK), b.h.say(FRAME_ACK), b.h.put(frame_bytes(FRAME_DATA, b.r.expected, 0, 255, bytes(9, 9)));
    b.run(2000);
    if (!b.bad() && (b.r.out_bytes != before || b.planned != taken))
        b.r.fail("not silent after a BYE");
    b.h.begin(), b.h.quiet = false;
    b.attach(3);
    return b.finish(400000, "bye") && b.attaches == 2;
}

static bool foolish()
{
    bench b; // acknowledgements of frames that were not sent, and of old ones, change nothing
    b.traffic(3000, 30000, 1000);
    b.attach();
    for (unsigned n = 0; n < 40; n++) {
        b.run(600);
        b.h.put(frame_bytes(FRAME_ACK, b.h.seq(), b.r.top + 1 + rng() % 100, 0)), b.h.put(frame_bytes(FRAME_ACK, b.h.seq(), b.r.base - 1 - rng() % 100, 0));
    }
    if (!b.finish(400000, "foolish"))
        return false;
    bench c; // a NAK from before the acknowledgement behind it: frames that the board has gone back to are released unsent
    c.traffic(0, 30000, 1000);
    c.attach();
    for (unsigned n = 0; n < 40; n++) {
        c.run(700 + rng() % 200);
        c.h.put(frame_bytes(FRAME_NAK, c.h.seq(), c.r.base, 255));
        c.run(rng() % 1000);
        c.h.put(frame_bytes(FRAME_ACK, c.h.seq(), c.h.expected, 255));
    }
    return c.finish(400000, "late");
}

static bool packets()
{
    bench b; // 7 packets of 510 bytes are 8 frames with 3474 of payload; fewer packets are never full at the end of a burst
    for (unsigned burst : {3473, 3474, 3475, 3972, 498, 486, 3474})
        for (unsigned i = 0; i < burst; i++)
            b.plan.push_back((rng() & 0xff) | (i + 1 == burst ? 0x100 : 0));
    b.attach();
    if (!b.finish(400000, "packets"))
        return false;
    if (b.r.pads != 3)
        return std::printf("%llu bursts filled their packets\n", (unsigned long long)b.r.pads), false;
    return true;
}

static bool speed()
{
    bench b; // up, down: clocks of frames of 508 bytes
    b.traffic(0, 49600, 1000000);
    b.attach();
    uint64_t from = b.r.cycle;
    while (b.h.heard.size() < 49600 && !b.bad())
        b.clock();
    uint64_t up = b.r.cycle - from;
    bench c;
    c.traffic(49600, 0, 1);
    c.attach();
    from = c.r.cycle;
    while (c.read < 49600 && !c.bad())
        c.clock();
    uint64_t down = c.r.cycle - from;
    if (b.bad() || c.bad() || up > 52100 || down > 54400)
        return std::printf("100 full frames: %llu cycles up, %llu down %s%s\n", (unsigned long long)up, (unsigned long long)down, b.r.wrong, c.r.wrong), false;
    return true;
}

int main()
{
    if (!silent())
        return 1;
    case_done("silent before a HELLO, then its answer");
    if (!both_ways())
        return 1;
    case_done("records both ways, numbers wrap");
    for (unsigned n = 0; n < 40; n++)
        if (!with_faults(n))
            return std::printf("run %u\n", n), 1;
    case_done("frames lost, damaged, doubled and cut, bytes lost");
    if (!full_buffers())
        return 1;
    case_done("full buffers and windows");
    if (!again())
        return 1;
    case_done("a HELLO in the middle");
    if (!bye())
        return 1;
    case_done("BYE");
    if (!foolish())
        return 1;
    case_done("acknowledgements of other frames");
    if (!packets())
        return 1;
    case_done("bursts of whole packets");
    if (!speed())
        return 1;
    case_done("speed");
    return 0;
}
