// SPDX-License-Identifier: Apache-2.0
// Partition: one L2 slice with the DRAM channels behind it, and one control agent for all of it.  Responsible for: putting
// them together, counters of slice and channels.  Not responsible for: contents of DRAM (the store answers dram_req).
`include "gantry_assert.svh"

module part_l2
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import stream_rules_pkg::*;
#(
  parameter int unsigned Depth = NocTargetQueue,  // input queue, and credits towards the crossbar
  parameter int unsigned Kib = L2Kib,
  parameter int unsigned Ways = L2Ways,
  parameter int unsigned Mshrs = L2Mshrs,
  parameter int unsigned Channels = DramChannels,
  parameter bit Through = L2WriteThrough != 0
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic               [15:0] id_i,         // {gpu, number of the slice}
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic               [63:0] cycle_i,
  output logic                      idle_o,
  input  logic                      perf_en_i,
  input  logic               [ 7:0] perf_addr_i,
  output logic               [63:0] perf_data_o,
  input  logic                      obs_en_i,
  output logic                      obs_order_valid_o,
  output l2_pkg::obs_order_t        obs_order_o,
  input  logic                      mem_req_valid_i,
  input  gantry_msg_pkg::mem_req_t  mem_req_i,
  output logic                      mem_req_credit_o,
  output logic                      mem_rsp_valid_o,
  output gantry_msg_pkg::mem_rsp_t  mem_rsp_o,
  input  logic                      mem_rsp_credit_i,
  output logic                      dram_req_valid_o,
  output gantry_msg_pkg::dram_req_t dram_req_o,
  input  logic                      dram_rsp_valid_i,
  input  gantry_msg_pkg::dram_rsp_t dram_rsp_i,
  // hub -> control agent
  input  logic                      ctl_cmd_valid_i,
  input  gantry_msg_pkg::ctl_cmd_t  ctl_cmd_i,
  output logic                      ctl_evt_valid_o,
  output gantry_msg_pkg::ctl_evt_t  ctl_evt_o
);
  localparam dram_pkg::times_t DramTimes = '{
      ratio: DramRatio, tcl: DramTcl, tcwl: DramTcwl, trcd: DramTrcd, trp: DramTrp, tras: DramTras, twr: DramTwr,
      trtp: DramTrtp, tccd_s: DramTccdS, tccd_l: DramTccdL, trrd_s: DramTrrdS, trrd_l: DramTrrdL, twtr_s: DramTwtrS,
      twtr_l: DramTwtrL, tfaw: DramTfaw, trtw: DramTrtw, trefi: DramTrefi, trfc: DramTrfc, trfc_bank: DramTrfcBank,
      burst: DramBurst
  };
  localparam int unsigned Aside = 111;  // requests inside a slice that wait for no line
  localparam gantry_msg_pkg::ctl_cmd_t WriteBack = '{
      op: gantry_msg_pkg::CTL_INV, flags: 32'(gantry_msg_pkg::CACHE_WB_L2), default: '0
  };
  logic agent_idle, hold_take, hold_all, drained, flush, discard, discarded, maint_valid, maint_done;
  logic flushing_q;  // the slice's write-back is that of a flush
  gantry_msg_pkg::ctl_cmd_t maint;
  logic slice_idle;
  logic [Channels-1:0] cmd_valid, done_valid, wrote_valid, wrote_era, busy, channel_idle;
  /* verilator lint_off UNUSEDSIGNAL */  // of a write it is the slice's era: one bit
  logic [7:0] wrote_id[Channels];
  /* verilator lint_on UNUSEDSIGNAL */
  logic cmd_write;
  logic [31:0] cmd_line;
  logic [7:0] cmd_id;
  logic [7:0] done_id[Channels];
  logic [63:0] slice_perf;
  logic [63:0] row_hits[Channels], row_misses[Channels], refreshes[Channels];
  logic [63:0] sum;
  /* verilator lint_off UNUSEDSIGNAL */  // without a meter
  l2_pkg::levels_t levels;
  logic [63:0] taken[Channels][2];
  /* verilator lint_on UNUSEDSIGNAL */
  /* verilator lint_off UNUSEDSIGNAL */  // what a PHY would get
  dram_pkg::cmd_t row_cmd[Channels], col_cmd[Channels];
  /* verilator lint_on UNUSEDSIGNAL */

  l2_slice #(
    .Slices   (L2Slices),
    .Kib      (Kib),
    .Ways     (Ways),
    .Mshrs    (Mshrs),
    .Channels (Channels),
    .ChanBit  (DramChannelBit),
    .Depth    (Depth),
    .RspDepth (Depth),
    .FarSource(8'(NocInitiators - 1)),
    .Through  (Through),
    .Aside    (Aside)
  ) u_slice (
    .clk_i,
    .rst_ni,
    .slice_i     (id_i[7:0]),
    .idle_o      (slice_idle),
    .perf_en_i,
    .perf_addr_i (perf_addr_i[4:0]),
    .perf_data_o (slice_perf),
    .obs_en_i,
    .obs_order_valid_o,
    .obs_order_o,
    .levels_o    (levels),
    .mem_req_valid_i,
    .mem_req_i,
    .mem_req_credit_o,
    .mem_rsp_valid_o,
    .mem_rsp_o,
    .mem_rsp_credit_i,
    .dram_req_valid_o,
    .dram_req_o,
    .dram_rsp_valid_i,
    .dram_rsp_i,
    .maint_i      (flush ? WriteBack : maint),
    .maint_valid_i(maint_valid || flush),
    .maint_done_o (maint_done),
    .hold_take_i  (hold_take),
    .hold_all_i   (hold_all),
    .discard_i    (discard),
    .drained_o    (drained),
    .discarded_o  (discarded),
    .cmd_valid_o (cmd_valid),
    .cmd_write_o (cmd_write),
    .cmd_line_o  (cmd_line),
    .cmd_id_o    (cmd_id),
    .done_valid_i(done_valid),
    .done_id_i   (done_id),
    .wrote_valid_i(wrote_valid),
    .wrote_era_i (wrote_era),
    .dram_busy_i (busy)
  );

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    dram_channel #(
      .Times    (DramTimes),
      .Banks    (DramBanks),
      .Groups   (DramGroups < DramBanks ? DramGroups : DramBanks),
      .RowLines (DramRowBytes / 64),
      .BankBit  (DramBankBit),
      .BankHash (DramBankHash != 0),
      .Places   (DramPlaces),
      .WriteHigh(DramWriteHigh),
      .WriteLow (DramWriteLow),
      .WriteIdle(DramWriteIdle),
      .WriteAge(DramWriteAge),
      .WriteRest(DramWriteRest)
    ) u_channel (
      .clk_i,
      .rst_ni,
      .cycle_i,
      .cmd_valid_i (cmd_valid[c]),
      .cmd_write_i (cmd_write),
      .cmd_line_i  (cmd_line),
      .cmd_id_i    (cmd_id),
      .done_valid_o(done_valid[c]),
      .done_id_o   (done_id[c]),
      .wrote_valid_o(wrote_valid[c]),
      .wrote_id_o  (wrote_id[c]),
      .busy_o      (busy[c]),
      .taken_o     (taken[c]),
      .row_cmd_o   (row_cmd[c]),
      .col_cmd_o   (col_cmd[c]),
      .row_hits_o  (row_hits[c]),
      .row_misses_o(row_misses[c]),
      .refreshes_o (refreshes[c]),
      .idle_o      (channel_idle[c])
    );
    assign wrote_era[c] = wrote_id[c][0];
  end

  // Its flush is the slice's own write-back of everything.  Channels finish the commands that they have, also while the
  // slice is held; it is drained when they have.
  control_agent u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i, .ctl_cmd_i, .ctl_evt_valid_o, .ctl_evt_o,
    .hold_take_o(hold_take), .hold_all_o(hold_all), .drained_i(drained), .flush_o(flush),
    .flush_done_i(maint_done && flushing_q), .discard_o(discard), .discard_done_i(discarded),
    .maint_valid_o(maint_valid), .maint_o(maint), .maint_done_i(maint_done && !flushing_q));
  always_ff @(posedge clk_i) begin
    flushing_q <= rst_ni && (flush || (flushing_q && !maint_done));
  end

  assign idle_o = slice_idle && channel_idle == '1 && agent_idle;

  // ---- meter: words behind the counters, one after the other at PERF_METERS.  Queues: of the slice, then reads and writes of
  // each channel, which is full when it asks the slice to send no more.
  localparam int unsigned Queues = 3 + 2 * Channels;
  logic [63:0] meter_word;
  if (MetricsLatency != 0) begin : gen_meter
    logic [Queues-1:0][15:0] level;
    logic [Queues-1:0] full;
    assign level[2:0] = {16'(levels.mshrs), 16'(levels.slots), 16'(levels.arrived)};
    assign full[2:0]  = {
      levels.mshrs == 10'(Mshrs), levels.slots >= 10'(Aside) + levels.mshrs, levels.arrived == 10'(Depth)
    };
    for (genvar c = 0; c < Channels; c++) begin : gen_channel
      assign level[3+2*c]   = 16'($countones(taken[c][0]));
      assign level[3+2*c+1] = 16'($countones(taken[c][1]));
      assign full[3+2*c+:2] = {2{busy[c]}};
    end
    level_meter #(.Queues(Queues)) u_meter (
      .clk_i, .rst_ni, .cycle_i, .level_i(level), .full_i(full), .next_i(perf_en_i && perf_addr_i == PERF_METERS),
      .word_o(meter_word));
  end else begin : gen_no_meter
    assign meter_word = 64'd0;
  end

  // row hits, row misses and refreshes are sums of all channels; the other counters are the slice's
  logic of_channels, dram_counter_q, metered_q;
  assign of_channels = perf_addr_i inside {L2_DRAM_ROW_HIT, L2_DRAM_ROW_MISS, L2_DRAM_REFRESH};
  logic [63:0] sum_q;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (perf_en_i) begin
      metered_q      <= perf_addr_i == PERF_METERS;
      dram_counter_q <= of_channels || perf_addr_i == PERF_ID;
      if (perf_addr_i == PERF_ID) sum_q <= 64'(id_i);
      if (of_channels) begin
        sum = 64'd0;
        for (int unsigned c = 0; c < Channels; c++)
          sum = sum + (perf_addr_i == L2_DRAM_ROW_HIT ? row_hits[c] :
                       perf_addr_i == L2_DRAM_ROW_MISS ? row_misses[c] : refreshes[c]);
        sum_q <= sum;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
  assign perf_data_o = metered_q ? meter_word : dram_counter_q ? sum_q : slice_perf;
  // ---- assertions
  `STREAM_ASSERT(a_req, mem_req_valid_i, mem_req_ok(mem_req_i) && mem_req_i.op <= gantry_msg_pkg::MEM_ATOMIC)
  `STREAM_BOUND(a_req_room, Depth, mem_req_valid_i, mem_req_credit_o)
  `STREAM_ASSERT(a_rsp, mem_rsp_valid_o, mem_rsp_ok(mem_rsp_o) && mem_rsp_o.op <= gantry_msg_pkg::MEM_ATOMIC)
  `STREAM_BOUND(a_rsp_credit, Depth, mem_rsp_valid_o, mem_rsp_credit_i)
  `STREAM_BOUND(a_answered, Any, mem_req_valid_i, mem_rsp_valid_o)
  `STREAM_ASSERT(a_dram, dram_req_valid_o, dram_req_ok(dram_req_o))
  `STREAM_ASSERT(a_line, dram_rsp_valid_i, dram_rsp_i.tag < Mshrs)
  `STREAM_BOUND(a_lines, Mshrs, dram_req_valid_o && dram_req_o.write == 8'd0, dram_rsp_valid_i)
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i) && ctl_cmd_i.op != gantry_msg_pkg::CTL_ROOT)
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
  `STREAM_BOUND(a_one_maint, 1, maint_valid || flush, maint_done)
endmodule
