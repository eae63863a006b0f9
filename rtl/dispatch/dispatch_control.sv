// SPDX-License-Identifier: Apache-2.0
// Control messages of a GPU: CP_CONTROL goes out to the agents of the components that it names, all at once, their answers are
// collected, the host is told when the last one is there.  Maintenance of the hub for a component leaves by the same
// port, in the cycle in which the hub has it, and its answer goes back to the hub.
// Responsible for: ids, commands under way, who tells the host.  Not responsible for: the rules (rtl/control).
//
// There is one entry more than components: each component has at most one operation under way and answers all else at
// once, so an entry always comes free by itself, and a command that lets others go on (continue) is never stuck behind
// those that wait for it.
`include "gantry_assert.svh"

module dispatch_control
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Sqcs = 1,
  parameter int unsigned Slices = 1,
  parameter int unsigned Cus = 1,
  localparam int unsigned Ports = CtlSqc + Sqcs + Slices + Cus + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 idle_o,
  // <- hub: a command of the host, when there is an entry
  output logic                 ready_o,
  input  logic                 cmd_valid_i,
  input  logic     [     15:0] cmd_id_i,
  input  logic     [     31:0] cmd_flags_i,
  // <- hub: maintenance for the ports of the mask, a pulse each; -> hub: its answers and the first that is not CTL_OK
  input  logic     [Ports-1:0] maint_valid_i,
  input  ctl_cmd_t             maint_i,          // id MaintId
  output logic     [Ports-1:0] maint_done_o,
  output component_t           maint_place_o,
  output logic     [      7:0] maint_status_o,
  // <- hub, -> events: what the host is told; that of the hub first
  input  tell_t                hub_tell_i,
  output logic                 hub_told_o,
  output tell_t                tell_o,
  input  logic                 told_i,
  // <-> agents
  output logic     [Ports-1:0] ctl_cmd_valid_o,
  output ctl_cmd_t             ctl_cmd_o,        // the same for all
  input  logic     [Ports-1:0] ctl_evt_valid_i,
  input  ctl_evt_t             ctl_evt_i[Ports]
);
  localparam int unsigned Entries = Ports + 1;
  localparam int unsigned Last = Ports - 1;  // the dispatchers
  localparam component_t Nobody = '{group: 8'hff, number: 8'd0};
  localparam int unsigned Ew = $clog2(Entries);

  typedef struct packed {
    logic             busy;
    logic             sent;
    logic [15:0]      id;
    logic [Ports-1:0] left;  // have not answered
    logic [7:0]       status;
    component_t       place;
    logic [7:0]       state;
  } entry_t;

  logic send_q;  // the message of an entry waits
  logic [Ports-1:0] send_mask_q;
  ctl_cmd_t send_msg_q;
  logic hub_turn_q;  // what stood in tell_o in the last cycle was the hub's
  logic busy_q;
  tell_t own_q;
  logic sends;

  assign sends           = send_q && maint_valid_i == '0;
  assign ctl_cmd_valid_o = maint_valid_i | (sends ? send_mask_q : '0);
  assign ctl_cmd_o       = maint_valid_i != '0 ? maint_i : send_msg_q;
  assign tell_o          = hub_tell_i.valid ? hub_tell_i : own_q;
  assign hub_told_o      = told_i && hub_turn_q;

  /* verilator lint_off UNUSEDSIGNAL */  // signals are not looked at
  // The group of a port: enum ctl_group, and the first port of that group.
  function automatic logic [7:0] group_of(input int unsigned port);
    return port == CtlUtcl2 ? CTL_GROUP_UTCL2 : port == CtlRdma ? CTL_GROUP_RDMA :
        port == CtlNoc ? CTL_GROUP_NOC : port < CtlSqc + Sqcs ? CTL_GROUP_SQC :
        port < CtlSqc + Sqcs + Slices ? CTL_GROUP_L2 : port < Last ? CTL_GROUP_CU : CTL_GROUP_DISPATCH;
  endfunction
  function automatic int unsigned first_of(input int unsigned port);
    return port < CtlSqc ? port : port < CtlSqc + Sqcs ? CtlSqc :
        port < CtlSqc + Sqcs + Slices ? CtlSqc + Sqcs : port < Last ? CtlSqc + Sqcs + Slices : Last;
  endfunction
  function automatic component_t place_of(input int unsigned port);
    return '{group: group_of(port), number: 8'(port - first_of(port))};
  endfunction
  // Ports that a command names; 0: nobody has an agent there.
  function automatic logic [Ports-1:0] ports_of(input logic [31:0] flags);
    logic [Ports-1:0] ports;
    for (int unsigned p = 0; p < Ports; p++)
      ports[p] = (flags[15:8] & group_of(p)) != 8'd0 &&
                 (flags[31:16] == 16'hffff || 32'(flags[31:16]) == p - first_of(p));
    return ports;
  endfunction
  // Some group of the command has no agent, or none of that number.
  function automatic logic missing(input logic [31:0] flags);
    logic [7:0] found;
    found = 8'd0;
    for (int unsigned p = 0; p < Ports; p++)
      if (flags[31:16] == 16'hffff || 32'(flags[31:16]) == p - first_of(p)) found = found | group_of(p);
    return flags[15:8] == 8'd0 || (flags[15:8] & ~found) != 8'd0;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off BLKSEQ */
  entry_t entry[Entries];
  logic [Ew-1:0] e, free, over;
  logic found, full;
  always_ff @(posedge clk_i) begin
    if (cmd_valid_i || ctl_evt_valid_i != '0 || busy_q || !rst_ni) begin
      // ---- answers
      if (ctl_evt_valid_i != '0) begin
        for (int unsigned p = 0; p < Ports; p++) begin
          if (ctl_evt_valid_i[p] && ctl_evt_i[p].id != MaintId) begin
            e = Ew'(ctl_evt_i[p].id);
            `GANTRY_CHECK(a_asked, 32'(ctl_evt_i[p].id) < Entries && entry[e].busy && entry[e].left[p])
            if (entry[e].status == CTL_OK) begin
              entry[e].status = ctl_evt_i[p].status;
              entry[e].place  = place_of(p);
              entry[e].state  = ctl_evt_i[p].state;
            end
            entry[e].left[p] = 1'b0;
          end
        end
      end
      // ---- tell the host, lowest entry first
      if (told_i && !hub_turn_q) own_q.valid <= 1'b0;
      found = 1'b0;
      over  = '0;
      for (int unsigned i = 0; i < Entries; i++) begin
        if (!found && entry[i].busy && entry[i].sent && entry[i].left == '0) begin
          found = 1'b1;
          over  = Ew'(i);
        end
      end
      if (found && !own_q.valid) begin
        own_q <= '{valid: 1'b1, kind: CP_EVT_CONTROL_DONE, id: entry[over].id, vmid: 8'd0, status: entry[over].status,
                   place: entry[over].place, state: entry[over].state};
        entry[over].busy = 1'b0;
      end
      // ---- a message leaves
      if (sends) begin
        send_q <= 1'b0;
        entry[Ew'(send_msg_q.id)].sent = 1'b1;
      end
      // ---- a command
      free = '0;
      full = 1'b1;
      for (int unsigned i = 0; i < Entries; i++) begin
        if (full && !entry[i].busy) begin
          full = 1'b0;
          free = Ew'(i);
        end
      end
      if (cmd_valid_i) begin
        `GANTRY_CHECK(a_room, !full && !(send_q && !sends))
        entry[free] = '{busy: 1'b1, sent: ports_of(cmd_flags_i) == '0, id: cmd_id_i, left: ports_of(cmd_flags_i),
                        place: Nobody, status: missing(cmd_flags_i) ? CTL_ERROR_NONE : CTL_OK, state: CTL_STATE_RUN};
        send_q      <= ports_of(cmd_flags_i) != '0;
        send_mask_q <= ports_of(cmd_flags_i);
        send_msg_q  <= '{op: CTL_SIGNAL, signals: {2'd0, cmd_flags_i[5:0]}, id: 16'(free), default: '0};
      end
      // ---- one command at a time on its way out; what the edge after this one has to look at
      full   = 1'b1;
      busy_q <= 1'b0;
      for (int unsigned i = 0; i < Entries; i++) begin
        if (!entry[i].busy) full = 1'b0;
        if (entry[i].busy && (!entry[i].sent || entry[i].left == '0)) busy_q <= 1'b1;
      end
      if (own_q.valid && !(told_i && !hub_turn_q)) busy_q <= 1'b1;
      if (found) busy_q <= 1'b1;
      ready_o <= !full && !cmd_valid_i && !(send_q && !sends);
      if (cmd_valid_i) busy_q <= 1'b1;
      if (!rst_ni) begin
        for (int unsigned i = 0; i < Entries; i++) entry[i] = '0;
        send_q      <= 1'b0;
        own_q.valid <= 1'b0;
        ready_o     <= 1'b1;
        busy_q      <= 1'b0;
      end
    end
    hub_turn_q <= hub_tell_i.valid;
    if (!rst_ni) hub_turn_q <= 1'b0;
  end
  /* verilator lint_on BLKSEQ */
  always_comb begin  // without an answer one test
    maint_done_o   = '0;
    maint_place_o  = Nobody;
    maint_status_o = CTL_OK;
    if (ctl_evt_valid_i != '0) begin
      for (int unsigned p = 0; p < Ports; p++) begin
        maint_done_o[p] = ctl_evt_valid_i[p] && ctl_evt_i[p].id == MaintId;
        if (maint_done_o[p] && maint_status_o == CTL_OK && ctl_evt_i[p].status != CTL_OK) begin
          maint_place_o  = place_of(p);
          maint_status_o = ctl_evt_i[p].status;
        end
      end
    end
  end
  assign idle_o = !busy_q && !own_q.valid && !send_q;

  // ---- assertions
  // an answer is never that of a component which nobody has asked
  `GANTRY_ASSERT(a_maint_id, `GANTRY_IMPL(maint_valid_i != '0, maint_i.id == MaintId))
  `GANTRY_ASSERT(a_command, `GANTRY_IMPL(cmd_valid_i, ready_o))
endmodule
