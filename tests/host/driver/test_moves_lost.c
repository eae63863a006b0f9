/* SPDX-License-Identifier: Apache-2.0
 * An answer for a page that moves never comes, at each step of its way, on a whole machine of RTL GPUs: the run ends
 * with status 75 and says which page waits, for what, since which cycle, and who owes it.  By a script of `gantry
 * kernel` and by an unmodified HIP program.
 * libs: -Wl,--wrap=tables_answered,--wrap=shootdown_answered,--wrap=page_flushed,--wrap=page_reported
 * libs: -Wl,--wrap=views_lock,--wrap=views_map,--wrap=gate_step
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "driver/driver.h"
#include "firmware/cp_private.h"
#include "machine/sim_private.h"
#include "migrate/move.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)

static enum lost { NOTHING, LOCK_TABLES, LOCK_SHOT, FLUSH, MOVED, STORED, MAP_TABLES } lost;
static bool in_gpu; /* so the machine waits for it as well */
static bool every;  /* else the first one alone */
static bool locked, mapped, gone, program_moves;

/* The first of those, or all. */
static bool loses(enum lost what, bool now)
{
    const bool is = lost == what && now && (every || !gone);
    gone |= is;
    return is;
}

static void owed(const struct cp *cp, uint8_t kind, uint16_t id)
{
    if (in_gpu)
        pending_add(&cp->sim->turn->gpus[cp->gpu], &(struct msg_cp_cmd){.kind = kind, .id = id});
}

bool __real_views_lock(struct move *v);
bool __wrap_views_lock(struct move *v);
bool __wrap_views_lock(struct move *v)
{
    locked |= v->pushed;
    return __real_views_lock(v);
}

void __real_views_map(struct move *v);
void __wrap_views_map(struct move *v);
void __wrap_views_map(struct move *v)
{
    mapped |= v->pushed;
    __real_views_map(v);
}

void __real_tables_answered(struct cp *cp, const struct msg_mem_rsp *rsp);
void __wrap_tables_answered(struct cp *cp, const struct msg_mem_rsp *rsp);
void __wrap_tables_answered(struct cp *cp, const struct msg_mem_rsp *rsp)
{
    if (!loses(LOCK_TABLES, locked) && !loses(MAP_TABLES, mapped))
        __real_tables_answered(cp, rsp);
}

void __real_shootdown_answered(struct cp *cp, uint8_t status);
void __wrap_shootdown_answered(struct cp *cp, uint8_t status);
void __wrap_shootdown_answered(struct cp *cp, uint8_t status)
{
    if (loses(LOCK_SHOT, locked))
        owed(cp, CP_CACHE, CP_SHOOTDOWN);
    else
        __real_shootdown_answered(cp, status);
}

void __real_page_flushed(struct cp *cp, uint8_t status);
void __wrap_page_flushed(struct cp *cp, uint8_t status);
void __wrap_page_flushed(struct cp *cp, uint8_t status)
{
    if (loses(FLUSH, true))
        owed(cp, CP_CACHE, CP_PAGE);
    else
        __real_page_flushed(cp, status);
}

void __real_page_reported(struct cp *cp, const struct msg_cp_evt *evt);
void __wrap_page_reported(struct cp *cp, const struct msg_cp_evt *evt);
void __wrap_page_reported(struct cp *cp, const struct msg_cp_evt *evt)
{
    if (loses(MOVED, evt->kind == CP_EVT_MOVED))
        owed(cp, CP_MOVE, evt->id);
    else if (loses(STORED, evt->kind == CP_EVT_STORED))
        owed(cp, CP_STORE, evt->id);
    else
        __real_page_reported(cp, evt);
}

/* All that may move goes to the other GPU while a kernel runs. */
static void pages_move(struct driver *d)
{
    struct cp_progress progress = {.kernel = ""};
    machine_progress(d->machine, &progress);
    for (const struct range *r = ranges_from(&d->backings, 0); r && *progress.kernel;
         r = ranges_from(&d->backings, r->at + 1))
        for (uint64_t page = r->at; page < r->at + r->bytes; page += PAGE)
            if (migrate_add(d->migrate, page, PAGE, 1) == -EAGAIN)
                break;
    if (migrate_busy(d->migrate))
        migrate_go(d->migrate);
    program_moves = !migrate_busy(d->migrate);
}

enum gate_step __real_gate_step(struct driver *d);
enum gate_step __wrap_gate_step(struct driver *d);
enum gate_step __wrap_gate_step(struct driver *d)
{
    if (program_moves && machine_started(d->machine))
        pages_move(d);
    return __real_gate_step(d);
}

/* What it said, and how it ended, in a process of its own. */
static int said(int (*command)(int argc, char **argv), char **argv, char *text, size_t room)
{
    int end[2], status, argc = 0;
    size_t have = 0;
    while (argv[argc])
        argc++;
    assert_int_equal(pipe(end), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDERR_FILENO);
        close(end[0]);
        close(end[1]);
        alarm(60);
        const int result = command(argc, argv);
        fflush(NULL);
        _exit(result);
    }
    close(end[1]);
    for (ssize_t n = 1; n > 0;) { /* what is too long is read, or it would end by that */
        char rest[4096];
        n = have < room - 1 ? read(end[0], text + have, room - 1 - have) : read(end[0], rest, sizeof rest);
        have += have < room - 1 && n > 0 ? (size_t)n : 0;
    }
    text[have] = '\0';
    close(end[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("status %x: %s", (unsigned)status, text);
    return WEXITSTATUS(status);
}

static const struct {
    enum lost lost;
    bool in_gpu;
    const char *words, *machine; /* of the line of a page; of the machine's own report */
} cases[] = {
    {LOCK_TABLES, false, "waits for writes of page tables and shoot-downs; gpu0 has not answered a write to", NULL},
    {LOCK_SHOT, false, "waits for writes of page tables and shoot-downs; gpu0 has not answered the shoot-down of 0x",
     NULL},
    {LOCK_SHOT, true, "gpu0 has not answered the shoot-down of 0x",
     "host.cp waits for gpu0.dispatch: cache maintenance"},
    {FLUSH, false, "waits for the write-back of its lines; gpu0 has not written 0x", NULL},
    {FLUSH, true, "waits for the write-back of its lines; gpu0 has not written 0x", "dispatch: cache maintenance"},
    {MOVED, false, "waits for the page-move engines; gpu0 has not reported 0x", NULL},
    {MOVED, true, "as sent", "host.cp waits for gpu0.dispatch: page-move"},
    {STORED, false, "waits for the page-move engines; gpu1 has not reported 0x", NULL},
    {STORED, true, "as stored, slot ", "host.cp waits for gpu1.dispatch: data-store"},
    {MAP_TABLES, false, "waits for writes of page tables; gpu0 has not answered a write to its page tables", NULL},
};

/* "  page 0x1000000000000 to gpu1, since cycle N: ..." */
static void page_told(const char *text, const char *words)
{
    const char *line = strstr(text, "\n  page 0x");
    unsigned long long page, since;
    unsigned gpu;
    if (!line || sscanf(line, " page 0x%llx to gpu%u, since cycle %llu", &page, &gpu, &since) != 3 || since == 0 ||
        !strstr(line, words))
        fail_msg("no page with \"%s\" in: %s", words, text);
}

static void case_begin(unsigned i)
{
    lost = cases[i].lost;
    in_gpu = cases[i].in_gpu;
    locked = mapped = gone = false;
}

/* The page of a buffer that nobody uses, or that a kernel waits for: it may wait for the host, so the machine does not
 * complain by itself. */
static const char *script_written(bool used)
{
    static const char path[] = "build/tests/moves_lost.yaml";
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(
        "object: build/kernels/vecadd.v5.co\nbuffers: {a: zero:64K, b: zero:64K, c: zero:64K, d: zero:64K}\nlaunches:\n"
        "  - move: {buffer: ",
        f);
    fputs(used ? "a" : "d", f);
    fputs(", to: 1, after: 6000}\n"
          "  - {kernel: vecadd, grid: 16384, group: 64, args: [buf:a, buf:b, buf:c]}\n",
          f);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* shows S1.11, B.7 */
static void by_a_script(void **state)
{
    (void)state;
    char *argv[] = {"kernel",          "-c",       "tiny", "--set", "system.gpus=2", "--set",
                    "migrate.page=4K", "--script", NULL,   NULL};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        static char text[1 << 16];
        case_begin(i);
        every = false;
        argv[8] = (char *)(uintptr_t)script_written(!in_gpu);
        const int status = said(cmd_kernel, argv, text, sizeof text);
        if (status != 75 || !strstr(text, "moves of pages wait at cycle"))
            fail_msg("case %u, status %d: %s", i, status, text);
        page_told(text, cases[i].words);
        if (cases[i].machine && !strstr(text, cases[i].machine))
            fail_msg("no \"%s\" in: %s", cases[i].machine, text);
    }
}

/* shows S1.11, B.7: by day at two steps. */
static void by_a_program(void **state)
{
    (void)state;
    char *argv[] = {"run", "-c", "tiny", "--set", "system.gpus=2", "--", "build/apps/chains", "sort", NULL};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        static char text[1 << 16];
        if (!getenv("GANTRY_NIGHTLY") && (cases[i].in_gpu || (cases[i].lost != STORED && cases[i].lost != MAP_TABLES)))
            continue;
        case_begin(i);
        program_moves = every = true;
        const int status = said(cmd_run, argv, text, sizeof text);
        if (status != 75 || !strstr(text, "no progress at cycle"))
            fail_msg("case %u, status %d: %s", i, status, text);
        page_told(text, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_a_script),
        cmocka_unit_test(by_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
