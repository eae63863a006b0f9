# SPDX-License-Identifier: Apache-2.0
"""Memory of one process in another (hipIpc*): tests/system/programs/share.hip on one and on two GPUs, then by a peer, too."""
import os
import re
import shutil
import subprocess

import pytest
from live import GANTRY, LIMIT, ROOT, Result

SIZES = [4, 65536, 3000000]
NIGHTLY = os.environ.get("GANTRY_NIGHTLY") == "1"


@pytest.fixture(scope="module")
def share(tmp_path_factory):
    if not shutil.which("hipcc"):
        pytest.skip("hipcc is not installed")
    program = tmp_path_factory.mktemp("share") / "share"
    subprocess.run(["hipcc", "--offload-arch=gfx803", "-O2", "-o", program, "tests/system/programs/share.hip"], cwd=ROOT, check=True,
                   capture_output=True)
    return program


def run(share, model, device, mode, size):
    config = "configs/demo.yaml" if device else "configs/tiny.yaml"
    cmd = [GANTRY, "run", "-c", config, "--model", model, "--", share, str(device), mode, str(size)]
    done = subprocess.run(cmd, cwd=ROOT, env=os.environ, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, errors="replace")
    result = Result(done.returncode, done.stdout, done.stderr, 0)
    assert result.status == 0 and "share: PASSED" in result.out, result
    return result


@pytest.mark.parametrize("mode", ["back", "gone", "freed", "killed"])
def test_memory_in_two_processes(share, mode):
    for size in SIZES if NIGHTLY or mode == "back" else SIZES[1:2]:  # by day the others with one size
        result = run(share, "golden", 0, mode, size)
        told = re.findall(r"warn client \d+: import of \S+ refused: nothing is exported under it", result.err)
        assert len(told) == 10 and re.search(r"[67] more lines were left out, like: client", result.err), result  # a handle with each of its 16 bytes damaged


@pytest.mark.parametrize("size", SIZES)
def test_memory_of_a_peer(share, size):
    run(share, "golden", 1, "back", size)


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if name.startswith("hip_event")}


def test_event_in_two_processes(share):
    """hipIpcGetEventHandle: a stream waits for an event of another process; its memory in /dev/shm is the run's."""
    before = shared_memory()
    result = run(share, "golden", 0, "event", 256)
    assert int(result.line["kernels"]) >= 5 and shared_memory() <= before, result


def test_handles_repeat(share):
    """What a run exports has the same handle each time, and leaves the same data, which the `data` figure counts once."""
    first, second = (run(share, "golden", 0, "back", 65536) for _ in range(2))
    refused = [re.findall(r"warn client \d+: import of (\S+)", r.err) for r in (first, second)]
    assert refused[0] == refused[1] and first.line["data"] == second.line["data"], (first, second)


@pytest.mark.skipif("rtl" not in os.environ.get("GANTRY_MODELS", "golden rtl"), reason="GANTRY_MODELS leaves the RTL out")
@pytest.mark.parametrize("device, mode, size", [(0, "back", 4), (1, "back", 65536),
                                                *(pytest.param(device, mode, size, marks=pytest.mark.nightly)
                                                  for device in (0, 1) for mode in ("back", "gone", "freed", "killed") for size in SIZES)])
def test_on_rtl(share, device, mode, size):
    run(share, "rtl", device, mode, size)
