// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/tlb/utcl2_tlb, for one freely chosen page of one freely chosen address space whose entry an invalidation changes once,
// among any other requests, walks and entries of every size: a request for it is answered exactly once, with the entry as it was while the
// request was there, and with the new one if it came behind the answer to the invalidation.  The walker is the environment: it answers each
// walk once, after any time, with entries of the table as it is; what it sends in the cycle in which it is told of the invalidation may still
// be of before.  Four bits of a page's number are free, one in each of the fields that sizes of entries tell apart, and two of an entry;
// virtual and physical numbers of pages are equal.  Not responsible for: holds and discards (bench of part_utcl2).
`include "gantry_assert.svh"
module utcl2_tlb_fv
  import gantry_msg_pkg::*;
  import tlb_pkg::*;
#(
  parameter int unsigned Walks = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_i,
  input logic        mark_i,        // this one is the request that is followed: for the page
  input logic        vmid_one_i,    // address space of a request: one of two
  input logic [3:0]  req_page_i,
  input logic        rsp_credit_i,
  input logic        maint_i,
  input logic        maint_hits_i,  // it changes the page's entry; there is one such
  input logic [1:0]  maint_kind_i,  // 0 all spaces, 1 the space, else pages from the next for the next
  input logic [3:0]  maint_page_i,
  input logic [1:0]  maint_pages_i, // 1 to 3
  input logic        done_i,
  input logic [0:0]  done_walk_i,
  input logic        done_there_i,  // it has found something:
  input size_e       done_size_i,   // an entry of this size
  input logic [1:0]  done_value_i,  // and this content
  input logic [3:0]  page_i,        // what is followed, in address space 1: free, but constant, as
  input logic [1:0]  before_i,      // its content before the invalidation
  input logic [1:0]  behind_i       // and behind
);
  localparam int unsigned Depth = 2;

  function automatic vpn_t page_of(input logic [3:0] bits);
    return {18'd0, bits[3], bits[2], 3'd0, bits[1], 3'd0, bits[0]};
  endfunction

  vmid_t walk_vmid_q[Walks];
  vpn_t walk_vpn_q[Walks], vpn, found;
  logic [63:0] done_pte;
  mem_req_t req;
  mem_rsp_t rsp;
  ctl_cmd_t maint;
  logic credit, rsp_valid, maint_done, start_valid, inv_valid;
  logic [5:0] start_walk;
  vmid_t start_vmid, vmid;
  vpn_t start_vpn;
  inv_t inv;
  logic drained, discarded, idle, root_valid;
  logic [63:0] root, perf;
  utcl2_tlb #(.Entries(2), .Blocks(2), .Large(2), .Ways(2), .Walks(Walks), .Depth(Depth), .RspDepth(2)) u_dut (
    .clk_i, .rst_ni, .idle_o(idle), .perf_en_i(1'b0), .perf_addr_i(3'd0), .perf_data_o(perf), .mem_req_valid_i(req_i),
    .mem_req_i(req), .maint_i(maint), .mem_req_credit_o(credit), .mem_rsp_valid_o(rsp_valid), .mem_rsp_o(rsp),
    .mem_rsp_credit_i(rsp_credit_i), .maint_valid_i(maint_i), .maint_done_o(maint_done), .hold_take_i(1'b0),
    .hold_all_i(1'b0), .drained_o(drained), .discard_i(1'b0), .discarded_o(discarded), .start_valid_o(start_valid),
    .start_walk_o(start_walk), .start_vmid_o(start_vmid), .start_vpn_o(start_vpn), .inv_valid_o(inv_valid),
    .inv_o(inv), .root_valid_o(root_valid), .root_o(root), .done_valid_i(done_i), .done_walk_i(6'(done_walk_i)),
    .done_pte_i(done_pte));


  assign vpn   = page_of(page_i);
  assign found = walk_vpn_q[done_walk_i];
  assign done_pte = done_there_i ? {22'd0, done_value_i, found, done_size_i == SizeLarge ? 5'd9 :
                    done_size_i == SizeMib ? 5'd8 : done_size_i == SizeBlock ? 5'd4 : 5'd0, 7'b0011111} : 64'd0;
  assign vmid = {7'd0, vmid_one_i};
  always_comb begin
    req        = '0;
    req.op     = MEM_XLAT;
    req.access = 8'd1;
    req.vmid   = mark_i ? 8'd1 : vmid;
    req.addr   = {24'd0, mark_i ? vpn : page_of(req_page_i), 12'd0};
    req.tag    = {31'd0, mark_i};
    maint      = '0;
    maint.op   = CTL_INV;
    maint.vmid = maint_kind_i == 2'd0 ? VMID_ALL : vmid;
    maint.root = maint_kind_i[1] ? {24'd0, page_of(maint_page_i), 12'd0} : 64'd0;
    maint.bytes = maint_kind_i[1] ? {50'd0, maint_pages_i, 12'd0} : 64'd0;
  end

  logic started = 1'b0;  // reset in the first cycle, never again
  logic marked_q, owed_q, changes_q, changed_q, told_q, late_q, maint_q, taught_q;
  logic [2:0] waiting_q;              // requests whose credit is out
  logic [2:0] answers_q;              // answers whose credit is out
  logic [Walks-1:0] walking_q, mine_q;
  logic [3:0] page_q;
  logic [1:0] before_q, behind_q;
  inv_t now;
  logic covers, names;
  assign now    = inv_of(maint.vmid, maint.root, maint.bytes);
  assign names  = inv_covers(now, 8'd1, vpn, SizePage);
  assign covers = done_there_i && walk_vmid_q[done_walk_i] == 8'd1 && ((found ^ vpn) & ~size_mask(done_size_i)) == 28'd0;
  always_ff @(posedge clk_i) begin
    started  <= 1'b1;
    page_q   <= page_i;
    before_q <= before_i;
    behind_q <= behind_i;
    waiting_q <= waiting_q + 3'(req_i) - 3'(credit);
    answers_q <= answers_q + 3'(rsp_valid) - 3'(rsp_credit_i);
    if (req_i && mark_i) begin
      marked_q <= 1'b1;
      owed_q   <= 1'b1;
      late_q   <= told_q;
    end
    if (rsp_valid && rsp.tag[0]) owed_q <= 1'b0;
    if (maint_done) begin
      maint_q <= 1'b0;
      if (changes_q) told_q <= 1'b1;
    end
    if (maint_i) maint_q <= 1'b1;
    if (maint_i && maint_hits_i) changes_q <= 1'b1;
    if (inv_valid && changes_q) changed_q <= 1'b1;  // from the next cycle on the walker reads the new table
    if (done_i) walking_q[done_walk_i] <= 1'b0;
    if (done_i && covers && done_size_i != SizePage) taught_q <= 1'b1;
    if (start_valid) begin
      walking_q[start_walk[0]]   <= 1'b1;
      walk_vmid_q[start_walk[0]] <= start_vmid;
      walk_vpn_q[start_walk[0]]  <= start_vpn;
    end
    if (!rst_ni) begin
      {marked_q, owed_q, changes_q, changed_q, told_q, late_q, maint_q, taught_q, waiting_q, answers_q, walking_q} <= '0;
    end
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_constant
    if (started) assume (page_i == page_q && before_i == before_q && behind_i == behind_q);
  end
  always_comb begin : m_inputs
    assume (!(req_i && (waiting_q == 3'(Depth))) && !(mark_i && marked_q));
    assume (!(rsp_credit_i && answers_q == '0));
    assume (!(maint_i && maint_q) && !(maint_kind_i[1] && maint_pages_i == 2'd0));
    // the change is told by an invalidation that names the page; others may name it, too
    assume (!(maint_i && maint_hits_i) || (names && !changes_q));
    assume (!done_i || (32'(done_walk_i) < Walks && walking_q[done_walk_i]));
    // the followed page is there, so a walk for it finds it; what covers it is its entry
    if (done_i && walk_vmid_q[done_walk_i] == 8'd1 && found == vpn) assume (done_there_i);
    if (done_i && covers) assume ((done_value_i == before_i && !changed_q) || (done_value_i == behind_i && changes_q));
  end

  logic is_before, is_behind;
  assign is_before = rsp.data[0][41:12] == {before_i, vpn};
  assign is_behind = rsp.data[0][41:12] == {behind_i, vpn};
  `GANTRY_ASSERT(a_once, `GANTRY_IMPL(rsp_valid && rsp.tag[0], owed_q))
  `GANTRY_ASSERT(a_entry, `GANTRY_IMPL(rsp_valid && rsp.tag[0], rsp.status == MEM_OK && (is_before || is_behind)))
  `GANTRY_ASSERT(a_fresh, `GANTRY_IMPL(rsp_valid && rsp.tag[0] && late_q, is_behind))
  `GANTRY_ASSERT(a_early, `GANTRY_IMPL(rsp_valid && rsp.tag[0] && !changes_q, is_before))
`ifdef REACH  // as an assertion that the bounded search refutes: found as part of a block behind an invalidation
  `GANTRY_ASSERT(a_reach, !(rsp_valid && rsp.tag[0] && late_q && taught_q && before_i != behind_i))
`endif
endmodule
