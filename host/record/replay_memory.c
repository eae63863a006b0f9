/* SPDX-License-Identifier: Apache-2.0
 * Host memory of a replay: the recording answers.  For lock step, whose golden model looks into memory itself, the
 * bytes that the recording knows are also put where they were.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "observe/fields.h"
#include "record/replay_private.h"
#include "vm/pmem.h"

#define WINDOWS (UINT64_C(1) << 40) /* address space for all windows that the run may have had, from the first on */

/* Shared: a worker process compares what its GPU reads with what this one has put there. */
bool replay_windows(struct replay *r)
{
    void *place = mmap(NULL, WINDOWS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED || pmem_window_add(r->memory, getpid(), (uintptr_t)place, WINDOWS) != PMEM_WINDOW_BASE) {
        diag("--lockstep", "no address space for host memory");
        return false;
    }
    return true;
}

/* A far_req for fields_differ: its data are known as a hash only. */
static struct msg_mem_req request_of(const struct far_record *f)
{
    return (struct msg_mem_req){.op = f->op,
                                .target = f->target,
                                .source = f->source,
                                .vmid = f->vmid,
                                .atomic = f->atomic,
                                .size = f->size,
                                .access = f->access,
                                .gpu = f->gpu,
                                .tag = f->tag,
                                .addr = f->addr,
                                .mask = f->mask};
}

static const char *asker_name(const struct replay *r, unsigned asker, char name[32])
{
    if (asker == r->gpus)
        return "host.cp";
    snprintf(name, 32, "gpu%u.rdma", asker);
    return name;
}

static void request_compare(struct replay *r, unsigned gpu, uint64_t cycle, const struct far_record *seen,
                            uint64_t then, const struct far_record *recorded)
{
    char name[32];
    struct msg_mem_req a = request_of(seen), b = request_of(recorded);
    char fields[512];
    fields_differ("far_req", &a, &b, fields, sizeof fields);
    bool data = seen->data_hash != recorded->data_hash;
    if (then != cycle || *fields || data)
        replay_differs(r, "%s -> host.memory: far_req %llu differs: cycle %llu (recorded %llu)%s%s%s",
                       asker_name(r, gpu, name), (unsigned long long)r->memory_count[gpu], (unsigned long long)cycle,
                       (unsigned long long)then, *fields ? ", " : "", fields, data ? ", data" : "");
}

static void memory_fill(struct replay *r, const struct msg_mem_req *req, struct msg_mem_rsp *rsp)
{
    uint64_t old[8];
    if (req->op == MEM_READ || req->op == MEM_READ_NC)
        pmem_write(r->memory, req->addr & ~UINT64_C(63), rsp->data, 64);
    else if (req->op == MEM_WRITE)
        pmem_write_masked(r->memory, req->addr & ~UINT64_C(63), req->data, req->mask);
    else if (req->op == MEM_ATOMIC && req->mask) {
        if (pmem_write_masked(r->memory, req->addr, rsp->data, req->mask) == 0)
            pmem_atomic_line(r->memory, req->addr, req->atomic, req->size, req->mask, req->data, old);
    } else if (req->op == MEM_ATOMIC && pmem_write(r->memory, req->addr, rsp->data, req->size) == 0)
        pmem_atomic(r->memory, req->addr, req->atomic, req->size, req->data[0], req->data[1], old);
}

void replay_serve(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req, struct msg_mem_rsp *rsp)
{
    struct replay *r = ctx;
    struct message m;
    struct far_record seen, recorded;
    char name[32];
    *rsp = (struct msg_mem_rsp){.op = req->op, .source = req->source, .gpu = req->gpu, .tag = req->tag};
    if (!message_read(&r->memory_log[gpu], r->reader, &m)) {
        if (cycle < r->end)
            replay_differs(r, "%s -> host.memory: far_req %llu at cycle %llu was not recorded",
                           asker_name(r, gpu, name), (unsigned long long)r->memory_count[gpu],
                           (unsigned long long)cycle);
        return;
    }
    CHECK(m.bytes == sizeof recorded, "replay", "far_req of %u bytes", m.bytes);
    memcpy(&recorded, m.data, sizeof recorded);
    far_record_make(&seen, req, MEM_OK);
    request_compare(r, gpu, cycle, &seen, m.cycle, &recorded);
    CHECK(journal_take(r->reader, r->memory_log[gpu].stream, rsp->data, far_record_data(&recorded)), "replay",
          "stream %u, of host memory, ends within an answer", r->memory_log[gpu].stream);
    rsp->status = (uint8_t)recorded.status;
    r->memory_count[gpu]++;
    if (r->sim->options.lockstep && rsp->status == MEM_OK)
        memory_fill(r, req, rsp);
}

bool replay_memory_skip(struct replay *r, unsigned gpu, uint64_t to)
{
    const unsigned stream = r->memory_log[gpu].stream;
    struct message m;
    struct far_record f;
    while (journal_taken(r->reader, stream) < to) {
        struct msg_mem_rsp rsp = {0};
        if (!message_read(&r->memory_log[gpu], r->reader, &m) || m.bytes != sizeof f)
            return false;
        memcpy(&f, m.data, sizeof f);
        const uint32_t data = far_record_data(&f);
        if (!journal_take(r->reader, stream, rsp.data, data))
            return false;
        const struct msg_mem_req req = request_of(&f);
        if (r->sim->options.lockstep && data == sizeof rsp.data) /* caches may still hold what was read */
            memory_fill(r, &req, &rsp);
        r->memory_count[gpu]++;
    }
    return journal_taken(r->reader, stream) == to;
}
