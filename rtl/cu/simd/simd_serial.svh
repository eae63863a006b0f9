// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: the serial unit for double precision, one lane a cycle through five steps.  A beat has
// `Lanes` slots: 0 and 1 read its low and high row, 2 and 3 write those of the beat before; 68 slots in all.  Lane n
// is in step p while slot n + p - 1 is in stage 2.  Not responsible for: arithmetic (fpu_*64_pkg), slots of other rates.

  /* verilator lint_off UNUSEDSIGNAL */  // each uses parts of control words
  // Slot s of an instruction with kind 2 in SlotTable: what follows from the beat is put in, to r.serial; counts beats,
  // sets the rows to read.
  function automatic void serial_slot(`STATE_ARG input slot_info_t s);
    `NO_INLINE
    slot_info_t t;
    logic [LaneW-1:0] sub;
    logic [2:0] pair;
    t = s;
    sub = r.at[LaneW-1:0] - LaneW'(1);  // already the next one
    if (sub == '1) r.at = {3'd2, CountW'(0)};
    t.row[BeatW-1:0] = sub[1] ? r.f.beat[BeatW-1:0] - BeatW'(1) : r.f.beat[BeatW-1:0];
    t.ring[1] = ~r.f.beat[0];
    t.first[1] = r.f.beat[0];
    t.read = s.read && r.f.beat != F64Beats;
    t.write = s.write && r.f.beat != '0 && (!s.high || r.i_ctl[r.cur].out == OutF64);
    t.last = s.high && r.f.beat == F64Beats;
    if (s.high) t.row[RowW-1:BeatW] = s.row[RowW-1:BeatW] + 8'd1;
    pair = sub[0] ? r.i_info[r.cur].pair : 3'd0;
    r.ra = {r.row0[RowW-1:BeatW] + {7'd0, pair[0]}, t.row[BeatW-1:0]};
    r.rb = {r.row1[RowW-1:BeatW] + {7'd0, pair[1]}, t.row[BeatW-1:0]};
    r.rc = {r.row2[RowW-1:BeatW] + {7'd0, pair[2]}, t.row[BeatW-1:0]};
    r.f.beat = t.last ? '0 : sub == '1 ? r.f.beat + (BeatW+1)'(1) : r.f.beat;
    r.serial = t;
  endfunction

  // Stage 1: rows of a beat.  The low ones wait, since the last lane of the beat before is only then taken.
  function automatic void serial_rows(`STATE_ARG input logic q, input logic high);
    if (!high) begin
      if (r.st1.row[BeatW-1:0] == '0) r.i_result[q] = '0;
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.old[0][l] = v.x[l];
        v.old[1][l] = v.y[l];
        v.w[l] = v.z[l];
      end
    end else begin
      r.f.op = f64_op(r.i_issue[q].op);
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.qa[l] = v.old[0][l];
        v.qb[l] = v.old[1][l];
        v.qc[l] = v.w[l];
        v.qd[l] = v.x[l];
        v.qe[l] = v.y[l];
        v.xl[l] = v.z[l];
      end
    end
  endfunction

  // Step 1: sources of a lane with their modifiers.
  function automatic void serial_pick(`STATE_ARG input logic q);
    logic [LaneW-1:0] l;
    logic [2:0] absolute, negate;
    logic [63:0] sign;
    logic keep;
    l = r.f.step[LaneW-1:0];
    keep = r.i_issue[q].mode[6];
    absolute = r.i_ctl[q].mod ? r.i_abs[q] : 3'd0;
    negate = r.i_ctl[q].mod ? r.i_neg[q] : 3'd0;
    sign = r.i_info[q].pair[0] ? fpu_fma64_pkg::Sign : 64'h80000000;
    r.f.x1 = {v.qd[l], v.qa[l]};
    r.f.y1 = {v.qe[l], v.qb[l]};
    r.f.z1 = {v.xl[l], v.qc[l]};
    r.f.x1 = (absolute[0] ? r.f.x1 & ~sign : r.f.x1) ^ (negate[0] ? sign : 64'd0);
    r.f.y1[63] = (r.f.y1[63] & ~absolute[1]) ^ negate[1];
    r.f.z1[63] = (r.f.z1[63] & ~absolute[2]) ^ negate[2];
    if (r.f.op.flush[0]) r.f.x1 = fpu_fma64_pkg::flush(r.f.x1, keep);
    if (r.f.op.flush[1]) r.f.y1 = fpu_fma64_pkg::flush(r.f.y1, keep);
    if (r.f.op.flush[2]) r.f.z1 = fpu_fma64_pkg::flush(r.f.z1, keep);
    r.f.scale1 = r.i_issue[q].mask[r.f.step[5:0]];
  endfunction

  // Step 2, operations with the normaliser: product and addend.
  function automatic void serial_product(`STATE_ARG input logic q);
    logic [63:0] a, b, c;
    logic [31:0] scale, t;
    logic flag, nan;
    a = r.f.x1;
    b = r.f.y1;
    c = r.f.z1;
    scale = 32'd0;
    r.f.n2 = 32'd0;
    case (r.f.op.kind)
      F64Add: begin
        b = fpu_fma64_pkg::One;
        c = r.f.y1;
      end
      F64Mul: c = (a ^ b) & fpu_fma64_pkg::Sign;
      F64Fmas: if (r.f.scale1) r.f.n2 = fpu_fma64_pkg::exponent(c) > 32'd1023 ? 32'd128 : -32'd128;
      F64Scale: begin
        fpu_misc64_pkg::div_scale(a, b, c, scale, flag, nan);
        r.f.value2 = nan ? fpu_fma64_pkg::QuietNan : a;
        r.f.done2 = nan || scale == 32'd0;
        r.f.bit2 = flag;
        b = fpu_fma64_pkg::One;
        c = a & fpu_fma64_pkg::Sign;
      end
      F64Ldexp: begin
        t = b[31:0];
        scale = $signed(t) > 32'sd4095 ? 32'd4095 : $signed(t) < -32'sd4095 ? -32'd4095 : t;
        b = fpu_fma64_pkg::One;
        c = a & fpu_fma64_pkg::Sign;
      end
      F64Fract: begin
        b = fpu_fma64_pkg::One;
        c = fpu_misc64_pkg::whole(a, 2'd3, 1'b1) ^ fpu_fma64_pkg::Sign;
      end
      default: ;
    endcase
    fpu_fma64_pkg::product(a, b, c, scale, r.f.ph2, r.f.pl2, r.f.ch2, r.f.d2, r.f.e2, r.f.sg2);
  endfunction

  // Step 2, integers and singles: a whole number as addend, with its exponent.
  function automatic void serial_convert(`STATE_ARG input logic keep32);
    logic [31:0] x, m;
    x = r.f.x1[31:0];
    r.f.n2 = 32'd0;
    r.f.ph2 = 64'd0;
    r.f.pl2 = 64'd0;
    r.f.d2 = 32'd0;
    r.f.sg2 = 32'd0;
    r.f.e2 = 32'd1075;
    if (r.f.op.kind == F64FromF32) begin
      m = (x & 32'h7fffff) | (x[30:23] != 8'd0 ? 32'h800000 : 32'd0);
      if (x[30:23] == 8'd0 && !keep32) m = 32'd0;
      r.f.e2 = (x[30:23] != 8'd0 ? 32'(x[30:23]) : 32'd1) + 32'd925;
      r.f.sg2 = {28'd0, x[30:0] > 31'h7f800000, x[30:23] == 8'hff, x[31], x[31]};
    end else begin
      m = x;
      if (r.f.op.kind == F64FromI32 && x[31]) begin
        m = 32'd0 - x;
        r.f.sg2 = 32'd3;
      end
    end
    r.f.ch2 = {23'd0, m, 9'd0};
  endfunction

  // Step 2.
  function automatic void serial_begin(`STATE_ARG input logic q);
    logic [9:0] op;
    logic [7:0] mode;
    logic [63:0] x, y;
    op = r.i_issue[q].op;
    mode = r.i_issue[q].mode;
    x = r.f.x1;
    y = r.f.y1;
    r.f.done2 = 1'b1;
    r.f.bit2 = 1'b0;
    case (r.f.op.kind)
      F64Pick: r.f.value2 = fpu_misc64_pkg::pick(x, y, r.i_issue[q].ieee, op == OP_V_MAX_F64);
      F64Whole: r.f.value2 = fpu_misc64_pkg::whole(x, 2'(op - OP_V_TRUNC_F64), mode[7]);
      F64ToInt: r.f.value2 = {32'd0, fpu_misc64_pkg::to_int(x, op == OP_V_CVT_I32_F64)};
      F64ToF32: r.f.value2 = {32'd0, fpu_misc64_pkg::to_f32(x, mode[1:0], mode[5])};
      F64FrexpExp: r.f.value2 = {32'd0, fpu_misc64_pkg::frexp_exp(x)};
      F64FrexpMant: r.f.value2 = fpu_misc64_pkg::frexp_mant(x);
      F64Fixup: r.f.value2 = fpu_misc64_pkg::div_fixup(x, y, r.f.z1);
      F64Compare: r.f.bit2 = fpu_misc64_pkg::compare(x, y, op[3:0]);
      F64Class: r.f.bit2 = fpu_misc64_pkg::class_of(x, y[31:0]);
      F64Seed: begin
        fpu_seed64_pkg::split(seed_kind(op), x, r.f.index2, r.f.f2, r.f.e2, r.f.ones2, r.f.done2, r.f.value2);
        r.f.sg2 = {31'd0, x[63]};
      end
      F64Preop: begin
        r.f.e2 = fpu_seed64_pkg::preop_shift(x, y[31:0]);
        r.f.sg2 = {31'd0, x[62:52] >= 11'd1968};
      end
      F64FromI32, F64FromU32, F64FromF32: begin
        r.f.done2 = 1'b0;
        serial_convert(`STATE mode[4]);
      end
      default: begin
        r.f.done2 = 1'b0;
        serial_product(`STATE q);
      end
    endcase
  endfunction

  function automatic fpu_seed64_pkg::seed_e seed_kind(input logic [9:0] op);
    return op == OP_V_RCP_F64 ? fpu_seed64_pkg::SeedRcp :
        op == OP_V_RSQ_F64 ? fpu_seed64_pkg::SeedRsq : fpu_seed64_pkg::SeedSqrt;
  endfunction

  // Step 3.
  function automatic void serial_align(`STATE_ARG input logic [9:0] op);
    r.f.value3 = r.f.value2;
    r.f.done3 = r.f.done2;
    r.f.bit3 = r.f.bit2;
    r.f.e3 = r.f.e2;
    r.f.n3 = r.f.n2;
    r.f.sg3 = r.f.sg2;
    r.f.larger3 = r.f.d2[31];
    r.f.ones3 = r.f.ones2;
    r.f.f3 = r.f.f2;
    if (r.f.op.kind == F64Seed) begin
      fpu_seed64_pkg::look_up(seed_kind(op), r.f.index2, r.f.f2, r.f.k0, r.f.k1, r.f.k2, r.f.square3);
`ifdef SYNTHESIS  // the tables are in a memory, which was read
      {r.f.k2, r.f.k1, r.f.k0} = fpu_trans_pkg::unpack_row(rom_q[0]);
`endif
    end else if (r.f.op.kind == F64Preop) begin
      r.f.value3 = fpu_seed64_pkg::preop_bits(r.f.e2);
    end else if (!r.f.done2) begin
      fpu_fma64_pkg::align(r.f.ph2, r.f.pl2, r.f.ch2, r.f.d2, r.f.bh3, r.f.bl3, r.f.yh3, r.f.yl3);
      if (`SIMD_FAULT == 24) r.f.yl3[0] = 1'b0;  // the bit for what was shifted out
    end
  endfunction

  // Step 4.
  function automatic void serial_add(`STATE_ARG input logic [1:0] round);
    r.f.value4 = r.f.value3;
    r.f.done4 = r.f.done3;
    r.f.bit4 = r.f.bit3;
    r.f.e4 = r.f.e3 + (r.f.op.kind == F64Seed ? 32'd0 : r.f.n3);
    r.f.ones4 = r.f.ones3;
    r.f.sg4 = r.f.sg3;
    if (r.f.op.kind == F64Seed) begin
      if (!r.f.done3) r.f.value4 = fpu_seed64_pkg::piece(r.f.k0, r.f.k1, r.f.k2, r.f.f3, r.f.square3);
    end else if (r.f.op.kind == F64Preop) begin
      r.f.value4 = fpu_seed64_pkg::preop_pack(r.f.value3, r.f.e3, r.f.sg3[0]);
    end else if (!r.f.done3) begin
      fpu_fma64_pkg::add(r.f.bh3, r.f.bl3, r.f.yh3, r.f.yl3, r.f.larger3, r.f.sg3, round == 2'd2, r.f.sh4, r.f.sl4,
                         r.f.zeros4, r.f.sg4);
    end
  endfunction

  // Step 5: the result of a lane, with output modifiers, to the rows that wait; its bit to the mask.
  function automatic void serial_round(`STATE_ARG input logic q);
    logic [7:0] mode;
    logic [6:0] n;
    logic [63:0] y;
    logic [31:0] t;
    logic keep;
    mode = r.i_issue[q].mode;
    n = r.f.step - (F64Steps - 7'd1);
    y = r.f.value4;
    keep = mode[7] || r.f.op.kind == F64Scale || r.f.op.kind == F64FromF32;
    if (!r.f.done4) begin
      if (r.f.op.kind == F64Seed) begin
        y = fpu_seed64_pkg::pack(r.f.sg4[0] && r.i_issue[q].op == OP_V_RCP_F64, y, r.f.e4, r.f.ones4);
      end else begin
        y = fpu_fma64_pkg::round(r.f.sh4, r.f.sl4, r.f.zeros4, r.f.e4, r.f.sg4, mode[3:2], keep);
      end
    end
    if (r.f.op.kind == F64Seed) y = fpu_fma64_pkg::flush(y, keep);
    if (r.f.op.kind == F64Fract && y >= fpu_fma64_pkg::One && y < fpu_fma64_pkg::Inf) y = 64'h3fefffffffffffff;
    if (r.i_ctl[q].out == OutF64) begin
      if (r.i_issue[q].omod != 2'd0 && !mode[7]) y = fpu_fma64_pkg::omod(y, r.i_issue[q].omod, mode[3:2]);
      if (r.i_issue[q].clamp) y = fpu_fma64_pkg::clamp(y, r.i_issue[q].dx10_clamp);
    end else if (r.i_ctl[q].out == OutF32) begin
      t = y[31:0];
      if (r.i_issue[q].omod != 2'd0 && !mode[5]) t = omod_f32(t, 32'(r.i_issue[q].omod), 32'(mode[1:0]));
      if (r.i_issue[q].clamp) t = clamp_float(t, 32'h7f800000, 32'h80000000, 32'h3f800000, r.i_issue[q].dx10_clamp);
      y = {32'd0, t};
    end
    v.res[{n[LaneW], 1'b0}][n[LaneW-1:0]] = y[31:0];
    v.res[{n[LaneW], 1'b1}][n[LaneW-1:0]] = y[63:32];
    r.i_result[q][n[5:0]] = r.f.bit4 && r.i_issue[q].exec[n[5:0]];
  endfunction

  // The cycle of the unit, the last step first.
  function automatic void serial_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    q = r.st2.entry;
    if (r.f.step >= F64Steps - 7'd1) serial_round(`STATE q);
    serial_add(`STATE r.i_issue[q].mode[3:2]);
    serial_align(`STATE r.i_issue[q].op);
    serial_begin(`STATE q);
    serial_pick(`STATE q);
    r.f.step = r.st2.last ? 7'd0 : r.f.step + 7'd1;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
