// SPDX-License-Identifier: Apache-2.0
// Data of vector memory transactions on their way to the cache: store lines from the lanes' rows, 16 lanes a cycle,
// and operands of atomics.  Lines of the LDS leave on a port of their own, the next when the answer to the one before was
// taken.  The rows of a store from the LDS are asked for when it is the oldest, and come from cu_vmem_return.
// Responsible for: the rows of data, l1_req_t, lds_line_t, order.  Not responsible for: which lanes share
// a line, translation and rights (cu_vmem_coalesce).
`include "gantry_assert.svh"

module cu_vmem_request
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
  input  vmem_capture_t       data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic         [31:0] vrd_data_i[4][16],
  input  logic                place_valid_i,
  input  vmem_place_t         place_i,
  input  logic                access_valid_i,
  input  vmem_access_t        access_i,
  output logic                access_ready_o,    // room for this cycle's and the next access
  output logic                req_valid_o,
  output l1_req_t             req_o[1],
  input  logic                req_ready_i,
  output logic                line_valid_o,      // to the LDS; the record stays until the next
  output lds_line_t           line_o[1],
  input  logic                line_taken_i,
  input  logic                row_line_valid_i,  // a line that cu_vmem_return asks for; stays until its answer
  input  lds_line_t           row_line_i[1],
  output logic                fetch_valid_o,     // the rows of this store are wanted
  output vslot_t                fetch_slot_o,
  input  logic                fill_valid_i,      // one of them
  input  logic                fill_done_i,       // the last
  input  logic          [1:0] fill_beat_i,
  input  logic   [15:0][31:0] fill_i,
  output logic                moved_o
);
  typedef struct packed {
    logic split;
    logic unaligned;
    logic [15:0][31:0] lanes;
  } place_t;

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

  // instructions; rows of 16 lanes by word: {slot, beat}; addresses {slot, word, beat}
  what_t op_mem[NumSlots];
  logic [15:0][31:0] data0_mem[4*NumSlots], data1_mem[4*NumSlots], data2_mem[4*NumSlots], data3_mem[4*NumSlots];
  place_t place_mem[16*NumSlots];
  vmem_access_t wait_mem[4];
  logic [1:0] wait_read, wait_write;
  logic [2:0] waiting;
  logic [3:0] wait_lds;
  logic line_busy, row_wait;
  // rows of the oldest store, when they come from the LDS
  vslots_t from_lds;
  logic [15:0][31:0] fetch_mem[4];
  logic fetched, fetching;
  vslot_t fetch_slot;
  // line being put together
  logic building;
  logic [63:0] lanes_left, bytes;
  logic [31:0] line[17];
  // temporaries
  /* verilator lint_off UNUSEDSIGNAL */
  vmem_access_t a;
  vop_t fresh;
  /* verilator lint_on UNUSEDSIGNAL */
  what_t op;
  place_t where;
  l1_req_t req;
  logic [15:0][31:0] row, wide;
  logic [31:0] place[16], given[64], lanes16, off, index, value;
  logic [63:0] window, mask;
  logic [5:0] leader;
  logic [1:0] beat;
  logic ok, low, whole, gather, missing, moved, awake;

  /* verilator lint_off BLKSEQ */
  // Rows of a beat: read in one place, so that each memory has one read port.
  task automatic read_rows(input logic all);
    row = from_lds[a.tx.slot] ? fetch_mem[beat] : data0_mem[{a.tx.slot, beat}];
    for (int unsigned l = 0; l < 16; l++) given[l] = row[l[3:0]];
    if (all) begin
      row = data1_mem[{a.tx.slot, beat}];
      for (int unsigned l = 0; l < 16; l++) given[16+l] = row[l[3:0]];
      row = data2_mem[{a.tx.slot, beat}];
      for (int unsigned l = 0; l < 16; l++) given[32+l] = row[l[3:0]];
      row = data3_mem[{a.tx.slot, beat}];
      for (int unsigned l = 0; l < 16; l++) given[48+l] = row[l[3:0]];
    end
  endtask

  // Store data of the next 16 lanes, lane by lane: of lanes that overlap the highest wins.
  task automatic build_beat();
    lanes16 = 32'(lanes_left >> {beat, 4'd0}) & 32'hffff;
    lanes_left = lanes_left & ~(64'hffff << {beat, 4'd0});
    where = place_mem[{a.tx.slot, a.tx.word, beat}];
    for (int unsigned l = 0; l < 16; l++) place[l] = where.lanes[l[3:0]] - a.tx.va[31:0];
    if (!where.split && !where.unaligned && op.bytes >= 5'd4) build_words();
    else build_bytes();
  endtask

  task automatic build_words();
    for (int unsigned l = 0; l < 16; l++) begin
      for (int unsigned k = 0; k < 4; k++) begin
        off = place[l] + (k << 2);
        ok = lanes16[l] && off < 32'd64 && k < 32'(op.words);
        line[ok?{28'd0, off[5:2]} : 32'd16] = given[k*16+l];
        bytes = bytes | (ok ? 64'hf << off[5:0] : 64'd0);
      end
    end
  endtask

  // Up to four bytes of a word at any byte of the line, or the end of it that lies behind the line before.
  task automatic build_bytes();
    for (int unsigned l = 0; l < 16; l++) begin
      for (int unsigned k = 0; k < 4; k++) begin
        off = place[l] + (where.split ? 32'd0 : k << 2);
        low = off > 32'hfffffffc;
        ok = lanes16[l] && (off < 32'd64 || low) && (where.split ? k == 32'(a.tx.word) : k < 32'(op.words));
        mask = op.bytes[0] ? 64'hff : op.bytes[1] ? 64'hffff : 64'hffffffff;
        window = {32'd0, given[k*16+l]} & mask;
        mask = low ? mask >> {-off[1:0], 3'd0} : mask << {off[1:0], 3'd0};
        window = low ? window >> {-off[1:0], 3'd0} : window << {off[1:0], 3'd0};
        mask = ok ? mask : 64'd0;
        index = low || !ok ? 32'd0 : {28'd0, off[5:2]};
        line[index] = (line[index] & ~mask[31:0]) | (window[31:0] & mask[31:0]);
        line[index+32'd1] = (line[index+32'd1] & ~mask[63:32]) | (window[63:32] & mask[63:32]);
        bytes = bytes | ({56'd0, mask[56], mask[48], mask[40], mask[32], mask[24], mask[16], mask[8], mask[0]} << {
                         index[3:0], 2'd0});
      end
    end
  endtask

  // Operands of the one lane of an atomic.
  task automatic fetch_operands();
    req.data[31:0] = given[{28'd0, leader[3:0]}];
    value = given[32'd16+{28'd0, leader[3:0]}];
    req.data[63:32] = op.wide ? value : 32'd0;
    value = op.wide ? given[32'd32+{28'd0, leader[3:0]}] : value;
    req.data[95:64] = op.atomic_op == 4'd1 ? value : 32'd0;
    value = given[32'd48+{28'd0, leader[3:0]}];
    req.data[127:96] = op.atomic_op == 4'd1 && op.wide ? value : 32'd0;
  endtask

  // Whether the oldest access is of a store whose rows are still in the LDS; then they are asked for.
  task automatic fetch_rows();
    a = wait_mem[wait_read];
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

  // The oldest access: a store, or an atomic of several words, leaves when all its lanes are in the line.
  task automatic serve();
    a = wait_mem[wait_read];
    op = op_mem[a.tx.slot];
    whole = 1'b1;
    req = '{
        op: l1_op_e'(a.op),
        bypass: a.bypass,
        stream: op.slc,
        id: a.id,
        pair: l1_op_e'(a.op) == L1Read && a.tx.behind != '0,
        id2: a.id2,
        atomic: op.atomic_op,
        wide: op.wide,
        access: op.atomic ? 3'd3 : op.store ? 3'd2 : 3'd1,
        vmid: op.vmid,
        user: {16'd0, op.tag, 2'd0, op.wave},
        addr: a.addr,
        mask: '0,
        data: '0
    };
    gather = req.op == L1Write || (req.op == L1Atomic && a.tx.merged);
    if (gather && !building) lanes_left = a.tx.lanes;
    if (gather || req.op == L1Atomic) begin
      leader = pick_pkg::first64(gather ? lanes_left : a.tx.lanes);
      beat = leader[5:4];
      read_rows(req.op == L1Atomic || op.words > 3'd1);
    end
    if (gather) begin
      if (!building) begin
        for (int unsigned w = 0; w < 17; w++) line[w] = '0;
        bytes = '0;
      end
      build_beat();
      building = lanes_left != '0;
      whole = !building;
      for (int unsigned w = 0; w < 16; w++) wide[w[3:0]] = line[w];
      req.data = wide;
      req.mask = bytes;
    end else if (req.op == L1Atomic) begin
      fetch_operands();
    end
    if (whole) begin
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
            mask: req.mask,
            data: req.data
        };
      end else begin
        req_valid_o <= 1'b1;
        req_o[0] <= req;
      end
      wait_read = wait_read + 2'd1;
      waiting = waiting - 3'd1;
    end
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
      if (place_valid_i) begin
        place_mem[{place_i.slot, place_i.word, place_i.beat}] <= '{
            split: place_i.split,
            unaligned: place_i.unaligned,
            lanes: place_i.lanes
        };
      end
      if (data_i.valid) begin
        for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = vrd_data_i[data_i.simd][l];
        case (data_i.word)
          2'd0: data0_mem[{data_i.slot, data_i.beat}] <= row;
          2'd1: data1_mem[{data_i.slot, data_i.beat}] <= row;
          2'd2: data2_mem[{data_i.slot, data_i.beat}] <= row;
          default: data3_mem[{data_i.slot, data_i.beat}] <= row;
        endcase
      end
      if (access_valid_i || waiting != '0 || line_taken_i || row_line_valid_i || awake) begin
        `GANTRY_CHECKS;
        moved = access_valid_i;
        req_valid_o <= 1'b0;
        line_valid_o <= 1'b0;
        fetch_valid_o <= 1'b0;
        if (line_taken_i) line_busy = 1'b0;
        if (row_line_valid_i) row_wait = 1'b1;
        if (row_wait && !line_busy) send_row_line();
        missing = 1'b0;
        if (waiting != '0 && from_lds != '0) fetch_rows();
        if (waiting != '0 && !missing && (wait_lds[wait_read] ? !line_busy : req_ready_i)) serve();
        if (fill_valid_i) begin
          fetch_mem[fill_beat_i] <= fill_i;
          if (fill_done_i) begin
            fetched  = 1'b1;
            fetching = 1'b0;
          end
          moved = 1'b1;
        end
        if (access_valid_i) begin
          wait_lds[wait_write] = access_i.tx.lds;
          wait_mem[wait_write] <= access_i;
          wait_write = wait_write + 2'd1;
          waiting = waiting + 3'd1;
        end
        access_ready_o <= waiting <= 3'd2;
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {wait_read, wait_write, waiting, building, line_busy, row_wait, from_lds, fetched, fetching, awake} = '0;
        req_valid_o <= 1'b0;
        fetch_valid_o <= 1'b0;
        line_valid_o <= 1'b0;
        access_ready_o <= 1'b1;
        moved_o <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_bytes, `GANTRY_IMPL(req_valid_o && req_o[0].op == L1Write, req_o[0].mask != '0))
  // which form an atomic has, cu_vmem_coalesce says
  `GANTRY_ASSERT(a_form, `GANTRY_IMPL(req_valid_o && req_o[0].op == L1Atomic,
                                      (req_o[0].mask != '0) == (req_o[0].atomic != 4'd1)))
  task automatic check_state();
    `GANTRY_CHECK(a_room, waiting <= 3'd4 && `GANTRY_IMPL(access_valid_i, waiting != 3'd4))
    // an answer of the LDS, or dwords from there, come when they are waited for
    `GANTRY_CHECK(a_line, `GANTRY_IMPL(line_taken_i, line_busy))
    `GANTRY_CHECK(a_fill, `GANTRY_IMPL(fill_valid_i, fetching))
  endtask
endmodule
