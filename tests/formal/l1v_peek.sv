// SPDX-License-Identifier: Apache-2.0
// A window into rtl/cu/l1v/l1v for the helpers of its proof: read_slang reads no array through a hierarchical name.
// Responsible for: nothing but the names.
module l1v_peek
  import l1v_pkg::*;
#(
  parameter int unsigned Mshrs = 2,
  parameter int unsigned NumTx = 4
) (
  input l1_req_t fifo[4],
  input logic [2:0] fifo_count,
  input logic [1:0] fifo_read,
  input logic [1:0] fifo_write,
  input logic [31:0] miss_head[Mshrs],
  input logic [31:0] miss_tail[Mshrs],
  input logic [31:0] chain[NumTx],
  input logic [63:0] busy[(Mshrs+63)/64],
  input logic [31:0] misses,
  input logic [31:0] answer_tag[NumTx],
  input logic [31:0] answer_read,
  input logic [31:0] answer_write,
  input logic [31:0] answers,
  input logic filled,
  input logic out1_valid,
  input logic [7:0] out1_id,
  input logic out1_pair,
  input logic out2_valid,
  input logic [7:0] out2_id,
  input logic out2_pair,
  input logic [31:0] credits,
  input logic [2:0] quiet,
  input logic awake
);
  // packed copies, to be read from outside
  logic [3:0][2:0] p_op;
  logic [3:0][7:0] p_id, p_id2;
  logic [3:0] p_pair;
  logic [Mshrs-1:0][31:0] p_head, p_tail;
  logic [Mshrs-1:0] p_busy;
  logic [NumTx-1:0][31:0] p_chain, p_tag;
  for (genvar f = 0; f < 4; f++) begin : gen_fifo
    assign p_op[f] = fifo[f].op;
    assign p_id[f] = fifo[f].id;
    assign p_id2[f] = fifo[f].id2;
    assign p_pair[f] = fifo[f].pair;
  end
  for (genvar m = 0; m < Mshrs; m++) begin : gen_miss
    assign p_head[m] = miss_head[m];
    assign p_tail[m] = miss_tail[m];
    assign p_busy[m] = busy[m/64][m%64];
  end
  for (genvar t = 0; t < NumTx; t++) begin : gen_tx
    assign p_chain[t] = chain[t];
    assign p_tag[t] = answer_tag[t];
  end
endmodule
bind l1v l1v_peek #(
  .Mshrs(Mshrs), .NumTx(NumTx)
) u_peek (
  .fifo, .fifo_count, .fifo_read, .fifo_write, .miss_head, .miss_tail, .chain, .busy, .misses, .answer_tag, .answer_read,
  .answer_write, .answers, .filled, .out1_valid(out1.valid), .out1_id(out1.id), .out1_pair(out1.pair),
  .out2_valid(out2.valid), .out2_id(out2.id), .out2_pair(out2.pair), .credits, .quiet, .awake
);
