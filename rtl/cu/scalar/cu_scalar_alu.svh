// SPDX-License-Identifier: Apache-2.0
// Inside of cu_scalar, included by it: the scalar class (SALU, jumps by register, requests of scalar memory) and branches.
// Not responsible for: results as functions of operands (salu_pkg), when it is called (cu_scalar.sv).

  // ---- one instruction of the scalar ALU
  scalar_word_t q;
  logic [63:0] a, b, r, va;
  logic r_scc, r_write, r_exec;
  logic [6:0] r_code;
  logic [8:0] code;
  logic [15:0] simm16;
  gantry_msg_pkg::smem_req_t req;

  // When a request of scalar memory may be complete at the earliest, if its instruction was chosen `ago` cycles ago: what
  // needs the data is chosen 4 cycles after its wait, which is chosen in the cycle of the report.
  function automatic logic [11:0] due(input logic clock, input logic [11:0] ago);
    return time_i - ago + 12'((clock ? TimeLatency : ScalarLatency) - 4);
  endfunction

  // Register of a relative move: beyond the allocation s0; `there`: it is inside.
  task automatic relative(input widx_t at, input logic [6:0] from, input logic pair, output logic [6:0] to,
                          output logic there);
    logic [31:0] sum;
    sum   = {25'd0, from} + m0[at];
    there = sum < {25'd0, info[at].sgprs};
    to    = there ? {sum[6:1], sum[0] && !pair} : 7'd0;
  endtask

  task automatic scalar_rows(input widx_t at);
    scalar_word_t f;
    logic [6:0] code0;
    logic there;
    f     = $bits(scalar_word_t)'(head[at].op);
    code0 = f.src0[6:0];
    if (f.movrels) relative(at, f.src0[6:0], f.two0, code0, there);
    file_read(at, code0, f.src1[6:0]);
  endtask

  // MODE, STATUS, HW_ID, GPR_ALLOC, LDS_ALLOC; others read 0.
  function automatic logic [31:0] hardware_register(input widx_t at, input logic [5:0] id);
    case (id)
      6'd1: return mode[at];
      6'd2: begin
        return {15'd0, 1'b1, 2'd0, halt[at], 1'b0, info[at].group_waves > 8'd1, vcc[at] == 64'd0, exec[at] == 64'd0,
                2'd0, info[at].trap_en, priv[at], prio[1][at], prio[0][at], 2'd0, scc[at]};
      end
      6'd4: begin
        return {8'd0, info[at].vmid[3:0], info[at].group[3:0], 1'b0, cu_id_i[5:4], 1'b0, cu_id_i[3:0], 2'd0, at};
      end
      6'd5: begin
        return {4'd0, info[at].sgpr_size, 2'd0, info[at].sgpr_base[9:4], 2'd0, info[at].vgpr_size, 2'd0,
                info[at].vgpr_base[7:2]};
      end
      6'd6: return {11'd0, info[at].lds_bytes[16:8], 4'd0, info[at].lds_base[15:8]};
      default: return 32'd0;
    endcase
  endfunction

  task automatic salu_execute(input widx_t at);
    logic [31:0] imm, field, shifted;
    imm     = {{16{simm16[15]}}, simm16};
    r_write = q.sdst_w != 5'd0;
    r_exec  = 1'b0;
    r_code  = q.sdst;
    case (q.fmt)
      FMT_SOP2: begin
        if (FaultSeed == 13 && q.op == OP_S_LSHL_B64) b[5] = 1'b0;
        salu_pkg::sop2(q.op[6:0], q.two0, a, b, scc[at] && FaultSeed != 6, r, r_scc);
        if (FaultSeed == 2 && q.op == OP_S_ADD_U32) r_scc = 1'b0;
      end
      FMT_SOP1: begin
        salu_pkg::sop1(q.op[7:0], q.two0, a, b, exec[at], r, r_scc);
        if (q.op == OP_S_CMOV_B32 || q.op == OP_S_CMOV_B64) r_write = scc[at];
        if (q.op == OP_S_MOVRELD_B32 || q.op == OP_S_MOVRELD_B64) relative(at, q.sdst, q.two0, r_code, r_write);
        if (q.branch) begin
          r = {16'd0, p.pc + (q.src0 == 9'd255 ? 48'd8 : 48'd4)};  // behind the literal
          if (q.op == OP_S_RFE_B64) priv[at] = 1'b0;
        end
        if (q.saveexec) begin
          r_exec = 1'b1;  // r is the new EXEC
          if (FaultSeed == 3) r = exec[at];
        end
      end
      FMT_SOPC: begin
        r     = 64'd0;
        r_scc = salu_pkg::compare(q.op[4:0], a, b);
      end
      FMT_SOPP: begin  // s_trap; without a handler, or in it, on to the next instruction
        r_scc   = 1'b0;
        r_write = info[at].trap_en && !priv[at];
        r       = {8'd0, simm16[7:0], p.pc + (FaultSeed == 25 ? 48'd4 : 48'd0)};
        a       = {16'd0, r_write ? handler_of(at)[47:0] : p.pc + 48'd4};
        if (r_write) priv[at] = 1'b1;
      end
      default: begin
        salu_pkg::sopk(q.op[4:0], a[31:0], imm, r, r_scc);
        if (q.op == OP_S_CMOVK_I32) r_write = scc[at];
        field   = 32'(pick_pkg::ones64({1'b0, {1'b0, simm16[15:11]} + 6'd1}));
        shifted = field << simm16[10:6];
        if (q.op == OP_S_GETREG_B32) begin
          r = {32'd0, (hardware_register(at, simm16[5:0]) >> simm16[10:6]) & field};
        end
        if (q.op == OP_S_SETREG_B32 || q.op == OP_S_SETREG_IMM32_B32) begin
          if (simm16[5:0] == 6'd1) mode[at] = (mode[at] & ~shifted) | ((a[31:0] << simm16[10:6]) & shifted);
          if (simm16[5:0] == 6'd2 && priv[at] && simm16[10:6] == 5'd0) begin  // of STATUS only SCC
            q.writes_scc = 1'b1;
            r_scc        = a[0];
          end
        end
      end
    endcase
  endtask

  // s_*_saveexec writes the old EXEC, others their result.
  task automatic salu_write(input widx_t at, input tag_t of_tag);
    logic [63:0] value;
    if (observe) begin
      obs_valid_o[0] <= 1'b1;
      obs_o[0]       <= obs_pair(at, of_tag, r_code, r_write ? q.sdst_w : 5'd0, r_exec ? exec[at] : r);
      obs_o[0].scc_valid <= q.writes_scc;
      obs_o[0].scc   <= r_scc;
      obs_valid_o[1] <= r_exec;
      obs_o[1]       <= obs_pair(at, of_tag, 7'd126, 5'd2, r);
    end
    if (q.writes_scc) scc[at] = r_scc;
    value = r_exec ? exec[at] : r;
    if (r_write) begin
      pair_write(at, r_code, q.sdst_w == 5'd2 ? 2'b11 : r_code[0] ? 2'b10 : 2'b01,
                 q.sdst_w == 5'd2 || !r_code[0] ? value : value << 32);
    end
    if (r_exec) write_exec(at, r);
  endtask

  task automatic scalar(input widx_t at, input tag_t of_tag);
    logic there;
    w      = at;
    p      = head[at];
    q      = $bits(scalar_word_t)'(p.op);
    simm16 = p.inst[15:0];
    code   = q.src0;
    if (q.movrels) relative(at, q.src0[6:0], q.two0, code[6:0], there);  // the row was read so: scalar_rows
    a      = operand(code, !q.one0, 1'b0, file_data0_i[at[5:4]], p.inst[63:32], at);
    b      = operand(q.src1, q.two1, 1'b0, file_data1_i[at[5:4]], p.inst[63:32], at);
    if (q.many) begin
      long_first(at, of_tag);
    end else if (q.smem) begin
      va               = a + (q.smem_imm ? {44'd0, p.inst[51:32]} : b);
      req.va           = {16'd0, va[47:2], 2'd0};
      req.tag          = {due(q.op == OP_S_MEMTIME || q.op == OP_S_MEMREALTIME, 12'd3),
                          q.sdst_w, q.sdst_w == 5'd1 && FaultSeed == 9 ? q.sdst ^ 7'd1 : q.sdst, of_tag};
      req.dwords       = q.sdst_w == 5'd0 ? 8'd0 : {3'd0, q.sdst_w};
      req.vmid         = info[at].vmid;
      req.wave         = {2'd0, at};
      req.op           = q.load ? gantry_msg_pkg::SMEM_LOAD :
                         q.op == OP_S_MEMTIME || q.op == OP_S_MEMREALTIME ? gantry_msg_pkg::SMEM_MEMTIME :
                         q.op == OP_S_DCACHE_INV || q.op == OP_S_DCACHE_INV_VOL ?
                         gantry_msg_pkg::SMEM_DCACHE_INV : gantry_msg_pkg::SMEM_DCACHE_WB;
      smem_req_o       <= req;
      smem_req_valid_o <= 1'b1;
      smem_pc_o        <= p.pc;
    end else begin
      salu_execute(at);
      salu_write(at, of_tag);
      jump_valid_o[1] <= q.branch && q.op != OP_S_GETPC_B64;
      jump_wave_o[1]  <= at;
      jump_pc_o[1]    <= {a[47:2], 2'd0};
    end
  endtask

  task automatic branch(input widx_t at);
    logic taken;
    p      = head[at];
    q      = $bits(scalar_word_t)'(p.op);
    simm16 = p.inst[15:0];
    case (q.op)
      OP_S_CBRANCH_SCC0: taken = !scc[at];
      OP_S_CBRANCH_SCC1: taken = scc[at];
      OP_S_CBRANCH_VCCZ: taken = vcc[at] == 64'd0;
      OP_S_CBRANCH_VCCNZ: taken = vcc[at] != 64'd0;
      OP_S_CBRANCH_EXECZ: taken = exec[at] == 64'd0 && FaultSeed != 4;
      OP_S_CBRANCH_EXECNZ: taken = exec[at] != 64'd0;
      OP_S_SETPRIO: begin
        prio[0][at] = simm16[0];
        prio[1][at] = simm16[1];
        taken       = 1'b0;
      end
      OP_S_SETHALT: begin
        halt[at] = simm16[0];
        taken    = 1'b0;
      end
      default: taken = q.op == OP_S_BRANCH || q.op == OP_S_ICACHE_INV;
    endcase
    jump_valid_o[0] <= taken;
    jump_keep_o     <= q.op != OP_S_ICACHE_INV;
    jump_wave_o[0]  <= at;
    jump_pc_o[0]    <= p.pc + 48'd4 + (q.op == OP_S_ICACHE_INV ? 48'd0 : {{30{simm16[15]}}, simm16, 2'd0}) -
                       (FaultSeed == 5 && simm16[15] ? 48'd4 : 48'd0);
    intr_valid_o    <= q.op == OP_S_SENDMSG && simm16[3:0] == 4'd1;
    intr_wave_o     <= at;
    intr_data_o     <= m0[at];
  endtask
