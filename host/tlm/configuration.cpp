// SPDX-License-Identifier: Apache-2.0
// Configurations and partitions made of them; contract in configuration.hpp.
#include "tlm/configuration.hpp"

#include "bridge/verilated/model.h"
extern "C" {
#include "tlm/source.h"
}

namespace gantry {

namespace {
const char *const names[] = {"cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch", "gpu"};

[[noreturn]] void refuse(gantry_status status)
{
    throw error("", status_exit(status));  // the line is out already
}

uint16_t id_of(const configuration &config, gantry::kind of, unsigned gpu, unsigned index)
{
    if (gpu < config.gpus() && index < config.count(of))
        return static_cast<uint16_t>(gpu << 8 | index);
    throw error("gantry: partition " + std::to_string(index) + " of kind " + configuration::name(of) + " of gpu" + std::to_string(gpu) +
                    ": the configuration has " + std::to_string(config.count(of)) + " in each of " + std::to_string(config.gpus()) + " GPUs",
                64);
}
}  // namespace

configuration::configuration(const std::vector<std::string> &words) : words_(words)
{
    std::vector<const char *> list;
    for (const std::string &word : words_)
        list.push_back(word.c_str());
    gantry_status status;
    source_ = tlm_source_open(list.data(), static_cast<unsigned>(list.size()), &status);
    if (source_ == nullptr)
        refuse(status);
}

configuration::~configuration()
{
    tlm_source_close(source_);
}

const char *configuration::name(kind of)
{
    return names[static_cast<unsigned>(of)];
}

unsigned configuration::gpus() const
{
    return tlm_source_gpus(source_);
}

unsigned configuration::count(kind of) const
{
    return tlm_source_count(source_, name(of));
}

target_clock configuration::clock() const
{
    return target_clock(tlm_source_clock(source_));
}

uint32_t configuration::store_latency() const
{
    return tlm_source_store(source_);
}

uint32_t configuration::dram_path() const
{
    return tlm_source_dram_path(source_);
}

const model_api *configuration::model(kind of) const
{
    gantry_status status;
    const model_api *api = tlm_source_model(source_, name(of), &status);
    if (api == nullptr)
        refuse(status);
    return api;
}

kind_module::kind_module(const sc_core::sc_module_name &name, const configuration &config, gantry::kind of, unsigned gpu, unsigned index)
    : model_module(name, config.clock(), config.model(of), id_of(config, of, gpu, index), tlm_source_seed(config.source(), gpu, index),
                   [&](const model_port &port, unsigned lane) {
                       return tlm_source_latency(config.source(), configuration::name(of), index, port.name, port.out, lane);
                   })
{
}

}  // namespace gantry
