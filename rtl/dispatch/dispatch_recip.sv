// SPDX-License-Identifier: Apache-2.0
// Reciprocals of clipped sizes: the last work-group of a dimension may be smaller than the others, and item ids of its
// wavefronts are divisions by that size.  ceil(2^20 / size), one bit a cycle, x before y, one dispatcher after another; a
// launch whose grid is made of whole groups needs none.  Responsible for: when a launch may begin.  Not responsible for:
// the reciprocal of a whole group, which comes with the launch.
`include "gantry_assert.svh"

module dispatch_recip
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Dispatchers = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    launch_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // below Dispatchers; sizes matter
  input  dispatcher_t             launch_who_i,
  input  cp_cmd_t                 launch_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic  [Dispatchers-1:0] ready_o,              // both are known, or not needed
  output logic  [           20:0] part_x_o[Dispatchers],
  output logic  [           20:0] part_y_o[Dispatchers],
  output logic                    idle_o
);
  localparam int unsigned Dw = Dispatchers > 1 ? $clog2(Dispatchers) : 1;
  typedef logic [Dw-1:0] index_t;

  // Items of the last group of a dimension.
  function automatic logic [15:0] clip_last(input logic [31:0] grid, input logic [31:0] groups,
                                            input logic [15:0] size);
    return 16'(grid - (groups - 32'd1) * 32'(size));
  endfunction

  logic [15:0] size_x[Dispatchers], size_y[Dispatchers];  // of the last group
  logic [Dispatchers-1:0] need_x, need_y;
  logic busy, of_y, told;  // told: the walk may hear of this cycle
  index_t who;
  logic [4:0] bit_at;
  logic [15:0] size;
  logic [31:0] rest;
  logic [20:0] quotient;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    told = busy;
    if (busy) begin
      rest     = {rest[30:0], bit_at == 5'd20};
      quotient = {quotient[19:0], rest >= 32'(size)};
      if (rest >= 32'(size)) rest = rest - 32'(size);
      if (bit_at == 5'd0) begin
        quotient = quotient + 21'(rest != 32'd0);
        if (of_y) part_y_o[who] <= quotient;
        else part_x_o[who] <= quotient;
        if (of_y) need_y[who] = 1'b0;
        else need_x[who] = 1'b0;
        busy = 1'b0;
      end
      bit_at = bit_at - 5'd1;
    end else if ((need_x | need_y) != '0) begin
      of_y     = need_x == '0;
      who      = index_t'(pick_pkg::first64(64'(of_y ? need_y : need_x)));
      size     = of_y ? size_y[who] : size_x[who];
      busy     = 1'b1;
      bit_at   = 5'd20;
      rest     = 32'd0;
      quotient = 21'd0;
    end
    if (launch_valid_i) begin
      `GANTRY_CHECK(a_who, 32'(launch_who_i) < Dispatchers)
      if (who == index_t'(launch_who_i)) busy = 1'b0;  // of one that was killed
      size_x[index_t'(launch_who_i)] = clip_last(launch_i.grid[0], launch_i.groups[0], launch_i.group[0]);
      size_y[index_t'(launch_who_i)] = clip_last(launch_i.grid[1], launch_i.groups[1], launch_i.group[1]);
      need_x[index_t'(launch_who_i)] = size_x[index_t'(launch_who_i)] != launch_i.group[0];
      need_y[index_t'(launch_who_i)] = size_y[index_t'(launch_who_i)] != launch_i.group[1];
    end
    ready_o <= ~(need_x | need_y);
    idle_o  <= !told && !busy && (need_x | need_y) == '0 && !launch_valid_i;
    if (!rst_ni) begin
      busy   = 1'b0;
      need_x = '0;
      need_y = '0;
      ready_o <= '1;
      idle_o  <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
