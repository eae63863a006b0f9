# SPDX-License-Identifier: Apache-2.0
"""A budget of target cycles: twelve programs on the RTL take exactly the cycles of cycles.tsv, which has a column for each
release of Debian, whose compilers make other code.  A change of it needs a commit that says why; on each of them
`build/venv/bin/python tests/system/test_cycles.py` writes its column anew.  Kernels alone (configs/tiny.yaml) and HIP
programs with one host thread on two GPUs (configs/demo.yaml)."""
import pathlib
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "sw/kernels"), str(HERE.parents[1] / "sw/tools")]
from builder import release  # noqa: E402
import test_kernels  # noqa: E402
from live import APPS, MODELS, ROOT, gantry_run  # noqa: E402

TABLE = HERE / "cycles.tsv"
RELEASES = ["12", "13"]  # columns
KERNELS = ["vecadd", "matmul", "transpose", "reduction", "histogram", "hash", "mix64", "nbody"]
PROGRAMS = ["vecadd", "reduction", "transpose", "peer"]
ALL = [("kernel", name) for name in KERNELS] + [("program", name) for name in PROGRAMS]


def cycles(kind, name):
    if kind == "kernel":
        with tempfile.TemporaryDirectory() as folder:
            return int(test_kernels.launch(name, 4, pathlib.Path(folder))[0]["cycles"])
    subprocess.run(["make", "-s", f"build/apps/{name}"], cwd=ROOT, check=True)
    result = gantry_run([APPS / name], "rtl", 2)
    assert result.status == 0 and result.line["repeatable"] == "yes", result
    return int(result.line["cycles"])


def budgets():
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {(kind, name): [int(count) for count in counts] for kind, name, *counts in rows}


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
@pytest.mark.parametrize("kind, name", ALL)
def test_cycles(kind, name):
    assert cycles(kind, name) == budgets()[kind, name][RELEASES.index(release.name())]


def test_table_is_whole():
    assert list(budgets()) == ALL and all(len(counts) == len(RELEASES) and min(counts) > 0 for counts in budgets().values())


if __name__ == "__main__":
    table = budgets()
    for row in ALL:
        table.setdefault(row, [0] * len(RELEASES))[RELEASES.index(release.name())] = cycles(*row)
    TABLE.write_text("\t".join(["# kind", "name", *(f"Debian {r}" for r in RELEASES)]) + "\n" +
                     "".join("\t".join(map(str, [*row, *table[row]])) + "\n" for row in ALL))
