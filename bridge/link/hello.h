/* SPDX-License-Identifier: Apache-2.0
 * What each side of a link says before its first message: who may talk to whom.  A file begins with one too.
 * Responsible for: the fields, telling what differs.  Not responsible for: how the texts are made (the caller's hashes)
 * and how a hello crosses (region.h, file.h).
 */
#ifndef GANTRY_HELLO_H
#define GANTRY_HELLO_H
#include <stdbool.h>
#include <stdint.h>

#define HELLO_VERSION 1 /* of messages, regions and recordings; changes with any of them */
#define HELLO_TEXT 68   /* bytes of a text with its end: 64 hexadecimal digits fit */

struct hello {
    uint32_t version;
    uint32_t reserved;
    uint64_t seed;
    char rtl[HELLO_TEXT];    /* RTL text and the keys that go into it */
    char graph[HELLO_TEXT];  /* partitions, instances, links */
    char config[HELLO_TEXT]; /* the whole configuration */
    char pad[4];
};

/* A hello of this version; a text that is too long is a bug of the caller. */
struct hello hello_make(const char *rtl, const char *graph, const char *config, uint64_t seed);
/* Whether they are the same; else one line `gantry: place: other RTL: A here, B there` with the first that differs, of
 * protocol, RTL, graph, configuration, seed. */
bool hello_fits(const char *place, const struct hello *here, const struct hello *there);
#endif
