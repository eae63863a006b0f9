/* SPDX-License-Identifier: Apache-2.0
 * Waiting for page tables; contract in table_waits.h.
 */
#include "memory/table_waits.h"

#include "driver/driver.h"

static unsigned gpus_of(const struct driver *d)
{
    return machine_started(d->machine) ? machine_gpus(d->machine) : 0;
}

void tables_before(const struct driver *d, const struct client *c, bool opens, struct tables_wait *w)
{
    *w = (struct tables_wait){.all = opens};
    for (unsigned g = 0; g < gpus_of(d); g++)
        w->upto[g] = cp_tables_changes(machine_cp(d->machine, g));
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        w->all |= conn->client == c && conn->state == CONN_TABLES;
}

bool tables_behind(const struct driver *d, struct tables_wait *w)
{
    for (unsigned g = 0; g < gpus_of(d); g++) {
        const struct cp *cp = machine_cp(d->machine, g);
        w->upto[g] = w->all || cp_tables_changes(cp) != w->upto[g] ? cp_tables_asked(cp) : 0;
    }
    return !tables_written(d, w);
}

bool tables_written(const struct driver *d, const struct tables_wait *w)
{
    for (unsigned g = 0; g < gpus_of(d); g++)
        if (cp_tables_done(machine_cp(d->machine, g)) < w->upto[g])
            return false;
    return true;
}

void tables_look(struct driver *d)
{
    for (const struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->state == CONN_TABLES && tables_written(d, &conn->tables))
            machine_halt(d->machine);
}
