/* SPDX-License-Identifier: Apache-2.0
 * Events of a process and waiting for them.  A wait is answered by gate.c when the clients rest.  Not responsible for:
 * what wavefronts write into the event page (event_slots.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kfd_ioctl.h>

#include "base/log.h"
#include "driver/doorbell.h"
#include "driver/driver.h"

#define WAIT_EVENTS_MAX 4096u
#define FOREVER_MS 0xfffffffeu
#define NS_PER_MS 1000000u

static struct event *event_of(struct client *c, uint32_t id)
{
    return id < EVENT_LIMIT && c->events[id].used ? &c->events[id] : NULL; /* the first is never used */
}

int event_create(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_create_event_args *a = arg;
    uint32_t id = EVENT_FIRST;
    while (id < EVENT_LIMIT && c->events[id].used)
        id++;
    if (id == EVENT_LIMIT)
        return ENOSPC;
    if (a->event_page_offset && !c->event_page) {
        struct object *page = memory_find(c, a->event_page_offset);
        if (!page || !page->hold || page->hold->backing->kind != BACKING_GTT)
            return EINVAL;
        c->event_page = page->handle.at;
        store_fill(&d->gtt, page->hold->backing->offset, page->bytes, SLOT_EMPTY_BYTE);
    }
    c->events[id] = (struct event){.used = true, .auto_reset = a->auto_reset != 0, .type = a->event_type};
    a->event_id = id;
    a->event_slot_index = id;
    a->event_trigger_data = id;
    if (!a->event_page_offset) /* 0 would leave signals without a mailbox */
        a->event_page_offset = doorbell_encode(PAGE_EVENTS, 0);
    return 0;
}

int event_destroy(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_destroy_event_args *a = arg;
    struct event *e = event_of(c, a->event_id);
    (void)d;
    if (!e)
        return EINVAL;
    e->used = false;
    return 0;
}

int event_set(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_set_event_args *a = arg;
    (void)d;
    if (!event_of(c, a->event_id))
        return EINVAL;
    event_raise(c, a->event_id);
    return 0;
}

int event_reset(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_reset_event_args *a = arg;
    struct event *e = event_of(c, a->event_id);
    (void)d;
    if (!e)
        return EINVAL;
    e->set = false;
    return 0;
}

void event_raise(struct client *c, uint32_t id)
{
    struct event *e = event_of(c, id);
    if (e)
        e->set = true;
}

void event_raise_fault(struct client *c, uint32_t gpu_id, uint64_t va, enum fault_kind kind)
{
    for (uint32_t id = EVENT_FIRST; id < EVENT_LIMIT; id++) {
        struct event *e = &c->events[id];
        if (!e->used || e->type != KFD_IOC_EVENT_MEMORY)
            continue;
        e->set = true;
        e->fault_va = va;
        e->fault_gpu_id = gpu_id;
        e->fault = kind;
    }
}

/* The array of a wait: at most WAIT_EVENTS_MAX entries, to be freed; NULL with nothing read. */
static struct kfd_event_data *wait_read(const struct conn *conn, struct kfd_ioctl_wait_events_args *a)
{
    memcpy(a, conn->request.data, sizeof *a);
    if (a->num_events == 0 || a->num_events > WAIT_EVENTS_MAX)
        return NULL;
    struct kfd_event_data *list = calloc(a->num_events, sizeof *list);
    if (list && client_read(conn->client, a->events_ptr, list, a->num_events * sizeof *list)) {
        free(list);
        return NULL;
    }
    return list;
}

int event_wait_begin(struct driver *d, struct conn *conn)
{
    struct kfd_ioctl_wait_events_args a;
    struct kfd_event_data *list = wait_read(conn, &a);
    if (!list)
        return EINVAL;
    int error = 0;
    for (uint32_t i = 0; i < a.num_events; i++)
        if (!event_of(conn->client, list[i].event_id))
            error = EINVAL;
    free(list);
    if (error)
        return error;
    conn->state = CONN_WAIT;
    uint64_t cycles = a.timeout ? (uint64_t)a.timeout * NS_PER_MS : WAIT_LEAST;
    conn->deadline = a.timeout >= FOREVER_MS ? NEVER : client_cycle(d) + cycles;
    return 0;
}

void event_wait_tell(const struct driver *d, const struct conn *conn, FILE *out)
{
    struct kfd_ioctl_wait_events_args a;
    struct kfd_event_data *list = wait_read(conn, &a);
    (void)d;
    const char *how = !list || a.num_events == 1 ? "event" : a.wait_for_all ? "all events" : "one event of";
    fprintf(out, "waits for %s", how);
    for (uint32_t i = 0; list && i < a.num_events; i++) {
        const struct event *e = event_of(conn->client, list[i].event_id);
        fprintf(out, "%s %u%s", i ? "," : "", list[i].event_id,
                e && e->type == KFD_IOC_EVENT_MEMORY ? " (memory fault)" : "");
    }
    fputc('\n', out);
    free(list);
}

static bool wait_satisfied(const struct conn *conn, const struct kfd_ioctl_wait_events_args *a,
                           const struct kfd_event_data *list)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < a->num_events; i++) {
        const struct event *e = event_of(conn->client, list[i].event_id);
        set += !e || e->set; /* a destroyed event ends the wait */
    }
    return a->wait_for_all ? set == a->num_events : set > 0;
}

bool event_wait_ready(const struct driver *d, const struct conn *conn)
{
    struct kfd_ioctl_wait_events_args a;
    if (conn->deadline <= client_cycle(d) || (conn->deadline != NEVER && !machine_started(d->machine)))
        return true;
    struct kfd_event_data *list = wait_read(conn, &a);
    bool ready = !list || wait_satisfied(conn, &a, list);
    free(list);
    return ready;
}

bool event_fault_unseen(const struct driver *d, const struct client *c)
{
    bool raised = false;
    for (uint32_t id = EVENT_FIRST; id < EVENT_LIMIT && !raised; id++)
        raised = c->events[id].used && c->events[id].type == KFD_IOC_EVENT_MEMORY && c->events[id].set;
    for (const struct conn *conn = d->conns; raised && conn; conn = conn->next) {
        if (conn->client != c || conn->state != CONN_WAIT)
            continue;
        struct kfd_ioctl_wait_events_args a;
        struct kfd_event_data *list = wait_read(conn, &a);
        for (uint32_t i = 0; list && i < a.num_events; i++) {
            const struct event *e = event_of(conn->client, list[i].event_id);
            raised &= !e || e->type != KFD_IOC_EVENT_MEMORY;
        }
        free(list);
    }
    return raised;
}

static void fault_describe(struct kfd_event_data *data, const struct event *e)
{
    data->memory_exception_data = (struct kfd_hsa_memory_exception_data){
        .va = e->fault_va,
        .gpu_id = e->fault_gpu_id,
        .failure = {.ReadOnly = e->fault == FAULT_READ_ONLY,
                    .NoExecute = e->fault == FAULT_NO_EXECUTE,
                    .NotPresent = e->fault != FAULT_READ_ONLY && e->fault != FAULT_NO_EXECUTE}};
}

void event_wait_finish(struct conn *conn, struct shim_answer *answer)
{
    struct kfd_ioctl_wait_events_args a;
    struct kfd_event_data *list = wait_read(conn, &a);
    if (!list) {
        *answer = (struct shim_answer){.result = -1, .error = EFAULT};
        return;
    }
    bool complete = wait_satisfied(conn, &a, list);
    for (uint32_t i = 0; complete && i < a.num_events; i++) {
        struct event *e = event_of(conn->client, list[i].event_id);
        if (!e || !e->set)
            continue;
        if (e->type == KFD_IOC_EVENT_MEMORY) {
            fault_describe(&list[i], e);
            client_write(conn->client, a.events_ptr + i * sizeof list[i], &list[i], sizeof list[i]);
        }
        if (e->auto_reset)
            e->set = false;
    }
    a.wait_result = complete ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
    memcpy(answer->data, &a, sizeof a);
    free(list);
}
