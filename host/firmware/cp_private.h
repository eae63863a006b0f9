/* SPDX-License-Identifier: Apache-2.0
 * Inside of the command processor, for host/firmware and host/maintenance only: jobs (packets under way) and queues.
 * The state machines in them that wait for memory: work.h; accesses to it: access.h; what lies in it: layout.h.
 */
#ifndef GANTRY_CP_PRIVATE_H
#define GANTRY_CP_PRIVATE_H
#include "firmware/cp.h"
#include "firmware/work.h"
#include "machine/sim.h"
#include "maintenance/control.h"
#include "maintenance/counts.h"
#include "maintenance/page_commands.h"
#include "maintenance/table_writes.h"
#include "vm/pagetable.h"

#define GROUP_MAX 1024u    /* work-items of a work-group */
#define CP_JOBS 64         /* packets under way at a GPU */
#define CP_NO_JOB 0xffu    /* id of a command whose answer nobody waits for */
#define CP_SHOOTDOWN 0xfeu /* id of a shoot-down */
#define CP_DROP 0xfdu      /* id of a drop of old contents before a descriptor is read */
#define CP_PAGE 0xfcu      /* id of the write-back of a page that moves */
#define CP_FAR 0xfbu       /* id of what the fence of another GPU's packet asks of this one */

enum job_state {
    JOB_FREE,
    JOB_DECODE,  /* timer: decode */
    JOB_ACQUIRE, /* cache maintenance before a launch */
    JOB_READY,   /* waits for a dispatcher */
    JOB_LAUNCH,  /* timer: launch work */
    JOB_RUN,     /* at the dispatcher */
    JOB_PM4,     /* executes PM4 packets */
    JOB_RELEASE, /* cache maintenance before completion */
    JOB_SIGNAL,  /* timer: work before the signal is written */
    JOB_TELL,    /* its signal is being written */
    JOB_DONE,    /* completed; its slot is not given back yet */
    JOB_LEFT,    /* dropped: only answers of memory are waited for */
};

struct job {
    enum job_state state;
    uint8_t generation;
    bool stamps;    /* its signal gets timestamps */
    bool halted;    /* a wavefront has halted itself: only a kill ends the launch */
    bool flush;     /* its fence under way drops TLB entries */
    bool drop;      /* and what was left in the caches of memory that has changed hands */
    bool held;      /* its launch was not sent, since a kill or a trap handler is under way */
    bool refused;   /* its fence, by a component that was off: sent again when one has been enabled */
    uint32_t fence; /* enum cache_flag of its fence under way */
    unsigned parts; /* commands of it, to this GPU and others, that are not done */
    struct cp_queue *queue;
    struct cp_space *space;
    uint64_t index; /* packet number */
    uint64_t ready; /* order of launches */
    uint64_t begin, end;
    uint8_t packet[AQL_BYTES];
    struct msg_cp_cmd launch;
    uint64_t wavefronts, instructions;
    uint64_t number; /* of a kernel in the run */
    unsigned dispatcher, beside;
    struct signal_work work; /* JOB_TELL */
    struct pm4 pm4;          /* JOB_PM4 */
    struct transfer slot;    /* header and read index are being written */
};

struct cp_queue {
    struct cp_queue *next_queue; /* in order of creation */
    struct cp_space *space;
    struct cp_queue_args args;
    uint64_t cu_mask;
    uint64_t limit;  /* write index, as last read */
    uint64_t next;   /* first packet not started */
    uint64_t retire; /* first packet not retired */
    unsigned active; /* started and not completed */
    unsigned jobs;
    unsigned accesses; /* under way, of its jobs too */
    struct cp_queue *next_bell;
    uint64_t bell_at; /* cycle at which its doorbell is heard; 0: none is on its way */
    struct transfer bell;
    uint8_t write_index[8];
    bool rung;            /* once more while the write index was being read, or without a slot */
    int slot;             /* hardware queue slot, of cp->slots; -1: none */
    uint64_t served_from; /* cycle from which on it is served there */
    bool leaving;         /* starts nothing more: its slot is wanted */
    bool waits;           /* for a slot */
    struct cp_queue *next_waiter;
    struct fetch fetch;
    struct inactive inactive;
    uint32_t asked; /* of the client by the inactive signal (CP_ERROR_SCRATCH or _RECLAIM); 0: nothing */
    bool once;      /* its last kernel has scratch memory that is to be taken back before the next packet */
    bool suspended, dead, closed;
};

/* A shoot-down that was sent and is not counted as done yet (shootdown.c). */
struct shootdown {
    uint64_t order;        /* accesses below this one were translated before */
    uint64_t number;       /* of the command: the GPU answers in this order */
    struct cp_range range; /* of the command: pages whose translations go */
    uint32_t flags;        /* enum cache_flag */
    uint8_t vmid;
    bool command; /* the GPU has not done it */
    bool refused; /* a component was off: it is sent again when one has been enabled */
    bool waits;   /* for writes to page tables, and behind one that does */
};

/* An access that waits for a page that is locked or has no entry yet, or behind one of its space (deferred.c). */
struct deferred {
    struct deferred *next;
    struct cp_space *space;
    uint32_t place; /* of the access */
    bool early;
    bool denied; /* it gets no entry */
    uint64_t va;
    struct msg_mem_req req; /* without its address */
};

/* What another GPU's fence has asked of this one (fence.c). */
struct visit {
    struct cp *from;
    uint16_t job;
    bool refused; /* as a job's fence */
};

/* A control operation (control.c). */
struct control {
    uint16_t id;
    control_fn done;
    void *ctx;
    struct control_result result;
};
struct controls {
    struct control *list; /* in order; the first `sent` are at the GPU */
    size_t count, sent, room;
    uint16_t next_id;
};

/* A command for a page that moves, without an answer (page_commands.c). */
struct page_command {
    uint8_t kind; /* CP_CACHE: of a flush, answered in order; CP_MOVE, CP_STORE */
    uint8_t slot;
    uint16_t id;
    page_fn done;
    void *ctx;
};
#define PAGES_OPEN ((size_t)4096) /* more is a bug of host/migrate, which has a bound */
struct page_commands {
    struct page_command *list; /* in order */
    size_t count, room;
    uint16_t next_id;
};

/* Counters of far accesses (counts.c). */
struct count_command {
    uint16_t action;         /* enum counts_action */
    uint16_t least;          /* of a read */
    far_counts_end_fn *ends; /* the same */
    void *arg;
};
#define COUNT_COMMANDS 4u /* one at the GPU, at most three behind it: a read, and what it is between */
struct counts {
    far_count_fn *each;
    void *each_arg;
    struct count_command list[COUNT_COMMANDS]; /* in order; the first one is at the GPU */
    unsigned count;
    uint16_t id; /* of that one */
};

#define ROOTS 32u /* a driver gives 16 numbers of address spaces */

struct cp {
    struct sim *sim;
    unsigned gpu;
    struct cp_config config;
    struct cp_host host;
    struct cp_queue *queues;
    struct job jobs[CP_JOBS];
    uint64_t busy_until[CP_ENGINES];  /* each a firmware thread */
    struct cp_queue *slots[CP_SLOTS]; /* hardware queue slots (runlist.c) */
    struct cp_queue *waiters;         /* queues that want one, in this order */
    unsigned slot_next;               /* where the next turn begins */
    uint64_t runlist_at;              /* a timer of theirs; in the past: none */
    uint64_t ready_count;
    unsigned launches;
    uint64_t groups_before; /* sim_groups without those of the kernels that run */
    bool poll_armed;
    uint64_t shootdowns_sent, shootdowns_done;
    uint64_t shootdown_commands;  /* sent to the GPU so far */
    struct shootdown *shootdowns; /* from shootdown_first on: sent and not done, oldest first */
    size_t shootdown_first, shootdown_room;
    bool shootdowns_resent;         /* one that was refused: numbers may not rise any more */
    bool answer_refused;            /* a CP_XLAT: the L2 TLB was off */
    bool caches_stale;              /* they may hold memory that has changed hands: the next fence drops it */
    unsigned drops;                 /* commands under way that do that */
    uint32_t trap_vmids;            /* that the CUs know a trap handler of */
    uint32_t traps_open[ROOTS];     /* by vmid: commands that no CU has answered; its kernels wait */
    uint32_t refused_vmids;         /* whose root the L2 TLB, being off, has not taken */
    struct msg_cp_cmd roots[ROOTS]; /* by vmid: the newest root sent */
    struct cp_space *killing;       /* list of spaces with a CP_KILL under way */
    struct cp_space *interrupted;   /* of spaces with an interrupt to serve, earliest first */
    struct cp_queue *bells;         /* whose doorbell is on its way, earliest first */
    struct tables tables;
    struct controls controls;
    struct page_commands pages;
    struct counts counts;
    struct visit *visits; /* without an answer; those that are not refused in the order of sending */
    size_t visit_count, visit_room;
    void (*fenced)(struct cp *cp, struct job *job); /* cp.c: the fence of a job is done */
    struct deferred *deferred;                      /* accesses that wait for locked pages, oldest first */
    uint32_t access_free, access_count;
    uint64_t access_order; /* accesses so far */
    struct cp_access accesses[CP_ACCESSES];
};

/* Timers that belong to no job; a job's id never has these slots. */
#define COOKIE_POLL 0xffffu      /* looks at waiting queues again */
#define COOKIE_INTERRUPT 0xfffeu /* serves the interrupt that is due */
#define COOKIE_BELL 0xfffdu      /* a doorbell is here */
#define COOKIE_SLOT 0xfffbu      /* a slot is ready, or a quantum over */
#define COOKIE_DEFERRED 0xfffau  /* accesses that wait for pages may go */
#define COOKIE_TABLES 0xfffcu    /* page tables are to be written; also of these writes, beyond CP_ACCESSES */

static inline uint64_t cookie_of(const struct cp *cp, uint64_t low)
{
    return (uint64_t)cp->gpu << 56 | low;
}

/* job.c: some packet is started and not completed; id of a job's commands and timers; work of its engine of `cycles`,
 * after what that does already, from which the timer comes back with the job; send its launch; its first instructions
 * come into the caches meanwhile; work-groups; sent to the dispatcher and not completed; its row for the host; its
 * fence is answered; drop it without completing it. */
bool jobs_busy(const struct cp *cp);
uint16_t job_id(const struct cp *cp, const struct job *job);
void job_work(struct cp *cp, struct job *job, uint32_t cycles);
void job_launch(struct cp *cp, struct job *job);
void job_prime(struct cp *cp, const struct job *job);
uint64_t job_groups(const struct job *job);
bool job_unfinished(const struct job *job);
void row_emit(struct cp *cp, const struct job *job);
void job_flushed(struct cp *cp, struct job *job);
void job_abandon(struct cp *cp, struct job *job);
void job_settle(struct job *job);
/* Frees a closed queue once it has no job and no answer of memory is to come. */
void queue_release(struct cp *cp, struct cp_queue *queue);

/* The job whose command has this id, NULL when it is gone. */
struct job *job_of(struct cp *cp, uint16_t id);

/* doorbells.c: the timer's call; the queue is closing. */
void bell_arrive(struct cp *cp);
void bell_forget(struct cp *cp, struct cp_queue *queue);

/* runlist.c: a queue that was opened gets a slot, if one is free; one that goes gives it back; it is served in its
 * slot; who wants a slot gets one as far as possible (begins whatever step the queues make); a turn is due.  Which
 * engine serves it: only of a queue that has a slot. */
void runlist_join(struct cp *cp, struct cp_queue *queue);
void runlist_leave(struct cp *cp, struct cp_queue *queue);
bool runlist_served(const struct cp *cp, const struct cp_queue *queue);
void runlist_step(struct cp *cp);
bool runlist_working(const struct cp *cp);
unsigned runlist_engine(const struct cp *cp, const struct cp_queue *queue);

/* Nothing stops the queue. */
static inline bool queue_live(const struct cp_queue *queue)
{
    return queue->space->known && !queue->dead && !queue->closed && !queue->suspended;
}
/* And it has a packet that has not begun, or memory to give back. */
static inline bool queue_goes(const struct cp_queue *queue)
{
    return queue_live(queue) && (queue->next < queue->limit || queue->once);
}

/* packet_ring.c: the queue's doorbell is here; give slots of jobs that have ended back in order (a slot stays until its
 * kernel, which reads its packet, has ended).  The read index moves before the signal tells of the job, where both are
 * in one memory. */
void queue_ring(struct cp *cp, struct cp_queue *queue);
void queue_retire(struct cp *cp, struct cp_queue *queue);
/* Packets that may go on without another look at memory do so. */
void queues_step(struct cp *cp);

/* The client was asked, and its answer is waited for. */
static inline bool inactive_waits(const struct cp_queue *queue)
{
    return queue->asked && queue->inactive.step == INACTIVE_NONE;
}

/* fetch.c: the packet at the head of a queue goes on as far as it can; false: it waits for an answer, an earlier
 * packet, a job or a look.  It waits for a look. */
bool fetch_step(struct cp *cp, struct cp_queue *queue);
static inline bool fetch_waits(const struct cp_queue *queue)
{
    const struct fetch *f = &queue->fetch;
    const bool asks = queue->once || f->state == FETCH_ASK;
    return !f->look && (asks ? inactive_waits(queue) : f->state == FETCH_NONE || f->state == FETCH_HELD);
}
/* Without time: a look would find something else than the last one.  Only while the clock stands. */
bool fetch_changed(const struct cp_queue *queue);
/* The first packet is read beside the write index. */
void fetch_ahead(struct cp *cp, struct cp_queue *queue);

static inline uint64_t queue_properties(const struct cp_queue *queue)
{
    return queue->args.read_index - QUEUE_READ_INDEX + QUEUE_PROPERTIES;
}
static inline uint64_t queue_inactive(const struct cp_queue *queue)
{
    return queue->args.read_index - QUEUE_READ_INDEX + QUEUE_INACTIVE;
}
static inline uint64_t queue_slot(const struct cp_queue *queue, uint64_t index)
{
    return queue->args.ring + (index & (queue->args.packets - 1)) * AQL_BYTES;
}

/* inactive_signal.c: a queue stops with an error code, which the inactive signal tells; or the client is asked by it
 * (CP_ERROR_SCRATCH, CP_ERROR_RECLAIM), or was and may have answered: only while no packet of the queue is under way.
 * Its answer (without time, while the clock stands) may be there. */
void queue_fail(struct cp *cp, struct cp_queue *queue, uint32_t code, const struct msg_cp_evt *evt);
void inactive_ask(struct cp *cp, struct cp_queue *queue, uint32_t code);
bool inactive_changed(const struct cp_queue *queue);

/* address_space.c: the GPU is told of an open space; a wavefront of a job has faulted; CP_KILL is answered; a closing
 * space that has nothing left is told. */
void space_announce(struct cp *cp, struct cp_space *space);
/* The L2 TLB, being off, has not taken a root: told, and sent again with all others when a component is enabled.  What
 * was launched meanwhile may have looked for its pages under the root before. */
void space_refused(struct cp *cp, const struct msg_cp_evt *evt);
void spaces_again(struct cp *cp);
void space_fault(struct cp *cp, struct job *job, const struct msg_cp_evt *evt);
void space_killed(struct cp *cp, uint8_t vmid);
void space_settle(struct cp *cp, struct cp_space *space);
/* Halted wavefronts of closed queues are killed as soon as nothing else of the space is under way. */
void space_reap(struct cp *cp, struct cp_space *space);

/* page_ranges.c: which pages a command names; a list of up to CP_PAGES pages, of one a plain range. */
void range_name(struct msg_cp_cmd *cmd, const struct cp_range *range);
struct cp_range range_of_list(const uint64_t *page, size_t count, uint64_t bytes, bool more);

/* shootdown.c: the oldest one that waits for page tables, of this space (NULL: a drop of caches), has its turn; the
 * oldest command is answered; count those that are done; before a descriptor is read: what caches held of memory that
 * has changed hands is gone (false: it is on its way out). */
void shootdown_due(struct cp *cp, const struct table_note *note);
/* A command for translations of this space is not answered. */
bool shootdown_flies(const struct cp *cp, uint8_t vmid);
void shootdown_answered(struct cp *cp, uint8_t status);
/* A component has been enabled: commands that one of them refused are sent again. */
void shootdowns_again(struct cp *cp);
void shootdowns_check(struct cp *cp);
void shootdowns_free(struct cp *cp);
bool caches_dropped(struct cp *cp);

/* address_space.c: all CUs have a trap handler. */
void space_trapped(struct cp *cp, uint8_t vmid);
/* withheld.c: the L2 TLB withholds translations of a page; an answer to such has its turn; a CP_XLAT is done; a
 * component has been enabled. */
void withheld_reported(struct cp *cp, const struct msg_cp_evt *evt);
void withheld_due(struct cp *cp, const struct table_note *note);
void withheld_answered(struct cp *cp, uint8_t status);
void withheld_again(struct cp *cp);

/* access.c: the memory (owner) that an entry leads to; of an access that has its place: what its answer is known by; it
 * is sent where the entry of its address leads; an address without an entry will get one, or its accesses are denied.
 * deferred.c: an access waits for a locked page, or behind one that does; those of a space may go, in this cycle; those
 * to [va, +bytes) get no entry; the end: nothing is sent any more.  resume.c: the timer's call. */
static inline uint8_t access_memory(uint64_t entry)
{
    return (uint8_t)((entry & PTE_ADDR) >> 48);
}
uint64_t access_cookie(const struct cp *cp, uint32_t place);
void access_go(struct cp *cp, struct cp_space *space, uint32_t place, uint64_t entry, uint64_t va,
               struct msg_mem_req *req, bool early);
bool access_awaited(struct cp *cp, const struct cp_space *space, uint64_t va);
void deferred_add(struct cp *cp, struct cp_space *space, uint32_t place, uint64_t va, const struct msg_mem_req *req,
                  bool early);
void deferred_wake(struct cp *cp, const struct cp_space *space);
void deferred_deny(struct cp *cp, const struct cp_space *space, uint64_t va, uint64_t bytes);
void deferred_step(struct cp *cp);
void deferred_free(struct cp *cp);

/* pm4.c: the packets of a vendor-specific slot are executed, then `ended` is called, or the queue has failed; what they
 * waited for may be there. */
void pm4_begin(struct cp *cp, struct job *job, void (*ended)(struct cp *cp, struct job *job));
void pm4_step(struct cp *cp, struct job *job);
/* One of the queue's has ended, for which such packets may wait. */
void pm4_look(struct cp *cp);

/* control.c: the GPU has done an operation. */
void control_answered(struct cp *cp, const struct msg_cp_evt *evt);

/* page_commands.c: the slices have written a page back; a page-move engine tells of a page. */
void page_flushed(struct cp *cp, uint8_t status);
void page_reported(struct cp *cp, const struct msg_cp_evt *evt);

/* counts.c: the RDMA engine reports counters; it has done a command, or its agent has refused it. */
void counts_reported(struct cp *cp, const struct msg_cp_evt *evt);
void counts_answered(struct cp *cp, const struct msg_cp_evt *evt);

/* interrupt.c: a wavefront of the space has sent an interrupt; the timer's call; the space is closing. */
void interrupt_raise(struct cp *cp, struct cp_space *space);
void interrupt_serve(struct cp *cp);
void interrupt_forget(struct cp *cp, struct cp_space *space);

/* fence.c: enum cache_flag bits for a packet; all caches, or (own: false) those that hold more than the GPU's own VRAM.
 */
uint32_t fence_acquire(const uint8_t *packet);
uint32_t fence_release(const uint8_t *packet);
uint32_t fence_caches(bool own);
/* The job's fence is sent; one that empties the L2 also goes to the other GPUs whose memory the space reaches.  This
 * GPU has answered its part; it has answered what another one's fence has asked (CP_FAR): with the last part
 * cp->fenced goes on with the job.  A component has been enabled: parts that one refused are sent again. */
void fence_start(struct cp *cp, struct job *job, uint32_t flags);
void fence_answered(struct cp *cp, struct job *job, uint8_t status);
struct cp *fence_far_answered(struct cp *cp, uint8_t status); /* whose queues may go on */
void fences_again(struct cp *cp);

/* launch.c: fill *cmd from packet, descriptor and amd_queue_t; 0 or one of enum cp_error (CP_ERROR_SCRATCH: ask and
 * retry).  described: the descriptor could be read. */
uint32_t launch_build(const struct cp *cp, const struct cp_queue *queue, uint64_t index, const uint8_t *packet,
                      const struct launch_memory *memory, bool described, struct msg_cp_cmd *cmd);

/* signal.c: begin to write a signal: w->signal, count or value, begin, end and over are set.  Timestamps take effect
 * before the value, the value before the mailbox; then `over`, the event, and the host is told that memory has changed.
 */
void signal_begin(struct cp *cp, struct cp_queue *queue, struct job *job, struct signal_work *w);
/* Somebody can be told by it: it is not 0, and its memory is mapped. */
bool signal_there(const struct cp_space *space, uint64_t signal);
/* Values of the five dependency signals of a barrier packet, 0 where nothing is mapped; signals_satisfied looks at no
 * value where there is no signal. */
void signals_read(struct cp *cp, struct transfer *t, const uint8_t *packet, uint8_t values[5][8]);
void signals_peek(const struct cp_space *space, const uint8_t *packet, uint8_t values[5][8]);
/* All (or, with `any`, one) of them are 0. */
bool signals_satisfied(const uint8_t *packet, uint8_t values[5][8], bool any);

/* untimed_read.c: memory looked at without a message and without time: what only people are shown (names of kernels,
 * instructions and packets in reports), and, while the clock stands, whether a client has changed what a queue waits
 * for (fetch_changed).  False, or 0, when some byte is not mapped. */
bool peek_for_report(const struct cp_space *space, uint64_t va, void *to, unsigned bytes);
uint64_t peek_word_for_report(const struct cp_space *space, uint64_t va, unsigned bytes);
static inline uint64_t peek_long_for_report(const struct cp_space *space, uint64_t va)
{
    return peek_word_for_report(space, va, sizeof(uint64_t));
}

/* kernel_name.c: name of the kernel whose descriptor lies at `object`, kept. */
const char *kernel_name(struct cp_space *space, uint64_t object);
#endif
