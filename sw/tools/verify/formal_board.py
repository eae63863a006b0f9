# SPDX-License-Identifier: Apache-2.0
"""Proofs of a board's frames, chip and target (formal.py)."""
import dataclasses

from verify.formal_tasks import BUGS, PDR, Task, bounded, faults, induction, reach


def frames(depth, expected="PASS", nightly=False, replace=(), defines=(), top="board_frames_fv", cut="", frames=0, merge=True, **params):
    """Frames of a board and what carries them: worth making the model smaller first; `cut`: wires that are free.  Registers begin with 0, unless any
    state is searched from (STEP)."""
    undefined = "-undriven -anyseq" if "STEP" in defines else "-init -zero"
    return Task(f"mode bmc\ndepth {depth}", "abc scorr; dc2; bmc3", expected=expected, params=params, nightly=nightly, replace=replace, defines=defines,
                frames=frames, merge=merge,
                prepare=f"hierarchy -check -top {top}\nproc\nflatten\n{cut}opt_expr\nopt_clean\nopt -nodffe -nosdff\nmemory_dff\nmemory_collect\n"
                f"memory_map\nsetundef {undefined}\nopt -full\nsimplemap\nopt -full")


def channel(depth, **kw):
    return frames(depth, top="framer_channel_fv", cut="cutpoint w:u_framer.sum8_q w:u_framer.sum32_q w:u_deframer.sum8_q w:u_deframer.sum32_q\n", **kw)


BLOCKS = {  # tasks of each
    "ft245_sync": {**PDR, **faults(("assign taken = !wr_no && !txe_ni;", "assign taken = !wr_no;"),
                         ("rx_valid_o <= !rd_no && !rxf_ni;", "rx_valid_o <= !rd_no;"),
                         ("if (taken ? !more || out_q.flush : readable) begin", "if (taken && (!more || out_q.flush)) begin"),
                         ("end else if (out_valid_q && flush_q == '0) begin", "end else if (out_valid_q) begin"))},
    "board_frames": {"bmc": frames(34), "bmc_long": frames(38, nightly=True), "bmc_fates": frames(72, nightly=True, Fates="1'b1"),
         "cover": frames(60, expected="FAIL", nightly=True, defines=("REACH",), Fates="1'b1"),
         **{f"bug{n}": frames(60, expected="FAIL", replace=pair, Fates="1'b1") for n, pair in enumerate((
             ("assign expected = ahead == '0;", "assign expected = 1'b1;"),
             ("send_place_q <= base_place_q;", ""),
             ("write_q <= end_q;", ""),
             ("base_place_q <= base_place_q + place_t'(entry.length);", "base_place_q <= base_place_q + 1'b1 + place_t'(entry.length);")), 1)},
         "bmc_room": frames(100, nightly=True, Stall="1'b1"), "bug_room": frames(100, expected="FAIL", Stall="1'b1", replace=("assign fits = room_q == 8'hff ||", "assign fits = 1'b1 ||"))},
    "framer": {"bmc": frames(36, top="framer_fv"), "bmc_long": frames(60, nightly=True, top="framer_fv"),
         "cover": frames(60, expected="FAIL", nightly=True, defines=("REACH",), top="framer_fv"),
         **{f"bug{n}": frames(60, expected="FAIL", replace=pair, top="framer_fv") for n, pair in enumerate((
             ("if (left_q == 9'd1) state_q <= Judge;", "if (left_q == 9'd2) state_q <= Judge;"),
             ("!(fresh_q && (state_q == Check || state_q == Tail));", "!(fresh_q && state_q == Check);"),
             ("default: byte_d = room_q;", "default: byte_d = room_i;"),
             ("payload_valid_o = take && state_q == Body && left_q > CheckBytes;",
              "payload_valid_o = take && state_q == Body && left_q >= CheckBytes;")), 1)}},
    "framer_channel": {"prove": channel(8, defines=("HELPERS",), frames=4, merge=False),
         "step": channel(3, defines=("HELPERS", "STEP")), "cover": channel(150, expected="FAIL", nightly=True, defines=("REACH",)),
         **{f"bug{n}": channel(3, expected="FAIL", replace=pair, defines=("HELPERS", "STEP")) for n, pair in enumerate((
             ("if (left_q == 9'd1) state_q <= Judge;", "if (left_q == 9'd2) state_q <= Judge;"),
             ("assign free = !tx_valid_o || tx_ready_i;", "assign free = 1'b1;"),
             ("count_q <= HeadBytes - 4'd1;", "count_q <= '0;"),
             ("assign take = valid_i && ready_o;", "assign take = ready_o;"),
             ("payload_valid_o = take && state_q == Body && left_q > CheckBytes;", "payload_valid_o = take && state_q == Body && left_q >= CheckBytes;"),
             ("default: byte_d = room_q;", "default: byte_d = room_i;")), 1)}},
    "board_target": {"bmc": bounded(12, nightly=True), "prove": induction(), "cover": dataclasses.replace(reach(20), nightly=True), **BUGS,
         **{f"bug{n}": bounded(14, expected="FAIL", replace=pair) for n, pair in enumerate((
             ("fire_q  <= (!target_no && !fire_q) || evaluate", "fire_q  <= !target_no || evaluate"),
             ("quiet     = target_no && !fire_q && !jump_q", "quiet     = target_no && !jump_q"),
             ("due_o     = asking_q ? '0 : due_q;", "due_o     = fire_q && !asking_q ? due_q : '0;")), 4)}},
}
