// SPDX-License-Identifier: Apache-2.0
// What crosses a socket between modules of Gantry, as TLM-2.0 generic payloads that b_transport carries.  The local time
// of a transaction (kernel time + delay) is when it was sent; the receiver adds the latency of its socket.
//   message   TLM_WRITE_COMMAND, address 0, data: the struct of gantry_msg.h, all of it, little endian
//   credit    TLM_WRITE_COMMAND of one byte, on a socket of credits
//   promise   TLM_IGNORE_COMMAND: nothing that was sent before this local time will come any more.  Nobody has to
//             promise: without it the kernel's time counts, before which nobody can send.
// A message or promise must not lie behind an earlier one of the same socket.  The call returns at once and leaves the
// delay as it is.
#ifndef GANTRY_TLM_TRANSACTION_HPP
#define GANTRY_TLM_TRANSACTION_HPP
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES  // before SystemC's first header: its sockets and sc_spawn need it
#endif
#include <cstdint>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>

namespace gantry {

// What a user got wrong, as a line with place and cause (empty: it is on stderr already); exit_status: that of the
// command for the same (docs/reference/cli.md).
class error : public std::runtime_error {
  public:
    error(const std::string &text, int status) : std::runtime_error(text), exit_status(status) {}
    int exit_status;
};

// Ends the simulation in SystemC's way (SC_REPORT_ERROR) with one line.
[[noreturn]] void fail(const std::string &place, const std::string &cause);

// Target cycles in the kernel's time.
class target_clock {
  public:
    // megahertz: gpu.clock_mhz.  Throws `error`: the time resolution is coarser than 1 ns, or a cycle no multiple of it.
    explicit target_clock(uint64_t megahertz = 1000);
    sc_core::sc_time time(uint64_t cycle) const { return sc_core::sc_time::from_value(cycle * ticks_); }
    // The first cycle at that time or behind it.
    uint64_t cycle(const sc_core::sc_time &time) const { return (time.value() + ticks_ - 1) / ticks_; }

  private:
    uint64_t ticks_;
};

// Fill in a message (data: `bytes` of it), a credit, a promise.  The payload does not own the data.
void payload_message(tlm::tlm_generic_payload &payload, const void *data, uint32_t bytes);
void payload_credit(tlm::tlm_generic_payload &payload);
void payload_promise(tlm::tlm_generic_payload &payload);

}  // namespace gantry
#endif
