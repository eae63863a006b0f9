/* SPDX-License-Identifier: Apache-2.0
 * How the part that user space takes the GPU for would lay out images, as GET_TILE_CONFIG and libdrm tell it.  There
 * are none (docs/reference/driver.md, Images); user space wants the numbers all the same.
 */
#ifndef GANTRY_TILING_H
#define GANTRY_TILING_H
#include <stdint.h>

#define TILING_ADDRESSES 0x22011003u /* GB_ADDR_CONFIG */
#define TILING_MODES 32u             /* GB_TILE_MODE */
#define TILING_MACROS 16u            /* GB_MACROTILE_MODE, all 0 */
#define TILING_LINEAR 8u             /* the mode that is linear and aligned */

/* GB_TILE_MODE `mode`: ARRAY_MODE in bits 5:2 (1: linear aligned, 2: tiled), PIPE_CONFIG from bit 6. */
static inline uint32_t tiling_mode(unsigned mode)
{
    return mode == TILING_LINEAR ? 1u << 2 : 2u << 2 | 12u << 6;
}
#endif
