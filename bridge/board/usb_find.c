/* SPDX-License-Identifier: Apache-2.0
 * Which FTDI chips are plugged in, and the one with a serial number.
 */
#include <stdio.h>
#include <string.h>

#include "bridge/board/usb_private.h"

#define SIO_READ_EEPROM_REQUEST_TYPE 0xc0 /* to the device, by the maker's rules */

#define CONTROL_MS 500
#define USE_BITS 0x07 /* of the first byte of the EEPROM */
#define USE_BIT_FIFO 0x01
#define DENIED "may not be opened (udev rule: fpga/README.md)"

const char *usb_chip_name(unsigned release, bool *fifo)
{
    static const struct {
        unsigned release;
        const char *name;
        bool fifo;
    } chips[] = {{0x0200, "FT8U232AM", false}, {0x0400, "FT232B", false}, {0x0500, "FT2232C", false},
                 {0x0600, "FT232R", false},    {0x0700, "FT2232H", true}, {0x0800, "FT4232H", false},
                 {0x0900, "FT232H", true},     {0x1000, "FT230X", false}};

    for (unsigned n = 0; n < sizeof chips / sizeof *chips; n++)
        if (chips[n].release == release) {
            *fifo = chips[n].fifo;
            return chips[n].name;
        }
    *fifo = false;
    return "FTDI chip";
}

enum use {              /* of the chip's channel A, as its EEPROM has it */
           USE_UNKNOWN, /* nothing is in the EEPROM, or there is none */
           USE_FIFO,
           USE_OTHER,
};
struct seen {
    char serial[64];
    const char *chip;
    bool fifo, asked; /* the chip can be one; it may be opened */
    enum use use;
};

/* Read without claiming: whoever has the device keeps it. */
static enum use use_read(const struct usb_library *library, libusb_device_handle *handle)
{
    uint8_t word[2];

    if (library->libusb_control_transfer(handle, SIO_READ_EEPROM_REQUEST_TYPE, SIO_READ_EEPROM_REQUEST, 0, 0, word, 2,
                                         CONTROL_MS) != 2 ||
        (word[0] == 0xff && word[1] == 0xff))
        return USE_UNKNOWN;
    return (word[0] & USE_BITS) == USE_BIT_FIFO ? USE_FIFO : USE_OTHER;
}

static void look(const struct usb_library *library, struct ftdi_context *ftdi, struct libusb_device *device,
                 struct seen *seen)
{
    struct libusb_device_descriptor descriptor = {0};
    libusb_device_handle *handle;
    char maker[64], product[64];

    *seen = (struct seen){.serial = ""};
    if (library->libusb_get_device_descriptor(device, &descriptor) != 0)
        descriptor.bcdDevice = 0;
    seen->chip = usb_chip_name(descriptor.bcdDevice, &seen->fifo);
    seen->asked = library->libusb_open(device, &handle) == 0;
    if (!seen->asked)
        return;
    if (seen->fifo)
        seen->use = use_read(library, handle);
    library->libusb_close(handle);
    if (library->ftdi_usb_get_strings2(ftdi, device, maker, sizeof maker, product, sizeof product, seen->serial,
                                       sizeof seen->serial) != 0)
        seen->serial[0] = 0;
}

/* "; plugged in: A (FT2232H), B (FT232R)", as far as there is room. */
static void append_seen(char *text, size_t room, const struct seen *seen, bool first)
{
    const size_t n = strlen(text);

    snprintf(text + n, room - n, "%s%s (%s)", first ? "" : ", ",
             !seen->asked    ? "one that " DENIED
             : *seen->serial ? seen->serial
                             : "one without a serial number",
             seen->chip);
}

struct libusb_device *usb_find(struct usb_board *board, const char *serial, struct ftdi_device_list **list, char *why,
                               size_t room)
{
    const struct usb_library *library = board->library;
    struct libusb_device *found = NULL;
    struct seen seen, right = {.serial = ""};
    char others[400] = "";
    unsigned count = 0;

    *list = NULL;
    if (library->ftdi_usb_find_all(board->ftdi, list, 0, 0) < 0) {
        snprintf(why, room, "USB cannot be read: %s", library->ftdi_get_error_string(board->ftdi));
        return NULL;
    }
    for (struct ftdi_device_list *d = *list; d; d = d->next) {
        look(library, board->ftdi, d->dev, &seen);
        append_seen(others, sizeof others, &seen, d == *list);
        if (!seen.asked || strcmp(seen.serial, serial) != 0)
            continue;
        found = d->dev;
        right = seen;
        count++;
    }
    if (count == 1 && right.fifo && right.use != USE_OTHER) {
        board->chip = right.chip;
        return found;
    }
    if (count > 1)
        snprintf(why, room, "%u chips have this serial number", count);
    else if (count == 1 && right.fifo)
        snprintf(why, room, "its EEPROM does not set channel A to 245 FIFO (fpga/README.md)");
    else if (count == 1)
        snprintf(why, room, "is an %s, which has no synchronous FIFO (needed: FT232H, FT2232H)", right.chip);
    else if (*list)
        snprintf(why, room, "not plugged in; there are: %s", others);
    else
        snprintf(why, room, "not plugged in; there is no FTDI chip");
    return NULL;
}

int usb_list(void (*fn)(void *arg, const struct usb_found *found), void *arg, char *why, size_t room)
{
    const struct usb_library *library = usb_library_system(why, room);
    struct ftdi_context *ftdi = library ? library->ftdi_new() : NULL;
    struct ftdi_device_list *list = NULL;
    int count = -1;

    if (library && ftdi == NULL)
        snprintf(why, room, "libusb finds no USB on this machine");
    if (ftdi && (count = library->ftdi_usb_find_all(ftdi, &list, 0, 0)) < 0)
        snprintf(why, room, "USB cannot be read: %s", library->ftdi_get_error_string(ftdi));
    for (struct ftdi_device_list *d = list; d; d = d->next) {
        struct seen seen;

        look(library, ftdi, d->dev, &seen);
        /* An adapter of another kind would drive its pins in FIFO mode: it is left alone. */
        fn(arg, &(struct usb_found){seen.serial, seen.chip,
                                    !seen.asked            ? DENIED
                                    : !seen.fifo           ? "has no synchronous FIFO"
                                    : seen.use != USE_FIFO ? "not asked: its EEPROM does not set channel A to 245 FIFO"
                                                           : NULL});
    }
    if (ftdi) {
        library->ftdi_list_free(&list);
        library->ftdi_free(ftdi);
    }
    return count < 0 ? -1 : count;
}
