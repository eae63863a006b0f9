/* SPDX-License-Identifier: Apache-2.0
 * Bytes of a board at a USB cable, by libusb's asynchronous transfers on the device that libftdi1 has opened:
 * libftdi1's own calls poll without end, or take a latency period for bytes that are not there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bridge/board/usb_private.h"

#define STATUS_BYTES 2 /* of the chip, at the beginning of each packet */
#define OUT_END_MS 200 /* usb_close waits for what was written */
#define CANCEL_MS 800

static void lose(struct usb_board *board, const char *cause)
{
    if (!board->lost)
        snprintf(board->why, sizeof board->why, "%s", cause);
    board->lost = true;
}

static void lose_gone(struct usb_board *board)
{
    lose(board, board->library->add ? "the simulated board is gone" : "unplugged, or without power");
}

static void lose_error(struct usb_board *board, const char *what, int error)
{
    char text[80];

    if (error == LIBUSB_ERROR_NO_DEVICE) {
        lose_gone(board);
        return;
    }
    snprintf(text, sizeof text, "%s: %s", what, board->library->libusb_error_name(error));
    lose(board, text);
}

static void submit(struct usb_transfer *t)
{
    const int error = t->board->library->libusb_submit_transfer(t->of_usb);

    t->busy = error == 0;
    if (error)
        lose_error(t->board, "a transfer was refused", error);
}

/* Whether it has ended as it should. */
static bool ended_well(struct usb_transfer *t)
{
    static const char *const causes[] = {[LIBUSB_TRANSFER_ERROR] = "a USB transfer has failed",
                                         [LIBUSB_TRANSFER_TIMED_OUT] = "a USB transfer took too long",
                                         [LIBUSB_TRANSFER_CANCELLED] = "a USB transfer was cancelled",
                                         [LIBUSB_TRANSFER_STALL] = "the chip has refused a USB transfer",
                                         [LIBUSB_TRANSFER_OVERFLOW] = "the chip sent more than a packet"};
    const unsigned status = (unsigned)t->of_usb->status;

    t->busy = false;
    if (status == LIBUSB_TRANSFER_COMPLETED)
        return true;
    if (status == LIBUSB_TRANSFER_NO_DEVICE)
        lose_gone(t->board);
    else if (!t->board->closing)
        lose(t->board, status < sizeof causes / sizeof *causes ? causes[status] : "a USB transfer has failed");
    return false;
}

static void LIBUSB_CALL in_ended(struct libusb_transfer *of_usb)
{
    struct usb_transfer *t = of_usb->user_data;
    struct usb_board *board = t->board;

    if (!ended_well(t))
        return;
    t->at = STATUS_BYTES;
    t->end = (unsigned)of_usb->actual_length;
    if (t->end <= t->at) { /* the chip's latency timer */
        if (!board->closing && !board->lost)
            submit(t);
        return;
    }
    t->next = NULL;
    *(board->first ? &board->last->next : &board->first) = t;
    board->last = t;
}

static void LIBUSB_CALL out_ended(struct libusb_transfer *of_usb)
{
    struct usb_transfer *t = of_usb->user_data;

    if (ended_well(t) && of_usb->actual_length != of_usb->length)
        lose(t->board, "a USB transfer has ended early");
}

static bool transfer_make(struct usb_board *board, struct usb_transfer *t, uint8_t *bytes)
{
    t->board = board;
    t->bytes = bytes;
    t->of_usb = board->library->libusb_alloc_transfer(0);
    if (t->of_usb == NULL)
        lose(board, "no memory for transfers");
    return t->of_usb != NULL;
}

bool usb_transfers_begin(struct usb_board *board)
{
    struct ftdi_context *ftdi = board->ftdi;

    if (ftdi->max_packet_size != USB_PACKET) {
        lose(board, "has no packets of 512 bytes: not at a high-speed port");
        return false;
    }
    for (unsigned n = 0; n < USB_OUTS; n++)
        if (!transfer_make(board, &board->outs[n], board->out_bytes[n]))
            return false;
    for (unsigned n = 0; n < USB_INS; n++) {
        struct usb_transfer *t = &board->ins[n];

        if (!transfer_make(board, t, board->in_bytes[n]))
            return false;
        /* libftdi1 names endpoints from the chip's side */
        libusb_fill_bulk_transfer(t->of_usb, ftdi->usb_dev, (unsigned char)ftdi->out_ep, t->bytes, USB_PACKET, in_ended,
                                  t, 0);
        submit(t);
    }
    return !board->lost;
}

/* ---- time and events */
static uint64_t now_us(const struct usb_board *board)
{
    struct timespec t;

    if (board->library->now)
        return board->library->now(board->serial);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t usb_now_ms(void *ctx)
{
    return now_us(ctx) / 1000;
}

static void events(struct usb_board *board, uint64_t us)
{
    struct timeval limit = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};
    const int error = board->library->libusb_handle_events_timeout_completed(board->ftdi->usb_ctx, &limit, NULL);

    if (error && error != LIBUSB_ERROR_INTERRUPTED && error != LIBUSB_ERROR_TIMEOUT)
        lose_error(board, "USB events", error);
}

/* ---- the port */
ssize_t usb_write(void *ctx, const void *bytes, size_t n)
{
    struct usb_board *board = ctx;
    size_t done = 0;

    for (unsigned i = 0; i < USB_OUTS && done < n && !board->lost; i++) {
        struct usb_transfer *t = &board->outs[i];
        const size_t piece = n - done < USB_OUT_BYTES ? n - done : USB_OUT_BYTES;

        if (t->busy)
            continue;
        memcpy(t->bytes, (const uint8_t *)bytes + done, piece);
        libusb_fill_bulk_transfer(t->of_usb, board->ftdi->usb_dev, (unsigned char)board->ftdi->in_ep, t->bytes,
                                  (int)piece, out_ended, t, 0);
        submit(t);
        done += piece;
    }
    return board->lost ? -1 : (ssize_t)done;
}

ssize_t usb_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    struct usb_board *board = ctx;
    const uint64_t begin = now_us(board), limit = (uint64_t)ms * 1000;
    uint64_t gone = 0;
    size_t done = 0;

    while (board->first == NULL && !board->lost) {
        events(board, limit - gone);
        gone = now_us(board) - begin;
        if (gone >= limit)
            break;
    }
    while (done < room && board->first) {
        struct usb_transfer *t = board->first;
        const size_t left = t->end - t->at, piece = left < room - done ? left : room - done;

        memcpy((uint8_t *)bytes + done, t->bytes + t->at, piece);
        done += piece;
        t->at += (unsigned)piece;
        if (t->at == t->end) {
            board->first = t->next;
            if (!board->lost)
                submit(t);
        }
    }
    return done == 0 && board->lost ? -1 : (ssize_t)done;
}

const char *usb_why(void *ctx)
{
    return ((const struct usb_board *)ctx)->why;
}

/* ---- the end */
static bool any_busy(const struct usb_transfer *list, unsigned n)
{
    while (n > 0 && !list[n - 1].busy)
        n--;
    return n > 0;
}

static bool all_busy_wait(struct usb_board *board, bool ins, unsigned ms)
{
    const uint64_t begin = now_us(board), limit = ms * 1000u;
    uint64_t gone = 0;

    while ((any_busy(board->outs, USB_OUTS) || (ins && any_busy(board->ins, USB_INS))) && gone < limit) {
        events(board, limit - gone);
        gone = now_us(board) - begin;
    }
    return gone < limit;
}

bool usb_transfers_end(struct usb_board *board)
{
    struct usb_transfer *const lists[] = {board->ins, board->outs};

    board->closing = true;
    if (!board->lost)
        all_busy_wait(board, false, OUT_END_MS);
    for (unsigned l = 0; l < 2; l++)
        for (unsigned n = 0; n < (l ? USB_OUTS : USB_INS); n++)
            if (lists[l][n].busy)
                board->library->libusb_cancel_transfer(lists[l][n].of_usb);
    all_busy_wait(board, true, CANCEL_MS);
    if (any_busy(board->ins, USB_INS) || any_busy(board->outs, USB_OUTS))
        return false;
    for (unsigned l = 0; l < 2; l++)
        for (unsigned n = 0; n < (l ? USB_OUTS : USB_INS); n++)
            if (lists[l][n].of_usb)
                board->library->libusb_free_transfer(lists[l][n].of_usb);
    return true;
}
