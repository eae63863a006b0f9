# SPDX-License-Identifier: Apache-2.0
"""B.1, B.6: generic pointers to shared, private and global memory: a HIP program whose functions are not inlined, with and
without optimization, in every model and in lock step."""
import re
import subprocess

import pytest
from builder import release
from live import APPS, MODELS, ROOT, gantry_run


LANES = "clang 17 at -O0 reloads registers before it restores EXEC"  # docs/verification.md, By release of Debian


@pytest.fixture(scope="module", params=[pytest.param("-O0", marks=pytest.mark.may_skip(LANES)), "-O1"])
def generic(apps, request):
    if request.param == "-O0" and release.name("hip_llvm") == "17":
        pytest.skip(LANES)
    target, source = APPS / f"generic{request.param}", ROOT / "tests/system/programs/generic.hip"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", request.param, f"-I{ROOT}", "-x", "hip", source, "-o", target], check=True,
                       capture_output=True, text=True)
    return target


@pytest.mark.shows("B.1")
def test_generic_pointers(generic, model):
    result = gantry_run([generic], model, 1)
    assert result.status == 0 and "generic: PASSED" in result.out, result


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
@pytest.mark.shows("B.6")
def test_generic_pointers_in_lock_step(generic):
    result = gantry_run([generic], "rtl", 1, ["--lockstep"])
    assert result.status == 0 and "generic: PASSED" in result.out, result
    found = re.search(r"lockstep compared=(\d+) retired=(\d+)", result.err)
    assert found and found[1] == found[2] == result.line["instructions"] and int(found[1]) > 1000, result
    assert gantry_run([generic], "golden", 1).line["data"] == result.line["data"]
