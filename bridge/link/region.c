/* SPDX-License-Identifier: Apache-2.0
 * Shared memory of a run; contract in region.h.
 */
#include "bridge/link/region.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/link/region_layout.h"

static uint64_t lines(uint64_t bytes)
{
    return (bytes + RING_LINE - 1) / RING_LINE * RING_LINE;
}

static uint64_t links_at(const struct region_plan *plan)
{
    return lines(sizeof(struct region_head) + (uint64_t)plan->process_count * sizeof(struct region_entry));
}

static uint64_t bundles_at(const struct region_plan *plan)
{
    return lines(links_at(plan) + (uint64_t)plan->link_count * sizeof(struct region_place));
}

int region_by_name(const void *a, const void *b)
{
    const struct region_place *x = a, *y = b;
    return strcmp(x->link.name, y->link.name);
}

static void places_sort(struct region_head *head)
{
    struct region_place *places = region_places(head);
    qsort(places, head->link_count, sizeof *places, region_by_name);
    for (uint32_t i = 1; i < head->link_count; i++)
        CHECK(region_by_name(&places[i - 1], &places[i]) != 0, places[i].link.name, "two links of this name");
}

static void plan_check(const struct region_plan *plan)
{
    CHECK(plan->process_count <= REGION_PROCESSES, "link", "%u processes, at most %u", plan->process_count,
          REGION_PROCESSES);
    CHECK(plan->host == REGION_NONE || plan->host < plan->process_count, "link", "host is process %u", plan->host);
    for (uint32_t i = 0; i < plan->link_count; i++) {
        const struct region_link *l = &plan->links[i];
        CHECK(l->from < plan->process_count && l->to < plan->process_count && l->from != l->to && l->depth > 0, l->name,
              "link from process %u to %u, depth %u", l->from, l->to, l->depth);
    }
}

/* All links from one process to another. */
struct pair {
    uint32_t links, least, numbered; /* how many; smallest latency; that have a number */
    uint64_t at;                     /* of its bundle */
};

static struct pair *pair_of(struct pair *pairs, const struct region_plan *plan, const struct region_link *l)
{
    return &pairs[(size_t)l->from * plan->process_count + l->to];
}

/* One for each two processes; *end: behind their bundles, where the rings begin. */
static struct pair *pairs_new(const struct region_plan *plan, uint64_t *end)
{
    size_t count = (size_t)plan->process_count * plan->process_count;
    struct pair *pairs = xcalloc(count, sizeof *pairs);
    for (uint32_t i = 0; i < plan->link_count; i++) {
        struct pair *p = pair_of(pairs, plan, &plan->links[i]);
        uint32_t latency = plan->links[i].latency;
        p->least = p->links++ == 0 || latency < p->least ? latency : p->least;
    }
    *end = bundles_at(plan);
    for (size_t n = 0; n < count; n++) {
        pairs[n].at = *end;
        *end += pairs[n].links ? bundle_size(pairs[n].links) : 0;
    }
    return pairs;
}

static void fill(struct region_head *head, const struct region_plan *plan, struct pair *pairs, uint64_t at,
                 uint64_t bytes)
{
    head->version = HELLO_VERSION;
    head->process_count = plan->process_count;
    head->link_count = plan->link_count;
    head->host = plan->host;
    head->bytes = bytes;
    head->links_at = links_at(plan);
    atomic_init(&head->ahead, UINT64_MAX);
    for (uint32_t i = 0; i < plan->process_count; i++) {
        CHECK(strlen(plan->processes[i]) < REGION_NAME, plan->processes[i], "name of a process is too long");
        snprintf(head->entries[i].name, REGION_NAME, "%s", plan->processes[i]);
    }
    for (uint32_t i = 0; i < plan->link_count; i++) {
        struct region_place *p = &region_places(head)[i];
        struct pair *pair = pair_of(pairs, plan, &plan->links[i]);
        if (pair->numbered == 0)
            bundle_init((struct bundle_shared *)((uint8_t *)head + pair->at), pair->links, pair->least);
        *p = (struct region_place){plan->links[i], at, pair->at, pair->numbered++};
        ring_init((struct ring *)((uint8_t *)head + at), p->link.bytes, p->link.depth, RING_LINE);
        at += ring_size(p->link.bytes, p->link.depth, RING_LINE);
    }
    places_sort(head);
    head->magic = REGION_MAGIC;
}

/* So many bytes of 0, and where they are here; -1 after one line. */
static int memory_create(uint64_t bytes, struct region_head **head)
{
    int fd = memfd_create("gantry-links", MFD_CLOEXEC);
    *head = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        *head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*head != MAP_FAILED)
        return fd;
    diag("links", "shared memory of %llu bytes: %s", (unsigned long long)bytes, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int region_create(const struct region_plan *plan)
{
    plan_check(plan);
    uint64_t at;
    struct pair *pairs = pairs_new(plan, &at);
    uint64_t bytes = at;
    for (uint32_t i = 0; i < plan->link_count; i++)
        bytes += ring_size(plan->links[i].bytes, plan->links[i].depth, RING_LINE);
    struct region_head *head;
    int fd = memory_create(bytes, &head);
    if (fd >= 0) {
        fill(head, plan, pairs, at, bytes); /* the places are 0: no message */
        munmap(head, bytes);
    }
    free(pairs);
    return fd;
}

static unsigned cores_here(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

struct region *region_open(int fd, uint32_t self, const struct hello *hello, unsigned threads)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || (size_t)st.st_size < sizeof(struct region_head)) {
        diag("links", "not the shared memory of a run");
        return NULL;
    }
    struct region_head *head = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (head == MAP_FAILED) {
        diag("links", "shared memory of %llu bytes: %s", (unsigned long long)st.st_size, strerror(errno));
        return NULL;
    }
    const char *wrong = NULL;
    if (head->magic != REGION_MAGIC)
        wrong = "not the shared memory of a run";
    else if (head->version == hello->version && (head->bytes != (uint64_t)st.st_size || self >= head->process_count))
        wrong = "shared memory of another run";
    if (wrong)
        diag("links", "%s", wrong);
    else if (head->version != hello->version)
        diag("links", "other protocol: version %u here, %u there", hello->version, head->version);
    if (wrong || head->version != hello->version) {
        munmap(head, (size_t)st.st_size);
        return NULL;
    }
    struct region *r = xzalloc(sizeof *r);
    *r = (struct region){.head = head, .self = self, .threads = threads ? threads : 1, .cores = cores_here()};
    for (uint32_t i = 0; i < REGION_PROCESSES; i++)
        r->pidfds[i] = -1;
    struct region_entry *e = region_entry(r, self);
    CHECK(atomic_load(&e->stage) == REGION_ABSENT, e->name, "joins twice");
    e->hello = *hello;
    atomic_fetch_add(&head->awake, r->threads);
    atomic_store(&e->pid, (int32_t)getpid());
    atomic_store_explicit(&e->stage, REGION_GREETED, memory_order_release);
    return r;
}

void region_ring(const struct region *r, uint32_t process)
{
    struct region_entry *e = region_entry(r, process);
    atomic_fetch_add(&e->bell, 1);
    syscall(SYS_futex, &e->bell, FUTEX_WAKE, 1);
}

void region_close(struct region *r)
{
    if (r == NULL)
        return;
    struct region_entry *e = region_entry(r, r->self);
    uint32_t greeted = REGION_GREETED;
    atomic_compare_exchange_strong(&e->stage, &greeted, REGION_LEFT);
    atomic_fetch_sub(&r->head->awake, r->threads);
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        if (i != r->self)
            region_ring(r, i);
        if (r->mine[i])
            close(r->pidfds[i]);
        bundle_free(r->to[i]);
        bundle_free(r->from[i]);
    }
    munmap(r->head, r->head->bytes);
    free(r);
}

uint32_t region_self(const struct region *r)
{
    return r->self;
}

uint32_t region_host(const struct region *r)
{
    return r->head->host;
}

void region_messages(const struct region *r, uint64_t *sent, uint64_t *received)
{
    *sent = *received = 0;
    for (uint32_t i = 0; i < r->head->process_count; i++) {
        *sent += r->to[i] ? r->to[i]->messages : 0;
        *received += r->from[i] ? r->from[i]->messages : 0;
    }
}

const char *region_process(const struct region *r, uint32_t process)
{
    return region_entry(r, process)->name;
}
