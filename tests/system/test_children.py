# SPDX-License-Identifier: Apache-2.0
"""Programs of a run that are started with another environment: they have their GPUs all the same; what the shim cannot be loaded into is
named in one line."""
import os
import subprocess

import pytest
from live import ROOT, gantry_run


def compiled(folder, *flags):
    program = folder / "starts"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", *flags, "-o", program, "tests/system/programs/starts.c"], cwd=ROOT, check=True)
    return program


@pytest.fixture(scope="module")
def starts(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("starts"))


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("static"), "-static")


def worked(result):
    assert result.status == 0 and result.out.count("vecadd: PASSED") == 1 and int(result.line["kernels"]) > 1, result


@pytest.mark.shows("S0.7", "B.1")
@pytest.mark.parametrize("how", ["system", "popen", "spawn", "execve", "execle", "vfork"])
def test_from_a_program(starts, apps, how):
    worked(gantry_run([starts, how, apps / "vecadd"]))


@pytest.mark.parametrize("script", ['LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6 exec "$0"', 'env -i "$0"', 'unset LD_PRELOAD GANTRY_ROOT; "$0"; exit $?'])
def test_from_a_wrapper(apps, script):
    worked(gantry_run(["sh", "-c", script, apps / "vecadd"]))


def test_their_own_library_is_kept(tmp_path):
    """LD_PRELOAD of a wrapper still has its effect."""
    source, library = tmp_path / "own.c", tmp_path / "own.so"
    source.write_text("#include <unistd.h>\nuid_t getuid(void) { return 4711; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    result = gantry_run(["sh", "-c", f"LD_PRELOAD={library} id -ru; id -ru"])
    assert result.out.split() == ["4711", str(os.getuid())], result


def test_a_static_program_is_named(static, apps):
    """It replaces LD_PRELOAD, and nothing of ours is in it to put it back."""
    for program in ([static], ["sh", "-c", '"$0" "$@"', static]):
        result = gantry_run([*program, "execve", apps / "vecadd"])
        lines = [l for l in result.err.splitlines() if l.startswith("gantry: no GPU work")]
        assert result.status and lines == [f"gantry: no GPU work was seen: {static} is linked statically, so it runs without the shim and sees no GPU"], result
