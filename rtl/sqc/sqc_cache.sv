// SPDX-License-Identifier: Apache-2.0
// Cache with its TLB, shared by up to four CUs: the instruction cache (Scalar = 0, answers of 32 bytes) and the scalar
// data cache (Scalar = 1, answers of 1 to 16 dwords that may cross a line; stores of 1 to 4 dwords, written through and
// answered when performed; then no older copy of the line is kept). Responsible for: requests of the CUs in any order of
// completion, translation, physical tags, misses under misses, invalidation.
// Not responsible for: the crossbar port (sqc.sv), requests that need no data (sqc.sv answers them).
//
// Every request under way owns one of 16 entries (sqc_entries_pkg). A lookup takes 5 edges: choose (0), TLB and tag RAM
// (1), compare (2), data RAM (3), answer (4). A miss parks the entry; the first entry that misses a page or line owns the
// request to memory, later ones wait for its answer and then look up again. Where others want an entry and none is free, those
// that wait for another's translation, which takes longer than a walk, give theirs up until a translation comes: a page whose
// translation is withheld costs one entry. See docs/reference/caches.md.
// Ahead: a request that misses its line, or is the first to hit one that was fetched so, has the line behind fetched, within the
// page, when nobody waits for an entry; the latest such request counts. The line is looked up as any, with nobody to answer.
// So is the line that maintenance names (prime), and the one behind: their translation, too, is fetched if it is not there.
// Control (docs/reference/control.md): what is held stands in the rings, in `ready`, `send_x`, `send_m` and `faulted`, in the
// request to memory and in the answer; what was in the lookup looks up again.
`include "gantry_assert.svh"

module sqc_cache
  import gantry_msg_pkg::*;
  import sqc_queue_pkg::*;
  import sqc_entries_pkg::*;
  import sqc_data_pkg::*;
#(
  parameter bit Scalar = 1'b0,
  parameter type Req = ifetch_req_t,     // of the ports: ifetch_req_t or smem_req_t
  parameter int unsigned Cus = 4,        // requesting ports, 1, 2 or 4
  parameter int unsigned Kib = 16,
  parameter int unsigned Ways = 4,       // power of two
  parameter int unsigned TlbEntries = 64,
  parameter bit Ahead = 1'b0,            // the line behind is fetched, too
  parameter int unsigned Depth = 128     // requests of one CU that can be under way (power of two)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // requests of the CUs
  input  logic      [  Cus-1:0] req_valid_i,
  input  Req                    req_i[Cus],  // scalar operations other than loads are not ours
  // answers
  output logic                  rsp_valid_o,
  output logic      [      1:0] rsp_port_o,
  output logic      [      7:0] rsp_status_o,
  output logic      [     63:0] rsp_va_o,
  output want_t                 rsp_want_o,
  output logic [15:0][31:0]     rsp_data_o,  // instruction cache: eight dwords from rsp_va_o in the low half
  // memory: a request stands until taken
  output logic                  miss_valid_o,
  output logic                  miss_xlat_o,
  output logic      [      3:0] miss_entry_o,
  output logic      [      7:0] miss_vmid_o,
  output logic      [     63:0] miss_addr_o,
  output logic                  miss_store_o,
  output logic      [     15:0] miss_words_o,  // stores: dwords of the line that are written
  output logic [15:0][31:0]     miss_data_o,
  input  logic                  miss_ready_i,
  input  logic                  fill_valid_i,
  input  logic                  fill_scalar_i,  // for the scalar cache
  input  logic                  fill_xlat_i,
  input  logic      [      3:0] fill_entry_i,
  input  logic      [      7:0] fill_status_i,
  input  logic     [7:0][63:0]  fill_data_i,
  // control
  input  logic                  hold_take_i,  // nothing is taken from the rings
  input  logic                  hold_all_i,   // nor answered or sent to memory (miss_ready_i is 0); its answers are
  input  logic                  discard_i,    // pulse beside hold_all_i: what waits and is under way is dropped
  output logic                  finished_o,   // nothing that was taken and not dropped is under way
  // maintenance
  input  logic                  inv_lines_i,
  input  logic                  inv_tlb_i,
  input  tlb_pkg::inv_t         inv_pages_i,
  input  logic                  prime_valid_i,  // Ahead: this line is to be there
  input  logic      [      7:0] prime_vmid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic      [     63:0] prime_va_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                  drained_o,  // no access is under way that was translated before the last inv_tlb_i
  output sqc_count_t            count_o,
  output logic                  idle_o
);
  localparam int unsigned Sets = Kib * 1024 / 64 / Ways;
  localparam int unsigned Sw = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned Ww = Ways > 1 ? $clog2(Ways) : 1;
  localparam int unsigned Lw = $clog2(Sets << Ww);
  localparam int unsigned Pw = Cus > 1 ? $clog2(Cus) : 1;
  localparam logic [7:0] Access = Scalar ? tlb_pkg::ACCESS_READ : tlb_pkg::ACCESS_EXECUTE;

  // ---- TLB, tags and lines: addressed by registers, answering one edge later
  logic tlb_valid, tlb_hit, tlb_result, tlb_fill;
  logic [7:0] tlb_vmid, tlb_fill_vmid;
  logic [27:0] tlb_vpn, tlb_fill_vpn;
  logic [63:0] tlb_pte, tlb_fill_pte;
  tlb_l1 #(.Entries(TlbEntries)) u_tlb (
    .clk_i, .rst_ni, .en_i(!idle_o || inv_tlb_i),
    .lookup_valid_i(tlb_valid), .lookup_vmid_i(tlb_vmid), .lookup_vpn_i(tlb_vpn),
    .result_valid_o(tlb_result), .result_hit_o(tlb_hit), .result_pte_o(tlb_pte), .fill_valid_i(tlb_fill && !inv_tlb_i),
    .fill_vmid_i(tlb_fill_vmid), .fill_vpn_i(tlb_fill_vpn), .fill_pte_i(tlb_fill_pte), .inv_valid_i(inv_tlb_i),
    .inv_i(inv_pages_i));
  logic [Ways-1:0] tag_we;
  logic [Sw-1:0] tag_waddr, tag_raddr;
  logic [Ways-1:0][63:0] tag_wdata, tag_row;
  logic tag_re, line_we, line_re;
  logic [Lw-1:0] line_waddr, line_raddr;
  logic [7:0][63:0] line_wdata;
  line_t line;
  ram_1r1w #(.Width(64 * Ways), .Depth(Sets), .Lanes(Ways)) u_tags (
    .clk_i, .we_i(tag_we), .waddr_i(tag_waddr), .wdata_i(tag_wdata), .re_i(tag_re), .raddr_i(tag_raddr),
    .rdata_o(tag_row));
  ram_1r1w #(.Width(512), .Depth(Sets << Ww)) u_lines (
    .clk_i, .we_i(line_we), .waddr_i(line_waddr), .wdata_i(line_wdata), .re_i(line_re), .raddr_i(line_raddr),
    .rdata_o(line));

  typedef logic [Sw-1:0] set_t;
  typedef logic [Ww-1:0] way_t;
  typedef logic [Pw-1:0] port_t;

  // One stage of the lookup.
  typedef struct packed {
    logic   valid;
    entry_t entry;
  } look_t;

  // A line that has been sent to the RAMs.
  typedef struct packed {
    logic valid;
    set_t set;
    way_t way;
  } late_t;

  /* verilator lint_off BLKSEQ */
  // requests that wait for an entry, one ring a port
  logic [63:0] q_va[Cus*Depth];
  want_t q_want[Cus*Depth];
  data_t q_data[Cus*Depth];  // of stores
  data_t brought[Cus*4];     // data of the store that comes next, by SIMD
  logic [31:0] q_head[Cus];
  logic [31:0] q_count[Cus];
  logic [Cus-1:0] q_some;
  // requests that have given their entry up, a ring; the first of them may be chosen again
  logic [63:0] p_va[Cus*Depth];
  want_t p_want[Cus*Depth];
  data_t p_data[Cus*Depth];
  logic [1:0] p_port[Cus*Depth];
  logic [31:0] p_head, p_count, p_ready, p_of[Cus];  // p_of: of p_count, by port
  entries_t waiting;
  // owners of a translation under way: those that were at the last tick, those that already had been then.  It ticks every 1,024
  // cycles in which somebody wants an entry and none is free: no walk takes that long
  entries_t aged, slow;
  logic [9:0] tick;
  logic [1:0] turn;
  // the line that is to be fetched ahead, if one is
  logic ahead_some;
  logic [63:0] ahead_va;
  want_t ahead_want;
  // the line that maintenance has named, if it has not been looked for
  logic prime_some;
  logic [63:0] prime_va;
  want_t prime_want;

  file_t f;
  line_t e_line[NumEntries];  // first line of a crossing request
  logic [Ways-1:0] valid[Sets];
  way_t victim[Sets];
  logic [Ways-1:0] unasked[Sets];  // lines that were fetched ahead, and none has asked for since
  look_t s0, s1, s2, s3;  // 0 TLB and tags, 1 compare, 2 line RAM, 3 answer
  late_t late[3];         // a fill becomes visible three edges after it was sent to the RAMs

  entry_t e, owner;
  set_t set;
  way_t way;
  /* verilator lint_off UNUSEDSIGNAL */  // of rings: low bits
  logic [31:0] port, slot;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] pa;
  logic [3:0] off;
  logic match, hit, xlat, beyond, respond, pulse, write;
  logic back;   // one that has given up its entry may have one again
  logic quiet;  // nothing to do until an input comes
  logic [1:0] held_q;  // hold_take_i, hold_all_i at the last edge
  logic [7:0] status, op, wanted;
  brought_t half;
  // as it is between two edges, for the assertions
  entries_t free_q, woken_q, ready_q, send_x_q, send_m_q, wait_x_q, wait_m_q, faulted_q;
  entries_t flow_q;  // entries in the pipeline

  function automatic set_t set_of(input logic [63:0] va);
    return set_t'(32'(va >> 6) & (Sets - 1));
  endfunction

  function automatic logic [Lw-1:0] place_of(input set_t of_set, input way_t of_way);
    return Lw'((32'(of_set) << Ww) | 32'(of_way));
  endfunction

  // Lines of these sets may have one place in a page, whatever their virtual addresses.
  function automatic logic same_place(input set_t a, input set_t b);
    return ((32'(a) ^ 32'(b)) & 32'd63) == 32'd0;
  endfunction

  // A line was written: neither the copy in the cache nor one that is under way may stay.
  task automatic forget(input set_t of_set);
    for (int unsigned s = 0; s < Sets; s++) if (same_place(set_t'(s), of_set)) valid[s] = '0;
    for (int unsigned n = 0; n < 3; n++) if (same_place(late[n].set, of_set)) late[n].valid = 1'b0;
    for (int unsigned i = 0; i < NumEntries; i++)
      if (f.wait_m[i[3:0]] && !f.store[i[3:0]] && same_place(set_of(f.va[i]), of_set)) f.stale[i[3:0]] = 1'b1;
  endtask

  task automatic fail(input logic [7:0] with_status);
    f.faulted[e] = 1'b1;
    f.status[e]  = with_status;
  endtask

  // e missed its page (xlat) or its line pa: it waits for whoever asks for that already, else it asks.  A store asks for
  // itself, and nobody waits for one.
  task automatic park();
    owner   = e;
    f.pa[e] = pa;
    for (int unsigned i = 0; i < NumEntries; i++) begin
      match = xlat ? (f.send_x[i[3:0]] || f.wait_x[i[3:0]]) && same_page(f.va[i], f.want[i], f.va[e], f.want[e]) :
          (f.send_m[i[3:0]] || f.wait_m[i[3:0]]) && f.pa[i] == pa && !f.store[i[3:0]] && !f.store[e];
      owner = match && f.owner[i] == i[3:0] && i[3:0] != e && !f.lost[i[3:0]] ? i[3:0] : owner;
    end
    f.owner[e]  = owner;
    f.send_x[e] = xlat && owner == e;
    f.send_m[e] = !xlat && owner == e;
    f.wait_x[e] = xlat && owner != e;
    f.wait_m[e] = !xlat && owner != e;
  endtask

  // Memory has answered owner e: it and those that wait for it look up again, or fail.
  task automatic wake();
    for (int unsigned i = 0; i < NumEntries; i++) begin
      match = (fill_xlat_i ? f.wait_x[i[3:0]] : f.wait_m[i[3:0]]) && f.owner[i] == e;
      f.faulted[i[3:0]] = match && fill_status_i != MEM_OK ? 1'b1 : f.faulted[i[3:0]];
      f.woken[i[3:0]]   = match && fill_status_i == MEM_OK ? 1'b1 : f.woken[i[3:0]];
      f.status[i]       = match ? fill_status_i : f.status[i];
      f.stale[i[3:0]]   = match ? 1'b0 : f.stale[i[3:0]];
      f.wait_x[i[3:0]]  = match ? 1'b0 : f.wait_x[i[3:0]];
      f.wait_m[i[3:0]]  = match ? 1'b0 : f.wait_m[i[3:0]];
    end
  endtask

  // Entry e asks for a line: that behind it, within the page, is to be fetched.
  task automatic look_ahead();
    if (Ahead && f.va[e][11:6] != '1) begin
      ahead_some = 1'b1;
      ahead_va   = next_line(f.va[e]);
      ahead_want = f.want[e];
    end
  endtask

  // Entry e answers nobody: its lookup, or what was fetched for it, has ended.
  task automatic end_ahead();
    f.ahead[e]   = 1'b0;
    f.woken[e]   = 1'b0;
    f.faulted[e] = 1'b0;
    f.wait_x[e]  = 1'b0;
    f.wait_m[e]  = 1'b0;
    f.free[e]    = 1'b1;
  endtask

  // Store e is performed in its line: it goes on to the second, or is done.
  task automatic stored();
    if (goes_on(f.second[e], f.first[e][5:2], f.want[e].count)) begin
      f.va[e]     = next_line(f.va[e]);
      f.second[e] = 1'b1;
    end else begin
      f.woken[e]   = 1'b0;
      f.faulted[e] = 1'b1;
    end
  endtask

  // A line takes the oldest way of its set.
  task automatic fill();
    set = set_of(f.va[e]);
    way = way_t'(32'(victim[set]) & (Ways - 1));
    victim[set] = way + way_t'(1);
    valid[set] = valid[set] & ~Ways'(32'd1 << way);
    if (Ways < 4) begin  // a line that is replaced before it was visible stays unseen
      for (int unsigned n = 1; n < 3; n++) if (late[n].set == set && late[n].way == way) late[n].valid = 1'b0;
    end
    if (Ahead) unasked[set] = (unasked[set] & ~Ways'(32'd1 << way)) | (Ways'(f.ahead[e]) << way);
    late[0] = '{valid: 1'b1, set: set, way: way};
    tag_we     <= Ways'(32'd1 << way);
    tag_waddr  <= set;
    tag_wdata  <= {Ways{f.pa[e]}};
    line_we    <= 1'b1;
    line_waddr <= place_of(set, way);
    line_wdata <= fill_data_i;
  endtask

  function automatic entries_t one_of(input look_t look);
    return look.valid ? 16'd1 << look.entry : 16'd0;
  endfunction

  // What the lookup holds goes back to where it was chosen from.
  task automatic recall();
    f.ready = f.ready | one_of(s0) | one_of(s1) | one_of(s2) | one_of(s3);
    pulse   = pulse | s0.valid;  // what the TLB says to it comes one edge later
    {s0, s1, s2, s3} = '0;
  endtask

  // Everything is dropped; an entry for which memory was asked is kept until the answer has come.
  task automatic drop();
    for (int unsigned i = 0; i < NumEntries; i++)
      f.lost[i[3:0]] = (f.wait_x[i[3:0]] || f.wait_m[i[3:0]]) && f.owner[i] == i[3:0] &&
                       !(miss_valid_o && miss_entry_o == i[3:0]);
    f.free   = ~f.lost;
    f.wait_x = f.wait_x & f.lost;
    f.wait_m = f.wait_m & f.lost;
    {f.woken, f.ready, f.send_x, f.send_m, f.faulted, ahead_some, prime_some} = '0;
    f.stale = f.lost;
    f.ahead = f.ahead & f.lost;
    q_some  = '0;
    for (int unsigned c = 0; c < Cus; c++) q_count[c] = 32'd0;
    {p_count, p_ready, aged, slow} = '0;
    for (int unsigned c = 0; c < Cus; c++) p_of[c] = 32'd0;
    miss_valid_o <= 1'b0;
    rsp_valid_o  <= 1'b0;
    pulse = 1'b1;
  endtask

  // Which entries wait for another's translation that takes long: a store in its second line does the first one no more.
  task automatic grow_old();
    waiting = '0;
    for (int unsigned i = 0; i < NumEntries; i++) waiting[i[3:0]] = f.wait_x[i[3:0]] && f.owner[i] == i[3:0];
    if (tick == '1) begin
      slow = waiting & aged;
      aged = waiting;
    end
    pulse = pulse | ((waiting & ~slow) != '0);  // rests when no tick would change anything
    tick  = tick + 10'd1;
    for (int unsigned i = 0; i < NumEntries; i++)
      waiting[i[3:0]] = f.wait_x[i[3:0]] && f.owner[i] != i[3:0] && slow[f.owner[i]] && !f.lost[i[3:0]] &&
                        !(f.second[i[3:0]] && f.store[i[3:0]]);
  endtask

  // Of the entries that wait for another's translation one gives itself up.
  task automatic give_up();
    e    = first_of(waiting);
    slot = (p_head + p_count) & (Cus * Depth - 1);
    p_va[slot]   = f.first[e];
    p_want[slot] = f.want[e];
    p_port[slot] = f.port[e];
    if (Scalar) p_data[slot] = f.data[e];
    p_count = p_count + 32'd1;
    p_of[port_t'(f.port[e])] = p_of[port_t'(f.port[e])] + 32'd1;
    f.wait_x[e] = 1'b0;
    f.stale[e]  = 1'b0;
    f.free[e]   = 1'b1;
    pulse = 1'b1;
  endtask

  // The next of them that may be chosen: while its page is still asked for it goes behind the others.
  task automatic turn_back();
    match = 1'b0;
    for (int unsigned i = 0; i < NumEntries; i++)
      match = match || ((f.send_x[i[3:0]] || f.wait_x[i[3:0]]) && f.owner[i] == i[3:0] && !f.lost[i[3:0]] &&
                        same_page(f.va[i], f.want[i], p_va[p_head], p_want[p_head]));
    if (match) begin
      slot = (p_head + p_count) & (Cus * Depth - 1);
      p_va[slot]   = p_va[p_head];
      p_want[slot] = p_want[p_head];
      p_port[slot] = p_port[p_head];
      if (Scalar) p_data[slot] = p_data[p_head];
      p_head  = (p_head + 32'd1) & (Cus * Depth - 1);
      p_ready = p_ready - 32'd1;
      pulse = 1'b1;
    end
    back = !match;
  endtask

  // One of them has an entry again.
  task automatic take_back();
    slot = p_head;
    e = first_of(f.free);
    f.free[e]   = 1'b0;
    f.second[e] = 1'b0;
    f.va[e]     = p_va[slot];
    f.first[e]  = p_va[slot];
    f.want[e]   = p_want[slot];
    f.port[e]   = p_port[slot];
    if (Scalar) f.store[e] = f.want[e].store;
    if (Scalar && f.want[e].store) f.data[e] = p_data[slot];
    p_head  = (p_head + 32'd1) & (Cus * Depth - 1);
    p_count = p_count - 32'd1;
    p_of[port_t'(f.port[e])] = p_of[port_t'(f.port[e])] - 32'd1;
    p_ready = p_ready - 32'd1;
    s0 = '{valid: 1'b1, entry: e};
  endtask

  // The answer for an entry that was dropped.
  task automatic swallow();
    f.ahead[e]  = 1'b0;
    f.lost[e]   = 1'b0;
    f.stale[e]  = 1'b0;
    f.wait_x[e] = 1'b0;
    f.wait_m[e] = 1'b0;
    f.free[e]   = 1'b1;
  endtask

  task automatic answer_of_memory();
    e = fill_entry_i;
    pulse = 1'b1;
    if (fill_xlat_i) p_ready = p_count;
    aged[e] = 1'b0;
    slow[e] = 1'b0;
    if (Scalar && f.store[e] && !fill_xlat_i) begin
      forget(set_of(f.va[e]));
    end else if (fill_status_i == MEM_OK && !f.stale[e] && fill_xlat_i) begin
      tlb_fill      <= 1'b1;
      tlb_fill_vmid <= f.want[e].vmid;
      tlb_fill_vpn  <= f.va[e][39:12];
      tlb_fill_pte  <= fill_data_i[0];
    end else if (fill_status_i == MEM_OK && !f.stale[e]) begin
      fill();
    end
    if (f.lost[e]) begin
      swallow();
    end else begin
      wake();
      if (Scalar && f.store[e] && !fill_xlat_i && fill_status_i == MEM_OK) stored();
      if (Ahead && f.ahead[e] && !(fill_xlat_i && f.woken[e])) end_ahead();  // with its translation it goes on
    end
  endtask

  // Answer, or keep the first line of a request that goes on in the next.
  task automatic answer();
    status = MEM_OK;
    if (s3.valid) begin
      e   = s3.entry;
      off = f.first[e][5:2];
      respond = !(Scalar && goes_on(f.second[e], off, f.want[e].count));
      if (!respond) begin
        e_line[e] = line;
        f.va[e]     = next_line(f.va[e]);
        f.second[e] = 1'b1;
        f.ready[e]  = 1'b1;
      end else if (Scalar) begin
        rsp_data_o <= off == 4'd0 && !f.second[e] ? line : from_lines(f.second[e] ? e_line[e] : line, line, off);
      end else begin
        rsp_data_o[7:0] <= off[3] ? line[15:8] : line[7:0];
      end
    end else if (f.faulted != '0) begin
      e = first_of(f.faulted);
      respond = 1'b1;
      status  = f.status[e];
      f.faulted[e] = 1'b0;
    end
    if (respond) begin
      f.free[e] = 1'b1;
      pulse = 1'b1;
      rsp_valid_o  <= 1'b1;
      rsp_port_o   <= f.port[e];
      rsp_status_o <= status;
      rsp_va_o     <= status == MEM_OK ? f.first[e] : f.va[e];
      rsp_want_o   <= f.want[e];
    end
  endtask

  task automatic compare();
    e = s1.entry;
    write  = Scalar && f.store[e];
    wanted = write ? tlb_pkg::ACCESS_WRITE : Access;
    beyond = f.va[e][63:40] != '0;  // no such page: the TLB compares 28 bits of its number
    status = beyond ? MEM_FAULT_NOT_PRESENT : tlb_pkg::pte_status(tlb_pte, wanted);
    pa  = tlb_pkg::pte_pa(tlb_pte, {f.va[e][63:6], 6'd0});
    set = set_of(f.va[e]);
    hit = 1'b0;
    way = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      match = valid[set][Ww'(w)] && tag_row[Ww'(w)] == pa;
      way = match ? way_t'(w) : way;
      hit = hit | match;
    end
    pulse = 1'b1;
    xlat = !tlb_hit;
    if (Ahead && f.ahead[e]) begin
      owner = e;
      if (tlb_hit && status == MEM_OK && !hit) park();
      else if (xlat && !beyond && f.primed[e]) park();
      if (tlb_hit && status == MEM_OK && f.primed[e]) look_ahead();  // a wavefront begins with as much
      if (f.send_m[e]) count_o.ahead <= 1'b1;
      else if (!f.send_x[e]) end_ahead();
      return;
    end
    count_o <= '{ahead: 1'b0, tlb_miss: !tlb_hit, tlb_hit: tlb_hit, read_miss: tlb_hit && !hit && !write,
                 read_hit: tlb_hit && hit && !write};
    if ((tlb_hit || beyond) && status != MEM_OK) begin
      fail(status);
    end else if (tlb_hit && hit && !write) begin
      s2 = '{valid: 1'b1, entry: e};
      line_re    <= 1'b1;
      line_raddr <= place_of(set, way);
      if (Ahead && unasked[set] != '0) begin
        match = (unasked[set] & Ways'(32'd1 << way)) != '0;
        unasked[set] = unasked[set] & ~Ways'(32'd1 << way);
        if (match) look_ahead();
      end
    end else begin
      park();
      if (!xlat) look_ahead();
    end
  endtask

  task automatic choose();
    if (f.ready != '0) begin
      e = first_of(f.ready);
      f.ready[e] = 1'b0;
      s0 = '{valid: 1'b1, entry: e};
    end else if (back && f.free != '0) begin
      take_back();
    end else if (q_some != '0 && f.free != '0 && !hold_take_i) begin
      port = 32'(pick_pkg::rr64(64'(q_some), {4'd0, turn}));
      turn = 2'(port) + 2'd1;
      slot = port * Depth + q_head[port];
      e = first_of(f.free);
      f.free[e]   = 1'b0;
      f.second[e] = 1'b0;
      f.va[e]     = q_va[slot];
      f.first[e]  = q_va[slot];
      f.want[e]   = q_want[slot];
      f.port[e]   = port[1:0];
      if (Scalar) f.store[e] = f.want[e].store;
      if (Scalar && f.want[e].store) f.data[e] = q_data[slot];
      q_head[port]  = (q_head[port] + 32'd1) & (Depth - 1);
      q_count[port] = q_count[port] - 32'd1;
      q_some[port_t'(port)] = q_count[port] != 32'd0;
      s0 = '{valid: 1'b1, entry: e};
    end else if (Ahead && (ahead_some || prime_some) && q_some == '0 && !hold_take_i &&
                 (f.free & AheadEntries) != '0) begin
      e = first_of(f.free & AheadEntries);
      f.free[e]   = 1'b0;
      f.ahead[e]  = 1'b1;
      f.primed[e] = prime_some;
      f.second[e] = 1'b0;
      f.va[e]     = prime_some ? prime_va : ahead_va;
      f.first[e]  = f.va[e];
      f.want[e]   = prime_some ? prime_want : ahead_want;
      if (prime_some) prime_some = 1'b0;
      else ahead_some = 1'b0;
      s0 = '{valid: 1'b1, entry: e};
    end else if ((q_some != '0 && !hold_take_i) || back) begin
      grow_old();
      if (waiting != '0) give_up();
    end
    if (s0.valid) begin
      tlb_valid <= 1'b1;
      tlb_vmid  <= f.want[e].vmid;
      tlb_vpn   <= f.va[e][39:12];
      tag_re    <= 1'b1;
      tag_raddr <= set_of(f.va[e]);
    end
  endtask

  // The next request to memory.
  task automatic send();
    e    = first_of(f.send_x | f.send_m);
    xlat = f.send_x[e];
    f.send_x[e] = 1'b0;
    f.send_m[e] = 1'b0;
    f.wait_x[e] = xlat;
    f.wait_m[e] = !xlat;
    miss_valid_o <= 1'b1;
    miss_xlat_o  <= xlat;
    miss_entry_o <= e;
    miss_vmid_o  <= f.want[e].vmid;
    miss_addr_o  <= xlat ? {24'd0, f.va[e][39:12], 12'd0} : f.pa[e];
    miss_store_o <= Scalar && !xlat && f.store[e];
    if (Scalar && f.store[e]) begin
      miss_words_o <= store_words(f.second[e], f.first[e][5:2], f.want[e].count[2:0]);
      miss_data_o  <= store_data(f.data[e], f.first[e][5:2]);
    end
    pulse = 1'b1;
  endtask

  // Entries of a port.
  function automatic logic [31:0] of_port(input logic [1:0] asked);
    of_port = p_of[port_t'(asked)];
    for (int unsigned i = 0; i < 16; i++)
      if (!f.free[i[3:0]] && !f.lost[i[3:0]] && !f.ahead[i[3:0]] && f.port[i[3:0]] == asked) of_port = of_port + 32'd1;
  endfunction

  task automatic arrival();
    /* verilator unroll_full */
    for (int unsigned c = 0; c < Cus; c++) begin
      op = req_valid_i[c] ? op_of(Scalar, 128'(req_i[c])) : SMEM_NONE;
      if (Scalar && op == SMEM_DATA) begin
        half = brought_by(128'(req_i[c]));
        if (half.high) brought[{c[29:0], half.simd}][127:64] = half.half;
        else brought[{c[29:0], half.simd}][63:0] = half.half;
      end
      if (op == SMEM_LOAD || (Scalar && op == SMEM_STORE)) begin
        // no more of a port under way, in its ring or an entry, than the ring has places; what a discard dropped is not
        `GANTRY_CHECK(a_under_way, q_count[c] + of_port(2'(c)) < Depth)
        q_head[c] = q_count[c] == 32'd0 ? 32'd0 : q_head[c];  // few words of the ring are in use
        slot = c * Depth + ((q_head[c] + q_count[c]) & (Depth - 1));
        q_va[slot]   = req_i[c].va;
        q_want[slot] = want_of(Scalar, 128'(req_i[c]));
        if (Scalar && op == SMEM_STORE) q_data[slot] = brought[{c[29:0], req_i[c].wave[5:4]}];
        q_count[c] = q_count[c] + 32'd1;
        q_some[c]  = 1'b1;
        pulse      = 1'b1;  // looked at once more: if no entry is free, those that wait for a page grow old from now on
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!quiet || req_valid_i != '0 || fill_valid_i || inv_lines_i || inv_tlb_i || prime_valid_i || miss_ready_i ||
        discard_i ||
        held_q != {hold_take_i, hold_all_i} || !rst_ni) begin
      held_q <= {hold_take_i, hold_all_i};
      if (!hold_all_i) rsp_valid_o <= 1'b0;
      tag_we      <= '0;
      tag_re      <= 1'b0;
      line_we     <= 1'b0;
      line_re     <= 1'b0;
      tlb_valid   <= 1'b0;
      tlb_fill    <= 1'b0;
      count_o     <= '0;
      respond = 1'b0;
      pulse   = 1'b0;

      // ---- fills become visible
      if (late[2].valid) valid[late[2].set] = valid[late[2].set] | Ways'(32'd1 << late[2].way);
      late[2] = late[1];
      late[1] = late[0];
      late[0].valid = 1'b0;
      f.ready = f.ready | f.woken;
      f.woken = '0;

      // ---- invalidation: answers under way are not kept
      if (inv_lines_i) begin
        for (int unsigned s = 0; s < Sets; s++) valid[s] = '0;
        for (int unsigned n = 0; n < 3; n++) late[n].valid = 1'b0;
        f.stale = f.stale | f.wait_m;
      end
      if (inv_tlb_i) f.stale = f.stale | f.wait_x;

      if (hold_all_i) recall();
      if (discard_i) drop();
      if (fill_valid_i && fill_scalar_i == Scalar) answer_of_memory();
      if (!hold_all_i) answer();
      s3 = s2;
      s2 = '0;
      if (s1.valid) compare();
      s1 = s0;
      s0 = '0;
      back = 1'b0;
      if (p_ready != 32'd0 && !hold_all_i) turn_back();
      if (Ahead && prime_valid_i) begin
        prime_some = 1'b1;
        prime_va   = {prime_va_i[63:6], 6'd0};
        prime_want = '{vmid: prime_vmid_i, default: '0};
      end
      if (!hold_all_i) choose();
      if (miss_valid_o && miss_ready_i) miss_valid_o <= 1'b0;
      if ((!miss_valid_o || miss_ready_i) && (f.send_x | f.send_m) != '0 && !hold_all_i) send();
      if (req_valid_i != '0) arrival();

      // what a lookup before the invalidation has translated, up to that which was compared at this edge
      if (inv_tlb_i || f.old != '0) begin
        f.old = (inv_tlb_i ? 16'hffff : f.old) & (f.send_m | f.wait_m);
        drained_o <= f.old == '0;
      end

      if (!rst_ni) begin
        drained_o <= 1'b1;
        {s0, s1, s2, s3, late[0], late[1], late[2], q_some, turn} = '0;
        {f.woken, f.ready, f.send_x, f.send_m, f.wait_x, f.wait_m, f.faulted} = '0;
        {f.stale, f.second, f.store, f.old, f.lost, f.ahead, f.primed} = '0;
        {ahead_some, prime_some} = '0;
        {p_head, p_count, p_ready, aged, slow, tick} = '0;
        f.free = '1;
        for (int unsigned c = 0; c < Cus; c++) begin
          q_head[c]  = 32'd0;
          q_count[c] = 32'd0;
          p_of[c]    = 32'd0;
        end
        for (int unsigned s = 0; s < Sets; s++) begin
          valid[s]  = '0;
          victim[s] = '0;
          unasked[s] = '0;
        end
        miss_valid_o <= 1'b0;
        rsp_valid_o  <= 1'b0;
      end
      {free_q, woken_q, ready_q, faulted_q} <= {f.free, f.woken, f.ready, f.faulted};
      {send_x_q, send_m_q, wait_x_q, wait_m_q} <= {f.send_x, f.send_m, f.wait_x, f.wait_m};
      flow_q <= one_of(s0) | one_of(s1) | one_of(s2) | one_of(s3);
      finished_o <= (f.free | f.lost) == '1 && p_ready == 32'd0 && !respond &&
          !(rsp_valid_o && hold_all_i && !discard_i);
      quiet  = rst_ni && !pulse && !(s0.valid || s1.valid || s2.valid || s3.valid) &&
          !(late[0].valid || late[1].valid || late[2].valid) && (q_some == '0 || f.free == '0 || hold_take_i) &&
          (!(ahead_some || prime_some) || q_some != '0 || hold_take_i || (f.free & AheadEntries) == '0) &&
          f.woken == '0 &&
          (p_ready == 32'd0 || f.free == '0 || hold_all_i) &&
          (hold_all_i || (f.ready | f.send_x | f.send_m | f.faulted) == '0);
      idle_o <= quiet;
    end
  end
  /* verilator lint_on BLKSEQ */

  logic unused;
  assign unused = tlb_result;
  // ---- assertions
  // each entry is at one place: free, about to look up again, in the pipeline, to be sent, waiting, or to be answered
  entries_t here, away;
  assign here = free_q | woken_q | ready_q | flow_q | faulted_q;
  assign away = send_x_q | send_m_q | wait_x_q | wait_m_q;
  `STREAM_ASSERT(a_place, !idle_o,
                 (here | away) == '1 && $countones({free_q, woken_q, ready_q, flow_q, faulted_q}) +
                 $countones({send_x_q, send_m_q, wait_x_q, wait_m_q}) == 16)
  // an answer comes for an entry that waits for it, and every request to memory has one
  logic taken, answered;
  assign taken    = miss_valid_o && miss_ready_i;
  assign answered = fill_valid_i && fill_scalar_i == Scalar;
  `STREAM_ASSERT(a_expected, answered, fill_xlat_i ? wait_x_q[fill_entry_i] : wait_m_q[fill_entry_i])
  `STREAM_BOUND(a_asked, 16, taken, answered)
  // a request to memory stands until it is taken
  logic stands_q;
  logic [76:0] miss_q;
  always_ff @(posedge clk_i) begin
    stands_q <= rst_ni && miss_valid_o && !miss_ready_i && !discard_i;
    if (miss_valid_o) miss_q <= {miss_addr_o, miss_vmid_o, miss_entry_o, miss_xlat_o};
  end
  `STREAM_ASSERT(a_stands, stands_q,
                 miss_valid_o && {miss_addr_o, miss_vmid_o, miss_entry_o, miss_xlat_o} == miss_q)
  // nothing is asked and nothing dropped but while all is held
  `STREAM_ASSERT(a_held, hold_all_i || discard_i, hold_all_i && hold_take_i && !miss_ready_i)
endmodule
