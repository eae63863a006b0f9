/* SPDX-License-Identifier: Apache-2.0
 * libftdi1 and the libusb that it uses, loaded: their calls as pointers.  Twice at most: those of the system, and those
 * of simulated boards in a namespace of their own.  Once loaded they stay.  Not thread-safe.
 */
#ifndef GANTRY_BOARD_USB_LIBRARY_H
#define GANTRY_BOARD_USB_LIBRARY_H
#include <libftdi1/ftdi.h>
#include <libusb-1.0/libusb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USB_CALLS(X)                                                                                                   \
    X(ftdi_new)                                                                                                        \
    X(ftdi_free)                                                                                                       \
    X(ftdi_set_interface)                                                                                              \
    X(ftdi_usb_find_all)                                                                                               \
    X(ftdi_list_free)                                                                                                  \
    X(ftdi_usb_get_strings2)                                                                                           \
    X(ftdi_usb_open_dev)                                                                                               \
    X(ftdi_usb_close)                                                                                                  \
    X(ftdi_tcioflush)                                                                                                  \
    X(ftdi_set_latency_timer)                                                                                          \
    X(ftdi_set_bitmode)                                                                                                \
    X(ftdi_setflowctrl)                                                                                                \
    X(ftdi_get_error_string)                                                                                           \
    X(libusb_error_name)                                                                                               \
    X(libusb_open)                                                                                                     \
    X(libusb_close)                                                                                                    \
    X(libusb_control_transfer)                                                                                         \
    X(libusb_get_device_descriptor)                                                                                    \
    X(libusb_alloc_transfer)                                                                                           \
    X(libusb_free_transfer)                                                                                            \
    X(libusb_submit_transfer)                                                                                          \
    X(libusb_cancel_transfer)                                                                                          \
    X(libusb_handle_events_timeout_completed)

struct usb_library {
#define USB_CALL(name) __typeof__(name) *name;
    USB_CALLS(USB_CALL)
#undef USB_CALL
    /* Of simulated boards alone (fpga/sim/standin.h): a device more, at that socket; its time in microseconds; who
     * knows whether its process still runs. */
    int (*add)(const char *serial, int fd);
    uint64_t (*now)(const char *serial);
    void (*watch)(const char *serial, bool (*here)(void *ctx), void *ctx);
};

/* NULL: the cause is in why. */
const struct usb_library *usb_library_system(char *why, size_t room);
const struct usb_library *usb_library_sim(const char *file, char *why, size_t room);
#endif
