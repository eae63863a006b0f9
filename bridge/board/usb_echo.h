/* SPDX-License-Identifier: Apache-2.0
 * What a board's stream carries, measured by ECHO records.  Responsible for: round trips, bytes a second, that what
 * comes back is what was sent.
 */
#ifndef GANTRY_BOARD_USB_ECHO_H
#define GANTRY_BOARD_USB_ECHO_H
#include "bridge/stream/stream.h"

#define ECHO_PAYLOAD 4096 /* bytes, the most of a record */

/* Sends `records` with `payload` bytes, of which up to `ahead` are not back yet, and takes the time by the port's
 * clock. False: the stream is lost (stream_why), or something else came back: then *other.  After that the stream is
 * good for stream_bye alone. */
bool usb_echo(struct stream *stream, const struct stream_port *port, unsigned records, unsigned payload, unsigned ahead,
              uint64_t *ms, bool *other);
#endif
