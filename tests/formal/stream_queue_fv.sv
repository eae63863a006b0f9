// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common/stream_queue: a queue with its rows in a RAM: occupancy, order and
// contents of one freely chosen word, valid and data held, which word comes to the head.
`include "gantry_assert.svh"
module stream_queue_fv #(
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 5,
  parameter int unsigned CountW = 4,  // tells Depth + 1 levels apart
  parameter bit [1:0] SeedBug = 2'd0
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              valid_i,
  input logic              ready_i,
  input logic [ Width-1:0] data_i,
  input logic [CountW-1:0] pick_i   // which word is followed: free, but constant
);
  logic ready, valid;
  logic [Width-1:0] data;
  logic [$clog2(Depth+1)-1:0] count;
  logic load;
  logic [Width-1:0] coming;
  stream_queue #(.Width(Width), .Depth(Depth), .Registers(2), .SeedBug(SeedBug)) u_dut (
    .clk_i, .rst_ni, .valid_i, .ready_o(ready), .data_i, .valid_o(valid), .ready_i, .data_o(data), .count_o(count),
    .load_o(load), .next_o(coming));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [CountW-1:0] pick_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
  end
  always_comb m_reset : assume (rst_ni == started);
  always_comb if (started) m_pick : assume (pick_i == pick_q);

  logic [CountW-1:0] in_q, out_q, level;
  logic [Width-1:0] word_q;
  always_ff @(posedge clk_i) begin
    if (valid_i && ready) begin
      in_q <= in_q + 1'b1;
      if (in_q == pick_i) word_q <= data_i;
    end
    if (valid && ready_i) out_q <= out_q + 1'b1;
    if (!rst_ni) begin
      in_q  <= '0;
      out_q <= '0;
    end
  end
  assign level = in_q - out_q;
  `GANTRY_ASSERT(a_level, level <= CountW'(Depth) && CountW'(count) == level)
  `GANTRY_ASSERT(a_valid, valid == (level != '0))
  `GANTRY_ASSERT(a_ready, ready == (level != CountW'(Depth)))
  `GANTRY_ASSERT(a_word, `GANTRY_IMPL(valid && out_q == pick_i, data == word_q))
  `GANTRY_ASSERT(a_held, `GANTRY_IMPL($past(rst_ni && valid && !ready_i), valid && $stable(data)))
  `GANTRY_ASSERT(a_load, `GANTRY_IMPL($past(rst_ni && load), data == $past(coming)))
  `GANTRY_ASSERT(a_kept, `GANTRY_IMPL($past(rst_ni && !load), $stable(data)))
  `GANTRY_COVER(c_full, level == CountW'(Depth))
endmodule
