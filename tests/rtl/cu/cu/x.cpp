// SPDX-License-Identifier: Apache-2.0
// top: cu
// lib: yes
// args: -Wno-fatal
// sources: build/gen/gantry_msg_pkg.sv build/gen/gcn3_pkg.sv rtl/common/pick_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/cu_front_pkg.sv rtl/cu/salu_pkg.sv rtl/tech/ram_1r1w.sv rtl/tech/ram_2r1w.sv
//
// The compute unit against the golden model: small programs of every class, each register write compared.
#include "harness.h"

static void scalar_basic(Bench &b)
{
    auto code = assemble(R"(
  s_mov_b32 s0, 5
  s_mov_b32 s1, 0x12345678
  s_add_u32 s2, s0, s1
  s_addc_u32 s3, s0, s1
  s_lshl_b64 s[4:5], s[0:1], 4
  s_mov_b64 s[6:7], -1
  s_and_b64 s[8:9], s[4:5], s[6:7]
  s_mov_b64 vcc, s[4:5]
  s_and_saveexec_b64 s[10:11], vcc
  s_mov_b64 exec, -1
  s_movk_i32 s12, 10
loop:
  s_add_i32 s12, s12, -1
  s_mul_i32 s13, s12, s1
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc1 loop
  s_getpc_b64 s[14:15]
  s_add_u32 s14, s14, 16
  s_addc_u32 s15, s15, 0
  s_setpc_b64 s[14:15]
  s_nop 0
  s_mov_b32 s0, 0
  s_mov_b32 s16, 7
  s_bfe_i32 s17, s1, 0x80004
  s_brev_b32 s18, s1
  s_flbit_i32_b32 s19, s1
  s_ff1_i32_b64 s20, s[4:5]
  s_bcnt1_i32_b64 s21, s[6:7]
  s_mov_b32 m0, 2
  s_movrels_b32 s22, s0
  s_movreld_b32 s22, s1
  s_endpgm
)");
    b.mem.put(MemBase, code);
    b.golden_mem = b.mem;
    Wave *w = b.add({});
    b.golden_run({w});
    b.run({w});
    std::printf("scalar_basic: %zu instructions, %llu cycles\n", w->trace.size(), (unsigned long long)b.cycle);
}

int main()
{
    Bench b; b.jitter=0;
    scalar_basic(b);
    std::printf("passed\n");
    return 0;
}
