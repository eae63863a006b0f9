/* SPDX-License-Identifier: Apache-2.0
 * Devices, handles and contexts of the stand-in of libusb, for its own files: standin_device.c has them, standin.c
 * moves bytes through them.
 */
#ifndef GANTRY_STANDIN_PRIVATE_H
#define GANTRY_STANDIN_PRIVATE_H
#include "fpga/sim/standin_board.h"

#pragma GCC visibility push(hidden) /* not of libusb */
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

extern struct libusb_context standin_common; /* of who asks for none */
#pragma GCC visibility pop
#endif
