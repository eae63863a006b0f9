// SPDX-License-Identifier: Apache-2.0
// Tells the reference what happens at each edge, by the names of taps.vlt, and what CUs are told and tell.  Not responsible for: what must
// have come of it (../reference).
#ifndef WATCH_H
#define WATCH_H
#include "Vpart_dispatch___024root.h"
extern "C" {
#include "tests/rtl/dispatch/reference/reference.c"
#include "tests/rtl/dispatch/reference/reference_pool.c"
#include "tests/rtl/dispatch/reference/reference_wave.c"
}

static ref reference;
static ref_group ref_groups[Cus * Simds * Slots + 1];
static std::deque<msg_cp_cmd> in_queue; // launches that no dispatcher has begun, in the order of the host
static bool launched, killing, requested, busy;
static unsigned launched_who, killing_vmid, reciprocals;
static std::vector<uint16_t> coming; // wavefronts whose resources come back at the next edge

static void right(const char *wrong)
{
    if (wrong)
        FAIL("%s", wrong);
}

// What the blocks say behind an edge, and hear at the next one.
static void watch_outputs()
{
    const auto *root = dut->rootp;
    launched = root->part_dispatch__DOT__launch_valid, launched_who = root->part_dispatch__DOT__launch_who;
    killing = root->part_dispatch__DOT__kill_valid, killing_vmid = root->part_dispatch__DOT__kill_vmid;
    requested = root->part_dispatch__DOT__req_valid, busy = root->part_dispatch__DOT__pool_busy;
    reciprocals = root->part_dispatch__DOT__recip_ready;
    coming.clear();
    for (uint64_t left = root->part_dispatch__DOT__free_valid; left; left &= left - 1) {
        const unsigned cu = static_cast<unsigned>(__builtin_ctzll(left));
        const uint64_t freed = root->part_dispatch__DOT__freed[cu]; // pool_free_t: CU, SIMD, slot in its uppermost bits
        coming.push_back(static_cast<uint16_t>(cu << 6 | (freed >> 49 & 63)));
    }
}

static void watch_edge()
{
    const auto *root = dut->rootp;
    const bool stood = requested && busy;
    struct ref_edge e = {};
    e.cycle = static_cast<uint32_t>(cycle);
    msg_cp_cmd first;
    if (launched) {
        if (in_queue.empty())
            FAIL("a dispatcher begins a launch that nobody has sent");
        first = in_queue.front();
        in_queue.pop_front();
        e.launch = &first, e.who = launched_who;
    }
    e.kill = killing, e.vmid = killing_vmid;
    e.freed = coming.data(), e.freed_count = static_cast<unsigned>(coming.size());
    e.taken = requested && !busy, e.done = root->part_dispatch__DOT__pool_done, e.ok = root->part_dispatch__DOT__pool_ok;
    e.asks = root->part_dispatch__DOT__req_valid && !stood;
    e.asker = root->part_dispatch__DOT__u_walk__DOT__asked, e.cu = root->part_dispatch__DOT__u_walk__DOT__cu;
    e.may_ask = !stood && !killing;
    e.reciprocals = reciprocals, e.waits = root->part_dispatch__DOT__u_walk__DOT__waits;
    right(ref_edge(&reference, &e));
    for (uint64_t left = dut->cu_evt_valid_i; left; left &= left - 1) {
        const unsigned cu = static_cast<unsigned>(__builtin_ctzll(left));
        msg_cu_evt m;
        memcpy(&m, &dut->cu_evt_i[cu], sizeof m);
        if (m.kind == CU_EVT_WAVE_DONE)
            right(ref_ended(&reference, cu, m.wave));
        else if (m.kind == CU_EVT_ACK)
            ref_acked(&reference, cu, m.vmid);
    }
    for (uint64_t left = dut->cu_cmd_valid_o; left; left &= left - 1) {
        const unsigned cu = static_cast<unsigned>(__builtin_ctzll(left));
        msg_cu_cmd m;
        memcpy(&m, &dut->cu_cmd_o[cu], sizeof m);
        if (m.kind == CU_WAVE)
            right(ref_wave(&reference, cu, &m));
    }
    watch_outputs();
}

static void watch_begin(bool fill)
{
    const ref_shape shape = {Cus, Simds, Slots, Vgprs / 4, Sgprs / 16, Lds / 512, 16, Dispatchers, 4, Patience, fill};
    ref_begin(&reference, &shape, ref_groups, sizeof ref_groups / sizeof *ref_groups);
    watch_outputs();
    watch = watch_edge;
}
#endif
