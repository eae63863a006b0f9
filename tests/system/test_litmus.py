# SPDX-License-Identifier: Apache-2.0
"""Litmus tests of the memory model on two RTL GPUs of 4 CUs (programs/litmus.hip): what acquire and release forbid is never seen in
10,000 runs with random delays, and what they allow is seen where this machine can show it.  Here a choice with fewer runs,
nightly all tests at all scopes in all memories.  Requirements S0.18, S0.19, S4.14."""
import os
import re

import pytest
from live import MODELS, built, gantry_run

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")
NIGHTLY = os.environ.get("GANTRY_NIGHTLY") == "1"
TESTS = ["mp", "sb", "lb", "iriw", "co", "at"]
SCOPES = ["group", "agent", "system"]
MEMORIES = ["own", "far", "host", "split"]
# Outcomes that are allowed and must be seen: (test, scope, memory) -> orders.  Why others cannot be: docs/verification.md.
SEEN = {
    ("mp", "agent", "own"): ["plain"],
    ("sb", "agent", "own"): ["plain"],
    ("iriw", "agent", "own"): ["plain"],
    ("mp", "system", "split"): ["plain", "relaxed"],
    ("sb", "system", "split"): ["plain", "relaxed"],
    ("lb", "system", "split"): ["plain", "relaxed"],
}
OFTEN = [("mp", "agent", "own"), ("mp", "system", "split"), ("lb", "system", "split"), ("co", "agent", "own"), ("at", "system", "own")]


@pytest.fixture(scope="module")
def litmus(apps):
    return built("litmus")


def outcomes(litmus, *choice, seed=1, options=()):
    """{order: (runs, weak, allowed?)} of one test at one scope in one memory"""
    runs = 10000 if NIGHTLY else 5120 if choice[0] == "lb" else 2560  # what lb may show is seen seldom
    result = gantry_run([litmus, runs, seed, *choice], model="rtl", gpus=2, options=options)
    assert result.status == 0 and "litmus: PASSED" in result.out and result.line["repeatable"] == "yes", result
    lines = re.findall(r"^litmus (\w+) (\w+) (\w+) (\w+): (\d+) runs, weak (\d+) \((allowed|forbidden)\):((?: \d+=\d+)+)$", result.out, re.M)
    assert all(line[:3] == choice for line in lines) and [line[3] for line in lines] == ["plain", "relaxed", "sync"][choice[0] == "at":], result
    for line in lines:
        assert runs <= int(line[4]) == sum(int(n) for n in re.findall(r"=(\d+)", line[7])), line
        assert len(re.findall("=", line[7])) > 1, f"the delays make no difference: {line}"
    return {line[3]: (int(line[4]), int(line[5]), line[6] == "allowed") for line in lines}


def judge(litmus, choice, options=()):
    """What is forbidden is never seen.  What must be seen has four seeds for it: delays differ 157 times in a run, not 10,000."""
    missing = set(SEEN.get(choice, []))
    for seed in range(1, 5):
        found = outcomes(litmus, *choice, seed=seed, options=options)
        assert [allowed for _, _, allowed in found.values()] == [order != "sync" and choice[0] not in ("co", "at") for order in found]
        assert all(allowed or weak == 0 for _, weak, allowed in found.values()), (choice, seed, found)
        missing -= {order for order, (_, weak, _) in found.items() if weak > 0}
        if not missing:
            return
    assert not missing, f"allowed, but not seen: {choice} {missing}"


@pytest.mark.parametrize("choice", [pytest.param(c, marks=pytest.mark.nightly) if c[0] == "lb" else c for c in OFTEN], ids="-".join)
@pytest.mark.shows("S0.18", "S0.19", "S4.14")
def test_choice(litmus, choice):
    judge(litmus, choice)


@pytest.mark.nightly
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.shows("S0.18", "S0.19", "S4.14")
def test_all(litmus, test, scope, memory):
    if (test, scope, memory) not in OFTEN:
        judge(litmus, (test, scope, memory))
