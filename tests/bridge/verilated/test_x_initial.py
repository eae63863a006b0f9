# SPDX-License-Identifier: Apache-2.0
"""Two-state simulation hides missing resets: on `tiny`, models whose registers all start with random contents
(--x-initial unique) give the same hash, counters included, under several seeds; a planted missing reset does not.  Nightly: by day the benches of tests/rtl begin so,
block by block."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import test_kernels  # noqa: E402


def final_line(tmp_path, seed, defines=""):
    data = tmp_path / "in.bin"
    data.write_bytes(bytes(range(256)) * 4)
    env = dict(os.environ, GANTRY_MODEL_STD_X="1", GANTRY_MODEL_DEFINES=defines, GANTRY_MODEL_OPT="-O0")  # short runs
    cmd = ["build/bin/gantry", "kernel", "-c", "tiny", "--seed", str(seed), "-q", "build/kernels/saxpy.v4.co", "--grid", "256", "--group", "64",
           "--arg", f"inout:{data}:{tmp_path}/out.bin", "--arg", f"in:{data}", "--arg", "f32:2.0"]
    done = subprocess.run(cmd, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=800)
    assert done.returncode == 0, done.stdout[-3000:]
    line = done.stdout.strip().splitlines()[-1]
    return re.search(r"cycles=\S+", line)[0], *(re.search(rf"\b{k}=\S+", line)[0] for k in ("hash", "data", "counters", "now"))


@pytest.mark.nightly
def test_seed_of_initial_contents_changes_nothing(tmp_path):
    subprocess.run(["make", "-s", "kernels"], cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    assert len({final_line(tmp_path, seed) for seed in (1, 2, 3, 77)}) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["histogram", "generic"])
def test_seed_changes_nothing_in_the_lds_atomics_and_flat_addresses(name, tmp_path, monkeypatch):
    """histogram: LDS and its atomics, atomics in the L2; generic: addresses of any memory in one access, atomics of 32 and 64 bits."""
    monkeypatch.setenv("GANTRY_MODEL_STD_X", "1")
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")
    seen = set()
    for seed in ("1", "2", "77"):
        line, got, want = test_kernels.launch(name, 4, tmp_path, "--seed", seed, "-q")
        test_kernels.difference(got, want)
        seen.add((line["cycles"], line["hash"], line["data"]))
    assert len(seen) == 1, seen


@pytest.mark.nightly
def test_missing_reset_is_caught(tmp_path):
    assert len({final_line(tmp_path, seed, "GANTRY_PLANT_NO_RESET=1") for seed in (1, 2, 3, 4, 5, 6)}) > 1
