// SPDX-License-Identifier: Apache-2.0
// Cache with its TLB, shared by up to four CUs: the instruction cache (Scalar = 0, answers of 32 bytes) and the scalar
// data cache (Scalar = 1, answers of 1 to 16 dwords that may cross a line; stores of 1 to 4 dwords, written through and
// answered when performed; then no older copy of the line is kept). Responsible for: requests of the CUs in any order of
// completion, translation, physical tags, misses under misses, invalidation.
// Not responsible for: the crossbar port (sqc.sv), requests that need no data (sqc.sv answers them).
//
// Every request under way owns one of 16 entries. A lookup takes 5 edges: choose (0), TLB and tag RAM (1), compare (2),
// data RAM (3), answer (4). A miss parks the entry; the first entry that misses a page or line owns the request to
// memory, later ones wait for its answer and then look up again. See docs/reference/caches.md.
`include "gantry_assert.svh"

module sqc_cache
  import gantry_msg_pkg::*;
#(
  parameter bit Scalar = 1'b0,
  parameter type Req = ifetch_req_t,     // of the ports: ifetch_req_t or smem_req_t
  parameter int unsigned Cus = 4,        // requesting ports, 1, 2 or 4
  parameter int unsigned Kib = 16,
  parameter int unsigned Ways = 4,       // power of two
  parameter int unsigned TlbEntries = 64,
  parameter int unsigned Depth = 128,    // requests of one CU that can be under way (power of two)
  parameter bit SeedBug = 1'b0,          // bench only: fills after an invalidation are kept
  parameter bit SeedStore = 1'b0         // bench only: lines stay when they are stored to
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // requests of the CUs
  input  logic      [  Cus-1:0] req_valid_i,
  input  Req                    req_i[Cus],  // scalar operations other than loads are not ours
  // answers
  output logic                  rsp_valid_o,
  output logic      [      1:0] rsp_port_o,
  output logic                  rsp_store_o,
  output logic      [      7:0] rsp_status_o,
  output logic      [     63:0] rsp_va_o,
  output logic      [     47:0] rsp_cookie_o,
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
  // maintenance
  input  logic                  inv_lines_i,
  input  logic                  inv_tlb_i,
  input  tlb_pkg::inv_t         inv_pages_i,
  output logic                  drained_o,  // no access is under way that was translated before the last inv_tlb_i
  output logic      [      3:0] count_o,  // pulses: {tlb miss, tlb hit, read miss, read hit}
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
  logic [15:0][31:0] line;
  ram_1r1w #(.Width(64 * Ways), .Depth(Sets), .Lanes(Ways)) u_tags (
    .clk_i, .we_i(tag_we), .waddr_i(tag_waddr), .wdata_i(tag_wdata), .re_i(tag_re), .raddr_i(tag_raddr),
    .rdata_o(tag_row));
  ram_1r1w #(.Width(512), .Depth(Sets << Ww)) u_lines (
    .clk_i, .we_i(line_we), .waddr_i(line_waddr), .wdata_i(line_wdata), .re_i(line_re), .raddr_i(line_raddr),
    .rdata_o(line));

  /* verilator lint_off BLKSEQ */
  // requests that wait for an entry, one ring a port
  logic [63:0] q_va[Cus*Depth];
  logic [63:0] q_rest[Cus*Depth];  // {store, vmid, cookie}
  logic [127:0] q_data[Cus*Depth];  // of stores
  logic [127:0] brought[Cus*4];  // data of the store that comes next, by SIMD
  logic [31:0] q_head[Cus];
  logic [31:0] q_count[Cus];
  logic [Cus-1:0] q_some;
  // entries: one bit of state each; woken becomes ready one edge later (the fill is then readable)
  logic [15:0] free, woken, ready, send_x, send_m, wait_x, wait_m, faulted, stale, second;
  logic [15:0] store;  // faulted: done
  logic [15:0] old;  // to be sent or under way by a translation from before the invalidation of the TLB
  logic [63:0] e_va[16];  // looked up: in the second line once `second` is set
  logic [63:0] e_first[16];  // of the request
  logic [63:0] e_pa[16];
  logic [63:0] e_rest[16];  // {store, vmid, cookie}
  logic [127:0] e_data[16];  // of stores
  logic [31:0] e_status[16];
  logic [31:0] e_port[16];
  logic [31:0] e_owner[16];
  logic [15:0][31:0] e_line[16];  // first line of a crossing request
  logic [Ways-1:0] valid[Sets];
  logic [31:0] victim[Sets];
  // pipeline: 0 TLB and tags, 1 compare, 2 line RAM, 3 answer
  logic s0, s1, s2, s3;
  logic [31:0] at0, at1, at2, at3;
  // a fill becomes visible three edges after it was sent to the RAMs
  logic [2:0] late;
  logic [31:0] late_set[3];
  logic [31:0] late_way[3];

  logic [31:0] e, way, set, port, owner, off, words;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [31:0] slot;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] pa;
  logic match, hit, xlat, beyond, respond, pulse;
  logic quiet;  // nothing to do until an input comes
  logic [7:0] status, op;
  logic [15:0][31:0] answer, shifted;
  logic [1:0] turn;
  // as it is between two edges, for the assertions
  logic [15:0] free_q, woken_q, ready_q, send_x_q, send_m_q, wait_x_q, wait_m_q, faulted_q;
  logic [15:0] flow_q;  // entries in the pipeline

  function automatic logic [31:0] set_of(input logic [63:0] va);
    return 32'(va >> 6) & (Sets - 1);
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [7:0] op_of(input logic [127:0] message);
    smem_req_t request;
    request = message;
    return Scalar ? request.op : SMEM_LOAD;
  endfunction

  // Half of the data of a store, for its SIMD.
  task automatic bring(input logic [31:0] cu, input logic [127:0] message);
    smem_req_t request;
    request = message;
    slot = {cu[29:0], request.wave[5:4]};
    if (request.dwords[0]) brought[slot][127:64] = request.va;
    else brought[slot][63:0] = request.va;
  endtask

  // A line was written: neither the copy in the cache nor one that is under way may stay.  All sets that hold lines of
  // this place in a page, whatever the virtual address.
  task automatic forget(input logic [31:0] of_set);
    for (int unsigned s = 0; s < Sets; s++) if (((s ^ of_set) & 32'd63) == 32'd0) valid[s] = '0;
    for (int unsigned n = 0; n < 3; n++) if (((late_set[n] ^ of_set) & 32'd63) == 32'd0) late[n[1:0]] = 1'b0;
    for (int unsigned i = 0; i < 16; i++) begin
      if (wait_m[i[3:0]] && !store[i[3:0]] && ((set_of(e_va[i]) ^ of_set) & 32'd63) == 32'd0) stale[i[3:0]] = 1'b1;
    end
  endtask

  // What the answer returns; scalar: dwords in [7:0].
  function automatic logic [47:0] cookie_of(input logic [127:0] message);
    ifetch_req_t fetch;
    smem_req_t load;
    fetch = message;
    load  = message;
    return Scalar ? {load.tag, load.wave, load.dwords} : {32'd0, fetch.wave, fetch.epoch};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic logic [15:0] one_of(input logic valid_entry, input logic [3:0] entry);
    return valid_entry ? 16'd1 << entry : 16'd0;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!quiet || req_valid_i != '0 || fill_valid_i || inv_lines_i || inv_tlb_i || miss_ready_i || !rst_ni) begin
      rsp_valid_o <= 1'b0;
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
      if (late != '0) begin
        if (late[2]) valid[late_set[2]] = valid[late_set[2]] | Ways'(32'd1 << late_way[2]);
        late_set[2] = late_set[1];
        late_way[2] = late_way[1];
        late_set[1] = late_set[0];
        late_way[1] = late_way[0];
        late = late << 1;
      end
      ready = ready | woken;
      woken = '0;

      // ---- invalidation: answers under way are not kept
      if (inv_lines_i) begin
        for (int unsigned s = 0; s < Sets; s++) valid[s] = '0;
        late = '0;
        if (!SeedBug) stale = stale | wait_m;
      end
      if (inv_tlb_i) stale = stale | wait_x;

      // ---- answer of memory
      if (fill_valid_i && fill_scalar_i == Scalar) begin
        e = 32'(fill_entry_i);
        pulse = 1'b1;
        if (Scalar && store[fill_entry_i] && !fill_xlat_i) begin
          if (!SeedStore) forget(set_of(e_va[e]));
        end else if (fill_status_i == MEM_OK && !stale[fill_entry_i]) begin
          if (fill_xlat_i) begin
            tlb_fill      <= 1'b1;
            tlb_fill_vmid <= e_rest[e][55:48];
            tlb_fill_vpn  <= e_va[e][39:12];
            tlb_fill_pte  <= fill_data_i[0];
          end else begin
            set = set_of(e_va[e]);
            way = victim[set] & (Ways - 1);
            victim[set] = way + 32'd1;
            valid[set] = valid[set] & ~Ways'(32'd1 << way);
            if (Ways < 4) begin  // a line that is replaced before it was visible stays unseen
              for (int unsigned n = 1; n < 3; n++) if (late_set[n] == set && late_way[n] == way) late[n[1:0]] = 1'b0;
            end
            late[0] = 1'b1;
            late_set[0] = set;
            late_way[0] = way;
            tag_we     <= Ways'(32'd1 << way);
            tag_waddr  <= Sw'(set);
            tag_wdata  <= {Ways{e_pa[e]}};
            line_we    <= 1'b1;
            line_waddr <= Lw'((set << Ww) | way);
            line_wdata <= fill_data_i;
          end
        end
        for (int unsigned i = 0; i < 16; i++) begin  // the owner and those that wait for it look up again
          match = (fill_xlat_i ? wait_x[i[3:0]] : wait_m[i[3:0]]) && e_owner[i] == e;
          faulted[i[3:0]] = match && fill_status_i != MEM_OK ? 1'b1 : faulted[i[3:0]];
          woken[i[3:0]] = match && fill_status_i == MEM_OK ? 1'b1 : woken[i[3:0]];
          e_status[i] = match ? 32'(fill_status_i) : e_status[i];
          stale[i[3:0]] = match ? 1'b0 : stale[i[3:0]];
          wait_x[i[3:0]] = match ? 1'b0 : wait_x[i[3:0]];
          wait_m[i[3:0]] = match ? 1'b0 : wait_m[i[3:0]];
        end
        if (Scalar && store[fill_entry_i] && !fill_xlat_i && fill_status_i == MEM_OK) begin
          if (!second[fill_entry_i] && 32'(e_first[e][5:2]) + 32'(e_rest[e][7:0]) > 32'd16) begin  // its second line
            e_va[e] = {e_va[e][63:6] + 58'd1, 6'd0};
            second[fill_entry_i] = 1'b1;
          end else begin
            woken[fill_entry_i]   = 1'b0;
            faulted[fill_entry_i] = 1'b1;
          end
        end
      end

      // ---- stage 3: answer, or keep the first line of a crossing request
      if (s3) begin
        e = at3;
        off = 32'(e_first[e][5:2]);
        status = MEM_OK;
        if (Scalar && !second[e[3:0]] && off + 32'(e_rest[e][7:0]) > 32'd16) begin
          e_line[e] = line;
          e_va[e] = {e_va[e][63:6] + 58'd1, 6'd0};
          second[e[3:0]] = 1'b1;
          ready[e[3:0]] = 1'b1;
        end else begin
          respond = 1'b1;
          answer = line;
          if (Scalar) begin
            if (second[e[3:0]]) answer = e_line[e];
            if (off != 32'd0) begin
              for (int unsigned i = 0; i < 16; i++)
                shifted[i[3:0]] = i + off < 16 ? answer[4'(i + off)] : line[4'(i + off)];
              answer = shifted;
            end
            rsp_data_o <= answer;
          end else begin
            rsp_data_o[7:0] <= off[3] ? line[15:8] : line[7:0];
          end
        end
      end else if (faulted != '0) begin
        e = 32'(pick_pkg::first64({48'd0, faulted}));
        respond = 1'b1;
        status = e_status[e][7:0];
        faulted[e[3:0]] = 1'b0;
      end
      if (respond) begin
        free[e[3:0]] = 1'b1;
        pulse = 1'b1;
        rsp_valid_o  <= 1'b1;
        rsp_port_o   <= e_port[e][1:0];
        rsp_store_o  <= Scalar && store[e[3:0]];
        rsp_status_o <= status;
        rsp_va_o     <= status == MEM_OK ? e_first[e] : e_va[e];
        rsp_cookie_o <= e_rest[e][47:0];
      end
      s3 = s2;
      at3 = at2;

      // ---- stage 1: compare
      s2 = 1'b0;
      if (s1) begin
        e = at1;
        beyond = e_va[e][63:40] != '0;  // no such page: the TLB compares 28 bits of its number
        status = beyond ? MEM_FAULT_NOT_PRESENT :
            tlb_pkg::pte_status(tlb_pte, Scalar && store[e[3:0]] ? tlb_pkg::ACCESS_WRITE : Access);
        pa = tlb_pkg::pte_pa(tlb_pte, {e_va[e][63:6], 6'd0});
        set = set_of(e_va[e]);
        hit = 1'b0;
        way = 32'd0;
        for (int unsigned w = 0; w < Ways; w++) begin
          match = valid[set][Ww'(w)] && tag_row[Ww'(w)] == pa;
          way = match ? w : way;
          hit = hit | match;
        end
        xlat = !tlb_hit;
        pulse = 1'b1;
        count_o <= {!tlb_hit, tlb_hit, tlb_hit && !hit && !(Scalar && store[e[3:0]]),
                    tlb_hit && hit && !(Scalar && store[e[3:0]])};
        if ((tlb_hit || beyond) && status != MEM_OK) begin
          faulted[e[3:0]] = 1'b1;
          e_status[e] = 32'(status);
        end else if (tlb_hit && hit && !(Scalar && store[e[3:0]])) begin
          s2 = 1'b1;
          at2 = e;
          line_re    <= 1'b1;
          line_raddr <= Lw'((set << Ww) | way);
        end else begin
          owner = e;
          e_pa[e] = pa;
          for (int unsigned i = 0; i < 16; i++) begin
            match = xlat ? (send_x[i[3:0]] || wait_x[i[3:0]]) && e_va[i][39:12] == e_va[e][39:12]
                           && e_rest[i][55:48] == e_rest[e][55:48]
                         : (send_m[i[3:0]] || wait_m[i[3:0]]) && e_pa[i] == pa;
            match = match && (xlat || !Scalar || !(store[i[3:0]] || store[e[3:0]]));
            match = match && e_owner[i] == i && i != e;
            owner = match ? i : owner;
          end
          e_owner[e] = owner;
          send_x[e[3:0]] = xlat && owner == e;
          send_m[e[3:0]] = !xlat && owner == e;
          wait_x[e[3:0]] = xlat && owner != e;
          wait_m[e[3:0]] = !xlat && owner != e;
        end
      end
      s1 = s0;
      at1 = at0;

      // ---- stage 0: choose what to look up
      s0 = 1'b0;
      if (ready != '0) begin
        e = 32'(pick_pkg::first64({48'd0, ready}));
        ready[e[3:0]] = 1'b0;
        s0 = 1'b1;
      end else if (q_some != '0 && free != '0) begin
        port = 32'(pick_pkg::rr64(64'(q_some), {4'd0, turn}));
        turn = 2'(port) + 2'd1;
        slot = port * Depth + q_head[port];
        e = 32'(pick_pkg::first64({48'd0, free}));
        free[e[3:0]] = 1'b0;
        second[e[3:0]] = 1'b0;
        e_va[e] = q_va[slot];
        e_first[e] = q_va[slot];
        e_rest[e] = q_rest[slot];
        if (Scalar) begin
          store[e[3:0]] = q_rest[slot][56];
          if (store[e[3:0]]) e_data[e] = q_data[slot];
        end
        e_port[e] = port;
        q_head[port] = (q_head[port] + 32'd1) & (Depth - 1);
        q_count[port] = q_count[port] - 32'd1;
        q_some[Pw'(port)] = q_count[port] != 32'd0;
        s0 = 1'b1;
      end
      if (s0) begin
        at0 = e;
        tlb_valid <= 1'b1;
        tlb_vmid  <= e_rest[e][55:48];
        tlb_vpn   <= e_va[e][39:12];
        tag_re    <= 1'b1;
        tag_raddr <= Sw'(set_of(e_va[e]));
      end

      // ---- requests to memory
      if (miss_valid_o && miss_ready_i) miss_valid_o <= 1'b0;
      if ((!miss_valid_o || miss_ready_i) && (send_x | send_m) != '0) begin
        e = 32'(pick_pkg::first64({48'd0, send_x | send_m}));
        xlat = send_x[e[3:0]];
        send_x[e[3:0]] = 1'b0;
        send_m[e[3:0]] = 1'b0;
        wait_x[e[3:0]] = xlat;
        wait_m[e[3:0]] = !xlat;
        miss_valid_o <= 1'b1;
        miss_xlat_o  <= xlat;
        miss_entry_o <= e[3:0];
        miss_vmid_o  <= e_rest[e][55:48];
        miss_addr_o  <= xlat ? {24'd0, e_va[e][39:12], 12'd0} : e_pa[e];
        miss_store_o <= Scalar && !xlat && store[e[3:0]];
        if (Scalar && store[e[3:0]]) begin
          off   = 32'(e_first[e][5:2]);
          words = (32'd1 << e_rest[e][2:0]) - 32'd1;
          words = words << off;
          miss_words_o <= second[e[3:0]] ? words[31:16] : words[15:0];
          for (int unsigned k = 0; k < 4; k++) shifted[4'(off + k)] = e_data[e][32*k+:32];
          miss_data_o <= shifted;
        end
        pulse = 1'b1;
      end

      // ---- new requests
      if (req_valid_i != '0) begin
        /* verilator unroll_full */
        for (int unsigned c = 0; c < Cus; c++) begin
          op = req_valid_i[c] ? op_of(128'(req_i[c])) : SMEM_NONE;
          if (Scalar && op == SMEM_DATA) bring(c, 128'(req_i[c]));
          if (op == SMEM_LOAD || (Scalar && op == SMEM_STORE)) begin
            q_head[c] = q_count[c] == 32'd0 ? 32'd0 : q_head[c];  // few words of the ring are in use
            slot = c * Depth + ((q_head[c] + q_count[c]) & (Depth - 1));
            q_va[slot] = req_i[c].va;
            q_rest[slot] = {7'd0, op == SMEM_STORE, req_i[c].vmid, cookie_of(128'(req_i[c]))};
            if (Scalar && op == SMEM_STORE) q_data[slot] = brought[{c[29:0], req_i[c].wave[5:4]}];
            q_count[c] = q_count[c] + 32'd1;
            q_some[c] = 1'b1;
          end
        end
      end

      // what a lookup before the invalidation has translated, up to that which was compared at this edge
      if (inv_tlb_i || old != '0) begin
        old = (inv_tlb_i ? 16'hffff : old) & (send_m | wait_m);
        drained_o <= old == '0;
      end

      if (!rst_ni) begin
        old = '0;
        drained_o <= 1'b1;
        {s0, s1, s2, s3, late, q_some, turn} = '0;
        {woken, ready, send_x, send_m, wait_x, wait_m, faulted, stale, second, store} = '0;
        free = '1;
        for (int unsigned c = 0; c < Cus; c++) begin
          q_head[c] = 32'd0;
          q_count[c] = 32'd0;
        end
        for (int unsigned s = 0; s < Sets; s++) begin
          valid[s] = '0;
          victim[s] = 32'd0;
        end
        miss_valid_o <= 1'b0;
        rsp_valid_o  <= 1'b0;
      end
      {free_q, woken_q, ready_q, faulted_q} <= {free, woken, ready, faulted};
      {send_x_q, send_m_q, wait_x_q, wait_m_q} <= {send_x, send_m, wait_x, wait_m};
      flow_q <= one_of(s0, at0[3:0]) | one_of(s1, at1[3:0]) | one_of(s2, at2[3:0]) | one_of(s3, at3[3:0]);
      quiet  = rst_ni && !pulse && !(s0 || s1 || s2 || s3) && late == '0 && (q_some == '0 || free == '0)
          && (woken | ready | send_x | send_m | faulted) == '0;
      idle_o <= quiet;
    end
  end
  /* verilator lint_on BLKSEQ */

  logic unused;
  assign unused = tlb_result;
  // ---- assertions
  // each entry is at one place: free, about to look up again, in the pipeline, to be sent, waiting, or to be answered
  logic [15:0] here, away;
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
    stands_q <= rst_ni && miss_valid_o && !miss_ready_i;
    if (miss_valid_o) miss_q <= {miss_addr_o, miss_vmid_o, miss_entry_o, miss_xlat_o};
  end
  `STREAM_ASSERT(a_stands, stands_q,
                 miss_valid_o && {miss_addr_o, miss_vmid_o, miss_entry_o, miss_xlat_o} == miss_q)
  // requests of a port and their answers; no more under way than its ring has places
  for (genvar c = 0; c < Cus; c++) begin : gen_check_port
    logic asks;
    logic [7:0] kind;
    assign kind = op_of(128'(req_i[c]));
    assign asks = req_valid_i[c] && (kind == SMEM_LOAD || (Scalar && kind == SMEM_STORE));
    `STREAM_BOUND(a_under_way, Depth, asks, rsp_valid_o && rsp_port_o == 2'(c))
  end
endmodule
