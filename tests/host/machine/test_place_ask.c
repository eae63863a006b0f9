// SPDX-License-Identifier: Apache-2.0
// A machine's processes as the first of them sees it (place.c, place_ask.c), with workers that do what the test says:
// questions and answers, what workers are told of memory, who is lost and in which class, whom nobody waits for, what
// is refused before a worker is started.
#include "base/status.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"
#include "bridge/place/ask.h"
#include "config/config.h"
#include "hand_bench.h"
#include "machine/place.h"
#include "machine/place_private.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <xxhash.h>

#define GPUS 3u
#define END PLACE_GRAPH     // of a worker: with exit status a, without a word
#define LEAVE PLACE_RESTORE // in order
#define DEAF PLACE_HASH     // it closes its socket and stays
#define SLOW PLACE_MOVED    // its answer takes 4 s

struct heard {
    struct ask ask;
    uint64_t file; // bytes of the descriptor that came
    uint8_t data[64];
};
static struct told {
    unsigned count;
    struct heard heard[64];
} * told; // by worker, shared with all

static int serve(struct sim *sim, int socket)
{
    struct told *t = &told[sim->self];
    struct ask ask;
    void *data;
    int fd, status = 0;
    while (ask_receive(socket, &ask, &data, &fd, NULL, NULL)) {
        struct heard *h = &t->heard[t->count];
        struct stat file = {.st_size = 0};
        if (fd >= 0)
            fstat(fd, &file);
        h->ask = ask;
        h->file = (uint64_t)file.st_size;
        memcpy(h->data, data, ask.bytes < 64 ? ask.bytes : 64);
        t->count++;
        free(data);
        if (ask.kind == END)
            return (int)ask.a;
        if (ask.kind == LEAVE) {
            status = (int)ask.a;
            break;
        }
        if (ask.kind == DEAF) {
            shutdown(socket, SHUT_RDWR);
            for (;;)
                pause();
        }
        if (ask.kind == SLOW)
            sleep(4);
        char text[40];
        ask.a += 1000 * sim->self;
        snprintf(text, sizeof text, "of %u", (unsigned)sim->self);
        ask.bytes = ask.kind == PLACE_REPORT ? strlen(text) : 0;
        if (!ask_send(socket, &ask, text, -1, NULL, NULL))
            break;
    }
    place_end(sim);
    return status;
}

struct made {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    enum gantry_status failure;
};

static bool begin(struct made *m, unsigned processes, const char *gpus, struct sim_options options)
{
    char text[40];
    *m = (struct made){.failure = STATUS_OK, .sim = calloc(1, sizeof *m->sim)};
    memset(told, 0, 4 * sizeof *told);
    snprintf(text, sizeof text, "place.processes=%u", processes);
    config_init(&m->config);
    assert_int_equal(config_set(&m->config, "test", "system.gpus=3"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", text), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    if (gpus) // as if nobody had looked before
        snprintf(m->config.cfg.place_gpus, sizeof m->config.cfg.place_gpus, "%s", gpus);
    m->memory = pmem_new(GPUS, HAND_VRAM, HAND_VRAM);
    m->sim->cfg = &m->config.cfg;
    m->sim->memory = m->memory;
    m->sim->options = options;
    m->sim->options.model = SIM_GOLDEN;
    m->sim->options.failure = &m->failure;
    m->sim->turn = m->sim;
    m->sim->ops = &hand_host;
    sched_init(&m->sim->sched);
    return place_begin(m->sim, serve);
}

static void open_with(struct made *m, unsigned processes, struct sim_options options)
{
    assert_true(begin(m, processes, NULL, options));
    assert_true(machine_build(m->sim) && machine_threads(m->sim, false));
    assert_true(place_join(m->sim));
}

static void machine_end(struct made *m)
{
    const struct place *p = m->sim ? m->sim->place : NULL;
    for (uint32_t i = 0; p && p->workers && i < p->workers->count; i++)
        shutdown(p->workers->list[i].socket, SHUT_WR); // then they leave
    sim_free(m->sim);
    m->sim = NULL;
}

static void end(struct made *m)
{
    machine_end(m);
    pmem_free(m->memory);
    config_fini(&m->config);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // nobody is left behind
}

// What is said on stderr until spoken().
static char *line;
static size_t line_size;
static FILE *kept;
static void listen_to(void)
{
    kept = stderr;
    stderr = open_memstream(&line, &line_size);
}
static const char *spoken(void)
{
    static char text[1000];
    fclose(stderr);
    stderr = kept;
    snprintf(text, sizeof text, "%s", line);
    free(line);
    return text;
}

// ---- questions
static void questions_and_answers(void **state)
{
    (void)state;
    for (unsigned processes = 2; processes <= 3; processes++) {
        struct made m;
        open_with(&m, processes, (struct sim_options){0});
        assert_int_equal(place_workers(m.sim), processes - 1);
        assert_int_equal(place_lost(m.sim), STATUS_OK);
        assert_true(place_sum(m.sim, PLACE_QUIET) == (processes == 2 ? 1000 : 3000));
        for (uint32_t w = 1; w < processes; w++) {
            char *text;
            struct ask ask = {.kind = PLACE_REPORT, .memory = 5, .a = 7, .b = 9, .bytes = 3};
            assert_true(place_ask(m.sim, w, &ask, "abc", (void **)&text));
            assert_true(ask.kind == PLACE_REPORT && ask.a == 7 + 1000 * w && ask.bytes == 4);
            assert_string_equal(text, w == 1 ? "of 1" : "of 2");
            free(text);
            assert_true(place_ask(m.sim, w, &ask, "abcd", NULL));
            assert_int_equal(told[w].count, 3);
            const struct heard *h = &told[w].heard[1];
            assert_true(h->ask.kind == PLACE_REPORT && h->ask.memory == 5 && h->ask.a == 7 && h->ask.b == 9);
            assert_true(h->ask.bytes == 3 && memcmp(h->data, "abc", 3) == 0 && h->file == 0);
            assert_int_equal(told[w].heard[0].ask.kind, PLACE_QUIET);
        }
        end(&m);
        assert_int_equal(m.failure, STATUS_OK);
    }
}

// Slabs and, for golden GPUs, windows are told to every worker when they change.
static void workers_are_told_of_memory(void **state)
{
    (void)state;
    static char page[8192] __attribute__((aligned(4096)));
    struct made m;
    open_with(&m, 3, (struct sim_options){0});
    const uint64_t granule = pmem_granule(m.memory, 1);
    assert_int_equal(pmem_slab_take(m.memory, 1, 3 * granule, 2 * granule), 0);
    pmem_slab_give(m.memory, 1, 4 * granule);
    const uint64_t offset = pmem_window_add(m.memory, getpid(), (uint64_t)(uintptr_t)page, 4096);
    place_windows(m.sim);
    place_windows(m.sim); // nothing is new
    for (unsigned w = 1; w < 3; w++) {
        const struct heard *h = told[w].heard;
        size_t bytes;
        const void *windows = pmem_windows(m.memory, &bytes);
        assert_int_equal(told[w].count, 3);
        assert_true(h[0].ask.kind == PLACE_TAKE && h[0].ask.memory == 1 && h[0].ask.a == 3 * granule &&
                    h[0].ask.b == 2 * granule);
        assert_true(h[0].file == 2 * granule);
        assert_true(h[1].ask.kind == PLACE_GIVE && h[1].ask.memory == 1 && h[1].ask.a == 4 * granule && h[1].file == 0);
        assert_true(h[2].ask.kind == PLACE_WINDOWS && h[2].ask.bytes == bytes && bytes > 0);
        assert_memory_equal(h[2].data, windows, bytes < 64 ? bytes : 64);
    }
    m.sim->options.model = SIM_RTL; // reaches client memory by messages only
    pmem_window_remove(m.memory, offset);
    place_windows(m.sim);
    assert_int_equal(told[1].count, 3);
    m.sim->options.model = SIM_GOLDEN;
    place_windows(m.sim);
    assert_int_equal(told[1].count, 4);
    machine_end(&m);
    pmem_slab_give(m.memory, 1, 3 * granule); // nobody is told any more
    assert_int_equal(told[1].count, 4);
    end(&m);
}

static void without_workers(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    assert_int_equal(place_workers(h->sim), 0);
    assert_true(place_sum(h->sim, PLACE_CPU) == 0);
    assert_int_equal(place_lost(h->sim), STATUS_OK);
    assert_int_equal(sim_lost(h->sim), STATUS_OK);
    place_end(h->sim);
    hand_close(h);
}

// ---- who is lost
// Nothing is asked any more of anybody.
static void nothing_is_asked(struct made *m, enum gantry_status wanted)
{
    void *text = m;
    struct ask ask = {.kind = PLACE_REPORT, .memory = 1, .a = 2, .b = 3, .bytes = 0};
    assert_false(place_ask(m->sim, 1, &ask, NULL, &text));
    assert_true(ask.kind == PLACE_REPORT && ask.memory == 0 && ask.a == 0 && ask.b == 0 && ask.bytes == 0);
    assert_null(text);
    assert_true(place_sum(m->sim, PLACE_QUIET) == 0);
    assert_int_equal(place_lost(m->sim), wanted);
    assert_int_equal(sim_lost(m->sim), wanted);
    assert_int_equal(m->failure, wanted);
}

static void a_killed_worker_is_seen(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 3, (struct sim_options){0});
    const uint64_t begin_ns = peers_clock();
    listen_to();
    kill(m.sim->place->workers->list[1].pid, SIGKILL);
    while (place_lost(m.sim) == STATUS_OK && peers_clock() - begin_ns < UINT64_C(20000000000))
        usleep(1000);
    const char *text = spoken();
    assert_non_null(strstr(text, "process worker2 (pid "));
    assert_non_null(strstr(text, "before the run did\n"));
    const unsigned before = told[1].count;
    nothing_is_asked(&m, STATUS_IO);
    assert_int_equal(told[1].count, before);
    end(&m);
}

// A worker has said why it ends: its exit status is the class.  What says nothing is an error of input or output.
static void the_class_of_an_end(void **state)
{
    (void)state;
    static const struct {
        int exit;
        enum gantry_status status;
    } ends[] = {{64, STATUS_USAGE}, {65, STATUS_CONFIG},      {66, STATUS_MISSING},     {70, STATUS_INTERNAL},
                {74, STATUS_IO},    {75, STATUS_NO_PROGRESS}, {76, STATUS_GUEST_FAULT}, {0, STATUS_IO},
                {1, STATUS_IO},     {137, STATUS_IO}};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        for (uint32_t who = 1; who <= 2; who++) { // the other one ends as one that sees it does, or not at all
            struct made m;
            open_with(&m, 3, (struct sim_options){0});
            listen_to();
            struct ask ask = {.kind = END, .a = (uint64_t)ends[i].exit};
            assert_false(place_ask(m.sim, who, &ask, NULL, NULL));
            nothing_is_asked(&m, ends[i].status);
            spoken();
            end(&m);
        }
    struct made m;
    open_with(&m, 3, (struct sim_options){0}); // the second has seen the first one's end
    listen_to();
    for (unsigned w = 1; w <= 2; w++) {
        int socket = m.sim->place->workers->list[w - 1].socket;
        ask_send(socket, &(struct ask){.kind = END, .a = w == 1 ? 66 : 74}, NULL, -1, NULL, NULL);
        while (!workers_ended(m.sim->place->workers, w, 1000))
            ;
    }
    place_give_up(m.sim);
    spoken();
    assert_int_equal(m.failure, STATUS_MISSING);
    m.failure = STATUS_OK;
    place_give_up(m.sim); // once
    assert_int_equal(m.failure, STATUS_OK);
    end(&m);
}

// One that is there and has closed its socket.
static void a_worker_that_does_not_answer(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 2, (struct sim_options){0});
    listen_to();
    struct ask ask = {.kind = DEAF};
    const uint64_t begin_ns = peers_clock();
    assert_false(place_ask(m.sim, 1, &ask, NULL, NULL));
    const uint64_t took = peers_clock() - begin_ns;
    assert_string_equal(spoken(), "gantry: place: a worker process does not answer\n");
    assert_true(took >= 900000000); // a second, in which it might have ended
    nothing_is_asked(&m, STATUS_IO);
    end(&m);
}

static unsigned asked;
static bool nobody_waits(void *arg)
{
    asked++;
    return *(bool *)arg;
}

// Three seconds of patience, then it is asked whether somebody still waits; one that is slow is waited for in any case,
// one that is stopped only as long as somebody does, and from then on by nobody.
static void a_slow_worker_is_waited_for(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        const bool gone = n > 0, stopped = n == 2;
        bool unwanted = gone;
        struct made m;
        open_with(&m, 2, (struct sim_options){.unwanted = nobody_waits, .unwanted_arg = &unwanted});
        listen_to();
        asked = 0;
        struct ask ask = {.kind = SLOW, .a = 5};
        const pid_t pid = m.sim->place->workers->list[0].pid;
        if (stopped)
            kill(pid, SIGSTOP);
        const uint64_t begin_ns = peers_clock();
        assert_int_equal(place_ask(m.sim, 1, &ask, NULL, NULL), !stopped);
        const uint64_t took = peers_clock() - begin_ns;
        const char *said = spoken();
        assert_true(ask.a == (stopped ? 0 : 1005));
        assert_true(took > PEERS_PATIENCE_NS - 200000000 && took < 9 * UINT64_C(1000000000));
        assert_true(stopped ? asked == 1 : asked > 1 && asked < 20);
        char told_line[120];
        snprintf(told_line, sizeof told_line,
                 "gantry: place: process worker1 (pid %d) is stopped and the run is to end: it ends without it\n",
                 (int)pid);
        assert_int_equal(strstr(said, told_line) != NULL, stopped);
        if (stopped)
            nothing_is_asked(&m, STATUS_IO);
        end(&m);
        assert_true(peers_clock() - begin_ns < took + 3 * UINT64_C(1000000000));
    }
}

// The run is over and one that is to leave is stopped: it is not waited for longer than that takes to see.
static void a_stopped_worker_does_not_leave(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 2, (struct sim_options){0});
    listen_to();
    const pid_t pid = m.sim->place->workers->list[0].pid;
    kill(pid, SIGSTOP);
    const uint64_t begin_ns = peers_clock();
    end(&m);
    const uint64_t took = peers_clock() - begin_ns;
    char text[120];
    snprintf(text, sizeof text,
             "gantry: place: process worker1 (pid %d) is stopped and the run is over: it is ended as it is\n",
             (int)pid);
    assert_string_equal(spoken(), text);
    assert_int_equal(m.failure, STATUS_IO);
    assert_true(took > PEERS_PATIENCE_NS && took < 8 * UINT64_C(1000000000));
}

// Stopped before it has joined: told after the patience, and waited for only as long as somebody waits.
static bool stops_at_once;
static void child_begins(void)
{
    if (stops_at_once)
        raise(SIGSTOP);
}

static uint64_t wanted_until;
static bool nobody_waits_late(void *arg)
{
    (void)arg;
    return peers_clock() > wanted_until;
}

static void a_worker_that_is_stopped_at_its_beginning(void **state)
{
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        struct made m;
        listen_to();
        stops_at_once = true;
        const uint64_t begin_ns = peers_clock();
        wanted_until = begin_ns + (late ? 4 : 0) * UINT64_C(1000000000);
        assert_true(begin(&m, 2, NULL, (struct sim_options){.unwanted = nobody_waits_late}));
        stops_at_once = false;
        assert_true(machine_build(m.sim) && machine_threads(m.sim, false));
        char text[120] = "";
        if (late)
            snprintf(text, sizeof text,
                     "gantry: place: process worker1 (pid %d) is stopped; the run waits until it goes on\n",
                     (int)m.sim->place->workers->list[0].pid);
        assert_false(place_join(m.sim));
        assert_string_equal(spoken(), text);
        assert_int_equal(m.failure, STATUS_IO);
        end(&m);
        assert_true(peers_clock() - begin_ns < (late ? 8 : 4) * UINT64_C(1000000000));
    }
}

// ---- before there are workers
static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct sim_options options;
        const char *gpus;
        enum gantry_status failure;
        const char *line;
    } cases[] = {
        {{.both = true}, NULL, STATUS_USAGE, "gantry: --roi: not with place.processes above 1\n"},
        {{0}, "gpu0=1 gpu0=1", STATUS_CONFIG, "gantry: place: gpu0 is placed twice\n"},
        {{0}, "gpu0=0", STATUS_CONFIG, "gantry: place: process 1 would run nothing (3 GPUs)\n"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        listen_to();
        bool made = begin(&m, 2, cases[i].gpus, cases[i].options);
        assert_string_equal(spoken(), cases[i].line);
        assert_false(made);
        assert_int_equal(m.failure, cases[i].failure);
        end(&m);
    }
}

// One process, or one GPU alone: nothing is begun.
static void what_needs_no_workers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct made m;
        assert_true(begin(&m, 1 + i, NULL, (struct sim_options){.only = i, .both = true}));
        assert_null(m.sim->place);
        assert_null(m.sim->process);
        end(&m);
    }
}

// What all processes must agree on: seed, configuration, graph, the text of RTL (golden GPUs have none).
static void what_all_agree_on(void **state)
{
    (void)state;
    struct made m;
    open_with(&m, 2, (struct sim_options){.seed = 4711});
    const struct hello *here = &region_entry(m.sim->place->region, 0)->hello;
    char *text = NULL, wanted[20];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    config_print(out, &m.config.cfg);
    fclose(out);
    assert_true(here->seed == 4711);
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)XXH64(text, size, 0));
    assert_string_equal(here->config, wanted);
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)XXH64("", 0, 0));
    assert_string_equal(here->rtl, wanted);
    cut_plan_text(&m.sim->place->plan, wanted);
    assert_string_equal(here->graph, wanted);
    assert_memory_equal(here, &region_entry(m.sim->place->region, 1)->hello, sizeof *here);
    free(text);
    end(&m);
}

// A worker that says something else is told, and the run does not begin.
static void another_worker_is_refused(void **state)
{
    (void)state;
    struct made m;
    assert_true(begin(&m, 2, NULL, (struct sim_options){.seed = 1}));
    assert_true(machine_build(m.sim) && machine_threads(m.sim, false));
    struct region_entry *worker = region_entry(m.sim->place->region, 1);
    while (atomic_load(&worker->stage) == REGION_ABSENT)
        usleep(1000);
    worker->hello.seed = 2;
    listen_to();
    bool joined = place_join(m.sim);
    assert_string_equal(spoken(), "gantry: process worker1: other seed: 1 here, 2 there\n");
    assert_false(joined);
    assert_int_equal(m.failure, STATUS_IO);
    assert_int_equal(place_lost(m.sim), STATUS_IO);
    end(&m);
}

// GPUs run where the configuration says, and are known by name elsewhere.
static void where_gpus_are(void **state)
{
    (void)state;
    struct made m;
    assert_true(begin(&m, 3, "gpu0=2 gpu1=0 gpu2=1", (struct sim_options){0}));
    assert_true(machine_build(m.sim) && machine_threads(m.sim, false) && place_join(m.sim));
    static const uint32_t process[] = {2, 0, 1};
    for (unsigned g = 0; g < 3; g++) {
        assert_int_equal(m.sim->gpus[g].process, process[g]);
        assert_int_equal(sim_elsewhere(m.sim, g), g != 1);
        assert_int_equal(m.sim->gpus[g].golden != NULL, g == 1);
        assert_int_equal(m.sim->gpus[g].dispatch->process, process[g]);
    }
    assert_true(m.sim->sched.ordered);
    assert_int_equal(m.sim->sched.other_count, 2);
    assert_int_equal(m.sim->place->count, 3);
    assert_int_equal(m.sim->place->plan.count,
                     6); // commands, places and events of two GPUs; all else is of this process
    assert_string_equal(m.sim->place->names[0], "gantry");
    assert_string_equal(m.sim->place->names[2], "worker2");
    end(&m);
}

static int shared_make(void **state)
{
    (void)state;
    told = mmap(NULL, 4 * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return told == MAP_FAILED;
}

int main(void)
{
    pthread_atfork(NULL, NULL, child_begins);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_and_answers),
        cmocka_unit_test(workers_are_told_of_memory),
        cmocka_unit_test(without_workers),
        cmocka_unit_test(a_killed_worker_is_seen),
        cmocka_unit_test(the_class_of_an_end),
        cmocka_unit_test(a_worker_that_does_not_answer),
        cmocka_unit_test(a_slow_worker_is_waited_for),
        cmocka_unit_test(a_stopped_worker_does_not_leave),
        cmocka_unit_test(a_worker_that_is_stopped_at_its_beginning),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(what_needs_no_workers),
        cmocka_unit_test(what_all_agree_on),
        cmocka_unit_test(another_worker_is_refused),
        cmocka_unit_test(where_gpus_are),
    };
    return cmocka_run_group_tests(tests, shared_make, NULL);
}
