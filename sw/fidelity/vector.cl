// SPDX-License-Identifier: Apache-2.0
// Vector memory instructions at addresses that the host chooses (make fidelity): what one costs in a compute unit, and what a level of memory moves.
// A work-item of a group starts at byte starts[its number] + group * begin, in a window of `mask` + 1 bytes (a power of two), group * base bytes into the
// buffer, and goes on by `step` bytes with each of the 8 * `rounds` instructions, so that groups walk through one window, or each through its own.
// Nothing is computed: what loads bring is dropped, stores write what a register holds.

#define BEGIN \
    const uint group = get_group_id(0); \
    const uint4 at_buffer = (uint4)((uint)(ulong)buffer, (uint)((ulong)buffer >> 32) & 0xffff, 0xffffffff, 0x27000); \
    const uint base_of_group = group * base; \
    uint at = starts[get_local_id(0)] + group * begin & mask;
#define ARGS global char *buffer, global const uint *starts, uint step, uint mask, uint begin, uint base, uint rounds
#define ONE(op, reg, more) \
    __asm__ volatile(op " " reg ", %0, %1, %2 offen" more : : "v"(at), "s"(at_buffer), "s"(base_of_group) : "memory", "v16", "v17", "v18", "v19");
#define WALK(op, reg, more) \
    ONE(op, reg, more) \
    at = at + step & mask;
// Eight instructions one `step` apart, then all of them have ended (`end`: s_waitcnt, or nothing).
#define EIGHT(name, op, more, end) \
    kernel void name(ARGS) \
    { \
        BEGIN for (uint r = 0; r < rounds; r++) \
        { \
            WALK(op, "v16", more) WALK(op, "v16", more) WALK(op, "v16", more) WALK(op, "v16", more) \
            WALK(op, "v16", more) WALK(op, "v16", more) WALK(op, "v16", more) WALK(op, "v16", more) \
            __asm__ volatile(end : : : "memory"); \
        } \
    }
EIGHT(load, "buffer_load_dword", "", "s_waitcnt vmcnt(0)")
EIGHT(walk, "buffer_load_dword", "", "")
EIGHT(store, "buffer_store_dword", "", "s_waitcnt vmcnt(0)")
EIGHT(pass, "buffer_load_dword", " glc slc", "s_waitcnt vmcnt(0)") // neither the L1V nor the L2 keeps the line

// Eight instructions without any other between them, a line apart (name_line) or an element (name_near).
#define ROW(name, op, reg, a, b, c, d, e, f, g) \
    kernel void name(ARGS) \
    { \
        BEGIN for (uint r = 0; r < rounds; r++) \
        { \
            ONE(op, reg, "") ONE(op, reg, " offset:" #a) ONE(op, reg, " offset:" #b) ONE(op, reg, " offset:" #c) \
            ONE(op, reg, " offset:" #d) ONE(op, reg, " offset:" #e) ONE(op, reg, " offset:" #f) ONE(op, reg, " offset:" #g) \
        } \
    }
#define ROWS(name, op, reg, a, b, c, d, e, f, g) \
    ROW(name##_near, op, reg, a, b, c, d, e, f, g) ROW(name##_line, op, reg, 64, 128, 192, 256, 320, 384, 448)
ROWS(load_byte, "buffer_load_ubyte", "v16", 1, 2, 3, 4, 5, 6, 7)
ROWS(load_short, "buffer_load_ushort", "v16", 2, 4, 6, 8, 10, 12, 14)
ROWS(load_x1, "buffer_load_dword", "v16", 4, 8, 12, 16, 20, 24, 28)
ROWS(load_x2, "buffer_load_dwordx2", "v[16:17]", 8, 16, 24, 32, 40, 48, 56)
ROWS(load_x3, "buffer_load_dwordx3", "v[16:18]", 12, 24, 36, 48, 60, 72, 84)
ROWS(load_x4, "buffer_load_dwordx4", "v[16:19]", 16, 32, 48, 64, 80, 96, 112)
ROWS(store_byte, "buffer_store_byte", "v16", 1, 2, 3, 4, 5, 6, 7)
ROWS(store_short, "buffer_store_short", "v16", 2, 4, 6, 8, 10, 12, 14)
ROWS(store_x1, "buffer_store_dword", "v16", 4, 8, 12, 16, 20, 24, 28)
ROWS(store_x2, "buffer_store_dwordx2", "v[16:17]", 8, 16, 24, 32, 40, 48, 56)
ROWS(store_x3, "buffer_store_dwordx3", "v[16:18]", 12, 24, 36, 48, 60, 72, 84)
ROWS(store_x4, "buffer_store_dwordx4", "v[16:19]", 16, 32, 48, 64, 80, 96, 112)

// Four loads, and stores of what they brought: `mask` + 1 bytes behind what was loaded.
kernel void copy(ARGS)
{
    BEGIN const uint to = base_of_group + mask + 1;
    for (uint r = 0; r < rounds; r++) {
        const uint4 from = (uint4)(at, at + step & mask, at + 2 * step & mask, at + 3 * step & mask);
        uint4 got;
        __asm__ volatile("buffer_load_dword %0, %4, %8, %9 offen\n"
                         "buffer_load_dword %1, %5, %8, %9 offen\n"
                         "buffer_load_dword %2, %6, %8, %9 offen\n"
                         "buffer_load_dword %3, %7, %8, %9 offen\n"
                         "s_waitcnt vmcnt(0)\n"
                         "buffer_store_dword %0, %4, %8, %10 offen\n"
                         "buffer_store_dword %1, %5, %8, %10 offen\n"
                         "buffer_store_dword %2, %6, %8, %10 offen\n"
                         "buffer_store_dword %3, %7, %8, %10 offen\n"
                         : "=&v"(got.x), "=&v"(got.y), "=&v"(got.z), "=&v"(got.w)
                         : "v"(from.x), "v"(from.y), "v"(from.z), "v"(from.w), "s"(at_buffer), "s"(base_of_group), "s"(to)
                         : "memory");
        at = at + 4 * step & mask;
    }
}
// The same past both caches: 4 loads that nothing keeps, 4 stores, each pair when the one before has ended.
kernel void turn(ARGS)
{
    BEGIN const uint to = base_of_group + mask + 1;
    for (uint r = 0; r < rounds; r++) {
        const uint4 from = (uint4)(at, at + step & mask, at + 2 * step & mask, at + 3 * step & mask);
        __asm__ volatile("buffer_load_dword v16, %0, %4, %5 offen glc slc\n"
                         "buffer_store_dword v20, %0, %4, %6 offen\n"
                         "s_waitcnt vmcnt(0)\n"
                         "buffer_load_dword v17, %1, %4, %5 offen glc slc\n"
                         "buffer_store_dword v20, %1, %4, %6 offen\n"
                         "s_waitcnt vmcnt(0)\n"
                         "buffer_load_dword v18, %2, %4, %5 offen glc slc\n"
                         "buffer_store_dword v20, %2, %4, %6 offen\n"
                         "s_waitcnt vmcnt(0)\n"
                         "buffer_load_dword v19, %3, %4, %5 offen glc slc\n"
                         "buffer_store_dword v20, %3, %4, %6 offen\n"
                         "s_waitcnt vmcnt(0)"
                         :
                         : "v"(from.x), "v"(from.y), "v"(from.z), "v"(from.w), "s"(at_buffer), "s"(base_of_group), "s"(to)
                         : "memory", "v16", "v17", "v18", "v19", "v20");
        at = at + 4 * step & mask;
    }
}
// One instruction after the other, round and round in `mask` bytes (any number).
kernel void lap(ARGS)
{
    const uint4 at_buffer = (uint4)((uint)(ulong)buffer, (uint)((ulong)buffer >> 32) & 0xffff, 0xffffffff, 0x27000);
    const uint base_of_group = base, first = starts[get_local_id(0)];
    uint done = 0;
    for (uint r = 0; r < rounds; r++) {
        const uint at = first + done;
        ONE("buffer_load_dword", "v16", "")
        __asm__ volatile("s_waitcnt vmcnt(0)" : : : "memory");
        done = done + step == mask ? 0 : done + step;
    }
}
// Round after round `items` dwords: loaded (what is loaded is used, and stored only if the buffer is not zeros), stored, from one place to another.
kernel void load_word(global uint *to, global const uint *from, uint items, uint rounds)
{
    uint sum = 0;
    for (uint r = 0; r < rounds; r++)
        sum |= from[get_global_id(0) + r * items];
    if (sum)
        to[0] = sum;
}
kernel void store_word(global uint *to, global const uint *from, uint items, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        to[get_global_id(0) + r * items] = r;
}
kernel void copy_word(global uint *to, global const uint *from, uint items, uint rounds)
{
    for (uint r = 0; r < rounds; r++)
        to[get_global_id(0) + r * items] = from[get_global_id(0) + r * items];
}
