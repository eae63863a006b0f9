/* SPDX-License-Identifier: Apache-2.0
 * What is kept of host memory: each request of a GPU or the host, and what it was answered; layout in record_format.h.
 */
#include <xxhash.h>

#include "record/record_format.h"
#include "record/record_private.h"

void far_record_make(struct far_record *record, const struct msg_mem_req *req, uint32_t status)
{
    *record = (struct far_record){.op = req->op,
                                  .vmid = req->vmid,
                                  .atomic = req->atomic,
                                  .size = req->size,
                                  .access = req->access,
                                  .source = req->source,
                                  .target = req->target,
                                  .gpu = req->gpu,
                                  .tag = req->tag,
                                  .addr = req->addr,
                                  .mask = req->mask,
                                  .status = status};
    if (req->op == MEM_WRITE || req->op == MEM_ATOMIC)
        record->data_hash = XXH32(req->data, req->op == MEM_WRITE || req->mask ? 64 : 16, 0);
}

uint32_t far_record_data(const struct far_record *record)
{
    bool reads = record->op == MEM_READ || record->op == MEM_READ_NC;
    bool line = reads || (record->op == MEM_ATOMIC && record->mask);
    return record->status != MEM_OK ? 0 : line ? 64 : record->op == MEM_ATOMIC ? 8 : 0;
}

void record_serve(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req, struct msg_mem_rsp *rsp)
{
    struct record *r = ctx;
    struct far_record record;
    r->served.serve(r->served.ctx, gpu, cycle, req, rsp);
    far_record_make(&record, req, rsp->status);
    message_write(&r->memory[gpu], r->journal, cycle, 0, &record, sizeof record);
    journal_put(r->journal, r->memory[gpu].stream, rsp->data, far_record_data(&record));
}
