# SPDX-License-Identifier: Apache-2.0
"""Models laid out by a profile (make tune): which builds take it, that it changes the library's name, and, in the long
campaign, that a trained machine computes what an untrained one does, cycle for cycle."""
import argparse
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from builder import models  # noqa: E402

KERNEL = [ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", "build/kernels/vecadd.v4.co", "--grid", "256", "--group", "64",
          "--arg", "zero:1024", "--arg", "fill:1:1024", "--arg", "fill:2:1024"]


def plan(kind="cu", **change):
    args = argparse.Namespace(**{"cc": "clang", "trace": False, "observe": False, "check": False, "std_x": False, "coverage": False, "define": [],
                                 "opt": "-O3", **change})
    return models.Plan(kind, args, [])


@pytest.fixture
def profile(tmp_path, monkeypatch):
    path = tmp_path / "profile.profdata"
    monkeypatch.setattr(models, "PROFILE", path)
    return path


@pytest.mark.parametrize("observe", [False, True])
def test_a_profile_is_used_and_names_the_library(profile, observe):
    without = plan(observe=observe)
    profile.write_bytes(b"one")
    first = plan(observe=observe)
    profile.write_bytes(b"two")
    second = plan(observe=observe)
    assert not without.tuned and any(word.startswith("-fprofile-use=") for word in first.tuned)
    assert len({without.folder, first.folder, second.folder}) == 3


@pytest.mark.parametrize("change", [{"cc": "gcc"}, {"check": True}, {"trace": True}, {"std_x": True}, {"opt": "-O1"},
                                    {"define": ["GANTRY_CU_FAULT=1"]}], ids=lambda c: next(iter(c)))
def test_other_builds_do_not_take_it(profile, change):
    before = plan(**change)
    profile.write_bytes(b"one")
    assert not plan(**change).tuned and plan(**change).folder == before.folder


def test_wrong_configuration_is_named():
    done = subprocess.run([sys.executable, "sw/tools/speed/tune.py", "no_such"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and re.fullmatch(r"tune: .*configs/no_such\.yaml.*\n", done.stderr), done.stderr


@pytest.mark.nightly
def test_trained_models_compute_the_same():
    subprocess.run(["make", "-s", "build/kernels/vecadd.v4.co"], cwd=ROOT, check=True)

    def run():
        done = subprocess.run(KERNEL, cwd=ROOT, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
        return re.findall(r"\b(?:cycles|instructions|hash|data|counters|now)=\w+", done.stderr.splitlines()[-1]), "building model" in done.stderr

    subprocess.run(["rm", "-rf", *map(str, [models.PROFILE, models.PROFILE.with_suffix(".key"), models.MODELS / "stamps"])], check=True)
    plain, _ = run()
    subprocess.run([sys.executable, "sw/tools/speed/tune.py", "tiny"], cwd=ROOT, check=True, timeout=1800)
    assert run() == (plain, True) and run() == (plain, False)
