/* SPDX-License-Identifier: Apache-2.0
 * Opening and closing of a board at a USB cable; contract in usb.h.
 */
#include "bridge/board/usb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bridge/board/usb_private.h"

#define CONTROL_MS 500 /* a request to the chip that is not answered */
#define ALL_PINS 0xff

/* What ftdi_usb_open_dev says by its number. */
static void not_opened(const struct usb_board *board, int error, char *why, size_t room)
{
    if (error == -4 || error == -8)
        snprintf(why, room, "may not be opened (udev rule: fpga/README.md)");
    else if (error == -3 || error == -5)
        snprintf(why, room, "another program or driver holds it");
    else
        snprintf(why, room, "not opened: %s", board->library->ftdi_get_error_string(board->ftdi));
}

/* Synchronous FIFO mode, with nothing left of what was before. */
static bool mode_set(struct usb_board *board, char *why, size_t room)
{
    const struct usb_library *l = board->library;
    struct ftdi_context *f = board->ftdi;

    if (l->ftdi_set_bitmode(f, ALL_PINS, BITMODE_RESET) == 0 && l->ftdi_tcioflush(f) == 0 &&
        l->ftdi_set_latency_timer(f, USB_LATENCY_MS) == 0 && l->ftdi_set_bitmode(f, ALL_PINS, BITMODE_SYNCFF) == 0 &&
        l->ftdi_setflowctrl(f, SIO_RTS_CTS_HS) == 0)
        return true;
    snprintf(why, room, "synchronous FIFO mode is refused: %s", l->ftdi_get_error_string(f));
    return false;
}

/* Takes what there is of the board with it. */
static struct usb_board *given_up(struct usb_board *board)
{
    if (board->ftdi) {
        board->library->ftdi_usb_close(board->ftdi); /* gives it back to the kernel's driver; ftdi_free does not */
        board->library->ftdi_free(board->ftdi);
    }
    free(board);
    return NULL;
}

static struct usb_board *board_open(const struct usb_library *library, const char *serial, int fd, char *why,
                                    size_t room)
{
    struct usb_board *board = xzalloc(sizeof *board);
    struct ftdi_device_list *list;

    board->library = library;
    board->socket = fd;
    snprintf(board->serial, sizeof board->serial, "%s", serial);
    board->port = (struct stream_port){board, usb_write, usb_read, usb_why, usb_now_ms};
    board->ftdi = library->ftdi_new();
    if (board->ftdi == NULL) {
        snprintf(why, room, "libusb finds no USB on this machine");
        return given_up(board);
    }
    board->ftdi->usb_read_timeout = board->ftdi->usb_write_timeout = CONTROL_MS;
    board->ftdi->module_detach_mode = AUTO_DETACH_REATACH_SIO_MODULE; /* else its tty stays away after the end */
    library->ftdi_set_interface(board->ftdi, INTERFACE_A);
    struct libusb_device *device = usb_find(board, serial, &list, why, room);
    const int error = device ? library->ftdi_usb_open_dev(board->ftdi, device) : 0;
    library->ftdi_list_free(&list);
    if (error)
        not_opened(board, error, why, room);
    if ((device == NULL || error) && library->add)
        snprintf(why, room, "the process of the simulated board has ended, or does not answer");
    if (device == NULL || error || !mode_set(board, why, room))
        return given_up(board);
    if (usb_transfers_begin(board))
        return board;
    snprintf(why, room, "%s", board->why);
    usb_close(board);
    return NULL;
}

struct usb_board *usb_open(const char *serial, char *why, size_t room)
{
    const struct usb_library *library = usb_library_system(why, room);

    return library ? board_open(library, serial, -1, why, room) : NULL;
}

struct usb_board *usb_open_sim(int fd, const char *serial, const char *file, char *why, size_t room)
{
    const struct usb_library *library = usb_library_sim(file, why, room);

    if (library == NULL) {
        close(fd);
        return NULL;
    }
    if (library->add(serial, fd) != 0) {
        close(fd);
        snprintf(why, room, "%s does not take a board more", file);
        return NULL;
    }
    return board_open(library, serial, fd, why, room);
}

void usb_watch(struct usb_board *board, bool (*here)(void *ctx), void *ctx)
{
    if (board->library->watch)
        board->library->watch(board->serial, here, ctx);
}

void usb_close(struct usb_board *board)
{
    if (board == NULL)
        return;
    if (!usb_transfers_end(board))
        return; /* the kernel may still write into them */
    if (!board->lost)
        board->library->ftdi_set_bitmode(board->ftdi, ALL_PINS, BITMODE_RESET);
    /* A simulated board ends with its socket, which the library closes when a request finds no other side. */
    if (!board->lost && board->socket >= 0 && shutdown(board->socket, SHUT_RDWR) == 0)
        board->library->ftdi_set_bitmode(board->ftdi, ALL_PINS, BITMODE_RESET);
    board->library->ftdi_usb_close(board->ftdi);
    board->library->ftdi_free(board->ftdi);
    free(board);
}

const struct stream_port *usb_port(struct usb_board *board)
{
    return &board->port;
}

bool usb_latency(struct usb_board *board, unsigned ms)
{
    return ms >= 1 && ms <= 255 && board->library->ftdi_set_latency_timer(board->ftdi, (unsigned char)ms) == 0;
}

const char *usb_chip(const struct usb_board *board)
{
    return board->chip;
}
