// SPDX-License-Identifier: Apache-2.0
// Verilated partitions as modules; contract in partition.hpp.
#include "bridge/tlm/partition.hpp"

#include "bridge/verilated/model.h"

namespace gantry {

namespace {
std::string socket_name(const model_port &port, const char *end, unsigned lane)
{
    return std::string(port.name) + end + (port.count > 1 ? "_" + std::to_string(lane) : "");
}
}  // namespace

// Numbers of the model: inputs are the lanes of input ports, then the credits for outputs; outputs likewise.
model_module::model_module(const sc_core::sc_module_name &name, const target_clock &clock, const model_api *api, uint16_t id, uint64_t seed,
                           const latency_fn &latency)
    : windowed(name, clock), api_(api), kind_(api->kind), model_(nullptr)
{
    for (const bool credits : {false, true}) {
        for (uint32_t i = 0; i < api->port_count; i++) {
            const model_port &port = api->ports[i];
            for (unsigned lane = 0; lane < port.count && (port.credit || !credits); lane++) {
                if (port.out == credits)
                    add_input(socket_name(port, credits ? "_credit_i" : "_i", lane), credits ? 0 : port.bytes, latency(port, lane));
                else
                    add_output(socket_name(port, credits ? "_credit_o" : "_o", lane), credits ? 0 : port.bytes);
            }
        }
    }
    model_ = api->create(api, this->name(), id, seed);
    if (model_ == nullptr)
        throw error(std::string("gantry: ") + this->name() + ": the model cannot be made", 70);
}

model_module::~model_module()
{
    api_->destroy(model_);
}

const model_port *model_module::find(const std::string &port, bool out) const
{
    for (uint32_t i = 0; i < api_->port_count; i++)
        if (port == api_->ports[i].name && api_->ports[i].out == out)
            return &api_->ports[i];
    return nullptr;
}

unsigned model_module::lanes(const std::string &port, bool out) const
{
    const model_port *found = find(port, out);
    return found ? found->count : 0;
}

const model_port &model_module::port_at(const std::string &port, unsigned lane, bool out, bool credit) const
{
    const model_port *found = find(port, out);
    if (found && lane < found->count && (found->credit || !credit))
        return *found;
    std::string have;
    for (uint32_t i = 0; i < api_->port_count; i++)
        if (api_->ports[i].out == out && (api_->ports[i].credit || !credit))
            have += std::string(have.empty() ? "" : ", ") + api_->ports[i].name + "[" + std::to_string(api_->ports[i].count) + "]";
    throw error(std::string("gantry: ") + name() + ": kind " + kind_ + " has no " + (out ? "output " : "input ") + port + "[" + std::to_string(lane) + "]" +
                    (credit ? " with credits" : "") + ": there are " + have,
                64);
}

input_socket &model_module::in(const std::string &port, unsigned lane)
{
    return input_at(port_at(port, lane, false, false).slot + lane);
}

output_socket &model_module::in_credit(const std::string &port, unsigned lane)
{
    return output_at(port_at(port, lane, false, true).credit_slot + lane);
}

output_socket &model_module::out(const std::string &port, unsigned lane)
{
    return output_at(port_at(port, lane, true, false).slot + lane);
}

input_socket &model_module::out_credit(const std::string &port, unsigned lane)
{
    return input_at(port_at(port, lane, true, true).credit_slot + lane);
}

bool model_module::step(uint64_t from, part_in *const *due, const uint32_t *count)
{
    model_sink sink;
    sink.ctx = this;
    sink.send = [](void *ctx, uint32_t slot, uint64_t cycle, const void *message) { static_cast<model_module *>(ctx)->send(slot, cycle, message); };
    sink.observe = [](void *, uint32_t, uint32_t, uint64_t, const void *) {};  // nobody asks for it
    return api_->step(model_, from, due, count, false, &sink);
}

std::vector<model_module::counter> model_module::counters()
{
    std::vector<counter> all;
    for (uint32_t i = 0; i < api_->counter_count; i++)
        all.push_back({api_->counters[i].block, api_->counters[i].name, api_->counters[i].unit, api_->counter(model_, i)});
    return all;
}

uint64_t model_module::shown() const
{
    return api_->shown(model_);
}

}  // namespace gantry
