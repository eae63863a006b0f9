/* SPDX-License-Identifier: Apache-2.0
 * Inside of a board, for board.c, board_records.c and board_credits.c.
 */
#ifndef GANTRY_BOARD_PRIVATE_H
#define GANTRY_BOARD_PRIVATE_H
#include <stdbool.h>

#include "bridge/board/board.h"

struct board {
    struct model_api api;
    char name[40];
    struct stream_hello wanted;
    const struct stream_port *port;
    struct stream *stream;          /* NULL before the first HELLO */
    uint32_t *in_bytes, *out_bytes; /* of a message of each input and output; 0: a credit */
    uint8_t *message;               /* room for the longest that comes */
    uint32_t *depth; /* by output: what it may send before an input that feeds it; UINT32_MAX: no limit */
    uint32_t *left;  /* of that, now */
    uint32_t *feeds; /* by input: the output that may send one more; UINT32_MAX: none */
    uint64_t cycle;  /* the target stands there: the host's mark */
    uint32_t came;   /* the board's mark, modulo 2^32 */
    uint64_t shown;
    uint32_t looks;
    bool attached; /* and no partition was made of it yet */
    uint16_t id;
    struct board_figures figures;
    pthread_mutex_t *lock; /* NULL: none */
    void (*lost)(void *ctx);
    void *lost_ctx;
    char why[400]; /* "": it is there */
};

/* The stream's cause or another: kept, with cycle and frame, unless there is one; false. */
bool board_lose(struct board *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Marks begin anew. */
void records_begin(struct board *b);
/* Run the window at `from`: its messages to the board, those that it sends to sink.  False: lost. */
bool records_run(struct board *b, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                 const struct model_sink *sink, bool *idle);
/* perf_data_o; false: lost. */
bool records_ask(struct board *b, uint8_t part, uint8_t address, uint8_t edges, uint8_t flags, uint64_t *value);

/* No output has a limit. */
void credits_make(struct board *b);
void credits_free(struct board *b);
/* All credits are there. */
void credits_begin(struct board *b);
/* The board is sent a message, or a credit, of this input. */
void credits_come(struct board *b, uint32_t input);
/* The board has sent a message, or a credit, of this output; false: lost. */
bool credits_spend(struct board *b, uint32_t output);
#endif
