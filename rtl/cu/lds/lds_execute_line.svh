// SPDX-License-Identifier: Apache-2.0
// Part of lds_execute: lines of 64 bytes that the vector memory unit reads or writes for FLAT instructions, and atomics of
// one lane.  16 neighbouring banks of a row.  A line has the banks for itself: nothing else is under way when it starts,
// and nothing starts before it is through.  Not responsible for: which lanes a line has, bounds (cu_vmem_coalesce).

  localparam logic [1:0] LineNone = 2'd0;
  localparam logic [1:0] LineWait = 2'd1;
  localparam logic [1:0] LineBanks = 2'd2;  // the banks read
  localparam logic [1:0] LineData = 2'd3;  // their words are there

  // Bytes of a line to the banks.
  task automatic line_write();
    logic [31:0] bank;
    for (int unsigned b = 0; b < 32; b++) begin
      words[b] = line_i[0].data[32*(b%16)+:32];
      bank = 32'd1 << b;
      if ((b >= 32'd16) == line_i[0].addr[6] && !(SeedFault == 4'd8 && b[3])) begin
        we0 = we0 | (line_i[0].mask[4*(b%16)] ? bank : 32'd0);
        we1 = we1 | (line_i[0].mask[4*(b%16)+1] ? bank : 32'd0);
        we2 = we2 | (line_i[0].mask[4*(b%16)+2] ? bank : 32'd0);
        we3 = we3 | (line_i[0].mask[4*(b%16)+3] ? bank : 32'd0);
      end
    end
    wdata_o <= words;
    waddr_o <= owner;
  endtask

  // The atomic's word or two: the old value, and the new one to the banks.
  task automatic line_atomic(output logic [63:0] old);
    logic [63:0] operand, compare, fresh;
    logic [31:0] which;
    which = 32'(line_i[0].addr[6:2]);
    if (line_i[0].wide) which = which & 32'd30;
    old = {line_i[0].wide ? rdata_i[which|32'd1] : 32'd0, rdata_i[which]};
    operand = line_i[0].data[63:0];
    compare = line_i[0].data[127:64];
    if (line_i[0].atomic_op == 4'(MEMOP_CMPSWAP)) begin  // DS: data0 is compared, data1 stored
      compare = line_i[0].data[63:0];
      operand = line_i[0].data[127:64];
    end
    fresh = line_i[0].wide ? atomic64({1'b0, line_i[0].atomic_op}, old, operand, compare) :
        {32'd0, atomic32({1'b0, line_i[0].atomic_op}, old[31:0], operand[31:0], compare[31:0])};
    for (int unsigned b = 0; b < 32; b++) begin
      words[b] = line_i[0].wide && b[0] ? fresh[63:32] : fresh[31:0];
      owner[b] = 32'(line_i[0].addr[16:7]);
    end
    wdata_o <= words;
    waddr_o <= owner;
    we0 = (line_i[0].wide ? 32'd3 : 32'd1) << which;
    {we1, we2, we3} = {3{we0}};
  endtask

  // One cycle of a line.
  task automatic serve_line();
    logic [511:0] answer;
    logic [63:0] old;
    case (line_step)
      LineWait: begin
        // awake: a pass was under way in this cycle
        if ((ahead == '0 || SeedFault == 4'd9) && !run && hold == '0 && !awake && !pass.valid) begin
          for (int unsigned b = 0; b < 32; b++) owner[b] = 32'(line_i[0].addr[16:7]);
          if (line_i[0].store) begin
            line_write();
          end else begin
            re = '1;
            raddr_o <= owner;
          end
          obs_valid_o <= obs_en_i;
          if (obs_en_i) begin
            obs_o <= '{
                split: line_i[0].split,
                word: line_i[0].word,
                lanes: line_i[0].lanes,
                wave: line_i[0].wave,
                tag: line_i[0].tag
            };
          end
          ahead = '0;
          line_step = LineBanks;
        end
      end
      LineBanks: line_step = LineData;
      default: begin
        for (int unsigned w = 0; w < 16; w++) answer[32*w+:32] = rdata_i[{27'd0, line_i[0].addr[6], w[3:0]}];
        if (line_i[0].atomic) begin
          line_atomic(old);
          answer[63:0] = old;
        end
        line_rsp_valid_o <= 1'b1;
        line_rsp_o[0] <= '{id: line_i[0].id, data: answer};
        line_step = LineNone;
      end
    endcase
    awake = 1'b1;
  endtask
