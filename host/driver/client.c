/* SPDX-License-Identifier: Apache-2.0
 * Client processes: from the first request to the last wavefront.  Not responsible for: their sockets (server.c), what
 * the ioctls do (memory.c, event.c, queue.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "gantry_cfg.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

struct client *client_get(struct driver *d, pid_t pid)
{
    struct client **link = &d->clients;
    for (; *link; link = &(*link)->next)
        if ((*link)->pid == pid && !(*link)->ended)
            return *link;
    struct client *c = xcalloc(1, sizeof *c);
    c->index = d->client_count++;
    c->pid = pid;
    c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    c->page_fd = -1;
    c->next_handle = 1;
    *link = c;
    log_info("driver", "client %u: process %d", c->index, (int)pid);
    return c;
}

int gpu_of_id(const struct driver *d, uint32_t gpu_id)
{
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        if (topology_gpu_id(d->cfg, g) == gpu_id)
            return (int)g;
    return -1;
}

int client_read(const struct client *c, uint64_t address, void *to, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    return bytes == 0 || process_vm_readv(c->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : EFAULT;
}

int client_write(const struct client *c, uint64_t address, const void *from, size_t bytes)
{
    struct iovec local = {(void *)(uintptr_t)from, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    return bytes == 0 || process_vm_writev(c->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : EFAULT;
}

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
    if (p == MAP_FAILED)
        return errno;
    c->pages = p;
    c->pages_bytes = end;
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        memset(c->pages + queue_window(d, g), 0xff, DOORBELL_PAGE); /* DOORBELL_IDLE */
    return 0;
}

int client_open(struct driver *d, struct client *c)
{
    int error = c->page_fd < 0 ? pages_open(d, c) : 0;
    if (!error)
        c->opened = true;
    return error;
}

int client_vm_open(struct driver *d, struct client *c, unsigned gpu)
{
    if (!c->gpu[gpu].pt)
        c->gpu[gpu].pt = pagetable_new(machine_memory(d->machine), gpu);
    return c->gpu[gpu].pt ? 0 : ENOMEM;
}

int client_space_open(struct driver *d, struct client *c, unsigned gpu)
{
    struct client_gpu *on = &c->gpu[gpu];
    if (on->space_open)
        return 0;
    if (!on->pt)
        return EINVAL;
    if (machine_start(d->machine) < 0) {
        d->failed = true;
        return ENODEV;
    }
    for (unsigned v = 1; !c->vmid && v < VMIDS; v++)
        if (!(d->vmid_used >> v & 1))
            c->vmid = v;
    if (!c->vmid) {
        log_warn("driver", "client %u: no free address space number (%d in use)", c->index, VMIDS - 1);
        return ENOSPC;
    }
    d->vmid_used |= 1u << c->vmid;
    on->space = (struct cp_space){.pt = on->pt,
                                  .vmid = (uint8_t)c->vmid,
                                  .owner = c,
                                  .scratch_base = on->space.scratch_base,
                                  .tba = on->space.tba,
                                  .tma = on->space.tma};
    on->space_open = true;
    cp_space_open(machine_cp(d->machine, gpu), &on->space);
    return 0;
}

void client_space_closed(struct driver *d, struct cp_space *space)
{
    struct client *c = space->owner;
    (void)d;
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        if (&c->gpu[g].space == space)
            c->gpu[g].space_open = false;
}

void client_end(struct driver *d, struct client *c)
{
    if (c->ended)
        return;
    c->ended = true;
    d->changed = true;
    log_info("driver", "client %u: ended", c->index);
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        if (conn->client == c)
            conn->gone = true;
    queue_release_all(d, c);
    pmem_windows_orphan(machine_memory(d->machine), c->pid);
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        if (c->gpu[g].space_open)
            cp_space_close(machine_cp(d->machine, g), &c->gpu[g].space);
}

static bool client_closed(const struct client *c)
{
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        if (c->gpu[g].space_open)
            return false;
    return c->ended;
}

static void client_free(struct driver *d, struct client *c)
{
    memory_release_all(d, c);
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        pagetable_free(c->gpu[g].pt);
    d->vmid_used &= ~(1u << c->vmid) | 1u;
    if (c->pages)
        munmap(c->pages, c->pages_bytes);
    close(c->page_fd); /* -1: nothing happens */
    close(c->pidfd);
    if (c->pid != d->program)
        waitpid(c->pid, NULL, WNOHANG); /* if we have adopted it */
    free(c);
}

void client_reap(struct driver *d)
{
    for (struct client **link = &d->clients; *link;) {
        struct client *c = *link;
        if (client_closed(c)) {
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
