/* SPDX-License-Identifier: Apache-2.0
 * What an FT2232H says of itself on USB: for the stand-in of libusb and for umockdev.
 * Not responsible for: what it does (chip.hpp).
 */
#ifndef GANTRY_DESCRIPTORS_H
#define GANTRY_DESCRIPTORS_H
#include <stdint.h>

#define CHIP_VENDOR 0x0403
#define CHIP_PRODUCT 0x6010
#define CHIP_RELEASE 0x0700 /* by which libftdi1 knows the type */
#define CHIP_PACKET 512
#define CHIP_MANUFACTURER "FTDI"
#define CHIP_NAME "FT2232H, simulated"
enum chip_string { CHIP_STRING_MANUFACTURER = 1, CHIP_STRING_NAME = 2, CHIP_STRING_SERIAL = 3 };

static const uint8_t chip_device[18] = {18,
                                        1,
                                        0,
                                        2,
                                        0,
                                        0,
                                        0,
                                        64,
                                        CHIP_VENDOR & 255,
                                        CHIP_VENDOR >> 8,
                                        CHIP_PRODUCT & 255,
                                        CHIP_PRODUCT >> 8,
                                        CHIP_RELEASE & 255,
                                        CHIP_RELEASE >> 8,
                                        CHIP_STRING_MANUFACTURER,
                                        CHIP_STRING_NAME,
                                        CHIP_STRING_SERIAL,
                                        1};
/* Two interfaces of two bulk endpoints each. */
static const uint8_t chip_config[55] = {
    9, 2, 55, 0, 2, 1, 0, 0x80, 50, 9,   4,   0,   0, 2, 255, 255,  255, 2, 7, 5, 0x81, 2, 0,    2, 0, 7, 5, 0x02,
    2, 0, 2,  0, 9, 4, 1, 0,    2,  255, 255, 255, 2, 7, 5,   0x83, 2,   0, 2, 0, 7,    5, 0x04, 2, 0, 2, 0};
#endif
