// SPDX-License-Identifier: Apache-2.0
// One SIMD of the compute unit: 16, 8 or 4 lanes, VGPRs, the vector ALU.  Responsible for: operand reads, bypass,
// execution, row writes of the ALU, of the memory units and of new wavefronts, lane masks as results.
// Not responsible for: scalar operands (in the issue record), dependencies and rates (front end: it sends nothing
// before the slots of an instruction are over), EXEC itself.
//
// An instruction occupies slots: one a beat (full rate), two (half: low and high row) or four (quarter).
// The slot read at the end of cycle t+k goes through stages 1, 2, 3 and is written at the end of cycle t+k+4; a row
// that is written while it is read is bypassed.  Half rate: the result of both rows is made when the high row is
// there.  Quarter rate: stage 2 of subslots 1 and 2 executes half of the lanes each, subslots 2 and 3 write low and high row.
// With fewer than 16 lanes a row of the ports passes in parts, one a cycle: vrd_valid_i stays for `Parts` cycles and the
// row is complete in the cycle after the last; *_ready_o comes with the last part.  There is no bypass then: the next
// instruction comes to a row long after it was written.  DPP costs one more slot a beat, which gathers a row of 16 lanes.
// `OperandStage` cuts before stage 1: there operands become what they are (scalars, DPP, SDWA, signs) in a stage 0.
// The stages are functions over its registers (simd_stage_*.svh); here are its ports, its VGPRs and their order.
`include "gantry_assert.svh"
`ifdef SYNTHESIS  // simd_rows_pkg says why
`define SIMD_FAULT FaultSeed
`define LANES_ARG
`define LANES_ONLY
`define LANES
`define LANES_CALL
`define STATE_ONLY
`define STATE_ARG
`define STATE
`define STATE_CALL
`define NO_INLINE
`define OP_INFO(op) op_info(op)
// results of this cycle's operation, put where they wait in one place (put_result of simd_rows_shared.svh)
`define RESULT(r) result
`define RESULT_HIGH(r) result_high
`define SLOT(at) slot_of(at[CountW+2:CountW], at[CountW-1:0])
`define READ_X read_x
`define READ_Y read_y
`define READ_Z read_z
`else
`define LANES v,
`define STATE v, r,
`define STATE_CALL v, r
`define READ_X v.x
`define READ_Y v.y
`define READ_Z v.z
`endif

module cu_simd
  import cu_pkg::*;
  import valu_lanes_pkg::*;
  import simd_regs_pkg::*;
`ifdef SYNTHESIS
  import gcn3_pkg::*;
  import valu_dec_pkg::*;
  import valu_lane_pkg::*;
  import valu_int_pkg::*;
  import valu_cmp_pkg::*;
  import fpu_fma_pkg::half_to_f32;
  import fpu_sum_pkg::*;
  import fpu_misc_pkg::*;
  import fpu_div_pkg::*;
  import fpu_trans_pkg::*;
  import fpu_serial_pkg::*;
`else
  import simd_rows_pkg::*;
`endif
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  valu_issue_t        issue_i,
  output logic               done_valid_o,
  output valu_done_t         done_o,
  input  logic               vrd_valid_i,
  input  row_t               vrd_row_i,
  output logic        [31:0] vrd_data_o [16],
  input  logic        [ 1:0] vwr_valid_i,      // 0 LDS, 1 vector memory
  /* verilator lint_off UNUSEDSIGNAL */  // which SIMD is in vwr_valid_i
  input  vwr_req_t           vwr0_i,
  input  vwr_req_t           vwr1_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        [ 1:0] vwr_ready_o,
  output logic               vwr_wait_o,       // leave the next turn of this SIMD free
  input  logic               init_valid_i,
  input  row_t               init_row_i,
  input  logic        [31:0] init_data_i[16],
  output logic               init_ready_o,
  input  logic               obs_en_i,
  output logic               obs_valid_o,
  output obs_vgpr_t          obs_o,
  output logic               idle_o
);
  (* no_rw_check, ram_style = "block" *)logic [Lanes-1:0][31:0] mem[1<<MemRowW];
  /* verilator lint_off UNUSEDSIGNAL */  // the stages use it
  lanes_t v;
  /* verilator lint_on UNUSEDSIGNAL */
  simd_regs_t r;
  logic idle_q;
  logic [Lanes-1:0][31:0] row;  // that is written
  logic [2:0] request, taken;  // initial rows, vector memory, LDS
  logic [1:0] part;  // of the row of the one whose turn it is
  logic [3:0] first;  // its first lane
  row_t port_row;

`ifdef SYNTHESIS
  // The memory's output registers, beside v: yosys joins the branches of a variable as a whole, and all of v would seem
  // to hang on the memory.
  logic [31:0] read_x[Lanes], read_y[Lanes], read_z[Lanes];
  logic [31:0] result[Lanes], result_high[Lanes];  // of a stage; put_result puts them where they wait
  localparam fpu_trans_pkg::tables_t TransRom = fpu_trans_pkg::rows_of_all();
  logic [10:0] rom_row[Lanes/2];
  fpu_trans_pkg::table_row_t [Lanes/2-1:0] rom_q;  // packed: an array of them would be the memory
  /* verilator lint_off UNUSEDSIGNAL */  // results have one way (put_result), so row functions do not need its number
  `include "simd_rows_int.svh"
  `include "simd_rows_lane.svh"
  `include "simd_rows_misc.svh"
  `include "simd_rows_norm.svh"
  `include "simd_rows_shared.svh"
  `include "simd_rows_shared_int.svh"
  `include "simd_rows_shared_misc.svh"
  `include "simd_rows_shared_trans.svh"
  `include "simd_rows_quarter.svh"
  `include "simd_serial.svh"
  `include "simd_stage_write.svh"
  `include "simd_stage_execute.svh"
  `include "simd_stage_read.svh"
  /* verilator lint_on UNUSEDSIGNAL */
`endif

  function automatic logic [MemRowW-1:0] part_row(input row_t of, input logic [1:0] at);
    return MemRowW'(32'(of) * Parts + 32'(at));
  endfunction

  assign idle_o  = idle_q && request == '0 && !valid_i && !vrd_valid_i;
  assign request = {init_valid_i, vwr_valid_i};

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
`ifdef GANTRY_FAULTS
    r.fault = FaultSeed;
`endif
`ifdef GANTRY_CHECKED  // this file's own macros keep Verible from reading those of others
    if (rst_ni) check_state();
`endif
    if (r.live != '0 || valid_i || request != '0 || !rst_ni) begin
      if (valid_i) begin
        r.i_issue[!r.cur] = issue_i;
        accept(`STATE_CALL);
      end
`ifdef SYNTHESIS
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.x[l] = read_x[l];
        v.y[l] = read_y[l];
        v.z[l] = read_z[l];
      end
`endif
      // the row of a requester whose turn it is; the ALU writes none then
      r.write = 1'b0;
      taken = r.granted & request;
      if (taken != '0) begin
        r.write = 1'b1;
        port_row = taken[0] ? vwr0_i.row : taken[1] ? vwr1_i.row : init_row_i;
        if (Parts == 1) begin
          r.wrow  = simd_row_t'(port_row);
          r.lanes = enable_t'(taken[0] ? vwr0_i.lanes : taken[1] ? vwr1_i.lanes : 16'hffff);
        end else begin
          part     = taken[0] ? r.part[0] : taken[1] ? r.part[1] : r.part[2];
          r.wrow   = simd_row_t'(32'(port_row) * Parts + 32'(part));
          r.lanes  = enable_t'((taken[0] ? vwr0_i.lanes : taken[1] ? vwr1_i.lanes : 16'hffff) >> (32'(part) * Lanes));
        end
      end
      simd_cycle(`STATE request);
`ifdef SYNTHESIS
      for (int unsigned l = 0; l < Lanes / 2; l++) rom_q[l[LaneW-2:0]] <= TransRom[rom_row[l]];
`endif
      if (taken != '0) begin
        if (Parts == 1) begin
          if (taken[0]) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = vwr0_i.data[l[3:0]];
          if (taken[1]) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = vwr1_i.data[l[3:0]];
          if (taken[2]) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = init_data_i[l];
        end else begin
          first = 4'(32'(part) * Lanes);
          if (taken[0]) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = vwr0_i.data[first|l[3:0]];
          if (taken[1]) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = vwr1_i.data[first|l[3:0]];
          if (taken[2]) for (int unsigned l = 0; l < Lanes; l++) v.out[l] = init_data_i[first|l[3:0]];
          for (int unsigned k = 0; k < 3; k++) if (taken[k]) r.part[k] = 2'((32'(r.part[k]) + 32'd1) % Parts);
        end
      end
      if (r.write) begin
        for (int unsigned l = 0; l < Lanes; l++) row[l[LaneW-1:0]] = v.out[l];
        // lanes that are not written keep what is there; here, so that yosys sees lane enables and no read port
        if (r.lanes != '1) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            row[l[LaneW-1:0]] = r.lanes[l[LaneW-1:0]] ? row[l[LaneW-1:0]] : mem[r.wrow[MemRowW-1:0]][l[LaneW-1:0]];
          end
        end
        mem[r.wrow[MemRowW-1:0]] <= row;
      end
      // Operands of stage 1, read whether they are needed or not: these registers are the memory's, and what simd_cycle
      // makes of them must not stay.
      for (int unsigned l = 0; l < Lanes; l++) `READ_X[l] = mem[r.ra[MemRowW-1:0]][l[LaneW-1:0]];
      for (int unsigned l = 0; l < Lanes; l++) `READ_Y[l] = mem[r.rb[MemRowW-1:0]][l[LaneW-1:0]];
      for (int unsigned l = 0; l < Lanes; l++) `READ_Z[l] = mem[r.rc[MemRowW-1:0]][l[LaneW-1:0]];
      done_valid_o <= r.done_valid;
      if (r.done_valid) done_o <= r.done;
      {init_ready_o, vwr_ready_o} <= Parts == 1 ? r.granted : r.granted &
          {r.part[2] == 2'(Parts - 1), r.part[1] == 2'(Parts - 1), r.part[0] == 2'(Parts - 1)};
      vwr_wait_o <= r.waited == 2'd3;
      idle_q     <= (r.live & Busy) == '0;
      if (Observe) begin
        obs_valid_o <= obs_en_i && r.write && !taken[2];
        if (obs_en_i && r.write) begin
          obs_o.slot  <= r.from_alu ? r.i_issue[r.i_entry].slot : taken[0] ? vwr0_i.slot : vwr1_i.slot;
          obs_o.tag   <= r.from_alu ? r.i_issue[r.i_entry].tag : taken[0] ? vwr0_i.tag : vwr1_i.tag;
          obs_o.row   <= row_t'(32'(r.wrow) / Parts);
          obs_o.lanes <= 16'(r.lanes) << (32'(r.wrow) % Parts * Lanes);
          obs_o.data  <= {Parts{row}};
        end
      end
      if (!rst_ni) begin
        r.live    = '0;
        r.live.wrote = 1'b1;  // one cycle more, as after a write
        r.patch   = 1'b0;
        r.cur     = 1'b0;
        r.at      = '0;
        r.waited  = '0;
        r.granted = '0;
        r.st0     = '0;
        r.st1     = '0;
        r.st2     = '0;
        r.st3     = '0;
        r.st4     = '0;
        r.f.beat  = '0;
        r.f.step  = '0;
        r.gather     = '0;
        r.gather_row = '0;
        for (int unsigned k = 0; k < 3; k++) r.part[k] = '0;
        r.read_part  = '0;
        done_valid_o <= 1'b0;
        obs_valid_o <= 1'b0;
        vwr_wait_o <= 1'b0;
        {init_ready_o, vwr_ready_o} <= 3'b000;
        idle_q <= 1'b1;
      end
    end
    // Rows for the memory units: the block RAM's output register.  Parts move down as more of them follow.
    if (vrd_valid_i) begin
      if (Parts == 1) begin
        `define SIMD_VRD(l) vrd_data_o[l] <= mem[MemRowW'(vrd_row_i)][(l)%Lanes];
        `SIMD_VRD(0) `SIMD_VRD(1) `SIMD_VRD(2) `SIMD_VRD(3) `SIMD_VRD(4) `SIMD_VRD(5) `SIMD_VRD(6) `SIMD_VRD(7)
        `SIMD_VRD(8) `SIMD_VRD(9) `SIMD_VRD(10) `SIMD_VRD(11) `SIMD_VRD(12) `SIMD_VRD(13) `SIMD_VRD(14) `SIMD_VRD(15)
      end else begin
        for (int unsigned l = 0; l < 16; l++) begin
          vrd_data_o[l] <= l + Lanes < 16 ? vrd_data_o[(l+Lanes)%16] :
              mem[part_row(vrd_row_i, r.read_part)][l[LaneW-1:0]];
        end
        r.read_part = 2'((32'(r.read_part) + 32'd1) % Parts);
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
`ifdef GANTRY_CHECKED
  task automatic check_state();
    // an instruction comes when the slots of the one before are over, into an entry that no slot on its way needs
    a_slots_over: assert (!valid_i || !r.live.running);
    a_entry_free: assert (!valid_i || !((r.st1.valid && r.st1.entry != r.cur) ||
                                        (r.st2.valid && r.st2.entry != r.cur) ||
                                        (r.st3.valid && r.st3.entry != r.cur) ||
                                        (r.st4.valid && r.st4.entry != r.cur)));
    a_one_writer: assert ($onehot0(r.granted));
  endtask
`endif
endmodule
