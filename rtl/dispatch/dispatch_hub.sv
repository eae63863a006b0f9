// SPDX-License-Identifier: Apache-2.0
// Commands of the host: a launch goes to a dispatcher that has none (walk, send, events), the rest is maintenance, one
// after another: caches (L2 slices and the L2 TLB first, then what may refill from them), first instructions of what is
// about to be launched, page-table roots, withheld translations, pages that move, counters of far accesses, trap handlers,
// kills (during which nothing of the address space is withheld).  What kills and trap handlers want of the CUs is done
// beside the commands that follow (broadcast): a CU may answer a kill only when one of these has ended an access.
// A list of ranges is a command for each range to each component, one after another; the L2 TLB is one range ahead of what
// refills from it.  All of them but the last say that more is to come (CACHE_MORE), so the components wait once.
// A launch waits while no dispatcher is free.  Control messages pass all of them, so that a continue is never behind
// maintenance that waits for it.  Not responsible for: placing work-groups (walk), telling the host (events), agents
// (dispatch_control).  See docs/reference/dispatch.md.
`include "gantry_assert.svh"

module dispatch_hub
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 1,
  parameter int unsigned Sqcs = 1,
  parameter int unsigned Slices = 1,
  parameter int unsigned Dispatchers = 8,
  parameter int unsigned Depth = 64,  // power of two; credits of the host: SIM_CMD_DEPTH of host/machine/commands.h
  localparam int unsigned Blks = Sqcs + Slices + 2 + Cus
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // <- host
  input  logic                   cp_cmd_valid_i,
  input  cp_cmd_t                cp_cmd_i,
  output logic                   cp_cmd_credit_o,  // a place is free again
  // -> walk, events: a launch; a kill
  output logic                   launch_valid_o,
  output dispatcher_t            launch_who_o,
  output cp_cmd_t                launch_o,
  output launch_res_t            launch_res_o,
  input  logic                   ended_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // below Dispatchers
  input  dispatcher_t            ended_who_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                   kill_valid_o,
  output logic    [         7:0] kill_vmid_o,
  // <-> broadcast: a command for all CUs; translations of a killed space may be withheld again; what is to be told
  output logic                   task_valid_o,
  output broadcast_t             task_o,
  input  logic                   room_i,
  input  logic                   reopen_valid_i,
  input  logic    [         7:0] reopen_vmid_i,
  output logic                   reopened_o,
  output component_t             reopened_place_o,
  output logic    [         7:0] reopened_status_o,
  input  tell_t                  task_tell_i,     // stands until task_told_o
  output logic                   task_told_o,
  // -> events: tell the host
  output tell_t                  tell_o,
  input  logic                   told_i,
  // -> control: a control message
  output logic                   control_valid_o,
  output logic    [        15:0] control_id_o,
  output logic    [        31:0] control_flags_o,
  input  logic                   control_ready_i,
  output logic                   control_waits_o,
  // <-> agents of cache groups, L2 slices, L2 TLB, RDMA engine, CUs (by dispatch_control): in this order
  output logic    [    Blks-1:0] maint_valid_o,
  output ctl_cmd_t               maint_o,         // the same for all
  input  logic    [    Blks-1:0] maint_done_i,
  input  component_t             maint_place_i,   // beside them: whose status it is, and
  input  logic    [         7:0] maint_status_i,  // enum ctl_status: the first that is not CTL_OK
  output logic                   idle_o
);
  localparam int unsigned BlkUtcl2 = Sqcs + Slices, BlkRdma = BlkUtcl2 + 1, BlkCu = BlkRdma + 1;
  localparam int unsigned Qw = $clog2(Depth);
  localparam int unsigned Iw = Dispatchers > 1 ? $clog2(Dispatchers) : 1;
  localparam logic [31:0] L2Flags = 32'(CACHE_WB_L2) | 32'(CACHE_INV_L2) | 32'(CACHE_FAR);
  localparam logic [31:0] SqcFlags = 32'(CACHE_INV_L1K) | 32'(CACHE_INV_L1I) | 32'(CACHE_INV_TLB);
  localparam logic [31:0] CuFlags = 32'(CACHE_INV_L1V) | 32'(CACHE_INV_TLB);
  localparam logic [31:0] ListFlags = L2Flags | 32'(CACHE_INV_TLB);  // the rest goes with the last range
  localparam int unsigned MaxPages = 8;

  typedef enum logic [2:0] {
    Rest,     // no maintenance
    Shared,   // waits for L2 slices and the L2 TLB
    Private,  // CUs and cache groups get it
    Acks,     // waits for them
    Reopen,   // of a kill that is being ended: waits for the L2 TLB
    Telling
  } state_e;

  typedef struct packed {
    logic [7:0] kind;
    logic [7:0] vmid;
    logic [15:0] id;
    logic [31:0] flags;
    logic [63:0] root;
    logic [63:0] pc;
    logic listed;
    logic [2:0] last;  // of a list: number of its last range; else 0
    logic [MaxPages-1:0][39:0] page;
  } maintenance_t;

  // Written with `<=`, so that it is a memory on an FPGA: the command of this cycle is not in it yet.
  cp_cmd_t queue[Depth];
  logic [Depth-1:0] launches;  // which of its commands are launches, that of this cycle as well
  logic [Qw-1:0] head, tail;
  logic [Qw:0] held;
  logic [47:0] control[Depth];  // {flags, id} of control messages
  logic [Qw-1:0] control_head, control_tail;
  logic [Qw:0] control_held;
  logic [7:0] status;  // of the maintenance under way
  component_t place;   // whose it is
  cp_cmd_t c;  // command that is taken
  maintenance_t m;  // the one under way
  logic [Dispatchers-1:0] free;  // dispatchers without a launch
  state_e state;
  logic [Blks-1:0] blk_left, blk_send;
  logic [2:0] at;  // of a list: the range under way; the L2 TLB has the next one beside CUs and cache groups
  logic ahead;     // which it gets now, a cycle after these
  logic [2:0] number;  // of the range that is sent
  logic reopen_wanted;
  logic telling, task_told;  // what is told is of broadcast; it has been told, and stands there for a cycle more
  logic take, active, control_take;

  // Commands that are over when the component has taken them: the host is told only of a refusal.
  function automatic logic handed_over(input logic [7:0] kind);
    return kind == CP_VMID || kind == CP_MOVE || kind == CP_STORE || kind == CP_COUNTS;
  endfunction
  // Commands whose second part is for all CUs.
  function automatic logic for_all_cus(input logic [7:0] kind);
    return kind == CP_KILL || kind == CP_TRAP;
  endfunction
  function automatic logic [7:0] answer_kind(input logic [7:0] kind);
    unique case (kind)
      CP_XLAT: return CP_EVT_XLAT_DONE;
      CP_VMID: return CP_EVT_ROOT_REFUSED;
      CP_MOVE: return CP_EVT_MOVED;
      CP_STORE: return CP_EVT_STORED;
      CP_COUNTS: return CP_EVT_COUNTED;
      default: return CP_EVT_CACHE_DONE;
    endcase
  endfunction
  /* verilator lint_off UNUSEDSIGNAL */  // of a command some fields only
  function automatic maintenance_t maintenance_of(input cp_cmd_t of);
    cp_pages_t list;
    maintenance_t result;
    list   = cp_pages_t'(of);
    result = '{kind: of.kind, vmid: of.vmid, id: of.id, flags: of.flags, root: of.root, pc: of.pc, default: '0};
    result.listed = (of.kind == CP_CACHE || of.kind == CP_XLAT) && list.pages != 16'd0;
    if (result.listed) result.last = 3'(list.pages - 16'd1);
    for (int unsigned p = 0; p < MaxPages; p++) result.page[p] = list.page[p][39:0];
    return result;
  endfunction
  // A list whose ranges go to the L2 TLB and then to what refills from it; else all of them go to one kind of component.
  function automatic logic by_two(input maintenance_t of);
    return of.kind == CP_CACHE && (of.flags & 32'(CACHE_INV_TLB)) != 32'd0;
  endfunction
  // Who has a command first: the L2 TLB, or slices.
  function automatic logic [Blks-1:0] shared_blks(input maintenance_t of);
    shared_blks = '0;
    shared_blks[BlkUtcl2] = of.kind == CP_VMID || of.kind == CP_XLAT || by_two(of);
    if (of.kind == CP_CACHE && (of.flags & L2Flags) != 32'd0) shared_blks[Sqcs+:Slices] = '1;
  endfunction
  // CUs and cache groups that have a CP_CACHE behind them.
  function automatic logic [Blks-1:0] private_blks(input maintenance_t of);
    private_blks = '0;
    if (of.kind == CP_CACHE && (of.flags & SqcFlags) != 32'd0) private_blks[0+:Sqcs] = '1;
    if (of.kind == CP_CACHE && (of.flags & CuFlags) != 32'd0) private_blks[BlkCu+:Cus] = '1;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
  // What the components are told, of a list with its range `n`; those of a kill are: translations fail, and (Reopen) they may
  // be withheld again.
  function automatic ctl_cmd_t component_cmd(input maintenance_t of, input logic reopen, input logic [2:0] n);
    ctl_cmd_t cmd;
    cmd = '{vmid: of.vmid, id: MaintId, flags: of.flags, root: of.root, default: '0};
    if (of.listed) cmd.root = {24'd0, of.page[n]};
    if (of.listed && of.kind == CP_CACHE && n != of.last) cmd.flags = (of.flags & ListFlags) | 32'(CACHE_MORE);
    unique case (of.kind)
      CP_VMID: cmd.op = CTL_ROOT;
      CP_FETCH: begin
        cmd.op   = CTL_FETCH;
        cmd.root = of.pc;
      end
      CP_CACHE: begin
        cmd.op    = CTL_INV;
        cmd.bytes = of.pc;
      end
      CP_XLAT: begin
        cmd.op    = CTL_XLAT;
        cmd.bytes = of.pc;
      end
      CP_MOVE, CP_STORE: begin
        cmd = ctl_cmd_t'(ctl_move_t'{op: of.kind == CP_MOVE ? CTL_MOVE : CTL_STORE, slot: of.vmid, id: MaintId,
                                     move: of.id, lines: of.flags[15:0], flags: of.flags[31:16], source: of.root,
                                     target: of.pc, default: '0});
      end
      CP_COUNTS: begin
        cmd = ctl_cmd_t'(ctl_counts_t'{op: CTL_COUNTS, page: of.vmid, id: MaintId, counts: of.id,
                                       action: of.flags[15:0], least: of.flags[31:16], default: '0});
      end
      default: begin  // CP_KILL
        cmd.op    = CTL_XLAT;
        cmd.flags = reopen ? 32'd0 : 32'(XLAT_DENY);
        cmd.root  = 64'd0;
      end
    endcase
    return cmd;
  endfunction

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    launch_valid_o  <= 1'b0;
    kill_valid_o    <= 1'b0;
    task_valid_o    <= 1'b0;
    reopened_o      <= 1'b0;
    task_told_o     <= 1'b0;
    maint_valid_o   <= '0;
    control_valid_o <= 1'b0;
    active   = 1'b0;
    blk_send = '0;
    if (cp_cmd_valid_i && cp_cmd_i.kind == CP_CONTROL) begin
      `GANTRY_CHECK(a_control_room, control_held != (Qw + 1)'(Depth))
      control[control_tail] <= {cp_cmd_i.flags, cp_cmd_i.id};
      control_tail = control_tail + 1'b1;
      control_held = control_held + 1'b1;
    end else if (cp_cmd_valid_i) begin
      `GANTRY_CHECK(a_room, held != (Qw + 1)'(Depth))
      queue[tail]    <= cp_cmd_i;
      launches[tail] = cp_cmd_i.kind == CP_LAUNCH;
      tail = tail + 1'b1;
      held = held + 1'b1;
    end
    if (ended_valid_i) begin
      `GANTRY_CHECK(a_ended, !free[Iw'(ended_who_i)])
      free[Iw'(ended_who_i)] = 1'b1;
    end
    // who answers was asked
    `GANTRY_CHECK(a_blk, (maint_done_i & ~blk_left) == '0)
    blk_left = blk_left & ~maint_done_i;
    if (maint_done_i != '0 && status == CTL_OK) begin
      status = maint_status_i;
      place  = maint_place_i;
    end
    if (reopen_valid_i) begin
      `GANTRY_CHECK(a_reopen, !reopen_wanted)
      reopen_wanted = 1'b1;
    end
    `GANTRY_CHECK(a_state, state <= Telling)

    // ---- the maintenance under way
    number = at;
    if (ahead) begin
      ahead  = 1'b0;
      number = at + 3'd1;
      blk_send[BlkUtcl2] = 1'b1;
      active = 1'b1;
    end
    if (state == Shared && blk_left == '0 && at != m.last && !by_two(m)) begin
      at       = at + 3'd1;
      number   = at;
      blk_send = shared_blks(m);
      active   = 1'b1;
    end else if (state == Shared && blk_left == '0 && for_all_cus(m.kind)) begin
      task_valid_o <= room_i;
      task_o <= '{
          kill: m.kind == CP_KILL,
          vmid: m.vmid,
          id: m.id,
          tba: m.root,
          tma: m.pc,
          status: status,
          place: place
      };
      if (room_i) state = Rest;
      active = room_i;
    end else if (state == Shared && blk_left == '0) begin
      state    = m.kind == CP_FETCH || (handed_over(m.kind) && status == CTL_OK) ? Rest :
                 handed_over(m.kind) ? Telling : Private;
      blk_send = private_blks(m);
      ahead    = at != m.last;
      active   = 1'b1;
    end else if (state == Private) begin
      state  = Acks;
      active = 1'b1;
    end
    if (state == Acks && blk_left == '0 && blk_send == '0 && at != m.last) begin
      at       = at + 3'd1;
      number   = at;
      blk_send = private_blks(m);
      ahead    = at != m.last;
      active   = 1'b1;
    end else if (state == Acks && blk_left == '0 && blk_send == '0) begin
      state  = Telling;
      active = 1'b1;
    end else if (state == Reopen && blk_left == '0) begin
      reopened_o        <= 1'b1;
      reopened_place_o  <= place;
      reopened_status_o <= status;
      state  = Rest;
      active = 1'b1;
    end
    `GANTRY_CHECK(a_told, !told_i || telling || state == Telling)
    if (told_i && telling) begin
      telling   = 1'b0;
      task_told = 1'b1;
      task_told_o <= 1'b1;
      active = 1'b1;
    end else if (told_i) begin
      state = Rest;
    end else if (task_tell_i.valid && !task_told && state != Telling) begin
      telling = 1'b1;
    end
    if (task_told_o) task_told = 1'b0;

    // ---- the next command; the end of a kill goes before it
    if (state == Rest && reopen_wanted) begin
      reopen_wanted = 1'b0;
      status = CTL_OK;
      m      = '{kind: CP_KILL, vmid: reopen_vmid_i, default: '0};
      at     = '0;
      number = '0;
      state  = Reopen;
      blk_send[BlkUtcl2] = 1'b1;
      active = 1'b1;
    end
    take = held != '0 && (launches[head] ? free != '0 : state == Rest);
    control_take = control_held != '0 && control_ready_i && !control_valid_o && !take;
    if (control_take) begin
      control_valid_o <= 1'b1;
      {control_flags_o, control_id_o} <= cp_cmd_valid_i && cp_cmd_i.kind == CP_CONTROL && control_held == (Qw + 1)'(1) ?
                                         {cp_cmd_i.flags, cp_cmd_i.id} : control[control_head];
      control_head = control_head + 1'b1;
      control_held = control_held - 1'b1;
      active       = 1'b1;
    end
    cp_cmd_credit_o <= take || control_take;
    if (take) begin
      c      = cp_cmd_valid_i && cp_cmd_i.kind != CP_CONTROL && held == (Qw + 1)'(1) ? cp_cmd_i : queue[head];
      head   = head + 1'b1;
      held   = held - 1'b1;
      active = 1'b1;
      if (c.kind != CP_LAUNCH) status = CTL_OK;
      if (c.kind != CP_LAUNCH) begin
        m      = maintenance_of(c);
        at     = '0;
        number = '0;
      end
      unique case (c.kind)
        CP_LAUNCH: begin
          launch_valid_o <= 1'b1;
          launch_who_o   <= 4'(pick_pkg::first64(64'(free)));
          launch_o       <= c;
          launch_res_o   <= '{
              id: c.id,
              vmid: c.vmid,
              vgprs: 7'((32'(c.vgprs) + VgprGranule - 1) / VgprGranule),
              sgprs: 7'((32'(c.sgprs) + SgprGranule - 1) / SgprGranule),
              lds: 8'((c.lds_bytes + LdsGranule - 1) / LdsGranule)
          };
          free = free & (free - 1'b1);
        end
        CP_KILL: begin
          state = Shared;
          blk_send[BlkUtcl2] = 1'b1;
          kill_valid_o <= 1'b1;
          kill_vmid_o  <= c.vmid;
        end
        CP_FETCH: begin
          state = Shared;
          blk_send[0+:Sqcs] = '1;
        end
        CP_MOVE, CP_STORE, CP_COUNTS: begin
          state = Shared;
          blk_send[BlkRdma] = 1'b1;
        end
        default: begin  // CP_CACHE, CP_VMID, CP_TRAP, CP_XLAT
          state = Shared;
          blk_send = shared_blks(m);
        end
      endcase
    end
    if (blk_send != '0) begin
      `GANTRY_CHECK(a_one_command, (blk_left & blk_send) == '0)
      maint_valid_o <= blk_send;
      blk_left = blk_left | blk_send;
      maint_o  <= component_cmd(m, state == Reopen, number);
    end
    tell_o <= telling ? task_tell_i : '{
        valid: state == Telling,
        kind: answer_kind(m.kind),
        id: m.id,
        vmid: m.vmid,
        status: status,
        place: place,
        state: CTL_STATE_OFF
    };
    control_waits_o <= control_held != '0;
    idle_o <= !active && blk_send == '0 && state != Telling && !telling
              && !(held != '0 && (launches[head] ? free != '0 : state == Rest));
    if (!rst_ni) begin
      ahead    = 1'b0;
      head     = '0;
      tail     = '0;
      held     = '0;
      state    = Rest;
      free     = '1;
      blk_left = '0;
      {reopen_wanted, telling, task_told} = '0;
      {control_head, control_tail, control_held} = '0;
      control_valid_o <= 1'b0;
      control_waits_o <= 1'b0;
      cp_cmd_credit_o <= 1'b0;
      launch_valid_o  <= 1'b0;
      kill_valid_o    <= 1'b0;
      task_valid_o    <= 1'b0;
      reopened_o      <= 1'b0;
      task_told_o     <= 1'b0;
      maint_valid_o   <= '0;
      tell_o.valid    <= 1'b0;
      idle_o          <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
