// SPDX-License-Identifier: Apache-2.0
// Work-groups that are not independent, and one that faults: for host threads of the golden model.

// Group n waits until the groups behind it have come: none can end before the last one has started.
kernel void reverse(volatile global atomic_uint *come, global uint *out)
{
    uint group = get_group_id(0), groups = get_num_groups(0);
    if (get_local_id(0) == 0) {
        while (atomic_load(come) != groups - 1 - group)
            ;
        atomic_fetch_add(come, 1);
    }
    out[get_global_id(0)] = group * 3 + 1;
}

// From group 5 on a store to nowhere, the later the group the sooner.
kernel void fault(global uint *out)
{
    uint group = get_group_id(0), x = group;
    for (uint i = 0; i < 4000 / (group + 1); i++)
        x = x * 1664525 + 1013904223;
    if (group >= 5)
        *(volatile global uint *)(0xdead00000000ul + group * 4096) = x;
    out[get_global_id(0)] = x;
}

// Ends never.
kernel void forever(volatile global uint *out)
{
    while (out[0] == 0)
        ;
}

// Old values of one counter: a permutation that depends on the order of the atomics.
kernel void tickets(volatile global atomic_uint *next, global uint *out)
{
    out[get_global_id(0)] = atomic_fetch_add(next, 1);
}

// As reverse, with values in private memory while it waits, which other work-groups have, too.
kernel void private_reverse(volatile global atomic_uint *come, global uint *out, global const uint *turn)
{
    uint group = get_group_id(0), groups = get_num_groups(0), sum = 0;
    volatile uint mine[64];
    for (uint i = 0; i < 64; i++)
        mine[(i * 7 + turn[0]) & 63] = group * 1000 + i;
    if (get_local_id(0) == 0) {
        while (atomic_load(come) != groups - 1 - group)
            ;
        atomic_fetch_add(come, 1);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = 0; i < 64; i++)
        sum += mine[(i * 5 + turn[0]) & 63];
    out[get_global_id(0)] = sum;
}
