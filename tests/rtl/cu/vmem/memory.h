// SPDX-License-Identifier: Apache-2.0
// Memory behind the bench of cu_vmem: physical bytes, page table, a server that performs requests in the order of
// their arrival and answers after random delays.  Not responsible for: what the unit should return (tb.cpp).
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "gantry_msg.h"

struct Memory {
    std::unordered_map<uint64_t, std::vector<uint8_t>> pages;  // by physical page
    std::unordered_map<uint64_t, uint64_t> table;              // {vmid, vpn} -> entry
    std::multimap<uint64_t, msg_mem_rsp> answers;              // by due cycle
    std::mt19937_64 rng{7};
    unsigned min_delay = 20, spread = 100, xlat_delay = 0; // xlat_delay: of a translation on top of that
    uint64_t reads = 0, writes = 0, atomics = 0, xlats = 0;
    unsigned last_access = 0; // of a read
    bool record = false; // lines that are read, in `order`
    std::vector<uint64_t> order;
    const char *error = nullptr;
    std::set<uint64_t> withheld;        // keys of pages whose translations are not answered
    std::vector<msg_mem_req> held_back; // such requests
    std::set<uint64_t> broken; // lines whose reads fail
    static constexpr unsigned nobody = 9;  // owner of physical addresses behind which there is no memory

    uint8_t *at(uint64_t pa)
    {
        auto &p = pages[pa >> 12];
        if (p.empty())
            p.assign(4096, 0);
        return p.data() + (pa & 4095);
    }
    static uint64_t key(unsigned vmid, uint64_t va) { return (uint64_t)vmid << 28 | (va >> 12 & 0xfffffff); }
    uint64_t entry(unsigned vmid, uint64_t va)
    {
        auto it = table.find(key(vmid, va));
        return it == table.end() ? 0 : it->second;
    }
    uint64_t pa_of(unsigned vmid, uint64_t va) { return (entry(vmid, va) & 0x00fffffffffff000) | (va & 4095); }

    uint64_t atomic(unsigned op, unsigned size, uint8_t *p, uint64_t a, uint64_t b)
    {
        uint64_t old = 0, now, m = size == 8 ? ~0ull : 0xffffffffull;
        memcpy(&old, p, size);
        a &= m, b &= m;
        int64_t so = size == 8 ? (int64_t)old : (int32_t)old, sa = size == 8 ? (int64_t)a : (int32_t)a;
        switch (op) {
        case ATOMIC_SWAP: now = a; break;
        case ATOMIC_CMPSWAP: now = old == b ? a : old; break;
        case ATOMIC_ADD: now = old + a; break;
        case ATOMIC_SUB: now = old - a; break;
        case ATOMIC_SMIN: now = sa < so ? a : old; break;
        case ATOMIC_UMIN: now = a < old ? a : old; break;
        case ATOMIC_SMAX: now = sa > so ? a : old; break;
        case ATOMIC_UMAX: now = a > old ? a : old; break;
        case ATOMIC_AND: now = old & a; break;
        case ATOMIC_OR: now = old | a; break;
        case ATOMIC_XOR: now = old ^ a; break;
        case ATOMIC_INC: now = old >= a ? 0 : old + 1; break;
        default: now = old == 0 || old > a ? a : old - 1; break;
        }
        memcpy(p, &now, size);
        return old;
    }

    // Of one word, or of those of a line that the mask has.
    void atomics_of(const msg_mem_req &q, msg_mem_rsp &r)
    {
        if ((q.mask == 0) != (q.atomic == ATOMIC_CMPSWAP) || (q.mask && q.addr & 63))
            error = "form of an atomic";
        if (!q.mask)
            r.data[0] = atomic(q.atomic, q.size, at(q.addr), q.data[0], q.data[1]);
        for (unsigned i = 0; q.mask && i < 64; i += q.size) {
            uint64_t bytes = q.size == 8 ? 0xff : 0xf, operand = 0, old;
            if ((q.mask >> i & bytes) != (q.mask >> i & 1 ? bytes : 0))
                error = "a part of a word of an atomic";
            if (!(q.mask >> i & 1))
                continue;
            memcpy(&operand, (const uint8_t *)q.data + i, q.size);
            old = atomic(q.atomic, q.size, at(q.addr + i), operand, 0);
            memcpy((uint8_t *)r.data + i, &old, q.size);
        }
    }

    // `slices` as the unit's parameter: checks the target port of every request.
    void request(const msg_mem_req &q, uint64_t cycle, unsigned slices)
    {
        msg_mem_rsp r = {};
        r.op = q.op, r.tag = q.tag;
        unsigned far = q.addr >> 48 != 1;
        unsigned target = q.op == MEM_XLAT ? slices : far ? slices + 1 : (q.addr >> 8) % slices;
        if (q.target != target)
            error = "request to the wrong target";
        if (q.op == MEM_XLAT && withheld.count(key(q.vmid, q.addr))) {
            xlats++;
            held_back.push_back(q);
            return;
        }
        if (q.op == MEM_XLAT) {
            xlats++;
            r.data[0] = entry(q.vmid, q.addr);
            r.status = !(r.data[0] & 1) || !(q.access & 2) || r.data[0] & 4 ? MEM_OK : MEM_FAULT_READ_ONLY;
            if (!(r.data[0] & 1))
                r.status = MEM_FAULT_NOT_PRESENT, r.data[0] = 0;
        } else if (q.addr >> 48 == nobody || broken.count(q.addr & ~63ull)) {
            r.status = MEM_FAULT_BUS;
        } else if (q.op == MEM_READ || q.op == MEM_READ_NC) {
            reads++, last_access = q.access;
            if (record)
                order.push_back(q.addr);
            if (q.addr & 63)
                error = "read not aligned";
            memcpy(r.data, at(q.addr), 64);
        } else if (q.op == MEM_WRITE) {
            writes++;
            if (q.addr & 63 || !q.mask)
                error = "write not aligned or empty";
            for (unsigned i = 0; i < 64; i++)
                if (q.mask >> i & 1)
                    at(q.addr)[i] = (uint8_t)(q.data[i / 8] >> i % 8 * 8);
        } else {
            atomics++;
            atomics_of(q, r);
        }
        answers.emplace(cycle + min_delay + (spread ? rng() % spread : 0) + (q.op == MEM_XLAT ? xlat_delay : 0), r);
    }

    // What was withheld is answered, by the entries of now.
    void release(uint64_t cycle, unsigned slices)
    {
        std::vector<msg_mem_req> list;
        list.swap(held_back);
        withheld.clear();
        xlats -= list.size();
        for (const msg_mem_req &q : list)
            request(q, cycle, slices);
    }
};
