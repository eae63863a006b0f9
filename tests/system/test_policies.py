# SPDX-License-Identifier: Apache-2.0
"""Pages that move by themselves (S1.4, S1.6, S1.7; key migrate.policy): the same `data` as without moves and as the golden model, fewer far accesses,
repeatable however the machine is placed; a batch begins in a phase alone; a page that two GPUs write in turn does not go to and fro for ever."""
import re
import sqlite3
import subprocess

import pytest
from live import GANTRY, ROOT, built

POLICIES = ["first-touch", "threshold", "periodic", "benefit", "adaptive"]
PERIOD, DECISION = 10000, 100
SOON = "migrate.threshold=2"  # short runs: 32 accesses to a block
SOURCE = """
kernel void sum(global uint *c, const volatile global uint *a, uint rounds)
{
    uint s = 0;
    for (uint r = 0; r < rounds; r++)
        for (uint i = 0; i < 16; i++) s += a[(get_global_id(0) + i * 1024 + r) & 32767];
    c[get_global_id(0)] = s;
}
"""
# `a` is far from the GPU that uses it.
SCRIPT = """
object: {co}
buffers:
  a: fill:1:128K
  c: zero:16K
launches:
  - move: {{buffer: a, to: 1}}
  - {{kernel: sum, grid: 2048, group: 64, args: [buf:c, buf:a, u32:6]}}
  - {{kernel: sum, grid: 2048, group: 64, args: [buf:c, buf:a, u32:6]}}
expect:
  a: fill:1:128K
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from builder import release
    folder = tmp_path_factory.mktemp("policies")
    (folder / "x.cl").write_text(SOURCE)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=5",
                    release.bitcode(), "-o", folder / "x.co", folder / "x.cl"], check=True)
    (folder / "script.yaml").write_text(SCRIPT.format(co=folder / "x.co"))
    (folder / "writers").symlink_to(built("writers"))
    return folder


class Run:
    """What a run told: the figures of its last line, its lines about moves, far accesses, rows of table moves."""

    def __init__(self, folder, command, settings=(), options=(), tail=()):
        words = [word for s in settings for word in ("--set", s)]
        done = subprocess.run([GANTRY, command, "-c", "demo", "-v", "-o", folder / "out", *words, *options, *tail], cwd=ROOT, capture_output=True, text=True,
                              timeout=900)
        assert done.returncode == 0, done.stderr
        self.err, self.out = done.stderr, done.stdout
        line = [text for text in self.err.splitlines() if text.startswith("gantry: gpus=")][-1]
        found = dict(re.findall(r"(\w+)=(\S+)", line))
        self.figures = {key: found[key] for key in ("kernels", "cycles", "instructions", "repeatable", "hash", "data", "now")}
        self.cycles, self.data = int(found["cycles"]), found["data"]
        far = re.search(r"^gantry: far accesses: (\d+) \((\d+) reads, (\d+) writes, 0 uncounted\); without moves some (\d+)(?: and those of .*)?$", self.err, re.M)
        self.far, self.without = (int(far[1]), int(far[4])) if far else (None, None)
        with sqlite3.connect(folder / "out/metrics.sqlite") as database:
            database.row_factory = sqlite3.Row
            self.moves = [dict(row) for row in database.execute("SELECT * FROM moves ORDER BY rowid")]


def script(folder, policy, *settings, options=()):
    return Run(folder, "kernel", [f"migrate.policy={policy}", SOON, *settings], options, ["--script", folder / "script.yaml"])


def program(folder, policy, *words, settings=(), options=()):
    done = Run(folder, "run", [f"migrate.policy={policy}", SOON, *settings], options, ["--", folder / "writers", *words])
    assert done.out == "writers: 0 values are wrong\n"
    return done


@pytest.fixture(scope="module")
def never(folder):
    return script(folder, "never")


@pytest.mark.shows("S1.7", "B.9")
@pytest.mark.parametrize("policy", POLICIES)
def test_far_pages_come_near(folder, never, policy):
    settings = ["migrate.far_cycles=8"] if policy == "benefit" else []  # a short run: both blocks are soon worth their moves
    done = script(folder, policy, *settings)
    assert done.data == never.data
    assert done.cycles < 0.8 * never.cycles
    ordered, own = [[row for row in done.moves if (row["policy"] == policy) == mine] for mine in (False, True)]
    assert [row["policy"] for row in ordered] == ["order"] * 2 and all(row["decision"] == 0 for row in ordered)
    assert sorted(row["page"] for row in own) == sorted({row["page"] for row in ordered})  # each once
    assert all((row["from"], row["to"], row["bytes"], row["moved"]) == (1, 0, 65536, 1) for row in own)
    decided = re.findall(rf"migrate info {policy}: page (\S+) to gpu0: (.+)", done.err)
    assert len(decided) == len(own) and all(why for _, why in decided)
    assert 0 < done.far < done.without
    told = re.search(rf"^gantry: migration: policy={policy} pages=2 bytes=131072 .* ordered=2 span=(\d+); cycles: .* copy=(\d+) ", done.err, re.M)
    assert int(told[2]) == sum(row["copy"] for row in own)
    batches = {row["begin"]: max(other["end"] for other in own if other["begin"] == row["begin"]) for row in own}
    assert int(told[1]) == sum(end - begin for begin, end in batches.items())
    assert script(folder, policy, *settings).figures == done.figures


def test_never_counts_nothing(folder, never):
    assert never.far is None and "migration" not in never.err and [row["policy"] for row in never.moves] == ["order"] * 2


def test_as_the_golden_model(folder, never):
    golden = script(folder, "periodic", options=["--model", "golden"])
    assert golden.data == never.data
    assert golden.far == 0  # it counts nothing, so nothing moves but by order


@pytest.mark.shows("S1.6")  # the MMU opens a phase periodically and moves all that is pending in one batch; no message of a move outside
@pytest.mark.parametrize("period, decision", [(PERIOD, DECISION), (4000, 777)])
def test_moves_begin_in_phases(folder, period, decision):
    done = script(folder, "periodic", f"migrate.period={period}", f"migrate.phase_cycles={decision}")
    own = [row for row in done.moves if row["policy"] == "periodic"]
    assert own
    for row in own:  # the counters of both GPUs come, and then the decision takes its time
        assert decision + 200 <= row["begin"] % period <= decision + 800
        assert row["decision"] == row["begin"] % period
        assert row["batch"] == sum(other["begin"] == row["begin"] for other in own)
        assert row["wait"] + row["lock"] + row["shoot_down"] + row["write_back"] + row["copy"] + row["map"] == row["end"] - row["begin"]
    for _, at in re.findall(r"^((\d+)) migrate info periodic: page", done.err, re.M):
        assert int(at) in {row["begin"] for row in own}


@pytest.mark.parametrize("settings, options", [(["place.processes=2"], []), ([], ["--lockstep"]), (["clock.mode=free"], [])],
                         ids=["processes", "lockstep", "free"])
def test_wherever_it_runs(folder, settings, options):
    assert script(folder, "threshold", *settings, options=options).figures == script(folder, "threshold").figures


def test_recorded_and_replayed(folder):
    done = script(folder, "threshold", options=["--record", folder / "recording"])
    replayed = subprocess.run([GANTRY, "replay", folder / "recording"], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert replayed.returncode == 0, replayed.stderr
    for key in ("cycles", "hash", "data"):
        assert f"{key}={done.figures[key]}" in replayed.stderr


def test_used_by_another(folder):
    """Initialised by one GPU, then used 16 times by another, by an unmodified HIP program."""
    without, done = program(folder, "never", "use", "16"), program(folder, "threshold", "use", "16")
    assert done.data == without.data
    assert [(row["from"], row["to"]) for row in done.moves] == [(0, 1)] * 4
    times = [max(int(c) for c in re.findall(r"^  1 .* use .*?(\d+) +16 +18896", run.err, re.M)) for run in (without, done)]
    assert times[1] < 0.6 * times[0]


def moves_of_a_page(done):
    return [sum(row["page"] == page for row in done.moves) for page in {row["page"] for row in done.moves}]


def test_turns_are_damped(folder):
    """Both GPUs write to the same four blocks in turn, ten times; whoever has them not is all that is counted."""
    done = program(folder, "threshold", "turns", "10")
    assert moves_of_a_page(done) == [1] * 4  # there, and then it stays
    back = program(folder, "threshold", "turns", "10", settings=["migrate.returns=1"])
    assert moves_of_a_page(back) == [2] * 4  # there, and back to stay
    more = program(folder, "threshold", "turns", "10", settings=["migrate.returns=3"])
    assert max(moves_of_a_page(more)) == 4
    wild = program(folder, "threshold", "turns", "10", settings=["migrate.return_cycles=10000", "migrate.pin_cycles=1000"])
    assert max(moves_of_a_page(wild)) > 6  # where no return counts as one
    assert wild.data == done.data


@pytest.mark.nightly
@pytest.mark.parametrize("policy, most", [("threshold", 1.1), ("periodic", 1.1), ("benefit", 1.15)])
def test_turns_cost_little(folder, policy, most):
    without, done = program(folder, "never", "turns", "40"), program(folder, policy, "turns", "40")
    assert done.data == without.data
    assert done.cycles <= most * without.cycles
