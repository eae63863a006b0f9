/* SPDX-License-Identifier: Apache-2.0
 * One simulated board as the stand-in of libusb sees it: its socket, its transfers under way.  Responsible for: the
 * requests of wire.h, time limits of transfers, a board that is gone.  Not responsible for: libusb's calls (standin.c).
 */
#ifndef GANTRY_STANDIN_BOARD_H
#define GANTRY_STANDIN_BOARD_H
#include <libusb.h>
#include <stdbool.h>
#include <stdint.h>

#include "fpga/sim/wire.h"

#pragma GCC visibility push(hidden) /* not of libusb */
struct pending {
    struct pending *next;
    struct libusb_transfer *transfer;
    const struct libusb_device_handle *handle; /* of the transfer, which may be freed by then */
    uint32_t id;
    uint64_t deadline; /* cycles; UINT64_MAX: none */
    bool late;
};
struct board {
    char serial[64];
    int fd;                  /* -1: gone */
    unsigned users;          /* handles */
    bool (*here)(void *ctx); /* its process still runs; NULL: nobody knows */
    void *ctx;
    uint64_t now;
    uint32_t ids;
    struct pending *pending; /* the oldest first */
};

void board_lose(struct board *);
/* It is still there. */
bool board_here(struct board *);
/* Bytes moved, or a libusb_error. */
int board_control(struct board *, const uint8_t setup[8], uint8_t *data);
int board_submit(struct board *, struct libusb_transfer *);
int board_cancel(struct board *, const struct libusb_transfer *);
/* Lets the board's time run for at most so many microseconds, until a transfer has ended, whose callback is then
 * called. */
void board_wait(struct board *, uint64_t us);
/* A handle is closed: its transfers end, and nobody hears of them.  Other handles of the board keep theirs. */
void board_forget(struct board *, const struct libusb_device_handle *);
#pragma GCC visibility pop
#endif
