/* SPDX-License-Identifier: Apache-2.0
 * The gated clock: target time passes only while every client rests.  One step answers one thread, or rings the
 * doorbells, or lets the machine run to the next moment that a client could see.  So a program that does not race with
 * itself gets the same cycles every time.  Rules: docs/reference/clock.md.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "clock/process_order.h"
#include "driver/driver.h"
#include "migrate/migrate.h"
#include "system/phases.h"

bool gate_needed(const struct driver *d)
{
    if (d->gpu_work || order_pending(d))
        return true;
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->state != CONN_RUNNING)
            return true;
    return false;
}

/* A wait that only another client can end, by a driver call. */
static bool conn_idles(const struct driver *d, const struct conn *conn)
{
    return conn->state == CONN_RUNNING ||
           (conn->state == CONN_WAIT && conn->deadline == NEVER && !event_wait_ready(d, conn));
}

bool gate_pending(const struct driver *d)
{
    if (order_pending(d) || queue_rung(d) || machine_pending(d->machine))
        return true;
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (!conn_idles(d, conn))
            return true;
    return false;
}

static bool conn_due(const struct driver *d, const struct conn *conn)
{
    switch (conn->state) {
    case CONN_WAIT:
        return event_wait_ready(d, conn);
    case CONN_PARK:
        return conn->due || conn->deadline <= client_cycle(d);
    case CONN_SLEEP:
        return conn->deadline <= client_cycle(d);
    case CONN_TABLES:
        return tables_written(d, &conn->tables);
    default:
        return false;
    }
}

/* The program calls with the same argument again, which the shim overwrites with what it is answered. */
static void answer_again(const struct conn *conn, struct shim_answer *answer)
{
    *answer = (struct shim_answer){.result = -1, .error = EAGAIN};
    memcpy(answer->data, conn->request.data, sizeof answer->data);
}

static void conn_deliver(struct driver *d, struct conn *conn)
{
    struct shim_answer answer = {0};
    conn->batch = false;
    if (conn->state == CONN_WAIT)
        event_wait_finish(conn, &answer);
    else if (conn->state == CONN_PARK && event_fault_unseen(d, conn->client))
        answer.result = PARK_FAULT;
    else if (conn->state == CONN_SLEEP && conn->again)
        answer_again(conn, &answer);
    else if (conn->state == CONN_TABLES)
        answer = conn->tables.answer;
    conn->again = false;
    server_answer(d, conn, &answer, NO_FILE);
}

/* The lowest thread that may go on: oldest process first, then thread numbers.  All that are due together are answered
 * before any of them can become due again, so that a thread which asks again at once does not starve the others. */
static struct conn *due_first(const struct driver *d, bool batch)
{
    struct conn *first = NULL;
    for (struct conn *conn = d->conns; conn; conn = conn->next) {
        if (!conn->client || conn->gone || (batch && !conn->batch) || !conn_due(d, conn))
            continue;
        conn->batch = true;
        if (!first || conn->client->index < first->client->index ||
            (conn->client == first->client &&
             kin_thread(&d->kin, conn->pid, conn->tid) < kin_thread(&d->kin, conn->pid, first->tid)))
            first = conn;
    }
    return first;
}

/* Let polling threads look again: all, or those that have not looked since anything changed.  False when none. */
static bool parked_release(struct driver *d, bool all)
{
    bool any = false;
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->state == CONN_PARK && (all || !conn->looked))
            any = conn->due = conn->looked = true;
    return any;
}

static void visible_changed(struct driver *d)
{
    parked_release(d, true);
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        conn->looked = false;
}

static uint64_t deadline_first(const struct driver *d)
{
    uint64_t first = NEVER;
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if ((conn->state == CONN_WAIT || conn->state == CONN_SLEEP) && conn->deadline < first)
            first = conn->deadline;
    return first;
}

/* When a thread that polls looks again: a kernel may wait for what it does then. */
static uint64_t look_first(const struct driver *d)
{
    uint64_t first = NEVER;
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->state == CONN_PARK && conn->deadline < first)
            first = conn->deadline;
    return first;
}

/* Nothing can happen in the machine.  A thread may have begun to poll without need: let it look once; then skip the
 * idle time to the next deadline; without one, a thread that polls on has its reasons. */
static enum gate_step idle_step(struct driver *d)
{
    uint64_t deadline = deadline_first(d);
    if (parked_release(d, false))
        return GATE_BUSY;
    if (deadline != NEVER) {
        machine_timer(d->machine, deadline);
        machine_run(d->machine, NEVER);
        return GATE_BUSY;
    }
    parked_release(d, true);
    return GATE_IDLE;
}

enum gate_step gate_advance(struct driver *d)
{
    if (!machine_started(d->machine)) {
        parked_release(d, true);
        return GATE_IDLE;
    }
    queue_doorbells(d);
    if (d->moved) /* not at the border of a slice, which the host's time has chosen */
        machine_poll(d->machine);
    const uint64_t limit = deadline_first(d), look = look_first(d), deadline = limit < look ? limit : look;
    uint64_t until = client_cycle(d) + d->slice.cycles;
    slice_begin(&d->slice, client_cycle(d));
    sim_still(machine_sim(d->machine), !d->moved);
    d->moved = false;
    enum machine_result result = machine_run(d->machine, until < deadline ? until : deadline);
    slice_end(&d->slice, client_cycle(d));
    switch (result) {
    case MACHINE_VISIBLE:
        visible_changed(d);
        /* fall through */
    case MACHINE_UNTIL:
        return GATE_BUSY;
    case MACHINE_IDLE:
        return idle_step(d);
    case MACHINE_MAX_CYCLES:
        return GATE_MAX_CYCLES;
    case MACHINE_EXIT_AFTER:
        return GATE_EXIT_AFTER;
    case MACHINE_NO_PROGRESS:
        migrate_report(d->migrate);
        phases_report(d->phases);
        return GATE_NO_PROGRESS;
    default:
        return GATE_NO_PROGRESS;
    }
}

enum gate_step gate_step(struct driver *d)
{
    struct conn *conn = due_first(d, true);
    if (!conn)
        conn = due_first(d, false);
    if (conn) {
        conn_deliver(d, conn);
        return GATE_BUSY;
    }
    return gate_advance(d);
}

void gate_release(struct driver *d)
{
    for (struct conn *conn; (conn = due_first(d, false));)
        conn_deliver(d, conn);
}
