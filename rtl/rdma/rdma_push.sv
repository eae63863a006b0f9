// SPDX-License-Identifier: Apache-2.0
// Page-move engine, the side that a page leaves: reads the lines of the page from this GPU's own L2 slices and sends
// them, with the flags of the page's entry, to the page-move engine of the GPU that gets it.  Several moves may be
// under way, one after another; each is reported when its last line is acknowledged, which is when DRAM of the other
// GPU has it.
// Responsible for: order of the lines, what is under way, checksum, report.  Not responsible for: whether a page may
// move and who uses it meanwhile (the host's driver), turns with other traffic and credits (rdma), what the other GPU
// does with a line (rdma_store).
//
// Lines are read ahead into a ring of places and leave in the order of the page.  One is read, and one leaves, in
// `Every` cycles, which is what a line takes on the link: so no queue of them stands in front of other requests, at the
// link or at the slices.  A line that cannot be read is not
// sent; it counts as acknowledged, and the report says MOVE_FAULT.
// Hold (of the control agent): hold_take no line is read, hold_all none is sent either.  A discard ends all moves with
// MOVE_DISCARDED; what is read for them still comes, and is dropped; acknowledgements are swallowed by the engine (its
// epoch).
`include "gantry_assert.svh"

module rdma_push
  import gantry_msg_pkg::*;
  import rdma_move_pkg::*;
#(
  parameter int unsigned NumSlices = 4,   // power of two
  parameter int unsigned Moves = 4,       // under way, power of two, 2 or more
  parameter int unsigned Lines = 128,     // read or being read, not sent; power of two
  parameter int unsigned Every = 3,       // cycles from line to line
  parameter bit [2:0] SeedBug = 3'd0      // bench only: 1 a line left out, 2 one twice, 3 reported early, 4 other flags
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [63:0]        cycle_i,
  input  logic [ 7:0]        own_gpu_i,
  output logic               idle_o,
  output logic               rests_o,        // no line is being read, none waits to be sent
  // a move begins; the host has at most Moves of them under way
  input  logic               start_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // padding, and what only other messages use
  input  ctl_move_t          start_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // reads of own slices; their answers, of which the tag is the place
  output logic               read_valid_o,
  output mem_req_t           read_o,
  input  logic               read_ready_i,
  input  logic               line_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_rsp_t           line_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // lines to other GPUs; their answers
  output logic               push_valid_o,
  output mem_move_t          push_o,
  input  logic               push_ready_i,
  input  logic               ack_valid_i,
  input  logic [ 7:0]        ack_move_i,
  input  logic               ack_fault_i,
  // control
  input  logic               hold_take_i,
  input  logic               hold_all_i,
  input  logic               discard_i,
  // report
  output logic               done_valid_o,
  output move_evt_t          done_o,
  input  logic               done_ready_i
);
  localparam int unsigned Mw = $clog2(Moves);
  localparam int unsigned Pw = $clog2(Lines);
  localparam int unsigned Ew = Every > 1 ? $clog2(Every) : 1;
  typedef logic [Mw-1:0] move_t;
  typedef logic [Pw-1:0] place_t;
  typedef struct packed {
    logic [15:0] id;
    logic [7:0]  slot;
    logic [15:0] flags;
    move_lines_t lines;
    logic [47:0] source;
    logic [55:0] target;
  } page_t;

  // ---- moves: a ring, in the order in which they came
  page_t page_q[Moves];
  move_lines_t acked_q[Moves];
  logic [63:0] sum_q[Moves], start_q[Moves];
  logic [7:0] status_q[Moves];
  move_t first_q, tail;         // the oldest; where the next one goes
  logic [Mw:0] count_q;
  move_t reading_q, pushing_q;  // whose lines are read, sent
  logic [Mw:0] unread_q;        // moves of which lines are to be read
  move_lines_t read_line_q, push_line_q;
  // ---- lines: a ring of places; the one at its head moves to the memory's output register
  logic [Lines-1:0] filled_q;
  place_t place_head_q, place_tail_q;
  logic [Pw:0] used_q, old_q;   // places taken; of these, the oldest so many are dropped
  logic head_valid_q;
  logic head_fault;
  logic [7:0][63:0] head_data;
  logic [Ew-1:0] wait_q, read_wait_q;  // cycles until the next line may leave, may be read

  logic reads, loads, leaves, over;
  logic forgets;                // bench only
  logic lost;                   // the line at the head is not sent, and counts as acknowledged

  assign tail = first_q + move_t'(count_q);
  // ---- a line is read
  assign read_valid_o = unread_q != '0 && 32'(used_q) != Lines && read_wait_q == '0 && !hold_take_i;
  assign reads        = read_valid_o && read_ready_i;
  always_comb begin
    read_o        = '0;
    read_o.op     = MEM_READ_NC;
    read_o.addr   = {8'd0, own_gpu_i + 8'd1, page_q[reading_q].source + {31'd0, read_line_q, 6'd0}};
    read_o.target = 8'(read_o.addr >> 8) & 8'(NumSlices - 1);
    read_o.tag    = 32'h8000_0000 | 32'(place_tail_q);
  end
  ram_1r1w #(.Width(513), .Depth(Lines)) u_lines (
    .clk_i, .we_i(line_valid_i), .waddr_i(place_t'(line_i.tag)), .wdata_i({line_i.status != MEM_OK, line_i.data}),
    .re_i(loads), .raddr_i(place_head_q), .rdata_o({head_fault, head_data}));
  assign loads = used_q != '0 && filled_q[place_head_q] && (!head_valid_q || leaves);

  // ---- a line is sent
  assign forgets      = SeedBug == 3'd1 && push_line_q == 11'd5;
  assign push_valid_o = head_valid_q && !head_fault && wait_q == '0 && !hold_all_i && !forgets;
  assign leaves       = head_valid_q && (head_fault || forgets || (push_valid_o && push_ready_i));
  assign lost         = leaves && head_fault;
  always_comb begin
    push_o        = '0;
    push_o.op     = MEM_MOVE;
    push_o.source = MoveSource;
    push_o.move   = 8'(pushing_q);
    push_o.slot   = page_q[pushing_q].slot;
    push_o.line   = 16'(push_line_q) - 16'(SeedBug == 3'd2 && push_line_q == 11'd7);
    push_o.flags  = 32'(page_q[pushing_q + move_t'(SeedBug == 3'd4)].flags);
    push_o.addr   = {8'd0, page_q[pushing_q].target + {39'd0, 11'(push_o.line), 6'd0}};
    push_o.mask   = '1;
    push_o.data   = head_data;
  end

  // ---- the oldest move is over
  assign over = count_q != '0 && (!done_valid_o || done_ready_i) && (status_q[first_q] == MOVE_DISCARDED ||
                acked_q[first_q] + move_lines_t'(SeedBug == 3'd3) == page_q[first_q].lines);

  always_ff @(posedge clk_i) begin
    if (start_valid_i || count_q != '0 || used_q != '0 || wait_q != '0 || read_wait_q != '0 || done_valid_o ||
        !rst_ni) begin
      // ---- report
      if (done_ready_i) done_valid_o <= 1'b0;
      if (over) begin
        done_valid_o <= 1'b1;
        done_o <= '{kind: CP_EVT_MOVED, status: status_q[first_q], move: page_q[first_q].id,
                    flags: page_q[first_q].flags, slot: page_q[first_q].slot, lines: 16'(acked_q[first_q]),
                    checksum: sum_q[first_q], start: start_q[first_q], end_: cycle_i, default: '0};
        first_q <= first_q + 1'b1;
      end
      if (over != start_valid_i) count_q <= over ? count_q - 1'b1 : count_q + 1'b1;
      // ---- acknowledgements, by number of the move; the line at the head is of the one that is sent
      for (int unsigned m = 0; m < Moves; m++) begin
        if (ack_valid_i || lost)
          acked_q[m] <= acked_q[m] + move_lines_t'(ack_valid_i && 32'(ack_move_i) == m) +
                        move_lines_t'(lost && 32'(pushing_q) == m);
        if ((ack_valid_i && ack_fault_i && 32'(ack_move_i) == m) || (lost && 32'(pushing_q) == m))
          status_q[m] <= MOVE_FAULT;
      end
      // ---- a line leaves, the next one comes to the head
      if (wait_q != '0) wait_q <= wait_q - 1'b1;
      if (leaves) begin
        if (!head_fault) begin
          sum_q[pushing_q] <= sum_q[pushing_q] + checksum_share(head_data, 10'(push_line_q));
          wait_q           <= Ew'(Every - 1);
        end
        if (push_line_q == '0) start_q[pushing_q] <= cycle_i;
        push_line_q <= push_line_q + 1'b1;
        if (push_line_q + 1'b1 == page_q[pushing_q].lines) begin
          push_line_q <= '0;
          pushing_q   <= pushing_q + 1'b1;
        end
        head_valid_q <= 1'b0;
      end
      if (loads) begin
        head_valid_q           <= old_q == '0;
        filled_q[place_head_q] <= 1'b0;
        place_head_q           <= place_head_q + 1'b1;
        if (old_q != '0) old_q <= old_q - 1'b1;
      end
      // ---- lines come, others are asked for
      if (line_valid_i) filled_q[place_t'(line_i.tag)] <= 1'b1;
      if (read_wait_q != '0) read_wait_q <= read_wait_q - 1'b1;
      if (reads) begin
        read_wait_q  <= Ew'(Every - 1);
        place_tail_q <= place_tail_q + 1'b1;
        read_line_q  <= read_line_q + 1'b1;
        if (read_line_q + 1'b1 == page_q[reading_q].lines) begin
          read_line_q <= '0;
          reading_q   <= reading_q + 1'b1;
        end
      end
      if (reads != loads) used_q <= reads ? used_q + 1'b1 : used_q - 1'b1;
      unread_q <= unread_q + (Mw + 1)'(start_valid_i) -
                  (Mw + 1)'(reads && read_line_q + 1'b1 == page_q[reading_q].lines);
      // ---- a move begins
      if (start_valid_i) begin
        page_q[tail]   <= '{id: start_i.move, slot: start_i.slot, flags: start_i.flags,
                            lines: move_lines_t'(start_i.lines), source: start_i.source[47:0],
                            target: start_i.target[55:0]};
        acked_q[tail]  <= '0;
        sum_q[tail]    <= '0;
        status_q[tail] <= MOVE_OK;
        start_q[tail]  <= cycle_i;
      end
      // ---- discard: nothing more is read or sent
      if (discard_i) begin
        for (int unsigned m = 0; m < Moves; m++) status_q[m] <= MOVE_DISCARDED;
        old_q        <= used_q + (Pw + 1)'(reads) - (Pw + 1)'(loads);
        unread_q     <= '0;
        head_valid_q <= 1'b0;
        {read_line_q, push_line_q} <= '0;
        {reading_q, pushing_q}     <= {tail, tail};
      end
    end
    if (!rst_ni) begin
      {first_q, count_q, reading_q, pushing_q, unread_q, read_line_q, push_line_q} <= '0;
      {filled_q, place_head_q, place_tail_q, used_q, old_q, head_valid_q, wait_q, read_wait_q,
       done_valid_o} <= '0;
    end
  end

  assign rests_o = used_q == '0 && !head_valid_q;
  // the pace counts in each cycle; all else waits for something from outside
  assign idle_o  = !reads && !loads && !leaves && !over && !done_valid_o && wait_q == '0 && read_wait_q == '0;

  // ---- assertions
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(start_valid_i, 32'(count_q) != Moves && !discard_i))
  `GANTRY_ASSERT(a_lines, `GANTRY_IMPL(start_valid_i, start_i.lines != 16'd0 && start_i.lines <= 16'(MoveLinesMost)))
  `GANTRY_ASSERT(a_aligned, `GANTRY_IMPL(start_valid_i, start_i.source[11:0] == '0 && start_i.target[11:0] == '0 &&
                                         start_i.target[55:48] != own_gpu_i + 8'd1 && start_i.target[55:48] != 8'd0))
  // a line comes for a place that waits for one
  place_t line_at;  // from the head
  move_t ack_at;    // from the oldest
  assign line_at = place_t'(line_i.tag) - place_head_q;
  assign ack_at  = move_t'(ack_move_i) - first_q;
  `GANTRY_ASSERT(a_line, `GANTRY_IMPL(line_valid_i, !filled_q[place_t'(line_i.tag)] && (Pw + 1)'(line_at) < used_q))
  // an acknowledgement is that of a move under way, which has sent more than it has been told of
  `GANTRY_ASSERT(a_ack, `GANTRY_IMPL(ack_valid_i, 32'(ack_move_i) < Moves && (Mw + 1)'(ack_at) < count_q))
  `GANTRY_ASSERT(a_order, unread_q <= count_q && old_q <= used_q)
endmodule
