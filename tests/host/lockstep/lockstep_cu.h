/* SPDX-License-Identifier: Apache-2.0
 * An imitation of a compute unit for the tests of lock step: a second golden wavefront runs a program and reports what
 * an RTL CU would, or lies once.  Not responsible for: what lock step should find.
 */
#ifndef TESTS_HOST_GCN3_LOCKSTEP_CU_H
#define TESTS_HOST_GCN3_LOCKSTEP_CU_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/gcn3.h"
#include "lockstep/lockstep.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define CODE UINT64_C(0x100000)
#define DATA UINT64_C(0x200000)

enum lie {
    TRUTH,
    VGPR_BIT,
    VGPR_LANE,
    EXEC_IGNORED,
    SCC_WRONG,
    SGPR_WRONG,
    PC_WRONG,
    STORE_DROPPED,
    STORE_LANE,
    STORE_VALUE,
    LOAD_WRONG,
    LDS_WRONG,
    VCC_WRONG,
    SLOAD_WRONG,
    ATOMIC_WRONG,
    INSTRUCTION_LOST,
    STRAY_WRITE,
    STORE_LOST,
    ATOMIC_OLD,
    ATOMIC_WORD,
    ATOMIC_MORE,
    PART_LOST,
    PART_TWICE,
    PART_LANE,
    PARTS_LOST,
    FLAT_LDS_WRONG,
    LIES
};

/* v0 lane; s[0:1] data */
static const uint32_t program[] = {
    0xc0020080, 0x00000010, /* s_load_dword s2, s[0:1], 0x10 */
    0xbf8c007f,             /* s_waitcnt lgkmcnt(0) */
    0x80030202,             /* s_add_u32 s3, s2, s2 */
    0x24060082,             /* v_lshlrev_b32 v3, 2, v0 */
    0x32080600,             /* v_add_u32 v4, vcc, s0, v3 */
    0x7e0a0201,             /* v_mov_b32 v5, s1 */
    0x380a0a80,             /* v_addc_u32 v5, vcc, 0, v5, vcc */
    0xdc500000, 0x06000004, /* flat_load_dword v6, v[4:5] */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) */
    0xbefe01ff, 0x0f0f0f0f, /* s_mov_b64 exec, 0x0f0f0f0f */
    0x020e0d06,             /* v_add_f32 v7, v6, v6 */
    0xbefc00c1,             /* s_mov_b32 m0, -1 */
    0xd81a0000, 0x00000703, /* ds_write_b32 v3, v7 */
    0xd86c0000, 0x08000003, /* ds_read_b32 v8, v3 */
    0xdc700000, 0x00000804, /* flat_store_dword v[4:5], v8 */
    0xdd080000, 0x00000004, /* flat_atomic_add v[4:5], v0 */
    0x7e120303,             /* v_mov_b32 v9, v3 */
    0x7e1402ff, 0x20000000, /* v_mov_b32 v10, 0x20000000 */
    0xdc700000, 0x00000709, /* flat_store_dword v[9:10], v7: the LDS */
    0xdd090000, 0x0d000009, /* flat_atomic_add v13, v[9:10], v0 glc */
    0xdc500000, 0x0c000009, /* flat_load_dword v12, v[9:10] */
    0x7d9a110b,             /* v_cmp_ne_u32 vcc, v11, v8 */
    0xbf810000,             /* s_endpgm */
};

static struct pmem *memory;
static struct pagetable *table;
static struct lockstep *ls;
static enum lie lie;
static bool found, told;
static unsigned tag;
static uint64_t cycle;
static char difference[1200];
static bool in_lines;   /* lanes of an atomic share requests */
static bool slow_store; /* the end of the program's store is reported last */
static uint8_t held[16];
static void (*around_load)(bool after); /* what happens in the L2 before and after a load of the program */

static void on_difference(void *ctx, const char *text)
{
    (void)ctx;
    found = true;
    snprintf(difference, sizeof difference, "%s", text);
}

/* Lie once. */
static bool tell(enum lie which)
{
    if (lie != which || told)
        return false;
    told = true;
    return true;
}

static int fetch(void *ctx, struct gcn3_wave *w, uint64_t pc, uint64_t *inst)
{
    (void)ctx, (void)w;
    return pagetable_read(table, pc, inst, 8) ? FAULT_NOT_PRESENT : 0;
}

static int load(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    (void)ctx, (void)w;
    if (around_load)
        around_load(false);
    for (unsigned l = 0; l < 64; l++)
        if (a->mask >> l & 1)
            pagetable_read(table, a->va[l], &a->data[0][l], 4);
    if (around_load)
        around_load(true);
    if (tell(LOAD_WRONG))
        a->data[0][9] ^= 4;
    return 0;
}

static struct msg_mem_req request(unsigned op, uint64_t va)
{
    struct msg_mem_req r = {.op = op, .user = tag << 8 | 5};
    uint64_t entry = pagetable_lookup(table, va);
    r.addr = (entry & UINT64_C(0x00fffffffffff000)) | (va & 4095);
    return r;
}

/* What the L2 slice reports. */
static void order(const struct msg_mem_req *q, uint64_t old)
{
    struct lockstep_order r = {.op = q->op,
                               .atomic = q->atomic,
                               .size = q->size,
                               .user = q->user,
                               .source = 1,
                               .addr = q->addr,
                               .mask = q->mask};
    memcpy(r.data, q->data, sizeof r.data);
    if (q->op == MEM_ATOMIC)
        r.data[2] = old;
    if (!tell(STORE_LOST))
        lockstep_order(ls, 0, cycle, &r);
}

static int store(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    (void)ctx, (void)w;
    for (unsigned line = 0; line < 4; line++) {
        struct msg_mem_req r = request(MEM_WRITE, a->va[line * 16] & ~UINT64_C(63));
        for (unsigned k = 0; k < 16; k++)
            if (a->mask >> (line * 16 + k) & 1) {
                r.mask |= UINT64_C(15) << 4 * k;
                r.data[k / 2] |= (uint64_t)a->data[0][line * 16 + k] << 32 * (k & 1);
            }
        if (!r.mask || tell(STORE_DROPPED))
            continue;
        if (tell(STORE_LANE))
            r.mask <<= 4;
        if (tell(STORE_VALUE))
            r.data[0] ^= 1;
        lockstep_mem_req(ls, 0, 1, cycle, &r);
        order(&r, 0);
        pmem_write_masked(memory, r.addr, r.data, r.mask);
    }
    return 0;
}

/* Lanes of successive words: a request a line. */
static void atomic_lines(struct gcn3_access *a)
{
    for (unsigned line = 0; line < 4; line++) {
        struct msg_mem_req r = request(MEM_ATOMIC, a->va[line * 16] & ~UINT64_C(63));
        uint64_t old[8] = {0};
        r.atomic = a->atomic_op;
        r.size = 4;
        for (unsigned k = 0; k < 16; k++)
            if (a->mask >> (line * 16 + k) & 1) {
                r.mask |= UINT64_C(15) << 4 * k;
                r.data[k / 2] |= (uint64_t)(a->data[0][line * 16 + k] + tell(ATOMIC_WRONG)) << 32 * (k & 1);
            }
        if (!r.mask)
            continue;
        if (tell(ATOMIC_WORD))
            r.mask &= ~UINT64_C(15);
        if (tell(ATOMIC_MORE))
            r.mask |= UINT64_C(15) << 16;
        lockstep_mem_req(ls, 0, 1, cycle, &r);
        pmem_atomic_line(memory, r.addr, r.atomic, 4, r.mask, r.data, old);
        struct lockstep_order o = {.op = r.op,
                                   .atomic = r.atomic,
                                   .size = 4,
                                   .user = r.user,
                                   .source = 1,
                                   .line = 1,
                                   .addr = r.addr,
                                   .mask = r.mask};
        memcpy(o.data, r.data, sizeof o.data);
        memcpy(o.old, old, sizeof o.old);
        o.old[0] ^= tell(ATOMIC_OLD);
        lockstep_order(ls, 0, cycle, &o);
    }
}

static int atomic(void *ctx, struct gcn3_wave *w, struct gcn3_access *a)
{
    (void)ctx, (void)w;
    if (in_lines) {
        atomic_lines(a);
        return 0;
    }
    for (unsigned l = 0; l < 64; l++)
        if (a->mask >> l & 1) {
            struct msg_mem_req r = request(MEM_ATOMIC, a->va[l]);
            uint64_t old;
            r.atomic = a->atomic_op;
            r.size = 4;
            r.data[0] = a->data[0][l] + tell(ATOMIC_WRONG);
            lockstep_mem_req(ls, 0, 1, cycle, &r);
            pmem_atomic(memory, r.addr, r.atomic, 4, r.data[0], 0, &old);
            order(&r, old ^ tell(ATOMIC_OLD));
        }
    return 0;
}

static int scalar_load(void *ctx, struct gcn3_wave *w, uint64_t va, uint32_t *to, unsigned dwords)
{
    (void)ctx, (void)w;
    pagetable_read(table, va, to, 4 * dwords);
    to[0] += tell(SLOAD_WRONG);
    return 0;
}

static void put(uint8_t *data, unsigned low, unsigned count, uint64_t x)
{
    for (unsigned n = 0; n < count; n++)
        if (x >> n & 1)
            data[(low + n) / 8] |= 1 << (low + n) % 8;
}

static void report_scalars(const struct gcn3_wave *before, const struct gcn3_wave *now, bool scc)
{
    for (unsigned n = 0; n < 128; n++) {
        uint8_t data[72] = {0};
        bool lie_here = (n == 3 && now->s[3] != before->s[3] && tell(SGPR_WRONG)) ||
                        (n == 107 && now->s[106] != before->s[106] && tell(VCC_WRONG));
        if (before->s[n] == now->s[n] && !lie_here && !(n == 3 && scc))
            continue;
        uint32_t value = now->s[n] ^ lie_here;
        memcpy(data, &value, 4);
        put(data, 512, 1, n == 3 && tell(SCC_WRONG) ? !now->scc : now->scc);
        put(data, 513, 1, scc && n == 3);
        put(data, 514, 5, 1);
        put(data, 519, 8, n);
        put(data, 527, 8, tag);
        put(data, 535, 6, 5);
        lockstep_observe(ls, 0, 1, LOCKSTEP_SGPR, 0, cycle, data);
    }
}

/* The registers that changed, as rows of 16 lanes; wave 5 is SIMD 0 slot 5, VGPR base 32. */
static void report_row(unsigned reg, unsigned beat, uint16_t lanes, const uint32_t *values)
{
    uint8_t data[72] = {0};
    memcpy(data, values, 64);
    put(data, 512, 16, lanes);
    put(data, 528, 10, (32 + reg) << 2 | beat);
    put(data, 538, 8, tag);
    put(data, 546, 4, 5);
    lockstep_observe(ls, 0, 1, LOCKSTEP_VGPR, 0, cycle, data);
}

static void report_in_parts(unsigned reg, unsigned beat, uint16_t lanes, const uint32_t *values)
{
    for (unsigned at = 0; at < 16; at += 4) {
        uint32_t some[16];
        memset(some, 0xa5, sizeof some);
        memcpy(some + at, values + at, 16);
        report_row(reg, beat, lanes & 0xf << at, some);
    }
}

static void report_vectors(const struct gcn3_inst *i, const struct gcn3_wave *now, uint64_t exec)
{
    if (tell(STRAY_WRITE)) {
        uint32_t junk[16] = {77};
        report_row(20, 0, 1, junk);
    }
    for (unsigned k = 0; k < i->vdst_w; k++)
        for (unsigned beat = 0; beat < 4; beat++) {
            uint32_t values[16];
            memcpy(values, &now->v[i->vdst + k][beat * 16], 64);
            uint16_t lanes = exec >> 16 * beat;
            if (i->vdst == 7 && tell(VGPR_BIT))
                values[2] ^= 1;
            if (i->vdst == 7 && tell(VGPR_LANE))
                memmove(values + 1, values, 60);
            if (i->vdst == 7 && beat == 3 && tell(EXEC_IGNORED))
                lanes = 0xffff, values[15] = 123;
            if (i->unit == UNIT_LDS && tell(LDS_WRONG))
                values[3]++;
            if (i->vdst == 12 && tell(FLAT_LDS_WRONG))
                values[3]++;
            if (beat == 1) /* as a SIMD of four lanes does; what is beside its lanes is of no concern */
                report_in_parts(i->vdst + k, beat, lanes, values);
            else
                report_row(i->vdst + k, beat, lanes, values);
        }
}

/* A part of a flat instruction takes its turn in the LDS. */
static void report_part(uint64_t lanes)
{
    uint8_t data[16] = {0};
    put(data, 0, 8, tag);
    put(data, 8, 6, 5);
    put(data, 14, 64, lanes);
    lockstep_observe(ls, 0, 1, LOCKSTEP_LDS, 0, cycle, data);
}

static void report_parts(uint64_t exec)
{
    for (unsigned k = 0; k < 4; k++) {
        uint64_t lanes = exec & UINT64_C(0xffff) << 16 * k;
        if (!lanes || tell(PART_LOST))
            continue;
        report_part(tell(PART_LANE) ? lanes << 1 : lanes);
        if (tell(PART_TWICE))
            report_part(lanes);
    }
}

/* The next instruction is issued. */
static void report_issue(struct gcn3_wave *w, struct gcn3_inst *i)
{
    uint64_t inst;
    uint8_t data[72] = {0};
    fetch(NULL, w, w->pc, &inst);
    gcn3_decode(inst, i);
    memcpy(data, &inst, 8);
    put(data, 64, 64, w->pc + 4 * (i->unit == UNIT_SALU && tell(PC_WRONG)));
    put(data, 128, 8, tag);
    put(data, 136, 6, 5);
    if (!(i->unit == UNIT_INTERNAL && tell(INSTRUCTION_LOST)))
        lockstep_observe(ls, 0, 1, LOCKSTEP_INST, 0, cycle, data);
}

static void one_instruction(struct gcn3_wave *w)
{
    static const struct gcn3_env env = {
        .fetch = fetch, .load = load, .store = store, .atomic = atomic, .scalar_load = scalar_load};
    struct gcn3_wave before = *w;
    struct gcn3_inst i;
    uint8_t end[16] = {0};
    report_issue(w, &i);
    bool in_lds = i.unit == UNIT_FLAT && w->v[i.src[0] - 255][0] == w->shared_hi;
    assert_int_equal(gcn3_execute(w, &env, &i), 0);
    report_scalars(&before, w, i.writes_scc);
    report_vectors(&i, w, WAVE_EXEC(&before));
    put(end, 0, 8, tag);
    put(end, 8, 6, 5);
    if (i.unit == UNIT_LDS)
        lockstep_observe(ls, 0, 1, LOCKSTEP_LDS, 0, cycle, end);
    if (in_lds && !tell(PARTS_LOST))
        report_parts(WAVE_EXEC(&before));
    unsigned port = i.unit == UNIT_VALU ? 0 : i.unit == UNIT_LDS ? 4 : i.unit == UNIT_FLAT ? 6 : 7;
    if (slow_store && i.unit == UNIT_FLAT)
        memcpy(held, end, sizeof held);
    else if (i.unit == UNIT_VALU || i.unit == UNIT_LDS || i.unit == UNIT_FLAT || i.unit == UNIT_SMEM)
        lockstep_observe(ls, 0, 1, LOCKSTEP_DONE, port, cycle + 3, end);
    tag = (tag + 1) & 255;
    cycle += 20;
}

/* A machine with wavefront 5 of CU 1, which both know; it stands before the program's first instruction. */
static struct gcn3_wave begin_program(void)
{
    static uint32_t vgprs[64][64];
    static uint8_t lds[1024];
    struct gcn3_wave w = {.pc = CODE,
                          .mode = 0xf0,
                          .v = vgprs,
                          .vgprs = 32,
                          .sgprs = 32,
                          .lds = lds,
                          .lds_bytes = 1024,
                          .shared_hi = 0x20000000};
    struct msg_cu_cmd cmd = {.kind = CU_WAVE,
                             .vmid = 3,
                             .wave = 5,
                             .vgpr_base = 32,
                             .vgprs = 32,
                             .sgprs = 32,
                             .lds_bytes = 1024,
                             .pc = CODE,
                             .exec = UINT64_MAX,
                             .group_size = {64, 1, 1},
                             .recip_x = 16384,
                             .recip_y = 1 << 20,
                             .mode = 0xf0,
                             .init_sgprs = 2};
    struct msg_cp_cmd root = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(table)};
    uint32_t values[64];
    memset(vgprs, 0, sizeof vgprs);
    memset(lds, 0, sizeof lds);
    for (unsigned l = 0; l < 64; l++)
        vgprs[0][l] = l, values[l] = 0x3f800000 + 977 * l;
    pagetable_write(table, DATA, values, sizeof values);
    w.s[0] = cmd.sgpr[0] = DATA;
    WAVE_EXEC(&w) = UINT64_MAX;
    tag = 250, cycle = 1000, found = told = false;
    ls = lockstep_new(memory, 1, 2, on_difference, NULL);
    lockstep_cp_cmd(ls, 0, 0, &root);
    lockstep_cu_cmd(ls, 0, 1, 900, &cmd);
    return w;
}

#endif
