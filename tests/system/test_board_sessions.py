# SPDX-License-Identifier: Apache-2.0
"""One board for several runs (docs/reference/board.md): the second finds the board as the first left it, with whatever stands in registers that no reset
clears, and is the same all the same."""
import sys

import pytest
from boards import KINDS, placed, program, standin  # noqa: F401
from live import ROOT
from same_board import SameBoard

sys.path.insert(0, str(ROOT / "tests/rtl/board"))
import part as parts  # noqa: E402

BY_DAY = ("rdma",)


@pytest.mark.parametrize("kind", [kind if kind in BY_DAY else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS])
@pytest.mark.shows("B.3")
def test_same_board_again(apps, standin, kind, tmp_path):
    """A program, another one, the first again: cycles, hash, data, every counter, and what the board did."""
    whole = ["--set", "system.rtl=whole"] if kind == "gpu" else []
    plain, _ = program(apps / "vecadd", tmp_path / "plain", *whole)
    between, _ = program(apps / "histogram", tmp_path / "plain-between", *whole)
    with SameBoard(parts.board(kind, checks=False), tmp_path) as board:
        options = [*whole, *placed(KINDS[kind])]
        first, did = program(apps / "vecadd", tmp_path / "first", *options, env=board.env)
        assert first == plain and did[0]["cycles"] > 0
        assert program(apps / "histogram", tmp_path / "between", *options, env=board.env)[0] == between
        again, does = program(apps / "vecadd", tmp_path / "again", *options, env=board.env)
        # bytes that fill packets depend on how full the chip was when the session began
        assert again == plain and abs(does[0].pop("bytes_taken") - did[0].pop("bytes_taken")) < 10 and does == did
        assert board.runs == 3 and board.process.poll() is None
