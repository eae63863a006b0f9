// SPDX-License-Identifier: Apache-2.0
// CUs, agents and a host around part_dispatch: CUs own every resource they were named, agents answer in any order; what the host must
// be told of each launch and command; random traffic.  DISPATCHERS and PATIENCE are those of the configuration.  Of benches of part_dispatch.
#ifndef BENCH_H
#define BENCH_H
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "tests/rtl/case_done.h"
#include "Vpart_dispatch.h"
#include "fields.h"

static const unsigned Cus = 64, Simds = 4, Slots = 10, ScratchPerCu = 32, Vgprs = 256, Sgprs = 800, Lds = 65536, Credits = 8, Places = 64, Sqcs = Cus / 4, Slices = 16;
#ifndef DISPATCHERS // part_dispatch_few has others
#define DISPATCHERS 8
#define PATIENCE 10000
#endif
static const unsigned Dispatchers = DISPATCHERS, Patience = PATIENCE;
static Vpart_dispatch *dut;
static uint64_t cycle, seed = 88172645463325252ull;
static unsigned idle_errors;

static uint64_t rng()
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}
static unsigned pick(unsigned n) { return static_cast<unsigned>(rng() % n); }

#define FAIL(...) (std::printf("cycle %llu: ", (unsigned long long)cycle), std::printf(__VA_ARGS__), std::puts(""), std::exit(1))

struct Wave {
    msg_cu_cmd cmd;
    uint64_t end;
    bool live;
};
struct Cu {
    Wave wave[64] = {};
    std::deque<std::pair<uint64_t, msg_cu_evt>> out;
    unsigned credits = Credits;
    std::map<unsigned, unsigned> group_left;
};
struct Launch {
    msg_cp_cmd cmd;
    uint64_t next_wave = 0, next_group = 0, running = 0, started = 0, instructions = 0;
    bool killed = false, alone = false, held = false;
    uint64_t first_start = 0, last_start = 0;
    unsigned dispatcher = 0;
};
static Cu cus[Cus];
static std::map<unsigned, Launch> launches;   // by id
static std::map<unsigned, unsigned> by_slot;  // dispatcher's launch slot -> id
static std::map<unsigned, msg_cp_cmd> maintenance;
static std::deque<msg_cp_cmd> to_send;
typedef unsigned __int128 Ports; // of agents
static Ports maint_seen; // that had maintenance
static std::vector<uint16_t> refused; // components that have refused the maintenance under way
constexpr Ports run_of(unsigned first, unsigned count) { return (((Ports)1 << count) - 1) << first; }
constexpr Ports TlbPort = 1, RdmaPort = 2, SqcPorts = run_of(3, Sqcs), SlicePorts = run_of(3 + Sqcs, Slices), CuPorts = run_of(3 + Sqcs + Slices, Cus);
struct Agent { // of a component: answers in any order of commands
    uint64_t at;
    unsigned port;
    msg_ctl_evt evt;
};
static std::vector<Agent> agent_answers;
static std::map<unsigned, msg_cp_cmd> controls; // by id
static std::map<unsigned, msg_cp_evt> outcome; // by id: what the host is to be told so far
static std::map<unsigned, Ports> asked_ports; // by id: agents that were asked
static unsigned controls_told, controls_asked;
static std::map<unsigned, uint64_t> killed_in; // by VMID: CUs that have its kill, while that is under way
static unsigned kill_waits; // VMID whose kill no CU acknowledges; 0: none
static std::vector<std::pair<unsigned, msg_cu_evt>> kill_acks; // that are kept back
static bool agents_wait; // they do not answer signals
static unsigned slowest = 50; // cycles until an agent answers maintenance
static bool plain_ends;  // wavefronts tell of nothing but their ends
static std::map<unsigned, unsigned> agent_id; // of an agent's message: id of the host's command
static std::vector<msg_cp_cmd> roots; // page-table roots that are to be set
static std::vector<msg_cp_cmd> roots_refused; // that the host has to be told of
static unsigned roots_told;
static std::deque<std::pair<msg_cp_cmd, Ports>> fetches; // lines of instructions that are to be there, and which caches have heard of it
static uint64_t last_end; // of the launch that ended last
static unsigned places = Places; // credits of the host
static unsigned run_cycles = 40, hold = 0, halts_sent, halts_told, faults_sent, faults_told;
static std::vector<unsigned> told_cus; // whose events the host has heard of, in their order
static std::deque<msg_cp_evt> told; // events that the host has not heard of; those of killed launches it does not
static std::map<unsigned, std::pair<uint64_t, uint64_t>> handler[64]; // of a CU by VMID: TBA, TMA
static void (*watch)(); // sees what came and went at each edge, before anybody acts on it

#include "lists.h"
#include "withheld.h"
#include "moves.h"
#include "held.h"

static void group_shape(const msg_cp_cmd &c, uint64_t group, unsigned id[3], unsigned size[3])
{
    id[0] = group % c.groups[0], id[1] = group / c.groups[0] % c.groups[1], id[2] = group / c.groups[0] / c.groups[1];
    for (int d = 0; d < 3; d++) {
        uint32_t rest = c.grid[d] - id[d] * c.group[d];
        size[d] = rest < c.group[d] ? rest : c.group[d];
    }
}

static void check_resources(unsigned cu, const msg_cu_cmd &m)
{
    unsigned simd = m.wave >> 4, slot = m.wave & 15;
    if (simd >= Simds || slot >= Slots || cus[cu].wave[m.wave].live)
        FAIL("cu %u: wave slot %u.%u is taken or does not exist", cu, simd, slot);
    if (m.vgpr_base + m.vgprs > Vgprs || m.sgpr_base + m.sgprs > Sgprs || m.lds_base + m.lds_bytes > Lds)
        FAIL("cu %u: resources beyond the CU", cu);
    for (unsigned w = 0; w < 64; w++) {
        const Wave &o = cus[cu].wave[w];
        if (!o.live)
            continue;
        auto apart = [](unsigned a, unsigned an, unsigned b, unsigned bn) { return a + an <= b || b + bn <= a; };
        if (w >> 4 == simd && !apart(m.vgpr_base, m.vgprs, o.cmd.vgpr_base, o.cmd.vgprs))
            FAIL("cu %u simd %u: VGPRs %u+%u overlap %u+%u", cu, simd, m.vgpr_base, m.vgprs, o.cmd.vgpr_base, o.cmd.vgprs);
        if (w >> 4 == simd && !apart(m.sgpr_base, m.sgprs, o.cmd.sgpr_base, o.cmd.sgprs))
            FAIL("cu %u simd %u: SGPRs overlap", cu, simd);
        bool same = o.cmd.launch == m.launch && m.group_waves > 1 && o.cmd.group_waves > 1 && o.cmd.group == m.group;
        if (!same && m.lds_bytes && o.cmd.lds_bytes && !apart(m.lds_base, m.lds_bytes, o.cmd.lds_base, o.cmd.lds_bytes))
            FAIL("cu %u: LDS overlaps", cu);
        if (!same && m.group_waves > 1 && o.cmd.group_waves > 1 && o.cmd.group == m.group)
            FAIL("cu %u: barrier slot %u is used by two groups", cu, m.group);
    }
}

static unsigned launch_of(const msg_cu_cmd &m)
{
    for (auto &l : launches)
        if (l.second.cmd.pc == m.pc)
            return l.first;
    FAIL("wave of no launch");
}

static void wave_started(unsigned cu, const msg_cu_cmd &m)
{
    unsigned id = launch_of(m);
    Launch &l = launches[id];
    const msg_cp_cmd &c = l.cmd;
    unsigned gid[3], size[3];
    if (l.next_wave == 0 && l.next_group >= uint64_t(c.groups[0]) * c.groups[1] * c.groups[2])
        FAIL("launch %u: more groups than the grid has", id);
    group_shape(c, l.next_group, gid, size);
    unsigned items = size[0] * size[1] * size[2], waves = (items + 63) / 64, left = items - 64 * l.next_wave;
    uint64_t exec = left >= 64 ? ~0ull : (1ull << left) - 1;
    if (m.wave_in_group != l.next_wave || m.group_waves != waves || m.exec != exec)
        FAIL("launch %u group %llu: wave %u of %u exec %llx, expected %llu of %u %llx", id, (unsigned long long)l.next_group, m.wave_in_group,
             m.group_waves, (unsigned long long)m.exec, (unsigned long long)l.next_wave, waves, (unsigned long long)exec);
    for (int d = 0; d < 3; d++)
        if (m.group_size[d] != size[d])
            FAIL("launch %u: size %d is %u, expected %u", id, d, m.group_size[d], size[d]);
    if (m.recip_x != ((1u << 20) + size[0] - 1) / size[0] || m.recip_y != ((1u << 20) + size[1] - 1) / size[1])
        FAIL("launch %u: reciprocals %u %u for %u %u", id, m.recip_x, m.recip_y, size[0], size[1]);
    if (!same(m, wave_fields(c, m)) || !(c.cu_mask >> cu & 1))
        FAIL("launch %u: fields or CU mask", id);
    unsigned n = c.user_sgprs, number = cu * ScratchPerCu + (m.wave & 15) * Simds + (m.wave >> 4);
    uint32_t sys[5] = {gid[0], gid[1], gid[2], (l.next_wave == 0 ? 1u << 31 : 0) | waves, number * c.scratch_wave_bytes};
    if (c.scratch_wave_bytes && (number >= c.scratch_waves || (m.wave & 15) * Simds + (m.wave >> 4) >= ScratchPerCu))
        FAIL("launch %u: wavefront %u has no room in a scratch memory of %u", id, number, c.scratch_waves);
    for (unsigned i = 0; i < n; i++)
        if (m.sgpr[i] != c.user_sgpr[i])
            FAIL("launch %u: user SGPR %u", id, i);
    for (unsigned b = 0; b < 5; b++)
        if (c.sys_sgprs >> b & 1 && m.sgpr[n++] != sys[b])
            FAIL("launch %u: system SGPR %u is %x, expected %x", id, b, m.sgpr[n - 1], sys[b]);
    if (m.init_sgprs != n)
        FAIL("launch %u: %u SGPRs, expected %u", id, m.init_sgprs, n);
    if (held_now)
        FAIL("launch %u: a wavefront comes though the dispatchers are held", id);
    if (killed_in.count(m.vmid) && killed_in[m.vmid] >> cu & 1)
        FAIL("launch %u: a wavefront comes into cu %u behind the kill", id, cu);
    check_resources(cu, m);
    if (l.next_wave == 0 && l.next_group == 0)
        l.first_start = cycle, l.alone = launches.size() == 1 && maintenance.empty();
    if (l.next_wave == 0)
        l.last_start = cycle;
    if (++l.next_wave == waves)
        l.next_wave = 0, l.next_group++;
    l.running++, l.started++;
    by_slot[m.launch] = id;
    l.dispatcher = m.launch;
    cus[cu].wave[m.wave] = {m, cycle + 8 + run_cycles / 2 + pick(run_cycles + 1), true};
}

static msg_cu_evt evt_of(unsigned kind, const msg_cu_cmd &m)
{
    msg_cu_evt e = {};
    e.kind = kind, e.wave = m.wave, e.launch = m.launch, e.vmid = m.vmid, e.group = m.group;
    return e;
}

static void cu_command(unsigned cu, const msg_cu_cmd &m)
{
    msg_cu_evt ack = evt_of(CU_EVT_ACK, m);
    if (m.kind == CU_WAVE)
        return wave_started(cu, m);
    if (m.kind == CU_KILL) {
        if (kill_steps[m.vmid]++ == 0)
            FAIL("kill in cu %u before translations are denied", cu);
        killed_in[m.vmid] |= 1ull << cu;
        for (Wave &w : cus[cu].wave) {
            if (!w.live || w.cmd.vmid != m.vmid)
                continue;
            Launch &l = launches[by_slot[w.cmd.launch]];
            if (!l.killed)
                FAIL("kill of a launch that lives");
            l.running--;
            w.live = false;
            if (pick(2)) // either is allowed
                cus[cu].out.push_back({cycle + 10 + pick(20), evt_of(CU_EVT_WAVE_DONE, w.cmd)});
        }
    }
    msg_cu_cmd plain = {};
    plain.kind = m.kind, plain.vmid = m.vmid, plain.pc = m.pc, plain.exec = m.exec;
    if (!same(plain, m))
        FAIL("cu %u: command %u, fields", cu, m.kind);
    if (m.kind == CU_TRAP)
        handler[cu][m.vmid] = {m.pc, m.exec};
    if (m.kind == CU_KILL && m.vmid == kill_waits) // an access of it does not end
        return kill_acks.push_back({cu, ack});
    cus[cu].out.push_back({cycle + 32 + pick(20), ack});
}

// An event with something in every field; the host must hear exactly that.
static void tell_host(unsigned cu, unsigned kind, const msg_cu_cmd &m)
{
    msg_cu_evt e = evt_of(kind, m);
    e.status = static_cast<uint8_t>(1 + pick(8)), e.data = static_cast<uint32_t>(rng()), e.va = rng(), e.pc = rng();
    cus[cu].out.push_back({cycle, e});
    told.push_back(host_fields(e, cu, by_slot[m.launch]));
}

static void heard(const msg_cp_evt &e)
{
    for (auto it = told.begin(); it != told.end(); ++it)
        if (same(*it, e)) {
            told.erase(it);
            told_cus.push_back(e.cu);
            return;
        }
    FAIL("event %u of cu %u, wave %u: no CU has sent that", e.kind, e.cu, e.wave);
}

static void cu_step(unsigned cu)
{
    Cu &c = cus[cu];
    for (Wave &w : c.wave) {
        if (!w.live || w.end > cycle || hold)
            continue;
        w.live = false;
        Launch &l = launches[by_slot[w.cmd.launch]];
        msg_cu_evt e = evt_of(CU_EVT_WAVE_DONE, w.cmd);
        e.instructions = 1 + pick(1000);
        l.instructions += e.instructions;
        l.running--;
        if (!plain_ends && pick(40) == 0) {
            tell_host(cu, CU_EVT_INTERRUPT, w.cmd);
        }
        if (!plain_ends && pick(40) == 0) // it would not end; what matters is that the host is told
            tell_host(cu, CU_EVT_HALT, w.cmd), halts_sent++;
        if (!plain_ends && pick(40) == 0)
            tell_host(cu, CU_EVT_FAULT, w.cmd), faults_sent++;
        c.out.push_back({cycle, e});
    }
}

// Groups of components with an agent, in the order of the hub's ports.
struct Group {
    uint8_t group;
    unsigned first, count;
};
static const Group agents[] = {{CTL_GROUP_UTCL2, 0, 1}, {CTL_GROUP_RDMA, 1, 1}, {CTL_GROUP_NOC, 2, 1}, {CTL_GROUP_SQC, 3, Sqcs}, {CTL_GROUP_L2, 3 + Sqcs, Slices}, {CTL_GROUP_CU, 3 + Sqcs + Slices, Cus}, {CTL_GROUP_DISPATCH, OwnPort, 1}};
constexpr unsigned Agents = 3 + Sqcs + Slices + Cus; // of other partitions

// Ports of agents that flags of a CP_CONTROL name; groups without an agent have none.
static Ports ports_of(uint32_t flags)
{
    const unsigned number = flags >> 16;
    Ports ports = 0;
    for (const Group &g : agents)
        for (unsigned n = 0; n < g.count; n++)
            if (flags >> 8 & g.group && (number == n || number == 0xffff))
                ports |= (Ports)1 << (g.first + n);
    return ports;
}
static bool nobody(uint32_t flags) // a group that is named has no such component
{
    unsigned left = flags >> 8 & 0xff;
    bool none = left == 0;
    for (const Group &g : agents) {
        none |= left & g.group && flags >> 16 != 0xffff && flags >> 16 >= g.count;
        left &= ~(unsigned)g.group;
    }
    return none || left;
}
static uint16_t agent_name(unsigned port)
{
    for (const Group &g : agents)
        if (port < g.first + g.count)
            return (uint16_t)(g.group << 8 | (port - g.first));
    return 0;
}

static void host_event(const msg_cp_evt &e)
{
    if (e.kind == CP_EVT_XLAT)
        return report_told(e);
    if (is_move(e))
        return move_heard(e);
    if (e.kind == CP_EVT_CONTROL_DONE) {
        auto it = controls.find(e.id);
        if (it == controls.end() || asked_ports[e.id] != ports_of(it->second.flags))
            FAIL("end of control command %u: agents %llx were asked", e.id, (unsigned long long)asked_ports[e.id]);
        for (auto &a : agent_answers)
            if (a.evt.op == CTL_SIGNAL && agent_id[a.evt.id] == e.id)
                FAIL("control command %u ended before its answers", e.id);
        if (!same(outcome[e.id], e))
            FAIL("control command %u: status %u, place %x, state %u", e.id, e.status, e.cu, e.wave);
        controls_told++;
        own_told(e);
        asked_ports.erase(e.id), outcome.erase(e.id), controls.erase(it);
        return;
    }
    if (e.kind == CP_EVT_LAUNCH_DONE) {
        auto it = launches.find(e.id);
        if (it == launches.end())
            FAIL("end of unknown launch %u", e.id);
        Launch &l = it->second;
        if (l.running || l.next_wave || l.next_group != uint64_t(l.cmd.groups[0]) * l.cmd.groups[1] * l.cmd.groups[2])
            FAIL("launch %u ended early", e.id);
        msg_cp_evt plain = e;
        plain.status = 0, plain.cu = (uint16_t)l.dispatcher, plain.wave = 0, plain.va = plain.pc = 0;
        if (!same(plain, e) || e.vmid != l.cmd.vmid)
            FAIL("launch %u: fields of its end", e.id);
        // placed one cycle before it is sent, or earlier when messages for that CU went first: of each other dispatcher, and anew when its turn
        // was the hub's
        if (e.start > l.first_start - 1 || (!l.held && e.start + 1 + (l.alone ? 0 : 2 * Dispatchers) < l.first_start) || e.end <= l.last_start || e.end > cycle)
            FAIL("launch %u ran from %llu to %llu, expected from %llu", e.id, (unsigned long long)e.start, (unsigned long long)e.end,
                 (unsigned long long)l.first_start);
        if (e.data != l.started || e.instructions != l.instructions || e.start > e.end || e.end > cycle)
            FAIL("launch %u: %llu waves %llu instructions, expected %llu %llu", e.id, (unsigned long long)e.data,
                 (unsigned long long)e.instructions, (unsigned long long)l.started, (unsigned long long)l.instructions);
        last_end = e.end;
        launches.erase(it);
    } else if (e.kind == CP_EVT_INTERRUPT) {
        if (!launches.count(e.id))
            FAIL("interrupt of no launch");
        heard(e);
    } else if (e.kind == CP_EVT_FAULT) {
        heard(e);
        faults_told++;
    } else if (e.kind == CP_EVT_HALT) {
        if (!launches.count(e.id))
            FAIL("halt of no launch");
        heard(e);
        halts_told++;
    } else if (e.kind == CP_EVT_ROOT_REFUSED) {
        msg_cp_evt want = {};
        want.kind = e.kind, want.status = CTL_ERROR_OFF, want.cu = agent_name(0), want.wave = CTL_STATE_OFF;
        if (roots_refused.size() == 1)
            want.id = roots_refused[0].id, want.vmid = roots_refused[0].vmid;
        if (roots_refused.size() != 1 || !same(want, e))
            FAIL("root of vmid %u: %zu were refused", e.vmid, roots_refused.size());
        roots_refused.clear();
        roots_told++;
    } else {
        auto it = maintenance.find(e.id);
        if (it == maintenance.end() || (e.kind == CP_EVT_KILL_DONE) != (it->second.kind == CP_KILL) ||
            (e.kind == CP_EVT_TRAP_DONE) != (it->second.kind == CP_TRAP) || (e.kind == CP_EVT_XLAT_DONE) != (it->second.kind == CP_XLAT))
            FAIL("answer %u to no command", e.kind);
        msg_cp_evt plain = {};
        plain.kind = e.kind, plain.id = e.id, plain.vmid = e.vmid;
        std::vector<uint16_t> &by = e.kind == CP_EVT_KILL_DONE ? kill_refused[e.vmid] : refused;
        if (e.kind != CP_EVT_TRAP_DONE && !by.empty()) { // the first that came is told
            if (std::find(by.begin(), by.end(), e.cu) == by.end())
                FAIL("maintenance: refused by %x", e.cu);
            plain.status = CTL_ERROR_OFF, plain.cu = e.cu, plain.wave = CTL_STATE_OFF;
            by.clear();
        }
        if (!same(plain, e))
            FAIL("answer %u: other fields", e.kind);
        if (e.vmid != it->second.vmid)
            FAIL("answer %u of vmid %u to a command for vmid %u", e.kind, e.vmid, it->second.vmid);
        if (e.kind == CP_EVT_KILL_DONE) {
            if (kill_steps[e.vmid] != 1 + Cus + 100)
                FAIL("kill of vmid %u ends at step %u", e.vmid, kill_steps[e.vmid]);
            kill_steps.erase(e.vmid);
            killed_in.erase(e.vmid);
            for (auto l = launches.begin(); l != launches.end();)
                l = l->second.killed && l->second.cmd.vmid == e.vmid ? launches.erase(l) : std::next(l);
        }
        if (e.kind == CP_EVT_TRAP_DONE)
            for (unsigned cu = 0; cu < Cus; cu++)
                if (handler[cu][e.vmid] != std::make_pair(it->second.root, it->second.pc))
                    FAIL("cu %u has another trap handler of vmid %u", cu, e.vmid);
        ranges_told(it->second, e.id);
        maintenance.erase(it);
    }
}

// The oldest CP_FETCH, once to each cache, when that has no other maintenance under way.
static bool fetch_asked(const msg_ctl_cmd &m, unsigned p)
{
    for (auto &a : agent_answers)
        if (a.port == p && a.evt.op != CTL_SIGNAL)
            return false;
    if (fetches.empty() || fetches.front().second >> p & 1)
        return false;
    const msg_cp_cmd c = fetches.front().first;
    fetches.front().second |= (Ports)1 << p;
    if (fetches.front().second == SqcPorts)
        fetches.pop_front();
    return m.vmid == c.vmid && m.root == c.pc && m.bytes == 0 && m.flags == 0;
}

// Messages to agents: maintenance as some command of the host has it, signals as some control command has them.
static void ctl_commands()
{
    Ports valid = 0;
    memcpy(&valid, &dut->ctl_cmd_valid_o, sizeof dut->ctl_cmd_valid_o);
    for (unsigned p = 0; p < Agents; p++) {
        if (!(valid >> p & 1))
            continue;
        msg_ctl_cmd m;
        memcpy(&m, &dut->ctl_cmd_o[p], sizeof m);
        msg_ctl_evt e = {m.op, CTL_OK, CTL_STATE_RUN, 0, m.id, 0};
        bool asked = false;
        if (m.op == CTL_SIGNAL) {
            for (auto &c : controls)
                if (!(asked_ports[c.first] >> p & 1) && (c.second.flags & 63) == m.signals && ports_of(c.second.flags) >> p & 1) {
                    asked = true, asked_ports[c.first] |= (Ports)1 << p;
                    e.status = (uint8_t)(pick(3) ? CTL_OK : 1 + pick(6)), e.state = (uint8_t)pick(6);
                    agent_id[m.id] = c.first;
                    break;
                }
            asked = asked && m.id < Agents + 2 && !m.vmid && !m.flags && !m.root && !m.bytes;
        } else {
            for (auto &c : maintenance)
                asked = asked || (m.op == CTL_INV && c.second.kind == CP_CACHE && range_asked(c.second, c.first, p, m));
            msg_cp_cmd root = {};
            if (m.op == CTL_ROOT && !roots.empty()) { // in order
                root = roots.front();
                roots.erase(roots.begin());
                asked = root.vmid == m.vmid && root.root == m.root && root.flags == m.flags && m.bytes == 0;
            }
            msg_cp_move page = {};
            if (m.op == CTL_MOVE || m.op == CTL_STORE || m.op == CTL_COUNTS) {
                if (!move_asked(m, page) || p != 1)
                    FAIL("page %u: fields, or for agent %u", page.id, p);
                if (pick(4) == 0)
                    e.status = CTL_ERROR_OFF, e.state = CTL_STATE_OFF, moves_refused.push_back(page);
                maint_seen |= (Ports)1 << p;
                agent_answers.push_back({cycle + 1 + pick(50), p, e});
                continue;
            }
            bool of_kill = false;
            asked = asked || (m.op == CTL_XLAT && xlat_asked(m, p, of_kill)) || (m.op == CTL_FETCH && fetch_asked(m, p));
            asked = asked && (m.op == CTL_FETCH ? SqcPorts >> p & 1 : m.op != CTL_INV ? p == 0 : p != 1 && p != 2) && m.id == 0xffff && !m.signals;
            maint_seen |= (Ports)1 << p;
            if (m.op != CTL_FETCH && pick(m.op == CTL_ROOT ? 4 : 60) == 0) {
                e.status = CTL_ERROR_OFF, e.state = CTL_STATE_OFF;
                if (of_kill)
                    kill_refused[m.vmid].push_back(agent_name(p));
                else if (m.op != CTL_ROOT)
                    refused.push_back(agent_name(p));
                else
                    roots_refused.push_back(root);
            }
        }
        if (!asked || m.pad0 || m.pad1 || m.pad2)
            FAIL("message %u, id %u, signals %x, flags %x, address %llx for agent %u: nobody wants that", m.op, m.id, m.signals, m.flags, (unsigned long long)m.root, p);
        controls_asked += m.op == CTL_SIGNAL;
        agent_answers.push_back({cycle + 1 + pick(m.op == CTL_SIGNAL ? 300 : slowest), p, e});
    }
}

static void step(const msg_cp_cmd *cmd)
{
    dut->cp_cmd_valid_i = cmd != nullptr;
    if (cmd && places-- == 0)
        FAIL("a command without a place");
    if (cmd)
        memcpy(&dut->cp_cmd_i, cmd, sizeof *cmd);
    else
        memset(&dut->cp_cmd_i, 0xff, sizeof *cmd); // no command is taken from there
    dut->cu_evt_valid_i = 0;
    bool input = cmd != nullptr;
    for (unsigned c = 0; c < Cus; c++) {
        Cu &cu = cus[c];
        if (cu.out.empty() || cu.credits == 0 || cu.out.front().first > cycle)
            continue;
        memcpy(&dut->cu_evt_i[c], &cu.out.front().second, sizeof(msg_cu_evt));
        dut->cu_evt_valid_i |= 1ull << c;
        cu.out.pop_front();
        cu.credits--;
        input = true;
    }
    input |= report_maybe();
    input |= move_report_maybe();
    std::map<unsigned, msg_ctl_evt> came; // by port
    Ports valid = 0;
    for (auto it = agent_answers.begin(); it != agent_answers.end();) {
        if (it->at > cycle || (valid >> it->port & 1) || (agents_wait && it->evt.op == CTL_SIGNAL)) {
            ++it;
            continue;
        }
        memcpy(&dut->ctl_evt_i[it->port], &it->evt, sizeof it->evt);
        valid |= (Ports)1 << it->port;
        came[it->port] = it->evt;
        if ((it->evt.op == CTL_INV || it->evt.op == CTL_XLAT) && had.count(had_of[it->port]))
            had[had_of[it->port]].answered[it->port] = had[had_of[it->port]].got[it->port];
        it = agent_answers.erase(it);
        input = true;
    }
    memcpy(&dut->ctl_evt_valid_i, &valid, sizeof dut->ctl_evt_valid_i);
    for (auto &c : came) // the first that is not CTL_OK, of one cycle that of the lowest port; else the last one
        if (c.second.op == CTL_SIGNAL) {
            msg_cp_evt &o = outcome[agent_id[c.second.id]];
            if (o.status == CTL_OK)
                o.status = c.second.status, o.cu = agent_name(c.first), o.wave = c.second.state;
        }
    bool was_idle = dut->idle_o && !input;
    dut->cycle_i = cycle;
    dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    if (watch)
        watch();
    bool any = dut->cp_evt_valid_o || dut->cu_cmd_valid_o || dut->cu_evt_credit_o || dut->cp_cmd_credit_o || dut->xlat_evt_credit_o ||
               dut->move_evt_credit_o;
    for (size_t i = 0; i < sizeof dut->ctl_cmd_valid_o; i++)
        any |= ((const uint8_t *)&dut->ctl_cmd_valid_o)[i] != 0;
    if (was_idle && (any || !dut->idle_o))
        FAIL("something happens after idle_o without input");
    places += dut->cp_cmd_credit_o;
    report_credit += dut->xlat_evt_credit_o;
    if (report_credits + report_credit > Reports)
        FAIL("%u credits for reports", report_credits + report_credit);
    move_credit += dut->move_evt_credit_o;
    if (move_credits + move_credit > 4)
        FAIL("%u credits for reports of pages", move_credits + move_credit);
    if (places > Places)
        FAIL("%u places, the hub has %u", places, Places);
    for (unsigned c = 0; c < Cus; c++) {
        cus[c].credits += dut->cu_evt_credit_o >> c & 1;
        if (dut->cu_cmd_valid_o >> c & 1) {
            msg_cu_cmd m;
            memcpy(&m, &dut->cu_cmd_o[c], sizeof m);
            cu_command(c, m);
        }
    }
    ctl_commands();
    if (dut->cp_evt_valid_o) {
        msg_cp_evt e;
        memcpy(&e, &dut->cp_evt_o, sizeof e);
        host_event(e);
    }
    for (unsigned c = 0; c < Cus; c++)
        cu_step(c);
    cycle++;
}

// A counter of the partition: 0 groups, 1 wavefronts, 2 times a launch found no CU, 255 groups that have ended.
static uint64_t counter(unsigned number)
{
    dut->perf_en_i = 1, dut->perf_addr_i = static_cast<uint8_t>(number);
    step(nullptr);
    dut->perf_en_i = 0;
    return dut->perf_data_o;
}

static uint32_t recip(unsigned n) { return ((1u << 20) + n - 1) / n; }

static msg_cp_cmd launch_make(unsigned id, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z)
{
    msg_cp_cmd c = {};
    c.kind = CP_LAUNCH, c.id = id, c.vmid = 1 + id % 3, c.pc = 0x1000ull * (id + 1);
    unsigned g[3] = {gx, gy, gz}, n[3] = {x, y, z};
    for (int d = 0; d < 3; d++)
        c.group[d] = g[d], c.grid[d] = n[d], c.groups[d] = (n[d] + g[d] - 1) / g[d];
    c.waves = (gx * gy * gz + 63) / 64;
    c.recip_x = recip(gx), c.recip_y = recip(gy);
    c.vgprs = 4 * (1 + pick(pick(4) ? 8 : 16)), c.sgprs = 16 * (1 + pick(6)), c.lds_bytes = pick(2) ? 512 * pick(40) : 0;
    c.user_sgprs = pick(17), c.sys_sgprs = pick(32), c.scratch_wave_bytes = 1024 * pick(3), c.root = (uint64_t)pick(1 << 30) << 8, c.vgpr_items = pick(3);
    for (unsigned i = 0; i < 16; i++)
        c.user_sgpr[i] = static_cast<uint32_t>(rng());
    c.rsrc1 = static_cast<uint32_t>(rng()), c.rsrc2 = static_cast<uint32_t>(rng());
    c.prio = (uint8_t)pick(16);
    c.cu_mask = pick(3) ? ~0ull : rng() | 1ull << pick(64);
    unsigned lowest = 0; // of the CUs that may be used: the group must fit there
    while (!(c.cu_mask >> lowest & 1))
        lowest++;
    c.scratch_waves = pick(2) ? 64 * ScratchPerCu : lowest * ScratchPerCu + c.waves + pick(Cus * ScratchPerCu / 2);
    return c;
}

static msg_cp_cmd launch_random(unsigned id)
{
    unsigned x = 1 + pick(pick(2) ? 256 : 32), y = 1 + pick(1024 / x < 16 ? 1024 / x : 16), z = 1 + pick(1024 / (x * y) < 4 ? 1024 / (x * y) : 4);
    if (pick(3) == 0)
        y = z = 1;
    return launch_make(id, x, y, z, 1 + pick(x * (1 + pick(24))), 1 + pick(y * 4), 1 + pick(z * 3));
}

static void drain(unsigned limit)
{
    for (unsigned n = 0; !launches.empty() || !maintenance.empty() || !controls.empty() || !fetches.empty() || !roots_refused.empty() || !moves.empty() ||
                    !moves_refused.empty(); n++) {
        if (n > limit)
            FAIL("no end: %zu launches, %zu maintenance commands", launches.size(), maintenance.size());
        step(nullptr);
    }
}

static void send(const msg_cp_cmd &c)
{
    if (c.kind == CP_CONTROL) {
        controls[c.id] = c;
        msg_cp_evt &o = outcome[c.id] = {};
        o.kind = CP_EVT_CONTROL_DONE, o.id = c.id, o.status = nobody(c.flags) ? CTL_ERROR_NONE : CTL_OK, o.cu = 0xff00, o.wave = CTL_STATE_RUN;
    } else if (c.kind == CP_LAUNCH)
        launches[c.id].cmd = c, launches[c.id].held = own_state != CTL_STATE_RUN || own_open();
    else if (c.kind == CP_MOVE || c.kind == CP_STORE || c.kind == CP_COUNTS) {
        msg_cp_move m;
        memcpy(&m, &c, sizeof m);
        moves.push_back(m);
    } else if (c.kind == CP_FETCH)
        fetches.push_back({c, 0});
    else if (c.kind != CP_VMID)
        maintenance[c.id] = c, list_sent[c.id] = cycle, (c.kind == CP_KILL || c.kind == CP_TRAP ? cu_order : maint_order).push_back(c.id);
    else
        roots.push_back(c);
    if (c.kind == CP_KILL) {
        for (auto &l : launches)
            if (l.second.cmd.vmid == c.vmid)
                l.second.killed = true;
    }
    step(&c);
}

static void test_random(unsigned rounds)
{
    for (unsigned i = 0, id = 0; i < rounds; i++) {
        unsigned what = pick(40);
        msg_cp_cmd c = {};
        run_cycles = pick(4) ? 40 : 1000;
        if (what < 12 && launches.size() < 11) {
            send(launch_random(id++ & 0x7fff));
        } else if (what < 15 && maintenance.size() < 4) {
            send(cache_random(0x8000 | (id++ & 0xfff)));
        } else if (what == 15) {
            c.kind = CP_VMID, c.vmid = 1 + pick(3), c.root = rng(), c.flags = pick(2);
            send(c);
        } else if (what == 18 && maintenance.size() < 4) {
            c.kind = CP_XLAT, c.id = 0xf000 | (id++ & 0xfff), c.flags = pick(2) * XLAT_DENY, c.vmid = pick(2) ? 255 : 1 + pick(3);
            if (pick(2))
                c.root = (uint64_t)pick(1 << 27) << 12, c.pc = (1 + pick(600)) * 4096ull;
            send(pick(3) ? c : listed(c, 1 + pick(8)));
        } else if (what == 21) {
            own_random();
        } else if (what == 19 && fetches.size() < 4) {
            c.kind = CP_FETCH, c.id = 0xff, c.vmid = 1 + pick(3), c.pc = rng();
            send(c);
        } else if (what == 20 && moves.size() < 4) {
            send(move_random());
        } else if (what == 17) {
            c.kind = CP_TRAP, c.id = 0xa000 | (id++ & 0xfff), c.vmid = 1 + pick(3), c.root = rng(), c.pc = rng();
            send(c);
        } else if (what == 16 && maintenance.empty() && pick(8) == 0) {
            c.kind = CP_KILL, c.id = 0x9000 | (id++ & 0xfff), c.vmid = 1 + pick(3);
            own_go_on(); // what is in hand ends behind a continue only
            send(c);
            while (!maintenance.empty())
                step(nullptr);
        } else {
            for (unsigned n = pick(200); n--;)
                step(nullptr);
        }
    }
    own_go_on();
    drain(2000000);
}

// Every resource came back: the largest groups fit again in every CU at once.
static void test_whole()
{
    hold = 1;
    msg_cp_cmd c = launch_make(20000, 1024, 1, 1, 1024 * Cus, 1, 1);
    c.vgprs = 64, c.sgprs = 112, c.lds_bytes = Lds, c.cu_mask = ~0ull, c.scratch_wave_bytes = 0;
    send(c);
    for (unsigned n = 0; n < 4000; n++)
        step(nullptr);
    if (launches[20000].started != 16 * Cus)
        FAIL("leak: %llu of %u wavefronts fit", (unsigned long long)launches[20000].started, 16 * Cus);
    hold = 0;
    drain(20000);
}

// As many commands at once as there are places, then more as places come back, each of them slow; launches that find no
// slot hold up what is behind them.  All are answered, in order, and every place comes back.
static void test_places(unsigned count)
{
    unsigned full = 0, launched = 0;
    hold = 1;
    for (unsigned i = 0; i < count;) {
        msg_cp_cmd c = {};
        if (i % 8 == 1 && launched < 12) {
            c = launch_make(22000 + launched++, 64, 1, 1, 64, 1, 1);
            c.vgprs = 4, c.sgprs = 16, c.lds_bytes = 0;
        } else {
            c.kind = i % 16 == 3 ? CP_VMID : CP_CACHE, c.id = 0xb000 | i, c.flags = CACHE_INV_TLB | CACHE_INV_L1V, c.vmid = 1 + i % 3;
        }
        full += places == 0;
        hold = hold && full < 1000;
        if (places == 0)
            step(nullptr);
        else
            send(c), i++;
    }
    hold = 0;
    drain(200000);
    for (unsigned n = 0; n < 200; n++)
        step(nullptr);
    if (full == 0 || places != Places)
        FAIL("%u cycles without a place, %u places at the end", full, places);
}

static void test_rate(unsigned waves, double expected)
{
    const unsigned groups = 400;
    run_cycles = 20;
    msg_cp_cmd c = launch_make(21000 + waves, 64 * waves, 1, 1, 64 * waves * groups, 1, 1);
    c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.cu_mask = ~0ull, c.scratch_wave_bytes = 0;
    send(c);
    uint64_t first = 0, last = 0;
    for (unsigned n = 0; launches.count(21000 + waves); n++) {
        first = launches[21000 + waves].first_start, last = launches[21000 + waves].last_start;
        step(nullptr);
        if (n > 100000)
            FAIL("no end");
    }
    double rate = double(last - first) / (groups - 1);
    std::printf("%u wavefronts a group: %.3f cycles a group, expected %.3f\n", waves, rate, expected);
    if (rate < expected * 0.99 || rate > expected * 1.01)
        FAIL("rate");
}

static void bench_begin()
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    dut = new Vpart_dispatch;
    dut->rst_ni = 0;
    for (int i = 0; i < 2; i++)
        dut->clk_i = 1, dut->eval(), dut->clk_i = 0, dut->eval();
    dut->rst_ni = 1;
}
#endif
