// SPDX-License-Identifier: Apache-2.0
// A command of the host model whose GPUs are modules with a plain memory each.
// kernel QUANTUM_NS MEMORY_NS [--refuse-at BYTE] CONFIGURATION... // COMMAND...; prints what the memories have done and a hash
// over what each holds at the end.
#include <cstdio>

#include "plain_memory.hpp"
#include "tlm/gantry_tlm.hpp"

static uint64_t hash_of(const plain_memory &memory)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (const auto &[number, page] : memory.pages) {
        bool zero = true;
        for (const unsigned char byte : page)
            zero = zero && byte == 0;
        for (unsigned i = 0; !zero && i < page.size(); i++)
            hash = (hash ^ page[i] ^ (i == 0 ? number << 8 : 0)) * 0x100000001b3ull;
    }
    return hash;
}

int sc_main(int argc, char **argv)
{
    std::vector<std::string> config_words, words;
    uint64_t refuse = UINT64_MAX;
    bool behind = false;
    for (int i = 3; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "//")
            behind = true;
        else if (word == "--refuse-at")
            refuse = strtoull(argv[++i], nullptr, 0);
        else
            (behind ? words : config_words).push_back(word);
    }
    try {
        const gantry::configuration config(config_words);
        tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(atof(argv[1]), sc_core::SC_NS));
        std::vector<std::unique_ptr<gantry::gpu>> gpus;
        std::vector<std::unique_ptr<plain_memory>> memories;
        std::vector<gantry::gpu *> list;
        for (unsigned n = 0; n < config.gpus(); n++) {
            const std::string name = "gpu" + std::to_string(n);
            gpus.emplace_back(new gantry::gpu(name.c_str(), config, n));
            memories.emplace_back(new plain_memory((name + "_memory").c_str(), sc_core::sc_time(atof(argv[2]), sc_core::SC_NS)));
            memories.back()->refused_at = refuse;
            for (unsigned slice = 0; slice < gpus.back()->slices(); slice++)
                gpus.back()->dram(slice).bind(memories.back()->socket);
            list.push_back(gpus.back().get());
        }
        gantry::host host("host", config, list, words);
        sc_core::sc_start();
        for (const auto &memory : memories)
            std::printf("%s: %llu reads, %llu writes, %llu loads, contents %016llx\n", memory->name(), (unsigned long long)memory->reads,
                        (unsigned long long)memory->writes, (unsigned long long)memory->loads, (unsigned long long)hash_of(*memory));
        return host.exit_status();
    } catch (const gantry::error &e) {
        if (*e.what())
            std::fprintf(stderr, "%s\n", e.what());
        return e.exit_status;
    }
}
