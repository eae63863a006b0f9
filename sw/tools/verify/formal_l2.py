# SPDX-License-Identifier: Apache-2.0
"""Proofs of the L2 slice (formal.py): a large model, which is made smaller first, and requests of fixed kinds."""
from verify.formal_tasks import Task


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


BLOCKS = {  # tasks of each
    "l2_slice": {"base": l2_helpers(5, nightly=True), "step": l2_step(),
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
             ({**L2, **L2_REST}, "data_we_q && data_waddr_q == s4.row[RowBits-1:0]", "1'b0")), 1)}},
}
