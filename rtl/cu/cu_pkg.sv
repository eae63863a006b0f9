// SPDX-License-Identifier: Apache-2.0
// Types between the blocks of a compute unit: front end (cu_front*), SIMDs (cu_simd), LDS (lds_unit)
// and vector memory (cu_vmem). Widths are fixed for the largest CU (4 SIMDs, 16 slots, 256 VGPRs);
// smaller configurations leave upper values unused. See docs/contracts.md and docs/reference/cu.md.
//
// Turns: SIMD s issues in cycles with (turn counter % 4) == s, so every SIMD every 4 cycles.
// An issue record is valid for one cycle.
// Rows on ports have 16 lanes, {vgpr[7:0], row of the wavefront[1:0]}: lane l of row b is lane 16*b + l.  A SIMD with
// fewer lanes passes them in parts of its width, `Parts` of them in as many cycles; inside it a row is
// {vgpr[7:0], beat}, and lane l of beat b is lane Lanes*b + l.
package cu_pkg;
  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned Lanes = gantry_cfg_pkg::NumLanes;  // of a SIMD: 16, 8 or 4
  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned Beats = 64 / Lanes;  // of a wavefront
  localparam int unsigned BeatW = $clog2(Beats);
  localparam int unsigned Parts = 16 / Lanes;  // beats of a row of 16 lanes
  localparam int unsigned RowW = 8 + BeatW;
  localparam int unsigned MemRowW = $clog2(gantry_cfg_pkg::VgprsPerSimd) + BeatW;  // as far as there are registers
  localparam int unsigned TurnsW = Parts > 2 ? 6 : 5;  // turns of an instruction: up to 31 or 32
  // A lone narrow SIMD: its steps do not follow each other within a cycle, for a few more cycles.
  localparam bit Narrow = gantry_cfg_pkg::NumSimd == 1 && Parts > 1;
  localparam bit OperandStage = Parts > 1 && gantry_cfg_pkg::OperandStages != 0;  // one more stage of a SIMD
  localparam int unsigned CountW = BeatW + 2;  // slots of an instruction (cu_simd): up to four a beat
  // Wavefronts that get their item ids at a time.
  localparam int unsigned Fills = Lanes == 16 && gantry_cfg_pkg::NumSimd > 1 ? 2 : 1;
  localparam bit MaskForward = Lanes == 16;  // masks go from instruction to instruction inside a SIMD (mask_from_t)

  // Tests only: the seeded fault of docs/reference/cu.md; 0 is none.  With GANTRY_FAULTS one model holds them all and
  // the wrapper chooses.
`ifdef GANTRY_FAULTS
  int unsigned FaultSeed /* verilator public_flat_rw */ = 0;
`elsif GANTRY_CU_FAULT
  localparam int unsigned FaultSeed = `GANTRY_CU_FAULT;
`else
  localparam int unsigned FaultSeed = 0;
`endif

`ifdef GANTRY_NO_OBSERVE
  localparam bit Observe = 1'b0;
`else
  localparam bit Observe = 1'b1;
`endif
  /* verilator lint_on UNUSEDPARAM */

  typedef logic [7:0] tag_t;  // instruction number of a wavefront, modulo 256
  typedef logic [3:0] slot_t;  // wavefront slot in its SIMD
  typedef logic [7:0] vgpr_t;  // physical VGPR of a SIMD (base already added)
  typedef logic [9:0] row_t;  // {vgpr_t, row of 16 lanes}
  typedef logic [RowW-1:0] simd_row_t;  // {vgpr_t, beat}
  typedef logic [BeatW-1:0] beat_t;
  typedef logic [TurnsW-1:0] turns_t;
  typedef logic [Lanes-1:0] enable_t;  // a bit a lane
  typedef struct packed {
    logic [1:0] simd;
    slot_t slot;
  } wave_t;

  // Whose result is the lane mask that a vector instruction reads.  A mask is whole when its last beat has been through
  // stage 1, which is before the next instruction's first beat, and 4 cycles or more before VCC is written.
  typedef enum logic [1:0] {
    MaskRegister,  // VCC or SGPRs, in the record
    MaskLast,  // of the instruction of this SIMD before
    MaskSecond  // of the one before that
  } mask_from_t;

  // ---- front -> SIMD: a vector ALU instruction. The front end resolves scalar operands.
  // Long fields are lowest and none crosses a word of 32 bits without need: a simulator takes them without shifts.
  typedef struct packed {
    mask_from_t mask_from;
    logic dx10_clamp;
    logic dst_valid;
    logic [2:0] src_vgpr;  // source i comes from VGPRs (else from sval)
    logic [9:0] op;  // canonical VALU opcode (gcn3_pkg)
    slot_t slot;
    tag_t tag;
    logic [7:0] mode;  // MODE[7:0]
    logic ieee;
    logic [2:0] neg;
    logic [2:0] abs;
    logic [1:0] omod;
    logic clamp;
    logic sdwa;  // ext is the SDWA dword; sources are already resolved from its register bits
    logic dpp;  // ext is the DPP dword
    vgpr_t dst;  // physical VGPR of the destination (first of a pair)
    vgpr_t [2:0] src_row;  // physical VGPR of source i (first of a pair)
    logic [31:0] ext;
    logic [2:0][63:0] sval;  // scalar value of source i (32-bit values in the low half, 64-bit
                             // constants and SGPR pairs whole; f64 inline constants expanded)
    logic [63:0] mask;  // carry-in / select / div_fmas mask (VCC or SGPR pair), of MaskRegister
    logic [63:0] exec;
  } valu_issue_t;
  // v_mac and SDWA with dst_unused = preserve get the old destination as source 2.
  // Issue cost in turns follows the rate class of the decoder (gcn3_pkg dec_t.rate): the front end
  // does not send the next record to this SIMD before.

  // ---- SIMD -> front: end of a VALU instruction (all beats written)
  typedef struct packed {
    slot_t slot;
    tag_t tag;
    logic has_result;  // result goes to the scalar destination that the front end remembers
    logic [63:0] result;  // compare or carry mask; readlane and readfirstlane in the low half
  } valu_done_t;

  // ---- memory units read operands: one row a cycle, answer in the next cycle
  typedef struct packed {
    logic [1:0] simd;
    row_t row;
  } vrd_req_t;

  // ---- memory units write results: held until ready of that SIMD
  typedef struct packed {
    logic [1:0] simd;
    slot_t slot;
    tag_t tag;
    row_t row;
    logic [15:0] lanes;  // write enables
    logic [15:0][31:0] data;
  } vwr_req_t;

  // ---- front -> LDS unit
  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic [7:0] op;  // DS opcode
    vgpr_t addr;
    vgpr_t data0;
    vgpr_t data1;
    vgpr_t dst;
    logic [7:0] offset0;
    logic [7:0] offset1;
    logic [31:0] m0;
    logic [63:0] exec;
    logic [16:0] base;  // byte offset of the work-group's allocation
    logic [16:0] bytes;  // its size; accesses beyond read 0 and are not written
  } lds_issue_t;

  // ---- front -> vector memory unit
  typedef enum logic [1:0] {
    VmemFlat,
    VmemMubuf,
    VmemInv  // buffer_wbinvl1, buffer_wbinvl1_vol: invalidate the L1V
  } vmem_kind_e;
  typedef struct packed {
    logic [47:0] pc;  // of the instruction, for its fault
    logic lds;  // between memory and the LDS: no data in VGPRs; exec only lanes whose dword is in the allocation
    logic [14:0] lds_word;  // dword of lane 0 in the allocation
    wave_t wave;
    tag_t tag;
    vmem_kind_e kind;
    logic store;
    logic atomic;
    logic [3:0] atomic_op;  // enum atomic_op
    logic [2:0] size;  // log2 bytes of an element: 0 byte, 1 short, 2 dword
    logic [2:0] dwords;  // 1 to 4 registers of data
    logic sext;
    logic glc;  // atomics: return the old value; loads: miss the L1V
    logic slc;  // loads: leave no line in the L2
    vgpr_t addr;  // flat: pair; mubuf: index and/or offset
    vgpr_t data;  // store data, atomic operands (cmpswap: data then compare)
    vgpr_t dst;
    logic [63:0] exec;
    logic [7:0] vmid;
    logic lds_ok;  // aperture checks possible: high words below are valid
    logic [31:0] shared_hi;  // flat aperture of the LDS
    logic [31:0] private_hi;  // flat aperture of scratch
    logic [16:0] lds_base;  // of the work-group's allocation, as in lds_issue_t
    logic [16:0] lds_bytes;
    // mubuf
    logic idxen;
    logic offen;
    logic [11:0] offset;
    logic [31:0] soffset;
    logic [127:0] rsrc;
    logic [63:0] flat_scratch;  // {base / 256, size}: registers of the wavefront, the upper with the window's base
  } vmem_issue_t;

  // ---- vector memory unit -> LDS: lanes of a FLAT instruction in the LDS aperture, or of a buffer instruction between
  // memory and the LDS, that share a 64-byte line
  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic [7:0] id;  // comes back with the answer
    logic store;
    logic atomic;  // of one lane
    logic [3:0] atomic_op;  // enum atomic_op
    logic wide;  // atomic of 8 bytes
    logic split;  // of elements of several words only `word`; for the observation, like `lanes`
    logic [1:0] word;
    logic [63:0] lanes;
    logic [16:0] addr;  // byte in the LDS: of the line, of an atomic
    logic [63:0] mask;  // bytes stored
    logic [511:0] data;  // stored; atomics: operand in [63:0], compare value in [127:64]
  } lds_line_t;
  typedef struct packed {
    logic [7:0] id;
    logic [511:0] data;  // of the line; atomics: old value in [63:0]
  } lds_line_rsp_t;

  // ---- memory units -> front
  typedef struct packed {
    logic [47:0] pc;  // of the instruction, if status is not 0
    wave_t wave;
    tag_t tag;
    logic vm;  // decrement vmcnt
    logic lgkm;  // decrement lgkmcnt
    logic [7:0] status;  // enum mem_status / fault_kind; not 0: the wavefront faults
    logic [63:0] va;  // of the fault
  } mem_done_t;
  typedef struct packed {
    wave_t wave;
    tag_t tag;
  } wave_tag_t;  // e.g. all operands of a memory instruction have been read

  // ---- observation (gated by obs_en_i; never read by the design).  Models for lock step and tests have it; others
  // leave it out, since wide records cost time in simulation even when nobody looks.
  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic [63:0] pc;
    logic [63:0] inst;
  } obs_inst_t;  // instruction issued, in program order of its wavefront
  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic [7:0] first;  // operand code of the first register (s0 = 0, VCC 106, M0 124, EXEC 126)
    logic [4:0] count;  // dwords written, 0 to 16
    logic scc_valid;
    logic scc;
    logic [15:0][31:0] data;
  } obs_sgpr_t;
  typedef struct packed {
    slot_t slot;
    tag_t tag;
    row_t row;
    logic [15:0] lanes;
    logic [15:0][31:0] data;
  } obs_vgpr_t;
  typedef struct packed {
    logic split;  // of elements of several words only `word`
    logic [1:0] word;
    logic [63:0] lanes;  // lanes of a vector memory instruction; 0: a DS instruction, whole
    wave_t wave;
    tag_t tag;
  } obs_lds_t;  // takes effect in the LDS now
  typedef struct packed {
    wave_t wave;
    tag_t tag;
    logic [1:0] beat;
    logic [15:0] lanes;
    logic [15:0][31:0] data;
  } obs_row_t;  // dwords of lanes that a buffer instruction writes into the LDS, or has read there
endpackage
