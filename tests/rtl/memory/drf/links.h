// SPDX-License-Identifier: Apache-2.0
// Links of the tester: they keep their order and delay each message as their weather wants.  Also bits and messages of ports of the
// model.  Not responsible for: what is at their ends (machine.h).
#ifndef TESTS_DRF_LINKS_H
#define TESTS_DRF_LINKS_H
#include <deque>

#include "params.h"

template <class Bits> static inline bool bit(const Bits &b, unsigned i) { return reinterpret_cast<const uint8_t *>(&b)[i / 8] >> (i % 8) & 1; }
template <class Bits> static inline void set_bit(Bits &b, unsigned i) { reinterpret_cast<uint8_t *>(&b)[i / 8] |= (uint8_t)(1u << (i % 8)); }
template <class Msg, class Port> static inline void put(Port &port, const Msg &m)
{
    static_assert(sizeof(Port) == sizeof(Msg), "message size");
    memcpy((void *)&port, &m, sizeof m);
}
template <class Msg, class Port> static inline void get(Msg &m, const Port &port)
{
    static_assert(sizeof(Port) == sizeof(Msg), "message size");
    memcpy(&m, (const void *)&port, sizeof m);
}

// ---- delays: the weather changes every few hundred cycles, for every link another way
static Rng sky;
static const unsigned Least = 8; // of every channel (docs/contracts.md)
struct Delay {
    uint64_t changes = 0, frozen = 0; // until then nothing moves: what was under way before is overtaken by whole episodes of others
    unsigned spread = 1, stops = 0, freezes = 100; // one change in so many
    uint64_t next()
    {
        if (!on(Weather))
            return Least;
        if (cycle >= changes) {
            changes = cycle + 100 + sky.pick(1500);
            spread = sky.one_in(30) ? 150 : sky.one_in(8) ? 30 : 1 + sky.pick(4);
            stops = sky.one_in(20) ? 20 : 0;
            frozen = sky.one_in(freezes) ? cycle + 200 + sky.pick(2000) : 0;
        }
        uint64_t wait = frozen > cycle ? frozen - cycle : 0;
        return Least + wait + sky.pick(spread) + (stops && sky.one_in(stops) ? sky.pick(200) : 0);
    }
};
struct Nothing {};
template <class Msg> struct Link {
    std::deque<std::pair<uint64_t, Msg>> queue;
    uint64_t last = 0;
    Delay delay;
    void push(const Msg &m)
    {
        uint64_t due = cycle + delay.next();
        last = due > last ? due : last + 1;
        queue.push_back({last, m});
    }
    bool due() const { return !queue.empty() && queue.front().first <= cycle; }
    Msg pop()
    {
        Msg m = queue.front().second;
        queue.pop_front();
        return m;
    }
};
using Credit = Link<Nothing>;
#endif
