/* SPDX-License-Identifier: Apache-2.0
 * The generated sysfs tree of one machine, file by file and line by line, as user space of ROCm reads it (S0.6); what
 * becomes of it when it cannot be written, and when it goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "clients/janitor.h"
#include "config/config.h"
#include "driver/topology.h"

#define NODES "kfd/topology/nodes/"
#define LINK(type, from, to, weight, latency, bandwidth)                                                               \
    "type " #type "\nversion_major 0\nversion_minor 0\nnode_from " #from "\nnode_to " #to "\nweight " #weight          \
    "\nmin_latency " #latency "\nmax_latency " #latency "\nmin_bandwidth " #bandwidth "\nmax_bandwidth " #bandwidth    \
    "\nrecommended_transfer_size 0\nflags 1\n"
#define CACHE(low, level, kib, ways)                                                                                   \
    "processor_id_low " #low "\nlevel " #level "\nsize " #kib                                                          \
    "\ncache_line_size 64\ncache_lines_per_tag 1\nassociation " #ways "\nlatency 1\ntype 9\nsibling_map 1,1,1,1,1,1\n"
#define GPU(low, location, minor, unique)                                                                              \
    "cpu_cores_count 0\nsimd_count 24\nmem_banks_count 1\ncaches_count 3\nio_links_count 2\ncpu_core_id_base 0\n"      \
    "simd_id_base " #low "\nmax_waves_per_simd 3\nlds_size_in_kb 32\ngds_size_in_kb 0\nnum_gws 0\n"                    \
    "wave_front_size 64\narray_count 2\nsimd_arrays_per_engine 1\ncu_per_simd_array 3\nsimd_per_cu 4\n"                \
    "max_slots_scratch_cu 32\ngfx_target_version 80003\nvendor_id 4098\ndevice_id 29440\nlocation_id " #location       \
    "\ndomain 0\ndrm_render_minor " #minor "\nhive_id 1\nnum_sdma_engines 2\nnum_sdma_xgmi_engines 0\n"                \
    "num_sdma_queues_per_engine 2\nnum_cp_queues 11\nmax_engine_clk_fcompute 1200\nlocal_mem_size 0\nfw_version 601\n" \
    "capability 4736\ndebug_prop 0\nsdma_fw_version 18\nunique_id " #unique "\nmax_engine_clk_ccompute 3000\n"
#define BANK "heap_type 1\nsize_in_bytes 100663296\nflags 0\nwidth 4096\nmem_clk_max 500\n"

/* 2 GPUs of 6 CUs (two engines of 3) with 2 SIMDs of 7 wavefronts (told as 4 of 3), linked by xGMI; the number of the
 * host's cores is not known here. */
static const char *const expected[][2] = {
    {"modules", "amdgpu 1 0 - Live 0x0000000000000000\n"},
    {"amdgpu/initstate", "live\n"},
    {"amdgpu/refcnt", "0\n"},
    {"amdgpu/holders/.none", ""},
    {"kfd/topology/generation_id", "2\n"},
    {"kfd/topology/system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0\n"},
    {NODES "0/gpu_id", "0\n"},
    {NODES "0/name", "\n"},
    {NODES "0/properties", "mem_banks_count 1\nio_links_count 2\nsimd_count 0\ncpu_core_id_base 0\nsimd_id_base 0\n"
                           "max_waves_per_simd 0\nlds_size_in_kb 0\ngds_size_in_kb 0\nnum_gws 0\nwave_front_size 0\n"
                           "array_count 0\nsimd_arrays_per_engine 0\ncu_per_simd_array 0\nsimd_per_cu 0\n"
                           "max_slots_scratch_cu 0\ngfx_target_version 0\nvendor_id 0\ndevice_id 0\nlocation_id 0\n"
                           "domain 0\ndrm_render_minor 0\nhive_id 0\nnum_sdma_engines 0\nnum_sdma_xgmi_engines 0\n"
                           "num_sdma_queues_per_engine 0\nnum_cp_queues 0\ncaches_count 0\n"
                           "max_engine_clk_ccompute 3000\n"},
    {NODES "0/mem_banks/0/properties", "heap_type 0\nsize_in_bytes 83886080\nflags 0\nwidth 64\nmem_clk_max 2400\n"},
    {NODES "0/io_links/0/properties", LINK(2, 0, 1, 20, 150, 19200)},
    {NODES "0/io_links/1/properties", LINK(2, 0, 2, 20, 150, 19200)},
    {NODES "1/gpu_id", "5\n"},
    {NODES "1/name", "fiji\n"},
    {NODES "1/properties", GPU(2147487744, 256, 128, 306577276933)},
    {NODES "1/mem_banks/0/properties", BANK},
    {NODES "1/caches/0/properties", CACHE(2147487744, 1, 8, 2)},
    {NODES "1/caches/1/properties", CACHE(2147487744, 1, 4, 1)},
    {NODES "1/caches/2/properties", CACHE(2147487744, 2, 64, 8)},
    {NODES "1/io_links/0/properties", LINK(2, 1, 0, 20, 150, 19200)},
    {NODES "1/io_links/1/properties", LINK(11, 1, 2, 40, 170, 28800)},
    {NODES "2/gpu_id", "9\n"},
    {NODES "2/name", "fiji\n"},
    {NODES "2/properties", GPU(2147491840, 512, 129, 306577276937)},
    {NODES "2/mem_banks/0/properties", BANK},
    {NODES "2/caches/0/properties", CACHE(2147491840, 1, 8, 2)},
    {NODES "2/caches/1/properties", CACHE(2147491840, 1, 4, 1)},
    {NODES "2/caches/2/properties", CACHE(2147491840, 2, 64, 8)},
    {NODES "2/io_links/0/properties", LINK(2, 2, 0, 20, 150, 19200)},
    {NODES "2/io_links/1/properties", LINK(11, 2, 1, 40, 170, 28800)},
};
#define FILES (sizeof expected / sizeof expected[0])

static int setup(void **state)
{
    static const char *const settings[] = {"system.gpus=2",
                                           "system.fabric=xgmi",
                                           "gpu.cu.count=6",
                                           "gpu.cu.simds=2",
                                           "gpu.cu.waves_per_simd=7",
                                           "gpu.cu.lds_kib=32",
                                           "gpu.clock_mhz=1200",
                                           "gpu.vram_mib=96",
                                           "host.gtt_mib=80",
                                           "link.host_bytes_per_cycle=16",
                                           "link.gpu_bytes_per_cycle=24",
                                           "link.host=150",
                                           "link.gpu=170",
                                           "gpu.l1v.kib=8",
                                           "gpu.l1v.ways=2",
                                           "gpu.l1k.kib=4",
                                           "gpu.l1k.ways=1",
                                           "gpu.l2.slices=2",
                                           "gpu.l2.ways=8",
                                           "cp.queues=11",
                                           "gpu.l2.kib_per_slice=32",
                                           "driver.fw_version=601"};
    struct config *c = calloc(1, sizeof *c);
    config_init(c);
    for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (config_set(c, "test", settings[i]) != STATUS_OK)
            return -1;
    if (config_finish(c) != STATUS_OK)
        return -1;
    c->cfg.system_gpu_ids.value[0] = 5;
    c->cfg.system_gpu_ids.value[1] = 9;
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    config_fini(*state);
    free(*state);
    return 0;
}

static const char *text_of(const char *root, const char *name)
{
    static char path[512], text[8192];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static unsigned files_found;
static size_t root_length;

static int count_file(const char *path, const struct stat *s, int kind)
{
    files_found += kind == FTW_F;
    if (strlen(path) > root_length) /* everybody may read them, and who owns them write */
        assert_int_equal(s->st_mode & 0777, kind == FTW_F ? 0644 : 0755);
    return 0;
}

static unsigned files_of(const char *root)
{
    files_found = 0;
    root_length = strlen(root);
    ftw(root, count_file, 16);
    return files_found;
}

/* shows S0.6 */
static void the_tree_of_a_machine(void **state)
{
    const struct config *c = *state;
    char root[] = "/tmp/gantry-test-XXXXXX", cores[64];
    assert_non_null(mkdtemp(root));
    assert_int_equal(topology_write(&c->cfg, root), 0);
    for (unsigned i = 0; i < FILES; i++) {
        const char *found = text_of(root, expected[i][0]);
        assert_non_null(found);
        if (strcmp(expected[i][0], NODES "0/properties") == 0) {
            snprintf(cores, sizeof cores, "cpu_cores_count %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
            assert_memory_equal(found, cores, strlen(cores));
            found += strlen(cores);
        }
        assert_string_equal(found, expected[i][1]);
    }
    assert_int_equal(files_of(root), FILES);
    topology_remove(root);
    assert_int_equal(access(root, F_OK), -1);
}

/* Without a large BAR the host has no link to VRAM; PCIe is no xGMI; ids come of themselves. */
static void the_tree_of_a_plain_machine(void **state)
{
    struct config *c = *state;
    char root[] = "/tmp/gantry-test-XXXXXX";
    c->cfg.driver_large_bar = false;
    c->cfg.system_fabric = CFG_SYSTEM_FABRIC_PCIE;
    c->cfg.system_gpu_ids.count = 0;
    c->cfg.gpu_cu_simds = 1;
    c->cfg.gpu_cu_waves_per_simd = 3;
    c->cfg.gpu_cu_count = 64;
    assert_non_null(mkdtemp(root));
    assert_int_equal(topology_write(&c->cfg, root), 0);
    assert_non_null(strstr(text_of(root, NODES "0/properties"), "\nio_links_count 0\n"));
    assert_null(text_of(root, NODES "0/io_links/0/properties"));
    assert_string_equal(text_of(root, NODES "1/gpu_id"), "4097\n");
    assert_string_equal(text_of(root, NODES "2/gpu_id"), "8194\n");
    assert_string_equal(text_of(root, NODES "1/io_links/1/properties"), LINK(2, 1, 2, 40, 170, 28800));
    assert_non_null(strstr(text_of(root, NODES "1/mem_banks/0/properties"), "heap_type 2\n"));
    assert_non_null(strstr(text_of(root, NODES "2/properties"), "\nhive_id 0\n"));
    assert_non_null(strstr(text_of(root, NODES "2/properties"), "\nmax_waves_per_simd 1\n")); /* 3 slots: not none */
    assert_non_null(strstr(text_of(root, NODES "2/properties"), "\nsimd_count 256\n"));
    assert_non_null(strstr(text_of(root, NODES "2/properties"), "\narray_count 4\n"));
    const char *caches = text_of(root, NODES "2/caches/2/properties");
    assert_int_equal(strlen(strstr(caches, "sibling_map ")), strlen("sibling_map ") + 2 * 64); /* 64 ones */
    topology_remove(root);
    c->cfg.gpu_cu_count = 9; /* engines that divide it: one */
    strcpy(strrchr(root, '-'), "-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(topology_write(&c->cfg, root), 0);
    assert_non_null(strstr(text_of(root, NODES "1/properties"), "\narray_count 1\n"));
    assert_non_null(strstr(text_of(root, NODES "1/properties"), "\ncu_per_simd_array 9\n"));
    topology_remove(root);
    assert_int_equal(access(root, F_OK), -1);
}

/* A tree that cannot be written is a failure with its cause, whichever file it is that fails. */
static void what_cannot_be_written_is_told(void **state)
{
    const struct config *c = *state;
    struct rlimit files, few;
    char root[] = "/tmp/gantry-test-XXXXXX", path[512];
    assert_true(topology_write(&c->cfg, "/nonexistent/folder") < 0);
    assert_int_equal(errno, ENOENT);
    assert_non_null(mkdtemp(root));
    getrlimit(RLIMIT_FSIZE, &files); /* as if the disk were full */
    few = (struct rlimit){100, files.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &few);
    int full = topology_write(&c->cfg, root), why = errno;
    setrlimit(RLIMIT_FSIZE, &files);
    assert_true(full < 0);
    assert_int_equal(why, EFBIG);
    getrlimit(RLIMIT_NOFILE, &files);
    int next = dup(0);
    close(next);
    few = (struct rlimit){(rlim_t)next, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    int status = topology_write(&c->cfg, root), error = errno;
    setrlimit(RLIMIT_NOFILE, &files);
    assert_true(status < 0);
    assert_int_equal(error, EMFILE);
    topology_remove(root);
    for (unsigned i = 0; i < FILES; i++) { /* a folder stands in the place of one file */
        strcpy(strrchr(root, '-'), "-XXXXXX");
        assert_non_null(mkdtemp(root));
        snprintf(path, sizeof path, "%s/%s/x", root, expected[i][0]);
        for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
            *slash = 0;
            assert_int_equal(mkdir(path, 0755), 0);
            *slash = '/';
        }
        assert_true(topology_write(&c->cfg, root) < 0);
        assert_int_equal(files_of(root), FILES - 1); /* all others are there */
        topology_remove(root);
        assert_int_equal(access(root, F_OK), -1);
    }
}

/* The folder of a run is its user's alone, in TMPDIR or /tmp; who cannot have one is told why, and nothing is left. */
static void folders_of_runs(void **state)
{
    struct janitor j = {0}, second = {0};
    struct rlimit files, few;
    char long_name[400], base[] = "/tmp/gantry-test-XXXXXX";
    struct stat s;
    (void)state;
    assert_non_null(mkdtemp(base));
    setenv("TMPDIR", base, 1);
    assert_int_equal(janitor_start(&j), 0);
    assert_int_equal(janitor_start(&second), 0);
    assert_int_equal(strncmp(j.root, base, strlen(base)), 0);
    assert_string_not_equal(j.root, second.root);
    assert_int_equal(stat(j.root, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    assert_true(j.pid > 0 && getsid(0) != j.pid);
    janitor_finish(&second);
    janitor_finish(&second); /* again: nothing happens */
    assert_int_equal(access(second.root, F_OK), -1);
    assert_int_equal(access(j.root, F_OK), 0);
    janitor_finish(&j);
    memset(long_name, 'x', sizeof long_name);
    long_name[0] = '/', long_name[sizeof long_name - 1] = 0;
    setenv("TMPDIR", long_name, 1);
    assert_int_equal(janitor_start(&j), -1);
    assert_int_equal(errno, ENAMETOOLONG);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(janitor_start(&j), -1);
    assert_int_equal(errno, ENOENT);
    setenv("TMPDIR", base, 1);
    getrlimit(RLIMIT_NOFILE, &files);
    int next = dup(0);
    close(next);
    few = (struct rlimit){(rlim_t)next + 1, files.rlim_max}; /* one descriptor is not enough for a pipe */
    setrlimit(RLIMIT_NOFILE, &few);
    int status = janitor_start(&j), error = errno;
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(status, -1);
    assert_int_equal(error, EMFILE);
    assert_int_equal(rmdir(base), 0); /* nothing is left in it */
    setenv("TMPDIR", "", 1);
    assert_int_equal(janitor_start(&j), 0);
    assert_int_equal(strncmp(j.root, "/tmp/gantry-", 12), 0);
    janitor_finish(&j);
    unsetenv("TMPDIR");
    assert_int_equal(janitor_start(&j), 0);
    assert_int_equal(strncmp(j.root, "/tmp/gantry-", 12), 0);
    janitor_finish(&j);
    assert_int_equal(access(j.root, F_OK), -1);
}

/* What goes is the tree alone: what links in it lead to stays, and so does what a link in its place leads to. */
static void links_are_not_followed(void **state)
{
    const struct config *c = *state;
    char root[] = "/tmp/gantry-test-XXXXXX", kept[] = "/tmp/gantry-test-XXXXXX", path[300], file[300];
    assert_true(mkdtemp(root) && mkdtemp(kept));
    snprintf(file, sizeof file, "%s/file", kept);
    close(creat(file, 0600));
    assert_int_equal(topology_write(&c->cfg, root), 0);
    snprintf(path, sizeof path, "%s/kfd/link", root);
    assert_int_equal(symlink(kept, path), 0);
    topology_remove(root);
    assert_int_equal(access(root, F_OK), -1);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(symlink(kept, root), 0);
    topology_remove(root);
    assert_int_equal(access(file, F_OK), 0);
    unlink(root);
    topology_remove(kept);
    assert_int_equal(access(kept, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_tree_of_a_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(the_tree_of_a_plain_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(links_are_not_followed, setup, teardown),
        cmocka_unit_test(folders_of_runs),
    };
    umask(022);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
