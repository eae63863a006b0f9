/* SPDX-License-Identifier: Apache-2.0
 * Fields of messages; contract in fields.h.
 */
#include "observe/fields.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gantry_msg_fields.h"

static uint64_t value_of(const void *message, const struct message_field *f, unsigned i)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)message + f->offset + (size_t)i * f->bytes, f->bytes);
    return value;
}

void fields_differ(const char *name, const void *seen, const void *recorded, char *text, size_t room)
{
    size_t used = 0;
    const char *message = strncmp(name, "far_", 4) == 0 ? "mem_" : name;
    size_t length = strlen(message);
    *text = 0;
    for (const struct message_field *f = message_fields; f->message; f++) {
        const char *rest = message == name ? "" : name + 4;
        if (strncmp(f->message, message, length) != 0 || strcmp(f->message + length, rest) != 0)
            continue;
        for (unsigned i = 0; i < f->count; i++) {
            uint64_t a = value_of(seen, f, i), b = value_of(recorded, f, i);
            char index[16] = "";
            if (a == b || used >= room)
                continue;
            if (f->count != 1)
                snprintf(index, sizeof index, "[%u]", i);
            used += (size_t)snprintf(text + used, room - used, "%s%s%s=0x%llx (recorded 0x%llx)", used ? ", " : "",
                                     f->name, index, (unsigned long long)a, (unsigned long long)b);
        }
    }
}
