// SPDX-License-Identifier: Apache-2.0
// A GPU without the host model: commands and events of this program, host memory a plain one behind far(0).  The tables of
// an address space lie there, so fetching a line of instructions walks through them: one read behind the other.
// far QUANTUM_NS MEMORY_NS CONFIGURATION...; prints the reads of that memory and when a command beside them is answered.
#include <cstdio>

#include "gantry_msg.h"
#include "plain_memory.hpp"
#include "tlm/gantry_tlm.hpp"

namespace {
constexpr uint64_t ROOT = 0x1000, MIDDLE = 0x2000, VALID = 1;  // tables: host/vm/pagetable.h

struct program : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<program> commands{"commands"};
    tlm_utils::simple_target_socket<program> events{"events"}, places{"places"};
    const gantry::target_clock clock;

    SC_HAS_PROCESS(program);
    explicit program(const sc_core::sc_module_name &name) : sc_module(name)
    {
        events.register_b_transport(this, &program::event);
        places.register_b_transport(this, &program::place);
        SC_THREAD(run);
    }
    void send(const msg_cp_cmd &cmd, uint64_t cycle)
    {
        tlm::tlm_generic_payload p;
        gantry::payload_message(p, &cmd, sizeof cmd);
        sc_core::sc_time delay = clock.time(cycle) - sc_core::sc_time_stamp();
        commands->b_transport(p, delay);
    }
    void run()
    {
        msg_cp_cmd cmd{};
        cmd.kind = CP_VMID;
        cmd.vmid = 1;
        cmd.root = ROOT;  // owner 0: the host's
        send(cmd, 100);
        cmd = {};
        cmd.kind = CP_FETCH;
        cmd.vmid = 1;
        cmd.pc = 0x400000;
        send(cmd, 600);
        cmd = {};
        cmd.kind = CP_CACHE;
        cmd.vmid = 255;
        cmd.id = 7;
        cmd.flags = CACHE_INV_TLB;
        send(cmd, 601);
    }
    void place(tlm::tlm_generic_payload &p, sc_core::sc_time &) { p.set_response_status(tlm::TLM_OK_RESPONSE); }
    void event(tlm::tlm_generic_payload &p, sc_core::sc_time &delay)
    {
        msg_cp_evt evt;
        memcpy(&evt, p.get_data_ptr(), sizeof evt);
        std::printf("event %u of command %u in cycle %llu\n", evt.kind, evt.id, (unsigned long long)clock.cycle(sc_core::sc_time_stamp() + delay));
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};
}  // namespace

int sc_main(int argc, char **argv)
{
    const gantry::configuration config(std::vector<std::string>(argv + 3, argv + argc));
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(atof(argv[1]), sc_core::SC_NS));
    gantry::gpu gpu("gpu0", config);
    plain_memory dram("dram", sc_core::SC_ZERO_TIME), host("host_memory", sc_core::sc_time(atof(argv[2]), sc_core::SC_NS));
    program program("program");
    program.commands.bind(gpu.commands());
    gpu.in_credit("cp_cmd").bind(program.places);
    gpu.events().bind(program.events);
    for (unsigned slice = 0; slice < gpu.slices(); slice++)
        gpu.dram(slice).bind(dram.socket);
    gpu.far(0).bind(host.socket);
    for (unsigned i = 0; i < 8; i++)
        host.byte(ROOT + i) = static_cast<unsigned char>((MIDDLE | VALID) >> 8 * i);  // the middle table is empty
    sc_core::sc_start();
    const uint64_t word = 0x1122334455667788;
    uint64_t back = 0;
    const bool kept = gpu.load(0x12340, &word, sizeof word) == sizeof word && gpu.peek(0x12340, &back, sizeof back) == sizeof back && back == word;
    std::printf("host memory: %llu reads, %llu writes, in cycles %llu to %llu; DRAM %s; %llu windows\n", (unsigned long long)host.reads,
                (unsigned long long)host.writes, (unsigned long long)program.clock.cycle(host.oldest),
                (unsigned long long)program.clock.cycle(host.newest), kept ? "keeps what is loaded" : "loses it",
                (unsigned long long)gpu.windows());
    return 0;
}
