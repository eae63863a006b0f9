// SPDX-License-Identifier: Apache-2.0
// Operand stage of the compute unit: scalar ALU and branches (executed here), scalar-memory requests, and the issue
// records of the vector ALU, LDS and vector memory with their scalar operands resolved.  Owns VCC, EXEC, M0, SCC and
// MODE; general SGPRs are in cu_sgpr, whose ports it drives in the time slots of cu_front_pkg.  This file: state, who is
// under way, ports of the register file; what is done with an instruction stands in cu_scalar_alu.svh (scalar class,
// branches), cu_scalar_long.svh (scalar memory with many operands) and cu_scalar_records.svh (vector ALU, LDS, vector
// memory).
// Not responsible for: which instruction issues and whether its operands are ready (cu_issue).
`include "gantry_assert.svh"

module cu_scalar
  import cu_pkg::*;
  import cu_front_pkg::*;
  import cu_head_pkg::*;
  import cu_operand_pkg::*;
  import gcn3_pkg::*;
#(
  parameter int unsigned ScalarLatency = 48,  // see cu_front
  parameter int unsigned TimeLatency = 41
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                       [ 1:0] turn_i,
  input  logic                       [11:0] time_i,                  // cycle
  input  logic                       [ 5:0] cu_id_i,
  input  logic                              trap_valid_i,            // trap handler of an address space
  input  logic                       [ 3:0] trap_vmid_i,
  input  logic                       [39:0] trap_tba_i,              // / 256
  input  logic                       [47:0] trap_tma_i,
  input  logic                              prepare_valid_i,         // prepare_i will start: registers are filled
  input  start_t                            prepare_i,
  input  logic                              start_valid_i,
  input  start_t                            start_i,
  input  logic                       [ 1:0] head_valid_i,
  input  wave_t                             head_wave_i[2],
  input  head_t                             head_i[2],
  // chosen instructions
  /* verilator lint_off UNUSEDSIGNAL */  // waits and no-ops end in cu_issue
  input  issued_t                           issued_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // register writes of others
  input  logic                              result_valid_i,          // vector ALU, in phase 2 of its SIMD
  input  result_t                           result_i,
  input  logic                              pair_valid_i,            // cu_fill, in phases 0 and 1
  input  pair_write_t                       pair_i,
  // register file, by bank
  output logic                              file_en_o,
  output logic                       [ 3:0] file_re_o,
  output logic                  [3:0][ 9:0] file_row0_o,
  output logic                  [3:0][ 9:0] file_row1_o,
  input  logic                       [63:0] file_data0_i[4],
  input  logic                       [63:0] file_data1_i[4],
  output logic                  [3:0][ 1:0] file_we_o,
  output logic                  [3:0][ 9:0] file_write_row_o,
  output logic                       [63:0] file_write_data_o[4],
  // results
  output logic                       [ 1:0] jump_valid_o,            // branches, s_setpc
  output wave_t                             jump_wave_o[2],
  output logic                       [47:0] jump_pc_o[2],
  output logic                              jump_keep_o,             // the branch may use what is in the fetch buffer
  output logic                              intr_valid_o,
  output wave_t                             intr_wave_o,
  output logic                       [31:0] intr_data_o,
  output logic                              smem_req_valid_o,
  output gantry_msg_pkg::smem_req_t         smem_req_o,
  output logic                       [47:0] smem_pc_o,               // of the instruction that asks
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
  logic [63:0] exec[Waves], vcc[Waves];
  logic [31:0] m0[Waves], mode[Waves];
  logic [63:0] scc;
  waves_t priv, halt;  // in the trap handler; s_sethalt
  waves_t prio[2];  // bits of the priority
  logic [95:0] handlers[16];  // by VMID: {TMA, TBA}
  logic [95:0] handler[Waves];  // of the wavefront's VMID, for its operands; not if narrow
  start_t info[Waves];
  head_t head[Waves];

  // Ports that have an instruction under way, by age: 1 to 5 cycles after it came in at issued_i.  Who it is stands by
  // SIMD until that SIMD's next turn; vector memory is older in the end, and then is a record.
  typedef logic [4:0] under_way_t;
  localparam under_way_t ToTwo = '1, ToFive = 5'd1 << PortVmem, ToThree = ToFive | 5'd1 << PortValu | 5'd1 << PortLds;
  under_way_t [5:1] age;
  logic [4:0][3:0] slots[4];
  logic [4:0][7:0] tags[4];
  mask_from_t mask_from[4];

  // Narrow: what one cycle writes to VCC, EXEC and M0.  The scalar ALU, vector results and cu_fill have phases of their own.
  widx_t put_at;
  logic [5:0] put_pair;
  logic [1:0] put_we;
  logic put_all;  // EXEC beside the pair
  logic [63:0] put_data, put_exec;

  // ---- registers
  /* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
  // {TMA, TBA}: of a few wavefronts the memory itself is read.
  function automatic logic [95:0] handler_of(input widx_t w);
    return Narrow ? handlers[info[w].vmid[3:0]] : handler[w];
  endfunction

  function automatic logic [63:0] special(input logic [8:0] code, input logic [63:0] pair, input widx_t w);
    if (code[8:7] != 2'd0 || code[6:0] < 7'd106) return pair;
    case (code[6:1])
      6'd53: return vcc[w];
      6'd54: return priv[w] ? {16'd0, handler_of(w)[47:0]} : 64'd0;
      6'd55: return priv[w] ? {16'd0, handler_of(w)[95:48]} : 64'd0;
      6'd62: return {32'd0, m0[w]};
      6'd63: return exec[w];
      default: return priv[w] ? pair : 64'd0;  // TTMP
    endcase
  endfunction

  // Scalar operand; `pair` is what the register file holds at code[6:1].
  function automatic logic [63:0] operand(input logic [8:0] code, input logic wide, input logic half,
                                          input logic [63:0] pair, input logic [31:0] literal, input widx_t w);
    if (code[8]) return 64'd0;
    if (code[7]) return constant(code[7:0], wide, half, literal, {scc[w], exec[w] == 64'd0, vcc[w] == 64'd0});
    return registers(code[0], wide, special(code, pair, w));
  endfunction

  task automatic write_special(input widx_t at, input logic [5:0] pair, input logic [1:0] we, input logic [63:0] data);
    logic [63:0] mask;
    if (Narrow) begin
      put_at   = at;
      put_pair = pair;
      put_we   = we;
      put_data = data;
    end else begin
      mask = {{32{we[1]}}, {32{we[0]}}};
      if (pair == 6'd53) vcc[at] = (vcc[at] & ~mask) | (data & mask);
      if (pair == 6'd63) exec[at] = (exec[at] & ~mask) | (data & mask);
      if (pair == 6'd62 && we[0]) m0[at] = data[31:0];
    end
  endtask

  // EXEC beside a pair.
  task automatic write_exec(input widx_t at, input logic [63:0] data);
    if (Narrow) begin
      put_at   = at;
      put_all  = 1'b1;
      put_exec = data;
    end else exec[at] = data;
  endtask

  // By wavefront: an enable for each half, no multiplexer for each bit.
  task automatic put_special();
    for (int unsigned k = 0; k < Slots; k++) begin
      if (put_at == k[5:0]) begin
        if (put_pair == 6'd53 && put_we[0]) vcc[k][31:0] = put_data[31:0];
        if (put_pair == 6'd53 && put_we[1]) vcc[k][63:32] = put_data[63:32];
        if (put_pair == 6'd62 && put_we[0]) m0[k] = put_data[31:0];
        if (put_all || (put_pair == 6'd63 && put_we[0])) exec[k][31:0] = put_all ? put_exec[31:0] : put_data[31:0];
        if (put_all || (put_pair == 6'd63 && put_we[1])) exec[k][63:32] = put_all ? put_exec[63:32] : put_data[63:32];
      end
    end
  endtask

  function automatic logic [9:0] row_of(input widx_t at, input logic [6:0] code);
    return sgpr_row(info[at].sgpr_base, at[3:0], code);
  endfunction

  logic [3:0] file_re;
  logic [3:0][1:0] file_we;
  logic [3:0][9:0] file_row0, file_row1, file_write_row;
  logic [63:0] file_write_data[4];
  logic clash, clash_q;  // two writes to one bank

  task automatic file_read(input widx_t at, input logic [6:0] code0, input logic [6:0] code1);
    file_re[at[5:4]]   = 1'b1;
    file_row0[at[5:4]] = row_of(at, code0);
    file_row1[at[5:4]] = row_of(at, code1);
  endtask

  // A register pair, in the file or special.  Outside the trap handler TTMP keep what they hold; TBA and TMA always do.
  task automatic pair_write(input widx_t at, input logic [6:0] code, input logic [1:0] we, input logic [63:0] data);
    logic stored;
    stored = code < 7'd106;
    if (!stored) begin
      write_special(at, code[6:1], we, data);
      stored = code >= 7'd112 && code < 7'd124 && (priv[at] || FaultSeed == 26);
    end
    if (stored && we != 2'd0) begin
      clash = clash || file_we[at[5:4]] != 2'd0;
      file_we[at[5:4]]         = we;
      file_write_row[at[5:4]]  = row_of(at, code);
      file_write_data[at[5:4]] = data;
    end
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

  widx_t w;
  head_t p;
  logic [1:0] simd;
  logic busy;
  `include "cu_scalar_alu.svh"
  `include "cu_scalar_long.svh"
  `include "cu_scalar_records.svh"
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic widx_t who(input logic [1:0] of_simd, input logic [2:0] port);
    return windex({of_simd, slots[of_simd&SimdMask][port]});
  endfunction

  // A vector result or a pair of cu_fill.
  task automatic result_write();
    logic [63:0] result;
    w      = windex(result_i.wave);
    result = FaultSeed == 7 && result_i.we == 2'b11 ? {32'd0, result_i.data[31:0]} : result_i.data;
    pair_write(w, result_i.code, result_i.we, result);
    if (result_i.exec) write_exec(w, result);
    if (observe) begin
      obs_valid_o[2] <= result_i.we != 2'd0;
      obs_o[2]       <= obs_pair(w, result_i.tag, result_i.code, result_i.we == 2'b11 ? 5'd2 : 5'd1,
                                 result_i.we == 2'b10 ? result >> 32 : result);
      obs_valid_o[3] <= result_i.exec;
      obs_o[3]       <= obs_pair(w, result_i.tag, 7'd126, 5'd2, result);
    end
  endtask

  task automatic start_wave();
    w       = windex(start_i.wave);
    exec[w] = start_i.exec;
    vcc[w]  = 64'd0;
    m0[w]   = 32'd0;
    mode[w] = {22'd0, start_i.ieee, start_i.dx10_clamp, start_i.mode};
    scc[w]  = 1'b0;
    priv[w] = 1'b0;
    halt[w] = 1'b0;
    prio[0][w] = 1'b0;
    prio[1][w] = 1'b0;
  endtask

  always_ff @(posedge clk_i) begin
    `GANTRY_CHECKS;
    busy = issued_i.valid[4:0] != '0 || prepare_valid_i || start_valid_i || result_valid_i || pair_valid_i ||
           trap_valid_i || age != '0 || long_age != '0;
    // a cycle without work ends the pulses of the one before
    if (busy || !idle_o || head_valid_i != '0 || !rst_ni) begin
      jump_valid_o     <= '0;
      obs_valid_o      <= '0;
      intr_valid_o     <= 1'b0;
      smem_req_valid_o <= 1'b0;
      valu_valid_o     <= '0;
      lds_valid_o      <= 1'b0;
      vmem_valid_o     <= 1'b0;
      clash            = 1'b0;
      file_re          = '0;
      file_we          = '0;
      if (Narrow) {put_at, put_pair, put_we, put_all, put_data, put_exec} = '0;
      if (age != '0) begin
        // ---- t+6, t+5: vector memory, last operands
        if (age[5] != '0) vmem_last((turn_i - 2'd2) & SimdMask);
        if (age[4] != '0) vmem_resource((turn_i - 2'd1) & SimdMask);
        // ---- t+4: records
        if (age[3] != '0) begin
          simd = turn_i & SimdMask;
          if (age[3][PortVmem]) vmem_first(who(simd, PortVmem), tags[simd][PortVmem]);
          if (age[3][PortLds]) lds_issue(who(simd, PortLds), tags[simd][PortLds]);
          if (age[3][PortValu]) valu_issue(who(simd, PortValu), tags[simd][PortValu]);
        end
        // ---- t+3: scalar class executes, branches resolve, rows of the buffer resource
        if (age[2] != '0) begin
          simd = (turn_i - 2'd3) & SimdMask;
          if (age[2][PortBranch]) branch(who(simd, PortBranch));
          if (age[2][PortSca]) scalar(who(simd, PortSca), tags[simd][PortSca]);
          if (age[2][PortVmem]) begin
            w = who(simd, PortVmem);
            file_read(w, vmem_srsrc(w), vmem_srsrc(w) + 7'd2);
          end
        end
        // ---- t+2: rows of the vector ALU
        if (age[1][PortValu]) valu_rows(who((turn_i - 2'd2) & SimdMask, PortValu));
      end
      if (long_age != '0) begin
        long_steps();
        long_age = long_age << 1;
      end
      // ---- t+1: rows of the scalar class
      if (issued_i.valid[PortSca]) scalar_rows(windex({issued_i.simd, issued_i.slot[PortSca]}));
      // ---- writes of others
      if (result_valid_i) result_write();
      if (pair_valid_i) pair_write(windex(pair_i.wave), pair_i.code, pair_i.we, pair_i.data);
      if (Narrow) put_special();
      if (prepare_valid_i) begin
        w = windex(prepare_i.wave);
        if (Narrow) begin
          for (int unsigned k = 0; k < Slots; k++) if (w == k[5:0]) info[k] = prepare_i;
        end else begin
          info[w]    = prepare_i;
          handler[w] = handlers[prepare_i.vmid[3:0]];
        end
      end
      if (start_valid_i) start_wave();
      if (trap_valid_i) begin
        handlers[trap_vmid_i] <= {trap_tma_i, trap_tba_i, 8'd0};
        for (int unsigned k = 0; k < Waves; k++) begin
          if (!Narrow && windex(k[5:0]) == k[5:0] && info[k[5:0]].vmid[3:0] == trap_vmid_i) begin
            handler[k[5:0]] = {trap_tma_i, trap_tba_i, 8'd0};
          end
        end
      end
      // ---- what changes hands, after all reads: a successor may arrive while its forerunner is at t+4
      if (Narrow) begin
        for (int unsigned k = 0; k < Slots; k++) begin
          if (head_valid_i[0] && windex(head_wave_i[0]) == k[5:0]) head[k] = head_i[0];
        end
      end else if (head_valid_i[0]) head[windex(head_wave_i[0])] = head_i[0];
      if (Decoders > 1 && head_valid_i[1]) head[windex(head_wave_i[1])] = head_i[1];
      if (has_simd(issued_i.simd)) begin
        slots[issued_i.simd&SimdMask] = issued_i.slot[4:0];
        tags[issued_i.simd&SimdMask]  = issued_i.tag;
        if (MaskForward) mask_from[issued_i.simd&SimdMask] = issued_i.mask_from;
      end
      age = {age[4] & ToFive, age[3] & ToFive, age[2] & ToThree, age[1] & ToTwo, issued_i.valid[4:0]};
      if (!rst_ni) begin
        age              = '0;
        long_age         = '0;
        file_re          = '0;
        file_we          = '0;
        jump_valid_o     <= '0;
        intr_valid_o     <= 1'b0;
        smem_req_valid_o <= 1'b0;
          valu_valid_o     <= '0;
        lds_valid_o      <= 1'b0;
        vmem_valid_o     <= 1'b0;
      end
      clash_q   <= clash;
      file_en_o <= file_re != '0 || file_we != '0;
      file_re_o <= file_re;
      file_we_o <= file_we;
      if (file_re != '0) begin
        file_row0_o <= file_row0;
        file_row1_o <= file_row1;
      end
      if (file_we != '0) begin
        file_write_row_o  <= file_write_row;
        file_write_data_o <= file_write_data;
      end
      idle_o <= !busy;
    end
  end
  /* verilator lint_on BLKSEQ */

  logic unused;
  assign unused = clash_q;
  // ---- assertions
  `GANTRY_ASSERT(a_one_write, !clash_q)
  // the ports of a bank belong to one class in each cycle: who writes comes in its phase
  `GANTRY_ASSERT(a_result_phase, `GANTRY_IMPL(result_valid_i, 2'(turn_i - result_i.wave.simd) == 2'd2))
  `GANTRY_ASSERT(a_pair_phase, `GANTRY_IMPL(pair_valid_i, 2'(turn_i - pair_i.wave.simd) < 2'd2))
  task automatic check_state();
    // one instruction of scalar memory with many operands in each SIMD, whose phases are four cycles apart
    for (int unsigned k = 0; k < 4; k++) begin
      `GANTRY_CHECK(a_one_long, $onehot0((long_age >> k) & 13'b1_0001_0001_0001))
    end
    `GANTRY_CHECK(a_prepared, `GANTRY_IMPL(start_valid_i, info[windex(start_i.wave)].pc == start_i.pc))
  endtask
endmodule
