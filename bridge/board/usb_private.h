/* SPDX-License-Identifier: Apache-2.0
 * A board at a USB cable, shared by its files: usb.c opens and closes it, usb_find.c finds the device, usb_transfers.c
 * moves bytes.
 */
#ifndef GANTRY_BOARD_USB_PRIVATE_H
#define GANTRY_BOARD_USB_PRIVATE_H
#include "bridge/board/usb.h"
#include "bridge/board/usb_library.h"

/* One packet an IN transfer: a full packet does not end a longer one, and the frames in it, with the room that they
 * tell, would be kept back until more came or the latency timer ran out.  So many that the bus is never without one. */
#define USB_INS 64
#define USB_OUTS 8
#define USB_OUT_BYTES 8192
#define USB_PACKET 512 /* bytes, at a high-speed port, which the synchronous FIFO needs */

struct usb_transfer {
    struct usb_board *board;
    struct libusb_transfer *of_usb;
    bool busy;                 /* submitted, not ended */
    unsigned at, end;          /* IN: bytes that were not read yet */
    struct usb_transfer *next; /* IN: ended after this one */
    uint8_t *bytes;            /* USB_PACKET or USB_OUT_BYTES of them */
};

struct usb_board {
    const struct usb_library *library;
    struct ftdi_context *ftdi;
    struct stream_port port;
    const char *chip;
    char serial[64];
    int socket; /* of a simulated board: the library closes it */
    struct usb_transfer ins[USB_INS], outs[USB_OUTS];
    uint8_t in_bytes[USB_INS][USB_PACKET], out_bytes[USB_OUTS][USB_OUT_BYTES];
    struct usb_transfer *first, *last; /* INs that have ended with bytes, in that order */
    bool lost, closing;
    char why[160];
};

/* Name of a chip by its release number; *fifo: it has the synchronous FIFO mode. */
const char *usb_chip_name(unsigned release, bool *fifo);
/* The one with this serial number, ready for ftdi_usb_open_dev, and the list that holds it, which the caller frees with
 * ftdi_list_free.  NULL: the cause is in why. */
struct libusb_device *usb_find(struct usb_board *board, const char *serial, struct ftdi_device_list **list, char *why,
                               size_t room);

/* Transfers are allocated and the INs submitted; false: board->why. */
bool usb_transfers_begin(struct usb_board *board);
/* All have ended: what was written is out, or up to 200 ms have passed.  False: some have not, and their memory must
 * stay. */
bool usb_transfers_end(struct usb_board *board);
/* The port's functions. */
ssize_t usb_write(void *ctx, const void *bytes, size_t n);
ssize_t usb_read(void *ctx, void *bytes, size_t room, unsigned ms);
const char *usb_why(void *ctx);
uint64_t usb_now_ms(void *ctx);
#endif
