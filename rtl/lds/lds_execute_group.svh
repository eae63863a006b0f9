// SPDX-License-Identifier: Apache-2.0
// Part of lds_execute: what a group of 32 words consists of, from the operand rows: byte addresses, bounds, operands,
// and the result of a lane exchange.  Not responsible for: banks and passes (lds_execute_pass.svh).

  // Rows of a group: which beats, whether it is one of the second element.
  task automatic fetch_rows();
    half = 4'd2 << op.log_slots;
    second = group >= half;
    half = group & (half - 4'd1);
    beat = op.log_slots == 2'd0 ? {half[0], 1'b0} : op.log_slots == 2'd1 ? half[1:0] : half[2:1];
    if (exchange) beat = 2'd0;
    row = addr_mem[{buffer, beat}];
    for (int unsigned l = 0; l < 16; l++) near[l] = row[l[3:0]];
    if (op.log_slots == 2'd0) begin
      row = addr_mem[{buffer, beat|2'd1}];
      for (int unsigned l = 0; l < 16; l++) near[16+l] = row[l[3:0]];
    end
    if (exchange) begin
      row = addr_mem[{buffer, 2'd2}];
      for (int unsigned l = 0; l < 16; l++) near[32+l] = row[l[3:0]];
      row = addr_mem[{buffer, 2'd3}];
      for (int unsigned l = 0; l < 16; l++) near[48+l] = row[l[3:0]];
    end
    if (op.kind != KIND_LOAD) begin
      row = data_mem[data_row(2'd0)];
      for (int unsigned l = 0; l < 16; l++) data[l] = row[l[3:0]];
      row = data_mem[data_row(2'd1)];
      for (int unsigned l = 0; l < 16; l++) data[16+l] = row[l[3:0]];
      row = data_mem[data_row(2'd2)];
      for (int unsigned l = 0; l < 16; l++) data[32+l] = row[l[3:0]];
      row = data_mem[data_row(2'd3)];
      for (int unsigned l = 0; l < 16; l++) data[48+l] = row[l[3:0]];
    end
  endtask

  // Row k of a group's data: words of one beat; two beats of two words; or all beats of one word (lane exchange).
  function automatic logic [6:0] data_row(input logic [1:0] k);
    if (exchange) return {2'd0, buffer, k};
    if (op.log_slots != 2'd0) return {k ^ {second, 1'b0}, buffer, beat};
    return {1'b0, k[1] ^ second, buffer, beat | {1'b0, k[0]}};
  endfunction

  // Words of a group: byte addresses and bounds.
  task automatic prepare_group();
    offset = second ? op.offset1 : op.offset0;
    mask = ~(op.bytes == 5'd12 ? 32'd15 : 32'(op.bytes) - 32'd1);
    lanes = 32'(op.exec >> {beat, 4'd0});
    if (op.log_slots == 2'd2) lanes = lanes >> {group[0], 3'd0};
    if (!op.limit_ok) lanes = '0;
    case (op.log_slots)
      2'd0: begin
        for (int unsigned s = 0; s < 32; s++) begin
          effective = (near[s] + offset) & mask;
          slot[s] = (effective + 32'(op.base)) & (Bytes - 32'd1);
          pending = pending | (32'(effective <= 32'(op.last) || SeedFault == 4'd3) << s);
        end
        pending = pending & lanes;
      end
      2'd1: begin
        for (int unsigned s = 0; s < 32; s++) begin
          effective = (near[s>>1] + offset) & mask;
          slot[s] = (effective + 32'(op.base) + ((s & 32'd1) << 2)) & (Bytes - 32'd1);
          value = (lanes >> (s >> 1)) & 32'd1;
          pending = pending | ((32'(effective <= 32'(op.last) || SeedFault == 4'd3) & value) << s);
        end
      end
      default: begin
        for (int unsigned s = 0; s < 32; s++) begin
          effective = (near[(s>>2)+{28'd0, group[0], 3'd0}] + offset) & mask;
          slot[s] = (effective + 32'(op.base) + ((s & 32'd3) << 2)) & (Bytes - 32'd1);
          value = (lanes >> (s >> 2)) & 32'((s & 32'd3) < 32'(op.slots));
          pending = pending | ((32'(effective <= 32'(op.last) || SeedFault == 4'd3) & value) << s);
        end
      end
    endcase
  endtask

  // Operands of the words of a group.
  task automatic order_operands();
    case (op.log_slots)
      2'd0: begin
        for (int unsigned l = 0; l < 32; l++) begin
          give[l] = data[l];
          more[l] = data[32+l];
        end
      end
      2'd1: begin
        for (int unsigned l = 0; l < 16; l++) begin
          give[2*l] = data[l];
          give[2*l+1] = data[16+l];
          more[2*l] = data[32+l];
          more[2*l+1] = data[48+l];
        end
      end
      default: for (int unsigned l = 0; l < 32; l++) give[l] = data[{26'd0, l[1:0], group[0], l[4:2]}];
    endcase
  endtask

  // Lane exchange, 32 lanes a group: the words of the group are the results; a scatter is made whole each time.
  task automatic exchange_lanes();
    if (op.kind == KIND_PERMUTE) begin
      for (int unsigned l = 0; l < 64; l++) swap[l] = '0;
      for (int unsigned l = 0; l < 64; l++) begin
        value = ((near[l] + op.offset0) >> 2) & 32'd63;
        swap[op.exec[l[5:0]]?value : 32'd64] = data[l];
      end
      for (int unsigned s = 0; s < 32; s++) give[s] = swap[{26'd0, group[0], s[4:0]}];
    end else begin
      for (int unsigned s = 0; s < 32; s++) begin
        want = {26'd0, group[0], s[4:0]};
        want = op.kind == KIND_SWIZZLE ? swizzle(want, op.offset0) : (near[want] + op.offset0) >> 2;
        value = op.kind == KIND_SWIZZLE ? near[want&32'd63] : data[want&32'd63];
        give[s] = op.exec[want[5:0]] ? value : 32'd0;
      end
    end
  endtask
