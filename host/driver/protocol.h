/* SPDX-License-Identifier: Apache-2.0
 * What crosses the socket between the shim in a client process and the driver: one request and one answer at a time on
 * each connection, one connection a thread, plus one a process (REQ_HELLO) that only tells when either side has gone.
 * Local machine, same build on both sides: no byte order, no versions.
 */
#ifndef GANTRY_PROTOCOL_H
#define GANTRY_PROTOCOL_H
#include <stdint.h>

#define PROTOCOL_BYTES 160 /* largest ioctl argument */

#define ENV_SOCKET "GANTRY_SOCKET" /* abstract socket name */
#define ENV_ROOT "GANTRY_ROOT"     /* folder of the generated sysfs tree */
#define ENV_CLOCK "GANTRY_CLOCK"   /* "gated" or "free" */

enum request_op {
    REQ_HELLO = 1, /* life line of a process */
    REQ_OPEN_KFD,  /* answer carries a descriptor */
    REQ_OPEN_DRI,  /* index: render minor; answer carries a descriptor */
    REQ_IOCTL,     /* code, arg: pointer in the client, data: the argument */
    REQ_MMAP,      /* of the kfd descriptor: arg: offset asked for, data: u64 bytes; answer: u64 offset to use */
    REQ_PARK,      /* the thread polls: answered when something that it may watch has changed; arg: place */
    REQ_SLEEP,     /* arg: nanoseconds; answered at that target time, or at once with result 1: sleep for real */
};

struct shim_request {
    uint32_t op;
    uint32_t code;
    int32_t pid;
    int32_t tid;
    uint64_t arg;
    uint32_t index;
    uint32_t bytes;
    uint8_t data[PROTOCOL_BYTES];
};

struct shim_answer {
    int32_t result; /* 0, or -1 with error */
    uint32_t error; /* errno */
    uint8_t data[PROTOCOL_BYTES];
};
#endif
