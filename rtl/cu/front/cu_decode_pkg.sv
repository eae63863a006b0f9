// SPDX-License-Identifier: Apache-2.0
// From the two dwords at PC to the head of a wavefront: fields by gcn3_pkg, class, register pairs of the scoreboard, and
// the words of cu_head_pkg.  Not responsible for: fetch, when it is done (cu_fetch), values of operands (cu_operand_pkg).
/* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
package cu_decode_pkg;
  import cu_pkg::*;
  import cu_front_pkg::*;
  import cu_head_pkg::*;
  import gcn3_pkg::*;

  // Pairs covered by `width` registers from operand code `code` on.
  function automatic logic [63:0] pair_mask(input logic [8:0] code, input logic [4:0] width);
    logic [5:0] pairs;
    logic [63:0] ones;
    if (code[8] || width == 5'd0) return 64'd0;
    if (code[7]) return code == 9'd251 ? 64'd1 << 53 : code == 9'd252 ? 64'd1 << 63 : 64'd0;
    pairs = ({1'b0, width} + {5'b0, code[0]} + 6'd1) >> 1;
    ones  = (64'd1 << pairs[4:0]) - 64'd1;
    return ones << code[6:1];
  endfunction

  function automatic logic enters_trap(input dec_t d);
    return d.fmt == FMT_SOPP && d.op == OP_S_TRAP;
  endfunction

  function automatic class_e classify(input dec_t d);
    case (d.unit)
      UNIT_VALU: return ClsValu;
      UNIT_SALU: return ClsSalu;
      UNIT_SMEM: return ClsSmem;
      UNIT_FLAT, UNIT_MUBUF: return ClsVmem;
      UNIT_LDS: return ClsLds;
      UNIT_BRANCH: return d.fmt == FMT_SOP1 ? ClsSalu : ClsBranch;
      UNIT_MSG: return d.op == OP_S_TRAP ? ClsSalu : ClsBranch;
      UNIT_INTERNAL: begin
        return d.op == OP_S_ICACHE_INV || d.op == OP_S_SETPRIO || d.op == OP_S_SETHALT ? ClsBranch : ClsInternal;
      end
      default: return ClsBad;
    endcase
  endfunction

  function automatic logic [63:0] read_pairs(input dec_t d, input class_e cls);
    logic [63:0] m;
    m = pair_mask(d.src0, d.src0_w) | pair_mask(d.src1, d.src1_w) |
        pair_mask(d.src2, d.src2_mask ? 5'd2 : d.src2_w);
    if (d.unit == UNIT_MUBUF) m = m | pair_mask({2'b0, d.srsrc}, 5'd4);
    m = m | {d.reads_exec || cls == ClsValu || cls == ClsVmem || cls == ClsLds, d.reads_m0, 8'd0, d.reads_vcc, 53'd0};
    // STATUS shows VCCZ and EXECZ
    if (d.fmt == FMT_SOPK && d.op == OP_S_GETREG_B32 && d.simm16[5:0] == 6'd2) m = m | 64'd1 << 53 | 64'd1 << 63;
    // relative moves read and write what M0 says
    if (d.fmt == FMT_SOP1 && d.op >= OP_S_MOVRELS_B32 && d.op <= OP_S_MOVRELD_B64) m = '1;
    return m;
  endfunction

  function automatic logic [63:0] write_pairs(input dec_t d);
    return pair_mask({2'b0, d.sdst}, d.sdst_w) | {d.writes_exec, 9'd0, d.writes_vcc, 53'd0};
  endfunction

  // v_cndmask and additions with carry read a mask beat by beat, v_div_fmas whole (hardware: four wait states behind a
  // vector instruction that writes VCC).  None behind VCC is handed on: TTMP keep what they get in the trap handler only.
  function automatic mask_pair_t mask_read(input dec_t d);
    mask_pair_t m;
    logic [63:0] others;
    others  = pair_mask(d.src0, d.src0_w) | pair_mask(d.src1, d.src1_w);
    m.pair  = d.src2_mask ? d.src2[6:1] : 6'd53;
    m.valid = (d.src2_mask ? d.src2[8:7] == 2'd0 && !d.src2[0] : d.reads_vcc) && !others[m.pair] && m.pair <= 6'd53 &&
        d.op != OP_V_DIV_FMAS_F32 && d.op != OP_V_DIV_FMAS_F64;
    return m;
  endfunction

  function automatic valu_word_t valu_word(input dec_t d);
    return '{
        op: d.op,
        src: {d.src2, d.src1, d.src0},
        dst: d.vdst,
        dst_valid: d.vdst_w != 5'd0,
        neg: d.neg,
        abs: d.abs,
        omod: d.omod,
        clamp: d.clamp,
        sdwa: d.sdwa,
        dpp: d.dpp,
        mask2: d.src2_mask,
        half: d.half,
        wide: {d.src2_w == 5'd2, d.src1_w == 5'd2, d.src0_w == 5'd2},
        f64: d.rate == RATE_F64
    };
  endfunction

  // One scalar operand at port 0, then the mask or a second one.
  function automatic valu_rows_t valu_rows(input dec_t d);
    valu_rows_t r;
    logic [2:0] file;
    logic [8:0] code0;
    logic [8:0] code1;
    r = '0;
    r.relative = d.op == OP_V_MOVRELD_B32 || d.op == OP_V_MOVRELS_B32 || d.op == OP_V_MOVRELSD_B32;
    r.scalar = {d.src2_w != 5'd0 && !d.src2[8], d.src1_w != 5'd0 && !d.src1[8], d.src0_w != 5'd0 && !d.src0[8]};
    if (r.scalar != 3'd0) begin
      file    = r.scalar & {in_file(d.src2), in_file(d.src1), in_file(d.src0)};
      code0   = file[0] ? d.src0 : file[1] ? d.src1 : d.src2;
      code1   = d.src2_mask ? d.src2 : file[1] && d.src1 != code0 ? d.src1 : d.src2;
      r.port1 = {d.src2 != code0, d.src1 != code0, d.src0 != code0};
      r.reads = file != 3'd0;
      r.code0 = code0[6:0];
      r.code1 = code1[6:0];
    end
    return r;
  endfunction

  function automatic scalar_word_t scalar_word(input dec_t d);
    return '{
        fmt: d.fmt,
        op: d.op,
        smem: d.unit == UNIT_SMEM,
        branch: d.unit == UNIT_BRANCH || enters_trap(d),
        movrels: d.unit == UNIT_SALU && d.fmt == FMT_SOP1 && d.op[7:1] == OP_S_MOVRELS_B32[7:1],
        src0: d.src0,
        src1: d.src1,
        one0: d.src0_w == 5'd1,
        two0: d.src0_w == 5'd2,
        two1: d.src1_w == 5'd2,
        sdst: d.unit == UNIT_SMEM && d.store ? d.src2[6:0] : d.sdst,
        sdst_w: d.sdst_w,
        writes_scc: d.writes_scc,
        saveexec: d.fmt == FMT_SOP1 && d.unit != UNIT_BRANCH && d.writes_exec && d.reads_exec,
        smem_imm: d.smem_imm,
        load: d.kind == KIND_LOAD,
        many: d.unit == UNIT_SMEM && (d.src0_w == 5'd4 || d.store),
        buffer: d.src0_w == 5'd4,
        store: d.unit == UNIT_SMEM && d.store,
        dwords: d.mem_bytes[4:2]
    };
  endfunction

  function automatic vmem_word_t vmem_word(input dec_t d);
    return '{
        kind: d.kind == KIND_INV ? VmemInv : d.unit == UNIT_MUBUF ? VmemMubuf : VmemFlat,
        store: d.store,
        load: d.load,
        atomic: d.atomic,
        atomic_op: d.atomic_op[3:0],
        size: d.mem_bytes[0] ? 3'd0 : d.mem_bytes[1] ? 3'd1 : 3'd2,
        dwords: d.mem_bytes < 7'd4 ? 3'd1 : d.mem_bytes[4:2],
        sext: d.mem_signed,
        glc: d.atomic ? d.returns : d.glc,
        slc: d.slc,
        addr: d.src0[7:0],
        data: d.src1[7:0],
        dst: d.vdst,
        idxen: d.idxen,
        offen: d.offen,
        lds: d.lds,
        offset: d.offset[11:0],
        srsrc: d.srsrc
    };
  endfunction

  function automatic lds_word_t lds_word(input dec_t d);
    return '{
        op: d.op[7:0],
        addr: d.src0[7:0],
        data0: d.src1[7:0],
        data1: d.src2[7:0],
        dst: d.vdst,
        offset: d.offset
    };
  endfunction

  // DPP that reads lanes of another row.
  function automatic logic crosses(input dec_t d);
    return d.dpp && d.ext[16:8] >= 9'h130 && d.ext[16:9] != 8'ha0;
  endfunction

  // DPP whose lanes are read before those of a beat: always with fewer than 16 lanes; else where the third read is of the
  // old destination (v_mac).
  function automatic logic gathers(input dec_t d);
    return d.dpp && (Parts > 1 || (crosses(d) && d.reads_vdst));
  endfunction

  // Turns of a vector instruction that takes `times` as long as at full rate.
  function automatic turns_t turns_of(input logic [3:0] times, input logic gathered);
    return turns_t'((32'(times) + 32'(gathered)) * Parts);
  endfunction

  // Head of a wavefront at `at` with `has` registers: `inst` as for decode(), status of the chunk at `at` and of the next
  // one.
  function automatic void make_head(input logic [47:0] at, input logic [63:0] inst, input registers_t has,
                                    input logic [3:0] first_fault, input logic [3:0] next_fault, output head_t h,
                                    output logic [1:0] len);
    dec_t d;
    logic all;  // waits for everything under way
    h.pc   = at;
    h.inst = inst;
    h.op   = 64'd0;
    h.more = 32'd0;
    // as decode(), with the word of the class made where the fields are known
    case (encoding(inst))
      ENC_VOP: begin
        d      = dec_vop(inst);
        h.op   = 64'(valu_word(d));
        h.more = 32'(valu_rows(d));
      end
      ENC_VOP3: begin
        d      = dec_vop3(inst);
        h.op   = 64'(valu_word(d));
        h.more = 32'(valu_rows(d));
      end
      ENC_SCALAR: begin
        d = dec_scalar(inst);
        if (enters_trap(d)) begin  // saves the PC in ttmp[0:1]
          d.sdst   = 7'd112;
          d.sdst_w = 5'd2;
        end
        h.op = 64'(scalar_word(d));
      end
      ENC_SMEM: begin
        d    = dec_smem(inst);
        h.op = 64'(scalar_word(d));
      end
      ENC_DS: begin
        d    = dec_ds(inst);
        h.op = 64'(lds_word(d));
      end
      ENC_FLAT: begin
        d      = dec_flat(inst);
        h.op   = 64'(vmem_word(d));
        h.more = {23'd0, d.src2};
      end
      ENC_MUBUF: begin
        d      = dec_mubuf(inst);
        h.op   = 64'(vmem_word(d));
        h.more = {23'd0, d.src2};
      end
      default: d = dec_none(inst);
    endcase
    len           = d.len;
    h.issue.fault = first_fault != 4'd0 ? first_fault : d.len == 2'd2 && at[4:2] == 3'd7 ? next_fault : 4'd0;
    h.issue.cls   = d.illegal || d.vgprs > has.vgprs || d.sgprs > has.sgprs || h.issue.fault != 4'd0 ? ClsBad :
        classify(d);
    h.issue.turns = d.rate == RATE_F64 ? turns_t'(gantry_cfg_pkg::Fp64Turns) :
        turns_of(d.rate == RATE_FULL ? 4'd1 : d.rate == RATE_HALF ? 4'd2 :
                 d.src1_w == 5'd0 ? 4'(gantry_cfg_pkg::TransCost) :  // transcendentals have one source
                 d.vdst_w == 5'd4 ? 4'(2 * gantry_cfg_pkg::QuarterCost) : 4'(gantry_cfg_pkg::QuarterCost), gathers(d));
    h.issue.sdst  = d.sdst;
    h.issue.we    = d.sdst_w == 5'd0 ? 2'b00 : d.sdst_w == 5'd2 ? 2'b11 : d.sdst[0] ? 2'b10 : 2'b01;
    h.issue.exec  = d.writes_exec && (d.sdst[6:1] != 6'd63 || d.sdst_w == 5'd0);
    h.issue.gives_mask = MaskForward && h.issue.we == 2'b11 && d.rate != RATE_F64;
    h.issue.mask       = MaskForward && h.issue.cls == ClsValu ? mask_read(d) : '0;
    h.issue.op    = d.op;
    all = h.issue.cls == ClsSalu && (enters_trap(d) || (d.fmt == FMT_SOP1 && d.op == OP_S_RFE_B64));
    h.issue.simm16  = all ? 16'd0 : inst[15:0];
    h.issue.waitcnt = all || (h.issue.cls == ClsInternal && d.op == OP_S_WAITCNT);
    h.issue.other_row = crosses(d);
    h.issue.hold = d.unit != UNIT_SMEM ? 3'd0 : d.store ? 3'd4 : d.src0_w == 5'd4 ? 3'd2 : 3'd0;
    h.write = write_pairs(d);
    h.issue.slow = h.issue.cls == ClsSalu && ((d.fmt == FMT_SOP1 && d.writes_exec && d.reads_exec) ||
        (d.fmt == FMT_SOPK && (d.op == OP_S_SETREG_B32 || d.op == OP_S_SETREG_IMM32_B32)));
    h.issue.flags = h.issue.cls == ClsSalu ? d.writes_scc || h.write[53] || h.write[63] :
        d.fmt == FMT_SOPP && d.op >= OP_S_CBRANCH_SCC0 && d.op <= OP_S_CBRANCH_EXECNZ;
    h.check = all ? '1 : read_pairs(d, h.issue.cls) | (h.issue.cls == ClsValu ? 64'd0 : h.write);
  endfunction
endpackage
/* verilator lint_on UNUSEDSIGNAL */
