# SPDX-License-Identifier: Apache-2.0
"""Rungs 8 and 12 of the ladder on the golden model, and what the shim must not disturb."""
import os
import subprocess

import pytest
from live import ROOT, built, gantry_run

SHIM = ROOT / "build/lib/libgantry_shim.so"


@pytest.fixture(scope="module")
def mix(apps):
    return built("mix")


@pytest.mark.parametrize("what", ["printf", "scratch", "children", "handler", "large"])
def test_mix(mix, what):
    result = gantry_run([mix, what])
    assert result.status == 0 and f"mix {what}: PASSED" in result.out, result
    assert result.line["repeatable"] == "yes", result
    if what == "printf":
        assert sorted(l for l in result.out.splitlines() if l.startswith("block")) == \
            [f"block {b} lane {l} n 7" for b in (0, 1) for l in (0, 1)], result


def test_shim_without_a_simulator(tmp_path):
    """LD_PRELOAD alone changes nothing; with a folder in which nobody listens, the device is absent."""
    env = {**os.environ, "LD_PRELOAD": str(SHIM)}
    plain = subprocess.run(["ls", "/proc/self/fd"], capture_output=True, text=True)
    loaded = subprocess.run(["ls", "/proc/self/fd"], capture_output=True, text=True, env=env)
    assert loaded.returncode == 0 and loaded.stdout == plain.stdout and not loaded.stderr
    env["GANTRY_ROOT"] = str(tmp_path)
    lost = subprocess.run(["cat", "/dev/kfd"], capture_output=True, text=True, env=env)
    assert lost.returncode == 1 and "No such device" in lost.stderr


def test_sysfs_is_redirected_for_children():
    result = gantry_run(["/bin/sh", "-c", "cat /proc/modules; cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id; ls /proc/self | grep -c exe"])
    assert result.status == 0, result
    assert "amdgpu" in result.out and "4097" in result.out, result
