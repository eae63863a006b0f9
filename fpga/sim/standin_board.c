/* SPDX-License-Identifier: Apache-2.0
 * Requests to the process of a simulated board; contract in standin_board.h.
 */
#include "fpga/sim/standin_board.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Real time: an answer comes each 50 ms at the latest, also while the board works; a busy host may take longer. */
#define SILENCE_MS 3000
#define LOOK_MS 100 /* whether its process still runs */

void board_lose(struct board *b)
{
    if (b->fd >= 0)
        close(b->fd);
    b->fd = -1;
}

bool board_here(struct board *b)
{
    char byte;
    if (b->fd >= 0 && recv(b->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        board_lose(b);
    return b->fd >= 0;
}

static bool bytes_put(struct board *b, const void *bytes, size_t n)
{
    for (const char *at = bytes; n && b->fd >= 0;) {
        const ssize_t put = send(b->fd, at, n, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            board_lose(b);
            break;
        }
        at += put;
        n -= (size_t)put;
    }
    return b->fd >= 0;
}

/* Something can be read, also the end; false: nobody is there any more. */
static bool bytes_come(struct board *b)
{
    struct pollfd ready = {.fd = b->fd, .events = POLLIN};
    for (unsigned waited = 0; waited < SILENCE_MS; waited += LOOK_MS) {
        if (poll(&ready, 1, LOOK_MS) > 0)
            return true;
        if (b->here && !b->here(b->ctx))
            return false;
    }
    return false;
}

static bool bytes_get(struct board *b, void *bytes, size_t n)
{
    for (char *at = bytes; n && b->fd >= 0;) {
        const bool came = bytes_come(b);
        const ssize_t got = came ? read(b->fd, at, n) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            board_lose(b);
            break;
        }
        at += got;
        n -= (size_t)got;
    }
    return b->fd >= 0;
}

static bool answer_get(struct board *b, struct wire_answer *a)
{
    if (!bytes_get(b, a, sizeof *a))
        return false;
    if (a->length > WIRE_MOST || a->now < b->now) {
        board_lose(b);
        return false;
    }
    b->now = a->now;
    return true;
}

int board_control(struct board *b, const uint8_t setup[8], uint8_t *data)
{
    const bool in = setup[0] & 0x80;
    const uint32_t length = (uint32_t)setup[6] | (uint32_t)setup[7] << 8;
    struct wire_ask ask = {.op = WIRE_CONTROL, .id = ++b->ids, .length = length};
    struct wire_answer a;
    memcpy(ask.setup, setup, sizeof ask.setup);
    if (!bytes_put(b, &ask, sizeof ask) || (!in && length && !bytes_put(b, data, length)) || !answer_get(b, &a))
        return LIBUSB_ERROR_NO_DEVICE;
    if (a.length > length)
        board_lose(b);
    else if (in && a.length)
        bytes_get(b, data, a.length);
    return b->fd < 0 ? LIBUSB_ERROR_NO_DEVICE : a.status == WIRE_OK ? (int)a.length : LIBUSB_ERROR_PIPE;
}

int board_submit(struct board *b, struct libusb_transfer *t)
{
    const bool in = t->endpoint & LIBUSB_ENDPOINT_IN;
    if (t->length < 0 || (uint32_t)t->length > WIRE_MOST)
        return LIBUSB_ERROR_INVALID_PARAM;
    struct wire_ask ask = {
        .op = WIRE_SUBMIT, .id = ++b->ids ? b->ids : ++b->ids, .endpoint = t->endpoint, .length = (uint32_t)t->length};
    if (!bytes_put(b, &ask, sizeof ask) || (!in && t->length && !bytes_put(b, t->buffer, (size_t)t->length)))
        return LIBUSB_ERROR_NO_DEVICE;
    struct pending *p = malloc(sizeof *p);
    if (!p)
        return LIBUSB_ERROR_NO_MEM;
    *p = (struct pending){.transfer = t, .handle = t->dev_handle, .id = ask.id, .deadline = UINT64_MAX};
    if (t->timeout)
        p->deadline = b->now + (uint64_t)t->timeout * 1000 * WIRE_MHZ;
    struct pending **end = &b->pending;
    while (*end)
        end = &(*end)->next;
    *end = p;
    return LIBUSB_SUCCESS;
}

static int cancel(struct board *b, const struct pending *p)
{
    const struct wire_ask ask = {.op = WIRE_CANCEL, .id = p->id};
    return bytes_put(b, &ask, sizeof ask) ? LIBUSB_SUCCESS : LIBUSB_ERROR_NO_DEVICE;
}

int board_cancel(struct board *b, const struct libusb_transfer *t)
{
    for (struct pending *p = b->pending; p; p = p->next)
        if (p->transfer == t)
            return cancel(b, p);
    return LIBUSB_ERROR_NOT_FOUND;
}

/* The transfer at *at has ended. */
static void finish(struct pending **at, enum libusb_transfer_status status, uint32_t moved)
{
    struct pending *p = *at;
    struct libusb_transfer *t = p->transfer;
    *at = p->next;
    free(p);
    t->status = status;
    t->actual_length = (int)moved;
    if (t->callback)
        t->callback(t);
}

static void all_gone(struct board *b)
{
    while (b->pending)
        finish(&b->pending, LIBUSB_TRANSFER_NO_DEVICE, 0);
}

static void ended(struct board *b, const struct wire_answer *a)
{
    struct pending **at = &b->pending;
    while (*at && (*at)->id != a->id)
        at = &(*at)->next;
    if (!*at) { /* forgotten: its bytes go nowhere */
        uint8_t rest[512];
        for (uint32_t n = a->length; n && bytes_get(b, rest, n < sizeof rest ? n : sizeof rest);)
            n -= n < sizeof rest ? n : sizeof rest;
        return;
    }
    struct libusb_transfer *t = (*at)->transfer;
    const bool in = t->endpoint & LIBUSB_ENDPOINT_IN;
    if (a->length > (uint32_t)t->length || (in && a->length && !bytes_get(b, t->buffer, a->length))) {
        board_lose(b);
        return;
    }
    const enum libusb_transfer_status status = a->status == WIRE_OK          ? LIBUSB_TRANSFER_COMPLETED
                                               : a->status == WIRE_OVERFLOW  ? LIBUSB_TRANSFER_OVERFLOW
                                               : a->status != WIRE_CANCELLED ? LIBUSB_TRANSFER_ERROR
                                               : (*at)->late                 ? LIBUSB_TRANSFER_TIMED_OUT
                                                                             : LIBUSB_TRANSFER_CANCELLED;
    finish(at, status, a->length);
}

void board_wait(struct board *b, uint64_t us)
{
    const uint64_t until = b->now + us * WIRE_MHZ;
    struct wire_answer a = {0};
    while (b->fd >= 0) {
        uint64_t next = until;
        for (struct pending *p = b->pending; p; p = p->next) {
            if (p->deadline <= b->now && !p->late) {
                p->late = true;
                cancel(b, p);
            }
            if (p->deadline < next && !p->late)
                next = p->deadline;
        }
        const struct wire_ask ask = {.op = WIRE_WAIT, .until = next};
        if (!bytes_put(b, &ask, sizeof ask) || !answer_get(b, &a))
            break;
        if (a.id) {
            ended(b, &a);
            if (b->fd >= 0)
                return;
        } else if (b->now + 1 >= until) { /* the board's time may stop one cycle early: its own clock is half as fast */
            return;
        }
    }
    all_gone(b);
}

void board_forget(struct board *b, const struct libusb_device_handle *handle)
{
    for (struct pending **at = &b->pending; *at;) {
        struct pending *p = *at;
        if (p->handle != handle) {
            at = &p->next;
            continue;
        }
        cancel(b, p);
        *at = p->next;
        free(p);
    }
}
