// SPDX-License-Identifier: Apache-2.0
// Instruction fetch and decode of the compute unit: per wavefront a PC and a buffer of two 32-byte chunks (16
// dwords), one fetch request a cycle (oldest wavefront of a SIMD first, SIMDs in turn), sequential prefetch, epochs
// that drop answers older than the last jump; two decoders turn the dwords at the head of a wavefront into a head_t,
// once.  Not responsible for: when an instruction issues (cu_issue), branch targets (cu_scalar), the instruction
// cache and its TLB (rtl/l1).
//
// The chunk at PC stands in half pc[5] of the buffer, the next one in the other half.  The epoch field of a fetch
// message carries {epoch[6:0], half}.
module cu_fetch
  import cu_pkg::*;
  import cu_front_pkg::*;
(
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic            [1:0]             turn_i,
  input  logic                              start_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // records shared with other blocks
  input  start_t                            start_i,
  input  slots_t                            active_i[4],            // wavefronts that may go on
  input  logic            [9:0][3:0]        order_i[4],             // slots, oldest first
  input  logic            [5:0]             consume_valid_i,        // these heads were issued
  input  slot_t                             consume_slot_i[6],
  input  logic            [1:0]             consume_simd_i,
  input  logic            [1:0]             jump_valid_i,
  input  wave_t                             jump_wave_i[2],
  input  logic            [47:0]            jump_pc_i[2],
  output logic            [1:0]             head_valid_o,
  output head_t                             head_o[2],
  output logic                              ifetch_req_valid_o,
  output gantry_msg_pkg::ifetch_req_t       ifetch_req_o,
  input  logic                              ifetch_rsp_valid_i,
  input  gantry_msg_pkg::ifetch_rsp_t       ifetch_rsp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                              idle_o
);
  /* verilator lint_off BLKSEQ */
  logic [47:0] pc[64];
  logic [1:0] have[64], pending[64];
  logic [3:0] fault0[64], fault1[64];  // status of the chunk in half 0, 1
  logic [6:0] epoch[64];
  logic [1:0] len[64];
  logic [7:0] vmid[64];
  slots_t want_fetch[4], want_decode[4], undecoded[4], in_decode[4];

  logic [1:0] s1_valid, s2_valid, s1_both, s2_both;
  widx_t s1_wave[2], s2_wave[2];
  logic [6:0] s1_epoch[2], s2_epoch[2];

  logic ram_we_q;
  logic [6:0] ram_waddr_q, ram_ra_q[2], ram_rb_q[2];
  logic [1:0] ram_re_q;
  logic [255:0] ram_wdata_q, row_a[2], row_b[2];

  for (genvar d = 0; d < 2; d++) begin : gen_ram
    ram_2r1w #(
      .Width(256),
      .Depth(128)
    ) u_ibuf (
      .clk_i,
      .we_i    (ram_we_q),
      .waddr_i (ram_waddr_q),
      .wdata_i (ram_wdata_q),
      .re0_i   (ram_re_q[d]),
      .raddr0_i(ram_ra_q[d]),
      .rdata0_o(row_a[d]),
      .re1_i   (ram_re_q[d]),
      .raddr1_i(ram_rb_q[d]),
      .rdata1_o(row_b[d])
    );
  end

  function automatic logic [31:0] dword(input logic [255:0] row, input logic [2:0] index);
    return row[{index, 5'd0}+:32];
  endfunction

  function automatic head_t make_head(input widx_t w, input logic [47:0] at, input logic [63:0] inst,
                                      input logic [3:0] first_fault, input logic [3:0] next_fault);
    head_t h;
    h.wave  = w;
    h.pc    = at;
    h.inst  = inst[31:0];
    h.d     = gcn3_pkg::decode(inst);
    h.cls   = classify(h.d);
    h.fault = first_fault != 4'd0 ? first_fault : h.d.len == 2'd2 && at[4:2] == 3'd7 ? next_fault : 4'd0;
    if (h.d.illegal || h.fault != 4'd0) h.cls = ClsBad;
    h.write = write_pairs(h.d);
    h.check = read_pairs(h.d, h.cls) | (h.cls == ClsValu ? 64'd0 : h.write);
    return h;
  endfunction

  logic busy;
  widx_t w;
  logic [1:0] s;
  slot_t slot;
  slots_t m, one;
  logic half, want0, want1;
  head_t head;
  logic [63:0] inst;
  gantry_msg_pkg::ifetch_req_t req;
  always_ff @(posedge clk_i) begin
    busy               = 1'b0;
    head_valid_o       <= '0;
    ifetch_req_valid_o <= 1'b0;
    ram_we_q           <= 1'b0;
    ram_re_q           <= '0;
    // ---- jumps and new wavefronts, before a decode of the old path can leave
    for (int unsigned k = 0; k < 3; k++) begin
      if (k < 2 ? jump_valid_i[k[0]] : start_valid_i) begin
        busy = 1'b1;
        w    = k < 2 ? jump_wave_i[k[0]] : start_i.wave;
        one  = 16'd1 << w[3:0];
        if (k == 2) vmid[w] = start_i.vmid;
        pc[w]                = k < 2 ? jump_pc_i[k[0]] : start_i.pc;
        have[w]              = 2'd0;
        pending[w]           = 2'd0;
        epoch[w]             = epoch[w] + 7'd1;
        undecoded[w[5:4]]    = undecoded[w[5:4]] | one;
        want_decode[w[5:4]]  = want_decode[w[5:4]] & ~one;
        want_fetch[w[5:4]]   = want_fetch[w[5:4]] | one;
      end
    end
    // ---- decode what was read
    for (int unsigned d = 0; d < 2; d++) begin
      if (s2_valid[d]) begin
        w    = s2_wave[d];
        one  = 16'd1 << w[3:0];
        busy = 1'b1;
        in_decode[w[5:4]] = in_decode[w[5:4]] & ~one;
        if (s2_epoch[d] == epoch[w]) begin
          inst[31:0]  = dword(row_a[d], pc[w][4:2]);
          inst[63:32] = pc[w][4:2] == 3'd7 ? row_b[d][31:0] : dword(row_a[d], pc[w][4:2] + 3'd1);
          head = make_head(w, pc[w], inst, pc[w][5] ? fault1[w] : fault0[w], pc[w][5] ? fault0[w] : fault1[w]);
          if (head.d.len == 2'd2 && pc[w][4:2] == 3'd7 && !s2_both[d] && head.fault == 4'd0) begin
            if (have[w] != 2'b11) want_decode[w[5:4]] = want_decode[w[5:4]] & ~one;  // until it arrives
          end else begin
            want_decode[w[5:4]] = want_decode[w[5:4]] & ~one;
            undecoded[w[5:4]]   = undecoded[w[5:4]] & ~one;
            len[w]              = head.d.len;
            head_valid_o[d]     <= 1'b1;
            if (d == 0) head_o[0] <= head;
            else head_o[1] <= head;
          end
        end
      end
    end
    s2_valid = s1_valid;
    if (s1_valid != 2'd0) begin
      busy     = 1'b1;
      s2_wave  = s1_wave;
      s2_epoch = s1_epoch;
      s2_both  = s1_both;
    end
    // ---- heads that were issued
    if (consume_valid_i != 6'd0) begin
      busy = 1'b1;
      for (int unsigned k = 0; k < 6; k++) begin
        if (consume_valid_i[k]) begin
          s     = consume_simd_i;
          w     = {s, consume_slot_i[k]};
          one   = 16'd1 << consume_slot_i[k];
          half  = pc[w][5];
          pc[w] = pc[w] + {44'd0, len[w], 2'b0};
          undecoded[s] = undecoded[s] | one;
          if (pc[w][5] != half) begin
            have[w][half] = 1'b0;
            want_fetch[s] = want_fetch[s] | one;
          end
          if (have[w][pc[w][5]]) want_decode[s] = want_decode[s] | one;
        end
      end
    end
    // ---- choose two heads to decode, first those of the SIMD that issued last
    s1_valid = 2'd0;
    if ((want_decode[0] | want_decode[1] | want_decode[2] | want_decode[3]) != 16'd0) begin
      s = turn_i - 2'd1;
      for (int unsigned d = 0; d < 2; d++) begin
        for (int unsigned k = 0; k < 4; k++) begin
          m = want_decode[s] & active_i[s] & ~in_decode[s];
          if (m != 16'd0) break;
          s = s + 2'd1;
        end
        if (m != 16'd0) begin
          busy        = 1'b1;
          slot        = oldest(m, order_i[s]);
          w           = {s, slot};
          in_decode[s] = in_decode[s] | (16'd1 << slot);
          s1_valid[d] = 1'b1;
          s1_wave[d]  = w;
          s1_epoch[d] = epoch[w];
          s1_both[d]  = have[w] == 2'b11;
          ram_re_q[d] <= 1'b1;
          if (d == 0) begin
            ram_ra_q[0] <= {w, pc[w][5]};
            ram_rb_q[0] <= {w, !pc[w][5]};
          end else begin
            ram_ra_q[1] <= {w, pc[w][5]};
            ram_rb_q[1] <= {w, !pc[w][5]};
          end
        end
      end
    end
    // ---- one request a cycle
    if ((want_fetch[0] | want_fetch[1] | want_fetch[2] | want_fetch[3]) != 16'd0) begin
      s = turn_i;
      for (int unsigned k = 0; k < 4; k++) begin
        m = want_fetch[s] & active_i[s];
        if (m != 16'd0) break;
        s = s + 2'd1;
      end
      if (m != 16'd0) begin
        busy  = 1'b1;
        slot  = oldest(m, order_i[s]);
        w     = {s, slot};
        half  = pc[w][5];
        want0 = !have[w][half] && !pending[w][half];
        want1 = !have[w][!half] && !pending[w][!half];
        if (want0 || want1) begin
          if (!want0) half = !half;
          pending[w][half]   = 1'b1;
          req                = '0;
          req.wave           = {2'd0, w};
          req.vmid           = vmid[w];
          req.epoch          = {epoch[w], half};
          req.va             = {16'd0, pc[w][47:5] + {42'd0, half != pc[w][5]}, 5'd0};
          ifetch_req_valid_o <= 1'b1;
          ifetch_req_o       <= req;
        end
        if (!(want0 && want1)) want_fetch[s] = want_fetch[s] & ~(16'd1 << slot);
      end
    end
    // ---- answers
    if (ifetch_rsp_valid_i) begin
      w    = ifetch_rsp_i.wave[5:0];
      half = ifetch_rsp_i.epoch[0];
      one  = 16'd1 << w[3:0];
      busy = 1'b1;
      if (ifetch_rsp_i.epoch[7:1] == epoch[w] || FaultSeed == 21) begin
        ram_we_q         <= 1'b1;
        ram_waddr_q      <= {w, half};
        ram_wdata_q      <= ifetch_rsp_i.data;
        have[w][half]    = 1'b1;
        pending[w][half] = 1'b0;
        if (half) fault1[w] = ifetch_rsp_i.status[3:0];
        else fault0[w] = ifetch_rsp_i.status[3:0];
        if ((undecoded[w[5:4]] & one) != 16'd0 && have[w][pc[w][5]]) begin
          want_decode[w[5:4]] = want_decode[w[5:4]] | one;
        end
      end
    end
    if (!rst_ni) begin
      s1_valid = '0;
      s2_valid = '0;
      for (int unsigned k = 0; k < 4; k++) begin
        want_fetch[k]  = '0;
        want_decode[k] = '0;
        undecoded[k]   = '0;
        in_decode[k]   = '0;
      end
      for (int unsigned k = 0; k < 64; k++) epoch[k] = '0;
      head_valid_o       <= '0;
      ifetch_req_valid_o <= 1'b0;
      ram_we_q           <= 1'b0;
      ram_re_q           <= '0;
    end
    idle_o <= !busy;
  end
  /* verilator lint_on BLKSEQ */
endmodule
