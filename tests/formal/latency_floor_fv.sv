// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common/latency_floor for two keys: a report whose time has come leaves in its cycle unless one of its
// key waits; one that waits leaves once, with its own word, in the order of those that wait, never before its time, and as
// soon as its time has come, nothing stands before it and nothing passes.  The sender stops when there is no room, and no
// reports pass in two successive cycles (the times that wait must not grow old).
`include "gantry_assert.svh"
module latency_floor_fv #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 2,
  parameter int unsigned TimeW = 4,
  parameter int unsigned CountW = 2,  // tells Depth + 1 levels apart
  parameter bit [2:0] SeedBug = 3'd0
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              valid_i,
  input logic [       1:0] rest_i,
  input logic              key_i,
  input logic [ Width-1:0] data_i,
  input logic [CountW-1:0] pick_i   // which waiting report is followed: free, but constant
);
  logic ready, valid, idle, send, pass, leave, first;
  logic [Width-1:0] data;
  latency_floor #(.Width(Width), .KeyW(1), .Depth(Depth), .Spare(0), .TimeW(TimeW), .SeedBug(SeedBug)) u_dut (
    .clk_i, .rst_ni, .valid_i(send), .rest_i((TimeW - 1)'(rest_i)), .key_i, .data_i, .ready_o(ready), .valid_o(valid),
    .data_o(data), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [CountW-1:0] pick_q, in_q, out_q, level;
  logic passed_q, full_q, passed_by_q;
  logic [Width-1:0] word_q;
  logic [1:0] left_q;  // of the followed report: cycles until its time, when it waits
  logic [CountW-1:0] of_key_q[2];  // that wait, by key
  logic key_q[1 << CountW];  // of the report of that number
  assign send  = valid_i && ready && !(passed_q && rest_i == '0);
  assign pass  = send && rest_i == '0 && of_key_q[key_i] == '0;
  assign leave = valid && !pass;
  assign level = in_q - out_q;
  assign first = level != '0 && out_q == pick_i;  // the followed report is the oldest that waits
  always_ff @(posedge clk_i) begin
    started  <= 1'b1;
    pick_q   <= pick_i;
    passed_q <= pass;
    if (level == CountW'(Depth)) full_q <= 1'b1;
    if (pass && level != '0) passed_by_q <= 1'b1;
    if (left_q != '0) left_q <= left_q - 1'b1;
    if (send && !pass) begin
      in_q <= in_q + 1'b1;
      key_q[in_q] <= key_i;
      if (in_q == pick_i) begin
        word_q <= data_i;
        left_q <= rest_i == '0 ? '0 : rest_i - 1'b1;
      end
    end
    if (leave) out_q <= out_q + 1'b1;
    for (int unsigned k = 0; k < 2; k++) begin
      of_key_q[k] <= of_key_q[k] + CountW'(send && !pass && key_i == k[0]) - CountW'(leave && key_q[out_q] == k[0]);
    end
    if (!rst_ni) begin
      in_q        <= '0;
      out_q       <= '0;
      left_q      <= '0;
      of_key_q[0] <= '0;
      of_key_q[1] <= '0;
      passed_q    <= 1'b0;
      full_q      <= 1'b0;
      passed_by_q <= 1'b0;
    end
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_pick
    if (started) assume (pick_i == pick_q);
  end

  `GANTRY_ASSERT(a_level, level <= CountW'(Depth))
  `GANTRY_ASSERT(a_room, ready == (level < CountW'(Depth)))
  `GANTRY_ASSERT(a_idle, idle == (level == '0))
  `GANTRY_ASSERT(a_passes, `GANTRY_IMPL(pass, valid && data == data_i))
  `GANTRY_ASSERT(a_some, `GANTRY_IMPL(leave, level != '0))
  `GANTRY_ASSERT(a_not_before, `GANTRY_IMPL(leave && first, left_q == '0 && data == word_q))
  `GANTRY_ASSERT(a_at_once, `GANTRY_IMPL(first && left_q == '0 && !pass, leave))
  `GANTRY_COVER(c_full_and_empty, full_q && passed_by_q && level == '0)
endmodule
