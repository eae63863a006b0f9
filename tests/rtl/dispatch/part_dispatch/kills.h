// SPDX-License-Identifier: Apache-2.0
// Cases of the bench of part_dispatch: kills of an address space among groups in hand, behind a CU that waits, before reciprocals, while
// dispatchers are held.  It uses the CUs and launches of bench.h and cases.h.
#ifndef KILLS_H
#define KILLS_H

// A kill while dispatchers are held, at each point of a group that is being sent: what waits for it is seen, and nothing rests before it is over.
static void test_kills_held()
{
    for (unsigned n = 0; n < 64; n++) {
        msg_cp_cmd c = launch_make(24720, 1024, 1, 1, 1024 * 30, 1, 1), kill = {};
        c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.cu_mask = ~0ull, c.vmid = 7;
        kill.kind = CP_KILL, kill.id = 0x9ffb, kill.vmid = 7;
        send(c);
        const Launch &l = launches[24720];
        do
            step(nullptr);
        while (l.next_group < 3 || l.next_wave < 1 + n % 15);
        own(n & 1 ? CTL_DRAIN : CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED);
        send(kill);
        steps(n / 2);
        own(CTL_CONTINUE, CTL_OK, CTL_STATE_RUN);
        drain(4000);
    }
}

// A kill among groups that are being tried and sent, at each moment of a group: what was granted is sent before the CUs hear of it.
static void test_kill_in_hand()
{
    for (unsigned n = 0; n < 34; n++) {
        msg_cp_cmd c = launch_make(24400, 1024, 1, 1, 1024 * 400, 1, 1), kill = {};
        c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.cu_mask = n & 1 ? 7 : ~0ull, c.vmid = 7;
        kill.kind = CP_KILL, kill.id = 0x9ffe, kill.vmid = 7;
        send(c);
        steps(100 + n);
        send(kill);
        drain(4000);
    }
}

// CUs cannot end accesses of a space that is killed before others end, for which the host has commands: shoot-downs, answers to withheld translations,
// pages that move.  They pass the kill, and so does another kill, which denies what its own space waits for; CUs have one kill at a time, and what a
// space holds in them comes back with its own kill.  Trap handlers stand behind kills.
static void test_kill_that_waits()
{
    run_cycles = 4000; // those of the second space are still there when the first is over
    for (unsigned round = 0; round < 8; round++) {
        const unsigned first = 5 + round % 2, second = 11 - first, bystander = 3;
        for (unsigned vmid : {first, second, bystander}) {
            msg_cp_cmd c = launch_make(24600 + vmid, 1024, 1, 1, 1024 * 400, 1, 1);
            c.vgprs = 8, c.sgprs = 16, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.cu_mask = ~0ull, c.vmid = vmid;
            send(c);
        }
        steps(300 + 40 * round);
        kill_waits = first;
        msg_cp_cmd kill = {}, xlat = {}, trap = {};
        kill.kind = CP_KILL, kill.id = 0x9ff0, kill.vmid = first;
        send(kill);
        steps(round % 3 ? 500 : 0);
        xlat.kind = CP_XLAT, xlat.id = 0xfff0, xlat.vmid = bystander;
        send(xlat), send(cache_random(0x8ff0)), send(move_random());
        kill.id = 0x9ff1, kill.vmid = second;
        trap.kind = CP_TRAP, trap.id = 0xaff0, trap.vmid = bystander, trap.root = rng(), trap.pc = rng();
        send(kill), send(trap), send(cache_random(0x8ff1));
        xlat.id = 0xfff1, xlat.vmid = 255;
        send(xlat);
        steps(2000);
        if (maintenance.size() != 3 || !moves.empty())
            FAIL("behind a kill that waits: %zu commands wait", maintenance.size());
        if (kill_acks.size() != Cus || kill_steps[first] != 1 + Cus || kill_steps[second] != 1)
            FAIL("kills: %zu CUs have the first, at steps %u and %u", kill_acks.size(), kill_steps[first], kill_steps[second]);
        if (launches.count(24600 + bystander) && launches[24600 + bystander].running == 0)
            FAIL("a kernel stands beside a kill that waits");
        for (auto &a : kill_acks)
            cus[a.first].out.push_back({cycle + pick(100), a.second});
        kill_acks.clear(), kill_waits = 0;
        drain(40000);
    }
    run_cycles = 40;
}

// Kernels with clipped groups are killed before their reciprocals are known; the next ones on their dispatchers have their own.
static void test_kill_before_recips()
{
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned k = 0; k < Dispatchers; k++) {
            msg_cp_cmd c = launch_make(24500 + k, 30, 5, 1, 41, 17, 1);
            c.vmid = 7, c.lds_bytes = 0, c.scratch_wave_bytes = 0, c.cu_mask = ~0ull;
            send(c);
        }
        msg_cp_cmd kill = {};
        kill.kind = CP_KILL, kill.id = 0x9ffd, kill.vmid = 7;
        steps(round);
        send(kill);
        drain(4000);
        for (unsigned k = 0; k < Dispatchers; k++)
            send(launch_make(24510 + k, 20, 7, 1, 33, 12, 1));
        drain(4000);
    }
}
#endif
