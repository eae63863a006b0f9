/* SPDX-License-Identifier: Apache-2.0
 * Inside of a replay: replay.c (host side), replay_memory.c (host memory), replay_texts.c (opening), replay_part.c (one
 * partition).
 */
#ifndef GANTRY_REPLAY_PRIVATE_H
#define GANTRY_REPLAY_PRIVATE_H
#include "record/message_log.h"
#include "record/record_format.h"
#include "record/replay.h"
#include "saved/journal.h"

struct replay_text {
    enum record_text what;
    uint32_t bytes;
    char *text;
};

struct replay {
    struct journal_reader *reader;
    char *dir;
    struct replay_text *texts;
    size_t text_count, text_room;
    /* replay.c */
    struct pmem *memory;
    struct sim *sim;
    int gpu; /* the only one, or -1 */
    unsigned gpus;
    struct host_record next; /* kind 0: none is left */
    uint64_t end;            /* replay_last */
    bool ended, differs;
    uint64_t events, answers, kernels; /* taken so far; that have ended */
    struct goals *goals;               /* of its options, or NULL */
    struct message_log *memory_log;    /* far_req of each GPU, then those of the host's port */
    uint64_t *memory_count;
    struct part_feed *feeds[64];
};

/* What replay_open made. */
void replay_close(struct replay *r);
/* Name of a partition kept. */
const char *replay_part_name(const struct replay *r, int part);
/* Cycle of the recording's last record of the host. */
uint64_t replay_last(const struct replay *r);
/* replay_memory.c: answers of host memory, for hostmem_serve_by; address space for windows, for lock step. */
struct msg_mem_req;
struct msg_mem_rsp;
void replay_serve(void *ctx, unsigned gpu, uint64_t cycle, const struct msg_mem_req *req, struct msg_mem_rsp *rsp);
bool replay_windows(struct replay *r);
/* Go on to byte `to` of the stream of a GPU's host memory, which is one that nobody asks any more.  False: it is none
 * behind a message. */
bool replay_memory_skip(struct replay *r, unsigned gpu, uint64_t to);
/* replay_place.c: where the replay is in its recording; take the host's next record for it, whose bytes follow. */
struct recorded;
void replay_place(const struct replay *r, struct recorded *place);
void replay_host_next(struct replay *r);
/* One line; the replay differs from now on.  Only the first counts. */
void replay_differs(struct replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
