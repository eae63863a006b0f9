# SPDX-License-Identifier: Apache-2.0
"""The same machine put together in other ways does the same, cycle by cycle: each GPU as one model of rtl/gpu/gpu.sv (system.rtl:
whole) instead of its partitions, and the text of the RTL that synthesis reads instead of that for simulation."""
import contextlib
import csv
import os
import re
import subprocess
import sys

import pytest
from live import ROOT

sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import reference  # noqa: E402
import test_kernels  # noqa: E402

WHOLE = ["--set", "system.rtl=whole"]
FOUR = ["--set", "gpu.cu.count=4"]
SAME = ("kernels", "cycles", "instructions", "hash", "data", "counters")
# of what kinds: caches and scratch, LDS with barriers and atomics, sleeping wavefronts
SOME = ["generic", "histogram", "bench_sleep"]
PROGRAMS = ["vecadd", "reduction", "histogram", "transpose", "pipeline"]
LIMIT = 1800  # with the build of a model
CONFIG = "tiny" if os.environ.get("GANTRY_NIGHTLY") == "1" else "smallest"  # whose compute unit is a quarter of the text


@contextlib.contextmanager
def short(options):
    """In `make test` a whole GPU runs for seconds and is compiled for minutes."""
    with pytest.MonkeyPatch.context() as patch:
        if "system.rtl=whole" in options and os.environ.get("GANTRY_NIGHTLY") != "1":
            patch.setenv("GANTRY_MODEL_OPT", "-O0")
        yield


def kernel(name, folder, *options):
    """What must be the same of a kernel's run, with its output, which must be right."""
    with short(options):
        line, got, want = test_kernels.launch(name, 4, folder, *options, config=CONFIG)
    test_kernels.difference(got, want)
    return {key: line[key] for key in SAME}


def program(name, folder, *options):
    """What must be the same of a program's run: the final line, every launch, every counter by its place."""
    command = [ROOT / "build/bin/gantry", "run", "-c", "tiny", "-o", folder, *options, "--", ROOT / f"build/apps/{name}"]
    with short(options):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    line = dict(re.findall(r"(\w+)=(\S+)", next(text for text in done.stderr.splitlines() if text.startswith("gantry: gpus="))))
    with open(folder / "kernels.csv") as table:
        return {key: line[key] for key in SAME}, list(csv.DictReader(table))


@pytest.mark.parametrize("name", [n if n in SOME else pytest.param(n, marks=pytest.mark.nightly) for n in reference.CASES])
@pytest.mark.shows("S0.2")
def test_kernel_on_a_whole_gpu(name, tmp_path):
    assert kernel(name, tmp_path, *WHOLE) == kernel(name, tmp_path)


@pytest.mark.nightly  # the model of `make test` is a slow one
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.shows("S0.2")
def test_program_on_a_whole_gpu(apps, name, tmp_path):
    whole = program(name, tmp_path / "whole", *WHOLE)
    assert whole == program(name, tmp_path / "parts") and int(whole[0]["kernels"]) > 0


@pytest.mark.nightly
@pytest.mark.parametrize("name", reference.CASES)
def test_kernel_on_a_whole_gpu_with_four_units(name, tmp_path):
    assert kernel(name, tmp_path, *FOUR, *WHOLE) == kernel(name, tmp_path, *FOUR)


@pytest.mark.nightly
@pytest.mark.parametrize("name", PROGRAMS + ["peer"])
def test_program_on_two_whole_gpus_with_four_units(apps, name, tmp_path):
    """`peer` copies from one to the other: far links in both directions."""
    gpus = [*FOUR, "--set", "system.gpus=2"]
    assert program(name, tmp_path / "whole", *gpus, *WHOLE) == program(name, tmp_path / "parts", *gpus)


def test_skipping_changes_nothing_on_a_whole_gpu(tmp_path):
    """B.4: idle of the whole is that of every partition and link."""
    assert kernel("bench_sleep", tmp_path, *WHOLE, "--no-skip") == kernel("bench_sleep", tmp_path, *WHOLE)


def test_what_a_whole_gpu_does_not_know(tmp_path):
    code = test_kernels.code_object("vecadd", 4)
    for option, why in ((["--lockstep"], "--lockstep: looks into partitions: not with system.rtl: whole"),
                        (["--wave", "gpu0.cu0"], "--wave: no part of the machine is called 'gpu0.cu0'")):
        done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", CONFIG, *WHOLE, *option, code, "--grid", "64", "--group", "64",
                               *["--arg", "zero:256"] * 3], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (64, f"gantry: {why}\n")


@pytest.mark.nightly  # another model of the compute unit; tests/rtl/cu/front_synth and simd_synth have each such text in a bench
@pytest.mark.parametrize("name", reference.CASES)
@pytest.mark.shows("C.9")
def test_kernel_on_the_text_for_synthesis(name, tmp_path, monkeypatch):
    """Only compute units have such text: their model alone is another."""
    plain = kernel(name, tmp_path)
    monkeypatch.setenv("GANTRY_MODEL_DEFINES", "SYNTHESIS")
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O1")  # a short run
    assert kernel(name, tmp_path) == plain


def test_the_text_for_synthesis_is_another_model():
    """The define concerns every partition whose text names it, and the GPU as a whole."""
    constants = subprocess.run([ROOT / "build/bin/gantry", "config", "-c", "tiny", "--sv"], capture_output=True, text=True, check=True).stdout.split()
    sys.path.insert(0, str(ROOT / "sw/tools"))
    import argparse

    from builder import models
    from builder import rtl_sources
    common = dict(cc="clang", trace=False, observe=False, check=True, std_x=False, coverage=False, opt="-O3")
    for kind, entry in models.gen_wrappers.partitions().items():
        plans = [models.Plan(kind, argparse.Namespace(define=define, **common), constants) for define in ([], ["SYNTHESIS"])]
        named = any("SYNTHESIS" in rtl_sources.whole(p) for p in rtl_sources.sources(entry["top"]))
        assert (plans[0].folder != plans[1].folder) == named == (kind in ("cu", "gpu"))
