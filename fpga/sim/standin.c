/* SPDX-License-Identifier: Apache-2.0
 * libusb-1.0's calls that move bytes, over simulated boards; contract in standin.h and libusb.h.
 * Not responsible for: devices (standin_device.c), requests to the boards (standin_board.c).
 */
#include "fpga/sim/standin.h"

#include <stdlib.h>

#include "fpga/sim/standin_private.h"

#define LEAST_US 10 /* who polls without waiting lets a little time pass, or would wait for ever */

/* ---- transfers */
int libusb_control_transfer(libusb_device_handle *handle, uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                            unsigned char *data, uint16_t length, unsigned int timeout)
{
    const uint8_t setup[8] = {type,
                              request,
                              (uint8_t)value,
                              (uint8_t)(value >> 8),
                              (uint8_t)index,
                              (uint8_t)(index >> 8),
                              (uint8_t)length,
                              (uint8_t)(length >> 8)};
    (void)timeout;
    return board_control(handle->device->board, setup, data);
}

struct libusb_transfer *libusb_alloc_transfer(int packets)
{
    if (packets < 0)
        return NULL;
    return calloc(1, sizeof(struct libusb_transfer) + (size_t)packets * sizeof(struct libusb_iso_packet_descriptor));
}

void libusb_free_transfer(struct libusb_transfer *transfer)
{
    if (transfer && transfer->flags & LIBUSB_TRANSFER_FREE_BUFFER)
        free(transfer->buffer);
    free(transfer);
}

int libusb_submit_transfer(struct libusb_transfer *transfer)
{
    if (transfer->type != LIBUSB_TRANSFER_TYPE_BULK)
        return LIBUSB_ERROR_NOT_SUPPORTED;
    return board_submit(transfer->dev_handle->device->board, transfer);
}

int libusb_cancel_transfer(struct libusb_transfer *transfer)
{
    return board_cancel(transfer->dev_handle->device->board, transfer);
}

static void LIBUSB_CALL sync_over(struct libusb_transfer *transfer)
{
    *(int *)transfer->user_data = 1;
}

int libusb_bulk_transfer(libusb_device_handle *handle, unsigned char endpoint, unsigned char *data, int length,
                         int *moved, unsigned int timeout)
{
    int over = 0;
    struct libusb_transfer t = {.dev_handle = handle,
                                .endpoint = endpoint,
                                .type = LIBUSB_TRANSFER_TYPE_BULK,
                                .timeout = timeout,
                                .length = length,
                                .callback = sync_over,
                                .user_data = &over,
                                .buffer = data};
    const int status = board_submit(handle->device->board, &t);
    if (status != LIBUSB_SUCCESS)
        return status;
    while (!over)
        board_wait(handle->device->board, 1000000);
    if (moved)
        *moved = t.actual_length;
    switch (t.status) {
    case LIBUSB_TRANSFER_COMPLETED:
        return LIBUSB_SUCCESS;
    case LIBUSB_TRANSFER_TIMED_OUT:
        return LIBUSB_ERROR_TIMEOUT;
    case LIBUSB_TRANSFER_NO_DEVICE:
        return LIBUSB_ERROR_NO_DEVICE;
    case LIBUSB_TRANSFER_OVERFLOW:
        return LIBUSB_ERROR_OVERFLOW;
    default:
        return LIBUSB_ERROR_IO;
    }
}

/* ---- events */
int libusb_handle_events_timeout_completed(libusb_context *context, struct timeval *tv, int *completed)
{
    const uint64_t us = (uint64_t)tv->tv_sec * 1000000 + (uint64_t)tv->tv_usec;
    if (completed && *completed)
        return LIBUSB_SUCCESS;
    struct libusb_device_handle *busy = NULL; /* one that has transfers under way; else any */
    for (struct libusb_device_handle *h = (context ? context : &standin_common)->open; h; h = h->next)
        if (!busy || h->device->board->pending)
            busy = h;
    if (busy)
        board_wait(busy->device->board, us > LEAST_US ? us : LEAST_US);
    return LIBUSB_SUCCESS;
}

int libusb_handle_events_timeout(libusb_context *context, struct timeval *tv)
{
    return libusb_handle_events_timeout_completed(context, tv, NULL);
}

int libusb_handle_events_completed(libusb_context *context, int *completed)
{
    struct timeval tv = {.tv_sec = 60};
    return libusb_handle_events_timeout_completed(context, &tv, completed);
}

int libusb_handle_events(libusb_context *context)
{
    return libusb_handle_events_completed(context, NULL);
}

const char *libusb_error_name(int code)
{
    static const char *const names[] = {"LIBUSB_SUCCESS",
                                        "LIBUSB_ERROR_IO",
                                        "LIBUSB_ERROR_INVALID_PARAM",
                                        "LIBUSB_ERROR_ACCESS",
                                        "LIBUSB_ERROR_NO_DEVICE",
                                        "LIBUSB_ERROR_NOT_FOUND",
                                        "LIBUSB_ERROR_BUSY",
                                        "LIBUSB_ERROR_TIMEOUT",
                                        "LIBUSB_ERROR_OVERFLOW",
                                        "LIBUSB_ERROR_PIPE",
                                        "LIBUSB_ERROR_INTERRUPTED",
                                        "LIBUSB_ERROR_NO_MEM",
                                        "LIBUSB_ERROR_NOT_SUPPORTED"};
    return code <= 0 && -code < (int)(sizeof names / sizeof *names) ? names[-code] : "LIBUSB_ERROR_OTHER";
}

const char *libusb_strerror(int code)
{
    return libusb_error_name(code);
}
