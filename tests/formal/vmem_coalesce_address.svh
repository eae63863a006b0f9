// SPDX-License-Identifier: Apache-2.0
// In place of rtl/cu/vmem/cu_vmem_address.svh in the proof of vmem_coalesce: the addresses of a beat are what the proof says, in
// vrd_data_i: [1] the bytes, [2][0] {lane that is followed, slot}, [2][1] its byte, [3][0] cycles until the next beat, [3][1] whether
// lanes may be a pair, where they can be: of a load, on a line or on the next one, none across them.
// Not responsible for: how addresses are made and what is wrong with them (tests/rtl/cu/vmem).

  task automatic prepare_beat();
    beat = step[1:0];
    part = step[3:2];
    exec16 = 32'(op.exec >> {beat, 4'd0}) & 32'hffff;
    for (int unsigned l = 0; l < 16; l++) begin
      lds_lane = cur == vrd_data_i[2][0][3:0] && {beat, l[3:0]} == vrd_data_i[2][0][9:4];
      lane_va[l] = {32'd0, lds_lane ? vrd_data_i[2][1] : vrd_data_i[1][l]};
    end
    spill = '0;
    for (int unsigned l = 0; l < 16; l++) spill = spill | (32'(lane_va[l][5:0] > 6'd60) << l);
    pending0 = exec16;
    pending1 = op.atomic ? 32'd0 : spill & exec16;
    hold = {5'd0, vrd_data_i[3][0][0]};
    va = lane_va[0] >> 6;
    other = lane_va[1] >> 6;
    successive = vrd_data_i[3][1][0] && pairs_i && !op.store && !op.atomic && pending1 == '0 &&
        (exec16[1:0] != '1 || other == va || other == va + 64'd1);
  endtask
