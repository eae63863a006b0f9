// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: an instruction enters cu_simd, its slots are formed and their rows read, slots move on, and
// who may write a row in the next cycle.  Not responsible for: the operations.

  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts of control words
  // 16 lanes: DPP of another row with the old destination as third source (v_mac), which leaves no port for that row.
  function automatic logic gathers(`STATE_ARG input logic e);
    return r.i_ctl[e].dpp && r.i_info[e].ctl.third && r.i_issue[e].ext[16:8] >= 9'h130 &&
        r.i_issue[e].ext[16:9] != 8'ha0;
  endfunction

  // Modifiers of a new instruction, SDWA and DPP.
  function automatic void accept_special(`STATE_ARG input logic e, input op_info_t info);
    `NO_INLINE
    logic crosses, keep;
    ctl_t k;
    logic [31:0] ext;
    k = r.i_ctl[e];
    ext = r.i_issue[e].ext;
    // DPP from another row reads it through the third port; kept bits of the destination do as well
    crosses = r.i_issue[e].dpp && ext[16:8] >= 9'h130 && ext[16:9] != 8'ha0;
    keep = r.i_issue[e].sdwa && ext[12:11] == 2'd2 && ext[10:8] != 3'd6 && r.i_issue[e].dst_valid;
    r.i_neg[e] = r.i_issue[e].neg & info.mods;
    r.i_abs[e] = r.i_issue[e].abs & info.mods;
    k.vgpr[2] = k.vgpr[2] || crosses || keep;
    k.third = k.third || crosses || keep;
    k.dpp = r.i_issue[e].dpp;
    k.sdwa = r.i_issue[e].sdwa;
    k.keep = keep;
    k.mod = (r.i_neg[e] | r.i_abs[e]) != '0;
    k.special = k.dpp || k.sdwa || keep || (k.mod && k.cls != ClsF64);  // the serial unit has its own modifiers
    k.post = (k.sdwa && ext[10:8] != 3'd6) ||
        (k.out != OutInt && k.cls != ClsF64 && (r.i_issue[e].clamp || r.i_issue[e].omod != 2'd0));
    k.clamp = r.i_issue[e].clamp;
    r.i_ctl[e] = k;
    if (keep) r.row2 = {r.i_issue[e].dst, BeatW'(0)};
    r.uneven = r.uneven || (Parts == 1 && crosses);
    if (Parts == 1 ? gathers(`STATE e) : k.dpp) r.gather = 3'(Parts);
  endfunction

  // The lane mask of a new instruction is the result of one of the last two: the last one's is in the other entry and
  // may not be whole yet (hand_mask), the second's is still in its own entry.
  function automatic void take_mask(`STATE_ONLY);
    `NO_INLINE
    logic e;
    e = r.cur;
    r.i_issue[e].mask = r.i_result[r.i_issue[e].mask_from == MaskLast || `SIMD_FAULT == 30 ? !e : e];
  endfunction

  // A new instruction stands in r.i_issue, in the entry that is not the current one; the slots of the one before are
  // over.
  function automatic void accept(`STATE_ONLY);
    `NO_INLINE
    logic e;
    op_info_t info;
    ctl_t k;
    logic [63:0] lane;
    e = !r.cur;
    r.cur = e;
    info = `OP_INFO(r.i_issue[e].op);
    r.i_info[e] = info;
    k = info.ctl;
    k.vgpr = r.i_issue[e].src_vgpr;
    k.round = info.round16 ? r.i_issue[e].mode[3:2] : r.i_issue[e].mode[1:0];
    k.wide_norm = k.wide_norm || (info.wide_small && r.i_issue[e].mode[4]);
    k.small_kept = k.small_kept || (info.small32 && r.i_issue[e].mode[5]) || (info.small16 && r.i_issue[e].mode[7]);
    r.i_ctl[e] = k;
    r.live.running = 1'b1;
    r.at = {info.kind, CountW'(0)};
    r.slot_and = '1;
    r.slot_and.norm = k.cls == ClsFma;
    r.slot_and.write = r.i_issue[e].dst_valid;
    r.slot_or = '0;
    r.slot_or.entry = e;
    r.slot_or.row = {r.i_issue[e].dst, BeatW'(0)};
    // a row is read for scalars, too: its value is dropped
    r.row0 = {k.vgpr[0] ? r.i_issue[e].src_row[0] : r.i_issue[e].dst, BeatW'(0)};
    r.row1 = {k.vgpr[1] ? r.i_issue[e].src_row[1] : r.i_issue[e].dst, BeatW'(0)};
    r.row2 = {k.vgpr[2] ? r.i_issue[e].src_row[2] : r.i_issue[e].dst, BeatW'(0)};
    r.uneven = info.kind != 3'd0;
    if ({r.i_issue[e].neg, r.i_issue[e].abs, r.i_issue[e].omod, r.i_issue[e].clamp, r.i_issue[e].sdwa,
         r.i_issue[e].dpp} != '0) begin
      accept_special(`STATE e, info);
    end
    if (MaskForward && r.i_issue[e].mask_from != MaskRegister) take_mask(`STATE_CALL);
    k = r.i_ctl[e];
    r.i_ctl[e].scalar = !k.vgpr[0] || (k.use1 && !k.vgpr[1]) || (k.third && !k.vgpr[2]);
    if (k.cls == ClsLane) begin
      lane = r.i_issue[e].sval[1];
      r.i_lane[e] = r.i_issue[e].op == OP_V_READFIRSTLANE_B32 ? pick_pkg::first64(r.i_issue[e].exec) : lane[5:0];
    end
  endfunction

  // Rows of slot s where they follow from more than the beat: pairs, the row that DPP reads beside its own.
  function automatic void uneven_rows(`STATE_ARG input slot_info_t s);
    `NO_INLINE
    logic q;
    logic [2:0] next;
    q = r.cur;
    next = s.sub[0] ? r.i_info[q].pair : 3'd0;
    r.ra[RowW-1:BeatW] = r.row0[RowW-1:BeatW] + {7'd0, next[0]};
    r.rb[RowW-1:BeatW] = r.row1[RowW-1:BeatW] + {7'd0, next[1]};
    if (Parts == 1 && r.i_ctl[q].dpp && !r.i_info[q].ctl.third && r.i_issue[q].ext[16:8] >= 9'h130 &&
        r.i_issue[q].ext[16:9] != 8'ha0) begin
      r.rc = simd_row_t'({r.i_issue[q].src_row[0], dpp_other(r.i_issue[q].ext[16:8], s.row[1:0])});
    end else if (!r.i_ctl[q].keep) begin
      r.rc[RowW-1:BeatW] = r.row2[RowW-1:BeatW] + {7'd0, next[2]};
    end
  endfunction

  // 128 bits: the upper pair of the third source and of the destination.
  function automatic void second_pass(`STATE_ONLY);
    `NO_INLINE
    r.at = {r.i_info[r.cur].kind, CountW'(0)};
    r.row2[RowW-1:BeatW] = r.row2[RowW-1:BeatW] + 8'd2;
    r.slot_or.row[RowW-1:BeatW] = r.slot_or.row[RowW-1:BeatW] + 8'd2;
    r.slot_or.second = 1'b1;
  endfunction

  // Slots before those of a row of 16 bring its lanes for DPP to stage 1, to r.serial: with fewer than 16 lanes, and for
  // v_mac.  The third port reads the lane of another row.
  function automatic void gather_slot(`STATE_ONLY);
    `NO_INLINE
    slot_info_t t;
    logic [1:0] row;
    logic [8:0] control;
    control = r.i_issue[r.cur].ext[16:8];
    t = '0;
    t.valid = 1'b1;
    t.gather = 1'b1;
    t.entry = r.cur;
    t.row = simd_row_t'(32'(r.gather_row) * Parts + (Parts - 32'(r.gather)));
    row = dpp_other(control, r.gather_row);
    r.ra = r.row0 | t.row;
    r.rc = {r.i_issue[r.cur].src_row[0],
            BeatW'(32'(row) * Parts + (control[8:3] == 6'b100110 ? 32'd0 : Parts - 32'd1))};
    r.gather = r.gather - 3'd1;
    r.serial = t;
  endfunction

  // Slots move on.  Which rows the slot that enters stage 1 reads, and what of them is no operand yet.
  function automatic void read_stage(`STATE_ARG input logic asked);
    slot_info_t s;
    logic [2:0] same;
    logic running;
    s = '0;
    running = r.live.running;
    r.patch = 1'b0;
    if (Parts > 1 && running && r.gather != '0) begin
      gather_slot(`STATE_CALL);
      s = r.serial;
    end else if (running) begin
      s = (`SLOT(r.at) & r.slot_and) | r.slot_or;
      r.at = r.at + (CountW+3)'(1);
      r.ra = r.row0 | {8'd0, s.row[BeatW-1:0]};
      r.rb = r.row1 | {8'd0, s.row[BeatW-1:0]};
      r.rc = r.row2 | {8'd0, s.row[BeatW-1:0]};
      if (r.uneven) begin
        if (s.serial) begin
          serial_slot(`STATE s);
          s = r.serial;
        end else if (Parts == 1 && r.gather != '0) begin
          gather_slot(`STATE_CALL);
          s = r.serial;
          r.at = r.at - (CountW+3)'(1);  // the slot comes next
        end else begin
          if (Parts == 1 && gathers(`STATE r.cur)) begin
            r.gather = s.last ? 3'd0 : 3'd1;
            r.gather_row = r.gather_row + 2'd1;
          end
          uneven_rows(`STATE s);
          if (s.high) s.row[RowW-1:BeatW] = s.row[RowW-1:BeatW] + 8'd1;
          if (s.last && r.i_info[r.cur].twice && !s.second) begin
            s.last = 1'b0;
            second_pass(`STATE_CALL);
          end
        end
      end
      running = !s.last;
      if (s.read) begin
        r.fwd = '0;
        // fewer lanes: the next instruction's row is read long after
        if (Parts == 1 && r.write && `SIMD_FAULT != 16) begin
          same = {r.wrow == r.rc, r.wrow == r.rb, r.wrow == r.ra};
          r.fwd = same & r.i_ctl[r.cur].vgpr;
          r.fwd_lanes = r.lanes;
        end
        r.patch = r.fwd != '0 || r.i_ctl[r.cur].scalar;
      end
      // the last slot of a row of 16 lanes
      if (Parts > 1 && r.i_ctl[r.cur].dpp && 32'(s.row) % Parts == Parts - 1 &&
          (r.i_info[r.cur].kind == 3'd0 || s.sub == 2'd3)) begin
        r.gather = s.last ? 3'd0 : 3'(Parts);
        r.gather_row = r.gather_row + 2'd1;
      end
    end
    r.live = {asked, r.write, running, r.live.slots[Stages-1:0], s.valid};
    r.st4 = r.st3;
    r.st3 = r.st2;
    r.st2 = r.st1;
    if (OperandStage) begin
      r.st1 = r.st0;
      r.st0 = s;
    end else begin
      r.st1 = s;
    end
  endfunction

  // Requesters of row writes: a lone one keeps its grant, so that it can send every cycle; nobody is granted a cycle in
  // which the ALU writes.
  function automatic void grant_write(`STATE_ARG input logic [2:0] valid);
    logic [2:0] g;
    g = r.granted;
    // requests that stay after this cycle
    r.waited = (g & valid) != '0 ? 2'd1 : r.waited == 2'd3 ? 2'd3 : r.waited + 2'd1;
    if (valid[2] && !g[2]) g = 3'b100;
    else if (valid[0] && (!g[0] || !valid[1])) g = 3'b001;
    else if (valid[1] && (!g[1] || !valid[0])) g = 3'b010;
    else if (valid[2]) g = 3'b100;
    r.granted = r.st4.valid && r.st4.write ? 3'b000 : g;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
