# SPDX-License-Identifier: Apache-2.0
"""Tests of what sw/tools/netlist.py does besides elaborating (tests/rtl/test_synthesis.py): several first runs of yosys at once."""
import multiprocessing
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
import netlist  # noqa: E402


def test_first_runs_of_yosys_do_not_meet(tmp_path, monkeypatch):
    """yosys writes its compiled form at the first run; of four first users one makes it and the others wait."""
    stub = tmp_path / "yosys"
    stub.write_text(f"#!/bin/sh\necho begin >>{tmp_path}/runs\nsleep 0.3\necho end >>{tmp_path}/runs\n")
    stub.chmod(0o755)
    monkeypatch.setattr(netlist, "YOSYS", stub)
    monkeypatch.setattr(netlist, "CACHE", tmp_path / "cache")
    users = [multiprocessing.get_context("fork").Process(target=lambda: netlist.yosys("")) for _ in range(4)]
    for u in users:
        u.start()
    for u in users:
        u.join(30)
        assert u.exitcode == 0
    runs = (tmp_path / "runs").read_text().split()
    assert runs[:2] == ["begin", "end"] and runs.count("begin") == 5, runs  # one alone, then four
