// SPDX-License-Identifier: Apache-2.0
// What is asked of an L2 slice, by drawn numbers: batches of reads and writes, the next one some cycles behind the last
// answer of the one before.  The same for the slice alone (l2_plain.cpp) and as a module (l2_module.cpp), which say when
// each answer comes; the figures of both must be equal.
#pragma once
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

#include "gantry_msg.h"

constexpr uint32_t LINK = 16, STORE = 8, FILL = 8 + 272;  // cycles: link.noc_l2, link.store, and back with gpu.dram.path

class load {
  public:
    explicit load(unsigned batches) : left_(batches) {}
    bool over() const { return left_ == 0 && waiting_.empty(); }
    bool waits() const { return !waiting_.empty(); }
    // The next batch, one message a cycle from `begin` on.
    std::vector<msg_mem_req> batch(uint64_t *begin)
    {
        std::vector<msg_mem_req> list(1 + draw() % 4);
        *begin = last_ + 1 + draw() % 40;
        left_--;
        for (msg_mem_req &m : list) {
            m = {};
            const uint64_t line = (draw() % 300) << 16 | (draw() % 4) << 6 | (&m - list.data()) << 14;  // another one in a batch
            m.op = draw() % 2 ? MEM_WRITE : MEM_READ;
            m.tag = ++tag_ & 0xff;
            m.addr = line;
            m.mask = UINT64_MAX;
            for (uint64_t &d : m.data)
                d = line * 77 + tag_;
            waiting_[m.tag] = m;
        }
        return list;
    }
    void answered(uint64_t cycle, const msg_mem_rsp &rsp)
    {
        const auto asked = waiting_.find(rsp.tag);
        if (asked == waiting_.end()) {
            wrong_++;
            return;
        }
        const msg_mem_req &m = asked->second;
        const auto kept = lines_.find(m.addr);
        if (m.op == MEM_READ && rsp.data[0] != (kept == lines_.end() ? 0 : kept->second))
            wrong_++;
        if (m.op == MEM_WRITE)
            lines_[m.addr] = m.data[0];
        waiting_.erase(asked);
        last_ = cycle > last_ ? cycle : last_;
        hash_ = (hash_ ^ cycle * 31 ^ rsp.tag) * 0x100000001b3ull;
        answers_++;
    }
    void print() const
    {
        std::printf("%llu answers, the last at cycle %llu, hash %016llx, %llu wrong\n", (unsigned long long)answers_, (unsigned long long)last_,
                    (unsigned long long)hash_, (unsigned long long)wrong_);
    }

  private:
    uint64_t draw()
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        return state_ ^= state_ << 17;
    }
    unsigned left_;
    uint32_t tag_ = 0;
    uint64_t state_ = 88172645463325252ull, last_ = 64, hash_ = 0, answers_ = 0, wrong_ = 0;
    std::map<uint32_t, msg_mem_req> waiting_;
    std::map<uint64_t, uint64_t> lines_;
};
