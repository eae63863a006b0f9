/* SPDX-License-Identifier: Apache-2.0
 * metrics.sqlite: every counter of the run and the kernel table, for scripts.
 */
#include "metrics/database.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "migrate/ledger.h"
#include "saved/whole_file.h"

static const char schema[] =
    "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN;"
    "CREATE TABLE metrics(location TEXT NOT NULL, what TEXT NOT NULL, value NUMERIC NOT NULL, unit TEXT NOT NULL);"
    "CREATE TABLE kernel_metrics(kernel INTEGER NOT NULL, location TEXT NOT NULL, what TEXT NOT NULL,"
    " value NUMERIC NOT NULL, unit TEXT NOT NULL, shared INTEGER NOT NULL);"
    "CREATE TABLE kernels(gpu INTEGER, queue INTEGER, kernel TEXT, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,"
    " group_x INTEGER, group_y INTEGER, group_z INTEGER, \"start\" INTEGER, \"end\" INTEGER, cycles INTEGER,"
    " wavefronts INTEGER, instructions INTEGER, ipc REAL, process INTEGER, groups INTEGER, finished INTEGER,"
    " dispatcher INTEGER, beside INTEGER, number INTEGER);"
    "CREATE TABLE moves(page INTEGER, bytes INTEGER, \"from\" INTEGER, \"to\" INTEGER, policy TEXT, moved INTEGER,"
    " \"begin\" INTEGER, \"end\" INTEGER, decision INTEGER, wait INTEGER, lock INTEGER, shoot_down INTEGER,"
    " write_back INTEGER, copy INTEGER, map INTEGER, batch INTEGER, fixed INTEGER, late INTEGER);";

struct writer {
    sqlite3 *db;
    sqlite3_stmt *metric, *share;
    const struct summary *summary;
    bool golden;    /* all of it: counters of kernels without a clock are its own */
    unsigned found; /* kernel_find: where the last one was */
    int error;      /* first SQLite error */
};

static void step(struct writer *w, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);

    if (rc != SQLITE_DONE && !w->error)
        w->error = rc;
    sqlite3_reset(stmt);
}

static void metric_add(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct writer *w = arg;

    sqlite3_bind_text(w->metric, 1, location, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(w->metric, 2, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(w->metric, 3, (sqlite3_int64)value);
    sqlite3_bind_text(w->metric, 4, unit ? unit : "", -1, SQLITE_TRANSIENT);
    step(w, w->metric);
}

static void kernels_add(struct writer *w, sqlite3_stmt *stmt, const struct summary *s)
{
    for (unsigned i = s->rows_before; i < s->row_count; i++) {
        const struct kernel_row *r = &s->rows[i];
        const uint64_t cycles = row_cycles(r);
        const uint64_t numbers[] = {r->grid[0], r->grid[1], r->grid[2], r->group[0],   r->group[1],    r->group[2],
                                    r->start,   r->end,     cycles,     r->wavefronts, r->instructions};
        const uint64_t more[] = {r->process, r->groups, !r->unfinished, r->dispatcher, r->beside, r->number};

        sqlite3_bind_int64(stmt, 1, r->gpu);
        sqlite3_bind_int64(stmt, 2, r->queue);
        char *name = text_escaped(r->name);
        sqlite3_bind_text(stmt, 3, name, -1, free);
        for (int k = 0; k < (int)(sizeof(numbers) / sizeof(numbers[0])); k++)
            sqlite3_bind_int64(stmt, 4 + k, (sqlite3_int64)numbers[k]);
        sqlite3_bind_double(stmt, 15, row_ipc(r));
        for (int k = 0; k < (int)(sizeof(more) / sizeof(more[0])); k++)
            sqlite3_bind_int64(stmt, 16 + k, (sqlite3_int64)more[k]);
        step(w, stmt);
    }
}

/* Number of a kernel's row in `kernels` (its rowid); 0: it has none, as of a kernel that ended before this part of the
 * run, or of no kernel. */
static unsigned kernel_find(struct writer *w, const struct sim_kernel_counter *c)
{
    const struct summary *s = w->summary;
    const unsigned count = s->row_count > s->rows_before ? s->row_count - s->rows_before : 0;

    for (unsigned n = 0; n < count && !c->outside; n++) {
        const unsigned at = (w->found + n) % count;
        const struct kernel_row *r = &s->rows[s->rows_before + at];

        if (r->gpu == c->gpu && r->start == c->start && (!r->untimed || w->golden)) {
            w->found = at;
            return at + 1;
        }
    }
    return 0;
}

static void kernel_metric_add(void *arg, const struct sim_kernel_counter *c)
{
    struct writer *w = arg;
    const unsigned kernel = kernel_find(w, c);

    if (kernel == 0 && !c->outside && c->shared)
        return; /* of a kernel without a row: it is in what is shared by several */
    sqlite3_bind_int64(w->share, 1, kernel);
    sqlite3_bind_text(w->share, 2, c->location, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(w->share, 3, c->what, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(w->share, 4, (sqlite3_int64)c->value);
    sqlite3_bind_text(w->share, 5, c->unit, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(w->share, 6, c->shared);
    step(w, w->share);
}

static void moves_add(struct writer *w, const struct ledger *l)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        sqlite3_prepare_v2(w->db, "INSERT INTO moves VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &stmt, NULL);

    for (size_t i = 0; rc == SQLITE_OK && i < l->count; i++) {
        const struct move_fact *f = &l->rows[i].fact;
        const uint64_t before[] = {f->page, f->bytes, f->from, f->to};
        const uint64_t behind[] = {!f->refused, f->begun, f->ended, f->decision, f->wait,  f->lock, f->shoot,
                                   f->flush,    f->copy,  f->map,   f->batch,    f->fixed, f->late};

        for (int k = 0; k < (int)(sizeof(before) / sizeof(before[0])); k++)
            sqlite3_bind_int64(stmt, 1 + k, (sqlite3_int64)before[k]);
        sqlite3_bind_text(stmt, 5, l->rows[i].policy, -1, SQLITE_STATIC);
        for (int k = 0; k < (int)(sizeof(behind) / sizeof(behind[0])); k++)
            sqlite3_bind_int64(stmt, 6 + k, (sqlite3_int64)behind[k]);
        step(w, stmt);
    }
    if (rc != SQLITE_OK && !w->error)
        w->error = rc;
    sqlite3_finalize(stmt);
}

static void rows_add(struct writer *w, const struct summary *s, struct sim *sim)
{
    sqlite3_stmt *kernel = NULL;
    int rc = sqlite3_prepare_v2(w->db, "INSERT INTO metrics VALUES(?,?,?,?)", -1, &w->metric, NULL);

    w->summary = s;
    w->golden = strcmp(s->model, "golden") == 0;
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(w->db, "INSERT INTO kernel_metrics VALUES(?,?,?,?,?,?)", -1, &w->share, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(w->db, "INSERT INTO kernels VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
                                &kernel, NULL);
    if (rc != SQLITE_OK) {
        w->error = rc;
    } else {
        metric_add(w, "run", "gpus", s->cfg->system_gpus, "GPUs");
        metric_add(w, "run", "kernels", summary_kernels(s), "kernels");
        metric_add(w, "run", "cycles", s->cycles, "cycles");
        metric_add(w, "run", "instructions", s->instructions, "wavefront instructions");
        metric_add(w, "run", "cpu_us", (uint64_t)(s->cpu_s * 1e6), "us");
        if (sim) {
            sim_counters(sim, metric_add, w);
            sim_kernel_counters(sim, kernel_metric_add, w);
        }
        kernels_add(w, kernel, s);
        if (s->ledger)
            moves_add(w, s->ledger);
    }
    sqlite3_finalize(kernel);
    sqlite3_finalize(w->metric);
    sqlite3_finalize(w->share);
}

enum gantry_status database_write(const char *path, const struct summary *s, struct sim *sim)
{
    struct writer w = {.error = 0};
    enum gantry_status status = STATUS_OK;

    int fd = whole_file_create(path);
    if (fd < 0) {
        diag(path, "%s", strerror(errno));
        return STATUS_IO;
    }
    close(fd);
    char *part = whole_file_part(path);
    w.error = sqlite3_open(part, &w.db);
    free(part);
    if (!w.error)
        w.error = sqlite3_exec(w.db, schema, NULL, NULL, NULL);
    if (!w.error)
        rows_add(&w, s, sim);
    if (!w.error)
        w.error = sqlite3_exec(w.db, "COMMIT;", NULL, NULL, NULL);
    if (w.error) {
        diag(path, "%s", sqlite3_errstr(w.error));
        status = STATUS_IO;
    }
    sqlite3_close(w.db);
    return status;
}
