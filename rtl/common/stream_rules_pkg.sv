// SPDX-License-Identifier: Apache-2.0
// What every message of a kind holds, whoever sends it: known values of enumerations, alignment, fields that go together.
// Only assertions of streams use it (gantry_assert.svh).  Not responsible for: what one receiver asks for beyond that.
package stream_rules_pkg;
  import gantry_msg_pkg::*;

  localparam int unsigned Any = 32'hffff_ffff;  // depth of a STREAM_BOUND whose pushes something else bounds

  /* verilator lint_off UNUSEDSIGNAL */  // of a message a rule looks at some fields only
  function automatic logic atomic_ok(input mem_req_t m);
    logic whole;  // the mask has no word in part
    whole = 1'b1;
    for (int unsigned w = 0; w < 16; w++) begin
      whole = whole && (m.mask[w*4+:4] == '0 || m.mask[w*4+:4] == '1);
      whole = whole && (m.size != 8'd8 || m.mask[w*4] == m.mask[(w^1)*4]);
    end
    return m.atomic <= ATOMIC_DEC && whole &&
           (m.mask == '0 || (m.addr[5:0] == 6'd0 && m.atomic != ATOMIC_CMPSWAP)) &&
           ((m.size == 8'd4 && m.addr[1:0] == 2'd0) || (m.size == 8'd8 && m.addr[2:0] == 3'd0));
  endfunction

  function automatic logic mem_req_ok(input mem_req_t m);
    unique case (m.op)
      MEM_READ, MEM_READ_NC, MEM_WRITE: return m.addr[5:0] == 6'd0;
      MEM_ATOMIC: return atomic_ok(m);
      MEM_XLAT: return m.access != 8'd0 && m.access < 8'd8;
      default: return 1'b0;
    endcase
  endfunction

  function automatic logic mem_rsp_ok(input mem_rsp_t m);
    return m.op <= MEM_XLAT && m.status <= MEM_FAULT_BUS;
  endfunction

  // Between GPUs also lines of pages that move, which no crossbar ever sees.
  function automatic logic far_req_ok(input mem_req_t m);
    return m.op == MEM_MOVE ? m.addr[5:0] == 6'd0 && m.mask == '1 && m.source == 8'hff : mem_req_ok(m);
  endfunction

  function automatic logic far_rsp_ok(input mem_rsp_t m);
    return m.op == MEM_MOVE ? m.source == 8'hff && m.status <= MEM_FAULT_BUS : mem_rsp_ok(m);
  endfunction

  function automatic logic dram_req_ok(input dram_req_t m);
    return m.write <= 8'd1 && m.addr[5:0] == 6'd0;
  endfunction

  function automatic logic ifetch_req_ok(input ifetch_req_t m);
    return m.va[4:0] == 5'd0;
  endfunction

  function automatic logic ifetch_rsp_ok(input ifetch_rsp_t m);
    return m.status <= MEM_FAULT_BUS;
  endfunction

  // A buffer load is cut at the end of its resource: any number up to that of the longest load.
  function automatic logic smem_dwords_ok(input logic [7:0] n);
    return n != 8'd0 && n <= 8'd16;
  endfunction

  function automatic logic smem_req_ok(input smem_req_t m);
    return m.op <= SMEM_NONE && (m.op != SMEM_LOAD || smem_dwords_ok(m.dwords));
  endfunction

  function automatic logic smem_rsp_ok(input smem_rsp_t m);
    return m.op <= SMEM_NONE && m.op != SMEM_DATA && m.status <= MEM_FAULT_BUS;
  endfunction

  // Pages of an invalidation: a range of 40-bit addresses, or (no bytes) all.
  function automatic logic range_ok(input logic [63:0] va, input logic [63:0] bytes);
    return bytes == 64'd0 ? va == 64'd0 : va[63:40] == 24'd0 && bytes <= 64'h10000000000 - va;
  endfunction

  // Pages of a command: a range, or a list of them, of which one kind of components takes one after the other.
  function automatic logic pages_ok(input cp_cmd_t m);
    cp_pages_t list;
    logic ok;
    list = cp_pages_t'(m);
    if (list.pages == 16'd0) return range_ok(m.root, m.pc);
    ok = list.pages <= 16'd8 && list.root == 64'd0 && list.bytes != 64'd0;
    for (int unsigned p = 0; p < 8; p++) ok = ok && (p >= 32'(list.pages) || range_ok(list.page[p], list.bytes));
    return ok && (m.kind == CP_XLAT || ((m.flags & 32'(CACHE_INV_TLB)) != 32'd0) !=
                                       ((m.flags & (32'(CACHE_WB_L2) | 32'(CACHE_INV_L2))) != 32'd0));
  endfunction

  // A command for counters of far accesses: of what, and in pages of what size.
  function automatic logic counts_ok(input logic [15:0] action, input logic [7:0] page);
    return action <= 16'(COUNTS_READ) && (action != 16'(COUNTS_ON) || page == 8'd12 || page == 8'd16);
  endfunction

  function automatic logic cp_cmd_ok(input cp_cmd_t m);
    return m.kind >= CP_LAUNCH && m.kind <= CP_COUNTS && (m.kind != CP_COUNTS || counts_ok(m.flags[15:0], m.vmid)) &&
           ((m.kind != CP_MOVE && m.kind != CP_STORE) || m.flags[15:0] <= 16'd1024) &&
           (m.kind != CP_MOVE || m.flags[15:0] != 16'd0) &&
           ((m.kind != CP_CACHE && m.kind != CP_XLAT) || pages_ok(m)) &&
           (m.kind != CP_LAUNCH || (m.waves != 16'd0 && m.vgprs[1:0] == 2'd0 && m.sgprs[3:0] == 4'd0));
  endfunction

  function automatic logic cp_evt_ok(input cp_evt_t m);
    return m.kind >= CP_EVT_LAUNCH_DONE && m.kind <= CP_EVT_COUNTED && m.status <= FAULT_TRAP;
  endfunction

  function automatic logic cu_cmd_ok(input cu_cmd_t m);
    return m.kind >= CU_WAVE && m.kind <= CU_TRAP &&
           (m.kind != CU_WAVE || (m.exec[0] && m.init_sgprs <= 8'd24 && m.wave_in_group < m.group_waves));
  endfunction

  function automatic logic cu_evt_ok(input cu_evt_t m);
    return m.kind >= CU_EVT_WAVE_DONE && m.kind <= CU_EVT_HALT && m.status <= FAULT_TRAP;
  endfunction

  function automatic logic ctl_cmd_ok(input ctl_cmd_t m);
    return m.op == CTL_SIGNAL ? m.signals < 8'd64 :
        m.op == CTL_MOVE ? m.flags[15:0] != 16'd0 && m.flags[15:0] <= 16'd1024 :
        m.op == CTL_STORE ? m.flags[15:0] <= 16'd1024 : m.op == CTL_COUNTS ? counts_ok(m.flags[15:0], m.vmid) :
        m.op == CTL_ROOT || m.op == CTL_FETCH ? m.bytes == 64'd0 :
        (m.op == CTL_INV || m.op == CTL_XLAT) && range_ok(m.root, m.bytes);
  endfunction

  function automatic logic ctl_evt_ok(input ctl_evt_t m);
    return m.op <= CTL_COUNTS && m.status <= CTL_ERROR_DISCARD && m.status != CTL_ERROR_NONE &&
           m.state <= CTL_STATE_DISCARDING;
  endfunction

  function automatic logic xlat_evt_ok(input xlat_evt_t m);
    return m.access != 8'd0 && m.access < 8'd8 && m.va[63:40] == '0 && m.va[11:0] == '0;
  endfunction

  function automatic logic move_evt_ok(input move_evt_t m);
    count_evt_t of;
    logic known;  // of counters: pages of other GPUs, each with an access
    of = count_evt_t'(m);
    known = of.entries != 8'd0 && of.entries <= 8'd3;
    for (int unsigned e = 0; e < 3; e++)
      known = known && (e >= 32'(of.entries) ? of.frame[e] == '0 :
                        of.frame[e][11:0] == '0 && of.frame[e][55:48] != '0 && of.reads[e] < 16'd4096 &&
                        of.writes[e] < 16'd4096 && (of.reads[e] != '0 || of.writes[e] != '0));
    if (m.kind == CP_EVT_COUNT) return known;
    if (m.kind == CP_EVT_COUNTED) return m.status == CTL_OK;
    return (m.kind == CP_EVT_MOVED || m.kind == CP_EVT_STORED) && m.status <= MOVE_DISCARDED && m.lines <= 16'd1024;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
