// SPDX-License-Identifier: Apache-2.0
// Inside of cu_issue, included by it: what happens to one wavefront's entry in the tables when it starts, waits,
// meets a barrier, finishes an access, faults, ends or is killed, and the events to the dispatcher.
// Not responsible for: choosing what issues (cu_issue.sv).

  // ---- per-wavefront bookkeeping
  /* verilator lint_off UNUSEDSIGNAL */  // functions look at parts of wide records
  task automatic count_vm(input widx_t at, input logic up);
    vm_count[at] = up ? vm_count[at] + 4'd1 : vm_count[at] - 4'd1;
    vm_some[at]  = vm_count[at] != 4'd0;
    vm_full[at]  = vm_count[at] == 4'd15;
  endtask

  task automatic count_lg(input widx_t at, input logic up);
    lg_count[at] = up ? lg_count[at] + 4'd1 : lg_count[at] - 4'd1;
    lg_some[at]  = lg_count[at] != 4'd0;
    lg_full[at]  = lg_count[at] == 4'd15;
  endtask

  // s_waitcnt at the head of a wavefront
  task automatic check_wait(input widx_t at, input issue_word_t word);
    waiting[at] = 1'b0;
    if (word.waitcnt && FaultSeed != 1) begin
      waiting[at] = vm_count[at] > word.simm16[3:0] || lg_count[at] > word.simm16[11:8];
    end
  endtask

  task automatic check_registers(input widx_t at, input logic [63:0] check, input logic [63:0] written,
                                 input mask_pair_t mask);
    free_regs[at] = (check & written) == 64'd0;
    masked[at]    = MaskForward && mask.valid && (check & written) == 64'd1 << mask.pair;
    sb_some[at]   = written != 64'd0;
  endtask

  task automatic raise_fault(input widx_t at, input logic [7:0] status, input logic of_head);
    if (used[at] && !silent[at] && fault_status[at] == 8'd0) begin
      table_changed    = 1'b1;
      live[at]         = 1'b0;
      head_ok[at]      = 1'b0;
      ending[at]       = 1'b0;
      faulted[at]      = 1'b1;
      fault_status[at] = status;
      head_fault[at]   = of_head;
    end
  endtask

  // A wavefront halts for good, which the host is told once.
  task automatic halt_wave(input widx_t at);
    table_changed = 1'b1;
    live[at]      = 1'b0;
    head_ok[at]   = 1'b0;
    faulted[at]   = 1'b1;
  endtask

  // s_trap and s_rfe: into the trap handler and out of it.  Without one, llvm.trap is a fault, others do nothing.
  task automatic privilege(input widx_t at);
    if (head[at].issue.op != OP_S_TRAP) begin
      if (priv[at] && halt[at] && FaultSeed != 27) halt_wave(at);
      priv[at] = 1'b0;
    end else if (trap_en[at]) begin
      priv[at] = 1'b1;
    end else if (head[at].inst[7:0] == 8'd2) begin
      raise_fault(at, FAULT_TRAP, 1'b1);
    end
  endtask

  // s_setprio: its place is behind all of higher priority and the older ones of the same.
  task automatic set_priority(input widx_t at, input logic [1:0] to);
    logic [3:0] place;
    slots_t older;
    slot_t other;
    order_t rest;
    table_changed = 1'b1;
    prio[0][at]   = to[0];
    prio[1][at]   = to[1];
    older         = '0;
    for (int unsigned k = 0; k < Slots; k++) begin
      if (age[at[5:4]][k] == at[3:0]) break;
      older[age[at[5:4]][k]] = 1'b1;
    end
    rest  = order_remove(order[at[5:4]], at[3:0]);
    place = '0;
    for (int unsigned k = 0; k < Slots; k++) begin
      other = rest[k];
      if (other != 4'd15 && ({prio[1][{at[5:4], other}], prio[0][{at[5:4], other}]} > to ||
          ({prio[1][{at[5:4], other}], prio[0][{at[5:4], other}]} == to && older[other]))) place = place + 4'd1;
    end
    order[at[5:4]] = order_insert(rest, at[3:0], place);
  endtask

  function automatic logic [5:0] barrier_of(input widx_t at);
    return group[at][5:0] & GroupMask;
  endfunction

  task automatic release_barrier(input logic [5:0] g, input logic [7:0] waves);
    if (arrived[g] != 8'd0 && arrived[g] + ended[g] >= waves) begin
      at_barrier      = at_barrier & ~arrived_mask[g];
      arrived[g]      = 8'd0;
      arrived_mask[g] = 64'd0;
    end
  endtask

  task automatic memory_done(input mem_done_t done, input logic vector);
    widx_t at;
    at = windex(done.wave);
    if (vector) count_vm(at, 1'b0);
    else count_lg(at, 1'b0);
    if (!vm_some[at]) flat_lds[at] = 1'b0;
    check_wait(at, head[at].issue);
    if (done.status != 8'd0) begin
      for (int unsigned k = 0; k < Waves; k++) begin
        if (at == k[5:0] && fault_status[k] == 8'd0) begin
          fault_va[k] = done.va;
          last_pc[k]  = done.pc;  // it issues no more
        end
      end
      raise_fault(at, done.status, 1'b0);
    end
  endtask

  task automatic start_wave(input start_t st);
    widx_t at;
    at             = windex(st.wave);
    table_changed  = 1'b1;
    used[at]       = 1'b1;
    live[at]       = 1'b1;
    head_ok[at]    = 1'b0;
    ending[at]     = 1'b0;
    silent[at]     = 1'b0;
    faulted[at]    = 1'b0;
    sleeping[at]   = 1'b0;
    at_barrier[at] = 1'b0;
    order[at[5:4]] = order_append(order[at[5:4]], at[3:0]);
    age[at[5:4]]   = order_append(age[at[5:4]], at[3:0]);
    trap_en[at]    = st.trap_en;
    priv[at]       = 1'b0;
    halt[at]       = 1'b0;
    prio[0][at]    = 1'b0;
    prio[1][at]    = 1'b0;
    nops[at]       = '0;
    tag[at]          = '0;
    instructions[at] = '0;
    last_pc[at]      = st.pc;
    fault_status[at] = '0;
    vmid[at]         = st.vmid;
    launch[at]       = st.launch;
    group[at]        = st.group;
    group_waves[at]  = st.group_waves;
    if (st.first_of_group && st.group_waves > 8'd1) begin  // alone it has no barrier slot
      arrived[st.group[5:0] & GroupMask]      = 8'd0;
      ended[st.group[5:0] & GroupMask]        = 8'd0;
      arrived_mask[st.group[5:0] & GroupMask] = 64'd0;
    end
  endtask

  // A killed or ended wavefront leaves the table.
  task automatic remove_wave(input widx_t at);
    table_changed  = 1'b1;
    used[at]       = 1'b0;
    ending[at]     = 1'b0;
    silent[at]     = 1'b0;
    order[at[5:4]] = order_remove(order[at[5:4]], at[3:0]);
    age[at[5:4]]   = order_remove(age[at[5:4]], at[3:0]);
    if (group_waves[at] > 8'd1) begin
      ended[barrier_of(at)] = ended[barrier_of(at)] + 8'd1;
      release_barrier(barrier_of(at), group_waves[at]);
    end
  endtask

  task automatic kill_waves(input logic [7:0] of_vmid);
    table_changed = 1'b1;
    for (int unsigned k = 0; k < Waves; k++) begin
      if (used[k[5:0]] && vmid[k] == of_vmid) begin
        live[k[5:0]]    = 1'b0;
        head_ok[k[5:0]] = 1'b0;
        faulted[k[5:0]] = 1'b0;
        ending[k[5:0]]  = 1'b1;
        silent[k[5:0]]  = 1'b1;
      end
    end
  endtask

  // A vector instruction with a scalar destination: remember where the result goes.
  task automatic remember_result(input widx_t at, input tag_t of_tag);
    logic [3:0] f;
    f = {at[5:4], fly_head[at[5:4]] + fly_count[at[5:4]][1:0]};
    fly_count[at[5:4]] = fly_count[at[5:4]] + 3'd1;
    fly_slot[f]  = at[3:0];
    fly_write[f] = head[at].write;
    fly[f].wave  = at;
    fly[f].tag   = of_tag;
    fly[f].code  = head[at].issue.sdst;
    fly[f].we    = head[at].issue.we;
    fly[f].exec  = head[at].issue.exec;
    fly[f].data  = '0;
    pending[at]  = pending[at] | head[at].write;
    check_registers(at, head[at].check, pending[at], head[at].issue.mask);
  endtask

  task automatic take_result(input logic [1:0] sd, input logic [63:0] value);
    logic [3:0] f;
    f               = {sd, fly_head[sd]};
    result[sd]      = fly[f];
    result[sd].data = fly[f].we == 2'b10 ? value << 32 : value;
    fly_head[sd]    = fly_head[sd] + 2'd1;
    fly_count[sd]   = fly_count[sd] - 3'd1;
    result_ready[sd] = 1'b1;
  endtask

  // The result of SIMD sd is written: what stays pending of its wavefront, also of instructions that issued since it came.
  task automatic settle_result(input logic [1:0] sd);
    logic [63:0] keep;
    logic [1:0] place;
    widx_t at;
    at   = windex(result[sd].wave);
    keep = 64'd0;
    for (int unsigned k = 0; k < 4; k++) begin
      place = k[1:0] - fly_head[sd];
      if ({1'b0, place} < fly_count[sd] && fly_slot[{sd, k[1:0]}] == at[3:0]) keep = keep | fly_write[{sd, k[1:0]}];
    end
    pending[at] = keep;
    check_registers(at, head[at].check, keep, head[at].issue.mask);
  endtask

  // Waits, no-ops, barrier, sleep, end.
  task automatic internal(input widx_t at);
    case (head[at].issue.op)
      OP_S_ENDPGM, OP_S_ENDPGM_SAVED: begin
        table_changed = 1'b1;
        live[at]      = 1'b0;
        ending[at]    = 1'b1;
      end
      OP_S_BARRIER: begin
        if (group_waves[at] > 8'd1) begin
          at_barrier[at]               = 1'b1;
          arrived[barrier_of(at)]      = arrived[barrier_of(at)] + 8'd1;
          arrived_mask[barrier_of(at)] = arrived_mask[barrier_of(at)] | (64'd1 << at);
          release_barrier(barrier_of(at), group_waves[at]);
        end
      end
      OP_S_SLEEP: begin
        sleep[at]    = head[at].issue.simm16[6:0];
        sleeping[at] = head[at].issue.simm16[6:0] != 7'd0;
      end
      OP_S_NOP: begin
        nops[at]                  = head[at].issue.simm16[3:0];
        resting[at[5:4]][at[3:0]] = head[at].issue.simm16[3:0] != 4'd0;
      end
      default: ;  // s_waitcnt, s_wakeup
    endcase
  endtask

  // Of `who`, wavefronts of SIMD s that rest in this turn, some rest in the next one too: s_nop n takes n + 1 turns of its
  // wavefront, n in four bits (LLVM AMDGPU, GCNSubtarget::getSNopBits from Volcanic Islands on; wait states of the GCN3 ISA).
  task automatic rest_on(input slots_t who);
    slots_t on;
    on = '0;
    for (int unsigned k = 0; k < Slots; k++) begin
      if (who[k] && nops[{s, k[3:0]}] != 4'd0) begin
        nops[{s, k[3:0]}] = nops[{s, k[3:0]}] - 4'd1;
        on[k]             = nops[{s, k[3:0]}] != 4'd0;
      end
    end
    resting[s] = on;
  endtask

  // Sleeping wavefronts of SIMD `sd` count down every 64 cycles, in its turn.
  task automatic wake(input logic [1:0] sd);
    if (sleeping[{sd, 4'd0}+:16] != '0) begin
      for (int unsigned k = 0; k < Slots; k++) begin
        if (sleeping[{sd, k[3:0]}]) begin
          if (FaultSeed != 32) sleep[{sd, k[3:0]}] = sleep[{sd, k[3:0]}] - 7'd1;
          sleeping[{sd, k[3:0]}] = sleep[{sd, k[3:0]}] != 7'd0;
          quiet                  = 3'd0;
        end
      end
    end
  endtask

  /* verilator lint_on UNUSEDSIGNAL */
  // ---- events
  cu_evt_t evt;
  task automatic make_event(input logic [7:0] kind, input widx_t at, input logic [31:0] data);
    logic own;
    own              = kind == CU_EVT_FAULT && head_fault[at];
    evt              = '0;
    evt.kind         = kind;
    evt.wave         = {2'd0, at};
    evt.launch       = launch[at];
    evt.vmid         = vmid[at];
    evt.group        = group[at];
    evt.instructions = instructions[at];
    evt.data         = data;
    evt.pc           = {16'd0, own ? head[at].pc : last_pc[at]};
    if (kind == CU_EVT_FAULT) begin
      evt.status = fault_status[at];
      evt.va     = !own ? fault_va[at] : fault_status[at] == FAULT_ILLEGAL ? head[at].inst :
                   fault_status[at] == FAULT_TRAP ? {56'd0, head[at].inst[7:0]} : {16'd0, head[at].pc};
    end
  endtask

  // One wavefront that has faulted or halted itself, or has ended and nothing of it is under way: SIMDs in turn,
  // oldest first.
  task automatic end_wave();
    slots_t over, bad;
    logic [1:0] sd;
    widx_t at;
    sd = cycle_i[1:0] & SimdMask;
    for (int unsigned k = 0; k < 4; k++) begin
      over = ending[{sd, 4'd0}+:16] & ~vm_some[{sd, 4'd0}+:16] & ~lg_some[{sd, 4'd0}+:16] & ~sb_some[{sd, 4'd0}+:16] &
             ~vm_reads[{sd, 4'd0}+:16] & ~lds_reads[{sd, 4'd0}+:16] &
             ~(recent[sd][15:0] | recent[sd][31:16] | recent[sd][47:32] | recent[sd][63:48]);
      bad  = faulted[{sd, 4'd0}+:16];
      if ((over | bad) != 16'd0) break;
      sd = (sd + 2'd1) & SimdMask;
    end
    if ((over | bad) != 16'd0) begin
      busy = 1'b1;
      at   = windex({sd, oldest(over | bad, order[sd])});
      make_event(!faulted[at] ? CU_EVT_WAVE_DONE : fault_status[at] != 8'd0 ? CU_EVT_FAULT : CU_EVT_HALT, at, 32'd0);
      if (faulted[at]) begin
        faulted[at]    = 1'b0;
        cu_evt_valid_o <= 1'b1;
        credits        = credits - 8'd1;
      end else begin
        if (!silent[at]) begin
          cu_evt_valid_o <= 1'b1;
          credits        = credits - 8'd1;
        end
        remove_wave(at);
      end
      cu_evt_o <= evt;
    end
  endtask
