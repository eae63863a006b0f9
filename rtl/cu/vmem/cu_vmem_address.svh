// SPDX-License-Identifier: Apache-2.0
// Part of cu_vmem_coalesce: byte addresses of the next 16 lanes of an instruction (flat, scratch, LDS, buffer), lanes out
// of range, faults of addresses, lanes that reach into a second line, the time that the addresses take.  Not responsible
// for: which lanes share a line.

  // Addresses of the lanes of a beat, before checks.
  task automatic lane_addresses();
    row = addr_mem[{1'b0, cur, beat}];
    for (int unsigned l = 0; l < 16; l++) low[l] = row[l[3:0]];
    row = addr_mem[{1'b1, cur, beat}];
    for (int unsigned l = 0; l < 16; l++) high[l] = row[l[3:0]];
    if (op.mubuf) begin
      for (int unsigned l = 0; l < 16; l++) begin
        buffer_address(op, {26'd0, beat, 4'd0} + l, {30'd0, part}, low[l], high[l], va, ok);
        lane_va[l] = va;
        exec16 = exec16 & ~(32'(!ok) << l);
      end
    end else if (!apart) begin
      for (int unsigned l = 0; l < 16; l++) lane_va[l] = {high[l], low[l]};
    end else begin
      for (int unsigned l = 0; l < 16; l++) begin
        value = low[l] + {28'd0, part, 2'd0};
        private_lane = high[l] == op.private_hi;
        bad = bad | (32'(private_lane && value >= op.flat_scratch[31:0]) << l);
        va = scratch_address(op.flat_scratch[63:32], {26'd0, beat, 4'd0} + l, {30'd0, part}, low[l]);
        other = {high[l], low[l]} + {60'd0, part, 2'd0};
        lane_va[l] = private_lane ? va : other;
      end
    end
  endtask

  // Lanes of the beat in the LDS aperture: bit 40 keeps them on lines of their own.
  task automatic lds_lanes();
    for (int unsigned l = 0; l < 16; l++) begin
      lds_lane = high[l] == op.shared_hi;
      lds_address(op, low[l], va, ok);
      if (SeedFault == 4'd4) ok = 1'b1;
      in_lds = in_lds | (32'(lds_lane) << l);
      exec16 = exec16 & ~(32'(lds_lane && !ok) << l);
      lane_va[l] = lds_lane ? {23'd0, 1'b1, va[39:0]} + {60'd0, part, 2'd0} : lane_va[l];
    end
  endtask

  // Cycles until the addresses of the next beat are taken, and whether its lanes may be a pair.  Words that are apart: the first
  // stands for all.
  task automatic address_time();
    hold = BeatCycles;
    successive = 1'b0;
    if (!op.store && !op.atomic) begin
      if (op.results[0]) begin  // to successive elements, or all to one?
        leader = {26'd0, pick_pkg::first64({32'd0, exec16})};
        va = lane_va[leader[3:0]];
        size = op.bytes[2] ? 32'd2 : {31'd0, op.bytes[1]};
        value = {32{op.bytes[3]}};  // 12 bytes are 4 and 8
        other = va - ((64'(leader) << size) + (64'(leader) << 3 & {32'd0, value}));
        unlike = '0;
        astray = '0;
        for (int unsigned l = 0; l < 16; l++) begin
          unlike = unlike | (32'(lane_va[l] != va) << l);
          astray = astray | (32'(lane_va[l] != other + (64'(l) << size) + (64'(l) << 3 & {32'd0, value})) << l);
        end
      end
      if (op.results == 3'd1) begin
        if ((unlike & exec16) == '0 || (astray & exec16) == '0) hold = '0;
        successive = pairs_i && (astray & exec16) == '0 && (op.bytes[0] || (odd & exec16) == '0) && in_lds == '0 &&
            !apart && !op.glc;
      end
      if (op.results == 3'd2 && beat == '1) hold = hold + PairExtra;
      if (op.results == 3'd3 && (unlike & exec16) != '0 && (astray & exec16) != '0) hold = hold * TripleTimes;
    end else if (op.atomic && op.atomic_op == 4'd1) begin
      hold = hold * CmpSwapTimes;
    end
    if (part != '0) hold = '0;
  endtask

  // The next 16 lanes of the current instruction (of one word, when its words are apart).
  task automatic prepare_beat();
    beat = step[1:0];
    part = step[3:2];
    size = apart && op.bytes > 5'd4 ? 32'd4 : 32'(op.bytes);
    exec16 = 32'(op.exec >> {beat, 4'd0}) & 32'hffff;
    bad = '0;
    lane_addresses();
    in_lds = '0;
    if (near_lds[cur] && !op.mubuf) lds_lanes();
    spill = '0;
    odd = '0;
    for (int unsigned l = 0; l < 16; l++) begin
      va = lane_va[l] + 64'(size - 32'd1);
      bad = bad | (32'(lane_va[l][63:40] != '0) << l) |
            (32'(op.atomic && (lane_va[l][1:0] != '0 || op.wide && lane_va[l][2])) << l);
      spill = spill | (32'(va[7:6] != lane_va[l][7:6]) << l);
      odd = odd | (32'(op.bytes[1] ? lane_va[l][1:0] == 2'd3 : lane_va[l][1:0] != '0) << l);
    end
    bad = bad & exec16 & ~in_lds;
    if (bad != '0) begin
      exec16 = exec16 & ~bad;
      first_bad = 4'(pick_pkg::first64({32'd0, bad}));
      va = lane_va[first_bad];
      outcome = va[63:40] == '0 ? (op.atomic ? FAULT_ALIGN : FAULT_APERTURE) :
          op.apertures && va[63:32] == op.private_hi ? FAULT_APERTURE : FAULT_NOT_PRESENT;
      fault_o <= '{valid: 1'b1, slot: cur, status: outcome, va: va};
    end
    pending0 = exec16;
    pending1 = op.atomic ? 32'd0 : spill & exec16;
    for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = lane_va[l][31:0];
    place_valid_o <= 1'b1;
    place_o <= '{
        slot: cur,
        word: apart ? part : 2'd0,
        beat: beat,
        split: apart,
        unaligned: !op.bytes[0] && (odd & exec16) != '0,
        lanes: row
    };
    address_time();
  endtask
