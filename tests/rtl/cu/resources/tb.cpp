// SPDX-License-Identifier: Apache-2.0
// Bench of cu_resources: starts, ends, kills and trap handlers as a dispatcher that never doubles anything sends them, in any order,
// pass; each rule that a start can break is told, once or more, and none that is kept.  What fails does not end the run here.
// top: cu_resources
// args: --x-initial unique
// cflags: -DVL_USER_STOP
// mutate: a_end <= b || => 1'b1 ||
// mutate: w[5:4] == cmd_i.wave[5:4] => w[5:4] != cmd_i.wave[5:4]
// mutate: asked.group == held[w[5:0]].group) begin => 1'b1) begin
// mutate: live[evt_i.wave[5:0]] = 1'b0; => ;
// mutate: live[w[5:0]] = 1'b0; => ;
// mutate: if (kills[told_first]) begin => if (1'b1) begin
// mutate: doomed[cmd_i.wave[5:0]] = 1'b0; => ;
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "build/gen/gantry_msg.h"
#include "tests/rtl/case_done.h"
#include "Vcu_resources.h"

static Vcu_resources *dut;
static unsigned told, wrong;
static uint64_t x = 88172645463325252ull;

void vl_stop(const char *, int, const char *) { told++; }

static uint64_t rng() { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; }
static unsigned below(unsigned n) { return static_cast<unsigned>(rng() >> 33) % n; }

static void clock_once(const msg_cu_cmd *cmd, const msg_cu_evt *evt)
{
    told = 0;
    dut->cmd_valid_i = cmd != nullptr, dut->evt_valid_i = evt != nullptr;
    if (cmd)
        memcpy(&dut->cmd_i, cmd, sizeof *cmd);
    if (evt)
        memcpy(&dut->evt_i, evt, sizeof *evt);
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->cmd_valid_i = dut->evt_valid_i = 0;
}

static void reset()
{
    dut->rst_ni = 0;
    clock_once(nullptr, nullptr);
    dut->rst_ni = 1;
}

static msg_cu_cmd wave(unsigned id, unsigned vgpr, unsigned vgprs, unsigned sgpr, unsigned sgprs, unsigned lds, unsigned bytes)
{
    msg_cu_cmd c{};
    c.kind = CU_WAVE, c.vmid = 3, c.wave = static_cast<uint8_t>(id), c.group_waves = 1;
    c.vgpr_base = static_cast<uint16_t>(vgpr), c.vgprs = static_cast<uint16_t>(vgprs);
    c.sgpr_base = static_cast<uint16_t>(sgpr), c.sgprs = static_cast<uint16_t>(sgprs);
    c.lds_base = lds, c.lds_bytes = bytes;
    return c;
}

static void expect(const char *what, const msg_cu_cmd &c, bool fails)
{
    clock_once(&c, nullptr);
    if ((told != 0) != fails)
        std::printf("%s: %u rules failed\n", what, told), wrong++;
}

static void ends(unsigned id, unsigned kind = CU_EVT_WAVE_DONE)
{
    msg_cu_evt e{};
    e.kind = static_cast<uint8_t>(kind), e.wave = static_cast<uint8_t>(id);
    clock_once(nullptr, &e);
    if (told)
        std::printf("an end of wavefront %u: %u rules failed\n", id, told), wrong++;
}

static void command(unsigned kind, unsigned vmid)
{
    msg_cu_cmd c{};
    c.kind = static_cast<uint8_t>(kind), c.vmid = static_cast<uint8_t>(vmid);
    clock_once(&c, nullptr);
}

// One wavefront is there; the second one touches it in one kind of resource, at each of its ends.
static void pairs()
{
    const msg_cu_cmd first = wave(0x05, 40, 16, 96, 32, 1024, 2048);
    struct {
        const char *what;
        msg_cu_cmd second;
        bool fails;
    } cases[] = {
        {"below", wave(0x06, 36, 4, 64, 32, 512, 512), false},
        {"above", wave(0x06, 56, 8, 128, 16, 3072, 512), false},
        {"VGPRs, last one", wave(0x06, 36, 5, 64, 32, 512, 512), true},
        {"VGPRs, first one", wave(0x06, 55, 8, 128, 16, 3072, 512), true},
        {"VGPRs, within", wave(0x06, 44, 4, 128, 16, 3072, 512), true},
        {"VGPRs, around", wave(0x06, 0, 100, 128, 16, 3072, 512), true},
        {"VGPRs, another SIMD", wave(0x16, 40, 16, 96, 32, 3072, 512), false},
        {"SGPRs, last one", wave(0x06, 56, 8, 64, 33, 3072, 512), true},
        {"SGPRs, first one", wave(0x06, 56, 8, 127, 16, 3072, 512), true},
        {"LDS, last one", wave(0x16, 56, 8, 128, 16, 512, 513), true},
        {"LDS, first one", wave(0x16, 56, 8, 128, 16, 3071, 512), true},
        {"LDS, none", wave(0x16, 56, 8, 128, 16, 1536, 0), false},
        {"the same slot", wave(0x05, 56, 8, 128, 16, 3072, 512), true},
        {"VGPRs beyond the file", wave(0x06, 250, 8, 128, 16, 3072, 512), true},
        {"the last VGPRs", wave(0x06, 248, 8, 128, 16, 3072, 512), false},
        {"SGPRs beyond the file", wave(0x06, 56, 8, 790, 16, 3072, 512), true},
        {"the last SGPRs", wave(0x06, 56, 8, 784, 16, 3072, 512), false},
        {"LDS beyond its end", wave(0x06, 56, 8, 128, 16, 65024, 1024), true},
        {"the last of the LDS", wave(0x06, 56, 8, 128, 16, 65024, 512), false},
        {"no such slot", wave(0x0a, 56, 8, 128, 16, 3072, 512), true},
        {"no such SIMD", wave(0x45, 56, 8, 128, 16, 3072, 512), true},
    };
    for (auto &c : cases) {
        reset();
        expect("the first", first, false);
        expect(c.what, c.second, c.fails);
        reset();
        expect("the first", first, false);
        ends(0x05);
        if (strstr(c.what, "beyond") == nullptr && strstr(c.what, "no such") == nullptr)
            expect("behind its end", c.second, false);
    }
    case_done("a range that touches another's", "S3.7");
}

static void groups()
{
    const auto of = [](msg_cu_cmd c, unsigned group, unsigned n, unsigned launch = 0, unsigned vmid = 3) {
        c.group = static_cast<uint8_t>(group), c.group_waves = 2, c.wave_in_group = static_cast<uint8_t>(n);
        c.launch = static_cast<uint8_t>(launch), c.vmid = static_cast<uint8_t>(vmid);
        return c;
    };
    struct {
        const char *what;
        msg_cu_cmd second;
        bool fails;
    } cases[] = {
        {"one group", of(wave(0x15, 0, 4, 0, 16, 1024, 2048), 4, 1), false},
        {"one group, another range", of(wave(0x15, 0, 4, 0, 16, 1024, 1024), 4, 1), true},
        {"one group, another place", of(wave(0x15, 0, 4, 0, 16, 4096, 2048), 4, 1), true},
        {"the same wavefront of it again", of(wave(0x15, 0, 4, 0, 16, 1024, 2048), 4, 0), true},
        {"the number of another launch's group", of(wave(0x15, 0, 4, 0, 16, 1024, 2048), 4, 1, 1), true},
        {"that of another space's", of(wave(0x15, 0, 4, 0, 16, 1024, 2048), 4, 1, 0, 5), true},
        {"another group with its range", of(wave(0x15, 0, 4, 0, 16, 1024, 2048), 5, 1), true},
        {"one that has no number", wave(0x15, 0, 4, 0, 16, 1024, 2048), true},
    };
    for (auto &c : cases) {
        reset();
        expect("the first", of(wave(0x05, 0, 4, 0, 16, 1024, 2048), 4, 0), false);
        expect(c.what, c.second, c.fails);
    }
    case_done("wavefronts of a work-group", "S3.7");
}

// Those of a killed space are there until the acknowledgement of this kill, others stay; what started since is not meant.
static void kills()
{
    const msg_cu_cmd mine = wave(0x05, 0, 8, 0, 16, 0, 512);
    msg_cu_cmd other = wave(0x15, 0, 8, 0, 16, 512, 512), again = wave(0x05, 0, 8, 0, 16, 0, 512);
    other.vmid = 4;
    reset();
    expect("mine", mine, false), expect("other's", other, false);
    command(CU_TRAP, 3), command(CU_KILL, 3);
    ends(0, CU_EVT_ACK); // of the trap handler
    expect("before the kill is over", again, true);
    reset();
    expect("mine", mine, false), expect("other's", other, false);
    command(CU_TRAP, 3), command(CU_KILL, 3);
    ends(0, CU_EVT_ACK), ends(0, CU_EVT_ACK);
    expect("behind the kill", again, false);
    expect("the other one is there", wave(0x16, 0, 4, 16, 16, 1024, 512), true);
    reset();
    expect("mine", mine, false);
    command(CU_KILL, 3);
    ends(0x05); // it has told its end all the same
    expect("a later one", again, false);
    ends(0, CU_EVT_ACK);
    expect("the later one is there", wave(0x06, 4, 8, 16, 16, 1024, 512), true);
    case_done("killed wavefronts");
}

// A dispatcher that keeps count, by granules of 4, 16 and 512: nothing is told.
static void legal()
{
    struct Held {
        msg_cu_cmd cmd;
        bool doomed;
    };
    std::map<unsigned, Held> held;
    std::deque<unsigned> spaces; // of kills under way
    bool vgprs[4][64] = {}, sgprs[4][50] = {}, lds[128] = {};
    const auto mark = [&](const msg_cu_cmd &c, bool on) {
        for (unsigned i = 0; i < c.vgprs / 4u; i++)
            vgprs[c.wave >> 4][c.vgpr_base / 4 + i] = on;
        for (unsigned i = 0; i < c.sgprs / 16u; i++)
            sgprs[c.wave >> 4][c.sgpr_base / 16 + i] = on;
        for (unsigned i = 0; i < c.lds_bytes / 512; i++)
            lds[c.lds_base / 512 + i] = on;
    };
    const auto free_at = [](const bool *used, unsigned size, unsigned want) -> int {
        const unsigned from = below(size);
        for (unsigned n = 0; n < size; n++) {
            const unsigned at = (from + n) % size;
            unsigned k = 0;
            while (k < want && at + k < size && !used[at + k])
                k++;
            if (k == want)
                return static_cast<int>(at);
        }
        return -1;
    };
    unsigned started = 0, killed = 0;
    reset();
    for (unsigned i = 0; i < 60000; i++) {
        const unsigned id = below(4) << 4 | below(10), simd = id >> 4, what = below(100);
        if (what < 60 && held.count(id) == 0) {
            const unsigned v = 1 + below(12), s = 1 + below(6), l = below(20);
            const int va = free_at(vgprs[simd], 64, v), sa = free_at(sgprs[simd], 50, s), la = free_at(lds, 128, l);
            if (va < 0 || sa < 0 || la < 0)
                continue;
            msg_cu_cmd c = wave(id, va * 4u, v * 4, sa * 16u, s * 16, la * 512u, l * 512);
            c.vmid = static_cast<uint8_t>(below(3));
            expect("a free place", c, false);
            mark(c, true), held[id] = {c, false}, started++;
        } else if (what < 90 && !held.empty()) {
            auto one = std::next(held.begin(), below(static_cast<unsigned>(held.size())));
            const unsigned gone = one->first;
            mark(one->second.cmd, false), held.erase(one);
            ends(gone);
        } else if (what < 95 && spaces.size() < 3) {
            const unsigned space = below(3);
            for (auto &one : held)
                one.second.doomed |= one.second.cmd.vmid == space;
            command(CU_KILL, space), spaces.push_back(space);
        } else if (!spaces.empty()) {
            ends(0, CU_EVT_ACK);
            for (auto one = held.begin(); one != held.end();)
                if (one->second.doomed && one->second.cmd.vmid == spaces.front())
                    mark(one->second.cmd, false), one = held.erase(one), killed++;
                else
                    ++one;
            spaces.pop_front();
        }
    }
    if (started < 10000 || killed < 300)
        std::printf("%u started, %u killed\n", started, killed), wrong++;
    case_done("a dispatcher that keeps count");
}

int main()
{
    dut = new Vcu_resources;
    pairs();
    groups();
    kills();
    legal();
    return wrong != 0;
}
