/* SPDX-License-Identifier: Apache-2.0
 * What crosses the socket between the shim in a client process and the driver: one request and one answer at a time on
 * each connection, one connection a thread, plus one a process (REQ_HELLO) that only tells when either side has gone.
 * Local machine, same build on both sides: no byte order, no versions.
 */
#ifndef GANTRY_PROTOCOL_H
#define GANTRY_PROTOCOL_H
#include <stdint.h>

#define PROTOCOL_BYTES 160 /* of an ioctl's argument; none that is served has more */

#define ENV_ROOT "GANTRY_ROOT" /* private folder of the run: socket (address.h) and generated sysfs tree */
#define ENV_SANITIZER                                                                                                  \
    "GANTRY_SANITIZER"              /* first entry of LD_PRELOAD when it was put there for the program (preload.h) */
#define OUT_OF_REACH "out-of-reach" /* file in ENV_ROOT: the first program that the shim cannot be loaded into */
#define ENV_CLOCK "GANTRY_CLOCK"    /* "gated" or "free" */
#define ENV_PROGRAM                                                                                                    \
    "GANTRY_PROGRAM_CLOCK" /* "target" or "host": what the program's clocks tell under the gated clock */

enum request_op {
    REQ_HELLO = 1, /* life line of a process; arg: who has forked it, 0: not known */
    REQ_OPEN_KFD,  /* answer carries a descriptor */
    REQ_OPEN_DRI,  /* index: render minor; answer carries a descriptor */
    REQ_IOCTL,     /* code, arg: pointer in the client, data: the argument */
    REQ_MMAP,  /* index: render minor, 0: the kfd; arg: offset, data: u64 bytes; answer: descriptor, struct map_place */
    REQ_PARK,  /* the thread polls: answered when something that it may watch has changed; arg: place */
    REQ_CLOCK, /* answer: u64 ns of target time */
    REQ_SLEEP, /* arg: nanoseconds; answered at that target time, or at once with result 1: sleep for real */
};

/* arg of a PARK: offset in the code of libhsa-runtime64, or a loop that may be the program's own */
#define PARK_YIELD 0xe00000u /* sched_yield */
#define PARK_LOAD 0xf00000u  /* one signal or read index */
#define PARK_LIMITED 1u      /* index of a PARK: the runtime waits with a time limit */
#define PARK_FAULT 1         /* result of a PARK: a memory fault that no thread of the process waits for */

struct shim_request {
    uint32_t op;
    uint32_t code;
    int32_t pid;
    int32_t tid;
    uint64_t arg;
    uint32_t index;
    uint32_t bytes; /* of an ioctl: as its code says, be it more than `data` has */
    uint8_t data[PROTOCOL_BYTES];
};

/* Answer of REQ_MMAP, beside the descriptor. */
struct map_place {
    uint64_t offset; /* in its file */
    uint64_t bytes;  /* of those asked for that lie there: ask again for the rest */
};

#define ANSWER_REFUSED (-2) /* with error; sent before any request: the connection is closed */

struct shim_answer {
    int32_t result; /* 0, -1 with error, or ANSWER_REFUSED */
    uint32_t error; /* errno */
    uint8_t data[PROTOCOL_BYTES];
};
#endif
