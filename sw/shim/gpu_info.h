/* SPDX-License-Identifier: Apache-2.0
 * What libdrm tells of a GPU: the structure of amdgpu_query_gpu_info, word for word as libdrm 2.4.114 to 2.4.124
 * (amdgpu/amdgpu.h, struct amdgpu_gpu_info) has it.
 */
#ifndef GANTRY_SHIM_DRM_H
#define GANTRY_SHIM_DRM_H
#include <stdint.h>

struct drm_gpu_info {
    uint32_t device_id, chip_rev, external_rev, family;
    uint64_t flags;       /* 1: part of a CPU */
    uint64_t engine_khz;  /* at most */
    uint64_t memory_khz;  /* at most */
    uint32_t engines;     /* shader engines */
    uint32_t arrays;      /* of each */
    uint32_t graphics[6]; /* quad pipes, parameter cache, contexts, render backends: none here */
    uint32_t counter_khz; /* of the clock that s_memrealtime reads */
    uint32_t backends_off[4];
    uint32_t ram_config;
    uint32_t addresses, tile_modes[32], macro_modes[16]; /* driver/tiling.h */
    uint32_t raster[8];
    uint32_t cus, cus_always_on;
    uint32_t cu_bitmap[4][4]; /* by engine and array */
    uint32_t vram_type;       /* 6: HBM */
    uint32_t vram_bits;
    uint32_t constant_engine_bytes, video_off, pci_rev;
};
#define DRM_GPU_INFO_BYTES 416
#endif
