// SPDX-License-Identifier: Apache-2.0
// Part of lds_execute: passes over a group.  Which words the banks serve in a pass, stores, what the banks return,
// atomics.  Not responsible for: what the words are (lds_execute_group.svh), order between instructions (lds_execute).

  // One pass: the lowest pending word of a bank names its row (an atomic: its lane), all words of that row join.
  task automatic serve();
    for (int unsigned i = 0; i < 32; i++) begin
      bank = (slot[31-i] >> 2) & 32'd31;
      owner[pending[31-i]?bank : 32'd32] = op.kind == KIND_ATOMIC && SeedFault != 4'd1 ? 32'd31 - i : slot[31-i] >> 7;
    end
    if (op.kind == KIND_STORE) begin
      serve_store();
    end else if (op.kind == KIND_ATOMIC && SeedFault != 4'd1) begin
      for (int unsigned s = 0; s < 32; s++) begin
        bank = (slot[s] >> 2) & 32'd31;
        hit = 32'(pending[s] && owner[bank] == s);
        re = re | (hit << bank);
        served = served | (hit << s);
      end
      for (int unsigned b = 0; b < 32; b++) begin
        lane1[b] = owner[b] & 32'd31;
        row1[b] = slot[owner[b]&32'd31] >> 7;
        raddr[b[4:0]] = row1[b][15:0];
      end
      raddr_o <= raddr;
    end else begin
      for (int unsigned s = 0; s < 32; s++) begin
        bank = (slot[s] >> 2) & 32'd31;
        hit = 32'(pending[s] && (owner[bank] == slot[s] >> 7 || SeedFault == 4'd2 || FaultSeed == 19));
        re = re | (hit << bank);
        served = served | (hit << s);
      end
      for (int unsigned b = 0; b < 32; b++) raddr[b[4:0]] = owner[b][15:0];
      if (SeedFault == 4'd1) for (int unsigned b = 0; b < 32; b++) row1[b] = owner[b];
      raddr_o <= raddr;
    end
  endtask

  // Stores go to the banks at once; of lanes that write one byte the highest wins.
  task automatic serve_store();
    for (int unsigned s = 0; s < 32; s++) begin
      bank = (slot[s] >> 2) & 32'd31;
      hit = 32'(pending[s] && (owner[bank] == slot[s] >> 7 || SeedFault == 4'd2 || FaultSeed == 19));
      served = served | (hit << s);
      value = give[s];
      if (op.bytes < 5'd4) begin
        mask = (op.bytes[1] ? 32'h0000ffff : 32'h000000ff) << {slot[s][1:0], 3'd0};
        mask = hit[0] ? mask : 32'd0;
        value = (wdata[bank] & ~mask) | ((value << {slot[s][1:0], 3'd0}) & mask);
        we0 = we0 | (32'(mask[0]) << bank);
        we1 = we1 | (32'(mask[8]) << bank);
        we2 = we2 | (32'(mask[16]) << bank);
        we3 = we3 | (32'(mask[24]) << bank);
      end else begin
        we0 = we0 | (hit << bank);
      end
      wdata[hit[0]?bank : 32'd32] = value;
    end
    if (op.bytes >= 5'd4) begin
      we1 = we0;
      we2 = we0;
      we3 = we0;
    end
    for (int unsigned b = 0; b < 32; b++) begin
      raddr[b[4:0]] = owner[b][15:0];
      wide[b[4:0]]  = wdata[b];
    end
    waddr_o <= raddr;
    wdata_o <= wide;
  endtask

  // A pass leaves: its group's words go along with the first, the last moves to the next group or instruction.
  task automatic finish_pass();
    pass.valid = 1'b1;
    pass.pair = pair;
    pass.entry = entry;
    pass.served = served;
    pending = pending & ~served;
    obs_valid_o <= obs_en_i && pass.start;
    if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag};
    conflict_o <= !pass.first;
    if (pass.first) begin
      slot1 = slot;
      if (op.kind != KIND_LOAD) give1 = give;
      if (op.kind == KIND_ATOMIC) more1 = more;
    end
    if (pending == '0) begin
      pass.last = 1'b1;
      prepared = 1'b0;
      groups = (op.two ? 4'd4 : 4'd2) << op.log_slots;
      group = group + 4'd1;
      if (group == groups) begin
        pass.final_pass = 1'b1;
        if (op.kind == KIND_ATOMIC) hold = 4'd2;
        finish_instruction();
      end
    end
  endtask

  // The banks' atomic units: each has at most one lane, whose word the two passes before may have written.
  task automatic execute_atomics();
    if (pass2.start) by1_valid = '0;
    if (pass2.start) by2_valid = '0;
    for (int unsigned b = 0; b < 32; b++) begin
      value = by2_valid[b[4:0]] && by2_row[b] == row2[b] ? by2_data[b] : rdata_i[0][b[4:0]];
      found[b] = by1_valid[b[4:0]] && by1_row[b] == row2[b] ? by1_data[b] : value;
    end
    if (op.bytes == 5'd8) begin
      for (int unsigned b = 0; b < 32; b += 2) begin
        lane = lane2[b] & 32'd30;
        fresh = atomic64(op.atomic, {found[b+1], found[b]}, {give2[lane|32'd1], give2[lane]}, {
                                         more2[lane|32'd1], more2[lane]});
        now[b] = fresh[31:0];
        now[b+1] = fresh[63:32];
      end
    end else if (op.atomic == MEMOP_FADD) begin
      for (int unsigned b = 0; b < 32; b++) now[b] = sum32(found[b], give2[lane2[b]]);
    end else begin
      for (int unsigned b = 0; b < 32; b++) begin
        now[b] = atomic32(op.atomic, found[b], give2[lane2[b]], more2[lane2[b]]);
      end
    end
    for (int unsigned b = 0; b < 32; b++) begin
      raddr[b[4:0]] = row2[b][15:0];
      wide[b[4:0]]  = now[b];
    end
    waddr_o <= raddr;
    wdata_o <= wide;
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
    if (pass2.first) for (int unsigned s = 0; s < 32; s++) fetched[s] = '0;
    case (op.kind)
      KIND_LOAD: for (int unsigned b = 0; b < 32; b++) found[b] = rdata_i[0][b[4:0]];
      KIND_ATOMIC: execute_atomics();
      default: fetched = give2;
    endcase
    if (op.kind == KIND_LOAD || op.kind == KIND_ATOMIC) begin
      for (int unsigned s = 0; s < 32; s++) begin
        value = found[(slot2[s]>>2)&32'd31];
        fetched[s] = pass2.served[s] ? value : fetched[s];
      end
    end
    if (pass2.last && op.results != '0) begin
      if (op.kind == KIND_LOAD && op.bytes < 5'd4) begin
        for (int unsigned s = 0; s < 32; s++) wide[s[4:0]] = cut(fetched[s], slot2[s][1:0], op.bytes[1], op.sext);
      end else begin
        for (int unsigned s = 0; s < 32; s++) wide[s[4:0]] = fetched[s];
      end
      group_valid_o <= {pass2.pair, !pass2.pair};
      group_o <= wide;
    end
  endtask
