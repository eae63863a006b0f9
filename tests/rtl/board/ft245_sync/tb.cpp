// SPDX-License-Identifier: Apache-2.0
// Bench of ft245_sync against the pins of an FT2232H: bytes move at edges at which strobe and flag are low, OE# is low one cycle before
// RD#, nobody drives the data bus in the cycle between two drivers, what the chip does not drive is noise.  Pauses of both flags begin
// in every cycle of a frame that goes both ways; random pauses, room and gaps; a chip that takes nothing until it was read.
// top: ft245_sync
// mutate: rx_valid_o <= !rd_no && !rxf_ni; => rx_valid_o <= !rd_no;
// mutate: assign taken = !wr_no && !txe_ni; => assign taken = !wr_no;
// mutate: if (taken ? !more || out_q.flush : readable) begin => if (taken && (!more || out_q.flush)) begin
// mutate: if (taken && out_q.flush) begin => if (!wr_no && out_q.flush) begin
// mutate: assign readable = !rxf_ni && rx_room_i; => assign readable = !rxf_ni;
// mutate: if (more) out_q <= next_valid_q ? next_q : tx; => if (more) out_q <= tx;
// mutate: end else if (out_valid_q && flush_q == '0) begin => end else if (out_valid_q) begin
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <vector>

#include "tests/rtl/case_done.h"
#include "Vft245_sync.h"

static uint64_t x = 88172645463325252ull;
static uint64_t rng() { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; }
using flag_fn = std::function<bool(unsigned cycle)>;

struct chip {
    Vft245_sync d;
    std::deque<uint8_t> to_board;  // in the chip
    std::vector<uint8_t> got;      // on the board
    std::vector<uint16_t> to_host; // bytes of the board, 0x100: with a flush
    size_t sent = 0, flushed = 0;  // bytes the chip has taken; flushes among them whose pulse has begun
    size_t offered = 0;
    unsigned cycle = 0, low = 0, held = 0; // held: bytes in the board's queue of 16
    int driver = 0, before = 0;    // of the data bus: 0 nobody, 1 chip, 2 board
    bool oe_was = true, siwu_was = true, wr_flush = false;
    const char *wrong = nullptr;

    chip()
    {
        d.rst_ni = 0, d.rxf_ni = d.txe_ni = 1, d.tx_valid_i = 0, d.rx_room_i = 0, d.d_i = 0, d.clk_i = 0, d.eval();
        for (int i = 0; i < 3; i++)
            d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        d.rst_ni = 1;
    }
    void fail(const char *why) { wrong = wrong ? wrong : why; }
    // One cycle; the flags may be held high, offers held back, the board's queue not emptied.
    void clock(bool rx_pause, bool tx_pause, bool offer, bool empty)
    {
        d.rxf_ni = to_board.empty() || rx_pause, d.txe_ni = tx_pause;
        if (empty && held)
            held--;
        d.rx_room_i = held <= 12;
        d.tx_valid_i = offered < to_host.size() && (offer || (d.tx_valid_i && !d.tx_ready_o));
        d.tx_data_i = d.tx_valid_i ? to_host[offered] : rng(), d.tx_flush_i = d.tx_valid_i ? to_host[offered] >> 8 : rng() & 1;
        d.d_i = !d.oe_no && !d.rxf_ni ? to_board.front() : rng();
        d.eval();
        driver = (d.oe_no ? 0 : 1) | (d.d_oe_o ? 2 : 0);
        if (driver == 3 || (driver && before && driver != before))
            fail("two drivers of the data bus, or no cycle between them");
        if (!d.rd_no && (d.oe_no || oe_was))
            fail("RD# without OE# one cycle before");
        if (!d.wr_no && !d.d_oe_o)
            fail("WR# without data");
        if (d.rx_valid_o) {
            got.push_back(d.rx_data_o);
            if (++held > 16)
                fail("more bytes than places");
        }
        bool read = !d.rd_no && !d.rxf_ni, write = !d.wr_no && !d.txe_ni;
        if (read)
            to_board.pop_front();
        if (!d.siwu_no && siwu_was) { // a pulse begins: right behind the byte that wants it
            if (!wr_flush)
                fail("SIWU# without its byte before");
            flushed++;
        } else if (wr_flush) {
            fail("no SIWU# behind its byte");
        }
        if (!d.siwu_no && !d.wr_no)
            fail("a byte while SIWU# is low");
        if (d.siwu_no && !siwu_was && low != 4)
            fail("SIWU# of a wrong length");
        low = d.siwu_no ? 0 : low + 1;
        wr_flush = false;
        if (write) {
            if (sent >= offered || d.d_o != (to_host[sent] & 0xff))
                fail("a wrong byte to the host");
            else
                wr_flush = to_host[sent] >> 8;
            sent++;
        }
        before = driver, oe_was = d.oe_no, siwu_was = d.siwu_no;
        bool accepted = d.tx_valid_i && d.tx_ready_o;
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        offered += accepted;
        d.tx_valid_i = d.tx_valid_i && !accepted;
        cycle++;
    }
};

// All that was sent has come, in order, once; within so many cycles.
static bool check(chip &c, const std::vector<uint8_t> &down, unsigned limit, flag_fn rx_pause, flag_fn tx_pause, flag_fn offer, flag_fn empty)
{
    c.to_board.assign(down.begin(), down.end());
    while (!c.wrong && c.cycle < limit && (c.got.size() < down.size() || c.sent < c.to_host.size() || c.wr_flush || !c.d.siwu_no))
        c.clock(rx_pause(c.cycle), tx_pause(c.cycle), offer(c.cycle), empty(c.cycle));
    for (int i = 0; i < 8; i++)
        c.clock(false, false, false, true);
    size_t flushes = 0;
    for (uint16_t b : c.to_host)
        flushes += b >> 8;
    if (!c.wrong && (c.got != down || c.sent != c.to_host.size() || c.flushed != flushes))
        c.wrong = "bytes or flushes are missing";
    if (c.wrong)
        std::printf("cycle %u: %s (%zu of %zu in, %zu of %zu out, %zu of %zu flushes)\n", c.cycle, c.wrong, c.got.size(), down.size(), c.sent,
                    c.to_host.size(), c.flushed, flushes);
    return !c.wrong;
}

static std::vector<uint8_t> bytes(size_t n)
{
    std::vector<uint8_t> v(n);
    for (auto &b : v)
        b = rng();
    return v;
}

static std::vector<uint16_t> bursts(size_t n, unsigned every)
{
    std::vector<uint16_t> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (rng() & 0xff) | (i + 1 == n || (every && rng() % every == 0) ? 0x100 : 0);
    return v;
}

int main()
{
    auto never = [](unsigned) { return false; };
    auto always = [](unsigned) { return true; };
    for (unsigned which = 1; which < 4; which++) // RXF#, TXE#, both
        for (unsigned length = 1; length <= 5; length++)
            for (unsigned from = 0; from < 90; from++) {
                auto pause = [=](unsigned n) { return n >= from && n < from + length; };
                chip c;
                c.to_host = bursts(36, 12);
                if (!check(c, bytes(36), 400, which & 1 ? flag_fn(pause) : never, which & 2 ? flag_fn(pause) : never, always, always))
                    return std::printf("pause %u of %u cycles from %u\n", which, length, from), 1;
            }
    case_done("pauses of RXF# and TXE# from every cycle of a frame", "C.7");
    for (unsigned n = 0; n < 300; n++) {
        chip c;
        unsigned rx = 1 + rng() % 8, tx = 1 + rng() % 8, gap = 1 + rng() % 8, drain = 1 + rng() % 4;
        c.to_host = bursts(rng() % 600, 1 + rng() % 100);
        if (!check(c, bytes(rng() % 600), 40000, [=](unsigned) { return rng() % rx == 0 && rx > 1; }, [=](unsigned) { return rng() % tx == 0 && tx > 1; },
                   [=](unsigned) { return rng() % gap == 0; }, [=](unsigned) { return rng() % drain == 0; }))
            return std::printf("random run %u\n", n), 1;
    }
    case_done("random pauses, gaps and room");
    {
        chip c; // the host reads only when it was read: TXE# is high until all has come, which begins when a byte waits at the pins
        c.to_host = bursts(20, 0);
        if (!check(c, bytes(500), 2000, [](unsigned n) { return n < 30; }, [&](unsigned) { return c.sent > 4 && c.got.size() < 500; }, always, always))
            return 1;
        chip e; // and the other way round: no room until all was written
        e.to_host = bursts(20, 0);
        if (!check(e, bytes(40), 2000, never, never, always, [&](unsigned n) { return n > 200; }))
            return 1;
    }
    case_done("a blocked direction does not block the other");
    {
        chip c, e;
        c.to_host = bursts(508, 0);
        if (!check(c, {}, 520, never, never, always, always) || !check(e, bytes(508), 520, never, never, always, always))
            return std::printf("slower than a byte a cycle\n"), 1;
    }
    case_done("a byte a cycle each way");
    return 0;
}
