// SPDX-License-Identifier: Apache-2.0
// Sequencer cache of a group of up to four CUs: instruction cache and scalar data cache behind one crossbar port.
// Responsible for: ports of the CUs, scalar operations without a cache access (s_memtime, invalidation), requests to the
// crossbar with credits, maintenance commands, what control messages hold and drop. Not responsible for: the caches themselves (sqc_cache.sv).
`include "gantry_assert.svh"

module sqc
  import gantry_msg_pkg::*;
  import gantry_counters_pkg::*;
  import sqc_queue_pkg::sqc_count_t;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned NumSlices = 16,
  parameter int unsigned IKib = 32,
  parameter int unsigned IWays = 4,
  parameter int unsigned KKib = 16,
  parameter int unsigned KWays = 4,
  parameter int unsigned TlbEntries = 64,
  parameter bit Ahead = 1'b1,  // instructions: the line behind is fetched, too
  parameter int unsigned Credits = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic        [    7:0] own_gpu_i,
  input  logic        [   63:0] cycle_i,
  output logic                  idle_o,
  input  logic        [Cus-1:0] ifetch_req_valid_i,
  input  ifetch_req_t           ifetch_req_i [Cus],
  output logic        [Cus-1:0] ifetch_rsp_valid_o,
  output ifetch_rsp_t           ifetch_rsp_o [Cus],
  input  logic        [Cus-1:0] smem_req_valid_i,
  input  smem_req_t             smem_req_i [Cus],
  output logic        [Cus-1:0] smem_rsp_valid_o,
  output smem_rsp_t             smem_rsp_o [Cus],
  output logic                  mem_req_valid_o,
  output mem_req_t              mem_req_o,
  input  logic                  mem_req_credit_i,
  input  logic                  mem_rsp_valid_i,
  input  mem_rsp_t              mem_rsp_i,
  // control agent
  input  logic                  maint_valid_i,  // CTL_INV, CTL_FETCH; one at a time
  /* verilator lint_off UNUSEDSIGNAL */  // id, padding
  input  ctl_cmd_t              maint_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                  maint_done_o,
  input  logic                  hold_take_i,
  input  logic                  hold_all_i,
  input  logic                  discard_i,
  output logic                  finished_o,  // of what was taken
  output sqc_pulse_t            count_o
);
  localparam int unsigned Pw = Cus > 1 ? $clog2(Cus) : 1;
  localparam int unsigned PlainRoom = 16;  // operations without a cache access of one CU: not more than its requests

  // i: instruction cache, k: scalar cache; no arrays, so that the wires are the caches' registers themselves
  logic i_idle, k_idle, i_rsp_valid, k_rsp_valid, i_miss_valid, k_miss_valid, i_miss_xlat, k_miss_xlat;
  logic i_miss_ready, k_miss_ready, i_inv, k_inv, k_miss_store;
  logic [15:0] k_miss_words;
  logic [15:0][31:0] k_miss_data;
  logic [1:0] i_rsp_port, k_rsp_port;
  logic [7:0] i_rsp_status, k_rsp_status, i_miss_vmid, k_miss_vmid;
  tlb_pkg::inv_t inv_pages;
  logic [63:0] k_rsp_va, i_miss_addr, k_miss_addr;
  /* verilator lint_off UNUSEDSIGNAL */
  sqc_queue_pkg::want_t i_rsp_want, k_rsp_want;
  logic [15:0][31:0] i_rsp_data, k_rsp_data;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [3:0] i_miss_entry, k_miss_entry;
  sqc_count_t i_count;
  /* verilator lint_off UNUSEDSIGNAL */
  sqc_count_t k_count;
  /* verilator lint_on UNUSEDSIGNAL */
  logic prime;  // a line of instructions is to be there
  logic [7:0] prime_vmid;
  logic [63:0] prime_va;
  logic inv_tlb, i_drained, k_drained, i_finished, k_finished, room, send, choice, busy_q;
  logic tlb_left, tlb_taken;  // the answer to an invalidation of the TLBs waits; the caches have seen it

  sqc_cache #(
    .Scalar(1'b0), .Req(ifetch_req_t), .Cus(Cus), .Kib(IKib), .Ways(IWays),
    .TlbEntries(TlbEntries), .Ahead(Ahead), .Depth(256)
  ) u_instruction (
    .clk_i, .rst_ni, .req_valid_i(ifetch_req_valid_i), .req_i(ifetch_req_i),
    .rsp_valid_o(i_rsp_valid), .rsp_port_o(i_rsp_port), .rsp_status_o(i_rsp_status),
    .rsp_va_o(), .rsp_want_o(i_rsp_want), .rsp_data_o(i_rsp_data),
    .miss_valid_o(i_miss_valid), .miss_xlat_o(i_miss_xlat), .miss_entry_o(i_miss_entry),
    .miss_vmid_o(i_miss_vmid), .miss_addr_o(i_miss_addr), .miss_store_o(), .miss_words_o(), .miss_data_o(),
    .miss_ready_i(i_miss_ready),
    .fill_valid_i(mem_rsp_valid_i), .fill_scalar_i(mem_rsp_i.tag[5]), .fill_xlat_i(mem_rsp_i.tag[4]),
    .fill_entry_i(mem_rsp_i.tag[3:0]), .fill_status_i(mem_rsp_i.status), .fill_data_i(mem_rsp_i.data),
    .hold_take_i, .hold_all_i, .discard_i, .finished_o(i_finished),
    .inv_lines_i(i_inv), .inv_tlb_i(inv_tlb), .inv_pages_i(inv_pages),
    .prime_valid_i(prime), .prime_vmid_i(prime_vmid), .prime_va_i(prime_va),
    .drained_o(i_drained), .count_o(i_count), .idle_o(i_idle));
  sqc_cache #(
    .Scalar(1'b1), .Req(smem_req_t), .Cus(Cus), .Kib(KKib), .Ways(KWays),
    .TlbEntries(TlbEntries), .Depth(32)
  ) u_scalar (
    .clk_i, .rst_ni, .req_valid_i(smem_req_valid_i), .req_i(smem_req_i),
    .rsp_valid_o(k_rsp_valid), .rsp_port_o(k_rsp_port), .rsp_status_o(k_rsp_status),
    .rsp_va_o(k_rsp_va), .rsp_want_o(k_rsp_want), .rsp_data_o(k_rsp_data),
    .miss_valid_o(k_miss_valid), .miss_xlat_o(k_miss_xlat), .miss_entry_o(k_miss_entry),
    .miss_vmid_o(k_miss_vmid), .miss_addr_o(k_miss_addr), .miss_store_o(k_miss_store), .miss_words_o(k_miss_words),
    .miss_data_o(k_miss_data), .miss_ready_i(k_miss_ready),
    .fill_valid_i(mem_rsp_valid_i), .fill_scalar_i(mem_rsp_i.tag[5]), .fill_xlat_i(mem_rsp_i.tag[4]),
    .fill_entry_i(mem_rsp_i.tag[3:0]), .fill_status_i(mem_rsp_i.status), .fill_data_i(mem_rsp_i.data),
    .hold_take_i, .hold_all_i, .discard_i, .finished_o(k_finished),
    .inv_lines_i(k_inv), .inv_tlb_i(inv_tlb), .inv_pages_i(inv_pages),
    .prime_valid_i(1'b0), .prime_vmid_i(8'd0), .prime_va_i(64'd0),
    .drained_o(k_drained), .count_o(k_count), .idle_o(k_idle));
  assign count_o = '{l1i_prefetch: i_count.ahead, l1i_tlb_miss: i_count.tlb_miss, l1i_tlb_hit: i_count.tlb_hit,
                     l1i_read_miss: i_count.read_miss, l1i_read_hit: i_count.read_hit, l1k_tlb_miss: k_count.tlb_miss,
                     l1k_tlb_hit: k_count.tlb_hit, l1k_read_miss: k_count.read_miss, l1k_read_hit: k_count.read_hit};

  // ---- crossbar port: instruction misses first (a wavefront without instructions does nothing at all)
  credit_counter #(.Depth(Credits)) u_credit (
    .clk_i, .rst_ni, .spend_i(send), .credit_i(mem_req_credit_i), .available_o(room), .count_o());
  assign send         = room && (i_miss_valid || k_miss_valid) && !hold_all_i;
  assign choice       = !i_miss_valid;
  assign i_miss_ready = send && !choice;
  assign k_miss_ready = send && choice;

  /* verilator lint_off BLKSEQ */
  // operations without a cache access wait here for a free cycle of their CU's answer port: {op, wave, tag}
  logic [63:0] plain[Cus*PlainRoom];
  logic [31:0] plain_head[Cus];
  logic [31:0] plain_count[Cus];
  logic [Cus-1:0] plain_some;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [63:0] word;
  /* verilator lint_on UNUSEDSIGNAL */
  logic taken, pulse, plain_inv;
  mem_req_t req;
  smem_rsp_t answer;

  always_ff @(posedge clk_i) begin
    mem_req_valid_o    <= 1'b0;
    ifetch_rsp_valid_o <= '0;
    smem_rsp_valid_o   <= '0;
    maint_done_o    <= 1'b0;
    {i_inv, k_inv}     <= '0;
    inv_tlb            <= 1'b0;
    prime              <= 1'b0;
    pulse     = 1'b0;
    plain_inv = 1'b0;
    if (send) begin
      req = '0;
      req.op     = (choice ? k_miss_xlat : i_miss_xlat) ? MEM_XLAT : MEM_READ;
      req.vmid   = (choice ? k_miss_vmid : i_miss_vmid);
      req.access = choice ? tlb_pkg::ACCESS_READ : tlb_pkg::ACCESS_EXECUTE;
      // these caches keep no cycle of their last acquire for each CU: what lies afar is asked for at home
      if (req.op == MEM_READ) req.access = req.access | tlb_pkg::ACCESS_HOME;
      req.tag    = {26'd0, choice, (choice ? k_miss_xlat : i_miss_xlat), (choice ? k_miss_entry : i_miss_entry)};
      req.addr   = (choice ? k_miss_addr : i_miss_addr);
      req.target = (choice ? k_miss_xlat : i_miss_xlat) ? tlb_pkg::xlat_target(8'(NumSlices))
                                       : tlb_pkg::pa_target(req.addr, own_gpu_i, 8'(NumSlices));
      if (choice && k_miss_store) begin
        req.op = MEM_WRITE;
        for (int unsigned k = 0; k < 16; k++) req.mask[4*k+:4] = {4{k_miss_words[k[3:0]]}};
        req.data = k_miss_data;
      end
      mem_req_o       <= req;
      mem_req_valid_o <= 1'b1;
      pulse = 1'b1;
    end
    if (i_rsp_valid && !hold_all_i) begin
      ifetch_rsp_valid_o[Pw'(i_rsp_port)] <= 1'b1;
      ifetch_rsp_o[Pw'(i_rsp_port)] <= '{wave: i_rsp_want.wave, epoch: i_rsp_want.count,
          status: i_rsp_status, pad0: '0, data: i_rsp_data[7:0]};
      pulse = 1'b1;
    end
    if (k_rsp_valid && !hold_all_i) begin
      smem_rsp_valid_o[Pw'(k_rsp_port)] <= 1'b1;
      smem_rsp_o[Pw'(k_rsp_port)] <= '{wave: k_rsp_want.wave, status: k_rsp_status,
          dwords: k_rsp_want.count, op: k_rsp_want.store ? SMEM_STORE : SMEM_LOAD, tag: k_rsp_want.tag,
          va: k_rsp_va, data: k_rsp_data};
      pulse = 1'b1;
    end
    if (discard_i) begin
      plain_some = '0;
      for (int unsigned c = 0; c < Cus; c++) plain_count[c] = 32'd0;
    end
    if (plain_some != '0 && !hold_take_i) begin
      /* verilator unroll_full */
      for (int unsigned c = 0; c < Cus; c++) begin
        taken = plain_some[c] && !(k_rsp_valid && k_rsp_port == c[1:0]);
        if (taken) begin
          word = plain[c*PlainRoom+plain_head[c]];
          answer = '0;
          answer.op     = word[47:40];
          answer.wave   = word[39:32];
          answer.tag    = word[31:0];
          answer.dwords = answer.op == SMEM_MEMTIME ? 8'd2 : 8'd0;
          answer.data   = answer.op == SMEM_MEMTIME ? {448'd0, cycle_i} : '0;
          plain_inv = plain_inv | (answer.op == SMEM_DCACHE_INV);
          smem_rsp_o[c] <= answer;
          smem_rsp_valid_o[c] <= 1'b1;
          plain_head[c]  = (plain_head[c] + 32'd1) & (PlainRoom - 1);
          plain_count[c] = plain_count[c] - 32'd1;
          plain_some[c]  = plain_count[c] != 32'd0;
        end
      end
      pulse = 1'b1;
    end
    if (smem_req_valid_i != '0) begin
      /* verilator unroll_full */
      for (int unsigned c = 0; c < Cus; c++) begin
        if (smem_req_valid_i[c] && smem_req_i[c].op != SMEM_LOAD && smem_req_i[c].op != SMEM_STORE &&
            smem_req_i[c].op != SMEM_DATA) begin
          `GANTRY_CHECK(a_ring, plain_count[c] < PlainRoom)
          plain[c*PlainRoom+((plain_head[c]+plain_count[c])&(PlainRoom-1))] =
              {16'd0, smem_req_i[c].op, smem_req_i[c].wave, smem_req_i[c].tag};
          plain_count[c] = plain_count[c] + 32'd1;
          plain_some[c]  = 1'b1;
        end
      end
    end
    // answered when nothing translated before is under way: what is freed after the answer is out of reach.  One that another
    // follows leaves that to the last, whose answer waits for all accesses of before, whatever their pages are
    if (tlb_left && tlb_taken && i_drained && k_drained) begin
      tlb_left = 1'b0;
      maint_done_o <= 1'b1;
      pulse = 1'b1;
    end
    tlb_taken = tlb_left && (tlb_taken || inv_tlb);
    if (maint_valid_i || plain_inv) begin
      i_inv <= maint_valid_i && (maint_i.flags & 32'(CACHE_INV_L1I)) != '0;
      k_inv <= plain_inv
          || (maint_valid_i && (maint_i.flags & 32'(CACHE_INV_L1K)) != '0);
      inv_tlb      <= maint_valid_i && (maint_i.flags & 32'(CACHE_INV_TLB)) != '0;
      inv_pages    <= tlb_pkg::inv_of(maint_i.vmid, maint_i.root, maint_i.bytes);
      tlb_left = tlb_left || (maint_valid_i && (maint_i.flags & 32'(CACHE_INV_TLB)) != '0 &&
                              (maint_i.flags & 32'(CACHE_MORE)) == '0);
      prime        <= maint_valid_i && maint_i.op == CTL_FETCH;
      prime_vmid   <= maint_i.vmid;
      prime_va     <= maint_i.root;
      if (maint_valid_i && !tlb_left) maint_done_o <= 1'b1;  // beside s_dcache_inv the answer above stays
      pulse = 1'b1;
    end
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Cus; c++) begin
        plain_head[c]  = 32'd0;
        plain_count[c] = 32'd0;
      end
      plain_some = '0;
      {tlb_left, tlb_taken} = '0;
      {mem_req_valid_o, maint_done_o} <= '0;
    end
    busy_q <= pulse || (plain_some != '0 && !hold_take_i) || (tlb_left && inv_tlb);
  end
  /* verilator lint_on BLKSEQ */
  assign idle_o = i_idle && k_idle && !busy_q && !send && (hold_all_i || (!i_rsp_valid && !k_rsp_valid));
  assign finished_o = i_finished && k_finished;
  logic unused;
  assign unused = ^{mem_rsp_i.op, mem_rsp_i.source, mem_rsp_i.gpu, mem_rsp_i.tag[31:6]};
  // ---- assertions
  localparam int unsigned Any = 32'hffff_ffff;
  for (genvar c = 0; c < Cus; c++) begin : gen_check_cu
    // a fetch, an access and an operation without one are each answered once, as what they are
    logic fetched, accessed, done, access, plain_req;
    assign fetched   = ifetch_rsp_valid_o[c];
    assign accessed  = smem_rsp_valid_o[c] && (smem_rsp_o[c].op == SMEM_LOAD || smem_rsp_o[c].op == SMEM_STORE);
    assign done      = smem_rsp_valid_o[c] && !accessed;
    assign access    = smem_req_valid_i[c] && (smem_req_i[c].op == SMEM_LOAD || smem_req_i[c].op == SMEM_STORE);
    assign plain_req = smem_req_valid_i[c] && !access && smem_req_i[c].op != SMEM_DATA;
    `STREAM_BOUND(a_fetches, Any, ifetch_req_valid_i[c], fetched)
    `STREAM_BOUND(a_accesses, Any, access, accessed)
    `STREAM_BOUND(a_plain, Any, plain_req, done)
  end
  // answers name an entry of one of the caches
  `GANTRY_ASSERT(a_data, `GANTRY_IMPL(mem_rsp_valid_i, mem_rsp_i.tag[31:6] == '0))
  // a command is answered once, and that of the TLBs which no other follows when no access by an older translation is under way
  `STREAM_BOUND(a_command, 1, maint_valid_i, maint_done_o)
  logic waits_q;
  always_ff @(posedge clk_i) begin
    if (maint_valid_i) waits_q <= (maint_i.flags & (32'(CACHE_INV_TLB) | 32'(CACHE_MORE))) == 32'(CACHE_INV_TLB);
  end
  `STREAM_ASSERT(a_drained, maint_done_o && waits_q, i_drained && k_drained)
endmodule
