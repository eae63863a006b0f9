// SPDX-License-Identifier: Apache-2.0
// Addresses and bytes of vector memory instructions: what the pipeline keeps of an instruction, the address of one
// lane (flat, scratch, buffer), records between the blocks.  Responsible for: pure functions.  Not responsible for: order,
// lanes that share a line (cu_vmem_coalesce), the cache (l1v).  Rules: docs/reference/vmem.md, the same as host/isa/mem.c.
package cu_vmem_pkg;
  import cu_pkg::*;

  // Instructions under way, a power of two.
  localparam int unsigned NumSlots = gantry_cfg_pkg::VmemSlots;
  typedef logic [$clog2(NumSlots)-1:0] vslot_t;
  typedef logic [NumSlots-1:0] vslots_t;  // a bit a slot

  // Addresses of a compare-and-swap take so many times as long as those of other atomics: 32 and 16 cycles (CLRX GcnTimings).
  localparam logic [5:0] CmpSwapTimes = 6'd2;

  // A row on its way to the VGPRs; without lanes it only ends its instruction.
  typedef struct packed {
    logic final_row;
    vslot_t slot;
    vwr_req_t vwr;
  } vmem_row_t;

  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic inv;
    logic mubuf;
    logic store;
    logic atomic;
    logic [3:0] atomic_op;
    logic wide;  // atomic of 8 bytes
    logic [2:0] words;  // registers of data read
    logic [2:0] results;  // registers written
    logic [4:0] bytes;  // of a lane's access
    logic sext;
    logic glc;
    vgpr_t addr;
    vgpr_t data;
    vgpr_t dst;
    logic [63:0] exec;
    logic [7:0] vmid;
    logic apertures;
    logic [31:0] shared_hi;
    logic [31:0] private_hi;
    logic [16:0] lds_base;
    logic [16:0] lds_bytes;
    logic [63:0] flat_scratch;
    logic idxen;
    logic offen;
    logic [11:0] offset;
    logic [31:0] soffset;
    logic [127:0] rsrc;
    logic swizzle;  // words of a lane are apart: one access a word
  } vop_t;

  typedef struct packed {  // a row of a VGPR that is on the read port in this cycle
    logic valid;
    logic none;  // an instruction without rows: only its place in the order
    logic [1:0] kind;  // 0 low, 1 high or index, 2 data
    vslot_t slot;
    logic [1:0] simd;
    logic [1:0] word;
    logic [1:0] beat;
    logic final_row;
  } vmem_capture_t;

  typedef struct packed {  // addresses of 16 lanes, low halves
    vslot_t slot;
    logic [1:0] word;  // 0 unless words of a lane are apart
    logic [1:0] beat;
    logic split;  // words of a lane are apart
    logic unaligned;  // some lane is not at a multiple of its size
    logic [15:0][31:0] lanes;
  } vmem_place_t;

  typedef struct packed {  // lanes of a row that is on the read port, as many as a SIMD has (cu_vmem_parts)
    logic valid;
    logic none;  // an instruction without rows
    logic final_part;  // of the instruction
    logic [1:0] kind;  // as in vmem_capture_t
    vslot_t slot;
    logic [1:0] word;
    beat_t group;
    logic [Lanes-1:0][31:0] lanes;
  } vmem_part_t;

  typedef struct packed {  // where as many lanes are: what narrow compute units keep of vmem_place_t
    logic valid;
    logic split;
    vslot_t slot;
    logic [1:0] word;
    beat_t group;
    logic [Lanes-1:0] ok;  // lanes that access memory
    logic [Lanes-1:0][6:0] lanes;  // byte modulo two lines: on the line of the transaction, or on the one before
  } vmem_spot_t;

  typedef struct packed {  // lanes that share a line
    logic valid;
    logic inv;
    logic lds;  // of the LDS: va is a byte in it
    logic split;  // words of a lane are apart
    logic merged;  // atomic of several words: operands and old values in their places
    vslot_t slot;
    logic [7:0] vmid;
    logic [1:0] word;  // of a swizzled access
    logic [39:0] va;  // of the line
    logic [39:0] first;  // address of the lowest lane, for a fault report
    logic [63:0] lanes;
    logic [15:0] behind;  // lanes of its beat on the next line, which is looked up beside this one: a pair; else none
  } vmem_tx_t;

  typedef struct packed {  // a transaction with its physical address, on the way to the cache
    logic [2:0] op;  // l1v_pkg::l1_op_e
    logic [7:0] id;
    logic [7:0] id2;  // of a pair: the number of the next line's transaction
    logic bypass;
    logic [63:0] addr;  // of a pair: of its first word
    vmem_tx_t tx;
  } vmem_access_t;

  typedef struct packed {
    logic valid;
    vslot_t slot;
    logic [7:0] status;
    logic [63:0] va;
  } vmem_event_t;

  typedef struct packed {  // a transaction's data are in their rows; one word, since it is copied every cycle
    logic valid;
    vslot_t slot;
    logic [7:0] status;
    logic [7:0] tx;
    logic pair;  // and tx2
    logic [7:0] tx2;
  } vmem_end_t;

  /* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
  function automatic vop_t prepare(input vmem_issue_t issue);
    vop_t op;
    op.wave = issue.wave;
    op.tag = issue.tag;
    op.inv = issue.kind == VmemInv;
    op.mubuf = issue.kind == VmemMubuf;
    op.store = issue.store && issue.kind != VmemInv;
    op.atomic = issue.atomic && issue.kind != VmemInv;
    op.atomic_op = issue.atomic_op;
    op.wide = issue.dwords[1];  // an atomic of two registers; compare-and-swap reads twice as many
    op.words = op.atomic && issue.atomic_op == 4'd1 ? issue.dwords << 1 : op.store || op.atomic ? issue.dwords : 3'd0;
    op.bytes = issue.atomic ? (op.wide ? 5'd8 : 5'd4) : issue.size == 3'd2 ? {issue.dwords, 2'd0} : 5'd1 << issue.size;
    op.results = op.inv || op.store ? 3'd0 : op.atomic ? (issue.glc ? 3'(op.bytes >> 2) : 3'd0) : issue.dwords;
    op.sext = issue.sext;
    op.glc = issue.glc;
    op.addr = issue.addr;
    op.data = issue.data;
    op.dst = issue.dst;
    op.exec = issue.exec;
    op.vmid = issue.vmid;
    op.apertures = issue.lds_ok;
    op.shared_hi = issue.shared_hi;
    op.private_hi = issue.private_hi;
    op.lds_base = issue.lds_base;
    op.lds_bytes = issue.lds_bytes;
    op.flat_scratch = issue.flat_scratch;
    op.idxen = issue.idxen;
    op.offen = issue.offen;
    op.offset = issue.offset;
    op.soffset = issue.soffset;
    op.rsrc = issue.rsrc;
    // words of an element lie apart, but not what an atomic changes
    op.swizzle = op.mubuf && issue.rsrc[63] && op.bytes > 5'd4 && !op.atomic;
    return op;
  endfunction

  // May the lanes of an atomic share requests?  Operands and old values then stand in their places of the line; a
  // compare-and-swap has two operands, and the LDS takes one lane at a time.
  function automatic logic merges(input vop_t op, input logic in_lds);
    return op.atomic && op.atomic_op != 4'd1 && !in_lds;
  endfunction

  // A lane joins such a request unless another has its word (dword of the line) in it.
  function automatic logic joins_word(input logic [15:0] used, input logic [3:0] word);
    return !used[word];
  endfunction

  // Parts of the address of access `word` (0 unless swizzled) of a lane in a buffer: offset, index, their product with
  // the stride, and the address.  `ok` low: out of range, reads 0.
  function automatic logic [31:0] buffer_offset(input vop_t op, input logic [31:0] word, input logic [31:0] voffset);
    return (op.offen ? voffset : 32'd0) + 32'(op.offset) + (word << 2);
  endfunction

  function automatic logic [31:0] buffer_index(input vop_t op, input logic [31:0] lane, input logic [31:0] vindex);
    return (op.idxen ? vindex : 32'd0) + (op.rsrc[119] ? lane : 32'd0);
  endfunction

  function automatic logic [63:0] buffer_product(input vop_t op, input logic [31:0] index);
    logic [31:0] major;
    logic [2:0] log_stride;
    log_stride = 3'd3 + {1'b0, op.rsrc[118:117]};
    major = index >> log_stride;
    return 64'(op.rsrc[63] ? major : index) * 64'(op.rsrc[61:48]);  // one multiplier for both
  endfunction

  function automatic void buffer_place(input vop_t op, input logic [31:0] index, input logic [31:0] offset,
                                       input logic [63:0] product, output logic [63:0] va, output logic ok);
    logic [63:0] linear, base, major, reach;
    logic [31:0] stride, records, in_minor;
    logic [2:0] log_element, log_stride;
    base = {16'd0, op.rsrc[47:0]} + 64'(op.soffset);
    stride = {18'd0, op.rsrc[61:48]};
    records = op.rsrc[95:64];
    log_element = 3'd1 + {1'b0, op.rsrc[116:115]};
    log_stride = 3'd3 + {1'b0, op.rsrc[118:117]};
    linear = product + 64'(offset);
    in_minor = index & ((32'd1 << log_stride) - 32'd1);
    major = product + {32'd0, (offset >> log_element) << log_element};
    reach = op.rsrc[63] ? 64'(offset) : linear;
    reach = reach + 64'(op.swizzle ? 5'd4 : op.bytes) + 64'(op.soffset);
    ok = stride != '0 && op.rsrc[63] ? index < records : reach <= 64'(records);
    va = base + linear;
    if (op.rsrc[63]) begin
      va = base + (major << log_stride) + {32'd0, in_minor << log_element} +
           {32'd0, offset & ((32'd1 << log_element) - 32'd1)};
    end
  endfunction

  function automatic void buffer_address(input vop_t op, input logic [31:0] lane, input logic [31:0] word,
                                         input logic [31:0] voffset, input logic [31:0] vindex,
                                         output logic [63:0] va, output logic ok);
    logic [31:0] index;
    index = buffer_index(op, lane, vindex);
    buffer_place(op, index, buffer_offset(op, word, voffset), buffer_product(op, index), va, ok);
  endfunction

  // Byte of the LDS that an address in its aperture names: bits below the size of the access are ignored (12 bytes: 16).
  // `ok` low: not inside the allocation of the work-group, reads 0.
  function automatic void lds_address(input vop_t op, input logic [31:0] low, output logic [63:0] va, output logic ok);
    logic [31:0] place;
    place = low & ~(op.bytes == 5'd12 ? 32'd15 : 32'(op.bytes) - 32'd1);
    ok = 32'(op.bytes) <= 32'(op.lds_bytes) && place <= 32'(op.lds_bytes) - 32'(op.bytes);
    va = 64'(place) + 64'(op.lds_base);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Address of word `word` of a lane in scratch through the flat aperture: words of a lane are 256 bytes apart.
  function automatic logic [63:0] scratch_address(input logic [31:0] base, input logic [31:0] lane,
                                                  input logic [31:0] word, input logic [31:0] low);
    logic [31:0] offset;
    offset = low + (word << 2);
    return {24'd0, base, 8'd0} + {26'd0, offset[31:2], 8'd0} + 64'(lane << 2) + 64'(offset[1:0]);
  endfunction
endpackage
