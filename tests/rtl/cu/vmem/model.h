// SPDX-License-Identifier: Apache-2.0
// What instructions of vector memory do, lane by lane in program order, and how they are given to the unit.
#ifndef TESTS_VMEM_MODEL_H
#define TESTS_VMEM_MODEL_H
#include "harness.h"

// Bytes of a lane in program order; false where the page does not allow it.
static uint8_t *expected(unsigned w, uint64_t va, unsigned vmid, bool write, unsigned *status)
{
    uint64_t e = va >> 40 ? 0 : mem.entry(vmid, va);
    if (!(e & 1) || (write && !(e & 4))) {
        *status = e & 1 ? MEM_FAULT_READ_ONLY : MEM_FAULT_NOT_PRESENT;
        return nullptr;
    }
    if ((e >> 48 & 0xff) == Memory::nobody || (!write && mem.broken.count(mem.pa_of(vmid, va) & ~63ull))) {
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
    if (v.lds)
        d[0] = *lds_dword(want_lds, v, l);
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
    v.results = v.kind == 2 || v.store || v.lds ? 0 : v.atomic ? (v.glc ? v.dwords : 0) : v.dwords;
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
    for (unsigned l = 0; l < 64 && v.lds && !v.store && !v.status; l++)
        if (v.exec >> l & 1)
            *lds_dword(want_lds, v, l) = v.want[0][l];
    for (unsigned k = 0; k < v.results; k++)
        for (unsigned l = 0; l < 64; l++)
            vgpr[s][v.dst + k][l] = 0xdead0000 + l;
    Packer p;
    p.put(v.flat_scratch, 64);
    for (unsigned i = 0; i < 4; i++)
        p.put(v.rsrc[i], 32);
    p.put(v.soffset, 32), p.put(v.offset, 12), p.put(v.offen, 1), p.put(v.idxen, 1);
    p.put(lds_bytes(v.wave), 17), p.put(lds_base(v.wave), 17), p.put(0x20000001, 32), p.put(0x20000000, 32), p.put(1, 1);
    p.put(v.vmid, 8), p.put(v.exec, 64), p.put(v.dst, 8), p.put(v.data, 8), p.put(v.addr, 8), p.put(v.slc, 1), p.put(v.glc, 1), p.put(v.sext, 1);
    p.put(v.dwords, 3), p.put(v.size, 3), p.put(v.atomic_op, 4), p.put(v.atomic, 1), p.put(v.store, 1), p.put(v.kind, 2), p.put(v.tag, 8), p.put(v.wave, 6);
    v.pc = 0xf00000000000 + 4 * cycle;
    p.put(v.lds_word, 15), p.put(v.lds, 1), p.put(v.pc, 48);
    memcpy(dut->issue_i.data(), p.words, sizeof dut->issue_i);
    dut->valid_i = 1;
    v.issued = cycle;
    flying.push_back(v);
}
#endif
