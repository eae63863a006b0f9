// SPDX-License-Identifier: Apache-2.0
// A kernel that a machine of configuration tiny runs without driver or firmware: its code, page tables, arguments and
// launch, for tests of host/machine on real models.  Not responsible for: the machine and its host, which are the
// test's.
#ifndef KERNEL_BENCH_H
#define KERNEL_BENCH_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "machine/sim.h"
#include "machine/sim_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define CODE_VA 0x10000u
#define ARG_VA 0x20000u
#define OUT_VA 0x30000u

/* s[0:1] points to the address of the output, s2 is the group: out[i] = 4 * i */
static const uint32_t kernel_numbers[] = {
    0xc0060100, 0x00000000, /* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
    0x8e038802,             /* s_lshl_b32 s3, s2, 8 */
    0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xbf8c007f,             /* s_waitcnt lgkmcnt(0) */
    0x80040304,             /* s_add_u32 s4, s4, s3 */
    0x82058005,             /* s_addc_u32 s5, s5, 0 */
    0x7e060205,             /* v_mov_b32 v3, s5 */
    0x32040204,             /* v_add_u32 v2, vcc, s4, v1 */
    0x38060680,             /* v_addc_u32 v3, vcc, 0, v3, vcc */
    0x32080203,             /* v_add_u32 v4, vcc, s3, v1 */
    0xdc700000, 0x00000402, /* flat_store_dword v[2:3], v4 */
    0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
    0xbf810000,             /* s_endpgm */
};

/* Configuration tiny, and what `setting` says ("key=value"; NULL: nothing). */
static inline void kernel_config(struct config *config, const char *setting)
{
    config_init(config);
    assert_int_equal(config_load(config, "tiny"), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(config), STATUS_OK);
}

/* Memory of such a machine: VRAM, and 1 MiB of the host's. */
static inline struct pmem *kernel_memory(const struct config *config)
{
    struct pmem *memory = pmem_new(1, (uint64_t)config->cfg.gpu_vram_mib << 20, 1 << 20);
    assert_non_null(memory);
    return memory;
}

/* Page tables in it: `code` at CODE_VA, arguments at ARG_VA (VRAM 0x2000), output at OUT_VA on the page at `to`. */
static inline struct pagetable *kernel_tables(struct pmem *memory, const void *code, size_t bytes, uint64_t to,
                                              unsigned flags)
{
    struct pagetable *table = pagetable_new(memory, 0);
    assert_non_null(table);
    assert_int_equal(pagetable_map(table, CODE_VA, pmem_addr(1, 0x1000), 0x1000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, ARG_VA, pmem_addr(1, 0x2000), 0x1000, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_map(table, OUT_VA, to, 0x1000, PTE_R | PTE_W | flags), 0);
    pmem_write(memory, pmem_addr(1, 0x1000), code, bytes);
    return table;
}

/* One-dimensional, groups of a wavefront; s[0:1] is ARG_VA, s2 the group. */
static inline struct msg_cp_cmd kernel_launch(uint8_t vmid, uint16_t id, unsigned items)
{
    return (struct msg_cp_cmd){.kind = CP_LAUNCH,
                               .vmid = vmid,
                               .id = id,
                               .pc = CODE_VA,
                               .group = {64, 1, 1},
                               .waves = 1,
                               .grid = {items, 1, 1},
                               .groups = {(items + 63) / 64, 1, 1},
                               .recip_x = (1 << 20) / 64,
                               .recip_y = 1 << 20,
                               .vgprs = 8,
                               .sgprs = 16,
                               .user_sgprs = 2,
                               .user_sgpr = {ARG_VA},
                               .sys_sgprs = 1,
                               .cu_mask = UINT64_MAX};
}
#endif
