/* SPDX-License-Identifier: Apache-2.0
 * Which partition runs on which board (key place.boards).  Not responsible for: whether there is such a partition
 * (host/place/boards_check.h) or such a board.
 */
#ifndef GANTRY_CONFIG_ON_BOARDS_H
#define GANTRY_CONFIG_ON_BOARDS_H
#include <stdbool.h>
#include <stddef.h>

#define ON_BOARDS 64 /* more than the key's text has room for */
#define ON_BOARDS_PART 40
#define ON_BOARDS_SERIAL 64

struct gantry_cfg;

struct on_boards {
    unsigned count;
    struct on_board {
        char part[ON_BOARDS_PART];     /* name of the partition */
        char serial[ON_BOARDS_SERIAL]; /* of a board that is plugged in; "": a simulated one */
    } list[ON_BOARDS];
};

/* In the order of the key.  False with the cause. */
bool on_boards_read(const struct gantry_cfg *cfg, struct on_boards *boards, char *why, size_t room);
#endif
