/* SPDX-License-Identifier: Apache-2.0
 * The generated sysfs tree that the ROCm user space reads instead of /sys/class/kfd, made from the configuration in a
 * private temporary folder.
 */
#ifndef GANTRY_TOPOLOGY_H
#define GANTRY_TOPOLOGY_H
#include <stdint.h>

struct gantry_cfg;

/* Identity of GPU `gpu` towards the program. */
uint32_t topology_gpu_id(const struct gantry_cfg *cfg, unsigned gpu);
/* 0, or -1 with errno: files below `root`, which exists. */
int topology_write(const struct gantry_cfg *cfg, const char *root);
/* Remove `root` and all below it. */
void topology_remove(const char *root);
#endif
