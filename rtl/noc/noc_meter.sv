// SPDX-License-Identifier: Apache-2.0
// Meter of the crossbar (key metrics.latency): for each requester and kind of request how many there were, what they
// moved, how long they waited and how their latencies are spread; for each server what its link moved and how many of its
// requests were under way.
// A latency is from the cycle in which a request comes to the crossbar until the one in which its answer comes to it.  Writes
// may share a number: of those of one requester and kind with the same low four bits of it (an instruction of a CU) the first
// answer is taken for that of the first.
// Responsible for: counting.  Not responsible for: the crossbar, which does not know of it.  Works in cycles with a
// message only, so a crossbar at rest costs nothing.  Words are read one after the other: `next_i` chooses the word
// behind that of the cycle before, and without it the first.  In synthesis its memories are registers: for simulation.
`include "gantry_assert.svh"

module noc_meter
  import gantry_msg_pkg::*;
  import noc_meter_pkg::*;
#(
  parameter int unsigned In = 82,  // requesters
  parameter int unsigned Out = 18,  // servers; the last is the RDMA engine
  parameter int unsigned WriteRoom = 16384,  // writes under way that are timed
  localparam int unsigned Rows = In * Kinds,
  localparam int unsigned All = Rows * Words + Out * TargetWords
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic    [63:0] cycle_i,
  input  logic [ In-1:0] req_valid_i,     // requests as they come to the crossbar
  /* verilator lint_off UNUSEDSIGNAL */  // addresses and data pass by
  input  mem_req_t       req_i  [ In],
  input  logic [Out-1:0] rsp_valid_i,     // answers likewise
  input  mem_rsp_t       rsp_i  [Out],
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic           next_i,
  output logic    [63:0] word_o           // behind the edge of next_i
);
  localparam int unsigned Tags = 256;  // of a requester and kind under way, by the low bits
  localparam int unsigned WriteTags = 16;  // of writes, by the low bits
  localparam int unsigned Lists = In * 2 * WriteTags;  // near and far

  function automatic logic [31:0] list_of(input logic [31:0] requester, input logic is_far, input logic [3:0] tag);
    return (requester * 32'd2 + 32'(is_far)) * WriteTags + 32'(tag);
  endfunction

  /* verilator lint_off BLKSEQ */
  logic [63:0] word[All];
  logic [63:0] since[Rows];            // cycle up to which waiting was counted
  logic [31:0] open[Rows];             // requests under way
  logic [31:0] began[Rows*Tags];       // cycle of a request that is no write
  // Writes under way: lists by requester, kind and number, of entries 1 to WriteRoom; 0: none.  An entry is free behind `used`
  // and in the list `freed`.  What finds none free has no latency.
  logic [31:0] first[Lists], last[Lists];
  logic [31:0] unlisted[Lists];        // behind those of the list
  logic [31:0] after[WriteRoom+1], start[WriteRoom+1];
  logic [31:0] freed, used;
  logic [63:0] since_target[Out];      // as since and open, of a server
  logic [31:0] open_target[Out];
  logic [31:0] latency;
  kind_e kind;
  logic far, timed;
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [31:0] row, at, target, pointer, list, entry;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin
    if (req_valid_i != '0 || rsp_valid_i != '0 || next_i || pointer != 32'd0 || !rst_ni) begin
      // ---- reading, one word after the other
      if (next_i || pointer != 32'd0) begin
        word_o <= next_i && pointer < All ? word[pointer] : 64'd0;
        pointer = next_i ? pointer + 32'd1 : 32'd0;
      end
      // ---- answers
      for (int unsigned t = 0; t < Out; t++) begin
        if (rsp_valid_i[t]) begin
          far     = t == Out - 1;
          kind    = kind_of(rsp_i[t].op, far);
          row     = 32'(rsp_i[t].source) * Kinds + 32'(kind);
          at      = row * Words;
          list    = list_of(32'(rsp_i[t].source), far, rsp_i[t].tag[3:0]);
          entry   = is_write(kind) ? first[list] : 32'd0;
          timed   = !is_write(kind) || entry != 32'd0;
          latency = cycle_i[31:0] - (is_write(kind) ? start[entry] : began[row*Tags+32'(rsp_i[t].tag[7:0])]);
          if (entry != 32'd0) begin
            first[list]  = after[entry];
            after[entry] = freed;
            freed        = entry;
          end else if (is_write(kind)) unlisted[list] = unlisted[list] - 32'd1;
          `GANTRY_CHECK(a_open, open[row] != 32'd0)
          word[at+WordWaited] = word[at+WordWaited] + 64'(open[row]) * (cycle_i - since[row]);
          word[at+WordFrom]   = word[at+WordFrom] + 64'(bytes_from(rsp_i[t].op));
          since[row] = cycle_i;
          open[row]  = open[row] - 32'd1;
          at         = at + WordLatency + 32'(latency_class(latency));
          word[at]   = word[at] + 64'(timed);
          target     = Rows * Words + t * TargetWords;
          word[target+WordFrom]   = word[target+WordFrom] + 64'(bytes_from(rsp_i[t].op));
          word[target+WordWaited] = word[target+WordWaited] + 64'(open_target[t]) * (cycle_i - since_target[t]);
          since_target[t] = cycle_i;
          open_target[t]  = open_target[t] - 32'd1;
        end
      end
      // ---- requests
      for (int unsigned i = 0; i < In; i++) begin
        if (req_valid_i[i]) begin
          far  = 32'(req_i[i].target) == Out - 1;
          kind = kind_of(req_i[i].op, far);
          row  = i * Kinds + 32'(kind);
          at   = row * Words;
          word[at+WordRequests] = word[at+WordRequests] + 64'd1;
          word[at+WordTo]       = word[at+WordTo] + 64'(bytes_to(req_i[i]));
          word[at+WordWaited]   = word[at+WordWaited] + 64'(open[row]) * (cycle_i - since[row]);
          since[row] = cycle_i;
          open[row]  = open[row] + 32'd1;
          list = list_of(i, far, req_i[i].tag[3:0]);
          if (!is_write(kind)) began[row*Tags+32'(req_i[i].tag[7:0])] = cycle_i[31:0];
          else if ((freed == 32'd0 && used == WriteRoom) || unlisted[list] != 32'd0)
            unlisted[list] = unlisted[list] + 32'd1;
          else begin
            entry = freed != 32'd0 ? freed : used + 32'd1;
            if (freed != 32'd0) freed = after[freed];
            else used = used + 32'd1;
            start[entry] = cycle_i[31:0];
            after[entry] = 32'd0;
            if (first[list] == 32'd0) first[list] = entry;
            else after[last[list]] = entry;
            last[list] = entry;
          end
          at     = 32'(req_i[i].target);
          target = Rows * Words + at * TargetWords;
          word[target+WordRequests] = word[target+WordRequests] + 64'd1;
          word[target+WordTo]       = word[target+WordTo] + 64'(bytes_to(req_i[i]));
          word[target+WordWaited]   = word[target+WordWaited] + 64'(open_target[at]) * (cycle_i - since_target[at]);
          since_target[at] = cycle_i;
          open_target[at]  = open_target[at] + 32'd1;
        end
      end
      if (!rst_ni) begin
        word        = '{default: 64'd0};
        open        = '{default: 32'd0};
        open_target = '{default: 32'd0};
        first       = '{default: 32'd0};
        unlisted    = '{default: 32'd0};
        freed   = 32'd0;
        used    = 32'd0;
        pointer = 32'd0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
