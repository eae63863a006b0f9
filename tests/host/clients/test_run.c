/* SPDX-License-Identifier: Apache-2.0
 * What a program under `gantry run` finds, how its end is told, and what is left of it (S0.7); shell scripts on a fake
 * machine.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../firmware/fake_sim.h"
#include "base/log.h"
#include "clients/address.h"
#include "clients/protocol.h"
#include "clients/run.h"
#include "config/config.h"

#define SHIM "libm.so.6" /* any library that can be loaded */

struct bench {
    struct config config;
    char folder[64];
    char said[65536]; /* what the program wrote */
    char root[256];   /* the folder of the last run */
};

static volatile int stop;
static unsigned notes, adopts;

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    config_init(&b->config);
    config_set(&b->config, "test", "gpu.vram_mib=64");
    config_set(&b->config, "test", "host.gtt_mib=64");
    if (config_finish(&b->config) != STATUS_OK)
        return -1;
    strcpy(b->folder, "/tmp/gantry-test-XXXXXX");
    stop = 0;
    notes = 0;
    *state = b;
    return mkdtemp(b->folder) && setenv("TMPDIR", b->folder, 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    int left = rmdir(b->folder); /* nothing is left in it */
    config_fini(&b->config);
    free(b);
    unsetenv("TMPDIR");
    return left;
}

static void note(void *arg, struct machine *machine, unsigned kernels)
{
    (void)arg, (void)machine, (void)kernels;
    notes++;
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Somebody listens at the socket of the only run there is. */
static bool reachable(const struct bench *b)
{
    struct sockaddr_un address;
    char root[400] = "";
    DIR *all = opendir(b->folder);
    for (struct dirent *entry; (entry = readdir(all));)
        if (*entry->d_name != '.')
            snprintf(root, sizeof root, "%s/%s", b->folder, entry->d_name);
    closedir(all);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), folder = address_open(root, &address);
    assert_true(folder >= 0);
    bool there = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(folder);
    close(fd);
    return there;
}

/* Runs it; standard output goes to b->said. */
static struct run_report run(struct bench *b, char *const *argv)
{
    struct run_report report;
    struct run_options options = {.cfg = &b->config.cfg,
                                  .sim = {.model = SIM_GOLDEN},
                                  .argv = argv,
                                  .shim = SHIM,
                                  .stop = &stop,
                                  .progress = note};
    const unsigned before = descriptors();
    int out = fcntl(1, F_DUPFD_CLOEXEC, 3), ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct run *r = run_new(&options);
    assert_non_null(r);
    assert_true(reachable(b));
    assert_false(machine_started(run_machine(r)));
    dup2(ends[1], 1);
    close(ends[1]);
    run_program(r, &report);
    assert_true(report.end == RUN_NOT_STARTED || !reachable(b)); /* what it left running finds nobody */
    dup2(out, 1);
    close(out);
    assert_null(report.rows);
    run_free(r);
    size_t n = 0;
    for (ssize_t got = 1; got > 0; n += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], b->said + n, sizeof b->said - 1 - n);
    b->said[n] = 0;
    close(ends[0]);
    while (adopts && waitpid(-1, NULL, 0) > 0) /* an orphan of the program */
        adopts--;
    assert_int_equal(adopts, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, no zombie */
    assert_int_equal(descriptors(), before);
    return report;
}

static struct run_report script(struct bench *b, const char *text)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)text, NULL}; /* found in PATH */
    return run(b, argv);
}

static void assert_line(const struct bench *b, const char *line)
{
    if (!strstr(b->said, line))
        fail_msg("%s is not in:\n%s", line, b->said);
}

/* shows S0.7: the shim comes first of what is loaded, the folder holds the tree, and the clock's mode is told. */
static void the_environment_of_a_program(void **state)
{
    struct bench *b = *state;
    unsetenv("LD_PRELOAD");
    setenv(ENV_ROOT, "/of/another/run", 1);
    setenv(ENV_CLOCK, "of another run", 1);
    for (unsigned i = 0; i < 3; i++) {
        if (i)
            setenv("LD_PRELOAD", i == 1 ? "libdl.so.2" : "", 1);
        b->config.cfg.clock_mode = i == 1 ? CFG_CLOCK_MODE_FREE : CFG_CLOCK_MODE_GATED;
        struct run_report report =
            script(b, "echo preload=$LD_PRELOAD. clock=$GANTRY_CLOCK.; read live <$GANTRY_ROOT/amdgpu/initstate;"
                      "echo $live; stat -c %a $GANTRY_ROOT; test -S $GANTRY_ROOT/socket && echo socket;"
                      "echo args=$0,$#; exit 0");
        unsetenv("LD_PRELOAD");
        assert_int_equal(report.end, RUN_EXITED);
        assert_line(b, i == 1 ? "preload=" SHIM ":libdl.so.2. clock=free.\n" : "preload=" SHIM ". clock=gated.\n");
        assert_line(b, "live\n700\nsocket\nargs=sh,0\n");
        assert_int_equal(report.repeatable, i != 1);
    }
    unsetenv(ENV_ROOT);
    unsetenv(ENV_CLOCK);
}

/* What this process was started with may be open for programs, too: a case that counts what they find hides it. */
static void inherited_hide(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

/* Signals, descriptors and limits are as if it had been started alone; only its addresses are not random. */
static void nothing_else_is_handed_on(void **state)
{
    struct bench *b = *state;
    struct rlimit files, few;
    sigset_t some, before;
    inherited_hide();
    personality((unsigned long)personality(0xffffffff) & ~(unsigned long)ADDR_NO_RANDOMIZE);
    const int persona = personality(0xffffffff);
    char line[128], expected[256] = "";
    signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL),
        signal(SIGPIPE, SIG_DFL);                   /* a shell's background has them ignored */
    FILE *status = fopen("/proc/self/status", "r"); /* what make has left ignored stays so */
    while (fgets(line, sizeof line, status))
        if (strncmp(line, "SigIgn:", 7) == 0)
            snprintf(expected, sizeof expected, "SigBlk:\t0000000000000000\n%s100\n4\n", line);
    fclose(status);
    getrlimit(RLIMIT_NOFILE, &files);
    few = (struct rlimit){100, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, &before);
    signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), signal(SIGPIPE, SIG_IGN);
    struct run_report report =
        script(b, "grep -E 'SigBlk|SigIgn' /proc/self/status; ulimit -Sn; ls /proc/self/fd | wc -l;"
                  "cat /proc/self/personality");
    signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL), signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(report.end, RUN_EXITED);
    assert_line(b, expected);
    assert_line(b, "00040000\n");
    assert_int_equal(personality(0xffffffff), persona);
}

/* What outlives its parent still belongs to the run. */
static void orphans_are_adopted(void **state)
{
    struct bench *b = *state;
    char line[64];
    adopts = 1;
    struct run_report report = script(b, "(sh -c 'sleep 0.2; grep PPid /proc/$$/status' &) ; sleep 0.6");
    assert_int_equal(report.end, RUN_EXITED);
    snprintf(line, sizeof line, "PPid:\t%d\n", (int)getpid());
    assert_line(b, line);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The program's own end, and that it has used no GPU. */
static void ends_are_told_as_they_were(void **state)
{
    struct bench *b = *state;
    struct run_report report = script(b, "exit 7");
    assert_true(report.end == RUN_EXITED && WIFEXITED(report.wait_status) && WEXITSTATUS(report.wait_status) == 7);
    assert_true(!report.gpu_work && report.repeatable && report.error == 0 && report.row_count == 0);
    assert_true(report.first_doorbell == 0 && report.last_completion == 0 && report.data_hash == 0);
    report = script(b, "kill -9 $$");
    assert_true(report.end == RUN_EXITED && WIFSIGNALED(report.wait_status) && WTERMSIG(report.wait_status) == SIGKILL);
    notes = 0;
    double begin = seconds();
    report = script(b, "sleep 0.4");
    assert_true(report.end == RUN_EXITED && report.wait_status == 0);
    assert_true(notes >= 2 && notes < 10 * (seconds() - begin) + 2); /* ten times a second */
}

/* What cannot be executed is told with its errno. */
static void what_does_not_start(void **state)
{
    struct bench *b = *state;
    static char *const programs[][2] = {
        {"/nonexistent/program", NULL}, {"no-such-program-anywhere", NULL}, {"/etc/passwd", NULL}, {"/tmp", NULL}};
    for (unsigned i = 0; i < 4; i++) {
        struct run_report report = run(b, programs[i]);
        assert_int_equal(report.end, RUN_NOT_STARTED);
        assert_int_equal(report.error, i < 2 ? ENOENT : EACCES);
        assert_int_equal(report.wait_status, 0);
    }
}

static void stop_now(int number)
{
    stop = number;
}

/* A program that has to end is asked to, and after half a second killed, with what it started, if it does not. */
static void programs_are_stopped(void **state)
{
    static const struct {
        const char *script;
        int status; /* as waitpid tells it */
    } cases[] = {{"echo on; kill -ALRM $PPID; exec sleep 60", SIGTERM},
                 {"trap 'exit 9' TERM; echo on; kill -ALRM $PPID; while :; do :; done", 9 << 8},
                 {"trap '' TERM; echo on; kill -ALRM $PPID; while :; do :; done", SIGKILL}};
    struct bench *b = *state;
    signal(SIGALRM, stop_now);
    for (unsigned i = 0; i < 3; i++) {
        stop = 0;
        double begin = seconds();
        struct run_report report = script(b, cases[i].script);
        double took = seconds() - begin;
        assert_int_equal(report.end, RUN_STOPPED);
        assert_int_equal(report.wait_status & 0xff7f, cases[i].status);
        assert_line(b, "on\n");
        assert_true(took < 40 && (i < 2 || took > 0.5));
    }
    signal(SIGALRM, SIG_DFL);
}

static void runs_that_cannot_begin(void **state)
{
    struct bench *b = *state;
    char *argv[] = {"true", NULL};
    const struct run_options options = {
        .cfg = &b->config.cfg, .sim = {.model = SIM_GOLDEN}, .argv = argv, .shim = SHIM};
    setenv("TMPDIR", "/nonexistent", 1);
    assert_null(run_new(&options));
    setenv("TMPDIR", b->folder, 1);
    b->config.cfg.host_gtt_mib = UINT32_MAX; /* no system has so many addresses */
    b->config.cfg.gpu_vram_mib = UINT32_MAX;
    assert_null(run_new(&options));
    run_free(NULL);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Without enough descriptors a run does not begin, however far it came, and nothing of it is left. */
static void runs_begin_wholly_or_not_at_all(void **state)
{
    struct bench *b = *state;
    char *argv[] = {"true", NULL};
    const struct run_options options = {
        .cfg = &b->config.cfg, .sim = {.model = SIM_GOLDEN}, .argv = argv, .shim = SHIM};
    struct rlimit files, few;
    int next = dup(0), first = next;
    while (next < first + 30) /* what is left to a run is left to its janitor, who has none of these */
        next = dup(0);
    const unsigned before = descriptors();
    getrlimit(RLIMIT_NOFILE, &files);
    struct run *r = NULL;
    unsigned failed = 0;
    for (unsigned more = 0; more < 40 && !r; more++) {
        few = (struct rlimit){(rlim_t)next + 1 + more, files.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        r = run_new(&options);
        setrlimit(RLIMIT_NOFILE, &files);
        if (r)
            break;
        failed++;
        assert_int_equal(descriptors(), before);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(rmdir(b->folder) || mkdir(b->folder, 0700), 0); /* empty */
    }
    assert_non_null(r);
    assert_true(failed >= 3);
    run_free(r);
    while (next >= first)
        close(next--);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_environment_of_a_program), TEST(nothing_else_is_handed_on),
        TEST(ends_are_told_as_they_were),   TEST(what_does_not_start),
        TEST(programs_are_stopped),         TEST(runs_that_cannot_begin),
        TEST(orphans_are_adopted),          TEST(runs_begin_wholly_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
