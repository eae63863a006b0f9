/* SPDX-License-Identifier: Apache-2.0
 * Page tables under way: eight clients allocate, map, unmap, free and use again, with changed rights, while their
 * kernels run on the RTL, against a reference that knows each page (S3.12, B.8).  An access sees data of its own
 * client, or faults where and as the reference says; no page ever holds another client's word.  While a page is changed
 * under a running kernel, both its outcomes are right. limit: 5000
 */
#include "pages_bench.h"

#define SLOTS 6u            /* addresses of a client, the last one of 2 MiB */
#define END_CYCLES 5000000u /* no kernel takes so long */

struct slot {
    bool there, mapped, writable, filled; /* filled: exactly as we left it */
    uint64_t handle, bytes;
    uint32_t tag;
};

struct job {
    bool running, disturbed;
    unsigned slot;
    uint64_t page;
    enum access access;
    enum fault_kind want; /* MEM_OK: none */
    uint64_t since;
};

struct world {
    struct bench *b;
    struct slot slot[CLIENTS][SLOTS];
    struct job job[CLIENTS];
    uint32_t generation;
    uint64_t random;
    unsigned done, faults, changes, reused;
    uint64_t last_freed; /* physical place */
};

static uint32_t draw(struct world *w, uint32_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)(w->random >> 20) % below;
}

static uint64_t va_of(unsigned s)
{
    return s == SLOTS - 1 ? 0x40000000 : 0x20000000 + s * UINT64_C(0x10000);
}

static uint32_t *memory_of(struct world *w, unsigned c, unsigned s)
{
    struct object *o = memory_find(w->b->client[c], w->slot[c][s].handle);
    return (uint32_t *)(void *)pmem_vram(machine_memory(w->b->d->machine), 0, o->hold->backing->offset, o->bytes);
}

/* Every word of the object is its client's. */
static void words_check(struct world *w, unsigned c, unsigned s)
{
    const uint32_t *word = memory_of(w, c, s);
    for (uint64_t i = 0; i < w->slot[c][s].bytes / 4; i++)
        if (word[i] >> 24 != c + 1)
            fail_msg("client %u, object %u: word %llu is 0x%08x at cycle %llu", c, s, (unsigned long long)i, word[i],
                     (unsigned long long)client_cycle(w->b->d));
}

static bool access_stores(enum access access)
{
    return access == ACCESS_WRITE || access == ACCESS_SCALAR_WRITE;
}

/* A kernel that was to fault may find the page after all, and store. */
static void slot_change(struct world *w, unsigned c, unsigned s)
{
    struct job *job = &w->job[c];
    w->changes++;
    if (!job->running || job->slot != s)
        return;
    job->disturbed = true;
    if (access_stores(job->access))
        w->slot[c][s].filled = false;
}

static void slot_free(struct world *w, unsigned c, unsigned s)
{
    struct slot *slot = &w->slot[c][s];
    words_check(w, c, s);
    w->last_freed = memory_find(w->b->client[c], slot->handle)->hold->backing->offset;
    page_free(w->b, c, slot->handle);
    *slot = (struct slot){0};
    slot_change(w, c, s);
}

static void slot_alloc(struct world *w, unsigned c, unsigned s)
{
    struct slot *slot = &w->slot[c][s];
    *slot = (struct slot){.there = true, .filled = true, .writable = draw(w, 3) != 0};
    slot->bytes = s == SLOTS - 1 ? UINT64_C(0x200000) : PAGE * (1u + draw(w, 4));
    slot->tag = (c + 1) << 24 | (++w->generation & 0xffff) << 4;
    int error = page_alloc(w->b, c, va_of(s), slot->bytes,
                           KFD_IOC_ALLOC_MEM_FLAGS_VRAM | (slot->writable ? KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE : 0),
                           &slot->handle);
    if (error) { /* what was freed is not answered for yet */
        assert_true(error == EAGAIN || error == ENOMEM);
        *slot = (struct slot){0};
        return;
    }
    w->reused += memory_find(w->b->client[c], slot->handle)->hold->backing->offset == w->last_freed;
    uint32_t *word = memory_of(w, c, s);
    for (uint64_t i = 0; i < slot->bytes / 4; i++)
        word[i] = slot->tag;
    slot_change(w, c, s);
}

static void slot_map(struct world *w, unsigned c, unsigned s, bool on)
{
    page_map(w->b, c, w->slot[c][s].handle, on);
    w->slot[c][s].mapped = on;
    slot_change(w, c, s);
}

static void slot_do(struct world *w, unsigned c, unsigned s)
{
    struct slot *slot = &w->slot[c][s];
    if (!slot->there) {
        slot_alloc(w, c, s);
        if (slot->there && draw(w, 8))
            slot_map(w, c, s, true);
    } else if (!slot->mapped) {
        if (draw(w, 4))
            slot_map(w, c, s, true);
        else
            slot_free(w, c, s);
    } else if (draw(w, 3)) { /* most of the time there is something to use */
        return;
    } else if (draw(w, 3) == 0) {
        slot_map(w, c, s, false);
    } else { /* still mapped: the driver unmaps; often somebody gets the pages at once */
        slot_free(w, c, s);
        unsigned heir = draw(w, CLIENTS);
        if (draw(w, 4) && !w->slot[heir][s].there) {
            slot_alloc(w, heir, s);
            if (w->slot[heir][s].there)
                slot_map(w, heir, s, true);
        }
    }
}

static void job_start(struct world *w, unsigned c)
{
    struct job *job = &w->job[c];
    unsigned s = draw(w, SLOTS);
    for (unsigned n = 0; n < 4 && !w->slot[c][s].mapped; n++) /* mostly what is there */
        s = draw(w, SLOTS);
    struct slot *slot = &w->slot[c][s];
    *job = (struct job){
        .running = true, .slot = s, .access = (enum access)draw(w, ACCESS_COUNT), .since = client_cycle(w->b->d)};
    bool store = access_stores(job->access);
    job->page = slot->bytes ? draw(w, (uint32_t)(slot->bytes / PAGE)) * PAGE : 0;
    job->want = !slot->mapped              ? FAULT_NOT_PRESENT
                : store && !slot->writable ? FAULT_READ_ONLY
                                           : (enum fault_kind)MEM_OK;
    slot->filled &= !store || job->want != (enum fault_kind)MEM_OK;
    launch(w->b, c, va_of(s) + job->page + 4 * draw(w, 16), job->access, draw(w, 3) ? 1 + draw(w, 8) : 20 + draw(w, 40),
           (c + 1) << 24);
}

static void job_fault(struct world *w, unsigned c)
{
    struct event *e = &w->b->client[c]->events[1];
    struct job *job = &w->job[c];
    uint64_t first = va_of(job->slot) + job->page;
    w->faults++;
    if (e->fault_va < first || e->fault_va >= first + PAGE ||
        (!job->disturbed && (enum fault_kind)e->fault != job->want))
        fail_msg("client %u, object %u, access %u: fault %u at 0x%llx, expected %u%s", c, job->slot, job->access,
                 e->fault, (unsigned long long)e->fault_va, job->want, job->disturbed ? " or any" : "");
    e->set = false;
    job->running = false;
    const struct cp_space *space = &w->b->client[c]->gpu[0].space;
    for (unsigned n = 0; space->killing || space->faulted; n++) {
        assert_true(n < 10000);
        advance(w->b, 100);
    }
    queue_renew(w->b, c, false);
}

static void job_done(struct world *w, unsigned c)
{
    struct job *job = &w->job[c];
    struct slot *slot = &w->slot[c][job->slot];
    w->done++;
    if (job->want != (enum fault_kind)MEM_OK && !job->disturbed)
        fail_msg("client %u, object %u, access %u: done, expected fault %u", c, job->slot, job->access, job->want);
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t foreign = (uint32_t)get(w->b, c, VA_QUEUE + AT_RESULT + 4 * l, 4);
        uint32_t last = (uint32_t)get(w->b, c, VA_QUEUE + AT_RESULT + 4 * (LANES + l), 4);
        bool read = job->access == ACCESS_READ || job->access == ACCESS_SCALAR_READ;
        if ((foreign && !(job->disturbed && foreign >> 24 == 0)) ||
            (read && !job->disturbed && slot->filled && last != slot->tag))
            fail_msg("client %u, object %u, access %u, lane %u: read 0x%08x, last 0x%08x, own 0x%08x", c, job->slot,
                     job->access, l, foreign, last, slot->tag);
    }
    job->running = false;
}

static void jobs_look(struct world *w)
{
    for (unsigned c = 0; c < CLIENTS; c++) {
        if (!w->job[c].running)
            continue;
        if (w->b->client[c]->events[1].set)
            job_fault(w, c);
        else if (get(w->b, c, VA_QUEUE + AT_SIGNAL + 8, 8) == 0)
            job_done(w, c);
        else if (client_cycle(w->b->d) - w->job[c].since > END_CYCLES)
            fail_msg("client %u, object %u, access %u, expected fault %u%s: begun at cycle %llu, not ended at %llu", c,
                     w->job[c].slot, w->job[c].access, w->job[c].want, w->job[c].disturbed ? " or any" : "",
                     (unsigned long long)w->job[c].since, (unsigned long long)client_cycle(w->b->d));
    }
}

static void pages_agree(struct bench *b, uint64_t seed, unsigned rounds)
{
    struct world w = {.b = b, .random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1};
    for (unsigned n = 0; n < rounds; n++) {
        unsigned c = draw(&w, CLIENTS);
        if (!w.job[c].running && draw(&w, 4))
            job_start(&w, c);
        else if (!w.job[c].running || draw(&w, 2))
            slot_do(&w, c, draw(&w, SLOTS));
        else if (draw(&w, 3) == 0)
            slot_do(&w, c, w.job[c].slot);
        advance(b, 1 + draw(&w, draw(&w, 4) ? 300 : 3000));
        jobs_look(&w);
    }
    for (unsigned n = 0, left = 1; left; n++) {
        left = 0;
        advance(b, 1000);
        jobs_look(&w);
        for (unsigned c = 0; c < CLIENTS; c++)
            left += w.job[c].running;
    }
    for (unsigned c = 0; c < CLIENTS; c++)
        for (unsigned s = 0; s < SLOTS; s++)
            if (w.slot[c][s].there)
                slot_free(&w, c, s);
    print_message(
        "seed %llu: %u rounds, %llu cycles: %u kernels done, %u faults, %u changes, %u places used again at once\n",
        (unsigned long long)seed, rounds, (unsigned long long)client_cycle(b->d), w.done, w.faults, w.changes,
        w.reused);
    assert_true(w.done > rounds / 40 && w.faults > rounds / 50 && w.changes > rounds / 5 && w.reused > rounds / 400);
}

/* shows S3.12, B.8: what eight clients do to their pages while kernels run */
static void pages_agree_with_a_reference(void **state)
{
    const char *nightly = getenv("GANTRY_NIGHTLY"), *seed = getenv("GANTRY_PAGES_SEED");
    bool all = nightly && strcmp(nightly, "1") == 0;
    pages_agree(*state, seed ? strtoull(seed, NULL, 0) : 1, all ? 1000000 : 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_agree_with_a_reference, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
