// SPDX-License-Identifier: Apache-2.0
// Rows of operands on their way into memories that are as wide as a SIMD has lanes: a row of 16 lanes stands on the read
// port for one cycle and leaves in `Parts` cycles.  Responsible for: parts in order, and the places of instructions
// without rows between them.  Not responsible for: who keeps them (cu_vmem_coalesce_narrow, cu_vmem_request_narrow).
//
// A row comes at most every `Parts` cycles, since a SIMD takes as many to read it; an instruction without rows may come
// in between and waits: at most three of them, before the next row has been read.
`include "gantry_assert.svh"

module cu_vmem_parts
  import cu_pkg::*;
  import cu_vmem_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,              // low: nothing is valid, nothing moves
  input  vmem_capture_t       capture_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic         [31:0] vrd_data_i[4][16],
  /* verilator lint_on UNUSEDSIGNAL */
  output vmem_part_t          part_o,
  output logic                moved_o
);
  /* verilator lint_off UNUSEDSIGNAL */
  vmem_capture_t row;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0][31:0] lanes;  // the part that leaves next is lowest
  logic [2:0] left;  // parts of the row
  logic [1:0] part;
  vslot_t [3:0] waiting;  // instructions without rows, the oldest lowest
  logic [2:0] count;
  logic [1:0] simd;
  logic moved, busy_q, full_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (capture_i.valid || left != '0 || count != '0 || part_o.valid) begin
        moved = capture_i.valid || left != '0 || count != '0;
        part_o.valid <= 1'b0;
        if (capture_i.valid && !capture_i.none) begin
          row = capture_i;
          simd = gantry_cfg_pkg::NumSimd == 1 ? 2'd0 : capture_i.simd;
          for (int unsigned l = 0; l < 16; l++) lanes[l[3:0]] = vrd_data_i[simd][l];
          left = 3'(Parts);
          part = '0;
        end else if (capture_i.valid) begin
          waiting[count[1:0]] = capture_i.slot;
          count = count + 3'd1;
        end
        if (left != '0) begin
          part_o <= '{
              valid: 1'b1,
              none: 1'b0,
              final_part: row.final_row && left == 3'd1,
              kind: row.kind,
              slot: row.slot,
              word: row.word,
              group: beat_t'(32'(row.beat) * Parts + 32'(part)),
              lanes: lanes[Lanes-1:0]
          };
          left = left - 3'd1;
          part = part + 2'd1;
          for (int unsigned l = 0; l + Lanes < 16; l++) lanes[l[3:0]] = lanes[4'(l+Lanes)];
        end else if (count != '0) begin
          part_o.valid <= 1'b1;
          part_o.none <= 1'b1;
          part_o.final_part <= 1'b1;
          part_o.slot <= waiting[0];
          waiting = waiting >> $bits(vslot_t);
          count = count - 3'd1;
        end
        busy_q  <= left != '0 || count != '0;
        full_q  <= count == 3'd4;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {left, count} = '0;
        {busy_q, full_q} <= '0;
        part_o.valid <= 1'b0;
        moved_o <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_row, !(en_i && capture_i.valid && !capture_i.none && busy_q))
  `GANTRY_ASSERT(a_waiting, !(en_i && capture_i.valid && full_q))
endmodule
