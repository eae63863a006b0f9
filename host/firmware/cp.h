/* SPDX-License-Identifier: Apache-2.0
 * The command processor of one GPU: fetches AQL packets after a doorbell, orders them by barrier bits and dependency
 * signals, turns a dispatch packet and its kernel descriptor into a launch, keeps the fences of packet headers, writes
 * completion signals.  Not responsible for: which queue belongs to which client, events, page tables (host/driver),
 * the machine behind cp_cmd (host/machine).  See docs/reference/firmware.md.
 */
#ifndef GANTRY_CP_H
#define GANTRY_CP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gantry_msg.h"

struct cp;
struct cp_queue;
struct pagetable;
struct sim;

/* Bytes of a kernel's name.  A longer one is told cut, with a sum over all of it, and in the log. */
#define CP_NAME_MOST 4095u

/* One row of the kernel table. */
struct kernel_row {
    unsigned process; /* number of the client in this run; set by the driver */
    unsigned gpu;
    unsigned queue;   /* number of the queue in this run, in order of creation */
    const char *name; /* kept (base/kept.h), whole up to CP_NAME_MOST bytes */
    uint32_t grid[3];
    uint16_t group[3];
    bool untimed;    /* ran on the golden model: start and end only order it */
    bool unfinished; /* still at the GPU when the run ended: start is the launch, end and counts are 0 */
    uint64_t start;  /* target cycle at which the first wavefront was placed */
    uint64_t end;
    uint64_t groups;
    unsigned dispatcher; /* of the GPU; 0 on the golden model */
    unsigned beside;     /* most other kernels that were at the GPU at a time while it was */
    uint64_t wavefronts;
    uint64_t instructions;
    uint64_t number; /* of the run's kernels, from 1, as command processors start them; 0: nobody counts (cp_host) */
};

/* Address space of one client on this GPU. */
struct cp_space {
    struct pagetable *pt;
    uint8_t vmid;
    void *owner;           /* given back in callbacks */
    uint64_t scratch_base; /* address of the window for scratch memory: SH_HIDDEN_PRIVATE_BASE */
    uint64_t tba, tma;     /* trap handler, its memory; 0: none */
    bool tlb_stale;        /* the next launch first drops TLB entries of vmid */
    unsigned flushes;      /* packets under way whose fence does that */
    bool known;            /* to the GPU, by its root: before that its queues stand */
    bool faulted;          /* reported; its wavefronts are being killed */
    bool closing;
    bool killing;
    unsigned busy;     /* commands of this space at the GPU */
    unsigned accesses; /* to its memory, without an answer */
    unsigned deferred; /* those of them that wait for a locked page, or behind one (deferred.c) */
    uint8_t memory;    /* owner of the memory that the last one sent went to */
    unsigned notes;    /* of it, behind writes to page tables */
    struct cp_space *next_killing;
    uint64_t interrupt_at, interrupt_last; /* cycles at which the next and the last interrupt sent are served */
    struct cp_space *next_interrupted;
};

/* Codes for the inactive signal of a queue. */
enum cp_error {
    CP_ERROR_SCRATCH = 0x1, /* asks for scratch memory; an error only where the queue has no signal to ask by */
    CP_ERROR_DIMS = 0x2,
    CP_ERROR_LDS = 0x4,
    CP_ERROR_CODE = 0x8,
    CP_ERROR_PACKET = 0x20,
    CP_ERROR_GROUP = 0x40,
    CP_ERROR_REGISTERS = 0x80,
    CP_ERROR_VENDOR = 0x100,
    CP_ERROR_RECLAIM = 0x200, /* no error: a kernel that had its scratch memory for once has ended */
    CP_ERROR_APERTURE = 0x20000000,
    CP_ERROR_ILLEGAL = 0x40000000,
    CP_ERROR_TRAP = 0x80000000,
};

/* For people, e.g. "work-group too large". */
const char *cp_error_text(uint32_t code);
/* What stopped a queue, in words: the cause, and of a wavefront (evt; NULL: none) PC, place, and the instruction (the 8
 * bytes in evt->data) with its disassembly; of an illegal one why it is (evt->va: VGPRs, SGPRs << 16 of the
 * wavefront). */
void cp_fault_text(unsigned gpu, uint32_t code, const struct msg_cp_evt *evt, char *text, size_t room);
/* The same of a memory fault, with its address. */
void cp_memory_fault_text(unsigned gpu, const struct msg_cp_evt *evt, char *text, size_t room);

/* A wavefront that has halted itself. */
void cp_halt_text(unsigned gpu, const struct msg_cp_evt *evt, char *text, size_t room);
/* Appended to one of these texts, in the callback of the event: "; in KERNEL+OFFSET (SOURCE), work-group X,Y,Z".  The
 * source line may be "". */
void cp_place_text(struct cp *cp, const struct msg_cp_evt *evt, const char *source, char *text, size_t room);
/* The same for a packet that was refused, in the callback of its queue's error. */
void cp_packet_text(struct cp *cp, unsigned queue, char *text, size_t room);
/* Before that, directly behind the cause: what it asks for, and the limit (": 2048 work-items, at most 1024"); nothing
 * for causes without one. */
void cp_limit_text(const struct cp *cp, unsigned queue, uint32_t code, char *text, size_t room);

/* What the command processor tells its owner; every call happens in a callback of struct sim_host_ops, in cp_poll or
 * cp_look, in the opening and closing of a space, in cp_queue_suspend or cp_unfinished. */
struct cp_host {
    void *ctx;
    /* A signal's mailbox was written: set event `event_id` of the owner. */
    void (*event)(void *ctx, void *owner, uint32_t event_id);
    /* Memory that a client or another queue may be waiting on has changed. */
    void (*visible)(void *ctx);
    /* A wavefront has accessed evt->va in vain (evt->status: enum fault_kind); data: the 8 bytes at its PC.  With
     * evt->kind 0 the command processor itself has: nobody can be told that a queue has stopped. */
    void (*memory_fault)(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt);
    /* Queue stopped with one of enum cp_error (before the inactive signal tells it; visible follows when that is
     * written). */
    void (*queue_error)(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code,
                        const struct msg_cp_evt *evt);
    /* The first wavefront of a kernel has halted itself, as a trap handler does that has told the host. */
    void (*halted)(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt);
    /* Event slots were written by wavefronts that sent an interrupt: all of them are to be looked at. */
    void (*interrupt)(void *ctx, void *owner);
    /* A kernel has ended, or was killed unfinished. */
    void (*kernel)(void *ctx, void *owner, const struct kernel_row *row);
    /* Nothing of a closing space is left on the GPU. */
    void (*space_closed)(void *ctx, struct cp_space *space);
    /* cp_shootdowns_done has risen; may be NULL. */
    void (*shootdown)(void *ctx);
    /* A kernel packet is about to start.  False: not yet, cp_poll asks again.  May be NULL: always. */
    bool (*may_start)(void *ctx);
    /* The L2 TLB withholds translations of a page without an entry that allows `rights` (PTE_R, PTE_W, PTE_X), or (0)
     * an access of the command processor itself waits for an entry: true: the owner will call cp_space_answer for it,
     * false: it is a fault.  Asked again while it waits.  May be NULL: false. */
    bool (*withheld)(void *ctx, void *owner, unsigned gpu, uint64_t va, uint32_t rights);
    /* cp_tables_done has risen; may be NULL. */
    void (*tables)(void *ctx);
    /* A kernel packet starts: its number in the run.  May be NULL: 0. */
    uint64_t (*number)(void *ctx);
    /* The command processor of another GPU.  May be NULL: address spaces reach this GPU's memory and the host's alone.
     */
    struct cp *(*other)(void *ctx, unsigned gpu);
};

/* What work-groups are kept apart by. */
enum cp_partition { PARTITION_NONE, PARTITION_QUEUE, PARTITION_PRIORITY, PARTITION_PROCESS };

#define CP_SLOTS 128u
#define CP_ENGINES 16u
struct cp_config {
    uint32_t doorbell_cycles;  /* from a doorbell until it is heard */
    uint32_t packet_cycles;    /* decode of one packet */
    uint32_t launch_cycles;    /* from acquire to the launch command */
    uint32_t barrier_cycles;   /* processing of a barrier packet */
    uint32_t signal_cycles;    /* before a completion signal is written */
    uint32_t interrupt_cycles; /* from the arrival of a wavefront's interrupt until it is served */
    uint32_t launches;         /* at the dispatcher at a time */
    uint32_t slots;            /* hardware queue slots, at most CP_SLOTS */
    uint32_t engines;          /* at most CP_ENGINES; slot s belongs to engine s modulo engines */
    uint32_t quantum_cycles;   /* how long a queue keeps its slot while another waits for one */
    uint32_t map_cycles;       /* a slot's change from one queue to another */
    enum cp_partition partition;
    uint32_t cus, parts;  /* of the GPU; equal runs of CUs, for `partition` */
    uint32_t poll_cycles; /* repeat of an unsatisfied dependency while kernels run */
    uint32_t lds_bytes;   /* of a CU */
    uint32_t simds;
    uint32_t waves_per_simd;
    uint32_t vgprs_per_simd; /* rows of 64 lanes */
    uint32_t sgprs_per_simd;
    bool counters;       /* the RDMA engine has counters of far accesses */
    uint32_t count_page; /* bytes that they count as one page: 4,096 or 65,536 */
    bool withhold;       /* translations that fail are withheld until the driver has decided */
    uint64_t cu_mask;
    uint64_t tables_base, tables_bytes; /* where page tables lie in VRAM */
};

#define CP_PRIORITIES 16u /* of queues, as the kernel driver counts them */
struct cp_queue_args {
    unsigned number;      /* for the kernel table */
    uint64_t ring;        /* GPU virtual address */
    uint64_t packets;     /* power of two */
    uint64_t write_index; /* address of the u64 write index */
    uint64_t read_index;  /* address of the u64 read index, 0x80 bytes into amd_queue_t */
    unsigned priority;    /* 0 to CP_PRIORITIES - 1, greater first */
};

/* Timer cookies of a command processor hold its GPU number in bits 63:56. */
struct cp *cp_new(struct sim *sim, unsigned gpu, const struct cp_config *config, const struct cp_host *host);
void cp_free(struct cp *cp);
void cp_event(struct cp *cp, const struct msg_cp_evt *evt);
void cp_timer(struct cp *cp, uint64_t cookie);
/* The answer to one of its sim_access. */
void cp_answer(struct cp *cp, uint64_t cookie, const struct msg_mem_rsp *rsp);

/* Entries of page tables in this GPU's VRAM have changed (pagetable_sink_fn): they are written in the order of calls,
 * which begins when the machine runs. */
void cp_tables_write(struct cp *cp, uint64_t pa, const void *from, uint32_t bytes);
/* Writes so far, and those that are done, with all that was to come behind them: in this order. */
uint64_t cp_tables_asked(const struct cp *cp);
uint64_t cp_tables_done(const struct cp *cp);
/* Changes so far: some of them join a write that has not begun. */
uint64_t cp_tables_changes(const struct cp *cp);

/* The GPU is told behind all writes to page tables so far. */
void cp_space_open(struct cp *cp, struct cp_space *space);
/* tba and tma of an open space have changed: wavefronts that start from now on have them. */
void cp_space_trap(struct cp *cp, struct cp_space *space);
/* `bytes` of the space from `va` on were unmapped or changed (0 bytes: all): when that is written, what has begun to
 * start or runs loses these translations by a command of its own; where nothing does, what starts next loses all of the
 * space by its first fence.  Accesses of the command processor under way count as a shoot-down, too. */
void cp_space_shootdown(struct cp *cp, struct cp_space *space, uint64_t va, uint64_t bytes);
/* The same for `count` pages, up to CP_PAGES, of `bytes` each, at va[], by one command.  more: another call for the
 * same space follows at once, which is the one that waits for accesses under way: all are done when that is. */
#define CP_PAGES 8u
void cp_pages_shootdown(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes,
                        bool more);
/* Memory that no translation leads to any more changes hands: what runs on this GPU loses what its caches hold by a
 * command that counts as a shoot-down, what starts later by its first fence.  own: it is VRAM of this GPU. */
void cp_caches_drop(struct cp *cp, bool own);
/* Shoot-downs so far, of all spaces, and those that are done: in the order of sending.  Then no access of this GPU,
 * nor of this command processor, is under way that was translated before it. */
uint64_t cp_shootdowns_sent(const struct cp *cp);
uint64_t cp_shootdowns_done(const struct cp *cp);
/* What becomes of translations of these pages (0 bytes: all of the space) that the L2 TLB withholds: they are looked up
 * again behind all writes to page tables so far; what fails then is withheld again, or (deny) is a fault.  So are the
 * command processor's own accesses, which wait for locked pages: to be called too when such were unmapped. */
void cp_space_answer(struct cp *cp, struct cp_space *space, uint64_t va, uint64_t bytes, bool deny);
/* The same for pages of a list (cp_pages_shootdown), whose failing translations are withheld again. */
void cp_pages_answer(struct cp *cp, struct cp_space *space, const uint64_t *va, size_t count, uint64_t bytes);
/* No kernel of the space has started and not completed. */
bool cp_space_rests(const struct cp *cp, const struct cp_space *space);
/* Queues of the space are closed, its wavefronts killed; space_closed follows (at once when nothing ran). */
void cp_space_close(struct cp *cp, struct cp_space *space);

/* Begins at packet 0, whatever the read index in memory is: that is for the client to read. */
struct cp_queue *cp_queue_open(struct cp *cp, struct cp_space *space, const struct cp_queue_args *args);
void cp_queue_close(struct cp *cp, struct cp_queue *queue);
void cp_queue_suspend(struct cp *cp, struct cp_queue *queue, bool suspended);
/* Of its packets that are read from now on: which kernel gets the next dispatcher, and whose groups are placed first.
 */
void cp_queue_priority(struct cp_queue *queue, unsigned priority);
/* 0: all CUs.  False when none of the mask exists: it stays as it was. */
bool cp_queue_cu_mask(struct cp *cp, struct cp_queue *queue, uint64_t mask);

/* The doorbell of an open queue was rung: heard `doorbell_cycles` later, unless the queue is closed by then. */
void cp_doorbell(struct cp *cp, struct cp_queue *queue);
/* A client may have changed memory while the clock stood: queues that wait for a packet header, a dependency or scratch
 * read it again, if it has (which is seen without time; so a client that changes nothing moves no clock). */
void cp_poll(struct cp *cp);
/* Whether such a queue would read it again. Only while the clock stands. */
bool cp_changed(const struct cp *cp);
/* A GPU may have changed it: such queues read again. */
void cp_look(struct cp *cp);
/* How far the kernels at the GPU are, for people.  `groups` have ended at this GPU so far (sim_groups). */
struct cp_progress {
    const char *kernel;   /* kept; the one that was launched first; "": none */
    uint64_t done, total; /* work-groups of all of them */
};
void cp_progress(struct cp *cp, uint64_t groups, struct cp_progress *progress);
/* At the end of a run: the kernel callback for every kernel at the GPU, as unfinished. */
void cp_unfinished(struct cp *cp);
/* Each packet under way and each queue that waits: one line, for a run that makes no progress. */
void cp_tell(const struct cp *cp, FILE *out);
/* True when some packet is started and not completed, a doorbell is on its way or memory has not answered (waiting for
 * dependencies does not count); or, busy, page tables are to be written or a page moves. */
bool cp_working(const struct cp *cp);
bool cp_busy(const struct cp *cp);
#endif
