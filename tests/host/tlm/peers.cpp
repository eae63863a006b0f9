// SPDX-License-Identifier: Apache-2.0
// Two GPUs with an interconnect model between them, or with each other's memory behind their far ports, run by a command of the
// host model.  peers QUANTUM_NS MORE_CYCLES|memory CONFIGURATION... // COMMAND...
#include <cstdio>

#include "interconnect.hpp"
#include "plain_memory.hpp"

namespace {
struct two : sc_core::sc_module {
    gantry::gpu gpu0, gpu1;
    plain_memory memory0, memory1, far0, far1;
    interconnect link;
    gantry::host host;

    // between: "memory", or cycles that the interconnect takes more.
    two(const sc_core::sc_module_name &name, const gantry::configuration &config, const std::string &between, const std::vector<std::string> &words)
        : sc_module(name), gpu0("gpu0", config, 0), gpu1("gpu1", config, 1), memory0("memory0", config.clock().time(config.dram_path())),
          memory1("memory1", config.clock().time(config.dram_path())), far0("far0", memory0), far1("far1", memory1),
          link("link", config, 32, strtoull(between.c_str(), nullptr, 0)), host("host", config, {&gpu0, &gpu1}, words, gantry::host::own)
    {
        if (between == "memory") {  // port 0 is the host's, k + 1 GPU k's
            gpu0.far(2).bind(far1.socket);
            gpu1.far(1).bind(far0.socket);
        } else {
            link.between(gpu0, 2, gpu1, 1);
        }
        for (unsigned slice = 0; slice < gpu0.slices(); slice++) {
            gpu0.dram(slice).bind(memory0.socket);
            gpu1.dram(slice).bind(memory1.socket);
        }
    }
};
}  // namespace

int sc_main(int argc, char **argv)
{
    std::vector<std::string> config_words, words;
    for (int i = 3, behind = 0; i < argc; i++) {
        if (std::string(argv[i]) == "//")
            behind = 1;
        else
            (behind ? words : config_words).push_back(argv[i]);
    }
    try {
        const gantry::configuration config(config_words);
        tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(atof(argv[1]), sc_core::SC_NS));
        two machine("machine", config, argv[2], words);
        sc_core::sc_start();
        std::printf("%llu messages between the GPUs, %llu reads, %llu writes of far memory\n", (unsigned long long)machine.link.messages,
                    (unsigned long long)(machine.far0.reads + machine.far1.reads), (unsigned long long)(machine.far0.writes + machine.far1.writes));
        return machine.host.exit_status();
    } catch (const gantry::error &e) {
        if (*e.what())
            std::fprintf(stderr, "%s\n", e.what());
        return e.exit_status;
    }
}
