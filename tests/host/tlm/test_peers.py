# SPDX-License-Identifier: Apache-2.0
"""Two GPUs as modules with an interconnect model between them (interconnect.hpp): with the latency and the rate of the machine's own link the cycles, events,
writes and counters of the command; with a slower one other cycles and a program that is still right."""
import os
import re
import subprocess

import pytest
from systemc import ROOT, run

CONFIG = ["-c", "tiny", "--set", "system.gpus=2"]
SAME = ("gpus", "kernels", "cycles", "instructions", "hash", "data", "counters")  # `now` of a live program: host/clients/run.c, drain


@pytest.fixture(autouse=True)
def fast_to_build(monkeypatch):
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")


def figures(err):
    line = dict(re.findall(r"(\w+)=(\S+)", next(text for text in err.splitlines() if text.startswith("gantry: gpus="))))
    return {key: line[key] for key in SAME}


@pytest.fixture(scope="module")
def program():
    subprocess.run(["make", "-s", "build/apps/peer"], cwd=ROOT, check=True, capture_output=True, timeout=900)
    return str(ROOT / "build/apps/peer")


@pytest.fixture(scope="module")
def command(program):
    env = {**os.environ, "GANTRY_MODEL_OPT": "-O0"}
    done = subprocess.run([ROOT / "build/bin/gantry", "run", *CONFIG, "--set", "system.rtl=whole", "-q", "--", program], cwd=ROOT, env=env, capture_output=True,
                          text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return figures(done.stderr)


@pytest.mark.nightly  # a model of its own
@pytest.mark.parametrize("quantum", [1, 140, 10000])
@pytest.mark.shows("B.3")
def test_the_cycles_of_the_command(quantum, program, command):
    status, out, err = run("host/tlm/peers", quantum, 0, *CONFIG, "//", "run", "-q", "--", program, limit=1800)
    assert status == 0, err
    assert figures(err) == command
    assert int(re.search(r"(\d+) messages between the GPUs", out)[1]) > 100  # they did talk by it


@pytest.mark.nightly
def test_a_longer_way(program, command):
    status, _, err = run("host/tlm/peers", 140, 60, *CONFIG, "//", "run", "-q", "--", program, limit=1800)
    assert status == 0, err
    got = figures(err)
    assert int(got["cycles"]) > int(command["cycles"]) and got["data"] == command["data"]


@pytest.mark.nightly
def test_far_memory(program, command):
    """Each GPU's far port leads into the other's DRAM, a plain memory: what it has written there, and reads there, is right."""
    status, out, err = run("host/tlm/peers", 140, "memory", *CONFIG, "//", "run", "-q", "--", program, limit=1800)
    assert status == 0, err
    reads, writes = map(int, re.search(r"0 messages between the GPUs, (\d+) reads, (\d+) writes of far memory", out).groups())
    assert reads + writes > 50 and figures(err)["data"] == command["data"]
