// SPDX-License-Identifier: Apache-2.0
// Part of cu_simd, hardware form only: transcendentals with all tables in one memory, which is read in the cycle before its
// row is used (rom_row, rom_q).  So what surrounds the table's piece is made a cycle before as well (frame_stage, while the
// slot is in stage 1).  In simulation a lane is one function (trans_f32), which is faster; tests/rtl/cu/simd and simd_synth
// run both forms against the golden model.  Not responsible for: the arithmetic (fpu_trans_pkg).

  logic [31:0] frame_f[Lanes/2], frame_sign[Lanes/2], frame_exponent[Lanes/2], frame_value[Lanes/2];
  logic [63:0] frame_factor[Lanes/2];
  logic frame_special[Lanes/2];

  function automatic logic [31:0] trans_kind(input logic [9:0] op);
    case (op)
      OP_V_RCP_F32, OP_V_RCP_IFLAG_F32, OP_V_RCP_F16: return fpu_trans_pkg::Rcp;
      OP_V_RSQ_F32, OP_V_RSQ_F16: return fpu_trans_pkg::Rsq;
      OP_V_SQRT_F32, OP_V_SQRT_F16: return fpu_trans_pkg::Sqrt;
      OP_V_EXP_F32, OP_V_EXP_F16: return fpu_trans_pkg::Exp;
      OP_V_LOG_F32, OP_V_LOG_F16: return fpu_trans_pkg::Log;
      OP_V_SIN_F32, OP_V_SIN_F16: return fpu_trans_pkg::Sin;
      default: return fpu_trans_pkg::Cos;
    endcase
  endfunction

  // The slot in stage 1 goes through a quarter-rate unit in the next cycle; of one in stage 2 with doubles the serial unit
  // has just found its row.
  function automatic void frame_stage();
    logic q;
    logic [31:0] t, kind, k0, k1, k2;
    fpu_seed64_pkg::seed_e kind64;
    q = r.st1.entry;
    kind64 = seed_kind(r.i_issue[r.st2.entry].op);
    kind = trans_kind(r.i_issue[q].op);
    for (int unsigned l = 0; l < Lanes / 2; l++) begin
      t = r.st1.sub[1] ? v.qa[l+Lanes/2] : v.qa[l];
      if (r.i_ctl[q].half) t = half_to_f32(t, r.i_issue[q].mode[6]);
      fpu_trans_pkg::prepare(kind, t, k0, k1, k2, frame_f[l], frame_sign[l], frame_exponent[l], frame_factor[l],
                             frame_special[l], frame_value[l]);
      rom_row[l] = fpu_trans_pkg::table_row(kind, t);
    end
    if (r.st2.serial) begin
      rom_row[0] = {kind64 == fpu_seed64_pkg::SeedSqrt, kind64 == fpu_seed64_pkg::SeedRsq, r.f.index2};
    end
  endfunction

  // half: 16-bit floats; mode as in the issue record.
  function automatic void trans_half(input logic [1:0] r, input logic high, input logic [9:0] op, input logic half,
                                     input logic [7:0] mode);
    logic [31:0] t;
    logic [95:0] k;
    for (int unsigned l = 0; l < Lanes / 2; l++) begin
      k = fpu_trans_pkg::unpack_row(rom_q[l[LaneW-2:0]]);
      fpu_trans_pkg::complete(trans_kind(op), k[31:0], k[63:32], k[95:64], frame_f[l], frame_sign[l], frame_exponent[l],
                              frame_factor[l], frame_special[l], frame_value[l], t);
      if (half) t = f32_to_half(t, 32'd1 << mode[3:2], 1'b1, mode[7]);
      result[l] = t;
      result[l+Lanes/2] = t;
    end
  endfunction
