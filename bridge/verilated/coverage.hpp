// SPDX-License-Identifier: Apache-2.0
// Counts of Verilator's coverage to files: the generated class of a model built with verilate.py --coverage calls
// these two.  A model writes when it is destroyed, or at exit when nobody destroys it, to
// <folder>/<class>-<pid>-<n>.dat; folder: environment GANTRY_RTL_COVERAGE, none: nothing is written.  Not responsible
// for: reading (sw/tools/verify/coverage_data.py).
#ifndef GANTRY_COVERAGE_HPP
#define GANTRY_COVERAGE_HPP
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "verilated.h"
#include "verilated_cov.h"

namespace gantry
{

// One context holds one living model: its points go with it, for they refer to its counters.
struct CoverageModels {
    struct Entry {
        VerilatedContext *context;
        std::string name;
    };
    std::map<const void *, Entry> live;
    unsigned written = 0;

    void write(const Entry &entry)
    {
        const char *folder = std::getenv("GANTRY_RTL_COVERAGE");
        if (folder && *folder) {
            std::string path = std::string(folder) + "/" + entry.name + "-" + std::to_string(getpid()) + "-" +
                               std::to_string(written++);
            entry.context->coveragep()->write(path + ".part");
            std::rename((path + ".part").c_str(), (path + ".dat").c_str());
        }
        entry.context->coveragep()->clear();
    }
    ~CoverageModels()
    {
        for (auto &[model, entry] : live)
            write(entry);
    }
};

inline CoverageModels &coverage_models()
{
    static CoverageModels models;
    return models;
}

inline void coverage_open(const void *model, VerilatedContext *context, const char *name)
{
    coverage_models().live[model] = {context, name};
}

inline void coverage_close(const void *model)
{
    CoverageModels &models = coverage_models();
    auto at = models.live.find(model);
    models.write(at->second);
    models.live.erase(at);
}

} // namespace gantry
#endif
