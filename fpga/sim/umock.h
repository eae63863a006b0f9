/* SPDX-License-Identifier: Apache-2.0
 * A simulated board's answers to what libusb asks the kernel.  Responsible for: usbdevfs, strings, unplugging (the
 * board's process has ended: ENODEV). Not responsible for: the testbed (umock.c).
 */
#ifndef GANTRY_UMOCK_H
#define GANTRY_UMOCK_H
#include <umockdev.h>

/* Before anything else: the device's serial number, borrowed, and the socket to its process. */
void umock_begin(const char *serial, int socket);
/* Handler of the signal handle-ioctl. */
gboolean umock_handle(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer unused);
#endif
