// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/dispatch/dispatch_walk with several dispatchers: S3.8 (what ends wakes all that may use it), S3.9 (priorities, turn),
// S3.10 (nothing granted twice, the CU that is kept).  The environment is the hub, the pool, the events and what sends in their most
// general form: a launch of 1 to 8 groups in three dimensions on any dispatcher that is free, of any mask, space and priority; any try
// granted or refused, after any rounds; any ends in any CU; kills; groups sent at any time; the clock goes on by 1 to 8 cycles.
// A launch's VGPRs tell whose a request is.
// Bounded: from reset, for as many cycles as the task says.  Not responsible for: sizes of groups, rates, shader engines (benches).
`include "gantry_assert.svh"
module dispatch_walk_fv
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Dispatchers = 2,
  parameter int unsigned Cus = 2,
  parameter int unsigned Patience = 3
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   launch_i,
  input logic [            3:0] who_i,
  input logic [            2:0] more_i,    // in each dimension: two groups, not one
  input logic                   prio_i,
  input logic                   vmid_i,
  input logic [        Cus-1:0] mask_i,
  input logic                   kill_i,
  input logic                   kill_vmid_i,
  input logic [Dispatchers-1:0] recip_i,
  input logic                   finish_i,  // the try ends with this round
  input logic                   fits_i,    // and is granted
  input logic [        Cus-1:0] freed_i,
  input logic [Dispatchers-1:0] sent_i,
  input logic [Dispatchers-1:0] over_i,    // who has nothing left may be free again
  input logic [            2:0] cycles_i
);
  typedef logic [Dispatchers-1:0] mask_t;
  localparam int unsigned Dw = Dispatchers > 1 ? $clog2(Dispatchers) : 1;
  typedef logic [Dw-1:0] index_t;

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);

  // ---- the pool: a request is taken when the last one is over
  logic req_valid, quiet, grant_valid, idle, busy_q, done_q, ok_q, at_work;
  pool_req_t req;
  grant_t grant;
  spot_t spots[MaxWaves];
  place_t [0:0] place;
  assign at_work = busy_q || req_valid;
  assign place[0] = '{valid: done_q && ok_q, default: '0};
  always_ff @(posedge clk_i) begin
    busy_q <= rst_ni && at_work && !finish_i;
    done_q <= rst_ni && at_work && finish_i;
    ok_q   <= fits_i;
  end

  // ---- the device
  logic [31:0] cycle_q;
  mask_t dispatched, sent;
  logic [31:0] groups, blocked;
  logic [20:0] part[Dispatchers];
  for (genvar i = 0; i < Dispatchers; i++) begin : gen_part
    assign part[i] = 21'd0;
  end
  cp_cmd_t launch;
  logic launches, kills;
  index_t who;
  always_comb begin
    launch            = '0;
    launch.vmid       = {7'd0, vmid_i};
    launch.prio       = {7'd0, prio_i};
    launch.group[0]   = 16'd1;
    launch.group[1]   = 16'd1;
    launch.group[2]   = 16'd1;
    launch.waves      = 16'd1;
    launch.grid[0]    = more_i[0] ? 32'd2 : 32'd1;
    launch.grid[1]    = more_i[1] ? 32'd2 : 32'd1;
    launch.grid[2]    = more_i[2] ? 32'd2 : 32'd1;
    launch.groups[0]  = launch.grid[0];
    launch.groups[1]  = launch.grid[1];
    launch.groups[2]  = launch.grid[2];
    launch.vgprs      = 16'(32'(who) * VgprGranule + VgprGranule);
    launch.sgprs      = 16'd16;
    launch.cu_mask    = 64'(mask_i);
  end
  dispatch_walk #(.Cus(Cus), .Simds(1), .Dispatchers(Dispatchers), .GroupCycles(2), .Patience(Patience)) u_dut (
    .clk_i, .rst_ni, .cycle_i(cycle_q), .launch_valid_i(launches), .launch_who_i(4'(who)), .launch_i(launch),
    .kill_valid_i(kills), .kill_vmid_i({7'd0, kill_vmid_i}), .quiet_o(quiet), .hold_i(1'b0), .drained_o(), .recip_ready_i(recip_i), .part_x_i(part),
    .part_y_i(part), .req_valid_o(req_valid), .req_o(req), .busy_i(busy_q), .place_i(place), .first_i(2'd0), .done_i(done_q),
    .ok_i(ok_q), .group_i(6'd0), .lds_i(7'd0), .freed_i, .grant_valid_o(grant_valid), .grant_o(grant), .spots_o(spots),
    .sent_i(sent), .dispatched_o(dispatched), .idle_o(idle), .groups_o(groups), .blocked_o(blocked));

  // ---- what is remembered, before the last edge (_q), and after it; inputs of that edge (l_*)
  typedef struct packed {
    logic           used;
    logic           killed;
    logic           vmid;
    logic           prio;
    logic [2:0]     more;
    logic [Cus-1:0] mask;
    logic [Cus-1:0] refused;
    logic [3:0]     next;    // group that is to be granted
    logic           trying;
    logic [5:0]     cu;      // which CU is tried
    logic [1:0]     owed;    // granted, not sent
    logic [3:0]     passed;  // tries of others of its priority that it could have had
  } walk_t;
  walk_t [Dispatchers-1:0] w_q, w, chosen;
  logic l_launch, l_kill, l_vmid, l_done, l_ok, l_busy, l_req, answered_valid_q;
  index_t l_who, asked_q, working_q, asker, answerer;
  cp_cmd_t l_cmd;
  logic [Cus-1:0] l_mask, l_freed;
  logic [2:0] l_more;
  logic l_launch_vmid, l_prio;
  mask_t l_sent, l_recip, l_pacing, could;
  logic [31:0] l_cycle, kept_at_q;
  logic l_reserved;
  index_t l_owner;

  // launches and kills, one of them a cycle; who is free
  mask_t free_q, over;
  always_comb begin
    who      = index_t'(32'(who_i) < Dispatchers ? who_i : 4'd0);
    launches = launch_i && free_q[who] && !l_kill;
    kills    = kill_i && !launches;
    for (int unsigned i = 0; i < Dispatchers; i++) begin
      sent[i] = sent_i[i] && w[i].owed != 2'd0;
      over[i] = over_i[i] && w[i].used && w[i].owed == 2'd0 && !w[i].trying && quiet && !l_kill
                && (w[i].killed || dispatched[i]);
    end
  end
  always_comb m_mask : assume (mask_i != '0);

  function automatic logic [3:0] count_of(input logic [2:0] more);
    return 4'd1 << (2'(more[0]) + 2'(more[1]) + 2'(more[2]));
  endfunction
  // CUs in which a launch may find room
  function automatic logic [Cus-1:0] open(input walk_t x, input index_t me);
    return x.mask & ~x.refused & ~(u_dut.reserved && u_dut.owner != me ? Cus'(1'b1) << u_dut.kept : '0);
  endfunction
  logic asks, may_ask, first_ok, fair_ok, serve_ok;
  assign asks     = req_valid && !(l_req && l_busy);
  assign may_ask  = !(l_req && l_busy) && !l_kill;
  assign asker    = index_t'(req.vgprs - 7'd1);
  assign answerer = working_q;

  always_comb begin
    w = w_q;
    for (int unsigned i = 0; i < Dispatchers; i++) begin
      w[i].refused = w[i].refused & ~l_freed;
      w[i].owed    = w[i].owed - 2'(l_sent[i]);
    end
    if (l_done) begin
      w[answerer].trying = 1'b0;
      if (l_ok) begin
        w[answerer].next = w[answerer].next + 4'd1;
        w[answerer].owed = w[answerer].owed + 2'd1;
      end else if (!l_freed[w[answerer].cu[0]]) begin
        w[answerer].refused[w[answerer].cu[0]] = 1'b1;
      end
    end
    for (int unsigned i = 0; i < Dispatchers; i++) if (l_kill && w[i].used && w[i].vmid == l_vmid) w[i].killed = 1'b1;
    chosen = w;  // when the next try is chosen
    // who certainly could try then
    for (int unsigned i = 0; i < Dispatchers; i++) begin
      could[i] = may_ask && w_q[i].used && !w[i].killed && w[i].next < count_of(w[i].more) && !w_q[i].trying && w_q[i].owed != 2'd2
                 && w[i].owed != 2'd2 && l_recip[i] && !l_pacing[i] && open(w[i], index_t'(i)) != '0;
    end
    first_ok = 1'b1;
    fair_ok  = 1'b1;
    serve_ok = could == '0 || asks;
    for (int unsigned i = 0; i < Dispatchers; i++) begin
      if (!could[i]) w[i].passed = 4'd0;
      if (asks && could[i] && index_t'(i) != asker) begin
        if (w[i].prio && !w[asker].prio) first_ok = 1'b0;
        if (w[i].prio == w[asker].prio) w[i].passed = w[i].passed + 4'd1;
        if (32'(w[i].passed) >= Dispatchers) fair_ok = 1'b0;
      end
    end
    if (asks) begin
      w[asker].trying = 1'b1;
      w[asker].cu     = req.cu;
      w[asker].passed = 4'd0;
    end
    if (l_launch) begin
      w[l_who] = '{used: 1'b1, vmid: l_launch_vmid, prio: l_prio, more: l_more, mask: l_mask, default: '0};
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Dispatchers; i++) begin
      w_q[i] <= w[i];
      if (over[i]) w_q[i].used <= 1'b0;
    end
    free_q <= (free_q | over) & ~(launches ? mask_t'(1'b1) << who : '0);
    l_launch      <= launches;
    l_who         <= who;
    l_launch_vmid <= vmid_i;
    l_prio        <= prio_i;
    l_more        <= more_i;
    l_mask        <= mask_i;
    l_kill        <= kills;
    l_vmid        <= kill_vmid_i;
    l_done        <= done_q;
    l_ok          <= ok_q;
    l_busy        <= busy_q;
    l_req         <= req_valid;
    l_freed       <= freed_i;
    l_sent        <= sent;
    l_recip       <= recip_i;
    l_pacing      <= u_dut.pacing;
    l_cycle       <= cycle_q;
    l_reserved    <= u_dut.reserved;
    l_owner       <= u_dut.owner;
    cycle_q       <= cycle_q + 32'(cycles_i) + 32'd1;
    if (req_valid && !busy_q) asked_q <= asker;
    working_q     <= asked_q;
    if (!u_dut.reserved || !l_reserved) kept_at_q <= l_cycle;
    if (!rst_ni) begin
      w_q        <= '0;
      free_q     <= '1;
      cycle_q    <= 32'd1;
      l_launch   <= 1'b0;
      l_kill     <= 1'b0;
      l_done     <= 1'b0;
      l_busy     <= 1'b0;
      l_req      <= 1'b0;
      l_freed    <= '0;
      l_sent     <= '0;
      l_recip    <= '0;
      l_pacing   <= '0;
      l_cycle    <= 32'd0;
      l_reserved <= 1'b0;
      l_owner    <= '0;
      asked_q    <= '0;
      working_q  <= '0;
      kept_at_q  <= 32'd0;
    end
  end

  // ---- tries
  walk_t a;  // whose try is new, when it was chosen
  assign a = chosen[asker];
  `GANTRY_ASSERT(a_try, `GANTRY_IMPL(asks, may_ask && a.used && a.next < count_of(a.more) && !a.trying && a.owed != 2'd2 && l_recip[asker]))
  `GANTRY_ASSERT(a_killed, `GANTRY_IMPL(asks, !a.killed))
  `GANTRY_ASSERT(a_cu, `GANTRY_IMPL(asks, 32'(req.cu) < Cus && open(a, asker)[req.cu[0]]))  // not a CU that is kept for another
  `GANTRY_ASSERT(a_first, first_ok)
  `GANTRY_ASSERT(a_fair, fair_ok)
  `GANTRY_ASSERT(a_serves, serve_ok)
  // ---- grants: of the try that was answered, in order, each once
  walk_t g;
  logic [2:0] id;
  assign g = w_q[answerer];
  always_comb begin  // x fastest
    id    = 3'd0;
    id[0] = g.more[0] && g.next[0];
    id[1] = g.more[1] && (g.more[0] ? g.next[1] : g.next[0]);
    id[2] = g.more[2] && (g.more[0] && g.more[1] ? g.next[2] : g.more[0] || g.more[1] ? g.next[1] : g.next[0]);
  end
  `GANTRY_ASSERT(a_granted, grant_valid == (l_done && l_ok))
  `GANTRY_ASSERT(a_grant, `GANTRY_IMPL(grant_valid, g.used && g.trying && index_t'(grant.who) == answerer && grant.cu == g.cu && g.next < count_of(g.more)
      && grant.x == 32'(id[0]) && grant.y == 32'(id[1]) && grant.z == 32'(id[2]) && grant.waves == 5'd1
      && grant.last == (g.next + 4'd1 == count_of(g.more))))
  for (genvar i = 0; i < Dispatchers; i++) begin : gen_each
    `GANTRY_ASSERT(a_dispatched, `GANTRY_IMPL(w[i].used && !w[i].killed, dispatched[i] == (w[i].next == count_of(w[i].more))))
    // who sleeps has been refused wherever it may go, so that nothing that has ended is missed
    `GANTRY_ASSERT(a_wakes, `GANTRY_IMPL(u_dut.blocked[i] && w[i].used && !w[i].killed, open(w[i], index_t'(i)) == '0))
    `GANTRY_ASSERT(a_quiet, `GANTRY_IMPL(quiet && w_q[i].used && w_q[i].killed, !w[i].trying && w[i].owed == 2'd0))
  end
  // ---- the CU that is kept: for one that waits, when something is freed there, until it is granted a group, killed, or the time is over
  walk_t o;
  assign o = w_q[u_dut.owner];
  `GANTRY_ASSERT(a_claim, `GANTRY_IMPL(u_dut.reserved && !l_reserved, o.used && !o.killed && o.next < count_of(o.more)
      && l_freed[u_dut.kept[0]] && o.mask[u_dut.kept[0]]))
  `GANTRY_ASSERT(a_claim_stays, `GANTRY_IMPL(u_dut.reserved && l_reserved, u_dut.owner == l_owner && !w[u_dut.owner].killed
      && !(l_done && l_ok && answerer == l_owner)))
  `GANTRY_ASSERT(a_claim_ends, `GANTRY_IMPL(u_dut.reserved && l_reserved, l_cycle - kept_at_q < 32'(16 * Patience)))
`ifdef REACH  // this assertion must fail: a claim ends with a group of its owner, while another launch waits for that CU
  logic seen_q;
  always_ff @(posedge clk_i) seen_q <= rst_ni && u_dut.reserved && w[1].used && u_dut.blocked[1] && u_dut.owner == index_t'(0);
  `GANTRY_ASSERT(c_claim, !(seen_q && grant_valid && grant.who == 4'd0 && grant.cu == 6'd0))
`endif
endmodule
