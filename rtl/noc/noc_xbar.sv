// SPDX-License-Identifier: Apache-2.0
// One direction of the crossbar: In inputs with queues, Out outputs, one message a cycle on every port.  An output takes the
// heads that want it in turn (round robin), Run of an input before the next, one payload per grant: lines of one row of DRAM
// that follow each other stay together.  Responsible for: queues with credits (Depth a port), choice, moving a payload once
// in and once out.  Not responsible for: what a message means (the wrapper names its destination), credits of outputs that
// always take (OutCredits = 0).
//
// An input has Lanes queues, by the low bits of the destination, so a head holds up what goes to one output in Lanes.  With H
// heads of random destination and M outputs, H / (H + M - 1) of the outputs' cycles are used (closed network of queues): 64
// inputs and 16 outputs move 13 messages a cycle with one lane, 14.4 with two.  Each may leave in the same cycle; credits
// go back one a cycle and input.
//
// Control (its agent): while hold_i is set nothing leaves and the queues take what comes; they are the incoming buffer.  From
// discard_i on they are emptied, one message an input and cycle, so that each gives its credit back.
// Cost in simulation follows the messages: a bit vector of waiting heads per output, nothing else is looked at.
`include "gantry_assert.svh"

module noc_xbar #(
  parameter int unsigned In = 82,          // at most 128
  parameter int unsigned Out = 18,         // at most 128
  parameter type Msg = logic [767:0],     // packed; the type of the ports, so that nothing is converted
  parameter int unsigned Depth = 16,       // power of two
  parameter int unsigned Lanes = 1,        // power of two
  parameter int unsigned Run = 1,          // at least 1
  parameter int unsigned OutCredits = 16,  // room of each receiver; 0: it always takes
  parameter int unsigned DestLsb = 8,      // destination: 8 bits of the message from here on
  parameter bit SetSource = 1'b0,          // write the input's number into bits SourceLsb+7:SourceLsb
  parameter int unsigned SourceLsb = 16,
  parameter bit [1:0] SeedFault = 2'd0     // bench only: 1 wrong row of a queue, 2 credit not counted
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [   In-1:0] in_valid_i,
  input  Msg               in_i[In],
  output logic [   In-1:0] in_credit_o,
  output logic [  Out-1:0] out_valid_o,
  output Msg               out_o[Out],
  input  logic [  Out-1:0] out_credit_i,
  input  logic             hold_i,
  input  logic             discard_i,      // pulse, while held
  output logic             dropping_o,     // until the queues are empty
  output logic [     63:0] moved_o,          // messages moved since reset
  output logic [     63:0] blocked_o,      // output-cycles with a head waiting and no credit
  output logic             idle_o
);
  localparam int unsigned Width = $bits(Msg);
  localparam int unsigned Iw = In > 1 ? $clog2(In) : 1;
  localparam int unsigned InGroups = (In + 7) / 8;
  localparam int unsigned OutGroups = (Out + 7) / 8;
  localparam int unsigned Ow = $clog2(OutGroups * 8);
  localparam int unsigned Pw = $clog2(Out);
  localparam int unsigned Queues = In * Lanes;  // lane l of input i: i * Lanes + l
  localparam int unsigned Grants = Queues < Out ? Queues : Out;  // at most, in one cycle

  /* verilator lint_off BLKSEQ */
  Msg store[Queues*Depth];             // for synthesis: one memory a queue
  logic [31:0] first[Queues], count[Queues];  // an empty queue begins at its first row again
  logic [63:0] want_low[Out], want_high[Out];  // inputs one of whose heads wants this output
  logic [31:0] turn[Out], left[Out];   // the input that is first; so many it may send before the next is
  logic [31:0] credits[Out];
  logic [InGroups*8-1:0] arrived;
  logic [OutGroups*8-1:0] waiting;     // outputs that some head wants
  logic [OutGroups*8-1:0] returned;
  logic [Out-1:0] granted;
  logic [In-1:0] freed;                // a place of these, whose credit goes back
  logic [In-1:0] owing;                // more credits than one were to go back at once
  logic [31:0] owed[In];               // so many are left
  logic [31:0] grants;                 // of this cycle; their outputs, rows and queues:
  logic [31:0] to[Grants], from_row[Grants], from[Grants];
  logic [Width-1:0] message;
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [31:0] grant, dest, row, queued;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] moved, blocked;
  logic dropping;
  logic busy;                          // outputs carry a message that must be taken back

  // nothing is looked at while no head waits and nothing comes
  always_ff @(posedge clk_i) begin
    if ((waiting != '0 && !hold_i) || in_valid_i != '0 || out_credit_i != '0 || discard_i || !idle_o || !rst_ni) begin
      granted = '0;
      freed   = '0;
      grants  = 32'd0;
      // ---- credits that came back
      if (out_credit_i != '0) begin
        returned = (OutGroups * 8)'(out_credit_i);
        for (int unsigned g = 0; g < OutGroups; g++) begin
          if (returned[g*8+:8] != 8'd0)
            for (int unsigned o = g * 8; o < Out && o < g * 8 + 8; o++) begin
              `GANTRY_CHECK(a_credit, !returned[o] || credits[o] != OutCredits)
              credits[o] = credits[o] + 32'(returned[o]);
            end
        end
      end
      // ---- one grant an output
      for (int unsigned g = 0; g < OutGroups; g++) begin
        if (waiting[g*8+:8] != 8'd0 && !hold_i) begin
          for (int unsigned o = g * 8; o < Out && o < g * 8 + 8; o++) begin
            if (waiting[o] && OutCredits != 0 && credits[o] == 32'd0) blocked = blocked + 64'd1;
            if (waiting[o] && (OutCredits == 0 || credits[o] != 32'd0)) begin
              grant      = 32'(pick_pkg::rr128({want_high[o], want_low[o]}, turn[o][6:0]));
              // a head wants one output, and only while there is one
              queued     = grant * Lanes + (o & (Lanes - 1));
              `GANTRY_CHECK(a_head, grant < In && count[queued] != 32'd0 && (Lanes > 1 || !freed[grant[Iw-1:0]]))
              left[o]    = grant == turn[o] ? left[o] - 32'd1 : Run - 32'd1;
              turn[o]    = grant;
              if (left[o] == 32'd0) begin
                turn[o] = grant + 32'd1 == In ? 32'd0 : grant + 32'd1;
                left[o] = Run;
              end
              credits[o] = OutCredits == 0 || (SeedFault == 2'd2 && moved[7:0] == 8'd99) ? credits[o]
                           : credits[o] - 32'd1;
              row        = first[queued] + 32'(SeedFault == 2'd1 && moved[7:0] == 8'd77);
              row        = queued * Depth + (row & (Depth - 1));
              granted[Pw'(o)] = 1'b1;
              to[grants]       = o;
              from[grants]     = queued;
              from_row[grants] = row;
              grants           = grants + 32'd1;
              if (Lanes > 1 && freed[grant[Iw-1:0]]) begin
                `GANTRY_CHECK(a_owed, owed[grant] < Depth)
                owing[grant[Iw-1:0]] = 1'b1;
                owed[grant]          = owed[grant] + 32'd1;
              end
              freed[grant[Iw-1:0]] = 1'b1;
              moved         = moved + 64'd1;
              first[queued] = first[queued] + 32'd1;
              count[queued] = count[queued] - 32'd1;
              want_low[o]  = grant[6] ? want_low[o] : want_low[o] & ~(64'd1 << grant[5:0]);
              want_high[o] = grant[6] ? want_high[o] & ~(64'd1 << grant[5:0]) : want_high[o];
              waiting[o]   = (want_low[o] | want_high[o]) != 64'd0;
            end
          end
        end
      end
      // ---- what leaves, one textual assignment a grant; the next message of a queue that lost its head becomes head
      if (grants != 32'd0) begin
        moved_o <= moved;
        /* verilator unroll_full */
        for (int unsigned k = 0; k < Grants; k++) if (k < grants) out_o[Pw'(to[k])] <= store[from_row[k]];
        for (int unsigned k = 0; k < Grants; k++) begin
          queued = k < grants ? from[k] : 32'd0;
          if (k < grants && count[queued] != 32'd0) begin
            message = store[queued*Depth+(first[queued]&(Depth-1))];
            dest    = 32'(message[DestLsb+:8]);
            grant   = queued / Lanes;
            want_low[dest]  = grant[6] ? want_low[dest] : want_low[dest] | (64'd1 << grant[5:0]);
            want_high[dest] = grant[6] ? want_high[dest] | (64'd1 << grant[5:0]) : want_high[dest];
            waiting[dest[Ow-1:0]] = 1'b1;
          end
        end
      end
      // ---- a discard: only places are counted, as a queue that is empty begins at its first row
      if (discard_i || dropping_o) begin
        dropping = Lanes > 1 && owing != '0;
        for (int unsigned q = 0; q < Queues; q++) begin
          if (count[q] != 32'd0 && !freed[q/Lanes]) begin
            count[q]       = count[q] - 32'd1;
            freed[q/Lanes] = 1'b1;
          end
          dropping = dropping || count[q] != 32'd0;
        end
        want_low    = '{default: 64'd0};
        want_high   = '{default: 64'd0};
        waiting     = '0;
        dropping_o <= dropping;
      end
      // ---- arrivals
      if (in_valid_i != '0) begin
        arrived = (InGroups * 8)'(in_valid_i);
        for (int unsigned g = 0; g < InGroups; g++) begin
          if (arrived[g*8+:8] != 8'd0) begin
            for (int unsigned i = g * 8; i < In && i < g * 8 + 8; i++) begin
              if (arrived[i]) begin
                message    = in_i[i];
                if (SetSource) message[SourceLsb+:8] = i[7:0];
                dest       = 32'(message[DestLsb+:8]);
                queued     = i * Lanes + (dest & (Lanes - 1));
                first[queued] = count[queued] == 32'd0 ? 32'd0 : first[queued];
                row        = queued * Depth + ((first[queued] + count[queued]) & (Depth - 1));
                store[row] = Msg'(message);
                `GANTRY_CHECK(a_room, count[queued] < Depth)
                `GANTRY_CHECK(a_dest, dest < Out)
                if (count[queued] == 32'd0) begin
                  want_low[dest]  = i >= 64 ? want_low[dest] : want_low[dest] | (64'd1 << i[5:0]);
                  want_high[dest] = i >= 64 ? want_high[dest] | (64'd1 << i[5:0]) : want_high[dest];
                  waiting[dest[Ow-1:0]] = 1'b1;
                end
                count[queued] = count[queued] + 32'd1;
              end
            end
          end
        end
      end
      // ---- credits of an input that lost several heads at once
      if (Lanes > 1 && owing != '0) begin
        for (int unsigned i = 0; i < In; i++) begin
          if (owing[i] && !freed[i]) begin
            freed[i] = 1'b1;
            owed[i]  = owed[i] - 32'd1;
            owing[i] = owed[i] != 32'd0;
          end
        end
      end
      // ---- pulses
      if (freed != '0 || busy) begin
        out_valid_o <= granted;
        in_credit_o <= freed;
        blocked_o   <= blocked;
      end
      busy   = freed != '0;  // whatever leaves or is dropped frees a place; while credits are owed, one goes back
      idle_o <= (waiting == '0 || hold_i) && !busy;
      if (!rst_ni) begin
        count     = '{default: 32'd0};
        want_low  = '{default: 64'd0};
        want_high = '{default: 64'd0};
        turn      = '{default: 32'd0};
        left      = '{default: Run};
        credits   = '{default: OutCredits};
        waiting = '0;
        owing   = '0;
        owed    = '{default: 32'd0};
        busy    = 1'b0;
        dropping_o <= 1'b0;
        moved   = 64'd0;
        blocked = 64'd0;
        out_valid_o <= '0;
        in_credit_o <= '0;
        moved_o     <= '0;
        blocked_o   <= '0;
        idle_o      <= 1'b1;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_moved, $countones(out_valid_o) == $countones(in_credit_o) || hold_i || Lanes > 1)  // frees one place
endmodule
