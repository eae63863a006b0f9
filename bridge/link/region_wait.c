/* SPDX-License-Identifier: Apache-2.0
 * Waiting; contract in region_wait.h.
 */
#include "bridge/link/region_wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/pause.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"

#define SPIN_NS 2000
#define YIELD_NS 1000000
#define FIRST_LOOK_NS 50000000 /* of waiting, before the others are looked at */

/* Who sleeps has said so before its last look at the floor (shm.c). */
static void wake_for_floor(const struct region *r, uint64_t floor)
{
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        const struct region_entry *e = region_entry(r, i);
        if (i != r->self && atomic_load(&e->asleep) && atomic_load(&e->need) <= floor + atomic_load(&e->reach))
            region_ring(r, i);
    }
}

static bool quiet_is_mine(const struct region *r)
{
    return r->head->host == REGION_NONE || r->head->host == r->self;
}

static void wake_for_quiet(const struct region *r)
{
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        if (i != r->self && (r->head->host == REGION_NONE || r->head->host == i))
            region_ring(r, i);
    }
}

/* All wait and no message is under way: raise the floor, or see that the run is quiet (true). */
static bool all_wait(const struct region *r)
{
    uint32_t n = r->head->process_count;
    uint64_t version[REGION_PROCESSES], next = UINT64_MAX, hold = UINT64_MAX, balance = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        version[i] = atomic_load(&region_entry(r, i)->version);
        if (!(version[i] & 1))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct region_entry *e = region_entry(r, i);
        uint64_t cycle = atomic_load_explicit(&e->next, memory_order_acquire);
        next = cycle < next ? cycle : next;
        balance += atomic_load_explicit(&e->sent, memory_order_acquire) -
                   atomic_load_explicit(&e->received, memory_order_acquire);
    }
    if (r->head->host != REGION_NONE) /* its owner may send then, whatever happens by itself */
        hold = atomic_load_explicit(&region_entry(r, r->head->host)->hold, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++) {
        if (atomic_load(&region_entry(r, i)->version) != version[i])
            return false;
        sum += version[i];
    }
    if (balance != 0)
        return false;
    if (next == UINT64_MAX) {
        if (atomic_exchange(&r->head->quiet, sum) != sum)
            wake_for_quiet(r);
        return true;
    }
    next = hold < next ? hold : next;
    uint64_t floor = atomic_load(&r->head->floor);
    while (floor < next) {
        if (atomic_compare_exchange_weak(&r->head->floor, &floor, next)) {
            wake_for_floor(r, next);
            break;
        }
    }
    return false;
}

/* Until the bell rings or it is time to look at the others.  Who rings looks at `asleep` after what it has to say is
 * written; here `asleep` is written before the last look. */
static void sleep_once(const struct region *r, const struct region_waiter *w)
{
    struct region_entry *e = region_entry(r, r->self);
    uint32_t bell = atomic_load(&e->bell);
    atomic_store(&e->need, w->need);
    atomic_store(&e->reach, w->reach);
    atomic_store(&e->asleep, 1);
    bool quiet = all_wait(r) && quiet_is_mine(r);
    if (!quiet && !w->look(w->ctx)) {
        atomic_store(&e->state, REGION_SLEEPS);
        atomic_fetch_sub(&r->head->awake, r->threads);
        struct timespec limit = {.tv_nsec = PEERS_LOOK_NS};
        syscall(SYS_futex, &e->bell, FUTEX_WAIT, bell, &limit);
        atomic_fetch_add(&r->head->awake, r->threads);
        atomic_store(&e->state, REGION_WAITS);
    }
    atomic_store(&e->asleep, 0);
}

static enum region_end wait_long(struct region *r, const struct region_waiter *w, uint64_t waited)
{
    const bool still = waited > PEERS_PATIENCE_NS;
    switch (peers_look(r, w->in, w->count, still)) {
    case PEERS_LOST:
        return REGION_LOST;
    case PEERS_LEFT:
        return REGION_ENDED;
    default:
        return still && w->unwanted && w->unwanted(w->ctx) ? REGION_UNWANTED : REGION_GO;
    }
}

static enum region_end wait_here(struct region *r, const struct region_waiter *w)
{
    uint64_t begin = 0, waited = 0, looked = 0;
    for (unsigned n = 0;; n++) {
        if (all_wait(r) && quiet_is_mine(r))
            return REGION_QUIET;
        if (w->look(w->ctx))
            return REGION_GO;
        bool crowded = atomic_load_explicit(&r->head->awake, memory_order_relaxed) > r->cores;
        if (!crowded && waited < SPIN_NS && n % 16 != 15) {
            pause_cpu();
            continue;
        }
        uint64_t now = peers_clock();
        begin = begin ? begin : now;
        waited = now - begin;
        if (waited > FIRST_LOOK_NS && now - looked > PEERS_LOOK_NS) {
            enum region_end end = wait_long(r, w, waited);
            looked = now;
            if (end != REGION_GO && !w->look(w->ctx)) /* what came before an end is still taken */
                return end;
        }
        if (crowded || waited >= YIELD_NS)
            sleep_once(r, w);
        else if (waited >= SPIN_NS)
            sched_yield();
    }
}

static void version_step(struct region_entry *e)
{
    atomic_fetch_add(&e->version, 1);
}

enum region_end region_wait(struct region *r, const struct region_waiter *w)
{
    struct region_entry *e = region_entry(r, r->self);
    if (atomic_load(&e->version) & 1) /* was quiet */
        version_step(e);
    atomic_store_explicit(&e->next, w->next, memory_order_release); /* who sees one of these sees the version before */
    atomic_store_explicit(&e->hold, w->hold, memory_order_release);
    atomic_store_explicit(&e->sent, w->sent, memory_order_release);
    atomic_store_explicit(&e->received, w->received, memory_order_release);
    atomic_store_explicit(&e->state, REGION_WAITS, memory_order_relaxed);
    version_step(e);
    enum region_end end = wait_here(r, w);
    if (end != REGION_QUIET || r->head->host != REGION_NONE)
        version_step(e);
    atomic_store_explicit(&e->state, end == REGION_GO ? REGION_RUNS : REGION_OUTSIDE, memory_order_relaxed);
    return end;
}

void region_set_active(struct region *r, uint64_t cycle)
{
    atomic_store_explicit(&region_entry(r, r->self)->active, cycle, memory_order_release);
}

uint64_t region_floor(const struct region *r)
{
    return atomic_load(&r->head->floor);
}

uint64_t region_active(const struct region *r)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        uint64_t cycle = atomic_load_explicit(&region_entry(r, i)->active, memory_order_acquire);
        most = cycle > most ? cycle : most;
    }
    return most;
}

void region_set_ahead(struct region *r, uint64_t cycles)
{
    atomic_store(&r->head->ahead, cycles);
}

void region_set_turn(struct region *r, uint64_t turn)
{
    struct region_entry *e = region_entry(r, r->self);
    if (turn > atomic_load_explicit(&e->turn, memory_order_relaxed))
        atomic_store(&e->turn, turn);
}

bool region_is_turn(const struct region *r, uint64_t turn)
{
    bool mine = true;
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        const struct region_entry *e = region_entry(r, i);
        if (i == r->self || atomic_load(&e->turn) > turn || atomic_load(&e->stage) == REGION_LEFT)
            continue;
        mine = false;
        if (atomic_load(&e->asleep))
            region_ring(r, i);
    }
    return mine;
}

void region_ask(struct region *r, uint32_t process)
{
    atomic_fetch_add(&region_entry(r, process)->asked, 1);
    region_ring(r, process);
}

bool region_is_asked(const struct region *r)
{
    return atomic_load(&region_entry(r, r->self)->asked) != r->answered;
}

bool region_asked(struct region *r)
{
    uint32_t asked = atomic_load(&region_entry(r, r->self)->asked);
    bool new = asked != r->answered;
    r->answered = asked;
    return new;
}
