/* SPDX-License-Identifier: Apache-2.0
 * Kinds of RTL partitions; contract in rtl_kinds.h.
 */
#include "target/rtl_kinds.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gantry_cfg.h"

static const char *const names[KIND_COUNT] = {"cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch", "gpu"};

const char *rtl_kind_name(enum rtl_kind kind)
{
    return names[kind];
}

unsigned rtl_kind_count(const struct gantry_cfg *cfg, enum rtl_kind kind)
{
    const bool whole = cfg->system_rtl == CFG_SYSTEM_RTL_WHOLE;
    if (whole || kind == KIND_GPU)
        return whole && kind == KIND_GPU;
    const unsigned cus = cfg->gpu_cu_count, group = cfg->gpu_sqc_cus_per_group;
    return kind == KIND_CU    ? cus
           : kind == KIND_SQC ? (cus + group - 1) / group
           : kind == KIND_L2  ? cfg->gpu_l2_slices
                              : 1;
}

void rtl_kind_title(char *name, size_t room, unsigned gpu, enum rtl_kind kind, unsigned index)
{
    bool many = kind == KIND_CU || kind == KIND_SQC || kind == KIND_L2;
    if (kind == KIND_GPU)
        snprintf(name, room, "gpu%u", gpu);
    else if (many)
        snprintf(name, room, "gpu%u.%s%s%u", gpu, names[kind], kind == KIND_L2 ? "s" : "", index);
    else
        snprintf(name, room, "gpu%u.%s", gpu, names[kind]);
}

bool rtl_kind_find(const struct gantry_cfg *cfg, const char *wanted, struct rtl_place *place)
{
    char name[40];
    for (unsigned g = 0; g < cfg->system_gpus; g++) {
        for (unsigned k = 0; k < KIND_COUNT; k++) {
            for (unsigned i = 0; i < rtl_kind_count(cfg, k); i++) {
                rtl_kind_title(name, sizeof name, g, k, i);
                if (strcmp(name, wanted) == 0) {
                    *place = (struct rtl_place){g, k, i};
                    return true;
                }
            }
        }
    }
    return false;
}

bool rtl_kind_known(const struct gantry_cfg *cfg, const char *wanted)
{
    struct rtl_place place;
    return rtl_kind_find(cfg, wanted, &place);
}
