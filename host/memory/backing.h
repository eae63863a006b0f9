/* SPDX-License-Identifier: Apache-2.0
 * The memory behind objects: a piece of VRAM or GTT, or a window of client memory.  A process holds what its objects
 * lie in; several do when one has exported and others have imported it (shared_objects.c).  It is given back, and its
 * contents are taken into the `data` figure, when nobody holds it any more.  Not responsible for: objects and page
 * tables (memory_objects.c), who gets it next (quarantine.c).
 */
#ifndef GANTRY_BACKING_H
#define GANTRY_BACKING_H
#include <stdint.h>

#include "vm/ranges.h"

struct client;
struct driver;
struct hold;
struct object;

enum backing_kind { BACKING_VRAM, BACKING_GTT, BACKING_USER };

#define SHARE_WORDS 4

struct backing {
    enum backing_kind kind;
    unsigned gpu;       /* whose VRAM it is, or which one the allocation named */
    uint32_t flags;     /* of ALLOC */
    uint64_t offset;    /* in VRAM or GTT; of a window its number */
    uint64_t bytes;     /* whole pages */
    uint64_t reached;   /* GPUs, one bit each, that it was ever mapped on, by whomever */
    unsigned holds;     /* processes that have it */
    struct hold *hold;  /* list of these */
    struct range place; /* node of driver.backings: its physical address at first, which it keeps when pages move */
    struct range name;  /* once exported (bytes not 0): first 64 bits of its handle */
    uint32_t share[SHARE_WORDS];
    uint32_t share_flags; /* of the exporter's user space, for the importer's */
};

/* What a process has of one: node of client.holds, by physical address. */
struct hold {
    struct range place;
    struct backing *backing;
    struct client *client;
    struct hold *next;     /* of another process */
    unsigned objects;      /* of the process that lie in it */
    struct object *object; /* list of these */
};

/* The memory that this byte (of a page, by its own address) belongs to; NULL: nobody's. */
struct backing *backing_at(const struct driver *d, uint64_t address);
/* Physical address of its first byte, by which its pages are called also when they have moved (vm/pmem.h). */
uint64_t backing_address(const struct backing *b);
/* A new one with one hold of the client, without objects yet.  va: of its first byte, whose alignment it gets; cpu: of
 * a window.  0, or errno (EAGAIN: there may be room when GPUs have answered). */
int backing_new(struct driver *d, struct client *c, const struct backing *what, uint64_t va, uint64_t cpu,
                struct hold **hold);
/* What decides whether it may move. */
struct memory_fact backing_fact(const struct backing *b);
/* The client's hold of it; one more where it has none. */
struct hold *backing_hold(struct client *c, struct backing *b);
/* An object of the client lies in it; one that lay in it goes. */
void backing_add(struct hold *hold, struct object *o);
void backing_remove(struct object *o);
/* An object of the client that lay in it has gone. */
void backing_drop(struct driver *d, struct client *c, struct hold *hold);
#endif
