/* SPDX-License-Identifier: Apache-2.0
 * Parts of the driver alone: arenas, doorbell offsets (S0.14), the generated topology for random configurations (S0.6),
 * the janitor, debuggers, slices of the clock.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "clients/debugger.h"
#include "clients/janitor.h"
#include "clock/time_slice.h"
#include "config/config.h"
#include "driver/doorbell.h"
#include "driver/topology.h"
#include "vm/arena.h"

static void arena_agrees_with_a_map(void **state)
{
    enum { PAGES = 512, BLOCKS = 100 };
    static uint8_t used[PAGES];
    struct {
        uint64_t at, pages;
    } blocks[BLOCKS] = {{0, 0}};
    struct arena a;
    (void)state;
    memset(used, 0, sizeof used);
    arena_init(&a, 0, PAGES * 4096);
    srand(5);
    for (int round = 0; round < 20000; round++) {
        unsigned i = (unsigned)rand() % BLOCKS;
        if (blocks[i].pages) {
            arena_free(&a, blocks[i].at, blocks[i].pages * 4096);
            memset(used + blocks[i].at / 4096, 0, blocks[i].pages);
            blocks[i].pages = 0;
            continue;
        }
        uint64_t pages = 1 + (uint64_t)rand() % 20, align = rand() % 4 ? 4096 : 4096 * 8;
        uint64_t like = (uint64_t)rand() % 64 * 4096;
        uint64_t at = arena_alloc(&a, pages * 4096, align, like);
        uint64_t first = like % align / 4096; /* what first fit must give */
        for (; first + pages <= PAGES; first += align / 4096)
            if (!memchr(used + first, 1, pages))
                break;
        if (first + pages > PAGES) {
            assert_int_equal(at, ARENA_NONE);
            continue;
        }
        assert_int_equal(at, first * 4096);
        memset(used + first, 1, pages);
        blocks[i].at = at;
        blocks[i].pages = pages;
        uint64_t free_pages = 0;
        for (unsigned p = 0; p < PAGES; p++)
            free_pages += !used[p];
        assert_int_equal(a.free_bytes, free_pages * 4096);
    }
    arena_release(&a);
}

/* shows S0.14 */
static void offsets_round_trip(void **state)
{
    enum page_kind kind;
    uint32_t gpu_id;
    (void)state;
    for (uint32_t id = 1; id < 65536; id += 7) {
        assert_true(doorbell_decode(doorbell_encode(PAGE_DOORBELL, id), &kind, &gpu_id));
        assert_int_equal(kind, PAGE_DOORBELL);
        assert_int_equal(gpu_id, id);
        assert_true(doorbell_decode(doorbell_encode(PAGE_MMIO, id), &kind, &gpu_id));
        assert_int_equal(kind, PAGE_MMIO);
        for (int bit = 0; bit < 46; bit++) /* one wrong bit makes it malformed */
            assert_false(doorbell_decode(doorbell_encode(PAGE_DOORBELL, id) ^ UINT64_C(1) << bit, &kind, &gpu_id));
    }
    assert_false(doorbell_decode(doorbell_encode(PAGE_RESERVED, 1), &kind, &gpu_id));
}

static long property(const char *root, unsigned node, const char *file, const char *name)
{
    char path[512], line[256], found[128];
    long value = -1;
    snprintf(path, sizeof path, "%s/kfd/topology/nodes/%u/%s", root, node, file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        long v;
        if (sscanf(line, "%127s %ld", found, &v) == 2 && strcmp(found, name) == 0)
            value = v;
    }
    fclose(f);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_true(s.st_size < 4096); /* user space reads one page */
    return value;
}

static bool exists(const char *format, const char *root, unsigned node, unsigned index)
{
    char path[512];
    snprintf(path, sizeof path, format, root, node, index);
    return access(path, F_OK) == 0;
}

/* shows S0.6: what the tree says is what the configuration says. */
static void topology_equals_configuration(void **state)
{
    (void)state;
    srand(11);
    for (int round = 0; round < 20; round++) {
        static const char *const cus[] = {"1", "2", "4", "6", "16", "36", "64"};
        struct config c;
        char text[64], root[] = "/tmp/gantry-test-XXXXXX";
        unsigned gpus = 1 + (unsigned)rand() % 8;
        config_init(&c);
        snprintf(text, sizeof text, "system.gpus=%u", gpus);
        assert_int_equal(config_set(&c, "test", text), STATUS_OK);
        snprintf(text, sizeof text, "gpu.cu.count=%s", cus[rand() % 7]);
        assert_int_equal(config_set(&c, "test", text), STATUS_OK);
        assert_int_equal(config_set(&c, "test", round & 1 ? "driver.large_bar=on" : "driver.large_bar=off"), STATUS_OK);
        snprintf(text, sizeof text, "gpu.cu.simds=%u", 1u << round % 3);
        assert_int_equal(config_set(&c, "test", text), STATUS_OK);
        assert_int_equal(config_finish(&c), STATUS_OK);
        assert_non_null(mkdtemp(root));
        assert_int_equal(topology_write(&c.cfg, root), 0);
        assert_true(exists("%s/kfd/topology/nodes/%u/gpu_id", root, gpus, 0));
        assert_false(exists("%s/kfd/topology/nodes/%u", root, gpus + 1, 0));
        assert_int_equal(property(root, 0, "properties", "simd_count"), 0);
        assert_int_equal(property(root, 0, "properties", "io_links_count"), round & 1 ? gpus : 0);
        for (unsigned n = 1; n <= gpus; n++) {
            long simds = property(root, n, "properties", "simd_count");
            long engines = property(root, n, "properties", "array_count");
            assert_int_equal(simds, c.cfg.gpu_cu_count * 4); /* whatever the CU has: user space counts CUs by fours */
            assert_int_equal(property(root, n, "properties", "simd_per_cu"), 4);
            assert_int_equal(property(root, n, "properties", "max_waves_per_simd"), 10 * c.cfg.gpu_cu_simds / 4);
            assert_int_equal(property(root, n, "properties", "cu_per_simd_array") * engines * 4, simds);
            assert_int_equal(property(root, n, "properties", "drm_render_minor"), 127 + n);
            assert_int_equal(property(root, n, "properties", "mem_banks_count"), 1);
            assert_int_equal(property(root, n, "mem_banks/0/properties", "heap_type"), round & 1 ? 1 : 2);
            assert_int_equal(property(root, n, "mem_banks/0/properties", "size_in_bytes"),
                             (long)c.cfg.gpu_vram_mib << 20);
            long links = property(root, n, "properties", "io_links_count");
            assert_int_equal(links, gpus);
            assert_true(exists("%s/kfd/topology/nodes/%u/io_links/%u/properties", root, n, (unsigned)links - 1));
            assert_false(exists("%s/kfd/topology/nodes/%u/io_links/%u", root, n, (unsigned)links));
            assert_true(exists("%s/kfd/topology/nodes/%u/caches/%u/properties", root, n, 2));
        }
        topology_remove(root);
        assert_int_equal(access(root, F_OK), -1);
        config_fini(&c);
    }
}

static void janitor_removes_the_tree(void **state)
{
    struct janitor j;
    char path[300];
    const char *root = j.root;
    (void)state;
    assert_int_equal(janitor_start(&j), 0);
    snprintf(path, sizeof path, "%s/a", root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/a/b", root);
    assert_int_equal(symlink("/etc", path), 0); /* is removed, not followed */
    janitor_finish(&j);
    assert_int_equal(access(root, F_OK), -1);
    assert_int_equal(access("/etc/passwd", F_OK), 0);
}

static unsigned entries(const char *path)
{
    unsigned n = 0;
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n < 2 ? 0 : n - 2;
}

static bool is_named(pid_t pid, const char *name)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    (void)!fgets(text, sizeof text, f);
    fclose(f);
    return strncmp(text, name, strlen(name)) == 0;
}

/* It stands apart: a session, a name and one descriptor of its own; a terminal's signals do not end it. */
static void the_janitor_stands_apart(void **state)
{
    struct janitor j;
    char path[64], file[300];
    unsigned before = entries("/proc/self/fd");
    (void)state;
    signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL), signal(SIGHUP, SIG_DFL); /* a shell's background ignores some */
    assert_int_equal(janitor_start(&j), 0);
    assert_int_equal(entries("/proc/self/fd"), before + 1);
    snprintf(path, sizeof path, "/proc/%d/fd", (int)j.pid);
    for (unsigned i = 0; i < 2000 && (!is_named(j.pid, "gantry-janitor") || entries(path) != 1); i++)
        usleep(5000);
    assert_true(is_named(j.pid, "gantry-janitor"));
    assert_int_equal(entries(path), 1);
    assert_int_equal(getsid(j.pid), j.pid);
    kill(j.pid, SIGINT), kill(j.pid, SIGTERM), kill(j.pid, SIGHUP);
    usleep(50000);
    assert_int_equal(kill(j.pid, 0), 0);
    assert_int_equal(waitpid(j.pid, NULL, WNOHANG), 0);
    kill(j.pid, SIGKILL); /* by whomever: the folder goes all the same */
    snprintf(file, sizeof file, "%s/file", j.root);
    fclose(fopen(file, "w"));
    janitor_finish(&j);
    assert_int_equal(access(j.root, F_OK), -1);
    assert_int_equal(entries("/proc/self/fd"), before);
    assert_int_equal(janitor_start(&j), 0);
    kill(j.pid, SIGSTOP); /* it is not waited for */
    alarm(60);
    janitor_finish(&j);
    alarm(0);
    assert_int_equal(access(j.root, F_OK), -1);
    int other = dup(0); /* has the descriptor that was the janitor's */
    janitor_finish(&j); /* once more: nothing */
    assert_int_equal(fcntl(other, F_GETFD), 0);
    close(other);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* The folder lies where temporary files are to be, and is told when it cannot. */
static void the_folder_lies_in_tmpdir(void **state)
{
    struct janitor j;
    char longest[JANITOR_ROOT + 1];
    unsigned before = entries("/proc/self/fd");
    (void)state;
    for (unsigned empty = 0; empty < 2; empty++) {
        empty ? setenv("TMPDIR", "", 1) : unsetenv("TMPDIR");
        assert_int_equal(janitor_start(&j), 0);
        assert_int_equal(strncmp(j.root, "/tmp/gantry-", 12), 0);
        janitor_finish(&j);
    }
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(janitor_start(&j), -1);
    assert_int_equal(errno, ENOENT);
    memset(longest, '/', JANITOR_ROOT);
    const size_t tail = strlen("/gantry-XXXXXX");
    for (unsigned more = 0; more < 2; more++) { /* slashes, and /tmp at the end */
        size_t n = JANITOR_ROOT - 1 - tail + more;
        longest[n] = 0;
        memcpy(longest + n - 4, "/tmp", 4);
        setenv("TMPDIR", longest, 1);
        assert_int_equal(janitor_start(&j), more ? -1 : 0);
        assert_true(!more || errno == ENAMETOOLONG);
        if (!more)
            janitor_finish(&j);
        longest[n] = '/';
    }
    setenv("TMPDIR", "/tmp", 1);
    struct rlimit files, few;
    getrlimit(RLIMIT_NOFILE, &files);
    int next = dup(0);
    close(next);
    few = (struct rlimit){(rlim_t)next + 1, files.rlim_max}; /* one for a pipe of two */
    setrlimit(RLIMIT_NOFILE, &few);
    int status = janitor_start(&j);
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(status, -1);
    assert_int_equal(access(j.root, F_OK), -1);
    assert_int_equal(entries("/proc/self/fd"), before);
    unsetenv("TMPDIR");
}

/* A debugger gets its words before those of the user; other programs are left alone. */
static void debuggers_are_told(void **state)
{
    static const struct {
        const char *name;
        bool gdb;
    } cases[] = {{"gdb", true},
                 {"/usr/bin/gdb", true},
                 {"gdb-multiarch", true},
                 {"x86_64-linux-gnu-gdb", true},
                 {"/opt/a-gdb", true},
                 {"gdbserver", false},
                 {"cgdb", false},
                 {"-gdb", false},
                 {"gd", false},
                 {"/usr/gdb/program", false},
                 {"sh", false},
                 {"my-gdb2", false},
                 {"", false},
                 {"gdb/", false},
                 {"agdb", false},
                 {"a-gdbx", false}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *argv[] = {(char *)(uintptr_t)cases[i].name, "--args", "program", NULL};
        char *const *list = debugger_argv(argv);
        assert_int_equal(list != argv, cases[i].gdb);
        if (!cases[i].gdb)
            continue;
        unsigned n = 1;
        assert_ptr_equal(list[0], argv[0]);
        for (; strcmp(list[n], "-iex") == 0; n += 2)
            assert_true(strlen(list[n + 1]) > 10);
        assert_int_equal(n, 11);
        assert_ptr_equal(list[n], argv[1]);
        assert_ptr_equal(list[n + 1], argv[2]);
        assert_null(list[n + 2]);
        free((void *)(uintptr_t)list);
    }
    char *none[] = {NULL};
    assert_ptr_equal(debugger_argv(none), none);
}

/* A slice that took no host time is followed by a longer one, one that took long by a shorter one, within limits.  One
 * that ended early, since a client was to be answered, says nothing: many such must not make the next one long. */
static void slices_follow_host_time(void **state)
{
    static const struct {
        unsigned ms;
        uint64_t cycles, next;
        uint64_t early; /* cycles before its end */
    } cases[] = {{0, 5000, 5000, 1},
                 {150, 5000, 2500, 4000},
                 {0, 1000, 2000, 0},
                 {0, 5000, 10000, 0},
                 {0, UINT64_C(1) << 31, UINT64_C(1) << 32, 0},
                 {0, UINT64_C(1) << 32, UINT64_C(1) << 32, 0},
                 {40, 5000, 5000, 0},
                 {150, 5000, 2500, 0},
                 {150, 1001, 500, 0},
                 {150, 1000, 1000, 0}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct slice slice = SLICE_INIT;
        for (unsigned again = 0; again < 50; again++) { /* this process may have to wait for its turn */
            slice.cycles = cases[i].cycles;
            slice_begin(&slice, 77);
            usleep(cases[i].ms * 1000);
            slice_end(&slice, 77 + cases[i].cycles - cases[i].early);
            if (slice.cycles == cases[i].next)
                break;
        }
        assert_int_equal(slice.cycles, cases[i].next);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_agrees_with_a_map),
        cmocka_unit_test(offsets_round_trip),
        cmocka_unit_test(topology_equals_configuration),
        cmocka_unit_test(janitor_removes_the_tree),
        cmocka_unit_test(the_janitor_stands_apart),
        cmocka_unit_test(the_folder_lies_in_tmpdir),
        cmocka_unit_test(debuggers_are_told),
        cmocka_unit_test(slices_follow_host_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
