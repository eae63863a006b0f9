// SPDX-License-Identifier: Apache-2.0
// All of a board's harness that does not depend on its target: parser of records, time of the target, sender of records.
// What does is made by sw/tools/gen/gen_board.py around it: registers of the inputs, choice of an output's byte, lengths.
// Not responsible for: frames (board_link), the target itself.
`include "gantry_assert.svh"

module board_control
  import gantry_stream_pkg::*;
  import board_pkg::*;
#(
  parameter int unsigned Ins = 1,
  parameter int unsigned Outs = 1,
  parameter bit [2:0] SeedBug = 3'd0,  // of board_target
  localparam int unsigned Sw = Ins > 1 ? $clog2(Ins) : 1,
  localparam int unsigned Ow = Outs > 1 ? $clog2(Outs) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            attach_i,
  input  logic            rec_valid_i,
  input  logic [     7:0] rec_data_i,
  output logic            rec_ready_o,
  output logic            snd_valid_o,
  output logic [     7:0] snd_data_o,
  output logic            snd_end_o,
  input  logic            snd_ready_i,
  // registers of the inputs; lengths of their messages by number, 0 of a credit
  output logic            shift_o,       // rec_data_i goes into that of in_slot_o
  output logic [  Sw-1:0] in_slot_o,
  input  logic [     7:0] in_bytes_i,
  output logic [ Ins-1:0] in_valid_o,
  // outputs, likewise
  input  logic [Outs-1:0] out_valid_i,
  output logic [  Ow-1:0] out_slot_o,
  output logic [     7:0] out_index_o,
  output logic            out_step_o,
  input  logic [     7:0] out_bytes_i,
  input  logic [     7:0] out_byte_i,    // of two steps ago (board_pick)
  // target
  output logic            fire_o,
  output logic            target_no,
  output logic [    63:0] cycle_o,
  input  logic            idle_i,
  output logic            perf_en_o,
  output logic [     7:0] perf_addr_o,
  output logic [     7:0] perf_part_o,
  input  logic [    63:0] shown_i,
  input  logic [    63:0] answer_i
);
  record_t head;
  say_e say;
  logic [31:0] since, edges;
  logic [7:0] error;
  logic session_n, full, load, run, ask, asking, stands, say_valid, say_ready;
  logic echo_more, echo_last, echo_valid, echo_ready, busy, take, marked, told, idle;

  assign session_n   = rst_ni && !attach_i;
  assign perf_en_o   = !(asking && (head.flags & ASK_STOPPED) != '0);
  assign perf_addr_o = asking ? 8'(head.arg) : PerfNone;
  assign perf_part_o = asking ? 8'(head.arg >> 16) : PerfNone;

  board_records #(.Ins(Ins)) u_records (
    .clk_i, .rst_ni(session_n), .rec_valid_i, .rec_data_i, .rec_ready_o, .head_o(head),
    .slot_o(in_slot_o), .bytes_i(in_bytes_i), .full_i(full), .shift_o, .load_o(load),
    .run_o(run), .ask_o(ask), .asking_o(asking), .stands_i(stands),
    .say_valid_o(say_valid), .say_o(say), .error_o(error), .say_ready_i(say_ready),
    .echo_more_o(echo_more), .echo_last_o(echo_last), .echo_valid_o(echo_valid), .echo_ready_i(echo_ready));

  board_target #(.Ins(Ins), .SeedBug(SeedBug)) u_target (
    .clk_i, .rst_ni, .attach_i, .run_i(run), .ask_i(ask), .arg_i(ask ? 32'(8'(head.arg >> 8)) : head.arg),
    .no_skip_i((head.flags & RUN_NO_SKIP) != '0), .stands_o(stands), .load_i(load), .slot_i(in_slot_o), .full_o(full),
    .due_o(in_valid_o), .idle_i, .sent_i(out_valid_i != '0), .fire_o, .target_no, .cycle_o,
    .busy_i(busy), .take_o(take), .marked_i(marked), .since_o(since), .told_i(told),
    .edges_o(edges), .idle_o(idle));

  board_sender #(.Outs(Outs)) u_sender (
    .clk_i, .rst_ni(session_n), .take_i(take), .valid_i(out_valid_i), .out_slot_o, .out_index_o, .out_step_o,
    .out_bytes_i, .out_byte_i, .marked_o(marked), .since_i(since), .say_valid_i(say_valid), .say_i(say),
    .say_ready_o(say_ready), .error_i(error), .idle_i(idle), .cycle_i(cycle_o), .shown_i, .answer_i,
    .edges_i(edges), .told_o(told), .head_i(head), .echo_more_i(echo_more), .echo_last_i(echo_last),
    .echo_valid_i(echo_valid), .echo_data_i(rec_data_i), .echo_ready_o(echo_ready), .busy_o(busy),
    .snd_valid_o, .snd_data_o, .snd_end_o, .snd_ready_i);

`ifdef GANTRY_CHECKED
  // all that the target sees stands for two clocks before an edge; of cycle, due messages and reset it is proved (board_target_fv)
  logic shifted_q;
  logic [16:0] perf_q;
  always_ff @(posedge clk_i) begin
    shifted_q <= shift_o;
    perf_q    <= {perf_en_o, perf_addr_o, perf_part_o};
  end
  `GANTRY_ASSERT(a_still,
                 `GANTRY_IMPL(fire_o, !shift_o && !shifted_q && perf_q == {perf_en_o, perf_addr_o, perf_part_o}))
`endif
endmodule
