// SPDX-License-Identifier: Apache-2.0
// What a DRAM channel does in each cycle, as docs/reference/dram.md tells it: lists of accesses in the order in which they came, banks, one
// decision each memory clock.  The bench compares every output with it; that the decisions keep a memory's rules is not
// taken from here: the bench has those as tables of distances.
#ifndef DRAM_MODEL_H
#define DRAM_MODEL_H
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace model {
struct Times { // memory cycles
    unsigned ratio, cl, cwl, rcd, rp, ras, wr, rtp, ccd_s, ccd_l, rrd_s, rrd_l, wtr_s, wtr_l, faw, rtw, refi, rfc, rfc_bank, burst;
};
struct Shape {
    unsigned banks, groups, places, high, low, idle, age, spare;
};
enum Kind { None, Activate, Precharge, Read, Write, Refresh, RefreshAll };
struct Command {
    unsigned kind, bank;
    uint32_t row;
    bool operator==(const Command &o) const { return kind == o.kind && bank == o.bank && row == o.row; }
};
struct Access {
    bool write;
    unsigned bank;
    uint32_t row;
    uint8_t id;
    bool opened;     // its row was opened for it
    uint64_t number; // of those of its direction
};
struct Told {
    bool done, wrote, busy, idle;
    uint8_t done_id, wrote_id;
    Command row, col;
    uint64_t hits, misses, refreshes;
};

class Channel {
    struct Bank {
        int64_t row = -1; // open
        uint64_t activate = 0, column = 0, precharge = 0; // not before
    };
    struct Columns {
        uint64_t at[2] = {0, 0}; // not before; of reads, of writes
    };
    const Times t;
    const Shape s;
    std::vector<Bank> banks;
    std::vector<Columns> group_columns;
    std::vector<uint64_t> group_activate;
    Columns any_columns;
    uint64_t any_activate = 0, acts[4] = {0, 0, 0, 0};
    std::deque<std::pair<uint64_t, uint8_t>> due;
    uint64_t next_edge = 0, next_refresh;
    unsigned refresh_bank = 0;
    bool refresh_due = false, rests = true;
    // the direction
    bool writing = false, owed = false;
    unsigned until_left = 0, passed = 0, quiet = 0;
    uint64_t numbers[2] = {0, 0};
    Told told = {};

    uint64_t clocks(unsigned n) const { return (uint64_t)n * t.ratio; }
    bool by_bank() const { return t.rfc_bank != 0; }
    unsigned turns() const { return by_bank() ? s.banks : 1; }
    uint64_t refresh_every() const { return clocks(t.refi) / turns(); }
    uint64_t refresh_time() const { return clocks(by_bank() ? t.rfc_bank : t.rfc); }
    bool in_refresh(unsigned b) const { return !by_bank() || b == refresh_bank; }
    void refreshed() { told.refreshes++, refresh_due = false, refresh_bank = (refresh_bank + 1) % turns(); }
    size_t waiting(bool write) const
    {
        return (size_t)std::count_if(queue.begin(), queue.end(), [&](const Access &a) { return a.write == write; });
    }

    // Places from that of the oldest on: one that was served out of turn is free only when it is the oldest's turn.
    uint64_t span(bool write) const
    {
        auto a = std::find_if(queue.begin(), queue.end(), [&](const Access &x) { return x.write == write; });
        return a == queue.end() ? 0 : numbers[write] - a->number;
    }

    void direction()
    {
        const bool reads = waiting(false) != 0, before = writing;
        const size_t writes = waiting(true);
        const bool more = before && writes > until_left; // than it would leave
        if (before)
            writing = writes != 0 && (!reads || (more && passed < s.places));
        else
            writing = writes != 0 && ((!reads && quiet >= s.idle) || (writes >= s.high && !owed) || passed >= (owed ? s.places : s.age));
        if (writing && !before)
            until_left = writes > s.low ? s.low : 0;
        if (writing != before || (before ? !reads : writes == 0))
            passed = 0;
        owed = reads && !writing && (owed || more);
        quiet = reads || writing || writes == 0 ? 0 : std::min(quiet + 1, 255u);
    }

    // The oldest access for which it holds, in this direction or else in the other.
    template <class What> std::deque<Access>::iterator oldest(What what)
    {
        for (bool w : {writing, !writing}) {
            auto a = std::find_if(queue.begin(), queue.end(), [&](const Access &x) { return x.write == w && what(x); });
            if (a != queue.end())
                return a;
        }
        return queue.end();
    }

    void clock(uint64_t now)
    {
        direction();
        if (now >= next_refresh && !refresh_due)
            refresh_due = true, next_refresh += refresh_every();
        bool held = false; // the refresh: a bank is open or rests
        std::vector<bool> column(s.banks), open(s.banks), close(s.banks); // what may be done to each
        for (unsigned i = 0; i < s.banks; i++) {
            Bank &b = banks[i];
            const unsigned g = i % s.groups;
            if (refresh_due && in_refresh(i)) {
                held |= b.row >= 0 || now < b.activate;
                if (b.row >= 0 && now >= b.precharge && told.row.kind == None)
                    told.row = {Precharge, i, 0}, b.row = -1, b.activate = now + clocks(t.rp);
            } else if (b.row >= 0) {
                column[i] = now >= b.column && now >= group_columns[g].at[writing];
                close[i] = now >= b.precharge;
            } else {
                open[i] = now >= b.activate && now >= group_activate[g];
            }
        }
        auto hit = [&](const Access &a) { return banks[a.bank].row == (int64_t)a.row; };
        // of each bank: whether an access of this direction, of the other, wants the open row; as it was before the column goes
        std::vector<bool> wanted[2] = {std::vector<bool>(s.banks), std::vector<bool>(s.banks)};
        for (const Access &a : queue)
            if (hit(a))
                wanted[a.write][a.bank] = true;
        // ---- the column bus
        if (now >= any_columns.at[writing]) {
            auto a = std::find_if(queue.begin(), queue.end(), [&](const Access &x) { return x.write == writing && hit(x) && column[x.bank]; });
            if (a != queue.end()) {
                const unsigned g = a->bank % s.groups;
                told.col = {(unsigned)(writing ? Write : Read), a->bank, 0};
                (a->opened ? told.misses : told.hits)++;
                const unsigned turn = writing ? 0 : std::max(1, (int)(t.cl + t.burst + t.rtw) - (int)t.cwl); // read to write
                after(any_columns, now, std::max(t.ccd_s, t.burst), writing ? t.cwl + t.burst + t.wtr_s : turn);
                after(group_columns[g], now, std::max(t.ccd_l, t.burst), writing ? t.cwl + t.burst + t.wtr_l : 1);
                Bank &b = banks[a->bank];
                b.precharge = std::max(b.precharge, now + clocks(writing ? t.cwl + t.burst + t.wr : t.rtp));
                if (writing)
                    told.wrote = true, told.wrote_id = a->id;
                else
                    due.push_back({now + clocks(t.cl + t.burst), a->id});
                passed = std::min(passed + 1, 255u);
                queue.erase(a);
            }
        }
        // ---- the row bus
        if (refresh_due && !held && told.row.kind == None) {
            told.row = {(unsigned)(by_bank() ? Refresh : RefreshAll), refresh_bank, 0};
            for (unsigned i = 0; i < s.banks; i++)
                if (in_refresh(i))
                    banks[i].activate = now + refresh_time();
            refreshed();
        }
        if (told.row.kind != None)
            return;
        const bool full = now < any_activate || (now < acts[0] + clocks(t.faw));
        auto a = full ? queue.end() : oldest([&](const Access &x) { return open[x.bank]; });
        if (a != queue.end()) {
            Bank &b = banks[a->bank];
            told.row = {Activate, a->bank, a->row};
            a->opened = true;
            b.row = a->row, b.column = now + clocks(t.rcd), b.precharge = now + clocks(t.ras);
            any_activate = now + clocks(t.rrd_s), group_activate[a->bank % s.groups] = now + clocks(t.rrd_l);
            acts[0] = acts[1], acts[1] = acts[2], acts[2] = acts[3], acts[3] = now;
            return;
        }
        // a bank closes when nobody of this direction wants its row; for one of the other direction, none of that either
        a = oldest([&](const Access &x) { return close[x.bank] && !wanted[writing][x.bank] && (x.write == writing || !wanted[!writing][x.bank]); });
        if (a != queue.end()) {
            told.row = {Precharge, a->bank, 0};
            banks[a->bank].row = -1, banks[a->bank].activate = std::max(banks[a->bank].activate, now + clocks(t.rp));
        }
    }

    void after(Columns &c, uint64_t now, unsigned same, unsigned turn)
    {
        c.at[writing] = now + clocks(same);
        c.at[!writing] = std::max(c.at[!writing], now + clocks(turn));
    }

    // What fell due at rest is over: it closed its banks.
    void wake(uint64_t now)
    {
        next_edge = std::max(next_edge, now + 1);
        writing = owed = false, until_left = passed = quiet = 0;
        for (unsigned n = 0; n < turns() && now >= next_refresh; n++) {
            for (unsigned i = 0; i < s.banks; i++)
                if (in_refresh(i)) {
                    Bank &b = banks[i];
                    const uint64_t closed = b.row >= 0 ? std::max(b.precharge, next_refresh) + clocks(t.rp) : b.activate;
                    b.activate = std::max(closed, next_refresh) + refresh_time();
                    b.row = -1;
                }
            refreshed();
            next_refresh += refresh_every();
        }
        if (now >= next_refresh)
            next_refresh = now + refresh_every();
    }

public:
    std::deque<Access> queue; // in the order in which they came
    Channel(const Times &times, const Shape &shape) : t(times), s(shape), banks(s.banks), group_columns(s.groups), group_activate(s.groups), next_refresh(refresh_every()) { told.idle = true; }

    // The edge of cycle `now`, in which `came` comes, or nothing.
    const Told &edge(uint64_t now, const Access *came)
    {
        told.done = told.wrote = false, told.row = told.col = {None, 0, 0};
        if (!due.empty() && due.front().first <= now) {
            told.done = true, told.done_id = due.front().second;
            due.pop_front();
        }
        if (now >= next_edge && (!queue.empty() || refresh_due)) {
            next_edge = now + clocks(1);
            clock(now);
        }
        if (came) {
            if (rests)
                wake(now);
            queue.push_back(*came);
            queue.back().opened = false, queue.back().number = numbers[came->write]++;
        }
        told.busy = span(false) + s.spare >= s.places || span(true) + s.spare >= s.places;
        rests = queue.empty() && due.empty() && !told.done && !refresh_due && told.row.kind == None && told.col.kind == None;
        told.idle = rests;
        return told;
    }

};
} // namespace model
#endif
