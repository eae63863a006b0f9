# SPDX-License-Identifier: Apache-2.0
"""The shim stands between a program and its descriptors, threads and children without being noticed."""
import subprocess

import pytest
from live import ROOT, gantry_run


@pytest.fixture(scope="module")
def descriptors(tmp_path_factory):
    program = tmp_path_factory.mktemp("shim") / "descriptors"
    subprocess.run(["gcc", "-O1", "-Wall", "-Ihost", "-Ihost/drm", "-o", program, "tests/system/programs/descriptors.c", "-lpthread",
                    "-Wl,--no-as-needed", "-lhsa-runtime64"],  # with which the time-stamp counter traps
                   cwd=ROOT, check=True)
    return program


@pytest.mark.shows("S0.7", "B.1")
@pytest.mark.parametrize("what", ["duplicates", "arguments", "closes", "threads", "exec", "fork"])
def test_descriptors(descriptors, what):
    result = gantry_run([descriptors, what])
    assert result.status == 0, result
    assert f"descriptors {what}: PASSED" in result.out or what == "exec", result


def test_threads_with_a_low_limit(descriptors):
    """As most shells start programs: 1,024 descriptors of many more that it could have."""
    result = gantry_run(["/bin/sh", "-c", f"ulimit -Sn 1024; {descriptors} threads && {descriptors} closes"])
    assert result.status == 0 and result.out.count("PASSED") == 2, result
