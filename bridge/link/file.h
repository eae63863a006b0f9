/* SPDX-License-Identifier: Apache-2.0
 * Transport `file`: what went over a link, in a file.  The sending end records, the receiving end replays it: its
 * horizon is the stamp of the next message, at the end the last promise that was recorded.
 *
 * A file is a head (struct file_head) and blocks: struct file_block and zstd data of records, each the stamp, less the
 * previous one, as 8 bytes, and the payload.  The last block has no records and is marked.  A file without it was cut
 * off; what its whole blocks hold can be replayed.  A block is written when it holds FILE_BLOCK bytes, and when the
 * last is a second ago.
 *
 * Responsible for: recording, replaying, seeing damage when it is opened.  Not responsible for: which links are
 * recorded, whether the machine fits (the caller compares hellos, by `hello` or of file_read_head).
 */
#ifndef GANTRY_LINK_FILE_H
#define GANTRY_LINK_FILE_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/hello.h"
#include "bridge/link/link.h"

#define FILE_BLOCK (64 * 1024)
#define FILE_VERSION 1

struct file_place {
    const char *path;
    const struct hello *hello; /* recording: kept in the head; replaying: must be equal, NULL: is not compared */
};
struct file_head {
    char magic[8]; /* "gantrylk" */
    uint32_t version, bytes, latency, depth;
    char name[LINK_NAME];
    struct hello hello;
    uint64_t check; /* XXH64 of what is before */
};
struct file_block {
    uint32_t records, raw, packed, last; /* messages; bytes of records; bytes of data that follow; 1: nothing follows */
    uint64_t promise;                    /* no message after this block has a stamp below */
    uint64_t data_check, check;          /* XXH64 of the data; of what is before */
};

/* Place: a struct file_place.  Recording, `failed` of the link is set after one line when the file cannot be written,
 * and nothing more is recorded.  Replaying, open refuses after one line what is damaged or belongs to another link; a
 * file that was cut off is told in one line and replayed. */
extern const struct transport transport_file;
/* The head alone, checked; false after one line. */
bool file_read_head(const char *path, struct file_head *head);
#endif
