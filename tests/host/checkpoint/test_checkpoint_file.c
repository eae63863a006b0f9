// SPDX-License-Identifier: Apache-2.0
// Files of a machine's state (checkpoint.h, configuration tiny) that cannot be: what cannot be saved says why; a file
// that is damaged, cut off, another machine's or another configuration's is refused; a full disk leaves nothing behind.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "checkpoint_bench.h"

static bool beside_none; /* restored by somebody who knows nothing of what stands beside */

/* Exit class of restoring the file into such a machine, and the line about it. */
static enum gantry_status restore_fails(struct kind kind, const char *line)
{
    struct machine m;
    char *text = NULL;
    size_t size = 0;
    machine_open(&m, kind);
    struct sim_beside beside = beside_of(&m);
    FILE *saved = stderr;
    stderr = open_memstream(&text, &size);
    enum gantry_status status = sim_restore(m.sim, file, beside_none ? NULL : &beside);
    fclose(stderr);
    stderr = saved;
    if (!strstr(text, line))
        fail_msg("'%s' is not in: %s", line, text);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
    machine_close(&m);
    return status;
}

static void file_write(const char *bytes, size_t count)
{
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

static void test_files_that_are_refused(void **state)
{
    const struct kind rtl = {.model = SIM_RTL};
    struct machine m;
    (void)state;
    unlink(file);
    assert_int_equal(restore_fails(rtl, "No such file"), STATUS_MISSING);
    machine_open(&m, rtl);
    machine_begin(&m, false);
    assert_int_equal(sim_run(m.sim, 777), SIM_STOPPED);
    struct sim_beside beside = beside_of(&m);
    assert_int_equal(sim_save(m.sim, file, NULL), STATUS_OK);
    assert_int_equal(restore_fails(rtl, "ends too early"), STATUS_DATA);
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    beside_none = true;
    assert_int_equal(restore_fails(rtl, "holds more than this machine"), STATUS_DATA);
    beside_none = false;
    beside.memory = true;
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    assert_int_equal(restore_fails(rtl, "gantry: state recorded was saved, whole is here"), STATUS_DATA);
    beside.memory = false;
    m.sim->options.seed++;
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    assert_int_equal(restore_fails(rtl, "seed 2 was saved, 1 is here"), STATUS_DATA);
    m.sim->options.seed--;
    m.sim->sched.wires[3]->channel.latency++;
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    assert_int_equal(restore_fails(rtl, "partitions and channels are others"), STATUS_DATA);
    m.sim->sched.wires[3]->channel.latency--;
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    machine_close(&m);
    assert_int_equal(restore_fails((struct kind){.model = SIM_RTL, .setting = "seed=2"},
                                   "configuration: 'seed: 1' was saved, 'seed: 2' is here"),
                     STATUS_DATA);
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    static char bytes[1 << 22];
    const size_t count = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    assert_true(count > 1000 && count < sizeof bytes);
    for (unsigned n = 1; n < 12; n++) { /* a byte anywhere: single bits of a compressed block may mean nothing */
        const size_t at = 16 + (count - 17) * n / 11;
        bytes[at] ^= 0x7f;
        file_write(bytes, count);
        assert_int_equal(restore_fails(rtl, "is damaged or cut off"), STATUS_DATA);
        bytes[at] ^= 0x7f;
        file_write(bytes, at);
        assert_int_equal(restore_fails(rtl, "is damaged or cut off"), STATUS_DATA);
    }
    bytes[0] ^= 1;
    file_write(bytes, count);
    assert_int_equal(restore_fails(rtl, "is no saved state"), STATUS_DATA);
    bytes[0] ^= 1;
    bytes[12]++;
    file_write(bytes, count);
    assert_int_equal(restore_fails(rtl, "of another format"), STATUS_DATA);
    bytes[12]--;
    file_write(bytes, count + 1);
    assert_int_equal(restore_fails(rtl, "goes on behind its end"), STATUS_DATA);
    file_write("", 0);
    assert_int_equal(restore_fails(rtl, "is no saved state"), STATUS_DATA);
    unlink(file);
}

/* Exit class of saving, the line about it; no file is left but what was there. */
static enum gantry_status save_fails(struct machine *m, const char *path, const char *line)
{
    char *text = NULL;
    size_t size = 0;
    struct sim_beside beside = beside_of(m);
    const unsigned before = files_in();
    FILE *saved = stderr;
    stderr = open_memstream(&text, &size);
    enum gantry_status status = sim_save(m->sim, path, &beside);
    fclose(stderr);
    stderr = saved;
    if (!strstr(text, line))
        fail_msg("'%s' is not in: %s", line, text);
    free(text);
    assert_int_equal(files_in(), before);
    return status;
}

static void test_what_cannot_be_saved(void **state)
{
    struct machine m;
    (void)state;
    machine_open(&m, (struct kind){.model = SIM_GOLDEN});
    assert_int_equal(save_fails(&m, file, "gpu0.golden cannot be saved"), STATUS_USAGE);
    machine_close(&m);
    machine_open(&m, (struct kind){.model = SIM_RTL, .lockstep = true});
    assert_int_equal(save_fails(&m, file, "lock step cannot be saved"), STATUS_USAGE);
    machine_close(&m);
    machine_open(&m, (struct kind){.model = SIM_RTL});
    assert_true(pmem_window_add(m.memory, getpid(), 0x10000, 0x1000) != 0);
    assert_int_equal(save_fails(&m, file, "memory of process "), STATUS_USAGE);
    machine_close(&m);
}

/* From a callback a window is half done: our own bug. */
static void test_not_from_a_callback(void **state)
{
    struct machine m;
    int status;
    (void)state;
    machine_open(&m, (struct kind){.model = SIM_RTL});
    sim_timer(m.sim, 100, 99);
    unlink(file);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        sim_run(m.sim, UINT64_MAX);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 70);
    assert_int_equal(files_in(), 0);
    machine_close(&m);
}

/* A limit on the length of files is what a test has for a disk: what was there under the name stays. */
static void test_a_full_disk(void **state)
{
    struct machine m, then;
    struct rlimit limit, before;
    (void)state;
    machine_open(&m, (struct kind){.model = SIM_RTL});
    machine_begin(&m, false);
    struct sim_beside beside = beside_of(&m);
    assert_int_equal(save_fails(&m, "/nowhere/state", "No such file"), STATUS_IO);
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    assert_int_equal(sim_run(m.sim, 777), SIM_STOPPED);
    char other[80];
    struct stat whole;
    snprintf(other, sizeof other, "%s-2", file);
    assert_int_equal(sim_save(m.sim, other, &beside), STATUS_OK);
    assert_int_equal(stat(other, &whole), 0);
    unlink(other);
    const rlim_t most[] = {1, 17, (rlim_t)whole.st_size / 2, (rlim_t)whole.st_size - 1};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (unsigned i = 0; i < 4; i++) {
        limit = (struct rlimit){most[i], before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(save_fails(&m, file, "File too large"), STATUS_IO);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    restore(&then, (struct kind){.model = SIM_RTL});
    assert_int_equal(sim_now(then.sim), 0);
    machine_close(&then);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_are_refused),
        cmocka_unit_test(test_what_cannot_be_saved),
        cmocka_unit_test(test_not_from_a_callback),
        cmocka_unit_test(test_a_full_disk),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
