/* SPDX-License-Identifier: Apache-2.0
 * libusb-1.0's calls over simulated boards; contract in standin.h and libusb.h.
 * Not responsible for: requests to the boards (standin_board.c).
 */
#include "fpga/sim/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpga/sim/descriptors.h"
#include "fpga/sim/standin_board.h"

#define BOARDS 64
#define LEAST_US 10 /* who polls without waiting lets a little time pass, or would wait for ever */

struct libusb_device {
    libusb_context *context;
    struct board *board;
    int refs;
};
struct libusb_device_handle {
    struct libusb_device_handle *next;
    libusb_device *device;
};
struct libusb_context {
    struct libusb_device_handle *open;
};

static struct board boards[BOARDS];
static unsigned board_count;
static struct libusb_context common; /* of who asks for none */

int gantry_usb_add(const char *serial, int fd)
{
    if (board_count == BOARDS || strlen(serial) >= sizeof boards->serial)
        return -1;
    struct board *b = &boards[board_count++];
    *b = (struct board){.fd = fd};
    strcpy(b->serial, serial);
    return 0;
}

uint64_t gantry_usb_now(const char *serial)
{
    for (unsigned i = board_count; i-- > 0;)
        if (strcmp(boards[i].serial, serial) == 0)
            return boards[i].now / WIRE_MHZ;
    return 0;
}

/* ---- contexts and devices */
int libusb_init(libusb_context **context)
{
    if (!context)
        return LIBUSB_SUCCESS;
    *context = calloc(1, sizeof **context);
    return *context ? LIBUSB_SUCCESS : LIBUSB_ERROR_NO_MEM;
}

void libusb_exit(libusb_context *context)
{
    free(context);
}

libusb_device *libusb_ref_device(libusb_device *device)
{
    device->refs++;
    return device;
}

void libusb_unref_device(libusb_device *device)
{
    if (--device->refs == 0)
        free(device);
}

ssize_t libusb_get_device_list(libusb_context *context, libusb_device ***list)
{
    libusb_device **found = calloc(board_count + 1, sizeof *found);
    ssize_t n = 0;
    for (unsigned i = 0; found && i < board_count; i++) {
        if (boards[i].fd < 0)
            continue;
        found[n] = malloc(sizeof **found);
        if (!found[n]) {
            libusb_free_device_list(found, 1);
            return LIBUSB_ERROR_NO_MEM;
        }
        *found[n++] = (struct libusb_device){.context = context ? context : &common, .board = &boards[i], .refs = 1};
    }
    *list = found;
    return found ? n : LIBUSB_ERROR_NO_MEM;
}

void libusb_free_device_list(libusb_device **list, int unref)
{
    for (size_t i = 0; list && unref && list[i]; i++)
        libusb_unref_device(list[i]);
    free(list);
}

uint8_t libusb_get_bus_number(libusb_device *device)
{
    (void)device;
    return 1;
}

uint8_t libusb_get_device_address(libusb_device *device)
{
    return (uint8_t)(device->board - boards + 1);
}

int libusb_get_device_descriptor(libusb_device *device, struct libusb_device_descriptor *descriptor)
{
    (void)device;
    *descriptor = (struct libusb_device_descriptor){.bLength = sizeof chip_device,
                                                    .bDescriptorType = LIBUSB_DT_DEVICE,
                                                    .bcdUSB = 0x0200,
                                                    .bMaxPacketSize0 = 64,
                                                    .idVendor = CHIP_VENDOR,
                                                    .idProduct = CHIP_PRODUCT,
                                                    .bcdDevice = CHIP_RELEASE,
                                                    .iManufacturer = CHIP_STRING_MANUFACTURER,
                                                    .iProduct = CHIP_STRING_NAME,
                                                    .iSerialNumber = CHIP_STRING_SERIAL,
                                                    .bNumConfigurations = 1};
    return LIBUSB_SUCCESS;
}

#define BULK(address)                                                                                                  \
    {                                                                                                                  \
        .bLength = 7, .bDescriptorType = LIBUSB_DT_ENDPOINT, .bEndpointAddress = (address), .bmAttributes = 2,         \
        .wMaxPacketSize = CHIP_PACKET                                                                                  \
    }
static const struct libusb_endpoint_descriptor endpoints[2][2] = {{BULK(0x81), BULK(0x02)}, {BULK(0x83), BULK(0x04)}};
#define CHANNEL(n)                                                                                                     \
    {                                                                                                                  \
        .bLength = 9, .bDescriptorType = LIBUSB_DT_INTERFACE, .bInterfaceNumber = (n), .bNumEndpoints = 2,             \
        .bInterfaceClass = 255, .iInterface = 2, .endpoint = endpoints[n]                                              \
    }
static const struct libusb_interface_descriptor channels[2] = {CHANNEL(0), CHANNEL(1)};
static const struct libusb_interface interfaces[2] = {{&channels[0], 1}, {&channels[1], 1}};
static const struct libusb_config_descriptor config = {.bLength = 9,
                                                       .bDescriptorType = LIBUSB_DT_CONFIG,
                                                       .wTotalLength = sizeof chip_config,
                                                       .bNumInterfaces = 2,
                                                       .bConfigurationValue = 1,
                                                       .bmAttributes = 0x80,
                                                       .MaxPower = 50,
                                                       .interface = interfaces};

int libusb_get_config_descriptor(libusb_device *device, uint8_t index, struct libusb_config_descriptor **descriptor)
{
    (void)device;
    if (index)
        return LIBUSB_ERROR_NOT_FOUND;
    *descriptor = malloc(sizeof config);
    if (!*descriptor)
        return LIBUSB_ERROR_NO_MEM;
    memcpy(*descriptor, &config, sizeof config);
    return LIBUSB_SUCCESS;
}

void libusb_free_config_descriptor(struct libusb_config_descriptor *descriptor)
{
    free(descriptor);
}

/* ---- open devices */
int libusb_open(libusb_device *device, libusb_device_handle **handle)
{
    if (device->board->fd < 0)
        return LIBUSB_ERROR_NO_DEVICE;
    for (struct libusb_device_handle *h = device->context->open; h; h = h->next)
        if (h->device->board == device->board)
            return LIBUSB_ERROR_BUSY;
    libusb_device_handle *h = malloc(sizeof *h);
    if (!h)
        return LIBUSB_ERROR_NO_MEM;
    *h = (struct libusb_device_handle){.next = device->context->open, .device = libusb_ref_device(device)};
    device->context->open = h;
    *handle = h;
    return LIBUSB_SUCCESS;
}

void libusb_close(libusb_device_handle *handle)
{
    struct libusb_device_handle **at = &handle->device->context->open;
    while (*at && *at != handle)
        at = &(*at)->next;
    if (*at)
        *at = handle->next;
    board_forget(handle->device->board);
    libusb_unref_device(handle->device);
    free(handle);
}

libusb_device *libusb_get_device(libusb_device_handle *handle)
{
    return handle->device;
}

static int alive(libusb_device_handle *handle)
{
    return handle->device->board->fd < 0 ? LIBUSB_ERROR_NO_DEVICE : LIBUSB_SUCCESS;
}

int libusb_get_configuration(libusb_device_handle *handle, int *number)
{
    *number = 1;
    return alive(handle);
}

int libusb_set_configuration(libusb_device_handle *handle, int number)
{
    return number == 1 ? alive(handle) : LIBUSB_ERROR_NOT_FOUND;
}

int libusb_claim_interface(libusb_device_handle *handle, int number)
{
    return number < 2 ? alive(handle) : LIBUSB_ERROR_NOT_FOUND;
}

int libusb_release_interface(libusb_device_handle *handle, int number)
{
    return number < 2 ? alive(handle) : LIBUSB_ERROR_NOT_FOUND;
}

int libusb_clear_halt(libusb_device_handle *handle, unsigned char endpoint)
{
    (void)endpoint;
    return alive(handle);
}

int libusb_kernel_driver_active(libusb_device_handle *handle, int number)
{
    (void)number;
    return alive(handle);
}

int libusb_detach_kernel_driver(libusb_device_handle *handle, int number)
{
    (void)handle, (void)number;
    return LIBUSB_ERROR_NOT_FOUND; /* there is none */
}

int libusb_attach_kernel_driver(libusb_device_handle *handle, int number)
{
    (void)handle, (void)number;
    return LIBUSB_ERROR_NOT_FOUND;
}

int libusb_set_auto_detach_kernel_driver(libusb_device_handle *handle, int enable)
{
    (void)handle, (void)enable;
    return LIBUSB_SUCCESS;
}

int libusb_get_string_descriptor_ascii(libusb_device_handle *handle, uint8_t index, unsigned char *data, int room)
{
    const char *text = index == CHIP_STRING_MANUFACTURER ? CHIP_MANUFACTURER
                       : index == CHIP_STRING_NAME       ? CHIP_NAME
                                                         : handle->device->board->serial;
    if (index < CHIP_STRING_MANUFACTURER || index > CHIP_STRING_SERIAL || room <= 0)
        return LIBUSB_ERROR_INVALID_PARAM;
    return snprintf((char *)data, (size_t)room, "%s", text) < room ? (int)strlen(text) : room - 1;
}

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
    for (struct libusb_device_handle *h = (context ? context : &common)->open; h; h = h->next)
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
