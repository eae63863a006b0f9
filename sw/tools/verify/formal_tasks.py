# SPDX-License-Identifier: Apache-2.0
"""Tasks of a proof (formal.py): what is asked of which solver, how deep, what must come out; the forms that many blocks use."""
import dataclasses

LIMIT = 600  # seconds a task; the longest takes about 70 on an idle machine


@dataclasses.dataclass(frozen=True)
class Task:
    options: str
    engine: str
    expected: str = "PASS"
    params: dict = dataclasses.field(default_factory=dict)
    defines: tuple = ()
    frames: int = 0  # > 0: what the bounded search found for the first cycles is then proved for all by induction
    merge: bool = True  # before it, signals are merged that are equal in all states that are reached; the helpers may need them apart
    apart: int = 0  # > 0: so many cycles are then searched, each assertion by itself with the logic that it depends on
    nightly: bool = False
    limit: int = LIMIT  # seconds of its solver
    prepare: str = ""  # commands instead of PREPARE
    replace: tuple = ()  # (old, new) in the block's own source, the last one that is not in tests/formal


def bounded(depth, **kw):
    return Task(f"mode bmc\ndepth {depth}", "abc bmc3", **kw)


def bug(number, depth=14, **params):
    return bounded(depth, expected="FAIL", params={"SeedBug": number, **params})


def faults(*pairs, **kw):
    """Tasks bug1...: each replaces one piece of the block's text."""
    return {f"bug{n}": bounded(14, expected="FAIL", replace=pair, **kw) for n, pair in enumerate(pairs, 1)}


def reach(depth, **params):
    """A cover as an assertion "never reached" that the bounded search must refute: much faster than cover mode."""
    return bounded(depth, expected="FAIL", params=params, defines=("REACH",))


def induction(nightly=False, **params):
    """Helpers make the properties inductive: base case here, the step in run_induction."""
    return bounded(8, params=params, defines=("HELPERS",), frames=4, nightly=nightly)


def step(**kw):
    """The step of an induction as a bounded search: from any state in which the helpers hold (define STEP), which "base" shows of reset."""
    return bounded(3, defines=("HELPERS", "STEP"), **kw)


BUGS = {f"bug{n}": bug(n) for n in (1, 2, 3)}
# What is proved for all cycles is checked for the first ten by another engine only at night.
PDR = {"bmc": bounded(10, nightly=True), "prove": Task("mode prove", "abc pdr"), "cover": Task("mode cover\ndepth 20", "smtbmc z3")}
