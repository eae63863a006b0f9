/* SPDX-License-Identifier: Apache-2.0
 * Inside of the command processor, for host/firmware only: jobs (packets under way), queues, layouts of packets,
 * signals and amd_queue_t as byte offsets.
 */
#ifndef GANTRY_CP_PRIVATE_H
#define GANTRY_CP_PRIVATE_H
#include "firmware/cp.h"
#include "machine/sim.h"
#include "vm/pagetable.h"

#define CP_JOBS 64         /* packets under way at a GPU */
#define CP_NO_JOB 0xffu    /* id of a command whose answer nobody waits for */
#define CP_SHOOTDOWN 0xfeu /* id of a shoot-down */

enum aql_type {
    AQL_VENDOR = 0,
    AQL_INVALID = 1,
    AQL_KERNEL = 2,
    AQL_BARRIER_AND = 3,
    AQL_AGENT = 4,
    AQL_BARRIER_OR = 5
};
enum aql_scope { SCOPE_NONE = 0, SCOPE_AGENT = 1, SCOPE_SYSTEM = 2 };

#define AQL_BYTES 64u
#define AQL_DEPS 0x08u
#define AQL_SIGNAL 0x38u

#define SIGNAL_VALUE 0x08u
#define SIGNAL_MAILBOX 0x10u
#define SIGNAL_EVENT 0x18u
#define SIGNAL_START 0x20u
#define SIGNAL_END 0x28u

/* amd_queue_t, from its beginning */
#define QUEUE_READ_INDEX 0x80u
#define QUEUE_TMPRING 0x8cu
#define QUEUE_SRD 0x90u
#define QUEUE_SCRATCH_OFFSET 0xa0u
#define QUEUE_LANE_BYTES 0xb0u
#define QUEUE_INACTIVE 0xc0u

enum job_state {
    JOB_FREE,
    JOB_DECODE,  /* timer: fetch and decode */
    JOB_ACQUIRE, /* cache maintenance before a launch */
    JOB_READY,   /* waits for a launch slot */
    JOB_LAUNCH,  /* timer: launch work */
    JOB_RUN,     /* at the dispatcher */
    JOB_RELEASE, /* cache maintenance before completion */
    JOB_SIGNAL,  /* timer: writing the signal */
    JOB_DONE,    /* completed, not yet retired from the ring */
};

struct job {
    enum job_state state;
    uint8_t generation;
    bool halted; /* a wavefront has halted itself: only a kill ends the launch */
    bool flush;  /* its fence under way drops TLB entries */
    bool drop;   /* and what was left in the caches of memory that has changed hands */
    bool held;   /* its launch was not sent, since a kill is under way */
    struct cp_queue *queue;
    struct cp_space *space;
    uint64_t index; /* packet number */
    uint64_t ready; /* order of launches */
    uint64_t begin, end;
    uint8_t packet[AQL_BYTES];
    struct msg_cp_cmd launch;
    uint64_t wavefronts, instructions;
};

struct cp_queue {
    struct cp_queue *next_queue; /* in order of creation */
    struct cp_space *space;
    struct cp_queue_args args;
    uint64_t cu_mask;
    uint64_t limit;  /* write index at the last doorbell */
    uint64_t next;   /* first packet not started */
    uint64_t retire; /* first packet not retired */
    unsigned active; /* started and not completed */
    unsigned jobs;
    bool waiting; /* stopped at a header, a dependency or scratch: look again in cp_poll */
    bool scratch_asked;
    bool suspended, dead, closed;
};

struct cp {
    struct sim *sim;
    unsigned gpu;
    struct cp_config config;
    struct cp_host host;
    struct cp_queue *queues;
    struct job jobs[CP_JOBS];
    uint64_t busy_until; /* the one firmware thread */
    uint64_t ready_count;
    unsigned launches;
    uint64_t groups_before; /* sim_groups without those of the kernels that run */
    bool poll_armed;
    uint64_t shootdowns_sent, shootdowns_done;
    bool caches_stale;            /* they may hold memory that has changed hands: the next fence drops it */
    unsigned drops;               /* packets under way whose fence does that */
    uint32_t trap_vmids;          /* that the CUs know a trap handler of */
    struct cp_space *killing;     /* list of spaces with a CP_KILL under way */
    struct cp_space *interrupted; /* of spaces with an interrupt to serve, earliest first */
};

static inline uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t get32(const uint8_t *p)
{
    return get16(p) | (uint32_t)get16(p + 2) << 16;
}
static inline uint64_t get64(const uint8_t *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static inline unsigned packet_type(const uint8_t *packet)
{
    return packet[0];
}
static inline bool packet_barrier(const uint8_t *packet)
{
    return packet[1] & 1;
}
static inline unsigned packet_acquire(const uint8_t *packet)
{
    return packet[1] >> 1 & 3;
}
static inline unsigned packet_release(const uint8_t *packet)
{
    return packet[1] >> 3 & 3;
}

/* Timers that belong to no job; a job's id never has these slots. */
#define COOKIE_POLL 0xffffu      /* looks at waiting queues again */
#define COOKIE_INTERRUPT 0xfffeu /* serves the interrupt that is due */

static inline uint64_t cookie_of(const struct cp *cp, uint64_t low)
{
    return (uint64_t)cp->gpu << 56 | low;
}

/* job.c: id of its commands and timers; firmware work of `cycles`, after what it does already, from which the timer
 * comes back with the job; send its launch; work-groups; sent to the dispatcher and not completed; its row for the
 * host; its fence is answered; drop it without completing it. */
uint16_t job_id(const struct cp *cp, const struct job *job);
void job_work(struct cp *cp, struct job *job, uint32_t cycles);
void job_launch(struct cp *cp, struct job *job);
uint64_t job_groups(const struct job *job);
bool job_unfinished(const struct job *job);
void row_emit(struct cp *cp, const struct job *job);
void job_flushed(struct cp *cp, struct job *job);
void job_abandon(struct cp *cp, struct job *job);
/* Frees a closed queue once it has no job. */
void queue_release(struct cp *cp, struct cp_queue *queue);

/* The job whose command has this id, NULL when it is gone. */
struct job *job_of(struct cp *cp, uint16_t id);

static inline void job_free(struct job *job)
{
    job->queue->jobs--;
    job->state = JOB_FREE;
    job->generation++;
}

/* ring.c: give slots of completed jobs back in order (a slot stays until its kernel, which reads its packet, has
 * ended). */
void queue_retire(struct cp *cp, struct cp_queue *queue);

static inline uint64_t queue_inactive(struct cp_queue *queue)
{
    return queue->args.read_index - QUEUE_READ_INDEX + QUEUE_INACTIVE;
}

/* space.c: a queue stops with an error code; a wavefront of a job has faulted; CP_KILL is answered. */
void queue_fail(struct cp *cp, struct cp_queue *queue, uint32_t code, const struct msg_cp_evt *evt);
void space_fault(struct cp *cp, struct job *job, const struct msg_cp_evt *evt);
void space_killed(struct cp *cp, uint8_t vmid);
/* Halted wavefronts of closed queues are killed as soon as nothing else of the space is under way. */
void space_reap(struct cp *cp, struct cp_space *space);
/* The oldest shoot-down is answered. */
void shootdown_answered(struct cp *cp);

/* interrupt.c: a wavefront of the space has sent an interrupt; the timer's call; the space is closing. */
void interrupt_raise(struct cp *cp, struct cp_space *space);
void interrupt_serve(struct cp *cp);
void interrupt_forget(struct cp *cp, struct cp_space *space);

/* fence.c: enum cache_flag bits for a packet; all caches, or (own: false) those that hold more than the GPU's own VRAM.
 */
uint32_t fence_acquire(const uint8_t *packet);
uint32_t fence_release(const uint8_t *packet);
uint32_t fence_caches(bool own);

/* launch.c: fill *cmd from packet and descriptor; 0 or one of enum cp_error (CP_ERROR_SCRATCH: ask and retry). */
uint32_t launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                      struct msg_cp_cmd *cmd);

/* signal.c: guest memory words; reads of unmapped memory give 0, writes to it vanish. */
uint64_t guest_read(struct cp_space *space, uint64_t va, unsigned bytes);
void guest_write(struct cp_space *space, uint64_t va, uint64_t value, unsigned bytes);
void signal_complete(struct cp *cp, struct cp_space *space, uint64_t signal, uint64_t begin, uint64_t end);
void signal_store(struct cp *cp, struct cp_space *space, uint64_t signal, uint64_t value);
/* Somebody can be told by it: it is not 0, and its memory is mapped. */
bool signal_there(struct cp_space *space, uint64_t signal);
/* All (or, with `any`, one) of the five dependency signals of a barrier packet are 0. */
bool signal_satisfied(struct cp_space *space, const uint8_t *packet, bool any);

/* peek.c: what only people are shown (names of kernels, instructions and packets in reports) is looked at without a
 * message and without time, by these alone; nothing that the GPU or a client can see may depend on it.  False, or 0,
 * when some byte is not mapped. */
bool peek_for_report(const struct cp_space *space, uint64_t va, void *to, unsigned bytes);
uint64_t peek_word_for_report(const struct cp_space *space, uint64_t va, unsigned bytes);

/* name.c: name of the kernel whose descriptor lies at `object`. */
void kernel_name(struct cp_space *space, uint64_t object, char *name, unsigned room);
#endif
