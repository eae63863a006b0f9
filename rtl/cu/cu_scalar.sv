// SPDX-License-Identifier: Apache-2.0
// Operand stage of the compute unit: scalar ALU and branches (executed here), scalar-memory requests, and the issue
// records of the vector ALU, LDS and vector memory with their scalar operands resolved.  Owns VCC, EXEC, M0, SCC and
// MODE; general SGPRs are in cu_sgpr, whose ports it drives in the time slots of cu_front_pkg.
// Not responsible for: which instruction issues and whether its operands are ready (cu_issue).
`include "gantry_assert.svh"

module cu_scalar
  import cu_pkg::*;
  import cu_front_pkg::*;
  import gcn3_pkg::*;
(
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                       [ 1:0] turn_i,
  input  logic                       [ 3:0] cu_id_i,
  input  logic                              prepare_valid_i,         // start_i comes: registers are filled
  input  logic                              start_valid_i,
  input  start_t                            start_i,
  input  logic                       [ 1:0] head_valid_i,
  input  wave_t                             head_wave_i[2],
  input  head_t                             head0_i,
  input  head_t                             head1_i,
  // chosen instructions
  input  logic                              pick_valu_valid_i,
  input  logic                              pick_sca_valid_i,
  input  logic                              pick_vmem_valid_i,
  input  logic                              pick_lds_valid_i,
  input  logic                              pick_branch_valid_i,
  input  wave_tag_t                         pick_valu_i,
  input  wave_tag_t                         pick_sca_i,
  input  wave_tag_t                         pick_vmem_i,
  input  wave_tag_t                         pick_lds_i,
  input  wave_t                             pick_branch_i,
  // register writes of others
  input  logic                              result_valid_i,          // vector ALU, in phase 2 of its SIMD
  input  result_t                           result_i,
  input  logic                              pair_valid_i,            // cu_fill, in phases 0 and 1
  input  pair_write_t                       pair_i,
  // register file, by bank
  output logic                       [ 3:0] file_re_o,
  output logic                       [ 9:0] file_row0_o[4],
  output logic                       [ 9:0] file_row1_o[4],
  input  logic                       [31:0] file_low0_i[4],
  input  logic                       [31:0] file_low1_i[4],
  input  logic                       [31:0] file_high0_i[4],
  input  logic                       [31:0] file_high1_i[4],
  output logic                       [ 3:0] file_we_low_o,
  output logic                       [ 3:0] file_we_high_o,
  output logic                       [ 9:0] file_write_row_o[4],
  output logic                       [63:0] file_write_data_o[4],
  // results
  output logic                       [ 1:0] jump_valid_o,            // branches, s_setpc
  output wave_t                             jump_wave_o[2],
  output logic                       [47:0] jump_pc_o[2],
  output logic                              intr_valid_o,
  output wave_t                             intr_wave_o,
  output logic                       [31:0] intr_data_o,
  output logic                              smem_req_valid_o,
  output gantry_msg_pkg::smem_req_t         smem_req_o,
  output logic                       [ 3:0] valu_valid_o,
  output valu_issue_t                       valu_o,
  output logic                              lds_valid_o,
  output lds_issue_t                        lds_o,
  output logic                              vmem_valid_o,
  output vmem_issue_t                       vmem_o,
  input  logic                              obs_en_i,
  output logic                       [ 3:0] obs_valid_o,             // SALU, its EXEC; vector ALU, its EXEC
  output obs_sgpr_t                         obs_o[4],
  output logic                              idle_o
);
  logic observe;
  assign observe = Observe && obs_en_i;

  /* verilator lint_off BLKSEQ */
  logic [63:0] exec[64], vcc[64];
  logic [31:0] m0[64], mode[64];
  logic [63:0] scc;
  start_t info[64];

  logic [2:1] sca_v, branch_v;  // age of what is under way
  logic [3:1] valu_v, lds_v;
  logic [5:1] vmem_v;
  wave_tag_t sca1, sca2, valu1, valu2, valu3, lds1, lds2, lds3, vmem1, vmem2, vmem3;
  wave_t branch1, branch2;
  head_t head[64];
  vmem_issue_t vmem5, vmem6;
  logic [8:0] soffset5, soffset6;
  logic [31:0] literal5, literal6;
  logic clash_q;
  logic [8:0] val_code[4];  // operand read at port 0, by SIMD

  // ---- operands
  /* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
  function automatic logic [63:0] inline_float(input logic [8:0] code, input logic wide, input logic half);
    logic [15:0] h;
    logic [31:0] f;
    case (code[3:0])
      4'd0: {h, f} = {16'h3800, 32'h3f000000};
      4'd1: {h, f} = {16'hb800, 32'hbf000000};
      4'd2: {h, f} = {16'h3c00, 32'h3f800000};
      4'd3: {h, f} = {16'hbc00, 32'hbf800000};
      4'd4: {h, f} = {16'h4000, 32'h40000000};
      4'd5: {h, f} = {16'hc000, 32'hc0000000};
      4'd6: {h, f} = {16'h4400, 32'h40800000};
      4'd7: {h, f} = {16'hc400, 32'hc0800000};
      default: {h, f} = {16'h3118, 32'h3e22f983};
    endcase
    if (wide && code[3:0] == 4'd8) return 64'h3fc45f306dc9c882;
    if (wide) return {f[31:30], {3{~f[30]}}, f[29:0], 29'd0};
    return half ? {48'd0, h} : {32'd0, f};
  endfunction

  // `pair`: what the register file or a special register holds at code[6:1].
  function automatic logic [63:0] operand(input logic [8:0] code, input logic wide, input logic half,
                                          input logic [63:0] pair, input logic [31:0] literal, input logic vccz,
                                          input logic execz, input logic scc_bit);
    logic [63:0] r;
    if (code < 9'd128) return wide ? pair : {32'd0, code[0] ? pair[63:32] : pair[31:0]};
    if (code <= 9'd192) return {57'd0, code[6:0]};
    if (code <= 9'd208) begin
      r = 64'd192 - {55'd0, code};
      return wide ? r : {32'd0, r[31:0]};
    end
    if (code >= 9'd240 && code <= 9'd248) return inline_float(code, wide, half);
    case (code)
      9'd251: return {63'd0, vccz};
      9'd252: return {63'd0, execz};
      9'd253: return {63'd0, scc_bit};
      9'd255: return {32'd0, literal};
      default: return 64'd0;
    endcase
  endfunction

  function automatic logic in_file(input logic [8:0] code);
    return code < 9'd128 && code[6:1] != 6'd53 && code[6:1] != 6'd62 && code[6:1] != 6'd63;
  endfunction

  function automatic logic [63:0] special(input logic [8:0] code, input logic [63:0] pair, input widx_t w);
    return code[8:7] != 2'd0 ? pair : code[6:1] == 6'd53 ? vcc[w] : code[6:1] == 6'd63 ? exec[w] :
           code[6:1] == 6'd62 ? {32'd0, m0[w]} : pair;
  endfunction

  task automatic write_special(input widx_t at, input logic [5:0] pair, input logic [1:0] we, input logic [63:0] data);
    logic [63:0] mask;
    mask = {{32{we[1]}}, {32{we[0]}}};
    if (pair == 6'd53) vcc[at] = (vcc[at] & ~mask) | (data & mask);
    if (pair == 6'd63) exec[at] = (exec[at] & ~mask) | (data & mask);
    if (pair == 6'd62 && we[0]) m0[at] = data[31:0];
  endtask

  // ---- one instruction of the scalar ALU
  logic [63:0] a, b, r;
  logic r_scc, r_write, r_exec;
  logic [6:0] r_code;
  task automatic salu_execute(input head_t q, input widx_t at);
    logic [31:0] imm, field, shifted;
    logic wide;
    wide    = q.d.src0_w == 5'd2;
    imm     = {{16{q.d.simm16[15]}}, q.d.simm16};
    field   = 32'(pick_pkg::ones64({1'b0, {1'b0, q.d.simm16[15:11]} + 6'd1}));
    shifted = field << q.d.simm16[10:6];
    r_write = q.d.sdst_w != 5'd0;
    r_exec  = 1'b0;
    r_code  = q.d.sdst;
    case (q.d.fmt)
      FMT_SOP2: begin
        if (FaultSeed == 13 && q.d.op == OP_S_LSHL_B64) b[5] = 1'b0;
        salu_pkg::sop2(q.d.op[6:0], wide, a, b, scc[at] && FaultSeed != 6, r, r_scc);
        if (FaultSeed == 2 && q.d.op == OP_S_ADD_U32) r_scc = 1'b0;
      end
      FMT_SOP1: begin
        salu_pkg::sop1(q.d.op[7:0], wide, a, b, exec[at], r, r_scc);
        if (q.d.op == OP_S_CMOV_B32 || q.d.op == OP_S_CMOV_B64) r_write = scc[at];
        if (q.d.op == OP_S_MOVRELD_B32 || q.d.op == OP_S_MOVRELD_B64) r_code = q.d.sdst + m0[at][6:0];
        if (q.d.unit == UNIT_BRANCH) r = {16'd0, q.pc + 48'd4};
        if (q.d.unit != UNIT_BRANCH && q.d.writes_exec && q.d.reads_exec) begin
          r_exec = 1'b1;  // s_*_saveexec: r is the new EXEC
          if (FaultSeed == 3) r = exec[at];
        end
      end
      FMT_SOPC: begin
        r     = 64'd0;
        r_scc = salu_pkg::compare(q.d.op[4:0], a, b);
      end
      default: begin
        salu_pkg::sopk(q.d.op[4:0], a[31:0], imm, r, r_scc);
        if (q.d.op == OP_S_CMOVK_I32) r_write = scc[at];
        if (q.d.op == OP_S_GETREG_B32) begin
          r = 64'd0;
          if (q.d.simm16[5:0] == 6'd1) r[31:0] = (mode[at] >> q.d.simm16[10:6]) & field;
          if (q.d.simm16[5:0] == 6'd4) r[31:0] = ({20'd0, cu_id_i, 2'd0, at} >> q.d.simm16[10:6]) & field;
        end
        if ((q.d.op == OP_S_SETREG_B32 || q.d.op == OP_S_SETREG_IMM32_B32) && q.d.simm16[5:0] == 6'd1) begin
          mode[at] = (mode[at] & ~shifted) | ((a[31:0] << q.d.simm16[10:6]) & shifted);
        end
      end
    endcase
  endtask

  function automatic obs_sgpr_t obs_pair(input widx_t at, input tag_t tag, input logic [6:0] code,
                                         input logic [4:0] count, input logic [63:0] data);
    obs_sgpr_t o;
    o       = '0;
    o.wave  = at;
    o.tag   = tag;
    o.first = {1'b0, code};
    o.count = count;
    o.data[0] = data[31:0];
    o.data[1] = data[63:32];
    return o;
  endfunction

  // ---- vector ALU record
  function automatic valu_issue_t valu_record(input head_t q, input wave_tag_t who, input start_t base,
                                              input logic [31:0] index,
                                              input logic [2:0][63:0] value, input logic [63:0] mask,
                                              input logic [63:0] lanes, input logic [31:0] mode_word);
    valu_issue_t v;
    logic [7:0] add_src, add_dst;
    add_dst = q.d.op == OP_V_MOVRELD_B32 || q.d.op == OP_V_MOVRELSD_B32 ? index[7:0] : 8'd0;
    add_src = q.d.op == OP_V_MOVRELS_B32 || q.d.op == OP_V_MOVRELSD_B32 ? index[7:0] : 8'd0;
    v.slot       = who.wave.slot;
    v.tag        = who.tag;
    v.op         = q.d.op;
    v.src_vgpr   = {q.d.src2[8], q.d.src1[8], q.d.src0[8]};
    v.src_row[0] = base.vgpr_base + q.d.src0[7:0] + add_src;
    v.src_row[1] = base.vgpr_base + q.d.src1[7:0];
    v.src_row[2] = base.vgpr_base + q.d.src2[7:0];
    v.sval       = value;
    v.dst        = base.vgpr_base + q.d.vdst + add_dst;
    v.dst_valid  = q.d.vdst_w != 5'd0;
    v.neg        = q.d.neg;
    v.abs        = q.d.abs;
    v.omod       = q.d.omod;
    v.clamp      = q.d.clamp;
    v.sdwa       = q.d.sdwa;
    v.dpp        = q.d.dpp;
    v.ext        = q.d.ext;
    v.mask       = mask;
    v.exec       = lanes;
    v.mode       = mode_word[7:0];
    v.dx10_clamp = mode_word[8];
    v.ieee       = mode_word[9];
    return v;
  endfunction

  function automatic vmem_issue_t vmem_record(input head_t q, input wave_tag_t who, input start_t base,
                                              input logic [63:0] lanes);
    vmem_issue_t v;
    v              = '0;
    v.wave         = who.wave;
    v.tag          = who.tag;
    v.kind         = q.d.kind == KIND_INV ? VmemInv : q.d.unit == UNIT_MUBUF ? VmemMubuf : VmemFlat;
    v.store        = q.d.store;
    v.atomic       = q.d.atomic;
    v.atomic_op    = q.d.atomic_op[3:0];
    v.size         = q.d.mem_bytes[0] ? 3'd0 : q.d.mem_bytes[1] ? 3'd1 : 3'd2;
    v.dwords       = q.d.mem_bytes < 7'd4 ? 3'd1 : q.d.mem_bytes[4:2];
    v.sext         = q.d.mem_signed;
    v.glc          = q.d.atomic ? q.d.returns : q.d.glc;
    v.addr         = base.vgpr_base + q.d.src0[7:0];
    v.data         = base.vgpr_base + q.d.src1[7:0];
    v.dst          = base.vgpr_base + q.d.vdst;
    v.exec         = lanes;
    v.vmid         = base.vmid;
    v.lds_ok       = 1'b1;
    v.shared_hi    = 32'h20000000;
    v.private_hi   = 32'h20000001;
    v.idxen        = q.d.idxen;
    v.offen        = q.d.offen;
    v.offset       = q.d.offset[11:0];
    if (FaultSeed == 10 && q.d.store) v.exec[0] = 1'b0;
    if (FaultSeed == 11 && q.d.store) v.data = v.data + 8'd1;
    if (FaultSeed == 20 && q.d.load && v.dwords > 3'd1) v.dwords = v.dwords - 3'd1;
    return v;
  endfunction

  function automatic logic [63:0] file_data0(input logic [1:0] bank);
    return {file_high0_i[bank], file_low0_i[bank]};
  endfunction

  function automatic logic [63:0] file_data1(input logic [1:0] bank);
    return {file_high1_i[bank], file_low1_i[bank]};
  endfunction

  logic [63:0] va, data0, data1;
  logic [3:0] file_re, file_we_low, file_we_high;
  logic clash;  // two writes to one bank
  task automatic file_write(input logic [1:0] bank, input logic [9:0] row, input logic [1:0] we,
                            input logic [63:0] data);
    clash = clash || file_we_high[bank] || file_we_low[bank];
    {file_we_high[bank], file_we_low[bank]} = we;
    file_write_row_o[bank]  <= row;
    file_write_data_o[bank] <= data;
  endtask
  logic busy;
  widx_t w;
  /* verilator lint_on UNUSEDSIGNAL */
  head_t p;
  logic [1:0] simd;
  logic [8:0] code0, code1;
  logic [2:0][63:0] sval;
  logic [63:0] lane_mask, result;
  logic taken;
  gantry_msg_pkg::smem_req_t req;
  lds_issue_t lds;
  vmem_issue_t vm;

  always_ff @(posedge clk_i) begin
    busy             = pick_valu_valid_i || pick_sca_valid_i || pick_vmem_valid_i || pick_lds_valid_i ||
                       pick_branch_valid_i || prepare_valid_i || start_valid_i || result_valid_i || pair_valid_i ||
                       valu_v != '0 || sca_v != '0 || vmem_v != '0 || lds_v != '0 || branch_v != '0;
    jump_valid_o     <= '0;
    obs_valid_o      <= '0;
    intr_valid_o     <= 1'b0;
    smem_req_valid_o <= 1'b0;
    valu_valid_o     <= '0;
    lds_valid_o      <= 1'b0;
    vmem_valid_o     <= 1'b0;
    clash            = 1'b0;
    file_re          = '0;
    file_we_low      = '0;
    file_we_high     = '0;
    // ---- t+6, t+5: vector memory, last operands
    if (vmem_v[5]) begin
      vm              = vmem6;
      vm.soffset      = 32'(operand(soffset6, 1'b0, 1'b0, special(soffset6, file_data0(turn_i - 2'd2), vm.wave),
                                    literal6, 1'b0,
                                    1'b0, 1'b0));
      vm.flat_scratch = file_data1(turn_i - 2'd2);
      vmem_o          <= vm;
      vmem_valid_o    <= 1'b1;
    end
    if (vmem_v[4]) begin
      vmem6      = vmem5;
      vmem6.rsrc = {file_data1(turn_i - 2'd1), file_data0(turn_i - 2'd1)};
      soffset6   = soffset5;
      literal6   = literal5;
    end
    // ---- t+4: records
    simd = turn_i;
    if (vmem_v[3]) begin
      w        = vmem3.wave;
      vmem5    = vmem_record(head[w], vmem3, info[w], exec[w]);
      soffset5 = head[w].d.src2;
      literal5 = head[w].d.ext;
      file_re[simd]     = 1'b1;
      file_row0_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], head[w].d.src2[6:0]);
      file_row1_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], 7'd102);
    end
    if (lds_v[3]) begin
      w           = lds3.wave;
      lds.wave    = lds3.wave;
      lds.tag     = lds3.tag;
      lds.op      = head[w].d.op[7:0];
      lds.addr    = info[w].vgpr_base + head[w].d.src0[7:0];
      lds.data0   = info[w].vgpr_base + head[w].d.src1[7:0];
      lds.data1   = info[w].vgpr_base + head[w].d.src2[7:0];
      lds.dst     = info[w].vgpr_base + head[w].d.vdst;
      lds.offset0 = FaultSeed == 14 ? 8'd0 : head[w].d.offset[7:0];
      lds.offset1 = head[w].d.offset[15:8];
      lds.m0      = m0[w];
      lds.exec    = exec[w];
      lds.base    = info[w].lds_base;
      lds.bytes   = info[w].lds_bytes;
      lds_o       <= lds;
      lds_valid_o <= 1'b1;
    end
    if (valu_v[3]) begin
      w     = valu3.wave;
      p     = head[w];
      data0 = file_data0(simd);
      data1 = file_data1(simd);
      for (int unsigned n = 0; n < 3; n++) begin
        code0   = n == 0 ? p.d.src0 : n == 1 ? p.d.src1 : p.d.src2;
        sval[n] = operand(code0, (n == 0 ? p.d.src0_w : n == 1 ? p.d.src1_w : p.d.src2_w) == 5'd2, p.d.half,
                          special(code0, code0 == val_code[simd] ? data0 : data1, w), p.d.ext,
                          vcc[w] == 64'd0, exec[w] == 64'd0, scc[w]);
        if (code0 == 9'd255 && p.d.rate == RATE_F64 && (n == 0 ? p.d.src0_w : p.d.src1_w) == 5'd2) begin
          sval[n] = sval[n] << 32;  // a literal is the high half of a double
        end
        if (FaultSeed == 8 && code0 == 9'd255) sval[n] = sval[n] & 64'hFFFF;
        if (FaultSeed == 12 && code0 > 9'd192 && code0 <= 9'd208) sval[n] = sval[n] + 64'd1;
      end
      lane_mask = p.d.src2_mask ? special(p.d.src2, data1, w) : vcc[w];
      valu_o       <= valu_record(p, valu3, info[w], m0[w], sval, lane_mask, exec[w], mode[w]);
      valu_valid_o <= 4'd1 << simd;
    end
    // ---- t+3: scalar class executes, branches resolve, rows of the buffer resource
    simd = turn_i - 2'd3;
    if (branch_v[2]) begin
      w = branch2;
      p = head[w];
      case (p.d.op)
        OP_S_CBRANCH_SCC0: taken = !scc[w];
        OP_S_CBRANCH_SCC1: taken = scc[w];
        OP_S_CBRANCH_VCCZ: taken = vcc[w] == 64'd0;
        OP_S_CBRANCH_VCCNZ: taken = vcc[w] != 64'd0;
        OP_S_CBRANCH_EXECZ: taken = exec[w] == 64'd0 && FaultSeed != 4;
        OP_S_CBRANCH_EXECNZ: taken = exec[w] != 64'd0;
        default: taken = p.d.op == OP_S_BRANCH || p.d.op == OP_S_ICACHE_INV;
      endcase
      jump_valid_o[0] <= taken;
      jump_wave_o[0]  <= w;
      jump_pc_o[0]    <= p.pc + 48'd4 + (p.d.op == OP_S_ICACHE_INV ? 48'd0 : {{30{p.d.simm16[15]}}, p.d.simm16, 2'd0}) -
                         (FaultSeed == 5 && p.d.simm16[15] ? 48'd4 : 48'd0);
      intr_valid_o    <= p.d.op == OP_S_SENDMSG && p.d.simm16[3:0] == 4'd1;
      intr_wave_o     <= w;
      intr_data_o     <= m0[w];
    end
    if (sca_v[2]) begin
      w = sca2.wave;
      p = head[w];
      a = operand(p.d.src0, p.d.src0_w != 5'd1, 1'b0, special(p.d.src0, file_data0(simd), w), p.d.ext, vcc[w] == 64'd0,
                  exec[w] == 64'd0, scc[w]);
      b = operand(p.d.src1, p.d.src1_w == 5'd2, 1'b0, special(p.d.src1, file_data1(simd), w), p.d.ext, vcc[w] == 64'd0,
                  exec[w] == 64'd0, scc[w]);
      if (p.d.unit == UNIT_SMEM) begin
        va               = a + (p.d.smem_imm ? {44'd0, p.d.ext[19:0]} : b);
        req.va           = {16'd0, va[47:2], 2'd0};
        req.tag          = {17'd0, p.d.sdst_w == 5'd1 && FaultSeed == 9 ? p.d.sdst ^ 7'd1 : p.d.sdst, sca2.tag};
        req.dwords       = p.d.sdst_w == 5'd0 ? 8'd0 : {3'd0, p.d.sdst_w};
        req.vmid         = info[w].vmid;
        req.wave         = {2'd0, w};
        req.op           = p.d.kind == KIND_LOAD ? gantry_msg_pkg::SMEM_LOAD :
                           p.d.op == OP_S_MEMTIME || p.d.op == OP_S_MEMREALTIME ? gantry_msg_pkg::SMEM_MEMTIME :
                           p.d.op == OP_S_DCACHE_INV || p.d.op == OP_S_DCACHE_INV_VOL ?
                           gantry_msg_pkg::SMEM_DCACHE_INV : gantry_msg_pkg::SMEM_DCACHE_WB;
        smem_req_o       <= req;
        smem_req_valid_o <= 1'b1;
      end else begin
        salu_execute(p, w);
        if (observe) begin
          obs_valid_o[0] <= 1'b1;
          obs_o[0]       <= obs_pair(w, sca2.tag, r_code, r_write ? p.d.sdst_w : 5'd0, r_exec ? exec[w] : r);
          obs_o[0].scc_valid <= p.d.writes_scc;
          obs_o[0].scc   <= r_scc;
          obs_valid_o[1] <= r_exec;
          obs_o[1]       <= obs_pair(w, sca2.tag, 7'd126, 5'd2, r);
        end
        if (p.d.writes_scc) scc[w] = r_scc;
        lane_mask = r_exec ? exec[w] : r;
        if (r_write) begin
          write_special(w, r_code[6:1], p.d.sdst_w == 5'd2 ? 2'b11 : r_code[0] ? 2'b10 : 2'b01,
                        p.d.sdst_w == 5'd2 || !r_code[0] ? lane_mask : lane_mask << 32);
          if (in_file({2'd0, r_code})) begin
            file_write(simd, sgpr_row(info[w].sgpr_base, w[3:0], r_code),
                       p.d.sdst_w == 5'd2 ? 2'b11 : r_code[0] ? 2'b10 : 2'b01,
                       p.d.sdst_w == 5'd2 || !r_code[0] ? lane_mask : lane_mask << 32);
          end
        end
        if (r_exec) exec[w] = r;
        jump_valid_o[1] <= p.d.unit == UNIT_BRANCH && p.d.op != OP_S_GETPC_B64;
        jump_wave_o[1]  <= w;
        jump_pc_o[1]    <= {a[47:2], 2'd0};
      end
    end
    if (vmem_v[2]) begin
      w = vmem2.wave;
      file_re[simd]     = 1'b1;
      file_row0_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], head[w].d.srsrc);
      file_row1_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], head[w].d.srsrc + 7'd2);
    end
    // ---- t+2: rows of the vector ALU: one scalar operand, then the mask or a second one
    simd = turn_i - 2'd2;
    if (valu_v[1]) begin
      w     = valu1.wave;
      p     = head[w];
      code0 = in_file(p.d.src0) ? p.d.src0 : in_file(p.d.src1) ? p.d.src1 : p.d.src2;
      code1 = p.d.src2_mask ? p.d.src2 : in_file(p.d.src1) && p.d.src1 != code0 ? p.d.src1 : p.d.src2;
      val_code[simd] = code0;
      file_re[simd]     = in_file(code0) || in_file(code1);
      file_row0_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], code0[6:0]);
      file_row1_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], code1[6:0]);
    end
    // ---- t+1: rows of the scalar class
    simd = turn_i - 2'd1;
    if (pick_sca_valid_i) begin
      w     = pick_sca_i.wave;
      p     = head[w];
      code0 = p.d.src0;
      if (p.d.unit == UNIT_SALU && p.d.fmt == FMT_SOP1 && p.d.op[7:1] == OP_S_MOVRELS_B32[7:1]) begin
        code0[6:0] = code0[6:0] + m0[w][6:0];
      end
      file_re[simd]     = 1'b1;
      file_row0_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], code0[6:0]);
      file_row1_o[simd] <= sgpr_row(info[w].sgpr_base, w[3:0], p.d.src1[6:0]);
    end
    // ---- writes of others
    if (result_valid_i) begin
      w      = result_i.wave;
      result = FaultSeed == 7 && result_i.we == 2'b11 ? {32'd0, result_i.data[31:0]} : result_i.data;
      write_special(w, result_i.code[6:1], result_i.we, result);
      if (result_i.exec) exec[w] = result;
      if (in_file({2'd0, result_i.code}) && result_i.we != 2'd0) begin
        file_write(w[5:4], sgpr_row(info[w].sgpr_base, w[3:0], result_i.code), result_i.we,
                   result);
      end
      if (observe) begin
        obs_valid_o[2] <= result_i.we != 2'd0;
        obs_o[2]       <= obs_pair(w, result_i.tag, result_i.code, result_i.we == 2'b11 ? 5'd2 : 5'd1,
                                   result_i.we == 2'b10 ? result >> 32 : result);
        obs_valid_o[3] <= result_i.exec;
        obs_o[3]       <= obs_pair(w, result_i.tag, 7'd126, 5'd2, result);
      end
    end
    if (pair_valid_i) begin
      w = pair_i.wave;
      write_special(w, pair_i.code[6:1], pair_i.we, pair_i.data);
      if (in_file({2'd0, pair_i.code})) begin
        file_write(w[5:4], sgpr_row(info[w].sgpr_base, w[3:0], pair_i.code), pair_i.we,
                   pair_i.data);
      end
    end
    if (prepare_valid_i) info[start_i.wave] = start_i;
    if (start_valid_i) begin
      w       = start_i.wave;
      exec[w] = start_i.exec;
      vcc[w]  = 64'd0;
      m0[w]   = 32'd0;
      mode[w] = {22'd0, start_i.ieee, start_i.dx10_clamp, start_i.mode};
      scc[w]  = 1'b0;
    end
    // ---- what changes hands, after all reads: a successor may arrive while its forerunner is at t+4
    if (head_valid_i[0]) head[head_wave_i[0]] = head0_i;
    if (head_valid_i[1]) head[head_wave_i[1]] = head1_i;
    if (valu_v[2]) valu3 = valu2;
    if (valu_v[1]) valu2 = valu1;
    if (pick_valu_valid_i) valu1 = pick_valu_i;
    if (sca_v[1]) sca2 = sca1;
    if (pick_sca_valid_i) sca1 = pick_sca_i;
    if (branch_v[1]) branch2 = branch1;
    if (pick_branch_valid_i) branch1 = pick_branch_i;
    if (lds_v[2]) lds3 = lds2;
    if (lds_v[1]) lds2 = lds1;
    if (pick_lds_valid_i) lds1 = pick_lds_i;
    if (vmem_v[2]) vmem3 = vmem2;
    if (vmem_v[1]) vmem2 = vmem1;
    if (pick_vmem_valid_i) vmem1 = pick_vmem_i;
    sca_v    = {sca_v[1], pick_sca_valid_i};
    branch_v = {branch_v[1], pick_branch_valid_i};
    valu_v   = {valu_v[2:1], pick_valu_valid_i};
    lds_v    = {lds_v[2:1], pick_lds_valid_i};
    vmem_v   = {vmem_v[4:1], pick_vmem_valid_i};
    if (!rst_ni) begin
      sca_v            = '0;
      branch_v         = '0;
      valu_v           = '0;
      lds_v            = '0;
      vmem_v           = '0;
      file_re          = '0;
      file_we_low      = '0;
      file_we_high     = '0;
      jump_valid_o     <= '0;
      intr_valid_o     <= 1'b0;
      smem_req_valid_o <= 1'b0;
      valu_valid_o     <= '0;
      lds_valid_o      <= 1'b0;
      vmem_valid_o     <= 1'b0;
    end
    clash_q        <= clash;
    file_re_o      <= file_re;
    file_we_low_o  <= file_we_low;
    file_we_high_o <= file_we_high;
    idle_o         <= !busy;
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_one_write, !clash_q)

  logic unused;
  assign unused = clash_q;
endmodule
