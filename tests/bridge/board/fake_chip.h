/* SPDX-License-Identifier: Apache-2.0
 * Chips that are plugged into the fake libusb (fake_usb.c): which there are, what they are, what they are told.
 */
#ifndef TESTS_BRIDGE_BOARD_FAKE_CHIP_H
#define TESTS_BRIDGE_BOARD_FAKE_CHIP_H
#include <libusb-1.0/libusb.h>
#include <time.h>

#include "../link/stream_channel.h"

enum { CHIPS = 8, LATENCY_US = 2000 };

struct libusb_device {
    char serial[32], behaviour[16];
    unsigned release, eeprom;
    struct channel *channel;
    struct board_thread board;
    struct libusb_transfer *ins[100], *outs[100];
    unsigned in_count, out_count, written;
};
static struct libusb_device chips[CHIPS];
static unsigned chip_count;

static struct libusb_device *chip_of(libusb_device_handle *handle)
{
    return (struct libusb_device *)handle;
}

static bool is(const struct libusb_device *chip, const char *behaviour)
{
    return strcmp(chip->behaviour, behaviour) == 0;
}

static void note(const struct libusb_device *chip, const char *what, unsigned value)
{
    FILE *file = getenv("GANTRY_FAKE_LOG") ? fopen(getenv("GANTRY_FAKE_LOG"), "a") : NULL;
    if (file) {
        fprintf(file, "%s %s %x\n", chip->serial, what, value);
        fclose(file);
    }
}

/* Sends each record back, whatever it is. */
static void echo(struct stream *stream)
{
    struct stream_hello hello;
    struct stream_record head;
    static uint8_t payload[4096];
    while (stream_hello(stream, NULL, &hello))
        while (stream_get(stream, &head, sizeof head) && head.arg <= sizeof payload &&
               stream_get(stream, payload, head.arg)) {
            stream_put(stream, &head, sizeof head);
            stream_put(stream, payload, head.arg);
            stream_flush(stream);
        }
}

/* ---- the list */
int libusb_init(libusb_context **context)
{
    char *save, *text = strdup(getenv("GANTRY_FAKE_USB") ? getenv("GANTRY_FAKE_USB") : "");
    *context = (void *)chips;
    chip_count = 0;
    for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        struct libusb_device *chip = &chips[chip_count++];
        const bool right =
            sscanf(word, "%31[^:]:%x:%x:%15s", chip->serial, &chip->release, &chip->eeprom, chip->behaviour) == 4;
        if (!right || chip_count > CHIPS)
            abort();
        if (strcmp(chip->serial, "-") == 0)
            chip->serial[0] = 0;
        if (chip->channel == NULL) {
            chip->board.run = echo;
            chip->channel = channel_new(&(struct faults){.lost = is(chip, "lossy") ? 20 : 0}, 5, &chip->board);
        }
    }
    free(text);
    return 0;
}
void libusb_exit(libusb_context *context)
{
    (void)context;
}
ssize_t libusb_get_device_list(libusb_context *context, libusb_device ***list)
{
    (void)context;
    *list = calloc(chip_count + 1, sizeof **list);
    for (unsigned n = 0; n < chip_count; n++)
        (*list)[n] = &chips[n];
    return chip_count;
}
void libusb_free_device_list(libusb_device **list, int unref)
{
    (void)unref, free(list);
}
libusb_device *libusb_ref_device(libusb_device *device)
{
    return device;
}
void libusb_unref_device(libusb_device *device)
{
    (void)device;
}
uint8_t libusb_get_bus_number(libusb_device *device)
{
    return (void)device, 1;
}
uint8_t libusb_get_device_address(libusb_device *device)
{
    return (uint8_t)(device - chips + 1);
}
int libusb_get_device_descriptor(libusb_device *device, struct libusb_device_descriptor *d)
{
    *d = (struct libusb_device_descriptor){.idVendor = 0x0403,
                                           .bcdDevice = (uint16_t)device->release,
                                           .iManufacturer = 1,
                                           .iProduct = 2,
                                           .iSerialNumber = device->serial[0] ? 3 : 0,
                                           .bNumConfigurations = 1};
    d->idProduct = device->release == 0x600 ? 0x6001 : device->release == 0x900 ? 0x6014 : 0x6010;
    return 0;
}
int libusb_get_config_descriptor(libusb_device *device, uint8_t index, struct libusb_config_descriptor **config)
{
    struct made {
        struct libusb_config_descriptor config;
        struct libusb_interface interface;
        struct libusb_interface_descriptor channel;
        struct libusb_endpoint_descriptor endpoint;
    } *made = calloc(1, sizeof *made);
    (void)index;
    made->endpoint.wMaxPacketSize = is(device, "full") ? 64 : 512;
    made->channel = (struct libusb_interface_descriptor){.bNumEndpoints = 1, .endpoint = &made->endpoint};
    made->interface = (struct libusb_interface){&made->channel, 1};
    made->config =
        (struct libusb_config_descriptor){.bNumInterfaces = 1, .bConfigurationValue = 1, .interface = &made->interface};
    *config = &made->config;
    return 0;
}
void libusb_free_config_descriptor(struct libusb_config_descriptor *config)
{
    free(config);
}
const char *libusb_error_name(int code)
{
    return code == LIBUSB_ERROR_IO ? "LIBUSB_ERROR_IO" : "another";
}

/* ---- a chip */
int libusb_open(libusb_device *device, libusb_device_handle **handle)
{
    *handle = (void *)device;
    return is(device, "denied") ? LIBUSB_ERROR_ACCESS : 0;
}
void libusb_close(libusb_device_handle *handle)
{
    (void)handle;
}
int libusb_get_configuration(libusb_device_handle *handle, int *n)
{
    return (void)handle, *n = 1, 0;
}
int libusb_set_configuration(libusb_device_handle *handle, int n)
{
    return (void)handle, (void)n, 0;
}
int libusb_claim_interface(libusb_device_handle *handle, int n)
{
    return note(chip_of(handle), "claim", (unsigned)n), is(chip_of(handle), "busy") ? LIBUSB_ERROR_BUSY : 0;
}
int libusb_release_interface(libusb_device_handle *handle, int n)
{
    return note(chip_of(handle), "release", (unsigned)n), 0;
}
int libusb_detach_kernel_driver(libusb_device_handle *handle, int n)
{
    return note(chip_of(handle), "detach", (unsigned)n), 0;
}
int libusb_set_auto_detach_kernel_driver(libusb_device_handle *handle, int on)
{
    return note(chip_of(handle), "reattach", (unsigned)on), 0;
}
int libusb_get_string_descriptor_ascii(libusb_device_handle *handle, uint8_t index, unsigned char *text, int room)
{
    if (index == 0)
        return LIBUSB_ERROR_INVALID_PARAM;
    return snprintf((char *)text, (size_t)room, "%s", index == 3 ? chip_of(handle)->serial : "text");
}
int libusb_control_transfer(libusb_device_handle *handle, uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                            unsigned char *data, uint16_t n, unsigned ms)
{
    static const char *const names[] = {[0] = "reset", [2] = "flow", [9] = "latency", [11] = "mode"};
    struct libusb_device *chip = chip_of(handle);
    (void)n, (void)ms;
    if (type & 0x80) {
        data[0] = (unsigned char)chip->eeprom;
        data[1] = (unsigned char)(chip->eeprom >> 8);
        return 2;
    }
    if (request < 12 && names[request])
        note(chip, names[request], request == 2 ? index : value);
    return request == 11 && value >> 8 == 0x40 && is(chip, "refused") ? LIBUSB_ERROR_PIPE : 0;
}
#endif
