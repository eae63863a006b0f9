// SPDX-License-Identifier: Apache-2.0
// What the stages of an L2 slice have in common: line numbers and where a line lies, a request as it stands in its slot,
// sets of ways.  Responsible for: types and pure functions.  Not responsible for: the slice (l2_slice), what a stage does
// (l2_choose_pkg, l2_tags_pkg, l2_mshr_pkg, l2_data_pkg, l2_miss_pkg, l2_answer_pkg, l2_flush_pkg).
package l2_pkg;
  typedef logic [31:0] line_no_t;  // of a 64-byte line within its slice: the bits that name the slice are cut out
  typedef logic [8:0] slot_t;      // of at most 512
  typedef logic [7:0] mshr_no_t;   // of at most 256
  typedef logic [13:0] set_t;      // at most 16,384 sets (1 MiB of one way)
  typedef logic [3:0] way_t;
  typedef logic [15:0] ways_t;     // a bit a way
  typedef logic [13:0] row_t;      // set and way

  // Sizes as shifts.
  typedef struct packed {
    logic [4:0] slice_bits;  // of the GPU's slices
    logic [4:0] set_bits;
    logic [4:0] way_bits;
    logic [4:0] chan_bits;   // of the DRAM channels behind this slice
    logic [4:0] chan_bit;    // of a line's number at which its channel stands
  } shape_t;

  // A request in its slot: what it wants, and in own words (a struct of more than 64 bits is slow in simulation) whose it is.
  typedef struct packed {
    logic        through; // a store or an atomic goes to DRAM at once
    logic        whole;   // store of all 64 bytes, which takes a way
    logic        other;   // of another GPU
    logic [1:0]  op;      // MEM_READ, MEM_READ_NC, MEM_WRITE, MEM_ATOMIC
    logic [3:0]  atomic;  // enum atomic_op
    logic        wide;    // an atomic operand has 8 bytes, not 4
    logic [54:0] addr;    // physical: owner (7 bits) and byte
  } access_t;

  typedef struct packed {
    logic [31:0] user;
    logic [31:0] tag;
  } ids_t;

  typedef struct packed {
    logic [7:0] gpu;
    logic [7:0] source;
  } from_t;

  // How many a slice has at the moment.
  typedef struct packed {
    logic [9:0] arrived;  // requests in the input queue
    logic [9:0] slots;    // taken and not answered: in the pipeline, waiting for a fill, aside for room
    logic [9:0] mshrs;    // lines that are fetched
  } levels_t;

  // Every store and atomic in the order in which it takes effect.  In C (low bytes first): u8 op, atomic, size, gpu;
  // u32 user; u8 source, line, pad[6]; u64 addr, mask, data[8], old[8].  Atomics of one word: data[0] operand, [1] compare,
  // [2] old value; of several (line = 1): data operands, old the old values, in their places.
  typedef struct packed {
    logic [7:0][63:0] old;
    logic [7:0][63:0] data;
    logic [63:0] mask;
    logic [63:0] addr;
    logic [47:0] pad0;
    logic [7:0] line;
    logic [7:0] source;
    logic [31:0] user;
    logic [7:0] gpu;
    logic [7:0] size;
    logic [7:0] atomic;
    logic [7:0] op;
  } obs_order_t;  // 160 bytes

  /* verilator lint_off UNUSEDSIGNAL */  // of an address or a shape a function looks at some bits only
  function automatic line_no_t line_of(input logic [54:0] addr, input shape_t shape);
    return 32'(addr[37:8]) >> shape.slice_bits << 2 | 32'(addr[7:6]);
  endfunction

  // Neighbouring lines lie in neighbouring sets; distances that are powers of two do not meet in one set.
  function automatic set_t set_of(input line_no_t line, input shape_t shape);
    return set_t'(line ^ (line >> shape.set_bits)) & set_t'((32'd1 << shape.set_bits) - 32'd1);
  endfunction

  function automatic row_t row_of(input set_t set, input way_t way, input shape_t shape);
    return set << shape.way_bits | row_t'(way);
  endfunction

  function automatic ways_t all_ways(input shape_t shape);
    return ways_t'((32'd1 << (32'd1 << shape.way_bits)) - 32'd1);
  endfunction

  // DRAM channel of a line, and its number there.
  function automatic logic [1:0] channel_of(input line_no_t line, input shape_t shape);
    return 2'(line >> shape.chan_bit) & 2'((32'd1 << shape.chan_bits) - 32'd1);
  endfunction

  function automatic logic [31:0] channel_line(input line_no_t line, input shape_t shape);
    return line >> (shape.chan_bit + shape.chan_bits) << shape.chan_bit | (line & ((32'd1 << shape.chan_bit) - 32'd1));
  endfunction

  // Byte offset of a line in the GPU's memory.
  function automatic logic [63:0] addr_of(input line_no_t line, input logic [7:0] slice, input shape_t shape);
    return 64'({(34'(line[31:2]) << shape.slice_bits) | 34'(slice), line[1:0], 6'd0});
  endfunction

  function automatic way_t first_way(input ways_t ways);
    return way_t'(pick_pkg::first64(64'(ways)));
  endfunction

  function automatic logic [4:0] count_ways(input ways_t ways);
    return 5'(pick_pkg::count64(64'(ways)));
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
