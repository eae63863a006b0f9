# SPDX-License-Identifier: Apache-2.0
"""What libhsakmt and ROCr, of version 6 as well, ask of libdrm; structures of ioctls of other sizes than the driver's."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
for folder in ("tests/system", "tests"):
    sys.path.insert(0, str(ROOT / folder))
from live import gantry_run  # noqa: E402

SHAPES = {"6 CUs": (6, ["gpu.cu.count=6"], "engines=2 arrays=1", "bitmap=7,7,0,0"),
          "4 CUs, slow": (4, ["gpu.cu.count=4", "gpu.clock_mhz=800"], "engines=4 arrays=1", "bitmap=1,1,1,1")}


@pytest.fixture(scope="module")
def drm(tmp_path_factory):
    program = tmp_path_factory.mktemp("drm") / "drm"
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-Ihost", "-Ihost/drm", "-o", program, "tests/system/programs/drm.c", "-Wl,--no-as-needed",
                    "-lhsa-runtime64", "-l:libdrm_amdgpu.so.1"], cwd=ROOT, check=True)
    return program


@pytest.mark.shows("S0.7", "B.1")
@pytest.mark.parametrize("shape", SHAPES)
def test_devices(drm, shape):
    """Each node's own device, described as the topology describes it."""
    cus, keys, engines, bitmap = SHAPES[shape]
    result = gantry_run([drm, "devices", "3"], gpus=3, options=[word for key in keys for word in ("--set", key)])
    assert result.status == 0 and "drm: PASSED" in result.out, result
    clock = 800000 if "gpu.clock_mhz=800" in keys else 1000000
    for node in range(3):
        line = re.search(rf"^device {node}: Gantry simulated R9 Nano: (.*)$", result.out, re.M)[1]
        assert line.startswith(f"id=7300 family=130 flags=0 engine={clock} memory=500000 {engines} counter=1000000 addresses=22011003 "), line
        assert line.endswith(f"tile=308 linear=4 cus={cus} {bitmap} bits=4096"), line


@pytest.mark.shows("S0.8")
def test_sizes(drm):
    """Of any size, up to the largest that a code can name; a long one that is not served is in the log."""
    result = gantry_run([drm, "sizes"])
    assert result.status == 0 and "drm: PASSED" in result.out, result
    assert re.search(r"driver warn client 0: ioctl 0x[0-9a-f]{8} \(number 0x1f\) is not served", result.err), result
