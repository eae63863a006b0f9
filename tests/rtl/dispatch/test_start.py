# SPDX-License-Identifier: Apache-2.0
"""B.6: wavefronts of the RTL start with what their launch gives them, to the last bit and lane: lock step knows from the
command what each message of the dispatcher must be.  Work-groups in three dimensions, partial at every edge, of one to
sixteen wavefronts.  The program ends at once, so that nothing else could notice."""
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHAPES = {"one wavefront": ("10,7,5", "4,4,4", 3 * 2 * 2), "two": ("25,9,3", "20,3,2", 2 * 3 * 2), "sixteen": ("70,30,3", "32,16,2", 3 * 2 * 2)}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "start.co"
    subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", path,
                    ROOT / "tests/rtl/dispatch/start.s"], check=True)
    return path


@pytest.mark.shows("B.6")
def test_starts_follow_from_their_launch(code):
    for shape, (grid, group, groups) in SHAPES.items():
        done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", "--lockstep", code, "--grid", grid, "--group", group],
                              cwd=ROOT, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{shape}: {done.stderr}"
        assert int(re.search(r" instructions=(\d+)", done.stderr)[1]) >= groups
