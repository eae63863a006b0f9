// SPDX-License-Identifier: Apache-2.0
// L2 TLB of one GPU: answers MEM_XLAT requests with the leaf entry of the 4 KiB page, from a set-associative table or
// by walking the page table (host/vm/pagetable.h) with MEM_READ_NC requests.
// Responsible for: table, merging of equal misses, walks in flight, rights check, invalidation by VMID, root registers.
// Not responsible for: counters' sums (part_utcl2), first-level TLBs (tlb_l1), keeping L2 lines of page tables coherent.
// See docs/reference/tlb.md.
`include "gantry_assert.svh"

module utcl2
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Entries = 4096,   // power of two
  parameter int unsigned Ways = 8,         // power of two, at most Entries
  parameter int unsigned Walks = 16,       // walks in flight, 1..64
  parameter int unsigned NumSlices = 16,   // power of two
  parameter int unsigned Depth = 16,       // credits of every channel end
  parameter bit [2:0] SeedFault = 3'd0     // bench only
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic     [ 7:0] own_gpu_i,
  output logic            idle_o,
  input  logic            mem_req_valid_i,
  input  mem_req_t        mem_req_i,
  output logic            mem_req_credit_o,
  output logic            mem_rsp_valid_o,
  output mem_rsp_t        mem_rsp_o,
  input  logic            mem_rsp_credit_i,
  output logic            mem_req_valid_o,
  output mem_req_t        mem_req_o,
  input  logic            mem_req_credit_i,
  input  logic            mem_rsp_valid_i,
  input  mem_rsp_t        mem_rsp_i,
  input  logic            blk_cmd_valid_i,
  input  blk_cmd_t        blk_cmd_i,
  output logic            blk_evt_valid_o,
  output blk_evt_t        blk_evt_o,
  output logic     [ 4:0] count_o          // one pulse an event: {fault, walk, merged, miss, hit}
);
endmodule
