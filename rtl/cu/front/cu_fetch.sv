// SPDX-License-Identifier: Apache-2.0
// Instruction fetch and decode of the compute unit: per wavefront a PC and a buffer of four 32-byte chunks (32
// dwords), one fetch request a cycle (oldest wavefront of a SIMD first, SIMDs in turn), sequential prefetch, epochs
// that drop answers older than the last jump; two decoders turn the dwords at the head of a wavefront into a head_t,
// once.  Not responsible for: when an instruction issues (cu_issue), branch targets (cu_scalar), the instruction
// cache and its TLB (rtl/sqc).
//
// Chunk n of the code stands in place n % 4 of the buffer.  Asked for are the chunk at PC, the next one and, of the
// first wavefront of a SIMD once its first is here, the one after that: alone it uses up a chunk in 16 cycles and waits
// 28 for another, beside others it need not hurry.  What is there beside these stays, mostly the chunk before; a branch
// to a chunk that is in the buffer or on its way needs no fetch.  Chunks in the buffer and on their way are at most four
// in sequence, PC among them, so bit n[2] tells which of
// those that share a place is there.  The hardware's cache is nearer than ours; `BranchTurns` keeps ours from being
// faster.  A fetch message carries the epoch and the place of its chunk: {epoch[6:0], place[0]} and, above the
// wavefront, place[1].  An epoch comes again after 128 jumps: a wavefront fetches nothing in one half of them before
// all answers of 64 jumps ago, in that half, have come.  The buffer memory has four banks of 8 bytes, one a quarter
// of a chunk; a decoder reads the one at PC and, when PC points to its upper half, the next.
//
// A decode takes three cycles: choice, read, decoding.  Sets of wavefronts are bit vectors by {simd, slot}.
`include "gantry_assert.svh"

module cu_fetch
  import cu_pkg::*;
  import cu_front_pkg::*;
  import cu_head_pkg::*;
(
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic            [1:0]             turn_i,
  input  logic                              start_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // records shared with other blocks
  input  start_t                            start_i,
  input  waves_t                            active_i,               // wavefronts that may go on
  input  order_t                            order_i[4],
  input  issued_t                           issued_i,               // these heads were issued
  input  logic            [1:0]             jump_valid_i,
  input  wave_t                             jump_wave_i[2],
  input  logic            [47:0]            jump_pc_i[2],
  input  logic                              jump_keep_i,            // the first jump may use what is in the buffer
  input  logic                              where_en_i,             // tell about this wavefront
  input  wave_t                             where_i,
  output logic           [55:0]             where_o,                // VMID, PC of its next instruction
  output logic            [1:0]             head_valid_o,           // decoded: next instruction of head_wave_o
  output wave_t                             head_wave_o[2],
  output head_t                             head_o[2],
  output logic                              ifetch_req_valid_o,
  output gantry_msg_pkg::ifetch_req_t       ifetch_req_o,
  input  logic                              ifetch_rsp_valid_i,
  input  gantry_msg_pkg::ifetch_rsp_t       ifetch_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                              hold_i,                 // ask for nothing; answers are taken
  input  logic                              kick_i,                 // hold_i may have changed
  output logic                              drained_o,              // while hold_i: no answer is to come
  output logic                              idle_o
);
  localparam int unsigned IbufDepth = 4 * ({26'd0, SimdMask, SlotMask} + 1);  // {wavefront, place}
  localparam int unsigned IbufAw = $clog2(IbufDepth);
  logic ram_en_q;  // a write or a read
  logic [3:0] ram_we_q, ram_re0_q, ram_re1_q;  // by bank; reads for decoder 0, 1
  logic [3:0][IbufAw-1:0] ram_waddr_q, ram_raddr0_q, ram_raddr1_q;
  logic [63:0] ram_wdata_q[4];
  logic [63:0] quarter0[4], quarter1[4];

  ram_2r1w_banked #(
    .Banks(4),
    .Width(64),
    .Depth(IbufDepth)
  ) u_ibuf (
    .clk_i,
    .en_i    (ram_en_q),
    .re0_i   (ram_re0_q),
    .raddr0_i(ram_raddr0_q),
    .rdata0_o(quarter0),
    .re1_i   (ram_re1_q),
    .raddr1_i(ram_raddr1_q),
    .rdata1_o(quarter1),
    .we_i    (ram_we_q),
    .waddr_i (ram_waddr_q),
    .wdata_i (ram_wdata_q)
  );

  // Banks that hold the two dwords from dword pc[4:2] of a chunk on.
  localparam logic [3:0] Quarters[8] = '{4'd1, 4'd3, 4'd2, 4'd6, 4'd4, 4'd12, 4'd8, 4'd9};

  // Rows of the four quarters from quarter `from` of `place` on: bank 0 follows bank 3 in the next place.
  function automatic logic [3:0][IbufAw-1:0] rows(input widx_t of, input logic [1:0] place, input logic [1:0] from);
    logic [1:0] next;
    next = place + 2'd1;
    return {{3{IbufAw'({of, place})}}, IbufAw'({of, from == 2'd3 ? next : place})};
  endfunction

  // Turns of its SIMD that a branch waits whose target is in the buffer: it takes 20 cycles (CLRX GcnTimings; AMD's
  // optimization guide says 16).
  localparam int unsigned BranchTurns = 3;

  /* verilator lint_off BLKSEQ */
  logic [47:0] pc[Waves];
  logic [6:0] epoch[Waves];
  logic [8:0] flight[2*Waves], asked_for;  // answers to come, by {wavefront, half of the epochs}; of all, at most 256
  waves_t late;  // waits for answers of its half of the epochs, from the time before
  logic [1:0] len[Waves];
  logic [7:0] vmid[Waves];
  registers_t registers[Waves];
  logic [3:0] fault[4*Waves];  // status of a chunk, by {wavefront, place}
  logic [3:0] have[Waves], asked[Waves], upper[Waves];  // by place: chunk in the buffer, asked for; bit 2 of its number
  // who took a branch into its buffer, by SIMD; lowest: goes on at its turn
  logic [BranchTurns-1:0][15:0] returning[4];
  logic branching;  // there may be one
  waves_t want_fetch, want_decode, undecoded, in_decode;

  // decoder d: read and decode stages
  logic [1:0] s1_valid, s2_valid, s1_both, s2_both, decoded;
  widx_t s1_wave[2], s2_wave[2];
  logic [6:0] s1_epoch[2], s2_epoch[2];
  logic [1:0] n1_valid;  // narrow: what comes to the first of them
  widx_t n1_wave;
  logic [6:0] n1_epoch;
  logic n1_both;
  head_t head[2], h;
  logic [1:0] dwords;
  logic [63:0] inst;
  logic awake;  // something changed: the next cycle may bring more

  // Chunk with these low bits of its number: in the buffer; not even asked for.
  function automatic logic has(input widx_t at, input logic [2:0] chunk);
    return have[at][chunk[1:0]] && upper[at][chunk[1:0]] == chunk[2];
  endfunction
  function automatic logic lacks(input widx_t at, input logic [2:0] chunk);
    return !((have[at][chunk[1:0]] || asked[at][chunk[1:0]]) && upper[at][chunk[1:0]] == chunk[2]);
  endfunction

  task automatic restart(input widx_t at, input logic [47:0] to);
    if (Narrow) begin
      for (int unsigned n = 0; n < Slots; n++) if (at == n[5:0]) pc[n] = to;
    end else pc[at] = to;
    have[at]        = '0;
    asked[at]       = '0;
    epoch[at]       = epoch[at] + 7'd1;
    if (epoch[at][5:0] == 6'd0 && flight[{at, epoch[at][6]}] != 9'd0) late[at] = 1'b1;
    undecoded[at]   = 1'b1;
    want_decode[at] = 1'b0;
    want_fetch[at]  = 1'b1;
    awake           = 1'b1;
    for (int unsigned k = 0; k < BranchTurns; k++) returning[at[5:4]][k][at[3:0]] = 1'b0;
  endtask

  // A branch to a chunk at most three away that is here or will be; what is being decoded is of the old path.
  task automatic branch(input widx_t at, input logic [47:0] to);
    logic [42:0] away;
    away = to[47:5] - pc[at][47:5] + 43'd3;
    if (away > 43'd6 || lacks(at, to[7:5])) begin
      restart(at, to);
    end else begin
      if (Narrow && n1_wave == at) n1_epoch = epoch[at] + 7'd64;
      for (int unsigned d = 0; d < 2; d++) begin
        if (s1_wave[d] == at) s1_epoch[d] = epoch[at] + 7'd64;
        if (s2_wave[d] == at) s2_epoch[d] = epoch[at] + 7'd64;
      end
      if (Narrow) begin
        for (int unsigned n = 0; n < Slots; n++) if (at == n[5:0]) pc[n] = to;
      end else pc[at] = to;
      undecoded[at]   = 1'b0;
      want_decode[at] = 1'b0;
      want_fetch[at]  = 1'b1;
      awake           = 1'b1;
      branching       = 1'b1;
      returning[at[5:4]][BranchTurns-1][at[3:0]] = 1'b1;
    end
  endtask

  // Next wavefront of `of`, whose SIMDs are looked at from `first` on; needs one bit set.
  function automatic widx_t choose(input waves_t of, input logic [1:0] first);
    logic [1:0] s;
    s = first & SimdMask;
    for (int unsigned n = 0; n < 3; n++) begin
      if (of[{s, 4'd0}+:16] != '0) break;
      s = (s + 2'd1) & SimdMask;
    end
    return windex({s, oldest(of[{s, 4'd0}+:16], order_i[s])});
  endfunction

  `include "cu_fetch_decode.svh"

  widx_t w;
  waves_t m;
  logic [2:0] chunk;
  logic [1:0] place, s;
  logic [42:0] number;
  logic want0, want1, want2, ram_write;
  logic [3:0] ram_read0, ram_read1;
  logic [255:0] data;
  logic [63:0] ram_wdata[4];
  logic [1:0] q;
  gantry_msg_pkg::ifetch_req_t req;

  // One request a cycle.
  task automatic ask();
    m = want_fetch & active_i & ~late;
    if (m != '0 && !asked_for[8] && !hold_i) begin  // the instruction cache has places for 256
      awake = 1'b1;
      w     = choose(m, turn_i);
      chunk = pc[w][7:5];
      want0 = lacks(w, chunk);
      want1 = lacks(w, chunk + 3'd1);
      want2 = order_i[w[5:4]][0] == w[3:0] && has(w, chunk) && lacks(w, chunk + 3'd2);
      if (want0 || want1 || want2) begin
        number = pc[w][47:5] + (want0 ? 43'd0 : want1 ? 43'd1 : 43'd2);
        place  = number[1:0];
        if (asked[w][place]) begin  // an old one is on its way there: when it has come
          want_fetch[w] = 1'b0;
        end else begin
          have[w][place]  = 1'b0;
          asked[w][place] = 1'b1;
          asked_for       = asked_for + 9'd1;
          flight[{w, epoch[w][6]}] = flight[{w, epoch[w][6]}] + 9'd1;
          upper[w][place] = number[2];
          req                = '0;
          req.wave           = {1'b0, place[1], w};
          req.vmid           = vmid[w];
          req.epoch          = {epoch[w], place[0]};
          req.va             = {16'd0, number, 5'd0};
          ifetch_req_valid_o <= 1'b1;
          ifetch_req_o       <= req;
        end
      end
      if ({1'b0, want0} + {1'b0, want1} + {1'b0, want2} < 2'd2) want_fetch[w] = 1'b0;
    end
  endtask

  // Two heads to decode, first those of the SIMD that issued last.
  task automatic choose_heads();
    s1_valid = 2'd0;
    m        = want_decode & active_i & ~in_decode;
    for (int unsigned d = 0; d < Decoders; d++) begin
      if (m != '0) begin
        awake        = 1'b1;
        w            = choose(m, turn_i - 2'd1);
        m[w]         = 1'b0;
        in_decode[w] = 1'b1;
        s1_valid[d]  = 1'b1;
        s1_wave[d]   = w;
        s1_epoch[d]  = epoch[w];
        s1_both[d]   = pc[w][4:2] == 3'd7;
        if (s1_both[d]) s1_both[d] = has(w, pc[w][7:5] + 3'd1);
      end
    end
    if (s1_valid[0]) begin
      w            = windex(s1_wave[0]);
      q            = pc[w][4:3];
      ram_raddr0_q <= rows(w, pc[w][6:5], q);
      ram_read0    = Quarters[pc[w][4:2]];
    end
    if (s1_valid[1]) begin
      w            = windex(s1_wave[1]);
      q            = pc[w][4:3];
      ram_raddr1_q <= rows(w, pc[w][6:5], q);
      ram_read1    = Quarters[pc[w][4:2]];
    end
  endtask

  // The same for one decoder, at the begin of a cycle: what a jump of this cycle makes void is dropped by its epoch.
  task automatic choose_head();
    n1_valid = 2'd0;
    m        = want_decode & active_i & ~in_decode;
    if (m != '0) begin
      awake        = 1'b1;
      w            = choose(m, turn_i - 2'd1);
      in_decode[w] = 1'b1;
      n1_valid[0]  = 1'b1;
      n1_wave      = w;
      n1_epoch     = epoch[w];
      n1_both      = has(w, pc[w][7:5] + 3'd1);
      ram_raddr0_q <= rows(w, pc[w][6:5], pc[w][4:3]);
      ram_read0    = Quarters[pc[w][4:2]];
    end
  endtask

  // The head of a wavefront was issued.
  task automatic step_on(input widx_t at);
    chunk         = pc[at][7:5];
    pc[at]        = pc[at] + {44'd0, len[at], 2'b0};
    undecoded[at] = 1'b1;
    if (pc[at][7:5] != chunk) want_fetch[at] = 1'b1;
    if (has(at, pc[at][7:5])) want_decode[at] = 1'b1;
  endtask

  // By wavefront: one adder for each, not one for each port.
  task automatic step_all();
    logic hit;
    for (int unsigned n = 0; n < Slots; n++) begin
      hit = 1'b0;
      for (int unsigned k = 0; k < 6; k++) begin
        hit = hit || (issued_i.valid[k] && windex({2'd0, issued_i.slot[k]}) == n[5:0]);
      end
      if (hit) step_on(n[5:0]);
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (awake || start_valid_i || jump_valid_i != '0 || issued_i.valid != '0 || ifetch_rsp_valid_i || kick_i) begin
      `GANTRY_CHECKS;
      awake     = branching;
      decoded   = '0;
      ram_read0 = '0;
      ram_read1 = '0;
      ram_write = 1'b0;
      ifetch_req_valid_o <= 1'b0;
      if (Narrow) begin  // what the last cycle left decides: no path from the reports of this one
        ask();
        choose_head();
      end
      // ---- jumps and new wavefronts, before a decode of the old path can leave
      if (branching && has_simd(turn_i)) begin
        s = turn_i & SimdMask;
        undecoded[{s, 4'd0}+:16] = undecoded[{s, 4'd0}+:16] | returning[s][0];
        for (int unsigned k = 0; k < Slots; k++) begin
          if (returning[s][0][k] && has({s, k[3:0]}, pc[{s, k[3:0]}][7:5])) want_decode[{s, k[3:0]}] = 1'b1;
        end
        returning[s] = returning[s] >> 16;
        branching    = (returning[0] | returning[1] | returning[2] | returning[3]) != '0;
      end
      if (jump_valid_i[0]) begin
        if (jump_keep_i) branch(windex(jump_wave_i[0]), jump_pc_i[0]);
        else restart(windex(jump_wave_i[0]), jump_pc_i[0]);
      end
      if (jump_valid_i[1]) restart(windex(jump_wave_i[1]), jump_pc_i[1]);
      if (start_valid_i) begin
        w            = windex(start_i.wave);
        vmid[w]      = start_i.vmid;
        registers[w] = {start_i.sgprs, start_i.vgprs};
        restart(w, start_i.pc);
      end
      // ---- decode what was read
`ifdef SYNTHESIS
      head = head_o;  // else what is not decoded would be kept in registers of its own
`endif
      if (s2_valid != 2'd0) begin
        for (int unsigned d = 0; d < 2; d++) begin
          if (s2_valid[d]) begin
            awake        = 1'b1;
            w            = windex(s2_wave[d]);
            in_decode[w] = 1'b0;
            if (s2_epoch[d] == epoch[w]) begin
              q    = pc[w][4:3];
              inst = d == 0 ? quarter0[q] : quarter1[q];
              if (pc[w][2]) inst = {d == 0 ? quarter0[q+2'd1][31:0] : quarter1[q+2'd1][31:0], inst[63:32]};
              place = pc[w][6:5] + 2'd1;
              decode_head(pc[w], registers[w], fault[{w, pc[w][6:5]}],
                          s2_both[d] ? fault[{w, place}] : 4'd0);
              if (dwords == 2'd2 && pc[w][4:2] == 3'd7 && !s2_both[d] && h.issue.fault == 4'd0) begin
                if (!has(w, pc[w][7:5] + 3'd1)) want_decode[w] = 1'b0;  // until it arrives
              end else begin
                want_decode[w] = 1'b0;
                undecoded[w]   = 1'b0;
                len[w]         = dwords;
                decoded[d]     = 1'b1;
                head[d]        = h;
              end
            end
          end
        end
      end
      head_valid_o <= decoded;
      if (decoded[0]) begin
        head_wave_o[0] <= s2_wave[0];
        head_o[0]      <= head[0];
      end
      if (decoded[1]) begin
        head_wave_o[1] <= s2_wave[1];
        head_o[1]      <= head[1];
      end
      s2_valid = s1_valid;
      if (s1_valid != 2'd0) begin
        awake    = 1'b1;
        s2_wave  = s1_wave;
        s2_epoch = s1_epoch;
        s2_both  = s1_both;
      end
      // ---- heads that were issued
      if (issued_i.valid != 6'd0) begin
        awake = 1'b1;
        if (Narrow) step_all();
        else begin
          for (int unsigned k = 0; k < 6; k++) begin
            if (issued_i.valid >> k == 6'd0) break;
            if (issued_i.valid[k]) step_on(windex({issued_i.simd, issued_i.slot[k]}));
          end
        end
      end
      if (Narrow) begin
        s1_valid    = n1_valid;
        s1_wave[0]  = n1_wave;
        s1_epoch[0] = n1_epoch;
        s1_both[0]  = n1_both;
      end else choose_heads();
      if (!Narrow) ask();
      // ---- answers
      if (ifetch_rsp_valid_i) begin
        awake = 1'b1;
        w     = windex(ifetch_rsp_i.wave[5:0]);
        place = {ifetch_rsp_i.wave[6], ifetch_rsp_i.epoch[0]};
        asked_for = asked_for - 9'd1;
        flight[{w, ifetch_rsp_i.epoch[7]}] = flight[{w, ifetch_rsp_i.epoch[7]}] - 9'd1;
        if (ifetch_rsp_i.epoch[7] == epoch[w][6] && flight[{w, epoch[w][6]}] == 9'd0) late[w] = 1'b0;
        // one of this epoch for a place that nothing was asked for is 128 jumps old: the wavefront waits for just these
        if ((ifetch_rsp_i.epoch[7:1] == epoch[w] && asked[w][place]) || FaultSeed == 21) begin
          ram_write   = 1'b1;
          ram_waddr_q <= {4{IbufAw'({w, place})}};
          data        = ifetch_rsp_i.data;
          for (int unsigned b = 0; b < 4; b++) ram_wdata[b] = data[64*b+:64];
          ram_wdata_q <= ram_wdata;
          have[w][place]    = 1'b1;
          asked[w][place]   = 1'b0;
          fault[{w, place}] = ifetch_rsp_i.status[3:0];
          if (undecoded[w] && has(w, pc[w][7:5])) want_decode[w] = 1'b1;
          // the chunk at PC, or one before it: more may be asked for now
          chunk = {upper[w][place], place} - pc[w][7:5];
          if (chunk == 3'd0 || chunk[2]) want_fetch[w] = 1'b1;
        end
      end
      ram_we_q  <= {4{ram_write}};
      ram_re0_q <= ram_read0;
      ram_re1_q <= ram_read1;
      ram_en_q  <= ram_write || (ram_read0 | ram_read1) != 4'd0;
      if (hold_i || drained_o) drained_o <= hold_i && asked_for == 9'd0;
    end
    if (where_en_i) begin
      w       = windex(where_i);
      where_o <= {vmid[w], pc[w]};
    end
    if (!rst_ni) begin
      s1_valid    = '0;
      s2_valid    = '0;
      want_fetch  = '0;
      want_decode = '0;
      undecoded   = '0;
      in_decode   = '0;
      awake       = 1'b0;
      for (int unsigned k = 0; k < Waves; k++) epoch[k] = '0;
      for (int unsigned k = 0; k < 2 * Waves; k++) flight[k] = '0;
      {asked_for, late} = '0;
      for (int unsigned k = 0; k < 4; k++) returning[k] = '0;
      branching   = 1'b0;
`ifndef SYNTHESIS
      for (int unsigned k = 0; k < Known; k++) known_as[k] = '0;
`endif
      drained_o          <= 1'b0;
      head_valid_o       <= '0;
      ifetch_req_valid_o <= 1'b0;
      ram_en_q           <= 1'b0;
      ram_we_q           <= '0;
      ram_re0_q          <= '0;
      ram_re1_q          <= '0;
    end
    idle_o <= !awake;
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  task automatic check_state();
    widx_t at;
    // what issues was decoded after the last jump, from a chunk that is here
    for (int unsigned k = 0; k < 6; k++) begin
      at = windex({issued_i.simd, issued_i.slot[k]});
      `GANTRY_CHECK(a_decoded, `GANTRY_IMPL(issued_i.valid[k], !undecoded[at] && has(at, pc[at][7:5])))
    end
    // two decoders never have the same wavefront
    `GANTRY_CHECK(a_two_waves, `GANTRY_IMPL(s1_valid == 2'b11, s1_wave[0] != s1_wave[1]))
    for (int unsigned d = 0; d < 2; d++) begin
      `GANTRY_CHECK(a_in_decode, `GANTRY_IMPL(s2_valid[d], in_decode[s2_wave[d]]))
    end
    // an answer was asked for, and one of this epoch for this place, or it is one that the wavefront waits for
    at = windex(ifetch_rsp_i.wave[5:0]);
    `GANTRY_CHECK(a_flight, `GANTRY_IMPL(ifetch_rsp_valid_i,
                                         asked_for != 9'd0 && flight[{at, ifetch_rsp_i.epoch[7]}] != 9'd0))
    `GANTRY_CHECK(a_place, `GANTRY_IMPL(ifetch_rsp_valid_i && ifetch_rsp_i.epoch[7:1] == epoch[at],
                                        asked[at][{ifetch_rsp_i.wave[6], ifetch_rsp_i.epoch[0]}] || late[at]))
    `GANTRY_CHECK(a_asked_for, asked_for <= 9'd256)
  endtask
endmodule
