/* SPDX-License-Identifier: Apache-2.0
 * What a board may still send: messages of an output with credits, and credits of an input.  A damaged board that sends
 * more would overflow a channel, which is a fault of the board and none of the simulator.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "bridge/board/board_private.h"

#define NO_LIMIT UINT32_MAX

void credits_make(struct board *b)
{
    b->depth = xcalloc(b->api.outs + 1, sizeof *b->depth);
    b->left = xcalloc(b->api.outs + 1, sizeof *b->left);
    b->feeds = xcalloc(b->api.ins + 1, sizeof *b->feeds);
    for (uint32_t i = 0; i < b->api.outs; i++)
        b->depth[i] = b->left[i] = NO_LIMIT;
    for (uint32_t i = 0; i < b->api.ins; i++)
        b->feeds[i] = NO_LIMIT;
}

void credits_free(struct board *b)
{
    free(b->depth);
    free(b->left);
    free(b->feeds);
}

void board_bounds(struct board *b, const uint32_t *depths)
{
    for (uint32_t i = 0; i < b->api.port_count; i++) {
        const struct model_port *p = &b->api.ports[i];
        for (uint32_t lane = 0; p->credit && lane < p->count; lane++) {
            const uint32_t in = lane + (p->out ? p->credit_slot : p->slot);
            const uint32_t out = lane + (p->out ? p->slot : p->credit_slot);
            if (depths[out] == 0)
                continue;
            b->depth[out] = p->out ? depths[out] : 0;
            b->feeds[in] = out;
        }
    }
    credits_begin(b);
}

void credits_begin(struct board *b)
{
    for (uint32_t i = 0; i < b->api.outs; i++)
        b->left[i] = b->depth[i];
}

void credits_come(struct board *b, uint32_t input)
{
    if (b->feeds[input] != NO_LIMIT)
        b->left[b->feeds[input]]++;
}

bool credits_spend(struct board *b, uint32_t output)
{
    if (b->left[output] == NO_LIMIT)
        return true;
    if (b->left[output] == 0)
        return board_lose(b,
                          b->out_bytes[output] ? "a message of its output %u without a credit"
                                               : "a credit of its output %u without a message",
                          output);
    b->left[output]--;
    return true;
}
