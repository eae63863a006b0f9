/* SPDX-License-Identifier: Apache-2.0
 * Inside of the emulated kernel driver, for the rooms of its floor only: clients (processes), connections (threads),
 * memory objects, events, queues.  One thread serves all; what a module owns is named at its functions below.
 */
#ifndef GANTRY_DRIVER_H
#define GANTRY_DRIVER_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "clients/process_tree.h"
#include "clients/protocol.h"
#include "clients/watch.h"
#include "clock/time_slice.h"
#include "driver/datahash.h"
#include "driver/doorbell.h"
#include "driver/event_slots.h"
#include "memory/backing.h"
#include "memory/granules.h"
#include "memory/quarantine.h"
#include "memory/shared_objects.h"
#include "memory/table_waits.h"
#include "system/machine.h"
#include "vm/ranges.h"

#define EVENT_LIMIT 4096
#define EVENT_FIRST 1u /* the runtime takes 0 for none */
#define VMIDS 16u
#define NO_VMID (-1)
#define NO_INDEX UINT32_MAX
#define NEVER UINT64_MAX
#define NO_FILE (-1)     /* a descriptor that is none */
#define WAIT_LEAST 1000u /* cycles that a wait with a time limit takes: who asks again and again lets time pass */

struct driver;
struct migrate;
struct phases;

/* What a process has allocated or imported. */
struct object {
    struct range handle;                    /* .at; node of client.objects */
    uint64_t va, bytes;                     /* whole pages */
    struct hold *hold;                      /* the memory that it is; NULL: a page of the kfd file */
    struct object *sibling, **sibling_link; /* of the same process, in the same memory; what leads here */
    uint64_t mapped;                        /* GPUs, one bit each */
};

/* An object that is mapped on a GPU: node of client_gpu.mapped or .pages, by virtual address. */
struct mapping {
    struct range range;
    struct object *object;
};

struct event {
    bool used, auto_reset, set;
    uint32_t type;
    uint64_t fault_va; /* of a memory event */
    uint32_t fault_gpu_id;
    enum fault_kind fault;
};

struct queue {
    struct client *client;
    uint32_t id;     /* in its process: word of the doorbell page */
    unsigned number; /* in this run */
    unsigned gpu;
    struct cp_queue *cp;
};

/* What a process has on one GPU. */
struct client_gpu {
    struct pagetable *pt; /* after ACQUIRE_VM */
    struct ranges mapped; /* in page tables */
    struct ranges pages;  /* of the kfd file, which no page table leads to: known for what a fault was next to */
    struct cp_space space;
    bool space_open; /* known to the command processor */
    uint64_t tables; /* of an ended client: cp_tables_done from which on nothing of it is written any more */
};

struct client {
    struct client *next;
    unsigned index; /* in the order in which they have opened /dev/kfd; NO_INDEX before that */
    struct kin *kin;
    pid_t pid;
    int pidfd;
    bool opened;  /* /dev/kfd */
    bool over;    /* process gone; its end is carried out in its turn (process_order.h) */
    bool ended;   /* it is: closing */
    bool greeted; /* has a life line */
    int vmid;     /* number of its address space, NO_VMID before its first queue */
    int page_fd;  /* doorbell and MMIO pages */
    uint8_t *pages;
    uint64_t pages_bytes;
    struct client_gpu gpu[DRIVER_GPUS];
    struct ranges objects; /* by handle */
    struct ranges holds;   /* of the memory that they are, by physical address */
    uint64_t user_bytes;   /* of the user pointers among them */
    uint64_t next_handle;
    uint64_t clock_calls; /* GET_CLOCK_COUNTERS so far */
    struct event events[EVENT_LIMIT];
    uint64_t event_page;                       /* handle of the buffer with a slot for each event; 0: none yet */
    struct slots slots;                        /* of it */
    struct queue *queues[DOORBELL_QUEUES + 1]; /* by id; NULL: free, as the last always is */
};

/* Target cycles after which a thread that polls looks again though nothing has changed: what runs may wait for it. */
#define PARK_MOST 50000u

enum conn_state { CONN_RUNNING, CONN_WAIT, CONN_PARK, CONN_SLEEP, CONN_TABLES, CONN_HELD };

struct conn {
    struct conn *next;
    int fd;
    pid_t pid, tid;
    struct client *client; /* NULL before the first request */
    bool gone;
    enum conn_state state;
    bool due;                  /* PARK: may go on */
    bool looked;               /* PARK: was let go since anything changed, and came back */
    bool again;                /* SLEEP: an ioctl is to be tried again */
    bool batch;                /* belongs to those that are answered before others become due */
    uint64_t deadline;         /* WAIT, SLEEP: target cycle, or NEVER; PARK: looks again while something is under way */
    struct tables_wait tables; /* TABLES: what its answer waits for, and the answer */
    struct shim_request request;
};

struct driver {
    struct machine *machine;
    const struct gantry_cfg *cfg;
    bool gated;
    bool ordered;                          /* processes have their turns (process_order.h) */
    bool program_time;                     /* the program's clocks tell target time */
    int kfd_token, dri_token[DRIVER_GPUS]; /* what a client gets for a device file: empty, to be known by its inode */
    int listen_fd, spare_fd;               /* spare: to turn a connection away when there is no other descriptor */
    unsigned conn_room, refused;           /* connections at a time; those that were turned away */
    uint64_t files_before;                 /* descriptors a process of the run may have: ours are more */
    pid_t program;                         /* reaped by run.c alone */
    char root[256];
    struct client *clients; /* in order of their numbers, then of arrival */
    struct conn *conns;
    unsigned client_count, queue_count;
    struct store vram[DRIVER_GPUS], gtt;
    struct ranges backings; /* memory that somebody has, by its physical address */
    struct migrate *migrate;
    struct phases *phases;
    struct ranges shared; /* exported memory (shared_objects.c) */
    uint64_t exports;     /* handles made so far */
    uint64_t seed;        /* of the run */
    struct quarantine quarantine;
    uint64_t tables_put[DRIVER_GPUS];     /* memory_objects.c: pagetable_removed up to which tables are in it */
    uint64_t slots_asked, slots_answered; /* accesses to event pages, all in host memory: in this order */
    uint32_t vmid_used;
    struct datahash data;
    struct kernel_row *rows;
    size_t row_count, row_room;
    uint64_t first_doorbell, last_completion;
    uint64_t doorbells[DRIVER_GPUS];
    bool gpu_work, not_repeatable, failed;
    struct slice slice; /* of the gate */
    struct kin_tree kin;
    struct kin *turn; /* of whom the last request was that had its turn */
    struct watch watch;
    bool moved;        /* a client may have run since the machine did (sim_still) */
    bool beside;       /* a client runs beside the machine, though the clock is gated */
    bool changed;      /* a client did something since the clock was last looked at */
    uint64_t requests; /* without those by which a thread only waits */
    uint64_t answers;
    uint64_t moving_since; /* answers, when the first page under way began to move */
};

/* driver.c: the whole; callbacks of the command processors. */
struct driver *driver_new(const struct gantry_cfg *cfg, const struct sim_options *options);
void driver_delete(struct driver *d);

/* client.c */
struct client *client_get(struct driver *d, pid_t pid);
struct client *client_forked(struct driver *d, pid_t pid, pid_t parent); /* the same; parent: 0, or who forked it */
uint64_t client_cycle(const struct driver *d);                           /* of the target's clock, as clients see it */
int client_vm_open(struct driver *d, struct client *c, unsigned gpu);
/* Before the first queue; starts the machine. */
int client_space_open(struct driver *d, struct client *c, unsigned gpu);
void client_space_closed(struct driver *d, struct cp_space *space);
int client_read(const struct client *c, uint64_t address, void *to, size_t bytes);
int client_write(const struct client *c, uint64_t address, const void *from, size_t bytes);
int gpu_of_id(const struct driver *d, uint32_t gpu_id); /* -1: none */

/* client_process.c */
int client_open(struct driver *d, struct client *c); /* /dev/kfd, which gives it its number; 0 or errno */
void client_end(struct driver *d, struct client *c); /* the process is gone */
void client_reap(struct driver *d);                  /* free what is closed */
void client_drop_all(struct driver *d);              /* at the end, whatever still runs */

/* page_moves.c: what pages that move need of the driver, and where it asks for one.  Who has the memory mapped is about
 * to change. */
struct migrate *moves_new(struct driver *d);
/* After it, before the machine has begun. */
struct phases *moves_phases(struct driver *d);
void moves_settle(struct driver *d, const struct object *o);

/* entries.c: the object's pages, where they are, become those of its addresses, or (lazy_entries.h) those in the GPU's
 * memory; [page, +bytes) of the memory, own address, become those at va, all of them (0 or errno); flags of an entry of
 * this GPU, near: while the page is in its own memory. */
int entries_write(struct driver *d, struct pagetable *pt, const struct object *o, unsigned gpu, bool lazy);
int entries_fill(struct driver *d, struct pagetable *pt, const struct backing *b, unsigned gpu, uint64_t va,
                 uint64_t page, uint64_t bytes);
uint32_t entries_flags(const struct backing *b, bool near);

/* memory_objects.c: ioctls return 0 or errno and change the argument in place. */
int memory_alloc(struct driver *d, struct client *c, void *arg);
int memory_free(struct driver *d, struct client *c, void *arg);
int memory_map(struct driver *d, struct client *c, void *arg);
int memory_unmap(struct driver *d, struct client *c, void *arg);
/* What of the client's memory is about to move is where it stays. */
void memory_settle_all(struct driver *d, const struct client *c);
/* Of a client whose page tables are not walked any more. */
void memory_release_all(struct driver *d, struct client *c);
struct object *memory_find(const struct client *c, uint64_t handle);
/* An object of the client that is this memory (which exists): its handle, and its offset for mmap.  0 or errno. */
int memory_add(struct driver *d, struct client *c, struct backing *b, uint64_t va, uint64_t *handle,
               uint64_t *mmap_offset);
/* mmap of render node `gpu`: the file (borrowed), the offset in it and how much of *bytes lies there; -1 when [offset,
 * +*bytes) is not within one object of the client. */
int memory_map_file(struct driver *d, struct client *c, unsigned gpu, uint64_t offset, uint64_t *bytes,
                    uint64_t *file_offset);

/* event.c */
int event_create(struct driver *d, struct client *c, void *arg);
int event_destroy(struct driver *d, struct client *c, void *arg);
int event_set(struct driver *d, struct client *c, void *arg);
int event_reset(struct driver *d, struct client *c, void *arg);
int event_wait_begin(struct driver *d, struct conn *conn); /* 0, or errno: answer at once */
bool event_wait_ready(const struct driver *d, const struct conn *conn);
void event_wait_finish(struct conn *conn, struct shim_answer *answer);
void event_wait_tell(const struct driver *d, const struct conn *conn, FILE *out); /* "waits for ...", a line */
void event_raise(struct client *c, uint32_t id);
void event_raise_fault(struct client *c, uint32_t gpu_id, uint64_t va, enum fault_kind kind);
/* A memory fault was raised, and no thread of the process waits for it. */
bool event_fault_unseen(const struct driver *d, const struct client *c);

/* queue.c */
int queue_create(struct driver *d, struct client *c, void *arg);
int queue_destroy(struct driver *d, struct client *c, void *arg);
int queue_update(struct driver *d, struct client *c, void *arg);
int queue_cu_mask(struct driver *d, struct client *c, void *arg);
void queue_release_all(struct driver *d, struct client *c);
void queue_forget_all(struct client *c); /* their memory only: the machine goes, too */
struct queue *queue_find(const struct client *c, uint32_t id);
bool queue_rung(const struct driver *d);                     /* a doorbell that is not served yet */
bool queue_doorbells(struct driver *d);                      /* serve all; true when one was rung */
uint64_t queue_window(const struct driver *d, unsigned gpu); /* of doorbells, in the kfd file */
int queue_map_offset(struct driver *d, struct client *c, uint64_t offset, uint64_t bytes, uint64_t *file_offset);

/* ioctl.c: WAIT_EVENTS. */
bool ioctl_waits(const struct shim_request *request);
bool ioctl_changes(const struct shim_request *request); /* what other processes see, or asks for what they change */
/* ioctl.c: true when *answer is to be sent now, false when the thread waits. */
bool ioctl_serve(struct driver *d, struct conn *conn, struct shim_answer *answer);

/* server.c */
int server_open(struct driver *d);
void server_close(struct driver *d);
/* Wait up to `timeout_us` (less than a second) for requests and serve them; extra_fd (or -1) also ends the wait.  True
 * when any came. */
bool server_poll(struct driver *d, long timeout_us, int extra_fd);
void server_answer(struct driver *d, struct conn *conn, const struct shim_answer *answer, int fd);
void server_serve(struct driver *d, struct conn *conn); /* the request of the connection, in its turn */

/* at_rest.c */
/* All threads rest, but for those of the client `except` (may be NULL), which may run. */
bool rest_reached(struct driver *d, const struct client *except);
/* A thread of a client, or of what it started, waits for something that no such thread does (or runs). */
bool rest_outside(struct driver *d);
void rest_tell(const struct driver *d, FILE *out); /* threads without a request, one line each */

/* gate.c */
enum gate_step { GATE_BUSY, GATE_IDLE, GATE_MAX_CYCLES, GATE_EXIT_AFTER, GATE_NO_PROGRESS };
enum gate_step gate_step(struct driver *d);    /* one move of the clock when the clients rest */
enum gate_step gate_advance(struct driver *d); /* the clock alone, clients running */
bool gate_needed(const struct driver *d);      /* someone may be waiting for the clock */
/* While the clock stands: if it ran, or a turn or an answer were given, a client could see it. */
bool gate_pending(const struct driver *d);
void gate_release(struct driver *d); /* clock: free: answer all that is due */
#endif
