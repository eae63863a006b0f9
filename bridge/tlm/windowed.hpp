// SPDX-License-Identifier: Apache-2.0
// A module that runs a partition in windows of PART_WINDOW cycles, loosely timed: the rule by which every module of
// Gantry keeps to one result for every quantum.  A window runs when each bound input has reached its end: when nothing
// that was sent before (end - latency of the input) can come any more, because the kernel's time is there or the sender
// has promised it.  So what a window takes never depends on who runs ahead of whom, and a module runs ahead of the
// kernel's time by the latencies of its inputs or by the global quantum, whichever is less.
// Responsible for: sockets, order, time.  Not responsible for: what runs (partition.hpp), what a message means.
#ifndef GANTRY_TLM_WINDOWED_HPP
#define GANTRY_TLM_WINDOWED_HPP
#include <deque>
#include <memory>
#include <vector>

#include "bridge/tlm/transaction.hpp"
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

struct part_in;

namespace gantry {

class calendar;
class windowed;
// Bound to one partner each; those that nobody binds take no part.
using input_socket = tlm_utils::simple_target_socket_tagged_optional<windowed>;
using output_socket = tlm_utils::simple_initiator_socket_optional<windowed>;

class windowed : public sc_core::sc_module {
  public:
    ~windowed() override;
    // Everything that leaves in a cycle below this has left.  What may still come decides it, not how far the model is.
    uint64_t reached() const { return reached_; }
    // The model is idle, and nothing is on the way to it as far as anybody here knows.
    bool quiet() const { return idle_ && !pending() && outstanding() == 0; }
    uint64_t windows() const { return windows_; }  // that were run
    const target_clock &clock() const { return clock_; }

    // For who stands at the other end, before the simulation starts.  A latency below PART_WINDOW: whoever is bound
    // there must promise, as the module has no other way to know in time.
    void set_latency(const input_socket &socket, uint32_t cycles);
    // Also promise on this output, from now on (by default messages and credits alone leave).
    void promise_on(const output_socket &socket);

  protected:
    windowed(const sc_core::sc_module_name &name, const target_clock &clock);
    // In the order of their numbers, in the constructor.  bytes: of a message; 0: credits.  latency: cycles from the
    // local time of a message until it is taken.
    input_socket &add_input(const std::string &name, uint32_t bytes, uint32_t latency);
    output_socket &add_output(const std::string &name, uint32_t bytes);
    input_socket &input_at(uint32_t slot) { return *inputs_.at(slot).socket; }
    output_socket &output_at(uint32_t slot) { return *outputs_.at(slot).socket; }
    static bool bound(const output_socket &socket) { return socket.size() > 0; }  // not before the end of elaboration

    // Run cycles [from, from + PART_WINDOW) with what is due in each, and `send` what leaves.  True: idle at the end.
    virtual bool step(uint64_t from, part_in *const *due, const uint32_t *count) = 0;
    // What leaves on output `slot` in `cycle` of the window that runs; NULL: a credit.
    void send(uint32_t slot, uint64_t cycle, const void *message);
    // Before it leaves, in order: true when the module has seen to it without a socket.
    virtual bool divert(uint32_t slot, uint64_t cycle, const void *message);
    // A message that comes without a socket; never into a window that has run.
    void arrive(uint32_t slot, uint64_t cycle, const void *message);
    // Messages or answers that must come and have not.
    virtual uint64_t outstanding() const { return 0; }
    // Call another module: fails when it waits.  name: of the socket, for messages.
    void call(output_socket &socket, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay, const std::string &name);
    // Local time of something of that cycle, from the kernel's time.
    sc_core::sc_time delay_of(uint64_t cycle) const { return clock_.time(cycle) - sc_core::sc_time_stamp(); }
    std::string place_of(const std::string &socket) const { return std::string(name()) + "." + socket; }
    void end_of_elaboration() override;

  private:
    struct input {
        std::string name;
        std::unique_ptr<input_socket> socket;
        uint32_t bytes, latency;
        uint64_t promised = 0;  // nothing comes that was sent before
        bool promises = false;
        uint64_t last = 0;  // local time of the newest message
        uint64_t free = 0;  // first cycle that takes another one: one a cycle
    };
    struct output {
        std::string name;
        std::unique_ptr<output_socket> socket;
        uint32_t bytes;
    };
    struct leaving {
        uint32_t slot, at;
        uint64_t cycle;
        bool credit;
    };
    bool pending() const;
    void transport(int slot, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    void receive(input &in, uint32_t slot, uint64_t sent, const tlm::tlm_generic_payload &payload);
    uint64_t horizon(uint64_t now) const;
    uint64_t wanted() const;
    uint64_t promised() const;
    std::string behind(uint64_t end, uint64_t now) const;
    void run();
    void wait_for(uint64_t end, uint64_t now, uint64_t limit);
    void window(uint64_t from);
    void leave();
    void reach(uint64_t cycle);

    target_clock clock_;
    std::deque<input> inputs_;
    std::deque<output> outputs_;
    std::vector<const input *> bound_;  // inputs that somebody is bound to
    std::vector<output *> promising_;
    tlm::tlm_generic_payload payload_;  // of what leaves: to make one takes longer than to send it
    std::unique_ptr<calendar> calendar_;
    std::vector<leaving> leaving_;
    std::vector<uint8_t> leaving_bytes_;
    tlm_utils::tlm_quantumkeeper keeper_;
    sc_core::sc_event work_;
    uint64_t changes_ = 0;  // of what transport has brought: nothing is missed between a look and a wait
    uint64_t at_ = 0;       // first cycle that has not run
    uint64_t ran_ = 0;      // end of the last window that was run
    uint64_t reached_ = 0;
    uint64_t windows_ = 0;
    bool idle_ = false;
};

}  // namespace gantry
#endif
