# SPDX-License-Identifier: Apache-2.0
"""A partition behind records of a board, against its model library (part.cpp): messages out with their cycles, evaluated cycles, idle, what it
shows, counters, echoes, refusals; each seeded fault of the harness is noticed."""
import pytest

from part import KINDS, ROOT, check_board, harness, library, run, settings

FAULTS = [
    ("rtl/board/board_control.sv", "assign perf_addr_o = asking ? 8'(head.arg) : PerfNone;", "assign perf_addr_o = asking ? 8'(head.arg >> 8) : PerfNone;"),
    ("rtl/board/board_control.sv", "assign perf_addr_o = asking ? 8'(head.arg) : PerfNone;", "assign perf_addr_o = fire_o && asking ? 8'(head.arg) : PerfNone;"),
    ("rtl/board/board_target.sv", "if (load_i) due_q[slot_i] <= 1'b1;", "if (load_i && !idle_i) due_q[slot_i] <= 1'b1;"),
    ("rtl/board/board_target.sv", "edges_q   <= edges_q + 1'b1;", "edges_q   <= edges_q + 32'd2;"),
    ("rtl/board/board_target.sv", "(due_q != '0 && SeedBug != 3'd3) || !idle_o || no_skip_q", "due_q != '0 || !idle_o"),
    ("rtl/board/board_target.sv", "assign idle_o    = idle_i && started_q;", "assign idle_o    = idle_i;"),
    ("rtl/board/board_sender.sv", "left_q   <= left_q & (left_q - 1'b1);", "left_q   <= '0;"),
    ("rtl/board/board_sender.sv", "snd_end_o  <= last && answer_q;", "snd_end_o  <= last;"),
    ("rtl/board/board_sender.sv", "body_last    = answer_q && say_q == SayEcho ? echo_last_i : index_q == top_q;",
     "body_last    = answer_q && say_q == SayEcho ? echo_last_i : index_q == length;"),
    ("rtl/board/board_records.sv", "error_q <= 2'(RECORD_TWICE);", "error_q <= 2'(RECORD_LINK);"),
    ("rtl/board/board_sender.sv", "state_q == Body || index_q[2:1] == 2'd3", "state_q == Body || index_q == 8'd7"),
    ("rtl/board/board_sender.sv", "if (out_step_o) ahead_q <= ahead_q + 1'b1;", "if (sends) ahead_q <= ahead_q + 1'b1;"),
    ("rtl/board/board_pick.sv", "byte_o  <= message_i[index_q];", "byte_o  <= message_i[index_i];"),
    ("rtl/board/board_slot.sv", "message_q <= {byte_i, message_q[Bytes-1:1]};", "message_q <= {message_q[Bytes-2:0], byte_i};"),
]


def bench(kind, seed, windows, *more, **kw):
    return run([harness(kind, **kw), library(kind), seed, windows, *more])


@pytest.mark.shows("B.3")
@pytest.mark.parametrize("seed", [1, 2])
def test_rdma(seed):
    done = bench("rdma", seed, 1000)
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly
@pytest.mark.shows("B.3")
def test_utcl2():
    done = bench("utcl2", 1, 1000)
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly
@pytest.mark.shows("B.3")
@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind):
    """Any bytes as messages: every lane, every byte of each kind's ports."""
    done = bench(kind, 3, 60, "any", checks=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("number", [pytest.param(n, marks=[pytest.mark.nightly("seeded")] * (n > 0)) for n in range(len(FAULTS))])
def test_faults(number):
    file = ROOT / FAULTS[number][0]
    done = bench("rdma", 1, 300, fault=(file.relative_to(ROOT), *FAULTS[number][1:]))
    assert done.returncode != 0, done.stdout


@pytest.mark.nightly
def test_the_text_of_every_kind():
    """As `make lint` has it: Verilator -Wall and read_slang."""
    assert check_board.findings(settings()) == []
