// SPDX-License-Identifier: Apache-2.0
// Control messages to a compute unit during random programs of up to 20 wavefronts: what a pause holds, what a drain finishes and
// leaves, that they go on with the right data (each register write against the golden model), what is refused, maintenance by the
// same port, kills and starts that wait.
// Not responsible for: programs as such (../cu), every signal in every state (tests/rtl/control/control_agent).
// top: part_cu
// opt: -O0
// lib: yes
// args: -GCheckNamed=0 -Wno-UNUSEDPARAM -Wno-PINCONNECTEMPTY -Wno-UNUSEDSIGNAL
// mutate: held     = hold_i; => held     = 1'b0;
// mutate: !asked_for[8] && !hold_i) begin => !asked_for[8]) begin
// mutate: next = cmd_count != '0 && !hold_i; => next = cmd_count != '0;
// mutate: if (fifo_count != '0 && !hold_i) begin => if (fifo_count != '0) begin
// mutate: && nothing_left(); => ;
// mutate: drained_o <= hold_i && asked_for == 9'd0; => drained_o <= hold_i;
// mutate: drained_o   <= state == StIdle && fill_busy == '0; => drained_o   <= 1'b1;
// mutate: || intr_valid_i || kick_i; => || intr_valid_i;
// mutate: || ifetch_rsp_valid_i || kick_i) begin => || ifetch_rsp_valid_i) begin
// mutate: fill_drained && fetch_drained && issue_drained; => fill_drained && fetch_drained;
// mutate: .hold_all_i(hold_all) => .hold_all_i(hold_take)
// mutate: cu_idle && agent_idle => cu_idle
// mutate: .Discards(1'b0) => .Discards(1'b1)
// mutate: inv_of(maint.vmid, maint.root, => inv_of(maint.vmid, 64'd0,
// mutate: !began_q && !answer_q => !answer_q
#define PART_CU
#include "tests/rtl/case_done.h"
#include "tests/rtl/control/signals.h"
#include "tests/rtl/cu/cu/generator.h"
#include "tests/rtl/cu/harness.h"

using Set = std::vector<Wave *>;

// A scalar access that was chosen before a hold still leaves: the longest after three turns and three cycles.
static constexpr unsigned ScalarTail = 16;

struct Moved {
    uint64_t issued = 0, code, scalars, vectors = 0;
    Moved(Bench &b, const Set &set) : code(b.asked_code), scalars(b.asked_scalars)
    {
        for (Wave *w : set)
            issued += w->issued;
        for (uint64_t n : b.asked_vector)
            vectors += n;
    }
};

static void steps(Bench &b, unsigned n)
{
    while (n--)
        b.step();
}

// Sends a message; its answer, within so many cycles.
static msg_ctl_evt ask(Bench &b, const msg_ctl_cmd &c, unsigned limit)
{
    b.answers.clear();
    b.controls.push_back(c);
    for (unsigned i = 0; i < limit && b.answers.empty(); i++)
        b.step();
    if (b.answers.size() != 1 || b.answers[0].op != c.op || b.answers[0].id != c.id)
        fail("%zu answers to control message %u, signals %02x", b.answers.size(), c.op, c.signals);
    const msg_ctl_evt e = b.answers[0];
    if (c.op != CTL_SIGNAL)
        b.step(); // the next one may come in the cycle behind the answer
    return e;
}

static void tell(Bench &b, uint8_t signals, unsigned status, unsigned state)
{
    const msg_ctl_cmd c = signals_message(signals, (uint16_t)b.rnd());
    const bool later = status == CTL_OK && signals & (CTL_DRAIN | CTL_FLUSH | CTL_DISCARD);
    const msg_ctl_evt e = ask(b, c, later ? 20000 : 3);
    if (!signals_answered(e, c, status, state))
        fail("cycle %llu: signals %02x: status %u, state %u, want %u, %u", (unsigned long long)b.cycle, signals, e.status, e.state, status, state);
}

static msg_ctl_cmd invalidation(Bench &b, uint32_t flags, uint8_t vmid = 255, uint64_t va = 0, uint64_t bytes = 0)
{
    msg_ctl_cmd c{};
    c.op = CTL_INV, c.flags = flags, c.vmid = vmid, c.root = va, c.bytes = bytes, c.id = (uint16_t)b.rnd();
    return c;
}

static bool answered_all(Bench &b)
{
    return b.ifetch.empty() && b.smem.empty() && b.vector.empty();
}

// Nothing begins and nothing leaves, whatever is answered meanwhile; it rests.
static void still(Bench &b, const Set &set, const char *what, unsigned n = 200)
{
    const Moved first(b, set);
    steps(b, ScalarTail);
    const Moved tail(b, set);
    steps(b, n);
    tell(b, CTL_ENABLE, CTL_ERROR_ON, CTL_STATE_PAUSED);
    const Moved now(b, set);
    if (now.issued != first.issued || now.code != first.code || now.vectors != first.vectors || now.scalars != tail.scalars)
        fail("%s: %llu instructions, %llu fetches, %llu scalar and %llu vector requests", what, (unsigned long long)(now.issued - first.issued),
             (unsigned long long)(now.code - first.code), (unsigned long long)(now.scalars - tail.scalars),
             (unsigned long long)(now.vectors - first.vectors));
    for (unsigned i = 0; i < 2000 && !answered_all(b); i++)
        b.step();
    for (unsigned i = 0; i < 30000 && !b.top->idle_o; i++) // accesses to the LDS go on
        b.step();
    if (!b.top->idle_o)
        fail("cycle %llu: %s: it does not rest", (unsigned long long)b.cycle, what);
}

static void drain(Bench &b, const Set &set, uint8_t signals)
{
    tell(b, signals, CTL_OK, CTL_STATE_PAUSED);
    if (!answered_all(b))
        fail("drained, but %zu fetches, %zu scalar and %zu vector requests are not answered", b.ifetch.size(), b.smem.size(), b.vector.size());
    still(b, set, "moved when drained");
}

static uint64_t spared; // seconds operations of a paused unit that had something unfinished

// One operation on a unit that runs `set`.
static void operation(Bench &b, const Set &set)
{
    switch (b.rnd.below(5)) {
    case 0:
        tell(b, CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        if (!b.vector.empty()) // an answer that is still to come
            tell(b, 0, CTL_ERROR_OUTSTANDING, CTL_STATE_PAUSED), spared++;
        still(b, set, "moved while paused");
        if (b.rnd.below(2))
            drain(b, set, CTL_DRAIN);
        break;
    case 1:
        drain(b, set, b.rnd.below(2) ? CTL_DRAIN : CTL_DRAIN | CTL_PAUSE);
        if (b.rnd.below(2))
            drain(b, set, CTL_FLUSH);
        break;
    case 2:
        drain(b, set, CTL_FLUSH | CTL_PAUSE);
        tell(b, 0, CTL_OK, CTL_STATE_OFF);
        tell(b, CTL_PAUSE, CTL_ERROR_OFF, CTL_STATE_OFF);
        steps(b, b.rnd.below(100));
        tell(b, 0x3f, CTL_OK, CTL_STATE_RUN);
        return;
    case 3: // the unit has no discard
        tell(b, CTL_DISCARD, CTL_ERROR_DISCARD, CTL_STATE_RUN);
        tell(b, CTL_DRAIN | CTL_DISCARD, CTL_ERROR_TOGETHER, CTL_STATE_RUN);
        tell(b, CTL_CONTINUE, CTL_ERROR_STATE, CTL_STATE_RUN);
        tell(b, CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        tell(b, CTL_DISCARD | CTL_PAUSE, CTL_ERROR_DISCARD, CTL_STATE_PAUSED);
        tell(b, CTL_PAUSE, CTL_ERROR_STATE, CTL_STATE_PAUSED);
        still(b, set, "moved while paused");
        break;
    default: { // maintenance neither pauses nor drops; when drained, and where more is to come, there is nothing to wait for
        const bool held = b.rnd.below(2);
        if (held)
            drain(b, set, CTL_DRAIN);
        const bool more = b.rnd.below(3) == 0;
        const msg_ctl_cmd c = invalidation(b, (b.rnd.below(2) ? CACHE_INV_L1V | CACHE_INV_TLB : b.rnd.below(2) ? CACHE_INV_TLB : CACHE_INV_L1V) | (more ? CACHE_MORE : 0));
        const msg_ctl_evt e = ask(b, c, held || more ? 12 : 20000);
        if (e.status != CTL_OK)
            fail("cycle %llu: maintenance (held %u, flags %x): status %u, state %u", (unsigned long long)b.cycle, held, c.flags, e.status, e.state);
        if (!held)
            return;
    }
    }
    tell(b, CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
}

// Wavefronts of random programs; operations from early to late in them.
static void run_operations(Bench &b, unsigned count, unsigned every)
{
    b.waves.clear();
    Set set;
    uint64_t pc = MemBase;
    for (unsigned n = 0; n < count; n++) {
        Generator g{b.rnd, {}};
        auto code = assemble(g.program(12));
        b.mem.put(pc, code);
        WaveSetup q;
        q.pc = pc, q.simd = n & 3, q.slot = (n >> 2) * 3 % 10, q.group = n, q.vgpr_base = (n >> 2) * 40, q.sgpr_base = (n >> 2) * 80 + 16;
        q.lds_base = n * 1024 + 512, q.lds_bytes = 1024, q.items = n % 3;
        q.exec = b.rnd.below(3) ? ~0ull : (uint64_t)b.rnd() << 32 | b.rnd() | 1;
        q.sgpr = {0x200000 + n * 0x1000, 0};
        set.push_back(b.add(q));
        pc = (pc + code.size() * 4 + 319) & ~63ull;
    }
    b.golden_mem = b.mem;
    b.compare_registers = false; // what no instruction writes keeps what earlier wavefronts left
    b.golden_run(set);
    for (Wave *w : set)
        b.launch(w);
    unsigned operations = 0;
    auto ends = [&] {
        for (Wave *w : set)
            if (!w->done)
                return false;
        return true;
    };
    for (uint64_t end = b.cycle + 2000000; !ends(); operations++) {
        for (unsigned i = b.rnd.below(every); i-- > 0 && !ends();)
            b.step();
        if (b.cycle > end)
            fail("the wavefronts do not end");
        operation(b, set);
    }
    b.same_memory();
    std::printf("%u wavefronts, %u operations, cycle %llu\n", count, operations, (unsigned long long)b.cycle);
}

// State of a wavefront at the counters' port: bit 7 its place is taken.
static bool placed(Bench &b, unsigned wave)
{
    b.top->perf_en_i = 0, b.top->perf_addr_i = (uint8_t)wave;
    for (unsigned i = 0; i < 2; i++) // evaluated, also at rest
        b.clock(), b.observe_all(), b.outputs();
    const bool used = b.top->perf_data_o >> 63;
    b.top->perf_en_i = 1, b.top->perf_addr_i = 0xff;
    return used;
}

static const char *const short_program = "  s_load_dwordx4 s[4:7], s[0:1], 0x0\n  v_lshlrev_b32 v1, 2, v0\n  v_mov_b32 v3, s1\n  v_add_u32 v2, vcc, s0, v1\n"
                                         "  flat_load_dword v4, v[2:3]\n  s_branch on\n  .fill 40, 4, 0xbf800000\non:\n  s_waitcnt lgkmcnt(0)\n"
                                         "  s_add_u32 s4, s4, s5\n  s_waitcnt vmcnt(0)\n  v_add_u32 v4, vcc, s4, v4\n  flat_store_dword v[2:3], v4\n"
                                         "  s_endpgm\n";

static Wave *short_wave(Bench &b, unsigned items = 0)
{
    b.mem.put(MemBase, assemble(short_program));
    b.golden_mem = b.mem;
    WaveSetup q;
    q.sgpr = {0x300000, 0}, q.items = items;
    Wave *w = b.add(q);
    b.golden_run({w});
    return w;
}

// A short program is held at each of its cycles, until all rests, and goes on.  A wavefront whose start was begun is in its place when the
// unit has drained, any other starts when it goes on.
static void run_every_cycle(Bench &b)
{
    for (unsigned at = 0; at < 500; at += at < 120 ? 1 : 7) {
        b.waves.clear();
        Wave *w = short_wave(b, 2);
        b.launch(w);
        steps(b, at);
        if (w->done)
            break;
        const bool drains = at & 1;
        tell(b, drains ? CTL_DRAIN : CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        steps(b, 4); // its last wavefront reaches the table
        const bool there = placed(b, 0);
        still(b, {w}, "moved while held");
        if (drains && placed(b, 0) != there)
            fail("held at %u: a wavefront starts in a unit that is drained", at);
        tell(b, CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        for (unsigned i = 0; i < 3000 && !w->done; i++)
            b.step();
        if (!w->done)
            fail("held at cycle %u, it does not go on", at);
        b.same_memory();
    }
}

// A start and a kill that come while the unit is held wait in their queue.
static void run_commands(Bench &b)
{
    for (unsigned round = 0; round < 8; round++) {
        b.waves.clear();
        Wave *w = short_wave(b);
        tell(b, round & 1 ? CTL_PAUSE : CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED);
        b.launch(w);
        still(b, {w}, "a wavefront starts in a unit that is held");
        if (placed(b, 0))
            fail("a wavefront starts in a unit that is held");
        if (round & 2)
            tell(b, 0, CTL_OK, CTL_STATE_OFF), tell(b, CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
        else
            tell(b, CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        steps(b, 40 + 3 * round);
        tell(b, CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        const size_t before = b.events.size();
        msg_cu_cmd kill{};
        kill.kind = CU_KILL, kill.vmid = 1;
        b.commands.push_back(kill);
        steps(b, 300);
        if (b.events.size() != before)
            fail("a kill is carried out in a unit that is held");
        if (round & 4)
            drain(b, {w}, CTL_DRAIN);
        tell(b, CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        for (unsigned i = 0; i < 2000 && (b.events.size() == before || b.events.back().kind != CU_EVT_ACK); i++)
            b.step();
        if (b.events.size() == before || b.events.back().kind != CU_EVT_ACK || placed(b, 0))
            fail("a kill that waited is not carried out");
        for (unsigned i = 0; i < 2000 && !answered_all(b); i++)
            b.step();
        b.running.clear();
    }
}

// What a load of four lines asks of memory, by what was invalidated before.
static void run_invalidations(Bench &b)
{
    static const char *const text = "  v_lshlrev_b32 v1, 2, v0\n  v_mov_b32 v3, s1\n  v_add_u32 v2, vcc, s0, v1\n  flat_load_dword v4, v[2:3]\n"
                                    "  s_waitcnt vmcnt(0)\n  s_endpgm\n";
    const uint64_t va = 0x340000;
    struct {
        uint32_t flags;
        uint8_t vmid;
        uint64_t va, bytes;
        unsigned lines, pages; // asked for again
    } const cases[] = {{CACHE_INV_L1V, 255, 0, 0, 4, 0},
                       {0, 0, 0, 0, 0, 0},
                       {CACHE_INV_TLB, 1, 0, 0, 0, 1},
                       {CACHE_INV_TLB, 255, 0, 0, 0, 1},
                       {CACHE_INV_TLB, 2, 0, 0, 0, 0},
                       {CACHE_INV_TLB, 1, va + 0x1000, 0x2000, 0, 0},
                       {CACHE_INV_TLB, 1, va - 0x1000, 0x2000, 0, 1},
                       {CACHE_INV_TLB | CACHE_INV_L1V, 255, 0, 0, 4, 1}};
    for (bool held : {false, true}) {
        for (unsigned i = 0; i < 1 + sizeof cases / sizeof *cases; i++) {
            b.waves.clear();
            b.mem.put(MemBase, assemble(text));
            b.golden_mem = b.mem;
            WaveSetup q;
            q.sgpr = {(uint32_t)va, 0};
            Wave *w = b.add(q);
            b.golden_run({w});
            if (i && cases[i - 1].flags) {
                if (held)
                    tell(b, CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
                const auto &c = cases[i - 1];
                if (ask(b, invalidation(b, c.flags, c.vmid, c.va, c.bytes), 12).status != CTL_OK)
                    fail("an invalidation is refused");
                if (held)
                    tell(b, CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
            }
            const uint64_t lines = b.asked_vector[MEM_READ], pages = b.asked_vector[MEM_XLAT];
            b.run({w});
            if (i && (b.asked_vector[MEM_READ] - lines != cases[i - 1].lines || b.asked_vector[MEM_XLAT] - pages != cases[i - 1].pages))
                fail("invalidation %u: %llu lines, %llu pages", i, (unsigned long long)(b.asked_vector[MEM_READ] - lines),
                     (unsigned long long)(b.asked_vector[MEM_XLAT] - pages));
        }
    }
    // while it is off it is refused
    tell(b, CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED);
    tell(b, 0, CTL_OK, CTL_STATE_OFF);
    if (ask(b, invalidation(b, CACHE_INV_L1V), 3).status != CTL_ERROR_OFF)
        fail("maintenance of a unit that is off is not refused");
    tell(b, CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
}

int main(int argc, char **argv)
{
    Bench b;
    for (unsigned i = 0; i < MemBytes; i += 4) {
        uint32_t x = b.rnd();
        memcpy(&b.mem.bytes[i], &x, 4);
    }
    run_every_cycle(b);
    case_done("held at each cycle of a program", "S1.19, S1.20");
    run_commands(b);
    case_done("starts and kills of a held unit", "S1.19, S1.20");
    run_invalidations(b);
    case_done("maintenance", "S1.17");
    const char *nightly = std::getenv("GANTRY_NIGHTLY");
    const unsigned rounds = argc > 1 ? std::atoi(argv[1]) : nightly && !strcmp(nightly, "1") ? 12 : 4;
    for (unsigned i = 0; i < rounds; i++) {
        b.latency = 8 + 200 * (i & 1);
        b.check_idle = i % 4 != 3;
        run_operations(b, 1 + b.rnd.below(20), i & 2 ? 400 : 60);
    }
    if (spared < 5)
        fail("too few pauses with something unfinished: %llu", (unsigned long long)spared);
    case_done("signals during random programs", "S1.18, S1.19, S1.20, S1.21, S1.25, S1.26, S1.28");
    std::printf("passed: %llu register writes compared\n", (unsigned long long)b.observed);
    return 0;
}
