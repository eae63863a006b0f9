/* SPDX-License-Identifier: Apache-2.0
 * Requests under way; contract in asked.h.  A table with open addressing, which is never more than half full: a request
 * is put behind equal ones, and what an answer takes out is filled by what stands behind it.  Of reads of DRAM nothing
 * is kept: they are made for a request that whoever has asked first keeps.
 */
#include "bridge/verilated/asked.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "gantry_msg.h"

#define PLACES 32 /* at first */
#define TOLD 4    /* requests of a lane in a report */

enum kind { KIND_MEM, KIND_DRAM, KIND_IFETCH, KIND_SMEM };

struct request {
    uint64_t key, addr;
    uint64_t since; /* cycle + 1; 0: the place is free */
    const char *what;
};

struct asked {
    enum kind kind;
    uint32_t count, mask;
    uint64_t unanswerable;
    struct request *places;
};

struct asked *asked_new(const struct model_port *port)
{
    static const struct {
        const char *port;
        size_t bytes;
        enum kind kind;
    } known[] = {{"mem_req", sizeof(struct msg_mem_req), KIND_MEM},
                 {"dram_req", sizeof(struct msg_dram_req), KIND_DRAM},
                 {"ifetch_req", sizeof(struct msg_ifetch_req), KIND_IFETCH},
                 {"smem_req", sizeof(struct msg_smem_req), KIND_SMEM}};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(port->name, known[i].port) == 0 && port->bytes == known[i].bytes && port->count == 1) {
            struct asked *a = xzalloc(sizeof *a);
            a->kind = known[i].kind;
            return a;
        }
    return NULL;
}

void asked_free(struct asked *a)
{
    if (a)
        free(a->places);
    free(a);
}

/* False: it is never answered. */
static bool request_of(const struct asked *a, const void *message, struct request *r)
{
    static const char *const mem[] = {"read", "read", "store", "atomic", "translation", "line of a page"};
    const struct msg_mem_req *m = message;
    const struct msg_ifetch_req *i = message;
    const struct msg_smem_req *s = message;
    switch (a->kind) {
    case KIND_MEM:
        r->key = m->tag;
        r->addr = m->addr;
        r->what = m->op < sizeof mem / sizeof mem[0] ? mem[m->op] : "request";
        return true;
    case KIND_IFETCH:
        r->key = i->wave | (uint64_t)i->epoch << 8, r->addr = i->va, r->what = "code";
        return true;
    default:
        r->key = (uint64_t)s->wave << 32 | s->tag, r->addr = s->va, r->what = "scalar access";
        return s->op != SMEM_DATA;
    }
}

static uint64_t answer_key(const struct asked *a, const void *message)
{
    const struct msg_mem_rsp *m = message;
    const struct msg_ifetch_rsp *i = message;
    const struct msg_smem_rsp *s = message;
    switch (a->kind) {
    case KIND_MEM:
        return m->tag;
    case KIND_IFETCH:
        return i->wave | (uint64_t)i->epoch << 8;
    default:
        return (uint64_t)s->wave << 32 | s->tag;
    }
}

static uint32_t home(const struct asked *a, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & a->mask;
}

static void put(struct asked *a, const struct request *r)
{
    uint32_t at = home(a, r->key);
    while (a->places[at].since)
        at = (at + 1) & a->mask;
    a->places[at] = *r;
}

/* Requests with equal keys stay in their order: from a place that is free on, they are met as they stand. */
static void grow(struct asked *a)
{
    struct request *old = a->places;
    const uint32_t places = old ? a->mask + 1 : 0;
    uint32_t first = 0;
    a->mask = places ? 2 * places - 1 : PLACES - 1;
    a->places = xcalloc(a->mask + 1, sizeof *a->places);
    while (first < places && old[first].since)
        first++;
    for (uint32_t i = 0; i < places; i++)
        if (old[(first + i) & (places - 1)].since)
            put(a, &old[(first + i) & (places - 1)]);
    free(old);
}

void asked_sent(struct asked *a, uint64_t cycle, const void *request)
{
    struct request r = {.since = cycle + 1};
    if (a->kind == KIND_DRAM) {
        a->unanswerable += ((const struct msg_dram_req *)request)->write;
        return;
    }
    if (!request_of(a, request, &r)) {
        a->unanswerable++;
        return;
    }
    if (2 * a->count >= a->mask)
        grow(a);
    put(a, &r);
    a->count++;
}

void asked_answered(struct asked *a, const void *answer)
{
    const uint64_t key = answer_key(a, answer);
    if (a->count == 0)
        return;
    uint32_t at = home(a, key);
    while (a->places[at].since && a->places[at].key != key)
        at = (at + 1) & a->mask;
    if (a->places[at].since == 0)
        return;
    a->count--;
    for (uint32_t next = (at + 1) & a->mask; a->places[next].since; next = (next + 1) & a->mask)
        if (((next - home(a, a->places[next].key)) & a->mask) >= ((next - at) & a->mask)) {
            a->places[at] = a->places[next];
            at = next;
        }
    a->places[at].since = 0;
}

bool asked_answers(const struct asked *a)
{
    return a->kind != KIND_DRAM;
}

uint64_t asked_unanswerable(const struct asked *a)
{
    return a->unanswerable;
}

/* A lane sends one message in a cycle: no two are as old. */
void asked_report(const struct asked *a, FILE *out)
{
    uint64_t told = 0; /* cycle + 1 of the last one */
    for (uint32_t line = 0; line < TOLD && line < a->count; line++) {
        const struct request *next = NULL;
        for (uint32_t i = 0; i <= a->mask; i++)
            if (a->places[i].since > told && (next == NULL || a->places[i].since < next->since))
                next = &a->places[i];
        told = next->since;
        fprintf(out, "    since cycle %llu: %s at 0x%llx\n", (unsigned long long)(told - 1), next->what,
                (unsigned long long)next->addr);
    }
    if (a->count > TOLD)
        fprintf(out, "    and %u more\n", a->count - TOLD);
}
