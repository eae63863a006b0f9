/* SPDX-License-Identifier: Apache-2.0
 * libusb-1.0's calls that find, describe and open devices, over simulated boards; contract in standin.h and libusb.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpga/sim/descriptors.h"
#include "fpga/sim/standin.h"
#include "fpga/sim/standin_private.h"

#define BOARDS 64

static struct board boards[BOARDS];
static unsigned board_count;
struct libusb_context standin_common;

int gantry_usb_add(const char *serial, int fd)
{
    unsigned at = 0;
    while (at < board_count && (boards[at].users || board_here(&boards[at])))
        at++;
    if (at == BOARDS || strlen(serial) >= sizeof boards->serial)
        return -1;
    struct board *b = &boards[at];
    if (at == board_count)
        board_count++;
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

void gantry_usb_watch(const char *serial, bool (*here)(void *ctx), void *ctx)
{
    for (unsigned i = board_count; i-- > 0;) {
        if (strcmp(boards[i].serial, serial) != 0)
            continue;
        boards[i].here = here;
        boards[i].ctx = ctx;
        return;
    }
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
        if (!board_here(&boards[i]))
            continue;
        found[n] = malloc(sizeof **found);
        if (!found[n]) {
            libusb_free_device_list(found, 1);
            return LIBUSB_ERROR_NO_MEM;
        }
        *found[n++] =
            (struct libusb_device){.context = context ? context : &standin_common, .board = &boards[i], .refs = 1};
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
    if (!board_here(device->board))
        return LIBUSB_ERROR_NO_DEVICE;
    for (struct libusb_device_handle *h = device->context->open; h; h = h->next)
        if (h->device->board == device->board)
            return LIBUSB_ERROR_BUSY;
    libusb_device_handle *h = malloc(sizeof *h);
    if (!h)
        return LIBUSB_ERROR_NO_MEM;
    *h = (struct libusb_device_handle){.next = device->context->open, .device = libusb_ref_device(device)};
    device->context->open = h;
    device->board->users++;
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
    handle->device->board->users--;
    board_forget(handle->device->board, handle);
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
