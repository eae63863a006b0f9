/* SPDX-License-Identifier: Apache-2.0
 * Partition `hostmem`: host physical memory behind the far links; contract in memory_parts.h.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"
#include "bridge/run/sched_links.h"
#include "gantry_msg.h"
#include "saved/state_io.h"
#include "target/hash_state.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

#define ANSWERS_MOST 1048576u /* in a saved state: against nonsense only */

struct answers { /* to one asker that wait for a credit */
    struct msg_mem_rsp *list;
    size_t head, count, room;
    uint32_t credits;
};
struct hostmem {
    struct hostmem_server server;
    unsigned askers;
    struct answers *answers;
    XXH64_state_t *hash;
    uint64_t reads, writes, atomics;
};

void hostmem_serve(struct pmem *memory, const struct msg_mem_req *req, struct msg_mem_rsp *rsp)
{
    int error = -1;
    *rsp = (struct msg_mem_rsp){.op = req->op, .source = req->source, .gpu = req->gpu, .tag = req->tag};
    switch (req->addr >> (PMEM_OWNER_SHIFT + 8) ? UINT8_MAX : req->op) { /* beyond the owner: nobody's */
    case MEM_READ:
    case MEM_READ_NC:
        error = pmem_read(memory, req->addr & ~UINT64_C(63), rsp->data, 64);
        break;
    case MEM_WRITE:
        error = pmem_write_masked(memory, req->addr & ~UINT64_C(63), req->data, req->mask);
        break;
    case MEM_ATOMIC:
        error = req->mask
                    ? pmem_atomic_line(memory, req->addr, req->atomic, req->size, req->mask, req->data, rsp->data)
                    : pmem_atomic(memory, req->addr, req->atomic, req->size, req->data[0], req->data[1], &rsp->data[0]);
        break;
    default:
        break;
    }
    rsp->status = error ? MEM_FAULT_BUS : MEM_OK;
}

static void memory_serve(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req,
                         struct msg_mem_rsp *rsp)
{
    (void)gpu, (void)cycle;
    hostmem_serve(ctx, req, rsp);
}

static void answers_push(struct answers *a, const struct msg_mem_rsp *rsp)
{
    if (a->head && a->head + a->count == a->room) { /* the places in front are used again */
        memmove(a->list, a->list + a->head, a->count * sizeof *a->list);
        a->head = 0;
    }
    a->list = xgrow(a->list, &a->room, a->head + a->count + 1, sizeof *a->list);
    a->list[a->head + a->count++] = *rsp;
}

static void answers_send(struct part *part, struct hostmem *h, unsigned gpu, uint64_t cycle)
{
    struct answers *a = &h->answers[gpu];
    while (a->count && a->credits) {
        sched_send(part, gpu, cycle, &a->list[a->head]);
        a->head++;
        a->count--;
        a->credits--;
    }
}

static void hostmem_hash_write(struct hostmem *h, const struct msg_mem_req *req)
{
    uint64_t head[4] = {req->addr, req->op == MEM_WRITE ? req->mask : req->size, req->op, req->atomic};
    XXH64_update(h->hash, head, sizeof head);
    if (req->op == MEM_ATOMIC && req->mask)
        XXH64_update(h->hash, &req->mask, sizeof req->mask);
    if (req->op == MEM_ATOMIC && !req->mask) {
        XXH64_update(h->hash, req->data, 16);
        return;
    }
    uint8_t line[64];
    memcpy(line, req->data, 64);
    for (uint64_t bits = ~req->mask; bits; bits &= bits - 1)
        line[__builtin_ctzll(bits)] = 0;
    XXH64_update(h->hash, line, 64);
}

static void hostmem_take(struct part *part, struct hostmem *h, uint64_t cycle, uint32_t slot, const void *data)
{
    if (slot >= h->askers) { /* a credit of far_rsp came back */
        h->answers[slot - h->askers].credits++;
        answers_send(part, h, slot - h->askers, cycle);
        return;
    }
    const struct msg_mem_req *req = data;
    struct msg_mem_rsp rsp;
    h->server.serve(h->server.ctx, slot, cycle, req, &rsp);
    if (rsp.status == MEM_OK && (req->op == MEM_WRITE || req->op == MEM_ATOMIC))
        hostmem_hash_write(h, req);
    h->reads += req->op == MEM_READ || req->op == MEM_READ_NC;
    h->writes += req->op == MEM_WRITE;
    h->atomics += req->op == MEM_ATOMIC;
    answers_push(&h->answers[slot], &rsp);
    answers_send(part, h, slot, cycle);
    sched_send(part, h->askers + slot, cycle,
               NULL); /* the request's place is free again: behind the answer on the link */
}

static void hostmem_visit(struct part *part, uint64_t from)
{
    if (!sched_in_turn(part, from))
        return;
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            hostmem_take(part, part->own, from + c, part->due[c][i].slot, part->due[c][i].data);
    }
}

static void hostmem_counters(struct part *part, part_counter_fn fn, void *arg)
{
    struct hostmem *h = part->own;
    fn(arg, part->name, "reads", h->reads, "count");
    fn(arg, part->name, "writes", h->writes, "count");
    fn(arg, part->name, "atomics", h->atomics, "count");
}

static void hostmem_report(struct part *part, FILE *out)
{
    struct hostmem *h = part->own;
    for (unsigned g = 0; g < h->askers; g++) {
        if (h->answers[g].count)
            fprintf(out, "  %s waits for %s: %zu answers held, no credit\n", part->name,
                    channel_to(&part->out[g]->channel), h->answers[g].count);
    }
}

static void hostmem_free(struct part *part)
{
    struct hostmem *h = part->own;
    for (unsigned g = 0; g < h->askers; g++)
        free(h->answers[g].list);
    free(h->answers);
    XXH64_freeState(h->hash);
    free(h);
}

static void hostmem_save(struct part *part, struct state_writer *to)
{
    const struct hostmem *h = part->own;
    STATE_PUT(to, h->reads);
    STATE_PUT(to, h->writes);
    STATE_PUT(to, h->atomics);
    hash_state_save(h->hash, to);
    for (unsigned g = 0; g < h->askers; g++) {
        const struct answers *a = &h->answers[g];
        STATE_PUT(to, a->credits);
        state_put_u64(to, a->count);
        if (a->count) /* else there may be no list */
            state_put(to, a->list + a->head, a->count * sizeof *a->list);
    }
}

static bool answers_restore(struct answers *a, struct state_reader *from)
{
    uint64_t count;
    if (!STATE_GET(from, a->credits) || !state_get_count(from, "answers that wait", ANSWERS_MOST, &count))
        return false;
    a->head = 0;
    a->count = count;
    a->list = xgrow(a->list, &a->room, count, sizeof *a->list);
    return state_get(from, a->list, count * sizeof *a->list);
}

static bool hostmem_restore(struct part *part, struct state_reader *from)
{
    struct hostmem *h = part->own;
    bool ok = STATE_GET(from, h->reads) && STATE_GET(from, h->writes) && STATE_GET(from, h->atomics) &&
              hash_state_restore(h->hash, from);
    for (unsigned g = 0; ok && g < h->askers; g++)
        ok = answers_restore(&h->answers[g], from);
    return ok;
}

static const struct part_ops hostmem_ops = {.visit = hostmem_visit,
                                            .counters = hostmem_counters,
                                            .report = hostmem_report,
                                            .free = hostmem_free,
                                            .save = hostmem_save,
                                            .restore = hostmem_restore};

struct part *hostmem_new(struct pmem *memory, unsigned askers, uint32_t depth)
{
    struct hostmem *h = xcalloc(1, sizeof *h);
    h->server = (struct hostmem_server){memory_serve, memory};
    h->askers = askers;
    h->answers = xcalloc(askers, sizeof *h->answers);
    h->hash = XXH64_createState();
    PART_CHECK(h->hash, NULL, 0, "out of memory");
    XXH64_reset(h->hash, 0);
    for (unsigned g = 0; g < askers; g++)
        h->answers[g].credits = depth;
    return part_new(&hostmem_ops, "host.memory", HOSTMEM_PORTS(askers), HOSTMEM_PORTS(askers), h);
}

uint64_t hostmem_hash(const struct part *hostmem)
{
    return XXH64_digest(((struct hostmem *)hostmem->own)->hash);
}

struct hostmem_server hostmem_serve_by(struct part *hostmem, struct hostmem_server server)
{
    struct hostmem *h = hostmem->own;
    struct hostmem_server before = h->server;
    h->server = server;
    return before;
}
