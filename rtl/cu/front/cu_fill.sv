// SPDX-License-Identifier: Apache-2.0
// What arrives at the CU from outside and fills registers: commands of the dispatcher (start of a wavefront with its
// initial SGPRs and item-id VGPRs, kill, trap handlers) and answers of the scalar cache (up to 16 dwords,
// one pair a cycle in the two cycles of four that the register file has for them).  Not responsible for: barriers,
// wavefront state (cu_issue), special registers (cu_scalar), the events that answer commands (cu_issue).
//
// Commands begin and end in order.  Item ids of two wavefronts are written at a time, one of SIMD 0 or 2, one of 1 or 3
// (narrow SIMDs: of one at a time); SGPRs of one.  So wavefronts without SGPRs and with ids of one register follow one
// another by five cycles on one SIMD, and come in pairs when they go to the SIMDs by turns.  Both queues are bounded by
// their senders: 64 commands, 16 answers.
`include "gantry_assert.svh"

module cu_fill
  import cu_pkg::*;
  import cu_front_pkg::*;
#(
  parameter int unsigned ScalarLatency = 48  // the longest wait that a request may name
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                       [ 1:0] turn_i,
  input  logic                       [11:0] time_i,            // cycle
  input  logic                              cu_cmd_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  gantry_msg_pkg::cu_cmd_t           cu_cmd_i,
  input  logic                              smem_rsp_valid_i,
  input  gantry_msg_pkg::smem_rsp_t         smem_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                              pair_valid_o,      // to cu_scalar, in phases 0 and 1 of the SIMD
  output pair_write_t                       pair_o,
  input  logic                              smem_req_valid_i,  // what cu_scalar asks for, and its PC
  input  gantry_msg_pkg::smem_req_t         smem_req_i,
  input  logic                       [47:0] smem_pc_i,
  output logic                              smem_done_valid_o,
  output mem_done_t                         smem_done_o,
  output logic                       [ 8:0] smem_rest_o,       // cycles that the report comes before its time
  input  logic                              smem_room_i,       // for a report
  output logic                       [ 3:0] init_valid_o,
  output row_t                              init_row_o[Fills],      // of SIMD s: [s % Fills]
  output logic                       [31:0] init_data_o[Fills][16],
  input  logic                       [ 3:0] init_ready_i,
  output logic                              prepare_valid_o,   // prepare_o will start: its register bases are needed
  output start_t                            prepare_o,
  output logic                              start_valid_o,
  output start_t                            start_o,
  output logic                              kill_valid_o,
  output logic                              trap_valid_o,      // trap handler of cmd_vmid_o
  output logic                       [39:0] trap_tba_o,        // / 256
  output logic                       [47:0] trap_tma_o,
  output logic                       [ 7:0] cmd_vmid_o,        // of kill and trap handler
  input  logic                              kill_done_i,
  output logic                              ack_valid_o,       // until taken
  input  logic                              ack_taken_i,
  input  logic                              obs_en_i,
  output logic                              obs_valid_o,
  output obs_sgpr_t                         obs_o,
  input  logic                              hold_i,            // no command is begun: all stay in their queue
  output logic                              drained_o,         // none is being carried out
  output logic                              idle_o
);
  import gantry_msg_pkg::*;
  typedef enum logic [2:0] {StIdle, StRead, StWave, StKill, StAck} state_e;

  logic observe;
  assign observe = Observe && obs_en_i;

  logic cmd_re_q, rsp_re_q;
  logic cmd_full_q, rsp_full_q;  // for the assertions
  logic [5:0] cmd_raddr_q, cmd_waddr_q;
  logic [3:0] rsp_raddr_q, rsp_waddr_q;
  /* verilator lint_off UNUSEDSIGNAL */
  cu_cmd_t cmd;
  cu_trap_t trap;
  smem_rsp_t rsp;
  /* verilator lint_on UNUSEDSIGNAL */

  ram_1r1w #(
    .Width(CuCmdBits),
    .Depth(64)
  ) u_commands (
    .clk_i,
    .we_i   (cu_cmd_valid_i),
    .waddr_i(cmd_waddr_q),
    .wdata_i(cu_cmd_i),
    .re_i   (cmd_re_q),
    .raddr_i(cmd_raddr_q),
    .rdata_o(cmd)
  );
  ram_1r1w #(
    .Width(SmemRspBits),
    .Depth(16)
  ) u_answers (
    .clk_i,
    .we_i   (smem_rsp_valid_i),
    .waddr_i(rsp_waddr_q),
    .wdata_i(smem_rsp_i),
    .re_i   (rsp_re_q),
    .raddr_i(rsp_raddr_q),
    .rdata_o(rsp)
  );

  logic answer_q;  // rsp is another one from this cycle on
  logic [47:0] answer_pc;
  cu_smem_pc u_pc (
    .clk_i,
    .rst_ni,
    .req_valid_i  (smem_req_valid_i),
    .req_i        (smem_req_i),
    .pc_i         (smem_pc_i),
    .ended_valid_i(answer_q),
    .ended_i      ('{wave: rsp.wave[5:0], tag: rsp.tag[7:0]}),
    .pc_o         (answer_pc)
  );

  // Item id `axis` (0 x, 1 y, 2 z) of the n-th work-item of its group.
  function automatic logic [31:0] item_id(input logic [9:0] n, input logic [1:0] axis, input logic [15:0] size_x,
                                          input logic [15:0] size_y, input logic [20:0] recip_x,
                                          input logic [20:0] recip_y);
    logic [31:0] q, z, prod;
    prod = {22'd0, n} * {11'd0, recip_x};
    q    = prod >> 20;
    prod = q * {11'd0, recip_y};
    z    = prod >> 20;
    if (axis == 2'd2) return z;
    prod = (axis == 2'd0 ? q : z) * (axis == 2'd0 ? {16'd0, size_x} : {16'd0, size_y});
    return (axis == 2'd0 ? {22'd0, n} : q) - prod;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic start_t make_start(input cu_cmd_t c, input logic [15:0] trap_en);
    start_t r;
    r.wave           = c.wave[5:0];
    r.vmid           = c.vmid;
    r.launch         = c.launch;
    r.group          = c.group;
    r.group_waves    = c.group_waves;
    r.first_of_group = c.wave_in_group == 8'd0;
    r.vgpr_base      = c.vgpr_base[7:0];
    r.sgpr_base      = c.sgpr_base[9:0];
    r.vgprs          = c.vgprs[8:0];
    r.sgprs          = c.sgprs > 16'd102 ? 7'd102 : c.sgprs[6:0];
    r.lds_base       = c.lds_base[16:0];
    r.lds_bytes      = c.lds_bytes[16:0];
    r.scratch_base   = c.scratch_base;
    r.pc             = {c.pc[47:2], 2'b00};
    r.exec           = c.exec;
    r.mode           = c.mode;
    r.ieee           = c.ieee[0];
    r.dx10_clamp     = c.ieee[1];
    r.trap_en        = trap_en[c.vmid[3:0]];
    r.vgpr_size      = 6'(c.vgprs[7:2] - 6'd1);
    r.sgpr_size      = 4'(c.sgprs[7:4] - 4'd1);
    return r;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // A load of as many dwords takes a turn for each pair of registers, so as long as eight: 8.2 cycles of a CU (measured on Fury:
  // sebbbi/perftest).
  localparam logic [4:0] TurnAPair = 5'd4;

  /* verilator lint_off BLKSEQ */
  state_e state;
  logic [15:0] handlers;  // VMIDs with a trap handler
  logic [6:0] cmd_count;
  logic [4:0] rsp_count;
  logic [5:0] cmd_read;
  logic [3:0] rsp_read;
  logic [3:0] sgpr_pair;
  logic filling, next;  // SGPRs were being written before this edge; a command is read
  logic rsp_loading, rsp_busy;
  logic [3:0] rsp_pair;
  logic [1:0] slot_phase;
  logic [11:0] rest;
  logic awake;  // there is more to do, or a pulse to end
  logic free, busy, wide;
  logic [6:0] code;
  logic [4:0] dwords;
  // a wavefront whose rows are being written: its command, how far it is
  start_t fill_start[Fills];
  logic [15:0] fill_size_x[Fills], fill_size_y[Fills];
  logic [20:0] fill_recip_x[Fills], fill_recip_y[Fills];
  logic [1:0] fill_items[Fills];
  logic [3:0] fill_place[Fills];  // in its group
  logic [3:0] fill_row[Fills];    // {register, beat}
  logic [Fills-1:0] fill_busy, fill_sgprs, rows_done, row_held;  // fill_sgprs: there are some to write yet
  logic last, one;  // the one that began last
  logic [3:0] asked;
  // item ids of a row: as many a cycle as a SIMD takes, just before it does
  logic [9:0] id_first[Fills];
  logic [1:0] id_axis[Fills], id_part[Fills];
  logic [Fills-1:0] id_more;
  pair_write_t pair;
  logic [31:0] ids[Lanes];

  // The command that was read is a wavefront, and there is room for it.
  function automatic void begin_wave(input logic f);
    fill_start[f]   = make_start(cmd, handlers);
    fill_size_x[f]  = cmd.group_size[0];
    fill_size_y[f]  = cmd.group_size[1];
    fill_recip_x[f] = cmd.recip_x[20:0];
    fill_recip_y[f] = cmd.recip_y[20:0];
    fill_items[f]   = cmd.vgpr_items[1:0];
    fill_place[f]   = cmd.wave_in_group[3:0];
    fill_row[f]     = '0;
    fill_busy[f]    = 1'b1;
    fill_sgprs[f]   = 1'b1;
    rows_done[f]    = 1'b0;
    last            = f;
    sgpr_pair       = '0;
  endfunction

  // The next row, or the next part of one, goes to its SIMD.
  task automatic write_row(input logic f);
    if (!id_more[f]) begin
      id_first[f]   = {fill_place[f], fill_row[f][1:0], 4'd0};
      id_axis[f]    = fill_row[f][3:2];
      init_row_o[f] <= {fill_start[f].vgpr_base, 2'd0} + {6'd0, fill_row[f]};
      asked[fill_start[f].wave.simd] = 1'b1;
      row_held[f]  = 1'b1;
      rows_done[f] = fill_row[f] == {fill_items[f], 2'b11};
      fill_row[f]  = fill_row[f] + 4'd1;
    end
    for (int unsigned l = 0; l < Lanes; l++) begin
      ids[l] = item_id(id_first[f] + l[9:0], id_axis[f], fill_size_x[f], fill_size_y[f], fill_recip_x[f],
                       fill_recip_y[f]);
    end
    if (Parts == 1) begin
      for (int unsigned l = 0; l < 16; l++) init_data_o[f][l] <= ids[l%Lanes];
    end else begin
      for (int unsigned l = 0; l < 16; l++) if (l / Lanes == 32'(id_part[f])) init_data_o[f][l] <= ids[l%Lanes];
      id_first[f] = id_first[f] + 10'(Lanes);
      id_part[f]  = 2'((32'(id_part[f]) + 32'd1) % Parts);
      id_more[f]  = id_part[f] != 2'd0;
    end
  endtask

  always_ff @(posedge clk_i) begin
    `GANTRY_CHECKS;
    if (awake || cu_cmd_valid_i || smem_rsp_valid_i || !rst_ni) begin
      busy              = 1'b0;
      pair_valid_o      <= 1'b0;
      smem_done_valid_o <= 1'b0;
      prepare_valid_o   <= 1'b0;
      start_valid_o     <= 1'b0;
      kill_valid_o      <= 1'b0;
      trap_valid_o      <= 1'b0;
      obs_valid_o       <= 1'b0;
      free              = 1'b1;
      // ---- scalar memory: rsp holds the answer under way
      if (rsp_busy) begin
        busy       = 1'b1;
        slot_phase = turn_i - rsp.wave[5:4];
        code       = rsp.tag[14:8];
        dwords     = rsp.status != 8'd0 ? 5'd0 : rsp.tag[19:15];
        wide       = {rsp_pair, 1'b0} + 5'd2 >= dwords;  // last pair
        if (slot_phase == 2'd0 || (slot_phase == 2'd3 && dwords != TurnAPair)) begin
          free         = 1'b0;
          pair.wave    = rsp.wave[5:0];
          pair.code    = {code[6:1], 1'b0} + {2'b0, rsp_pair, 1'b0};
          pair.we      = dwords == 5'd1 ? (code[0] ? 2'b10 : 2'b01) : 2'b11;
          pair.data    = dwords == 5'd1 && code[0] ? {rsp.data[0][31:0], 32'd0} : rsp.data[rsp_pair[2:0]];
          // a buffer load: zeros beyond the buffer
          if (rsp.dwords[4:0] < dwords) begin
            if ({rsp_pair, 1'b0} >= rsp.dwords[4:0]) pair.data = 64'd0;
            else if ({rsp_pair, 1'b1} >= rsp.dwords[4:0]) pair.data[63:32] = 32'd0;
          end
          pair_o       <= pair;
          pair_valid_o <= dwords != 5'd0 && !(FaultSeed == 22 && wide && rsp_pair != 4'd0);
          rsp_pair     = rsp_pair + 4'd1;
          if (wide) begin
            rsp_busy          = 1'b0;
            smem_done_valid_o <= 1'b1;
            rest = rsp.tag[31:20] - time_i - 12'd1;  // its time has passed: a large number
            smem_rest_o <= rest < 12'(ScalarLatency) && FaultSeed != 28 ? rest[8:0] : 9'd0;
            smem_done_o       <= '{
                pc: answer_pc,
                wave: rsp.wave[5:0],
                tag: rsp.tag[7:0],
                vm: 1'b0,
                lgkm: 1'b1,
                status: rsp.status,
                va: rsp.va
            };
            if (observe) begin
              obs_valid_o <= 1'b1;
              obs_o       <= '{
                  wave: rsp.wave[5:0],
                  tag: rsp.tag[7:0],
                  first: {1'b0, code},
                  count: dwords,
                  scc_valid: 1'b0,
                  scc: 1'b0,
                  data: rsp.data
              };
              for (int unsigned k = 0; k < 16; k++) if (k >= 32'(rsp.dwords)) obs_o.data[k[3:0]] <= 32'd0;
            end
          end
        end
      end
      if (rsp_loading) begin
        busy        = 1'b1;
        rsp_loading = 1'b0;
        rsp_busy    = 1'b1;
        rsp_pair    = '0;
      end
      answer_q <= rsp_re_q;
      if (rsp_re_q) begin
        busy        = 1'b1;
        rsp_loading = 1'b1;
      end
      rsp_re_q    <= 1'b0;
      if (rsp_count != '0 && !rsp_busy && !rsp_loading && smem_room_i) begin
        busy        = 1'b1;
        rsp_re_q    <= 1'b1;
        rsp_raddr_q <= rsp_read;
        rsp_read    = rsp_read + 4'd1;
        rsp_count   = rsp_count - 5'd1;
      end
      rsp_count = rsp_count + {4'd0, smem_rsp_valid_i};
      // ---- rows of item ids
      asked = init_valid_o;
      for (int unsigned f = 0; f < Fills; f++) begin
        if (fill_busy[f]) begin
          busy = 1'b1;
          if (row_held[f] && init_ready_i[fill_start[f].wave.simd]) begin
            row_held[f] = 1'b0;
            asked[fill_start[f].wave.simd] = 1'b0;
          end
          if (id_more[f] || (!row_held[f] && !rows_done[f])) write_row(1'(f));
        end
      end
      // ---- commands
      cmd_re_q <= 1'b0;
      filling  = state == StWave;
      next     = 1'b0;
      one      = Fills > 1 && cmd.wave[4];
      if (state == StRead) begin
        busy = 1'b1;
        if (!cmd_re_q && (cmd.kind == CU_WAVE ? !fill_busy[one] : fill_busy == '0)) begin
          state = cmd.kind == CU_KILL ? StKill : cmd.kind == CU_TRAP ? StAck : StWave;
          cmd_vmid_o   <= cmd.vmid;
          kill_valid_o <= cmd.kind == CU_KILL;
          trap_valid_o <= cmd.kind == CU_TRAP;
          if (cmd.kind == CU_TRAP) begin
            trap = cu_trap_t'(cmd);
            handlers[trap.vmid[3:0]] = trap.tba != 64'd0;
            trap_tba_o <= trap.tba[47:8];
            trap_tma_o <= trap.tma[47:0];
          end
          if (cmd.kind == CU_WAVE) begin
            begin_wave(one);
            prepare_valid_o <= 1'b1;
            prepare_o       <= fill_start[one];
            write_row(one);
          end
        end
      end
      init_valid_o <= asked;
      case (state)
        StIdle: next = cmd_count != '0 && !hold_i;
        StRead: ;
        StWave: begin
          busy       = 1'b1;
          slot_phase = turn_i - cmd.wave[5:4];
          // registers have a base one cycle after prepare_valid_o
          if (filling && free && {sgpr_pair, 1'b0} < cmd.init_sgprs[4:0] &&
              (slot_phase == 2'd3 || slot_phase == 2'd0)) begin
            pair.wave    = cmd.wave[5:0];
            pair.code    = {2'd0, sgpr_pair, 1'b0};
            pair.we      = {{sgpr_pair, 1'b1} < cmd.init_sgprs[4:0], 1'b1};
            pair.data    = {cmd.sgpr[{sgpr_pair, 1'b1}], cmd.sgpr[{sgpr_pair, 1'b0}]};
            pair_o       <= pair;
            pair_valid_o <= 1'b1;
            sgpr_pair    = sgpr_pair + 4'd1;
          end
          if ({sgpr_pair, 1'b0} >= cmd.init_sgprs[4:0]) begin
            fill_sgprs[one] = 1'b0;
            state           = StIdle;
            next            = cmd_count != '0 && !hold_i;
          end
        end
        StKill: begin
          if (kill_done_i) begin
            busy  = 1'b1;
            state = StAck;
          end
        end
        default: begin
          if (ack_taken_i) begin
            busy  = 1'b1;
            state = StIdle;
          end
        end
      endcase
      // the end of a wavefront whose registers are written; of two the one that began first goes first
      one = Fills > 1 && fill_busy[1'(Fills-1)] && (last == 1'b0 || !fill_busy[0]);
      if (fill_busy[one] && rows_done[one] && !row_held[one] && !id_more[one] && !fill_sgprs[one]) begin
        start_valid_o  <= 1'b1;
        start_o        <= fill_start[one];
        fill_busy[one] = 1'b0;
      end
      if (next) begin
        busy        = 1'b1;
        state       = StRead;
        cmd_re_q    <= 1'b1;
        cmd_raddr_q <= cmd_read;
        cmd_read    = cmd_read + 6'd1;
        cmd_count   = cmd_count - 7'd1;
      end
      if (cu_cmd_valid_i) cmd_waddr_q <= cmd_waddr_q + 6'd1;
      if (smem_rsp_valid_i) rsp_waddr_q <= rsp_waddr_q + 4'd1;
      cmd_count   = cmd_count + {6'd0, cu_cmd_valid_i};
      ack_valid_o <= state == StAck;
      drained_o   <= state == StIdle && fill_busy == '0;
      cmd_full_q  <= cmd_count == 7'd64;
      rsp_full_q  <= rsp_count == 5'd16;
      if (!rst_ni) begin
        state             = StIdle;
        handlers          = '0;
        cmd_count         = '0;
        rsp_count         = '0;
        cmd_waddr_q       <= '0;
        rsp_waddr_q       <= '0;
        cmd_read          = '0;
        rsp_read          = '0;
        rsp_loading       = 1'b0;
        rsp_busy          = 1'b0;
        fill_busy         = '0;
        row_held          = '0;
        id_more           = '0;
        for (int unsigned k = 0; k < Fills; k++) id_part[k] = '0;
        last              = 1'b0;
        init_valid_o      <= '0;
        pair_valid_o      <= 1'b0;
        prepare_valid_o   <= 1'b0;
        start_valid_o     <= 1'b0;
        smem_done_valid_o <= 1'b0;
        kill_valid_o      <= 1'b0;
        trap_valid_o      <= 1'b0;
        ack_valid_o       <= 1'b0;
        cmd_re_q          <= 1'b0;
        rsp_re_q          <= 1'b0;
      end
      idle_o <= !busy && !cu_cmd_valid_i && !smem_rsp_valid_i;
      awake = busy || state != StIdle || fill_busy != '0 || cmd_count != '0 || rsp_count != '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_commands, `GANTRY_IMPL(cu_cmd_valid_i, !cmd_full_q))
  `GANTRY_ASSERT(a_answers, `GANTRY_IMPL(smem_rsp_valid_i, !rsp_full_q))
  // of each bus one SIMD
  `GANTRY_ASSERT(a_one_simd, Fills > 1 ? (init_valid_o[1:0] & init_valid_o[3:2]) == '0 : $onehot0(init_valid_o))
  // registers are written in the two cycles of four that are left for it
  `GANTRY_ASSERT(a_phase, `GANTRY_IMPL(pair_valid_o, 2'(turn_i - pair_o.wave.simd) < 2'd2))
  task automatic check_state();
    // nobody reports the end of a command that is not being carried out
    `GANTRY_CHECK(a_killed, `GANTRY_IMPL(kill_done_i, state == StKill))
    `GANTRY_CHECK(a_acknowledged, `GANTRY_IMPL(ack_taken_i, state == StAck))
    `GANTRY_CHECK(a_one_answer, !(rsp_busy && rsp_loading))
  endtask
endmodule
