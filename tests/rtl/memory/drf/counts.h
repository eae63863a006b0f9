// SPDX-License-Identifier: Apache-2.0
// Several GPUs: counters of far accesses of each GPU, read every few thousand cycles, against what the bench has seen on its links.  At each end of a
// read all that had left before it is told, and nothing that did not; counters that had to leave in between count as told.
// Not responsible for: the commands (host/maintenance/counts.c, which the bench uses), the way of messages (host.h).
#ifndef TESTS_DRF_COUNTS_H
#define TESTS_DRF_COUNTS_H
#include <map>

#include "host.h"
extern "C" {
#include "maintenance/counts.h"
}

struct Counted {
    struct Sum {
        uint64_t kind[2] = {}; // reads, writes
    };
    std::map<uint64_t, Sum> sent, told, due; // by page, since the run began; due: sent when the read was asked for
    uint64_t requests = 0, asked_at = 0;     // sent; of these, when the newest read was asked for
    uint64_t next = 0;
    bool open = false;
};
static Counted counted_of[MaxGpus];
static uint64_t count_reads, counts_told;

static void count_comes(void *, struct cp *cp, const struct far_count *c)
{
    Counted &k = counted_of[cp->gpu];
    Counted::Sum &told = k.told[c->frame], &sent = k.sent[c->frame];
    told.kind[0] += c->reads, told.kind[1] += c->writes, counts_told++;
    for (unsigned w = 0; w < 2; w++)
        if (told.kind[w] > sent.kind[w])
            fail("counter", "GPU %u tells of %llu %s of page %llx, %llu have left", cp->gpu, (unsigned long long)told.kind[w], w ? "writes" : "reads",
                 (unsigned long long)c->frame, (unsigned long long)sent.kind[w]);
    if (c->reads == FAR_COUNT_MOST || c->writes == FAR_COUNT_MOST)
        fail("counter", "GPU %u: more of page %llx than the bench allows for", cp->gpu, (unsigned long long)c->frame);
}
static void counts_end(void *, struct cp *cp, uint32_t, uint32_t below, uint32_t lost)
{
    Counted &k = counted_of[cp->gpu];
    if (below || lost)
        fail("counter", "GPU %u: %u below 1, %u lost", cp->gpu, below, lost);
    for (auto &d : k.due)
        for (unsigned w = 0; w < 2; w++)
            if (k.told[d.first].kind[w] < d.second.kind[w])
                fail("counter", "GPU %u has told of %llu %s of page %llx, %llu had left before it was asked", cp->gpu, (unsigned long long)k.told[d.first].kind[w],
                     w ? "writes" : "reads", (unsigned long long)d.first, (unsigned long long)d.second.kind[w]);
    k.open = false, k.next = cycle + 1000 + 500 * cp->gpu, count_reads++;
}

// A request is on the link to another GPU.
static void far_leaves(unsigned g, const msg_mem_req &q)
{
    if (q.op == MEM_MOVE)
        return;
    Counted &k = counted_of[g];
    k.sent[q.addr & ~0xfffull].kind[q.op == MEM_WRITE || q.op == MEM_ATOMIC]++, k.requests++;
}

static void begin_counts()
{
    on_far = far_leaves;
    for (unsigned g = 0; g < params.gpus; g++) {
        cp_counts_listen(cps[g], count_comes, nullptr);
        if (cp_counts_set(cps[g], true))
            fail("counter", "GPU %u has none", g);
    }
}
static void step_counts()
{
    for (unsigned g = 0; g < params.gpus; g++) {
        Counted &k = counted_of[g];
        if (k.open || cycle < k.next)
            continue;
        k.due = k.sent, k.asked_at = k.requests, k.open = true;
        if (cp_counts_read(cps[g], 1, counts_end, nullptr))
            fail("counter", "GPU %u refuses to be read", g);
    }
}
// Everything that has left has been told.
static bool counts_rest()
{
    bool rest = true;
    for (unsigned g = 0; g < params.gpus; g++)
        rest &= !counted_of[g].open && counted_of[g].asked_at == counted_of[g].requests;
    return rest;
}
#endif
