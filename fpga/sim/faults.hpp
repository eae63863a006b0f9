// SPDX-License-Identifier: Apache-2.0
// What goes wrong between a board and its host, by chance with a seed or at a time: words NAME=NUMBER of GANTRY_BOARD_FAULT, apart by commas.
//   seed=N      of all chances
//   lose=N damage=N double=N cut=N   one frame of N (each way) is not there, has a wrong bit, comes twice, ends early
//   byte=N      one byte of N (each way) has a wrong bit
//   stale=N     N bytes of an earlier session are the first that the host gets, whatever it has purged
//   latency=N   the latency timer is N ms whatever the host says
//   pause=N     RXF# and TXE# are high in N of 100 cycles, whatever the chip holds
//   silent=N    from cycle N of the chip on nothing comes back and nothing is taken
//   gone=N      in cycle N the board is unplugged
// Responsible for: reading them, what happens to a stream of frames.  Not responsible for: what they cause.
#ifndef GANTRY_FAULTS_HPP
#define GANTRY_FAULTS_HPP
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

struct Faults {
    uint64_t seed = 1, lose = 0, damage = 0, double_ = 0, cut = 0, byte = 0, stale = 0, latency = 0, pause = 0, silent = UINT64_MAX, gone = UINT64_MAX;

    // nullptr, or the word that is none of these
    const char *read(const char *text)
    {
        static std::string word;
        struct {
            const char *name;
            uint64_t *value;
        } const rows[] = {{"seed", &seed}, {"lose", &lose}, {"damage", &damage}, {"double", &double_}, {"cut", &cut}, {"byte", &byte}, {"stale", &stale},
                          {"latency", &latency}, {"pause", &pause}, {"silent", &silent}, {"gone", &gone}};
        for (const char *at = text ? text : ""; *at;) {
            const size_t n = strcspn(at, ",");
            word.assign(at, n);
            at += n + (at[n] == ',');
            const size_t equal = word.find('=');
            bool known = false;
            for (const auto &row : rows)
                if (equal != std::string::npos && word.compare(0, equal, row.name) == 0) {
                    char *end;
                    *row.value = strtoull(word.c_str() + equal + 1, &end, 10);
                    known = equal + 1 < word.size() && *end == 0;
                }
            if (!known)
                return word.c_str();
        }
        return nullptr;
    }
};

// One direction of a stream: bytes in, what is left of them out.
class FaultyStream {
  public:
    uint64_t frames = 0, hit = 0; // frames seen; those, and bytes, with a fault

    FaultyStream(const Faults &faults, unsigned way) : f(faults), rng(faults.seed * 2 + way), on(f.lose | f.damage | f.double_ | f.cut | f.byte) {}

    template <class Push> void pass(uint8_t b, Push push)
    {
        if (!on) {
            push(b);
            return;
        }
        if (chance(f.byte)) {
            b ^= static_cast<uint8_t>(1u << rng() % 8);
            hit++;
        }
        if (at == 0 && b != 0x47) { // between frames
            push(b);
            return;
        }
        if (at == 0)
            begin();
        if (at == 2)
            length = b;
        else if (at == 3)
            length |= static_cast<size_t>(b) << 8;
        if (fate == Double)
            again.push_back(b);
        if (fate == Damage && at == place)
            push(static_cast<uint8_t>(b ^ (1u << rng() % 8)));
        else if (fate != Lose && !(fate == Cut && at >= place))
            push(b);
        if (++at >= Head && at >= Head + (length <= 496 ? length : 0) + Check) {
            at = 0;
            for (uint8_t one : again)
                push(one);
            again.clear();
        }
    }

  private:
    enum Fate { Right, Lose, Damage, Double, Cut };
    static constexpr size_t Head = 8, Check = 4;
    const Faults f;
    std::mt19937_64 rng;
    const bool on;
    size_t at = 0, length = 0, place = 0;
    Fate fate = Right;
    std::vector<uint8_t> again;

    bool chance(uint64_t n) { return n && rng() % n == 0; }

    void begin()
    {
        fate = chance(f.lose) ? Lose : chance(f.damage) ? Damage : chance(f.double_) ? Double : chance(f.cut) ? Cut : Right;
        place = rng() % (rng() & 1 ? 12 : 64); // often in the head or the check of a short one
        length = 0;
        frames++;
        hit += fate != Right;
    }
};
#endif
