/* SPDX-License-Identifier: Apache-2.0
 * --record DIR: keeps what enters the RTL of a run from outside, at its cycles, and what leaves it, so that
 * `gantry replay` can run the RTL alone and judge it.  What enters: commands, changes of VRAM by others than its GPU,
 * data of host memory as the GPU reads it, what other GPUs send, and on demand all messages into a partition.
 * Not responsible for: the file (saved/journal.h), who reads it (replay.h).  One thread.
 */
#ifndef GANTRY_RECORD_H
#define GANTRY_RECORD_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Cycles that a machine in several processes runs at most before all rest for record_window. */
#define RECORD_REST 8192u

struct pmem;
struct state_writer;
struct msg_cp_cmd;
struct msg_cp_evt;
struct msg_mem_req;
struct msg_mem_rsp;
struct record;
struct sim;

/* Texts and figures of the command around the run; this part does not look into them. */
enum record_text {
    RECORD_CONFIG = 1, /* "key: value" lines */
    RECORD_PART,       /* name of a partition whose messages are kept, one text each, in the order of their streams */
    RECORD_COMMAND,    /* as typed */
    RECORD_RESULT,     /* figures of the end */
    RECORD_ROWS,       /* kernel table; in place of each name its place in RECORD_NAMES */
    RECORD_NAMES,      /* names of kernels, each with a NUL behind it, the first one empty */
    RECORD_TEXTS
};

/* Makes the folder; parts: names of partitions, borrowed.  NULL with one line and the class in *failure: the folder
 * exists already or cannot be made. */
struct record *record_open(const char *dir, char *const *parts, unsigned count, enum gantry_status *failure);
void record_text(struct record *r, enum record_text what, const void *text, uint32_t bytes);
/* Begin, when the machine is built.  False with one line: no memory, unknown partition. */
bool record_attach(struct record *r, struct sim *sim);
/* Before the processes of a machine are forked: copies of VRAM that all of them have.  False with one line. */
bool record_share(struct record *r, struct pmem *memory, unsigned gpus, bool shared);
/* In a worker, before record_attach: from now on this copy of the recording keeps what enters the GPUs of this process
 * until process 0 asks for it. */
void record_follow(struct record *r);
/* What was kept since the last time, for record_gather. */
void record_give(struct record *r, struct state_writer *to);
/* Partitions asked for: with some of them the machine runs on one host thread. */
unsigned record_parts(const struct record *r);
/* The machine goes away. */
void record_detach(struct record *r);
/* The end of the run (the machine is still there; NULL: there never was one).  With `whole` the recording is marked as
 * complete.  STATUS_IO with one line when some of it was lost (disk full): what is there then ends earlier, and replays
 * as far as it goes.  Frees.  NULL is allowed. */
enum gantry_status record_close(struct record *r, bool whole);

/* The next kernel of the table has ended, at sim_now. */
void record_kernel(struct record *r, uint64_t number);

/* Everything so far is in the file, and this is where: what a checkpoint needs to find its place again (recorded.h).
 * STATUS_IO with one line: it cannot be written any more. */
struct recorded;
enum gantry_status record_place(struct record *r, struct recorded *place);
/* Path of its file: a new string. */
char *record_file(const struct record *r);

/* Processes run on without a place where all would rest, or have come to rest again: meanwhile nothing is committed,
 * and a recording that is closed ends with the last commit: one line, STATUS_IO.  So does one whose run ended without a
 * worker that was stopped (place_left). */
void record_unrest(struct record *r, bool unrest);

/* ---- for sim.c and port.c */
void record_command(struct record *r, unsigned gpu, const struct msg_cp_cmd *cmd);
void record_event(struct record *r, unsigned gpu, const struct msg_cp_evt *evt);
/* The host's port: lane 0 host memory, k + 1 VRAM of GPU k. */
void record_access(struct record *r, unsigned lane, const struct msg_mem_req *req, bool overlap);
void record_answer(struct record *r, unsigned lane, const struct msg_mem_rsp *rsp);
/* Others than the GPU may have changed VRAM. */
void record_changed(struct record *r);
/* Before partitions run, where no process runs any (but for record_unrest). */
void record_window(struct record *r);
#endif
