// SPDX-License-Identifier: Apache-2.0
// What the dispatchers send to the CUs: a CU_WAVE for each wavefront of the groups that were granted, one a cycle and
// dispatcher, one a cycle and CU; the hub's commands go first.  Each dispatcher has room for two groups, the one being
// sent and the next.  Responsible for: everything a wavefront is told (S3.7: the CU allocates nothing).  Not responsible
// for: where it goes (walk, pool), when the next group is tried.
`include "gantry_assert.svh"

module dispatch_send
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned Simds = 4,
  parameter int unsigned Dispatchers = 8
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // <- hub: launches, commands for CUs
  input  logic                    launch_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // below Dispatchers; some fields matter only to the walk
  input  dispatcher_t             launch_who_i,
  input  cp_cmd_t                 launch_i,
  input  cu_t                     hub_cu_i,                     // below Cus
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                    hub_valid_i,                  // one cycle each, taken at once
  input  logic   [           7:0] hub_kind_i,
  input  logic   [           7:0] hub_vmid_i,
  input  logic   [          63:0] hub_tba_i,                    // of CU_TRAP
  input  logic   [          63:0] hub_tma_i,
  // <- walk: a group, when there is room
  input  logic                    grant_valid_i,
  input  grant_t                  grant_i,
  input  spot_t                   spots_i         [MaxWaves],
  output logic [Dispatchers-1:0]  sent_o,                       // a group of the dispatcher has been sent whole
  // <- agent
  input  logic                    hold_i,                       // no wavefront leaves; commands of the hub do
  // -> CUs
  output logic   [       Cus-1:0] cu_cmd_valid_o,
  output cu_cmd_t                 cu_cmd_o        [Cus],
  output logic                    idle_o
);
  localparam int unsigned Cw = Cus > 1 ? $clog2(Cus) : 1;
  localparam int unsigned Dw = Dispatchers > 1 ? $clog2(Dispatchers) : 1;
  typedef logic [Dw-1:0] index_t;

  cp_cmd_t cmd[Dispatchers];
  // two places a dispatcher, the older group in `place`
  grant_t group[Dispatchers*2];
  spot_t spots[Dispatchers*2*MaxWaves];
  logic [1:0] held[Dispatchers];
  logic [Dispatchers-1:0] place, sending;
  logic [3:0] number[Dispatchers];  // of the wavefront to be sent
  index_t first, d;  // who is looked at first
  logic [Cus-1:0] taken;
  logic [Dispatchers-1:0] over;
  logic told, hindered;
  logic [Dw:0] at;
  logic [Dw+4:0] spot_at;

  /* verilator lint_off UNUSEDSIGNAL */  // of the launch: some fields matter only to the walk
  // The message of wavefront n of a group.
  function automatic cu_cmd_t wave_of(input cp_cmd_t c, input grant_t g, input spot_t spot, input logic [3:0] n);
    /* verilator lint_on UNUSEDSIGNAL */
    logic [10:0] items_left;
    logic [4:0] sgprs;
    logic [15:0] position;
    items_left = g.items - {1'b0, n, 6'd0};
    position   = 16'(32'(g.cu) * ScratchPerCu + 32'(spot.slot) * Simds + 32'(spot.simd));
    wave_of               = '0;
    wave_of.kind          = CU_WAVE;
    wave_of.vmid          = c.vmid;
    wave_of.wave          = {2'b00, spot.simd, spot.slot};
    wave_of.launch        = 8'(g.who);
    wave_of.group         = 8'(g.group);
    wave_of.group_waves   = 8'(g.waves);
    wave_of.wave_in_group = 8'(n);
    wave_of.vgpr_items    = c.vgpr_items;
    wave_of.vgpr_base     = 16'(32'(spot.vgpr) * VgprGranule);
    wave_of.vgprs         = c.vgprs;
    wave_of.sgpr_base     = 16'(32'(spot.sgpr) * SgprGranule);
    wave_of.sgprs         = c.sgprs;
    wave_of.lds_base      = 32'(g.lds) * LdsGranule;
    wave_of.lds_bytes     = c.lds_bytes;
    wave_of.scratch_base  = c.root[39:8];
    wave_of.pc            = c.pc;
    wave_of.exec          = pick_pkg::ones64(items_left >= 11'd64 ? 7'd64 : items_left[6:0]);
    wave_of.group_size[0] = g.ax;
    wave_of.group_size[1] = g.ay;
    wave_of.group_size[2] = g.az;
    wave_of.recip_x       = 32'(g.recip_x);
    wave_of.recip_y       = 32'(g.recip_y);
    wave_of.mode          = c.rsrc1[19:12];
    wave_of.ieee          = {6'd0, c.rsrc1[21], c.rsrc1[23]};
    for (int unsigned i = 0; i < 16; i++) wave_of.sgpr[i] = c.user_sgpr[i];
    sgprs = c.user_sgprs[4:0];
    if (c.sys_sgprs[0]) begin
      wave_of.sgpr[sgprs] = g.x;
      sgprs               = sgprs + 5'd1;
    end
    if (c.sys_sgprs[1]) begin
      wave_of.sgpr[sgprs] = g.y;
      sgprs               = sgprs + 5'd1;
    end
    if (c.sys_sgprs[2]) begin
      wave_of.sgpr[sgprs] = g.z;
      sgprs               = sgprs + 5'd1;
    end
    if (c.sys_sgprs[3]) begin
      wave_of.sgpr[sgprs] = {n == 4'd0, 26'd0, g.waves};
      sgprs               = sgprs + 5'd1;
    end
    if (c.sys_sgprs[4]) begin
      wave_of.sgpr[sgprs] = 32'(position) * c.scratch_wave_bytes;
      sgprs               = sgprs + 5'd1;
    end
    wave_of.init_sgprs = 8'(sgprs);
  endfunction

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    cu_cmd_valid_o <= '0;
    taken    = '0;
    over     = '0;
    hindered = 1'b0;
    told     = hub_valid_i || (sending != '0 && !hold_i) || grant_valid_i;  // another block or a CU hears of this cycle
    if (hub_valid_i) begin
      taken[Cw'(hub_cu_i)] = 1'b1;
      cu_cmd_o[Cw'(hub_cu_i)] <= cu_cmd_t'(cu_trap_t'{
          kind: hub_kind_i,
          vmid: hub_vmid_i,
          tba: hub_tba_i,
          tma: hub_tma_i,
          default: '0
      });
      cu_cmd_valid_o[Cw'(hub_cu_i)] <= 1'b1;
    end
    // ---- one wavefront of each dispatcher
    if (sending != '0 && !hold_i) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        d  = 32'(first) + i >= Dispatchers ? index_t'(32'(first) + i - Dispatchers) : index_t'(32'(first) + i);
        at = {d, place[d]};
        if (sending[d] && taken[Cw'(group[at].cu)]) begin
          hindered = 1'b1;
        end else if (sending[d]) begin
          `GANTRY_CHECK(a_wave, held[d] != 2'd0 && 5'(number[d]) < group[at].waves && 32'(group[at].cu) < Cus)
          spot_at = {at, number[d]};
          cu_cmd_o[Cw'(group[at].cu)]       <= wave_of(cmd[d], group[at], spots[spot_at], number[d]);
          cu_cmd_valid_o[Cw'(group[at].cu)] <= 1'b1;
          taken[Cw'(group[at].cu)] = 1'b1;
          over[d]   = 5'(number[d]) + 5'd1 == group[at].waves;
          number[d] = over[d] ? 4'd0 : number[d] + 4'd1;
          if (over[d]) begin
            place[d]   = !place[d];
            held[d]    = held[d] - 2'd1;
            sending[d] = held[d] != 2'd0;
          end
        end
      end
    end
    if (hindered) first = 32'(first) + 32'd1 == Dispatchers ? index_t'(0) : first + 1'b1;
    // ---- a group: behind the one that is being sent
    if (grant_valid_i) begin
      d = index_t'(grant_i.who);
      `GANTRY_CHECK(a_room, held[d] != 2'd2)
      at = {d, place[d] ^ held[d][0]};
      group[at] = grant_i;
      for (int unsigned i = 0; i < MaxWaves; i++) spots[{at, 4'(i)}] = spots_i[i];
      held[d]    = held[d] + 2'd1;
      sending[d] = 1'b1;
    end
    // ---- a new launch
    if (launch_valid_i) begin
      `GANTRY_CHECK(a_launch, held[index_t'(launch_who_i)] == 2'd0)  // nothing of the dispatcher's last one is left
      cmd[index_t'(launch_who_i)] = launch_i;
    end
    sent_o <= over;
    idle_o <= !told && (sending == '0 || hold_i) && !launch_valid_i;
    if (!rst_ni) begin
      sending = '0;
      place   = '0;
      first   = '0;
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        held[i]   = 2'd0;
        number[i] = 4'd0;
      end
      cu_cmd_valid_o <= '0;
      sent_o         <= '0;
      idle_o         <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
