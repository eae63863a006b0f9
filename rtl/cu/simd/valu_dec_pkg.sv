// SPDX-License-Identifier: Apache-2.0
// What a SIMD must know of an opcode beside its rate and widths: which part of the datapath executes it (class), which
// sources take negation and absolute value, and the type of the result (output modifiers).  Not responsible for:
// encodings (gcn3_pkg) and the operations themselves.
package valu_dec_pkg;
  import gcn3_pkg::*;

  typedef enum logic [3:0] {
    ClsNone,
    ClsBit,     // valu_int_pkg::bit_op
    ClsSelect,  // v_cndmask, v_mbcnt: a bit a lane
    ClsAdd,
    ClsMul24,
    ClsCmp,
    ClsLane,
    ClsMisc,    // fpu_misc_pkg
    ClsFma,     // fpu_fma_pkg
    ClsShift64,
    ClsCmp64,
    ClsMul32,
    ClsQsad,
    ClsTrans,   // fpu_trans_pkg
    ClsF64      // fpu_serial_pkg
  } class_e;

  typedef enum logic [1:0] {
    OutInt,
    OutF32,
    OutF16,
    OutF64
  } out_e;

  typedef struct packed {
    class_e cls;
    rate_e rate;
    logic [2:0] pair;  // sources of 64 bits (of 128: in two passes)
    logic use1, use2;  // has a second, third source
    logic wide;  // result of 64 or 128 bits
    logic has_result;
    logic half;  // 16-bit floats
    out_e out;
    logic [2:0] mods;
  } valu_dec_t;

  function automatic class_e class_of(input logic [9:0] op);
    case (op)
      OP_V_CNDMASK_B32, OP_V_MBCNT_LO_U32_B32, OP_V_MBCNT_HI_U32_B32: return ClsSelect;
      OP_V_ADD_U32, OP_V_SUB_U32, OP_V_SUBREV_U32, OP_V_ADDC_U32, OP_V_SUBB_U32, OP_V_SUBBREV_U32: return ClsAdd;
      OP_V_MUL_I32_I24, OP_V_MUL_HI_I32_I24, OP_V_MUL_U32_U24, OP_V_MUL_HI_U32_U24, OP_V_MAD_I32_I24,
      OP_V_MAD_U32_U24, OP_V_MUL_LO_U16, OP_V_MAD_U16, OP_V_MAD_I16:
      return ClsMul24;
      OP_V_READFIRSTLANE_B32, OP_V_READLANE_B32, OP_V_WRITELANE_B32: return ClsLane;
      OP_V_LSHLREV_B64, OP_V_LSHRREV_B64, OP_V_ASHRREV_I64: return ClsShift64;
      OP_V_MUL_LO_U32, OP_V_MUL_HI_U32, OP_V_MUL_HI_I32, OP_V_MAD_U64_U32, OP_V_MAD_I64_I32: return ClsMul32;
      OP_V_ADD_F32, OP_V_SUB_F32, OP_V_SUBREV_F32, OP_V_MUL_F32, OP_V_FMA_F32, OP_V_MAD_F32, OP_V_MAC_F32,
      OP_V_MADMK_F32, OP_V_MADAK_F32, OP_V_ADD_F16, OP_V_SUB_F16, OP_V_SUBREV_F16, OP_V_MUL_F16, OP_V_FMA_F16,
      OP_V_MAD_F16, OP_V_MAC_F16, OP_V_MADMK_F16, OP_V_MADAK_F16, OP_V_CVT_F32_I32, OP_V_CVT_F32_U32,
      OP_V_CVT_F32_UBYTE0, OP_V_CVT_F32_UBYTE1, OP_V_CVT_F32_UBYTE2, OP_V_CVT_F32_UBYTE3, OP_V_CVT_OFF_F32_I4,
      OP_V_CVT_F16_U16, OP_V_CVT_F16_I16, OP_V_LDEXP_F32, OP_V_LDEXP_F16, OP_V_FRACT_F32, OP_V_FRACT_F16,
      OP_V_DIV_SCALE_F32, OP_V_DIV_FMAS_F32:
      return ClsFma;
      OP_V_MIN_F32, OP_V_MAX_F32, OP_V_MIN3_F32, OP_V_MAX3_F32, OP_V_MED3_F32, OP_V_MIN_F16, OP_V_MAX_F16,
      OP_V_TRUNC_F32, OP_V_CEIL_F32, OP_V_RNDNE_F32, OP_V_FLOOR_F32, OP_V_TRUNC_F16, OP_V_CEIL_F16, OP_V_RNDNE_F16,
      OP_V_FLOOR_F16, OP_V_CVT_I32_F32, OP_V_CVT_U32_F32, OP_V_CVT_RPI_I32_F32, OP_V_CVT_FLR_I32_F32,
      OP_V_CVT_U16_F16, OP_V_CVT_I16_F16, OP_V_CVT_F16_F32, OP_V_CVT_F32_F16, OP_V_CVT_PKRTZ_F16_F32,
      OP_V_CVT_PKNORM_I16_F32, OP_V_CVT_PKNORM_U16_F32, OP_V_CVT_PK_U8_F32, OP_V_CVT_PKACCUM_U8_F32,
      OP_V_FREXP_EXP_I32_F32, OP_V_FREXP_MANT_F32, OP_V_FREXP_EXP_I16_F16, OP_V_FREXP_MANT_F16,
      OP_V_DIV_FIXUP_F32, OP_V_DIV_FIXUP_F16:
      return ClsMisc;
      OP_V_RCP_F32, OP_V_RCP_IFLAG_F32, OP_V_RSQ_F32, OP_V_SQRT_F32, OP_V_EXP_F32, OP_V_LOG_F32, OP_V_SIN_F32,
      OP_V_COS_F32, OP_V_RCP_F16, OP_V_SQRT_F16, OP_V_RSQ_F16, OP_V_LOG_F16, OP_V_EXP_F16, OP_V_SIN_F16,
      OP_V_COS_F16:
      return ClsTrans;
      OP_V_QSAD_PK_U16_U8, OP_V_MQSAD_PK_U16_U8, OP_V_MQSAD_U32_U8: return ClsQsad;
      OP_V_NOP, OP_V_CLREXCP: return ClsNone;
      default: return op >= 10'h100 ? ClsBit : op[7:5] == 3'd7 ? ClsCmp64 : ClsCmp;
    endcase
  endfunction

  function automatic out_e out_of(input logic [9:0] op, input logic half, input class_e cls);
    case (op)
      OP_V_CVT_F16_F32, OP_V_CVT_F16_U16, OP_V_CVT_F16_I16: return OutF16;
      OP_V_CVT_F32_F16: return OutF32;
      OP_V_CVT_I32_F32, OP_V_CVT_U32_F32, OP_V_CVT_RPI_I32_F32, OP_V_CVT_FLR_I32_F32, OP_V_CVT_U16_F16,
      OP_V_CVT_I16_F16, OP_V_CVT_PKRTZ_F16_F32, OP_V_CVT_PKNORM_I16_F32, OP_V_CVT_PKNORM_U16_F32,
      OP_V_CVT_PK_U8_F32, OP_V_CVT_PKACCUM_U8_F32, OP_V_FREXP_EXP_I32_F32, OP_V_FREXP_EXP_I16_F16,
      OP_V_CVT_I32_F64, OP_V_CVT_U32_F64, OP_V_FREXP_EXP_I32_F64:
      return OutInt;
      OP_V_CVT_F32_F64: return OutF32;
      default:
      return cls == ClsF64 ? (op < 10'h100 ? OutInt : OutF64) :
          cls == ClsMisc || cls == ClsFma || cls == ClsTrans ? (half ? OutF16 : OutF32) : OutInt;
    endcase
  endfunction

  function automatic logic [2:0] mods_of(input logic [9:0] op, input class_e cls);
    case (op)
      OP_V_CNDMASK_B32: return 3'b011;
      OP_V_LDEXP_F32, OP_V_LDEXP_F16, OP_V_CVT_PK_U8_F32, OP_V_CVT_PKACCUM_U8_F32, OP_V_CMP_CLASS_F32,
      OP_V_CMPX_CLASS_F32, OP_V_CMP_CLASS_F16, OP_V_CMPX_CLASS_F16, OP_V_LDEXP_F64, OP_V_TRIG_PREOP_F64,
      OP_V_CMP_CLASS_F64, OP_V_CMPX_CLASS_F64:
      return 3'b001;
      OP_V_CVT_F32_I32, OP_V_CVT_F32_U32, OP_V_CVT_F32_UBYTE0, OP_V_CVT_F32_UBYTE1, OP_V_CVT_F32_UBYTE2,
      OP_V_CVT_F32_UBYTE3, OP_V_CVT_OFF_F32_I4, OP_V_CVT_F16_U16, OP_V_CVT_F16_I16,
      OP_V_CVT_F64_I32, OP_V_CVT_F64_U32:
      return 3'b000;
      default: begin
        if (cls == ClsCmp) return op[7] ? 3'b000 : 3'b011;
        return cls == ClsMisc || cls == ClsFma || cls == ClsTrans || cls == ClsF64 ? 3'b111 : 3'b000;
      end
    endcase
  endfunction

  // Results that keep subnormals: v_mad never, v_div_scale always, the others as MODE says.
  function automatic logic keeps_small(input logic [9:0] op, input logic small32, input logic small16,
                                       input out_e out);
    case (op)
      OP_V_MAD_F32, OP_V_MAC_F32, OP_V_MADMK_F32, OP_V_MADAK_F32, OP_V_MAD_F16, OP_V_MAC_F16, OP_V_MADMK_F16,
      OP_V_MADAK_F16:
      return 1'b0;
      OP_V_DIV_SCALE_F32: return 1'b1;
      default: return out == OutF16 ? small16 : small32;
    endcase
  endfunction

  // Needs products under an addend or scaling: 64 bits instead of 32.
  function automatic logic is_wide(input logic [9:0] op, input logic small_sources);
    return op == OP_V_FMA_F32 || op == OP_V_DIV_FMAS_F32 || op == OP_V_DIV_SCALE_F32 ||
        (op == OP_V_MUL_F32 && small_sources);
  endfunction

  function automatic valu_dec_t valu_decode(input logic [9:0] op);
    valu_dec_t d;
    /* verilator lint_off UNUSEDSIGNAL */
    info_t info;
    /* verilator lint_on UNUSEDSIGNAL */
    info = info_valu(op);
    d.rate = rate_e'(info.rate);
    d.cls = d.rate == RATE_F64 ? ClsF64 : class_of(op);
    d.pair = {info.src2_w >= 5'd2 && !info.mask2, info.src1_w == 5'd2, info.src0_w == 5'd2};
    d.use1 = info.src1_w != 5'd0;
    d.use2 = info.src2_w != 5'd0 && !info.mask2;
    d.wide = info.dst_w >= 5'd2 && info.dst_kind == 2'd1;
    d.has_result = info.vcc_w || info.dst_kind == 2'd2 || info.dst_kind == 2'd3;
    d.half = info.half;
    d.out = out_of(op, info.half, d.cls);
    d.mods = mods_of(op, d.cls);
    return d;
  endfunction
endpackage
