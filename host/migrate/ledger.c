/* SPDX-License-Identifier: Apache-2.0
 * What became of pages in a run; contract in ledger.h.
 */
#include "migrate/ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void ledger_add(struct ledger *l, const char *policy, const struct move_fact *fact)
{
    l->rows = xgrow(l->rows, &l->room, l->count + 1, sizeof *l->rows);
    l->rows[l->count++] = (struct ledger_row){.fact = *fact, .policy = policy};
}

void ledger_fini(struct ledger *l)
{
    free(l->rows);
    *l = (struct ledger){0};
}

static void faults_print(FILE *out, const struct ledger *l)
{
    const struct faults_sums *f = &l->faults;
    fprintf(out,
            "gantry: first accesses: %" PRIu64 " (%" PRIu64 " have moved their page, %" PRIu64 " mapped far, %" PRIu64
            " late, %" PRIu64 " denied), %" PRIu64 " pages ahead of them; decision=%" PRIu64 " each\n",
            f->faults, f->moved, f->mapped, f->late, f->denied, f->ahead, l->fault_cycles);
}

void ledger_print(FILE *out, const struct ledger *l)
{
    struct move_fact sum = {0};
    uint64_t pages = 0, undone = 0, ordered = 0, span = 0, seen = 0, late = 0;
    if (l->fault_cycles)
        faults_print(out, l);
    if (!l->policy)
        return;
    for (size_t i = 0; i < l->count; i++) {
        const struct move_fact *f = &l->rows[i].fact;
        if (strcmp(l->rows[i].policy, LEDGER_ORDER) == 0) {
            ordered++;
            continue;
        }
        pages += !f->refused;
        undone += f->refused != 0;
        sum.bytes += f->refused ? 0 : f->bytes;
        span += f->ended - (f->begun > seen ? f->begun : seen); /* rows come as moves end */
        seen = f->ended;
        sum.wait += f->wait;
        sum.lock += f->lock;
        sum.shoot += f->shoot;
        sum.flush += f->flush;
        sum.copy += f->copy;
        sum.map += f->map;
        late += f->late != 0;
    }
    fprintf(out,
            "gantry: migration: policy=%s pages=%" PRIu64 " bytes=%" PRIu64 " batches=%" PRIu64 " undone=%" PRIu64
            " refused=%" PRIu64 " ordered=%" PRIu64 " span=%" PRIu64 "; cycles: wait=%" PRIu64 " lock=%" PRIu64
            " shoot-down=%" PRIu64 " write-back=%" PRIu64 " copy=%" PRIu64 " map=%" PRIu64 " decision=%" PRIu64 " each",
            l->policy, pages, sum.bytes, l->sums.batches + l->faults.batches, undone, l->sums.refused, ordered, span,
            sum.wait, sum.lock, sum.shoot, sum.flush, sum.copy, sum.map, l->decision);
    if (l->fixed)
        fprintf(out, "; fixed: %" PRIu64 " each, %" PRIu64 " late", l->fixed, late);
    fputc('\n', out);
    const uint64_t far = l->sums.reads + l->sums.writes;
    fprintf(out,
            "gantry: far accesses: %" PRIu64 " (%" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64
            " uncounted); without moves some %" PRIu64 "%s\n",
            far, l->sums.reads, l->sums.writes, l->sums.lost, far + l->sums.gained,
            l->faults.moved ? " and those of pages that have moved on their first access" : "");
}
