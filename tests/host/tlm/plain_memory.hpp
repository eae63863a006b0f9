// SPDX-License-Identifier: Apache-2.0
// A plain TLM-2.0 memory as anybody has one: any number of initiators, byte enables, transport_dbg, a fixed latency that
// it adds to the delay; it knows nothing of Gantry.
#pragma once
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <cstring>
#include <map>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

struct plain_memory : sc_core::sc_module {
    tlm_utils::multi_passthrough_target_socket<plain_memory, 32, tlm::tlm_base_protocol_types, 0, sc_core::SC_ZERO_OR_MORE_BOUND> socket{"socket"};
    using contents = std::map<uint64_t, std::vector<unsigned char>>;
    contents own, &pages;
    sc_core::sc_time latency;
    uint64_t reads = 0, writes = 0, parts = 0, loads = 0; // parts: writes of some bytes
    sc_core::sc_time oldest, newest;   // when the first and the newest access came
    uint64_t refused_at = UINT64_MAX;  // from this address on nothing is there

    plain_memory(const sc_core::sc_module_name &name, const sc_core::sc_time &takes) : plain_memory(name, takes, nullptr) {}
    // Another way to the bytes of that one, with counts of its own.
    plain_memory(const sc_core::sc_module_name &name, plain_memory &same) : plain_memory(name, same.latency, &same.pages) {}

  private:
    plain_memory(const sc_core::sc_module_name &name, const sc_core::sc_time &takes, contents *others)
        : sc_module(name), pages(others ? *others : own), latency(takes)
    {
        socket.register_b_transport(this, &plain_memory::transport);
        socket.register_transport_dbg(this, &plain_memory::debug);
    }

  public:
    unsigned char &byte(uint64_t at)
    {
        std::vector<unsigned char> &page = pages[at >> 12];
        page.resize(4096);
        return page[at & 4095];
    }
    void transport(int, tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
    {
        if (p.get_address() >= refused_at) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        for (unsigned i = 0; i < p.get_data_length(); i++) {
            if (p.get_byte_enable_ptr() && p.get_byte_enable_ptr()[i % p.get_byte_enable_length()] == TLM_BYTE_DISABLED)
                continue;
            if (p.is_write())
                byte(p.get_address() + i) = p.get_data_ptr()[i];
            else
                p.get_data_ptr()[i] = byte(p.get_address() + i);
        }
        newest = sc_core::sc_time_stamp() + delay;
        if (reads + writes == 0)
            oldest = newest;
        (p.is_write() ? writes : reads)++;
        parts += p.is_write() && p.get_byte_enable_ptr();
        delay += latency;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned debug(int, tlm::tlm_generic_payload &p)
    {
        const sc_core::sc_time kept = latency;
        const uint64_t before = reads + writes;
        sc_core::sc_time none;
        transport(0, p, none);
        if (reads + writes == before)
            return 0;
        (p.is_write() ? writes : reads)--;
        loads += p.is_write();
        latency = kept;
        return p.get_data_length();
    }
};
