# SPDX-License-Identifier: Apache-2.0
"""Programs that are built with a sanitizer: it comes first, then the shim; the GPUs' addresses are free, and clocks tell the program's
time.  The ROCm user space leaks memory at its end, under a simulator as on hardware: detect_leaks=0 where leaks are looked for."""
import os
import subprocess

import pytest
from live import MODELS, ROOT, gantry_run

NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0", "TSAN_OPTIONS": "report_bugs=0"}  # HIP is not instrumented
PATIENT = ("--set", "clock.patience=60")  # the run-time compiles kernels at its start, under a sanitizer for longer than a second of CPU
SHARED = ["-shared-libasan", "-Wl,-rpath,/usr/lib/llvm-19/lib/clang/19/lib/linux"]
KINDS = {
    "gcc-address": ["gcc", "-fsanitize=address,undefined"],
    "clang-address": ["clang-19", "-fsanitize=address,undefined"],
    "clang-address-shared": ["clang-19", "-fsanitize=address", *SHARED],
    "gcc-thread": ["gcc", "-fsanitize=thread"],
    "clang-thread": ["clang-19", "-fsanitize=thread"],
    "gcc-undefined": ["gcc", "-fsanitize=undefined"],
    "gcc-leak": ["gcc", "-fsanitize=leak"],
    "clang-leak": ["clang-19", "-fsanitize=leak"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sanitized")


def built(folder, kind):
    program = folder / kind
    if not program.exists():
        subprocess.run([*KINDS[kind], "-g", "-O1", "-w", "-o", program, "tests/system/programs/sanitized.c", "-lamdhip64", "-lpthread"],
                       cwd=ROOT, check=True)
    return program


def passed(result):
    assert result.status == 0 and "sanitized: PASSED" in result.out and "Sanitizer" not in result.err, result
    assert "year 2000" in result.out and int(result.line["kernels"]) > 4 and result.line["repeatable"] == "yes", result


@pytest.mark.shows("B.1")
@pytest.mark.parametrize("kind", [pytest.param(k, marks=pytest.mark.nightly) if k in ("clang-address-shared", "gcc-leak", "gcc-thread") else k for k in KINDS])
def test_runs(folder, kind):
    passed(gantry_run([built(folder, kind)], options=PATIENT, env=NO_LEAKS))


@pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
def test_runs_on_the_rtl(folder):
    passed(gantry_run([built(folder, "gcc-address")], "rtl", options=PATIENT, env=NO_LEAKS))


@pytest.mark.parametrize("kind", ["gcc-address", "clang-thread"])
def test_as_a_child(folder, kind):
    """The program is known when it is started, by whomever; what it starts itself is without its library."""
    result = gantry_run(["sh", "-c", f"env -i TSAN_OPTIONS=report_bugs=0 ASAN_OPTIONS=detect_leaks=0 {built(folder, kind)}; echo \"[$LD_PRELOAD]\""], options=PATIENT)
    passed(result)
    assert "san.so" not in result.out, result


@pytest.mark.parametrize("kind", ["gcc-address", "clang-address"])
def test_finds_what_it_is_there_for(folder, kind):
    result = gantry_run([built(folder, kind), "beyond"], env=NO_LEAKS)
    assert result.status == 1 and "heap-buffer-overflow" in result.err and "sanitized: PASSED" in result.out, result
    assert os.path.basename(str(built(folder, kind))) in result.err, result  # where, by a program and an offset at least
