/* SPDX-License-Identifier: Apache-2.0
 * Inside of a machine's boards, for boards.c, boards_find.c and boards_start.c.
 */
#ifndef GANTRY_MACHINE_BOARDS_PRIVATE_H
#define GANTRY_MACHINE_BOARDS_PRIVATE_H
#include "bridge/board/board.h"
#include "bridge/board/board_process.h"
#include "bridge/board/socket.h"
#include "config/on_boards.h"
#include "place/boards.h"

struct one_board {
    struct on_board on;
    struct rtl_place place;
    struct stream_hello wanted;
    char *path; /* program of a simulated one */
    const struct library *plain;
    /* in the process that runs it */
    struct board_process process;
    struct board_socket socket;
    struct stream_port port;
    struct usb_board *usb; /* NULL: it is no USB */
    struct board *board;   /* NULL: it runs elsewhere */
};

struct boards {
    struct sim *sim;           /* boards_start has been called for it */
    bool told;                 /* one is lost, or could not be had */
    unsigned long long looked; /* at all of them, ms */
    unsigned count;
    struct one_board list[];
};

/* Why it is lost, with how its process ended. */
void one_board_tell(struct one_board *board);
#endif
