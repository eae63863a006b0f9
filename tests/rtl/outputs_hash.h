// SPDX-License-Identifier: Apache-2.0
// All outputs of a bench's module in one number, cycle after cycle: two runs with the same number had the same outputs in the same
// cycles.  Not responsible for: which outputs these are (the bench's saw_outputs).
#ifndef OUTPUTS_HASH_H
#define OUTPUTS_HASH_H
#include <cstddef>
#include <cstdint>

static uint64_t outputs; // since a reset

static void saw(const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        outputs = (outputs ^ static_cast<const uint8_t *>(data)[i]) * 0x100000001b3ull;
}
#endif
