/* SPDX-License-Identifier: Apache-2.0
 * SystemVerilog constants of a configuration; the same set as sw/tools/gen/gen_params.py, which writes the package.
 */
#include <string.h>

#include "config/config.h"
#include "config/far.h"
#include "config/key_table.h"

void config_constants(const struct gantry_cfg *cfg, config_constant_fn fn, void *arg)
{
    uint32_t groups = (cfg->gpu_cu_count + cfg->gpu_sqc_cus_per_group - 1) / cfg->gpu_sqc_cus_per_group;

    for (unsigned i = 0; i < cfg_param_count; i++)
        if (*cfg_params[i].sv)
            fn(arg, cfg_params[i].sv, *(const uint32_t *)((const char *)cfg + cfg_params[i].offset));
    fn(arg, "SqcCount", groups);
    fn(arg, "NocInitiators", cfg->gpu_cu_count + groups + 2);
    fn(arg, "NocTargets", cfg->gpu_l2_slices + 2);
    fn(arg, "FarPorts", far_ports(cfg));
    fn(arg, "FarHostCredits", far_host_credits(cfg));
    fn(arg, "FarGpuCredits", far_gpu_credits(cfg));
    fn(arg, "FarEntries", far_entries(cfg));
    fn(arg, "MoveEvery", (80 + cfg->link_gpu_bytes_per_cycle - 1) / cfg->link_gpu_bytes_per_cycle);
}

struct wanted {
    const char *name;
    uint64_t *value;
    bool found;
};

static void constant_match(void *arg, const char *name, uint64_t value)
{
    struct wanted *w = arg;

    if (strcmp(name, w->name) == 0) {
        *w->value = value;
        w->found = true;
    }
}

bool config_constant(const struct gantry_cfg *cfg, const char *name, uint64_t *value)
{
    struct wanted w = {.name = name, .value = value};

    config_constants(cfg, constant_match, &w);
    return w.found;
}
