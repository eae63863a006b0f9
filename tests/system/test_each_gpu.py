# SPDX-License-Identifier: Apache-2.0
"""One program, each of 1, 2, 4 and 8 GPUs: vectors are added on every one (S0.1); one that is held with its command processor's launches holds up none of the
others (S0.2); a launch returns while its kernel runs, and the host computes what it waits for (S4.4)."""
import subprocess

import pytest
from live import GANTRY, MODELS, ROOT, Result, built, kernels_of, rows

GPUS = [1, 2, 4, 8]
# By day fewer on the RTL: each number has an RDMA engine and a crossbar of its own to build.
BY = [(model, gpus) if model == "golden" or gpus in (1, 8) else pytest.param(model, gpus, marks=pytest.mark.nightly) for model in MODELS for gpus in GPUS]


@pytest.fixture(scope="module")
def each():
    return built("each")


def run(program, way, model, gpus, folder):
    done = subprocess.run([GANTRY, "run", "-c", "tiny", "--set", f"system.gpus={gpus}", "--model", model, "--max-seconds", "100", "-o", folder,
                           "--", program, way], cwd=ROOT, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return Result(done.returncode, done.stdout, done.stderr, 0, kernels_of(folder))


@pytest.mark.parametrize("model, gpus", BY)
@pytest.mark.shows("S0.1")
def test_every_gpu_adds(each, model, gpus, tmp_path):
    """The driver has so many, and a kernel has run on each, once: its own."""
    result = run(each, "adds", model, gpus, tmp_path)
    assert result.status == 0 and f"each: {gpus} devices, 0 words are wrong" in result.out, result
    assert [gpu for gpu, kernel in rows(result) if kernel.startswith("add")] == list(range(gpus)), result


@pytest.mark.parametrize("model, gpus", [(model, 4 if model == "golden" else 2) for model in MODELS])
@pytest.mark.shows("S0.2")
def test_one_is_held_the_others_finish(each, model, gpus, tmp_path):
    """Launches of the others end before the held one's kernel does, in target time; it goes on when it may."""
    result = run(each, "held", model, gpus, tmp_path)
    assert result.status == 0 and f"each: device 0 is held\neach: {gpus} devices, 0 words are wrong" in result.out, result
    found = [(int(row["gpu"]), row["kernel"].split("(")[0], int(row["start"]), int(row["end"])) for row in result.kernels]
    hold = next(end for gpu, kernel, _, end in found if gpu == 0 and "hold" in kernel)
    others = [end for gpu, kernel, _, end in found if gpu and "add" in kernel]
    behind = [start for gpu, kernel, start, _ in found if gpu == 0 and "add" in kernel]
    assert len(others) == 3 * (gpus - 1) and max(others) < hold, result
    assert len(behind) == 1 and behind[0] >= hold, result


@pytest.mark.parametrize("way", ["overlap", "asked", "many"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.shows("S4.4")
def test_host_goes_on_while_a_kernel_runs(each, model, way, tmp_path):
    """It computes, asks again and again whether the kernel has ended, or launches more: nothing of that waits for the kernel, which waits for the host."""
    result = run(each, way, model, 1, tmp_path)
    assert result.status == 0 and "each: 1 devices, 0 words are wrong" in result.out, result
    assert result.line["repeatable"] == "yes", result
    kernels = [kernel.split("(")[0] for _, kernel in rows(result)]
    assert kernels.count("hold") == 1 and kernels.count("add") == (40 if way == "many" else 0), result
