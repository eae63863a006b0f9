// SPDX-License-Identifier: Apache-2.0
// Two RDMA engines with their links: pages move both ways, up to four from each GPU, beside far traffic of both.  A page that is reported as stored must
// be in the other GPU's memory, whole, with its flags and equal checksums on both sides; other requests get their answers; a page goes on after a
// pause; where both wait, one message in `MoveShare` is a page's.  Carries S1.12, S1.13.
// top: part_rdma
// opt: -O0
// constants: shape_move
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: addr: r.addr, mask: r.mask, data: r.data, => addr: r.addr, mask: r.mask >> 1, data: r.data,
// mutate: access: tlb_pkg::ACCESS_PASS, => access: '0,
// mutate: (!out_can || 32'(push_turn_q) == MoveShare - 1); => !out_can;
// mutate: (!out_can || 32'(push_turn_q) == MoveShare - 1); => 1'b1;
// mutate: (!in_can || 32'(read_turn_q) == MoveShare - 1); => !in_can;
// mutate: .spend_i((out_go && out_port == port_t'(p)) || (push_go && push_port == port_t'(p))) => .spend_i(out_go && out_port == port_t'(p))
// mutate: .spend_i(moved_go || stored_go || count_go) => .spend_i(moved_go || count_go)
// mutate: assign move_stored_valid_o = done_go && done_move; => assign move_stored_valid_o = move_enter_valid_o;
// mutate: assign move_stored_fault_o = done_head.status != MEM_OK; => assign move_stored_fault_o = 1'b0;
// mutate: assign move_ack_fault_o = back_head[back_pick].status != MEM_OK; => assign move_ack_fault_o = 1'b0;
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "Vpart_rdma.h"
#include "tests/rtl/case_done.h"
#include "tests/rtl/rdma/move_bench.h"

namespace {
using line = std::array<uint64_t, 8>;
constexpr unsigned FarDepth = 16, NocIn = 64, NocOut = 256, Slices = 16, Share = 8, Frames = 96;

template <class T> struct delayed { // a link
    std::deque<std::pair<uint64_t, T>> queue;
    void send(const T &m, unsigned latency) { queue.push_back({cycle + latency, m}); }
    bool take(T &m)
    {
        if (queue.empty() || queue.front().first > cycle)
            return false;
        m = queue.front().second;
        queue.pop_front();
        return true;
    }
};

struct slice_request {
    msg_mem_req q;
    uint64_t ready;
};

struct gpu {
    Vpart_rdma top;
    unsigned number, far, port; // the other one; far port that leads there
    std::map<uint64_t, line> memory;
    std::vector<slice_request> slices;
    unsigned noc_out = NocOut, noc_in = NocIn, rsp_owed = 0;
    delayed<msg_mem_req> req;
    delayed<msg_mem_rsp> rsp;
    delayed<int> req_credit, rsp_credit; // back to this one
    std::map<uint32_t, msg_mem_req> asked; // far requests without an answer
    uint32_t next_tag = 1;
    bool in_use[Frames] = {}; // a frame of 64 KiB has a page, or one is to come
    unsigned leaving = 0, evt_owed = 0;
    uint16_t slots = 0;      // in use
    bool paused = false, quiet = false, draining = false;
    std::deque<msg_ctl_cmd> commands;
    bool command_open = false;
    uint64_t command_from = 0; // the next one comes in the cycle behind an answer
    unsigned pushes = 0, others = 0; // that left on the far link
} g[2];

struct page {
    unsigned from, source, target, slot, lines;
    uint16_t id, flags, given_id = 0; // given_id: of the command that gives its slot up
    bool moved = false, stored = false, faulty = false, given_up = false;
    uint64_t sum = 0;
    std::vector<line> data;
};
std::vector<page> pages; // under way
uint16_t next_id = 0;
unsigned done = 0, lines_done = 0, faults = 0, demand = 0, pauses = 0, latency = 20;
bool saturate = false;

uint64_t frame_addr(unsigned number, unsigned frame) { return (number + 1ull) << 48 | (uint64_t)frame << 16; }
bool bad(uint64_t addr) { return !(addr >> 40 & 1) && (addr >> 16 & 0xff) == Frames - 1 && (addr >> 6 & 0x3ff) == 17; } // a frame with a line that nobody can write or read

unsigned free_frame(gpu &u, bool other)
{
    for (unsigned n = 0; n < 8; n++) {
        const unsigned f = chance(3) ? Frames - 1 : rng() % Frames;
        if (!u.in_use[f])
            return f;
    }
    (void)other;
    return ~0u;
}

void begin_page(unsigned from)
{
    gpu &s = g[from], &t = g[1 - from];
    if (s.leaving == 8 || t.slots == 0xffff)
        return;
    const unsigned source = free_frame(s, false), target = free_frame(t, true);
    if (source == ~0u || target == ~0u)
        return;
    page p = {.from = from, .source = source, .target = target, .lines = rng() % 3 ? 64u : rng() % 4 ? 1u + (unsigned)(rng() % 64) : 1024u};
    while (t.slots >> p.slot & 1)
        p.slot++;
    p.id = next_id++, p.flags = rng() & 0xfff;
    s.in_use[source] = t.in_use[target] = true, s.leaving++, t.slots |= 1 << p.slot;
    for (unsigned n = 0; n < p.lines; n++) {
        line l;
        for (auto &w : l)
            w = rng();
        s.memory[frame_addr(from, source) + 64 * n] = l;
        t.memory.erase(frame_addr(1 - from, target) + 64 * n);
        p.data.push_back(l), p.sum += share(reinterpret_cast<uint64_t(&)[8]>(*l.data()), n);
        p.faulty |= bad(frame_addr(from, source) + 64 * n) || bad(frame_addr(1 - from, target) + 64 * n);
    }
    msg_ctl_move c = {};
    c.slot = p.slot, c.move = p.id, c.lines = p.lines, c.flags = p.flags;
    c.source = (uint64_t)source << 16, c.target = frame_addr(1 - from, target);
    msg_ctl_cmd store, move;
    c.op = CTL_MOVE, memcpy(&move, &c, sizeof c);
    c.op = CTL_STORE, c.flags = 0, c.source = c.target = 0, memcpy(&store, &c, sizeof c);
    s.commands.push_back(move), t.commands.push_back(store);
    pages.push_back(p);
}

void report(unsigned who, const msg_move_evt &e)
{
    for (size_t k = 0; k < pages.size(); k++) {
        page &p = pages[k];
        const bool moved = e.kind == CP_EVT_MOVED;
        if ((p.id != e.move && !(p.given_up && !moved && p.given_id == e.move)) || (moved ? p.from : 1 - p.from) != who)
            continue;
        if (!moved && p.given_up && e.move == p.id) // by itself, before the slot was given up
            return;
        if (e.slot != p.slot || (moved ? p.moved : p.stored))
            fail("a page is reported twice, or with another slot");
        if (!p.faulty && (e.status != MOVE_OK || e.checksum != p.sum || e.flags != p.flags || e.lines != p.lines))
            fail("wrong report of a page");
        const uint64_t lost = frame_addr(1 - p.from, p.target) + 64 * 17; // it cannot be written
        if (p.faulty && (moved || (bad(lost) && p.lines > 17 && !p.given_up)) && e.status != MOVE_FAULT)
            fail("a page with a line that cannot be moved is reported as moved");
        if (moved && p.faulty && !p.stored && !p.given_up) { // gives the slot up
            msg_ctl_move c = {};
            c.op = CTL_STORE, c.slot = p.slot, c.move = p.given_id = next_id++;
            msg_ctl_cmd cmd;
            memcpy(&cmd, &c, sizeof c);
            g[1 - who].commands.push_back(cmd);
            p.given_up = true;
        }
        if (!moved && !p.faulty)
            for (unsigned n = 0; n < p.lines; n++) {
                auto at = g[who].memory.find(frame_addr(who, p.target) + 64 * n);
                if (at == g[who].memory.end() || at->second != p.data[n])
                    fail("a page is reported as stored, but a line is not there");
            }
        (moved ? p.moved : p.stored) = true;
        if (moved)
            g[who].leaving--;
        if (p.moved && p.stored) {
            g[p.from].in_use[p.source] = g[1 - p.from].in_use[p.target] = false;
            g[1 - p.from].slots &= ~(1 << p.slot);
            done++, lines_done += p.lines, faults += p.faulty;
            pages.erase(pages.begin() + k);
        }
        return;
    }
    fail("report of no page");
}

// Inputs of this cycle.
void drive(gpu &u, bool more)
{
    auto &top = u.top;
    top.mem_req_valid_i = top.mem_rsp_valid_i = top.mem_rsp_credit_i = top.mem_req_credit_i = top.ctl_cmd_valid_i = top.move_evt_credit_i = 0;
    top.far_req_valid_i = top.far_rsp_valid_i = top.far_req_credit_i = top.far_rsp_credit_i = 0;
    const unsigned bit = 1 << u.port;
    if (u.noc_in && more && chance(saturate ? 100 : 20)) { // far traffic of its own, outside all pages
        msg_mem_req r = {};
        r.op = rng() % 2 ? MEM_READ : MEM_WRITE, r.tag = u.next_tag++, r.source = rng() % 40, r.mask = ~0ull;
        r.addr = (u.far + 1ull) << 48 | 1ull << 40 | (rng() & 0xffffff) << 6;
        u.asked[r.tag] = r;
        put(top.mem_req_i, r), top.mem_req_valid_i = 1, u.noc_in--;
    }
    for (size_t k = 0; k < u.slices.size(); k++) {
        auto [q, ready] = u.slices[k];
        if (ready > cycle || top.mem_rsp_valid_i)
            continue;
        msg_mem_rsp a = {};
        a.op = q.op, a.tag = q.tag, a.source = 7, a.gpu = 9, a.status = bad(q.addr) ? MEM_FAULT_BUS : MEM_OK;
        if (q.op == MEM_WRITE && !a.status) {
            auto *bytes = reinterpret_cast<uint8_t *>(u.memory[q.addr].data());
            for (unsigned b = 0; b < 64; b++)
                if (q.mask >> b & 1)
                    bytes[b] = reinterpret_cast<uint8_t *>(q.data)[b];
        } else if (u.memory.count(q.addr)) {
            memcpy(a.data, u.memory[q.addr].data(), 64);
        }
        put(top.mem_rsp_i, a), top.mem_rsp_valid_i = 1;
        u.slices.erase(u.slices.begin() + k);
    }
    if (u.noc_out < NocOut && chance(90)) // the crossbar takes one
        u.noc_out++, top.mem_req_credit_i = 1;
    if (u.rsp_owed && chance(90))
        u.rsp_owed--, top.mem_rsp_credit_i = 1;
    if (u.evt_owed && chance(20))
        u.evt_owed--, top.move_evt_credit_i = 1;
    msg_mem_req q;
    msg_mem_rsp a;
    int one;
    if (u.req.take(q))
        put(top.far_req_i[u.port], q), top.far_req_valid_i = bit;
    if (u.rsp.take(a))
        put(top.far_rsp_i[u.port], a), top.far_rsp_valid_i = bit;
    if (u.req_credit.take(one))
        top.far_req_credit_i = bit;
    if (u.rsp_credit.take(one))
        top.far_rsp_credit_i = bit;
    if (!u.command_open && cycle >= u.command_from && (!u.commands.empty() || (u.paused ? chance(2) : more && chance(1) && chance(5) && !saturate))) {
        msg_ctl_cmd c = {};
        if (!u.commands.empty() && chance(30)) {
            c = u.commands.front(), u.commands.pop_front();
        } else if (u.paused) {
            c.op = CTL_SIGNAL, c.signals = CTL_CONTINUE, u.paused = u.quiet = false;
        } else if (more && !saturate) {
            c.op = CTL_SIGNAL, c.signals = rng() % 2 || u.number ? CTL_PAUSE : CTL_DRAIN, u.paused = true, pauses++;
            u.draining = c.signals == CTL_DRAIN; // not both: two that drain wait for each other
        } else {
            return;
        }
        c.id = 1;
        put(top.ctl_cmd_i, c), top.ctl_cmd_valid_i = 1, u.command_open = true;
    }
}

// Outputs of it.
void look(gpu &u, gpu &other)
{
    auto &top = u.top;
    const unsigned bit = 1 << u.port;
    u.noc_in += top.mem_req_credit_o;
    if (u.quiet && (top.far_req_valid_o || top.far_rsp_valid_o || top.mem_req_valid_o || top.mem_rsp_valid_o || top.move_evt_valid_o))
        fail("something is sent by an engine that is paused");
    if (top.ctl_evt_valid_o) {
        auto e = get<msg_ctl_evt>(top.ctl_evt_o);
        if (e.status != CTL_OK || !u.command_open)
            printf("op %u status %u state %u\n", e.op, e.status, e.state), fail("a command was refused");
        u.command_open = false, u.command_from = cycle + 2;
        u.quiet = u.paused && e.op == CTL_SIGNAL && e.state == CTL_STATE_PAUSED;
        for (auto &s : u.slices)
            if (u.quiet && u.draining && s.q.tag >> 31)
                fail("an engine that has drained waits for a line of a page");
    }
    if (top.mem_req_valid_o) {
        auto q = get<msg_mem_req>(top.mem_req_o);
        if (q.target != (q.addr >> 8) % Slices || q.addr >> 48 != u.number + 1 || q.op == MEM_MOVE || u.noc_out-- == 0)
            fail("wrong request to a slice");
        if (q.access != (q.op == MEM_WRITE && !(q.addr >> 40 & 1) ? 16 : 0)) // lines of pages, and only they, are not to stay in the L2
            fail("access of a request to a slice");
        u.slices.push_back({q, cycle + 5 + rng() % (saturate ? 5 : 60)});
    }
    if (top.mem_rsp_valid_o) {
        auto a = get<msg_mem_rsp>(top.mem_rsp_o);
        if (!u.asked.count(a.tag) || u.asked[a.tag].source != a.source || a.op != u.asked[a.tag].op || a.status)
            fail("wrong answer to this GPU");
        u.asked.erase(a.tag), u.rsp_owed++, demand++;
    }
    if (top.far_req_valid_o & ~bit || top.far_rsp_valid_o & ~bit)
        fail("sent to nobody");
    if (top.far_req_valid_o) {
        auto q = get<msg_mem_req>(top.far_req_o[u.port]);
        (q.op == MEM_MOVE ? u.pushes : u.others)++;
        other.req.send(q, latency);
    }
    if (top.far_rsp_valid_o)
        other.rsp.send(get<msg_mem_rsp>(top.far_rsp_o[u.port]), latency);
    if (top.far_req_credit_o)
        other.req_credit.send(1, latency);
    if (top.far_rsp_credit_o)
        other.rsp_credit.send(1, latency);
    if (top.move_evt_valid_o) {
        if (++u.evt_owed > 4)
            fail("report without credit");
        report(u.number, get<msg_move_evt>(top.move_evt_o));
    }
}

void run(uint64_t cycles, bool more, unsigned begin_percent)
{
    for (const uint64_t end = cycle + cycles; cycle < end; cycle++) {
        if (more && chance(begin_percent))
            begin_page(rng() % 2);
        for (auto &u : g) {
            u.top.clk_i = 0, u.top.cycle_i = cycle, u.top.rst_ni = cycle >= 2;
            if (cycle > 3)
                drive(u, more);
            u.top.eval();
            u.top.clk_i = 1;
            u.top.eval();
        }
        for (auto &u : g)
            if (cycle > 3)
                look(u, g[u.far]);
    }
}

void all_ended()
{
    run(20000, false, 0);
    for (auto &u : g)
        if (!u.asked.empty() || !u.slices.empty() || (!u.paused && !u.top.idle_o)) {
            printf("%u: %zu asked, %zu at slices, idle %u, %zu pages, %u leaving\n", u.number, u.asked.size(), u.slices.size(), u.top.idle_o, pages.size(), u.leaving);
            fail("a request was not answered, or the engine does not rest");
        }
    if (!pages.empty())
        fail("a page did not arrive");
}
} // namespace

int main()
{
    for (unsigned n = 0; n < 2; n++) {
        auto &u = g[n];
        u.number = n, u.far = 1 - n, u.port = u.far + 1;
        u.top.id_i = n << 8, u.top.perf_en_i = 0;
        u.top.mem_req_valid_i = u.top.mem_rsp_valid_i = u.top.mem_rsp_credit_i = u.top.mem_req_credit_i = u.top.ctl_cmd_valid_i = 0;
        u.top.far_req_valid_i = u.top.far_rsp_valid_i = u.top.far_req_credit_i = u.top.far_rsp_credit_i = u.top.move_evt_credit_i = 0;
    }
    run(250000, true, 3);
    all_ended();
    if (done < 300 || lines_done < 40000 || faults < 5 || pauses < 40 || demand < 5000)
        printf("%u pages, %u lines, %u faults, %u pauses, %u others\n", done, lines_done, faults, pauses, demand), fail("too little traffic");
    case_done("pages between two GPUs", "S1.12, S1.13");

    saturate = true, latency = 2; // both wait all the time: credits are back at once
    run(2000, true, 20);
    g[0].pushes = g[0].others = 0;
    run(8000, true, 20);
    const double part = 1.0 * g[0].pushes / (g[0].pushes + g[0].others);
    if (part < 0.9 / Share || part > 1.1 / Share)
        printf("%.3f of the messages are lines of pages\n", part), fail("share");
    case_done("one message in so many is a page's");
    all_ended();
    printf("PASS %u pages, %u lines, %u other requests\n", done, lines_done, demand);
    return 0;
}
