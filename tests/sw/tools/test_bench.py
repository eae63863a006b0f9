# SPDX-License-Identifier: Apache-2.0
"""`make bench` goes on working: one short figure, its record, and the names of all figures that docs/performance.md shows."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from speed import bench  # noqa: E402


def test_one_figure(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "sw/tools/speed/bench.py", "--runs", "1", "--out", tmp_path / "bench.json", "cu.idle"], cwd=ROOT,
                          capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and "1 figures" in done.stdout, done
    (row,) = json.loads((tmp_path / "bench.json").read_text())
    assert row["name"] == "cu.idle" and row["unit"] == "ns/cycle", row
    assert 1 < row["value"] < 100_000 and 0.2 < row["calibration"] < 50, row  # no figure of this machine: that it is one


def test_unknown_figure():
    done = subprocess.run([sys.executable, ROOT / "sw/tools/speed/bench.py", "nothing.such"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 64 and done.stderr == "bench: no figure begins with nothing.such\n", done


def test_every_figure_has_one_name():
    names = [name for _, figures in bench.plan() for name in figures]
    assert len(names) == len(set(names)) > 20
