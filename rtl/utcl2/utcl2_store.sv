// SPDX-License-Identifier: Apache-2.0
// One of the stores of the L2 TLB: rows of tags and entries in two memories, read and written together.  Responsible for:
// the memories.  Not responsible for: which ways are valid, what is looked up and filled (utcl2_tlb).
`include "gantry_assert.svh"

module utcl2_store
  import utcl2_tags_pkg::*;
#(
  parameter int unsigned Sets = 512,
  parameter int unsigned Ways = 8
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       read_i,
  input  logic [15:0]                read_set_i,   // below Sets
  output tag_t [Ways-1:0]            tags_o,       // after the next edge
  output logic [Ways-1:0][63:0]      entries_o,
  input  logic                       write_i,      // not the set that is read
  input  logic [15:0]                write_set_i,
  input  logic [3:0]                 write_way_i,
  input  tag_t                       write_tag_i,
  input  logic [63:0]                write_entry_i
);
  localparam int unsigned Aw = Sets > 1 ? $clog2(Sets) : 1;
  logic [Ways-1:0] we;
  assign we = write_i ? Ways'(16'd1 << write_way_i) : '0;

  ram_1r1w #(.Width(Ways * $bits(tag_t)), .Depth(Sets), .Lanes(Ways)) u_tags (
    .clk_i, .we_i(we), .waddr_i(write_set_i[Aw-1:0]), .wdata_i({Ways{write_tag_i}}),
    .re_i(read_i), .raddr_i(read_set_i[Aw-1:0]), .rdata_o(tags_o)
  );
  ram_1r1w #(.Width(Ways * 64), .Depth(Sets), .Lanes(Ways)) u_entries (
    .clk_i, .we_i(we), .waddr_i(write_set_i[Aw-1:0]), .wdata_i({Ways{write_entry_i}}),
    .re_i(read_i), .raddr_i(read_set_i[Aw-1:0]), .rdata_o(entries_o)
  );

  // ---- assertions
  `STREAM_ASSERT(a_read, read_i, 32'(read_set_i) < Sets && !(write_i && write_set_i == read_set_i))
  `STREAM_ASSERT(a_write, write_i, 32'(write_set_i) < Sets && 32'(write_way_i) < Ways)
endmodule
