/* SPDX-License-Identifier: Apache-2.0
 * Page tables on their way to VRAM; contract in table_writes.h.  Not responsible for: what is done behind them
 * (after_writes.c), what entries mean (host/vm), who waits for them (host/driver).
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"
#include "vm/pmem.h"

#define LINE 64u
#define PAGE 4096u
#define FIRST_ROOM 128u

static_assert(sizeof((struct table_write){0}.data) == LINE, "a write is a line");

void tables_fini(struct tables *t)
{
    for (size_t i = 0; i < t->note_count; i++)
        free(t->notes[i].range.list);
    free(t->ring);
    free(t->last);
    free(t->notes);
}

bool tables_open(const struct cp *cp)
{
    return cp->tables.done < cp->tables.asked;
}

uint64_t cp_tables_asked(const struct cp *cp)
{
    return cp->tables.asked;
}

uint64_t cp_tables_changes(const struct cp *cp)
{
    return cp->tables.changes;
}

uint64_t cp_tables_done(const struct cp *cp)
{
    return cp->tables.done;
}

static struct table_write *write_at(const struct tables *t, uint64_t number)
{
    return &t->ring[number & (t->room - 1)];
}

static void ring_grow(struct tables *t)
{
    struct tables old = *t;
    t->room = old.room ? 2 * old.room : FIRST_ROOM;
    t->ring = xcalloc(t->room, sizeof *t->ring);
    for (uint64_t n = old.sent; n < old.asked; n++)
        *write_at(t, n) = *write_at(&old, n);
    free(old.ring);
}

/* The last one, which is to be filled in. */
static struct table_write *write_add(struct cp *cp)
{
    struct tables *t = &cp->tables;
    const uint64_t waits = t->asked - t->sent, bytes = cp->config.tables_bytes;
    CHECK(waits < bytes / LINE + 2 * (bytes / PAGE), "cp", "gpu%u: %llu writes to page tables wait", cp->gpu,
          (unsigned long long)waits);
    if (waits == t->room)
        ring_grow(t);
    if (t->sent == t->done && !t->armed) { /* else an answer goes on with it */
        t->armed = true;
        sim_timer(cp->sim, sim_now(cp->sim), cookie_of(cp, COOKIE_TABLES));
    }
    return write_at(t, t->asked++);
}

/* Number of the line among those of tables. */
static uint64_t line_of(const struct cp *cp, uint64_t pa)
{
    const uint64_t base = pmem_addr(cp->gpu + 1, cp->config.tables_base);
    CHECK(pa >= base && pa - base < cp->config.tables_bytes, "cp", "gpu%u: page table at 0x%llx", cp->gpu,
          (unsigned long long)pa);
    return (pa - base) / LINE;
}

/* `bytes` of one line. */
static void line_write(struct cp *cp, uint64_t pa, const uint64_t *from, uint32_t bytes)
{
    struct tables *t = &cp->tables;
    const uint64_t number = line_of(cp, pa);
    t->changes++;
    const unsigned place = (unsigned)(pa % LINE);
    bool pointer = false;
    for (unsigned i = 0; i < bytes / sizeof *from; i++)
        pointer |= (from[i] & (PTE_VALID | PTE_LEAF)) == PTE_VALID;
    if (!t->last)
        t->last = xcalloc(cp->config.tables_bytes / LINE, sizeof *t->last);
    struct table_write *w = t->last[number] > t->sent ? write_at(t, t->last[number] - 1) : NULL;
    if (!w || pointer || w->pointer) {
        w = write_add(cp);
        *w = (struct table_write){.line = pa - place, .pointer = pointer};
        t->last[number] = t->asked;
    }
    w->mask |= UINT64_MAX >> (LINE - bytes) << place;
    memcpy((uint8_t *)w->data + place, from, bytes);
}

void cp_tables_write(struct cp *cp, uint64_t pa, const void *from, uint32_t bytes)
{
    const uint64_t *at = from;
    while (bytes) {
        uint32_t left = LINE - (uint32_t)(pa % LINE), n = bytes < left ? bytes : left;
        line_write(cp, pa, at, n);
        at += n / sizeof *at;
        pa += n;
        bytes -= n;
    }
}

void tables_note(struct cp *cp, struct table_note note)
{
    struct tables *t = &cp->tables;
    CHECK(t->note_count < TABLES_NOTES, "cp", "gpu%u: %zu notes behind page tables", cp->gpu, t->note_count);
    t->notes = xgrow(t->notes, &t->note_room, t->note_count + 1, sizeof *t->notes);
    note.behind = t->asked;
    t->notes[t->note_count++] = note;
    if (note.space)
        note.space->notes++;
}

/* What waits goes on as far as it may. */
static void writes_send(struct cp *cp)
{
    struct tables *t = &cp->tables;
    while (t->sent < t->asked) {
        const struct table_write *w = write_at(t, t->sent);
        const uint64_t flight = t->sent - t->done;
        if (flight == TABLES_FLIGHT || (flight && w->pointer))
            return;
        t->sent++;
        struct msg_mem_req req = {.op = MEM_WRITE, .addr = w->line, .mask = w->mask};
        memcpy(req.data, w->data, sizeof req.data);
        sim_access(cp->sim, &req, true, cookie_of(cp, COOKIE_TABLES));
    }
}

void tables_begin(struct cp *cp)
{
    cp->tables.armed = false;
    writes_send(cp);
}

/* Answers come in the order of requests. */
void tables_take(struct cp *cp, const struct msg_mem_rsp *rsp)
{
    struct tables *t = &cp->tables;
    CHECK(t->done < t->sent && rsp->status == MEM_OK, "cp", "gpu%u: answer of a page table, status %u, %llu asked",
          cp->gpu, rsp->status, (unsigned long long)(t->sent - t->done));
    t->done++;
    writes_send(cp);
}
