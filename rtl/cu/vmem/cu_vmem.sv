// SPDX-License-Identifier: Apache-2.0
// Vector memory unit of a CU: wires the instruction pipeline, the L1 TLB and the vector L1 cache, and carries out
// invalidations of the CU's control agent.  Responsible for: invalidation (the cache at once: misses under way are not kept; the
// TLB after all accesses under way ended, or at once where more is to follow, whose answer then waits for all of them; what
// waits for a translation asks again), the shortest latency, counters.  Not responsible for: what the parts do.
`include "gantry_assert.svh"

module cu_vmem
  import cu_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumSlices = 4,
  parameter int unsigned Credits = 16,
  parameter int unsigned L1vBytes = 16384,
  parameter int unsigned L1vWays = 4,
  parameter int unsigned L1vMshrs = 16,
  parameter int unsigned TlbEntries = 64,
  parameter int unsigned Latency = 120,  // key gpu.l1v.hit_latency: from the choice of a load to that of what needs it
  parameter int unsigned AddressLanes = 4,  // key gpu.cu.vmem_lanes
  parameter bit [3:0] SeedFault = 4'd0,  // bench only: see cu_vmem_pipe
  parameter bit [3:0] SeedFaultL1 = 4'd0  // bench only: see l1v
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic      [47:0] time_i,            // cycle
  input  logic      [ 7:0] own_gpu_i,
  input  logic             valid_i,
  input  vmem_issue_t      issue_i,
  output logic             ready_o,           // an issue is taken in the next cycle
  output logic             opread_valid_o,
  output wave_tag_t        opread_o,
  output logic             opread_lds_o,      // it accesses the LDS
  output logic      [ 3:0] vrd_valid_o,       // by SIMD, two at most
  output row_t             vrd_row_o[4],
  input  logic      [31:0] vrd_data_i[4][16],
  output logic      [ 3:0] vwr_valid_o,       // by SIMD
  output vwr_req_t         vwr0_o,            // of SIMD 0
  output vwr_req_t         vwr1_o,
  output vwr_req_t         vwr2_o,
  output vwr_req_t         vwr3_o,
  input  logic      [ 1:0] vwr_ready_i[4],    // by SIMD: upper bit
  output logic             done_valid_o,
  output mem_done_t        done_o,
  output logic             mem_req_valid_o,
  output mem_req_t         mem_req_o,
  input  logic             mem_req_credit_i,
  input  logic             mem_rsp_valid_i,
  input  mem_rsp_t         mem_rsp_i,
  output logic             line_valid_o,      // to the LDS; one at a time, the record stays
  output lds_line_t        line_o[1],
  input  logic             line_rsp_valid_i,
  input  lds_line_rsp_t    line_rsp_i[1],     // stays until the next line
  input  logic             hold_i,            // send nothing to memory; answers are taken, accesses to the LDS go on
  input  logic             inv_i,
  input  logic      [ 7:0] inv_flags_i,       // enum cache_flag: L1V, TLB, MORE
  input  tlb_pkg::inv_t    inv_pages_i,       // of the TLB
  output logic             inv_done_o,
  output logic      [ 6:0] perf_o,            // pulses: 0 transaction, 1 TLB hit, 2 TLB miss, 3 read hit, 4 read miss,
                                              // 5 joined a miss, 6 write or atomic
  input  logic             obs_en_i,
  output logic             obs_row_valid_o,   // dwords of a buffer instruction on their way into the LDS, or from there
  output obs_row_t         obs_row_o,
  output logic             idle_o
);
  import l1v_pkg::*;

  // Transactions under way, a power of two: as many as the cache has misses; lines of a narrow CU take longer than memory
  // has room for.
  localparam int unsigned NumTx = Parts != 1 ? 16 : L1vMshrs > 64 ? 128 : 64;

  logic tlb_lookup, tlb_fill, tlb_hit, tlb_inv_q, quiesce_q, drained, l1_inv_q;
  logic [7:0] tlb_vmid, tlb_fill_vmid;
  tlb_pkg::inv_t inv_pages_q;
  logic [27:0] tlb_vpn, tlb_fill_vpn;
  logic [63:0] tlb_pte, tlb_fill_pte;
  logic req_valid, req_ready, rsp_valid, rsp_ready, ack_valid, xlat_valid, pipe_idle, l1_idle, pairs;
  l1_req_t req[1];
  l1_rsp_t rsp;
  logic [7:0] ack_slot, ack_status, xlat_id, xlat_status;
  logic [63:0] xlat_pte;
  logic en, pending, waiting, flushing, finish, more, stir_q;
  logic done_valid, room, none_waits;
  logic [8:0] early;
  mem_done_t done;
  logic [1:0] settle;

  // While the unit rests (no input, nothing moves, no pulse is on its way) none of its blocks looks at anything.  An
  // answer of memory or a credit wakes the cache alone, and what the cache does then wakes the rest; one of the LDS wakes
  // all.
  assign en     = !pipe_idle || !l1_idle || valid_i || inv_i || line_rsp_valid_i;
  assign idle_o = !en && none_waits;

  // a TLB invalidation first lets everything end that was translated; one that another follows leaves that to the last
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en || !rst_ni) begin
      if (inv_i || pending) begin
        finish = waiting && !inv_i && settle == '1 && drained;
        more = inv_i && (inv_flags_i & CACHE_INV_TLB) != '0 && (inv_flags_i & CACHE_MORE) != '0;
        tlb_inv_q <= finish || more;
        l1_inv_q <= inv_i && (inv_flags_i & CACHE_INV_L1V) != '0;
        inv_done_o <= flushing || (inv_i && (inv_flags_i & CACHE_INV_TLB) == '0) || more;
        pending = inv_i || flushing;  // a pulse to take back
        if (waiting && settle != '1) settle = settle + 2'd1;
        if (finish) waiting = 1'b0;
        if (inv_i) begin
          inv_pages_q <= inv_pages_i;
          waiting = (inv_flags_i & CACHE_INV_TLB) != '0 && !more;
          settle = '0;
        end
        if (inv_i || flushing) quiesce_q <= waiting && !flushing;
        flushing = finish;
        stir_q <= pending || finish || (waiting && (settle != '1 || drained));  // goes on without an input
        pending = pending || finish || waiting;
      end
      if (!rst_ni) begin
        {pending, waiting, flushing} = '0;
        {inv_done_o, l1_inv_q, tlb_inv_q, quiesce_q, stir_q} <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // valid_i comes 9 cycles after the choice, if nothing stands before it; what needs the data is chosen 4 cycles after its
  // wait, which is chosen in the cycle of the report
  cu_vmem_pipe #(
    .NumTx       (NumTx),
    .Latency     (Latency - 13),
    .AddressLanes(AddressLanes),
    .SeedFault   (SeedFault)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .time_i(time_i[15:0]),
    .en_i           (en),
    .stir_i         (inv_i || stir_q),
    .valid_i,
    .issue_i,
    .ready_o,
    .opread_valid_o,
    .opread_o,
    .opread_lds_o,
    .vrd_valid_o,
    .vrd_row_o,
    .vrd_data_i,
    .vwr_valid_o,
    .vwr0_o,
    .vwr1_o,
    .vwr2_o,
    .vwr3_o,
    .vwr_ready_i,
    .done_valid_o   (done_valid),
    .done_o         (done),
    .rest_o         (early),
    .room_i         (room),
    .tlb_lookup_o   (tlb_lookup),
    .tlb_vmid_o     (tlb_vmid),
    .tlb_vpn_o      (tlb_vpn),
    .tlb_hit_i      (tlb_hit),
    .tlb_pte_i      (tlb_pte),
    .tlb_fill_o     (tlb_fill),
    .tlb_fill_pte_o (tlb_fill_pte),
    .tlb_fill_vpn_o (tlb_fill_vpn),
    .tlb_fill_vmid_o(tlb_fill_vmid),
    .req_valid_o    (req_valid),
    .req_o          (req),
    .req_ready_i    (req_ready),
    .rsp_valid_i    (rsp_valid),
    .rsp_i          (rsp),
    .rsp_ready_o    (rsp_ready),
    .line_valid_o,
    .line_o,
    .line_rsp_valid_i,
    .line_rsp_i,
    .ack_valid_i    (ack_valid),
    .ack_slot_i     (ack_slot),
    .ack_status_i   (ack_status),
    .xlat_valid_i   (xlat_valid),
    .xlat_id_i      (xlat_id),
    .xlat_pte_i     (xlat_pte),
    .xlat_status_i  (xlat_status),
    .forget_i       (tlb_inv_q),
    .forget_pages_i (inv_pages_q),
    .pairs_i        (pairs),
    .quiesce_i      (quiesce_q),
    .drained_o      (drained),
    .perf_o         (perf_o[2:0]),
    .obs_en_i,
    .obs_row_valid_o,
    .obs_row_o,
    .idle_o         (pipe_idle)
  );

  // all under way and two on their way in may end after the last place but so many and four was taken
  latency_floor #(
    .Width($bits(mem_done_t)),
    .Depth(cu_vmem_pkg::NumSlots > 16 ? 128 : 64),
    .Spare(cu_vmem_pkg::NumSlots + 4)
  ) u_floor (
    .clk_i,
    .rst_ni,
    .valid_i(done_valid),
    .rest_i (early),
    .key_i  (done.wave),
    .data_i (done),
    .ready_o(room),
    .valid_o(done_valid_o),
    .data_o (done_o),
    .idle_o (none_waits)
  );

  tlb_l1 #(
    .Entries(TlbEntries)
  ) u_tlb (
    .clk_i,
    .rst_ni,
    .en_i          (en),
    .lookup_valid_i(tlb_lookup),
    .lookup_vmid_i (tlb_vmid),
    .lookup_vpn_i  (tlb_vpn),
    .result_valid_o(),
    .result_hit_o  (tlb_hit),
    .result_pte_o  (tlb_pte),
    .fill_valid_i  (tlb_fill && !tlb_inv_q),
    .fill_vmid_i   (tlb_fill_vmid),
    .fill_vpn_i    (tlb_fill_vpn),
    .fill_pte_i    (tlb_fill_pte),
    .inv_valid_i   (tlb_inv_q),
    .inv_i         (inv_pages_q)
  );

  l1v #(
    .Bytes    (L1vBytes),
    .Ways     (L1vWays),
    .Mshrs    (L1vMshrs),
    .NumTx    (NumTx),
    .NumSlices(NumSlices),
    .Credits  (Credits),
    .SeedFault(SeedFaultL1)
  ) u_l1v (
    .clk_i,
    .rst_ni,
    .own_gpu_i,
    .time_i,
    .req_valid_i  (req_valid),
    .req_i        (req),
    .req_ready_o  (req_ready),
    .rsp_valid_o  (rsp_valid),
    .rsp_o        (rsp),
    .rsp_ready_i  (rsp_ready),
    .ack_valid_o  (ack_valid),
    .ack_slot_o   (ack_slot),
    .ack_status_o (ack_status),
    .xlat_valid_o (xlat_valid),
    .xlat_id_o    (xlat_id),
    .xlat_pte_o   (xlat_pte),
    .xlat_status_o(xlat_status),
    .hold_i,
    .inv_i        (l1_inv_q),
    .mem_req_valid_o,
    .mem_req_o,
    .mem_req_credit_i,
    .mem_rsp_valid_i,
    .mem_rsp_i,
    .pairs_o      (pairs),
    .perf_o       (perf_o[6:3]),
    .idle_o       (l1_idle)
  );

  // ---- assertions
  `STREAM_BOUND(a_one_invalidation, 1, inv_i, inv_done_o)
  // at rest no pulse is up that a block would have to take back or another would take again
  `GANTRY_ASSERT(a_rest,
                 en || !(opread_valid_o || vrd_valid_o != '0 || vwr_valid_o != '0 || done_valid || inv_done_o ||
                       obs_row_valid_o))
  `GANTRY_ASSERT(a_rest_inside,
                 en || !(line_valid_o || tlb_lookup || tlb_fill || tlb_inv_q || req_valid || rsp_valid || ack_valid ||
                         xlat_valid))
endmodule
