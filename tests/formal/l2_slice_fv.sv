// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/l2/l2_slice at a small size, for byte 0 of one freely chosen line among any loads, stores with byte masks and atomics of four
// lines, any times of DRAM, write-backs and invalidations of everything or of a range:
// - what is answered is the byte as the accesses that arrived before left it: no store is lost, none is performed twice, none overtakes;
// - behind a write-back that names it DRAM has what was answered before the command;
// - behind an invalidation that names it a load sees what the host has written to DRAM before the command;
// - a request is answered once, with its tag, and has one credit back; nothing is sent without credit; DRAM is asked once for what an MSHR wants;
// - when nobody owes the slice anything and it stands, nothing is left unanswered: no waiter is lost.
// DRAM is the environment: contents are read and written in the order of the messages, times and answers come in any order.
// Data have two bits, the others are zeros; masks are of byte 0 and of all others (of an atomic of several words: word 0 and all others).
// Not responsible for: arithmetic of atomics, other bytes, discards (bench of part_l2), times.
`include "gantry_assert.svh"
module l2_slice_fv
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Ways = 2,
  parameter int unsigned Sets = 1,
  parameter int unsigned Mshrs = 2,
  parameter int unsigned Aside = 3,
  parameter int unsigned Channels = 1,
  parameter int unsigned RspDepth = 4,
  parameter bit Through = 1'b0,
  parameter bit Maint = 1'b1,       // maintenance at any time
  parameter int unsigned Late = 2,  // 2: credits come back, channels take commands and DRAM answers at any time; 1: DRAM answers so; 0: all at once
  parameter int unsigned Steps = 0, // so many requests come, with these operations and lines (4 bits each, the first lowest); 0: any
  parameter logic [31:0] Script = '0,
  parameter bit [1:0] Track = 2'd1, // line that is followed
  parameter int unsigned Reach = 0, // cover
  parameter int unsigned Quiet = 8  // so long the slice goes on by itself without a sign
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       req_i,
  input logic [1:0] req_line_i,
  input logic [1:0] req_op_i,
  input logic       req_far_i,      // over a link
  input logic       req_own_i,      // mask: byte 0
  input logic       req_others_i,   // mask: the others
  input logic [1:0] req_data_i,
  input logic       req_xor_i,      // atomic: exclusive or, else exchange
  input logic       req_high_i,     // atomic without mask: of the high half of word 0
  input logic       rsp_credit_i,
  input logic [Channels-1:0] busy_i,
  input logic [Channels-1:0] done_i,
  input logic [0:0] done_mshr_i[Channels],
  input logic [Channels-1:0] wrote_i,
  input logic [Channels-1:0] wrote_era_i,
  input logic       fetched_i,
  input logic [0:0] fetched_mshr_i,
  input logic       maint_i,
  input logic       maint_write_back_i,
  input logic       maint_drop_i,
  input logic [1:0] maint_pieces_i, // which pieces of the memory: 0, 1, both, everything
  input logic       host_i,         // the host writes the byte in DRAM
  input logic [1:0] host_data_i
);
  localparam int unsigned Depth = 2, Tags = 4, Slots = 2 ** $clog2(Mshrs + Depth + Aside + 1);
  localparam logic [7:0] Far = 8'd81;
  // two lines in each of two pieces of 256 bytes
  function automatic logic [31:0] line_of(input logic [1:0] bits);
    return {29'd0, bits[1], 1'b0, bits[0]};
  endfunction

  mem_req_t req;
  mem_rsp_t rsp;
  dram_req_t message;
  dram_rsp_t fetched;
  ctl_cmd_t maint;
  logic ask, credit, rsp_valid, rsp_credit, message_valid, fetched_valid, maint_valid, maint_done, idle;
  logic [Channels-1:0] cmd_valid, done, wrote;
  logic [Channels-1:0] busy;
  assign busy = Late == 2 ? busy_i : '0;
  logic [7:0] done_id[Channels];
  logic cmd_write;
  logic [7:0] cmd_id;
  l2_slice #(
    .Slices(1), .Ways(Ways), .Sets(Sets), .Mshrs(Mshrs), .Channels(Channels), .Depth(Depth), .RspDepth(RspDepth), .FarSource(Far), .Through(Through),
    .Aside(Aside)
  ) u_dut (
    .clk_i, .rst_ni, .slice_i(8'd0), .idle_o(idle), .perf_en_i(1'b0), .perf_addr_i(5'd0), .perf_data_o(), .obs_en_i(1'b0), .obs_order_valid_o(),
    .obs_order_o(), .levels_o(), .mem_req_valid_i(ask), .mem_req_i(req), .mem_req_credit_o(credit), .mem_rsp_valid_o(rsp_valid), .mem_rsp_o(rsp),
    .mem_rsp_credit_i(rsp_credit), .dram_req_valid_o(message_valid), .dram_req_o(message), .dram_rsp_valid_i(fetched_valid), .dram_rsp_i(fetched),
    .maint_i(maint), .maint_valid_i(maint_valid), .maint_done_o(maint_done), .hold_take_i(1'b0), .hold_all_i(1'b0), .discard_i(1'b0), .drained_o(),
    .discarded_o(), .cmd_valid_o(cmd_valid), .cmd_write_o(cmd_write), .cmd_line_o(), .cmd_id_o(cmd_id), .done_valid_i(done),
    .done_id_i(done_id), .wrote_valid_i(wrote), .wrote_era_i, .dram_busy_i(busy));

`ifdef STEP  // from any state in which the helpers hold
  localparam logic started = 1'b1;
  always_comb begin : m_reset
    assume (rst_ni);
  end
`else
  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
`endif

  // ---- requests: with a tag that is not under way, while there is a credit
  typedef struct packed {
    logic       owed;
    logic [1:0] op;
    logic       changes;  // the byte
    logic       checked;  // the old value is known
    logic [1:0] old;
  } asked_t;
  asked_t [Tags-1:0] asked_q;
  logic [1:0] spent_q, byte_q, next;  // requests whose credit is not back; the byte behind all accesses that have come
  logic stale_q;                      // the host has written it since the last invalidation: only loads, whose value is not known
  logic [1:0] tag;
  assign tag = !asked_q[0].owed ? 2'd0 : !asked_q[1].owed ? 2'd1 : !asked_q[2].owed ? 2'd2 : 2'd3;
  logic atomic, lines, tracked, changes;
  logic [3:0] step_q;
  logic [1:0] op, line;
  assign {op, line} = Steps != 0 ? Script[{step_q[2:0], 2'd0}+:4] : {req_op_i, req_line_i};
  always_ff @(posedge clk_i) step_q <= !rst_ni ? 4'd0 : step_q + 4'(ask && Steps != 0);
  assign atomic  = {6'd0, op} == MEM_ATOMIC;
  assign lines   = req_own_i || req_others_i;
  assign tracked = line == Track;
  assign changes = tracked && ({6'd0, op} == MEM_WRITE ? req_own_i : atomic && (lines ? req_own_i : !req_high_i));
  assign next    = !changes ? byte_q : atomic && req_xor_i ? byte_q ^ req_data_i : req_data_i;
  assign ask     = req_i && started && spent_q < 2'(Depth) && !asked_q[tag].owed && !(changes && stale_q) && (Steps == 0 || 32'(step_q) < Steps);
  always_comb begin
    req         = '0;
    req.op      = {6'd0, op};
    req.source  = req_far_i ? Far : 8'd0;
    req.size    = 8'd4;
    req.atomic  = req_xor_i ? ATOMIC_XOR : ATOMIC_SWAP;
    req.tag     = 32'(tag);
    req.addr    = {26'd0, line_of(line), 6'd0};
    req.addr[2] = atomic && !lines && req_high_i;
    req.mask    = {{60{req_others_i}}, {3{atomic ? req_own_i : req_others_i}}, req_own_i};
    req.data[0] = {62'd0, req_data_i};
  end

  // ---- DRAM: its byte, by messages; reads whose time has not come, writes that are not done, by commands; contents that were sent for
  logic [1:0] dram_q;
  logic [Channels-1:0][Mshrs-1:0] timing_q;
  logic [Channels-1:0][1:0][3:0] writing_q;
  logic [Mshrs-1:0] sent_q, timed_q;
  logic [Mshrs-1:0][1:0] sent_data_q;
  logic [2:0] answered_q;  // answers whose credit is not back
  logic names;
  assign names         = message.addr == {26'd0, line_of(Track), 6'd0};
  assign rsp_credit    = (rsp_credit_i || Late != 2) && answered_q != 3'd0;
  assign fetched_valid = (fetched_i || Late == 0) && 32'(fetched_mshr_i) < Mshrs && sent_q[fetched_mshr_i];
  always_comb begin
    fetched         = '0;
    fetched.tag     = 32'(fetched_mshr_i);
    fetched.data[0] = {62'd0, sent_data_q[fetched_mshr_i]};
    for (int unsigned k = 0; k < Channels; k++) begin
      done[k]    = (done_i[k] || Late == 0) && 32'(done_mshr_i[k]) < Mshrs && timing_q[k][done_mshr_i[k]];
      done_id[k] = {7'd0, done_mshr_i[k]};
      wrote[k]   = (wrote_i[k] || Late == 0) && writing_q[k][wrote_era_i[k]] != '0;
    end
  end

  // ---- maintenance, one at a time: which values DRAM may have at its end; the host writes what no store of the slice has left
  logic maint_q, covers, writes_back_q, drops_q, clean_q, was_clean_q, host, outstanding;
  logic [3:0] could_q, may_q;  // values that the byte has had since the last moment at which all its stores were answered; since a command began
  assign covers      = maint_pieces_i == 2'd3 || maint_pieces_i == 2'd2 || maint_pieces_i[0] == Track[1];
  assign maint_valid = Maint && maint_i && started && !maint_q && (maint_write_back_i || maint_drop_i);
  always_comb begin
    maint       = '0;
    maint.op    = CTL_INV;
    maint.flags = (maint_write_back_i ? 32'(CACHE_WB_L2) : 32'd0) | (maint_drop_i ? 32'(CACHE_INV_L2) : 32'd0);
    maint.root  = maint_pieces_i == 2'd1 ? 64'd256 : 64'd0;
    maint.bytes = maint_pieces_i == 2'd3 ? 64'd0 : maint_pieces_i == 2'd2 ? 64'd512 : 64'd256;
    outstanding = 1'b0;
    for (int unsigned t = 0; t < Tags; t++)
      outstanding = outstanding || (asked_q[t].owed && asked_q[t].changes && !(rsp_valid && rsp.tag == t));
  end
  assign host = Maint && host_i && clean_q && !maint_q && !maint_valid && !(ask && changes);

  always_ff @(posedge clk_i) begin
    if (rsp_valid) asked_q[rsp.tag[1:0]].owed <= 1'b0;
    if (ask) begin
      asked_q[tag] <= '{owed: 1'b1, op: op, changes: changes, checked: tracked && {6'd0, op} != MEM_WRITE && !req.addr[2] && !stale_q,
                              old: byte_q};
      byte_q <= next;
    end
    spent_q    <= spent_q + 2'(ask) - 2'(credit);
    answered_q <= answered_q + 3'(rsp_valid) - 3'(rsp_credit);
    // DRAM
    if (message_valid && message.write[0] && names && message.mask[0]) dram_q <= message.data[0][1:0];
    if (fetched_valid) sent_q[fetched_mshr_i] <= 1'b0;
    if (message_valid && !message.write[0]) begin
      sent_q[message.tag[0]]      <= 1'b1;
      timed_q[message.tag[0]]     <= 1'b0;
      sent_data_q[message.tag[0]] <= names ? dram_q : 2'd0;
    end
    for (int unsigned k = 0; k < Channels; k++) begin
      if (done[k]) begin
        timing_q[k][done_mshr_i[k]] <= 1'b0;
        timed_q[done_mshr_i[k]]     <= 1'b1;
      end
      if (cmd_valid[k] && !cmd_write) timing_q[k][cmd_id[0]] <= 1'b1;
      for (int unsigned e = 0; e < 2; e++)
        writing_q[k][e] <= writing_q[k][e] + 4'(cmd_valid[k] && cmd_write && cmd_id[0] == e[0]) - 4'(wrote[k] && wrote_era_i[k] == e[0]);
    end
    // what DRAM may have behind a write-back
    could_q <= (outstanding ? could_q : 4'd1 << byte_q) | 4'd1 << next;
    if (ask && changes) begin
      may_q       <= may_q | 4'd1 << next;
      clean_q     <= 1'b0;
      was_clean_q <= 1'b0;
    end
    if (maint_done) begin
      maint_q <= 1'b0;
      clean_q <= (clean_q || (writes_back_q && was_clean_q)) && !(ask && changes);
      stale_q <= stale_q && !drops_q;
    end
    if (maint_valid) begin
      maint_q       <= 1'b1;
      writes_back_q <= covers && maint_write_back_i;
      drops_q       <= covers && maint_drop_i;
      was_clean_q   <= !outstanding && !(ask && changes);
      may_q         <= could_q | 4'd1 << next;
    end
    if (host) begin
      dram_q  <= host_data_i;
      byte_q  <= host_data_i;
      could_q <= 4'd1 << host_data_i;
      stale_q <= 1'b1;
      for (int unsigned t = 0; t < Tags; t++) asked_q[t].checked <= 1'b0;
    end
    if (!rst_ni) begin
      asked_q     <= '0;
      spent_q     <= '0;
      byte_q      <= '0;
      dram_q      <= '0;
      timing_q    <= '0;
      timed_q     <= '0;
      writing_q   <= '0;
      sent_q      <= '0;
      answered_q  <= '0;
      stale_q     <= 1'b0;
      maint_q     <= 1'b0;
      clean_q     <= 1'b1;
      was_clean_q <= 1'b0;
      could_q     <= 4'd1;
    end
  end

  // ---- how long nobody has owed the slice anything, and it has given no sign
  logic [3:0] quiet_q;
  logic owed, sign;
  always_comb begin
    owed = 1'b0;
    for (int unsigned t = 0; t < Tags; t++) owed = owed || asked_q[t].owed;
  end
  assign sign = ask || maint_valid || timing_q != '0 || writing_q != '0 || sent_q != '0 || answered_q != '0 || busy != '0 || rsp_valid || message_valid ||
                cmd_valid != '0;
  always_ff @(posedge clk_i) quiet_q <= sign || !rst_ni ? 4'd0 : quiet_q == 4'(Quiet) ? quiet_q : quiet_q + 4'd1;

  asked_t answer;
  assign answer = asked_q[rsp.tag[1:0]];
`ifdef HELPERS
  `include "l2_slice_inv.svh"
`elsif REACH  // these assertions must fail: a dirty line left for DRAM and a load found its byte again; a write-back brought the byte to DRAM; a load behind an
  // invalidation found what the host had stored; a request joined a miss, and all have been answered
  logic victim_q, flushed_q, hosted_q, joined_q, far_q;
  always_ff @(posedge clk_i) begin
    victim_q  <= rst_ni && (victim_q || (message_valid && message.write[0] && names && message.mask[0] && message.data[0][1:0] != 2'd0));
    flushed_q <= rst_ni && (flushed_q || (maint_done && writes_back_q && dram_q != 2'd0 && !clean_q));
    hosted_q  <= rst_ni && (hosted_q || (host && host_data_i != 2'd0));
    far_q     <= rst_ni && (far_q || (ask && req_far_i));
    joined_q  <= rst_ni && (joined_q || (u_dut.s2.valid && u_dut.s2.what == 3'd3));
  end
  if (Reach == 1) begin : gen_evict
    `GANTRY_ASSERT(c_evict, !(victim_q && !far_q && rsp_valid && answer.checked && rsp.data[0][1:0] != 2'd0))
  end else if (Reach == 2) begin : gen_flush
    `GANTRY_ASSERT(c_flush, !flushed_q)
  end else if (Reach == 3) begin : gen_host
    `GANTRY_ASSERT(c_host, !(hosted_q && rsp_valid && answer.checked && rsp.data[0][1:0] != 2'd0))
  end else begin : gen_join
    `GANTRY_ASSERT(c_join, !(joined_q && step_q == 4'(Steps) && !owed && idle))
  end
`else
  // ---- values
  `GANTRY_ASSERT(a_value, `GANTRY_IMPL(rsp_valid && answer.owed && answer.checked, rsp.data[0][1:0] == answer.old))
  `GANTRY_ASSERT(a_written_back, `GANTRY_IMPL(maint_done && writes_back_q, may_q[dram_q]))
  `GANTRY_ASSERT(a_quiet, `GANTRY_IMPL(quiet_q == 4'(Quiet), !owed && !maint_q && spent_q == 2'd0))
`endif
`ifndef REACH
  // ---- answers and credits
  `GANTRY_ASSERT(a_owed, `GANTRY_IMPL(rsp_valid, rsp.tag < 32'(Tags) && answer.owed && rsp.op == {6'd0, answer.op} && rsp.status == MEM_OK))
  `GANTRY_ASSERT(a_rsp_credit, `GANTRY_IMPL(rsp_valid, answered_q < 3'(RspDepth)))
  `GANTRY_ASSERT(a_req_credit, `GANTRY_IMPL(credit, spent_q != 2'd0))
  `GANTRY_ASSERT(a_maint, `GANTRY_IMPL(maint_done, maint_q))
  // ---- what DRAM is asked
  `GANTRY_ASSERT(a_sent, `GANTRY_IMPL(message_valid && !message.write[0], message.tag < 32'(Mshrs) && timed_q[message.tag[0]] && !sent_q[message.tag[0]]))
  for (genvar k = 0; k < Channels; k++) begin : gen_channel
    `GANTRY_ASSERT(a_command, `GANTRY_IMPL(cmd_valid[k] && !cmd_write, cmd_id < 8'(Mshrs) && !timing_q[k][cmd_id[0]] && !timed_q[cmd_id[0]] &&
                                                                       !sent_q[cmd_id[0]]))
  end
  // ---- no waiter is lost
  `GANTRY_ASSERT(a_idle, `GANTRY_IMPL(idle && timing_q == '0 && writing_q == '0 && sent_q == '0 && !cmd_valid[0] && !message_valid && answered_q == '0,
                                      !owed && !maint_q && spent_q == 2'd0))
`endif
endmodule
