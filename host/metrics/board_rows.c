/* SPDX-License-Identifier: Apache-2.0
 * Boards under the kernel table.
 */
#include <inttypes.h>

#include "machine/sim.h"
#include "metrics/metrics.h"

static void board_print(void *arg, const struct sim_board *b)
{
    const double rate = b->seconds > 0 ? (double)b->cycles / b->seconds : 0;
    fprintf(arg,
            "%s on %s: %" PRIu64 " exchanges, %" PRIu64 " bytes sent, %" PRIu64 " taken, %" PRIu64
            " frames sent again, %" PRIu64 " cycles, %.0f a second\n",
            b->part, b->where, b->exchanges, b->bytes_sent, b->bytes_taken, b->resent, b->cycles, rate);
}

void boards_print(FILE *out, struct sim *sim)
{
    sim_boards(sim, board_print, out);
}
