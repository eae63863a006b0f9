// SPDX-License-Identifier: Apache-2.0
// Inside of cu_scalar, included by it: scalar memory that names more registers than one turn reads: s_buffer_load,
// s_store, s_buffer_store.  Not responsible for: the other scalar memory instructions (cu_scalar_alu.svh), the turns in
// which cu_issue keeps the scalar port free for this (issue_word_t.hold).
//
// Such an instruction, chosen at t, is at t+3 as any other of its class: base or first half of the resource, and offset.
// Its SIMD issues nothing at this port in the next turn (loads) or the next three (stores), whose times are used so:
//   t+5   rows: loads the second half of the resource, stores their data
//   t+7   loads: the request; stores: first half of the data
//   t+9   rows: stores to a buffer: second half of the resource
//   t+11  second half of the data
//   t+15  the store
// One may be under way in each SIMD; they are in different places of `long_age`.

  logic [12:0] long_age;  // cycles since t+3
  widx_t long_at[4];
  tag_t long_tag[4];
  logic [47:0] long_pc[4];
  scalar_word_t long_word[4];
  logic [63:0] long_base[4];  // of a buffer: first half of its resource
  logic [31:0] long_offset[4];
  logic [63:0] long_data[4];  // second half of the data
  logic [31:0] long_records[4];

  // t+3
  task automatic long_first(input widx_t at, input tag_t of_tag);
    long_age[0]          = 1'b1;
    long_at[at[5:4]]     = at;
    long_tag[at[5:4]]    = of_tag;
    long_pc[at[5:4]]     = p.pc;
    long_word[at[5:4]]   = q;
    long_base[at[5:4]]   = a;
    long_offset[at[5:4]] = q.smem_imm ? {12'd0, p.inst[51:32]} : b[31:0];
  endtask

  // The request: how many of its dwords are in the buffer, and where.
  task automatic long_request(input logic [1:0] bank, input logic [31:0] records);
    logic [45:0] limit, left;
    logic [4:0] wanted, dwords;
    logic [31:0] offset;
    scalar_word_t f;
    f      = long_word[bank];
    wanted = f.store ? {2'd0, f.dwords} : f.sdst_w;
    dwords = wanted;
    offset = long_offset[bank];
    va     = long_base[bank] + {32'd0, offset};
    if (f.buffer) begin
      offset[1:0] = 2'd0;
      limit  = {14'd0, records};
      if (long_base[bank][61:48] != 14'd0) limit = limit * {32'd0, long_base[bank][61:48]};
      left   = limit <= {14'd0, offset} ? '0 : (limit - {14'd0, offset}) >> 2;
      dwords = left < {41'd0, wanted} ? left[4:0] : wanted;
      va     = {16'd0, long_base[bank][47:0]} + {32'd0, offset};
    end
    req.va     = {16'd0, va[47:2], 2'd0};
    req.tag    = {due(1'b0, f.store ? 12'd15 : 12'd7), f.store ? 5'd0 : f.sdst_w, f.store ? 7'd0 : f.sdst,
                  long_tag[bank]};
    req.dwords = {3'd0, dwords};
    req.vmid   = info[windex(long_at[bank])].vmid;
    req.wave   = {2'd0, long_at[bank]};
    req.op     = dwords == 5'd0 ? gantry_msg_pkg::SMEM_NONE :
                 f.store ? gantry_msg_pkg::SMEM_STORE : gantry_msg_pkg::SMEM_LOAD;
    smem_req_o       <= req;
    smem_req_valid_o <= 1'b1;
    smem_pc_o        <= long_pc[bank];
  endtask

  // 8 bytes of the data of a store.
  task automatic long_send(input logic [1:0] bank, input logic high, input logic [63:0] data);
    smem_req_o <= gantry_msg_pkg::smem_req_t'(gantry_msg_pkg::smem_data_t'{
        op: gantry_msg_pkg::SMEM_DATA, wave: {2'd0, long_at[bank]}, high: {7'd0, high}, data: data, default: '0});
    smem_req_valid_o <= 1'b1;
  endtask

  // Second half of what begins at `from`: in the register file, for there are no others in fours; TTMP may be hidden.
  function automatic logic [63:0] long_half(input logic [6:0] from, input logic [63:0] pair, input widx_t at);
    return special({2'd0, from} + 9'd2, pair, at);
  endfunction

  task automatic long_steps();
    logic [1:0] bank;
    logic [8:0] from;
    bank = (turn_i - 2'd1) & SimdMask;
    w    = windex(long_at[bank]);
    if (long_age[2]) begin
      from = {2'd0, long_word[bank].sdst};
      if (!long_word[bank].store) from = long_word[bank].src0 + 9'd2;
      file_read(w, from[6:0], from[6:0] + 7'd2);
    end
    if (long_age[6]) file_read(w, long_word[bank].src0[6:0] + 7'd2, long_word[bank].src0[6:0] + 7'd2);
    bank = (turn_i - 2'd3) & SimdMask;
    w    = windex(long_at[bank]);
    if (long_age[4]) begin
      if (long_word[bank].store) begin
        from = {2'd0, long_word[bank].sdst};
        long_send(bank, 1'b0, registers(from[0], long_word[bank].dwords != 3'd1, special(from, file_data0_i[bank], w)));
        long_data[bank] = long_half(from[6:0], file_data1_i[bank], w);
      end else begin
        long_records[bank] = 32'(long_half(long_word[bank].src0[6:0], file_data0_i[bank], w));
        long_request(bank, long_records[bank]);
        long_age[4] = 1'b0;
      end
    end
    if (long_age[8]) begin
      long_records[bank] = 32'(long_half(long_word[bank].src0[6:0], file_data0_i[bank], w));
      long_send(bank, 1'b1, long_data[bank]);
    end
    if (long_age[12]) long_request(bank, long_records[bank]);
  endtask
