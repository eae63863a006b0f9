/* SPDX-License-Identifier: Apache-2.0
 * A libusb-1.0 whose devices are simulated boards: what libftdi1 1.5 calls of it, and a little more.  It stands in a
 * folder of its own under the name of the real one, for whoever loads libftdi1 behind it (dlmopen, LD_LIBRARY_PATH).
 * Beside libusb's own calls there are the three below.  A device that is gone (its socket has closed, or its process
 * says nothing for 3 s, or does not run any more) ends its transfers with LIBUSB_TRANSFER_NO_DEVICE; nothing here ends
 * the process. Events are handled by the thread that calls libusb_handle_events...; a device is used by one thread at a
 * time.
 */
#ifndef GANTRY_STANDIN_H
#define GANTRY_STANDIN_H
#include <stdbool.h>
#include <stdint.h>

/* A board that libusb_get_device_list finds from now on, with this serial number; fd: connected to its process
 * (wire.h), from now on this library's.  0, or -1: no room for more (64). */
int gantry_usb_add(const char *serial, int fd);
/* Its time in microseconds: it runs only while somebody waits for events of it.  0: no such board. */
uint64_t gantry_usb_now(const char *serial);
/* Asked each 0.1 s of real time in which an answer of it is waited for: false, and the device is gone. */
void gantry_usb_watch(const char *serial, bool (*here)(void *ctx), void *ctx);
#endif
