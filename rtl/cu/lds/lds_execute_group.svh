// SPDX-License-Identifier: Apache-2.0
// Part of lds_execute: what a group of 32 words consists of, from the operand rows: byte addresses, bounds, operands,
// and the result of a lane exchange.  Not responsible for: banks and passes (lds_execute_pass.svh).

  // Row k of the memory of the pair being served.
  task automatic read_row(input logic [6:0] k);
    if (pair) row = row1_mem[k];
    else row = row0_mem[k];
  endtask

  // Rows of a group: which beats, whether it is one of the second element.
  task automatic fetch_rows();
    logic [3:0] half;
    half = 4'd2 << ctl.log_slots;
    second = group >= half;
    half = group & (half - 4'd1);
    beat = ctl.log_slots == 2'd0 ? {half[0], 1'b0} : ctl.log_slots == 2'd1 ? half[1:0] : half[2:1];
    if (exchange) beat = 2'd0;
    read_row({3'd0, buffer, beat});
    for (int unsigned l = 0; l < 16; l++) near[l] = row[l[3:0]];
    if (ctl.log_slots == 2'd0) begin
      read_row({3'd0, buffer, beat | 2'd1});
      for (int unsigned l = 0; l < 16; l++) near[16+l] = row[l[3:0]];
    end
    if (exchange) begin
      read_row({3'd0, buffer, 2'd2});
      for (int unsigned l = 0; l < 16; l++) near[32+l] = row[l[3:0]];
      read_row({3'd0, buffer, 2'd3});
      for (int unsigned l = 0; l < 16; l++) near[48+l] = row[l[3:0]];
    end
    if (ctl.kind != KIND_LOAD) begin
      read_row(data_row(2'd0));
      for (int unsigned l = 0; l < 16; l++) data[l] = row[l[3:0]];
      read_row(data_row(2'd1));
      for (int unsigned l = 0; l < 16; l++) data[16+l] = row[l[3:0]];
      read_row(data_row(2'd2));
      for (int unsigned l = 0; l < 16; l++) data[32+l] = row[l[3:0]];
      read_row(data_row(2'd3));
      for (int unsigned l = 0; l < 16; l++) data[48+l] = row[l[3:0]];
    end
  endtask

  // Row k of a group's data: words of one beat; two beats of two words; or all beats of one word (lane exchange).
  function automatic logic [6:0] data_row(input logic [1:0] k);
    if (exchange) return {3'b100, buffer, k};
    if (ctl.log_slots != 2'd0) return {1'b1, k ^ {second, 1'b0}, buffer, beat};
    return {2'b10, k[1] ^ second, buffer, beat | {1'b0, k[0]}};
  endfunction

  // Words of a group: byte addresses and bounds.
  task automatic prepare_group();
    logic [31:0] offset, mask, lanes, base, last, legal, effective, below;
    offset = second ? op.offset1 : op.offset0;
    mask = ~(ctl.bytes == 5'd12 ? 32'd15 : 32'(ctl.bytes) - 32'd1);
    lanes = 32'(op.exec >> {beat, 4'd0});
    if (ctl.log_slots == 2'd2) lanes = lanes >> {group[0], 3'd0};
    if (!ctl.limit_ok) lanes = '0;
    base = 32'(op.base);
    last = 32'(op.last);
    legal = '0;
    case (ctl.log_slots)
      2'd0: begin
        for (int unsigned s = 0; s < 32; s++) begin
          effective = (near[s] + offset) & mask;
          slot[s] = (effective + base) & (Bytes - 32'd1);
          legal = legal | (32'(effective <= last || SeedFault == 4'd3) << s);
        end
        legal = legal & lanes;
      end
      2'd1: begin
        for (int unsigned s = 0; s < 32; s++) begin
          effective = (near[s>>1] + offset) & mask;
          slot[s] = (effective + base + ((s & 32'd1) << 2)) & (Bytes - 32'd1);
          below = (lanes >> (s >> 1)) & 32'd1;
          legal = legal | ((32'(effective <= last || SeedFault == 4'd3) & below) << s);
        end
      end
      default: begin
        for (int unsigned s = 0; s < 32; s++) begin
          effective = (near[(s>>2)+{28'd0, group[0], 3'd0}] + offset) & mask;
          slot[s] = (effective + base + ((s & 32'd3) << 2)) & (Bytes - 32'd1);
          below = (lanes >> (s >> 2)) & 32'((s & 32'd3) < 32'(ctl.slots));
          legal = legal | ((32'(effective <= last || SeedFault == 4'd3) & below) << s);
        end
      end
    endcase
    pending = legal;
  endtask

  // Operands of the words of a group.
  task automatic order_operands();
    case (ctl.log_slots)
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
    logic [31:0] want, value;
    if (ctl.kind == KIND_PERMUTE) begin
      for (int unsigned l = 0; l < 64; l++) swap[l] = '0;
      for (int unsigned l = 0; l < 64; l++) begin
        value = ((near[l] + op.offset0) >> 2) & 32'd63;
        swap[op.exec[l[5:0]]?value : 32'd64] = data[l];
      end
      for (int unsigned s = 0; s < 32; s++) give[s] = swap[{26'd0, group[0], s[4:0]}];
    end else begin
      for (int unsigned s = 0; s < 32; s++) begin
        want = {26'd0, group[0], s[4:0]};
        want = ctl.kind == KIND_SWIZZLE ? swizzle(want, op.offset0) : (near[want] + op.offset0) >> 2;
        value = ctl.kind == KIND_SWIZZLE ? near[want&32'd63] : data[want&32'd63];
        give[s] = op.exec[want[5:0]] ? value : 32'd0;
      end
    end
  endtask
