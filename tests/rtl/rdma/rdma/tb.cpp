// SPDX-License-Identifier: Apache-2.0
// Bench of rtl/rdma/rdma.sv: random far traffic in both directions with slow links and slow slices, against a list of
// what each requester waits for. Every request must arrive once at its owner and every answer once at its requester, with
// all that it carried (byte mask, operands and kind of an atomic, status of a fault); answers of one link do not wait for those
// of another; an owner without a port is answered with a bus fault; credits are never overdrawn; idle means that nothing moves. Carries S1.3, S1.5.
// top: rdma
// opt: -O0
// args: -Irtl/common -GFarPorts=4 -GNumSlices=4 --x-initial unique
// mutant: -GSeedBug=1
// mutate: mem_rsp_room && !lost && !hold_all_i; => mem_rsp_room && !hold_all_i;
// mutate: (leave_room_i || out_port == '0) => leave_room_i
// mutate: (leave_room_i || out_port == '0) => 1'b1
// mutate: leave_valid_o = out_go && out_port != '0; => leave_valid_o = out_go;
// mutate: write: out_head.op > MEM_READ_NC}; => write: out_head.op == MEM_WRITE};
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include "tests/rtl/case_done.h"
#include "gantry_msg.h"

// Credits: HostDepth and GpuDepth of a far channel, NocIn of requests from the crossbar and its answers, NocOut of requests to it.
#ifdef PART // ../part_rdma: its top
#include "Vpart_rdma.h"
using Top = Vpart_rdma;
constexpr unsigned Ports = 5, Slices = 16, NocIn = 64, NocOut = 256;
#else
#include "Vrdma.h"
using Top = Vrdma;
constexpr unsigned Ports = 4, Slices = 4, NocIn = 16, NocOut = 16;
#endif
#ifdef DEEP // ../part_rdma_deep: queues and entries in RAMs
constexpr unsigned HostDepth = 96, GpuDepth = 192, Entries = 544;
#else
constexpr unsigned HostDepth = 16, GpuDepth = 16, Entries = 64;
#endif

namespace {
constexpr unsigned Own = 1; // own GPU 1 = owner 2: far ports 0, 1, 3 are used
std::mt19937_64 rng(12345);
uint64_t cycle = 0;

[[noreturn]] void fail(const char *what)
{
    printf("FAIL cycle %lu: %s\n", (unsigned long)cycle, what);
    exit(1);
}

template <class T, class P> T get(const P &port)
{
    T t;
    static_assert(sizeof(t) == sizeof(port));
    memcpy(&t, &port, sizeof t);
    return t;
}
template <class P, class T> void put(P &port, const T &t) { memcpy(&port, &t, sizeof t); }

// Every field holds something that it may hold (rtl/common/stream_rules_pkg.sv); the RDMA engine knows only the addresses.
void legal_atomic(msg_mem_req &m)
{
    m.size = rng() % 2 ? 4 : 8, m.atomic = rng() % 13;
    uint64_t bytes = m.size == 8 ? 0xff : 0xf, mask = 0;
    for (unsigned i = 0; i < 64; i += m.size)
        mask |= m.mask >> i & 1 ? bytes << i : 0;
    m.mask = m.atomic == ATOMIC_CMPSWAP || rng() % 2 ? 0 : mask;
    m.addr &= m.mask ? ~63ull : ~uint64_t(m.size - 1);
}

msg_mem_req random_request(uint32_t tag, uint64_t addr)
{
    msg_mem_req r;
    auto *bytes = reinterpret_cast<uint8_t *>(&r);
    for (size_t i = 0; i < sizeof r; i++)
        bytes[i] = static_cast<uint8_t>(rng());
    r.op = rng() % 4; // MEM_READ to MEM_ATOMIC
    r.source %= 255; // 255 is the page-move engine's: ../part_rdma_move
    r.tag = tag;
    r.addr = r.op == MEM_ATOMIC ? addr : addr & ~63ull;
    if (r.op == MEM_ATOMIC)
        legal_atomic(r);
    return r;
}

// What the owner of the memory answers: anything, for the requester that stands in the request.
msg_mem_rsp random_answer(const msg_mem_req &q)
{
    msg_mem_rsp a;
    auto *bytes = reinterpret_cast<uint8_t *>(&a);
    for (size_t i = 0; i < sizeof a; i++)
        bytes[i] = static_cast<uint8_t>(rng());
    a.op = q.op, a.status = rng() % 5, a.source = q.source, a.gpu = q.gpu, a.tag = q.tag;
    return a;
}

template <class T> bool same(const T &a, const T &b) { return !memcmp(&a, &b, sizeof a); }

bool chance(unsigned percent) { return rng() % 100 < percent; }

unsigned depth(unsigned port) { return port ? GpuDepth : HostDepth; }
unsigned far_port() { return (const unsigned[]){0, 1, 3}[rng() % 3]; }

#ifdef PART
void name_gpu(Top &top) { top.id_i = Own << 8 | 0x37, top.ctl_cmd_valid_i = top.move_evt_credit_i = 0; }

// The counters: outbound to the host, to GPUs, inbound reads, other inbound requests.
void check_counters(Top &top, const uint64_t (&expected)[4])
{
    top.perf_en_i = 1;
    for (unsigned n = 0; n < 4; n++) {
        top.perf_addr_i = n;
        top.clk_i = 0, top.eval(), top.clk_i = 1, top.eval();
        if (top.perf_data_o != expected[n])
            printf("counter %u is %lu, expected %lu\n", n, (unsigned long)top.perf_data_o, (unsigned long)expected[n]), fail("counter");
    }
}
#else
void name_gpu(Top &top) { top.own_gpu_i = Own, top.hold_take_i = top.hold_all_i = top.discard_i = top.move_read_valid_i = top.move_push_valid_i = 0; }
void check_counters(Top &, const uint64_t (&)[4]) {}
#endif

// The counters of far accesses hear of each request that leaves for another GPU, of no other, and hold none up for the host.
struct leave {
    bool valid = false, room = true;
    uint64_t access; // {address bits 55:12, store or atomic}
    unsigned seen = 0, past = 0; // past: to the host, without room
#ifdef PART
    void before(Top &) {}
    void after(const msg_mem_req *, bool) {}
    bool enough() { return true; }
#else
    void before(Top &top)
    {
        top.leave_room_i = room = cycle % 4000 < 1000 ? chance(10) : chance(95);
        top.eval();
        valid = top.leave_valid_o, access = top.leave_o;
    }
    void after(const msg_mem_req *left, bool host)
    {
        if (left && !host && !room)
            fail("a request left without room to count it");
        if ((left && !host) != valid || (valid && access != ((left->addr << 8 >> 20) << 1 | (left->op == MEM_WRITE || left->op == MEM_ATOMIC))))
            fail("what is counted is not what left");
        seen += valid, past += left && host && !room;
    }
    bool enough() { return seen > 3000 && past > 100; }
#endif
};
} // namespace

int main()
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    Top top;
    uint64_t counted[4] = {};
    leave leaves;
    std::map<uint32_t, msg_mem_req> local, remote[Ports]; // waiting for an answer, by tag
    std::map<uint32_t, msg_mem_req> entered;                   // of other GPUs, not yet at the slices, by user
    std::map<uint32_t, msg_mem_rsp> local_answers, remote_answers;
    std::map<uint32_t, uint32_t> names;                        // tag of a request at the slices: that of its requester
    std::deque<msg_mem_req> at_far[Ports], at_slice;       // requests that a server has not answered yet
    unsigned noc_in = NocIn, noc_rsp_owed = 0, noc_req_owed = 0;
    unsigned far_in[Ports], far_back[Ports], far_req_owed[Ports] = {}, far_rsp_owed[Ports] = {};
    uint32_t next_tag = 1, done_local = 0, done_remote = 0, refused = 0;
    for (unsigned p = 0; p < Ports; p++)
        far_in[p] = far_back[p] = depth(p);
    name_gpu(top);
    top.rst_ni = 0;
    const uint64_t traffic = 60000, end = traffic + 5000;
    unsigned most_in = 0, most_open = 0; // in the queue of a port, at the slices
    for (cycle = 0; cycle < end; cycle++) {
        unsigned load = cycle / 10000 % 3 == 0 ? 70 : cycle / 10000 % 3 == 1 ? 20 : 2; // busy, medium, mostly idle
        top.clk_i = 0;
        top.rst_ni = cycle >= 2;
        top.mem_req_valid_i = top.mem_rsp_valid_i = top.mem_rsp_credit_i = top.mem_req_credit_i = 0;
        top.far_req_valid_i = top.far_rsp_valid_i = top.far_req_credit_i = top.far_rsp_credit_i = 0;
        bool input = false;
        if (cycle > 3) {
            if (noc_in && cycle < traffic && chance(load)) { // a CU asks for far memory
                const bool nobody = chance(4);
                const uint64_t owner = nobody ? Ports + rng() % (256 - Ports) : far_port();
                msg_mem_req r = random_request(next_tag++, owner << 48 | (rng() & 0xffffffffffff));
                local[r.tag] = r;
                if (nobody) { // the engine answers itself
                    msg_mem_rsp a = {};
                    a.op = r.op, a.status = MEM_FAULT_BUS, a.source = r.source, a.gpu = Own, a.tag = r.tag;
                    local_answers[a.tag] = a;
                    refused++;
                }
                put(top.mem_req_i, r);
                top.mem_req_valid_i = 1;
                noc_in--;
                input = true;
            }
            for (unsigned p = 0; p < Ports; p++) {
                if (p == Own + 1)
                    continue;
                if (far_in[p] && p && cycle < traffic && chance(load / 2)) { // another GPU asks for our memory
                    msg_mem_req r = random_request(next_tag++, (uint64_t)(Own + 1) << 48 | (rng() & 0xffffffffffff));
                    r.gpu = p - 1;
                    r.user = r.tag; // by which the bench knows it at the slices
                    remote[p][r.tag] = entered[r.user] = r;
                    put(top.far_req_i[p], r);
                    top.far_req_valid_i |= 1 << p;
                    far_in[p]--;
                    input = true;
                }
                if (!at_far[p].empty() && far_back[p] && chance(30)) { // the owner answers, in any order
                    size_t k = rng() % at_far[p].size();
                    msg_mem_req q = at_far[p][k];
                    at_far[p].erase(at_far[p].begin() + k);
                    msg_mem_rsp a = random_answer(q);
                    local_answers[a.tag] = a;
                    put(top.far_rsp_i[p], a);
                    top.far_rsp_valid_i |= 1 << p;
                    far_back[p]--;
                    input = true;
                }
                if (far_req_owed[p] && chance(40))
                    far_req_owed[p]--, top.far_req_credit_i |= 1 << p, input = true;
                if (far_rsp_owed[p] && chance(40))
                    far_rsp_owed[p]--, top.far_rsp_credit_i |= 1 << p, input = true;
            }
            if (!at_slice.empty() && chance(50)) {
                size_t k = rng() % at_slice.size();
                msg_mem_req q = at_slice[k];
                at_slice.erase(at_slice.begin() + k);
                msg_mem_rsp a = random_answer(q);
                a.source = 99, a.gpu = 99; // the engine's port of the crossbar
                remote_answers[names[q.tag]] = a;
                put(top.mem_rsp_i, a);
                top.mem_rsp_valid_i = 1;
                input = true;
            }
            if (noc_rsp_owed && chance(60))
                noc_rsp_owed--, top.mem_rsp_credit_i = 1, input = true;
            if (noc_req_owed && chance(60))
                noc_req_owed--, top.mem_req_credit_i = 1, input = true;
        }
        leaves.before(top);
        top.eval();
        bool idle = top.idle_o && !input && cycle > 4;
        top.clk_i = 1;
        top.eval();
        if (cycle <= 3)
            continue;
        if (idle && (top.mem_req_valid_o | top.mem_rsp_valid_o | top.far_req_valid_o | top.far_rsp_valid_o | top.mem_req_credit_o |
                     top.far_req_credit_o | top.far_rsp_credit_o))
            fail("idle, but an output moved");
        noc_in += top.mem_req_credit_o;
        if (top.mem_rsp_valid_o) { // answer to a CU
            auto a = get<msg_mem_rsp>(top.mem_rsp_o);
            auto w = local.find(a.tag);
            if (w == local.end() || !local_answers.count(a.tag) || !same(a, local_answers[a.tag]))
                fail("wrong or unexpected answer to this GPU");
            local_answers.erase(a.tag);
            local.erase(w);
            done_local++;
            noc_rsp_owed++;
            if (noc_rsp_owed > NocIn)
                fail("crossbar answer credit overdrawn");
        }
        if (top.mem_req_valid_o) {
            auto q = get<msg_mem_req>(top.mem_req_o);
            msg_mem_req asked = q; // but for the slice and the engine's tag, as another GPU has sent it
            auto w = entered.find(q.user);
            if (q.target != (q.addr >> 8) % Slices)
                fail("wrong slice");
            if (w == entered.end() || q.tag >= Entries)
                fail("request of nobody");
            asked.target = w->second.target, asked.tag = w->second.tag;
            if (!same(asked, w->second))
                fail("request of another GPU changed on its way");
            names[q.tag] = w->second.tag;
            entered.erase(w);
            at_slice.push_back(q);
            most_open = std::max<unsigned>(most_open, at_slice.size());
            counted[q.op <= MEM_READ_NC ? 2 : 3]++;
            if (++noc_req_owed > NocOut)
                fail("crossbar request credit overdrawn");
        }
        msg_mem_req gone;
        for (unsigned p = 0; p < Ports; p++)
            if (top.far_req_valid_o >> p & 1)
                gone = get<msg_mem_req>(top.far_req_o[p]);
        leaves.after(top.far_req_valid_o ? &gone : nullptr, top.far_req_valid_o & 1);
        for (unsigned p = 0; p < Ports; p++) {
            if (top.far_req_valid_o >> p & 1) {
                auto q = get<msg_mem_req>(top.far_req_o[p]);
                msg_mem_req asked = local.count(q.tag) ? local[q.tag] : msg_mem_req{};
                asked.gpu = Own;
                if (q.addr >> 48 != p || !same(q, asked))
                    fail("request left on the wrong port or changed");
                at_far[p].push_back(q);
                counted[p ? 1 : 0]++;
                if (++far_req_owed[p] > depth(p))
                    fail("far request credit overdrawn");
            }
            if (top.far_rsp_valid_o >> p & 1) {
                auto a = get<msg_mem_rsp>(top.far_rsp_o[p]);
                auto w = remote[p].find(a.tag);
                if (w == remote[p].end() || !remote_answers.count(a.tag))
                    fail("unexpected answer to another GPU");
                msg_mem_rsp sent = remote_answers[a.tag];
                sent.source = w->second.source, sent.gpu = p - 1, sent.tag = a.tag;
                if (!same(a, sent))
                    fail("wrong answer to another GPU");
                remote_answers.erase(a.tag);
                remote[p].erase(w);
                done_remote++;
                if (++far_rsp_owed[p] > depth(p))
                    fail("far answer credit overdrawn");
            }
            far_in[p] += top.far_req_credit_o >> p & 1;
            far_back[p] += top.far_rsp_credit_o >> p & 1;
            most_in = std::max(most_in, depth(p) - far_in[p]);
        }
    }
    size_t left = local.size();
    for (auto &r : remote)
        left += r.size();
    if (left || !top.idle_o)
        fail("requests left without an answer");
    if (!leaves.enough() || done_local < 5000 || done_remote < 5000 || refused < 200)
        fail("too little traffic");
    if (most_in < GpuDepth || most_open < Entries)
        printf("%u in a queue, %u entries\n", most_in, most_open), fail("a queue or the entries were never full");
    case_done("traffic", "S1.3, S1.5");
    check_counters(top, counted);
    case_done("counters");
    printf("PASS %u outbound, %u inbound\n", done_local, done_remote);
    return 0;
}
