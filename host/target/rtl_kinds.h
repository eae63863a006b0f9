/* SPDX-License-Identifier: Apache-2.0
 * The kinds of RTL partitions of a GPU: how many there are of each, what they are called.  KIND_GPU is all of it as one
 * model (system.rtl: whole).
 */
#ifndef GANTRY_RTL_KINDS_H
#define GANTRY_RTL_KINDS_H
#include <stdbool.h>
#include <stddef.h>

struct gantry_cfg;

enum rtl_kind { KIND_CU, KIND_SQC, KIND_NOC, KIND_L2, KIND_UTCL2, KIND_RDMA, KIND_DISPATCH, KIND_GPU, KIND_COUNT };

/* Which partition of a machine. */
struct rtl_place {
    unsigned gpu;
    enum rtl_kind kind;
    unsigned index;
};

/* As in partitions.yaml. */
const char *rtl_kind_name(enum rtl_kind kind);
/* Partitions of a kind in one GPU: a whole GPU (KIND_GPU) or all others, by system.rtl. */
unsigned rtl_kind_count(const struct gantry_cfg *cfg, enum rtl_kind kind);
/* The partition of such a machine that has that name; false: none has. */
bool rtl_kind_find(const struct gantry_cfg *cfg, const char *name, struct rtl_place *place);
/* Some partition of such a machine has that name. */
bool rtl_kind_known(const struct gantry_cfg *cfg, const char *name);
/* Name of one: "gpu0.cu3", "gpu0.l2s1", "gpu0.noc"; "gpu0". */
void rtl_kind_title(char *name, size_t room, unsigned gpu, enum rtl_kind kind, unsigned index);
#endif
