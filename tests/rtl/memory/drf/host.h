// SPDX-License-Identifier: Apache-2.0
// Several GPUs: the machine as the host's own C sees it (machine/sim.h).  Commands go to a hub for each GPU, which does what
// rtl/dispatch/dispatch_hub.sv does with them; events come back; the host reaches memory through far port 0, in the order that sim.h
// promises; timers.  Command processors are the true ones, without queues: a wavefront of every space runs on every GPU.
// Not responsible for: page tables (driver.h), pages that move (moves.h).
#ifndef TESTS_DRF_HOST_H
#define TESTS_DRF_HOST_H
#include <map>

extern "C" {
#include "firmware/cp_private.h"
#include "migrate/faults.h"
#include "migrate/move.h"
#include "vm/pmem.h"
}
#include "maintenance.h"
#include "plants.h"

struct sim {}; // nobody looks into it
static struct sim machine;
static struct cp *cps[MaxGpus];
static struct pmem *memory;
static uint64_t host_accesses_done, hub_commands;

static bool space_rests(unsigned g, uint8_t vmid); // kills.h: nothing of it is under way on this GPU
static void space_killed(unsigned g, uint8_t vmid);

// ---- the hub of a GPU: one command after the other
struct Hub {
    enum { Rest, Shared, Private, Reopen } state = Rest;
    unsigned g = 0, at = 0, last = 0; // of a list: the range under way, the last one
    int left = 0;
    msg_cp_cmd c;
    msg_cp_pages list;
    Link<msg_cp_cmd> to;
    Link<msg_cp_evt> from;
    std::deque<msg_cp_cmd> queue, kills;

    bool is_page() const { return c.kind == CP_MOVE || c.kind == CP_STORE || c.kind == CP_COUNTS; } // the engine has it when it is taken
    bool by_two() const { return c.kind == CP_CACHE && c.flags & CACHE_INV_TLB; }
    bool listed() const { return (c.kind == CP_CACHE || c.kind == CP_XLAT) && list.pages; }
    Command part(unsigned n)
    {
        Command p = {c.flags, c.vmid, listed() ? list.page[n] : c.root, &left, c.pc, c.kind == CP_XLAT};
        if (listed())
            p.bytes = list.bytes;
        if (listed() && c.kind == CP_CACHE && n != last)
            p.flags = (c.flags & (CACHE_WB_L2 | CACHE_INV_L2 | CACHE_INV_TLB)) | CACHE_MORE;
        if (planted(ListOfOneRange) && n && listed())
            p.root = list.page[0];
        return p;
    }
    void begin()
    {
        c = queue.front(), queue.pop_front(), hub_commands++;
        memcpy(&list, &c, sizeof list);
        at = 0, last = listed() ? list.pages - 1 : 0, state = Shared;
        if (is_page()) {
            msg_cp_move view;
            memcpy(&view, &c, sizeof view);
            Command p = {0, 0, 0, &left};
            p.page = {};
            p.page.op = c.kind == CP_MOVE ? CTL_MOVE : c.kind == CP_STORE ? CTL_STORE : CTL_COUNTS, /* whose fields lie in the same places */ p.page.slot = view.slot, p.page.move = view.id, p.page.lines = view.lines;
            p.page.flags = view.flags, p.page.source = view.source, p.page.target = view.target;
            command_block(g * Blocks + BlockRdma, p);
        } else {
            shared();
        }
    }
    // All that is withheld of a space is denied, and what comes, until no access of it is under way.  Other commands pass a kill that waits
    // (rtl/dispatch/dispatch_broadcast.sv): by one of them an access may end behind which it stands.
    bool kill_is_over() const { return !kills.empty() && space_rests(g, kills.front().vmid); }
    void kill_step()
    {
        if (state == Shared) {
            kills.push_back(c), state = Rest;
        } else {
            space_killed(g, c.vmid);
            tell(CP_EVT_KILL_DONE);
            state = Rest;
        }
    }
    void reopen()
    {
        c = kills.front(), kills.pop_front(), state = Reopen;
        command_block(g * Blocks + BlockUtcl2, {0, c.vmid, 0, &left, 0, true});
    }
    void shared()
    {
        if (c.kind == CP_KILL) {
            command_block(g * Blocks + BlockUtcl2, {XLAT_DENY, c.vmid, 0, &left, 0, true});
            return;
        }
        if (c.kind == CP_VMID) { // also without a root
            msg_ctl_cmd root = {};
            root.op = CTL_ROOT, root.vmid = c.vmid, root.flags = c.flags, root.root = c.root;
            Command p = {0, c.vmid, 0, &left};
            memcpy(&p.page, &root, sizeof p.page);
            command_block(g * Blocks + BlockUtcl2, p);
            return;
        }
        if (c.kind == CP_XLAT || by_two())
            command_block(g * Blocks + BlockUtcl2, part(at));
        Command p = part(at);
        if (planted(FlushOfNextPage) && c.id == CP_PAGE)
            p.root += 4096;
        for (unsigned s = 0; s < Slices && c.kind == CP_CACHE && c.flags & (CACHE_WB_L2 | CACHE_INV_L2); s++)
            if (!(planted(PushBeforeFlush) && c.id == CP_PAGE))
                command_block(block_of_slice(g, s), p);
    }
    void privates()
    {
        for (unsigned s = 0; s < Sqcs && c.kind == CP_CACHE && c.flags & (CACHE_INV_L1K | CACHE_INV_L1I | CACHE_INV_TLB); s++)
            if (!(planted(ShootDownMissesGroups) && by_two()))
                command_block(g * Blocks + s, part(at));
        for (unsigned n = 0; n < Cus && c.kind == CP_CACHE && c.flags & (CACHE_INV_L1V | CACHE_INV_TLB); n++)
            if (!(planted(ShootDownMissesCus) && by_two() && n == 1) && !(planted(DropMissesCus) && !by_two()))
                command_cu(g * Cus + n, part(at));
        if (by_two() && at != last)
            command_block(g * Blocks + BlockUtcl2, part(at + 1));
    }
    void tell(unsigned kind)
    {
        msg_cp_evt e = {};
        e.kind = kind, e.id = c.id, e.vmid = c.vmid;
        from.push(e);
    }
    void step()
    {
        if (to.due()) {
            queue.push_back(to.pop());
            if (planted(AnsweredByArrival) && queue.back().kind == CP_CACHE && queue.back().id == CP_SHOOTDOWN && !queue.back().pc) {
                msg_cp_cmd now = c;
                c = queue.back(), tell(CP_EVT_CACHE_DONE), c = now;
                queue.back().id = CP_NO_JOB;
            }
        }
        if (left || (state == Rest && queue.empty() && !kill_is_over()))
            return;
        if (state == Rest && kill_is_over()) {
            reopen();
        } else if (state == Rest && planted(KillInTheWay) && !kills.empty()) {
            return;
        } else if (state == Rest) {
            begin();
        } else if (c.kind == CP_KILL) {
            kill_step();
        } else if (state == Shared && !by_two() && at != last) {
            at++, shared();
        } else if (state == Shared) {
            state = c.kind == CP_VMID || is_page() ? Rest : Private;
            if (state == Private)
                privates();
        } else if (at != last) {
            at++, privates();
        } else {
            tell(c.kind == CP_XLAT ? CP_EVT_XLAT_DONE : CP_EVT_CACHE_DONE);
            state = Rest;
        }
    }
    bool rests() const { return state == Rest && queue.empty() && kills.empty() && to.queue.empty() && from.queue.empty(); }
};
static Hub hubs[MaxGpus];

// ---- what the host asks of a memory
struct Port {
    struct Ask {
        msg_mem_req q;
        bool overlap, sent, done;
        uint64_t cookie;
        msg_mem_rsp rsp;
    };
    unsigned owner = 0; // as in addresses
    uint32_t first = 0; // number of the oldest
    uint64_t wake = 0;
    std::deque<Ask> asks;
    Link<uint32_t> beside; // the host's own memory: its answers

    bool may_go(size_t n) const
    {
        for (size_t k = 0; k < n; k++)
            if (!asks[k].done && (!asks[n].overlap || asks[k].q.addr >> 6 == asks[n].q.addr >> 6))
                return false;
        return true;
    }
    void send()
    {
        size_t n = 0;
        while (n < asks.size() && asks[n].sent)
            n++;
        if (n == asks.size() || cycle < wake || (owner && !gpu[owner - 1].far_credits[0]) || !may_go(n))
            return;
        Ask &a = asks[n];
        a.q.tag = first + n, a.q.gpu = 255, a.q.source = a.q.tag % 255, a.sent = true;
        if (owner)
            gpu[owner - 1].far_in[0].push(a.q), gpu[owner - 1].far_credits[0]--;
        else
            beside.push(a.q.tag);
        wake = cycle + (sky.one_in(4) ? sky.pick(40) : 1);
    }
    void answered(const msg_mem_rsp &r)
    {
        if ((uint32_t)(r.tag - first) >= asks.size() || !asks[r.tag - first].sent || asks[r.tag - first].done)
            fail("host answer", "memory %u: tag %x of no request", owner, r.tag);
        Ask &a = asks[r.tag - first];
        if (r.status || r.op != a.q.op)
            fail("host status", "memory %llx, operation %u ends with %u", (unsigned long long)a.q.addr, a.q.op, r.status);
        a.rsp = r, a.done = true;
    }
    void deliver()
    {
        if (beside.due())
            answered(perform(asks[beside.pop() - first].q));
        while (!asks.empty() && asks.front().done) {
            const Ask a = asks.front();
            asks.pop_front(), first++, host_accesses_done++;
            cp_answer(cps[a.cookie >> 56], a.cookie, &a.rsp);
        }
    }
};
static Port ports[MaxGpus + 1];
static std::multimap<uint64_t, uint64_t> timers; // by cycle

static uint64_t atomic_place(uint64_t pa); // driver.h
extern "C" {
uint64_t sim_now(const struct sim *) { return cycle; }
void sim_timer(struct sim *, uint64_t when, uint64_t cookie) { timers.emplace(when, cookie); }
void sim_cmd(struct sim *, unsigned g, const struct msg_cp_cmd *cmd) { hubs[g].to.push(*cmd); }
void sim_access(struct sim *, const struct msg_mem_req *q, bool overlap, uint64_t cookie)
{
    msg_mem_req at = *q;
    if (q->op == MEM_ATOMIC)
        at.addr = atomic_place(q->addr);
    ports[at.addr >> PMEM_OWNER_SHIFT & 0xff].asks.push_back({at, overlap, false, false, cookie, {}});
}
enum sim_model sim_model_now(const struct sim *) { return SIM_RTL; }
uint64_t sim_groups(const struct sim *, unsigned) { return 0; }
void sim_kernel(struct sim *, uint64_t) {}
unsigned sim_group(const struct sim *, unsigned, const struct msg_cp_evt *, const struct msg_cp_cmd *, uint32_t *) { return 0; }
}

// ---- what GPUs tell
static void page_waits(unsigned g, const msg_xlat_evt &m)
{
    msg_cp_evt e = {};
    e.kind = CP_EVT_XLAT, e.vmid = m.vmid, e.va = m.va, e.status = m.access;
    reports++;
    hubs[g].from.push(e);
}
static void page_moved(unsigned g, const msg_move_evt &m)
{
    msg_cp_evt_move v = {};
    msg_cp_evt e;
    static_assert(sizeof v == sizeof e, "a view has the size of its message");
    if (m.kind == CP_EVT_COUNT) {
        msg_cp_evt_count to = {};
        msg_count_evt of;
        memcpy(&of, &m, sizeof of);
        to.kind = of.kind, to.entries = of.entries;
        memcpy(to.reads, of.reads, sizeof to.reads), memcpy(to.writes, of.writes, sizeof to.writes), memcpy(to.frame, of.frame, sizeof to.frame);
        memcpy(&e, &to, sizeof e);
        return hubs[g].from.push(e);
    }
    if (m.kind == CP_EVT_COUNTED) {
        msg_cp_evt_counted to = {};
        msg_counted_evt of;
        memcpy(&of, &m, sizeof of);
        to.kind = of.kind, to.id = of.counts, to.begun = 1, to.entries = of.entries, to.below = of.below, to.lost = of.lost;
        memcpy(&e, &to, sizeof e);
        return hubs[g].from.push(e);
    }
    v.kind = m.kind, v.status = m.status, v.id = m.move, v.slot = m.slot, v.begun = 1, v.flags = m.flags, v.lines = m.lines, v.checksum = m.checksum;
    memcpy(&e, &v, sizeof e);
    hubs[g].from.push(e);
}

// In the order that sim.h promises: events, answers of memories, timers.
static void step_machine()
{
    for (unsigned g = 0; g < params.gpus; g++) {
        hubs[g].step();
        while (hubs[g].from.due()) {
            const msg_cp_evt e = hubs[g].from.pop();
            cp_event(cps[g], &e);
        }
    }
    for (unsigned k = 0; k <= params.gpus; k++)
        ports[k].deliver();
    while (!timers.empty() && timers.begin()->first <= cycle) {
        const uint64_t cookie = timers.begin()->second;
        timers.erase(timers.begin());
        cp_timer(cps[cookie >> 56], cookie);
    }
    for (unsigned k = 0; k <= params.gpus; k++)
        ports[k].send();
}
static bool machine_rests()
{
    bool rest = timers.empty();
    for (unsigned g = 0; g < params.gpus; g++)
        rest &= hubs[g].rests() && cp_shootdowns_done(cps[g]) == cp_shootdowns_sent(cps[g]) && cp_tables_done(cps[g]) == cp_tables_asked(cps[g]) &&
                !pages_open(cps[g]);
    for (unsigned k = 0; k <= params.gpus; k++)
        rest &= ports[k].asks.empty();
    return rest;
}
#endif
