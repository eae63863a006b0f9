// SPDX-License-Identifier: Apache-2.0
// The dispatchers of a GPU: each walks the work-groups of its launch (x fastest) and tries CUs in turn for each group at the
// resource pool, which takes one try a cycle: of those that are ready the one of the highest priority, of equals the one
// whose last try is longest ago.  A group of 1 to 4 wavefronts takes a dispatcher GroupCycles, one of 5 to 16 takes
// 1.03 N + 0.02 cycles (S3.1 to S3.3), made up for where the pool or a CU had no room.  A launch that fits in no CU waits
// until something is freed in one that it may use (S3.8); others go on.  Who has waited for Patience cycles reserves the
// CU in which something is freed, and no other launch gets anything there until one of its groups is placed: a large
// group has its turn (S3.10).  When that takes 16 times as long, what runs there may be waiting for one of those that are
// kept out: the CU is open again, and it waits anew.  While the dispatchers are held (hold_i) no group is tried; the answers
// of tries under way are taken.
// Not responsible for: resources (pool), what CUs are told (send), completion (events).
`include "gantry_assert.svh"

module dispatch_walk
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned Simds = 4,
  parameter int unsigned Dispatchers = 8,
  parameter int unsigned GroupCycles = 4,
  parameter int unsigned Patience = 10000,
  parameter bit Fill = 1'b0                 // the first CU with room, not the next shader engine and its next CU
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [             31:0] cycle_i,
  // <- hub: launches, kills
  input  logic                     launch_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // below Dispatchers; some fields matter only to what CUs are told
  input  dispatcher_t              launch_who_i,
  input  cp_cmd_t                  launch_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                     kill_valid_i,           // launches of kill_vmid_i start nothing more
  input  logic [              7:0] kill_vmid_i,
  output logic                     quiet_o,                // no group of a killed launch is being placed or sent
  // <-> agent
  input  logic                     hold_i,                 // try no group
  output logic                     drained_o,              // none is being tried or sent
  // <- recip
  input  logic [  Dispatchers-1:0] recip_ready_i,
  input  logic [             20:0] part_x_i[Dispatchers],  // of the clipped size
  input  logic [             20:0] part_y_i[Dispatchers],
  // <-> pool
  output logic                     req_valid_o,            // held while busy_i
  output pool_req_t                req_o,
  input  logic                     busy_i,
  input  place_t [      Simds-1:0] place_i,
  input  logic [              1:0] first_i,
  input  logic                     done_i,
  input  logic                     ok_i,
  input  group_t                   group_i,
  input  lds_t                     lds_i,
  // <- events: something became free in these CUs
  input  logic [          Cus-1:0] freed_i,
  // -> send, events: a group has its places
  output logic                     grant_valid_o,
  output grant_t                   grant_o,
  output spot_t                    spots_o [MaxWaves],
  input  logic [  Dispatchers-1:0] sent_i,
  output logic [  Dispatchers-1:0] dispatched_o,           // all groups of the launch have been granted
  output logic                     idle_o,
  output logic [             31:0] groups_o,               // counters
  output logic [             31:0] blocked_o
);
  localparam int unsigned Cw = Cus > 1 ? $clog2(Cus) : 1;
  localparam int unsigned Dw = Dispatchers > 1 ? $clog2(Dispatchers) : 1;
  localparam logic [63:0] AllCus = pick_pkg::ones64(7'(Cus));
  localparam int unsigned EngineCus = 16;  // of a shader engine, as HW_ID tells it
  localparam int unsigned Engines = (Cus + EngineCus - 1) / EngineCus;
  localparam int unsigned Gw = Engines > 1 ? $clog2(Engines) : 1;
  typedef logic [Dw-1:0] index_t;
  typedef logic [Dispatchers-1:0] mask_t;

  // Scratch memory of a queue has room for `waves` wavefronts, ScratchPerCu in each CU from the first one on: a
  // wavefront that uses it must stand at a position of its CU (slot * Simds + SIMD) whose number is below that.  64: it
  // may stand anywhere.
  function automatic logic [6:0] scratch_positions(input logic scratch, input logic [31:0] waves, input cu_t at);
    logic [31:0] below;
    below = 32'(at) * ScratchPerCu;
    if (!scratch) return 7'd64;
    if (waves <= below) return 7'd0;
    return waves - below < ScratchPerCu ? 7'(waves - below) : 7'(ScratchPerCu);
  endfunction
  function automatic logic [15:0] clip(input logic [15:0] size, input logic [31:0] rest);
    return rest < 32'(size) ? rest[15:0] : size;
  endfunction
  // Hundredths of a cycle that a group takes its dispatcher.
  function automatic logic [15:0] pace_of(input logic [4:0] waves);
    return waves <= 5'd4 ? 16'(GroupCycles * 100) : 16'd103 * 16'(waves) + 16'd2;
  endfunction
  /* verilator lint_off UNUSEDSIGNAL */  // of the launch: as above
  // Where a launch may go: CUs of its mask whose scratch memory has room for a whole group.
  function automatic logic [63:0] cus_of(input cp_cmd_t c);
    logic [31:0] more;  // CUs behind the first
    if (c.scratch_wave_bytes == 32'd0) return c.cu_mask & AllCus;
    if (c.scratch_waves < 32'(c.waves)) return 64'd0;
    more = (c.scratch_waves - 32'(c.waves)) / ScratchPerCu;
    return c.cu_mask & AllCus & pick_pkg::ones64(more >= 32'd64 ? 7'd64 : 7'(more) + 7'd1);
  endfunction
  function automatic grid_t grid_of(input cp_cmd_t c);
    return '{
        vmid: c.vmid,
        prio: c.prio[3:0],
        group: c.group,
        grid: c.grid,
        groups: c.groups,
        recip_x: c.recip_x[20:0],
        recip_y: c.recip_y[20:0],
        vgprs: 7'((32'(c.vgprs) + VgprGranule - 1) / VgprGranule),
        sgprs: 7'((32'(c.sgprs) + SgprGranule - 1) / SgprGranule),
        lds: 8'((c.lds_bytes + LdsGranule - 1) / LdsGranule),
        scratch: c.scratch_wave_bytes != 32'd0,
        scratch_waves: c.scratch_waves,
        cu_mask: cus_of(c)
    };
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // of each dispatcher: its launch, the next group, where that found no room
  grid_t grid[Dispatchers];
  logic [31:0] gx[Dispatchers], gy[Dispatchers], gz[Dispatchers];
  logic [31:0] rx[Dispatchers], ry[Dispatchers], rz[Dispatchers];  // items from the group's begin to the grid's end
  logic [63:0] nofit[Dispatchers];
  mask_t todo, blocked, killed, dispatched;
  logic [1:0] owed[Dispatchers];  // groups that are not sent whole
  mask_t owing;                   // some are
  // its rate, in hundredths of a cycle
  logic [15:0] wait_q[Dispatchers];    // until the next group may be tried
  logic [15:0] late[Dispatchers];      // by which the last tries were held up
  logic [15:0] fraction[Dispatchers];  // wait_q before the try
  mask_t pacing;                       // wait_q is a cycle or more
  // who waits for room, since when; the CU that is kept for one of them
  mask_t waits;
  logic [31:0] since[Dispatchers];
  logic reserved;
  index_t owner;
  cu_t kept;
  logic [31:0] kept_since;

  // tries on their way, at most one a dispatcher; the pool answers in their order
  mask_t trying;
  grant_t tried[Dispatchers];
  logic asking;      // the request stands
  index_t asked, answered;  // whose it is; whose the pool works on
  logic [4:0] count;        // places so far

  mask_t ready, full, best, equals;
  mask_t earlier[Dispatchers];  // of each: whose last try is longer ago than its own
  index_t l;
  logic [Gw-1:0] engine_turn, engine;
  logic [3:0] cu_turn[Engines];  // of each shader engine
  cu_t cu;
  logic [63:0] cus;
  logic last_x, last_y, last_z;
  logic loud;   // something of a killed launch is in hand
  logic heard;  // another block acts on this cycle's outputs
  logic [15:0] lead;
  logic [31:0] age;
  grant_t t;
  /* verilator lint_off UNUSEDSIGNAL */
  grid_t g;
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic logic [Gw-1:0] after(input logic [Gw-1:0] at);
    return 32'(at) + 32'd1 == Engines ? Gw'(0) : at + 1'b1;
  endfunction
  // CUs in which a launch may still find room.
  function automatic logic [63:0] open_cus(input logic [63:0] mask, input logic [63:0] refused, input logic closed,
                                           input cu_t closed_cu);
    return mask & ~refused & ~(64'(closed) << closed_cu);
  endfunction

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    grant_valid_o <= 1'b0;
    heard = asking || loud;

    // ---- something became free: who waits tries there again
    if (freed_i != '0) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        nofit[i] = nofit[i] & ~64'(freed_i);
        if ((grid[i].cu_mask & 64'(freed_i)) != 64'd0) blocked[i] = 1'b0;
      end
      if (!reserved && waits != '0) begin  // who has waited longest, and too long
        age = Patience;
        for (int unsigned i = 0; i < Dispatchers; i++) begin
          if (waits[i] && cycle_i - since[i] >= age && (grid[i].cu_mask & 64'(freed_i)) != 64'd0) begin
            reserved   = 1'b1;
            age        = cycle_i - since[i];
            owner      = index_t'(i);
            kept       = pick_pkg::first64(grid[i].cu_mask & 64'(freed_i));
            kept_since = cycle_i;
          end
        end
      end
    end
    if (reserved && cycle_i - kept_since >= 16 * Patience) begin
      reserved     = 1'b0;
      since[owner] = cycle_i;
      blocked      = '0;
    end
    if (sent_i != '0) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        if (sent_i[i]) owed[i] = owed[i] - 2'd1;
        owing[i] = owed[i] != 2'd0;
      end
    end

    // ---- answer of the pool
    for (int unsigned s = 0; s < Simds; s++) begin
      if (place_i[s].valid) begin
        `GANTRY_CHECK(a_places, trying[answered] && count < tried[answered].waves)
        spots_o[count[3:0]] <= '{
            simd: 2'((32'(first_i) + s) % Simds),
            slot: place_i[s].slot,
            vgpr: place_i[s].vgpr,
            sgpr: place_i[s].sgpr
        };
        count = count + 5'd1;
      end
    end
    if (done_i) begin
      l = answered;
      t = tried[l];
      g = grid[l];
      `GANTRY_CHECK(a_tried, trying[l] && owed[l] != 2'd2)
      trying[l] = 1'b0;
      if (ok_i) begin
        `GANTRY_CHECK(a_whole, count == t.waves)  // a place for each wavefront of the group
        t.group = group_i;
        t.lds   = lds_i;
        heard   = 1'b1;
        grant_valid_o <= 1'b1;
        grant_o       <= t;
        groups_o      <= groups_o + 32'd1;
        owed[l]  = owed[l] + 2'd1;
        owing[l] = 1'b1;
        waits[l] = 1'b0;
        todo[l]  = !t.last && !killed[l];
        if (t.last) dispatched[l] = 1'b1;
        // next group of this launch, x fastest
        last_x = gx[l] + 32'd1 == g.groups[0];
        last_y = gy[l] + 32'd1 == g.groups[1];
        gx[l]  = last_x ? 32'd0 : gx[l] + 32'd1;
        rx[l]  = last_x ? g.grid[0] : rx[l] - 32'(g.group[0]);
        if (last_x) begin
          gy[l] = last_y ? 32'd0 : gy[l] + 32'd1;
          ry[l] = last_y ? g.grid[1] : ry[l] - 32'(g.group[1]);
          if (last_y) begin
            gz[l] = gz[l] + 32'd1;
            rz[l] = rz[l] - 32'(g.group[2]);
          end
        end
      end else begin
        wait_q[l] = fraction[l];
        pacing[l] = 1'b0;
        if (!freed_i[Cw'(t.cu)]) nofit[l][t.cu] = 1'b1;
      end
      if (reserved && l == owner && ok_i) begin
        reserved = 1'b0;
        blocked  = '0;
      end
      count = 5'd0;
    end

    // ---- kills
    if (kill_valid_i) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        if (grid[i].vmid == kill_vmid_i) begin
          todo[i]   = 1'b0;
          waits[i]  = 1'b0;
          killed[i] = 1'b1;
        end
      end
      if (reserved && killed[owner]) begin
        reserved = 1'b0;
        blocked  = '0;
      end
    end

    // ---- the next try
    if (!busy_i) begin
      if (asking) answered = asked;
      asking = 1'b0;
      req_valid_o <= 1'b0;
    end
    if (pacing != '0) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        if (pacing[i]) begin
          wait_q[i] = wait_q[i] - 16'd100;
          pacing[i] = wait_q[i] >= 16'd100;
        end
      end
    end
    ready = todo & ~blocked & recip_ready_i & ~pacing & ~{Dispatchers{hold_i}};
    if (ready != '0) begin
      best = '0;
      for (int unsigned i = 0; i < Dispatchers; i++) full[i] = owed[i] == 2'd2;
      if (!asking && !kill_valid_i) best = ready & ~trying & ~full;
      for (int unsigned i = 0; i < Dispatchers; i++) begin  // who has a CU left
        if (best[i] && open_cus(grid[i].cu_mask, nofit[i], reserved && 32'(owner) != i, kept) == 64'd0) begin
          best[i]    = 1'b0;
          ready[i]   = 1'b0;
          blocked[i] = 1'b1;
          since[i]   = waits[i] ? since[i] : cycle_i;
          waits[i]   = 1'b1;
          blocked_o <= blocked_o + 32'd1;
        end
      end
      if ((best & (best - 1'b1)) != '0) begin  // several: the highest priority
        for (int unsigned i = 0; i < Dispatchers; i++) begin
          for (int unsigned k = 0; k < Dispatchers; k++) begin
            if (best[i] && best[k] && grid[k].prio < grid[i].prio) best[k] = 1'b0;
          end
        end
        equals = best;
        for (int unsigned i = 0; i < Dispatchers; i++) if ((equals & earlier[i]) != '0) best[i] = 1'b0;
      end
      l = index_t'(pick_pkg::first64(64'(best)));
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        if (ready[i] && !(best != '0 && 32'(l) == i) && late[i] < 16'd1600) late[i] = late[i] + 16'd100;
      end
      if (best != '0) begin
        g       = grid[l];
        cus     = open_cus(g.cu_mask, nofit[l], reserved && l != owner, kept);
        if (Fill) begin
          cu = pick_pkg::first64(cus);
        end else begin
          engine = engine_turn;
          for (int unsigned i = 1; i < Engines; i++) if (16'(cus >> {engine, 4'd0}) == 16'd0) engine = after(engine);
          cu = 6'({engine, 4'(pick_pkg::rr64(64'(16'(cus >> {engine, 4'd0})), 6'(cu_turn[engine])))});
          engine_turn     = after(engine);
          cu_turn[engine] = cu[3:0] + 4'd1;
        end
        for (int unsigned i = 0; i < Dispatchers; i++) earlier[i][l] = 1'b0;
        earlier[l] = ~(mask_t'(1'b1) << l);
        last_x  = gx[l] + 32'd1 == g.groups[0];
        last_y  = gy[l] + 32'd1 == g.groups[1];
        last_z  = gz[l] + 32'd1 == g.groups[2];
        t.who   = dispatcher_t'(l);
        t.cu    = cu;
        t.x     = gx[l];
        t.y     = gy[l];
        t.z     = gz[l];
        t.ax    = clip(g.group[0], rx[l]);
        t.ay    = clip(g.group[1], ry[l]);
        t.az    = clip(g.group[2], rz[l]);
        t.recip_x = rx[l] < 32'(g.group[0]) ? part_x_i[l] : g.recip_x;
        t.recip_y = ry[l] < 32'(g.group[1]) ? part_y_i[l] : g.recip_y;
        t.items   = 11'(t.ax * t.ay * t.az);
        t.waves   = 5'((t.items + 11'd63) >> 6);
        t.group   = 6'd0;
        t.lds     = 7'd0;
        t.barrier = t.waves > 5'd1;
        t.last    = last_x && last_y && last_z;
        tried[l]    = t;
        trying[l]   = 1'b1;
        fraction[l] = wait_q[l];
        wait_q[l]   = wait_q[l] + pace_of(t.waves);
        lead        = wait_q[l] < late[l] ? wait_q[l] : late[l];
        wait_q[l]   = wait_q[l] - lead;
        late[l]     = late[l] - lead;
        pacing[l]   = wait_q[l] >= 16'd100;
        `GANTRY_CHECK(a_cu, 32'(cu) < Cus && g.cu_mask[cu])
        `GANTRY_CHECK(a_group, gx[l] < g.groups[0] && gy[l] < g.groups[1] && gz[l] < g.groups[2])
        `GANTRY_CHECK(a_items, t.items != 11'd0 && t.items <= 11'd1024)
        asking = 1'b1;
        asked  = l;
        req_valid_o <= 1'b1;
        req_o <= '{
            cu: cu,
            waves: t.waves,
            vgprs: g.vgprs,
            sgprs: g.sgprs,
            lds: g.lds,
            barrier: t.barrier,
            positions: scratch_positions(g.scratch, g.scratch_waves, cu)
        };
      end
    end

    // ---- a new launch
    if (launch_valid_i) begin
      l = index_t'(launch_who_i);
      // nothing of the dispatcher's last launch is left
      `GANTRY_CHECK(a_free, !todo[l] && !trying[l] && owed[l] == 2'd0)
      grid[l]       = grid_of(launch_i);
      gx[l]         = 32'd0;
      gy[l]         = 32'd0;
      gz[l]         = 32'd0;
      rx[l]         = launch_i.grid[0];
      ry[l]         = launch_i.grid[1];
      rz[l]         = launch_i.grid[2];
      nofit[l]      = 64'd0;
      late[l]       = 16'd0;
      blocked[l]    = 1'b0;
      waits[l]      = 1'b0;
      killed[l]     = 1'b0;
      todo[l]       = launch_i.groups[0] != 32'd0 && launch_i.groups[1] != 32'd0
                      && launch_i.groups[2] != 32'd0;
      dispatched[l] = !todo[l];
    end
    dispatched_o <= dispatched;
    loud = 1'b0;
    if (killed != '0) begin
      for (int unsigned i = 0; i < Dispatchers; i++) if (killed[i] && (trying[i] || owed[i] != 2'd0)) loud = 1'b1;
    end
    quiet_o <= !loud;
    drained_o <= trying == '0 && owing == '0;
    idle_o <= !heard && quiet_o == !loud && trying == '0 && !launch_valid_i && pacing == '0 &&
              (hold_i || (todo & ~blocked & recip_ready_i) == '0) && !reserved;
    if (!rst_ni) begin
      todo       = '0;
      dispatched = '0;
      killed     = '0;
      waits      = '0;
      trying     = '0;
      owing      = '0;
      pacing     = '0;
      asking     = 1'b0;
      reserved   = 1'b0;
      loud       = 1'b0;
      count      = 5'd0;
      owner      = '0;
      answered   = '0;
      engine_turn = '0;
      for (int unsigned i = 0; i < Engines; i++) cu_turn[i] = 4'd0;
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        owed[i]   = 2'd0;
        wait_q[i] = 16'd0;
        late[i]   = 16'd0;
        earlier[i] = ~(~mask_t'(0) << i);
      end
      req_valid_o   <= 1'b0;
      grant_valid_o <= 1'b0;
      dispatched_o  <= '0;
      groups_o      <= 32'd0;
      blocked_o     <= 32'd0;
      quiet_o       <= 1'b1;
      drained_o     <= 1'b1;
      idle_o        <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  // the events and the CUs hear only of groups that were asked for
  `GANTRY_ASSERT(a_granted, `GANTRY_IMPL(grant_valid_o, 32'(grant_o.cu) < Cus && grant_o.waves != 5'd0))
endmodule
