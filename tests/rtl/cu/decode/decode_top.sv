// SPDX-License-Identifier: Apache-2.0
// The fields of gcn3_pkg::decode as separate ports, for the bench beside it.
module decode_top
  import gcn3_pkg::*;
(
  input  logic        clk_i,
  input  logic [63:0] inst_i,
  output logic [0:0] illegal_o,
  output logic [3:0] unit_o,
  output logic [3:0] fmt_o,
  output logic [9:0] op_o,
  output logic [1:0] len_o,
  output logic [0:0] literal_o,
  output logic [0:0] sdwa_o,
  output logic [0:0] dpp_o,
  output logic [1:0] nsrc_o,
  output logic [8:0] src0_o,
  output logic [8:0] src1_o,
  output logic [8:0] src2_o,
  output logic [4:0] src0_w_o,
  output logic [4:0] src1_w_o,
  output logic [4:0] src2_w_o,
  output logic [0:0] src2_mask_o,
  output logic [0:0] half_o,
  output logic [7:0] vdst_o,
  output logic [4:0] vdst_w_o,
  output logic [0:0] reads_vdst_o,
  output logic [6:0] sdst_o,
  output logic [4:0] sdst_w_o,
  output logic [0:0] sdst_mask_o,
  output logic [0:0] reads_vcc_o,
  output logic [0:0] writes_vcc_o,
  output logic [0:0] reads_scc_o,
  output logic [0:0] writes_scc_o,
  output logic [0:0] reads_exec_o,
  output logic [0:0] writes_exec_o,
  output logic [0:0] reads_m0_o,
  output logic [15:0] simm16_o,
  output logic [2:0] neg_o,
  output logic [2:0] abs_o,
  output logic [0:0] clamp_o,
  output logic [1:0] omod_o,
  output logic [1:0] rate_o,
  output logic [2:0] kind_o,
  output logic [6:0] mem_bytes_o,
  output logic [0:0] mem_signed_o,
  output logic [4:0] atomic_op_o,
  output logic [0:0] returns_o,
  output logic [0:0] glc_o,
  output logic [0:0] slc_o,
  output logic [0:0] two_o,
  output logic [0:0] st64_o,
  output logic [0:0] offen_o,
  output logic [0:0] idxen_o,
  output logic [0:0] lds_o,
  output logic [0:0] smem_imm_o,
  output logic [15:0] offset_o,
  output logic [6:0] srsrc_o
);
  always_ff @(posedge clk_i) begin
    /* verilator lint_off UNUSEDSIGNAL */
    automatic dec_t d = decode(inst_i);
    /* verilator lint_on UNUSEDSIGNAL */
    illegal_o <= d.illegal;
    unit_o <= d.unit;
    fmt_o <= d.fmt;
    op_o <= d.op;
    len_o <= d.len;
    literal_o <= d.literal;
    sdwa_o <= d.sdwa;
    dpp_o <= d.dpp;
    nsrc_o <= d.nsrc;
    src0_o <= d.src0;
    src1_o <= d.src1;
    src2_o <= d.src2;
    src0_w_o <= d.src0_w;
    src1_w_o <= d.src1_w;
    src2_w_o <= d.src2_w;
    src2_mask_o <= d.src2_mask;
    half_o <= d.half;
    vdst_o <= d.vdst;
    vdst_w_o <= d.vdst_w;
    reads_vdst_o <= d.reads_vdst;
    sdst_o <= d.sdst;
    sdst_w_o <= d.sdst_w;
    sdst_mask_o <= d.sdst_mask;
    reads_vcc_o <= d.reads_vcc;
    writes_vcc_o <= d.writes_vcc;
    reads_scc_o <= d.reads_scc;
    writes_scc_o <= d.writes_scc;
    reads_exec_o <= d.reads_exec;
    writes_exec_o <= d.writes_exec;
    reads_m0_o <= d.reads_m0;
    simm16_o <= d.simm16;
    neg_o <= d.neg;
    abs_o <= d.abs;
    clamp_o <= d.clamp;
    omod_o <= d.omod;
    rate_o <= d.rate;
    kind_o <= d.kind;
    mem_bytes_o <= d.mem_bytes;
    mem_signed_o <= d.mem_signed;
    atomic_op_o <= d.atomic_op;
    returns_o <= d.returns;
    glc_o <= d.glc;
    slc_o <= d.slc;
    two_o <= d.two;
    st64_o <= d.st64;
    offen_o <= d.offen;
    idxen_o <= d.idxen;
    lds_o <= d.lds;
    smem_imm_o <= d.smem_imm;
    offset_o <= d.offset;
    srsrc_o <= d.srsrc;
  end
endmodule
