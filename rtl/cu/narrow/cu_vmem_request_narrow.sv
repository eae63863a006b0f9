// SPDX-License-Identifier: Apache-2.0
// cu_vmem_request of a compute unit whose SIMDs have fewer than 16 lanes: store lines are put together from one word of
// one lane a cycle, out of memories that are as wide as a SIMD and read two cycles before.  What comes from the LDS for a store
// stands in the same memory.  Responsible for and not: as cu_vmem_request.
`include "gantry_assert.svh"

module cu_vmem_request_narrow
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import l1v_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,             // low: nothing is valid, nothing moves, no pulse has to fall
  input  logic                valid_i,
  input  vmem_issue_t         issue_i,
  input  vslot_t                next_slot_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  vmem_part_t          part_i,
  input  vmem_spot_t          spot_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                access_valid_i,
  input  vmem_access_t        access_i,
  output logic                access_ready_o,    // room for this cycle's and the next access
  output logic                req_valid_o,
  output l1_req_t             req_o[1],
  input  logic                req_ready_i,
  output logic                line_valid_o,      // to the LDS; the record stays until the next
  output lds_line_t           line_o[1],
  input  logic                line_taken_i,
  input  logic                row_line_valid_i,  // a line that cu_vmem_return_narrow asks for; stays until its answer
  input  lds_line_t           row_line_i[1],
  output logic                fetch_valid_o,     // the dwords of this store are wanted
  output vslot_t                fetch_slot_o,
  input  logic                fill_valid_i,      // one of them, of a lane
  output logic                fill_ready_o,
  input  logic                fill_done_i,       // the last
  input  logic          [5:0] fill_lane_i,
  input  logic         [31:0] fill_i,
  output logic                moved_o
);
  localparam int unsigned Aw = $clog2(NumSlots * 4 * Beats);

  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic [7:0] vmid;
    logic store;
    logic atomic;
    logic [3:0] atomic_op;
    logic wide;
    logic slc;
    logic [2:0] words;
    logic [4:0] bytes;
  } what_t;

  typedef struct packed {  // a word on its way from the memories
    logic valid;
    logic [5:0] lane;
    logic [1:0] word;
  } read_t;

  what_t op_mem[NumSlots];
  vmem_access_t wait_mem[4];
  logic [1:0] wait_read, wait_write;
  logic [2:0] waiting;
  logic line_busy, row_wait;
  // the oldest store, when its data come from the LDS
  vslots_t from_lds;
  logic fetched, fetching;
  vslot_t fetch_slot;
  // line being put together
  logic active;
  logic [63:0] lanes_left, bytes;
  logic [1:0] word;
  logic [31:0] line[16];
  read_t read1, read2;
  // temporaries
  /* verilator lint_off UNUSEDSIGNAL */
  vmem_access_t a;
  vop_t fresh;
  /* verilator lint_on UNUSEDSIGNAL */
  what_t op;
  logic [15:0][31:0] wide;
  logic [5:0] lane;
  logic [6:0] off;
  logic [31:0] value;
  logic [63:0] window;
  logic [7:0] mask;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [4:0] even_word, odd_word;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] even_data, odd_data;
  logic [3:0] even_mask, odd_mask;
  logic ready, swap, missing, moved, awake;

  // store data {slot, word, group}; places {slot, word, group}
  logic re_q, part_we;
  logic [Aw-1:0] data_raddr_q, place_raddr_q;
  logic [Lanes-1:0] data_we;
  logic [Lanes-1:0][31:0] data;
  logic [Lanes-1:0][6:0] places;

  assign part_we = part_i.valid && !part_i.none && part_i.kind[1];
  assign fill_ready_o = !part_we;
  assign data_we = part_we ? '1 : fill_valid_i ? Lanes'(1) << (32'(fill_lane_i) % Lanes) : '0;

  ram_1r1w #(
    .Width(32 * Lanes),
    .Depth(NumSlots * 4 * Beats),
    .Lanes(Lanes)
  ) u_data (
    .clk_i,
    .we_i   (data_we),
    .waddr_i(part_we ? {part_i.slot, part_i.word, part_i.group} :
                       {fetch_slot_o, 2'd0, fill_lane_i[5:LaneW]}),
    .wdata_i(part_we ? part_i.lanes : {Lanes{fill_i}}),
    .re_i   (re_q),
    .raddr_i(data_raddr_q),
    .rdata_o(data)
  );

  ram_1r1w #(
    .Width(7 * Lanes),
    .Depth(NumSlots * 4 * Beats)
  ) u_places (
    .clk_i,
    .we_i   (spot_i.valid),
    .waddr_i({spot_i.slot, spot_i.word, spot_i.group}),
    .wdata_i(spot_i.lanes),
    .re_i   (re_q),
    .raddr_i(place_raddr_q),
    .rdata_o(places)
  );

  /* verilator lint_off BLKSEQ */
  // Whether the oldest access is of a store whose data are still in the LDS; then they are asked for.
  task automatic fetch_rows();
    missing = from_lds[a.tx.slot] && !(fetched && fetch_slot == a.tx.slot);
    if (missing && !fetching) begin
      fetching = 1'b1;
      fetched = 1'b0;
      fetch_slot = a.tx.slot;
      fetch_slot_o <= a.tx.slot;
      fetch_valid_o <= 1'b1;
      moved = 1'b1;
    end
  endtask

  task automatic send_row_line();
    row_wait = 1'b0;
    line_busy = 1'b1;
    line_valid_o <= 1'b1;
    line_o[0] <= row_line_i[0];
    moved = 1'b1;
  endtask

  // The next word of the lowest lane.
  task automatic read_word();
    lane = pick_pkg::first64(lanes_left);
    read1 = '{valid: 1'b1, lane: lane, word: word};
    re_q <= 1'b1;
    data_raddr_q <= {a.tx.slot, word, lane[5:LaneW]};
    place_raddr_q <= {a.tx.slot, a.tx.word, lane[5:LaneW]};
    if (a.tx.split || 32'(word) + 32'd1 >= 32'(op.words)) begin
      lanes_left = lanes_left & (lanes_left - 64'd1);
      word = a.tx.split ? a.tx.word : 2'd0;
    end else begin
      word = word + 2'd1;
    end
    moved = 1'b1;
  endtask

  // Its bytes into the line, in the order of lanes: of lanes that overlap the highest wins.  A word lies on at most two words of the
  // line, an even one and an odd one; what is on no word of this line is left out.  Operands of an atomic stand in its first words.
  task automatic place_word();
    off = places[32'(read2.lane)%Lanes] - a.tx.va[6:0] + (a.tx.split ? 7'd0 : {3'd0, read2.word, 2'd0});
    if (op.atomic && !a.tx.merged) off = {3'd0, !op.wide && read2.word[0] ? 2'd2 : read2.word, 2'd0};
    value = data[32'(read2.lane)%Lanes];
    mask = op.bytes[0] ? 8'h1 : op.bytes[1] ? 8'h3 : 8'hf;
    mask = mask << off[1:0];
    window = {32'd0, value} << {off[1:0], 3'd0};
    swap = off[2];
    even_data = swap ? window[63:32] : window[31:0];
    odd_data = swap ? window[31:0] : window[63:32];
    even_mask = swap ? mask[7:4] : mask[3:0];
    odd_mask = swap ? mask[3:0] : mask[7:4];
    even_word = off[6:2] + 5'd1;
    odd_word = off[6:2];
    for (int unsigned w = 0; w < 8; w++) begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (32'(even_word[4:1]) == w && even_mask[b]) begin
          line[2*w][8*b+:8] = even_data[8*b+:8];
          bytes[8*w+b] = 1'b1;
        end
        if (32'(odd_word[4:1]) == w && odd_mask[b]) begin
          line[2*w+1][8*b+:8] = odd_data[8*b+:8];
          bytes[8*w+4+b] = 1'b1;
        end
      end
    end
    moved = 1'b1;
  endtask

  // The oldest access.
  task automatic begin_access();
    active = 1'b1;
    op = op_mem[a.tx.slot];
    lanes_left = a.op == L1Write || a.op == L1Atomic ? a.tx.lanes : '0;
    word = a.tx.split ? a.tx.word : 2'd0;
    for (int unsigned w = 0; w < 16; w++) line[w] = '0;
    bytes = '0;
    moved = 1'b1;
  endtask

  // It leaves when all its words are in the line.
  task automatic send();
    active = 1'b0;
    for (int unsigned w = 0; w < 16; w++) wide[w[3:0]] = line[w];
    if (a.tx.lds) begin
      line_busy = 1'b1;
      line_valid_o <= 1'b1;
      line_o[0] <= '{
          wave: op.wave,
          tag: op.tag,
          id: a.id,
          store: op.store,
          atomic: op.atomic,
          atomic_op: op.atomic_op,
          wide: op.wide,
          split: a.tx.split,
          word: a.tx.word,
          lanes: a.tx.lanes,
          addr: a.addr[16:0],
          mask: op.atomic ? '0 : bytes,
          data: wide
      };
    end else begin
      req_valid_o <= 1'b1;
      req_o[0] <= '{
          op: l1_op_e'(a.op),
          bypass: a.bypass,
          stream: op.slc,
          id: a.id,
          pair: 1'b0,
          id2: '0,
          atomic: op.atomic_op,
          wide: op.wide,
          access: op.atomic ? 3'd3 : op.store ? 3'd2 : 3'd1,
          vmid: op.vmid,
          user: {16'd0, op.tag, 2'd0, op.wave},
          addr: a.addr,
          mask: op.atomic && !a.tx.merged ? '0 : bytes,
          data: wide
      };
    end
    wait_read = wait_read + 2'd1;
    waiting = waiting - 3'd1;
    moved = 1'b1;
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (valid_i) begin
        fresh = prepare(issue_i);
        op_mem[next_slot_i] <= '{
            wave: fresh.wave,
            tag: fresh.tag,
            vmid: fresh.vmid,
            store: fresh.store,
            atomic: fresh.atomic,
            atomic_op: fresh.atomic_op,
            wide: fresh.wide,
            slc: issue_i.slc,
            words: fresh.words,
            bytes: fresh.bytes
        };
        from_lds[next_slot_i] = issue_i.lds && issue_i.store;
        if (fetch_slot == next_slot_i) fetched = 1'b0;
      end
      if (access_valid_i || waiting != '0 || line_taken_i || row_line_valid_i || awake) begin
        `GANTRY_CHECKS;
        moved = access_valid_i;
        req_valid_o <= 1'b0;
        line_valid_o <= 1'b0;
        fetch_valid_o <= 1'b0;
        re_q <= 1'b0;
        if (line_taken_i) line_busy = 1'b0;
        if (row_line_valid_i) row_wait = 1'b1;
        if (row_wait && !line_busy) send_row_line();
        ready = active && lanes_left == '0 && !read1.valid && !read2.valid;
        if (ready && (a.tx.lds ? !line_busy : req_ready_i)) send();
        if (read2.valid) place_word();
        read2 = read1;
        read1.valid = 1'b0;
        if (active && lanes_left != '0) begin
          read_word();
        end else if (!active && waiting != '0) begin
          a = wait_mem[wait_read];
          missing = 1'b0;
          if (from_lds != '0) fetch_rows();
          if (!missing) begin_access();
        end
        if (fill_valid_i) begin
          if (fill_done_i && fill_ready_o) begin
            fetched  = 1'b1;
            fetching = 1'b0;
          end
          moved = 1'b1;
        end
        if (access_valid_i) begin
          wait_mem[wait_write] <= access_i;
          wait_write = wait_write + 2'd1;
          waiting = waiting + 3'd1;
        end
        access_ready_o <= waiting <= 3'd2;
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {wait_read, wait_write, waiting, active, line_busy, row_wait, from_lds, fetched, fetching, awake} = '0;
        {read1, read2} = '0;
        req_valid_o <= 1'b0;
        fetch_valid_o <= 1'b0;
        line_valid_o <= 1'b0;
        re_q <= 1'b0;
        access_ready_o <= 1'b1;
        moved_o <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_bytes, `GANTRY_IMPL(req_valid_o && req_o[0].op == L1Write, req_o[0].mask != '0))
  task automatic check_state();
    `GANTRY_CHECK(a_room, waiting <= 3'd4 && `GANTRY_IMPL(access_valid_i, waiting != 3'd4))
    // an answer of the LDS, or dwords from there, come when they are waited for
    `GANTRY_CHECK(a_line, `GANTRY_IMPL(line_taken_i, line_busy))
    `GANTRY_CHECK(a_fill, `GANTRY_IMPL(fill_valid_i, fetching))
  endtask
endmodule
