// SPDX-License-Identifier: Apache-2.0
// A verilated partition (bridge/verilated/model.h) as a module: a socket for each lane of each of its ports, named as the
// signals of its RTL (NAME_i, NAME_o, NAME_credit_i, NAME_credit_o; with several lanes NAME_i_0 ...).
// Responsible for: sockets from the model's table of ports, running the model, its counters.  Not responsible for: time
// (windowed.hpp), where models and latencies come from (host/tlm).
#ifndef GANTRY_TLM_PARTITION_HPP
#define GANTRY_TLM_PARTITION_HPP
#include <functional>

#include "bridge/tlm/windowed.hpp"

struct model_api;
struct model_port;

namespace gantry {

class model_module : public windowed {
  public:
    ~model_module() override;
    // Messages into lane `lane` of input port `port`, and the credits that go back for them.
    input_socket &in(const std::string &port, unsigned lane = 0);
    output_socket &in_credit(const std::string &port, unsigned lane = 0);
    // Messages out of lane `lane` of output port `port`, and the credits that come back for them.
    output_socket &out(const std::string &port, unsigned lane = 0);
    input_socket &out_credit(const std::string &port, unsigned lane = 0);
    // Lanes of that port; 0: there is none.
    unsigned lanes(const std::string &port, bool out) const;
    const std::string &model_kind() const { return kind_; }
    // Every counter, as the command's --counters names them ("" or the block, name, unit).  When the simulation has
    // ended: asking takes clock edges.
    struct counter {
        std::string block, name, unit;
        uint64_t value;
    };
    std::vector<counter> counters();
    // For who asks it as bridge/verilated/model.h says, between two windows.
    const model_api *model(void **instance) const
    {
        *instance = model_;
        return api_;
    }
    // What the model shows of its progress without a clock edge (bridge/verilated/rtl_part.h).
    uint64_t shown() const;

  protected:
    // latency: of an input, by port and lane; credit: of what comes back for that output.
    using latency_fn = std::function<uint32_t(const model_port &port, unsigned lane)>;
    // api outlives the module; id: {gpu, index} as the RTL's strap id_i.
    model_module(const sc_core::sc_module_name &name, const target_clock &clock, const model_api *api, uint16_t id, uint64_t seed,
                 const latency_fn &latency);
    const model_api &api() const { return *api_; }
    const model_port *find(const std::string &port, bool out) const;
    bool step(uint64_t from, part_in *const *due, const uint32_t *count) override;

  private:
    const model_port &port_at(const std::string &port, unsigned lane, bool out, bool credit) const;
    const model_api *api_;
    std::string kind_;
    void *model_;
};

}  // namespace gantry
#endif
