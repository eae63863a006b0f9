// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/utcl2/utcl2_tlb, for one freely chosen page of one freely chosen address space (1) among any other requests, walks and
// entries of every size in two spaces.  The page's entry changes with an invalidation that names it, as the driver has it; it may be none, or
// locked.  Whatever is answered for it is its entry: between command and acknowledgement the one before or the one behind, else the one of
// now, so nothing that began before an invalidation is answered behind its acknowledgement, by a walk or by what was stored.  One freely
// chosen request is answered at most once, and when the TLB rests and nobody owes it anything, the request is answered or withheld (and
// the driver knows of it).
// The walker is the environment: it answers each walk once, after any time, with the table as it is; what it sends in the cycle in which it
// is told of an invalidation may still be of before.  Four bits of a page's number are free, one in each of the fields that sizes of entries
// tell apart, and two of an entry; virtual and physical numbers of pages are equal.
// Not responsible for: holds and discards (bench of part_utcl2), order, the walker, misses that wait while no walk is free (two requests
// are out at a time, and there are two walks).
`include "gantry_assert.svh"
module utcl2_tlb_fv
  import gantry_msg_pkg::*;
  import tlb_pkg::*;
  import utcl2_choose_pkg::*;
  import utcl2_tags_pkg::*;
  import utcl2_misses_pkg::*;
#(
  parameter int unsigned Slots = 4,  // two of them beyond the input queue
  parameter int unsigned Walks = 2,
  parameter int unsigned Entries = 4,  // of each store, in sets of two
  parameter int unsigned Blocks = 4,
  parameter int unsigned Large = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_i,
  input logic        mark_i,        // this one is the request that is followed: for the page
  input logic        space_i,       // of a request or a command: 0 or 1
  input logic [3:0]  req_page_i,
  input logic        rsp_credit_i,
  input logic        evt_credit_i,
  input logic        maint_i,
  input logic [1:0]  maint_op_i,    // CTL_INV, CTL_ROOT, CTL_XLAT
  input logic [1:0]  maint_kind_i,  // 0 all spaces, 1 the space, else pages from the next for the next
  input logic [3:0]  maint_page_i,
  input logic [1:0]  maint_pages_i, // 1 to 3
  input logic [1:0]  maint_flags_i,
  input logic        done_i,
  input logic        done_walk_i,
  input size_e       done_size_i,   // what is found: an entry of this size
  input logic [2:0]  done_value_i,  // and this content: bit 2 clear: none, bit 0: locked
  input logic [3:0]  page_i,        // what is followed: free, but constant
  input logic [2:0]  value_i        // its entry: constant between invalidations that name it
);
  localparam int unsigned Depth = 2, RspDepth = 2, Reports = 1;

  function automatic vpn_t page_of(input logic [3:0] bits);
    return {18'd0, bits[3], bits[2], 3'd0, bits[1], 3'd0, bits[0]};
  endfunction

  vmid_t [1:0] walk_vmid_q;
  vpn_t [1:0] walk_vpn_q;
  vpn_t vpn, found;
  logic [63:0] done_pte;
  mem_req_t req;
  mem_rsp_t rsp;
  ctl_cmd_t maint;
  xlat_evt_t evt;
  logic credit, rsp_valid, maint_done, start_valid, inv_valid, evt_valid;
  logic [5:0] start_walk;
  vmid_t start_vmid, vmid;
  vpn_t start_vpn;
  inv_t inv;
  logic drained, discarded, idle, root_valid;
  logic [63:0] root, perf;
  logic [4:0] fragment;
  utcl2_tlb #(
    .Entries(Entries), .Blocks(Blocks), .Large(Large), .Ways(2), .Walks(Walks), .Slots(Slots), .Spaces(2), .Reports(Reports), .Depth(Depth), .RspDepth(RspDepth)
  ) u_dut (
    .clk_i, .rst_ni, .idle_o(idle), .perf_en_i(1'b0), .perf_addr_i(3'd0), .perf_data_o(perf), .mem_req_valid_i(req_i),
    .mem_req_i(req), .maint_i(maint), .mem_req_credit_o(credit), .mem_rsp_valid_o(rsp_valid), .mem_rsp_o(rsp),
    .mem_rsp_credit_i(rsp_credit_i), .xlat_evt_valid_o(evt_valid), .xlat_evt_o(evt), .xlat_evt_credit_i(evt_credit_i),
    .maint_valid_i(maint_i), .maint_done_o(maint_done), .hold_take_i(1'b0),
    .hold_all_i(1'b0), .drained_o(drained), .discard_i(1'b0), .discarded_o(discarded), .start_valid_o(start_valid),
    .start_walk_o(start_walk), .start_vmid_o(start_vmid), .start_vpn_o(start_vpn), .inv_valid_o(inv_valid),
    .inv_o(inv), .root_valid_o(root_valid), .root_o(root), .done_valid_i(done_i), .done_walk_i({5'd0, done_walk_i}),
    .done_pte_i(done_pte));

  assign vpn   = page_of(page_i);
  assign found = walk_vpn_q[done_walk_i];
  assign fragment = done_size_i == SizeLarge ? 5'd9 : done_size_i == SizeMib ? 5'd8 : done_size_i == SizeBlock ? 5'd4 : 5'd0;
  assign done_pte = done_value_i[2] ? {22'd0, done_value_i[1:0], found, fragment, 7'b0011111} : {7'd0, done_value_i[0], 56'd0};
  assign vmid = {7'd0, space_i};
  always_comb begin
    req         = '0;
    req.op      = MEM_XLAT;
    req.access  = ACCESS_READ;
    req.vmid    = mark_i ? 8'd1 : vmid;
    req.addr    = {24'd0, mark_i ? vpn : page_of(req_page_i), 12'd0};
    req.tag     = {30'd0, space_i && req_page_i == page_i, mark_i};
    maint       = '0;
    maint.op    = {6'd0, maint_op_i};
    maint.vmid  = maint_kind_i == 2'd0 ? VMID_ALL : vmid;
    maint.flags = {30'd0, maint_flags_i};
    maint.root  = maint_kind_i[1] ? {24'd0, page_of(maint_page_i), 12'd0} : 64'd0;
    maint.bytes = maint_kind_i[1] ? {50'd0, maint_pages_i, 12'd0} : 64'd0;
  end

  logic started = 1'b0, first = 1'b1;  // reset in the first cycle, never again
  inv_t now;
  logic names, maps, begins, covers, old_walk, old_answer, mine;
  logic marked_q, owed_q, told_q, command_q, root_q, pending_q, changed_q, withhold_q, asked_withhold_q, denied_q;
  logic [2:0] waiting_q, answers_q;  // requests, answers whose credit is out
  logic [1:0] events_q;
  logic [1:0] walking_q;
  logic [3:0] page_q;
  logic [2:0] value_q, old_q, old;
  assign now     = inv_of(maint.vmid, maint.root, maint.bytes);
  assign names   = maint_i && inv_covers(now, 8'd1, vpn, SizePage);
  assign maps    = maint_op_i != CTL_XLAT[1:0];
  assign begins  = names && maps;
  assign old     = begins ? value_q : old_q;
  assign old_walk   = begins || (pending_q && !changed_q);
  assign old_answer = begins || pending_q;
  assign covers  = done_value_i[2] && walk_vmid_q[done_walk_i] == 8'd1 && ((found ^ vpn) & ~size_mask(done_size_i)) == 28'd0;
  assign mine    = walk_vmid_q[done_walk_i] == 8'd1 && found == vpn;
  always_ff @(posedge clk_i) begin
    started   <= 1'b1;
    first     <= 1'b0;
    page_q    <= page_i;
    value_q   <= value_i;
    old_q     <= old;
    waiting_q <= waiting_q + 3'(req_i) - 3'(credit);
    answers_q <= answers_q + 3'(rsp_valid) - 3'(rsp_credit_i);
    events_q  <= events_q + 2'(evt_valid) - 2'(evt_credit_i);
    if (req_i && mark_i) begin
      marked_q <= 1'b1;
      owed_q   <= 1'b1;
    end
    if (rsp_valid && rsp.tag[0]) owed_q <= 1'b0;
    // the driver hears of the page; then it sends a command for it
    if (evt_valid && evt.vmid == 8'd1 && evt.va == {24'd0, vpn, 12'd0}) told_q <= 1'b1;
    if (names && !maps) told_q <= 1'b0;
    if (names && !maps && maint_flags_i[1]) denied_q <= 1'b1;
    if (maint_done) begin
      {command_q, pending_q, root_q} <= '0;
      if (root_q) withhold_q <= asked_withhold_q;
    end
    if (inv_valid) changed_q <= 1'b1;  // from the next cycle on the walker reads the new table
    if (maint_i) begin
      command_q <= 1'b1;
      changed_q <= 1'b0;
      pending_q <= begins;
      root_q    <= begins && maint_op_i == CTL_ROOT[1:0];
      asked_withhold_q <= maint_flags_i[0];
    end
    if (done_i) walking_q[done_walk_i] <= 1'b0;
    if (start_valid) begin
      walking_q[start_walk[0]]   <= 1'b1;
      walk_vmid_q[start_walk[0]] <= start_vmid;
      walk_vpn_q[start_walk[0]]  <= start_vpn;
    end
    if (!rst_ni) begin
      {marked_q, owed_q, told_q, command_q, root_q, pending_q, changed_q, withhold_q, denied_q, waiting_q, answers_q, events_q, walking_q} <= '0;
    end
  end
  always_comb begin : m_reset
`ifdef STEP  // from any state in which the helpers hold
    assume (rst_ni);
`else
    assume (rst_ni == started);
`endif
  end
  always_comb begin : m_constant
`ifdef STEP
    assume (page_i == page_q && (begins || value_i == value_q));
`else
    if (started) assume (page_i == page_q && (begins || value_i == value_q));
`endif
  end
  always_comb begin : m_inputs
    assume (!(req_i && (waiting_q == 3'(Depth))) && !(mark_i && marked_q));
    assume (!(rsp_credit_i && answers_q == '0) && !(evt_credit_i && events_q == '0));
    assume (!(maint_i && (command_q || maint_op_i == 2'd0)) && !(maint_kind_i[1] && maint_pages_i == 2'd0));
    assume (!(maint_i && maint_op_i == CTL_ROOT[1:0] && maint_kind_i != 2'd1));
    assume (!done_i || (32'(done_walk_i) < Walks && walking_q[done_walk_i]));
    // what a walk finds for the followed page is its entry, and so is what covers it
    if (done_i && (covers || mine)) assume (done_value_i == value_i || (old_walk && done_value_i == old));
  end

  function automatic logic is_value(input mem_rsp_t r, input vpn_t page, input logic [2:0] value, input logic denied);
    return value[2] ? r.status == MEM_OK && r.data[0][41:12] == {value[1:0], page} :
                      r.status == MEM_FAULT_NOT_PRESENT && (!value[0] || denied);
  endfunction
  `GANTRY_ASSERT(a_once, `GANTRY_IMPL(rsp_valid && rsp.tag[0], owed_q))
  `GANTRY_ASSERT(a_entry, `GANTRY_IMPL(rsp_valid && rsp.tag[1:0] != 2'd0,
                                       is_value(rsp, vpn, value_q, denied_q) || (pending_q && is_value(rsp, vpn, old_q, denied_q))))
  `GANTRY_ASSERT(a_withheld, `GANTRY_IMPL(rsp_valid && rsp.tag[1:0] != 2'd0 && rsp.status != MEM_OK, !withhold_q || denied_q || pending_q))
  `GANTRY_ASSERT(a_credits, `GANTRY_IMPL(credit, waiting_q != '0) && `GANTRY_IMPL(rsp_valid, answers_q < 3'd2) &&
                            `GANTRY_IMPL(evt_valid, 32'(events_q) < Reports) && `GANTRY_IMPL(maint_done, command_q))
  `GANTRY_ASSERT(a_start, `GANTRY_IMPL(start_valid, 32'(start_walk) < Walks && !walking_q[start_walk[0]]))
  `GANTRY_ASSERT(a_owes, `GANTRY_IMPL(idle && walking_q == '0 && answers_q == '0 && events_q == '0,
                                      !command_q && waiting_q == '0 && (!owed_q || told_q)))
`ifdef HELPERS
  `include "utcl2_tlb_inv.svh"
`endif
endmodule
