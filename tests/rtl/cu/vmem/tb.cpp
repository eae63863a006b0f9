// SPDX-License-Identifier: Apache-2.0
// Bench of cu_vmem (with l1v and tlb_l1): random FLAT and MUBUF instructions of eight wavefronts, each in its own
// pages, against bytes executed in program order; random latencies, masks, strides, misaligned elements, faults,
// invalidation and remapping under traffic, addresses that nobody owns; lanes in the LDS aperture, mixed with others, against a
// model of the LDS behind its port.  Then transaction counts of strides, permuted and masked lanes (S4.11), cycles of streams of instructions,
// and always the order of completion of a wavefront (S1.2) and the shortest latency.  The argument `speed` prints ns a cycle instead.
// top: cu_vmem
// sources: build/gen/gantry_msg_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/cu_vmem_pkg.sv rtl/l1/l1v_pkg.sv rtl/common/pick_pkg.sv rtl/common/latency_floor.sv rtl/tlb/tlb_pkg.sv rtl/tech/ram_1r1w.sv rtl/cu/cu_vmem_slots.sv rtl/cu/cu_vmem_coalesce.sv rtl/cu/cu_vmem_request.sv rtl/cu/cu_vmem_return.sv rtl/cu/cu_vmem_pipe.sv rtl/l1/l1v.sv rtl/tlb/tlb_l1.sv rtl/cu/cu_vmem.sv
// args: -Wno-UNUSEDPARAM
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd2
// mutant: -GSeedFault=4'd3
// mutant: -GSeedFault=4'd4
// mutant: -GSeedFault=4'd5
// mutant: -GSeedFault=4'd6
// mutant: -GSeedFaultL1=4'd1
// mutant: -GSeedFaultL1=4'd2
// mutant: -GSeedFaultL1=4'd3
#include <cmath>
#include <ctime>
#include <deque>

#include "Vcu_vmem.h"
#include "memory.h"

enum { LATENCY = 120 - 13 };  // default of the parameter: from valid_i to the report
enum { SLICES = 4, WAVES = 8, PAGES = 4, CREDITS = 16 };
static const uint64_t SHARED_VA = 0x7000000000, BAD_VA = 0x3000000000, RO_VA = 0x3100000000;

static std::mt19937_64 rng(3);
static Vcu_vmem *dut;
static Memory mem;
static uint64_t cycle;
static uint32_t vgpr[4][256][64];
static std::vector<uint8_t> region[WAVES], shared_bytes;  // expected contents
static uint8_t lds[65536], want_lds[65536];               // behind the port, in program order of each wavefront
static const uint64_t LDS_VA = 0x2000000000000000;
static uint64_t line_due, lines, flat_lds;
static int failures, credits_out;
static bool stall_writes;
static uint64_t count[7];
static std::deque<uint64_t> credit_due;

static void fail(const char *what, uint64_t a, uint64_t b)
{
    if (++failures <= 10)
        printf("cycle %llu: %s: got %llx, want %llx\n", (unsigned long long)cycle, what, (unsigned long long)a, (unsigned long long)b);
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
    unsigned wave = 0, tag = 0, kind = 0;  // kind: 0 flat, 1 mubuf, 2 invalidate
    bool store = false, atomic = false, sext = false, glc = false, idxen = false, offen = false;
    unsigned atomic_op = 0, size = 2, dwords = 1, addr = 0, data = 0, dst = 0, vmid = 1, offset = 0;
    uint32_t soffset = 0, rsrc[4] = {};
    uint64_t exec = ~0ull, flat_scratch = 0;
    unsigned bytes() const { return size < 2 ? 1u << size : dwords * 4; }
    // expected
    uint32_t want[4][64] = {};
    unsigned results = 0, status = 0;
    std::vector<uint64_t> fault_va;
    uint64_t issued = 0;  // cycle
    bool read_done = false, in_lds = false, apart = false;  // apart: lanes in scratch make all go word by word
};
static std::deque<Vm> flying;  // all wavefronts, in order of issue
static uint64_t completed, slowest;

static void complete(const uint32_t *w)
{
    unsigned tag = bits_of(w, 74, 8), wave = bits_of(w, 82, 6), status = bits_of(w, 64, 8);
    uint64_t va = bits_of(w, 0, 64);
    auto it = flying.begin();
    while (it != flying.end() && it->wave != wave)
        ++it;  // the oldest of its wavefront
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
    bool known = !status;
    for (uint64_t f : it->fault_va)
        known |= f == va;
    if (!known)
        fail("address of the fault", va, it->fault_va.empty() ? 0 : it->fault_va[0]);
    if (!status)
        for (unsigned k = 0; k < it->results; k++)
            for (unsigned l = 0; l < 64; l++)
                if (vgpr[wave >> 4][it->dst + k][l] != (it->exec >> l & 1 ? it->want[k][l] : 0xdead0000 + l)) {
                    if (failures < 10)
                        printf("kind %u bytes %u atomic %d wave %x lane %u word %u offen %d idxen %d rsrc %x %x %x %x\n", it->kind, it->bytes(), it->atomic,
                               wave, l, k, it->offen, it->idxen, it->rsrc[0], it->rsrc[1], it->rsrc[2], it->rsrc[3]);
                    fail("result", vgpr[wave >> 4][it->dst + k][l], it->exec >> l & 1 ? it->want[k][l] : 0xdead0000 + l);
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
    q.mask = bits_of(w, 512, 64), q.addr = bits_of(w, 576, 17), q.lanes = bits_of(w, 593, 64), q.word = bits_of(w, 657, 2);
    q.split = bits_of(w, 659, 1), q.wide = bits_of(w, 660, 1), q.atomic_op = bits_of(w, 661, 4), q.atomic = bits_of(w, 665, 1);
    q.store = bits_of(w, 666, 1), q.id = bits_of(w, 667, 8), q.tag = bits_of(w, 675, 8), q.wave = bits_of(w, 683, 6);
    return q;
}

static unsigned lds_base(unsigned wave) { return 512 + wave * 1024; }  // allocation of a wavefront: 512 bytes and a bit
static unsigned lds_bytes(unsigned wave) { return 512 + wave % 8 * 8; }

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
    bool read = dut->vrd_valid_o;
    unsigned row = dut->vrd_o & 1023, simd = dut->vrd_o >> 10 & 3;
    const uint32_t *w = dut->vwr_o.data();
    unsigned s = bits_of(w, 550, 2);
    if (read && dut->vrd_valid_o != 1u << simd)
        fail("SIMDs read", dut->vrd_valid_o, 1u << simd);
    if (dut->vwr_valid_o && dut->vwr_valid_o != 1u << s)
        fail("SIMDs written", dut->vwr_valid_o, 1u << s);
    if (dut->vwr_valid_o && dut->vwr_ready_i[s] & 2) {
        unsigned lanes = bits_of(w, 512, 16), vrow = bits_of(w, 528, 10);
        for (unsigned l = 0; l < 16; l++)
            if (lanes >> l & 1)
                vgpr[s][vrow >> 2][(vrow & 3) * 16 + l] = w[l];
    }
    dut->clk_i = 1;
    dut->eval();
    cycle++;
    dut->valid_i = 0, dut->inv_i = 0, dut->mem_rsp_valid_i = 0, dut->mem_req_credit_i = 0, dut->line_rsp_valid_i = 0;
    for (unsigned i = 0; i < 4; i++)
        dut->vwr_ready_i[i] = (stall_writes ? rng() % 3 != 0 : 1) << 1 | (rng() & 1);
    if (read)
        for (unsigned l = 0; l < 16; l++)
            dut->vrd_data_i[simd][l] = vgpr[simd][row >> 2][(row & 3) * 16 + l];
    if (dut->mem_req_valid_o) {
        msg_mem_req q;
        memcpy(&q, dut->mem_req_o.data(), sizeof q);
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
                    fail("operands read: lanes in the LDS aperture", dut->opread_lds_o, p.in_lds);
                break;
            }
    if (dut->done_valid_o)
        complete(dut->done_o.data());
}

// Bytes of a lane in program order; false where the page does not allow it.
static uint8_t *expected(unsigned w, uint64_t va, unsigned vmid, bool write, unsigned *status)
{
    uint64_t e = va >> 40 ? 0 : mem.entry(vmid, va);
    if (!(e & 1) || (write && !(e & 4))) {
        *status = e & 1 ? MEM_FAULT_READ_ONLY : MEM_FAULT_NOT_PRESENT;
        return nullptr;
    }
    if ((e >> 48 & 0xff) == Memory::nobody) {
        *status = MEM_FAULT_BUS;
        return nullptr;
    }
    if (va >= SHARED_VA)
        return &shared_bytes[va - SHARED_VA];
    if (va >> 32 == RO_VA >> 32)
        return &shared_bytes[(va - RO_VA) % shared_bytes.size()];
    return &region[w][va & (PAGES * 4096 - 1)];
}

static unsigned wave_index(unsigned wave) { return (wave >> 4) * 2 + (wave & 1); }

static void execute_lane(Vm &v, unsigned l, unsigned first_word, uint64_t va, unsigned bytes)
{
    unsigned w = wave_index(v.wave), s = v.wave >> 4, status = 0;
    uint32_t d[4];
    for (unsigned k = 0; k < 4; k++)
        d[k] = vgpr[s][v.data + first_word + k][l];
    if (v.atomic) {
        uint8_t *p = expected(w, va, v.vmid, true, &status);
        if (va % bytes)
            p = nullptr, status = FAULT_ALIGN;
        if (p) {
            uint64_t a = bytes == 8 ? d[0] | (uint64_t)d[1] << 32 : d[0], b = bytes == 8 ? d[2] | (uint64_t)d[3] << 32 : d[1];
            uint64_t old = mem.atomic(v.atomic_op, bytes, p, a, b);
            v.want[0][l] = old, v.want[1][l] = old >> 32;
        }
    }
    uint8_t got[16] = {};
    for (unsigned i = 0; i < bytes && !v.atomic; i++) {
        unsigned bad = 0;
        uint8_t *p = expected(w, va + i, v.vmid, v.store, &bad);
        if (!p)
            status = bad, v.fault_va.push_back((va + i) & ~63ull);  // the part on the second line
        else if (v.store)
            *p = ((uint8_t *)d)[i];
        else
            got[i] = *p;
    }
    if (status)
        v.status = status, v.fault_va.push_back(va);
    if (status == MEM_FAULT_BUS)
        v.fault_va.push_back(v.store ? 0 : va & ~63ull);  // an acknowledge carries no address
    if (!v.store && !v.atomic) {
        memcpy(&v.want[first_word][l], got, 4);
        for (unsigned k = 1; k < bytes / 4; k++)
            memcpy(&v.want[first_word + k][l], got + 4 * k, 4);
        if (v.sext)
            v.want[0][l] = bytes == 1 ? (int8_t)got[0] : (int16_t)v.want[0][l];
    }
}

// A lane in the LDS aperture: address bits below the size are ignored, beyond the allocation it reads 0.
static void execute_lds_lane(Vm &v, unsigned l, uint32_t low)
{
    unsigned s = v.wave >> 4, bytes = v.bytes();
    uint32_t d[4], got[4] = {}, at = low & ~((bytes == 12 ? 16 : bytes) - 1);
    for (unsigned k = 0; k < 4; k++)
        d[k] = vgpr[s][v.data + k][l];
    if ((uint64_t)at + bytes <= lds_bytes(v.wave)) {
        uint8_t *p = &want_lds[lds_base(v.wave) + at];
        if (v.atomic) {
            uint64_t a = bytes == 8 ? d[0] | (uint64_t)d[1] << 32 : d[0], b = bytes == 8 ? d[2] | (uint64_t)d[3] << 32 : d[1];
            uint64_t old = mem.atomic(v.atomic_op, bytes, p, a, b);
            memcpy(got, &old, 8);
        } else if (v.store) {
            memcpy(p, d, bytes);
        } else {
            memcpy(got, p, bytes);
        }
    }
    for (unsigned k = 0; k < 4; k++)
        v.want[k][l] = got[k];
    if (v.sext)
        v.want[0][l] = bytes == 1 ? (int8_t)got[0] : (int16_t)got[0];
}

// Word k of a lane in scratch: words of a lane are 256 bytes apart.
static void execute_scratch_lane(Vm &v, unsigned l, uint32_t low, unsigned k)
{
    uint32_t offset = low + 4 * k;
    if (4 * k < v.bytes())
        execute_lane(v, l, k, ((v.flat_scratch >> 32) << 8) + (uint64_t)(offset / 4) * 256 + l * 4, v.bytes() < 4 ? v.bytes() : 4);
}

// Word k (the whole element, k = 0, of lanes that are not in scratch).
static void execute_flat(Vm &v, unsigned l, unsigned k)
{
    uint32_t low = vgpr[v.wave >> 4][v.addr][l], high = vgpr[v.wave >> 4][v.addr + 1][l];
    if (high == 0x20000001)
        execute_scratch_lane(v, l, low, k);
    else if (high == 0x20000000)
        k ? (void)0 : execute_lds_lane(v, l, low), v.in_lds = true;
    else if (v.apart && v.bytes() > 4 && 4 * k < v.bytes())
        execute_lane(v, l, k, (low | (uint64_t)high << 32) + 4 * k, 4);
    else if (!k)
        execute_lane(v, l, 0, low | (uint64_t)high << 32, v.bytes());
}

// Access number `access` of a lane: swizzled elements go word by word, each for all lanes.
static void execute_buffer(Vm &v, unsigned access, unsigned l, const uint32_t *first, const uint32_t *second)
{
    uint64_t base = (v.rsrc[0] | (uint64_t)v.rsrc[1] << 32) & 0xffffffffffff;
    uint32_t stride = v.rsrc[1] >> 16 & 0x3fff, records = v.rsrc[2], element = 2u << (v.rsrc[3] >> 19 & 3), group = 8u << (v.rsrc[3] >> 21 & 3);
    bool swizzle = v.rsrc[1] >> 31;
    unsigned step = swizzle && v.bytes() > 4 ? 4 : v.bytes();
    unsigned k = access * step;
    if (k < v.bytes()) {
        uint32_t offset = (v.offen ? (v.idxen ? second : first)[l] : 0) + v.offset + k;
        uint32_t index = (v.idxen ? first[l] : 0) + (v.rsrc[3] >> 23 & 1 ? l : 0);
        uint64_t linear = (uint64_t)index * stride + offset;
        bool out = stride && swizzle ? index >= records : (swizzle ? offset : linear) + step + v.soffset > records;
        uint64_t major = (uint64_t)(index / group) * stride + offset / element * element;
        uint64_t va = base + v.soffset + (swizzle ? major * group + index % group * element + offset % element : linear);
        if (!out)
            execute_lane(v, l, k / 4, va, step);
    }
}

static void issue(Vm v)
{
    int patience = 20000;
    dut->eval();
    while (!dut->ready_o && --patience)
        tick(), dut->eval();
    if (!patience)
        fail("never ready", 0, 1), exit(1);
    tick();
    v.results = v.kind == 2 || v.store ? 0 : v.atomic ? (v.glc ? v.dwords : 0) : v.dwords;
    unsigned s = v.wave >> 4;
    for (unsigned l = 0; l < 64; l++)
        v.apart |= v.kind == 0 && v.exec >> l & 1 && vgpr[s][v.addr + 1][l] == 0x20000001;
    for (unsigned n = 0; n < 256 && v.kind != 2; n++)
        if (unsigned l = n % 64; v.exec >> l & 1) {
            if (v.kind == 1)
                execute_buffer(v, n / 64, l, vgpr[s][v.addr], vgpr[s][v.addr + 1]);
            else
                execute_flat(v, l, n / 64);
        }
    for (unsigned k = 0; k < v.results; k++)
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][v.dst + k][l] = 0xdead0000 + l;
    Packer p;
    p.put(v.flat_scratch, 64);
    for (unsigned i = 0; i < 4; i++)
        p.put(v.rsrc[i], 32);
    p.put(v.soffset, 32), p.put(v.offset, 12), p.put(v.offen, 1), p.put(v.idxen, 1);
    p.put(lds_bytes(v.wave), 17), p.put(lds_base(v.wave), 17), p.put(0x20000001, 32), p.put(0x20000000, 32), p.put(1, 1);
    p.put(v.vmid, 8), p.put(v.exec, 64), p.put(v.dst, 8), p.put(v.data, 8), p.put(v.addr, 8), p.put(v.glc, 1), p.put(v.sext, 1);
    p.put(v.dwords, 3), p.put(v.size, 3), p.put(v.atomic_op, 4), p.put(v.atomic, 1), p.put(v.store, 1), p.put(v.kind, 2), p.put(v.tag, 8), p.put(v.wave, 6);
    memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
    dut->valid_i = 1;
    v.issued = cycle;
    flying.push_back(v);
}

static void drain()
{
    int patience = 50000;
    while (!flying.empty() && --patience)
        tick();
    if (!patience)
        fail("never done", flying.size(), 0), exit(1);
    for (int i = 0; i < 8; i++)
        tick();
    for (int i = 0; i < 60 && !credit_due.empty(); i++)
        tick();
    for (int i = 0; i < 6; i++)
        tick();
    if (!dut->idle_o)
        fail("not idle after the last completion", 0, 1);
}

static uint64_t region_va(unsigned w) { return 0x100000000 + (uint64_t)w * 0x1000000; }

static void map_page(unsigned vmid, uint64_t va, uint64_t pa, unsigned flags) { mem.table[Memory::key(vmid, va)] = pa | 0x10 | flags | 1; }

static uint64_t new_page(unsigned owner)
{
    static uint64_t next = 0x40;  // another page for each, anywhere in 36 bits
    return (uint64_t)owner << 48 | ((next += 1 + rng() % 5) * 0x9e3779b97 & 0xfffffffff) << 12;
}

static void set_up()
{
    shared_bytes.resize(PAGES * 4096);
    for (auto &b : shared_bytes)
        b = rng();
    for (unsigned p = 0; p < PAGES; p++) {
        uint64_t pa = new_page(1);
        memcpy(mem.at(pa), &shared_bytes[p * 4096], 4096);
        map_page(1, SHARED_VA + p * 4096, pa, 2 | 4);
        map_page(1, RO_VA + p * 4096, pa, 2);
    }
    for (unsigned w = 0; w < WAVES; w++) {
        region[w].resize(PAGES * 4096);
        for (unsigned p = 0; p < PAGES; p++) {
            uint64_t pa = new_page(rng() % 4 ? 1 : rng() % 3);
            map_page(1, region_va(w) + p * 4096, pa, 2 | 4 | (rng() % 5 ? 0 : 0x20));
            for (unsigned i = 0; i < 4096; i++)
                region[w][p * 4096 + i] = mem.at(pa)[i] = rng();
        }
    }
}

static void random_flat(Vm &v, unsigned serial)
{
    unsigned w = wave_index(v.wave), s = v.wave >> 4;
    uint64_t base = region_va(w), span = PAGES * 4096;
    bool shared = !v.store && !v.atomic && rng() % 4 == 0, bad = rng() % 40 == 0;
    if (shared)
        base = rng() % 2 ? SHARED_VA : RO_VA;
    unsigned shape = rng() % 6, stride = 1u << rng() % 9, shift = rng() % 1024, natural = v.atomic ? v.bytes() : v.bytes() < 4 ? v.bytes() : 4;
    bool odd = !v.atomic && rng() % 6 == 0;
    for (unsigned l = 0; l < 64; l++) {
        uint64_t o = shape == 0 ? l * v.bytes() : shape == 1 ? l * v.bytes() + shift : shape == 2 ? l * stride : shape == 3 ? (63 - l) * v.bytes()
                     : shape == 4 ? rng() % 256 : rng() % span;
        if (!odd)
            o -= o % natural;
        o %= span - 16;
        o -= odd ? 0 : o % natural;
        uint64_t va = base + o;
        if (bad && rng() % 16 == 0)
            va = (serial & 1 && v.store ? RO_VA : BAD_VA) + o;
        if (bad && !(serial & 7) && l == 40)
            va |= 1ull << 45;
        vgpr[s][v.addr][l] = va, vgpr[s][v.addr + 1][l] = va >> 32;
    }
}

// Some or all lanes go to the LDS of the wavefront, some beyond its end, some not aligned; some to scratch, which lies in
// its own pages.
static void into_apertures(Vm &v)
{
    unsigned s = v.wave >> 4, shape = rng() % 5, far = rng() % 8 == 0, align = rng() % 4 ? v.bytes() & -v.bytes() : 1;
    uint64_t all = rng() % 2 ? ~0ull : rng() | rng(), scratch = !v.atomic && rng() % 4 == 0 ? rng() & rng() : 0;
    v.flat_scratch = 256 | (region_va(wave_index(v.wave)) >> 8) << 32;  // 64 words of 64 lanes
    for (unsigned l = 0; l < 64; l++) {
        uint32_t o = shape == 0 ? l * v.bytes() : shape == 1 ? (63 - l) * 8 : shape == 2 ? rng() % 16 : rng() % 600;
        o -= o % align;
        if (far && rng() % 8 == 0)
            o = rng() % 2 ? 0xffffffff - rng() % 32 : rng();
        if (scratch >> l & 1)
            vgpr[s][v.addr][l] = rng() % 60 * 4, vgpr[s][v.addr + 1][l] = 0x20000001;
        else if (all >> l & 1)
            vgpr[s][v.addr][l] = o, vgpr[s][v.addr + 1][l] = LDS_VA >> 32;
    }
    flat_lds++;
}

static void random_buffer(Vm &v)
{
    unsigned w = wave_index(v.wave), s = v.wave >> 4;
    uint64_t base = region_va(w);
    v.kind = 1, v.offen = rng() % 2, v.idxen = rng() % 2;
    v.soffset = rng() % 4 ? 0 : rng() % 64 * 4, v.offset = rng() % 16 * 4;
    bool swizzle = rng() % 2;
    unsigned stride = rng() % 2 ? 16 : 0, natural = v.bytes() < 4 ? v.bytes() : 4;
    v.rsrc[0] = base, v.rsrc[1] = (uint32_t)(base >> 32) | stride << 16 | (swizzle ? 1u << 31 : 0);
    v.rsrc[3] = (swizzle ? 1u << 19 | (rng() % 2 ? 3u : 0u) << 21 | 1u << 23 : 0);
    v.rsrc[2] = rng() % 3 ? 8192 : rng() % 2048;
    if (stride && swizzle)
        v.rsrc[2] = rng() % 3 ? 256 : rng() % 64;
    for (unsigned l = 0; l < 64; l++) {
        unsigned a = v.idxen ? rng() % 40 : rng() % (swizzle ? 32 : 1024) / natural * natural, b = rng() % 32 / natural * natural;
        vgpr[s][v.addr][l] = a, vgpr[s][v.addr + 1][l] = b;
    }
}

static unsigned serial_of[WAVES];

// A wavefront has four blocks of registers, used in turn.
static void wait_for_registers(unsigned wave)
{
    int patience = 20000;
    for (unsigned same = 4; same >= 4 && --patience;) {
        same = 0;
        for (auto &f : flying)
            same += f.wave == wave;
        if (same >= 4)
            tick();
    }
    if (!patience)
        fail("no completion", 0, 1), exit(1);
}

static Vm random_vm(unsigned serial)
{
    Vm v;
    v.wave = rng() % 4 << 4 | rng() % 2;
    unsigned w = wave_index(v.wave), s = v.wave >> 4;
    wait_for_registers(v.wave);
    v.tag = serial_of[w] & 255;
    unsigned base = (v.wave & 1) * 128 + serial_of[w]++ % 4 * 32;
    v.addr = base, v.data = base + 4, v.dst = base + 16;
    unsigned kind = rng() % 20;
    if (kind == 0) {
        v.kind = 2;
        return v;
    }
    v.store = kind < 7, v.atomic = kind >= 7 && kind < 10;
    v.glc = rng() % 4 == 0;
    v.size = v.atomic ? 2 : rng() % 3 ? 2 : rng() % 2;
    v.dwords = v.size < 2 ? 1 : v.atomic ? 1 + rng() % 2 : 1 + rng() % 4;
    v.sext = v.size < 2 && !v.store && rng() % 2;
    v.atomic_op = rng() % 13;
    v.exec = rng() % 4 ? rng() | rng() : rng() % 3 ? ~0ull : rng() % 2 ? 0 : 1ull << rng() % 64;
    for (unsigned l = 0; l < 64; l++)
        for (unsigned k = 0; k < 8; k++)
            vgpr[s][v.data + k][l] = rng() % 4 ? rng() : rng() % 4;
    if (!v.atomic && rng() % 4 == 0)
        random_buffer(v);
    else
        random_flat(v, serial);
    if (v.kind == 0 && rng() % 4 == 0)
        into_apertures(v);
    return v;
}

static void invalidate(unsigned flags, unsigned vmid)
{
    dut->inv_i = 1, dut->inv_flags_i = flags, dut->inv_vmid_i = vmid;
    int patience = 5000;
    do
        tick();
    while (!dut->inv_done_o && --patience);
    if (!patience)
        fail("invalidation never done", 0, 1), exit(1);
}

// The host writes the shared pages (all of them, moved to new places with `remap`): visible after an invalidation.
static void change_shared(bool remap)
{
    while (!flying.empty())
        tick();
    for (auto &b : shared_bytes)
        b = rng();
    for (unsigned p = 0; p < PAGES; p++) {
        if (remap) {
            uint64_t pa = new_page(1);
            map_page(1, SHARED_VA + p * 4096, pa, 2 | 4), map_page(1, RO_VA + p * 4096, pa, 2);
        }
        memcpy(mem.at(mem.pa_of(1, SHARED_VA + p * 4096)), &shared_bytes[p * 4096], 4096);
    }
    invalidate(remap ? CACHE_INV_L1V | CACHE_INV_TLB : CACHE_INV_L1V, rng() % 2 ? 1 : 255);
}

// A load of shared lines is under way while the host changes them and a wavefront invalidates: later loads are fresh.
static void race_invalidation()
{
    Vm v;
    v.wave = 0, v.addr = 0, v.dst = 16, v.data = 4, v.tag = serial_of[0]++ & 255;
    drain();
    vgpr[0][0][0] = (uint32_t)SHARED_VA, vgpr[0][1][0] = SHARED_VA >> 32, v.exec = 1;
    issue(v);  // the translation is there from here on
    drain();
    invalidate(CACHE_INV_L1V, 1);
    mem.min_delay = 200, mem.spread = 1;
    v.exec = 0xffff, v.tag = serial_of[0]++ & 255;  // as many lines as the cache has misses
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][0][l] = SHARED_VA + l * 64 % 4096, vgpr[0][1][l] = SHARED_VA >> 32;
    issue(v);
    for (unsigned i = 0; i < 150; i++)
        tick();
    mem.min_delay = 20;
    for (unsigned i = 0; i < 4096; i++)
        shared_bytes[i] ^= 0xff, *mem.at(mem.pa_of(1, SHARED_VA + i)) ^= 0xff;
    Vm inv;
    inv.kind = 2, inv.wave = 0x10, inv.tag = serial_of[2]++ & 255, inv.addr = inv.data = inv.dst = 32;
    if (rng() % 2)
        issue(inv);
    else
        invalidate(CACHE_INV_L1V, 1);
    for (unsigned i = 0; i < 600; i++)
        tick();
    v.addr = 32, v.dst = 48, v.tag = serial_of[0]++ & 255;
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][32][l] = SHARED_VA + l * 64 % 4096, vgpr[0][33][l] = SHARED_VA >> 32;
    issue(v);
    drain();
}

// Transactions of one load with lane l at byte place(l).
template <typename F> static void check_count(const char *what, unsigned dwords, uint64_t exec, unsigned want, F place)
{
    Vm v;
    v.wave = 0, v.addr = 0, v.dst = 16, v.dwords = dwords, v.exec = exec, v.tag = serial_of[0]++ & 255;
    for (unsigned l = 0; l < 64; l++)
        vgpr[0][0][l] = SHARED_VA + place(l), vgpr[0][1][l] = SHARED_VA >> 32;
    drain();
    uint64_t before = count[0];
    issue(v);
    drain();
    printf("%-32s %3llu transactions, want %u\n", what, (unsigned long long)(count[0] - before), want);
    if (count[0] - before != want)
        fail(what, count[0] - before, want);
}

static void transaction_counts()
{
    for (unsigned stride = 1; stride <= 64; stride *= 2) {
        char name[32];
        snprintf(name, sizeof name, "stride %u dwords", stride);
        check_count(name, 1, ~0ull, stride < 16 ? 4 * stride : 64, [=](unsigned l) { return l * stride * 4; });
    }
    check_count("permuted in 16 lanes", 1, ~0ull, 4, [](unsigned l) { return (l ^ 11) * 4; });
    check_count("reversed", 1, ~0ull, 4, [](unsigned l) { return (63 - l) * 4; });
    check_count("same address", 1, ~0ull, 1, [](unsigned) { return 100; });
    check_count("stride 1 from byte 4", 1, ~0ull, 5, [](unsigned l) { return 4 + l * 4; });
    check_count("masked: even lanes of stride 1", 1, 0x5555555555555555, 4, [](unsigned l) { return l * 4; });
    check_count("masked: lanes 0 to 15", 1, 0xffff, 1, [](unsigned l) { return l * 4; });
    check_count("masked: one lane", 1, 1ull << 37, 1, [](unsigned l) { return l * 4; });
    check_count("masked: none", 1, 0, 0, [](unsigned l) { return l * 4; });
    check_count("x2", 2, ~0ull, 8, [](unsigned l) { return l * 8; });
    check_count("x4", 4, ~0ull, 16, [](unsigned l) { return l * 16; });
    check_count("dword across lines", 1, 1, 2, [](unsigned) { return 62; });
}

// A translation to physical addresses that nobody owns: the fault comes with the memory's answer, of loads, stores and atomics.
static void bus_faults()
{
    const uint64_t va = 0x3f0000000;
    map_page(1, va, new_page(Memory::nobody), 2 | 4);
    for (unsigned n = 0; n < 16; n++) {
        Vm v;
        v.wave = 0x10, v.addr = 0, v.data = 4, v.dst = 16, v.exec = n & 8 ? 1 : 0xf00f, v.tag = serial_of[2]++ & 255;
        v.store = n % 4 == 1, v.atomic = n % 4 > 1, v.glc = n % 4 == 3, v.atomic_op = ATOMIC_ADD, v.dwords = n & 4 && !v.atomic ? 2 : 1;
        for (unsigned l = 0; l < 64; l++)
            vgpr[1][0][l] = va + l * 8, vgpr[1][1][l] = va >> 32;
        issue(v);
        if (flying.back().status != MEM_FAULT_BUS)
            fail("the bench expects no fault", flying.back().status, MEM_FAULT_BUS);
        drain();
    }
}

// Cycles of an instruction in a stream of flat ones that hit, with lane l of wavefront w at byte place(l).
template <typename F> static void check_cost(const char *what, Vm v, double want, F place)
{
    uint64_t begin = 0;
    const unsigned warm = 64, all = 192;
    drain();
    mem.min_delay = 20, mem.spread = 1;
    for (unsigned i = 0; i < all; i++) {
        v.wave = i % 4 << 4 | (i / 4 & 1);
        unsigned w = wave_index(v.wave), s = v.wave >> 4;
        wait_for_registers(v.wave);
        v.tag = serial_of[w] & 255;
        v.addr = (v.wave & 1) * 128 + serial_of[w]++ % 4 * 32, v.data = v.addr + 4, v.dst = v.addr + 16;
        uint64_t base = v.store || v.atomic ? region_va(w) : SHARED_VA;
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][v.addr][l] = base + place(l), vgpr[s][v.addr + 1][l] = base >> 32;
        if (i == warm)
            begin = cycle;
        issue(v);
    }
    double got = (double)(cycle - begin) / (all - warm);
    drain();
    printf("%-40s %6.2f cycles, want %.0f\n", what, got, want);
    if (got < want - 0.1 || got > want + 0.7)
        fail(what, (uint64_t)(got * 100), (uint64_t)(want * 100));
}

static void costs()
{
    Vm load, wide, store, add, swap;
    auto linear = [](unsigned l) { return l * 4; };
    store.store = true;
    add.atomic = true, add.atomic_op = 2, add.exec = 1;
    swap.atomic = true, swap.atomic_op = 1, swap.exec = 1ull << 40;
    // 8 rows of addresses are read in 8 cycles; coalesced addresses are no slower
    check_cost("load, successive dwords", load, 8, linear);
    check_cost("load, successive dwords from byte 4", load, 8, [](unsigned l) { return 4 + l * 4; });
    check_cost("load, one dword", load, 8, [](unsigned) { return 100; });
    check_cost("load, every second dword", load, 16, [](unsigned l) { return l * 8; });
    check_cost("load, up to 15 dwords further", load, 16, [](unsigned l) { return (l + l * l * 7 % 16) * 4; });
    check_cost("load, reversed in 16 lanes", load, 16, [](unsigned l) { return (l ^ 15) * 4; });
    load.exec = 0x8000000000000001;
    check_cost("load, two lanes far apart", load, 8, [](unsigned l) { return l * 60; });
    load.exec = 0x0000000100000003;
    check_cost("load, two lanes of a beat apart", load, 8, [](unsigned l) { return l * 60; });
    load.exec = ~0ull, load.size = 1;
    check_cost("load, successive shorts", load, 8, [](unsigned l) { return l * 2; });
    check_cost("load, shorts in every dword", load, 16, linear);
    wide.dwords = 2;
    check_cost("load x2", wide, 18, [](unsigned l) { return l * 8; });
    wide.dwords = 3;
    check_cost("load x3", wide, 16, [](unsigned l) { return l * 12; });
    wide.exec = 1;
    check_cost("load x3, one lane", wide, 16, [](unsigned l) { return l * 12; });
    check_cost("store", store, 16, linear);
    store.exec = 1;
    check_cost("store, one lane", store, 16, linear);
    check_cost("atomic, one lane", add, 16, linear);
    check_cost("compare and swap, one lane", swap, 32, linear);
}

// Faults of addresses: atomics that are no multiple of their size (other lanes are performed), atomics in scratch, loads beyond the
// scratch memory of a lane, addresses anywhere without a page, also beyond 40 bits.
static void address_faults()
{
    enum { ALIGN, ATOMIC, BEYOND, FAR };
    for (unsigned n = 0; n < 400; n++) {
        unsigned what = n < 16 ? n % 4 : FAR, lane = n % 64;
        Vm v;
        v.wave = 0x10, v.addr = 0, v.data = 4, v.dst = 16, v.tag = serial_of[2]++ & 255, v.exec = what == ALIGN ? ~0ull : 1ull << lane;
        v.atomic = what < BEYOND, v.atomic_op = ATOMIC_ADD, v.glc = n & 4, v.dwords = n & 8 && v.atomic ? 2 : 1;
        v.flat_scratch = what == BEYOND ? 256 | region_va(2) >> 8 << 32 : 0;
        for (unsigned l = 0; l < 64; l++) {
            uint64_t va = region_va(2) + l * 8 + (l == lane ? v.dwords * 2 : 0);
            vgpr[1][0][l] = what == BEYOND ? 256 : what == FAR ? rng() : (uint32_t)va;
            vgpr[1][1][l] = what == ALIGN ? va >> 32 : what == FAR ? (n & 1 ? rng() : rng() & 0xff) | 0x80 : 0x20000001;
        }
        issue(v);
        Vm &want = flying.back();
        uint64_t flat = (uint64_t)vgpr[1][1][lane] << 32 | vgpr[1][0][lane];
        if (what == ATOMIC || what == BEYOND)
            want.status = FAULT_APERTURE, want.fault_va = {what == ATOMIC ? flat : region_va(2) + 256 / 4 * 256 + lane * 4};
        if (want.status != (what == ALIGN ? FAULT_ALIGN : what == FAR ? MEM_FAULT_NOT_PRESENT : FAULT_APERTURE))
            fail("the bench expects no such fault", want.status, what);
        drain();
    }
}

static double cpu_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double speed(bool store, unsigned dwords)
{
    drain();
    mem.min_delay = 100, mem.spread = 1;
    for (unsigned s = 0; s < 4; s++)
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][0][l] = SHARED_VA + s * 1024 + l * 4 * dwords, vgpr[s][1][l] = SHARED_VA >> 32;
    uint64_t begin = cycle, n = 20000;
    double t0 = cpu_ns();
    for (unsigned i = 0; i < n; i++) {
        Vm v;
        v.wave = i % 4 << 4, v.tag = serial_of[i % 4 * 2]++ & 255, v.addr = 0, v.data = 4, v.dst = 16, v.store = store, v.dwords = dwords;
        v.exec = 0;  // set below: the reference is not wanted here
        dut->eval();
        while (!dut->ready_o)
            tick(), dut->eval();
        tick();
        v.exec = ~0ull, v.results = 0;
        Packer p;
        for (unsigned k = 0; k < 6; k++)
            p.put(0, 32);
        p.put(0, 32), p.put(0, 14), p.put(0, 34), p.put(0, 64), p.put(0, 1);
        p.put(1, 8), p.put(v.exec, 64), p.put(v.dst, 8), p.put(v.data, 8), p.put(v.addr, 8), p.put(0, 2);
        p.put(v.dwords, 3), p.put(2, 3), p.put(0, 5), p.put(v.store, 1), p.put(0, 2), p.put(v.tag, 8), p.put(v.wave, 6);
        memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
        dut->valid_i = 1;
        v.issued = cycle;
        flying.push_back(v);
    }
    drain();
    printf("%s x%u: %.1f ns a cycle, %.2f cycles an instruction (bench included)\n", store ? "store" : "load", dwords, (cpu_ns() - t0) / (cycle - begin),
           (double)(cycle - begin) / n);
    return 0;
}

int main(int argc, char **argv)
{
    dut = new Vcu_vmem;
    set_up();
    for (unsigned i = 0; i < sizeof lds; i++)
        lds[i] = want_lds[i] = rng();
    dut->rst_ni = 0, dut->own_gpu_i = 0;
    tick(), tick();
    dut->rst_ni = 1;
    tick();
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        drain();
        double t0 = cpu_ns();
        for (int i = 0; i < 1000000; i++)
            dut->clk_i = 0, dut->eval(), dut->clk_i = 1, dut->eval();
        printf("idle %.1f ns a cycle\n", (cpu_ns() - t0) / 1e6);
        speed(false, 1), speed(true, 1), speed(false, 4);
        return 0;
    }
    for (unsigned n = 0; n < 20000 && !failures; n++) {
        stall_writes = n / 128 % 2;
        mem.spread = n / 512 % 2 ? 1 : 150;
        Vm v = random_vm(n);
        issue(v);
        if (n % 500 == 499)
            change_shared(n % 1000 == 999);
        if (n % 1500 == 1499)
            race_invalidation();
        if (mem.error)
            fail(mem.error, 0, 0);
    }
    stall_writes = false;
    drain();
    for (unsigned w = 0; w < WAVES; w++)
        for (unsigned i = 0; i < PAGES * 4096; i++)
            if (*mem.at(mem.pa_of(1, region_va(w) + i)) != region[w][i])
                fail("memory", *mem.at(mem.pa_of(1, region_va(w) + i)), region[w][i]);
    for (unsigned i = 0; i < sizeof lds; i++)
        if (lds[i] != want_lds[i])
            fail("LDS", lds[i], want_lds[i]);
    printf("%llu instructions with lanes in the LDS, %llu lines\n", (unsigned long long)flat_lds, (unsigned long long)lines);
    printf("%llu instructions in %llu cycles; transactions %llu, TLB hit %llu miss %llu, read hit %llu miss %llu joined %llu, write %llu\n",
           (unsigned long long)completed, (unsigned long long)cycle, (unsigned long long)count[0], (unsigned long long)count[1],
           (unsigned long long)count[2], (unsigned long long)count[3], (unsigned long long)count[4], (unsigned long long)count[5],
           (unsigned long long)count[6]);
    printf("slowest: %llu cycles\n", (unsigned long long)slowest);
    if (!failures)
        transaction_counts(), bus_faults(), address_faults();
    if (!failures)
        costs();
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}
