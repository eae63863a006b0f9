/* SPDX-License-Identifier: Apache-2.0
 * Workers; contract in worker.h, questions in place.h.
 */
#include "place/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/status.h"
#include "base/xalloc.h"
#include "bridge/run/advance.h"
#include "bridge/run/sched_save.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/state_shares.h"
#include "machine/sim_private.h"
#include "observe/figures.h"
#include "observe/lockstep_tap.h"
#include "place/boards.h"
#include "place/place.h"
#include "record/record.h"
#include "saved/state_io.h"
#include "target/models.h"
#include "target/rtl_gpu.h"
#include "target/rtl_groups.h"
#include "vm/pmem.h"

/* Bytes of an answer. */
struct answer {
    char *bytes;
    size_t count;
};

static void counter_put(void *arg, uint32_t number, const char *location, const char *name, uint64_t value,
                        const char *unit)
{
    FILE *out = arg;
    const char *const texts[] = {location, name, unit};
    struct place_counter head = {.value = value, .number = number};
    for (unsigned i = 0; i < 3; i++)
        head.bytes += (uint32_t)strlen(texts[i]) + 1;
    fwrite(&head, sizeof head, 1, out);
    for (unsigned i = 0; i < 3; i++)
        fwrite(texts[i], strlen(texts[i]) + 1, 1, out);
}

static void text_make(struct sim *sim, const struct ask *ask, const void *data, struct answer *answer)
{
    FILE *out = open_memstream(&answer->bytes, &answer->count);
    if (ask->kind == PLACE_COUNTERS) {
        figures_counters_here(sim, counter_put, out);
    } else if (ask->kind == PLACE_REPORT) {
        watchdog_parts(sim, out);
    } else {
        CHECK(ask->bytes == sizeof sim->gpus[ask->memory].roots, "place", "%llu bytes of page tables",
              (unsigned long long)ask->bytes);
        memcpy(sim->gpus[ask->memory].roots, data, ask->bytes);
        watchdog_gpu(sim, ask->memory, out);
    }
    fclose(out);
}

static void bytes_copy(struct answer *answer, const void *bytes, size_t count)
{
    answer->bytes = xcalloc(1, count + 1);
    memcpy(answer->bytes, bytes, count);
    answer->count = count;
}

static void sgprs_copy(const struct sim *sim, const struct ask *ask, struct answer *answer)
{
    const uint32_t *sgprs =
        sim->groups ? rtl_groups_sgprs(sim->groups, ask->memory, (unsigned)ask->a, (unsigned)ask->b) : NULL;
    if (sgprs)
        bytes_copy(answer, sgprs, sizeof((struct msg_cu_cmd){0}.sgpr));
}

static uint64_t cpu_us(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void memory_change(struct sim *sim, const struct ask *ask, int fd)
{
    int error = 0;
    if (ask->kind == PLACE_TAKE)
        error = pmem_slab_adopt(sim->memory, ask->memory, ask->a, ask->b, fd);
    else
        pmem_slab_give(sim->memory, ask->memory, ask->a);
    CHECK(error == 0, "place", "memory %u at %llx: error %d", ask->memory, (unsigned long long)ask->a, error);
}

static void board_add(void *arg, const struct sim_board *board)
{
    fwrite(board, sizeof *board, 1, arg);
}

static void boards_make(struct sim *sim, struct answer *answer)
{
    FILE *out = open_memstream(&answer->bytes, &answer->count);
    boards_figures(rtl_machine_boards(sim->rtl), board_add, out);
    fclose(out);
}

static void share_make(struct sim *sim, struct ask *ask, struct answer *answer)
{
    struct state_buffer share;
    sched_take(&sim->sched);
    ask->a = sim_savable_here(sim);
    if (ask->a != STATUS_OK)
        return;
    state_buffer_init(&share);
    share_put(sim, &share.writer);
    *answer = (struct answer){(char *)share.bytes, share.count};
}

static void recorded_make(struct sim *sim, struct answer *answer)
{
    struct state_buffer kept;
    state_buffer_init(&kept);
    if (sim->options.record)
        record_give(sim->options.record, &kept.writer);
    *answer = (struct answer){(char *)kept.bytes, kept.count};
}

static void answer_make(struct sim *sim, struct ask *ask, const void *data, int fd, struct answer *answer)
{
    uint64_t observed;
    switch (ask->kind) {
    case PLACE_QUIET:
        sched_take(&sim->sched);
        ask->a = sched_quiet(&sim->sched);
        break;
    case PLACE_MOVED:
        ask->a = watchdog_sent(sim) + figures_issued_here(sim);
        break;
    case PLACE_ISSUED:
        ask->a = figures_issued_here(sim);
        break;
    case PLACE_ENDED:
        ask->a = figures_ended_here(sim, ask->memory);
        break;
    case PLACE_HASH:
        ask->a = figures_hash_here(sim, ask->memory);
        break;
    case PLACE_COMPARED:
        ask->a = lockstep_tap_compared(sim->tap);
        observed = lockstep_tap_observed(sim->tap);
        bytes_copy(answer, &observed, sizeof observed);
        break;
    case PLACE_SETTLE:
        lockstep_tap_settle(sim->tap);
        break;
    case PLACE_SGPRS:
        sgprs_copy(sim, ask, answer);
        break;
    case PLACE_COUNTERS:
    case PLACE_REPORT:
    case PLACE_WHERE:
        text_make(sim, ask, data, answer);
        break;
    case PLACE_BOARDS:
        boards_make(sim, answer);
        break;
    case PLACE_CPU:
        ask->a = cpu_us();
        break;
    case PLACE_GRAPH:
        ask->a = sched_graph(&sim->sched);
        break;
    case PLACE_RECORDED:
        recorded_make(sim, answer);
        break;
    case PLACE_SHARE:
        share_make(sim, ask, answer);
        break;
    case PLACE_RESTORE:
        ask->a = sim_restore_here(sim, data, ask->a != 0);
        break;
    case PLACE_WINDOWS:
        pmem_windows_set(sim->memory, data, ask->bytes);
        break;
    case PLACE_PAGE:
        if (pmem_frame_of(sim->memory, ask->a) != ask->b) /* a slab that goes takes its pages home */
            pmem_move(sim->memory, ask->a, ask->b, false);
        break;
    case PLACE_TAKE:
    case PLACE_GIVE:
        memory_change(sim, ask, fd);
        break;
    default:
        CHECK(false, "place", "question %u", ask->kind);
    }
}

/* The owner waits for it, and nobody runs meanwhile; false when he has gone. */
static bool question_answer(struct sim *sim, int socket)
{
    struct ask ask;
    struct answer answer = {NULL, 0};
    void *data = NULL;
    int fd = -1;
    bool ok = ask_receive(socket, &ask, &data, &fd, NULL, NULL);
    if (ok) {
        answer_make(sim, &ask, data, fd, &answer);
        ask.bytes = answer.count;
        ok = ask_send(socket, &ask, answer.bytes, -1, NULL, NULL);
    }
    free(data);
    free(answer.bytes);
    return ok;
}

static int windows_run(struct sim *sim, int socket)
{
    for (;;) {
        switch (sched_advance(&sim->sched, UINT64_MAX)) {
        case SCHED_ASKED:
            if (question_answer(sim, socket))
                continue;
            sched_promise(&sim->sched);
            continue; /* the next look at the others tells */
        case SCHED_ENDED:
            return status_exit(STATUS_OK);
        case SCHED_STOPPED: /* by a visit: its board is lost, which nobody else needs to tell */
            CHECK(boards_lost(rtl_machine_boards(sim->rtl)), "place", "a worker was stopped at cycle %llu",
                  (unsigned long long)sim->sched.now);
            place_refused(sim);
            return status_exit(STATUS_IO);
        case SCHED_LOST:
            return status_exit(STATUS_IO);
        default:
            CHECK(false, "place", "a worker has nothing to wait for at cycle %llu", (unsigned long long)sim->sched.now);
        }
    }
}

/* The whole of what this process has of the machine. */
static bool build(struct sim *sim)
{
    struct record *record = sim->options.record;
    if (!machine_build(sim))
        return false;
    if (record)
        record_follow(record);
    return (record == NULL || record_attach(record, sim)) && machine_threads(sim, record && record_parts(record));
}

int worker_run(struct sim *sim, int socket)
{
    bool ok = build(sim) && place_join(sim);
    if (!ok && sim->models && boards_lost(sim->models->boards))
        place_refused(sim);
    int status = ok ? windows_run(sim, socket) : status_exit(STATUS_IO);
    if (sim->options.record)
        record_detach(sim->options.record);
    sched_fini(&sim->sched);
    machine_free(sim);
    place_end(sim);
    return status;
}
