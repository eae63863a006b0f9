// SPDX-License-Identifier: Apache-2.0
// Your DRAM simulator behind a GPU of Gantry: a memory that answers in b_transport, with its time added to the delay.
// This one has open rows: a hit takes 20 ns, a miss 60 ns, and a bank is busy meanwhile.  Put your own into row_time().
//   make && ./dram kernel vecadd.co --grid 64 --group 64 --arg zero:256 --arg fill:1:256 --arg fill:2:256
#include <cstdio>
#include <cstring>
#include <gantry_tlm.hpp>
#include <map>
#include <memory>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

class my_dram : public sc_core::sc_module {
  public:
    tlm_utils::multi_passthrough_target_socket<my_dram> socket{"socket"};
    uint64_t hits = 0, misses = 0;

    explicit my_dram(const sc_core::sc_module_name &name) : sc_module(name)
    {
        socket.register_b_transport(this, &my_dram::transport);
        socket.register_transport_dbg(this, &my_dram::debug);
    }

  private:
    static constexpr unsigned BANKS = 16, ROW_BITS = 11, PAGE_BITS = 12;
    struct bank {
        uint64_t row = UINT64_MAX;
        sc_core::sc_time free;
    };
    bank banks_[BANKS];
    std::map<uint64_t, std::vector<unsigned char>> pages_;

    // When an access that comes at `now` is done.
    sc_core::sc_time row_time(uint64_t address, const sc_core::sc_time &now)
    {
        const uint64_t row = address >> ROW_BITS;
        bank &b = banks_[row % BANKS];
        const bool hit = b.row == row;
        (hit ? hits : misses)++;
        b.row = row;
        b.free = std::max(b.free, now) + sc_core::sc_time(hit ? 20 : 60, sc_core::SC_NS);
        return b.free;
    }
    void move(tlm::tlm_generic_payload &p)
    {
        for (unsigned i = 0; i < p.get_data_length(); i++) {
            if (p.get_byte_enable_ptr() && p.get_byte_enable_ptr()[i % p.get_byte_enable_length()] == TLM_BYTE_DISABLED)
                continue;
            std::vector<unsigned char> &page = pages_[(p.get_address() + i) >> PAGE_BITS];
            page.resize(1u << PAGE_BITS);
            unsigned char &byte = page[(p.get_address() + i) % page.size()];
            if (p.is_write())
                byte = p.get_data_ptr()[i];
            else
                p.get_data_ptr()[i] = byte;
        }
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void transport(int, tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
    {
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        move(p);
        delay = row_time(p.get_address(), now + delay) - now;
    }
    unsigned debug(int, tlm::tlm_generic_payload &p)
    {
        move(p);
        return p.get_data_length();
    }
};

int sc_main(int argc, char **argv)
{
    try {
        // The slices' own timing stands before this memory; docs/systemc.md says which keys make it small.
        const gantry::configuration config({"-c", "smallest"});
        gantry::gpu gpu("gpu0", config);
        my_dram dram("dram");
        for (unsigned slice = 0; slice < gpu.slices(); slice++)
            gpu.dram(slice).bind(dram.socket);
        gantry::host host("host", config, {&gpu}, std::vector<std::string>(argv + 1, argv + argc));
        sc_core::sc_start();
        std::printf("%llu row hits, %llu row misses\n", (unsigned long long)dram.hits, (unsigned long long)dram.misses);
        return host.exit_status();
    } catch (const gantry::error &e) {
        if (*e.what())
            std::fprintf(stderr, "%s\n", e.what());
        return e.exit_status;
    }
}
