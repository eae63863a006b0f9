/* SPDX-License-Identifier: Apache-2.0
 * Work of the command processor that waits for memory, each a state machine: a signal being written, the packet at the
 * head of a queue, what a queue tells by its inactive signal.
 */
#ifndef GANTRY_CP_WORK_H
#define GANTRY_CP_WORK_H
#include "firmware/access.h"
#include "firmware/layout.h"
#include "gantry_msg.h"

/* A signal being written (signal.c). */
enum signal_step {
    SIGNAL_NONE,
    SIGNAL_STAMPS, /* timestamps, and where the mailbox is */
    SIGNAL_VALUED, /* the value */
    SIGNAL_MAILED, /* the mailbox */
};
struct signal_work {
    struct transfer transfer;
    enum signal_step step;
    uint64_t signal;
    bool count;  /* down by one; else the value becomes `value` */
    bool stamps; /* the signal gets timestamps */
    uint64_t value, begin, end;
    uint8_t told[12]; /* mailbox and event, as they lie in the signal */
    void (*over)(struct cp *cp, struct signal_work *w);
};

/* The packet at the head of a queue on its way to a job (fetch.c). */
enum fetch_state {
    FETCH_NONE,    /* not here; with `look` it is to be read */
    FETCH_PACKET,  /* being read */
    FETCH_HELD,    /* here and valid; with `look` what it depends on is to be read */
    FETCH_SIGNALS, /* its dependencies are being read */
    FETCH_KERNEL,  /* descriptor and amd_queue_t are being read */
    FETCH_ASK,     /* wants scratch memory: the client is to be asked, or has been */
    FETCH_READY,   /* waits for a job */
};
struct launch_memory {
    uint8_t descriptor[64];
    uint8_t queue[QUEUE_INACTIVE - QUEUE_TMPRING]; /* amd_queue_t from QUEUE_TMPRING on */
};
struct fetch {
    enum fetch_state state;
    bool look;
    struct transfer main, fields; /* fields: of amd_queue_t, which may not be there */
    uint8_t packet[AQL_BYTES];
    uint8_t values[5][8];  /* of dependency signals */
    uint8_t properties[4]; /* of amd_queue_t, as read with the packet */
    struct launch_memory memory;
    struct msg_cp_cmd launch;
};

/* Packets of PM4 that a vendor-specific slot holds, being executed (pm4.c). */
#define PM4_LEVELS 3u   /* the slot and two levels of indirect buffers */
#define PM4_WINDOW 16u  /* words of a level that are here */
#define PM4_CALLS 1024u /* indirect buffers of a slot: one that chains to itself ends */
enum pm4_wait { PM4_NONE, PM4_MEMORY, PM4_CACHES, PM4_EARLIER /* packets of the queue */ };
struct pm4 {
    struct pm4_level {
        uint64_t va;
        uint32_t at, words; /* of the next packet; all */
    } level[PM4_LEVELS];
    unsigned depth, calls;
    enum pm4_wait wait;
    struct transfer transfer;
    uint8_t window[4 * PM4_WINDOW];
    uint32_t filled, offset; /* words in it, 0: none; of them before the next packet */
    bool released, written;  /* of the next packet: caches are done, memory is written */
    bool over;
    void (*ended)(struct cp *cp, struct job *job);
};

/* What a queue tells by its inactive signal (inactive_signal.c). */
enum inactive_step { INACTIVE_NONE, INACTIVE_HANDLE, INACTIVE_VALUE, INACTIVE_STORE };
struct inactive {
    enum inactive_step step;
    struct transfer transfer;
    uint8_t handle[8], value[8];
    uint32_t code; /* to be told, or asked */
    uint32_t told; /* what the signal was last set to; 0: the client has answered */
    struct signal_work work;
};
#endif
