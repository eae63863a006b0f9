/* SPDX-License-Identifier: Apache-2.0
 * Boards behind an FT232H or FT2232H at a USB cable, in synchronous FIFO mode, as byte streams
 * (bridge/stream/stream.h). Through libftdi1 and libusb as the system has them, which are loaded when a board is asked
 * for.  A simulated board is one whose libusb is another library, which talks to the process of the board: libftdi1 and
 * all else here are the same. Responsible for: finding, opening, the chip's mode, transfers under way, that a lost
 * board is told at once. Not responsible for: what the bytes mean, and that they arrive (stream.h).
 *
 * Transfers go on only while the caller waits in the port's read, on the caller's thread: there is no other thread, and
 * a simulated board's time stands still else.  One thread at a time for all boards that are simulated; real boards are
 * independent of each other.
 */
#ifndef GANTRY_BOARD_USB_H
#define GANTRY_BOARD_USB_H
#include <stdbool.h>
#include <stddef.h>

#include "bridge/stream/stream.h"

#define USB_LATENCY_MS 2 /* of the chip's latency timer; with 1 chips were seen to lose bytes */

struct usb_board;

/* The board with that serial number.  NULL: the cause, one line without the serial, is in why.  Takes up to some
 * seconds when the device does not answer. */
struct usb_board *usb_open(const char *serial, char *why, size_t room);
/* The simulated board whose process has the other end of the connected socket fd, by the libusb in the file `library`;
 * the first board decides which file that is.  fd is the board's from here on, also when it fails. */
struct usb_board *usb_open_sim(int fd, const char *serial, const char *library, char *why, size_t room);
/* Whoever waits for a simulated board asks `here` (with ctx, on the waiting thread, each 0.1 s of real time) whether
 * its process still runs: false, and the board is lost.  Without it a process that says nothing is waited for 3 s. */
void usb_watch(struct usb_board *board, bool (*here)(void *ctx), void *ctx);
/* Ends transfers, resets the chip's mode, gives the device back to the kernel's driver; up to a second.  NULL is
 * allowed.  The port is gone. */
void usb_close(struct usb_board *board);

/* write submits, up to 64 KiB under way; read takes what has come.  Valid until usb_close. */
const struct stream_port *usb_port(struct usb_board *board);
/* The chip's latency timer in ms, 1 to 255, USB_LATENCY_MS after usb_open; false: refused. */
bool usb_latency(struct usb_board *board, unsigned ms);
const char *usb_chip(const struct usb_board *board); /* "FT2232H" */

struct usb_found {
    const char *serial; /* "": it has none, or could not be asked */
    const char *chip;   /* "FT2232H", "FT232R" */
    const char *why;    /* NULL: may be opened as far as can be seen; else why not */
};
/* Calls fn for each FTDI chip that is plugged in; their number, or -1 with the cause in why. */
int usb_list(void (*fn)(void *arg, const struct usb_found *found), void *arg, char *why, size_t room);
#endif
