# SPDX-License-Identifier: Apache-2.0
"""Proofs of the memory path but the L2 slice: vector memory, caches, TLBs, crossbar, DRAM (formal.py)."""
import dataclasses

from formal_tasks import bounded, faults, induction, reach, step

VMEM = ["build/gen/gantry_cfg_pkg.sv", "build/gen/gantry_msg_pkg.sv", "rtl/common/pick_pkg.sv", "rtl/tlb/tlb_pkg.sv", "rtl/cu/cu_pkg.sv", "rtl/l1/l1v_pkg.sv",
        "rtl/cu/cu_vmem_pkg.sv"]
BLOCKS = {  # sources, tasks
    "dram_channel": (
        ["rtl/common/pick_pkg.sv", *(f"rtl/dram/dram_{name}.sv" for name in ("pkg", "bank_pkg", "choose_pkg", "refresh_pkg", "checker", "channel"))],
        {"bmc": bounded(6, nightly=True), "bmc_long": bounded(10, nightly=True),
         "bmc_banks": bounded(10, nightly=True, limit=3600, params={"Banks": 4, "Places": 4}),
         "cover": bounded(20, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("column_at[b]         = now + Wait.column;", "column_at[b]         = now;"),
                  ("Wait.same_group,", "Wait.same_any,"),
                  ("activate_at[b] = now + Wait.activate;", ""), nightly=True)}),
    "tlb_l1": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/tlb/tlb_pkg.sv", "rtl/tlb/tlb_l1.sv", "tests/formal/tlb_l1_peek.sv"],
        {"bmc": bounded(6, nightly=True), "prove": bounded(5, defines=("HELPERS",), frames=4, nightly=True), "cover": dataclasses.replace(reach(8), nightly=True),
         **faults(("vmid: vmid, first: vpn", "vmid: {6'd0, vmid[1:0]}, first: vpn"),
                  ("inv_covers(inv_i, kept.vmid, kept.first, kept.size)", "inv_covers(inv_i, kept.vmid, kept.first, SizePage)"),
                  ("size: of_size, vmid", "size: SizePage, vmid"),
                  ("tag[base+w] == other ? SizeLarge", "tag[base+w] == other ? SizeMib"))}),
    "utcl2_tlb": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/common/pick_pkg.sv", "rtl/tech/ram_1r1w.sv", "rtl/tlb/tlb_pkg.sv",
         *(f"rtl/tlb/utcl2_{name}.sv" for name in ("choose_pkg", "tags_pkg", "misses_pkg", "withheld_pkg", "answers_pkg", "store", "tlb")),
         "tests/formal/utcl2_tlb_peek.sv"],
        {"base_short": bounded(2, defines=("HELPERS",), nightly=True), "base": bounded(4, defines=("HELPERS",), nightly=True),
         "step": step(nightly=True), "bmc": bounded(11, nightly=True),
         "cover": bounded(3, expected="FAIL", defines=("HELPERS", "STEP", "REACH"), nightly=True),
         **{f"bug{n}": step(expected="FAIL", nightly=True, replace=pair) for n, pair in enumerate((
             ("generation[cmd.inv.vmid] = generation[cmd.inv.vmid] + 8'd1;", ""),
             ("cmd.state == CmdWait && !s2.valid && answer_set == 64'd0 && rsp_count == 8'd0",
              "cmd.state == CmdWait && !s2.valid && rsp_count == 8'd0"),
             ("slot_next[at_t'(walk[w].last)] = slot;\n              walk[w].last  = slot;", "walk[w].last  = slot;"),
             ("valid[row][k] = match ? 1'b0 : valid[row][k];", ""),
             ("if (inv_sent && walk_stale(cmd.inv, walk[w].vmid, walk[w].vpn)) begin", "if (1'b0) begin"),
             ("return inv_covers(inv, tag.vmid, tag.first, tag.size);", "return inv_covers(inv, tag.vmid, tag.first, SizePage);"),
             ("held_count = held_count + walk[w].count;", "held_count = held_count + 12'd1;"),
             ("return walk.vmid == page.vmid && walk.vpn == page.vpn;", "return walk.vpn == page.vpn;")), 1)}}),
    "vmem_xlat": (
        [*VMEM, "rtl/cu/cu_vmem_xlat_pkg.sv", "rtl/cu/cu_vmem_lines.svh"],
        {"bmc": bounded(8), "bmc_helpers": bounded(8, defines=("HELPERS",), nightly=True),
         "cover": bounded(12, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("file.writes[w] || file.denies[miss] ?", "file.writes[w] ?"),
                  ("first: ahead & going}", "first: ahead & file.writes}"),
                  ("return others == '0;", "return 1'b1;"),
                  ("left.older[at] = 1'b0;", ""),
                  ("if (pages != '0) free = pages;", ""),
                  ("return strict ? older : older & writes;", "return older & writes;"),
                  ("last_page = file.page[found];", ""),
                  ("file.stale = file.stale | (file.busy & ~file.answered & ~file.ask);", ""),
                  ("doubted = tx0.valid;", ""),
                  ("if (file.answered != '0 && !quiesce_i) serve", "if (file.answered != '0) serve"), nightly=True)}),
    "vmem_coalesce": (
        [*VMEM, "rtl/cu/cu_vmem_xlat_pkg.sv", "rtl/cu/cu_vmem_lines.svh", "rtl/cu/cu_vmem_coalesce.sv"],
        {"bmc": bounded(12, nightly=True), "cover": bounded(18, expected="FAIL", defines=("REACH",), nightly=True),
         "cover_pair": bounded(12, expected="FAIL", defines=("REACH_PAIR",), nightly=True),
         **faults(("next.behind = joined1[15:0];", "next.behind = '0;"),
                  ("&& !paired && open.behind == '0;", "&& !paired;"),
                  ("next.lanes  = 64'(joined0) <<", "next.lanes  = 64'(joined0 | joined1) <<"),
                  ("pending1 = pending1 & ~joined1;\n    end", "end"),
                  ("joined1 = joined1 & pending1;\n    if", "if"),
                  ("if (ok) open.lanes = open.lanes |", "if (ok) open.lanes ="), nightly=True)}),
    "noc_xbar": (
        ["rtl/common/pick_pkg.sv", "rtl/noc/noc_xbar.sv", "tests/formal/noc_xbar_peek.sv"],
        {"bmc": bounded(6, nightly=True), "prove": induction(nightly=True), "prove_lanes": induction(nightly=True, Lanes=2),
         "prove_run": induction(nightly=True, Run=2, Lanes=2),
         "cover": bounded(12, expected="FAIL", defines=("REACH", "SHORT"), nightly=True),
         "bug_run": bounded(16, expected="FAIL", nightly=True, params={"Run": 2}, defines=("SHORT",),
                            replace=("left[o] - 32'd1 : Run - 32'd1;", "Run - 32'd1 : Run - 32'd1;")),
         "bug_owed": bounded(8, expected="FAIL", nightly=True, params={"Lanes": 2}, replace=("owed[grant]          = owed[grant] + 32'd1;", "")),
         "bug_queue": bounded(8, expected="FAIL", nightly=True, params={"Lanes": 2},
                              replace=("queued     = i * Lanes + (dest & (Lanes - 1));", "queued     = i * Lanes;")),
         **faults(("turn[o] = grant + 32'd1 == In ? 32'd0 : grant + 32'd1;", ""),
                  ("credits[o] = credits[o] + 32'(returned[o]);", ""),
                  ("waiting[o]   = (want_low[o] | want_high[o]) != 64'd0;", "waiting[o] = 1'b0;"),
                  defines=("SHORT",))}),
    "l1v": (
        ["rtl/common/pick_pkg.sv", "rtl/tech/ram_1r1w.sv", "build/gen/gantry_msg_pkg.sv", "rtl/tlb/tlb_pkg.sv",
         "rtl/l1/l1v_pkg.sv", "rtl/l1/l1v.sv", "tests/formal/l1v_peek.sv"],
        {"bmc": bounded(10, nightly=True), "prove": induction(nightly=True),
         "bmc_banks": bounded(10, nightly=True, params={"Ways": 1}), "prove_banks": induction(nightly=True, Ways=1),
         "cover": bounded(24, expected="FAIL", defines=("REACH",), nightly=True),
         "cover_pair": bounded(20, expected="FAIL", defines=("REACH_PAIR",), params={"Ways": 1}, nightly=True),
         **{f"bug_{what}": bounded(14, expected="FAIL", replace=pair, params={"Ways": 1}, nightly=True) for what, pair in (
             ("number", ("fifo[fifo_read].id   = req.id2;", "")), ("row", ("if (hit2) read_row(base2, way2);", "")),
             ("words", ("w < 32'(from)", "w <= 32'(from)")))},
         **faults(("credits = credits - 32'd1;", ""), nightly=True),
         **{f"bug{n}": bounded(14, expected="FAIL", replace=pair, nightly=True) for n, pair in (
             (2, ("out1.id = index[7:0];", "")),
             (3, ("64'(miss_line[word*64+m] == line) << m", "64'd1 << m")))}}),
    "rdma_store": (
        ["rtl/common/pick_pkg.sv", "build/gen/gantry_msg_pkg.sv", "rtl/rdma/rdma_move_pkg.sv", "rtl/rdma/rdma_store.sv"],
        {"bmc": bounded(12, nightly=True), "bmc_short": bounded(7), "cover": bounded(12, expected="FAIL", defines=("REACH",), nightly=True),
         **{f"bug{n}": bounded(10, expected="FAIL", params={"SeedBug": n}, nightly=n > 1) for n in (1, 2, 3)}}),
    "rdma_push": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/tech/ram_1r1w.sv", "rtl/rdma/rdma_move_pkg.sv", "rtl/rdma/rdma_push.sv"],
        {"bmc": bounded(12, nightly=True), "bmc_short": bounded(9), "cover": bounded(24, expected="FAIL", defines=("REACH",), nightly=True),
         **{f"bug{n}": bounded(14, expected="FAIL", params={"SeedBug": n}, nightly=n > 3) for n in (3, 4)}}),
    "rdma_counts": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/common/pick_pkg.sv", "rtl/common/stream_fifo.sv", "rtl/tech/ram_1r1w.sv", "rtl/rdma/rdma_counts_pkg.sv",
         "rtl/rdma/rdma_counts.sv"],
        {"bmc": bounded(13, nightly=True), "bmc_drop": bounded(11, params={"Drop": 1}, nightly=True), "bmc_short": bounded(9),
         "cover": bounded(20, expected="FAIL", defines=("REACH",), nightly=True),
         **{f"bug{n}": bounded(12, expected="FAIL", replace=pair, nightly=n == 2) for n, pair in enumerate((
             ("used_q[set_q]     <= 1'b0;", ""),
             ("entry_valid_o = evicts || out_left_q", "entry_valid_o = out_left_q"),
             ("row_kept_q  <= writes && set_q == read_set;", "row_kept_q  <= 1'b0;"),
             (".valid_i(access_valid_i && on_q)", ".valid_i(access_valid_i)"),
             ("by && count != '1 ? count + 1'b1 : count;", "by ? count + 2'd2 : count;")), 1)}}),
}
