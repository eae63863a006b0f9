// SPDX-License-Identifier: Apache-2.0
// What benches of components with a control agent share: a message of signals, and its one answer.
// Not responsible for: ports and steps of a bench.
#pragma once
#include <cstdint>
#include <cstring>

#include "gantry_msg.h"

static inline msg_ctl_cmd signals_message(uint8_t signals, uint16_t id)
{
    msg_ctl_cmd c = {};
    c.op = CTL_SIGNAL, c.signals = signals, c.id = id;
    return c;
}

// The answer is all of what it must be: status, state, id, nothing in the padding.
static inline bool signals_answered(const msg_ctl_evt &got, const msg_ctl_cmd &asked, unsigned status, unsigned state)
{
    const msg_ctl_evt want = {asked.op, (uint8_t)status, (uint8_t)state, 0, asked.id, 0};
    return memcmp(&got, &want, sizeof want) == 0;
}

// Sends a message of signals by `send(message)`, the step that has it, and steps until `count` says that an answer came; then holds the last
// one, and that it is the only one, against what is expected.  False: it is not so.
template <class Send, class Step>
static bool signals_told(uint8_t signals, uint16_t id, unsigned status, unsigned state, unsigned limit, unsigned &count, const msg_ctl_evt &last,
                         Send send, Step step)
{
    const msg_ctl_cmd c = signals_message(signals, id);
    count = 0;
    send(c);
    for (unsigned i = 0; i < limit && !count; i++)
        step();
    return count == 1 && signals_answered(last, c, status, state);
}
