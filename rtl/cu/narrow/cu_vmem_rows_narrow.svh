// SPDX-License-Identifier: Apache-2.0
// Part of cu_vmem_return_narrow: what cu_vmem_rows.svh is to cu_vmem_return.  A row turns to its place in the line by a dword a
// cycle; dwords of a store leave one a cycle for the memory of store data.

  // Lanes of the row as dwords of the line.
  task automatic place_row(input logic [1:0] of_beat);
    row_busy   = 1'b1;
    row_half   = 1'b0;
    row_beat   = of_beat;
    row_lanes  = 16'(row_what.exec >> {of_beat, 4'd0});
    row_where  = row_what.lds_byte + {9'd0, of_beat, 6'd0};
    row_turned = 16'(({row_lanes, row_lanes} << row_where[5:2]) >> 16);
  endtask

  // A row of a finished load (in `row`).
  task automatic start_row();
    row_fetch = 1'b0;
    row_load  = 1'b1;
    row_what  = wb;
    place_row(row_of.beat);
    row_turns = {1'b0, row_where[5:2]};
    show_row();
  endtask

  // The next row of a store.
  task automatic start_fetch(input logic [1:0] of_beat);
    row_fetch = 1'b1;
    row_slot  = fetch_slot;
    row_what  = what_mem[row_slot];
    place_row(of_beat);
    row_turns = '0;
  endtask

  task automatic show_row();
    obs_row_valid_o <= Observe && obs_en_i && row_lanes != '0;
    if (Observe && obs_en_i) begin
      for (int unsigned l = 0; l < 16; l++) begin
        shown[l[3:0]] = row_fetch ? row_data[l[3:0]+row_where[5:2]] : row[l[3:0]];
      end
      obs_row_o <= '{wave: row_what.wave, tag: row_what.tag, beat: row_beat, lanes: row_lanes, data: shown};
    end
  endtask

  // A step of the row: turns, or leaves as dwords of lanes, or asks for a line.
  task automatic turn_row();
    if (row_emit && fill_valid_o && !fill_ready_i) begin
      // the memory is written by others
    end else if (row_turns != '0) begin
      if (row_emit) begin
        if (row_turns == 5'd16) show_row();
        fill_valid_o <= 1'b1;
        fill_done_o  <= row_beat == '1 && row_turns == 5'd1;
        fill_lane_o  <= {row_beat, row_turns[3:0] - 4'd1 - row_where[5:2]};
        fill_o       <= row_data[15];
      end
      row_turn  = 1'b1;
      row_turns = row_turns - 5'd1;
    end else if (row_emit) begin
      fill_valid_o <= 1'b0;
      row_emit = 1'b0;
      row_busy = 1'b0;
      if (row_beat != '1) start_fetch(row_beat + 2'd1);
    end else begin
      ask_line();
    end
  endtask

  // The line of this half, if it has lanes.
  task automatic ask_line();
    row_words = 16'hffff << row_where[5:2];
    row_words = row_turned & (row_half ? ~row_words : row_words);
    has = 16'hffff >> row_where[5:2];
    has = row_lanes & (row_half ? ~has : has);
    if (row_words != '0) begin
      for (int unsigned w = 0; w < 16; w++) row_bytes[4*w+:4] = {4{row_words[w[3:0]]}};
      row_asked        = 1'b1;
      row_line_valid_o <= 1'b1;
      row_line_o[0] <= '{
          wave: row_what.wave,
          tag: row_what.tag,
          id: RowId,
          store: !row_fetch,
          atomic: 1'b0,
          atomic_op: '0,
          wide: 1'b0,
          split: 1'b0,
          word: '0,
          lanes: 64'(has) << {row_beat, 4'd0},
          addr: {row_where[16:6] + 11'(row_half), 6'd0},
          mask: row_bytes,
          data: row_data
      };
    end else begin
      next_half();
    end
  endtask

  task automatic take_line();
    row_fill  = row_fetch;
    row_asked = 1'b0;
    next_half();
  endtask

  // One change a cycle, whose reasons exclude each other.
  task automatic change_row();
    turned = {row_data[14:0], row_data[15]};
    for (int unsigned w = 0; w < 16; w++) begin
      if (row_load) row_data[w[3:0]] = row[w[3:0]];
      else if (row_fill && row_words[w[3:0]]) row_data[w[3:0]] = line_i[0].data[32*w+:32];
      else if (row_turn) row_data[w[3:0]] = turned[w[3:0]];
    end
  endtask

  task automatic next_half();
    if (!row_half && SeedFault != 4'd7) begin
      row_half = 1'b1;
    end else if (row_fetch) begin
      row_emit  = 1'b1;
      row_turns = 5'd16;
    end else begin
      row_busy = 1'b0;
    end
  endtask
