// SPDX-License-Identifier: Apache-2.0
// Page walker behind the L2 TLB: several walks in flight, three levels (host/vm/pagetable.h), one table read a cycle
// through MEM_READ_NC to the slice that holds the table, a page-walk cache of entries of the two upper levels, which shortens
// most walks to one read (none below a 2 MiB leaf).  Responsible for: roots of the address spaces, redoing walks
// whose pages were invalidated under way.  Not responsible for: merging equal misses, waiting requests (utcl2_tlb), what
// entries mean (utcl2_walks_pkg).
`include "gantry_assert.svh"

module utcl2_walker
  import gantry_msg_pkg::*;
  import tlb_pkg::*;
  import utcl2_walks_pkg::*;
#(
  parameter int unsigned Walks = 16,       // at most 64
  parameter int unsigned Slices = 16,
  parameter int unsigned Cached = 64,      // entries of middle tables kept, power of two
  parameter int unsigned CachedRoots = 8,  // of root tables
  parameter int unsigned Depth = 16        // credits towards the crossbar
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic       [ 7:0] gpu_i,
  input  logic              hold_i,          // send nothing; answers are put into their walks
  input  logic              start_valid_i,   // into a walk that is free
  input  logic       [ 5:0] start_walk_i,
  input  vmid_t             start_vmid_i,
  input  vpn_t              start_vpn_i,
  input  logic              inv_valid_i,     // forget what is known of these pages
  input  inv_t              inv_i,
  input  logic              root_valid_i,    // with an invalidation: the new root of its space
  input  logic       [63:0] root_i,
  output logic              done_valid_o,    // one a cycle; the walk is free again
  output logic       [ 5:0] done_walk_o,
  output logic       [63:0] done_pte_o,      // 4 KiB entry; bit 0 clear: no translation
  output logic              mem_req_valid_o,
  output mem_req_t          mem_req_o,
  input  logic              mem_req_credit_i,
  input  logic              mem_rsp_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_rsp_t          mem_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic       [63:0] reads_o,
  output logic              idle_o
);
  localparam int unsigned Ww = Walks > 1 ? $clog2(Walks) : 1;

  /* verilator lint_off BLKSEQ */
  logic [63:0] root[256];    // a memory, which a reset does not clear
  logic [255:0] root_known;  // spaces that have got one since the reset; that of the others is 0
  walk_t walk[Walks];
  logic [63:0] result[Walks];
  logic [63:0] begin_set, read_set, wait_set, done_set, redo_set;  // where each walk stands
  known_t known_middle[Cached], known_root[CachedRoots];
  logic [5:0] turn;  // of walks that want to read
  logic [8:0] credits;
  logic [63:0] reads;
  // temporaries
  logic [Ww-1:0] w;
  logic [63:0] bit_w, entry;
  logic [55:0] address;
  known_t middle, upper;
  step_t step;
  logic sent, rests;
  logic held_q;  // hold_i at the last edge
  logic [63:0] begin_q, read_q, wait_q, done_q, redo_q;  // as they are between two edges, for the assertions

  function automatic logic [31:0] middle_index(input vpn_t vpn);
    return 32'(region_hash(region_of(LevelMiddle, vpn))) & (Cached - 1);
  endfunction

  function automatic logic [31:0] root_index(input vpn_t vpn);
    return 32'(region_of(LevelRoot, vpn)) & (CachedRoots - 1);
  endfunction

  // nothing is looked at while no walk can move and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || held_q != hold_i || start_valid_i || inv_valid_i || mem_req_credit_i || mem_rsp_valid_i ||
        !rst_ni) begin
      sent = 1'b0;
      // ---- roots and invalidation
      if (inv_valid_i) begin
        if (root_valid_i) begin
          root[inv_i.vmid] <= root_i;
          root_known[inv_i.vmid] = 1'b1;
        end
        foreach (known_middle[i]) begin
          if (known_named(known_middle[i], LevelMiddle, inv_i)) known_middle[i].valid = 1'b0;
        end
        foreach (known_root[i]) begin
          if (known_named(known_root[i], LevelRoot, inv_i)) known_root[i].valid = 1'b0;
        end
        foreach (walk[i]) begin
          bit_w    = utcl2_misses_pkg::walk_stale(inv_i, walk[i].vmid, walk[i].vpn) ? 64'd1 << i : 64'd0;
          redo_set = redo_set | (bit_w & (read_set | wait_set | done_set));
        end
      end
      // ---- hand out a finished walk
      done_valid_o <= 1'b0;
      if (done_set != 64'd0) begin
        w     = Ww'(pick_pkg::first64(done_set));
        bit_w = 64'd1 << w;
        done_set = done_set & ~bit_w;
        sent     = 1'b1;
        if ((redo_set & bit_w) != 64'd0) begin
          begin_set = begin_set | bit_w;
        end else begin
          done_valid_o <= 1'b1;
          done_walk_o  <= 6'(w);
          done_pte_o   <= result[w];
        end
        redo_set = redo_set & ~bit_w;
      end
      // ---- begin: from the root, or from what is known of the upper levels
      if (begin_set != 64'd0) begin
        w     = Ww'(pick_pkg::first64(begin_set));
        bit_w = 64'd1 << w;
        begin_set = begin_set & ~bit_w;
        sent      = 1'b1;
        middle = known_middle[middle_index(walk[w].vpn)];
        upper  = known_root[root_index(walk[w].vpn)];
        entry  = root_known[walk[w].vmid] ? root[walk[w].vmid] : 64'd0;
        if (root_valid_i && inv_i.vmid == walk[w].vmid) entry = root_i;  // which is being written
        step   = '{ends: entry == 64'd0, pte: 64'd0, level: LevelRoot, at: entry[55:0] + place(LevelRoot, walk[w].vpn)};
        if (entry != 64'd0 && known_hit(middle, LevelMiddle, walk[w].vmid, walk[w].vpn))
          step = utcl2_walks_pkg::read(LevelMiddle, middle.entry, walk[w].vpn);
        else if (entry != 64'd0 && known_hit(upper, LevelRoot, walk[w].vmid, walk[w].vpn))
          step = utcl2_walks_pkg::read(LevelRoot, upper.entry, walk[w].vpn);
        walk[w].level = step.level;
        walk[w].at    = step.at;
        result[w]     = step.pte;
        if (step.ends) done_set = done_set | bit_w;
        else read_set = read_set | bit_w;
      end
      // ---- an entry arrived
      if (mem_rsp_valid_i) begin
        w        = mem_rsp_i.tag[Ww-1:0];
        bit_w    = 64'd1 << w;
        wait_set = wait_set & ~bit_w;
        entry    = mem_rsp_i.status == MEM_OK ? mem_rsp_i.data[walk[w].at[5:3]] : 64'd0;
        step     = utcl2_walks_pkg::read(walk[w].level, entry, walk[w].vpn);
        // one older than an invalidation is not kept
        if (entry[0] && walk[w].level != LevelLeaf && (redo_set & bit_w) == 64'd0) begin
          middle = '{valid: 1'b1, vmid: walk[w].vmid, region: region_of(walk[w].level, walk[w].vpn), entry: entry};
          if (walk[w].level == LevelMiddle) known_middle[middle_index(walk[w].vpn)] = middle;
          else known_root[root_index(walk[w].vpn)] = middle;
        end
        walk[w].level = step.level;
        walk[w].at    = step.at;
        result[w]     = step.pte;
        if (step.ends || (redo_set & bit_w) != 64'd0) done_set = done_set | bit_w;
        else read_set = read_set | bit_w;
      end
      // ---- start
      if (start_valid_i) begin
        w = start_walk_i[Ww-1:0];
        walk[w].vmid = start_vmid_i;
        walk[w].vpn  = start_vpn_i;
        begin_set = begin_set | (64'd1 << start_walk_i);
      end
      // ---- one read a cycle
      mem_req_valid_o <= 1'b0;
      if (mem_req_credit_i) credits = credits + 9'd1;
      if (read_set != 64'd0 && credits != 9'd0 && !hold_i) begin
        w        = Ww'(pick_pkg::rr64(read_set, turn));
        turn     = 6'(w) + 6'd1;
        bit_w    = 64'd1 << w;
        read_set = read_set & ~bit_w;
        wait_set = wait_set | bit_w;
        credits  = credits - 9'd1;
        sent     = 1'b1;
        reads    = reads + 64'd1;
        address  = {walk[w].at[55:6], 6'd0};
        mem_req_valid_o <= 1'b1;
        mem_req_o <= '{op: MEM_READ_NC, target: pa_target(64'(address), gpu_i, 8'(Slices)), vmid: walk[w].vmid,
                       tag: 32'(w), addr: 64'(address), gpu: gpu_i, default: '0};
      end
      {begin_q, read_q, wait_q, done_q, redo_q} <= {begin_set, read_set, wait_set, done_set, redo_set};
      reads_o <= reads;
      rests   = (begin_set | done_set) == 64'd0 && (read_set == 64'd0 || hold_i) && !sent;
      held_q <= hold_i;
      idle_o  <= rests;
      if (!rst_ni) begin
        root_known = 256'd0;  // with the root of a space what is known of it goes
        begin_set = 64'd0;
        read_set  = 64'd0;
        wait_set  = 64'd0;
        done_set  = 64'd0;
        redo_set  = 64'd0;
        turn      = 6'd0;
        credits   = 9'(Depth);
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
  // a new root comes with an invalidation of its space
  `STREAM_ASSERT(a_root, root_valid_i, inv_valid_i && inv_i.whole && inv_i.vmid != VMID_ALL)
  // at rest only reads are under way, or held
  `STREAM_ASSERT(a_idle, idle_o, (busy == wait_q || (held_q && busy == (wait_q | read_q))) && !done_valid_o &&
                 !mem_req_valid_o)
endmodule
