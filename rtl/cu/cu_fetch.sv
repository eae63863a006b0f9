// SPDX-License-Identifier: Apache-2.0
// Instruction fetch and decode of the compute unit: per wavefront a PC and a buffer of two 32-byte chunks (16
// dwords), one fetch request a cycle (oldest wavefront of a SIMD first, SIMDs in turn), sequential prefetch, epochs
// that drop answers older than the last jump; two decoders turn the dwords at the head of a wavefront into a head_t,
// once.  Not responsible for: when an instruction issues (cu_issue), branch targets (cu_scalar), the instruction
// cache and its TLB (rtl/l1).
//
// The chunk at PC stands in half pc[5] of the buffer, the next one in the other half.  The epoch field of a fetch
// message carries {epoch[6:0], half}.  The buffer memory has four banks of 8 bytes, one a quarter of a chunk; a
// decoder reads the quarter at PC and, when PC points to its upper half, the following one.
//
// A decode takes three cycles: choice, read, decoding.  Sets of wavefronts are bit vectors by {simd, slot}.
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
  output logic            [1:0]             head_valid_o,           // decoded: next instruction of head_wave_o
  output wave_t                             head_wave_o[2],
  output head_t                             head_o[2],
  output logic                              ifetch_req_valid_o,
  output gantry_msg_pkg::ifetch_req_t       ifetch_req_o,
  input  logic                              ifetch_rsp_valid_i,
  input  gantry_msg_pkg::ifetch_rsp_t       ifetch_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                              idle_o
);
  localparam int unsigned IbufDepth = 2 * ({26'd0, SimdMask, SlotMask} + 1);  // {wavefront, half}
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

  // Rows of the four quarters from quarter `from` of `half` on: bank 0 follows bank 3 in the other half.
  function automatic logic [3:0][IbufAw-1:0] rows(input widx_t of, input logic of_half, input logic [1:0] from);
    return {4{IbufAw'({of, of_half})}} ^ (4 * IbufAw)'(from == 2'd3);
  endfunction

  /* verilator lint_off BLKSEQ */
  logic [47:0] pc[Waves];
  logic [6:0] epoch[Waves];
  logic [1:0] len[Waves];
  logic [7:0] vmid[Waves];
  registers_t registers[Waves];
  logic [3:0] fault[2*Waves];  // status of a chunk, by {wavefront, half}
  waves_t have0, have1, pending0, pending1;  // chunk in half 0, 1: in the buffer, asked for
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

  function automatic logic has(input widx_t at, input logic of_half);
    return of_half ? have1[at] : have0[at];
  endfunction

  task automatic restart(input widx_t at, input logic [47:0] to);
    if (Narrow) begin
      for (int unsigned n = 0; n < Slots; n++) if (at == n[5:0]) pc[n] = to;
    end else pc[at] = to;
    have0[at]       = 1'b0;
    have1[at]       = 1'b0;
    pending0[at]    = 1'b0;
    pending1[at]    = 1'b0;
    epoch[at]       = epoch[at] + 7'd1;
    undecoded[at]   = 1'b1;
    want_decode[at] = 1'b0;
    want_fetch[at]  = 1'b1;
    awake           = 1'b1;
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
  logic half, want0, want1, ram_write;
  logic [3:0] ram_read0, ram_read1;
  logic [255:0] data;
  logic [63:0] ram_wdata[4];
  logic [1:0] q;
  gantry_msg_pkg::ifetch_req_t req;

  // One request a cycle.
  task automatic ask();
    m = want_fetch & active_i;
    if (m != '0) begin
      awake = 1'b1;
      w     = choose(m, turn_i);
      half  = pc[w][5];
      want0 = !has(w, half) && !(half ? pending1[w] : pending0[w]);
      want1 = !has(w, !half) && !(half ? pending0[w] : pending1[w]);
      if (want0 || want1) begin
        if (!want0) half = !half;
        if (half) pending1[w] = 1'b1;
        else pending0[w] = 1'b1;
        req                = '0;
        req.wave           = {2'd0, w};
        req.vmid           = vmid[w];
        req.epoch          = {epoch[w], half};
        req.va             = {16'd0, pc[w][47:5] + {42'd0, half != pc[w][5]}, 5'd0};
        ifetch_req_valid_o <= 1'b1;
        ifetch_req_o       <= req;
      end
      if (!(want0 && want1)) want_fetch[w] = 1'b0;
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
        s1_both[d]   = have0[w] && have1[w];
      end
    end
    if (s1_valid[0]) begin
      w            = windex(s1_wave[0]);
      q            = pc[w][4:3];
      ram_raddr0_q <= rows(w, pc[w][5], q);
      ram_read0    = Quarters[pc[w][4:2]];
    end
    if (s1_valid[1]) begin
      w            = windex(s1_wave[1]);
      q            = pc[w][4:3];
      ram_raddr1_q <= rows(w, pc[w][5], q);
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
      n1_both      = have0[w] && have1[w];
      ram_raddr0_q <= rows(w, pc[w][5], pc[w][4:3]);
      ram_read0    = Quarters[pc[w][4:2]];
    end
  endtask

  // The head of a wavefront was issued.
  task automatic step_on(input widx_t at);
    half          = pc[at][5];
    pc[at]        = pc[at] + {44'd0, len[at], 2'b0};
    undecoded[at] = 1'b1;
    if (pc[at][5] != half) begin
      if (half) have1[at] = 1'b0;
      else have0[at] = 1'b0;
      want_fetch[at] = 1'b1;
    end
    if (has(at, pc[at][5])) want_decode[at] = 1'b1;
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
    if (awake || start_valid_i || jump_valid_i != '0 || issued_i.valid != '0 || ifetch_rsp_valid_i) begin
      awake     = 1'b0;
      decoded   = '0;
      ram_read0 = '0;
      ram_read1 = '0;
      ram_write = 1'b0;
      ifetch_req_valid_o <= 1'b0;
      if (Narrow) begin  // what the last cycle left decides: shorter paths
        ask();
        choose_head();
      end
      // ---- jumps and new wavefronts, before a decode of the old path can leave
      if (jump_valid_i[0]) restart(windex(jump_wave_i[0]), jump_pc_i[0]);
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
      for (int unsigned d = 0; d < 2; d++) begin
        if (s2_valid[d]) begin
          awake        = 1'b1;
          w            = windex(s2_wave[d]);
          in_decode[w] = 1'b0;
          if (s2_epoch[d] == epoch[w]) begin
            q    = pc[w][4:3];
            inst = d == 0 ? quarter0[q] : quarter1[q];
            if (pc[w][2]) inst = {d == 0 ? quarter0[q+2'd1][31:0] : quarter1[q+2'd1][31:0], inst[63:32]};
            decode_head(pc[w], registers[w], fault[{w, pc[w][5]}], fault[{w, !pc[w][5]}]);
            if (dwords == 2'd2 && pc[w][4:2] == 3'd7 && !s2_both[d] && h.issue.fault == 4'd0) begin
              if (!have0[w] || !have1[w]) want_decode[w] = 1'b0;  // until it arrives
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
        half  = ifetch_rsp_i.epoch[0];
        if (ifetch_rsp_i.epoch[7:1] == epoch[w] || FaultSeed == 21) begin
          ram_write   = 1'b1;
          ram_waddr_q <= {4{IbufAw'({w, half})}};
          data        = ifetch_rsp_i.data;
          for (int unsigned b = 0; b < 4; b++) ram_wdata[b] = data[64*b+:64];
          ram_wdata_q <= ram_wdata;
          if (half) begin
            have1[w]    = 1'b1;
            pending1[w] = 1'b0;
          end else begin
            have0[w]    = 1'b1;
            pending0[w] = 1'b0;
          end
          fault[{w, half}] = ifetch_rsp_i.status[3:0];
          if (undecoded[w] && has(w, pc[w][5])) want_decode[w] = 1'b1;
        end
      end
      ram_we_q  <= {4{ram_write}};
      ram_re0_q <= ram_read0;
      ram_re1_q <= ram_read1;
      ram_en_q  <= ram_write || (ram_read0 | ram_read1) != 4'd0;
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
`ifndef SYNTHESIS
      for (int unsigned k = 0; k < Known; k++) known_as[k] = '0;
`endif
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
endmodule
