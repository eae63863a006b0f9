// SPDX-License-Identifier: Apache-2.0
// What the stages of an L2 slice have in common: its sizes (keys gpu.l2.*, gpu.dram.channels), line numbers and where a line
// lies, a request as it stands in its slot, counters.  Responsible for: types and pure functions.  Not responsible for: the
// slice (l2_slice), what a stage does (l2_choose_pkg, l2_tags_pkg, l2_look_pkg, l2_data_pkg), its queues and files
// (l2_slots_pkg, l2_mshr_pkg, l2_miss_pkg, l2_answer_pkg), maintenance (l2_flush_pkg).
package l2_pkg;
  import gantry_msg_pkg::*;

  localparam int unsigned Slices = gantry_cfg_pkg::L2Slices;        // of the GPU, power of two
  localparam int unsigned Ways = gantry_cfg_pkg::L2Ways;            // power of two, at most 16
  localparam int unsigned Sets = gantry_cfg_pkg::L2Kib * 16 / Ways; // power of two, at most 16,384
  localparam int unsigned Rows = Sets * Ways;
  localparam int unsigned Mshrs = gantry_cfg_pkg::L2Mshrs;          // at most 64
  localparam int unsigned Channels = gantry_cfg_pkg::DramChannels;  // behind a slice, power of two, at most 4
  localparam int unsigned Slots = 128;                              // requests in the slice

  localparam int unsigned SliceBits = $clog2(Slices);
  localparam int unsigned SetShift = $clog2(Sets);
  localparam int unsigned WayShift = $clog2(Ways);
  localparam int unsigned ChanShift = $clog2(Channels);
  localparam int unsigned SetBits = Sets > 1 ? SetShift : 1;
  localparam int unsigned WayBits = Ways > 1 ? WayShift : 1;
  localparam int unsigned RowBits = Rows > 1 ? $clog2(Rows) : 1;
  localparam int unsigned MshrBits = Mshrs > 1 ? $clog2(Mshrs) : 1;
  localparam int unsigned ChanBits = Channels > 1 ? ChanShift : 1;

  typedef logic [31:0] line_no_t;  // of a 64-byte line within its slice: the bits that name the slice are cut out
  typedef logic [$clog2(Slots)-1:0] slot_t;
  typedef logic [MshrBits-1:0] mshr_no_t;
  typedef logic [Mshrs-1:0] mshrs_t;        // a bit an MSHR
  typedef logic [SetBits-1:0] set_t;
  typedef logic [WayBits-1:0] way_t;
  typedef logic [Ways-1:0] ways_t;          // a bit a way
  typedef logic [RowBits-1:0] row_t;        // set and way
  typedef logic [ChanBits-1:0] chan_t;
  typedef logic [Channels-1:0] chans_t;     // a bit a channel

  // A request in its slot: what it wants, and in own words (a struct of more than 64 bits is slow in simulation) whose it is.
  typedef struct packed {
    logic        through; // a store or an atomic goes to DRAM at once
    logic        whole;   // store of all 64 bytes
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

  // Counters as perf_addr_i numbers them.  11 to 13 are the channels' (part_l2), 14 the lines that are dirty now.
  localparam int unsigned Counters = 18;
  typedef enum logic [4:0] {
    CountRead     = 5'd0,   // hit, miss, joined a miss: three counters a kind
    CountWrite    = 5'd3,
    CountAtomic   = 5'd6,
    CountFetched  = 5'd9,   // lines asked of DRAM
    CountWritten  = 5'd10,  // writes to DRAM
    CountDirty    = 5'd14,
    CountVictims  = 5'd15,  // of the writes: dirty lines that made room
    CountFlushed  = 5'd16,  // and those that a flush wrote back
    CountCommands = 5'd17
  } count_e;

  typedef logic [63:0] counters_t[Counters];

  function automatic void tally(ref counters_t counter, input logic [4:0] number);
    counter[number] = counter[number] + 64'd1;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // of an address or a line a function looks at some bits only
  function automatic line_no_t line_of(input logic [54:0] addr);
    return {2'd0, addr[37:8]} >> SliceBits << 2 | {30'd0, addr[7:6]};
  endfunction

  // Neighbouring lines lie in neighbouring sets; distances that are powers of two do not meet in one set.
  function automatic set_t set_of(input line_no_t line);
    return set_t'(line ^ (line >> SetShift)) & set_t'(Sets - 1);
  endfunction

  function automatic row_t row_of(input set_t set, input way_t way);
    return row_t'(row_t'(set) << WayShift) | row_t'(way);
  endfunction

  function automatic set_t row_set(input row_t row);
    return set_t'(row >> WayShift);
  endfunction

  function automatic way_t row_way(input row_t row);
    return way_t'(row & row_t'(Ways - 1));
  endfunction

  // DRAM channel of a line: lines alternate; and its number there.
  function automatic chan_t channel_of(input line_no_t line);
    return chan_t'(line & 32'(Channels - 1));
  endfunction

  function automatic logic [31:0] channel_line(input line_no_t line);
    return line >> ChanShift;
  endfunction

  // Byte offset of a line in the GPU's memory.
  function automatic logic [63:0] addr_of(input line_no_t line, input logic [7:0] slice);
    return {22'd0, ({4'd0, line[31:2]} << SliceBits) | {26'd0, slice}, line[1:0], 6'd0};
  endfunction

  function automatic way_t first_way(input ways_t ways);
    return way_t'(pick_pkg::first64(64'(ways)));
  endfunction

  function automatic logic stores(input access_t a);
    return a.op == MEM_WRITE[1:0] || a.op == MEM_ATOMIC[1:0];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
