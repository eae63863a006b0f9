/* SPDX-License-Identifier: Apache-2.0
 * The memory that the processes of one run share: an entry for each process (hello, heartbeat, what it waits for) and
 * the rings of all links between them, without pointers.  Made by the process that starts the others, from names known
 * to all; the file descriptor is inherited.  Responsible for: layout, joining, the transport `shm`.  Not responsible
 * for: waiting and the rule for idle runs (region_wait.h), death of a process (peers.h).
 */
#ifndef GANTRY_REGION_H
#define GANTRY_REGION_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/hello.h"
#include "bridge/link/link.h"

#define REGION_PROCESSES 128
#define REGION_NAME 40
#define REGION_NONE UINT32_MAX

struct region;

struct region_link {
    char name[LINK_NAME]; /* of no other link of the plan */
    uint32_t bytes, latency, depth;
    uint32_t from, to; /* numbers of processes */
};
struct region_plan {
    const char *const *processes;
    uint32_t process_count;
    const struct region_link *links;
    uint32_t link_count;
    /* Process whose owner may act when all is quiet (a program that runs on while the clock stands still): only it is
     * told of quiet, the others wait for it until it leaves.  REGION_NONE: all are told. */
    uint32_t host;
};

/* The region as a file descriptor, close-on-exec; -1 after one line. */
int region_create(const struct region_plan *plan);
/* Joins as process `self`, with its hello, and `threads` that it keeps busy.  The descriptor may be closed afterwards.
 * NULL after one line. */
struct region *region_open(int fd, uint32_t self, const struct hello *hello, unsigned threads);
/* Leaves in order: the others are told, and no longer miss this process.  Its links are closed first. */
void region_close(struct region *region);

uint32_t region_self(const struct region *region);
uint32_t region_host(const struct region *region); /* as planned */
const char *region_process(const struct region *region, uint32_t process);

/* Place: a struct region in which this process is at the end that the link says. */
extern const struct transport transport_shm;
/* Messages on all links of the region that are open here: sent before their newest promise, and shown by peeks. */
void region_messages(const struct region *region, uint64_t *sent, uint64_t *received);
/* Process at the other end of a link that is open; REGION_NONE when the link is not of this region. */
uint32_t region_partner(const struct region *region, const struct link *link);
#endif
