/* SPDX-License-Identifier: Apache-2.0
 * A client's process: the file behind its /dev/kfd, its end, and the client that goes with its last wavefront.  Not
 * responsible for: noticing the end (server.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "gantry_cfg.h"
#include "memory/lazy_entries.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

/* The file behind /dev/kfd: windows as configured, one doorbell page and one MMIO page in each. */
static int pages_open(struct driver *d, struct client *c)
{
    uint64_t end = 0;
    for (unsigned g = 0; g < machine_gpus(d->machine); g++) {
        uint64_t top = queue_window(d, g) + (uint64_t)d->cfg->system_doorbell_kib * 1024;
        end = top > end ? top : end;
    }
    c->page_fd = pmem_sealed_file("gantry-pages", end);
    if (c->page_fd < 0)
        return errno;
    void *p = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED, c->page_fd, 0);
    if (p == MAP_FAILED) {
        int error = errno;
        close(c->page_fd);
        c->page_fd = NO_FILE; /* it may try again */
        return error;
    }
    c->pages = p;
    c->pages_bytes = end;
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        memset(c->pages + queue_window(d, g), 0xff, DOORBELL_PAGE); /* DOORBELL_IDLE */
    return 0;
}

/* Behind those that have a number: the list is in their order. */
static void client_number(struct driver *d, struct client *c)
{
    struct client **link = &d->clients;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    for (link = &d->clients; *link && (*link)->index != NO_INDEX;)
        link = &(*link)->next;
    c->next = *link;
    *link = c;
    c->index = d->client_count++;
    log_info("driver", "client %u: process %d", c->index, (int)c->pid);
}

int client_open(struct driver *d, struct client *c)
{
    int error = c->page_fd < 0 ? pages_open(d, c) : 0;
    if (error)
        return error;
    if (c->index == NO_INDEX)
        client_number(d, c);
    c->opened = true;
    return 0;
}

void client_end(struct driver *d, struct client *c)
{
    if (c->ended)
        return;
    c->ended = true;
    lazy_forget(d, c);
    d->changed = true;
    machine_settle(d->machine); /* whether the clock has run since its last request is the host's chance */
    if (c->index != NO_INDEX)
        log_info("driver", "client %u: ended", c->index);
    watch_client_ended(d, c);
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->client == c)
            conn->gone = true;
    queue_release_all(d, c);
    memory_settle_all(d, c);
    pmem_windows_orphan(machine_memory(d->machine), c->pid);
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        if (c->gpu[g].space_open)
            cp_space_close(machine_cp(d->machine, g), &c->gpu[g].space);
    for (unsigned g = 0; machine_started(d->machine) && g < machine_gpus(d->machine); g++)
        c->gpu[g].tables = c->gpu[g].pt ? cp_tables_asked(machine_cp(d->machine, g)) : 0;
}

/* Nothing of it is left on the GPUs, in its event page or on the way to its page tables. */
static bool client_closed(const struct driver *d, const struct client *c)
{
    if (!c->ended || c->slots.open)
        return false;
    for (unsigned g = 0; machine_started(d->machine) && g < machine_gpus(d->machine); g++)
        if (c->gpu[g].space_open || cp_tables_done(machine_cp(d->machine, g)) < c->gpu[g].tables)
            return false;
    return true;
}

static void client_free(struct driver *d, struct client *c)
{
    memory_release_all(d, c);
    queue_forget_all(c);
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        pagetable_free(c->gpu[g].pt);
    if (c->vmid != NO_VMID)
        d->vmid_used &= ~(1u << c->vmid);
    munmap(c->pages, c->pages_bytes); /* none: nothing happens */
    close(c->page_fd);                /* NO_FILE: nothing happens */
    close(c->pidfd);
    if (c->pid != d->program)
        waitpid(c->pid, NULL, WNOHANG); /* if we have adopted it */
    kin_ended(&d->kin, c->kin);
    free(c);
}

void client_reap(struct driver *d)
{
    for (struct client **link = &d->clients; *link;) {
        struct client *c = *link;
        if (client_closed(d, c)) {
            *link = c->next;
            client_free(d, c);
        } else {
            link = &c->next;
        }
    }
}

void client_drop_all(struct driver *d)
{
    while (d->clients) {
        struct client *c = d->clients;
        d->clients = c->next;
        client_free(d, c);
    }
}
