// SPDX-License-Identifier: Apache-2.0
// The dispatchers' own agent in the bench of part_dispatch: between the answer to a pause or a drain and the continue no wavefront starts and all else goes on; the
// answer to each message by the state before it.  Not responsible for: the rules of every agent (tests/rtl/control).
#ifndef HELD_H
#define HELD_H

static const unsigned OwnPort = 3 + Sqcs + Slices + Cus; // behind those of other partitions
static uint8_t own_state = CTL_STATE_RUN;  // behind the last message that was sent
static bool held_now;                      // a pause or drain is answered, and no continue is sent
static unsigned own_id = 0x7f00, waves_held, paused_begun, drained_begun;

static void send(const msg_cp_cmd &c);
static void step(const msg_cp_cmd *cmd);

// A message to the dispatchers, with the answer that it must have.
static void own_send(uint8_t signals, uint8_t status, uint8_t state)
{
    msg_cp_cmd c = {};
    c.kind = CP_CONTROL, c.id = (uint16_t)(own_id = 0x7f00 | ((own_id + 1) & 0xff)), c.flags = signals | CTL_GROUP_DISPATCH << 8 | (pick(2) ? 0xffffu : 0u) << 16;
    if (status == CTL_OK)
        own_state = state;
    held_now = false;
    for (auto &l : launches) // what is in hand may be sent much later
        l.second.held = true;
    send(c);
    msg_cp_evt &o = outcome[c.id];
    o.status = status, o.cu = CTL_GROUP_DISPATCH << 8, o.wave = state;
    asked_ports[c.id] = (Ports)1 << OwnPort;
}

static bool own_open() { return !controls.empty(); }

// Its event has come.
static void own_told(const msg_cp_evt &e)
{
    if (e.cu >> 8 == CTL_GROUP_DISPATCH)
        held_now = own_state == CTL_STATE_PAUSED || own_state == CTL_STATE_OFF;
}

// A message with its answer, at once or behind what is being placed.
static void own(uint8_t signals, uint8_t status, uint8_t state)
{
    own_send(signals, status, state);
    for (unsigned n = 0; own_open(); n++) {
        if (n > 4000)
            FAIL("signals %x to the dispatchers are not answered", signals);
        step(nullptr);
    }
}

static void own_go_on()
{
    while (own_open())
        step(nullptr);
    if (own_state == CTL_STATE_PAUSED)
        own(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
}

// Of random traffic: they are paused or drained, or go on.
static void own_random()
{
    if (own_open())
        return;
    if (own_state == CTL_STATE_PAUSED)
        return own_send(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    const bool drains = pick(2);
    (drains ? drained_begun : paused_begun)++;
    own_send(drains ? (pick(2) ? CTL_DRAIN : CTL_FLUSH) | (pick(2) ? CTL_PAUSE : 0) : CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
}
#endif
