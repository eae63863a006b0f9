// SPDX-License-Identifier: Apache-2.0
// One configuration for all modules of a simulation, and partitions made of it.
#ifndef GANTRY_TLM_CONFIGURATION_HPP
#define GANTRY_TLM_CONFIGURATION_HPP
#include "bridge/tlm/partition.hpp"

struct tlm_source;

namespace gantry {

// The kinds of partitions of a GPU (docs/contracts.md); gpu: a whole one.
enum class kind { cu, sqc, noc, l2, utcl2, rdma, dispatch, gpu };

class configuration {
  public:
    // words: as behind the command, {"-c", "demo", "--set", "gpu.cu.count=4"}.  Bad ones: the line of the command on
    // stderr, and `error` with its exit status.  Outlives the modules made of it.
    explicit configuration(const std::vector<std::string> &words);
    ~configuration();
    configuration(const configuration &) = delete;
    configuration &operator=(const configuration &) = delete;

    unsigned gpus() const;
    unsigned count(kind of) const;  // in a GPU
    target_clock clock() const;
    // Cycles: from a slice to its DRAM, or back; what the default DRAM takes besides (gpu.dram.path).
    uint32_t store_latency() const;
    uint32_t dram_path() const;
    const std::vector<std::string> &words() const { return words_; }
    tlm_source *source() const { return source_; }
    // The model's library, built when missing, which takes minutes.  Throws as above.
    const model_api *model(kind of) const;
    static const char *name(kind of);

  private:
    std::vector<std::string> words_;
    tlm_source *source_;
};

class kind_module : public model_module {
  protected:
    kind_module(const sc_core::sc_module_name &name, const configuration &config, gantry::kind of, unsigned gpu, unsigned index);
};

// Instance `index` of GPU `gpu`: l2 slice 1 is partition<kind::l2>("l2s1", config, 0, 1).
template <gantry::kind K> class partition : public kind_module {
  public:
    partition(const sc_core::sc_module_name &name, const configuration &config, unsigned gpu = 0, unsigned index = 0)
        : kind_module(name, config, K, gpu, index)
    {
    }
};

}  // namespace gantry
#endif
