// SPDX-License-Identifier: Apache-2.0
// A command of the host model whose GPUs are modules with a plain memory each.
// kernel QUANTUM_NS MEMORY_NS [--refuse-at BYTE] [--contents FILE] CONFIGURATION... // COMMAND...; prints what the memories have
// done; FILE gets what that of the last GPU holds at the end: each page that is not zero, behind its number.
#include <algorithm>
#include <cstdio>

#include "plain_memory.hpp"
#include "tlm/gantry_tlm.hpp"

static bool contents_write(const plain_memory &memory, const char *path)
{
    FILE *out = std::fopen(path, "w");
    for (const auto &[number, page] : memory.pages) {
        if (!out || std::all_of(page.begin(), page.end(), [](unsigned char byte) { return byte == 0; }))
            continue;
        std::fwrite(&number, sizeof number, 1, out);
        std::fwrite(page.data(), 1, page.size(), out);
    }
    return out && std::fclose(out) == 0;
}

int sc_main(int argc, char **argv)
{
    std::vector<std::string> config_words, words;
    uint64_t refuse = UINT64_MAX;
    const char *contents = nullptr;
    bool behind = false;
    for (int i = 3; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "//")
            behind = true;
        else if (word == "--refuse-at")
            refuse = strtoull(argv[++i], nullptr, 0);
        else if (word == "--contents")
            contents = argv[++i];
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
            std::printf("%s: %llu reads, %llu writes (%llu of some bytes), %llu loads\n", memory->name(), (unsigned long long)memory->reads,
                        (unsigned long long)memory->writes, (unsigned long long)memory->parts, (unsigned long long)memory->loads);
        return contents && !contents_write(*memories.back(), contents) ? 2 : host.exit_status();
    } catch (const gantry::error &e) {
        if (*e.what())
            std::fprintf(stderr, "%s\n", e.what());
        return e.exit_status;
    }
}
