// SPDX-License-Identifier: Apache-2.0
// Generic pointers to local or global memory, as data decide for each work-item (`where`: bits for 32 neighbouring ones):
// loads and stores of 1 to 16 bytes, atomics, an address beyond the allocation (`far` bytes on: reads 0, is not
// written), between direct accesses to the same local memory.
typedef struct {
    uchar c, b;
    ushort s;
    uint w;
    ulong d;
    uint4 q;
} cell; // 32 bytes

#define RELAXED memory_order_relaxed, memory_scope_work_group
#define ADD(type, p, v) atomic_fetch_add_explicit((volatile type *)(p), v, RELAXED)
#define FENCE CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE

kernel void generic_pointers(global cell *out, global cell *cells, global uint *sums, global ulong *back, uint where, uint far)
{
    local cell box[64];
    local uint sum[8];
    local ulong wide[4];
    uint l = get_local_id(0), i = get_global_id(0), g = get_group_id(0), k = l & 3;
    bool here = where >> (l & 31) & 1;
    volatile cell *p = here ? (cell *)&box[l] : (cell *)&cells[i];
    if (l < 8)
        sum[l] = l;
    if (l < 4)
        wide[l] = 1ul << 40;
    box[l] = cells[i];
    box[l].q = (uint4)(l, l + 1, l + 2, l + 3); // direct, then the same bytes by flat instructions
    uint4 before = p->q;
    p->c = 7 * i;
    p->b = 255 - i;
    p->s = 1000 * i;
    p->w = 0x10001 * i;
    p->d = 0x123456789abul * i;
    uint direct = box[l].w; // behind the store, without a fence
    p->q = before + (uint4)(direct, p->c, p->s, p->w);
    barrier(FENCE);
    uint n = l ^ 5; // a neighbour's cell
    cell *o = where >> (n & 31) & 1 ? (cell *)&box[n] : (cell *)&cells[i ^ 5];
    cell mine = *o;
    mine.w += as_uint((ushort2)(((volatile cell *)o)->s, (ushort)(char)((volatile cell *)o)->c));
    uint3 three = vload3(0, (uint *)&o->q);
    mine.d ^= three.x + three.y + three.z;
    barrier(FENCE);
    uint *a = here ? (uint *)&sum[l & 7] : (uint *)&sums[8 * g + (l & 7)];
    ulong *b = here ? (ulong *)&wide[k] : (ulong *)&back[i];
    ADD(atomic_uint, a, i);
    ADD(atomic_ulong, b, (ulong)(i + 1) << 20);
    volatile atomic_uint *m = (volatile atomic_uint *)&p->w; // its own: exact old values
    uint r = atomic_fetch_max_explicit(m, 77u, RELAXED), expected = max(r, 77u);
    r ^= atomic_compare_exchange_strong_explicit(m, &expected, 5 * i, memory_order_relaxed, RELAXED);
    r += atomic_exchange_explicit(m, r, RELAXED);
    ulong x = atomic_fetch_xor_explicit((volatile atomic_ulong *)&p->d, 0xff00ff00ff00ul, RELAXED);
    x += p->d;
    volatile uint *f = here ? (uint *)(cell *)&box[l] + far / 4 : (uint *)&cells[i].w;
    uint v = *f;
    *f = v + 1;
    r += v + ADD(atomic_uint, f, 3u);
    barrier(FENCE);
    mine.q.x += r;
    mine.q.y ^= (uint)x;
    mine.q.z ^= (uint)(x >> 32);
    mine.q.w += sum[l & 7] + (uint)(wide[k] >> 20);
    out[i] = mine;
}
