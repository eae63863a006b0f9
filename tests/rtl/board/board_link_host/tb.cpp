// SPDX-License-Identifier: Apache-2.0
// Bench of board_link against the host's own code (bridge/stream/stream.c) over bytes of which some are lost, doubled or changed each way:
// what the host puts comes back through a harness that echoes.  Time is the board's: it runs while the host waits, 6,000 cycles a
// millisecond.
// top: board_link
// lib: yes
// cflags: -Ihost -Ibuild/gen
// mutate: assign expected = ahead == '0; => assign expected = 1'b1;
// mutate: answer_q     <= 1'b1; => answer_q     <= 1'b0;
#include <cstring>
#include <deque>
#include <vector>

extern "C" {
#include "bridge/stream/stream.h"
}
#include "tests/rtl/case_done.h"
#include "Vboard_link.h"

static uint64_t x = 88172645463325252ull;
static uint64_t rng() { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; }

struct cable {
    Vboard_link d;
    std::deque<uint8_t> down, chip, up; // up: what the host may read; chip: what waits for a flush or a whole packet
    uint64_t cycle = 0, echoed = 0;
    unsigned faults = 0; // one byte in so many; 0: none
    bool taken = true;
    void carry(std::deque<uint8_t> &to, uint8_t b)
    {
        unsigned kind = faults && rng() % faults == 0 ? 1 + rng() % 3 : 0;
        if (kind != 1)
            to.push_back(kind == 2 ? b ^ 1u << rng() % 8 : b);
        if (kind == 3)
            to.push_back(b);
    }
    void clock()
    {
        if (!d.rx_valid_i || taken)
            d.rx_valid_i = !down.empty(), d.rx_data_i = down.empty() ? 0 : down.front();
        d.tx_ready_i = chip.size() < 4096;
        d.rec_ready_i = 0, d.eval();
        d.snd_valid_i = d.rec_valid_o, d.snd_data_i = d.rec_data_o, d.snd_end_i = (echoed + 1) % 1000 == 0, d.eval();
        d.rec_ready_i = d.snd_ready_o, d.eval();
        echoed += d.snd_valid_i && d.snd_ready_o;
        taken = d.rx_valid_i && d.rx_ready_o;
        if (taken)
            down.pop_front();
        if (d.tx_valid_o && d.tx_ready_i) {
            carry(chip, d.tx_data_o);
            while (!chip.empty() && (d.tx_flush_o || chip.size() >= 510))
                up.push_back(chip.front()), chip.pop_front();
        }
        if (d.attach_o)
            echoed = 0;
        d.clk_i = 1, d.eval(), d.clk_i = 0, d.eval();
        cycle++;
    }
};

static ssize_t cable_write(void *ctx, const void *bytes, size_t n)
{
    cable &c = *(cable *)ctx;
    size_t room = c.down.size() < 8192 ? 8192 - c.down.size() : 0;
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        c.carry(c.down, ((const uint8_t *)bytes)[i]);
    return n;
}

static ssize_t cable_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    cable &c = *(cable *)ctx;
    for (uint64_t until = c.cycle + 6000ull * ms; c.up.empty() && c.cycle < until;)
        c.clock();
    if (c.up.empty()) // the latency timer of the chip
        c.up.swap(c.chip);
    size_t n = 0;
    for (; n < room && !c.up.empty(); n++)
        ((uint8_t *)bytes)[n] = c.up.front(), c.up.pop_front();
    return n;
}

static const char *cable_why(void *) { return "never"; }
static uint64_t cable_now(void *ctx) { return ((cable *)ctx)->cycle / 6000; }

static bool session(cable &c, unsigned faults, unsigned rounds)
{
    stream_port port = {&c, cable_write, cable_read, cable_why, cable_now};
    struct stream *s = stream_new(&port);
    struct stream_hello mine = {}, theirs;
    std::vector<uint8_t> out(4000), back(4000);
    mine.version = STREAM_VERSION, mine.flags = HELLO_ATTACH, mine.id = rng();
    c.faults = faults;
    bool ok = stream_hello(s, &mine, &theirs) && c.d.id_o == mine.id && theirs.id == mine.id && theirs.kind == 0x1122334455667788ull;
    for (unsigned n = 0; ok && n < rounds; n++) {
        for (auto &b : out)
            b = rng() & 3 ? rng() : FRAME_MAGIC;
        stream_put(s, out.data(), out.size());
        ok = stream_flush(s) && stream_get(s, back.data(), back.size()) && out == back;
    }
    const struct stream_counts *k = stream_counts(s);
    if (!ok)
        std::printf("faults 1 in %u: %s\n", faults, stream_why(s) ? stream_why(s) : "other bytes");
    if (ok && !faults && (k->resent || k->naks || k->damaged || k->gaps))
        ok = false, std::printf("a whole cable, yet %llu frames again, %llu NAKs\n", (unsigned long long)k->resent, (unsigned long long)k->naks);
    if (ok && faults && faults < 5000 && !(k->resent && k->naks && k->damaged))
        ok = false, std::printf("no fault had an effect\n");
    c.faults = 0;
    stream_bye(s);
    stream_free(s);
    for (int n = 0; n < 5000; n++)
        c.clock();
    c.up.clear(), c.chip.clear();
    return ok;
}

int main()
{
    cable c;
    struct stream_hello hello = {};
    hello.version = STREAM_VERSION, hello.kind = 0x1122334455667788ull;
    memcpy(&c.d.hello_i, &hello, sizeof hello);
    c.d.clk_i = 0, c.d.rst_ni = 0, c.d.eval();
    for (int i = 0; i < 3; i++)
        c.d.clk_i = 1, c.d.eval(), c.d.clk_i = 0, c.d.eval();
    c.d.rst_ni = 1;
    if (!session(c, 0, 12))
        return 1;
    case_done("echo through the host's code");
    for (unsigned faults : {3000, 700})
        if (!session(c, faults, 6))
            return 1;
    if (!session(c, 0, 3))
        return 1;
    case_done("bytes lost, doubled and changed both ways");
    return 0;
}
