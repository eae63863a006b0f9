// SPDX-License-Identifier: Apache-2.0
// A machine of three GPUs with workers that do what the test says, for test_place_ask.c, test_place_lost.c and
// test_place_begin.c: how it begins and ends, what each worker has heard, what is said on stderr.
#ifndef GANTRY_PLACE_BENCH_H
#define GANTRY_PLACE_BENCH_H
#include "../machine/hand_bench.h"
#include "base/status.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"
#include "bridge/place/questions.h"
#include "config/config.h"
#include "place/place.h"
#include "place/place_private.h"
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

__attribute__((unused)) static bool begin(struct made *m, unsigned processes, const char *gpus,
                                          struct sim_options options)
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

__attribute__((unused)) static void open_with(struct made *m, unsigned processes, struct sim_options options)
{
    assert_true(begin(m, processes, NULL, options));
    assert_true(machine_build(m->sim) && machine_threads(m->sim, false));
    assert_true(place_join(m->sim));
}

__attribute__((unused)) static void machine_end(struct made *m)
{
    const struct place *p = m->sim ? m->sim->place : NULL;
    for (uint32_t i = 0; p && p->workers && i < p->workers->count; i++)
        shutdown(p->workers->list[i].socket, SHUT_WR); // then they leave
    sim_free(m->sim);
    m->sim = NULL;
}

__attribute__((unused)) static void end(struct made *m)
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
__attribute__((unused)) static void listen_to(void)
{
    kept = stderr;
    stderr = open_memstream(&line, &line_size);
}
__attribute__((unused)) static const char *spoken(void)
{
    static char text[1000];
    fclose(stderr);
    stderr = kept;
    snprintf(text, sizeof text, "%s", line);
    free(line);
    return text;
}

__attribute__((unused)) static int shared_make(void **state)
{
    (void)state;
    told = mmap(NULL, 4 * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return told == MAP_FAILED;
}
#endif
