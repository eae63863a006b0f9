// SPDX-License-Identifier: Apache-2.0
// A clock of the LDS bench: instructions go in as from the front end, and what the unit says of each is checked: order of
// effects, operands, results, cycle of completion.
#pragma once
#include <cstdlib>
#include <cstring>

#include "lds_line.h"

// The unit says: this instruction takes effect now.
static void observe(unsigned wave, unsigned tag, uint64_t lanes)
{
    unsigned pair = wave >> 5;
    if (lanes)
        return observe_line(wave, tag, lanes);
    for (auto &p : flying[pair])
        if (!p.executed) {
            if (p.ds.tag != tag || p.ds.wave != wave)
                fail("order within a pair: tag", tag, p.ds.tag);
            p.executed = true;
            executed_count[pair]++;
            lds_execute(p.ds, vgpr[p.ds.wave >> 4], want_vgpr[p.ds.wave >> 4]);
            return;
        }
    fail("effect without instruction", tag, 0);
}

static void operands_read(unsigned pair, unsigned read)
{
    unsigned tag = read & 255, wave = read >> 8;
    for (auto &p : flying[pair])
        if (!p.read_done) {
            p.read_done = true;
            if (tag != p.ds.tag || wave != p.ds.wave)
                fail("operands read of tag", read, p.ds.tag);
            return;
        }
    fail("operands read without instruction", tag, 0);
}

static void complete(unsigned pair, unsigned done)
{
    unsigned tag = done & 255, wave = done >> 8 & 63;
    if (flying[pair].empty())
        return fail("completion without instruction", tag, 0);
    const Pending &p = flying[pair].front();
    const Ds &ds = p.ds;
    if (done >> 14 || tag != ds.tag || wave != ds.wave)
        fail("completion of tag", done, ds.tag);
    if (!p.read_done || !p.executed)
        fail("completion before operands were read or before its effect", tag, 0);
    // as soon as it has left, but not before the shortest latency
    uint64_t due = p.left > p.issued + LATENCY ? p.left : p.issued + LATENCY;
    if (!p.left || cycle != due)
        fail("cycle of completion", cycle, due);
    flying[pair].pop_front();
    done_count++;
}

// Its results are written; those of a younger one may follow before it is reported as complete.
static void left(unsigned pair)
{
    auto p = flying[pair].begin();
    while (p != flying[pair].end() && p->left)
        ++p;
    if (p == flying[pair].end())
        return fail("left without instruction", pair, 0);
    p->left = cycle;
    inside[pair]--;
    const Ds &ds = p->ds;
    for (unsigned k = 0; k < ds.results; k++)
        for (unsigned l = 0; l < 64; l++)
            if (vgpr[ds.wave >> 4][ds.dst + k][l] != want_vgpr[ds.wave >> 4][ds.dst + k][l]) {
                if (failures < 10)
                    printf("op %u %s lane %u word %u wave %x addr %u dst %u exec %llx m0 %x base %x bytes %x offsets %x %x\n", ds.op, ds.row->name,
                           l, k, ds.wave, ds.addr, ds.dst, (unsigned long long)ds.exec, ds.m0, ds.base, ds.bytes, ds.offset0, ds.offset1);
                fail("result", vgpr[ds.wave >> 4][ds.dst + k][l], want_vgpr[ds.wave >> 4][ds.dst + k][l]);
            }
}

// As the front end: one record a cycle, at most eight of a pair inside.
static void drive()
{
    static unsigned turn;
    dut->valid_i = 0;
    for (unsigned k = 0; k < PAIRS && !dut->valid_i; k++) {
        unsigned pair = SERIAL ? 0 : turn ^= 1;
        if (queued[pair].empty() || inside[pair] == 8)
            continue;
        const Ds &ds = queued[pair].front();
        Packer p;
        p.put(ds.bytes, 17), p.put(ds.base, 17), p.put(ds.exec, 64), p.put(ds.m0, 32), p.put(ds.offset1, 8), p.put(ds.offset0, 8);
        p.put(ds.dst, 8), p.put(ds.data1, 8), p.put(ds.data0, 8), p.put(ds.addr, 8), p.put(ds.op, 8), p.put(ds.tag, 8), p.put(ds.wave, 6);
        memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
        dut->valid_i = 1;
        flying[pair].push_back({ds, cycle});
        inside[pair]++;
        queued[pair].pop_front();
    }
}

// A row names the instruction that it belongs to, and is one of its results.
static void check_sender(unsigned simd, unsigned tag, unsigned slot, unsigned reg)
{
    for (auto &p : flying[simd >> 1])
        if (!p.left && p.executed && p.ds.tag == tag && p.ds.wave == (simd << 4 | slot) && reg - p.ds.dst < p.ds.results)
            return;
    fail("row of no instruction: tag, register", tag, reg);
}

static void tick()
{
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    // what SIMDs and front end see in this cycle, before the edge
    unsigned reads = dut->vrd_valid_o, request[2] = {dut->vrd_o[0], dut->vrd_o[1]};
    const uint32_t *ports[4] = {dut->vwr0_o.data(), dut->vwr1_o.data(), dut->vwr2_o.data(), dut->vwr3_o.data()};
    for (unsigned s = 0; s < 4; s++)
        if (dut->vwr_valid_o >> s & dut->vwr_ready_i[s] & 1) {
            const uint32_t *w = ports[s];
            unsigned lanes = bits_of(w, 512, 16), row = bits_of(w, 528, 10);
            if (bits_of(w, 550, 2) != s)
                fail("row of another SIMD", bits_of(w, 550, 2), s);
            check_sender(s, bits_of(w, 538, 8), bits_of(w, 546, 4), row >> 2);
            rows_taken[s]++;
            for (unsigned l = 0; l < 16; l++)
                if (lanes >> l & 1)
                    vgpr[s][row >> 2][(row & 3) * 16 + l] = w[l];
        }
    unsigned rows = dut->vwr_valid_o;
    if (one_row && ((rows & 3) == 3 || (rows & 12) == 12))
        fail("rows of a pair in one cycle, though no port was ever busy", rows, 1);
    dut->eval();
    cycle++;
    conflicts += dut->perf_conflict_o;
    for (unsigned s = 0; s < 4; s++) {
        if (busy_writes && cycle % 4 == s && rng() % 4 == 0)  // one instruction of four beats of the vector ALU
            busy_until[s] = cycle + 4;
        dut->vwr_ready_i[s] = !(stall_writes && rng() % 3 == 0) && cycle >= busy_until[s] && !(closed >> s & 1);
    }
    for (unsigned pair = 0; pair < 2; pair++) {
        unsigned simd = request[pair] >> 10 & 3, row = request[pair] & 1023;
        if (reads >> 2 * pair & 3 && (reads >> 2 * pair & 3) != 1u << (simd & 1))
            fail("read of another SIMD", reads, simd);
        if (reads >> 2 * pair & 3)
            for (unsigned l = 0; l < 16; l++)
                dut->vrd_data_i[simd][l] = vgpr[simd][row >> 2][(row & 3) * 16 + l];
        if (dut->opread_valid_o >> pair & 1)
            operands_read(pair, dut->opread_o[pair]);
    }
    drive();
    for (unsigned pair = 0; SERIAL && pair < PAIRS; pair++)
        if (dut->left_o >> pair & 1)
            left(pair); // the next instruction starts in this cycle
    if (dut->obs_valid_o)
        observe(dut->obs_o[0] >> 8 & 63, dut->obs_o[0] & 255, bits_of(dut->obs_o.data(), 14, 64));
    if (dut->line_rsp_valid_o)
        line_answer(dut->line_rsp_o[0].data());
    if (!lines.empty() && cycle - lines[0].issued > 2000 * SLOW)
        fail("line never answered", cycle - lines[0].issued, 0), exit(1);
    drive_line();
    for (unsigned pair = 0; pair < 2; pair++) {
        if (!SERIAL && dut->left_o >> pair & 1)
            left(pair);
        if (dut->done_valid_o >> pair & 1)
            complete(pair, dut->done_o[pair]);
    }
}

static void issue(const Ds &ds)
{
    queued[ds.wave >> 5].push_back(ds);
}

// Until at most `most` instructions of a pair are under way.
static void wait(unsigned pair, size_t most)
{
    uint64_t last = cycle, done = done_count;
    while (under_way(pair) > most) {
        tick();
        if (done != done_count)
            last = cycle, done = done_count;
        if (cycle - last > 3000 * (SERIAL ? 2 : 1))
            fail("never done", under_way(pair), most), exit(1);
    }
}

static void drain()
{
    wait(0, 0), wait(1, 0);
    for (int i = 0; i < 100 && !lines.empty() && !line_mode; i++)
        tick();
    for (int i = 0; i < 4; i++)
        tick();
    if (!dut->idle_o && !line_mode)
        fail("not idle after the last completion", 0, 1);
}
