// SPDX-License-Identifier: Apache-2.0
// Scope and window of --wave (observe/wave.h), and the names of RTL partitions that it can mean (target/rtl_kinds.h),
// of a GPU in partitions and of a whole one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"
#include "gantry_cfg.h"
#include "observe/wave.h"
#include "target/rtl_kinds.h"

static char said[400]; /* on stderr, by the last of these calls */

static bool quietly(bool (*call)(void *ctx, const char *text), void *ctx, const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    bool result = call(ctx, text);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    return result;
}

static bool parse(void *wave, const char *text)
{
    return wave_parse(wave, text);
}

static bool check(void *cfg, const char *text)
{
    return wave_check(cfg, text);
}

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *scope;
        uint64_t from, to;
    } good[] = {
        {"gpu0.cu3", "gpu0.cu3", 0, UINT64_MAX},
        {"gpu0@5:6", "gpu0", 5, 6},
        {"gpu0.l2s1@0x10:4000", "gpu0.l2s1", 16, 4000},
        {"a@:7", "a", 0, 7},
        {"123456789012345678901234567890123456789012345678901234567890123", // as long as one may be
         "123456789012345678901234567890123456789012345678901234567890123", 0, UINT64_MAX},
    };
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        struct wave wave = {.scope = ""};
        assert_true(quietly(parse, &wave, good[i].text));
        assert_string_equal(said, "");
        assert_string_equal(wave.scope, good[i].scope);
        assert_int_equal(wave.from, good[i].from);
        assert_int_equal(wave.to, good[i].to);
    }
    static const char *const bad[] = {
        "",          "@5:6",      "gpu0@",      "gpu0@5",
        "gpu0@5:",   "gpu0@5:5",  "gpu0@6:5",   "gpu0@5-6",
        "gpu0@5:6x", "gpu0@x5:6", "gpu0@5:6:7", "1234567890123456789012345678901234567890123456789012345678901234",
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wave wave = {.scope = ""};
        char line[160];
        assert_false(quietly(parse, &wave, bad[i]));
        snprintf(line, sizeof line, "gantry: --wave: '%s' is not SCOPE[@FROM:TO]\n", bad[i]);
        assert_string_equal(said, line);
    }
}

static void test_what_is_in_a_scope(void **state)
{
    (void)state;
    const struct wave none = {.scope = ""}, cu = {.scope = "gpu0.cu1"}, gpu = {.scope = "gpu1"};
    assert_false(wave_wants(&none, "gpu0"));
    assert_false(wave_wants(&none, ""));
    assert_true(wave_wants(&cu, "gpu0.cu1"));
    assert_true(wave_wants(&cu, "gpu0.cu1.simd0"));
    assert_false(wave_wants(&cu, "gpu0.cu10"));
    assert_false(wave_wants(&cu, "gpu0.cu0"));
    assert_false(wave_wants(&cu, "gpu0"));
    assert_true(wave_wants(&gpu, "gpu1"));
    assert_true(wave_wants(&gpu, "gpu1.noc"));
    assert_false(wave_wants(&gpu, "gpu0.noc"));
    assert_false(wave_wants(&gpu, "gpu12"));
}

/* Five CUs, of which up to two share an SQC, and three slices, whatever the configuration may hold. */
static struct gantry_cfg machine(void)
{
    struct config config;
    config_init(&config);
    assert_int_equal(config_load(&config, "tiny"), STATUS_OK);
    assert_int_equal(config_finish(&config), STATUS_OK);
    struct gantry_cfg cfg = config.cfg;
    config_fini(&config);
    cfg.system_gpus = 2;
    cfg.gpu_cu_count = 5;
    cfg.gpu_sqc_cus_per_group = 2;
    cfg.gpu_l2_slices = 3;
    cfg.system_rtl = CFG_SYSTEM_RTL_PARTS;
    return cfg;
}

static void test_kinds_of_partitions(void **state)
{
    (void)state;
    struct gantry_cfg cfg = machine();
    static const struct {
        const char *name;
        unsigned count;
        const char *title; /* of number 1 in GPU 3 */
    } kinds[KIND_COUNT] = {
        [KIND_CU] = {"cu", 5, "gpu3.cu1"},
        [KIND_SQC] = {"sqc", 3, "gpu3.sqc1"},
        [KIND_NOC] = {"noc", 1, "gpu3.noc"},
        [KIND_L2] = {"l2", 3, "gpu3.l2s1"},
        [KIND_UTCL2] = {"utcl2", 1, "gpu3.utcl2"},
        [KIND_RDMA] = {"rdma", 1, "gpu3.rdma"},
        [KIND_DISPATCH] = {"dispatch", 1, "gpu3.dispatch"},
        [KIND_GPU] = {"gpu", 0, "gpu3"},
    };
    char title[40];
    for (unsigned k = 0; k < KIND_COUNT; k++) {
        assert_string_equal(rtl_kind_name(k), kinds[k].name);
        assert_int_equal(rtl_kind_count(&cfg, k), kinds[k].count);
        rtl_kind_title(title, sizeof title, 3, k, 1);
        assert_string_equal(title, kinds[k].title);
    }
    cfg.gpu_cu_count = 4; // fills its groups
    assert_int_equal(rtl_kind_count(&cfg, KIND_SQC), 2);
    cfg.system_rtl = CFG_SYSTEM_RTL_WHOLE;
    for (unsigned k = 0; k < KIND_COUNT; k++)
        assert_int_equal(rtl_kind_count(&cfg, k), k == KIND_GPU);
}

static void test_names_that_a_machine_has(void **state)
{
    (void)state;
    struct gantry_cfg cfg = machine();
    static const char *const has[] = {"gpu0.cu0", "gpu0.cu4",  "gpu1.cu4",   "gpu0.sqc2",    "gpu1.l2s2",
                                      "gpu1.noc", "gpu0.rdma", "gpu1.utcl2", "gpu1.dispatch"};
    static const char *const none[] = {"gpu0.cu5", "gpu2.cu0",  "gpu0.sqc3", "gpu1.l2s3",
                                       "gpu0.cu",  "gpu0.noc0", "gp",        ""};
    for (unsigned i = 0; i < sizeof has / sizeof *has; i++) {
        assert_true(rtl_kind_known(&cfg, has[i]));
        assert_true(quietly(check, &cfg, has[i]));
        assert_string_equal(said, "");
    }
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        char line[120];
        assert_false(rtl_kind_known(&cfg, none[i]));
        assert_false(quietly(check, &cfg, none[i]));
        snprintf(line, sizeof line,
                 *none[i] ? "gantry: --wave: no part of the machine is called '%s'\n"
                          : "gantry: --wave: '%s' is not SCOPE[@FROM:TO]\n",
                 none[i]);
        assert_string_equal(said, line);
    }
    assert_false(rtl_kind_known(&cfg, "gpu1"));    // no partition,
    assert_true(quietly(check, &cfg, "gpu1@4:9")); // but a scope with some
    assert_false(quietly(check, &cfg, "gpu1@9:4"));
    cfg.system_rtl = CFG_SYSTEM_RTL_WHOLE;
    assert_true(rtl_kind_known(&cfg, "gpu1"));
    assert_false(rtl_kind_known(&cfg, "gpu0.cu0"));
    assert_false(quietly(check, &cfg, "gpu0.cu0"));
    assert_string_equal(said, "gantry: --wave: no part of the machine is called 'gpu0.cu0'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_what_is_in_a_scope),
        cmocka_unit_test(test_kinds_of_partitions),
        cmocka_unit_test(test_names_that_a_machine_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
