# SPDX-License-Identifier: Apache-2.0
"""Proofs of what carries messages, of choices, of control and of the dispatcher (formal.py)."""
import dataclasses

from verify.formal_tasks import BUGS, PDR, Task, bounded, bug, faults, induction, reach


def two_clocks(depth, **kw):
    """Between two free clocks: a step is an edge of either, or of both, or of none; registers begin with 0."""
    return Task(f"mode bmc\ndepth {depth}\nmulticlock on", "abc bmc3", prepare="hierarchy -check -top async_fifo_fv\nproc\nflatten\nopt_clean\n"
                "memory_map\nsetundef -init -zero\nopt_clean", **kw)


BLOCKS = {  # tasks of each
    "stream_fifo": {**PDR, "prove": dataclasses.replace(PDR["prove"], nightly=True), **BUGS},
    "stream_queue": {**PDR, "bmc": bounded(10), "prove": dataclasses.replace(PDR["prove"], nightly=True), **BUGS},
    "latency_floor": {**PDR, "prove": dataclasses.replace(PDR["prove"], nightly=True), **BUGS, "bug4": bug(4)},
    "rr_arbiter": {**PDR, "prove_ports": Task("mode prove", "abc pdr", params={"N": 9}), **BUGS},  # as many as part_rdma has with 8 GPUs
    "pick_pkg": {"bmc": bounded(2), "prove": bounded(4, defines=("HELPERS",), frames=4, nightly=True),
         "cover": bounded(8, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("return first64(ahead != 64'd0 ? ahead : requests);", "return first64(requests);"),
                  ("high_ahead = pointer[6] ? high & mask : high;", "high_ahead = high & mask;"),
                  ("return {1'b1, first64(high_ahead)};", "return {1'b1, first64(high)};"),
                  ("64'hCCCCCCCCCCCCCCCC", "64'hCCCCCCCCCCCCCCC8"),
                  ("count >= 7'd64 ?", "count > 7'd64 ?"),
                  ("done = 7'd1;", "done = 7'd2;")),
         "bug_pointer": bug(1)},
    "async_fifo": {"bmc": two_clocks(30, nightly=True), "bmc_long": two_clocks(45, nightly=True),
         "cover": two_clocks(60, expected="FAIL", defines=("REACH",), nightly=True),
         **{f"bug{n}": two_clocks(40, expected="FAIL", replace=pair) for n, pair in enumerate((
             ("assign ready_o = used != place_t'(Depth);", "assign ready_o = 1'b1;"),
             ("write_gray_q         <= gray(write_q + 1'b1);", "write_gray_q         <= gray(write_q) + 1'b1;"),
             ("data_o      <= mem[read_q[Aw-1:0]];", "data_o      <= mem[write_q[Aw-1:0]];"),
             ("assign room_o = used <= place_t'(Depth - 4);", "assign room_o = 1'b1;"),
             ("assign pop = read_gray_q != write_seen_q && (!valid_o || ready_i);", "assign pop = read_gray_q != write_seen_q;")), 1)}},
    "credit_counter": {**PDR, **faults(("if (!rst_ni) count_q <= Cw'(Depth);", "if (!rst_ni) count_q <= Cw'(Depth - 1);"),
                         ("if (spend_i != credit_i)", "if (spend_i || credit_i)"),
                         ("assign available_o = count_q != '0;", "assign available_o = 1'b1;"))},
    "channel": {**PDR, "cover": dataclasses.replace(PDR["cover"], nightly=True),
         **faults(("Stages = Latency - 2;", "Stages = Latency - 3;"),
                         ("if (due) read_q <= next(read_q);", "if (due) read_q <= read_q + 1'b1;"),
                         ("under_way_q == '0 && !valid_o", "under_way_q == '0"))},
    "issue_queue": {**PDR, **faults(("if (ready_i && count_q != 3'd0) begin", "if (ready_i && count_q > 3'd1) begin"),
                         ("data_o  <= mem[read_q];", "data_o  <= mem[write_q];"),
                         ("assign idle_o = !(count_q != 3'd0 && ready_i)", "assign idle_o = !(count_q > 3'd1 && ready_i)"))},
    "control_agent": {"bmc": bounded(10, nightly=True), "prove": induction(), "cover": bounded(20, expected="FAIL", defines=("REACH",), nightly=True),
         **faults(("!(operation_q.flush && maint_busy_q && !maint_late_q)", "1'b1"),
                  ("end else if (ends && !immediate) begin", "end else if (ends) begin"),
                  ("if (flush_done_i || discard_done_i) operation_q.done <= 1'b1;", ""),
                  ("maint_told_q <= (maint_done_i || maint_told_q) && answer_q;", "maint_told_q <= maint_done_i && answer_q;"),
                  ("state_q == StateOff || state_q == StatePaused || state_q == StateDiscarding;",
                   "state_q == StatePaused || state_q == StateDiscarding;"),
                  ("id: ctl_cmd_i.id};", "id: operation_q.id};"))},
    "dispatch_pool": {"bmc": bounded(7, nightly=True, params={"Cus": 1}), "prove": induction(nightly=True, Cus=1), "prove_two": induction(nightly=True),
         "prove_few": induction(nightly=True, Groups=1),
         "prove_wide": induction(nightly=True, Cus=1, Slots=3), "cover": dataclasses.replace(reach(14, Cus=1), nightly=True),
         **{f"bug{n}": bug(n, Cus=1) for n in (1, 2, 3)}},
    "dispatch_broadcast": {"bmc_short": bounded(12), "bmc": bounded(26, nightly=True), "cover": bounded(26, expected="FAIL", defines=("REACH",), nightly=True),
         "cover_full": bounded(20, expected="FAIL", defines=("FULL",), nightly=True),
         **faults(("if (!active && quiet_i) begin", "if (!active) begin"),
                  ("settle = 2'd3;", "settle = 2'd0;"),
                  ("state == Acks && left == 64'd0", "state == Acks"),
                  ("32'(next) == Cus", "32'(next) + 1 >= Cus"),
                  ("next   = 7'd0;", ""),
                  ("state = t.kill ? Reopen : Telling;", "state = Telling;"),
                  ("held < (Qw + 1)'(Depth - 2)", "1'b1"),
                  ("active      = 1'b1;", ""),
                  ("killing_vmid_o <= t.vmid;", "killing_vmid_o <= queue[head].vmid;")),
         "bug_status": bounded(20, expected="FAIL", nightly=True, replace=("if (t.status == CTL_OK) begin", "begin"))},
    "dispatch_walk": {"bmc_short": bounded(8), "bmc": bounded(10, nightly=True), "bmc_long": bounded(12, nightly=True), "bmc_three": bounded(11, nightly=True, params={"Dispatchers": 3}),
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
                  ("if (reserved && l == owner && ok_i) begin", "if (1'b0) begin"))},
}
