// SPDX-License-Identifier: Apache-2.0
// Harness of the compute unit's benches: memory behind the channels, which answers after random times.
#pragma once
#include "harness_parts.h"

struct MemorySide {
    Memory mem;
    Random rnd;
    uint64_t cycle = 0;
    unsigned latency = 12, jitter = 20;
    bool trace = getenv("CU_TRACE") != nullptr;  // print fetches and issues
    uint64_t asked_code = 0, asked_scalars = 0, asked_vector[8] = {};  // requests; of vector memory by enum mem_op
    uint64_t late_va = 0;   // a chunk of code whose answers take up to late_most cycles more
    unsigned late_most = 0;
    std::multimap<uint64_t, msg_ifetch_rsp> ifetch;
    std::multimap<uint64_t, msg_smem_rsp> smem;
    std::multimap<uint64_t, msg_mem_rsp> vector;

    template <class T, class W> static void put(W &port, const T &msg) { memcpy(&port, &msg, sizeof msg); }
    template <class T, class W> static T get(const W &port)
    {
        T msg;
        memcpy(&msg, &port, sizeof msg);
        return msg;
    }
    uint64_t brought[4][2] = {}; // data of the next scalar store of a SIMD
    unsigned data_late = 0;      // cycles that data come later than code
    uint64_t due() { return cycle + latency + rnd.below(jitter + 1); }
    // at most one message a cycle on a port
    template <class M, class T> void send(M &queue, const T &msg, unsigned more)
    {
        uint64_t t = due() + more;
        while (queue.count(t))
            t++;
        queue.emplace(t, msg);
    }

    void answer_mem(const msg_mem_req &q)
    {
        msg_mem_rsp r{};
        asked_vector[q.op & 7]++;
        r.op = q.op;
        r.source = q.source;
        r.tag = q.tag;
        if (q.op == MEM_XLAT) {
            bool ok = mem.has(q.addr & ~4095ull, 4096);
            r.data[0] = ok ? (q.addr & ~4095ull) | PTE_VALID | PTE_R | PTE_W | PTE_X | PTE_LEAF | 1ull << 48 : 0;
            r.status = ok ? MEM_OK : MEM_FAULT_NOT_PRESENT;
        } else {
            uint64_t pa = q.addr & 0xffffffffffff;
            if (!mem.has(pa & ~63ull, 64))
                fail("request outside memory: op=%u addr=%llx", q.op, (unsigned long long)q.addr);
            uint8_t *p = mem.at(pa & ~63ull);
            if (q.op == MEM_WRITE) {
                for (unsigned i = 0; i < 64; i++)
                    if (q.mask >> i & 1)
                        p[i] = ((const uint8_t *)q.data)[i];
            } else if (q.op == MEM_ATOMIC && q.mask) { // words of a line, in their places
                memcpy(r.data, p, 64);
                for (unsigned i = 0; i < 64; i += q.size)
                    if (q.mask >> i & 1) {
                        uint64_t old = 0, operand = 0;
                        memcpy(&old, p + i, q.size), memcpy(&operand, (const uint8_t *)q.data + i, q.size);
                        uint64_t next = gcn3_atomic(q.atomic, q.size, old, operand, 0);
                        memcpy(p + i, &next, q.size);
                    }
            } else if (q.op == MEM_ATOMIC) {
                uint64_t old = 0;
                p = mem.at(pa);
                memcpy(&old, p, q.size);
                uint64_t next = gcn3_atomic(q.atomic, q.size, old, q.data[0], q.data[1]);
                memcpy(p, &next, q.size);
                r.data[0] = old;
            } else {
                memcpy(r.data, p, 64);
            }
        }
        send(vector, r, data_late);
    }

    void answer_ifetch(const msg_ifetch_req &q)
    {
        if (trace)
            std::printf("%llu fetch %02x epoch %02x va %llx\n", (unsigned long long)cycle, q.wave, q.epoch, (unsigned long long)q.va);
        msg_ifetch_rsp r{};
        asked_code++;
        r.wave = q.wave;
        r.epoch = q.epoch;
        if (mem.has(q.va, 32))
            memcpy(r.data, mem.at(q.va), 32);
        else
            r.status = MEM_FAULT_NOT_PRESENT;
        send(ifetch, r, late_most && q.va == late_va ? late_most - rnd.below(late_most * 3 / 4) : 0);
    }

    void answer_smem(const msg_smem_req &q)
    {
        msg_smem_rsp r{};
        asked_scalars++;
        r.wave = q.wave;
        r.tag = q.tag;
        r.op = q.op;
        r.dwords = q.dwords;
        r.va = q.va;
        bool data = q.op == SMEM_LOAD || q.op == SMEM_STORE;
        if (data && !mem.has(q.va, 4 * q.dwords))
            r.status = MEM_FAULT_NOT_PRESENT;
        else if (q.op == SMEM_LOAD)
            memcpy(r.data, mem.at(q.va), 4 * q.dwords);
        else if (q.op == SMEM_STORE)
            memcpy(mem.at(q.va), brought[q.wave >> 4 & 3], 4 * q.dwords);
        if (q.op == SMEM_DATA)
            brought[q.wave >> 4 & 3][q.dwords & 1] = q.va;
        else
            send(smem, r, data_late);
    }

    template <class M, class P> void deliver(M &queue, uint8_t &valid, P &port)
    {
        valid = 0;
        auto it = queue.begin();
        if (it != queue.end() && it->first <= cycle) {
            valid = 1;
            put(port, it->second);
            queue.erase(it);
        }
    }
};
