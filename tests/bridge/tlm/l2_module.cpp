// SPDX-License-Identifier: Apache-2.0
// An L2 slice as a module, between a requester that runs ahead by the global quantum and a store of messages.
// l2_module BATCHES QUANTUM_NS MISUSE -c CONFIG; MISUSE: none, or what is wrong on purpose, which must end the simulation.
#include <cstring>
#include <map>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "l2_load.hpp"
#include "tlm/configuration.hpp"

using gantry::target_clock;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {
struct store : sc_core::sc_module {
    tlm_utils::simple_target_socket<store> requests{"requests"};
    tlm_utils::simple_initiator_socket<store> answers{"answers"};
    std::map<uint64_t, std::vector<uint64_t>> memory;
    const target_clock clock;
    bool waits;

    store(const sc_core::sc_module_name &name, bool waiting) : sc_module(name), waits(waiting) { requests.register_b_transport(this, &store::take); }
    void take(tlm::tlm_generic_payload &p, sc_time &delay)
    {
        msg_dram_req req;
        memcpy(&req, p.get_data_ptr(), sizeof req);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        if (waits)
            wait(sc_time(10, sc_core::SC_NS));
        std::vector<uint64_t> &line = memory[req.addr];
        line.resize(8);
        if (req.write) {
            memcpy(line.data(), req.data, 64);
            return;
        }
        msg_dram_rsp rsp{};
        rsp.tag = req.tag;
        memcpy(rsp.data, line.data(), 64);
        tlm::tlm_generic_payload answer;
        gantry::payload_message(answer, &rsp, sizeof rsp);
        sc_time then = delay + clock.time(STORE);
        answers->b_transport(answer, then);
    }
};

struct spare_initiator : sc_core::sc_module {
    tlm_utils::simple_initiator_socket_optional<spare_initiator> socket{"socket"};
    explicit spare_initiator(const sc_core::sc_module_name &name) : sc_module(name) {}
};

struct requester : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<requester> requests{"requests"}, room_back{"room_back"};
    tlm_utils::simple_target_socket<requester> answers{"answers"}, room{"room"};
    tlm_utils::tlm_quantumkeeper keeper;
    const target_clock clock;
    sc_core::sc_event all;
    load work;
    const std::string misuse;

    SC_HAS_PROCESS(requester);
    requester(const sc_core::sc_module_name &name, unsigned batches, const char *wrong) : sc_module(name), work(batches), misuse(wrong)
    {
        answers.register_b_transport(this, &requester::answer);
        room.register_b_transport(this, &requester::credit);
        SC_THREAD(run);
    }
    void credit(tlm::tlm_generic_payload &p, sc_time &) { p.set_response_status(tlm::TLM_OK_RESPONSE); }
    void answer(tlm::tlm_generic_payload &p, sc_time &delay)
    {
        msg_mem_rsp rsp;
        memcpy(&rsp, p.get_data_ptr(), sizeof rsp);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        sc_time then = delay + clock.time(LINK);
        work.answered(clock.cycle(sc_time_stamp() + then), rsp);
        tlm::tlm_generic_payload back;
        gantry::payload_credit(back);
        room_back->b_transport(back, then);
        if (!work.waits()) {
            keeper.set(then);  // behind the last answer
            all.notify();
        }
    }
    void send(const msg_mem_req &m, uint64_t cycle, uint32_t bytes = sizeof(msg_mem_req))
    {
        keeper.set(clock.time(cycle) - sc_time_stamp());
        if (keeper.need_sync())
            keeper.sync();
        tlm::tlm_generic_payload p;
        gantry::payload_message(p, &m, bytes);
        if (misuse == "read")
            p.set_command(tlm::TLM_READ_COMMAND);
        sc_time delay = clock.time(cycle) - sc_time_stamp();
        requests->b_transport(p, delay);
    }
    void promise(uint64_t cycle)
    {
        tlm::tlm_generic_payload p;
        gantry::payload_promise(p);
        sc_time delay = clock.time(cycle) - sc_time_stamp();
        requests->b_transport(p, delay);
    }
    void run()
    {
        keeper.reset();
        while (!work.over()) {
            uint64_t begin;
            for (const msg_mem_req &m : work.batch(&begin)) {
                if (misuse == "promise")
                    promise(begin + 100);
                send(m, begin, misuse == "short" ? 88 : sizeof m);
                if (misuse == "order")
                    send(m, begin - 1);
                begin++;
            }
            if (misuse == "promised")  // well meant: it lets the slice run on, and changes nothing
                promise(begin);
            wait(all);
        }
        sc_core::sc_stop();
    }
};
}  // namespace

int sc_main(int argc, char **argv)
{
    const std::string misuse = argv[3];
    if (misuse == "coarse")
        sc_core::sc_set_time_resolution(10, sc_core::SC_NS);
    try {
        const gantry::configuration config(std::vector<std::string>(argv + 4, argv + argc));
        tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_time(atof(argv[2]), sc_core::SC_NS));
        gantry::partition<gantry::kind::l2> l2("l2", config, 0, misuse == "index" ? 9 : 0);
        requester ask("ask", static_cast<unsigned>(atoi(argv[1])), argv[3]);
        store memory("memory", misuse == "wait");
        ask.requests.bind(l2.in(misuse == "port" ? "mem_rsp" : "mem_req"));
        l2.in_credit("mem_req").bind(ask.room);
        l2.out("mem_rsp").bind(ask.answers);
        ask.room_back.bind(l2.out_credit("mem_rsp"));
        spare_initiator spare("spare");
        if (misuse == "unbound")
            spare.socket.bind(memory.requests);
        else
            l2.out("dram_req").bind(memory.requests);
        memory.answers.bind(l2.in("dram_rsp"));
        if (misuse == "latency")
            l2.set_latency(l2.in("mem_req"), 0);
        tlm::tlm_dmi dmi;
        tlm::tlm_generic_payload p;
        gantry::payload_promise(p);
        sc_core::sc_start();
        if (ask.requests->get_direct_mem_ptr(p, dmi) || ask.requests->transport_dbg(p) != 0)
            std::printf("direct memory was given\n");
        ask.work.print();
        for (const auto &c : l2.counters())
            if (c.value)
                std::fprintf(stderr, "%s.%s %llu %s\n", c.block.c_str(), c.name.c_str(), (unsigned long long)c.value, c.unit.c_str());
    } catch (const gantry::error &e) {
        if (*e.what())
            std::fprintf(stderr, "%s\n", e.what());
        return e.exit_status;
    }
    return 0;
}
