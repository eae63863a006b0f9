// SPDX-License-Identifier: Apache-2.0
// A whole GPU as a module: its DRAM, and which message goes where; contract in gpu.hpp.  Far memory: far.cpp.
#include "tlm/gpu.hpp"

#include <algorithm>
#include <cstring>

#include "bridge/verilated/model.h"
#include "gantry_msg.h"
extern "C" {
#include "tlm/source.h"
}

namespace gantry {

namespace {
constexpr unsigned LINE = 64, SLICE_SHIFT = 8;  // bytes; docs/contracts.md, "Crossbar ports"
}

gpu::gpu(const sc_core::sc_module_name &name, const configuration &config, unsigned number)
    : partition(name, config, number), number_(number), store_(config.store_latency()), dram_request_(find("dram_req", true)->slot),
      far_request_(find("far_req", true)->slot), far_answer_(find("far_rsp", true)->slot), far_credit_back_(find("far_req", true)->credit_slot),
      answer_credit_back_(find("far_rsp", true)->credit_slot)
{
    const model_port &fills = *find("dram_rsp", false), &answers = *find("far_rsp", false);
    for (unsigned i = 0; i < fills.count; i++) {
        dram_.emplace_back();
        dram_[i].name = "dram_" + std::to_string(i);
        dram_[i].socket.reset(new output_socket(dram_[i].name.c_str()));
        dram_[i].answer = fills.slot + i;
    }
    for (unsigned i = 0; i < answers.count; i++) {
        far_.emplace_back();
        far_[i].name = "far_" + std::to_string(i);
        far_[i].socket.reset(new output_socket(far_[i].name.c_str()));
        far_[i].answer = answers.slot + i;
        far_[i].credit = far_credit_back_ + i;
        far_[i].answer_credit = answers.credit_slot + i;
        far_[i].latency = tlm_source_latency(config.source(), "gpu", 0, "far_req", true, i);
        far_[i].room = tlm_source_far_credits(config.source(), i);
    }
}

gpu::~gpu() = default;

void gpu::end_of_elaboration()
{
    windowed::end_of_elaboration();
    for (unsigned i = 0; i < dram_.size(); i++)
        if (bound(*dram_[i].socket) == bound(out("dram_req", i)))
            fail(place_of(dram_[i].name), "a slice needs one DRAM: a memory here or messages at dram_req, not both");
    for (unsigned i = 0; i < far_.size(); i++) {
        far_[i].used = bound(*far_[i].socket);
        if (far_[i].used && bound(out("far_req", i)))
            fail(place_of(far_[i].name), "a far port leads to a memory here or by messages at far_req, not both");
    }
}

bool gpu::divert(uint32_t slot, uint64_t cycle, const void *message)
{
    const uint32_t slice = slot - dram_request_, port = slot - far_request_, answer = slot - far_answer_;
    if (slice < dram_.size()) {
        dram_request(slice, cycle, *static_cast<const msg_dram_req *>(message));
        return bound(*dram_[slice].socket);
    }
    if (port < far_.size() && far_[port].used) {
        far_request(far_[port], cycle, *static_cast<const msg_mem_req *>(message));
        return true;
    }
    for (far_lane &lane : far_) {
        if (!lane.used || slot != lane.answer_credit)
            continue;
        lane.room++;
        far_answers(lane, cycle);
        return true;
    }
    between_ += (port > 0 && port < far_.size()) || (answer > 0 && answer < far_.size());
    return false;
}

bool gpu::step(uint64_t from, part_in *const *due, const uint32_t *count)
{
    for (unsigned c = 0; far_.size() > 1 && c < PART_WINDOW; c++)
        for (uint32_t i = 0; i < count[c]; i++) {
            const uint32_t request = due[c][i].slot - far_credit_back_, answer = due[c][i].slot - answer_credit_back_;
            if ((request > 0 && request < far_.size() && !far_[request].used) || (answer > 0 && answer < far_.size()))
                between_ -= between_ > 0;
        }
    return model_module::step(from, due, count);
}

uint64_t gpu::outstanding() const
{
    uint64_t waiting = between_;
    for (const far_lane &lane : far_)
        waiting += lane.answers.size();
    return waiting;
}

// ---- memories
// Ask a memory; the cycle in which it has answered.
uint64_t gpu::access(lane &lane, bool write, uint64_t at, void *data, uint64_t mask, uint64_t cycle)
{
    unsigned char enables[LINE];
    tlm::tlm_generic_payload payload;
    payload_message(payload, data, LINE);
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(at);
    if (write && mask != UINT64_MAX) {
        for (unsigned i = 0; i < LINE; i++)
            enables[i] = mask >> i & 1 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        payload.set_byte_enable_ptr(enables);
        payload.set_byte_enable_length(LINE);
    }
    sc_core::sc_time delay = delay_of(cycle);
    const sc_core::sc_time before = delay;
    call(*lane.socket, payload, delay, lane.name);
    if (delay < before)
        fail(place_of(lane.name), "the memory has taken time away: its delay must not be less than it was");
    return clock().cycle(sc_core::sc_time_stamp() + delay);
}

// One message a cycle; memories answer in any order.
void gpu::answer(lane &lane, uint64_t cycle, const void *message)
{
    lane.taken.erase(lane.taken.begin(), lane.taken.lower_bound(reached()));
    while (!lane.taken.insert(cycle).second)
        cycle++;
    arrive(lane.answer, cycle, message);
}

void gpu::dram_request(unsigned slice, uint64_t cycle, const msg_dram_req &req)
{
    if (watch_)
        watch_(slice, cycle, req);
    lane &lane = dram_[slice];
    if (!bound(*lane.socket))
        return;
    uint64_t line[LINE / 8];
    memcpy(line, req.data, LINE);
    const uint64_t done = access(lane, req.write, req.addr, line, req.mask, cycle + store_);
    if (req.write)
        return;
    msg_dram_rsp rsp{};
    rsp.tag = req.tag;
    memcpy(rsp.data, line, LINE);
    answer(lane, done + store_, &rsp);
}

uint64_t gpu::debug(bool write, uint64_t at, uint8_t *data, uint64_t bytes)
{
    uint64_t done = 0;
    while (done < bytes) {
        const uint64_t address = at + done, interleave = UINT64_C(1) << SLICE_SHIFT;
        output_socket &memory = *dram_[(address >> SLICE_SHIFT) % dram_.size()].socket;
        if (!bound(memory))  // its DRAM has messages
            break;
        const uint32_t part = static_cast<uint32_t>(std::min(bytes - done, interleave - address % interleave));
        tlm::tlm_generic_payload payload;
        payload_message(payload, data + done, part);
        payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        payload.set_address(address);
        const uint32_t took = memory->transport_dbg(payload);
        done += std::min(took, part);
        if (took < part)
            break;
    }
    return done;
}

uint64_t gpu::load(uint64_t at, const void *data, uint64_t bytes)
{
    return debug(true, at, static_cast<uint8_t *>(const_cast<void *>(data)), bytes);
}

uint64_t gpu::peek(uint64_t at, void *data, uint64_t bytes)
{
    return debug(false, at, static_cast<uint8_t *>(data), bytes);
}

}  // namespace gantry
