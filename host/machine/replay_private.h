/* SPDX-License-Identifier: Apache-2.0
 * Inside of a replay: replay.c (host side), replay_memory.c (host memory), replay_texts.c (opening), replay_part.c (one
 * partition).
 */
#ifndef GANTRY_REPLAY_PRIVATE_H
#define GANTRY_REPLAY_PRIVATE_H
#include "base/journal.h"
#include "machine/message_log.h"
#include "machine/record_format.h"
#include "machine/replay.h"

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
    uint64_t events, kernels;       /* taken so far; that have ended */
    struct goals *goals;            /* of its options, or NULL */
    struct message_log *memory_log; /* far_req of each GPU */
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
/* replay_place.c: where the replay is in its recording; go there from the beginning, without doing anything.  False when
 * that is no border between messages. */
struct recorded;
void replay_place(const struct replay *r, struct recorded *place);
bool replay_skip(struct replay *r, const struct recorded *place);
/* The checkpoint, when it is due. True: it was. */
bool replay_goals(struct replay *r);
/* Take the host's next record for this replay: its bytes follow. */
void replay_host_next(struct replay *r);
/* One line; the replay differs from now on.  Only the first counts. */
void replay_differs(struct replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
