// SPDX-License-Identifier: Apache-2.0
// The dispatcher: walks the work-groups of the launches in its table (x fastest), tries CUs in turn for each group at
// the resource pool, sends one CU_WAVE a wavefront.  A group of 1 to 4 wavefronts takes GroupCycles, one of 5 to 16
// takes 1.03 N + 0.02 cycles (S3.1 to S3.3).  A launch that fits in no CU steps back until something is freed (S3.8);
// others go on.  Also sends the hub's commands to CUs, since it owns their channels.  Not responsible for: resources
// (pool), completion (events), the CU (it allocates nothing).
`include "gantry_assert.svh"

module dispatch_walk
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned Simds = 4,
  parameter int unsigned GroupCycles = 4
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // <- hub: launch table, kills, commands for CUs
  input  logic                       launch_valid_i,
  input  launch_t                    launch_slot_i,
  input  cp_cmd_t                    launch_i,
  input  logic                       kill_valid_i,     // launches of kill_vmid_i start nothing more
  input  logic     [            7:0] kill_vmid_i,
  output logic                       quiet_o,          // no group is being placed or sent
  input  logic                       hub_valid_i,      // one cycle each, taken at once
  /* verilator lint_off UNUSEDSIGNAL */
  input  cu_t                        hub_cu_i,         // below Cus
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic     [            7:0] hub_kind_i,
  input  logic     [            7:0] hub_vmid_i,
  input  logic     [           63:0] hub_tba_i,        // of CU_TRAP
  input  logic     [           63:0] hub_tma_i,
  // <-> pool
  output logic                       req_valid_o,
  output pool_req_t                  req_o,
  input  place_t   [      Simds-1:0] place_i,
  input  logic     [            1:0] first_i,
  input  logic                       done_i,
  input  logic                       ok_i,
  input  group_t                     group_i,
  input  lds_t                       lds_i,
  // <-> events
  input  logic                       freed_valid_i,    // something became free in freed_cu_i
  input  cu_t                        freed_cu_i,
  output logic                       started_valid_o,
  output started_t                   started_o,
  output logic     [MaxLaunches-1:0] dispatched_o,     // all groups of the launch have been started
  // -> CUs
  output logic     [        Cus-1:0] cu_cmd_valid_o,
  output cu_cmd_t                    cu_cmd_o [Cus],
  output logic                       idle_o,
  output logic     [           31:0] groups_o,         // counters
  output logic     [           31:0] blocked_o
);
  localparam int unsigned Cw = Cus > 1 ? $clog2(Cus) : 1;

  typedef struct packed {  // a group whose places are known, on its way to the CU
    launch_t launch;
    cu_t cu;
    logic [31:0] x, y, z;
    logic [15:0] ax, ay, az;
    logic [31:0] recip_x, recip_y;
    logic [10:0] items;
    logic [4:0] waves;
    group_t group;
    lds_t lds;
    logic last;  // of the launch
  } group_info_t;
  typedef struct packed {
    logic [1:0] simd;
    logic [3:0] slot;
    granule_t vgpr;
    granule_t sgpr;
  } spot_t;

  // Scratch memory of a queue has room for scratch_waves wavefronts, ScratchPerCu in each CU from the first one on: a
  // wavefront that uses it must stand at a position of its CU (slot * Simds + SIMD) whose number is below that.  64: it
  // may stand anywhere.
  localparam int unsigned ScratchPerCu = 32;  // max_slots_scratch_cu of the topology
  function automatic logic [6:0] scratch_positions(input logic [31:0] wave_bytes, input logic [31:0] waves,
                                                   input cu_t at);
    logic [31:0] first;
    first = 32'(at) * ScratchPerCu;
    if (wave_bytes == 32'd0) return 7'd64;
    if (waves <= first) return 7'd0;
    return waves - first < ScratchPerCu ? 7'(waves - first) : 7'(ScratchPerCu);
  endfunction

  // launch table and the walk's place in it
  cp_cmd_t cmd[MaxLaunches];
  logic [31:0] gx[MaxLaunches], gy[MaxLaunches], gz[MaxLaunches];
  logic [31:0] rx[MaxLaunches], ry[MaxLaunches], rz[MaxLaunches];  // items from the group's begin to the grid's end
  logic [63:0] nofit[MaxLaunches];  // CUs in which the next group found no room
  logic [31:0] part_x[MaxLaunches], part_y[MaxLaunches];  // recip of the clipped size
  logic [MaxLaunches-1:0] todo, blocked, killed;
  logic [MaxLaunches-1:0] ready, dispatched;
  logic [63:0] cus;

  // division for clipped groups: recip = ceil(2^20 / size), one bit a cycle
  logic [MaxLaunches-1:0] need_x, need_y;
  logic div_busy, div_y;
  launch_t div_launch;
  logic [4:0] div_bit;
  logic [15:0] div_size;
  logic [31:0] div_rest, div_quotient;

  // the group being tried, and the one being sent
  logic trying, have_next, sending;
  launch_t turn, l;
  cu_t cu_turn, cu;
  group_info_t try_info, next_info, send_info;
  spot_t try_spots[16], next_spots[16], send_spots[16];
  logic [4:0] try_count;
  logic [3:0] send_wave;
  logic [15:0] wait_q;  // hundredths of a cycle until the next group may be tried
  logic [15:0] late;  // hundredths by which the last try was held up
  logic [15:0] lead;
  logic [15:0] fraction;  // wait_q before the try
  cu_cmd_t wave;
  logic [31:0] info_word;
  logic [10:0] items_left;
  logic [4:0] sgpr_n;
  /* verilator lint_off UNUSEDSIGNAL */
  cp_cmd_t c;  // of the launch being sent; some fields matter only to the walk
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0] wave_number;
  logic last_x, last_y, last_z, told;

  function automatic logic [15:0] clip(input logic [15:0] size, input logic [31:0] rest);
    return rest < 32'(size) ? rest[15:0] : size;
  endfunction

  // Items of the last group of a dimension.
  function automatic logic [15:0] clip_last(input logic [31:0] grid, input logic [31:0] groups,
                                            input logic [15:0] size);
    return 16'(grid - (groups - 32'd1) * 32'(size));
  endfunction

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    started_valid_o <= 1'b0;
    cu_cmd_valid_o  <= '0;
    told = sending || hub_valid_i;  // another block or a CU hears of this cycle
    if (freed_valid_i) begin
      blocked = '0;
      for (int unsigned i = 0; i < MaxLaunches; i++) nofit[i] = nofit[i] & ~(64'd1 << freed_cu_i);
    end

    // ---- send: one wavefront a cycle; commands of the hub first
    if (hub_valid_i) begin
      wave       = '0;
      wave.kind  = hub_kind_i;
      wave.vmid  = hub_vmid_i;
      wave.pc    = hub_tba_i;
      wave.exec  = hub_tma_i;
      cu_cmd_o[Cw'(hub_cu_i)]       <= wave;
      cu_cmd_valid_o[Cw'(hub_cu_i)] <= 1'b1;
    end else if (sending) begin
      `GANTRY_CHECK(a_wave, 5'(send_wave) < send_info.waves)
      c           = cmd[send_info.launch];
      items_left  = send_info.items - {1'b0, send_wave, 6'd0};
      info_word   = {send_wave == 4'd0, 25'd0, 1'b0, send_info.waves};
      wave_number = 16'(32'(send_info.cu) * ScratchPerCu + 32'(send_spots[send_wave].slot) * Simds
                        + 32'(send_spots[send_wave].simd));
      wave                = '0;
      wave.kind           = CU_WAVE;
      wave.vmid           = c.vmid;
      wave.wave           = {2'b00, send_spots[send_wave].simd, send_spots[send_wave].slot};
      wave.launch         = 8'(send_info.launch);
      wave.group          = 8'(send_info.group);
      wave.group_waves    = 8'(send_info.waves);
      wave.wave_in_group  = 8'(send_wave);
      wave.vgpr_items     = c.vgpr_items;
      wave.vgpr_base      = 16'(32'(send_spots[send_wave].vgpr) * VgprGranule);
      wave.vgprs          = c.vgprs;
      wave.sgpr_base      = 16'(32'(send_spots[send_wave].sgpr) * SgprGranule);
      wave.sgprs          = c.sgprs;
      wave.lds_base       = 32'(send_info.lds) * LdsGranule;
      wave.lds_bytes      = c.lds_bytes;
      wave.scratch_base   = c.root[39:8];
      wave.pc             = c.pc;
      wave.exec           = pick_pkg::ones64(items_left >= 11'd64 ? 7'd64 : items_left[6:0]);
      wave.group_size[0]  = send_info.ax;
      wave.group_size[1]  = send_info.ay;
      wave.group_size[2]  = send_info.az;
      wave.recip_x        = send_info.recip_x;
      wave.recip_y        = send_info.recip_y;
      wave.mode           = c.rsrc1[19:12];
      wave.ieee           = {6'd0, c.rsrc1[21], c.rsrc1[23]};
      for (int unsigned i = 0; i < 16; i++) wave.sgpr[i] = c.user_sgpr[i];
      sgpr_n = c.user_sgprs[4:0];
      if (c.sys_sgprs[0]) begin
        wave.sgpr[sgpr_n] = send_info.x;
        sgpr_n            = sgpr_n + 5'd1;
      end
      if (c.sys_sgprs[1]) begin
        wave.sgpr[sgpr_n] = send_info.y;
        sgpr_n            = sgpr_n + 5'd1;
      end
      if (c.sys_sgprs[2]) begin
        wave.sgpr[sgpr_n] = send_info.z;
        sgpr_n            = sgpr_n + 5'd1;
      end
      if (c.sys_sgprs[3]) begin
        wave.sgpr[sgpr_n] = info_word;
        sgpr_n            = sgpr_n + 5'd1;
      end
      if (c.sys_sgprs[4]) begin
        wave.sgpr[sgpr_n] = 32'(wave_number) * c.scratch_wave_bytes;
        sgpr_n            = sgpr_n + 5'd1;
      end
      wave.init_sgprs = 8'(sgpr_n);
      cu_cmd_o[Cw'(send_info.cu)]       <= wave;
      cu_cmd_valid_o[Cw'(send_info.cu)] <= 1'b1;
      started_valid_o <= 1'b1;
      started_o <= '{
          cu: send_info.cu,
          simd: send_spots[send_wave].simd,
          slot: send_spots[send_wave].slot,
          launch: send_info.launch,
          vgpr: send_spots[send_wave].vgpr,
          sgpr: send_spots[send_wave].sgpr,
          first: send_wave == 4'd0,
          barrier: send_info.waves > 5'd1,
          group: send_info.group,
          waves: send_info.waves,
          lds: send_info.lds
      };
      sending   = 5'(send_wave) + 5'd1 != send_info.waves;
      send_wave = send_wave + 4'd1;
      if (!sending && send_info.last) dispatched[send_info.launch] = 1'b1;
    end
    if (!sending && have_next) begin
      sending   = 1'b1;
      have_next = 1'b0;
      send_wave = 4'd0;
      send_info = next_info;
      for (int unsigned i = 0; i < 16; i++) send_spots[i] = next_spots[i];
    end

    // ---- answer of the pool
    if (trying) begin
      for (int unsigned s = 0; s < Simds; s++) begin
        if (place_i[s].valid) begin
          `GANTRY_CHECK(a_places, try_count < try_info.waves)
          try_spots[try_count[3:0]] = '{
              simd: 2'((32'(first_i) + s) % Simds),
              slot: place_i[s].slot,
              vgpr: place_i[s].vgpr,
              sgpr: place_i[s].sgpr
          };
          try_count = try_count + 5'd1;
        end
      end
      if (done_i) begin
        trying      = 1'b0;
        req_valid_o <= 1'b0;
        l           = try_info.launch;
        if (ok_i) begin
          `GANTRY_CHECK(a_whole, try_count == try_info.waves && !have_next)  // a place for each wavefront of the group
          have_next       = 1'b1;
          next_info       = try_info;
          next_info.group = group_i;
          next_info.lds   = lds_i;
          for (int unsigned i = 0; i < 16; i++) next_spots[i] = try_spots[i];
          groups_o <= groups_o + 32'd1;
          todo[l]  = !try_info.last && !killed[l];
          // next group of this launch, x fastest
          last_x   = gx[l] + 32'd1 == cmd[l].groups[0];
          last_y   = gy[l] + 32'd1 == cmd[l].groups[1];
          gx[l]    = last_x ? 32'd0 : gx[l] + 32'd1;
          rx[l]    = last_x ? cmd[l].grid[0] : rx[l] - 32'(cmd[l].group[0]);
          if (last_x) begin
            gy[l] = last_y ? 32'd0 : gy[l] + 32'd1;
            ry[l] = last_y ? cmd[l].grid[1] : ry[l] - 32'(cmd[l].group[1]);
            if (last_y) begin
              gz[l] = gz[l] + 32'd1;
              rz[l] = rz[l] - 32'(cmd[l].group[2]);
            end
          end
          cu_turn = 32'(try_info.cu) + 32'd1 == Cus ? 6'd0 : try_info.cu + 6'd1;
        end else begin
          wait_q = fraction;
        end
        if (!ok_i && !(freed_valid_i && freed_cu_i == try_info.cu)) begin
          nofit[l][try_info.cu] = 1'b1;
          if ((cmd[l].cu_mask[Cus-1:0] & ~nofit[l][Cus-1:0]) == '0) begin
            blocked[l] = 1'b1;
            blocked_o <= blocked_o + 32'd1;
            turn       = l + 3'd1;
          end
        end
      end
    end

    // ---- reciprocals of clipped sizes
    if (div_busy) begin
      div_rest     = {div_rest[30:0], div_bit == 5'd20};
      div_quotient = {div_quotient[30:0], div_rest >= 32'(div_size)};
      if (div_rest >= 32'(div_size)) div_rest = div_rest - 32'(div_size);
      if (div_bit == 5'd0) begin
        div_quotient = div_quotient + 32'(div_rest != 32'd0);
        if (div_y) part_y[div_launch] = div_quotient;
        else part_x[div_launch] = div_quotient;
        if (div_y) need_y[div_launch] = 1'b0;
        else need_x[div_launch] = 1'b0;
        div_busy = 1'b0;
      end
      div_bit = div_bit - 5'd1;
    end else if ((need_x | need_y) != '0) begin
      div_y        = need_x == '0;
      div_launch   = 3'(pick_pkg::first64(64'(div_y ? need_y : need_x)));
      div_size     = div_y ? clip_last(cmd[div_launch].grid[1], cmd[div_launch].groups[1], cmd[div_launch].group[1])
                           : clip_last(cmd[div_launch].grid[0], cmd[div_launch].groups[0], cmd[div_launch].group[0]);
      div_busy     = 1'b1;
      div_bit      = 5'd20;
      div_rest     = 32'd0;
      div_quotient = 32'd0;
    end

    // ---- try the next group
    if (wait_q >= 16'd100) wait_q = wait_q - 16'd100;
    // a CU refused: the next groups make up for it
    if (wait_q < 16'd100 && (trying || have_next) && late < 16'd1600) late = late + 16'd100;
    if (kill_valid_i) begin
      for (int unsigned i = 0; i < MaxLaunches; i++) begin
        if (cmd[i].vmid == kill_vmid_i) begin
          todo[i]   = 1'b0;
          killed[i] = 1'b1;
        end
      end
    end
    ready = todo & ~blocked & ~need_x & ~need_y;
    if (!trying && !have_next && ready != '0 && wait_q < 16'd100 && !kill_valid_i) begin
      l = 3'(pick_pkg::rr64(64'(ready), 6'(turn)));
      if (!ready[turn]) turn = l;
      cus = cmd[l].cu_mask & ~nofit[l] & pick_pkg::ones64(7'(Cus));
      if (cus != 64'd0) begin  // else: blocked was set when the last CU refused
        cu               = pick_pkg::rr64(cus, cu_turn);
        trying           = 1'b1;
        try_count        = 5'd0;
        last_x           = gx[l] + 32'd1 == cmd[l].groups[0];
        last_y           = gy[l] + 32'd1 == cmd[l].groups[1];
        last_z           = gz[l] + 32'd1 == cmd[l].groups[2];
        try_info.launch  = l;
        try_info.cu      = cu;
        try_info.x       = gx[l];
        try_info.y       = gy[l];
        try_info.z       = gz[l];
        try_info.ax      = clip(cmd[l].group[0], rx[l]);
        try_info.ay      = clip(cmd[l].group[1], ry[l]);
        try_info.az      = clip(cmd[l].group[2], rz[l]);
        try_info.recip_x = rx[l] < 32'(cmd[l].group[0]) ? part_x[l] : cmd[l].recip_x;
        try_info.recip_y = ry[l] < 32'(cmd[l].group[1]) ? part_y[l] : cmd[l].recip_y;
        try_info.items   = 11'(try_info.ax * try_info.ay * try_info.az);
        try_info.waves   = 5'((try_info.items + 11'd63) >> 6);
        try_info.group   = 6'd0;
        try_info.lds     = 7'd0;
        try_info.last    = last_x && last_y && last_z;
        fraction         = wait_q;
        wait_q = wait_q + (try_info.waves <= 5'd4 ? 16'(GroupCycles * 100) : 16'd103 * 16'(try_info.waves) + 16'd2);
        lead   = wait_q < late ? wait_q : late;
        wait_q = wait_q - lead;
        late   = late - lead;
        `GANTRY_CHECK(a_cu, 32'(cu) < Cus && cmd[l].cu_mask[cu])
        `GANTRY_CHECK(a_group, gx[l] < cmd[l].groups[0] && gy[l] < cmd[l].groups[1] && gz[l] < cmd[l].groups[2])
        `GANTRY_CHECK(a_items, try_info.items != 11'd0 && try_info.items <= 11'd1024)
        req_valid_o <= 1'b1;
        req_o <= '{
            cu: cu,
            waves: try_info.waves,
            vgprs: 7'((32'(cmd[l].vgprs) + VgprGranule - 1) / VgprGranule),
            sgprs: 7'((32'(cmd[l].sgprs) + SgprGranule - 1) / SgprGranule),
            lds: 8'((cmd[l].lds_bytes + LdsGranule - 1) / LdsGranule),
            barrier: try_info.waves > 5'd1,
            positions: scratch_positions(cmd[l].scratch_wave_bytes, cmd[l].scratch_waves, cu)
        };
      end
    end

    // ---- a new launch
    if (launch_valid_i) begin
      l             = launch_slot_i;
      // nothing of the slot's last launch is left
      `GANTRY_CHECK(a_slot, !todo[l] && !(trying && try_info.launch == l) && !(have_next && next_info.launch == l)
                            && !(sending && send_info.launch == l))
      cmd[l]        = launch_i;
      gx[l]         = 32'd0;
      gy[l]         = 32'd0;
      gz[l]         = 32'd0;
      rx[l]         = launch_i.grid[0];
      ry[l]         = launch_i.grid[1];
      rz[l]         = launch_i.grid[2];
      nofit[l]      = 64'd0;
      blocked[l]    = 1'b0;
      todo[l]       = launch_i.groups[0] != 32'd0 && launch_i.groups[1] != 32'd0 && launch_i.groups[2] != 32'd0;
      dispatched[l] = !todo[l];
      killed[l]     = 1'b0;
      need_x[l] = clip_last(launch_i.grid[0], launch_i.groups[0], launch_i.group[0]) != launch_i.group[0];
      need_y[l] = clip_last(launch_i.grid[1], launch_i.groups[1], launch_i.group[1]) != launch_i.group[1];
    end
    dispatched_o <= dispatched;
    quiet_o <= !(trying && killed[try_info.launch]) && !(have_next && killed[next_info.launch])
               && !(sending && killed[send_info.launch]);
    idle_o  <= !told && !trying && !have_next && !sending && !hub_valid_i && !launch_valid_i && !div_busy
               && (need_x | need_y) == '0
               && wait_q < 16'd100 && (todo & ~blocked) == '0;
    if (!rst_ni) begin
      todo       = '0;
      blocked    = '0;
      dispatched = '0;
      trying     = 1'b0;
      have_next  = 1'b0;
      sending    = 1'b0;
      div_busy   = 1'b0;
      need_x     = '0;
      need_y     = '0;
      killed     = '0;
      turn       = 3'd0;
      cu_turn    = 6'd0;
      wait_q     = 16'd0;
      late       = 16'd0;
      req_valid_o     <= 1'b0;
      started_valid_o <= 1'b0;
      cu_cmd_valid_o  <= '0;
      dispatched_o    <= '0;
      groups_o        <= 32'd0;
      blocked_o       <= 32'd0;
      quiet_o         <= 1'b1;
      idle_o          <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_one_message, $onehot0(cu_cmd_valid_o))
  // the events hear only of wavefronts that a CU gets
  `GANTRY_ASSERT(a_started, `GANTRY_IMPL(started_valid_o, cu_cmd_valid_o != '0))
endmodule
