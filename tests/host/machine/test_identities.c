// SPDX-License-Identifier: Apache-2.0
// Every component of every GPU knows which one it is: the strap that its RTL shows is the GPU and the number in its
// name, no two are the same, and to ask changes nothing.
#include <stdio.h>

#include "bridge/verilated/rtl_part.h"
#include "gantry_cfg.h"
#include "kernel_bench.h"

static const char *const kinds[] = {"dispatch", "cu", "sqc", "noc", "l2s", "utcl2", "rdma"};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void no_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    (void)ctx, (void)gpu, (void)now, (void)evt;
    fail();
}
static void no_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    (void)ctx, (void)now, (void)cookie;
}
static const struct sim_host_ops ops = {.event = no_event, .timer = no_timer};

/* Which one of a kind a name says: "gpu3.l2s1" of "l2s": 3, 1; "gpu3.noc": 3, 0.  False: another partition's. */
static bool name_of(const char *name, const char *kind, unsigned *gpu, unsigned *number)
{
    char *end;
    if (strncmp(name, "gpu", 3) != 0)
        return false;
    *gpu = (unsigned)strtoul(name + 3, &end, 10);
    if (*end != '.' || strncmp(end + 1, kind, strlen(kind)) != 0)
        return false;
    const char *digits = end + 1 + strlen(kind);
    *number = (unsigned)strtoul(digits, &end, 10);
    return *end == 0;
}

static void components(const char *name, unsigned gpus)
{
    static uint8_t seen[KINDS][64][256];
    struct config config;
    char setting[32];
    memset(seen, 0, sizeof seen);
    config_init(&config);
    assert_int_equal(config_load(&config, name), STATUS_OK);
    snprintf(setting, sizeof setting, "system.gpus=%u", gpus);
    assert_int_equal(config_set(&config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&config), STATUS_OK);
    const struct gantry_cfg *cfg = &config.cfg;
    struct pmem *memory = pmem_new(gpus, (uint64_t)cfg->gpu_vram_mib << 20, 1 << 20);
    const struct sim_options options = {.model = SIM_RTL, .seed = 1};
    struct sim *sim = sim_new(cfg, memory, &options, &ops, NULL);
    assert_non_null(sim);
    for (uint32_t i = 0; i < sim->sched.count; i++) {
        struct part *part = sim->sched.parts[i];
        unsigned gpu, number;
        for (unsigned k = 0; k < KINDS; k++)
            if (name_of(part_name(part), kinds[k], &gpu, &number)) {
                const uint64_t before = part_state_hash(part);
                const unsigned id = rtl_part_id(part, 0);
                if (id != (gpu << 8 | number))
                    fail_msg("%s: its strap is %04x", part_name(part), id);
                assert_int_equal(seen[k][id >> 8][id & 255]++, 0);
                assert_true(part_state_hash(part) == before);
                assert_int_equal(rtl_part_id(part, 0), id);
            }
    }
    const unsigned cus = cfg->gpu_cu_count,
                   groups = (cus + cfg->gpu_sqc_cus_per_group - 1) / cfg->gpu_sqc_cus_per_group;
    const unsigned each[KINDS] = {1, cus, groups, 1, cfg->gpu_l2_slices, 1, 1};
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned g = 0; g < 64; g++)
            for (unsigned n = 0; n < 256; n++)
                assert_int_equal(seen[k][g][n], g < gpus && n < each[k]);
    sim_free(sim);
    pmem_free(memory);
    config_fini(&config);
}

/* shows S0.3 */
static void test_identity_of_every_component(void **state)
{
    (void)state;
    components("tiny", 8);
    components("demo", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_identity_of_every_component)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
