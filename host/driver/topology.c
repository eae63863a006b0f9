/* SPDX-License-Identifier: Apache-2.0
 * Writes the sysfs tree (topology.h): node 0 is the CPU, then one node a GPU.  Numbers come from the configuration,
 * the rest describes the part that user space takes gfx803 for.  Not responsible for: redirecting reads (sw/shim).
 */
#include "driver/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/check.h"
#include "firmware/cp.h"
#include "gantry_cfg.h"
#include "isa/gcn3.h"

#define TEXT_ROOM 4096 /* user space reads one page of a file */
#define FOLDERS_OPEN 16
#define WEIGHT_HOST 20
#define WEIGHT_PEER 40

struct text {
    char bytes[TEXT_ROOM];
    size_t used;
};

static void add(struct text *t, const char *name, uint64_t value)
{
    t->used += snprintf(t->bytes + t->used, sizeof t->bytes - t->used, "%s %llu\n", name, (unsigned long long)value);
    CHECK(t->used < sizeof t->bytes, "driver.topology", "%s: no room", name);
}

static int file_write(const char *root, const char *text, const char *format, ...)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/", root);
    va_list args;
    va_start(args, format);
    vsnprintf(path + n, sizeof path - (size_t)n, format, args);
    va_end(args);
    for (char *slash = path + n; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    int fd = creat(path, 0644);
    if (fd < 0)
        return -1;
    int put = dprintf(fd, "%s", text);
    close(fd);
    return put < 0 ? -1 : 0;
}

uint32_t topology_gpu_id(const struct gantry_cfg *cfg, unsigned gpu)
{
    return gpu < cfg->system_gpu_ids.count ? (uint32_t)cfg->system_gpu_ids.value[gpu] : (0x1001 * (gpu + 1) & 0xffff);
}

static int link_write(const struct gantry_cfg *cfg, const char *root, unsigned node, unsigned index, unsigned to)
{
    struct text t = {.used = 0};
    bool peer = node != 0 && to != 0;
    add(&t, "type", peer && cfg->system_fabric == CFG_SYSTEM_FABRIC_XGMI ? 11 : 2);
    add(&t, "version_major", 0);
    add(&t, "version_minor", 0);
    add(&t, "node_from", node);
    add(&t, "node_to", to);
    add(&t, "weight", peer ? WEIGHT_PEER : WEIGHT_HOST);
    add(&t, "min_latency", peer ? cfg->link_gpu : cfg->link_host);
    add(&t, "max_latency", peer ? cfg->link_gpu : cfg->link_host);
    uint64_t bandwidth =
        (uint64_t)(peer ? cfg->link_gpu_bytes_per_cycle : cfg->link_host_bytes_per_cycle) * cfg->gpu_clock_mhz;
    add(&t, "min_bandwidth", bandwidth);
    add(&t, "max_bandwidth", bandwidth);
    add(&t, "recommended_transfer_size", 0);
    add(&t, "flags", 1);
    return file_write(root, t.bytes, "kfd/topology/nodes/%u/io_links/%u/properties", node, index);
}

static int cpu_node_write(const struct gantry_cfg *cfg, const char *root)
{
    static const char *const zero[] = {"simd_count",
                                       "cpu_core_id_base",
                                       "simd_id_base",
                                       "max_waves_per_simd",
                                       "lds_size_in_kb",
                                       "gds_size_in_kb",
                                       "num_gws",
                                       "wave_front_size",
                                       "array_count",
                                       "simd_arrays_per_engine",
                                       "cu_per_simd_array",
                                       "simd_per_cu",
                                       "max_slots_scratch_cu",
                                       "gfx_target_version",
                                       "vendor_id",
                                       "device_id",
                                       "location_id",
                                       "domain",
                                       "drm_render_minor",
                                       "hive_id",
                                       "num_sdma_engines",
                                       "num_sdma_xgmi_engines",
                                       "num_sdma_queues_per_engine",
                                       "num_cp_queues",
                                       "caches_count"};
    struct text t = {.used = 0};
    unsigned links = cfg->driver_large_bar ? cfg->system_gpus : 0;
    add(&t, "cpu_cores_count", (uint64_t)get_nprocs());
    add(&t, "mem_banks_count", 1);
    add(&t, "io_links_count", links);
    for (unsigned i = 0; i < sizeof zero / sizeof zero[0]; i++)
        add(&t, zero[i], 0);
    add(&t, "max_engine_clk_ccompute", 3000);
    int status = file_write(root, "0\n", "kfd/topology/nodes/0/gpu_id");
    status |= file_write(root, "\n", "kfd/topology/nodes/0/name");
    status |= file_write(root, t.bytes, "kfd/topology/nodes/0/properties");
    t.used = 0;
    add(&t, "heap_type", 0);
    add(&t, "size_in_bytes", (uint64_t)cfg->host_gtt_mib << 20);
    add(&t, "flags", 0);
    add(&t, "width", 64);
    add(&t, "mem_clk_max", 2400);
    status |= file_write(root, t.bytes, "kfd/topology/nodes/0/mem_banks/0/properties");
    for (unsigned g = 0; g < links; g++)
        status |= link_write(cfg, root, 0, g, g + 1);
    return status;
}

static int cache_write(const struct gantry_cfg *cfg, const char *root, unsigned gpu, unsigned index, unsigned level,
                       unsigned kib, unsigned ways, unsigned type)
{
    struct text t = {.used = 0};
    add(&t, "processor_id_low", 0x80001000u + gpu * 0x1000u);
    add(&t, "level", level);
    add(&t, "size", kib);
    add(&t, "cache_line_size", 64);
    add(&t, "cache_lines_per_tag", 1);
    add(&t, "association", ways);
    add(&t, "latency", 1);
    add(&t, "type", type);
    t.used += snprintf(t.bytes + t.used, sizeof t.bytes - t.used, "sibling_map 1");
    for (unsigned i = 1; i < cfg->gpu_cu_count; i++)
        t.used += snprintf(t.bytes + t.used, sizeof t.bytes - t.used, ",1");
    snprintf(t.bytes + t.used, sizeof t.bytes - t.used, "\n");
    return file_write(root, t.bytes, "kfd/topology/nodes/%u/caches/%u/properties", gpu + 1, index);
}

/* User space takes four SIMDs for a CU (ROCr divides their number by four for the groups of a copy): a CU with fewer is
 * told as one of four with as many wavefront slots in all. */
#define SIMDS_TOLD 4u

static void gpu_properties(const struct gantry_cfg *cfg, unsigned gpu, struct text *t)
{
    /* Shader engines must divide the CUs, or user space would count others than there are. */
    unsigned engines = cfg->gpu_cu_count % 4 == 0 ? 4 : cfg->gpu_cu_count % 2 == 0 ? 2 : 1;
    unsigned slots = cfg->gpu_cu_simds * cfg->gpu_cu_waves_per_simd;
    add(t, "cpu_cores_count", 0);
    add(t, "simd_count", (uint64_t)cfg->gpu_cu_count * SIMDS_TOLD);
    add(t, "mem_banks_count", 1);
    add(t, "caches_count", 3);
    add(t, "io_links_count", cfg->system_gpus);
    add(t, "cpu_core_id_base", 0);
    add(t, "simd_id_base", 0x80001000u + gpu * 0x1000u);
    add(t, "max_waves_per_simd", MAX(slots / SIMDS_TOLD, 1u));
    add(t, "lds_size_in_kb", cfg->gpu_cu_lds_kib);
    add(t, "gds_size_in_kb", 0);
    add(t, "num_gws", 0);
    add(t, "wave_front_size", 64);
    add(t, "array_count", engines);
    add(t, "simd_arrays_per_engine", 1);
    add(t, "cu_per_simd_array", cfg->gpu_cu_count / engines);
    add(t, "simd_per_cu", SIMDS_TOLD);
    add(t, "max_slots_scratch_cu", GCN3_SCRATCH_PER_CU);
    add(t, "gfx_target_version", 80003);
    add(t, "vendor_id", 0x1002);
    add(t, "device_id", 0x7300);
    add(t, "location_id", (uint64_t)(gpu + 1) << 8);
    add(t, "domain", 0);
    add(t, "drm_render_minor", 128 + gpu);
    add(t, "hive_id", cfg->system_fabric == CFG_SYSTEM_FABRIC_XGMI ? 1 : 0);
    add(t, "num_sdma_engines", 2);
    add(t, "num_sdma_xgmi_engines", 0);
    add(t, "num_sdma_queues_per_engine", 2);
    add(t, "num_cp_queues", cfg->cp_queues);
    add(t, "max_engine_clk_fcompute", cfg->gpu_clock_mhz);
    add(t, "local_mem_size", 0);
    add(t, "fw_version", cfg->driver_fw_version);
    add(t, "capability", 0x1280);
    add(t, "debug_prop", 0);
    add(t, "sdma_fw_version", 18);
    add(t, "unique_id", 0x47616e0000u + topology_gpu_id(cfg, gpu));
    add(t, "max_engine_clk_ccompute", 3000);
}

static int gpu_node_write(const struct gantry_cfg *cfg, const char *root, unsigned gpu)
{
    struct text t = {.used = 0};
    char id[32];
    snprintf(id, sizeof id, "%u\n", topology_gpu_id(cfg, gpu));
    int status = file_write(root, id, "kfd/topology/nodes/%u/gpu_id", gpu + 1);
    status |= file_write(root, "fiji\n", "kfd/topology/nodes/%u/name", gpu + 1);
    gpu_properties(cfg, gpu, &t);
    status |= file_write(root, t.bytes, "kfd/topology/nodes/%u/properties", gpu + 1);
    t.used = 0;
    add(&t, "heap_type", cfg->driver_large_bar ? 1 : 2);
    add(&t, "size_in_bytes", (uint64_t)cfg->gpu_vram_mib << 20);
    add(&t, "flags", 0);
    add(&t, "width", 4096);
    add(&t, "mem_clk_max", 500);
    status |= file_write(root, t.bytes, "kfd/topology/nodes/%u/mem_banks/0/properties", gpu + 1);
    status |= cache_write(cfg, root, gpu, 0, 1, cfg->gpu_l1v_kib, cfg->gpu_l1v_ways, 9);
    status |= cache_write(cfg, root, gpu, 1, 1, cfg->gpu_l1k_kib, cfg->gpu_l1k_ways, 9);
    status |= cache_write(cfg, root, gpu, 2, 2, cfg->gpu_l2_slices * cfg->gpu_l2_kib_per_slice, cfg->gpu_l2_ways, 9);
    status |= link_write(cfg, root, gpu + 1, 0, 0);
    for (unsigned peer = 0, index = 1; peer < cfg->system_gpus; peer++)
        if (peer != gpu)
            status |= link_write(cfg, root, gpu + 1, index++, peer + 1);
    return status;
}

int topology_write(const struct gantry_cfg *cfg, const char *root)
{
    int status = file_write(root, "amdgpu 1 0 - Live 0x0000000000000000\n", "modules");
    status |= file_write(root, "live\n", "amdgpu/initstate");
    status |= file_write(root, "0\n", "amdgpu/refcnt");
    status |= file_write(root, "", "amdgpu/holders/.none");
    status |= file_write(root, "2\n", "kfd/topology/generation_id");
    status |= file_write(root, "platform_oem 0\nplatform_id 0\nplatform_rev 0\n", "kfd/topology/system_properties");
    status |= cpu_node_write(cfg, root);
    for (unsigned g = 0; g < cfg->system_gpus; g++)
        status |= gpu_node_write(cfg, root, g);
    return status;
}

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0; /* what cannot be removed holds up nothing else */
}

void topology_remove(const char *root)
{
    nftw(root, entry_remove, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}
