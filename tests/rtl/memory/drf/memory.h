// SPDX-License-Identifier: Apache-2.0
// Bytes behind the links: DRAM of each GPU, memory of the host and of GPUs that the bench plays, by physical address; what far
// memory does with a request.  Not responsible for: what they should be (world.h).
#ifndef TESTS_DRF_MEMORY_H
#define TESTS_DRF_MEMORY_H
#include <unordered_map>
#include <vector>

#include "gantry_msg.h"
#include "params.h"

// ---- memory by physical address, owner in bits 55:48 (0 host, k+1 GPU k)
static std::unordered_map<uint64_t, std::vector<uint8_t>> contents;
static uint8_t *at(uint64_t pa)
{
    static uint64_t known = ~0ull;
    static uint8_t *page;
    if (pa >> 12 != known) {
        auto &p = contents[pa >> 12];
        if (p.empty())
            p.assign(4096, 0);
        known = pa >> 12, page = p.data();
    }
    return page + (pa & 4095);
}

static uint64_t atomic_result(unsigned op, unsigned size, uint64_t old, uint64_t a, uint64_t b)
{
    uint64_t m = size == 8 ? ~0ull : 0xffffffff;
    a &= m, b &= m, old &= m;
    int64_t so = size == 8 ? (int64_t)old : (int32_t)old, sa = size == 8 ? (int64_t)a : (int32_t)a;
    switch (op) {
    case ATOMIC_SWAP: return a;
    case ATOMIC_CMPSWAP: return old == b ? a : old;
    case ATOMIC_ADD: return (old + a) & m;
    case ATOMIC_SUB: return (old - a) & m;
    case ATOMIC_SMIN: return sa < so ? a : old;
    case ATOMIC_UMIN: return a < old ? a : old;
    case ATOMIC_SMAX: return sa > so ? a : old;
    case ATOMIC_UMAX: return a > old ? a : old;
    case ATOMIC_AND: return old & a;
    case ATOMIC_OR: return old | a;
    case ATOMIC_XOR: return old ^ a;
    case ATOMIC_INC: return old >= a ? 0 : old + 1;
    default: return old == 0 || old > a ? a : old - 1;
    }
}

// Far memory performs a request when it arrives.
static msg_mem_rsp perform(const msg_mem_req &q)
{
    msg_mem_rsp r = {};
    r.op = q.op, r.source = q.source, r.gpu = q.gpu, r.tag = q.tag;
    uint8_t *p = at(q.addr);
    if (q.op == MEM_READ || q.op == MEM_READ_NC) {
        memcpy(r.data, p, 64);
    } else if (q.op == MEM_WRITE) {
        for (unsigned i = 0; i < 64; i++)
            if (q.mask >> i & 1)
                p[i] = (uint8_t)(q.data[i / 8] >> i % 8 * 8);
    } else if (q.op == MEM_ATOMIC && q.mask) { // words of a line, in their places
        memcpy(r.data, p, 64);
        for (unsigned i = 0; i < 64; i += q.size)
            if (q.mask >> i & 1) {
                uint64_t old = 0, operand = 0, now;
                memcpy(&old, p + i, q.size), memcpy(&operand, (const uint8_t *)q.data + i, q.size);
                now = atomic_result(q.atomic, q.size, old, operand, 0);
                memcpy(p + i, &now, q.size);
            }
    } else if (q.op == MEM_ATOMIC) {
        uint64_t now;
        memcpy(&r.data[0], p, q.size);
        now = atomic_result(q.atomic, q.size, r.data[0], q.data[0], q.data[1]);
        memcpy(p, &now, q.size);
    } else {
        fail("far request", "operation %u of initiator %u at %llx", q.op, q.source, (unsigned long long)q.addr);
    }
    return r;
}
#endif
