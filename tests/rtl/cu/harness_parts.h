// SPDX-License-Identifier: Apache-2.0
// Harness of the compute unit's benches: what its parts share: the model, random numbers, the assembler, memory, and
// what is known of a wavefront.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#ifdef PART_CU  // the partition's top (part_cu)
#include "Vpart_cu.h"
using Top = Vpart_cu;
#else
#include "Vcu.h"
using Top = Vcu;
#endif
#include "tests/rtl/cu/harness_assemble.h"
#include "verilated.h"
extern "C" {
#include "gantry_msg.h"
#include "isa/gcn3.h"
#include "vm/pagetable.h"
}

static constexpr uint64_t MemBase = 0x100000, MemBytes = 8 << 20;
static constexpr unsigned Cu = 37;  // second shader engine but one, CU 5

struct Random {
    uint64_t x = 0x9e3779b97f4a7c15;
    uint32_t operator()()
    {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        return x >> 16;
    }
    uint32_t below(uint32_t n) { return (*this)() % n; }
};

[[noreturn]] static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    std::vprintf(format, args);
    std::printf("\n");
    std::exit(1);
}

// Text of a program -> dwords.
static std::vector<uint32_t> assemble(const std::string &text)
{
    std::vector<uint32_t> code = assemble_words(text);
    if (code.empty() && !text.empty())
        fail("assembler failed on:\n%s", text.c_str());
    return code;
}

struct Memory {
    std::vector<uint8_t> bytes = std::vector<uint8_t>(MemBytes);
    bool has(uint64_t va, unsigned n) const { return va >= MemBase && va + n <= MemBase + MemBytes; }
    uint8_t *at(uint64_t va) { return &bytes[va - MemBase]; }
    void put(uint64_t va, const std::vector<uint32_t> &words) { memcpy(at(va), words.data(), words.size() * 4); }
};

// State after one instruction of the golden model.
struct Snapshot {
    uint64_t pc;
    uint32_t first;
    bool priv;        // in the trap handler, before or after
    uint32_t s[128];  // as stored, also where the wavefront may not look
    bool scc;
    unsigned vdst, vdst_w;
    uint32_t v[4][64];
};

struct WaveSetup {
    unsigned simd = 0, slot = 0, group = 0, group_waves = 1, wave_in_group = 0;
    unsigned vgpr_base = 0, vgprs = 64, sgpr_base = 0, sgprs = 112, lds_base = 0, lds_bytes = 0, items = 0;
    unsigned size[3] = {1024, 1, 1};  // of the group
    uint32_t scratch_base = 0;
    uint64_t tba = 0, tma = 0;  // trap handler of the VMID: as told to the CU before
    uint64_t pc = MemBase, exec = ~0ull;
    uint8_t mode = 0xc0, ieee = 3, vmid = 1;
    std::vector<uint32_t> sgpr;
    bool bare = false;  // none of them is written at its start
};

struct Wave {
    WaveSetup setup;
    gcn3_wave golden{};
    std::vector<Snapshot> trace;
    int fault = 0;
    std::vector<uint32_t> v = std::vector<uint32_t>(256 * 64);
    // what the RTL showed
    uint64_t issued = 0, checked = 0, issued_at[256] = {};
    uint32_t s[128] = {};
    std::vector<uint32_t> rv = std::vector<uint32_t>(256 * 64);
    bool done = false, faulted = false;
    msg_cu_evt event{};
    uint32_t (*vgpr(std::vector<uint32_t> &x))[64] { return reinterpret_cast<uint32_t(*)[64]>(x.data()); }
};
