// SPDX-License-Identifier: Apache-2.0
// Far ports of a GPU with a plain memory behind them; contract in gpu.hpp.  Credits go back with the answers, and an
// answer waits for a place in the GPU; both take the port's latency, answers come in the order of requests.
#include <algorithm>
#include <cstring>

#include "gantry_msg.h"
#include "tlm/gpu.hpp"
extern "C" {
#include "vm/pmem.h"
}

namespace gantry {

namespace {
constexpr unsigned LINE = 64;

// Words of the line that an atomic with a mask changes: `line` gets what they are then, `old` what they were.
void words_change(const msg_mem_req &req, uint8_t *line, uint8_t *old)
{
    const unsigned size = req.size == 8 ? 8 : 4;
    for (unsigned at = 0; at < LINE; at += size) {
        if (!(req.mask >> at & 1))
            continue;
        uint64_t before = 0, operand = 0;
        memcpy(&before, line + at, size);
        memcpy(&operand, reinterpret_cast<const uint8_t *>(req.data) + at, size);
        const uint64_t after = pmem_atomic_result(req.atomic, size, before, operand, 0);
        memcpy(line + at, &after, size);
        memcpy(old + at, &before, size);
    }
}

void word_change(const msg_mem_req &req, uint8_t *line, uint8_t *old)
{
    const unsigned size = req.size == 8 ? 8 : 4, at = static_cast<unsigned>(req.addr % LINE);
    uint64_t before = 0;
    memcpy(&before, line + at, size);
    const uint64_t after = pmem_atomic_result(req.atomic, size, before, req.data[0], req.data[1]);
    memcpy(line + at, &after, size);
    memcpy(old, &before, size);
}

// As host memory answers what it cannot do (docs/reference/channels.md): nothing is done then.
bool refused(const msg_mem_req &req)
{
    const uint64_t size = req.size;
    if (req.op != MEM_READ && req.op != MEM_READ_NC && req.op != MEM_WRITE && req.op != MEM_ATOMIC)
        return true;
    return req.op == MEM_ATOMIC && ((size != 4 && size != 8) || req.addr % (req.mask ? LINE : size) != 0 || req.atomic > ATOMIC_DEC);
}
}  // namespace

void gpu::far_request(far_lane &lane, uint64_t cycle, const msg_mem_req &req)
{
    const uint64_t at = req.addr & PMEM_OFFSET_MASK & ~UINT64_C(63), arrives = cycle + lane.latency;
    msg_mem_rsp rsp{};
    rsp.op = req.op;
    rsp.source = req.source;
    rsp.gpu = req.gpu;
    rsp.tag = req.tag;
    rsp.status = refused(req) ? MEM_FAULT_BUS : MEM_OK;
    uint8_t line[LINE], old[LINE] = {};
    uint64_t done = arrives;
    if (rsp.status != MEM_OK) {
        // nothing is done
    } else if (req.op == MEM_WRITE) {
        memcpy(line, req.data, LINE);
        done = access(lane, true, at, line, req.mask, arrives);
    } else {
        done = access(lane, false, at, line, 0, arrives);
        memcpy(rsp.data, line, LINE);
    }
    if (rsp.status == MEM_OK && req.op == MEM_ATOMIC) {
        if (req.mask)
            words_change(req, line, old);
        else
            word_change(req, line, old);
        done = access(lane, true, at, line, UINT64_MAX, done);
        memcpy(rsp.data, old, LINE);
    }
    const auto *bytes = reinterpret_cast<const uint8_t *>(&rsp);
    lane.answers.emplace_back(done, std::vector<uint8_t>(bytes, bytes + sizeof rsp));
    far_answers(lane, cycle);
}

// Answers for which the GPU has places; `cycle`: of the last place, or of a request.
void gpu::far_answers(far_lane &lane, uint64_t cycle)
{
    while (lane.room && !lane.answers.empty()) {
        const auto &[done, bytes] = lane.answers.front();
        const uint64_t due = std::max({done + lane.latency, cycle + 2 * lane.latency, lane.last + 1});
        lane.last = due;
        lane.room--;
        arrive(lane.answer, due, bytes.data());
        arrive(lane.credit, due, nullptr);
        lane.answers.pop_front();
    }
}

}  // namespace gantry
