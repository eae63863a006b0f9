/* SPDX-License-Identifier: Apache-2.0
 * A file that holds several streams of bytes, compressed and checked, written while something runs: whatever ends the
 * writer, the file is whole up to the last commit.  Layout: a head, then frames, each with its stream, sequence number,
 * lengths and checks; a frame of stream JOURNAL_COMMIT makes the frames before it count, one of JOURNAL_END says that
 * nothing is missing.  Numbers are little endian.  Responsible for: frames, compression, damage.  Not responsible for:
 * what is in a stream.  A journal belongs to one thread.
 */
#ifndef GANTRY_JOURNAL_H
#define GANTRY_JOURNAL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define JOURNAL_STREAMS 1024u /* numbers of streams are below */

/* The end of a frame: a name for all that stands before it. */
struct journal_place {
    uint64_t bytes; /* of the file */
    uint64_t chain; /* XXH64 over the heads of its frames, which hold the checks of their bytes */
};

/* ---- writing */
struct journal;
/* A new file; kind: up to 8 characters, what it is a journal of.  NULL with errno: EEXIST when there is one. */
struct journal *journal_create(const char *path, const char *kind, uint32_t version);
/* One without a file, for a process that another one writes for: keeps what is put until journal_drain takes it. */
struct journal *journal_buffer(void);
#define JOURNAL_BUFFER (UINT64_C(1) << 30) /* bytes that it keeps at most: more is a bug of who does not drain it */
/* Of such a one: all that is in it, stream by stream, each in one piece; it is empty then. */
void journal_drain(struct journal *j, void (*take)(void *ctx, unsigned stream, const void *data, size_t bytes),
                   void *ctx);
/* Append to a stream.  Never fails: what went wrong is told by journal_error. */
void journal_put(struct journal *j, unsigned stream, const void *data, size_t bytes);
/* Bytes that were put and not committed. */
size_t journal_pending(const struct journal *j);
/* Everything put so far counts.  False when it could not be written: then nothing is written any more. */
bool journal_commit(struct journal *j);
/* errno of the first failure, 0: none. */
int journal_error(const struct journal *j);
/* Bytes of the file so far. */
uint64_t journal_bytes(const struct journal *j);
/* Bytes of a stream so far. */
uint64_t journal_put_bytes(const struct journal *j, unsigned stream);
/* Where the last frame ends: after a commit, that of everything put so far. */
struct journal_place journal_place(const struct journal *j);
/* Nothing more counts than what was committed: journal_close then leaves a file that is cut off there. */
void journal_cut(struct journal *j);
/* Commit; with `whole`, say that nothing is missing.  False with errno when something was lost.  Frees.  NULL is
 * allowed. */
bool journal_close(struct journal *j, bool whole);

/* ---- reading */
struct journal_reader;
/* Reads and checks the whole file.  NULL with one line on stderr and the class in *failure: missing, damaged, of
 * another kind or version. */
struct journal_reader *journal_open(const char *path, const char *kind, uint32_t version, enum gantry_status *failure);
/* Nothing is missing; false: the writer was cut off, what is there ends with its last commit. */
bool journal_whole(const struct journal_reader *r);
/* The next `bytes` of a stream; false when so many are not left (nothing is taken then). */
bool journal_take(struct journal_reader *r, unsigned stream, void *to, size_t bytes);
/* The same for nobody. */
bool journal_skip(struct journal_reader *r, unsigned stream, size_t bytes);
/* Bytes of a stream that were taken or skipped. */
uint64_t journal_taken(const struct journal_reader *r, unsigned stream);
/* Where the file's last whole frame ends. */
struct journal_place journal_reader_place(const struct journal_reader *r);
/* The file begins with what had this place. */
bool journal_has(const struct journal_reader *r, struct journal_place place);
void journal_reader_free(struct journal_reader *r);
#endif
