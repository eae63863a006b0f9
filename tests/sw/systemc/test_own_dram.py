# SPDX-License-Identifier: Apache-2.0
"""The example of a reader's own DRAM simulator, built away from the tree by what `make install` brings, and run; without SystemC there is one line."""
import os
import re
import shutil
import subprocess
import sys

import pytest
from systemc import ROOT, library

sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import test_kernels  # noqa: E402

BUFFERS = "--grid 64 --group 64 --arg zero:256 --arg fill:1:256 --arg fill:2:256".split()


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    library()
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["make", "-s", "install-systemc", f"PREFIX={folder}"], cwd=ROOT, check=True, capture_output=True, timeout=600)
    return folder


def built(prefix, folder, change=lambda text: text):
    """The program, with nothing of the tree but the installed files."""
    shutil.copy(ROOT / "sw/systemc/Makefile", folder)
    (folder / "dram.cpp").write_text(change((ROOT / "sw/systemc/dram.cpp").read_text()))
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    env = {key: value for key, value in env.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    done = subprocess.run(["make"], cwd=folder, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "dram"


@pytest.fixture(scope="module")
def example(prefix, tmp_path_factory):
    return built(prefix, tmp_path_factory.mktemp("example"))


def run(program, *words):
    env = {**os.environ, "GANTRY_MODEL_OPT": "-O0", "GANTRY_FILES": str(ROOT)}  # the models of test_whole.py
    return subprocess.run([program, *words], cwd=program.parent, env=env, capture_output=True, text=True, timeout=1800, stdin=subprocess.DEVNULL)


def vecadd(program):
    """The final line."""
    done = run(program, "kernel", "-q", str(test_kernels.code_object("vecadd", 4)), *BUFFERS)
    assert done.returncode == 0, done.stderr
    hits, misses = map(int, re.search(r"(\d+) row hits, (\d+) row misses", done.stdout).groups())
    assert hits > 0 and misses > 0
    return dict(re.findall(r"(\w+)=(\S+)", done.stderr))


@pytest.mark.shows("B.3")
def test_the_example(example, prefix, tmp_path):
    line, slower = vecadd(example), vecadd(built(prefix, tmp_path, lambda text: text.replace("hit ? 20 : 60", "hit ? 620 : 660")))
    assert slower["data"] == line["data"] and int(slower["cycles"]) > int(line["cycles"]) + 600  # row_time() is what counts
    env = {**os.environ, "GANTRY_MODEL_OPT": "-O0"}
    own = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "smallest", "--set", "system.rtl=whole", "-q", test_kernels.code_object("vecadd", 4),
                          *BUFFERS], cwd=ROOT, env=env, capture_output=True, text=True, timeout=1800)
    want = dict(re.findall(r"(\w+)=(\S+)", own.stderr))
    assert line["data"] == want["data"] and int(line["cycles"]) < int(want["cycles"])  # its memory is faster than gpu.dram.path


def test_bad_words(example):
    done = run(example, "kernel", "-q", "nowhere.co", *BUFFERS)
    assert done.returncode == 66 and done.stderr.splitlines()[-1].startswith("gantry: nowhere.co: ")


def test_without_systemc():
    done = subprocess.run(["make", "-s", "systemc", "CXX=false"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode != 0 and "systemc: SystemC is not installed; run as root: apt-get install libsystemc-dev\n" in done.stderr
