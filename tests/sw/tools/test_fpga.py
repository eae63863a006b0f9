# SPDX-License-Identifier: Apache-2.0
"""sw/tools/synthesis/fpga.py: which routed clocks a board can run with, and what the gate of the target's clock may hang on."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from synthesis import fpga  # noqa: E402


def answer(clk=25.0, tclk=12.5, chip=60.0, out=80.0, back=40.0):
    return {"clocks": {"clk": clk, "tclk": tclk, "ft_clk_i": chip}, "crossings": {"clk>tclk": out, "tclk>clk": back}}


@pytest.mark.shows("B.10")
def test_clocks_that_are_kept():
    assert fpga.keeps(answer(), 25) and fpga.keeps(answer(out=None, back=None), 25)


@pytest.mark.parametrize("slow", [{"clk": 24.9}, {"tclk": 12.4}, {"chip": 59.9}, {"out": 80.1}, {"back": 40.1}])
def test_clocks_that_are_not(slow):
    assert not fpga.keeps(answer(**slow), 25)


def design(opens, gates=1):
    """A register with output 7, a LUT with output 8, and gates that hang on a net."""
    cells = {"r": {"type": "TRELLIS_FF", "connections": {"Q": [7]}}, "l": {"type": "LUT4", "connections": {"Z": [8]}}}
    return {"modules": {"top": {"cells": cells | {f"g{n}": {"type": "DCCA", "connections": {"CE": opens}} for n in range(gates)}}}}


def test_the_gate_hangs_on_a_register():
    """A LUT before it would have half a clock, and nothing would say so."""
    assert fpga.gated(design([7]))
    assert not any(fpga.gated(text) for text in (design([8]), design(["1"]), design([7], gates=2), design([7], gates=0)))


def test_the_longest_path_of_a_crossing():
    def path(of, to, *delays):
        return {"from": f"posedge $glbnet${of}", "to": f"posedge $glbnet${to}", "path": [{"delay": d} for d in delays]}

    report = {"critical_paths": [path("clk", "tclk", 1.0, 2.5), path("tclk", "clk", 4.0), path("clk", "tclk", 3.0), path("clk", "clk", 9.0)]}
    assert fpga.crossing(report, "clk", "tclk") == 3.5 and fpga.crossing(report, "tclk", "clk") == 4.0 and fpga.crossing(report, "clk", "ft_clk_i") is None
