# SPDX-License-Identifier: Apache-2.0
"""A budget of target cycles: twelve programs on the RTL take exactly the cycles of cycles.tsv.  A change of it needs a commit
that says why; `build/venv/bin/python tests/system/test_cycles.py` writes it anew.  Kernels alone (configs/tiny.yaml) and HIP
programs with one host thread on two GPUs (configs/demo.yaml)."""
import pathlib
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "sw/kernels")]
import test_kernels  # noqa: E402
from live import APPS, MODELS, ROOT, gantry_run  # noqa: E402

TABLE = HERE / "cycles.tsv"
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


def budget():
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {(kind, name): int(count) for kind, name, count in rows}


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
@pytest.mark.parametrize("kind, name", ALL)
def test_cycles(kind, name):
    assert cycles(kind, name) == budget()[kind, name]


def test_table_is_whole():
    assert list(budget()) == ALL


if __name__ == "__main__":
    TABLE.write_text("# kind\tname\ttarget cycles\n" + "".join(f"{kind}\t{name}\t{cycles(kind, name)}\n" for kind, name in ALL))
