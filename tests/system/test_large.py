# SPDX-License-Identifier: Apache-2.0
"""Whole programs on machines of full size: 64 CUs, and two GPUs of 64, with the golden model's data (configs/r9nano*).  `make test` has four slices and
channels instead of 16: CUs and cache groups are of the models that `demo` has."""
import os
import sqlite3
import subprocess

import pytest
from live import GANTRY, LIMIT, MODELS, ROOT, Result

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


SLICES = [] if os.environ.get("GANTRY_NIGHTLY") == "1" else ["--set", "gpu.l2.slices=4"]


def large_run(program, config, model, options=(), args=()):
    cmd = [GANTRY, "run", "-c", f"configs/{config}.yaml", "--model", model, "-q", *SLICES, *options, "--", program, *args]
    done = subprocess.run(cmd, cwd=ROOT, env=os.environ, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, errors="replace")
    return Result(done.returncode, done.stdout, done.stderr, 0)


ONE, TWO = ("histogram", "vecadd", "matmul", "pipeline"), ("peer", "saxpy2")  # the first of each always


@pytest.mark.parametrize("config, program", [pytest.param(config, name, marks=pytest.mark.nightly if n else [])
                                             for config, names in (("r9nano", ONE), ("r9nano-2gpu", TWO)) for n, name in enumerate(names)])
def test_full_size(apps, config, program):
    rtl, golden = (large_run(apps / program, config, model) for model in ("rtl", "golden"))
    assert rtl.status == 0 and "PASSED" in rtl.out and rtl.line["repeatable"] == "yes", rtl
    assert rtl.line["gpus"] == ("2" if config.endswith("2gpu") else "1")
    assert int(rtl.line["cycles"]) > 0 and int(rtl.line["kernels"]) > 0, rtl
    assert golden.status == 0 and golden.line["data"] == rtl.line["data"], (rtl, golden)


def test_host_threads_change_nothing(apps):
    """64 busy CUs on three host threads: cycles, order of all writes and data of one thread."""
    one, three = (large_run(apps / "matmul", "r9nano", "rtl", ["--threads", n]) for n in ("1", "3"))
    assert one.status == three.status == 0 and "PASSED" in three.out, (one, three)
    assert [one.line[k] for k in ("cycles", "hash", "data", "instructions")] == [three.line[k] for k in ("cycles", "hash", "data", "instructions")]


def test_one_tlb_entry_covers_a_block(apps, tmp_path):
    """Memory that the runtime allocates reaches the TLBs in blocks of 64 KiB (fragments): three matrices of 36 pages each on 8 CUs
    cost 1,354 misses page by page."""
    done = large_run(apps / "matmul", "demo", "rtl", ["-o", tmp_path / "out"], ["192"])
    assert done.status == 0 and "PASSED" in done.out, done
    db = sqlite3.connect(tmp_path / "out" / "metrics.sqlite")
    hits, misses = (db.execute("select sum(value) from metrics where location like '%l1v_tlb' and what = ?", [w]).fetchone()[0] for w in ("hit", "miss"))
    assert hits > 50000 and 8 < misses < 400, (hits, misses)
