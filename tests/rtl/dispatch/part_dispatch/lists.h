// SPDX-License-Identifier: Apache-2.0
// Lists of ranges in the bench of part_dispatch: which message an agent may get next of a command with several ranges, what the flags of each are, who is ahead of
// whom.  Not responsible for: what a component does with a range (tests/rtl/utcl2, tests/rtl/sqc, tests/rtl/l2, tests/rtl/cu/vmem).
#ifndef LISTS_H
#define LISTS_H

// Ranges of a command that a port has got, and that it has answered; a plain command is one range.
struct Had {
    uint8_t got[128], answered[128];
};
static std::map<unsigned, Had> had;         // by id of the command
static std::map<unsigned, unsigned> had_of; // by port: id of the command that it works on
static unsigned lists_told, lists_full, list_most; // commands that were lists, those of 8 ranges; most cycles of one
static std::map<unsigned, uint64_t> list_sent;
static std::deque<unsigned> maint_order;    // commands of the host in their order: one after another is carried out
static std::deque<unsigned> cu_order;       // kills and trap handlers, beside them, in theirs

static msg_cp_pages pages_of(const msg_cp_cmd &c)
{
    msg_cp_pages p;
    memcpy(&p, &c, sizeof p);
    if (c.kind != CP_CACHE && c.kind != CP_XLAT)
        p.pages = 0;
    return p;
}
static unsigned ranges_of(const msg_cp_cmd &c) { return pages_of(c).pages ? pages_of(c).pages : 1; }

static bool refills(unsigned port) { return port > 2 && (port < 3 + Sqcs || port >= 3 + Sqcs + Slices); } // from the L2 TLB

// Is this the next range of the command for this port?  Of what goes by ranges, all but the last say that more comes; all else comes with the last.
static bool range_asked(const msg_cp_cmd &c, unsigned id, unsigned port, const msg_ctl_cmd &m)
{
    const msg_cp_pages list = pages_of(c);
    Had &h = had[id];
    const unsigned last = ranges_of(c) - 1, n = (refills(port) && !(c.flags & CACHE_INV_TLB) ? last : 0) + h.got[port];
    if (n > last || c.vmid != m.vmid || maint_order.front() != id)
        return false;
    uint32_t flags = c.flags;
    if (c.kind == CP_CACHE && n != last)
        flags = (flags & (CACHE_INV_TLB | CACHE_WB_L2 | CACHE_INV_L2)) | CACHE_MORE;
    if (m.flags != flags || m.root != (list.pages ? list.page[n] : c.root) || m.bytes != c.pc)
        return false;
    if (refills(port) && c.flags & CACHE_INV_TLB && h.answered[0] <= n)
        FAIL("list %u: port %u has range %u, the L2 TLB has not answered it", id, port, n);
    if (h.got[port] != h.answered[port])
        FAIL("list %u: port %u has range %u before it has answered the one before", id, port, n);
    h.got[port]++;
    had_of[port] = id;
    return true;
}

// The event of a command: every port that has a range has all of them, and has answered.
static void ranges_told(const msg_cp_cmd &c, unsigned id)
{
    const Had &h = had[id];
    std::deque<unsigned> &order = c.kind == CP_KILL || c.kind == CP_TRAP ? cu_order : maint_order;
    if (order.front() != id)
        FAIL("command %u is told before command %u", id, order.front());
    order.pop_front();
    for (unsigned p = 0; p < 128; p++)
        if (h.got[p] != h.answered[p] || (h.got[p] && h.got[p] != (refills(p) && !(c.flags & CACHE_INV_TLB) ? 1 : ranges_of(c))))
            FAIL("list %u of %u ranges is told: port %u has %u of them and has answered %u", id, ranges_of(c), p, h.got[p], h.answered[p]);
    const msg_cp_pages list = pages_of(c);
    lists_told += list.pages != 0, lists_full += list.pages == 8;
    if (list.pages)
        list_most = std::max(list_most, (unsigned)(cycle - list_sent[id]));
    had.erase(id), list_sent.erase(id);
}

// A command becomes a list of ranges, of which each has its own address.
static msg_cp_cmd listed(const msg_cp_cmd &c, unsigned pages)
{
    msg_cp_pages list;
    memcpy(&list, &c, sizeof list);
    list.root = 0, list.bytes = 4096ull << pick(5), list.pages = (uint16_t)pages;
    for (unsigned p = 0; p < 8; p++)
        list.page[p] = p < pages ? rng() & 0xffffff0000ull : rng(); // those behind the last are nobody's
    msg_cp_cmd out;
    memcpy(&out, &list, sizeof out);
    return out;
}

// Random flags of a CP_CACHE; lists are of TLBs or of L2 slices.
static msg_cp_cmd cache_random(unsigned id)
{
    msg_cp_cmd c = {};
    c.kind = CP_CACHE, c.id = (uint16_t)id, c.flags = pick(128), c.vmid = (uint8_t)(pick(2) ? 255 : 1 + pick(3));
    if (pick(2))
        c.root = (uint64_t)pick(1 << 28) << 12, c.pc = std::min<uint64_t>((1 + pick(600)) * 4096ull, (1ull << 40) - c.root);
    if (pick(2) == 0)
        return c;
    const uint32_t l2 = CACHE_WB_L2 | CACHE_INV_L2;
    if (pick(2) || !(c.flags & l2))
        c.flags = (c.flags & ~l2) | CACHE_INV_TLB;
    else
        c.flags &= ~(uint32_t)CACHE_INV_TLB;
    return listed(c, 1 + pick(8));
}
#endif
