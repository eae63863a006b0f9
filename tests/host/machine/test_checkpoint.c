// SPDX-License-Identifier: Apache-2.0
// The RTL machine (configuration tiny) in a file and back (checkpoint.h): saved at odd cycles of a run of a kernel that
// stores to VRAM or to host memory, with more commands than there are places and with timers, then restored into a new
// machine it goes on to the cycles, hash, counters, memory, events and timers of the run that was never interrupted, as
// often as one likes; the hash of the state is that of the saved machine.  What cannot be saved says why; a file that
// is damaged, cut off, another machine's or another configuration's is refused; a full disk leaves nothing behind.
#include <dirent.h>
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

#include "base/state_io.h"
#include "config/config.h"
#include "machine/checkpoint.h"
#include "machine/sim.h"
#include "machine/sim_private.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define GROUPS 6
#define ITEMS (GROUPS * 64 - 20) /* the last group is partial */
#define CODE_VA 0x10000u
#define ARG_VA 0x20000u
#define OUT_VA 0x30000u
#define FLOOD 90u /* commands: more than places for them */

/* s[0:1] points to the address of the output, s2 is the group: out[i] = 4 * i */
static const uint32_t program[] = {
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

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    uint64_t notes; /* hash over events and timers: the user's side, saved beside the machine */
    uint64_t counters;
    unsigned events;
};

static void note(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 31;
}

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    note(&m->notes, now * 64 + gpu);
    note(&m->notes, evt->kind * UINT64_C(65536) + evt->id);
    note(&m->notes, evt->start + 3 * evt->end + 5 * evt->instructions);
    m->events++;
}

static char folder[] = "/tmp/gantry-checkpoint-XXXXXX", file[64];

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    note(&m->notes, now * 256 + cookie);
    if (cookie == 99)
        sim_save(m->sim, file, NULL); /* in the middle of a window */
    if (cookie < 4)
        sim_timer(m->sim, now + 97, cookie + 10);
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};

static void beside_save(void *ctx, struct state_writer *to)
{
    struct machine *m = ctx;
    STATE_PUT(to, m->notes);
    STATE_PUT(to, m->events);
}

static bool beside_restore(void *ctx, struct state_reader *from)
{
    struct machine *m = ctx;
    return STATE_GET(from, m->notes) && STATE_GET(from, m->events);
}

static struct sim_beside beside_of(struct machine *m)
{
    return (struct sim_beside){.save = beside_save, .restore = beside_restore, .ctx = m};
}

struct kind {
    enum sim_model model;
    unsigned threads;
    bool no_skip, lockstep;
    const char *setting;
};

/* A machine in which nothing has happened and whose memory is empty. */
static void machine_open(struct machine *m, struct kind kind)
{
    memset(m, 0, sizeof *m);
    config_init(&m->config);
    assert_int_equal(config_load(&m->config, "tiny"), STATUS_OK);
    if (kind.setting)
        assert_int_equal(config_set(&m->config, "test", kind.setting), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->memory = pmem_new(1, (uint64_t)m->config.cfg.gpu_vram_mib << 20, 1 << 20);
    struct sim_options options = {.model = kind.model,
                                  .seed = m->config.cfg.seed,
                                  .no_skip = kind.no_skip,
                                  .lockstep = kind.lockstep,
                                  .threads = kind.threads};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* Kernel, commands and timers; the kernel stores into host memory or VRAM. */
static void machine_begin(struct machine *m, bool host)
{
    uint64_t out = OUT_VA, to = pmem_addr(host ? 0 : 1, 0x3000);
    m->table = pagetable_new(m->memory, 0);
    assert_non_null(m->table);
    assert_int_equal(pagetable_map(m->table, CODE_VA, pmem_addr(1, 0x1000), 0x1000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(m->table, ARG_VA, pmem_addr(1, 0x2000), 0x1000, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_map(m->table, OUT_VA, to, 0x1000, PTE_R | PTE_W | (host ? PTE_UNCACHED : 0)), 0);
    pmem_write(m->memory, pmem_addr(1, 0x1000), program, sizeof program);
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table)};
    struct msg_cp_cmd cmd = {.kind = CP_LAUNCH,
                             .vmid = 3,
                             .id = 7,
                             .pc = CODE_VA,
                             .group = {64, 1, 1},
                             .waves = 1,
                             .grid = {ITEMS, 1, 1},
                             .groups = {GROUPS, 1, 1},
                             .recip_x = (1 << 20) / 64,
                             .recip_y = 1 << 20,
                             .vgprs = 8,
                             .sgprs = 16,
                             .user_sgprs = 2,
                             .user_sgpr = {ARG_VA},
                             .sys_sgprs = 1,
                             .cu_mask = UINT64_MAX};
    sim_cmd(m->sim, 0, &vmid);
    sim_cmd(m->sim, 0, &cmd);
    for (unsigned i = 0; i < FLOOD; i++) {
        struct msg_cp_cmd flood = {.kind = CP_CACHE, .vmid = 3, .id = (uint16_t)(100 + i), .flags = CACHE_INV_TLB};
        sim_cmd(m->sim, 0, &flood);
    }
    for (unsigned i = 0; i < 4; i++) {
        sim_timer(m->sim, 1501, 3 - i);
        sim_timer(m->sim, 300 * i, 20 + i);
    }
}

static void counter_note(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct machine *m = arg;
    (void)unit;
    for (const char *c = location; *c; c++)
        note(&m->counters, (uint8_t)*c);
    for (const char *c = name; *c; c++)
        note(&m->counters, (uint8_t)*c);
    note(&m->counters, value);
}

struct outcome {
    uint64_t cycle, visits, hash, state, notes, instructions, memory, counters;
};

static struct outcome machine_end(struct machine *m, bool host)
{
    uint32_t out[1024];
    struct outcome o = {0};
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m->events, FLOOD + 1);
    pmem_read(m->memory, pmem_addr(host ? 0 : 1, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(out[i], i < ITEMS ? 4 * i : 0);
    o.cycle = sim_now(m->sim);
    o.visits = sched_visits(&m->sim->sched);
    o.hash = sim_write_hash(m->sim);
    o.state = sim_state_hash(m->sim);
    o.notes = m->notes;
    o.instructions = sim_instructions(m->sim);
    sim_counters(m->sim, counter_note, m); /* takes clock edges: last */
    o.counters = m->counters;
    return o;
}

static void outcome_equal(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->cycle, b->cycle);
    assert_int_equal(a->visits, b->visits);
    assert_true(a->hash == b->hash);
    assert_true(a->notes == b->notes);
    assert_int_equal(a->instructions, b->instructions);
    assert_true(a->counters == b->counters);
    assert_true(a->state == b->state);
}

static unsigned files_in(void)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void restore(struct machine *m, struct kind kind)
{
    machine_open(m, kind);
    struct sim_beside beside = beside_of(m);
    assert_int_equal(sim_restore(m->sim, file, &beside), STATUS_OK);
}

static void goes_on(bool host, struct kind kind)
{
    struct machine whole, first, then;
    unsigned written = 0; /* restored with some of its stores done */
    machine_open(&whole, kind);
    machine_begin(&whole, host);
    const uint64_t nothing = sim_write_hash(whole.sim);
    struct outcome end = machine_end(&whole, host);
    const uint64_t cycles = sim_now(whole.sim);
    machine_close(&whole);
    for (unsigned n = 0; n < 20; n++) { /* of each place in a window; most while the kernel stores, at the end */
        const uint64_t cycle =
            n < 6 ? n * cycles / 6 + (n ? 2 * n - 1 : 0) : cycles - (host ? 720 : 420) + 21 * (n - 6);
        machine_open(&first, kind);
        machine_begin(&first, host);
        if (cycle)
            assert_int_equal(sim_run(first.sim, cycle), SIM_STOPPED);
        struct sim_beside beside = beside_of(&first);
        assert_int_equal(sim_save(first.sim, file, &beside), STATUS_OK);
        const uint64_t hash = sim_state_hash(first.sim);
        for (unsigned again = 0; again < 2; again++) {
            struct kind other = kind;
            other.threads = 1 + again;
            restore(&then, other);
            assert_int_equal(sim_now(then.sim), sim_now(first.sim));
            assert_true(sim_state_hash(then.sim) == hash);
            written += sim_write_hash(then.sim) != nothing && sim_write_hash(then.sim) != end.hash;
            struct outcome o = machine_end(&then, host);
            outcome_equal(&o, &end);
            machine_close(&then);
        }
        struct outcome o = machine_end(&first, host); /* saving has changed nothing */
        outcome_equal(&o, &end);
        machine_close(&first);
    }
    assert_true(written >= 2);
}

/* shows S4.7: In VRAM with one thread, in host memory with two. */
static void test_it_goes_on(void **state)
{
    (void)state;
    goes_on(false, (struct kind){.model = SIM_RTL, .threads = 1});
    goes_on(true, (struct kind){.model = SIM_RTL, .threads = 2});
}

/* A restored machine is saved again, in small steps: the same bytes as of the one that was never in a file. */
static void test_from_file_to_file(void **state)
{
    struct machine a, b;
    (void)state;
    machine_open(&a, (struct kind){.model = SIM_RTL});
    machine_begin(&a, true);
    for (uint64_t cycle = 501; cycle < 1000; cycle += 101) {
        assert_int_equal(sim_run(a.sim, cycle), SIM_STOPPED);
        struct sim_beside beside = beside_of(&a);
        assert_int_equal(sim_save(a.sim, file, &beside), STATUS_OK);
        restore(&b, (struct kind){.model = SIM_RTL});
        struct machine whole = a; /* goes on as the restored one */
        assert_int_equal(sim_run(whole.sim, cycle + 7), SIM_STOPPED);
        assert_int_equal(sim_run(b.sim, cycle + 7), SIM_STOPPED);
        assert_true(sim_state_hash(whole.sim) == sim_state_hash(b.sim));
        machine_close(&b);
    }
    machine_close(&a);
}

/* At the end partitions are asked where wavefronts are, and for counters, which moves them on: what they showed before
 * is state, too. */
static void test_after_questions(void **state)
{
    struct machine a, b;
    (void)state;
    machine_open(&a, (struct kind){.model = SIM_RTL});
    machine_begin(&a, false);
    assert_int_equal(sim_run(a.sim, UINT64_MAX), SIM_STOPPED);
    sim_counters(a.sim, counter_note, &a);
    assert_int_equal(sim_instructions(a.sim), 13 * GROUPS);
    struct sim_beside beside = beside_of(&a);
    assert_int_equal(sim_save(a.sim, file, &beside), STATUS_OK);
    restore(&b, (struct kind){.model = SIM_RTL});
    assert_int_equal(sim_instructions(b.sim), 13 * GROUPS);
    assert_int_equal(sim_groups(b.sim, 0), GROUPS);
    a.counters = 0;
    sim_counters(a.sim, counter_note, &a);
    sim_counters(b.sim, counter_note, &b);
    assert_true(a.counters == b.counters);
    machine_close(&a);
    machine_close(&b);
}

/* Of two machines that differ in one thing, and of one machine a cycle later. */
static void test_the_hash_sees_every_change(void **state)
{
    struct machine m;
    uint64_t byte = 1;
    (void)state;
    machine_open(&m, (struct kind){.model = SIM_RTL});
    machine_begin(&m, false);
    assert_int_equal(sim_run(m.sim, 803), SIM_STOPPED);
    uint64_t hash = sim_state_hash(m.sim);
    assert_true(hash == sim_state_hash(m.sim));
    pmem_write(m.memory, pmem_addr(1, 0x123456), &byte, 1);
    assert_true(hash != sim_state_hash(m.sim));
    byte = 0;
    pmem_write(m.memory, pmem_addr(1, 0x123456), &byte, 1); /* a page of zeros is none */
    assert_true(hash == sim_state_hash(m.sim));
    pmem_write(m.memory, pmem_addr(0, 0x5000), &hash, 1);
    assert_true(hash != sim_state_hash(m.sim));
    pmem_write(m.memory, pmem_addr(0, 0x5000), &byte, 1);
    struct sim_gpu *g = &m.sim->gpus[0];
    bool *const flags[] = {&g->pending[0].faulted, &g->pending[0].interrupted, &g->pending[0].halted};
    for (unsigned i = 0; i < 3; i++) {
        *flags[i] = true;
        assert_true(hash != sim_state_hash(m.sim));
        *flags[i] = false;
    }
    uint64_t *const numbers[] = {&g->roots[9], &g->traps[9].handler, &g->traps[9].memory,
                                 &m.sim->now,  &m.sim->watch_sent,   &m.sim->watch_cycle};
    for (unsigned i = 0; i < 6; i++) {
        *numbers[i] ^= 1;
        assert_true(hash != sim_state_hash(m.sim));
        *numbers[i] ^= 1;
    }
    assert_true(hash == sim_state_hash(m.sim));
    g->pending[0].faulted = g->pending[1].interrupted = g->pending[2].halted = true;
    struct sim_beside beside = beside_of(&m);
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    struct machine then;
    restore(&then, (struct kind){.model = SIM_RTL});
    assert_true(sim_state_hash(then.sim) == sim_state_hash(m.sim));
    machine_close(&then);
    g->pending[0].faulted = g->pending[1].interrupted = g->pending[2].halted = false;
    sim_timer(m.sim, 5000, 1);
    assert_true(hash != sim_state_hash(m.sim));
    hash = sim_state_hash(m.sim);
    assert_int_equal(sim_run(m.sim, 819), SIM_STOPPED);
    assert_true(hash != sim_state_hash(m.sim));
    machine_close(&m);
}

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
    for (unsigned n = 1; n < 12; n++) { /* one bit, anywhere */
        const size_t at = 16 + (count - 17) * n / 11;
        bytes[at] ^= 4;
        file_write(bytes, count);
        assert_int_equal(restore_fails(rtl, "is damaged or cut off"), STATUS_DATA);
        bytes[at] ^= 4;
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
        cmocka_unit_test(test_it_goes_on),
        cmocka_unit_test(test_from_file_to_file),
        cmocka_unit_test(test_after_questions),
        cmocka_unit_test(test_the_hash_sees_every_change),
        cmocka_unit_test(test_files_that_are_refused),
        cmocka_unit_test(test_what_cannot_be_saved),
        cmocka_unit_test(test_not_from_a_callback),
        cmocka_unit_test(test_a_full_disk),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(file, sizeof file, "%s/state", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    rmdir(folder);
    return failed;
}
