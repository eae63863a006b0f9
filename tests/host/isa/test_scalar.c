/* SPDX-License-Identifier: Apache-2.0
 * Scalar operations of the golden model against plain C that shares nothing with it: value, SCC, EXEC of all SOP2,
 * SOP1, SOPC and SOPK operations but jumps, relative moves and hardware registers (C.1).  Sources are random, one in
 * three a corner.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine.h"

enum { ROUNDS = 4000, A = 4, B = 6, D = 10 };
enum { SOP2, SOP1, SOPC, SOPK };

/* What an operation is given, and what it leaves. */
static struct state {
    uint64_t x, y, z, exec;
    int32_t imm;
    bool scc;
} in, out;

static uint64_t corner(void)
{
    static const uint64_t words[] = {0,          1,          0x7fff,     0x8000,    0xffff,         0x7fffffff,
                                     0x80000000, 0xffffffff, UINT64_MAX, INT64_MAX, 1ull << 63,     31,
                                     32,         63,         0x10001f,   0x200000,  0x7fffffff0000, 0xffffffff80000000};
    return rnd64() % 3 ? rnd64() >> rnd64() % 64 : words[rnd64() % (sizeof words / sizeof *words)];
}

/* ---- references; a, b, d: the lower halves of x, y, z */
#define a ((uint32_t)in.x)
#define b ((uint32_t)in.y)
#define d ((uint32_t)in.z)
#define S(x) ((int32_t)(x))
#define K ((uint32_t)in.imm & 0xffff)
static void put(uint64_t value)
{
    out.z = value;
}
static void some(uint64_t value) /* SCC: not zero */
{
    out.z = value;
    out.scc = value != 0;
}
static void sum(uint64_t value) /* SCC: carry or borrow */
{
    out.z = (uint32_t)value;
    out.scc = value >> 32 & 1;
}
static void total(int64_t value) /* SCC: signed overflow */
{
    out.z = (uint32_t)value;
    out.scc = value != S(value);
}
static void chosen(bool first, uint64_t x, uint64_t y)
{
    out.z = first ? x : y;
    out.scc = first;
}
static void save(uint64_t exec)
{
    out.z = in.exec;
    out.exec = exec;
    out.scc = exec != 0;
}
static uint64_t field(uint64_t x, unsigned size, bool sign)
{
    const unsigned at = b & (size - 1), width = b >> 16 & 127;
    uint64_t value = 0;
    for (unsigned n = 0; n < size && width; n++) {
        unsigned from = at + (n < width ? n : width - 1);
        if (from >= size || n >= width) /* beyond: the sign of the field, or of the register */
            value |= (sign ? x >> (from < size ? from : size - 1) & 1 : 0) << n;
        else
            value |= (x >> from & 1) << n;
    }
    return value;
}
static uint32_t first(uint64_t x, unsigned size) /* lowest bit that is 1 */
{
    for (unsigned n = 0; n < size; n++)
        if (x >> n & 1)
            return n;
    return UINT32_MAX;
}
static uint32_t leading(uint64_t x, unsigned size) /* place of the highest 1, from the top */
{
    for (unsigned n = 0; n < size; n++)
        if (x >> (size - 1 - n) & 1)
            return n;
    return UINT32_MAX;
}
static uint64_t turned(uint64_t x, unsigned size)
{
    uint64_t y = 0;
    for (unsigned n = 0; n < size; n++)
        y |= (x >> n & 1) << (size - 1 - n);
    return y;
}
static unsigned ones(uint64_t x, unsigned size)
{
    unsigned count = 0;
    for (unsigned n = 0; n < size; n++)
        count += x >> n & 1;
    return count;
}
#define T(x, size) (S((uint32_t)((x) >> ((size)-32))) < 0 ? ~(x) : (x)) /* bits unlike the sign are 1 */

#define R(name, body)                                                                                                  \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        body;                                                                                                          \
    }
R(add_u32, sum((uint64_t)a + b))
R(sub_u32, sum((uint64_t)a - b))
R(add_i32, total((int64_t)S(a) + S(b)))
R(sub_i32, total((int64_t)S(a) - S(b)))
R(addc_u32, sum((uint64_t)a + b + in.scc))
R(subb_u32, sum((uint64_t)a - b - in.scc))
R(min_i32, chosen(S(a) < S(b), a, b))
R(min_u32, chosen(a < b, a, b))
R(max_i32, chosen(S(a) >= S(b), a, b))
R(max_u32, chosen(a >= b, a, b))
R(cselect_b32, put(in.scc ? a : b))
R(cselect_b64, put(in.scc ? in.x : in.y))
R(and_b32, some(a &b))
R(and_b64, some(in.x &in.y))
R(or_b32, some(a | b))
R(or_b64, some(in.x | in.y))
R(xor_b32, some(a ^ b))
R(xor_b64, some(in.x ^ in.y))
R(andn2_b32, some(a & ~b))
R(andn2_b64, some(in.x & ~in.y))
R(orn2_b32, some(a | ~b))
R(orn2_b64, some(in.x | ~in.y))
R(nand_b32, some((uint32_t) ~(a &b)))
R(nand_b64, some(~(in.x &in.y)))
R(nor_b32, some((uint32_t) ~(a | b)))
R(nor_b64, some(~(in.x | in.y)))
R(xnor_b32, some((uint32_t) ~(a ^ b)))
R(xnor_b64, some(~(in.x ^ in.y)))
R(lshl_b32, some(a << (b & 31)))
R(lshl_b64, some(in.x << (b & 63)))
R(lshr_b32, some(a >> (b & 31)))
R(lshr_b64, some(in.x >> (b & 63)))
R(ashr_i32, some((uint32_t)(S(a) >> (b & 31))))
R(ashr_i64, some((uint64_t)((int64_t)in.x >> (b & 63))))
R(bfm_b32, put(((1u << (a & 31)) - 1) << (b & 31)))
R(bfm_b64, put(((UINT64_C(1) << (a & 63)) - 1) << (b & 63)))
R(mul_i32, put(a *b))
R(bfe_u32, some(field(a, 32, false)))
R(bfe_i32, some(field(a, 32, true)))
R(bfe_u64, some(field(in.x, 64, false)))
R(bfe_i64, some(field(in.x, 64, true)))
R(absdiff_i32, some((uint32_t)llabs((int32_t)(a - b))))
R(mov_b32, put(a))
R(mov_b64, put(in.x))
R(cmov_b32, put(in.scc ? a : d))
R(cmov_b64, put(in.scc ? in.x : in.z))
R(not_b32, some((uint32_t)~a))
R(not_b64, some(~in.x))
R(brev_b32, put(turned(a, 32)))
R(brev_b64, put(turned(in.x, 64)))
R(bcnt0_i32_b32, some(32 - ones(a, 32)))
R(bcnt0_i32_b64, some(64 - ones(in.x, 64)))
R(bcnt1_i32_b32, some(ones(a, 32)))
R(bcnt1_i32_b64, some(ones(in.x, 64)))
R(ff0_i32_b32, put(first(~(uint64_t)a, 32)))
R(ff0_i32_b64, put(first(~in.x, 64)))
R(ff1_i32_b32, put(first(a, 32)))
R(ff1_i32_b64, put(first(in.x, 64)))
R(flbit_i32_b32, put(leading(a, 32)))
R(flbit_i32_b64, put(leading(in.x, 64)))
R(flbit_i32, put(leading(T(a, 32), 32)))
R(flbit_i32_i64, put(leading(T(in.x, 64), 64)))
R(sext_i32_i8, put((uint32_t)(int8_t)a))
R(sext_i32_i16, put((uint32_t)(int16_t)a))
R(bitset0_b32, put(d & ~(1u << (a & 31))))
R(bitset0_b64, put(in.z & ~(UINT64_C(1) << (a & 63))))
R(bitset1_b32, put(d | 1u << (a & 31)))
R(bitset1_b64, put(in.z | UINT64_C(1) << (a & 63)))
R(abs_i32, some((uint32_t)llabs((int64_t)S(a))))
R(and_saveexec_b64, save(in.x &in.exec))
R(or_saveexec_b64, save(in.x | in.exec))
R(xor_saveexec_b64, save(in.x ^ in.exec))
R(andn2_saveexec_b64, save(in.x & ~in.exec))
R(orn2_saveexec_b64, save(in.x | ~in.exec))
R(nand_saveexec_b64, save(~(in.x &in.exec)))
R(nor_saveexec_b64, save(~(in.x | in.exec)))
R(xnor_saveexec_b64, save(~(in.x ^ in.exec)))
R(cmp_eq_i32, out.scc = a == b)
R(cmp_lg_i32, out.scc = a != b)
R(cmp_gt_i32, out.scc = S(a) > S(b))
R(cmp_ge_i32, out.scc = S(a) >= S(b))
R(cmp_lt_i32, out.scc = S(a) < S(b))
R(cmp_le_i32, out.scc = S(a) <= S(b))
R(cmp_gt_u32, out.scc = a > b)
R(cmp_ge_u32, out.scc = a >= b)
R(cmp_lt_u32, out.scc = a < b)
R(cmp_le_u32, out.scc = a <= b)
R(bitcmp0_b32, out.scc = !(a >> (b & 31) & 1))
R(bitcmp1_b32, out.scc = a >> (b & 31) & 1)
R(bitcmp0_b64, out.scc = !(in.x >> (b & 63) & 1))
R(bitcmp1_b64, out.scc = in.x >> (b & 63) & 1)
R(cmp_eq_u64, out.scc = in.x == in.y)
R(cmp_lg_u64, out.scc = in.x != in.y)
R(movk_i32, put((uint32_t)in.imm))
R(cmovk_i32, put(in.scc ? (uint32_t)in.imm : d))
R(cmpk_eq_i32, out.scc = S(d) == in.imm)
R(cmpk_lg_i32, out.scc = S(d) != in.imm)
R(cmpk_gt_i32, out.scc = S(d) > in.imm)
R(cmpk_ge_i32, out.scc = S(d) >= in.imm)
R(cmpk_lt_i32, out.scc = S(d) < in.imm)
R(cmpk_le_i32, out.scc = S(d) <= in.imm)
R(cmpk_eq_u32, out.scc = d == K)
R(cmpk_lg_u32, out.scc = d != K)
R(cmpk_gt_u32, out.scc = d > K)
R(cmpk_ge_u32, out.scc = d >= K)
R(cmpk_lt_u32, out.scc = d < K)
R(cmpk_le_u32, out.scc = d <= K)
R(addk_i32, total((int64_t)S(d) + in.imm))
R(mulk_i32, put((uint32_t)((int64_t)S(d) * in.imm)))
#undef a
#undef b
#undef d

#define X(format, upper, f)                                                                                            \
    {                                                                                                                  \
        OP_S_##upper, format, #upper, f                                                                                \
    }
static const struct row {
    unsigned op, format;
    const char *name;
    void (*f)(void);
} table[] = {
    X(SOP2, ADD_U32, add_u32),
    X(SOP2, SUB_U32, sub_u32),
    X(SOP2, ADD_I32, add_i32),
    X(SOP2, SUB_I32, sub_i32),
    X(SOP2, ADDC_U32, addc_u32),
    X(SOP2, SUBB_U32, subb_u32),
    X(SOP2, MIN_I32, min_i32),
    X(SOP2, MIN_U32, min_u32),
    X(SOP2, MAX_I32, max_i32),
    X(SOP2, MAX_U32, max_u32),
    X(SOP2, CSELECT_B32, cselect_b32),
    X(SOP2, CSELECT_B64, cselect_b64),
    X(SOP2, AND_B32, and_b32),
    X(SOP2, AND_B64, and_b64),
    X(SOP2, OR_B32, or_b32),
    X(SOP2, OR_B64, or_b64),
    X(SOP2, XOR_B32, xor_b32),
    X(SOP2, XOR_B64, xor_b64),
    X(SOP2, ANDN2_B32, andn2_b32),
    X(SOP2, ANDN2_B64, andn2_b64),
    X(SOP2, ORN2_B32, orn2_b32),
    X(SOP2, ORN2_B64, orn2_b64),
    X(SOP2, NAND_B32, nand_b32),
    X(SOP2, NAND_B64, nand_b64),
    X(SOP2, NOR_B32, nor_b32),
    X(SOP2, NOR_B64, nor_b64),
    X(SOP2, XNOR_B32, xnor_b32),
    X(SOP2, XNOR_B64, xnor_b64),
    X(SOP2, LSHL_B32, lshl_b32),
    X(SOP2, LSHL_B64, lshl_b64),
    X(SOP2, LSHR_B32, lshr_b32),
    X(SOP2, LSHR_B64, lshr_b64),
    X(SOP2, ASHR_I32, ashr_i32),
    X(SOP2, ASHR_I64, ashr_i64),
    X(SOP2, BFM_B32, bfm_b32),
    X(SOP2, BFM_B64, bfm_b64),
    X(SOP2, MUL_I32, mul_i32),
    X(SOP2, BFE_U32, bfe_u32),
    X(SOP2, BFE_I32, bfe_i32),
    X(SOP2, BFE_U64, bfe_u64),
    X(SOP2, BFE_I64, bfe_i64),
    X(SOP2, ABSDIFF_I32, absdiff_i32),
    X(SOPK, MOVK_I32, movk_i32),
    X(SOPK, CMOVK_I32, cmovk_i32),
    X(SOPK, CMPK_EQ_I32, cmpk_eq_i32),
    X(SOPK, CMPK_LG_I32, cmpk_lg_i32),
    X(SOPK, CMPK_GT_I32, cmpk_gt_i32),
    X(SOPK, CMPK_GE_I32, cmpk_ge_i32),
    X(SOPK, CMPK_LT_I32, cmpk_lt_i32),
    X(SOPK, CMPK_LE_I32, cmpk_le_i32),
    X(SOPK, CMPK_EQ_U32, cmpk_eq_u32),
    X(SOPK, CMPK_LG_U32, cmpk_lg_u32),
    X(SOPK, CMPK_GT_U32, cmpk_gt_u32),
    X(SOPK, CMPK_GE_U32, cmpk_ge_u32),
    X(SOPK, CMPK_LT_U32, cmpk_lt_u32),
    X(SOPK, CMPK_LE_U32, cmpk_le_u32),
    X(SOPK, ADDK_I32, addk_i32),
    X(SOPK, MULK_I32, mulk_i32),
    X(SOP1, MOV_B32, mov_b32),
    X(SOP1, MOV_B64, mov_b64),
    X(SOP1, CMOV_B32, cmov_b32),
    X(SOP1, CMOV_B64, cmov_b64),
    X(SOP1, NOT_B32, not_b32),
    X(SOP1, NOT_B64, not_b64),
    X(SOP1, BREV_B32, brev_b32),
    X(SOP1, BREV_B64, brev_b64),
    X(SOP1, BCNT0_I32_B32, bcnt0_i32_b32),
    X(SOP1, BCNT0_I32_B64, bcnt0_i32_b64),
    X(SOP1, BCNT1_I32_B32, bcnt1_i32_b32),
    X(SOP1, BCNT1_I32_B64, bcnt1_i32_b64),
    X(SOP1, FF0_I32_B32, ff0_i32_b32),
    X(SOP1, FF0_I32_B64, ff0_i32_b64),
    X(SOP1, FF1_I32_B32, ff1_i32_b32),
    X(SOP1, FF1_I32_B64, ff1_i32_b64),
    X(SOP1, FLBIT_I32_B32, flbit_i32_b32),
    X(SOP1, FLBIT_I32_B64, flbit_i32_b64),
    X(SOP1, FLBIT_I32, flbit_i32),
    X(SOP1, FLBIT_I32_I64, flbit_i32_i64),
    X(SOP1, SEXT_I32_I8, sext_i32_i8),
    X(SOP1, SEXT_I32_I16, sext_i32_i16),
    X(SOP1, BITSET0_B32, bitset0_b32),
    X(SOP1, BITSET0_B64, bitset0_b64),
    X(SOP1, BITSET1_B32, bitset1_b32),
    X(SOP1, BITSET1_B64, bitset1_b64),
    X(SOP1, AND_SAVEEXEC_B64, and_saveexec_b64),
    X(SOP1, OR_SAVEEXEC_B64, or_saveexec_b64),
    X(SOP1, XOR_SAVEEXEC_B64, xor_saveexec_b64),
    X(SOP1, ANDN2_SAVEEXEC_B64, andn2_saveexec_b64),
    X(SOP1, ORN2_SAVEEXEC_B64, orn2_saveexec_b64),
    X(SOP1, NAND_SAVEEXEC_B64, nand_saveexec_b64),
    X(SOP1, NOR_SAVEEXEC_B64, nor_saveexec_b64),
    X(SOP1, XNOR_SAVEEXEC_B64, xnor_saveexec_b64),
    X(SOP1, ABS_I32, abs_i32),
    X(SOPC, CMP_EQ_I32, cmp_eq_i32),
    X(SOPC, CMP_LG_I32, cmp_lg_i32),
    X(SOPC, CMP_GT_I32, cmp_gt_i32),
    X(SOPC, CMP_GE_I32, cmp_ge_i32),
    X(SOPC, CMP_LT_I32, cmp_lt_i32),
    X(SOPC, CMP_LE_I32, cmp_le_i32),
    X(SOPC, CMP_EQ_U32, cmp_eq_i32),
    X(SOPC, CMP_LG_U32, cmp_lg_i32),
    X(SOPC, CMP_GT_U32, cmp_gt_u32),
    X(SOPC, CMP_GE_U32, cmp_ge_u32),
    X(SOPC, CMP_LT_U32, cmp_lt_u32),
    X(SOPC, CMP_LE_U32, cmp_le_u32),
    X(SOPC, BITCMP0_B32, bitcmp0_b32),
    X(SOPC, BITCMP1_B32, bitcmp1_b32),
    X(SOPC, BITCMP0_B64, bitcmp0_b64),
    X(SOPC, BITCMP1_B64, bitcmp1_b64),
    X(SOPC, CMP_EQ_U64, cmp_eq_u64),
    X(SOPC, CMP_LG_U64, cmp_lg_u64),
};

/* shows C.1 */
static void operations(void **unused)
{
    (void)unused;
    unsigned wrong = 0;
    for (unsigned n = 0; n < sizeof table / sizeof *table; n++) {
        const struct row *r = &table[n];
        for (unsigned k = 0; k < ROUNDS; k++) {
            machine_reset(0xf0);
            in = (struct state){corner(), corner(), corner(), corner(), (int16_t)corner(), rnd64() & 1};
            if (k % 4 == 0)
                in.y = in.x ^ (rnd64() & 1);
            if (k % 8 == 1) /* equal to the constant */
                in.z = k & 16 ? (uint32_t)in.imm : (uint16_t)in.imm;
            const uint32_t words[5] = {[SOP2] = 0x80000000 | r->op << 23 | D << 16 | B << 8 | A,
                                       [SOP1] = 0xbe800000 | D << 16 | r->op << 8 | A,
                                       [SOPC] = 0xbf000000 | r->op << 16 | B << 8 | A,
                                       [SOPK] = 0xb0000000 | r->op << 23 | D << 16 | (uint16_t)in.imm};
            for (unsigned half = 0; half < 2; half++) {
                machine.s[A + half] = in.x >> 32 * half;
                machine.s[B + half] = in.y >> 32 * half;
                machine.s[D + half] = in.z >> 32 * half;
            }
            WAVE_EXEC(&machine) = in.exec;
            machine.scc = in.scc;
            out = in;
            r->f();
            assert_int_equal(machine_run(words[r->format]), 0);
            struct gcn3_inst i;
            gcn3_decode(words[r->format], &i);
            uint64_t got = machine.s[D], want = out.z;
            if (i.sdst_w == 2)
                got |= (uint64_t)machine.s[D + 1] << 32;
            else
                want = (uint32_t)want;
            if ((got != want || machine.scc != out.scc || WAVE_EXEC(&machine) != out.exec) && wrong++ < 20)
                printf("s_%s: %llx %llx (%llx, %x, scc %u): %llx scc %u, not %llx %u\n", r->name, (long long)in.x,
                       (long long)in.y, (long long)in.z, (unsigned)in.imm, in.scc, (long long)got, machine.scc,
                       (long long)want, out.scc);
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
