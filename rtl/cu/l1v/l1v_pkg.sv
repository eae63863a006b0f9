// SPDX-License-Identifier: Apache-2.0
// Types between the vector memory pipeline (cu_vmem_pipe) and the vector L1 cache (l1v).
// Responsible for: the records.  Not responsible for: messages of the partition (gantry_msg_pkg).
package l1v_pkg;
  typedef enum logic [2:0] {
    L1Read,
    L1Write,
    L1Atomic,
    L1Xlat,
    L1Inv
  } l1_op_e;

  typedef struct packed {
    l1_op_e op;
    logic bypass;  // reads: glc or an uncached page: not from the cache, not kept
    logic stream;  // reads: slc, the L2 keeps no line for them
    logic [7:0] id;  // reads and atomics: transaction; writes and invalidations: instruction slot; translations: theirs
    logic pair;  // a read of this line and of the next one, from the word of `addr` on
    logic [7:0] id2;  // of a pair: transaction of the next line
    logic [3:0] atomic;
    logic wide;  // atomic of 8 bytes
    logic [2:0] access;  // of a translation
    logic [7:0] vmid;
    logic [31:0] user;
    logic [63:0] addr;  // physical; translations: virtual; of a pair: of its first word
    logic [63:0] mask;
    logic [511:0] data;
  } l1_req_t;

  typedef struct packed {
    logic [7:0] id;  // transaction
    logic pair;  // both lines were there: words from the first on; those before are of the next line
    logic [7:0] status;
    logic [511:0] data;
  } l1_rsp_t;

  typedef struct packed {  // an answer on its way out of l1v
    logic valid;
    logic hit;  // its data come from the cache
    logic bank;  // of the data
    logic pair;  // from the word `first` on; those before are of the other bank
    logic [3:0] first;
    logic [7:0] id;
    logic [7:0] status;
  } l1_out_t;

  // mem_req.tag of this CU: kind in the upper byte, number below
  localparam logic [7:0] TagRead = 8'd1;
  localparam logic [7:0] TagWrite = 8'd2;
  localparam logic [7:0] TagAtomic = 8'd3;
  localparam logic [7:0] TagXlat = 8'd4;
endpackage
