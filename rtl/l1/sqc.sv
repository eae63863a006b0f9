// SPDX-License-Identifier: Apache-2.0
// Sequencer cache of a group of up to four CUs: instruction cache and scalar data cache behind one crossbar port.
// Responsible for: ports of the CUs, scalar operations without data (s_memtime, cache invalidation), requests to the
// crossbar with credits, maintenance commands. Not responsible for: the caches themselves (sqc_cache.sv).
`include "gantry_assert.svh"

module sqc
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned NumSlices = 16,
  parameter int unsigned IKib = 32,
  parameter int unsigned IWays = 4,
  parameter int unsigned KKib = 16,
  parameter int unsigned KWays = 4,
  parameter int unsigned TlbEntries = 64,
  parameter int unsigned Credits = 16,
  parameter bit SeedBug = 1'b0
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
  input  logic                  blk_cmd_valid_i,
  input  blk_cmd_t              blk_cmd_i,
  output logic                  blk_evt_valid_o,
  output blk_evt_t              blk_evt_o,
  output logic        [    7:0] count_o  // pulses: scalar cache {tlb miss, tlb hit, miss, hit}, instruction cache same
);
  localparam int unsigned Pw = Cus > 1 ? $clog2(Cus) : 1;
  localparam int unsigned PlainRoom = 16;  // operations without data of one CU: fewer than its scalar requests

  logic [1:0] c_idle, c_rsp_valid, c_miss_valid, c_miss_xlat, c_miss_ready, c_fill_valid, inv_lines;
  logic [1:0] c_rsp_port[2];
  logic [7:0] c_rsp_status[2], c_miss_vmid[2], inv_vmid;
  logic [63:0] c_rsp_va[2], c_miss_addr[2];
  logic [47:0] c_rsp_cookie[2];
  logic [15:0][31:0] c_rsp_data[2];
  logic [3:0] c_miss_entry[2], c_count[2];
  logic [Cus-1:0] c_req_valid[2];
  logic [Cus-1:0][63:0] c_req_va[2];
  logic [Cus-1:0][7:0] c_req_vmid[2];
  logic [Cus-1:0][47:0] c_req_cookie[2];
  logic inv_tlb, room, send, choice, busy_q;

  for (genvar c = 0; c < int'(Cus); c++) begin : gen_port
    assign c_req_valid[0][c]  = ifetch_req_valid_i[c];
    assign c_req_va[0][c]     = ifetch_req_i[c].va;
    assign c_req_vmid[0][c]   = ifetch_req_i[c].vmid;
    assign c_req_cookie[0][c] = {32'd0, ifetch_req_i[c].wave, ifetch_req_i[c].epoch};
    assign c_req_valid[1][c]  = smem_req_valid_i[c] && smem_req_i[c].op == SMEM_LOAD;
    assign c_req_va[1][c]     = smem_req_i[c].va;
    assign c_req_vmid[1][c]   = smem_req_i[c].vmid;
    assign c_req_cookie[1][c] = {smem_req_i[c].tag, smem_req_i[c].wave, smem_req_i[c].dwords};
  end
  for (genvar k = 0; k < 2; k++) begin : gen_cache
    assign c_fill_valid[k] = mem_rsp_valid_i && mem_rsp_i.tag[5] == 1'(k);
    sqc_cache #(
      .Scalar(k == 1), .Cus(Cus), .Kib(k == 1 ? KKib : IKib), .Ways(k == 1 ? KWays : IWays),
      .TlbEntries(TlbEntries), .Depth(k == 1 ? 32 : 128), .SeedBug(SeedBug)
    ) u_cache (
      .clk_i, .rst_ni,
      .req_valid_i(c_req_valid[k]), .req_va_i(c_req_va[k]), .req_vmid_i(c_req_vmid[k]),
      .req_cookie_i(c_req_cookie[k]),
      .rsp_valid_o(c_rsp_valid[k]), .rsp_port_o(c_rsp_port[k]), .rsp_status_o(c_rsp_status[k]),
      .rsp_va_o(c_rsp_va[k]), .rsp_cookie_o(c_rsp_cookie[k]), .rsp_data_o(c_rsp_data[k]),
      .miss_valid_o(c_miss_valid[k]), .miss_xlat_o(c_miss_xlat[k]), .miss_entry_o(c_miss_entry[k]),
      .miss_vmid_o(c_miss_vmid[k]), .miss_addr_o(c_miss_addr[k]), .miss_ready_i(c_miss_ready[k]),
      .fill_valid_i(c_fill_valid[k]), .fill_xlat_i(mem_rsp_i.tag[4]), .fill_entry_i(mem_rsp_i.tag[3:0]),
      .fill_status_i(mem_rsp_i.status), .fill_data_i(mem_rsp_i.data),
      .inv_lines_i(inv_lines[k]), .inv_tlb_i(inv_tlb), .inv_vmid_i(inv_vmid),
      .count_o(c_count[k]), .idle_o(c_idle[k]));
  end
  assign count_o = {c_count[1], c_count[0]};

  // ---- crossbar port: instruction misses first (a wavefront without instructions does nothing at all)
  credit_counter #(.Depth(Credits)) u_credit (
    .clk_i, .rst_ni, .spend_i(send), .credit_i(mem_req_credit_i), .available_o(room), .count_o());
  assign send         = room && c_miss_valid != '0;
  assign choice       = !c_miss_valid[0];
  assign c_miss_ready = send ? 2'b01 << choice : 2'b00;

  /* verilator lint_off BLKSEQ */
  // operations without data wait here for a free cycle of their CU's answer port: {op, wave, tag}
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
    blk_evt_valid_o    <= 1'b0;
    inv_lines          <= '0;
    inv_tlb            <= 1'b0;
    pulse     = 1'b0;
    plain_inv = 1'b0;
    if (send) begin
      req = '0;
      req.op     = c_miss_xlat[choice] ? MEM_XLAT : MEM_READ;
      req.vmid   = c_miss_vmid[choice];
      req.access = choice ? tlb_pkg::ACCESS_READ : tlb_pkg::ACCESS_EXECUTE;
      req.tag    = {26'd0, choice, c_miss_xlat[choice], c_miss_entry[choice]};
      req.addr   = c_miss_addr[choice];
      req.target = c_miss_xlat[choice] ? tlb_pkg::xlat_target(8'(NumSlices))
                                       : tlb_pkg::pa_target(req.addr, own_gpu_i, 8'(NumSlices));
      mem_req_o       <= req;
      mem_req_valid_o <= 1'b1;
      pulse = 1'b1;
    end
    if (c_rsp_valid[0]) begin
      ifetch_rsp_valid_o[Pw'(c_rsp_port[0])] <= 1'b1;
      ifetch_rsp_o[Pw'(c_rsp_port[0])] <= '{wave: c_rsp_cookie[0][15:8], epoch: c_rsp_cookie[0][7:0],
          status: c_rsp_status[0], pad0: '0, data: c_rsp_data[0][7:0]};
      pulse = 1'b1;
    end
    if (c_rsp_valid[1]) begin
      smem_rsp_valid_o[Pw'(c_rsp_port[1])] <= 1'b1;
      smem_rsp_o[Pw'(c_rsp_port[1])] <= '{wave: c_rsp_cookie[1][15:8], status: c_rsp_status[1],
          dwords: c_rsp_cookie[1][7:0], op: SMEM_LOAD, tag: c_rsp_cookie[1][47:16],
          va: c_rsp_va[1], data: c_rsp_data[1]};
      pulse = 1'b1;
    end
    if (plain_some != '0) begin
      for (int unsigned c = 0; c < Cus; c++) begin
        taken = plain_some[c] && !(c_rsp_valid[1] && c_rsp_port[1] == c[1:0]);
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
      for (int unsigned c = 0; c < Cus; c++) begin
        if (smem_req_valid_i[c] && smem_req_i[c].op != SMEM_LOAD) begin
          plain[c*PlainRoom+((plain_head[c]+plain_count[c])&(PlainRoom-1))] =
              {16'd0, smem_req_i[c].op, smem_req_i[c].wave, smem_req_i[c].tag};
          plain_count[c] = plain_count[c] + 32'd1;
          plain_some[c]  = 1'b1;
        end
      end
    end
    if (blk_cmd_valid_i || plain_inv) begin
      inv_lines[0] <= blk_cmd_valid_i && blk_cmd_i.kind == BLK_INV && (blk_cmd_i.flags & 32'(CACHE_INV_L1I)) != '0;
      inv_lines[1] <= plain_inv
          || (blk_cmd_valid_i && blk_cmd_i.kind == BLK_INV && (blk_cmd_i.flags & 32'(CACHE_INV_L1K)) != '0);
      inv_tlb      <= blk_cmd_valid_i && blk_cmd_i.kind == BLK_INV && (blk_cmd_i.flags & 32'(CACHE_INV_TLB)) != '0;
      inv_vmid     <= blk_cmd_i.vmid;
      blk_evt_valid_o <= blk_cmd_valid_i;
      blk_evt_o       <= '{kind: blk_cmd_i.kind, pad0: '0};
      pulse = 1'b1;
    end
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Cus; c++) begin
        plain_head[c]  = 32'd0;
        plain_count[c] = 32'd0;
      end
      plain_some = '0;
      {mem_req_valid_o, blk_evt_valid_o} <= '0;
    end
    busy_q <= pulse || plain_some != '0;
  end
  /* verilator lint_on BLKSEQ */
  assign idle_o = c_idle == 2'b11 && !busy_q && !send && c_rsp_valid == '0;
  logic unused;
  assign unused = ^{blk_cmd_i.pad0, blk_cmd_i.root, mem_rsp_i.op, mem_rsp_i.source, mem_rsp_i.gpu, mem_rsp_i.tag[31:6]};
  `GANTRY_ASSERT(a_data, `GANTRY_IMPL(mem_rsp_valid_i, mem_rsp_i.tag[31:6] == '0))
endmodule
