/* SPDX-License-Identifier: Apache-2.0
 * Between whoever speaks USB for a host (stand-in of libusb, umockdev) and the process of a simulated board, over a
 * connected stream socket: requests one way, answers the other, little endian, both on one machine.
 * Time is virtual, in cycles of the chip's 60 MHz clock, and runs only while a WIRE_WAIT or a WIRE_CONTROL is carried
 * out: what a board does depends on the requests alone, never on the speed of the machine.
 * The process of the board ends when the socket closes.  Who closed: an end of file is a device that was unplugged.
 */
#ifndef GANTRY_WIRE_H
#define GANTRY_WIRE_H
#include <stdint.h>

#define WIRE_MHZ 60
#define WIRE_MOST (1u << 20) /* bytes of a transfer */

enum wire_op {
    WIRE_CONTROL = 1, /* setup; `length` bytes behind it when it goes out.  Answered: bytes of an IN, status */
    WIRE_SUBMIT = 2,  /* a bulk transfer `id` at `endpoint`; OUT: `length` bytes behind it; IN: room.  Not answered */
    WIRE_CANCEL = 3,  /* transfer `id`, if it is under way: it ends with WIRE_CANCELLED.  Not answered */
    WIRE_WAIT = 4,    /* until a transfer has ended, `until` has come, or the process has worked for a while */
};
enum wire_status {
    WIRE_OK = 0,
    WIRE_CANCELLED = 1,
    WIRE_STALLED = 2,  /* a request that the chip does not know */
    WIRE_OVERFLOW = 3, /* an IN had no room for a whole packet */
};
struct wire_ask {
    uint32_t op; /* enum wire_op */
    uint32_t id; /* not 0 */
    uint32_t endpoint;
    uint32_t length;
    uint64_t until; /* time */
    uint8_t setup[8];
};
struct wire_answer {
    int32_t status;    /* enum wire_status */
    uint32_t id;       /* of the transfer that has ended; 0: none yet */
    uint32_t length;   /* bytes moved; those of an IN follow */
    uint32_t endpoint; /* of the transfer */
    uint64_t now;      /* time */
};
#endif
