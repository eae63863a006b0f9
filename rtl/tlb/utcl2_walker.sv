// SPDX-License-Identifier: Apache-2.0
// Page walker behind the L2 TLB: several walks in flight, three levels (host/vm/pagetable.h), one table read a cycle
// through MEM_READ_NC to the slice that holds the table, a small cache of second-level entries that shortens most
// walks to one read (or none below a 2 MiB leaf).  Responsible for: roots of the address spaces, redoing walks whose
// address space was invalidated under way.  Not responsible for: merging equal misses, waiting requests (part_utcl2).
`include "gantry_assert.svh"

module utcl2_walker
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Walks = 16,    // at most 64
  parameter int unsigned Slices = 16,
  parameter int unsigned Cached = 64,   // second-level entries kept, power of two
  parameter int unsigned Depth = 16,    // credits towards the crossbar
  parameter bit [2:0] SeedFault = 3'd0  // bench only: 2 no redo, 3 no page number below a 2 MiB leaf, 4 stale roots
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic              [ 7:0] gpu_i,
  input  logic                     start_valid_i,   // into a walk that is free
  input  logic              [ 5:0] start_walk_i,
  input  logic              [ 7:0] start_vmid_i,
  input  logic              [27:0] start_vpn_i,
  input  logic                     inv_valid_i,     // forget what is known of a VMID (255: all)
  input  logic              [ 7:0] inv_vmid_i,
  input  logic                     root_valid_i,
  input  logic              [ 7:0] root_vmid_i,
  input  logic              [63:0] root_i,
  output logic                     done_valid_o,    // one a cycle; the walk is free again
  output logic              [ 5:0] done_walk_o,
  output logic              [63:0] done_pte_o,      // 4 KiB entry; 0: no translation
  output logic                     mem_req_valid_o,
  output mem_req_t                 mem_req_o,
  input  logic                     mem_req_credit_i,
  input  logic                     mem_rsp_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_rsp_t                 mem_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic              [63:0] reads_o,
  output logic                     idle_o
);
  localparam logic [31:0] CacheMask = 32'(Cached - 1);

  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [63:0] root[256];
  logic [63:0] vpn[Walks], vmid[Walks];
  logic [63:0] at[Walks];          // physical address of the entry to read next
  logic [31:0] level[Walks];
  logic [63:0] result[Walks];
  logic [63:0] begin_set, read_set, wait_set, done_set, redo_set;  // where each walk stands
  logic [63:0] known_tag[Cached];  // {valid, vmid, vpn[27:9]}
  logic [63:0] known[Cached];
  logic [31:0] w, index, credits;
  logic [63:0] bit_w, entry, address, wanted, reads;
  logic sent, rests;
  logic [63:0] begin_q, read_q, wait_q, done_q, redo_q;  // as they are between two edges, for the assertions
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [31:0] cache_index(input logic [63:0] page);
    return (32'(page[27:9]) ^ 32'(page[27:15])) & CacheMask;
  endfunction

  function automatic logic [63:0] cache_tag(input logic [63:0] space, input logic [63:0] page);
    return {36'd0, 1'b1, space[7:0], page[27:9]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // nothing is looked at while no walk can move and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || start_valid_i || inv_valid_i || root_valid_i || mem_req_credit_i || mem_rsp_valid_i || !rst_ni) begin
      sent = 1'b0;
      // ---- roots and invalidation
      if (root_valid_i && SeedFault != 3'd4) root[root_vmid_i] = root_i;
      if (inv_valid_i || root_valid_i) begin
        entry = {56'd0, root_valid_i ? root_vmid_i : inv_vmid_i};
        for (int unsigned i = 0; i < Cached; i++)
          known_tag[i] = entry[7:0] == tlb_pkg::VMID_ALL || known_tag[i][26:19] == entry[7:0] ? 64'd0 : known_tag[i];
        for (int unsigned i = 0; i < Walks; i++) begin
          bit_w    = 64'd1 << i;
          bit_w    = entry[7:0] == tlb_pkg::VMID_ALL || vmid[i] == entry ? bit_w : 64'd0;
          redo_set = redo_set | (bit_w & (read_set | wait_set | done_set));
        end
      end
      // ---- hand out a finished walk
      done_valid_o <= 1'b0;
      if (done_set != 64'd0) begin
        w     = 32'(pick_pkg::first64(done_set));
        bit_w = 64'd1 << w[5:0];
        done_set = done_set & ~bit_w;
        sent     = 1'b1;
        if ((redo_set & bit_w) != 64'd0 && SeedFault != 3'd2) begin
          begin_set = begin_set | bit_w;
        end else begin
          done_valid_o <= 1'b1;
          done_walk_o  <= w[5:0];
          done_pte_o   <= result[w];
        end
        redo_set = redo_set & ~bit_w;
      end
      // ---- begin: from the root, or from what is known of the second level
      if (begin_set != 64'd0) begin
        w     = 32'(pick_pkg::first64(begin_set));
        bit_w = 64'd1 << w[5:0];
        begin_set = begin_set & ~bit_w;
        sent      = 1'b1;
        index     = cache_index(vpn[w]);
        entry     = known[index];
        address   = root[vmid[w][7:0]];
        if (address == 64'd0) begin
          result[w] = 64'd0;
          done_set  = done_set | bit_w;
        end else if (known_tag[index] == cache_tag(vmid[w], vpn[w])) begin
          level[w]  = 32'd2;
          at[w]     = {8'd0, entry[55:12], 12'd0} + {52'd0, vpn[w][8:0], 3'd0};
          result[w] = {8'd0, entry[55:12] + {35'd0, vpn[w][8:0]}, entry[11:0]};
          if (entry[4]) done_set = done_set | bit_w;
          else read_set = read_set | bit_w;
        end else begin
          level[w] = 32'd0;
          at[w]    = address + {51'd0, vpn[w][27:18], 3'd0};
          read_set = read_set | bit_w;
        end
      end
      // ---- an entry arrived
      if (mem_rsp_valid_i) begin
        w        = 32'(mem_rsp_i.tag[5:0]);
        bit_w    = 64'd1 << w[5:0];
        wait_set = wait_set & ~bit_w;
        entry    = mem_rsp_i.status == MEM_OK ? mem_rsp_i.data[at[w][5:3]] : 64'd0;
        address  = {8'd0, entry[55:12], 12'd0};
        if (level[w] == 32'd1 && entry[0] && (redo_set & bit_w) == 64'd0) begin
          index            = cache_index(vpn[w]);
          known_tag[index] = cache_tag(vmid[w], vpn[w]);
          known[index]     = entry;
        end
        if (!entry[0] || (redo_set & bit_w) != 64'd0 || level[w] == 32'd2 || entry[4]) begin
          // a leaf at the root level or a table at the last one is no translation
          result[w] = !entry[0] || entry[4] != (level[w] != 32'd0) || (level[w] == 32'd2 && !entry[4]) ? 64'd0 : entry;
          if (level[w] == 32'd1 && entry[0] && SeedFault != 3'd3)
            result[w] = {8'd0, entry[55:12] + {35'd0, vpn[w][8:0]}, entry[11:0]};
          done_set = done_set | bit_w;
        end else begin
          at[w]    = address + {52'd0, level[w] == 32'd0 ? vpn[w][17:9] : vpn[w][8:0], 3'd0};
          level[w] = level[w] + 32'd1;
          read_set = read_set | bit_w;
        end
      end
      // ---- start
      if (start_valid_i) begin
        w         = 32'(start_walk_i);
        vpn[w]    = {36'd0, start_vpn_i};
        vmid[w]   = {56'd0, start_vmid_i};
        begin_set = begin_set | (64'd1 << w[5:0]);
      end
      // ---- one read a cycle
      mem_req_valid_o <= 1'b0;
      if (mem_req_credit_i) credits = credits + 32'd1;
      if (read_set != 64'd0 && credits != 32'd0) begin
        w        = 32'(pick_pkg::first64(read_set));
        bit_w    = 64'd1 << w[5:0];
        read_set = read_set & ~bit_w;
        wait_set = wait_set | bit_w;
        credits  = credits - 32'd1;
        sent     = 1'b1;
        reads    = reads + 64'd1;
        address  = {at[w][63:6], 6'd0};
        mem_req_valid_o <= 1'b1;
        mem_req_o <= '{op: MEM_READ_NC, target: tlb_pkg::pa_target(address, gpu_i, 8'(Slices)), vmid: vmid[w][7:0],
                       tag: w, addr: address, gpu: gpu_i, default: '0};
      end
      {begin_q, read_q, wait_q, done_q, redo_q} <= {begin_set, read_set, wait_set, done_set, redo_set};
      wanted  = begin_set | read_set | done_set;
      reads_o <= reads;
      rests   = wanted == 64'd0 && !sent;
      idle_o  <= rests;
      if (!rst_ni) begin
        for (int unsigned i = 0; i < 256; i++) root[i] = 64'd0;
        for (int unsigned i = 0; i < Cached; i++) known_tag[i] = 64'd0;
        begin_set = 64'd0;
        read_set  = 64'd0;
        wait_set  = 64'd0;
        done_set  = 64'd0;
        redo_set  = 64'd0;
        credits   = Depth;
        reads     = 64'd0;
        done_valid_o    <= 1'b0;
        mem_req_valid_o <= 1'b0;
        idle_o          <= 1'b1;
        {begin_q, read_q, wait_q, done_q, redo_q} <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  logic [63:0] busy;
  assign busy = begin_q | read_q | wait_q | done_q;
  // a walk that is under way stands at one place; one to be redone is under way with what it has read
  `GANTRY_ASSERT(a_place, $countones(begin_q) + $countones(read_q) + $countones(wait_q) + $countones(done_q) ==
                          $countones(busy))
  `GANTRY_ASSERT(a_redo, (redo_q & ~(read_q | wait_q | done_q)) == '0)
  // it starts when it is free, ends once, and has one read under way
  `GANTRY_ASSERT(a_walk, `GANTRY_IMPL(start_valid_i, 32'(start_walk_i) < Walks && !busy[start_walk_i]))
  `STREAM_BOUND(a_walks, Walks, start_valid_i, done_valid_o)
  `GANTRY_ASSERT(a_answer, `GANTRY_IMPL(mem_rsp_valid_i, mem_rsp_i.tag < Walks && wait_q[mem_rsp_i.tag[5:0]]))
  `STREAM_BOUND(a_reads, Walks, mem_req_valid_o, mem_rsp_valid_i)
  `STREAM_BOUND(a_credit, Depth, mem_req_valid_o, mem_req_credit_i)
  // at rest only reads are under way
  `STREAM_ASSERT(a_idle, idle_o, busy == wait_q && !done_valid_o && !mem_req_valid_o)
endmodule
