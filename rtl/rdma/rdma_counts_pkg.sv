// SPDX-License-Identifier: Apache-2.0
// Types of the counters of far accesses (rdma_counts, rdma_counts_report).
package rdma_counts_pkg;
  localparam int unsigned CountBits = 12;  // of reads, of writes; all ones: so many or more
  localparam int unsigned FrameBits = 44;  // address bits 55:12: owner, number of the page of 4 KiB in its memory

  // A request that leaves for the memory of another GPU.
  typedef struct packed {
    logic [FrameBits-1:0] frame;
    logic                 write;  // or atomic
  } far_access_t;

  // A counter that leaves the table, or (closes) the mark behind all those that a command reports.
  typedef struct packed {
    logic                 closes;
    logic [FrameBits-1:0] frame;
    logic [CountBits-1:0] reads;
    logic [CountBits-1:0] writes;
  } count_entry_t;

  // What a command has done; stands from its mark on until the next command.
  typedef struct packed {
    logic [15:0] id;
    logic [15:0] entries;  // reported
    logic [15:0] below;    // cleared without a report
    logic [15:0] lost;     // accesses of entries that were dropped, all ones: or more
  } counted_t;

  function automatic logic [15:0] plus_saturating(input logic [15:0] a, input logic [15:0] b);
    logic [16:0] sum;
    sum = 17'(a) + 17'(b);
    return sum[16] ? '1 : sum[15:0];
  endfunction
endpackage
