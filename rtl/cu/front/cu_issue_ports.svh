// SPDX-License-Identifier: Apache-2.0
// Inside of cu_issue, included by it: which wavefront of the SIMD in turn issues at each port.
// Not responsible for: what makes a wavefront ready (cu_issue_tasks.svh, cu_issue.sv).

  // Issue of the oldest of `who`, wavefronts of SIMD s, at `port`.  Sets w and its instruction number.
  task automatic issue(input slots_t who, input logic [2:0] port);
    busy            = 1'b1;
    slot            = oldest(who, order[s]);
    w               = windex({s, slot});
    now             = tag[w];
    head_ok[w]      = 1'b0;
    if (Narrow) begin
      took[slot] = 1'b1;
    end else begin
      tag[w]          = now + 8'd1;
      instructions[w] = instructions[w] + 32'd1;
      last_pc[w]      = head[w].pc;
    end
    if (observe) obs_o[port] <= '{wave: w, tag: now, pc: {16'd0, head[w].pc}, inst: head[w].inst};
  endtask

  // The same by wavefront instead of by port: a lone SIMD with few slots has one counter for each, not one for each port.
  task automatic count_issued();
    for (int unsigned k = 0; k < Slots; k++) begin
      if (took[k]) begin
        tag[k]          = tag[k] + 8'd1;
        instructions[k] = instructions[k] + 32'd1;
        last_pc[k]      = head[k].pc;
      end
    end
  endtask

  function automatic slots_t of_simd(input waves_t all, input logic [1:0] simd);
    return all[{simd, 4'd0}+:16];
  endfunction

  // Which of the last three vector instructions of SIMD s wrote the mask that the head of wavefront {s, of} waits for; 3: an
  // earlier one.
  function automatic logic [1:0] writer_of(input slot_t of);
    for (int unsigned k = 0; k < 3; k++) begin
      if (writers[s][k].any && writers[s][k].slot == of &&
          writers[s][k].pair == head[{s, of}].issue.mask.pair) return 2'(k);
    end
    return 2'd3;
  endfunction

  // Of `who`, whose heads wait for a mask, those that need not: the last two results are in the SIMD, and before the
  // operands of an instruction three later are read (8 cycles or more after the next one was chosen, and 4 more) VCC
  // has been written; SGPRs have not.
  function automatic slots_t handed(input slots_t who);
    slots_t h;
    slot_t of;
    h = '0;
    for (int unsigned k = 0; k < 3; k++) begin
      of = writers[s][k].slot;
      if (who[of] && writers[s][k].whole && writer_of(of) == 2'(k) && (k < 2 || writers[s][k].pair == 6'd53)) begin
        h[of] = 1'b1;
      end
    end
    return h;
  endfunction

  // Of `who`, wavefronts of SIMD s, those of the highest priority.
  function automatic slots_t highest(input slots_t who);
    slots_t h;
    h = (who & of_simd(prio[1], s)) != 16'd0 ? who & of_simd(prio[1], s) : who;
    return (h & of_simd(prio[0], s)) != 16'd0 ? h & of_simd(prio[0], s) : h;
  endfunction

  // The SIMD that the last place in the queue of vector memory is for: of those that want it the first behind the one that
  // took the place before.  Instructions of 16 cycles free a place at the turn of one SIMD each time: it would take all.
  function automatic logic [1:0] next_vmem();
    logic [1:0] next;
    next = vmem_simd;
    for (int unsigned k = 3; k > 0; k--) begin
      if (vmem_wants[vmem_simd+k[1:0]]) next = vmem_simd + k[1:0];
    end
    return next;
  endfunction

  // Vector ALU; `who` are the ready ones of SIMD s.
  task automatic issue_vector(input slots_t who);
    slots_t pick;
    // rows of other beats are not bypassed: the wavefront's vector instruction before leaves one turn free (recent:
    // its last)
    pick = who & ~of_simd(vm_reads | lds_reads, s) & ~(of_simd(other_row, s) & recent[s][31:16]);
    if (OperandStage) pick = pick & ~(of_simd(other_row, s) & recent[s][47:32]);  // written a cycle later
    if (pick != 16'd0) begin
      if (turns[s] == '0 && !valu_wait_i[s] && fly_count[s] != 3'd4) begin
        issue(pick, PortValu);
        issued.valid[PortValu] = 1'b1;
        issued.slot[PortValu]  = slot;
        issued.tag[PortValu]   = now;
        turns[s] = head[w].issue.turns;
        if (turns[s] != turns_t'(1)) multi[w] = 1'b1;
        recent[s][{2'd0, slot}] = 1'b1;
        if (MaskForward) begin
          issued.mask_from = MaskRegister;
          if (masked[w]) begin
            case (writer_of(slot))
              2'd0: issued.mask_from = MaskLast;
              2'd1: issued.mask_from = MaskSecond;
              default: ;
            endcase
          end
          writers[s] = {
            writers[s][1:0], head[w].issue.we != 2'd0, head[w].issue.gives_mask, slot, head[w].issue.sdst[6:1]
          };
        end
        if (head[w].write != 64'd0) remember_result(w, now);
      end else if (valu_wait_i[s]) busy = 1'b1;
    end
  endtask

  // The other ports; of `who`, ready ones of SIMD s, none has a vector instruction.
  task automatic issue_others(input slots_t who);
    slots_t pick;
    // scalar ALU or memory
    pick = of_simd(class_of[ClsSalu] & ~waiting, s);
    if (smem_out != 5'(MaxSmem)) pick = pick | of_simd(class_of[ClsSmem] & ~lg_full, s);
    pick = pick & who & ~late;
    if (pick != 16'd0 && !(holding && hold[s] != 3'd0)) begin
      issue(pick, PortSca);
      issued.valid[PortSca] = 1'b1;
      issued.slot[PortSca]  = slot;
      issued.tag[PortSca]   = now;
      if (head[w].issue.cls == ClsSmem) begin
        smem_out = smem_out + 5'd1;
        hold[s]  = head[w].issue.hold;
        holding  = holding || hold[s] != 3'd0;
        count_lg(w, 1'b1);
      end else begin
        resting[s][slot] = head[w].issue.slow;
        flagged[s][slot] = head[w].issue.flags;
        if (head[w].issue.waitcnt) privilege(w);
      end
    end
    // vector memory: not while the LDS reads this SIMD; each wavefront once, the oldest first, before one issues again
    pick = who & of_simd(class_of[ClsVmem], s);
    if (pick != 16'd0 && lds_read_simd[s] == 4'd0) begin
      pick = pick & ~of_simd(lds_reads | vm_full | multi, s);
      vmem_wants[s] = pick != 16'd0;
      if (vmem_queued == 3'd3 && vmem_wants[s] && next_vmem() != s) begin
        busy = 1'b1;  // the one whose turn it is may want it no more
      end else if (vmem_wants[s] && vmem_queued != 3'd4) begin
        pick = highest(pick);
        if ((pick & ~had_turn[s]) == 16'd0) had_turn[s] = had_turn[s] & ~pick;  // the next round
        issue(pick & ~had_turn[s], PortVmem);
        had_turn[s][slot] = 1'b1;
        issued.valid[PortVmem] = 1'b1;
        issued.slot[PortVmem]  = slot;
        issued.tag[PortVmem]   = now;
        vmem_queued            = vmem_queued + 3'd1;
        vmem_simd              = s;
        vmem_wants[s]          = 1'b0;
        vm_read_count[w]       = vm_read_count[w] + 4'd1;
        vm_read_simd[s]        = vm_read_simd[s] + 4'd1;
        vm_reads[w]            = 1'b1;
        count_vm(w, 1'b1);
      end
    end
    // LDS: not while vector memory reads this SIMD, so that it is known where a flat instruction before goes
    pick = who & of_simd(class_of[ClsLds], s);
    if (pick != 16'd0 && !lds_inside[s[1]][3] && vm_read_simd[s] == 4'd0) begin
      pick = pick & ~of_simd(vm_reads | lg_full | flat_lds | multi, s);
      if (pick != 16'd0) begin
        issue(pick, PortLds);
        issued.valid[PortLds] = 1'b1;
        issued.slot[PortLds]  = slot;
        issued.tag[PortLds]   = now;
        lds_inside[s[1]]      = lds_inside[s[1]] + 4'd1;
        lds_read_count[w]     = lds_read_count[w] + 4'd1;
        lds_read_simd[s]      = lds_read_simd[s] + 4'd1;
        lds_reads[w]          = 1'b1;
        count_lg(w, 1'b1);
      end
    end
    // branch or message; one interrupt at a time
    pick = who & of_simd(class_of[ClsBranch], s) & ~late & ~(wrote & of_simd(looks, s));
    if (pick != 16'd0 && !intr_busy) begin
      issue(pick, PortBranch);
      issued.valid[PortBranch] = 1'b1;
      issued.slot[PortBranch]  = slot;
      case (head[w].issue.op)
        OP_S_SENDMSG: intr_busy = head[w].issue.simm16[3:0] == 4'd1;
        OP_S_SETPRIO: set_priority(w, head[w].issue.simm16[1:0]);
        OP_S_SETHALT: begin
          halt[w] = head[w].issue.simm16[0];
          if (halt[w] && !priv[w]) halt_wave(w);
        end
        default: ;
      endcase
    end
    // waits and no-ops
    pick = who & of_simd(class_of[ClsInternal] & ~waiting, s);
    if (pick != 16'd0) begin
      issue(pick, PortInternal);
      issued.valid[PortInternal] = 1'b1;
      issued.slot[PortInternal]  = slot;
      internal(w);
    end
    // illegal, or its fetch faulted
    pick = who & of_simd(class_of[ClsBad], s);
    if (pick != 16'd0) begin
      busy = 1'b1;
      w    = windex({s, oldest(pick, order[s])});
      raise_fault(w, head[w].issue.fault != 4'd0 ? {4'd0, head[w].issue.fault} : FAULT_ILLEGAL, 1'b1);
    end
  endtask
