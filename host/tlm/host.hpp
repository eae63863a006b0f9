// SPDX-License-Identifier: Apache-2.0
// The host model as a module: driver, queues, command processor, page tables and host memory of a machine whose GPUs are
// modules of this simulation.  It runs a command (`kernel`, `replay`, `run`), which sends the GPUs their commands, takes
// their events and serves their far memory, with the credits, latencies and bandwidth of the machine's own links.  What
// the program or the driver puts into VRAM past the GPU goes into the memories behind its dram sockets by transport_dbg;
// what the GPU writes there the host sees, too.
// Not responsible for: the command itself (host/cli), GPUs (gpu.hpp).  One host a simulation.
#ifndef GANTRY_TLM_HOST_HPP
#define GANTRY_TLM_HOST_HPP
#include <map>

#include "tlm/gpu.hpp"

struct external_memory;
struct sim;

namespace gantry {

class host : public sc_core::sc_module {
  public:
    // words: as behind `gantry`, without the configuration, which is that of `config`: {"kernel", "x.co", "--grid", "64",
    // ...}.  -c and --set are refused.  gpus: all of the configuration; they outlive the module.  peers: far ports of
    // GPUs lead into the machine's links; own: only port 0 does, and whoever builds the simulation binds the others.
    enum links { peers, own };
    host(const sc_core::sc_module_name &name, const configuration &config, const std::vector<gpu *> &gpus, const std::vector<std::string> &words,
         links between = peers);
    ~host() override;
    // Of the command, which ends the simulation (sc_stop); 70: it has not ended.
    int exit_status() const { return status_; }

  private:
    using target = tlm_utils::simple_target_socket_tagged<host>;
    using initiator = tlm_utils::simple_initiator_socket<host>;
    struct arrival {  // of a target socket
        unsigned gpu;
        int port;
        unsigned lane;
        std::unique_ptr<target> socket;
    };
    struct link {
        gpu *module;
        std::map<std::pair<int, unsigned>, std::unique_ptr<initiator>> messages, credits;  // by port and lane
        uint64_t reached;
        bool idle;
        external_memory *memory;
    };
    struct calls;  // from the machine
    friend struct calls;
    void run();
    void bind(gpu &gpu, links between);
    void to_gpu(link &l, const std::string &name, int port, unsigned lane, input_socket &socket, bool credit);
    void from_gpu(link &l, const std::string &name, int port, unsigned lane, output_socket &socket);
    void transport(int tag, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    void dram(unsigned gpu, unsigned slice, uint64_t cycle, const msg_dram_req &req);
    void send(link &l, initiator &socket, uint64_t cycle, const void *message, uint32_t bytes);
    void sent(unsigned gpu, int port, unsigned lane, uint64_t cycle, const void *message);
    bool begin(sim *machine);
    void end();
    void take(unsigned gpu, int port, unsigned lane, uint64_t cycle, const void *message);
    bool step(unsigned gpu, uint64_t from);

    const configuration &config_;
    std::vector<std::string> words_;
    target_clock clock_;
    std::vector<std::unique_ptr<link>> links_;  // by number of the GPU
    std::vector<arrival> arrivals_;
    sc_core::sc_event reached_;
    tlm::tlm_generic_payload payload_;  // of what is sent
    sim *sim_ = nullptr;
    int status_ = 70;
};

}  // namespace gantry
#endif
