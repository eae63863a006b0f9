// SPDX-License-Identifier: Apache-2.0
// Part of cu_vmem_return: rows of 16 dwords between the LDS and buffer instructions with the lds bit.  Lane l of a wavefront
// stands at dword `lds_word` + l of the allocation, so a row lies on one line of the LDS or on two.  A finished load's
// rows go there instead of to the VGPRs; a store's four rows are fetched when cu_vmem_request asks.  One row and one line
// at a time: such instructions are rare.  Not responsible for: which lanes (the front end), the port (cu_vmem_request).
//
// No circle of waits: a line needs DS instructions that came before it, never the vector memory unit; a row waits for
// lines only.

  // A row of a finished load (in `row`) for these lanes.
  task automatic start_row(input logic [15:0] lanes);
    row_busy   = 1'b1;
    row_fetch  = 1'b0;
    row_half   = 1'b0;
    row_slot   = wb_slot;
    row_beat   = wb_row[1:0];
    row_lanes  = lanes;
    row_data   = row;
    row_where  = wb.lds_at + {9'd0, row_beat, 6'd0};
    show_row();
  endtask

  // The next row of a store.
  task automatic start_fetch(input logic [1:0] of_beat);
    row_busy  = 1'b1;
    row_fetch = 1'b1;
    row_half  = 1'b0;
    row_slot  = fetch_slot;
    row_beat  = of_beat;
    row_what  = what_mem[row_slot];
    row_lanes = 16'(row_what.exec >> {of_beat, 4'd0});
    row_where = row_what.lds_at + {9'd0, of_beat, 6'd0};
  endtask

  task automatic show_row();
    row_what        = what_mem[row_slot];
    obs_row_valid_o <= Observe && obs_en_i && row_lanes != '0;
    if (Observe && obs_en_i) begin
      obs_row_o <= '{wave: row_what.wave, tag: row_what.tag, beat: row_beat, lanes: row_lanes, data: row_data};
    end
  endtask

  // Lanes of the row on its first line, or on its second.
  task automatic select_half();
    row_part = 16'hffff >> row_where[5:2];
    row_part = row_lanes & (row_half ? ~row_part : row_part);
  endtask

  // The line of this half, if it has lanes.
  task automatic ask_line();
    select_half();
    row_words = row_half ? row_part >> (5'd16 - {1'b0, row_where[5:2]}) : row_part << row_where[5:2];
    if (row_part != '0) begin
      for (int unsigned w = 0; w < 16; w++) begin
        row_bytes[4*w+:4] = {4{row_words[w[3:0]]}};
        row_line[32*w+:32] = row_data[w[3:0]-row_where[5:2]];
      end
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
          lanes: 64'(row_part) << {row_beat, 4'd0},
          addr: {row_where[16:6] + 11'(row_half), 6'd0},
          mask: row_bytes,
          data: row_line
      };
    end else begin
      next_half();
    end
  endtask

  task automatic take_line();
    select_half();
    for (int unsigned l = 0; l < 16; l++) begin
      row_word = l[3:0] + row_where[5:2];
      if (row_fetch && row_part[l[3:0]]) row_data[l[3:0]] = line_i[0].data[32*row_word+:32];
    end
    row_asked = 1'b0;
    next_half();
  endtask

  task automatic next_half();
    if (!row_half && SeedFault != 4'd7) begin
      row_half = 1'b1;
    end else begin
      row_busy = 1'b0;
      if (row_fetch) begin
        fill_valid_o <= 1'b1;
        fill_done_o  <= row_beat == '1;
        fill_beat_o  <= row_beat;
        fill_o       <= row_data;
        show_row();
        if (row_beat != '1) start_fetch(row_beat + 2'd1);
      end
    end
  endtask
