// SPDX-License-Identifier: Apache-2.0
// Controller of one DRAM channel: a queue of reads and one of writes, served first ready first come, banks with one open row
// each.
// Responsible for: which command goes out in which cycle, when the data of a read is there.  Its stages are functions:
// dram_refresh_pkg (what is due), dram_bank_pkg (what each bank allows), dram_choose_pkg (who goes).  Not responsible for:
// contents (the backing store behind the slice; they take effect in the order of the slice).
//
// A cycle of the memory is `ratio` GPU cycles; in each one command of the row bus (activate, precharge, refresh) and one of
// the column bus (read, write).  An access waits in a place of the ring of its direction, so that the order of places is
// the order of arrival, and no more than Places - 1 of its direction that came later are served before it; while the other
// direction waits, no more than Places writes, or WriteAge reads, go without a turn: these are the limits of age.
// Times are GPU cycles.  A channel without accesses keeps still: refreshes that fell due meanwhile are over, and have
// closed the rows, when the next access comes.
`include "gantry_assert.svh"

module dram_channel
  import dram_pkg::*;
  import dram_bank_pkg::*;
  import dram_choose_pkg::*;
  import dram_refresh_pkg::*;
#(
  parameter times_t Times = Hbm1,
  parameter int unsigned Banks = 16,       // power of two, at most 32
  parameter int unsigned Groups = 4,       // of banks (the low bits of their number), power of two, at most Banks
  parameter int unsigned RowLines = 32,    // 64-byte lines of a row, power of two
  parameter int unsigned BankBit = 5,      // of a line's number at which its bank stands
  parameter bit BankHash = 1'b1,
  parameter int unsigned Places = 64,      // of each queue, power of two, at most 64
  parameter int unsigned WriteHigh = 40,
  parameter int unsigned WriteLow = 8,
  parameter int unsigned WriteIdle = 40,   // memory cycles, at most 255
  parameter int unsigned WriteAge = 64,    // reads that pass a waiting write, at most 255
  parameter int unsigned WriteRest = 0,    // of sixteen writes so many keep the data bus a memory cycle longer
  parameter int unsigned Spare = 8         // places left when busy_o rises: what its sender still has under way
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] cycle_i,
  input  logic        cmd_valid_i,
  input  logic        cmd_write_i,
  input  logic [31:0] cmd_line_i,          // line number within this channel
  input  logic [ 7:0] cmd_id_i,
  output logic        done_valid_o,        // data of a read is there
  output logic [ 7:0] done_id_o,
  output logic        wrote_valid_o,       // a write's command goes to the memory in this cycle
  output logic [ 7:0] wrote_id_o,
  output logic        busy_o,
  output logic [63:0] taken_o[2],          // places of reads and of writes that are in use
  output cmd_t        row_cmd_o,           // commands of this cycle, as they go to the memory
  output cmd_t        col_cmd_o,
  output logic [63:0] row_hits_o,
  output logic [63:0] row_misses_o,
  output logic [63:0] refreshes_o,
  output logic        idle_o
);
  localparam bit ByBank = Times.trfc_bank != 0;
  localparam int unsigned PlaceBits = $clog2(Places);
  localparam logic [4:0] LastTurn = ByBank ? 5'(Banks - 1) : 5'd0;  // of refreshes
  localparam logic [31:0] GroupMask = 32'(Groups - 1);
  localparam map_t Map = '{
      col_bits: 5'($clog2(RowLines)), bank_bits: 5'($clog2(Banks)), bank_bit: 5'(BankBit), hash: BankHash
  };
  localparam waits_t Wait = waits_of(Times);
  localparam logic [15:0] LongWrites = 16'((32'd1 << WriteRest) - 32'd1);
  // so many reads are at most between command and data
  localparam int unsigned DueBits = $clog2((Times.tcl + Times.burst) / larger(Times.tccd_s, Times.burst) + 2);
  localparam logic [63:0] RefreshEvery = cycles(Times.trefi, Times.ratio) / (ByBank ? 64'(Banks) : 64'd1);
  localparam logic [63:0] RefreshTime = cycles(ByBank ? Times.trfc_bank : Times.trfc, Times.ratio);

  /* verilator lint_off BLKSEQ */
  // ---- places: first those of reads (0), then those of writes (1)
  // a bit a place; hits: its row is open, if the bank is; opened: it was activated for it
  logic [63:0] taken[2], hits[2], opened[2];
  logic [63:0] of_bank[2*Banks];
  logic [31:0] row_of[2*Places], id_of[2*Places], bank_of[2*Places];
  logic [PlaceBits-1:0] head[2], tail[2], n; // oldest access; next place
  logic [6:0] span[2];
  turn_t data;                               // direction of the data bus
  logic [3:0] write_turn;                    // writes so far, modulo 16
  // ---- banks: from which cycle on a command is allowed
  logic [31:0] open_row[Banks];              // row + 1; 0: closed
  logic [63:0] activate_at[Banks], column_at[Banks], precharge_at[Banks];
  logic [63:0] group_activate_at[Groups], any_activate_at;
  columns_t group_columns[Groups], any_columns;
  logic [3:0][63:0] activated;               // the last four, the oldest first
  refresh_t refresh;
  // ---- data under way
  logic [63:0] due[1 << DueBits];
  logic [31:0] due_id[1 << DueBits];
  logic [DueBits-1:0] due_first, due_last;
  logic [DueBits:0] due_count;
  logic [63:0] next_edge;
  logic rests, answered, held, full, some, w, o;  // w, o: direction of the data, the other
  logic [63:0] ready, bit_of, now, longer;
  logic [63:0] able[2], closable[2];
  logic [31:0] b, turn;
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [31:0] g, at;
  /* verilator lint_on UNUSEDSIGNAL */
  place_t place;
  cmd_t row_cmd, col_cmd;

  // nothing is looked at while the channel rests and no command comes
  always_ff @(posedge clk_i) begin
    if (!rests || cmd_valid_i || !rst_ni) begin
      now      = cycle_i;
      row_cmd  = '0;
      col_cmd  = '0;
      answered = due_count != '0 && due[due_first] <= now;
      done_valid_o <= answered;
      if (answered) begin
        done_id_o <= due_id[due_first][7:0];
        due_first = due_first + 1'b1;
        due_count = due_count - 1'b1;
      end

      if (now >= next_edge && (some || refresh.due)) begin
        next_edge  = now + Wait.clock;
        data       = direction(data, taken[0] != 64'd0, 7'(WriteHigh), 7'(WriteLow), 8'(WriteIdle),
                               8'(WriteAge), 8'(Places));
        w          = data.writing;
        o          = !w;
        if (now >= refresh.next) refresh = falls_due(refresh, RefreshEvery);
        // ---- what each bank allows; a refresh that is due holds its banks until it is out
        turn    = 32'(refresh.bank);
        ready   = 64'd0;
        able    = '{default: 64'd0};
        closable = '{default: 64'd0};
        held    = 1'b0;  // refresh: a bank is still open or rests
        for (int unsigned i = 0; i < Banks; i++) begin
          g = i & GroupMask;
          if (refresh.due && (!ByBank || i == turn)) begin
            if (open_row[i] != 32'd0) begin
              held = 1'b1;
              if (now >= precharge_at[i] && row_cmd.kind == CmdNone) begin
                row_cmd        = '{kind: CmdPrecharge, bank: i[4:0], row: '0};
                open_row[i]    = 32'd0;
                activate_at[i] = now + Wait.activate;
              end
            end else begin
              held = held || now < activate_at[i];
            end
          end else if ((of_bank[i] | of_bank[Banks+i]) != 64'd0) begin
            at = w ? Banks + i : i;
            if (open_row[i] != 32'd0) begin
              ready = ready | columns(now, column_at[i], column(group_columns[g], w), of_bank[at] & hits[w]);
              if (now >= precharge_at[i] && (of_bank[at] & hits[w]) == 64'd0) begin
                closable[w] = closable[w] | of_bank[at];
                closable[o] = closable[o] | closes(of_bank[w ? i : Banks + i], hits[o]);
              end
            end else if (now >= activate_at[i] && now >= group_activate_at[g]) begin
              able[0] = able[0] | of_bank[i];
              able[1] = able[1] | of_bank[Banks+i];
            end
          end
        end
        // ---- column bus
        if (ready != 64'd0 && now >= column(any_columns, w)) begin
          n  = PlaceBits'(oldest(ready, 6'(head[w])));
          at = 32'(n) + (w ? Places : 0);
          b  = bank_of[at];
          g  = b & GroupMask;
          bit_of  = 64'd1 << n;
          col_cmd = '{kind: w ? CmdWrite : CmdRead, bank: b[4:0], row: '0};
          if (w) wrote_id_o <= id_of[at][7:0];
          if (opened[w][6'(n)]) row_misses_o <= row_misses_o + 64'd1;
          else row_hits_o <= row_hits_o + 64'd1;
          longer           = w && LongWrites[write_turn] ? Wait.clock : 64'd0;
          write_turn       = write_turn + 4'(w);
          any_columns      = after_column(any_columns, w, now, Wait.same_any + longer,
                                          w ? Wait.read_any : Wait.write_any);
          group_columns[g] = after_column(group_columns[g], w, now, Wait.same_group, w ? Wait.read_group : Wait.clock);
          precharge_at[b]  = later(precharge_at[b], now + (w ? Wait.precharge_write : Wait.precharge_read));
          if (!w) begin
            `GANTRY_CHECK(a_due, !due_count[DueBits])
            due_last         = due_first + due_count[DueBits-1:0];
            due[due_last]    = now + Wait.data;
            due_id[due_last] = id_of[at];
            due_count        = due_count + 1'b1;
          end
          data        = after_access(data);
          taken[w]    = taken[w] & ~bit_of;
          at          = w ? Banks + b : b;
          of_bank[at] = of_bank[at] & ~bit_of;  // of an open bank, which does not close: neither able nor closable
        end
        // ---- row bus
        if (refresh.due && !held && row_cmd.kind == CmdNone) begin
          row_cmd = '{kind: ByBank ? CmdRefresh : CmdRefreshAll, bank: refresh.bank, row: '0};
          refresh = sent(refresh, LastTurn);
          for (int unsigned i = 0; i < Banks; i++)
            activate_at[i] = ByBank && i != turn ? activate_at[i] : now + RefreshTime;
        end
        full = now < any_activate_at || now < activated[0] + Wait.four;
        if (row_cmd.kind == CmdNone && !full && (able[0] | able[1]) != 64'd0) begin
          w  = able[w] != 64'd0 ? w : o;
          n  = PlaceBits'(oldest(able[w], 6'(head[w])));
          at = 32'(n) + (w ? Places : 0);
          b  = bank_of[at];
          g  = b & GroupMask;
          row_cmd              = '{kind: CmdActivate, bank: b[4:0], row: row_of[at]};
          opened[w]            = opened[w] | (64'd1 << n);
          open_row[b]          = row_of[at] + 32'd1;
          column_at[b]         = now + Wait.column;
          precharge_at[b]      = now + Wait.precharge_activate;
          any_activate_at      = now + Wait.activate_any;
          group_activate_at[g] = now + Wait.activate_group;
          activated            = {now, activated[3:1]};
          bit_of = 64'd0;
          for (int unsigned i = 0; i < Places; i++) bit_of = bit_of | (64'(row_of[i] == row_of[at]) << i);
          hits[0] = with_row(bit_of, of_bank[b], hits[0]);
          bit_of = 64'd0;
          for (int unsigned i = 0; i < Places; i++) bit_of = bit_of | (64'(row_of[Places+i] == row_of[at]) << i);
          hits[1] = with_row(bit_of, of_bank[Banks+b], hits[1]);
        end else if (row_cmd.kind == CmdNone && (closable[0] | closable[1]) != 64'd0) begin
          w  = closable[w] != 64'd0 ? w : o;
          n  = PlaceBits'(oldest(closable[w], 6'(head[w])));
          b  = bank_of[32'(n) + (w ? Places : 0)];
          row_cmd        = '{kind: CmdPrecharge, bank: b[4:0], row: '0};
          open_row[b]    = 32'd0;
          activate_at[b] = now + Wait.activate;
        end
        head[0] = taken[0] != 64'd0 ? PlaceBits'(oldest(taken[0], 6'(head[0]))) : tail[0];
        head[1] = taken[1] != 64'd0 ? PlaceBits'(oldest(taken[1], 6'(head[1]))) : tail[1];
      end

      // ---- arrival
      if (cmd_valid_i) begin
        `GANTRY_CHECK(a_place, !taken[cmd_write_i][6'(tail[cmd_write_i])])
        if (rests) begin
          next_edge = later(next_edge, now + 64'd1);
          data      = '0;
          for (int unsigned i = 0; i <= 32'(LastTurn); i++) begin
            if (now >= refresh.next) begin
              for (int unsigned k = 0; k < Banks; k++) begin
                if (!ByBank || k == 32'(refresh.bank)) begin
                  activate_at[k] = opens(refresh.next, open_row[k] != 32'd0, activate_at[k],
                                         precharge_at[k], Wait.activate, RefreshTime);
                  open_row[k]    = 32'd0;
                end
              end
              refresh = missed(refresh, RefreshEvery, LastTurn);
            end
          end
          refresh.next = now >= refresh.next ? now + RefreshEvery : refresh.next;
        end
        w           = cmd_write_i;
        place       = place_of(cmd_line_i, Map);
        b           = 32'(place.bank);
        n           = tail[w];
        at          = w ? Banks + b : b;
        bit_of      = 64'd1 << n;
        taken[w]    = taken[w] | bit_of;
        opened[w]   = opened[w] & ~bit_of;
        hits[w]     = open_row[b] == place.row + 32'd1 ? hits[w] | bit_of : hits[w] & ~bit_of;
        of_bank[at] = of_bank[at] | bit_of;
        at          = 32'(n) + (w ? Places : 0);
        row_of[at]  = place.row;
        bank_of[at] = b;
        id_of[at]   = 32'(cmd_id_i);
        tail[w]     = n + 1'b1;
        data.writes = data.writes + 7'(w);
      end
      span[0] = ring_fill(taken[0] != 64'd0, 6'(head[0]), 6'(tail[0]), 7'(Places));
      span[1] = ring_fill(taken[1] != 64'd0, 6'(head[1]), 6'(tail[1]), 7'(Places));
      busy_o <= span[0] >= 7'(Places - Spare) || span[1] >= 7'(Places - Spare);
      some   = (taken[0] | taken[1]) != 64'd0;
      rests  = !some && due_count == '0 && !answered && !refresh.due && row_cmd.kind == CmdNone &&
               col_cmd.kind == CmdNone;
      idle_o <= rests;
      taken_o <= taken;
      refreshes_o <= refresh.count;
      row_cmd_o <= row_cmd;
      col_cmd_o <= col_cmd;
      wrote_valid_o <= col_cmd.kind == CmdWrite;

      if (!rst_ni) begin
        of_bank           = '{default: 64'd0};
        open_row          = '{default: 32'd0};
        activate_at       = '{default: 64'd0};
        group_activate_at = '{default: 64'd0};
        group_columns     = '{default: '0};
        any_columns       = '0;
        any_activate_at   = 64'd0;
        activated         = '0;
        taken        = '{default: 64'd0};
        head         = '{default: '0};
        tail         = '{default: '0};
        data         = '0;
        write_turn   = '0;
        some         = 1'b0;
        next_edge    = 64'd0;
        refresh      = '{next: RefreshEvery, count: 64'd0, bank: 5'd0, due: 1'b0};
        due_first    = '0;
        due_count    = '0;
        rests        = 1'b1;
        done_valid_o <= 1'b0;
        wrote_valid_o <= 1'b0;
        busy_o       <= 1'b0;
        idle_o       <= 1'b1;
        row_cmd_o    <= '0;
        col_cmd_o    <= '0;
        row_hits_o   <= 64'd0;
        row_misses_o <= 64'd0;
        refreshes_o  <= 64'd0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  dram_checker #(
    .Times(Times), .Banks(Banks), .Groups(Groups)
  ) u_checker (
    .clk_i, .rst_ni, .cycle_i, .row_cmd_i(row_cmd_o), .col_cmd_i(col_cmd_o), .rested_i(idle_o)
  );
endmodule
