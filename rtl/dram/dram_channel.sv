// SPDX-License-Identifier: Apache-2.0
// Controller of one DRAM channel: a queue of line accesses, served first ready first come, banks with
// one open row each, bank groups, refresh.  Responsible for: which command goes out in which cycle, when the data of a
// read is there.  Not responsible for: contents (the backing store behind the slice; they take effect in the order of the
// slice), the distance of commands as such (dram_checker knows the rules a second time).
//
// A cycle of the memory is Ratio GPU cycles; in each one command of the row bus (activate, precharge, refresh) and one of
// the column bus (read, write).  An access waits in a place of a ring, so that the order of places is the order of
// arrival, and no more than Places - 1 that came later are served before it: that is the limit of age.  Of the accesses
// whose row is open the one that came first is served; where a bank has none, its oldest access gets its row.  Reads go
// before writes until WriteHigh writes wait, no read does, or a write at the head holds up the ring; then writes go until
// WriteLow are left.
// Times are GPU cycles.  A channel without accesses keeps still: refreshes that fell due meanwhile are over, and have
// closed the rows, when the next access comes.
`include "gantry_assert.svh"

module dram_channel
  import dram_pkg::*;
#(
  parameter int unsigned Banks = 16,     // power of two, at most 32
  parameter int unsigned Groups = 4,     // of banks (the low bits of their number), power of two
  parameter int unsigned RowLines = 32,  // 64-byte lines of a row, power of two
  parameter int unsigned Ratio = 2,
  parameter int unsigned Tcl = 7,
  parameter int unsigned Tcwl = 2,
  parameter int unsigned Trcd = 7,
  parameter int unsigned Trp = 7,
  parameter int unsigned Tras = 17,
  parameter int unsigned Twr = 8,
  parameter int unsigned Trtp = 2,
  parameter int unsigned TccdS = 1,      // column to column: other group, same group
  parameter int unsigned TccdL = 1,
  parameter int unsigned TrrdS = 2,      // activate to activate
  parameter int unsigned TrrdL = 3,
  parameter int unsigned TwtrS = 3,      // end of write data to read
  parameter int unsigned TwtrL = 4,
  parameter int unsigned Tfaw = 15,      // five activates span more than this
  parameter int unsigned Trtw = 1,       // end of read data to write data: the bus turns around
  parameter int unsigned Trefi = 1950,
  parameter int unsigned Trfc = 130,     // of all banks
  parameter int unsigned TrfcBank = 80,  // of one: bank after bank, all of them each Trefi; 0: all at once
  parameter int unsigned Burst = 2,      // of the data bus for a line
  parameter int unsigned WriteHigh = 32,
  parameter int unsigned WriteLow = 8,
  parameter int unsigned Spare = 8       // places that are left when busy_o rises: what its sender still has under way
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] cycle_i,
  input  logic        cmd_valid_i,
  input  logic        cmd_write_i,
  input  logic [31:0] cmd_line_i,        // line number within this channel
  input  logic [ 7:0] cmd_id_i,
  output logic        done_valid_o,      // data of a read is there
  output logic [ 7:0] done_id_o,
  output logic        busy_o,
  output cmd_t        row_cmd_o,         // commands of this cycle, as they go to the memory
  output cmd_t        col_cmd_o,
  output logic [63:0] row_hits_o,
  output logic [63:0] row_misses_o,
  output logic [63:0] refreshes_o,
  output logic        idle_o
);
  localparam int unsigned Places = 64;
  localparam bit ByBank = TrfcBank != 0;
  localparam int unsigned Pressed = 40;  // places between head and tail from which on the head has its way
  localparam logic [4:0] ColBits = 5'($clog2(RowLines));
  localparam logic [4:0] BankBits = 5'($clog2(Banks));
  localparam logic [31:0] GroupMask = 32'(Groups - 1);
  localparam logic [63:0] RefreshEvery = 64'(Trefi * Ratio) / (ByBank ? 64'(Banks) : 64'd1);
  localparam int unsigned ReadClocks = Tcl + Burst;  // from command to the end of its data
  localparam int unsigned WriteClocks = Tcwl + Burst;
  localparam int unsigned TurnClocks = ReadClocks + Trtw > Tcwl ? ReadClocks + Trtw - Tcwl : 1;
  localparam int unsigned RefreshClocks = ByBank ? TrfcBank : Trfc;
  localparam logic [63:0] ReadData = 64'(ReadClocks * Ratio);
  localparam logic [63:0] WriteData = 64'(WriteClocks * Ratio);
  localparam logic [63:0] ReadToWrite = 64'(TurnClocks * Ratio);
  localparam logic [63:0] RefreshTime = 64'(RefreshClocks * Ratio);

  /* verilator lint_off BLKSEQ */
  // ---- places
  logic [63:0] taken, writes, hits, opened;  // a bit a place; hits: its row is open; opened: it was activated for it
  logic [63:0] of_bank[Banks];
  logic [31:0] row_of[Places], id_of[Places];
  logic [31:0] bank_of[Places];
  logic [5:0] head, tail;                    // oldest access; next place
  logic [6:0] write_count;
  logic writing;
  // ---- banks: from which cycle on a command is allowed
  logic [31:0] open_row[Banks];              // row + 1; 0: closed
  logic [63:0] activate_at[Banks], column_at[Banks], precharge_at[Banks];
  logic [63:0] group_activate_at[Groups], group_read_at[Groups], group_write_at[Groups];
  logic [63:0] read_at, write_at, next_activate_at;
  logic [63:0] activated[4];                 // the last four, the oldest first
  // ---- refresh
  logic [63:0] next_refresh;
  logic [31:0] refresh_bank;                 // whose turn is next
  logic refreshing;                          // one is due
  logic [63:0] refreshed;                    // how many
  // ---- data under way
  logic [63:0] due[Places];
  logic [31:0] due_id[Places];
  logic [5:0] due_first;
  logic [6:0] due_count;
  logic [63:0] next_edge;
  logic rests, answered, held, full;
  logic [63:0] toward, ready, able, closing, bit_of, now;
  logic [31:0] b;
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [31:0] g;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [5:0] n;
  logic [6:0] span;
  place_t place;
  cmd_t row_cmd, col_cmd;

  // nothing is looked at while the channel rests and no command comes
  always_ff @(posedge clk_i) begin
    if (!rests || cmd_valid_i || !rst_ni) begin
      now      = cycle_i;
      row_cmd  = '0;
      col_cmd  = '0;
      answered = due_count != 7'd0 && due[due_first] <= now;
      done_valid_o <= answered;
      if (answered) begin
        done_id_o <= due_id[due_first][7:0];
        due_first = due_first + 6'd1;
        due_count = due_count - 7'd1;
      end

      if (now >= next_edge && (taken != 64'd0 || refreshing)) begin
        next_edge = now + 64'(Ratio);
        // ---- direction
        writing = writing ? write_count > 7'(WriteLow) || (write_count != 7'd0 && (taken & ~writes) == 64'd0)
                          : write_count >= 7'(WriteHigh) || (taken & ~writes) == 64'd0 || (span >= 7'(Pressed) && writes[head]);
        toward  = taken & (writing ? writes : ~writes);
        // ---- refresh: what is due holds its banks until it is out
        if (now >= next_refresh && !refreshing) begin
          refreshing   = 1'b1;
          next_refresh = next_refresh + RefreshEvery;
        end
        // ---- what each bank allows
        ready   = 64'd0;
        able    = 64'd0;
        closing = 64'd0;
        held    = 1'b0;  // refresh: a bank is still open or rests
        for (int unsigned i = 0; i < Banks; i++) begin
          g = i & GroupMask;
          if (refreshing && (!ByBank || i == refresh_bank)) begin
            if (open_row[i] != 32'd0) begin
              held = 1'b1;
              if (now >= precharge_at[i] && row_cmd.kind == CmdNone) begin
                row_cmd     = '{kind: CmdPrecharge, bank: i[4:0], row: '0};
                open_row[i] = 32'd0;
                hits        = hits & ~of_bank[i];
                activate_at[i] = now + 64'(Trp * Ratio);
              end
            end else begin
              held = held || now < activate_at[i];
            end
          end else if (open_row[i] != 32'd0) begin
            ready = ready | (now >= column_at[i] && now >= (writing ? group_write_at[g] : group_read_at[g]) ?
                             of_bank[i] & hits & toward : 64'd0);
            if (now >= precharge_at[i] && (hits & toward & of_bank[i]) == 64'd0)
              closing = closing | (of_bank[i] & ~hits & ((hits & of_bank[i]) == 64'd0 ? '1 : toward));
          end else if (now >= activate_at[i] && now >= group_activate_at[g]) begin
            able = able | of_bank[i];
          end
        end
        // ---- column bus
        if (ready != 64'd0 && now >= (writing ? write_at : read_at)) begin
          n = pick_pkg::rr64(ready, head);
          b = bank_of[n];
          g = b & GroupMask;
          bit_of = 64'd1 << n;
          col_cmd = '{kind: writing ? CmdWrite : CmdRead, bank: b[4:0], row: '0};
          if (opened[n]) row_misses_o <= row_misses_o + 64'd1;
          else row_hits_o <= row_hits_o + 64'd1;
          if (writing) begin
            write_at     = now + 64'(apart(TccdS, Burst) * Ratio);
            group_write_at[g] = now + 64'(apart(TccdL, Burst) * Ratio);
            read_at      = later(read_at, now + WriteData + 64'(TwtrS * Ratio));
            group_read_at[g] = later(group_read_at[g], now + WriteData + 64'(TwtrL * Ratio));
            precharge_at[b] = later(precharge_at[b], now + WriteData + 64'(Twr * Ratio));
            write_count  = write_count - 7'd1;
          end else begin
            read_at      = now + 64'(apart(TccdS, Burst) * Ratio);
            group_read_at[g] = now + 64'(apart(TccdL, Burst) * Ratio);
            write_at     = later(write_at, now + ReadToWrite);
            precharge_at[b] = later(precharge_at[b], now + 64'(Trtp * Ratio));
            due[due_first + due_count[5:0]]    = now + ReadData;
            due_id[due_first + due_count[5:0]] = id_of[n];
            due_count = due_count + 7'd1;
          end
          taken = taken & ~bit_of;
          of_bank[b] = of_bank[b] & ~bit_of;
          able    = able & ~bit_of;
          closing = closing & ~bit_of;
        end
        // ---- row bus
        if (refreshing && !held && row_cmd.kind == CmdNone) begin
          row_cmd    = '{kind: ByBank ? CmdRefresh : CmdRefreshAll, bank: refresh_bank[4:0], row: '0};
          refreshing = 1'b0;
          refreshed  = refreshed + 64'd1;
          for (int unsigned i = 0; i < Banks; i++)
            activate_at[i] = ByBank && i != refresh_bank ? activate_at[i] : now + RefreshTime;
          refresh_bank = (refresh_bank + 32'd1) & 32'(Banks - 1);
        end
        full = now < next_activate_at || now < activated[0] + 64'(Tfaw * Ratio);
        able = full ? 64'd0 : (able & toward) != 64'd0 ? able & toward : able;
        closing = (closing & toward) != 64'd0 ? closing & toward : closing;
        if (row_cmd.kind == CmdNone && able != 64'd0) begin
          n = pick_pkg::rr64(able, head);
          b = bank_of[n];
          g = b & GroupMask;
          row_cmd = '{kind: CmdActivate, bank: b[4:0], row: row_of[n]};
          opened = opened | (64'd1 << n);
          open_row[b]     = row_of[n] + 32'd1;
          column_at[b]    = now + 64'(Trcd * Ratio);
          precharge_at[b] = now + 64'(Tras * Ratio);
          next_activate_at = now + 64'(TrrdS * Ratio);
          group_activate_at[g] = now + 64'(TrrdL * Ratio);
          activated[0] = activated[1];
          activated[1] = activated[2];
          activated[2] = activated[3];
          activated[3] = now;
          bit_of = 64'd0;
          for (int unsigned i = 0; i < Places; i++) bit_of = bit_of | (64'(row_of[i] == row_of[n]) << i);
          hits = (hits & ~of_bank[b]) | (bit_of & of_bank[b]);
        end else if (row_cmd.kind == CmdNone && closing != 64'd0) begin
          n = pick_pkg::rr64(closing, head);
          b = bank_of[n];
          row_cmd = '{kind: CmdPrecharge, bank: b[4:0], row: '0};
          open_row[b]    = 32'd0;
          activate_at[b] = later(activate_at[b], now + 64'(Trp * Ratio));
          hits = hits & ~of_bank[b];
        end
        head = taken != 64'd0 ? pick_pkg::rr64(taken, head) : tail;
      end

      // ---- arrival
      if (cmd_valid_i) begin
        `GANTRY_CHECK(a_place, !taken[tail])
        if (rests) begin
          next_edge = now + 64'd1;
          // what fell due in the meantime: each when it was due
          for (int unsigned i = 0; i < (ByBank ? Banks : 1); i++) begin
            if (now >= next_refresh) begin
              for (int unsigned k = 0; k < Banks; k++) begin
                if (!ByBank || k == refresh_bank) begin
                  open_row[k]    = 32'd0;
                  activate_at[k] = next_refresh + RefreshTime;
                end
              end
              refresh_bank = (refresh_bank + 32'd1) & 32'(Banks - 1);
              next_refresh = next_refresh + RefreshEvery;
              refreshed    = refreshed + 64'd1;
            end
          end
          next_refresh = now >= next_refresh ? now + RefreshEvery : next_refresh;
        end
        place  = place_of(cmd_line_i, ColBits, BankBits);
        b      = 32'(place.bank);
        bit_of = 64'd1 << tail;
        taken  = taken | bit_of;
        writes = cmd_write_i ? writes | bit_of : writes & ~bit_of;
        opened = opened & ~bit_of;
        hits   = open_row[b] == place.row + 32'd1 ? hits | bit_of : hits & ~bit_of;
        of_bank[b] = of_bank[b] | bit_of;
        write_count   = write_count + 7'(cmd_write_i);
        row_of[tail]  = place.row;
        bank_of[tail] = b;
        id_of[tail]   = 32'(cmd_id_i);
        tail = tail + 6'd1;
      end
      span   = taken == 64'd0 ? 7'd0 : tail == head ? 7'd64 : {1'b0, tail - head};
      busy_o <= span >= 7'(Places - Spare);
      rests  = taken == 64'd0 && due_count == 7'd0 && !answered && !refreshing && row_cmd.kind == CmdNone && col_cmd.kind == CmdNone;
      idle_o <= rests;
      refreshes_o <= refreshed;
      row_cmd_o <= row_cmd;
      col_cmd_o <= col_cmd;

      if (!rst_ni) begin
        for (int unsigned i = 0; i < Banks; i++) begin
          of_bank[i]      = 64'd0;
          open_row[i]     = 32'd0;
          activate_at[i]  = 64'd0;
          column_at[i]    = 64'd0;
          precharge_at[i] = 64'd0;
        end
        for (int unsigned i = 0; i < Groups; i++) begin
          group_activate_at[i] = 64'd0;
          group_read_at[i]     = 64'd0;
          group_write_at[i]    = 64'd0;
        end
        for (int unsigned i = 0; i < 4; i++) activated[i] = 64'd0;
        taken        = 64'd0;
        head         = 6'd0;
        tail         = 6'd0;
        write_count  = 7'd0;
        writing      = 1'b0;
        read_at      = 64'd0;
        write_at     = 64'd0;
        next_activate_at = 64'd0;
        next_edge    = 64'd0;
        next_refresh = RefreshEvery;
        refresh_bank = 32'd0;
        refreshing   = 1'b0;
        refreshed    = 64'd0;
        due_first    = 6'd0;
        due_count    = 7'd0;
        rests        = 1'b1;
        done_valid_o <= 1'b0;
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
    .Banks(Banks), .Groups(Groups), .Ratio(Ratio), .Tcl(Tcl), .Tcwl(Tcwl), .Trcd(Trcd), .Trp(Trp), .Tras(Tras), .Twr(Twr), .Trtp(Trtp),
    .TccdS(TccdS), .TccdL(TccdL), .TrrdS(TrrdS), .TrrdL(TrrdL), .TwtrS(TwtrS), .TwtrL(TwtrL), .Tfaw(Tfaw), .Trtw(Trtw),
    .Trfc(ByBank ? TrfcBank : Trfc), .Burst(Burst)
  ) u_checker (
    .clk_i, .rst_ni, .cycle_i, .row_cmd_i(row_cmd_o), .col_cmd_i(col_cmd_o), .rested_i(idle_o)
  );
endmodule
