// SPDX-License-Identifier: Apache-2.0
// An L2 slice without SystemC: the figures that l2_module.cpp must have.  l2_plain BATCHES -c CONFIG
#include <cstring>
#include <map>

#include "bridge/verilated/model.h"
#include "l2_load.hpp"
#include "tlm/configuration.hpp"

namespace {
struct bench {
    const model_api *api;
    void *model;
    load work;
    std::map<uint64_t, std::vector<std::pair<uint32_t, std::vector<uint8_t>>>> due;
    std::map<uint64_t, std::vector<uint64_t>> memory;

    const model_port &port(const char *name, bool out) const
    {
        uint32_t i = 0;
        while (strcmp(api->ports[i].name, name) != 0 || api->ports[i].out != out)
            i++;
        return api->ports[i];
    }
    void put(uint32_t slot, uint64_t cycle, const void *data, size_t bytes)
    {
        const auto *from = static_cast<const uint8_t *>(data);
        due[cycle].push_back({slot, std::vector<uint8_t>(from, from + bytes)});
    }
    void sent(uint32_t slot, uint64_t cycle, const void *message)
    {
        if (slot == port("mem_rsp", true).slot) {
            put(port("mem_rsp", true).credit_slot, cycle + 2 * LINK, nullptr, 0);
            work.answered(cycle + LINK, *static_cast<const msg_mem_rsp *>(message));
        }
        if (slot != port("dram_req", true).slot)
            return;
        const auto *req = static_cast<const msg_dram_req *>(message);
        std::vector<uint64_t> &line = memory[req->addr];
        line.resize(8);
        if (req->write)
            memcpy(line.data(), req->data, 64);
        msg_dram_rsp rsp{};
        rsp.tag = req->tag;
        memcpy(rsp.data, line.data(), 64);
        if (!req->write)
            put(port("dram_rsp", false).slot, cycle + STORE + FILL, &rsp, sizeof rsp);
    }
    void run()
    {
        bool idle = false;
        model_sink sink{this, [](void *b, uint32_t slot, uint64_t cycle, const void *m) { static_cast<bench *>(b)->sent(slot, cycle, m); }, nullptr};
        for (uint64_t window = 0;;) {
            uint64_t begin;
            if (!work.waits() && work.over())
                return;
            if (!work.waits())
                for (const msg_mem_req &m : work.batch(&begin))
                    put(port("mem_req", false).slot, begin++ + LINK, &m, sizeof m);
            if (idle && due.begin()->first >= window + PART_WINDOW)
                window = due.begin()->first / PART_WINDOW * PART_WINDOW;
            std::vector<part_in> in[PART_WINDOW];
            part_in *list[PART_WINDOW];
            uint32_t count[PART_WINDOW];
            for (unsigned c = 0; c < PART_WINDOW; c++) {
                for (auto &m : due[window + c])
                    in[c].push_back({m.first, m.second.empty() ? nullptr : m.second.data()});
                list[c] = in[c].data();
                count[c] = static_cast<uint32_t>(in[c].size());
            }
            idle = api->step(model, window, list, count, false, &sink);
            window += PART_WINDOW;
            due.erase(due.begin(), due.lower_bound(window));
        }
    }
};
}  // namespace

int sc_main(int argc, char **argv)
{
    const gantry::configuration config(std::vector<std::string>(argv + 2, argv + argc));
    const model_api *api = config.model(gantry::kind::l2);
    bench b{api, api->create(api, "l2", 0, 1), load(static_cast<unsigned>(atoi(argv[1]))), {}, {}};
    b.run();
    b.work.print();
    api->destroy(b.model);
    return 0;
}
