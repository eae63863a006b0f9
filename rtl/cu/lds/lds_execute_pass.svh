// SPDX-License-Identifier: Apache-2.0
// Part of lds_execute: passes over a group.  Which words the banks serve in a pass, stores, what the banks return,
// atomics.  Not responsible for: what the words are (lds_execute_group.svh), order between instructions (lds_execute).

  function automatic logic [4:0] first_of(input logic [31:0] bits);
    return 5'(first64({32'd0, bits}));
  endfunction

  // One pass: the lowest pending word of a bank names its row (an atomic: its lane), all words of that row join.
  task automatic serve();
    logic [31:0] first_row;
    first_row = slot[first_of(pending)] >> 7;
    by_lane = ctl.kind == KIND_ATOMIC && SeedFault != 4'd1;
`ifndef SYNTHESIS
    if (!by_lane) serve_few_rows(first_row);
`endif
    if (served == '0) serve_any(first_row);
    if (ctl.kind == KIND_STORE) begin
      serve_store();
    end else if (by_lane) begin
      for (int unsigned b = 0; b < 32; b++) begin
        lane1[b] = owner[b] & 32'd31;
        row1[b] = slot[owner[b]&32'd31] >> 7;
      end
      raddr_o <= row1;
    end else begin
      re = '1;  // nobody looks at the words of the other banks
      if (SeedFault == 4'd1) row1 = owner;
      raddr_o <= owner;
    end
  endtask

  task automatic serve_any(input logic [31:0] first_row);
    logic [31:0] lowest, some, wanted, hit;
    lowest = 32'(first_of(pending));
    some = slot[lowest[4:0]];
    // words that are not pending stand for the lowest that is
    for (int unsigned s = 0; s < 32; s++) begin
      wanted = by_lane ? s : slot[s] >> 7;
      name[s] = ((pending >> s) & 32'd1) != '0 ? wanted : by_lane ? lowest : first_row;
      place[s] = ((pending >> s) & 32'd1) != '0 ? slot[s] : some;
    end
    for (int unsigned i = 0; i < 32; i++) owner[place[31-i][6:2]] = name[31-i];
    for (int unsigned s = 0; s < 32; s++) begin
      hit = (pending >> s) & 32'(owner[place[s][6:2]] == name[s] ||
                                 (!by_lane && (SeedFault == 4'd2 || FaultSeed == 19)));
      served = served | (hit << s);
      re = re | (hit << place[s][6:2]);
    end
  endtask

`ifndef SYNTHESIS
  // Short cut of the simulator with the same result: all words in one row, or in two that share no bank.
  task automatic serve_few_rows(input logic [31:0] first_row);
    logic [31:0] other, second_row, third, first_banks, second_banks, bank_of;
    other = '0;
    for (int unsigned s = 0; s < 32; s++) other = other | (32'(slot[s] >> 7 != first_row) << s);
    other = other & pending;
    if (other == '0) begin
      for (int unsigned b = 0; b < 32; b++) owner[b] = first_row;
      served = pending;
    end else begin
      second_row = slot[first_of(other)] >> 7;
      {third, first_banks, second_banks} = '0;
      for (int unsigned s = 0; s < 32; s++) begin
        bank_of = 32'd1 << ((slot[s] >> 2) & 32'd31);
        third = third | (32'(slot[s] >> 7 != second_row) << s);
        first_banks = first_banks | ((((pending & ~other) >> s) & 32'd1) != '0 ? bank_of : 32'd0);
        second_banks = second_banks | (((other >> s) & 32'd1) != '0 ? bank_of : 32'd0);
      end
      if ((third & other) == '0 && (first_banks & second_banks) == '0) begin
        for (int unsigned b = 0; b < 32; b++) owner[b] = ((second_banks >> b) & 32'd1) != '0 ? second_row : first_row;
        served = pending;
      end
    end
  endtask
`endif

  // Stores go to the banks at once; of lanes that write one byte the highest wins.
  task automatic serve_store();
    logic [31:0] bytes, mask, bank;
    bytes = ctl.bytes >= 5'd4 ? 32'hffffffff : ctl.bytes[1] ? 32'h0000ffff : 32'h000000ff;
    for (int unsigned s = 0; s < 32; s++) begin
      bank = (slot[s] >> 2) & 32'd31;
      mask = ctl.bytes >= 5'd4 ? bytes : bytes << {slot[s][1:0], 3'd0};
      mask = ((served >> s) & 32'd1) != '0 ? mask : 32'd0;
      words[bank[4:0]] = (words[bank[4:0]] & ~mask) | ((give[s] << {slot[s][1:0], 3'd0}) & mask);
      we0 = we0 | (32'(mask[0]) << bank);
      we1 = we1 | (32'(mask[8]) << bank);
      we2 = we2 | (32'(mask[16]) << bank);
      we3 = we3 | (32'(mask[24]) << bank);
    end
    waddr_o <= owner;
    wdata_o <= words;
  endtask

  // A pass leaves: its group's words go along with the first, the last moves to the next group or instruction.
  task automatic finish_pass();
    pass.valid = 1'b1;
    pass.pair = pair;
    pending = pending & ~served;
    obs_valid_o <= obs_en_i && pass.start;
    if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag, default: '0};
    conflict_o <= !pass.first;
    if (pass.first) begin
      slot1 = slot;
      if (ctl.kind != KIND_LOAD) give1 = give;
      if (ctl.kind == KIND_ATOMIC) more1 = more;
    end
    if (pending == '0) begin
      pass.last = 1'b1;
      prepared = 1'b0;
      group = group + 4'd1;
      if (group == (ctl.two ? 4'd4 : 4'd2) << ctl.log_slots) begin
        pass.final_pass = 1'b1;
        if (ctl.kind == KIND_ATOMIC) hold = 4'd2;
        finish_instruction();
      end
    end
  endtask

  // The banks' atomic units: each has at most one lane, whose word the two passes before may have written.
  task automatic execute_atomics();
    logic [31:0] value, lane;
    logic [63:0] fresh;
    if (pass2.start) by1_valid = '0;
    if (pass2.start) by2_valid = '0;
    for (int unsigned b = 0; b < 32; b++) begin
      value = by2_valid[b[4:0]] && by2_row[b] == row2[b] ? by2_data[b] : rdata_i[b];
      words[b] = by1_valid[b[4:0]] && by1_row[b] == row2[b] ? by1_data[b] : value;
    end
    if (ctl2.bytes == 5'd8) begin
      for (int unsigned b = 0; b < 32; b += 2) begin
        lane = lane2[b] & 32'd30;
        fresh = atomic64(ctl2.atomic, {words[b+1], words[b]}, {give2[lane|32'd1], give2[lane]}, {
                                           more2[lane|32'd1], more2[lane]});
        now[b] = fresh[31:0];
        now[b+1] = fresh[63:32];
      end
    end else if (ctl2.atomic == MEMOP_FADD) begin
      for (int unsigned b = 0; b < 32; b++) now[b] = sum32(words[b], give2[lane2[b]]);
    end else begin
      for (int unsigned b = 0; b < 32; b++) begin
        now[b] = atomic32(ctl2.atomic, words[b], give2[lane2[b]], more2[lane2[b]]);
      end
    end
    waddr_o <= row2;
    wdata_o <= now;
    {we0, we1, we2, we3} = {4{re2}};
    by2_data = by1_data;
    by2_row = by1_row;
    by2_valid = by1_valid;
    by1_data = now;
    by1_row = row2;
    by1_valid = re2;
  endtask

  // Words of a pass to the words of its group; a whole group leaves.
  task automatic keep_results();
    logic [31:0] kept;
    case (ctl2.kind)
      KIND_LOAD: for (int unsigned s = 0; s < 32; s++) found[s] = rdata_i[slot2[s][6:2]];
      KIND_ATOMIC: begin
        execute_atomics();
        for (int unsigned s = 0; s < 32; s++) found[s] = words[slot2[s][6:2]];
      end
      default: found = give2;
    endcase
    if (served2 != '1 && (ctl2.kind == KIND_LOAD || ctl2.kind == KIND_ATOMIC)) begin
      kept = pass2.first ? 32'd0 : 32'hffffffff;
      for (int unsigned s = 0; s < 32; s++) begin
        found[s] = ((served2 >> s) & 32'd1) != '0 ? found[s] : fetched[s] & kept;
      end
    end
    if (pass2.last && ctl2.brings) begin
      if (ctl2.kind == KIND_LOAD && ctl2.bytes < 5'd4) begin
        for (int unsigned s = 0; s < 32; s++) found[s] = cut(found[s], slot2[s][1:0], ctl2.bytes[1], ctl2.sext);
      end
      group_valid_o <= {pass2.pair, !pass2.pair};
      group_o <= {
        found[31], found[30], found[29], found[28], found[27], found[26], found[25], found[24],
        found[23], found[22], found[21], found[20], found[19], found[18], found[17], found[16],
        found[15], found[14], found[13], found[12], found[11], found[10], found[9], found[8],
        found[7], found[6], found[5], found[4], found[3], found[2], found[1], found[0]
      };
    end
    if (!pass2.last) fetched = found;
  endtask
