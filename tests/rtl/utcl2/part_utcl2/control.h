// SPDX-License-Identifier: Apache-2.0
// Control messages to the L2 TLB during traffic: what a pause holds, what a drain finishes and leaves, what a discard drops.
// Not responsible for: every signal in every state (tests/rtl/control/control_agent).
#ifndef CONTROL_H
#define CONTROL_H

// The next cycle brings it; its id.
static uint16_t signal(uint8_t signals)
{
    msg_ctl_cmd c = {};
    c.op = CTL_SIGNAL, c.signals = signals, c.id = (uint16_t)++serial;
    put(dut->ctl_cmd_i, c);
    dut->ctl_cmd_valid_i = 1;
    evts = 0;
    return c.id;
}

// `knocks`: requests come while it is done.
static void tell(uint8_t signals, unsigned status, unsigned state, bool knocks = false)
{
    unsigned came = 0;
    const uint16_t id = signal(signals);
    for (unsigned i = 0; i < 4000 && evts == 0; i++)
        if (knocks && i > 1 && credits)
            issue(random_vmid(), random_va(), 1u << pick(3), 256), came++;
        else
            clock_once(nullptr, 256);
    if (Depth - credits < came)
        fail("taken during a drain: places, came", Depth - credits, came);
    const msg_ctl_evt want = {CTL_SIGNAL, (uint8_t)status, (uint8_t)state, 0, id, 0};
    if (evts != 1 || memcmp(&last_evt, &want, sizeof want))
        fail("signals not answered so", evts << 16 | last_evt.status << 8 | last_evt.state, status << 8 | state), std::exit(1);
}

// Requests while the TLB may not take them: as many as there are credits.
static void knock(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (credits)
            issue(random_vmid(), random_va(), 1u << pick(3), 256);
        else
            clock_once(nullptr, 256);
}

static void nothing_moves(const char *what)
{
    const uint64_t before = answered, reads = walk_reads;
    const unsigned room = credits, waiting = (unsigned)flying.size();
    for (unsigned i = 0; i < 150; i++)
        clock_once(nullptr, 256);
    const unsigned had = credits; // its own answers to what was sent before have come by now
    knock(20);
    for (unsigned i = 0; i < 50; i++)
        clock_once(nullptr, 256);
    if (answered != before || walk_reads != reads || had != room || flying.size() < waiting)
        fail(what, answered - before, walk_reads - reads);
}

// A drain is answered when the last answer has left, however long nobody takes it.
static void drained_when_answered()
{
    ask(2, Far);
    drain_all();
    for (unsigned n = 0; n < Depth + 1; n++)
        issue(2, Far, 1, 0);
    for (unsigned i = 0; i < 20; i++)
        clock_once(nullptr, 0); // taken
    signal(CTL_DRAIN);
    for (unsigned i = 0; i < 200; i++)
        clock_once(nullptr, 0);
    if (evts || flying.size() != 1)
        fail("drained though an answer waits", evts, flying.size());
    for (unsigned i = 0; i < 200; i++)
        clock_once(nullptr, 256);
    if (evts != 1 || !flying.empty())
        fail("not drained when all is answered", evts, flying.size());
    tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
    drain_all();
}

static void control()
{
    drained_when_answered();
    for (unsigned round = 0; round < 60; round++) {
        knock((unsigned)pick(60));
        switch (round % 5) {
        case 0:
            tell(CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            nothing_moves("moved while paused");
            tell(CTL_ENABLE, CTL_ERROR_ON, CTL_STATE_PAUSED);
            break;
        case 1:
        case 2: // what was taken has been answered, what was not is where it was
            tell(round % 5 == 1 ? CTL_DRAIN : CTL_FLUSH, CTL_OK, CTL_STATE_PAUSED, true);
            if (flying.size() != Depth - credits)
                fail("drained: unanswered requests, places taken", flying.size(), Depth - credits);
            nothing_moves("moved when drained");
            command(CTL_INV, 255, 0, 0, true); // maintenance works then
            break;
        case 3: { // walks that are under way end for nobody
            tell(CTL_DISCARD, CTL_OK, CTL_STATE_PAUSED);
            flying.clear();
            if (credits != Depth)
                fail("credits of discarded requests", credits, Depth);
            break;
        }
        default: // off and on again
            tell(CTL_DRAIN | CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
            tell(0, CTL_OK, CTL_STATE_OFF);
            tell(CTL_CONTINUE, CTL_ERROR_OFF, CTL_STATE_OFF);
            nothing_moves("moved when off");
            tell(CTL_ENABLE, CTL_OK, CTL_STATE_RUN);
            knock(10);
            drain_all();
            continue;
        }
        tell(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        knock(30);
        drain_all();
    }
}
#endif
