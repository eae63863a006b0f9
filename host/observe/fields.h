/* SPDX-License-Identifier: Apache-2.0
 * Messages for people: which of their fields differ (names and places from bridge/proto/messages.def).
 */
#ifndef GANTRY_FIELDS_H
#define GANTRY_FIELDS_H
#include <stddef.h>

/* "end=0x13d8 (recorded 0x13d0), ..." of the message called `name` ("cp_evt"), all fields that differ, as far as there
 * is room; "" when none does.  A port's name serves, too: far_req is a mem_req. */
void fields_differ(const char *name, const void *seen, const void *recorded, char *text, size_t room);
#endif
