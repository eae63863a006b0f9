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

// Each group loads its `set` dwords (a power of two, at least 8 x its size) again and again, 8 loads a work-item and round.
kernel void again(global uint *to, global const uint *from, uint set, uint rounds, uint turn)
{
    uint sum = 0, at = get_local_id(0) + get_group_id(0) * turn;
    for (uint r = 0; r < rounds; r++) {
        for (uint n = 0; n < 8; n++) {
            sum |= from[at & (set - 1)];
            at += get_local_size(0);
        }
        __asm__ volatile("" ::: "memory"); // what was loaded counts no more
    }
    if (sum)
        to[0] = sum;
}

// The same from 8 KiB by buffer loads.
kernel void again_buffer(global uint *to, global const uint *from, uint rounds)
{
    const uint at = get_local_id(0) * 4 & 4095;
    const uint4 buffer = (uint4)((uint)(ulong)from, (uint)((ulong)from >> 32) & 0xffff, 8192, 0x27000);
    uint sum = 0;
    for (uint r = 0; r < rounds; r++) {
        uint8 got;
        __asm__ volatile("buffer_load_dword %0, %8, %9, 0 offen\n"
                         "buffer_load_dword %1, %8, %9, 0 offen offset:512\n"
                         "buffer_load_dword %2, %8, %9, 0 offen offset:1024\n"
                         "buffer_load_dword %3, %8, %9, 0 offen offset:1536\n"
                         "buffer_load_dword %4, %8, %9, 0 offen offset:2048\n"
                         "buffer_load_dword %5, %8, %9, 0 offen offset:2560\n"
                         "buffer_load_dword %6, %8, %9, 0 offen offset:3072\n"
                         "buffer_load_dword %7, %8, %9, 0 offen offset:3584\n"
                         "s_waitcnt vmcnt(0)"
                         : "=&v"(got.s0), "=&v"(got.s1), "=&v"(got.s2), "=&v"(got.s3), "=&v"(got.s4), "=&v"(got.s5), "=&v"(got.s6), "=&v"(got.s7)
                         : "v"(at), "s"(buffer)
                         : "memory");
        sum |= got.s0 | got.s1 | got.s2 | got.s3 | got.s4 | got.s5 | got.s6 | got.s7;
    }
    if (sum)
        to[0] = sum;
}

// A dword of every `stride` of them.
kernel void strided(global uint *to, global const uint *from, uint stride, uint items, uint rounds)
{
    uint sum = 0;
    for (uint r = 0; r < rounds; r++)
        sum |= from[(get_global_id(0) + r * items) * stride];
    if (sum)
        to[0] = sum;
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

// Loads from the LDS, 8 a round, `stride` dwords from lane to lane.
kernel void shared(global uint *to, uint stride, uint rounds)
{
    local uint room[4096];
    for (uint i = get_local_id(0); i < 4096; i += get_local_size(0))
        room[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint r = 0; r < rounds; r++) {
        for (uint n = 0; n < 8; n++)
            sum |= room[(get_local_id(0) * stride + n) & 4095];
        __asm__ volatile("" ::: "memory");
    }
    if (sum)
        to[0] = sum;
}
