/* SPDX-License-Identifier: Apache-2.0
 * Memory faults of GPUs reach the runtime though none of its threads waits for them.  ROCr lets only the first waiter
 * of a signal sleep in the driver; its thread that looks for faults, when it waits for a signal after the program's
 * own thread, polls values alone, for ever if the fault keeps them from changing.  But it also polls what the event
 * library noted of the fault, and the library notes it for whoever asks the driver: so a thread that polls asks.
 */
#include <stddef.h>

#include "shim.h"

/* Of libhsakmt's interface (hsakmttypes.h): the first members. */
struct kmt_event_descriptor {
    uint32_t type;
};
struct kmt_event;

#define KMT_EVENT_MEMORY 8u
#define KMT_NOT_SUPPORTED 11

static struct kmt_event *memory_event; /* the process's */
static int (*wait_real)(struct kmt_event **events, uint32_t count, bool all, uint32_t ms);

EXPORT int hsaKmtCreateEvent(struct kmt_event_descriptor *descriptor, bool manual_reset, bool set,
                             struct kmt_event **event);
EXPORT int hsaKmtDestroyEvent(struct kmt_event *event);

int hsaKmtCreateEvent(struct kmt_event_descriptor *descriptor, bool manual_reset, bool set, struct kmt_event **event)
{
    NEXT(int, "hsaKmtCreateEvent", struct kmt_event_descriptor *, bool, bool, struct kmt_event **);
    int status = next ? next(descriptor, manual_reset, set, event) : KMT_NOT_SUPPORTED;
    if (status == 0 && descriptor->type == KMT_EVENT_MEMORY) {
        *(void **)&wait_real = loading_next("hsaKmtWaitOnMultipleEvents", __builtin_return_address(0));
        __atomic_store_n(&memory_event, *event, __ATOMIC_RELEASE);
    }
    return status;
}

int hsaKmtDestroyEvent(struct kmt_event *event)
{
    NEXT(int, "hsaKmtDestroyEvent", struct kmt_event *);
    struct kmt_event *mine = event;
    __atomic_compare_exchange_n(&memory_event, &mine, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return next ? next(event) : KMT_NOT_SUPPORTED;
}

void fault_look(void)
{
    struct kmt_event *event = __atomic_load_n(&memory_event, __ATOMIC_ACQUIRE);
    if (event && wait_real)
        wait_real(&event, 1, true, 0);
}

void fault_after_fork(void)
{
    memory_event = NULL;
}
