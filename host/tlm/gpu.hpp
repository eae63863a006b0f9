// SPDX-License-Identifier: Apache-2.0
// A whole GPU of RTL (rtl/gpu/gpu.sv) as a module.  Beside the sockets of its messages (partition.hpp) it has plain
// memory sockets: DRAM, one a slice, and far memory, one a far port, for who has a memory and no messages.
//   dram(slice): reads and writes of 64 bytes at the byte offset in VRAM, byte enables for what a write leaves out.  The
//     call's delay is when the request is at the memory, link.store behind the slice; the memory adds what it takes; the
//     answer is link.store later at the slice.  A memory that adds gpu.dram.path cycles is the one of the command.
//   far(port): the same for the memory behind a far port (0: the host's, k + 1: GPU k's), at the byte offset in its
//     owner's memory, with the port's latency each way.  An atomic is a read and a write of the line in one call time.
// Any memory will do that answers in b_transport without waiting; direct memory pointers are not asked for.
#ifndef GANTRY_TLM_GPU_HPP
#define GANTRY_TLM_GPU_HPP
#include <set>

#include "tlm/configuration.hpp"

struct msg_dram_req;
struct msg_mem_req;

namespace gantry {

class gpu : public partition<gantry::kind::gpu> {
  public:
    gpu(const sc_core::sc_module_name &name, const configuration &config, unsigned number = 0);
    ~gpu() override;
    unsigned number() const { return number_; }
    unsigned slices() const { return static_cast<unsigned>(dram_.size()); }
    unsigned far_ports() const { return static_cast<unsigned>(far_.size()); }

    input_socket &commands() { return in("cp_cmd"); }   // msg_cp_cmd; credits: in_credit("cp_cmd")
    output_socket &events() { return out("cp_evt"); }   // msg_cp_evt
    output_socket &dram(unsigned slice) { return *dram_.at(slice).socket; }
    output_socket &far(unsigned port) { return *far_.at(port).socket; }

    // Contents of DRAM, past caches and time (transport_dbg of the memories): for loaders, and to look.  Bytes that the
    // memories took.  L2 slices may hold newer lines.
    uint64_t load(uint64_t at, const void *data, uint64_t bytes);
    uint64_t peek(uint64_t at, void *data, uint64_t bytes);

    // Called for each request to DRAM, before the memory is.
    using dram_fn = std::function<void(unsigned slice, uint64_t cycle, const msg_dram_req &req)>;
    void watch_dram(dram_fn fn) { watch_ = std::move(fn); }

  protected:
    bool divert(uint32_t slot, uint64_t cycle, const void *message) override;
    bool step(uint64_t from, part_in *const *due, const uint32_t *count) override;
    uint64_t outstanding() const override;
    void end_of_elaboration() override;

  private:
    struct lane {  // of memory sockets
        std::unique_ptr<output_socket> socket;
        std::string name;
        uint32_t answer;           // number of the input that takes answers
        std::set<uint64_t> taken;  // cycles in which it does
    };
    struct far_lane : lane {
        uint32_t latency, credit, answer_credit;  // number of the input for credits, of the output that brings some
        uint64_t room = 0;  // answers that the GPU has places for
        uint64_t last = 0;  // cycle of the newest answer
        bool used = false;
        std::deque<std::pair<uint64_t, std::vector<uint8_t>>> answers;  // that wait for one
    };
    void dram_request(unsigned slice, uint64_t cycle, const msg_dram_req &req);
    void far_request(far_lane &lane, uint64_t cycle, const msg_mem_req &req);
    void far_answers(far_lane &lane, uint64_t cycle);
    uint64_t access(lane &lane, bool write, uint64_t at, void *data, uint64_t mask, uint64_t cycle);
    void answer(lane &lane, uint64_t cycle, const void *message);
    uint64_t debug(bool write, uint64_t at, uint8_t *data, uint64_t bytes);

    unsigned number_;
    uint32_t store_;
    uint32_t dram_request_, far_request_, far_answer_, far_credit_back_, answer_credit_back_;  // numbers of lane 0
    std::deque<lane> dram_;
    std::deque<far_lane> far_;
    dram_fn watch_;
    uint64_t between_ = 0;  // messages on far ports above 0 without their credits
};

}  // namespace gantry
#endif
