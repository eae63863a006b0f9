// SPDX-License-Identifier: Apache-2.0
// L2 TLB of one GPU: answers MEM_XLAT requests with the leaf entry of the 4 KiB page, from a set-associative table or
// by walking the page table (host/vm/pagetable.h) with MEM_READ_NC requests.
// Responsible for: table, merging of equal misses, walks in flight, rights check, invalidation by VMID, root registers.
// Not responsible for: sums of counters (part_utcl2), first-level TLBs (tlb_l1), L2 lines that hold page tables.
//
// One pipeline: look up or fill or sweep a row (issue, tag memory, compare), then entry memory and answer.  Lookups
// leave the queue when their compare is done; one that needs a walk while none is free is looked up again later.
// See docs/reference/tlb.md.
`include "gantry_assert.svh"

module utcl2
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Entries = 4096,  // power of two
  parameter int unsigned Ways = 8,        // power of two, at most Entries
  parameter int unsigned Walks = 16,      // walks in flight, 1..64
  parameter int unsigned NumSlices = 16,  // power of two
  parameter int unsigned Depth = 16,      // credits of every channel end, power of two
  parameter bit [2:0] SeedFault = 3'd0    // bench only: 1 merge across VMIDs, 2 walks survive invalidation,
                                          // 3 page number missing below a 2 MiB leaf, 4 way 0 survives invalidation
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic     [ 7:0] own_gpu_i,
  output logic            idle_o,
  // requests for translation
  input  logic            mem_req_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_req_t        mem_req_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic            mem_req_credit_o,
  output logic            mem_rsp_valid_o,
  output mem_rsp_t        mem_rsp_o,
  input  logic            mem_rsp_credit_i,
  // reads of page tables
  output logic            mem_req_valid_o,
  output mem_req_t        mem_req_o,
  input  logic            mem_req_credit_i,
  input  logic            mem_rsp_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_rsp_t        mem_rsp_i,
  // maintenance
  input  logic            blk_cmd_valid_i,
  input  blk_cmd_t        blk_cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic            blk_evt_valid_o,
  output blk_evt_t        blk_evt_o,
  output logic     [ 5:0] count_o           // one pulse an event: {walk read, fault, walk, merged, miss, hit}
);
  localparam int unsigned Sets = Entries / Ways;
  localparam int unsigned Sw = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned Ew = $clog2(Entries);
  localparam int unsigned Waiters = 64;     // requests that wait for walks
  localparam logic [63:0] WalkMask = ~64'd0 >> (64 - Walks);
  localparam logic [31:0] OP_NONE = 32'd0, OP_LOOKUP = 32'd1, OP_FILL = 32'd2, OP_SWEEP = 32'd3;

  // ---- memories: tags {0, 1, vmid, page} by set with a lane a way, entries by {set, way}
  logic [Ways-1:0] tag_we;
  logic [Sw-1:0] tag_waddr, tag_raddr;
  logic [63:0] tag_wdata, pte_wdata, pte_rdata;
  logic [Ways-1:0][63:0] tag_rdata;
  logic tag_re, pte_we, pte_re;
  logic [Ew-1:0] pte_waddr, pte_raddr;
  ram_1r1w #(.Width(64 * Ways), .Depth(Sets), .Lanes(Ways)) u_tag (
    .clk_i, .we_i(tag_we), .waddr_i(tag_waddr), .wdata_i({Ways{tag_wdata}}), .re_i(tag_re), .raddr_i(tag_raddr),
    .rdata_o(tag_rdata));
  ram_1r1w #(.Width(64), .Depth(Entries)) u_pte (
    .clk_i, .we_i(pte_we), .waddr_i(pte_waddr), .wdata_i(pte_wdata), .re_i(pte_re), .raddr_i(pte_raddr),
    .rdata_o(pte_rdata));

  // ---- private state of the one block below
  // scratch and counters are words of the simulator: their upper bits stay zero or are not read
  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */
  // queue of requests: first to be committed, next to be issued, end
  logic [63:0] q_page[Depth];               // bit 37 beyond 40 bits, 36 one, 35:28 vmid, 27:0 page
  logic [31:0] q_tag[Depth], q_note[Depth]; // note {access, gpu, source}
  logic [31:0] commit, issue, tail, row;
  logic [31:0] room, read_room, slots;      // credits for answers, for reads; free waiters (lookups under way deducted)
  logic blocked;                            // the head needs a walk and none is free
  // pipeline: op1 reads tags, op2 compares; s3 reads the entry, s4 answers
  logic [31:0] op1, op2, arg1, arg2;        // arg: row of a sweep, walk of a fill
  logic s3, s4, s3_fault, s4_fault;
  logic [31:0] s3_tag, s4_tag, s3_note, s4_note;
  // walks; bit vectors by walk: in use, wants to read, wants to fill, wants to answer
  logic [63:0] w_busy, w_read, w_fill, w_answer;
  logic [63:0] w_key[Walks];                // page like q_page while others may merge and the result be kept, else 0
  logic [63:0] w_page[Walks], w_addr[Walks], w_pte[Walks];  // page; entry to read; result
  logic [31:0] w_level[Walks], w_status[Walks], w_first[Walks], w_last[Walks];
  logic [63:0] waiting;                     // waiters in use
  logic [31:0] n_tag[Waiters], n_note[Waiters], n_next[Waiters];
  logic [63:0] root[256];
  logic [255:0] has_root;
  logic [31:0] turn, read_turn;             // replacement; round robin of reads
  // sweep over all rows: invalidation, and clearing after reset
  logic sweep, sweep_event;
  logic [31:0] sweep_row;
  logic [7:0] sweep_vmid;
  // scratch
  logic [63:0] page, lane, pte;
  logic [31:0] way, w, n, f, tag, note, done_op;
  logic hit, kept, inv, go, event_go, freed, read_go;
  logic [Ways-1:0] write;
  logic [7:0] status;
  logic [5:0] pulse;

  function automatic logic [31:0] row_of(input logic [27:0] vpn);
    return 32'(tlb_pkg::vpn_hash(vpn)) & (Sets - 1);
  endfunction

  function automatic logic same_page(input logic [63:0] a, input logic [63:0] b);
    return SeedFault == 3'd1 ? a[36] && b[36] && a[27:0] == b[27:0] : a == b;
  endfunction

  function automatic logic of_vmid(input logic [63:0] key, input logic [7:0] vmid);
    return vmid == tlb_pkg::VMID_ALL || key[35:28] == vmid;
  endfunction

  // Physical address of the entry of `vpn` in a table at `base` (bits 55:12 count), by level.
  function automatic logic [63:0] entry_at(input logic [63:0] base, input logic [27:0] vpn, input logic [31:0] level);
    logic [9:0] index;
    index = level == 32'd0 ? vpn[27:18] : {1'b0, level == 32'd1 ? vpn[17:9] : vpn[8:0]};
    return {8'd0, base[55:12], 12'd0} + {51'd0, index, 3'd0};
  endfunction

  function automatic mem_rsp_t answer(input logic [63:0] entry, input logic [7:0] st, input logic [31:0] tg,
                                      input logic [31:0] nt);
    mem_rsp_t r;
    r         = '0;
    r.op      = MEM_XLAT;
    r.status  = st;
    r.source  = nt[7:0];
    r.gpu     = nt[15:8];
    r.tag     = tg;
    r.data[0] = entry;
    return r;
  endfunction

  function automatic mem_req_t read_line(input logic [63:0] addr, input logic [7:0] vmid, input logic [31:0] tg);
    mem_req_t r;
    r        = '0;
    r.op     = MEM_READ_NC;
    r.target = tlb_pkg::pa_target(addr, own_gpu_i, 8'(NumSlices));
    r.vmid   = vmid;
    r.gpu    = own_gpu_i;
    r.tag    = tg;
    r.addr   = {addr[63:6], 6'd0};
    return r;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin
    {go, event_go, freed, read_go, pulse, write} = '0;
    done_op = op2;
    if (mem_rsp_credit_i) room = room + 32'd1;
    if (mem_req_credit_i) read_room = read_room + 32'd1;

    // ---- answer of a hit, or of an address that no table can translate
    if (s4) begin
      go     = 1'b1;
      pte    = s4_fault ? 64'd0 : pte_rdata;
      status = tlb_pkg::pte_status(pte, s4_note[23:16]);
      {tag, note} = {s4_tag, s4_note};
    end
    s4 = s3;
    if (s3) {s4_fault, s4_tag, s4_note} = {s3_fault, s3_tag, s3_note};
    s3     = 1'b0;
    pte_re <= 1'b0;
    pte_we <= 1'b0;

    // ---- compare
    if (op2 == OP_LOOKUP) begin
      f    = commit & (Depth - 1);
      page = q_page[f];
      way  = 32'd0;
      hit  = 1'b0;
      for (int unsigned i = 0; i < Ways; i++) begin
        way = tag_rdata[i] == page ? i : way;
        hit = tag_rdata[i] == page ? 1'b1 : hit;
      end
      kept = 1'b1;
      if (hit || page[37] || !has_root[page[35:28]]) begin
        s3       = 1'b1;
        s3_fault = page[37] || !has_root[page[35:28]];
        s3_tag   = q_tag[f];
        s3_note  = q_note[f];
        slots    = slots + 32'd1;
        pte_re    <= 1'b1;
        pte_raddr <= Ew'(row_of(page[27:0]) * Ways + way);
        pulse[0] = !s3_fault;
        pulse[1] = s3_fault;
      end else begin
        room = room + 32'd1;
        for (int unsigned i = 0; i < Walks; i++) begin
          w   = same_page(w_key[i], page) ? i : w;
          hit = same_page(w_key[i], page) ? 1'b1 : hit;
        end
        pulse[2] = hit;
        kept     = hit || w_busy != WalkMask;
        if (kept) begin
          n       = 32'(pick_pkg::first64(~waiting));
          waiting = waiting | (64'd1 << n[5:0]);
          {n_tag[n[5:0]], n_note[n[5:0]]} = {q_tag[f], q_note[f]};
          if (hit) begin
            n_next[w_last[w][5:0]] = n;
          end else begin
            w          = 32'(pick_pkg::first64(~w_busy));
            w_busy     = w_busy | (64'd1 << w[5:0]);
            w_read     = w_read | (64'd1 << w[5:0]);
            w_key[w]   = page;
            w_page[w]  = page;
            w_level[w] = 32'd0;
            w_addr[w]  = entry_at(root[page[35:28]], page[27:0], 32'd0);
            w_first[w] = n;
            {pulse[3], pulse[1]} = 2'b11;
          end
          w_last[w] = n;
        end else begin  // again from here when a walk has ended
          blocked = 1'b1;
          slots   = slots + 32'd1 + 32'(op1 == OP_LOOKUP);
          room    = room + 32'(op1 == OP_LOOKUP);
          op1     = op1 == OP_LOOKUP ? OP_NONE : op1;
          issue   = commit;
        end
      end
      if (kept) commit = commit + 32'd1;
      freed = kept;
    end
    if (op2 == OP_FILL) begin
      page = w_key[arg2];
      if (page != 64'd0) begin  // not invalidated meanwhile
        way  = turn & (Ways - 1);
        for (int unsigned i = 0; i < Ways; i++) way = tag_rdata[i][36] ? way : i;
        turn      = turn + 32'd1;
        write     = Ways'(1) << way;
        pte_we    <= 1'b1;
        pte_waddr <= Ew'(row_of(page[27:0]) * Ways + way);
        pte_wdata <= w_pte[arg2];
        tag_waddr <= Sw'(row_of(page[27:0]));
        tag_wdata <= page;
      end
      w_key[arg2] = 64'd0;
      w_answer    = w_answer | (64'd1 << arg2[5:0]);
    end
    if (op2 == OP_SWEEP) begin
      for (int unsigned i = 0; i < Ways; i++) begin
        lane     = tag_rdata[i];
        write[i] = of_vmid(lane, sweep_vmid) && !(SeedFault == 3'd4 && i == 0 && sweep_event);
      end
      tag_waddr <= Sw'(arg2);
      tag_wdata <= 64'd0;
      if (arg2 == Sets - 1) begin
        sweep    = 1'b0;
        event_go = sweep_event;
      end
    end
    op2  = op1;
    arg2 = arg1;
    op1  = OP_NONE;

    // ---- answer of a walk: one waiter a cycle
    if (!go && w_answer != 64'd0 && room != 32'd0) begin
      w      = 32'(pick_pkg::first64(w_answer));
      n      = w_first[w];
      go     = 1'b1;
      room   = room - 32'd1;
      slots  = slots + 32'd1;
      {tag, note} = {n_tag[n[5:0]], n_note[n[5:0]]};
      pte     = w_pte[w];
      status  = w_status[w] != 32'(MEM_OK) ? w_status[w][7:0] : tlb_pkg::pte_status(pte, note[23:16]);
      waiting = waiting & ~(64'd1 << n[5:0]);
      if (n == w_last[w]) begin
        w_busy   = w_busy & ~(64'd1 << w[5:0]);
        w_answer = w_answer & ~(64'd1 << w[5:0]);
        blocked  = 1'b0;
      end
      w_first[w] = n_next[n[5:0]];
    end
    if (go) mem_rsp_o <= answer(pte, status, tag, note);
    pulse[4] = go && status != MEM_OK;

    // ---- a line of a page table arrived: next level or end
    if (mem_rsp_valid_i) begin
      w    = 32'(mem_rsp_i.tag[5:0]);
      pte  = mem_rsp_i.data[w_addr[w][5:3]];
      page = w_page[w];
      hit  = mem_rsp_i.status == MEM_OK && pte[0] && (pte[4] ? w_level[w] != 32'd0 : w_level[w] != 32'd2);
      w_status[w] = 32'(mem_rsp_i.status);
      if (hit && !pte[4]) begin
        w_level[w] = w_level[w] + 32'd1;
        w_addr[w]  = entry_at(pte, page[27:0], w_level[w]);
        w_read     = w_read | (64'd1 << w[5:0]);
      end else if (!hit && w_key[w] != 64'd0 && w_first[w] != w_last[w] && has_root[page[35:28]]) begin
        // those who joined may have seen a younger table than this fault: walk once more, closed to others
        w_key[w]   = 64'd0;
        w_level[w] = 32'd0;
        w_addr[w]  = entry_at(root[page[35:28]], page[27:0], 32'd0);
        w_read     = w_read | (64'd1 << w[5:0]);
      end else begin
        if (w_level[w] == 32'd1 && SeedFault != 3'd3) pte = pte | {43'd0, page[8:0], 12'd0};
        w_pte[w] = hit ? pte : 64'd0;
        w_key[w] = hit ? w_key[w] : 64'd0;  // faults are not kept
        if (w_key[w] != 64'd0) w_fill = w_fill | (64'd1 << w[5:0]);
        else w_answer = w_answer | (64'd1 << w[5:0]);
      end
    end

    // ---- one read of a page table a cycle
    if (w_read != 64'd0 && read_room != 32'd0) begin
      w         = 32'(pick_pkg::rr64(w_read, read_turn[5:0]));
      read_turn = w + 32'd1;
      w_read    = w_read & ~(64'd1 << w[5:0]);
      read_room = read_room - 32'd1;
      read_go   = 1'b1;
      mem_req_o <= read_line(w_addr[w], w_page[w][35:28], w);
    end
    pulse[5] = read_go;

    // ---- maintenance: walks under way of the address space are no longer kept
    if (blk_cmd_valid_i) begin
      blk_evt_o      <= '0;
      blk_evt_o.kind <= blk_cmd_i.kind;
      if (blk_cmd_i.kind == BLK_VMID) begin
        root[blk_cmd_i.vmid]     = blk_cmd_i.root;
        has_root[blk_cmd_i.vmid] = blk_cmd_i.root != 64'd0;
      end
      inv = blk_cmd_i.kind == BLK_INV && (blk_cmd_i.flags & 32'(CACHE_INV_TLB)) != 32'd0;
      if ((inv || blk_cmd_i.kind == BLK_VMID) && SeedFault != 3'd2) begin
        for (int unsigned i = 0; i < Walks; i++) w_key[i] = of_vmid(w_page[i], blk_cmd_i.vmid) ? 64'd0 : w_key[i];
      end
      if (inv) begin  // the sweep after reset goes on for all
        sweep_vmid  = sweep ? tlb_pkg::VMID_ALL : blk_cmd_i.vmid;
        sweep_row   = 32'd0;
        sweep       = 1'b1;
        sweep_event = 1'b1;
        op2         = op2 == OP_SWEEP ? OP_NONE : op2;
      end else begin
        event_go = 1'b1;
      end
    end

    // ---- issue: no read of tags until a fill before it has been written
    tag_re <= 1'b0;
    if (done_op != OP_FILL && op2 != OP_FILL) begin
      if (sweep) begin
        if (sweep_row != Sets) begin
          {op1, arg1} = {OP_SWEEP, sweep_row};
          row       = sweep_row;
          sweep_row = sweep_row + 32'd1;
        end
      end else if (done_op != OP_SWEEP && w_fill != 64'd0) begin
        arg1   = 32'(pick_pkg::first64(w_fill));
        op1    = OP_FILL;
        w_fill = w_fill & ~(64'd1 << arg1[5:0]);
        row    = row_of(w_page[arg1][27:0]);
      end else if (done_op != OP_SWEEP && issue != tail && !blocked && w_answer == 64'd0 && room != 32'd0
                   && slots != 32'd0) begin
        op1   = OP_LOOKUP;
        row   = row_of(q_page[issue&(Depth-1)][27:0]);
        issue = issue + 32'd1;
        room  = room - 32'd1;
        slots = slots - 32'd1;
      end
      if (op1 != OP_NONE) begin
        tag_re    <= 1'b1;
        tag_raddr <= Sw'(row);
      end
    end

    // ---- arrivals
    if (mem_req_valid_i) begin
      f         = tail & (Depth - 1);
      q_page[f] = {26'd0, mem_req_i.addr[63:40] != 24'd0, 1'b1, mem_req_i.vmid, mem_req_i.addr[39:12]};
      q_tag[f]  = mem_req_i.tag;
      q_note[f] = {8'd0, mem_req_i.access, mem_req_i.gpu, mem_req_i.source};
      tail      = tail + 32'd1;
    end

    // ---- what leaves the block
    tag_we           <= write;
    mem_rsp_valid_o  <= go;
    mem_req_valid_o  <= read_go;
    mem_req_credit_o <= freed;
    blk_evt_valid_o  <= event_go;
    count_o          <= pulse;
    // idle: no pulse to take back, nothing in the pipeline, nothing that could move without a further input
    idle_o <= {go, read_go, freed, event_go, pulse, write, s3, s4, sweep} == '0 && op1 == OP_NONE && op2 == OP_NONE
        && w_fill == 64'd0 && (w_answer == 64'd0 || room == 32'd0) && (w_read == 64'd0 || read_room == 32'd0)
        && (issue == tail || blocked || w_answer != 64'd0 || room == 32'd0 || slots == 32'd0);
    if (!rst_ni) begin
      {commit, issue, tail, turn, read_turn, sweep_row} = '0;
      {w_busy, w_read, w_fill, w_answer, waiting, has_root} = '0;
      {s3, s4, blocked, sweep_event} = '0;
      {room, read_room, slots} = {Depth, Depth, Waiters};
      {op1, op2} = {OP_NONE, OP_NONE};
      sweep      = 1'b1;  // memories have no reset: all rows are cleared first
      sweep_vmid = tlb_pkg::VMID_ALL;
      for (int unsigned i = 0; i < Walks; i++) w_key[i] = 64'd0;
      {mem_rsp_valid_o, mem_req_valid_o, mem_req_credit_o, blk_evt_valid_o, pte_we, pte_re, tag_re, idle_o} <= '0;
      tag_we  <= '0;
      count_o <= '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_xlat, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.op == MEM_XLAT))
endmodule
