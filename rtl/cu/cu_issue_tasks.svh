// SPDX-License-Identifier: Apache-2.0
// Inside of cu_issue, included by it: what happens to one wavefront's entry in the tables when it starts, waits,
// meets a barrier, finishes an access, faults, ends or is killed, and the events to the dispatcher.
// Not responsible for: choosing what issues (cu_issue.sv).

  // ---- per-wavefront bookkeeping
  /* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
  task automatic count_vm(input widx_t at, input logic up);
    slots_t bit_of;
    bit_of          = 16'd1 << at[3:0];
    vm_count[at]    = up ? vm_count[at] + 4'd1 : vm_count[at] - 4'd1;
    vm_some[at[5:4]] = (vm_some[at[5:4]] & ~bit_of) | (vm_count[at] != 4'd0 ? bit_of : 16'd0);
    vm_full[at[5:4]] = (vm_full[at[5:4]] & ~bit_of) | (vm_count[at] == 4'd15 ? bit_of : 16'd0);
  endtask

  task automatic count_lg(input widx_t at, input logic up);
    slots_t bit_of;
    bit_of          = 16'd1 << at[3:0];
    lg_count[at]    = up ? lg_count[at] + 4'd1 : lg_count[at] - 4'd1;
    lg_some[at[5:4]] = (lg_some[at[5:4]] & ~bit_of) | (lg_count[at] != 4'd0 ? bit_of : 16'd0);
    lg_full[at[5:4]] = (lg_full[at[5:4]] & ~bit_of) | (lg_count[at] == 4'd15 ? bit_of : 16'd0);
  endtask

  // s_waitcnt at the head of a wavefront
  task automatic check_wait(input widx_t at);
    slots_t bit_of;
    logic blocked;
    bit_of  = 16'd1 << at[3:0];
    blocked = head[at].cls == ClsInternal && head[at].d.op == OP_S_WAITCNT &&
              FaultSeed != 1 && (vm_count[at] > head[at].d.simm16[3:0] || lg_count[at] > head[at].d.simm16[11:8]);
    waiting[at[5:4]] = (waiting[at[5:4]] & ~bit_of) | (blocked ? bit_of : 16'd0);
  endtask

  task automatic check_registers(input widx_t at);
    slots_t bit_of;
    bit_of = 16'd1 << at[3:0];
    free_regs[at[5:4]] = (free_regs[at[5:4]] & ~bit_of) | ((head[at].check & pending[at]) == 64'd0 ? bit_of : 16'd0);
    sb_some[at[5:4]]   = (sb_some[at[5:4]] & ~bit_of) | (pending[at] != 64'd0 ? bit_of : 16'd0);
  endtask

  task automatic raise_fault(input widx_t at, input logic [7:0] status, input logic [63:0] va, input logic [31:0] data);
    slots_t bit_of;
    bit_of = 16'd1 << at[3:0];
    if ((used[at[5:4]] & ~silent[at[5:4]] & bit_of) != 16'd0 && fault_status[at] == 8'd0) begin
      live[at[5:4]]    = live[at[5:4]] & ~bit_of;
      head_ok[at[5:4]] = head_ok[at[5:4]] & ~bit_of;
      ending[at[5:4]]  = ending[at[5:4]] & ~bit_of;
      faulted[at[5:4]] = faulted[at[5:4]] | bit_of;
      fault_status[at] = status;
      fault_va[at]     = va;
      fault_data[at]   = data;
    end
  endtask

  task automatic release_barrier(input logic [5:0] g, input logic [7:0] waves);
    if (arrived[g] != 8'd0 && arrived[g] + ended[g] >= waves) begin
      at_barrier[0]   = at_barrier[0] & ~arrived_mask[g][15:0];
      at_barrier[1]   = at_barrier[1] & ~arrived_mask[g][31:16];
      at_barrier[2]   = at_barrier[2] & ~arrived_mask[g][47:32];
      at_barrier[3]   = at_barrier[3] & ~arrived_mask[g][63:48];
      arrived[g]      = 8'd0;
      arrived_mask[g] = 64'd0;
    end
  endtask

  task automatic memory_done(input mem_done_t done, input logic vector);
    if (vector) count_vm(done.wave, 1'b0);
    else count_lg(done.wave, 1'b0);
    check_wait(done.wave);
    if (done.status != 8'd0) raise_fault(done.wave, done.status, done.va, 32'd0);
  endtask

  task automatic start_wave(input start_t st);
    slots_t bit_of;
    logic [1:0] sd;
    bit_of = 16'd1 << st.wave.slot;
    sd     = st.wave.simd;
    used[sd]       = used[sd] | bit_of;
    live[sd]       = live[sd] | bit_of;
    head_ok[sd]    = head_ok[sd] & ~bit_of;
    ending[sd]     = ending[sd] & ~bit_of;
    silent[sd]     = silent[sd] & ~bit_of;
    faulted[sd]    = faulted[sd] & ~bit_of;
    sleeping[sd]   = sleeping[sd] & ~bit_of;
    at_barrier[sd] = at_barrier[sd] & ~bit_of;
    order[sd]      = order_append(order[sd], st.wave.slot);
    tag[st.wave]          = '0;
    instructions[st.wave] = '0;
    last_pc[st.wave]      = st.pc;
    fault_status[st.wave] = '0;
    vmid[st.wave]         = st.vmid;
    launch[st.wave]       = st.launch;
    group[st.wave]        = st.group;
    group_waves[st.wave]  = st.group_waves;
    if (st.first_of_group) begin
      arrived[st.group[5:0]]      = 8'd0;
      ended[st.group[5:0]]        = 8'd0;
      arrived_mask[st.group[5:0]] = 64'd0;
    end
  endtask

  task automatic take_head(input head_t h);
    slots_t bit_of;
    logic [1:0] sd;
    bit_of = 16'd1 << h.wave.slot;
    sd     = h.wave.simd;
    if ((live[sd] & bit_of) != 16'd0) begin
      head[h.wave] = h;
      head_ok[sd]  = head_ok[sd] | bit_of;
      for (int unsigned k = 0; k < 8; k++) begin
        class_of[{k[2:0], sd}] = (class_of[{k[2:0], sd}] & ~bit_of) | (k[2:0] == h.cls ? bit_of : 16'd0);
      end
      check_wait(h.wave);
      check_registers(h.wave);
    end
  endtask

  // A killed or ended wavefront leaves the table.
  task automatic remove_wave(input widx_t at);
    slots_t bit_of;
    bit_of = 16'd1 << at[3:0];
    used[at[5:4]]   = used[at[5:4]] & ~bit_of;
    ending[at[5:4]] = ending[at[5:4]] & ~bit_of;
    silent[at[5:4]] = silent[at[5:4]] & ~bit_of;
    order[at[5:4]]  = order_remove(order[at[5:4]], at[3:0]);
    ended[group[at][5:0]] = ended[group[at][5:0]] + 8'd1;
    release_barrier(group[at][5:0], group_waves[at]);
  endtask

  task automatic kill_waves(input logic [7:0] of_vmid);
    widx_t at;
    slots_t bit_of;
    for (int unsigned k = 0; k < 64; k++) begin
      at     = k[5:0];
      bit_of = 16'd1 << at[3:0];
      if ((used[at[5:4]] & bit_of) != 16'd0 && vmid[at] == of_vmid) begin
        live[at[5:4]]    = live[at[5:4]] & ~bit_of;
        head_ok[at[5:4]] = head_ok[at[5:4]] & ~bit_of;
        faulted[at[5:4]] = faulted[at[5:4]] & ~bit_of;
        ending[at[5:4]]  = ending[at[5:4]] | bit_of;
        silent[at[5:4]]  = silent[at[5:4]] | bit_of;
      end
    end
  endtask

  // A vector instruction with a scalar destination: remember where the result goes.
  task automatic remember_result(input widx_t at, input head_t h, input tag_t of_tag);
    logic [3:0] f;
    f = {at[5:4], fly_head[at[5:4]] + fly_count[at[5:4]][1:0]};
    fly_count[at[5:4]] = fly_count[at[5:4]] + 3'd1;
    fly_slot[f]  = at[3:0];
    fly_write[f] = h.write;
    fly[f].wave  = at;
    fly[f].tag   = of_tag;
    fly[f].code  = h.d.sdst;
    fly[f].we    = h.d.sdst_w == 5'd0 ? 2'b00 : h.d.sdst_w == 5'd2 ? 2'b11 : h.d.sdst[0] ? 2'b10 : 2'b01;
    fly[f].exec  = h.d.writes_exec && (h.d.sdst[6:1] != 6'd63 || h.d.sdst_w == 5'd0);
    fly[f].data  = '0;
    pending[at]  = pending[at] | h.write;
    check_registers(at);
  endtask

  task automatic take_result(input logic [1:0] sd, input logic [63:0] value);
    logic [3:0] f;
    logic [63:0] keep;
    f               = {sd, fly_head[sd]};
    result[sd]      = fly[f];
    result[sd].data = fly[f].we == 2'b10 ? value << 32 : value;
    fly_head[sd]    = fly_head[sd] + 2'd1;
    fly_count[sd]   = fly_count[sd] - 3'd1;
    keep            = 64'd0;
    for (int unsigned k = 0; k < 4; k++) begin
      if (k[2:0] < fly_count[sd] && fly_slot[{sd, fly_head[sd] + k[1:0]}] == fly_slot[f]) begin
        keep = keep | fly_write[{sd, fly_head[sd] + k[1:0]}];
      end
    end
    result_keep[sd]  = keep;
    result_ready[sd] = 1'b1;
  endtask

  // Waits, no-ops, barrier, sleep, end.
  task automatic internal(input widx_t at, input dec_t d);
    slots_t bit_of;
    bit_of = 16'd1 << at[3:0];
    case (d.op)
      OP_S_ENDPGM: begin
        live[at[5:4]]   = live[at[5:4]] & ~bit_of;
        ending[at[5:4]] = ending[at[5:4]] | bit_of;
      end
      OP_S_BARRIER: begin
        if (group_waves[at] > 8'd1) begin
          at_barrier[at[5:4]]         = at_barrier[at[5:4]] | bit_of;
          arrived[group[at][5:0]]     = arrived[group[at][5:0]] + 8'd1;
          arrived_mask[group[at][5:0]] = arrived_mask[group[at][5:0]] | (64'd1 << at);
          release_barrier(group[at][5:0], group_waves[at]);
        end
      end
      OP_S_SLEEP: begin
        sleep[at]        = d.simm16[6:0];
        sleeping[at[5:4]] = sleeping[at[5:4]] | (d.simm16[6:0] != 7'd0 ? bit_of : 16'd0);
      end
      OP_S_SETHALT: if (d.simm16[0]) live[at[5:4]] = live[at[5:4]] & ~bit_of;
      default: ;  // s_nop, s_waitcnt, s_setprio, s_wakeup
    endcase
  endtask

  function automatic pick_t make_pick(input head_t h, input tag_t of_tag);
    pick_t q;
    q.wave = h.wave;
    q.tag  = of_tag;
    q.pc   = h.pc;
    q.d    = h.d;
    return q;
  endfunction

  function automatic obs_inst_t make_obs(input head_t h, input tag_t of_tag);
    return '{wave: h.wave, tag: of_tag, pc: {16'd0, h.pc}, inst: {h.d.ext, h.inst}};
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */
  cu_evt_t evt;
  task automatic make_event(input logic [7:0] kind, input widx_t at, input logic [31:0] data);
    evt              = '0;
    evt.kind         = kind;
    evt.wave         = {2'd0, at};
    evt.launch       = launch[at];
    evt.vmid         = vmid[at];
    evt.group        = group[at];
    evt.instructions = instructions[at];
    evt.data         = data;
    evt.pc           = {16'd0, last_pc[at]};
    if (kind == CU_EVT_FAULT) begin
      evt.status = fault_status[at];
      evt.va     = fault_va[at];
    end
  endtask

