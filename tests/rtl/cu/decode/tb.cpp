// SPDX-License-Identifier: Apache-2.0
// top: decode_top
// opt: -O0
// own: tests/rtl/cu/decode/decode_top.sv
// lib: yes
//
// decode() of gcn3_pkg against gcn3_decode() of the golden model, field by field: two million random instructions, half
// of them with a valid opcode of each format (C.1).
#include <cstdint>
#include <cstdio>

#include "tests/rtl/case_done.h"
#include "Vdecode_top.h"
#include "verilated.h"
extern "C" {
#include "isa/gcn3.h"
}

static uint64_t state = 0x123456789abcdef;
static uint64_t rnd()
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t random_instruction()
{
    static const uint32_t top[] = {0x00000000, 0x7c000000, 0x7e000000, 0x80000000, 0xb0000000, 0xbe800000, 0xbf000000,
                                   0xbf800000, 0xc0000000, 0xd0000000, 0xd8000000, 0xdc000000, 0xe0000000};
    static const unsigned bits[] = {31, 25, 25, 30, 28, 23, 23, 23, 26, 26, 26, 26, 26};
    unsigned n = rnd() % 16;
    uint64_t x = rnd();
    if (n < 13)
        x = (x & ~UINT64_C(0xffffffff)) | top[n] | (x & ((UINT64_C(1) << bits[n]) - 1));
    if (n < 3 && rnd() % 4 == 0)
        x = (x & ~UINT64_C(511)) | (249 + rnd() % 2);
    if (n == 12)
        x &= ~(UINT64_C(1) << 55 | (rnd() % 4 ? 1 << 16 : 0));
    if (n == 10)
        x &= ~UINT64_C(0x10000);
    return x;
}

static unsigned wrong;
static void same(uint64_t inst, const char *name, uint64_t rtl, uint64_t golden)
{
    if (rtl != golden && wrong++ < 30)
        std::printf("%016llx: %s rtl %llx golden %llx\n", (unsigned long long)inst, name, (unsigned long long)rtl, (unsigned long long)golden);
}

static void compare(uint64_t inst, const Vdecode_top &t, const gcn3_inst &d)
{
    same(inst, "illegal", t.illegal_o, d.illegal);
    same(inst, "unit", t.unit_o, d.unit);
    same(inst, "len", t.len_o, d.len);
    if (d.illegal)
        return;
    same(inst, "fmt", t.fmt_o, d.fmt);
    same(inst, "op", t.op_o, d.op);
    same(inst, "literal", t.literal_o, d.literal);
    same(inst, "sdwa", t.sdwa_o, d.sdwa);
    same(inst, "dpp", t.dpp_o, d.dpp);
    same(inst, "nsrc", t.nsrc_o, d.nsrc);
    same(inst, "src0", t.src0_o, d.src[0]);
    same(inst, "src1", t.src1_o, d.src[1]);
    same(inst, "src2", t.src2_o, d.src[2]);
    same(inst, "src0_w", t.src0_w_o, d.srcw[0]);
    same(inst, "src1_w", t.src1_w_o, d.srcw[1]);
    same(inst, "src2_w", t.src2_w_o, d.srcw[2]);
    same(inst, "src2_mask", t.src2_mask_o, d.src2_mask);
    same(inst, "half", t.half_o, (d.info->flags & FLAG_HALF) != 0);
    same(inst, "vdst", t.vdst_o, d.vdst);
    same(inst, "vdst_w", t.vdst_w_o, d.vdst_w);
    same(inst, "reads_vdst", t.reads_vdst_o, d.reads_vdst);
    same(inst, "sdst", t.sdst_o, d.sdst);
    same(inst, "sdst_w", t.sdst_w_o, d.sdst_w);
    same(inst, "sdst_mask", t.sdst_mask_o, d.sdst_mask);
    same(inst, "reads_vcc", t.reads_vcc_o, d.reads_vcc);
    same(inst, "writes_vcc", t.writes_vcc_o, d.writes_vcc);
    same(inst, "reads_scc", t.reads_scc_o, d.reads_scc);
    same(inst, "writes_scc", t.writes_scc_o, d.writes_scc);
    same(inst, "reads_exec", t.reads_exec_o, d.reads_exec);
    same(inst, "writes_exec", t.writes_exec_o, d.writes_exec);
    same(inst, "reads_m0", t.reads_m0_o, d.reads_m0);
    same(inst, "simm16", t.simm16_o, d.simm16);
    same(inst, "neg", t.neg_o, d.neg);
    same(inst, "abs", t.abs_o, d.abs);
    same(inst, "clamp", t.clamp_o, d.clamp);
    same(inst, "omod", t.omod_o, d.omod);
    same(inst, "rate", t.rate_o, d.info->rate);
    same(inst, "kind", t.kind_o, d.info->kind);
    same(inst, "mem_bytes", t.mem_bytes_o, d.info->bytes);
    same(inst, "mem_signed", t.mem_signed_o, d.info->is_signed);
    same(inst, "atomic_op", t.atomic_op_o, d.info->atomic);
    same(inst, "returns", t.returns_o, d.returns);
    same(inst, "glc", t.glc_o, d.glc);
    same(inst, "slc", t.slc_o, d.slc);
    same(inst, "two", t.two_o, d.info->two);
    same(inst, "st64", t.st64_o, d.info->st64);
    same(inst, "offen", t.offen_o, d.offen);
    same(inst, "idxen", t.idxen_o, d.idxen);
    same(inst, "lds", t.lds_o, d.lds);
    same(inst, "smem_imm", t.smem_imm_o, d.smem_imm);
    same(inst, "offset", t.offset_o, d.offset);
    same(inst, "srsrc", t.srsrc_o, d.srsrc);
}

int main()
{
    VerilatedContext context;
    Vdecode_top top(&context);
    unsigned legal = 0;
    for (unsigned n = 0; n < 2000000; n++) {
        uint64_t inst = random_instruction();
        gcn3_inst d;
        gcn3_decode(inst, &d);
        legal += !d.illegal;
        top.clk_i = 0;
        top.inst_i = inst;
        top.eval();
        top.clk_i = 1;
        top.eval();
        compare(inst, top, d);
    }
    std::printf("%u legal of 2000000, %u fields differ\n", legal, wrong);
    case_done("random words", "C.1");
    return wrong || legal < 500000;
}
