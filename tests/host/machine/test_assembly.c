// SPDX-License-Identifier: Apache-2.0
// What a machine is assembled from (assembly.c): every partition and channel of a golden machine, those of the host and
// the memories of an RTL machine of which one GPU alone is there; host threads; what cannot be assembled.
#include "config/config.h"
#include "hand_bench.h"
#include <sys/resource.h>

struct made {
    struct hand *told; // its notes only
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    enum gantry_status failure;
};

static void prepare(struct made *m, const char *setting)
{
    *m = (struct made){.failure = STATUS_OK, .told = calloc(1, sizeof *m->told)};
    config_init(&m->config);
    assert_int_equal(config_load(&m->config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "system.gpus=2"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "link.host=150"), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(&m->config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->memory = pmem_new(2, HAND_VRAM, HAND_VRAM);
}

static bool begin(struct made *m, struct sim_options options)
{
    options.failure = &m->failure;
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &hand_host, m->told);
    m->told->sim = m->sim;
    return m->sim != NULL;
}

static bool make(struct made *m, struct sim_options options, const char *setting)
{
    prepare(m, setting);
    return begin(m, options);
}

static void scrap(struct made *m)
{
    sim_free(m->sim);
    pmem_free(m->memory);
    config_fini(&m->config);
    free(m->told);
}

// One line a channel: name, output, input, bytes, latency, depth, * when nobody is woken.
static void wire_text(const struct wire *w, char *text, size_t room)
{
    uint32_t slot = 0;
    while (w->from->out[slot] != w)
        slot++;
    snprintf(text, room, "%s %u %u %u %u %u%s", w->channel.name, slot, w->to_slot, w->channel.bytes, w->channel.latency,
             w->channel.depth, w->silent ? "*" : "");
}

static void parts_are(const struct sim *sim, const char *const *parts, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[60];
        const struct part *p = sim->sched.parts[i];
        snprintf(name, sizeof name, "%s %u %u", p->name, p->ins, p->outs);
        assert_string_equal(name, parts[i]);
    }
}

// Host and golden GPUs, one partition for all memories with a lane for each.
static void a_golden_machine(void **state)
{
    (void)state;
    static const char *const parts[] = {"host.cp 10 8", "gpu0.golden 1 2", "gpu1.golden 1 2", "host.memory 6 6"};
    static const char *const wires[] = {
        "host.cp -> gpu0.golden 0 0 168 150 64",     "gpu0.golden -> host.cp 0 0 56 150 1048576",
        "gpu0.golden -> host.cp 1 2 0 150 64*",      "host.cp -> gpu1.golden 1 0 168 150 64",
        "gpu1.golden -> host.cp 0 1 56 150 1048576", "gpu1.golden -> host.cp 1 3 0 150 64*",
        "host.cp -> host.memory 2 0 96 150 16",      "host.memory -> host.cp 3 7 0 150 16*",
        "host.memory -> host.cp 0 4 72 150 16",      "host.cp -> host.memory 5 3 0 150 16",
        "host.cp -> host.memory 3 1 96 150 16",      "host.memory -> host.cp 4 8 0 150 16*",
        "host.memory -> host.cp 1 5 72 150 16",      "host.cp -> host.memory 6 4 0 150 16",
        "host.cp -> host.memory 4 2 96 150 16",      "host.memory -> host.cp 5 9 0 150 16*",
        "host.memory -> host.cp 2 6 72 150 16",      "host.cp -> host.memory 7 5 0 150 16"};
    struct made m;
    assert_true(make(&m, (struct sim_options){.model = SIM_GOLDEN}, NULL));
    assert_int_equal(m.sim->sched.count, 4);
    parts_are(m.sim, parts, 4);
    assert_int_equal(m.sim->sched.wire_count, 18);
    for (unsigned i = 0; i < 18; i++) {
        char text[120];
        wire_text(m.sim->sched.wires[i], text, sizeof text);
        assert_string_equal(text, wires[i]);
    }
    for (unsigned g = 0; g < 2; g++) {
        assert_ptr_equal(m.sim->gpus[g].golden, m.sim->sched.parts[1 + g]);
        assert_ptr_equal(m.sim->gpus[g].dispatch, m.sim->sched.parts[1 + g]);
        assert_null(m.sim->gpus[g].store);
        assert_true(sim_has(m.sim, g) && !sim_elsewhere(m.sim, g));
    }
    assert_null(m.sim->golden_team);
    assert_false(m.sim->sched.ordered);
    assert_ptr_equal(sim_part(m.sim, "host.memory"), m.sim->sched.parts[3]);
    assert_null(sim_part(m.sim, "host.mem"));
    scrap(&m);
}

static bool of_the_host(const struct wire *w)
{
    return strstr(w->channel.name, "host.") || strstr(w->channel.name, "absent") || strstr(w->channel.name, "store");
}

// Of two RTL GPUs the second alone: the other one is silent, and what goes to it leads nowhere.
static void one_gpu_of_two(void **state)
{
    (void)state;
    static const char *const parts[] = {"host.cp 10 8", "absent 1 2", "gpu1.store 2 2", "host.memory 6 6"};
    static const char *const wires[] = {
        "host.cp -> absent 0 0 168 150 64",        "absent -> host.cp 1 0 56 150 1",
        "absent -> host.cp 0 2 0 150 64*",         "host.cp -> gpu1.dispatch 1 0 168 150 64",
        "gpu1.dispatch -> host.cp 0 1 56 150 222", "gpu1.dispatch -> host.cp 9 3 0 150 64*",
        "gpu1.l2s0 -> gpu1.store 1 0 88 8 80",     "gpu1.store -> gpu1.l2s0 0 1 72 280 16",
        "gpu1.l2s1 -> gpu1.store 1 1 88 8 80",     "gpu1.store -> gpu1.l2s1 1 1 72 280 16",
        "gpu1.rdma -> host.memory 2 1 96 150 112", "host.memory -> gpu1.rdma 4 11 0 150 112",
        "host.memory -> gpu1.rdma 1 2 72 150 112", "gpu1.rdma -> host.memory 11 4 0 150 112",
        "host.cp -> host.memory 2 2 96 150 112",   "host.memory -> host.cp 5 7 0 150 112*",
        "host.memory -> host.cp 2 4 72 150 112",   "host.cp -> host.memory 5 5 0 150 112",
        "host.cp -> gpu1.rdma 4 5 96 150 112",     "gpu1.rdma -> host.cp 14 9 0 150 112*",
        "gpu1.rdma -> host.cp 5 6 72 150 112",     "host.cp -> gpu1.rdma 7 14 0 150 112"};
    struct made m;
    assert_true(make(&m, (struct sim_options){.model = SIM_RTL, .only = 2, .seed = 1, .threads = 2}, NULL));
    parts_are(m.sim, parts, 4);
    unsigned n = 0, widths[100] = {0};
    for (uint32_t i = 0; i < m.sim->sched.wire_count; i++) {
        const struct wire *w = m.sim->sched.wires[i];
        char text[120];
        wire_text(w, text, sizeof text);
        if (of_the_host(w)) {
            assert_true(n < sizeof wires / sizeof *wires);
            assert_string_equal(text, wires[n++]);
        } else if (strcmp(channel_to(&w->channel), "others") == 0) {
            assert_string_equal(part_name(w->from), "gpu1.rdma");
            assert_true(w->channel.latency == PART_WINDOW && w->channel.depth == 2 * PART_WINDOW);
            assert_ptr_equal(w->from->out[w->to_slot], w);
            widths[w->channel.bytes]++;
        }
    }
    assert_int_equal(n, sizeof wires / sizeof *wires);
    assert_true(widths[96] == 2 && widths[72] == 2 && widths[0] == 4); // far ports of other GPUs, and their credits
    const struct part *others = sim_part(m.sim, "others");
    assert_true(others && others->outs == 0 && others->ins == sim_part(m.sim, "gpu1.rdma")->outs);
    assert_true(!sim_has(m.sim, 0) && sim_has(m.sim, 1));
    assert_null(m.sim->gpus[0].store);
    assert_string_equal(part_name(m.sim->gpus[1].store), "gpu1.store");
    assert_non_null(m.sim->groups);
    assert_null(m.sim->tap);
    assert_int_equal(m.sim->sched.threads, 2);
    for (unsigned i = 0; i < 3; i += 2) { // of host memory, of the GPU that is there: nobody looks at the silent one
        hand_read(m.told, (uint64_t)i << 48, false, i);
        assert_int_equal(sim_run(m.sim, UINT64_MAX), SIM_STOPPED);
        assert_int_equal(m.told->told, i / 2 + 1);
        assert_true(m.told->host[i / 2].what == 'a' && m.told->host[i / 2].rsp.status == MEM_OK);
    }
    scrap(&m);
}

// With all GPUs there nothing is silent, and nothing leads nowhere.
static void both_gpus(void **state)
{
    (void)state;
    struct made m;
    assert_true(make(&m, (struct sim_options){.model = SIM_RTL, .seed = 1}, NULL));
    assert_null(sim_part(m.sim, "absent"));
    assert_null(sim_part(m.sim, "others"));
    for (unsigned g = 0; g < 2; g++) {
        assert_int_equal(m.sim->gpus[g].store->number, 1 + g);
        assert_ptr_equal(m.sim->gpus[g].store, m.sim->sched.parts[1 + g]);
    }
    assert_ptr_equal(m.sim->hostmem, m.sim->sched.parts[3]);
    assert_int_equal(m.sim->sched.threads, 0);
    scrap(&m);
}

// ---- host threads
static void threads_of_a_machine(void **state)
{
    (void)state;
    static const struct {
        struct sim_options options;
        unsigned threads;
    } cases[] = {{{.threads = 3}, 3},
                 {{.threads = 3, .lockstep = true}, 1},
                 {{.threads = 3, .wave = "gpu0"}, 1},
                 {{.threads = 1}, 1}};
    for (unsigned i = 0; i < 4; i++) {
        struct hand *h = hand_open(1, true, &cases[i].options);
        assert_int_equal(h->sim->sched.threads, cases[i].threads);
        assert_int_equal(h->sim->sched.team != NULL, cases[i].threads > 1);
        hand_close(h);
    }
    for (unsigned threads = 0; threads < 3; threads++) { // golden GPUs share out work-groups
        struct made m;
        assert_true(make(&m, (struct sim_options){.model = SIM_GOLDEN, .threads = threads}, NULL));
        assert_int_equal(m.sim->golden_team != NULL, threads > 1);
        assert_int_equal(m.sim->sched.threads, 1);
        scrap(&m);
    }
}

/* Nobody may make threads any more.  What is left is said, by its exit status, and what the machine says. */
static void without_threads(void *arg)
{
    const struct rlimit none = {0, 0};
    struct made m;
    prepare(&m, NULL); /* the other user may not read the tree */
    if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        _exit(77);
    if (setrlimit(RLIMIT_NPROC, &none) != 0)
        _exit(77);
    if (begin(&m, *(struct sim_options *)arg))
        _exit(0);
    _exit(1);
}

static void threads_that_cannot_be_made(void **state)
{
    (void)state;
    struct sim_options golden = {.model = SIM_GOLDEN, .threads = 5}, one = {.model = SIM_GOLDEN, .threads = 1};
    char *said;
    assert_true(hand_aborts(without_threads, &golden, &said));
    assert_string_equal(said, "gantry: --threads: 5 host threads cannot be made\n");
    free(said);
    assert_false(hand_aborts(without_threads, &one, &said));
    assert_string_equal(said, "");
    free(said);
}

// Lock step looks into partitions, which a whole GPU has not.
static void lock_step_of_a_whole_gpu_is_refused(void **state)
{
    (void)state;
    struct made m;
    char *text = NULL;
    size_t size = 0;
    FILE *saved = stderr;
    stderr = open_memstream(&text, &size);
    bool made = make(&m, (struct sim_options){.model = SIM_RTL, .lockstep = true, .seed = 1}, "system.rtl=whole");
    fclose(stderr);
    stderr = saved;
    assert_false(made);
    assert_int_equal(m.failure, STATUS_USAGE);
    assert_string_equal(text, "gantry: --lockstep: looks into partitions: not with system.rtl: whole\n");
    free(text);
    scrap(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_golden_machine),
        cmocka_unit_test(one_gpu_of_two),
        cmocka_unit_test(both_gpus),
        cmocka_unit_test(threads_of_a_machine),
        cmocka_unit_test(threads_that_cannot_be_made),
        cmocka_unit_test(lock_step_of_a_whole_gpu_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
