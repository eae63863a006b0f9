/* SPDX-License-Identifier: Apache-2.0
 * A machine for dispatches without a client, whose GPUs the case plays: what a kernel finds in memory and in its
 * registers.
 */
#ifndef LOCAL_BENCH_H
#define LOCAL_BENCH_H
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../firmware/fake_sim.h"
#include "config/config.h"
#include "local/local.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define GPU 1u
#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define VRAM (64 * MIB)
#define FULL_VRAM (63 * MIB) /* without the page tables */
#define ALL_SGPRS 0x7fu      /* SRD, packet, queue, arguments, dispatch id, flat scratch, private size */

struct bench {
    struct config config;
    struct local *l;
    uint64_t code;
    uint8_t *code_host;
};

static inline int setup(void **state)
{
    static const struct sim_options options = {.model = SIM_GOLDEN};
    struct bench *b = calloc(1, sizeof *b);
    void *host;
    config_init(&b->config);
    config_set(&b->config, "test", "system.gpus=2");
    config_set(&b->config, "test", "gpu.vram_mib=64");
    config_set(&b->config, "test", "host.gtt_mib=64");
    config_set(&b->config, "test", "gpu.cu.count=4");
    if (config_finish(&b->config) != STATUS_OK)
        return -1;
    fake_launch = NULL;
    fake_end = SIM_STOPPED;
    fake_wheres = 0;
    b->l = local_open(&b->config.cfg, &options, GPU);
    b->code = local_alloc(b->l, LOCAL_VRAM, 4096, &host);
    b->code_host = host;
    b->code_host[0x10] = 0x80;     /* the first instruction */
    b->code_host[0x34] = 15u << 1; /* user SGPRs */
    b->code_host[0x38] = ALL_SGPRS;
    *state = b;
    return b->code ? 0 : -1;
}

static inline int teardown(void **state)
{
    struct bench *b = *state;
    local_close(b->l);
    config_fini(&b->config);
    free(b);
    return 0;
}

static inline struct sim *fake(struct bench *b)
{
    return machine_sim(local_machine(b->l));
}

static inline const struct msg_cp_cmd *last(struct bench *b, unsigned kind)
{
    for (unsigned i = fake(b)->logged; i-- > 0;)
        if (fake(b)->log[i].cmd.kind == kind) {
            assert_int_equal(fake(b)->log[i].gpu, GPU);
            return &fake(b)->log[i].cmd;
        }
    fail_msg("no such command");
    return NULL;
}

/* As the GPU sees it. */
static inline void seen(struct bench *b, uint64_t va, void *to, size_t bytes)
{
    uint64_t root = last(b, CP_VMID)->root;
    assert_int_equal(pagetable_walk_read(machine_memory(local_machine(b->l)), root, va, to, bytes), 0);
}

static inline uint64_t entry_of(struct bench *b, uint64_t va)
{
    return pagetable_walk(machine_memory(local_machine(b->l)), last(b, CP_VMID)->root, va);
}

static inline uint64_t seen64(struct bench *b, uint64_t va)
{
    uint64_t value;
    seen(b, va, &value, 8);
    return value;
}

static inline uint32_t seen32(struct bench *b, uint64_t va)
{
    return (uint32_t)(seen64(b, va - va % 8) >> (va % 8 * 8));
}

static inline uint64_t sgpr64(const struct msg_cp_cmd *cmd, unsigned at)
{
    return cmd->user_sgpr[at] | (uint64_t)cmd->user_sgpr[at + 1] << 32;
}

static inline struct local_dispatch small(const struct bench *b)
{
    return (struct local_dispatch){.grid = {64, 1, 1}, .group = {64, 1, 1}, .kernel_object = b->code};
}

static inline struct local_result run(struct bench *b, const struct local_dispatch *d)
{
    static struct local_result result;
    local_dispatch(b->l, d, NULL, &result);
    return result;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
