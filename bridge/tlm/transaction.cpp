// SPDX-License-Identifier: Apache-2.0
// Transactions between modules; contract in transaction.hpp.
#include "bridge/tlm/transaction.hpp"

namespace gantry {

void fail(const std::string &place, const std::string &cause)
{
    const std::string line = place + ": " + cause;
    SC_REPORT_ERROR("gantry", line.c_str());
    throw error(line, 70);  // whoever has taken SC_THROW away from errors
}

target_clock::target_clock(uint64_t megahertz)
{
    const double resolution = sc_core::sc_get_time_resolution().to_seconds();
    const uint64_t ticks_of_a_microsecond = static_cast<uint64_t>(1e-6 / resolution + 0.5);
    if (ticks_of_a_microsecond < 1000)
        throw error("gantry: time resolution: coarser than 1 ns, which is a cycle of a GPU of 1000 MHz", 65);
    if (megahertz == 0 || ticks_of_a_microsecond % megahertz != 0)
        throw error("gantry: gpu.clock_mhz: a cycle of " + std::to_string(megahertz) + " MHz is no multiple of the time resolution, " +
                        sc_core::sc_get_time_resolution().to_string(),
                    65);
    ticks_ = ticks_of_a_microsecond / megahertz;
}

namespace {
unsigned char nothing;  // what a credit and a promise point to: nobody writes it

void fill(tlm::tlm_generic_payload &payload, tlm::tlm_command command, unsigned char *data, uint32_t bytes)
{
    payload.set_command(command);
    payload.set_address(0);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}
}  // namespace

void payload_message(tlm::tlm_generic_payload &payload, const void *data, uint32_t bytes)
{
    fill(payload, tlm::TLM_WRITE_COMMAND, static_cast<unsigned char *>(const_cast<void *>(data)), bytes);
}

void payload_credit(tlm::tlm_generic_payload &payload)
{
    fill(payload, tlm::TLM_WRITE_COMMAND, &nothing, 1);
}

void payload_promise(tlm::tlm_generic_payload &payload)
{
    fill(payload, tlm::TLM_IGNORE_COMMAND, &nothing, 1);
}

}  // namespace gantry
