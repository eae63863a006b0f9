// SPDX-License-Identifier: Apache-2.0
// Part of lds_serial: the stages that a word passes, from its place in the loops to its result, and the arithmetic of
// atomics.  Not responsible for: order between instructions, rows to the VGPRs, lines (lds_serial_order.svh).

  // Stage 1: the next word, and whose address it needs.
  task automatic stage1();
    logic has_second, permute, wide;
    wide = op.ctl.slots == 3'd2;
    permute = op.ctl.kind == KIND_PERMUTE;
    has_second = op.ctl.regs1 != '0 && !op.ctl.two;
    at.first = at.lane == '0 && at.part == '0 && source == '0;
    // room for a row that is filled while the one before goes to the VGPRs; an atomic of two words fills two at once
    if (pause != '0) begin
      pause = pause - 4'd1;
    end else if (!(at.first && op.ctl.brings && (op.ctl.kind == KIND_ATOMIC && wide ? rows != '0 : rows[1]))) begin
      if (at.first && op.ctl.brings) rows = rows + (op.ctl.kind == KIND_ATOMIC && wide ? 2'd2 : 2'd1);
      at.final_part = op.ctl.kind != KIND_ATOMIC || at.part == {has_second, wide};
      at.last = at.lane == 4'd15 && at.final_part && (!permute || source == 2'd3);
      s1 = at;
      s1.valid = 1'b1;
      if (SeedFault == 4'd1 && op.ctl.kind == KIND_ATOMIC) s1.lane = ~at.lane;
      s1.from = op.ctl.kind == KIND_SWIZZLE ? 6'(swizzle({26'd0, at.beat, at.lane}, op.offset0)) :
          {permute ? source : at.beat, s1.lane};
      address_row_at <= {entry[1:0], s1.from[5:4]};
      if (!at.final_part) begin
        at.part = at.part == 2'd0 && !wide ? 2'd2 : at.part + 2'd1;
      end else begin
        at.part = '0;
        if (op.ctl.kind == KIND_ATOMIC) pause = Pace;
        at.lane = at.lane + 4'd1;
        if (at.lane == '0) begin
          if (permute) source = source + 2'd1;
          if (source == '0) next_row();
        end
      end
    end
  endtask

  // All lanes of a word of a beat are through.
  task automatic next_row();
    at.word = at.word + 2'd1;
    if (op.ctl.kind >= KIND_ATOMIC || 3'(at.word) == op.ctl.slots || at.word == '0) begin
      at.word = '0;
      at.beat = at.beat + 2'd1;
      if (at.beat == '0) begin
        issuing = op.ctl.two && !at.elem;
        at.elem = 1'b1;
      end
    end
  endtask

  task automatic stage2();
    s2 = s1;
    s1.valid = 1'b0;
  endtask

  task automatic stage3();
    s3 = s2;
    if (s2.valid) near3 = address_row[32*s2.from[3:0]+:32];
  endtask

  // Stage 4: byte address, bounds, whose data it takes.
  task automatic stage4();
    logic [5:0] want;
    s4 = s3;
    if (s3.valid) begin
      mask = ~(op.ctl.bytes == 5'd12 ? 32'd15 : 32'(op.ctl.bytes) - 32'd1);
      effective = near3 + (s3.elem ? op.offset1 : op.offset0);
      want = effective[7:2];
      effective = effective & mask;
      operand = s3.part[1] || s3.elem ? op.ctl.slots : 3'd0;
      operand = operand + (op.ctl.kind == KIND_ATOMIC ? {2'd0, s3.part[0]} : {1'b0, s3.word});
      slot4 = effective + 32'(op.base) +
          (op.ctl.kind == KIND_ATOMIC ? {29'd0, s3.part[0], 2'd0} : {28'd0, s3.word, 2'd0});
      near4 = near3;
      case (op.ctl.kind)
        KIND_SWIZZLE: s4.legal = op.exec[s3.from];
        KIND_PERMUTE: begin
          s4.legal = op.exec[s3.from] && want[5:4] == s3.beat;
          s4.lane  = want[3:0];
        end
        KIND_BPERMUTE: begin
          s4.legal = op.exec[want];
          s4.from  = want;
        end
        default: begin
          s4.legal = op.exec[s3.from] && op.ctl.limit_ok && (effective <= 32'(op.last) || SeedFault == 4'd3);
        end
      endcase
      data_row_at <= {op.ctl.kind >= KIND_SWIZZLE ? 2'd0 : operand[1:0], entry[1:0], s4.from[5:4]};
    end
  endtask

  task automatic stage5();
    s5 = s4;
    near5 = near4;
    slot5 = slot4;
  endtask

  task automatic stage6();
    s6 = s5;
    slot6 = slot5;
    if (s5.valid) give6 = op.ctl.kind == KIND_SWIZZLE ? near5 : data_row[32*s5.from[3:0]+:32];
  endtask

  // Stage 7: the memory.
  task automatic stage7();
    s7 = s6;
    give7 = give6;
    slot7 = slot6;
    if (s6.valid) begin
      raddr <= slot6[Aw+1:2];
      if (op.ctl.kind == KIND_STORE) begin
        we <= !s6.legal ? 4'd0 : op.ctl.bytes >= 5'd4 ? 4'hf :
            op.ctl.bytes[1] ? 4'd3 << {slot6[1], 1'b0} : 4'd1 << slot6[1:0];
        waddr <= slot6[Aw+1:2];
        wdata <= op.ctl.bytes >= 5'd4 ? give6 : op.ctl.bytes[1] ? {2{give6[15:0]}} : {4{give6[7:0]}};
      end
    end
  endtask

  // Stage 8: the memory reads.
  task automatic stage8();
    s8 = s7;
    give8 = give7;
    slot8 = slot7;
    s7.valid = 1'b0;
  endtask

  // The word is there: into the row of results, or to the atomic.
  task automatic take_word();
    x1.valid = 1'b0;
    if (s8.valid && s8.line && !line_i[0].atomic) begin
      line_rsp_o[0].data <= {rdata, line_rsp_o[0].data[511:32]};
    end else if (s8.valid && (s8.line || op.ctl.kind == KIND_ATOMIC)) begin
      value = s8.legal ? rdata : 32'd0;
      case (s8.part)
        2'd0: begin
          a = {32'd0, give8};
          old = {32'd0, value};
          word_at = slot8[Aw+1:2];
        end
        2'd1: begin
          a[63:32] = give8;
          old[63:32] = value;
        end
        2'd2: b = {32'd0, give8};
        default: b[63:32] = give8;
      endcase
      if (s8.line) take_line_operands();
      if (s8.final_part) x1 = s8;
    end else if (s8.valid && op.ctl.brings) begin
      value = give8;
      if (op.ctl.kind == KIND_LOAD) begin
        value = op.ctl.bytes < 5'd4 ? cut(rdata, slot8[1:0], op.ctl.bytes[1], op.ctl.sext) : rdata;
      end
      if (op.ctl.kind == KIND_PERMUTE) begin
        if (s8.first) for (int unsigned l = 0; l < 16; l++) row[l] = '0;
        if (s8.legal) row[s8.lane] = value;
      end else begin
        row[s8.lane] = s8.legal ? value : 32'd0;
      end
      if (s8.last) row_complete(3'(s8.elem ? op.ctl.slots : 3'd0) + {1'b0, s8.word}, s8.beat);
    end
  endtask

  // Atomics, the last step first: 1 what old value and operand give, 2 what memory keeps (sums of floats: 1 order,
  // 2 combine, 3 normalise, 4 round), 4 to the memory, one word a cycle.
  task automatic arithmetic();
    if (high) begin
      we <= 4'hf;
      waddr <= word_at | Aw'(1);
      wdata <= fresh[63:32];
      high = 1'b0;
    end
    if (x4.valid) begin
      if (opcode == MEMOP_FADD) fresh[31:0] = lds_fadd_pkg::round(sum3);
      we <= {4{x4.legal}};
      waddr <= word_at;
      wdata <= fresh[31:0];
      high = x4.legal && wide_atomic;
    end
    x4 = x3;
    if (x3.valid) sum3 = lds_fadd_pkg::normalise(sum2);
    x3 = x2;
    if (x2.valid) begin
      fresh = choose(opcode, facts, old, a, b);
      sum2 = lds_fadd_pkg::combine(sum1);
    end
    x2 = x1;
    if (x1.valid) begin
      facts = compare(opcode, wide_atomic, old, a, b);
      sum1 = lds_fadd_pkg::order(old[31:0], a[31:0]);
      if (x1.line) begin
        line_rsp_o[0].data[63:0] <= old;
      end else if (op.ctl.brings) begin
        row[x1.lane] = old[31:0];
        for (int unsigned l = 0; l < 16; l++) if (wide_atomic && x1.lane == l[3:0]) vwr_o.data[l] <= old[63:32];
        if (x1.last) begin
          row_complete(x1.elem ? op.ctl.slots : 3'd0, x1.beat);
          second_waits = wide_atomic;
        end
      end
    end
  endtask
