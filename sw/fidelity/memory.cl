// SPDX-License-Identifier: Apache-2.0
// Latencies and rates of the levels of memory, of atomics and of the LDS (make fidelity).  What is loaded is
// used, and stored only if it is not what it must be.

// One work-item follows pointers through `lines` (a power of two) lines of 64 bytes, a cycle through all of them; all of the group write the
// pointers and then load one line in `warm`, so that caches hold what they can (1) or translations are known (64: a line of each 4 KiB).
kernel void chase(global ulong *to, global char *from, uint lines, uint warm, uint steps)
{
    uint other = 0;
    for (uint i = get_local_id(0); i < lines; i += get_local_size(0))
        *(global ulong *)(from + 64ul * i) = (ulong)(from + 64ul * ((i * 1664525u + 1013904223u) & (lines - 1)));
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint i = get_local_id(0) * warm; i < lines; i += get_local_size(0) * warm)
        other |= *(global uint *)(from + 64ul * i + 8);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        global ulong *at = (global ulong *)from;
        for (uint i = 0; i < steps; i++)
            at = (global ulong *)*at;
        to[0] = (ulong)at + other;
    }
}

// The same with a pointer on each of `pages` (a power of two) pages, every 16th of its lines in turn so that they lie in all sets of the L2; loads of agent
// scope, which no L1V answers.
kernel void pages(global ulong *to, global char *from, uint pages, uint bytes, uint steps)
{
    for (uint i = get_local_id(0); i < pages; i += get_local_size(0)) {
        const uint next = (i * 1664525u + 1013904223u) & (pages - 1);
        *(global ulong *)(from + (ulong)i * bytes + 64 * (i & 63)) = (ulong)(from + (ulong)next * bytes + 64 * (next & 63));
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    ulong read = 0; // what a store has left of a line is no line yet
    for (uint i = get_local_id(0); i < pages; i += get_local_size(0))
        read |= atomic_load_explicit((volatile global atomic_ulong *)(from + (ulong)i * bytes + 64 * (i & 63)), memory_order_relaxed, memory_scope_device);
    if (read == 1)
        to[0] = read;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        ulong at = (ulong)from;
        for (uint i = 0; i < steps; i++)
            at = atomic_load_explicit((volatile global atomic_ulong *)at, memory_order_relaxed, memory_scope_device);
        to[0] = at;
    }
}

// Atomic additions, `rounds` a work-item: to word item * step % words.
kernel void atomic_silent(volatile global uint *to, uint step, uint words, uint rounds)
{
    const uint at = get_global_id(0) * step & (words - 1);
    for (uint r = 0; r < rounds; r++)
        atomic_add(to + at, get_local_id(0));
}
kernel void atomic_back(volatile global uint *to, uint step, uint words, uint rounds)
{
    const uint at = get_global_id(0) * step & (words - 1);
    uint sum = 0;
    for (uint r = 0; r < rounds; r++)
        sum += atomic_add(to + at, get_local_id(0));
    if (sum == 0x7fffffff)
        to[at] = sum;
}

// Loads from the LDS, 32 a round without any other instruction between them, `stride` dwords from lane to lane; what they bring is dropped.
#define FOUR(to) \
    "ds_read_b32 " to ", %0\n" \
    "ds_read_b32 " to ", %0 offset:4\n" \
    "ds_read_b32 " to ", %0 offset:8\n" \
    "ds_read_b32 " to ", %0 offset:12\n"
#define SIXTEEN(to) FOUR(to) FOUR(to) FOUR(to) FOUR(to)
kernel void shared(global uint *to, uint stride, uint rounds)
{
    local uint room[4096 + 3];
    for (uint i = get_local_id(0); i < 4096 + 3; i += get_local_size(0))
        room[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *const at = room + (get_local_id(0) * stride & 4095);
    __asm__ volatile("s_mov_b32 m0, -1" : : : "memory"); // only the allocation limits: what compilers put there, too
    for (uint r = 0; r < rounds; r++)
        __asm__ volatile(SIXTEEN("v16") SIXTEEN("v17") : : "v"(at) : "memory", "v16", "v17");
    __asm__ volatile("s_waitcnt lgkmcnt(0)" : : : "memory");
    if (room[get_local_id(0)])
        to[0] = 1;
}
