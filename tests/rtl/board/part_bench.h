// SPDX-License-Identifier: Apache-2.0
// A harness made by sw/tools/gen/gen_board.py (module board_part) in Verilator: its two clocks, record bytes in with pauses, record bytes out with
// pauses, parsed.  Not responsible for: what the records should say (part.cpp).
#ifndef PART_BENCH_H
#define PART_BENCH_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "Vboard_part.h"
#include "gantry_stream.h"

struct Sent { // a message, or a credit
    uint32_t slot;
    uint64_t cycle;
    std::vector<uint8_t> bytes;
    bool operator==(const Sent &o) const { return slot == o.slot && cycle == o.cycle && bytes == o.bytes; }
};

class Harness {
  public:
    Vboard_part top;
    std::mt19937_64 rng;
    std::vector<uint32_t> out_bytes; // by output number
    std::deque<uint8_t> to, from;
    std::deque<bool> ends;           // of each byte of `from`: a burst ends with it
    uint64_t in_mark = 0, out_mark = 0, cycles = 0, edges = 0;

    explicit Harness(uint64_t seed) : rng(seed)
    {
        top.rst_ni = 0;
        for (int i = 0; i < 4; i++)
            clock();
        top.rst_ni = 1;
    }

    void clock()
    {
        const bool in = !to.empty() && rng() % 8 != 0, out = rng() % 8 != 0;
        top.rec_valid_i = in;
        top.rec_data_i = in ? to.front() : static_cast<uint8_t>(rng());
        top.snd_ready_i = out;
        top.clk_i = top.tclk_i = 0;
        top.eval();
        const bool fire = top.fire_o, took = in && top.rec_ready_o;
        if (out && top.snd_valid_o && top.rst_ni) {
            from.push_back(top.snd_data_o);
            ends.push_back(top.snd_end_o);
        }
        top.clk_i = 1;
        top.tclk_i = fire;
        top.eval();
        if (took)
            to.pop_front();
        cycles++;
        edges += fire;
    }

    void attach(uint16_t id)
    {
        top.id_i = id;
        top.attach_i = 1;
        clock();
        top.attach_i = 0;
        to.clear(), from.clear(), ends.clear();
        in_mark = out_mark = 0;
    }

    void put(const void *bytes, size_t n)
    {
        const uint8_t *p = static_cast<const uint8_t *>(bytes);
        to.insert(to.end(), p, p + n);
    }
    void record(uint8_t kind, uint8_t flags, uint16_t link, uint32_t arg)
    {
        const struct stream_record r = {kind, flags, link, arg};
        put(&r, sizeof r);
    }
    void message(uint32_t slot, uint64_t cycle, const void *bytes, size_t n, uint8_t flags = 0)
    {
        record(REC_MESSAGE, flags, static_cast<uint16_t>(slot), static_cast<uint32_t>(cycle - in_mark));
        put(bytes, n);
        in_mark = cycle;
    }
    void run(uint64_t mark, bool no_skip = false)
    {
        record(REC_RUN, no_skip ? RUN_NO_SKIP : 0, 0, static_cast<uint32_t>(mark - in_mark));
        in_mark = mark;
    }

    // n bytes of records; `end`: the last of them must be the last of a burst, and no other one.
    void get(void *bytes, size_t n, bool end = false)
    {
        for (uint64_t tries = 0; from.size() < n; tries++) {
            if (tries > 40000000)
                die("no answer");
            clock();
        }
        for (size_t i = 0; i < n; i++) {
            static_cast<uint8_t *>(bytes)[i] = from.front();
            if (ends.front() != (end && i == n - 1))
                die("the end of a burst is at the wrong byte");
            from.pop_front(), ends.pop_front();
        }
    }

    // Nothing comes, whatever was asked.
    bool silent()
    {
        for (int i = 0; i < 3000; i++)
            clock();
        return from.empty() && to.empty();
    }

    // What the outputs sent, up to the record that ends the burst; its head is returned, `body` takes its payload.
    struct stream_record burst(std::vector<Sent> &sent, void *body, size_t room)
    {
        for (;;) {
            struct stream_record head;
            uint8_t first[sizeof head];
            get(first, sizeof first - 1); // of a record without payload the last byte may end the burst
            while (from.empty())
                clock();
            const bool ended = ends.front();
            get(first + sizeof first - 1, 1, ended);
            memcpy(&head, first, sizeof head);
            if (head.kind == REC_SENT) {
                if (head.link >= out_bytes.size() || head.flags || ended)
                    die("a SENT record is wrong");
                out_mark += head.arg;
                Sent s{head.link, out_mark, std::vector<uint8_t>(out_bytes[head.link])};
                get(s.bytes.data(), s.bytes.size());
                sent.push_back(s);
                continue;
            }
            const size_t n = head.kind == REC_STANDING ? sizeof(struct stream_standing) : head.kind == REC_ANSWER ? sizeof(struct stream_answer)
                             : head.kind == REC_ECHO   ? head.arg
                                                       : 0;
            if (n > room || ended != (n == 0))
                die("the last record of a burst is wrong");
            get(body, n, true);
            return head;
        }
    }

    [[noreturn]] void die(const char *what)
    {
        std::printf("clock %llu: %s\n", static_cast<unsigned long long>(cycles), what);
        std::exit(1);
    }
};
#endif
