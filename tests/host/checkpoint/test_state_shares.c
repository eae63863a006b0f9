// SPDX-License-Identifier: Apache-2.0
// The RTL machine of two GPUs (configuration tiny) saved while its GPUs run in workers (checkpoint/state_shares.h): the
// file is that of one process, byte for byte, at any cycle with requests and commands under way over links, and goes on
// in any number of processes.  A worker that has been killed, or that cannot save its GPU, leaves no file; one that is
// stopped is waited for and told.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "checkpoint/checkpoint.h"
#include "config/config.h"
#include "machine/sim_private.h"
#include "place/place_private.h"
#include "saved/state_io.h"
#include "vm/pmem.h"

#define REQUESTS 40u
#define MOMENTS 6u

static const char *const places[][2] = {{"place.processes=1", "place.gpus="},
                                        {"place.processes=2", "place.gpus="},
                                        {"place.processes=2", "place.gpus=gpu0=1 gpu1=1"},
                                        {"place.processes=3", "place.gpus=gpu0=1 gpu1=2"}};
static const uint64_t moments[MOMENTS] = {0, 3, 777, 1500, 2203, 20000};

struct machine {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    enum gantry_status failure;
    uint64_t notes;
    unsigned answers, events;
};

static char folder[] = "/tmp/gantry-share-XXXXXX";

static void note(struct machine *m, uint64_t value)
{
    m->notes = (m->notes ^ value) * 0x9e3779b97f4a7c15u;
    m->notes ^= m->notes >> 31;
}

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    note(m, now * 64 + gpu);
    note(m, evt->id);
    m->events++;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    note(ctx, now + cookie);
}

static void on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct machine *m = ctx;
    note(m, now * 1024 + cookie);
    note(m, ((const uint64_t *)(const void *)rsp->data)[0]);
    m->answers++;
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer, .answer = on_answer};

static void machine_open(struct machine *m, unsigned place, enum sim_model model)
{
    *m = (struct machine){.failure = STATUS_OK};
    config_init(&m->config);
    assert_int_equal(config_load(&m->config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "system.gpus=2"), STATUS_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(config_set(&m->config, "test", places[place][i]), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->memory = pmem_new(2, (uint64_t)m->config.cfg.gpu_vram_mib << 20, UINT64_C(4) << 20);
    struct sim_options options = {.model = model, .seed = m->config.cfg.seed, .failure = &m->failure};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pmem_free(m->memory);
    config_fini(&m->config);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left behind */
}

/* Writes and reads of all memories by the host's port, more than there are places for; commands to both GPUs. */
static void machine_begin(struct machine *m)
{
    for (unsigned i = 0; i < REQUESTS; i++) {
        for (unsigned memory = 0; memory < 3; memory++) {
            struct msg_mem_req req = {
                .op = i & 1 ? MEM_READ : MEM_WRITE, .addr = pmem_addr(memory, 0x4000 + i / 2 * 64), .mask = UINT64_MAX};
            memset(req.data, (int)(i * 3 + memory), sizeof req.data);
            sim_access(m->sim, &req, i % 5 == 0, i * 4 + memory);
        }
        for (unsigned gpu = 0; gpu < 2; gpu++)
            sim_cmd(m->sim, gpu,
                    &(struct msg_cp_cmd){.kind = CP_CACHE, .id = (uint16_t)(i + 1), .flags = CACHE_INV_TLB});
    }
    sim_timer(m->sim, 1503, 7);
    sim_timer(m->sim, 30000, 8);
}

static void machine_end(struct machine *m)
{
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m->answers, 3 * REQUESTS);
    assert_int_equal(m->events, 2 * REQUESTS);
    note(m, sim_write_hash(m->sim));
    note(m, sim_now(m->sim));
}

static char *file_of(unsigned place, unsigned moment)
{
    static char text[80];
    snprintf(text, sizeof text, "%s/%u.%u", folder, place, moment);
    return text;
}

static char *bytes_of(const char *path, size_t *count)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *bytes = malloc(1u << 24);
    *count = fread(bytes, 1, 1u << 24, in);
    assert_true(*count > 1000 && *count < 1u << 24);
    fclose(in);
    return bytes;
}

static void beside_save(void *ctx, struct state_writer *to)
{
    const struct machine *m = ctx;
    state_put(to, &m->notes, sizeof m->notes);
    state_put(to, &m->answers, sizeof m->answers);
    state_put(to, &m->events, sizeof m->events);
}

static bool beside_restore(void *ctx, struct state_reader *from)
{
    struct machine *m = ctx;
    return state_get(from, &m->notes, sizeof m->notes) && state_get(from, &m->answers, sizeof m->answers) &&
           state_get(from, &m->events, sizeof m->events);
}

static struct sim_beside beside_of(struct machine *m)
{
    return (struct sim_beside){.save = beside_save, .restore = beside_restore, .ctx = m};
}

/* shows B.5: Saving changes nothing, and what is saved does not say where GPUs ran. */
static void test_the_file_of_one_process(void **state)
{
    uint64_t notes = 0;
    (void)state;
    for (unsigned place = 0; place < 4; place++) {
        struct machine m;
        machine_open(&m, place, SIM_RTL);
        struct sim_beside beside = beside_of(&m);
        machine_begin(&m);
        for (unsigned n = 0; n < MOMENTS; n++) {
            if (moments[n])
                assert_int_equal(sim_run(m.sim, moments[n]), SIM_STOPPED);
            assert_int_equal(sim_now(m.sim), moments[n]);
            assert_int_equal(sim_save(m.sim, file_of(place, n), &beside), STATUS_OK);
            size_t count, first;
            char *here = bytes_of(file_of(place, n), &count), *one = bytes_of(file_of(0, n), &first);
            assert_int_equal(count, first);
            assert_memory_equal(here, one, count);
            free(here);
            free(one);
        }
        machine_end(&m);
        notes = place ? notes : m.notes;
        assert_true(m.notes == notes);
        machine_close(&m);
    }
    for (unsigned place = 0; place < 4; place++) {
        for (unsigned n = 0; n < MOMENTS; n++) {
            struct machine m;
            machine_open(&m, place, SIM_RTL);
            struct sim_beside beside = beside_of(&m);
            assert_int_equal(sim_restore(m.sim, file_of(3 - place, n), &beside), STATUS_OK);
            machine_end(&m);
            assert_true(m.notes == notes);
            machine_close(&m);
        }
    }
}

/* What is told in between, by this process and by workers that are started meanwhile. */
static FILE *told;
static int stderr_kept;

static void told_begin(void)
{
    told = tmpfile();
    assert_non_null(told);
    fflush(stderr);
    stderr_kept = dup(2);
    dup2(fileno(told), 2);
}

static const char *told_end(void)
{
    static char text[1000];
    fflush(stderr);
    dup2(stderr_kept, 2);
    close(stderr_kept);
    rewind(told);
    text[fread(text, 1, sizeof text - 1, told)] = 0;
    fclose(told);
    return text;
}

static void one_line(const char *text, const char *wanted)
{
    if (!strstr(text, wanted) || strchr(text, '\n') != text + strlen(text) - 1)
        fail_msg("'%s' is not the one line of: %s", wanted, text);
}

static void test_killed_worker(void **state)
{
    struct machine m;
    char path[80];
    (void)state;
    snprintf(path, sizeof path, "%s/killed", folder);
    machine_open(&m, 1, SIM_RTL);
    machine_begin(&m);
    assert_int_equal(sim_run(m.sim, 800), SIM_STOPPED);
    kill(m.sim->place->workers->list[0].pid, SIGKILL);
    told_begin();
    enum gantry_status status = sim_save(m.sim, path, NULL);
    one_line(told_end(), "ended at cycle ");
    assert_int_equal(status, STATUS_IO);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sim_lost(m.sim), STATUS_IO);
    assert_int_equal(sim_run(m.sim, 900), SIM_LOST);
    machine_close(&m);
}

static void test_stopped_worker(void **state)
{
    struct machine m;
    char path[80];
    (void)state;
    snprintf(path, sizeof path, "%s/stopped", folder);
    machine_open(&m, 1, SIM_RTL);
    machine_begin(&m);
    assert_int_equal(sim_run(m.sim, 777), SIM_STOPPED);
    const pid_t worker = m.sim->place->workers->list[0].pid, helper = fork();
    if (helper == 0) {
        nanosleep(&(struct timespec){.tv_sec = 4, .tv_nsec = 500000000}, NULL);
        kill(worker, SIGCONT);
        _exit(0);
    }
    kill(worker, SIGSTOP);
    told_begin();
    enum gantry_status status = sim_save(m.sim, path, NULL);
    one_line(told_end(), "is stopped at cycle ");
    assert_int_equal(status, STATUS_OK);
    waitpid(helper, NULL, 0);
    assert_int_equal(access(path, F_OK), 0);
    machine_end(&m);
    machine_close(&m);
}

/* Process 0 has none of them. */
static void test_golden_workers_cannot(void **state)
{
    struct machine m;
    char path[80];
    (void)state;
    snprintf(path, sizeof path, "%s/golden", folder);
    told_begin();
    machine_open(&m, 2, SIM_GOLDEN);
    enum gantry_status status = sim_save(m.sim, path, NULL);
    one_line(told_end(), "gpu0.golden cannot be saved or restored: ");
    assert_int_equal(status, STATUS_USAGE);
    assert_int_equal(access(path, F_OK), -1);
    machine_close(&m);
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_remove(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_file_of_one_process),
        cmocka_unit_test(test_killed_worker),
        cmocka_unit_test(test_stopped_worker),
        cmocka_unit_test(test_golden_workers_cannot),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
