// SPDX-License-Identifier: Apache-2.0
// Kernels that read the time, for test_golden_clock.py.  The first lane of each wavefront writes.
#define READ __builtin_amdgcn_s_memtime()
#define FIRST (get_local_id(0) % 64 == 0)
#define WAVE (get_global_id(0) / 64)

// Between two reads there are `rounds` rounds of some instructions, or a few where rounds is 0.
kernel void between(global ulong *out, uint rounds)
{
    uint x = get_local_id(0);
    ulong from = READ;
    for (uint i = 0; i < rounds; i++)
        x = x * 5 + i;
    __asm__ volatile("" : "+v"(x));
    ulong to = __builtin_readcyclecounter();
    if (FIRST)
        out[2 * WAVE] = from, out[2 * WAVE + 1] = to;
}

// Waits for `cycles`, tells them, and when it did so.
kernel void waits(global ulong *out, ulong cycles)
{
    ulong from = __builtin_amdgcn_s_memrealtime(), to;
    do
        to = __builtin_amdgcn_s_memrealtime();
    while (to - from < cycles);
    if (FIRST)
        out[2 * WAVE] = from, out[2 * WAVE + 1] = to;
}

// Of four wavefronts the first waits for a time; one has ended, one sleeps until it has, one stands at the barrier.
kernel void one_waits(global ulong *out, ulong cycles)
{
    local volatile uint done;
    uint wave = __builtin_amdgcn_readfirstlane((uint)get_local_id(0)) / 64;
    if (wave == 0) {
        done = 0;
        ulong from = READ, to;
        do
            to = READ;
        while (to - from < cycles);
        done = 1;
        out[WAVE] = to - from;
    } else if (wave == 1) {
        return;
    } else if (wave == 2) {
        while (done != 1)
            __builtin_amdgcn_s_sleep(127);
        out[WAVE] = 2;
    }
    __builtin_amdgcn_s_barrier();
    if (wave == 3)
        out[WAVE] = done;
}

// The first work-group waits for what the last one sets, but not for longer than `cycles`.
kernel void gives_up(global volatile uint *out, ulong cycles)
{
    if (!FIRST)
        return;
    if (get_group_id(0) == get_num_groups(0) - 1) {
        uint x = 1;
        for (uint i = 0; i < 3000; i++)
            x = x * 5 + i;
        out[1] = x | 1;
    } else if (get_group_id(0) == 0) {
        ulong from = READ;
        while (out[1] == 0 && READ - from < cycles)
            ;
        out[0] = out[1] ? 1 : 2;
    }
}

// Each work-group stores, reads the time between, waits at barriers; its sum depends on all that it was told.
kernel void each_reads(global ulong *out)
{
    local ulong told[4];
    ulong sum = 0;
    for (uint i = 0; i < 40 + 20 * (get_group_id(0) % 7); i++) {
        uint x = i;
        for (uint k = 0; k < get_group_id(0) % 5 * 30; k++)
            x = x * 5 + k;
        __asm__ volatile("" : "+v"(x));
        told[get_local_id(0) / 64] = READ;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 3 + told[i % 4];
        out[get_global_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
