# SPDX-License-Identifier: Apache-2.0
"""Whole programs on machines of full size: 64 CUs, and two GPUs of 64, with the golden model's data (configs/r9nano*)."""
import os
import subprocess

import pytest
from live import GANTRY, LIMIT, MODELS, ROOT, Result

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


def large_run(program, config, model):
    cmd = [GANTRY, "run", "-c", f"configs/{config}.yaml", "--model", model, "-q", "--", program]
    done = subprocess.run(cmd, cwd=ROOT, env=os.environ, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, errors="replace")
    return Result(done.returncode, done.stdout, done.stderr, 0)


@pytest.mark.parametrize("config, program", [("r9nano", "vecadd"), ("r9nano", "matmul"), ("r9nano", "histogram"), ("r9nano", "pipeline"),
                                             ("r9nano-2gpu", "saxpy2"), ("r9nano-2gpu", "peer")])
def test_full_size(apps, config, program):
    rtl, golden = (large_run(apps / program, config, model) for model in ("rtl", "golden"))
    assert rtl.status == 0 and "PASSED" in rtl.out and rtl.line["repeatable"] == "yes", rtl
    assert rtl.line["gpus"] == ("2" if config.endswith("2gpu") else "1")
    assert int(rtl.line["cycles"]) > 0 and int(rtl.line["kernels"]) > 0, rtl
    assert golden.status == 0 and golden.line["data"] == rtl.line["data"], (rtl, golden)
