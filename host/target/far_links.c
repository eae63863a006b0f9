/* SPDX-License-Identifier: Apache-2.0
 * Rates of the far links; contract in far_links.h.
 */
#include "target/far_links.h"

#include <stddef.h>

#include "bridge/part/part.h"
#include "config/far.h"
#include "gantry_msg.h"

static void rate_set(struct wire *w, struct channel_rate rate, struct wire *first)
{
    if (w == NULL)
        return;
    w->channel.rate = rate;
    if (first)
        channel_share(&w->channel, &first->channel);
}

void far_requests(struct wire *w, uint32_t bytes_per_cycle, struct wire *first)
{
    const struct channel_rate rate = {
        .bytes_per_cycle = bytes_per_cycle,
        .header = FAR_HEADER,
        .kind_at = offsetof(struct msg_mem_req, op),
        .payload = {[MEM_WRITE] = FAR_LINE, [MEM_ATOMIC] = FAR_LINE, [MEM_MOVE] = FAR_LINE}};
    rate_set(w, rate, first);
}

void far_answers(struct wire *w, uint32_t bytes_per_cycle, struct wire *first)
{
    const struct channel_rate rate = {
        .bytes_per_cycle = bytes_per_cycle,
        .header = FAR_HEADER,
        .kind_at = offsetof(struct msg_mem_rsp, op),
        .payload = {[MEM_READ] = FAR_LINE, [MEM_READ_NC] = FAR_LINE, [MEM_ATOMIC] = FAR_LINE}};
    rate_set(w, rate, first);
}

void far_credits(struct wire *w, uint32_t bytes_per_cycle, struct wire *first)
{
    rate_set(w, (struct channel_rate){.bytes_per_cycle = bytes_per_cycle, .header = FAR_CREDIT}, first);
}
