/* SPDX-License-Identifier: Apache-2.0
 * PM4 packets: what a vendor-specific AQL slot of gfx8 holds, with the indirect buffers that it calls.  ROCr sends NOP,
 * INDIRECT_BUFFER, ACQUIRE_MEM and RELEASE_MEM; EVENT_WRITE and WRITE_DATA are what else a compute queue uses without
 * registers.  They are executed one after another; any other, or one that is damaged, stops the queue as hardware's
 * firmware does, with CP_ERROR_VENDOR, when earlier packets have ended.
 * Bound: two levels of indirect buffers (as hardware), 2^20 words each, PM4_CALLS of them for a slot; 16 words of one
 * are read at a time.
 * Source of opcodes and fields: the Linux driver's vid.h and ROCr's description of packets.
 */
#include <string.h>

#include "base/log.h"
#include "firmware/cp_private.h"

enum pm4_op {
    PM4_NOP = 0x10,
    PM4_WRITE_DATA = 0x37,
    PM4_INDIRECT_BUFFER = 0x3f,
    PM4_EVENT_WRITE = 0x46,
    PM4_RELEASE_MEM = 0x49,
    PM4_ACQUIRE_MEM = 0x58,
};

/* CP_COHER_CNTL */
#define COHER_TC_WB (1u << 18)
#define COHER_TCL1 (1u << 22)
#define COHER_TC (1u << 23)
#define COHER_KCACHE (1u << 27)
#define COHER_ICACHE (1u << 29)
/* second word of RELEASE_MEM */
#define RELEASE_TC_WB (1u << 15)
#define RELEASE_TCL1 (1u << 16)
#define RELEASE_TC (1u << 17)
#define EVENT_CS_PARTIAL_FLUSH 7u
#define EVENT_INDEX_AQL 7u
#define IB_CHAIN (1u << 20)
#define IB_WORDS 0xfffffu
#define WRITE_ONE_ADDRESS (1u << 16)
enum { DATA_NONE, DATA_LOW, DATA_LONG, DATA_CLOCK };
enum { DST_MEMORY_SYNC = 1, DST_MEMORY = 5 };

/* What becomes of a packet. */
enum outcome { PM4_DONE, PM4_WAITS, PM4_BAD };

static struct pm4_level *level_of(struct pm4 *p)
{
    return &p->level[p->depth];
}

static const uint8_t *word_at(const struct pm4 *p, unsigned i)
{
    return p->window + 4 * (p->offset + i);
}

static uint32_t word(const struct pm4 *p, unsigned i)
{
    return get32(word_at(p, i));
}

static uint64_t address(const struct pm4 *p, unsigned i)
{
    return (word(p, i) & ~3u) | (uint64_t)(word(p, i + 1) & 0xffff) << 32;
}

/* Packets of its queue before it that have not ended. */
static bool earlier_run(const struct cp *cp, const struct job *job)
{
    for (unsigned i = 0; i < CP_JOBS; i++) {
        const struct job *other = &cp->jobs[i];
        if (other->state != JOB_FREE && other->state < JOB_TELL && other->queue == job->queue &&
            other->index < job->index)
            return true;
    }
    return false;
}

static void memory_answered(struct cp *cp, struct transfer *t)
{
    struct job *job = t->job;
    if (job->state == JOB_LEFT)
        job_settle(job);
    else if (job->pm4.wait == PM4_MEMORY)
        pm4_step(cp, job);
}

/* The words from the next packet on, as many as fit; those of the slot are there.  False: they are to come. */
static bool window_read(struct cp *cp, struct job *job)
{
    struct pm4 *p = &job->pm4;
    const struct pm4_level *l = level_of(p);
    const uint32_t left = l->words - l->at;
    p->filled = left < PM4_WINDOW ? left : PM4_WINDOW;
    p->offset = 0;
    transfer_begin(&p->transfer, job->queue, job, memory_answered);
    if (p->depth == 0) {
        memcpy(p->window, job->packet + UINT64_C(4) * l->at, UINT64_C(4) * p->filled);
        return true;
    }
    p->wait = PM4_MEMORY;
    access_read(cp, &p->transfer, l->va + UINT64_C(4) * l->at, p->window, 4 * p->filled, true);
    return p->transfer.open == 0;
}

static enum outcome caches(struct cp *cp, struct job *job, uint32_t flags)
{
    if (!flags)
        return PM4_DONE;
    job->pm4.wait = PM4_CACHES;
    fence_start(cp, job, flags);
    return PM4_WAITS;
}

/* An L2 is not invalidated without being written back; lines of it that the L1V kept would be older than what is read
 * next, so it goes, too. */
static uint32_t cache_flags(bool icache, bool kcache, bool l1, bool l2, bool back)
{
    return (icache ? CACHE_INV_L1I : 0) | (kcache ? CACHE_INV_L1K : 0) | (l1 || l2 ? CACHE_INV_L1V : 0) |
           (l2 ? CACHE_INV_L2 : 0) | (l2 || back ? CACHE_WB_L2 : 0);
}

static enum outcome indirect(struct job *job)
{
    struct pm4 *p = &job->pm4;
    const struct pm4_level next = {.va = address(p, 1), .words = word(p, 3) & IB_WORDS};
    const bool chain = word(p, 3) & IB_CHAIN;
    if ((chain && p->depth == 0) || p->calls == PM4_CALLS)
        return PM4_BAD;
    p->calls++;
    if (!chain && p->depth == PM4_LEVELS - 1)
        return PM4_BAD;
    level_of(p)->at += 4; /* where it goes on behind the buffer */
    p->depth += !chain;
    *level_of(p) = next;
    p->filled = 0;
    return PM4_DONE;
}

static enum outcome memory_write(struct cp *cp, struct job *job, uint64_t va, const void *from, unsigned bytes)
{
    struct pm4 *p = &job->pm4;
    p->wait = PM4_MEMORY;
    transfer_begin(&p->transfer, job->queue, job, memory_answered);
    access_write(cp, &p->transfer, va, from, bytes);
    return p->transfer.open ? PM4_WAITS : p->transfer.fault ? PM4_BAD : PM4_DONE;
}

/* Behind all earlier packets: the caches, then a word of memory. */
static enum outcome release(struct cp *cp, struct job *job)
{
    struct pm4 *p = &job->pm4;
    const uint32_t event = word(p, 1), data = word(p, 2) >> 29;
    const uint64_t now = sim_now(cp->sim);
    if ((event >> 8 & 15) == EVENT_INDEX_AQL) {
        p->over = p->depth == 0; /* the slot goes back */
        return p->over ? PM4_DONE : PM4_BAD;
    }
    if (data > DATA_CLOCK || word(p, 2) >> 24 & 7) /* interrupts are the business of signals */
        return PM4_BAD;
    if (!p->released) {
        p->released = true;
        enum outcome o =
            caches(cp, job, cache_flags(false, false, event & RELEASE_TCL1, event & RELEASE_TC, event & RELEASE_TC_WB));
        if (o != PM4_DONE)
            return o;
    }
    if (data == DATA_NONE || p->written)
        return PM4_DONE;
    p->written = true;
    return memory_write(cp, job, address(p, 3), data == DATA_CLOCK ? (const void *)&now : word_at(p, 5),
                        data == DATA_LOW ? 4 : 8);
}

static enum outcome data_write(struct cp *cp, struct job *job, uint32_t words)
{
    struct pm4 *p = &job->pm4;
    const uint32_t to = word(p, 1) >> 8 & 15;
    if ((to != DST_MEMORY && to != DST_MEMORY_SYNC) || word(p, 1) & WRITE_ONE_ADDRESS)
        return PM4_BAD;
    if (p->written)
        return PM4_DONE;
    p->written = true;
    return memory_write(cp, job, address(p, 2), word_at(p, 4), 4 * (words - 4));
}

static bool waits_for_earlier(uint32_t op)
{
    return op == PM4_EVENT_WRITE || op == PM4_RELEASE_MEM;
}

static enum outcome execute(struct cp *cp, struct job *job, uint32_t op, uint32_t words)
{
    struct pm4 *p = &job->pm4;
    const uint32_t c = words > 1 ? word(p, 1) : 0;
    if (waits_for_earlier(op) && earlier_run(cp, job)) {
        p->wait = PM4_EARLIER;
        return PM4_WAITS;
    }
    if (op == PM4_ACQUIRE_MEM && words == 7) {
        if (p->released)
            return PM4_DONE;
        p->released = true;
        return caches(cp, job,
                      cache_flags(c & COHER_ICACHE, c & COHER_KCACHE, c & COHER_TCL1, c & COHER_TC, c & COHER_TC_WB));
    }
    if (op == PM4_RELEASE_MEM && words == 7)
        return release(cp, job);
    if (op == PM4_EVENT_WRITE && words >= 2)
        return (c & 63) == EVENT_CS_PARTIAL_FLUSH ? PM4_DONE : PM4_BAD;
    if (op == PM4_WRITE_DATA && words > 4)
        return data_write(cp, job, words);
    return PM4_BAD;
}

/* Earlier packets complete first. */
static void stop(struct cp *cp, struct job *job, uint32_t header)
{
    struct pm4 *p = &job->pm4;
    if (earlier_run(cp, job)) {
        p->wait = PM4_EARLIER;
        return;
    }
    log_error("cp", "gpu%u queue %u: packet %llu: PM4 word %u of level %u (0x%08x): %s", cp->gpu,
              job->queue->args.number, (unsigned long long)job->index, level_of(p)->at, p->depth, header,
              p->transfer.fault ? "its memory is not mapped" : "no packet that is served, or damaged");
    queue_fail(cp, job->queue, CP_ERROR_VENDOR, NULL);
    job_abandon(cp, job);
}

/* Words of the packet that begins with this header; 0: it is none. */
static uint32_t packet_words(uint32_t header)
{
    const uint32_t count = header >> 16 & 0x3fff;
    if (header >> 30 == 2)
        return 1; /* filler */
    if (header >> 30 != 3)
        return 0;
    return (header >> 8 & 0xff) == PM4_NOP && count == 0x3fff ? 1 : count + 2;
}

/* The next packet has been executed: where the one behind it is. */
static void packet_done(struct pm4 *p, uint32_t words)
{
    level_of(p)->at += words;
    p->offset += words;
    p->released = p->written = false;
    if (p->offset >= p->filled)
        p->filled = 0;
}

/* False: the job waits, or is over. */
static bool packet_step(struct cp *cp, struct job *job)
{
    struct pm4 *p = &job->pm4;
    const struct pm4_level *l = level_of(p);
    if (p->filled == 0 && !window_read(cp, job))
        return false;
    const uint32_t header = word(p, 0), words = packet_words(header), op = header >> 8 & 0xff;
    const bool plain = header >> 30 == 2 || op == PM4_NOP;
    enum outcome o = PM4_BAD;
    if (words == 0 || words > l->words - l->at || p->transfer.fault) {
        o = PM4_BAD;
    } else if (plain) {
        o = PM4_DONE;
    } else if (words > p->filled - p->offset && p->offset) {
        p->filled = 0; /* its end is not here */
        return true;
    } else if (words > p->filled - p->offset) {
        o = PM4_BAD; /* longer than a slot */
    } else if (op == PM4_INDIRECT_BUFFER && words == 4) {
        o = indirect(job);
        if (o == PM4_DONE)
            return true;
    } else {
        o = execute(cp, job, op, words);
    }
    if (o == PM4_BAD)
        stop(cp, job, header);
    else if (o == PM4_DONE)
        packet_done(p, words);
    return o == PM4_DONE;
}

void pm4_step(struct cp *cp, struct job *job)
{
    struct pm4 *p = &job->pm4;
    p->wait = PM4_NONE;
    while (!p->over) {
        const struct pm4_level *l = level_of(p);
        if (l->at < l->words) {
            if (!packet_step(cp, job))
                return;
        } else if (p->depth) {
            p->depth--;
            p->filled = 0;
        } else {
            p->over = true;
        }
    }
    p->ended(cp, job);
}

void pm4_begin(struct cp *cp, struct job *job, void (*ended)(struct cp *cp, struct job *job))
{
    job->pm4 =
        (struct pm4){.ended = ended, .level[0] = {.va = queue_slot(job->queue, job->index), .words = AQL_BYTES / 4}};
    job->state = JOB_PM4;
    pm4_step(cp, job);
}

void pm4_look(struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state == JOB_PM4 && cp->jobs[i].pm4.wait == PM4_EARLIER)
            pm4_step(cp, &cp->jobs[i]);
}
