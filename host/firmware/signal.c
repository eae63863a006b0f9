/* SPDX-License-Identifier: Apache-2.0
 * HSA signals in client memory: dependency tests, completion (timestamps, value, mailbox, event).  Not responsible
 * for: fences before it (cp.c), the event itself (host/driver).
 */
#include "firmware/cp_private.h"
#include "vm/pmem.h"

uint64_t guest_read(struct cp_space *space, uint64_t va, unsigned bytes)
{
    uint64_t value = 0;
    return pagetable_read(space->pt, va, &value, bytes) < 0 ? 0 : value;
}

void guest_write(struct cp_space *space, uint64_t va, uint64_t value, unsigned bytes)
{
    pagetable_write(space->pt, va, &value, bytes);
}

static void signal_notify(struct cp *cp, struct cp_space *space, uint64_t signal)
{
    uint64_t mailbox = guest_read(space, signal + SIGNAL_MAILBOX, 8);
    if (mailbox) {
        uint32_t event = (uint32_t)guest_read(space, signal + SIGNAL_EVENT, 4);
        guest_write(space, mailbox, event, 8);
        cp->host.event(cp->host.ctx, space->owner, event);
    }
    cp->host.visible(cp->host.ctx);
}

bool signal_there(struct cp_space *space, uint64_t signal)
{
    return signal && pagetable_lookup(space->pt, signal + SIGNAL_VALUE);
}

void signal_complete(struct cp *cp, struct cp_space *space, uint64_t signal, uint64_t begin, uint64_t end)
{
    guest_write(space, signal + SIGNAL_START, begin, 8);
    guest_write(space, signal + SIGNAL_END, end, 8);
    pagetable_atomic(space->pt, signal + SIGNAL_VALUE, ATOMIC_SUB, 8, 1);
    signal_notify(cp, space, signal);
}

void signal_store(struct cp *cp, struct cp_space *space, uint64_t signal, uint64_t value)
{
    guest_write(space, signal + SIGNAL_VALUE, value, 8);
    signal_notify(cp, space, signal);
}

bool signal_satisfied(struct cp_space *space, const uint8_t *packet, bool any)
{
    bool all = true, one = false, some = false;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t signal = get64(packet + AQL_DEPS + 8 * i);
        if (!signal)
            continue;
        some = true;
        if (guest_read(space, signal + SIGNAL_VALUE, 8))
            all = false;
        else
            one = true;
    }
    return !some || (any ? one : all);
}
