// SPDX-License-Identifier: Apache-2.0
// Inside of cu_issue, included by it: what one cycle does, in parts: what others report, the scalar result that is handed on,
// the turn of a SIMD, events to the dispatcher.  Not responsible for: the order of the parts (cu_issue.sv).

  // What others report.
  task automatic take_reports();
    if (outside) begin
      if (cu_evt_credit_i) credits = credits + 8'd1;
      if (start_valid_i) start_wave(start_i);
      if (intr_valid_i) begin
        intr_held = 1'b1;
        intr_wave = intr_wave_i;
        intr_data = intr_data_i;
      end
    end
    for (int unsigned k = 0; k < Decoders; k++) begin
      if (head_valid_i[k]) begin
        w = windex(head_wave_i[k]);
        if (live[w]) begin
          if (head[w].issue.cls != head_i[k].issue.cls) begin
            class_of[head[w].issue.cls][w]   = 1'b0;
            class_of[head_i[k].issue.cls][w] = 1'b1;
          end
          other_row[w] = head_i[k].issue.other_row;
          looks[w]     = head_i[k].issue.flags;
          head_ok[w]   = 1'b1;
          if (Narrow) begin  // by wavefront: an enable for each entry, no multiplexer for each bit
            for (int unsigned n = 0; n < Slots; n++) if (w == n[5:0]) head[n] = head_i[k];
          end else head[w] = head_i[k];
          check_wait(w, head_i[k].issue);
          check_registers(w, head_i[k].check, pending[w], head_i[k].issue.mask);
        end
      end
    end
    if (jump_valid_i[0]) head_ok[windex(jump_wave_i[0])] = 1'b0;
    if (jump_valid_i[1]) head_ok[windex(jump_wave_i[1])] = 1'b0;
    if (valu_done_valid_i != 4'd0) begin
      for (int unsigned k = 0; k < 4; k++) begin
        if (has_simd(k[1:0]) && valu_done_valid_i[k] && valu_done_i[k].has_result) begin
          take_result(k[1:0], valu_done_i[k].result);
        end
      end
    end
    if (memory) begin
      for (int unsigned k = 0; k < 2; k++) begin
        if (lds_opread_valid_i[k]) begin
          w = windex(lds_opread_i[k].wave);
          lds_read_count[w]     = lds_read_count[w] - 4'd1;
          lds_read_simd[w[5:4]] = lds_read_simd[w[5:4]] - 4'd1;
          if (lds_read_count[w] == 4'd0) lds_reads[w] = 1'b0;
        end
        if (lds_left_i[k]) lds_inside[k] = lds_inside[k] - 4'd1;
        if (lds_done_valid_i[k]) begin
          w = windex(lds_done_i[k].wave);
          count_lg(w, 1'b0);
          check_wait(w, head[w].issue);
        end
      end
      if (vmem_pop_i) vmem_queued = vmem_queued - 3'd1;
      if (vmem_opread_valid_i) begin
        w = windex(vmem_opread_i.wave);
        vm_read_count[w]     = vm_read_count[w] - 4'd1;
        vm_read_simd[w[5:4]] = vm_read_simd[w[5:4]] - 4'd1;
        if (vm_read_count[w] == 4'd0) vm_reads[w] = 1'b0;
        if (vmem_opread_lds_i) flat_lds[w] = 1'b1;
      end
      if (vmem_done_valid_i) memory_done(vmem_done_i, 1'b1);
      if (smem_left_i) smem_out = smem_out - 5'd1;
      if (smem_done_valid_i) memory_done(smem_done_i, 1'b0);
    end
    if (kill_valid_i) begin
      killing = 1'b1;
      kill_waves(kill_vmid_i);
    end
  endtask

  // Scalar result of the vector ALU of the SIMD in phase 1.
  task automatic hand_result();
    if (result_ready != 4'd0) begin
      busy = 1'b1;
      s    = cycle_i[1:0] - 2'd1;
      if (has_simd(s) && result_ready[s]) begin
        s               = s & SimdMask;
        result_ready[s] = 1'b0;
        result_valid_o  <= 1'b1;
        result_o        <= result[s];
        w               = windex(result[s].wave);
        waited          = !free_regs[w];
        settle_result(s);
        if (waited && free_regs[w]) fresh[s][w[3:0]] = 1'b1;
      end
      s = cycle_i[1:0];
    end
  endtask

  // Where a wavefront is, as its SIMD sees it in its turn: behind a branch that has issued, the head may be of the old path
  // until then.
  task automatic tell();
    if (where_en_i) begin
      w = windex(where_i);
      where_o <= {
        used[w], live[w], head_ok[w], at_barrier[w], sleeping[w], fault_status[w] != 8'd0, ending[w],
        cycle_i[1:0] == w[5:4]
      };
    end
  endtask

  // The SIMD in turn issues.
  task automatic take_turn();
    if (has_simd(s)) begin
      s = s & SimdMask;
      vmem_wants[s] = 1'b0;
      if (recent[s] != 64'd0) begin
        busy      = 1'b1;
        recent[s] = {recent[s][47:0], of_simd(multi, s)};
      end
      if (turns[s] != '0) begin
        busy     = 1'b1;
        turns[s] = turns[s] - turns_t'(1);
        if (turns[s] == '0) multi[{s, 4'd0}+:16] = '0;
      end
      rests = resting[s];
      wrote = flagged[s];
      late  = fresh[s];
      if ((rests | wrote | late) != 16'd0) begin
        busy       = 1'b1;
        rest_on(rests);
        flagged[s] = '0;
        fresh[s]   = '0;
      end
      if (Narrow) took = '0;
      if (of_simd(live & head_ok, s) != 16'd0 && !held) begin
        able  = of_simd(live & head_ok & ~sleeping & ~at_barrier, s) & ~rests;
        ready = able & of_simd(free_regs, s);
        m     = of_simd(class_of[ClsValu], s);
        able  = MaskForward ? able & of_simd(masked, s) : 16'd0;
        if (able != 16'd0) able = handed(able);
        able  = able | (ready & m);
        if (able != 16'd0) issue_vector(able);
        ready = ready & ~m;
        if (ready != 16'd0) issue_others(ready);
        issued.simd = s;
      end
      if (Narrow) count_issued();
    end
    if (holding) begin
      busy = 1'b1;
      if (has_simd(s) && hold[s&SimdMask] != 3'd0) hold[s&SimdMask] = hold[s&SimdMask] - 3'd1;
      holding = (hold[0] | hold[1] | hold[2] | hold[3]) != 3'd0;
    end
  endtask

  // No instruction is under way, and no event is to be sent.
  function automatic logic nothing_left();
    return (vm_some | lg_some | sb_some | ending | faulted) == '0 && vmem_queued == 3'd0 && lds_inside == '0 &&
        smem_out == 5'd0 && !intr_held && !intr_busy && !killing;
  endfunction

  // One event; the end of a kill.
  task automatic send_events();
    if (credits != 8'd0) begin
      if (intr_held) begin
        busy           = 1'b1;
        intr_held      = 1'b0;
        intr_busy      = 1'b0;
        make_event(CU_EVT_INTERRUPT, windex(intr_wave), intr_data);
        cu_evt_valid_o <= 1'b1;
        cu_evt_o       <= evt;
        credits        = credits - 8'd1;
      end else if (ack_valid_i && !ack_taken_o) begin
        busy           = 1'b1;
        ack_taken_o    <= 1'b1;
        evt            = '0;
        evt.kind       = CU_EVT_ACK;
        cu_evt_valid_o <= 1'b1;
        cu_evt_o       <= evt;
        credits        = credits - 8'd1;
      end else if ((ending | faulted) != '0) begin
        end_wave();
      end
    end
    if (killing && silent == '0) begin
      busy        = 1'b1;
      killing     = 1'b0;
      kill_done_o <= 1'b1;
    end
  endtask
