// SPDX-License-Identifier: Apache-2.0
// The serial unit of a SIMD for double precision: which operation an opcode is, and the registers between its five
// steps.  Not responsible for: the steps (simd_serial.svh), arithmetic (fpu_fma64_pkg, fpu_misc64_pkg, fpu_seed64_pkg).
package fpu_serial_pkg;
  import gcn3_pkg::*;
  import cu_pkg::Beats;
  import cu_pkg::BeatW;

  localparam logic [6:0] F64Steps = 7'd5;
  localparam logic [BeatW:0] F64Beats = (BeatW + 1)'(Beats);

  typedef enum logic [4:0] {
    // through the normaliser
    F64Add,
    F64Mul,
    F64Fma,
    F64Fmas,
    F64Scale,
    F64Ldexp,
    F64Fract,
    F64FromI32,
    F64FromU32,
    F64FromF32,
    // done in step 2
    F64Pick,
    F64Whole,
    F64ToInt,
    F64ToF32,
    F64FrexpExp,
    F64FrexpMant,
    F64Fixup,
    F64Compare,
    F64Class,
    // tables
    F64Seed,
    F64Preop
  } f64_e;

  typedef struct packed {
    f64_e kind;
    logic [2:0] flush;  // this source loses subnormals unless MODE keeps them
  } f64_op_t;

  function automatic f64_op_t f64_op(input logic [9:0] op);
    case (op)
      OP_V_ADD_F64: return {F64Add, 3'b011};
      OP_V_MUL_F64: return {F64Mul, 3'b011};
      OP_V_FMA_F64: return {F64Fma, 3'b111};
      OP_V_DIV_FMAS_F64: return {F64Fmas, 3'b000};
      OP_V_DIV_SCALE_F64: return {F64Scale, 3'b000};
      OP_V_LDEXP_F64: return {F64Ldexp, 3'b001};
      OP_V_FRACT_F64: return {F64Fract, 3'b001};
      OP_V_CVT_F64_I32: return {F64FromI32, 3'b000};
      OP_V_CVT_F64_U32: return {F64FromU32, 3'b000};
      OP_V_CVT_F64_F32: return {F64FromF32, 3'b000};
      OP_V_MIN_F64, OP_V_MAX_F64: return {F64Pick, 3'b000};
      OP_V_TRUNC_F64, OP_V_CEIL_F64, OP_V_RNDNE_F64, OP_V_FLOOR_F64: return {F64Whole, 3'b001};
      OP_V_CVT_I32_F64, OP_V_CVT_U32_F64: return {F64ToInt, 3'b001};
      OP_V_CVT_F32_F64: return {F64ToF32, 3'b001};
      OP_V_FREXP_EXP_I32_F64: return {F64FrexpExp, 3'b001};
      OP_V_FREXP_MANT_F64: return {F64FrexpMant, 3'b001};
      OP_V_DIV_FIXUP_F64: return {F64Fixup, 3'b000};
      OP_V_CMP_CLASS_F64, OP_V_CMPX_CLASS_F64: return {F64Class, 3'b000};
      OP_V_RCP_F64, OP_V_RSQ_F64, OP_V_SQRT_F64: return {F64Seed, 3'b001};
      OP_V_TRIG_PREOP_F64: return {F64Preop, 3'b000};
      default: return {F64Compare, 3'b011};
    endcase
  endfunction

  typedef struct {
    logic [BeatW:0] beat;  // of the slot that comes next
    logic [6:0] step;  // lane n is in step p when this is n + p - 1
    f64_op_t op;
    // 1 to 2: sources
    logic [63:0] x1;
    logic [63:0] y1;
    logic [63:0] z1;
    logic scale1;  // the lane's bit of VCC
    // 2 to 3: product, addend, exponents, flags; a finished value; table index, argument, exponent
    logic [63:0] ph2;
    logic [63:0] pl2;
    logic [63:0] ch2;
    logic [31:0] d2;
    logic [31:0] e2;
    logic [31:0] n2;  // scale of the sum
    logic [31:0] sg2;
    logic [63:0] value2;
    logic done2;
    logic bit2;
    logic [8:0] index2;
    logic [31:0] f2;
    logic ones2;
    // 3 to 4: both operands of the adder; table entry, square of its argument
    logic [63:0] bh3;
    logic [63:0] bl3;
    logic [63:0] yh3;
    logic [63:0] yl3;
    logic larger3;  // the addend has the larger exponent
    logic [31:0] e3;
    logic [31:0] n3;
    logic [31:0] sg3;
    logic [63:0] value3;
    logic done3;
    logic bit3;
    logic [31:0] k0;
    logic [31:0] k1;
    logic [31:0] k2;
    logic [31:0] f3;
    logic [63:0] square3;
    logic ones3;
    // 4 to 5: sum, leading zeros
    logic [63:0] sh4;
    logic [63:0] sl4;
    logic [31:0] zeros4;
    logic [31:0] e4;
    logic [31:0] sg4;
    logic [63:0] value4;  // or table piece
    logic done4;
    logic bit4;
    logic ones4;
  } f64_regs_t;
endpackage
