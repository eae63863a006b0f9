/* SPDX-License-Identifier: Apache-2.0
 * The bytes of a saved state: a place to write them to and one to read them from.  Alone and small, because the
 * libraries of verilated partitions are built with it (bridge/verilated/model.h) and anew when it changes; what is made
 * of it stands in state_io.h.
 */
#ifndef GANTRY_STATE_H
#define GANTRY_STATE_H
#include <stdbool.h>
#include <stddef.h>

struct state_writer {
    /* Never fails for its caller: a writer that cannot go on keeps that to itself and tells its owner. */
    void (*write)(struct state_writer *writer, const void *bytes, size_t count);
};
struct state_reader {
    /* False when fewer than `count` bytes are left: *bytes is then undefined. */
    bool (*read)(struct state_reader *reader, void *bytes, size_t count);
    char why[240]; /* first reason for which a state cannot be taken; "": the bytes ended, or none so far */
};
#endif
