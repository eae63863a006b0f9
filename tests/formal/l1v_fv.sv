// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/cu/l1v/l1v at a small size (2 lines in one set or in two, 2 misses under way, 4 transactions, 2 credits): every
// request is answered exactly once, with its own line, a pair by one answer or two, and every request to memory has a reason.  The environment asks
// for anything with numbers that are not under way, answers requests to memory in any order at any time, with faults,
// returns credits at any time, holds answers back at any time, and invalidates at any time.
// Not responsible for: contents after stores (tests/rtl/cu/vmem), replacement, the address of a request to memory, and (in
// the unbounded proof, which is about counts) the line of an answer.
`include "gantry_assert.svh"
module l1v_fv
  import gantry_msg_pkg::*;
  import l1v_pkg::*;
#(
  parameter int unsigned Ways = 2  // of 2 lines; 1: two sets in two banks
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       ask_i,
  input logic [2:0] op_i,
  input logic       bypass_i,
  input logic       stream_i,
  input logic [1:0] id_i,
  input logic [1:0] line_i,
  input logic       pair_i,    // of a read: and of the next line, with another number
  input logic [1:0] id2_i,
  input logic       first_i,   // its first word: 0 or 1
  input logic       answer_i,  // request `which_i` of kind `kind_i` to memory is answered
  input logic [1:0] kind_i,
  input logic [1:0] which_i,
  input logic       fault_i,
  input logic       credit_i,
  input logic       ready_i,
  input logic       inv_i
);
  localparam int unsigned Mshrs = 2, NumTx = 4, Credits = 2, Slots = 2;

  logic req_ready, req_valid_q, rsp_valid, ack_valid, xlat_valid, mem_valid, mem_rsp_valid, credit, idle;
  l1_req_t req[1];
  l1_rsp_t rsp;
  logic [7:0] ack_slot, ack_status, xlat_id, xlat_status;
  logic [63:0] xlat_pte;
  mem_req_t mem;
  mem_rsp_t mem_rsp;
  logic [3:0] perf;
  logic pairs;
  l1v #(
    .Bytes(128), .Ways(Ways), .Mshrs(Mshrs), .NumTx(NumTx), .NumSlices(1), .Credits(Credits)
  ) u_dut (
    .clk_i, .rst_ni, .own_gpu_i(8'd0), .time_i(48'd0), .req_valid_i(req_valid_q), .req_i(req), .req_ready_o(req_ready),
    .rsp_valid_o(rsp_valid), .rsp_o(rsp), .rsp_ready_i(ready_i), .ack_valid_o(ack_valid), .ack_slot_o(ack_slot),
    .ack_status_o(ack_status), .xlat_valid_o(xlat_valid), .xlat_id_o(xlat_id), .xlat_pte_o(xlat_pte), .xlat_status_o(xlat_status), .hold_i(1'b0), .inv_i, .pairs_o(pairs),
    .mem_req_valid_o(mem_valid), .mem_req_o(mem), .mem_req_credit_i(credit), .mem_rsp_valid_i(mem_rsp_valid),
    .mem_rsp_i(mem_rsp), .perf_o(perf), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb begin : m_reset
    assume (rst_ni == started);
  end

  // requests: of a number that is not under way; what is owed for them
  l1_op_e op_q;
  logic bypass_q, stream_q, may, asks, pair, pair_q, first_q;
  logic [1:0] id_q, line_q, id2_q;
  logic [NumTx-1:0] owed_q, owed_read_q, is_pair_q, first_word_q;
  logic [NumTx-1:0][1:0] other_q;
  logic [NumTx-1:0][1:0] owed_line_q;
  logic [Slots-1:0] owed_ack_q;
  logic owed_xlat_q;
  logic [1:0] owed_xlat_id_q;
  always_comb begin
    case (l1_op_e'(op_i))
      L1Read, L1Atomic: may = !owed_q[id_i];
      L1Write, L1Inv: may = !id_i[1] && !owed_ack_q[id_i[0]];
      L1Xlat: may = !owed_xlat_q;
      default: may = 1'b0;
    endcase
    req[0]        = '0;
    req[0].op     = op_q;
    req[0].bypass = bypass_q && op_q == L1Read;
    req[0].stream = stream_q;
    req[0].id     = 8'(id_q);
    req[0].addr   = 64'(line_q) << 6;
    req[0].pair   = pair_q && op_q == L1Read;
    req[0].id2    = 8'(id2_q);
    if (req[0].pair) req[0].addr[2] = first_q;
  end
  assign asks = ask_i && req_ready && may && (!pair || (!owed_q[id2_i] && id2_i != id_i && line_i != '1));
  assign pair = pair_i && l1_op_e'(op_i) == L1Read;
  always_ff @(posedge clk_i) begin
    req_valid_q <= asks;
    if (asks) begin
      op_q     <= l1_op_e'(op_i);
      bypass_q <= bypass_i;
      stream_q <= stream_i;
      id_q     <= id_i;
      line_q   <= line_i;
      pair_q   <= pair;
      id2_q    <= id2_i;
      first_q  <= first_i;
    end
    if (rsp_valid) begin
      owed_q[rsp.id[1:0]] <= 1'b0;
      if (rsp.pair) owed_q[other_q[rsp.id[1:0]]] <= 1'b0;
    end
    if (ack_valid) owed_ack_q[ack_slot[0]] <= 1'b0;
    if (xlat_valid) owed_xlat_q <= 1'b0;
    if (asks) begin
      case (l1_op_e'(op_i))
        L1Read, L1Atomic: begin
          owed_q[id_i]      <= 1'b1;
          owed_read_q[id_i] <= l1_op_e'(op_i) == L1Read;
          owed_line_q[id_i] <= line_i;
          is_pair_q[id_i]   <= pair;
          if (pair) begin
            other_q[id_i]       <= id2_i;
            first_word_q[id_i]  <= first_i;
            owed_q[id2_i]       <= 1'b1;
            owed_read_q[id2_i]  <= 1'b1;
            owed_line_q[id2_i]  <= line_i + 2'd1;
            is_pair_q[id2_i]    <= 1'b0;
          end
        end
        L1Xlat: begin
          owed_xlat_q    <= 1'b1;
          owed_xlat_id_q <= id_i;
        end
        default: owed_ack_q[id_i[0]] <= 1'b1;
      endcase
    end
    if (!rst_ni) begin
      req_valid_q <= 1'b0;
      owed_q      <= '0;
      owed_ack_q  <= '0;
      owed_xlat_q <= 1'b0;
    end
  end

  // memory: what it was asked for and has not answered; credits that are not back
  logic [3:0][3:0] asked_q;  // kind less 1, number
  logic [Mshrs-1:0][1:0] asked_line_q;
  logic [1:0] spent_q, kind, number;
  assign kind          = mem.tag[25:24] - 2'd1;
  assign number        = mem.tag[1:0];
  assign mem_rsp_valid = answer_i && asked_q[kind_i][which_i];
  assign credit        = credit_i && spent_q != 2'd0;
  always_comb begin
    mem_rsp         = '0;
    mem_rsp.tag     = {8'(kind_i) + 8'd1, 22'd0, which_i};
    mem_rsp.status  = fault_i ? MEM_FAULT_BUS : MEM_OK;
    mem_rsp.data[0] = 64'(asked_line_q[which_i[0]]);
  end
  always_ff @(posedge clk_i) begin
    if (mem_rsp_valid) asked_q[kind_i][which_i] <= 1'b0;
    if (mem_valid) begin
      asked_q[kind][number] <= 1'b1;
      if (kind == 2'd0) asked_line_q[number[0]] <= mem.addr[7:6];
    end
    spent_q <= spent_q + 2'(mem_valid) - 2'(credit);
    if (!rst_ni) begin
      asked_q <= '0;
      spent_q <= 2'd0;
    end
  end

  // quiet: nothing left to be done without somebody else
  logic [3:0] ready_q;
  always_ff @(posedge clk_i) ready_q <= rst_ni ? {ready_q[2:0], ready_i} : '0;

`ifdef REACH_PAIR  // this assertion must fail: a pair was answered at once, from its second word on
  `GANTRY_ASSERT(c_pair, !(rsp_valid && rsp.pair && first_word_q[rsp.id[1:0]]))
  always_comb begin : m_pair
    assume (ready_i && !inv_i && !fault_i && !bypass_i && op_i == L1Read);
  end
`endif
`ifdef REACH  // this assertion must fail: reads missed, joined a miss and hit, an atomic was done, all answered, quiet
  // (no other operation, always ready: the search is short)
  logic [3:0] seen_q;
  always_ff @(posedge clk_i) begin
    seen_q <= seen_q | perf;
    if (!rst_ni) seen_q <= '0;
  end
  always_comb begin : m_short
    assume (ready_i && !inv_i && !fault_i && !bypass_i && line_i == 2'd0 && (op_i == L1Read || op_i == L1Atomic));
  end
  `GANTRY_ASSERT(c_history, !(seen_q == '1 && idle && owed_q == '0))
`else
  `GANTRY_ASSERT(a_rsp, `GANTRY_IMPL(rsp_valid, rsp.id < 8'(NumTx) && owed_q[rsp.id[1:0]]
      && `GANTRY_IMPL(rsp.pair, is_pair_q[rsp.id[1:0]] && owed_q[other_q[rsp.id[1:0]]])))
  `GANTRY_ASSERT(a_ack, `GANTRY_IMPL(ack_valid, ack_slot < 8'(Slots) && owed_ack_q[ack_slot[0]]))
  `GANTRY_ASSERT(a_xlat, `GANTRY_IMPL(xlat_valid, owed_xlat_q))
  `GANTRY_ASSERT(a_mem, `GANTRY_IMPL(mem_valid, mem.tag[31:24] != 8'd0 && mem.tag[31:24] <= TagXlat
      && mem.tag[23:2] == '0 && !asked_q[kind][number] && `GANTRY_IMPL(kind == 2'd0, 32'(number) < Mshrs)))
  `GANTRY_ASSERT(a_credit, `GANTRY_IMPL(mem_valid, 32'(spent_q) < Credits))
  `GANTRY_ASSERT(a_owes, `GANTRY_IMPL(idle && !req_valid_q && ready_q == '1 && asked_q == '0 && spent_q == 2'd0,
                                      owed_q == '0 && owed_ack_q == '0 && !owed_xlat_q))
`ifdef HELPERS  // the unbounded proof is about counts
  `include "l1v_inv.svh"
`else
  `GANTRY_ASSERT(a_xlat_id, `GANTRY_IMPL(xlat_valid, xlat_id == 8'(owed_xlat_id_q)))
  `GANTRY_ASSERT(a_line, `GANTRY_IMPL(rsp_valid && rsp.status == MEM_OK && owed_read_q[rsp.id[1:0]],
                                      rsp.data[1:0] == owed_line_q[rsp.id[1:0]] + 2'(rsp.pair && first_word_q[rsp.id[1:0]])))
`endif
`endif
endmodule
