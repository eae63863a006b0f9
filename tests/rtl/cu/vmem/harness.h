// SPDX-License-Identifier: Apache-2.0
// What surrounds cu_vmem in its bench: VGPRs, the LDS behind its port, memory, the ends of instructions; one call of
// tick() a cycle.
#ifndef TESTS_VMEM_HARNESS_H
#define TESTS_VMEM_HARNESS_H

#include <cmath>
#include <ctime>
#include <deque>

#include "Vcu_vmem.h"
#include "memory.h"

enum { LATENCY = 120 - 13 }; // default of the parameter: from valid_i to the report
#ifndef LANES
#define LANES 16  // of a SIMD
#endif
#ifndef MSHRS
#define MSHRS 16  // misses that the cache can have under way
#endif
enum { SLICES = 4, WAVES = 8, PAGES = 4, CREDITS = 16, MISSES = 4 }; // MISSES: translations under way, key gpu.l1v.tlb_misses
static const uint64_t ALIAS = 0x800000; // as far behind its pages a wavefront finds them again
static const uint64_t SHARED_VA = 0x7000000000, BAD_VA = 0x3000000000, RO_VA = 0x3100000000;

static std::mt19937_64 rng(3);
static Vcu_vmem *dut;
static Memory mem;
static uint64_t cycle;
static uint32_t vgpr[4][256][64];
static std::vector<uint8_t> region[WAVES], shared_bytes; // expected contents
static uint8_t lds[65536], want_lds[65536];              // behind the port, in program order of each wavefront
static const uint64_t LDS_VA = 0x2000000000000000;
static uint64_t line_due, lines, flat_lds, buffer_lds;
static int failures, credits_out;
static uint64_t two_reads; // cycles that read rows of two SIMDs
static bool stall_writes;
static void (*watch_request)(const msg_mem_req &); // sees what goes to memory
static uint64_t count[7];
static std::deque<uint64_t> credit_due;

static void fail(const char *what, uint64_t a, uint64_t b)
{
    if (++failures <= 10)
        printf("cycle %llu: %s: got %llx, want %llx\n", (unsigned long long)cycle, what, (unsigned long long)a,
               (unsigned long long)b);
}

struct Packer {
    uint32_t words[32] = {};
    unsigned at = 0;
    void put(uint64_t v, unsigned bits)
    {
        for (unsigned i = 0; i < bits; i++, at++)
            words[at / 32] |= (uint32_t)((v >> i) & 1) << (at % 32);
    }
};
static uint64_t bits_of(const uint32_t *w, unsigned at, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)(w[(at + i) / 32] >> ((at + i) % 32) & 1) << i;
    return v;
}

struct Vm {
    unsigned wave = 0, tag = 0, kind = 0; // kind: 0 flat, 1 mubuf, 2 invalidate
    bool store = false, atomic = false, sext = false, glc = false, slc = false, idxen = false, offen = false, lds = false;
    unsigned lds_word = 0;
    unsigned atomic_op = 0, size = 2, dwords = 1, addr = 0, data = 0, dst = 0, vmid = 1, offset = 0;
    uint32_t soffset = 0, rsrc[4] = {};
    uint64_t exec = ~0ull, flat_scratch = 0, pc = 0;
    unsigned bytes() const { return size < 2 ? 1u << size : dwords * 4; }
    // expected
    uint32_t want[4][64] = {};
    unsigned results = 0, status = 0;
    std::vector<uint64_t> fault_va;
    uint64_t issued = 0;                                   // cycle
    bool read_done = false, in_lds = false, apart = false; // apart: lanes in scratch make all go word by word
};
static std::deque<Vm> flying; // all wavefronts, in order of issue

// A load with slc leaves no line in the L2; the first of several that wait for a line says so for all.  One with glc waits for
// none, and no cache of another GPU may answer it.
static void check_stream(const msg_mem_req &q)
{
    for (const Vm &v : flying)
        if (q.op <= MEM_READ_NC && v.wave == (q.user & 63) && v.tag == (q.user >> 8 & 255) && v.slc != (q.op == MEM_READ_NC))
            fail("slc of a read", q.op, v.slc);
        else if (q.op <= MEM_READ_NC && v.wave == (q.user & 63) && v.tag == (q.user >> 8 & 255) && v.glc && !(q.access & 8))
            fail("a read with glc is not from home", q.access, 8);
}
static uint64_t completed, slowest;

static unsigned lds_base(unsigned wave)
{
    return 512 + wave * 1024;
} // allocation of a wavefront: 512 bytes and a bit
static unsigned lds_bytes(unsigned wave)
{
    return 512 + wave % 8 * 8;
}
static uint32_t *lds_dword(uint8_t *of, const Vm &v, unsigned lane)
{
    return (uint32_t *)&of[lds_base(v.wave) + 4 * (v.lds_word + lane)];
}

static void complete(const uint32_t *w)
{
    unsigned tag = bits_of(w, 74, 8), wave = bits_of(w, 82, 6), status = bits_of(w, 64, 8);
    uint64_t va = bits_of(w, 0, 64);
    auto it = flying.begin();
    while (it != flying.end() && it->wave != wave)
        ++it; // the oldest of its wavefront
    if (it == flying.end())
        return fail("completion without instruction", wave, 0);
    if (it->tag != tag)
        fail("completion out of order (S1.2), tag", tag, it->tag);
    if (cycle - it->issued < LATENCY)
        fail("completion after cycles", cycle - it->issued, LATENCY);
    slowest = cycle - it->issued > slowest ? cycle - it->issued : slowest;
    if (!it->read_done)
        fail("completion before operands were read", tag, 0);
    if (status != it->status)
        fail("status", status, it->status);
    if (status && bits_of(w, 88, 48) != it->pc)
        fail("pc of the fault", bits_of(w, 88, 48), it->pc);
    bool known = !status;
    for (uint64_t f : it->fault_va)
        known |= f == va;
    if (!known)
        fail("address of the fault", va, it->fault_va.empty() ? 0 : it->fault_va[0]);
    for (unsigned l = 0; l < 64 && it->lds && !it->store && !status; l++)
        if (uint32_t *p = lds_dword(lds, *it, l); it->exec >> l & 1 && *p != it->want[0][l])
            fail("dword loaded into the LDS", *p, it->want[0][l]);
    if (!status)
        for (unsigned k = 0; k < it->results; k++)
            for (unsigned l = 0; l < 64; l++)
                if (vgpr[wave >> 4][it->dst + k][l] != (it->exec >> l & 1 ? it->want[k][l] : 0xdead0000 + l)) {
                    if (failures < 10)
                        printf(
                            "kind %u bytes %u atomic %d wave %x lane %u word %u offen %d idxen %d rsrc %x %x %x %x\n",
                            it->kind, it->bytes(), it->atomic, wave, l, k, it->offen, it->idxen, it->rsrc[0],
                            it->rsrc[1], it->rsrc[2], it->rsrc[3]);
                    fail("result", vgpr[wave >> 4][it->dst + k][l],
                         it->exec >> l & 1 ? it->want[k][l] : 0xdead0000 + l);
                }
    flying.erase(it);
    completed++;
}

// ---- the LDS: one line at a time, answered after a random delay
struct Line {
    unsigned tag, wave, id, atomic_op, word, addr;
    bool store, atomic, wide, split;
    uint64_t lanes, mask;
    uint8_t data[64];
};
static Line line_of(const uint32_t *w)
{
    Line q;
    memcpy(q.data, w, 64);
    q.mask = bits_of(w, 512, 64), q.addr = bits_of(w, 576, 17), q.lanes = bits_of(w, 593, 64),
    q.word = bits_of(w, 657, 2);
    q.split = bits_of(w, 659, 1), q.wide = bits_of(w, 660, 1), q.atomic_op = bits_of(w, 661, 4),
    q.atomic = bits_of(w, 665, 1);
    q.store = bits_of(w, 666, 1), q.id = bits_of(w, 667, 8), q.tag = bits_of(w, 675, 8), q.wave = bits_of(w, 683, 6);
    return q;
}

static void answer_line()
{
    Line q = line_of(dut->line_o[0].data());
    uint32_t answer[17] = {};
    unsigned base = lds_base(q.wave);
    if (q.addr < base || (q.addr & ~63u) > base + lds_bytes(q.wave) - 1 || !q.lanes || (!q.atomic && q.addr & 63))
        fail("line outside the allocation, empty or not aligned: address", q.addr, base);
    if (q.atomic && q.lanes & (q.lanes - 1))
        fail("atomic of several lanes", q.lanes, 0);
    if (q.store) {
        for (unsigned i = 0; i < 64; i++)
            if (q.mask >> i & 1)
                lds[q.addr + i] = q.data[i];
    } else if (q.atomic) {
        uint64_t a, b, old;
        memcpy(&a, q.data, 8), memcpy(&b, q.data + 8, 8);
        old = mem.atomic(q.atomic_op, q.wide ? 8 : 4, &lds[q.addr], a, b);
        memcpy(answer, &old, 8);
    } else {
        memcpy(answer, &lds[q.addr], 64);
    }
    answer[16] = q.id;
    memcpy(dut->line_rsp_i[0].data(), answer, sizeof answer);
    dut->line_rsp_valid_i = 1;
    line_due = 0;
}

static void tick()
{
    dut->clk_i = 0;
    dut->time_i = cycle;
    dut->eval();
    unsigned read = dut->rst_ni ? dut->vrd_valid_o : 0, row[4]; // by SIMD; before reset outputs are anything
    for (unsigned s = 0; s < 4; s++)
        row[s] = dut->vrd_row_o[s];
    const uint32_t *rows[4] = {dut->vwr0_o.data(), dut->vwr1_o.data(), dut->vwr2_o.data(), dut->vwr3_o.data()};
    if (__builtin_popcount(read) > (LANES == 16 ? 2 : 1)) // addresses of one and data of another; in parts one at a time
        fail("SIMDs read", read, 0);
    two_reads += __builtin_popcount(read) == 2;
    for (unsigned s = 0; s < 4; s++) {
        const uint32_t *w = rows[s];
        if (!(dut->vwr_valid_o >> s & 1) || !(dut->vwr_ready_i[s] & 2) || !dut->rst_ni)
            continue;
        if (bits_of(w, 550, 2) != s)
            fail("SIMD of a row", bits_of(w, 550, 2), s);
        unsigned lanes = bits_of(w, 512, 16), vrow = bits_of(w, 528, 10);
        for (unsigned l = 0; l < 16; l++)
            if (lanes >> l & 1)
                vgpr[s][vrow >> 2][(vrow & 3) * 16 + l] = w[l];
    }
    dut->clk_i = 1;
    dut->eval();
    cycle++;
    dut->valid_i = 0, dut->inv_i = 0, dut->hold_i = 0, dut->mem_rsp_valid_i = 0, dut->mem_req_credit_i = 0, dut->line_rsp_valid_i = 0;
    for (unsigned i = 0; i < 4; i++)
        dut->vwr_ready_i[i] = (stall_writes ? rng() % 3 != 0 : 1) << 1 | (rng() & 1);
    for (unsigned s = 0; s < 4; s++) {  // a narrow SIMD passes a row in parts, which move down
        static unsigned part[4];
        if (!(read >> s & 1))
            continue;
        for (unsigned l = 0; l < 16; l++)
            dut->vrd_data_i[s][l] = l + LANES < 16 ? dut->vrd_data_i[s][l + LANES]
                                                   : vgpr[s][row[s] >> 2][(row[s] & 3) * 16 + part[s] * LANES + l % LANES];
        part[s] = (part[s] + 1) % (16 / LANES);
    }
    if (!dut->rst_ni)
        return;
    if (dut->mem_req_valid_o) {
        msg_mem_req q;
        memcpy(&q, dut->mem_req_o.data(), sizeof q);
        check_stream(q);
        if (watch_request)
            watch_request(q);
        mem.request(q, cycle, SLICES);
        if (++credits_out > CREDITS)
            fail("more requests than credits", credits_out, CREDITS);
        credit_due.push_back(cycle + 8 + (stall_writes ? rng() % 20 : 0));
    }
    if (line_due && line_due <= cycle)
        answer_line();
    if (dut->line_valid_o) {
        if (line_due)
            fail("a line before the answer to the one before", line_due, 0);
        line_due = cycle + 3 + (rng() % 4 ? 0 : rng() % 60), lines++;
    }
    if (!credit_due.empty() && credit_due.front() <= cycle)
        credit_due.pop_front(), credits_out--, dut->mem_req_credit_i = 1;
    if (!mem.answers.empty() && mem.answers.begin()->first <= cycle) {
        memcpy(dut->mem_rsp_i.data(), &mem.answers.begin()->second, sizeof(msg_mem_rsp));
        dut->mem_rsp_valid_i = 1;
        mem.answers.erase(mem.answers.begin());
    }
    for (unsigned i = 0; i < 7; i++)
        count[i] += dut->perf_o >> i & 1;
    if (dut->opread_valid_o)
        for (auto &p : flying)
            if (!p.read_done) {
                p.read_done = true;
                if ((dut->opread_o & 255) != p.tag)
                    fail("operands read of tag", dut->opread_o & 255, p.tag);
                if (dut->opread_lds_o != p.in_lds)
                    fail("operands read: access to the LDS", dut->opread_lds_o, p.in_lds);
                break;
            }
    if (dut->done_valid_o)
        complete(dut->done_o.data());
}
#endif
