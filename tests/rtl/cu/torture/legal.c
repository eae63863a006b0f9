/* SPDX-License-Identifier: Apache-2.0
 * For isa_cells.py: of every pair of words on stdin (hexadecimal) the length of the instruction in dwords, 0: illegal,
 * also for a wavefront with 256 VGPRs and all SGPRs.  By the decoder of the golden model.
 */
#include <inttypes.h>
#include <stdio.h>

#include "isa/gcn3.h"

int main(void)
{
    uint32_t low, high;
    while (scanf("%" SCNx32 " %" SCNx32, &low, &high) == 2) {
        struct gcn3_inst i;
        gcn3_decode(low | (uint64_t)high << 32, &i);
        printf("%u\n", i.illegal ? 0 : i.len);
    }
    return 0;
}
