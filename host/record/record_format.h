/* SPDX-License-Identifier: Apache-2.0
 * What a recording's journal holds, between record.c and replay.c (docs/replay.md tells it to people).  Change
 * RECORD_VERSION with anything here.
 */
#ifndef GANTRY_RECORD_FORMAT_H
#define GANTRY_RECORD_FORMAT_H
#include <assert.h>
#include <stdint.h>

#include "gantry_msg.h"

#define RECORD_KIND "run"
#define RECORD_VERSION 4u
#define RECORD_FILE "recording"

/* Streams. */
#define STREAM_TEXT 0u                  /* record_text: {enum record_text, bytes}, bytes */
#define STREAM_HOST 1u                  /* struct host_record and its bytes */
#define STREAM_MEMORY(gpu) (2u + (gpu)) /* far_req to the host (struct far_record), its answer's data */
#define STREAM_PORT 642u                /* the same of the host's own port */
#define STREAM_FAR(gpu) (66u + (gpu))   /* what other GPUs send into this one: messages */
#define STREAM_PART_IN(part)                                                                                           \
    (130u + 2u * (part)) /* messages into a partition that was asked for, in the order of the option */
#define STREAM_PART_OUT(part) (131u + 2u * (part)) /* messages out of it, without credits */
#define RECORD_PARTS 256u

/* In the order in which the host sent, changed and took them.  Cycles never fall. */
enum host_kind {
    HOST_COMMAND = 1, /* msg_cp_cmd, sent at `cycle` */
    HOST_EVENT,       /* msg_cp_evt, taken at `cycle` */
    HOST_ACCESS,      /* struct access_record, asked for at `cycle`; gpu: whose VRAM, or RECORD_HOST */
    HOST_ANSWER,      /* msg_mem_rsp of VRAM, taken at `cycle` */
    HOST_PATCH,       /* uint64_t address in VRAM, bytes: before the first message of `cycle` */
    HOST_MARK,        /* at `cycle`, uint64_t for each GPU: hash over its stream of writes to VRAM */
    HOST_END,         /* the same: the run ended here */
    HOST_KERNEL,      /* the next kernel of the table has ended, at `cycle`: its number, uint64_t */
};
struct host_record {
    uint64_t cycle;
    uint32_t bytes; /* that follow */
    uint8_t kind, gpu;
    uint16_t zero;
};
static_assert(sizeof(struct host_record) == 16, "layout");

#define RECORD_HOST UINT8_MAX /* host memory: no GPU's */

/* A request of the host's port (sim_access). */
struct access_record {
    struct msg_mem_req req;
    uint64_t overlap;
};

/* A request to host memory, as a message of slot 0; behind it in the stream what the answer holds: 64 bytes of a read,
 * 8 of an atomic, nothing unless status is MEM_OK. */
struct far_record {
    uint8_t op, vmid, atomic, size, access, source, target, gpu;
    uint32_t tag, data_hash; /* XXH32 of the bytes that the request carries */
    uint64_t addr, mask;
    uint32_t status, zero;
};
static_assert(sizeof(struct far_record) == 40, "layout");

void far_record_make(struct far_record *record, const struct msg_mem_req *req, uint32_t status);
/* Bytes of data in an answer. */
uint32_t far_record_data(const struct far_record *record);
#endif
