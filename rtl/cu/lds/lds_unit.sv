// SPDX-License-Identifier: Apache-2.0
// The LDS of a CU: 64 KiB in 32 banks, which two pairs of SIMDs share.  Each pair reads operands (lds_collect) and
// writes results (lds_writeback) on its own; both share the executor that works in passes (lds_execute) and the banks
// (ram_banked).  Responsible for: 32- and 64-bit accesses and atomics, permutes, bank conflicts, completion for lgkmcnt,
// lines of FLAT instructions, which come one at a time from the vector memory unit and are answered there, rest while
// nothing is inside.  Not responsible for: allocation (the issue record names base and size), barriers, lanes and bounds
// of FLAT instructions (cu_vmem).
//
// Ports with [2] or [1:0] are by pair: SIMDs 0 and 1, 2 and 3 (wide ones are ports of their own: the simulator copies
// elements of an array of ports every cycle).  Up to eight instructions of a pair may be inside, from valid_i to left_o:
// the front end counts them.  A pair's instructions complete in order; the banks execute one instruction after another.
// Costs are those of rows (one of 16 lanes a cycle and pair into the LDS and one out of it) and of the banks' passes.
// What is faster than `Latency` leaves when it is through, but is reported as complete when its time has come.
`include "gantry_assert.svh"

module lds_unit
  import cu_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  parameter int unsigned Latency = 48,  // key gpu.cu.lds_latency: from the choice of a read to that of what needs it
  // bench only: 1 lane order of atomics, 2 conflict ignored, 3 bounds ignored, 4 one pair goes first, 5 wide stores fast,
  // 6 a row that waits stops its pair, 7 cycles lost to busy ports are not made up for, 8 half of a line's bytes lost,
  // 9 a line overtakes the instructions before it, 10 completion before the shortest latency
  parameter bit [3:0] SeedFault = 4'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  lds_issue_t       issue_i,
  input  logic             line_valid_i,    // one at a time
  input  lds_line_t        line_i[1],       // stays until the next
  output logic             line_rsp_valid_o,
  output lds_line_rsp_t    line_rsp_o[1],   // stays until the next
  output logic       [1:0] opread_valid_o,
  output wave_tag_t        opread_o[2],
  output logic       [3:0] vrd_valid_o,     // by SIMD
  output vrd_req_t         vrd_o[2],
  input  logic      [31:0] vrd_data_i[4][16],
  output logic       [3:0] vwr_valid_o,     // by SIMD
  output vwr_req_t         vwr0_o,          // of SIMD 0
  output vwr_req_t         vwr1_o,
  output vwr_req_t         vwr2_o,
  output vwr_req_t         vwr3_o,
  input  logic       [1:0] vwr_ready_i[4],  // by SIMD: bit 0
  output logic       [1:0] left_o,          // an instruction is no longer inside
  output logic       [1:0] done_valid_o,    // it is complete: at the same time or later
  output wave_tag_t        done_o[2],
  input  logic             obs_en_i,
  output logic             obs_valid_o,
  output obs_lds_t         obs_o,           // executed now: order between instructions and lines
  output logic             perf_conflict_o,  // a pass beyond the first of its group
  output logic             idle_o
);
  // valid_i comes 5 cycles after the choice; what needs the data is chosen 4 cycles after its wait, which is chosen in the
  // cycle of the report
  localparam int unsigned Shortest = SeedFault == 4'd10 ? 1 : Latency - 9;

  lds_op_t op[16];
  lds_capture_t [1:0] capture;
  logic [31:0] re;
  logic [3:0][31:0] we;
  logic [3:0][1:0] popped;  // by SIMD
  logic [1:0] group_valid, through;
  logic en, rest, empty, nothing, line_busy;
  logic [3:0] quiet;  // cycles since the last instruction left, at most 15
  wave_tag_t left[2];
  logic [7:0] early[2];
  /* verilator lint_off UNUSEDSIGNAL */  // of a lone SIMD one
  logic [1:0] room;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0] none_waits;

  assign nothing = empty && !valid_i && !line_valid_i && !line_busy;
  assign idle_o  = nothing && none_waits == '1;

  // Nothing is evaluated while nothing is inside: all blocks test this one bit.  It stays long enough for every pulse and
  // every clock that the banks keep (lds_pkg, clocks) to end.
  assign en = valid_i || line_valid_i || !rest || !rst_ni;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en) begin
      quiet = !nothing || !rst_ni ? 4'd0 : quiet + 4'd1;
      rest <= quiet == 4'd15;
    end
  end
  /* verilator lint_on BLKSEQ */

  lds_collect u_collect (
    .clk_i,
    .rst_ni,
    .en_i     (en),
    .valid_i,
    .issue_i,
    .opread_valid_o,
    .opread_o,
    .vrd_valid_o,
    .vrd_o,
    .capture_o(capture),
    .op_o     (op),
    .through_i(through),
    .retire_i (left_o),
    .idle_o   (empty)
  );

  for (genvar p = 0; p < 2; p++) begin : gen_floor
    latency_floor #(
      .Width($bits(wave_tag_t)),
      .KeyW (5)
    ) u_floor (
      .clk_i,
      .rst_ni,
      .valid_i(left_o[p]),
      .rest_i ({1'b0, early[p]}),
      .key_i  ({left[p].wave.simd[0], left[p].wave.slot}),
      .data_i (left[p]),
      .ready_o(room[p]),
      .valid_o(done_valid_o[p]),
      .data_o (done_o[p]),
      .idle_o (none_waits[p])
    );
  end

  if (Serial) begin : gen_serial
    assign {vwr_valid_o[3:1], vwr1_o, vwr2_o, vwr3_o, through[1], left_o[1], left[1], early[1]} = '0;
    assign perf_conflict_o = 1'b0;
    assign through[0] = left_o[0];
    // not used: results go from row to row
    assign {group_valid, popped, re, we} = '0;

    lds_serial #(
      .Bytes    (Bytes),
      .Latency  (Shortest),
      .SeedFault(SeedFault)
    ) u_serial (
      .clk_i,
      .rst_ni,
      .en_i        (en),
      .valid_i,
      .line_valid_i,
      .line_i,
      .line_rsp_valid_o,
      .line_rsp_o,
      .line_busy_o (line_busy),
      .capture_i   (capture[0]),
      .vrd_data_i  (vrd_data_i[0]),
      .op_i        (op[0:7]),
      .vwr_valid_o (vwr_valid_o[0]),
      .vwr_o       (vwr0_o),
      .vwr_ready_i (vwr_ready_i[0][0]),
      .left_o      (left_o[0]),
      .left_tag_o  (left[0]),
      .rest_o      (early[0]),
      .room_i      (room[0]),
      .obs_en_i,
      .obs_valid_o,
      .obs_o
    );
  end else begin : gen_banks
    logic [31:0] raddr[32], rdata[32], waddr[32], wdata[32];
    logic [31:0][31:0] group;
    vwr_req_t vwr0[1], vwr1[1], vwr2[1], vwr3[1];

    assign {vwr0_o, vwr1_o, vwr2_o, vwr3_o} = {vwr0[0], vwr1[0], vwr2[0], vwr3[0]};
    lds_writeback #(
      .Latency  (Shortest),
      .SeedFault(SeedFault)
    ) u_writeback (
      .clk_i,
      .rst_ni,
      .en_i         (en),
      .valid_i,
      .pair_i       (issue_i.wave.simd[1]),
      .op_i         (op),
      .group_valid_i(group_valid),
      .group_i      (group),
      .final_i      (through),
      .popped_o     (popped),
      .vwr_valid_o,
      .vwr0_o       (vwr0),
      .vwr1_o       (vwr1),
      .vwr2_o       (vwr2),
      .vwr3_o       (vwr3),
      .vwr_ready_i,
      .done_valid_o (left_o),
      .done_o       (left),
      .rest_o       (early),
      .room_i       (room)
    );

    lds_execute #(
      .Bytes    (Bytes),
      .SeedFault(SeedFault)
    ) u_execute (
      .clk_i,
      .rst_ni,
      .en_i         (en),
      .valid_i,
      .pair_i       (issue_i.wave.simd[1]),
      .line_valid_i,
      .line_i,
      .line_rsp_valid_o,
      .line_rsp_o,
      .line_busy_o  (line_busy),
      .capture_i    (capture),
      .vrd_data_i,
      .op_i         (op),
      .re_o         (re),
      .raddr_o      (raddr),
      .rdata_i      (rdata),
      .we_o         (we),
      .waddr_o      (waddr),
      .wdata_o      (wdata),
      .group_valid_o(group_valid),
      .group_o      (group),
      .final_o      (through),
      .popped_i     (popped),
      .obs_en_i,
      .obs_valid_o,
      .obs_o,
      .conflict_o   (perf_conflict_o)
    );

    ram_banked #(
      .Rows(Bytes / 128)
    ) u_banks (
      .clk_i,
      .rst_ni,
      .en_i   (en),
      .re_i   (re),
      .raddr_i(raddr),
      .rdata_o(rdata),
      .we_i   (we),
      .waddr_i(waddr),
      .wdata_i(wdata)
    );
  end

  // ---- assertions
  for (genvar p = 0; p < 2; p++) begin : gen_check_pair
    // each instruction is told as read once and as complete once, after it has left
    `STREAM_BOUND(a_inside, 8, valid_i && issue_i.wave.simd[1] == 1'(p), left_o[p])
    `STREAM_BOUND(a_read, 8, valid_i && issue_i.wave.simd[1] == 1'(p), opread_valid_o[p])
    `STREAM_BOUND(a_complete, 64, left_o[p], done_valid_o[p])
  end
  `STREAM_BOUND(a_line, 1, line_valid_i, line_rsp_valid_o)
  `STREAM_ASSERT(a_allocation, valid_i, 32'(issue_i.base) + 32'(issue_i.bytes) <= Bytes)
  // a pulse that is up while no block is evaluated would stay up
  `GANTRY_ASSERT(a_rest, `GANTRY_IMPL(!en, {opread_valid_o, vrd_valid_o, vwr_valid_o, left_o, obs_valid_o,
                                           perf_conflict_o, line_rsp_valid_o, group_valid, through, popped} == '0 &&
                                           {re, we, capture[0].valid, capture[1].valid} == '0))
endmodule
