// SPDX-License-Identifier: Apache-2.0
// A machine of toy models (toy_parts.h) and its host, for tests: configuration tiny with a number of GPUs, events and
// answers kept in their order, what was written to stderr.  Not responsible for: what the models do.
#ifndef TOY_MACHINE_H
#define TOY_MACHINE_H
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

#include "config/config.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "machine/sim_private.h"
#include "toy_parts.h"

#define TOY_GTT (UINT64_C(4) << 20)
#define TOY_KEPT 256u

struct toy_event {
    unsigned gpu;
    uint64_t cycle;
    struct msg_cp_evt evt;
};
struct toy_answered {
    uint64_t cookie, cycle;
    struct msg_mem_rsp rsp;
};
struct toy_timed {
    uint64_t cookie, cycle;
};

struct toy_machine {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    struct toy_event events[TOY_KEPT];
    struct toy_answered answers[TOY_KEPT];
    struct toy_timed timers[TOY_KEPT];
    unsigned event_count, answer_count, timer_count;
    void (*at_event)(struct toy_machine *m); // from the callback, with the newest at the end of events
};

// ---- what is said
static FILE *toy_stderr;
static char *toy_said; // by the last part between say_begin and say_end; the test's until the next
static size_t toy_said_bytes;

static inline void say_begin(void)
{
    free(toy_said);
    toy_said = NULL;
    toy_stderr = stderr;
    stderr = open_memstream(&toy_said, &toy_said_bytes);
    assert_non_null(stderr);
}

static inline const char *say_end(void)
{
    fclose(stderr);
    stderr = toy_stderr;
    return toy_said;
}

static inline void assert_said(const char *line)
{
    if (strcmp(toy_said, line) != 0)
        fail_msg("\"%s\" instead of \"%s\"", toy_said, line);
}

// The last line, behind a report of what waits for what.
static inline void assert_last_said(const char *line)
{
    const char *end = toy_said + strlen(toy_said), *last = end;
    while (last > toy_said && (last == end || last[-1] != '\n'))
        last--;
    if (strcmp(last, line) != 0)
        fail_msg("\"%s\" instead of \"%s\"", toy_said, line);
}

// Status with which a process ends in which that is done; what it says is left in toy_said.
static inline int toy_ends(void (*doing)(void *ctx), void *ctx)
{
    static char text[4000];
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        alarm(30);
        doing(ctx);
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    free(toy_said);
    toy_said = xstrdup(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// ---- the host
static inline void toy_on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct toy_machine *m = ctx;
    assert_true(m->event_count < TOY_KEPT);
    m->events[m->event_count++] = (struct toy_event){gpu, now, *evt};
    if (m->at_event)
        m->at_event(m);
}

static inline void toy_on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct toy_machine *m = ctx;
    assert_true(m->timer_count < TOY_KEPT);
    m->timers[m->timer_count++] = (struct toy_timed){cookie, now};
}

static inline void toy_on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    struct toy_machine *m = ctx;
    assert_true(m->answer_count < TOY_KEPT);
    m->answers[m->answer_count++] = (struct toy_answered){cookie, now, *rsp};
}

static const struct sim_host_ops toy_host = {.event = toy_on_event, .timer = toy_on_timer, .answer = toy_on_answer};

// Its configuration: tiny, two CUs, and what `setting` says ("key=value"; NULL: nothing).
static inline void toy_config(struct config *config, unsigned gpus, const char *setting)
{
    char count[40];
    config_init(config);
    snprintf(count, sizeof count, "system.gpus=%u", gpus);
    assert_int_equal(config_load(config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(config, "test", count), STATUS_OK);
    assert_int_equal(config_set(config, "test", "gpu.cu.count=2"), STATUS_OK);
    assert_int_equal(config_set(config, "test", "gpu.vram_mib=64"), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(config), STATUS_OK);
}

static unsigned toy_machines; // that are open

// Memory and configuration without a machine.
static inline void toy_prepare(struct toy_machine *m, unsigned gpus, const char *setting)
{
    memset(m, 0, sizeof *m);
    toy_machines++;
    toy_config(&m->config, gpus, setting);
    m->memory = pmem_new(gpus, (uint64_t)m->config.cfg.gpu_vram_mib << 20, TOY_GTT);
    assert_non_null(m->memory);
}

static inline void toy_open(struct toy_machine *m, unsigned gpus, const char *setting, struct sim_options options)
{
    toy_prepare(m, gpus, setting);
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &toy_host, m);
    assert_non_null(m->sim);
}

static inline void toy_close(struct toy_machine *m)
{
    sim_free(m->sim);
    pmem_free(m->memory);
    config_fini(&m->config);
    toy_machines--;
    for (unsigned i = 0; i < 64; i++)
        assert_true(toy_machines || toy_models[i] == NULL); // with the last one all models are gone
    assert_true(toy_machines || toy_libraries == 0);
}

// ---- commands
static inline struct msg_cp_cmd toy_launch(uint16_t id, unsigned groups, struct toy_work work)
{
    struct msg_cp_cmd cmd = {.kind = CP_LAUNCH,
                             .vmid = 3,
                             .id = id,
                             .pc = 0x10000,
                             .group = {64, 1, 1},
                             .waves = 1,
                             .grid = {64 * groups, 1, 1},
                             .groups = {groups, 1, 1},
                             .user_sgprs = sizeof work / 4,
                             .sys_sgprs = 1,
                             .cu_mask = UINT64_MAX};
    memcpy(cmd.user_sgpr, &work, sizeof work);
    return cmd;
}

static inline void toy_do(struct toy_machine *m, unsigned gpu, uint16_t id, unsigned groups, struct toy_work work)
{
    const struct msg_cp_cmd cmd = toy_launch(id, groups, work);
    sim_cmd(m->sim, gpu, &cmd);
}

static inline void toy_run(struct toy_machine *m)
{
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
}

static inline uint64_t toy_read(struct toy_machine *m, unsigned owner, uint64_t at)
{
    uint64_t word;
    assert_int_equal(pmem_read(m->memory, pmem_addr(owner, at), &word, sizeof word), 0);
    return word;
}
#endif
