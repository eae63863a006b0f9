# SPDX-License-Identifier: Apache-2.0
"""Builds what tests of boards need, of the configuration `smallest`: model libraries, harnesses alone (board_part) and processes of simulated boards."""
import argparse
import functools
import hashlib
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_board  # noqa: E402,F401
from gen import gen_board  # noqa: E402
from gen import gen_params  # noqa: E402
from gen import gen_wrappers  # noqa: E402
from builder import models as models_py  # noqa: E402
from faults import mutation  # noqa: E402
from builder import rtl_sources  # noqa: E402

BUILD = ROOT / "build/tests/rtl/board"
KINDS = [*gen_wrappers.partitions()]


def run(cmd, limit=600, **kw):
    return subprocess.run([str(word) for word in cmd], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit, **kw)


@functools.cache
def settings():
    return tuple(run(["build/bin/gantry", "config", "-c", "configs/smallest.yaml", "--sv"]).stdout.split())


def models(*words):
    """{kind: path} that sw/tools/builder/models.py prints."""
    done = subprocess.run([sys.executable, "sw/tools/builder/models.py", *[f"--set={s}" for s in settings()], *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines())


@functools.cache
def library(kind):
    return models(kind)[kind]


@functools.cache
def board(kind, checks=True):
    """The process of a simulated board, with the assertions of the RTL."""
    return models(*["--check"] * checks, "--board", kind)[kind]


def board_with(kind, file, old, new):
    """The same with a fault planted in a source."""
    args = argparse.Namespace(cc="clang", trace=False, observe=False, check=True, std_x=False, coverage=False, define=[], opt="-O1", set=settings())
    plan = models_py.Board(kind, args, args.set)
    copy = BUILD / f"{kind}_process" / pathlib.Path(file).name
    copy.parent.mkdir(parents=True, exist_ok=True)
    mutation.plant(file, copy, old, new)
    plan.sources = [copy if p == ROOT / file else p for p in plan.sources]
    plan.place(copy.parent, "board")
    done = run(plan.command(2))
    assert done.returncode == 0, done.stdout[-3000:]
    return str(plan.library)


def harness(kind, checks=True, fault=None):
    """The bench around board_part of this kind; fault: (file, old, new) in a copy of a source."""
    out = BUILD / f"{kind}{'' if checks else '_any'}{'' if fault is None else '_' + hashlib.sha256(repr(fault).encode()).hexdigest()[:12]}"
    out.mkdir(parents=True, exist_ok=True)
    constants = {name: value for name, (value, _) in gen_params.constants(gen_params.read_table(), settings()).items()}
    package, text = out / "gantry_cfg_pkg.sv", out / "board_part.sv"
    package.write_text(gen_params.package(gen_params.read_table(), settings(), None))
    text.write_text(gen_board.part_text(kind, constants))
    paths = [package if p.name == package.name else p for p in rtl_sources.sources(gen_wrappers.partitions()[kind]["top"])]
    paths = [*dict.fromkeys([*paths, *(p for name in ("board_control", "board_slot", "board_pick") for p in rtl_sources.sources(name))]), text]
    if fault:
        file, old, new = fault
        copy = out / pathlib.Path(file).name
        mutation.plant(str(file), copy, old, new)
        paths = [copy if p == ROOT / file else p for p in paths]
    without = [] if checks else ["--arg=-DGANTRY_NO_ASSERT", "--arg=-DGANTRY_NO_OBSERVE"]
    done = run([sys.executable, "sw/tools/builder/verilate.py", "--top", "board_part", "--out", out / "V", "--exe", "tests/rtl/board/part.cpp", "--opt=-O1", "--arg=-Wno-fatal",
                "--ldflag=-ldl", "--ldflag=-fuse-ld=lld", *without, *paths])
    assert done.returncode == 0, done.stdout[-3000:]
    return out / "V/Vboard_part"


@functools.cache
def client(source="tests/rtl/board/part.cpp"):
    """The same bench, or another, for a board's process."""
    flags = dict(line.split("=", 1) for line in run(["make", "-s", "print-flags"]).stdout.splitlines() if "=" in line)
    exe = ROOT / "build/tests/fpga" / pathlib.Path(source).stem
    exe.parent.mkdir(parents=True, exist_ok=True)
    done = run(["g++", "-std=c++17", "-O1", "-D_GNU_SOURCE", "-DPROCESS", "-I.", "-Ihost", "-Ibridge", "-Ibuild/gen", "-Wall", "-Wno-missing-field-initializers", "-o", exe,
                source, "build/lib/libgantry.a", *shlex.split(flags["LDLIBS"])])
    assert done.returncode == 0, done.stdout
    return exe
