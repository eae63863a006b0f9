/* SPDX-License-Identifier: Apache-2.0
 * Clients: who they are, their memory, their address spaces on the GPUs.  Not responsible for: the files that they open
 * and their end (client_process.c), their sockets (server.c), what the ioctls do (memory_objects.c, event.c, queue.c).
 */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "vm/pagetable.h"

struct client *client_get(struct driver *d, pid_t pid)
{
    return client_forked(d, pid, 0);
}

struct client *client_forked(struct driver *d, pid_t pid, pid_t parent)
{
    struct client **link = &d->clients;
    for (; *link; link = &(*link)->next)
        if ((*link)->pid == pid && !(*link)->ended && !(*link)->over)
            return *link;
    struct client *c = xcalloc(1, sizeof *c);
    c->index = d->ordered ? NO_INDEX : d->client_count++;
    c->kin = kin_take(&d->kin, pid, parent);
    c->vmid = NO_VMID;
    c->pid = pid;
    c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    c->page_fd = NO_FILE;
    c->next_handle = 1;
    *link = c;
    watch_process(d, pid, c);
    if (c->index != NO_INDEX)
        log_info("driver", "client %u: process %d", c->index, (int)pid);
    return c;
}

uint64_t client_cycle(const struct driver *d)
{
    return machine_now(d->machine);
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
    return process_vm_readv(c->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : EFAULT;
}

int client_write(const struct client *c, uint64_t address, const void *from, size_t bytes)
{
    struct iovec local = {(void *)(uintptr_t)from, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    return process_vm_writev(c->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : EFAULT;
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
    CHECK(on->pt, "driver.client", "client=%u gpu=%u", c->index, gpu); /* what a queue lies in is mapped */
    if (machine_start(d->machine) < 0) {
        d->failed = true;
        return ENODEV;
    }
    for (unsigned n = 1; c->vmid == NO_VMID && n <= VMIDS; n++) /* 0 last: no graphics driver has it here */
        if (!(d->vmid_used >> n % VMIDS & 1))
            c->vmid = (int)(n % VMIDS);
    if (c->vmid == NO_VMID) {
        log_warn("driver", "client %u: no free address space number (%u in use)", c->index, VMIDS);
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
