// SPDX-License-Identifier: Apache-2.0
// A model of what connects two GPUs: one link with a latency and a rate in each direction, which requests of one side
// and answers to the other share; credits take no room.  What comes in at local time t leaves at t + the time for which
// the link is busy before it.  The latency itself is that of the GPUs' sockets (link.gpu), and `more` on top.
#pragma once
#include <cstring>
#include <deque>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gantry_msg.h"
#include "tlm/gantry_tlm.hpp"

class interconnect : public sc_core::sc_module {
  public:
    uint64_t messages = 0;

    // rate: bytes a cycle; more: cycles on top of the sockets' latency.
    interconnect(const sc_core::sc_module_name &name, const gantry::configuration &config, uint64_t rate, uint64_t more)
        : sc_module(name), clock_(config.clock()), rate_(rate), more_(more)
    {
    }
    // Port `a_port` of a leads to b and port `b_port` of b to a.  Any two modules with far ports.  In the constructor of
    // who owns it.
    void between(gantry::model_module &a, unsigned a_port, gantry::model_module &b, unsigned b_port)
    {
        for (const bool back : {false, true}) {
            gantry::model_module &from = back ? b : a, &to = back ? a : b;
            const unsigned out = back ? b_port : a_port, in = back ? a_port : b_port;
            for (const char *port : {"far_req", "far_rsp"}) {
                const std::string at = std::string(back ? "back_" : "there_") + port;
                wire(at, back, from.out(port, out), to.in(port, in), sizes(port));
                wire(at + "_credit", back, to.in_credit(port, in), from.out_credit(port, out), none());
            }
        }
    }

  private:
    struct bytes {
        uint32_t header, payload[8];
    };
    static bytes none() { return {0, {}}; }
    // As docs/reference/rdma.md has it: 16 bytes a message, 64 more with a line.
    static bytes sizes(const std::string &port)
    {
        bytes b{16, {}};
        for (const mem_op op : {MEM_READ, MEM_READ_NC, MEM_WRITE, MEM_ATOMIC})
            b.payload[op] = op == MEM_ATOMIC || (op == MEM_WRITE) == (port == "far_req") ? 64 : 0;
        return b;
    }
    struct lane {
        std::unique_ptr<tlm_utils::simple_target_socket_tagged<interconnect>> in;
        std::unique_ptr<tlm_utils::simple_initiator_socket<interconnect>> out;
        bool back;
        bytes takes;
    };
    void wire(const std::string &name, bool back, gantry::output_socket &from, gantry::input_socket &to, const bytes &takes)
    {
        lanes_.push_back({nullptr, nullptr, back, takes});
        lanes_.back().in.reset(new tlm_utils::simple_target_socket_tagged<interconnect>((name + "_in").c_str()));
        lanes_.back().out.reset(new tlm_utils::simple_initiator_socket<interconnect>((name + "_out").c_str()));
        lanes_.back().in->register_b_transport(this, &interconnect::pass, static_cast<int>(lanes_.size() - 1));
        from.bind(*lanes_.back().in);
        lanes_.back().out->bind(to);
    }
    void pass(int number, tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
    {
        lane &l = lanes_[static_cast<size_t>(number)];
        const sc_core::sc_time kept = delay;
        const uint64_t now = clock_.cycle(sc_core::sc_time_stamp() + delay);
        uint64_t leave = now;
        if (l.takes.header && p.is_write()) {
            uint64_t begin = now * rate_, &free = free_[l.back];
            if (begin < free) {
                begin = free;
                leave = (begin + rate_ - 1) / rate_;
            }
            free = begin + l.takes.header + l.takes.payload[p.get_data_ptr()[0]];
            messages++;
        }
        delay += clock_.time(leave - now + more_);
        (*l.out)->b_transport(p, delay);
        delay = kept;
    }
    gantry::target_clock clock_;
    uint64_t rate_, more_, free_[2] = {0, 0};
    std::deque<lane> lanes_;
};
