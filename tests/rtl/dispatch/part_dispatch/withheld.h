// SPDX-License-Identifier: Apache-2.0
// Withheld translations in the bench of part_dispatch: reports of the L2 TLB, of which the host hears each once, in order, every
// field; what a kill tells the L2 TLB before and after it.  Not responsible for: what the L2 TLB does (tests/rtl/utcl2/part_utcl2).
#ifndef WITHHELD_H
#define WITHHELD_H

static const unsigned Reports = 4;              // credits of the L2 TLB
static std::deque<msg_xlat_evt> reports;        // that the host has not heard of
static unsigned report_credits = Reports, reports_told;
static unsigned report_credit; // on its way: a credit comes with the cycle in which its place becomes free, and no channel is as short as that
static bool reports_over;                       // no more come
static std::map<unsigned, std::vector<uint16_t>> kill_refused; // by VMID: the L2 TLB has
static std::map<unsigned, unsigned> kill_steps; // by VMID: 1 translations denied, then CUs that have their kill, +100 open again

static bool report_maybe()
{
    dut->xlat_evt_valid_i = report_credits && !reports_over && pick(30) == 0;
    report_credits += report_credit, report_credit = 0;
    if (!dut->xlat_evt_valid_i)
        return false;
    msg_xlat_evt m = {};
    m.vmid = (uint8_t)(1 + pick(3)), m.access = (uint8_t)(1 + pick(7)), m.va = (uint64_t)pick(1 << 28) << 12;
    memcpy(&dut->xlat_evt_i, &m, sizeof m);
    reports.push_back(m);
    report_credits--;
    return true;
}

static void report_told(const msg_cp_evt &e)
{
    if (reports.empty())
        FAIL("a report that the L2 TLB has not sent");
    msg_cp_evt want = {};
    want.kind = CP_EVT_XLAT, want.vmid = reports.front().vmid, want.status = reports.front().access, want.va = reports.front().va;
    if (!same(want, e))
        FAIL("report of vmid %u, address %llx", e.vmid, (unsigned long long)e.va);
    reports.pop_front();
    reports_told++;
}

// Is this what the L2 TLB is to hear?  A kill denies what is withheld before any CU hears of it, and ends that when all have.
static bool xlat_asked(const msg_ctl_cmd &m, unsigned port, bool &of_kill)
{
    of_kill = false;
    for (auto &c : maintenance) {
        if (c.second.kind == CP_XLAT && range_asked(c.second, c.first, port, m))
            return true;
        if (c.second.kind != CP_KILL || c.second.vmid != m.vmid || m.root || m.bytes)
            continue;
        unsigned &at = kill_steps[m.vmid];
        if (at != (m.flags == XLAT_DENY ? 0 : 1 + Cus) || m.flags > XLAT_DENY || m.flags == XLAT_WITHHOLD)
            FAIL("kill: flags %x for the L2 TLB, %u CUs told", m.flags, at);
        at = m.flags == XLAT_DENY ? 1 : at + 100;
        return of_kill = true;
    }
    return false;
}
#endif
