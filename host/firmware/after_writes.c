/* SPDX-License-Identifier: Apache-2.0
 * What is done behind writes to page tables (table_writes.h): an answer of them, and notes that have waited for it.
 */
#include <string.h>

#include "firmware/cp_private.h"

static void note_do(struct cp *cp, const struct table_note *note)
{
    struct cp_space *space = note->space;
    if (space)
        space->notes--;
    if (note->kind == NOTE_OPEN)
        space_announce(cp, space);
    else if (note->kind == NOTE_XLAT)
        withheld_due(cp, note);
    else if (note->kind != NOTE_CLOSE)
        shootdown_due(cp, note);
    if (space)
        space_settle(cp, space); /* it may have waited for this */
}

static void notes_do(struct cp *cp)
{
    struct tables *t = &cp->tables;
    size_t n = 0;
    while (n < t->note_count && t->notes[n].behind <= t->done) {
        const struct table_note note = t->notes[n++]; /* what it does may ask for more */
        note_do(cp, &note);
    }
    if (n == 0)
        return;
    t->note_count -= n;
    memmove(t->notes, t->notes + n, t->note_count * sizeof *t->notes);
}

void tables_answered(struct cp *cp, const struct msg_mem_rsp *rsp)
{
    tables_take(cp, rsp);
    notes_do(cp);
    queues_step(cp); /* of a space that has become known */
    if (cp->host.tables)
        cp->host.tables(cp->host.ctx);
}
