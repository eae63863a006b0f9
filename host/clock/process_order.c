/* SPDX-License-Identifier: Apache-2.0
 * Order of several processes; contract in process_order.h.
 *
 * Round robin: the next turn goes to the first waiting process after the one served last, in the order of the tree.
 * Example: processes 1, 2, 3 wait and 2 was served last; 3 is next.  A turn is given only while all processes rest, so
 * the set of waiting processes does not depend on the host's timing.  A request that was served at once is a turn, too.
 */
#include "clock/process_order.h"

#include "base/log.h"
#include "driver/driver.h"

/* The client is the program itself, and no other client is alive. */
static bool client_alone(const struct driver *d, const struct client *client)
{
    for (const struct client *c = d->clients; c; c = c->next)
        if (c != client && !c->ended)
            return false;
    return client->pid == d->program;
}

static void turn_note(struct driver *d, const struct client *c)
{
    if (d->turn == c->kin)
        return;
    kin_drop(&d->kin, d->turn);
    d->turn = c->kin;
    d->turn->uses++;
}

static bool request_changes(const struct conn *conn)
{
    switch (conn->request.op) {
    case REQ_OPEN_KFD:
        return true;
    case REQ_HELLO:
        return conn->client->greeted && conn->client->opened; /* the end of what the process has been */
    case REQ_IOCTL:
        return conn->client->opened && ioctl_changes(&conn->request);
    default:
        return false;
    }
}

bool order_holds(struct driver *d, const struct conn *conn)
{
    if (!d->ordered || !request_changes(conn))
        return false;
    if (client_alone(d, conn->client) && !watch_parent(conn->pid)) {
        turn_note(d, conn->client);
        return false;
    }
    return true;
}

void order_ended(struct driver *d, struct client *c)
{
    c->over = true;
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->client == c)
            conn->gone = true;
    if (!d->ordered || !c->opened || client_alone(d, c))
        client_end(d, c);
}

static bool client_before(const struct driver *d, const struct client *a, const struct client *b)
{
    return kin_before(&d->kin, a->kin, b->kin);
}

static struct client *over_first(const struct driver *d)
{
    struct client *first = NULL;
    for (struct client *c = d->clients; c; c = c->next)
        if (c->over && !c->ended && (!first || client_before(d, c, first)))
            first = c;
    return first;
}

/* True: a is served before b. */
static bool conn_before(const struct driver *d, const struct conn *a, const struct conn *b)
{
    if (a->client == b->client)
        return kin_thread(&d->kin, a->pid, a->tid) < kin_thread(&d->kin, b->pid, b->tid);
    const bool a_behind = d->turn && kin_before(&d->kin, d->turn, a->client->kin);
    const bool b_behind = d->turn && kin_before(&d->kin, d->turn, b->client->kin);
    return a_behind != b_behind ? a_behind : client_before(d, a->client, b->client);
}

static struct conn *held_first(const struct driver *d)
{
    struct conn *first = NULL;
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->state == CONN_HELD && !conn->gone && (!first || conn_before(d, conn, first)))
            first = conn;
    return first;
}

bool order_pending(const struct driver *d)
{
    return d->ordered && (held_first(d) || over_first(d));
}

const struct client *order_next(const struct driver *d)
{
    const struct conn *conn = held_first(d);
    return conn ? conn->client : NULL;
}

/* The client's place in the order depends on the host's clock, or on when its parent ended: the run may not repeat. */
static void chance_note(struct driver *d, const struct client *c)
{
    if (!c->kin->by_host && !c->kin->orphan)
        return;
    if (!d->not_repeatable)
        log_info("driver", "process %d comes %s: runs may differ", (int)c->pid,
                 c->kin->orphan ? "without a parent" : "after a wait on the host's clock");
    d->not_repeatable = true;
}

static unsigned clients_open(const struct driver *d)
{
    unsigned count = 0;
    for (const struct client *c = d->clients; c; c = c->next)
        count += c->opened && !c->ended;
    return count;
}

static void ends_carry_out(struct driver *d)
{
    for (struct client *c; (c = over_first(d)); client_end(d, c))
        if (clients_open(d) > 1)
            chance_note(d, c);
}

struct conn *order_take(struct driver *d)
{
    ends_carry_out(d);
    struct conn *conn = held_first(d);
    if (!conn)
        return NULL;
    watch_host_waits(d);
    if (clients_open(d) + !conn->client->opened > 1)
        chance_note(d, conn->client);
    turn_note(d, conn->client);
    conn->state = CONN_RUNNING;
    return conn;
}
