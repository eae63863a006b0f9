// SPDX-License-Identifier: Apache-2.0
// What the model library sends, and what comes to its inputs: for part.cpp, which gives both to a board as well.
// Not responsible for: the comparison.
#ifndef PART_TRAFFIC_H
#define PART_TRAFFIC_H
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "bridge/verilated/model.h"
#include "gantry_msg.h"

static const struct model_api *api;
static std::mt19937_64 rng;
static std::vector<Sent> expected;

static void model_sent(void *, uint32_t slot, uint64_t cycle, const void *message)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < api->port_count; i++)
        if (api->ports[i].out && slot >= api->ports[i].slot && slot < api->ports[i].slot + api->ports[i].count)
            bytes = api->ports[i].bytes;
    const uint8_t *p = static_cast<const uint8_t *>(message);
    expected.push_back({slot, cycle, message ? std::vector<uint8_t>(p, p + bytes) : std::vector<uint8_t>()});
}

struct Due {
    uint64_t cycle;
    uint32_t slot;
    std::vector<uint8_t> bytes;
};

// What comes to the inputs: requests while there is room for them, answers and credits some time after what was sent.
class Traffic {
  public:
    std::multimap<uint64_t, Due> due;
    bool any;
    std::map<uint32_t, int> room;                 // by input number of messages
    std::map<uint32_t, uint64_t> taken;           // by input number: last cycle that has one
    const bool translates = std::strcmp(api->kind, "utcl2") == 0;
    unsigned commands = 0;                        // given to it
    bool commanded = false;                       // one is not answered yet
    explicit Traffic(bool random) : any(random)
    {
        for (uint32_t i = 0; i < api->port_count; i++)
            for (uint32_t lane = 0; !api->ports[i].out && lane < api->ports[i].count; lane++)
                room[api->ports[i].slot + lane] = 12;
    }

    void add(uint64_t cycle, uint32_t slot, std::vector<uint8_t> bytes)
    {
        if (taken.count(slot) && taken[slot] >= cycle)
            cycle = taken[slot] + 1;
        taken[slot] = cycle;
        due.insert({cycle, {cycle, slot, bytes}});
    }

    std::vector<uint8_t> random(uint32_t bytes)
    {
        std::vector<uint8_t> out(bytes);
        for (uint8_t &b : out)
            b = static_cast<uint8_t>(rng());
        return out;
    }

    std::vector<uint8_t> request(const struct model_port &port)
    {
        struct msg_mem_req r = {};
        r.op = static_cast<uint8_t>(rng() % 4);
        r.size = rng() & 1 ? 4 : 8;
        r.atomic = static_cast<uint8_t>(2 + rng() % 10);
        r.source = static_cast<uint8_t>(rng() % 4);
        r.tag = static_cast<uint32_t>(rng() & 0xff0000ff);
        r.addr = (std::strcmp(port.name, "far_req") == 0 ? UINT64_C(1) << 48 : 0) | ((rng() & 0xffff) << 6);
        r.mask = r.op == MEM_WRITE ? rng() | 1 : 0;
        for (uint64_t &word : r.data)
            word = rng();
        if (translates) {  // few pages, so that some are found; some beyond the address space
            r.op = MEM_XLAT;
            r.vmid = static_cast<uint8_t>(rng() % 5);
            r.access = static_cast<uint8_t>(1 << rng() % 3);
            r.addr = (rng() % 40 == 0 ? UINT64_C(1) << 41 : 0) | (rng() % 2) << 30 | (rng() % 3) << 21 | (rng() % 32) << 12;
        }
        const uint8_t *p = reinterpret_cast<const uint8_t *>(&r);
        return {p, p + sizeof r};
    }

    // To the L2 TLB: roots of four of its five spaces first, then invalidations, roots, and what becomes of withheld requests.
    std::vector<uint8_t> command()
    {
        const bool first = commands < 4, whole = rng() & 1;
        const unsigned what = first ? CTL_ROOT : static_cast<unsigned>(rng() % 8);
        struct msg_ctl_cmd c = {};
        c.op = static_cast<uint8_t>(what == CTL_ROOT ? CTL_ROOT : what < 4 ? CTL_INV : CTL_XLAT);
        c.vmid = static_cast<uint8_t>(first ? commands : c.op != CTL_ROOT && rng() % 4 == 0 ? 255 : rng() % 4);
        c.id = static_cast<uint16_t>(commands++);
        c.flags = c.op == CTL_INV ? CACHE_INV_TLB : static_cast<uint32_t>(rng() % 4) & (c.op == CTL_ROOT ? XLAT_WITHHOLD : XLAT_DENY);
        c.root = c.op == CTL_ROOT ? (rng() & 0xffff) << 12 : whole ? 0 : (rng() % 2) << 30 | (rng() % 3) << 21 | (rng() % 32) << 12;
        c.bytes = c.op == CTL_ROOT || whole ? 0 : (1 + rng() % 40) << 12;
        const uint8_t *p = reinterpret_cast<const uint8_t *>(&c);
        return {p, p + sizeof c};
    }

    // Between two windows: `now` is the first cycle that may still be filled, `busy` how likely requests are.
    void fill(uint64_t now, uint64_t until, unsigned busy)
    {
        for (uint32_t i = 0; i < api->port_count; i++) {
            const struct model_port &port = api->ports[i];
            const bool answers = std::strstr(port.name, "_rsp") != nullptr;
            for (uint32_t lane = 0; !port.out && lane < port.count; lane++)
                for (uint64_t c = now; c < until; c++) {
                    if (translates && !any && !commanded && std::strcmp(port.name, "ctl_cmd") == 0 && (commands < 4 || rng() % 64 == 0)) {
                        commanded = true;
                        add(c, port.slot, command());
                    }
                    if (rng() % 100 < busy && room[port.slot + lane] > 0 && (any || (!answers && port.bytes == 96 && lane == 0))) {
                        room[port.slot + lane]--;
                        add(c, port.slot + lane, any ? random(port.bytes) : request(port));
                    }
                }
        }
    }

    void answer(const Sent &s, uint64_t after)
    {
        for (uint32_t i = 0; i < api->port_count; i++) {
            const struct model_port &port = api->ports[i];
            if (!port.out && port.credit && s.slot >= port.credit_slot && s.slot < port.credit_slot + port.count)
                room[port.slot + s.slot - port.credit_slot]++;
            if (!port.out || s.slot < port.slot || s.slot >= port.slot + port.count)
                continue;
            commanded = commanded && std::strcmp(port.name, "ctl_evt") != 0;
            if (port.credit)
                add(after + rng() % 40, port.credit_slot + s.slot - port.slot, {});
            for (uint32_t k = 0; !any && port.bytes == 96 && k < api->port_count; k++) {
                const struct model_port &back = api->ports[k];
                if (back.out || back.count != port.count || std::strncmp(back.name, port.name, 3) || !std::strstr(back.name, "_rsp"))
                    continue;
                struct msg_mem_req ask;
                memcpy(&ask, s.bytes.data(), sizeof ask);
                struct msg_mem_rsp r = {ask.op, MEM_OK, ask.source, ask.gpu, ask.tag, {}};
                for (uint64_t &word : r.data)
                    word = rng();
                const uint8_t *p = reinterpret_cast<const uint8_t *>(&r);
                add(after + rng() % 200, back.slot + s.slot - port.slot, {p, p + sizeof r});
            }
        }
    }
};
#endif
