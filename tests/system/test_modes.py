# SPDX-License-Identifier: Apache-2.0
"""All programs and kernels in every mode of the L2: write-back and write-through, lines of another GPU's memory cached at home or at the requester.
Results as the CPU's, the same `data` as the golden model's (but where it depends on the order of atomics), every instruction as the golden model's.
Small caches (configs/tiny.yaml), so that lines are replaced.  Nightly all; always one in which GPUs read each other's memory, and one of many launches."""
import functools
import sqlite3
import sys

import pytest
from live import MODELS, ROOT
from test_chains import CHAINS
from test_programs import FAMILIES, ORDER, SINGLE, built, lock_step, passed, tiny_run

sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import reference  # noqa: E402
import test_kernels  # noqa: E402

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
MODES = [(write, mode) for write in ("back", "through") for mode in ("home", "requester")]
ALWAYS = {("peer", "through-requester"), ("hashes", "through-requester")}
PROGRAMS = [*FAMILIES, *SINGLE, *(f"chains {chain}" for chain in CHAINS)]


def keys(write, mode):
    return ["--set", f"gpu.l2.write={write}", "--set", f"gpu.l2.mode={mode}"]


def cases(names, always=ALWAYS):
    out = []
    for name in names:
        for choice in MODES:
            word = "-".join(choice)
            out.append(pytest.param(name, choice, id=f"{name.replace(' ', '-')}-{word}", marks=[] if (name, word) in always else pytest.mark.nightly))
    return out


@functools.cache
def golden(name, gpus):
    return run(name, gpus, "--model", "golden").line["data"]


def run(name, gpus, *options):
    program, *args = name.split()
    return passed(tiny_run([built(program, "O2"), *args], "-q", "--set", f"system.gpus={gpus}", *options), program)


@pytest.mark.parametrize("name, choice", cases(PROGRAMS))
@pytest.mark.shows("S0.16", "S0.17", "S0.18")
def test_program(name, choice):
    for gpus in (2, 4) if name.split()[0] in ("chains", "peer") else (2,):
        line = run(name, gpus, "--model", "rtl", *keys(*choice)).line
        assert name in ORDER or line["data"] == golden(name, gpus), (name, gpus, line)


@pytest.mark.parametrize("name, choice", cases(FAMILIES + SINGLE, {("copies", "through-requester")}))
@pytest.mark.shows("B.6", "S0.16", "S0.17")
def test_lock_step(name, choice):
    lock_step(name, "O2", options=keys(*choice))


@pytest.mark.parametrize("name, choice", cases(reference.CASES))
@pytest.mark.shows("S0.16", "S0.17")
def test_kernel(name, choice, tmp_path):
    line, got, want = test_kernels.launch(name, 4, tmp_path, "--lockstep", *keys(*choice))
    test_kernels.difference(got, want)
    assert line["data"] == test_kernels.launch(name, 4, tmp_path, "--model", "golden")[0]["data"]


@pytest.mark.parametrize("choice", [m if m in (("back", "home"), ("through", "requester")) else pytest.param(m, marks=pytest.mark.nightly) for m in MODES], ids="-".join)
@pytest.mark.shows("S0.17")
def test_mode_is_what_was_asked_for(choice, tmp_path):
    """Write-through writes no line back; only a requester looks the other GPU's lines up in a cache of its own."""
    run("chains rank", 2, "--set", "metrics.kernels=on", "-o", str(tmp_path), *keys(*choice))
    rows = sqlite3.connect(tmp_path / "metrics.sqlite").execute("select what, sum(value) from kernel_metrics group by what").fetchall()
    found = dict(rows)
    assert (found.get("writeback-flush", 0) + found.get("writeback-victim", 0) > 0) == (choice[0] == "back"), found
    assert (found.get("cache-miss", 0) > 0) == (choice[1] == "requester"), found
