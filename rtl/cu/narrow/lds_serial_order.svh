// SPDX-License-Identifier: Apache-2.0
// Part of lds_serial: one instruction after another, lines between them, rows of results to the VGPRs.  Not responsible
// for: the words of an instruction (lds_serial_words.svh).

  // Anything under way between a word's place in the loops and its last effect.
  function automatic logic in_pipeline();
    return s1.valid || s2.valid || s3.valid || s4.valid || s5.valid || s6.valid || s7.valid || s8.valid || x1.valid ||
        x2.valid || x3.valid || x4.valid || high;
  endfunction

  // The oldest instruction whose operands are there.
  task automatic start();
    if (!run && full[entry[1:0]] && (line_step == LineNone || ahead != '0)) begin
      run = 1'b1;
      op = op_i[entry];
      issuing = op.ctl.active;
      at = '0;
      source = '0;
      pause = '0;
      wide_atomic = op.ctl.slots == 3'd2;
      opcode = op.ctl.atomic;
      obs_valid_o <= obs_en_i;
      if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag, default: '0};
    end
  endtask

  // All its words had their effect and all its rows are written.
  task automatic finish();
    logic [15:0] age;
    if (run && !issuing && !in_pipeline() && rows == '0 && room_i) begin
      run = 1'b0;
      full[entry[1:0]] = 1'b0;
      age = now - since[entry] + 16'd1;
      rest_o <= age < 16'(Latency) ? 8'(16'(Latency) - age) : 8'd0;
      left_o <= 1'b1;
      left_tag_o <= '{wave: op.wave, tag: op.tag};
      entry = entry + 3'd1;
      held = held - 4'd1;
      if (ahead != '0) ahead = ahead - 4'd1;
    end
  endtask

  // `row` holds all lanes of word `k` of a beat.
  task automatic row_complete(input logic [2:0] k, input logic [1:0] beat);
    waits = 1'b1;
    row_at = {op.dst + 8'(k), beat};
    row_lanes = 16'(op.exec >> {beat, 4'd0});
  endtask

  // Rows to the VGPRs; the high words of an atomic already stand where they leave.
  task automatic send_rows();
    if (vwr_valid_o && vwr_ready_i) begin
      vwr_valid_o <= 1'b0;
      rows = rows - 2'd1;
    end
    if ((waits || second_waits) && (!vwr_valid_o || vwr_ready_i)) begin
      vwr_valid_o <= 1'b1;
      vwr_o.simd <= '0;
      vwr_o.slot <= op.wave.slot;
      vwr_o.tag <= op.tag;
      vwr_o.lanes <= row_lanes;
      vwr_o.row <= second_waits ? {row_at[9:2] + 8'd1, row_at[1:0]} : row_at;
      if (second_waits) second_waits = 1'b0;
      else begin
        for (int unsigned l = 0; l < 16; l++) vwr_o.data[l] <= row[l];
        waits = 1'b0;
      end
    end
  endtask

  // DS compares its first operand; lines name it second.
  task automatic take_line_operands();
    logic swaps;
    swaps = opcode == MEMOP_CMPSWAP;
    a = swaps ? line_i[0].data[127:64] : line_i[0].data[63:0];
    b = swaps ? line_i[0].data[63:0] : line_i[0].data[127:64];
    if (!wide_atomic) {a[63:32], b[63:32]} = '0;
  endtask

  // One cycle of a line: 16 words, or the one or two of an atomic.
  task automatic serve_line();
    logic [31:0] data;
    if (line_step == LineWait) begin
      if ((ahead == '0 || SeedFault == 4'd9) && !run) begin
        line_step = LineRun;
        word = '0;
        ahead = '0;
        wide_atomic = line_i[0].wide;
        opcode = {1'b0, line_i[0].atomic_op};
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
      end
    end else if (line_step == LineRun) begin
      s7 = '0;
      s7.valid = !line_i[0].store;
      s7.line = 1'b1;
      s7.legal = 1'b1;
      s7.part = {1'b0, word[0]};
      s7.final_part = !wide_atomic || word[0];
      slot7 = 32'(line_i[0].addr);
      data = line_i[0].data[32*word+:32];
      if (line_i[0].atomic) begin
        slot7 = slot7 & (wide_atomic ? ~32'd7 : ~32'd3);
        raddr <= slot7[Aw+1:2] | Aw'(word[0]);
      end else begin
        raddr <= {line_i[0].addr[Aw+1:6], word};
        waddr <= {line_i[0].addr[Aw+1:6], word};
        wdata <= data;
        if (line_i[0].store) we <= SeedFault == 4'd8 && word[3] ? 4'd0 : line_i[0].mask[4*word+:4];
      end
      word = word + 4'd1;
      if (word == '0 || (line_i[0].atomic && s7.final_part)) line_step = LineEnd;
    end else if (line_step == LineEnd && !in_pipeline()) begin
      line_rsp_valid_o <= 1'b1;
      line_rsp_o[0].id <= line_i[0].id;
      line_step = LineNone;
    end
  endtask
