// SPDX-License-Identifier: Apache-2.0
// Inside of cu_scalar, included by it: issue records of the vector ALU, the LDS and vector memory with their scalar
// operands.  Not responsible for: when it is called (cu_scalar.sv).

  // ---- vector ALU
  task automatic valu_rows(input widx_t at);
    valu_rows_t rows;
    rows = $bits(valu_rows_t)'(head[at].more);
    if (rows.reads) file_read(at, rows.code0, rows.code1);
  endtask

  task automatic valu_issue(input widx_t at, input tag_t of_tag);
    valu_issue_t v;
    valu_word_t f;
    valu_rows_t rows;
    logic [63:0] value, data0, data1;
    logic [31:0] moved;
    logic [7:0] base;
    f       = $bits(valu_word_t)'(head[at].op);
    rows    = $bits(valu_rows_t)'(head[at].more);
    base    = info[at].vgpr_base;
    data0   = file_data0_i[at[5:4]];
    data1   = file_data1_i[at[5:4]];
    v.sval  = '0;
    if (rows.scalar != 3'd0) begin
      for (int unsigned n = 0; n < 3; n++) begin
        if (rows.scalar[n]) begin
          value = operand(f.src[n], f.wide[n], f.half, rows.port1[n] ? data1 : data0, head[at].inst[63:32], at);
          // a literal is the high half of a double
          if (f.src[n] == 9'd255 && f.f64 && (n == 0 ? f.wide[0] : f.wide[1])) value = value << 32;
          if (FaultSeed == 8 && f.src[n] == 9'd255) value = value & 64'hFFFF;
          if (FaultSeed == 12 && f.src[n] > 9'd192 && f.src[n] <= 9'd208) value = value + 64'd1;
          v.sval[n] = value;
        end
      end
    end
    v.slot       = at[3:0];
    v.tag        = of_tag;
    v.op         = f.op;
    v.src_vgpr   = {f.src[2][8], f.src[1][8], f.src[0][8]};
    v.src_row[0] = base + f.src[0][7:0];
    v.src_row[1] = base + f.src[1][7:0];
    v.src_row[2] = base + f.src[2][7:0];
    v.dst        = base + f.dst;
    v.dst_valid  = f.dst_valid;
    if (rows.relative) begin  // beyond the allocation v0 is read, nothing written
      moved = {24'd0, f.src[0][7:0]} + m0[at];
      if (f.op != OP_V_MOVRELD_B32) v.src_row[0] = moved < {23'd0, info[at].vgprs} ? base + moved[7:0] : base;
      moved = {24'd0, f.dst} + m0[at];
      if (f.op != OP_V_MOVRELS_B32) begin
        v.dst       = base + moved[7:0];
        v.dst_valid = moved < {23'd0, info[at].vgprs};
      end
    end
    v.neg        = f.neg;
    v.abs        = f.abs;
    v.omod       = mode[at][9] ? 2'd0 : f.omod;  // without effect with IEEE
    v.clamp      = f.clamp;
    v.sdwa       = f.sdwa;
    v.dpp        = f.dpp;
    v.ext        = head[at].inst[63:32];
    v.mask       = f.mask2 ? special(f.src[2], data1, at) : vcc[at];
    v.mask_from  = MaskForward ? mask_from[at[5:4]] : MaskRegister;
    v.exec       = exec[at];
    v.mode       = mode[at][7:0];
    v.dx10_clamp = mode[at][8];
    v.ieee       = mode[at][9];
    valu_o       <= v;
    valu_valid_o <= 4'd1 << at[5:4];
  endtask

  // ---- LDS
  task automatic lds_issue(input widx_t at, input tag_t of_tag);
    lds_issue_t lds;
    lds_word_t f;
    f           = $bits(lds_word_t)'(head[at].op);
    lds.wave    = at;
    lds.tag     = of_tag;
    lds.op      = f.op;
    lds.addr    = info[at].vgpr_base + f.addr;
    lds.data0   = info[at].vgpr_base + f.data0;
    lds.data1   = info[at].vgpr_base + f.data1;
    lds.dst     = info[at].vgpr_base + f.dst;
    lds.offset0 = FaultSeed == 14 ? 8'd0 : f.offset[7:0];
    lds.offset1 = f.offset[15:8];
    lds.m0      = m0[at];
    lds.exec    = exec[at];
    lds.base    = info[at].lds_base;
    lds.bytes   = info[at].lds_bytes;
    lds_o       <= lds;
    lds_valid_o <= 1'b1;
  endtask

  // ---- vector memory: its record is completed while more operands are read
  vmem_issue_t vmem5, vmem6;
  logic [8:0] soffset5, soffset6;
  logic secret5;  // the resource lies in registers that the wavefront may not see
  logic [31:0] literal5, literal6;

  function automatic logic [6:0] vmem_srsrc(input widx_t at);
    vmem_word_t f;
    f = $bits(vmem_word_t)'(head[at].op);
    return f.srsrc;
  endfunction

  // Between memory and the LDS: the dword of lane 0, M0[15:0] + offset; lanes whose dword lies in the allocation.
  function automatic logic [14:0] vmem_lds_word(input logic [31:0] base, input logic [11:0] offset);
    logic [16:0] address;
    address = {1'b0, base[15:0]} + {5'd0, offset};
    return address[16:2];
  endfunction

  function automatic logic [63:0] vmem_lds_lanes(input logic [14:0] first, input logic [16:0] bytes);
    logic [14:0] room;
    room = bytes[16:2] > first ? bytes[16:2] - first : 15'd0;
    return room >= 15'd64 ? '1 : (64'd1 << room[5:0]) - 64'd1;
  endfunction

  task automatic vmem_first(input widx_t at, input tag_t of_tag);
    vmem_issue_t v;
    vmem_word_t f;
    f            = $bits(vmem_word_t)'(head[at].op);
    v            = '0;
    v.pc         = head[at].pc;
    v.wave       = at;
    v.tag        = of_tag;
    v.kind       = f.kind;
    v.store      = f.store;
    v.atomic     = f.atomic;
    v.atomic_op  = f.atomic_op;
    v.size       = f.size;
    v.dwords     = f.dwords;
    v.sext       = f.sext;
    v.glc        = f.glc;
    v.slc        = f.slc;
    v.addr       = info[at].vgpr_base + f.addr;
    v.data       = info[at].vgpr_base + f.data;
    v.dst        = info[at].vgpr_base + f.dst;
    v.exec       = exec[at];
    v.vmid       = info[at].vmid;
    v.lds_ok     = 1'b1;
    v.shared_hi  = 32'h20000000;
    v.private_hi = 32'h20000001;
    v.lds_base   = info[at].lds_base;
    v.lds_bytes  = info[at].lds_bytes;
    v.idxen      = f.idxen;
    v.offen      = f.offen;
    v.offset     = f.offset;
    if (f.lds) begin
      v.lds      = 1'b1;
      v.lds_word = vmem_lds_word(FaultSeed == 29 ? 32'd0 : m0[at], f.offset);
      v.exec     = v.exec & vmem_lds_lanes(v.lds_word, v.lds_bytes);
    end
    if (FaultSeed == 10 && f.store) v.exec[0] = 1'b0;
    if (FaultSeed == 11 && f.store) v.data = v.data + 8'd1;
    if (FaultSeed == 20 && f.load && v.dwords > 3'd1) v.dwords = v.dwords - 3'd1;
    vmem5    = v;
    secret5  = f.srsrc >= 7'd108 && f.srsrc < 7'd124 && !priv[at];
    soffset5 = head[at].more[8:0];
    literal5 = head[at].inst[63:32];
    file_read(at, soffset5[6:0], 7'd102);
  endtask

  task automatic vmem_resource(input logic [1:0] bank);
    vmem6      = vmem5;
    vmem6.rsrc = secret5 ? 128'd0 : {file_data1_i[bank], file_data0_i[bank]};
    soffset6   = soffset5;
    literal6   = literal5;
  endtask

  task automatic vmem_last(input logic [1:0] bank);
    vmem_issue_t v;
    logic [63:0] offset;
    v              = vmem6;
    offset         = soffset6[7] ? constant(soffset6[7:0], 1'b0, 1'b0, literal6, 3'd0) :
                     registers(soffset6[0], 1'b0, special(soffset6, file_data0_i[bank], windex(v.wave)));
    v.soffset      = offset[31:0];
    v.flat_scratch = {file_data1_i[bank][63:32] + info[windex(v.wave)].scratch_base, file_data1_i[bank][31:0]};
    vmem_o         <= v;
    vmem_valid_o   <= 1'b1;
  endtask
