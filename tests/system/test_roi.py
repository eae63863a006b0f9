# SPDX-License-Identifier: Apache-2.0
"""--roi kernel:A..B (B.6): whole programs on the golden model but for some kernels, which run on the RTL.  What a program computes is what it computes on
either model alone; the table says which kernels have cycles."""
import csv
import re
import signal
import sqlite3
import subprocess
import time

import pytest
from builder import release
from live import GANTRY, ROOT, built
from test_replay import figures, gantry, lines

# Of the releases of Debian: kernels of programs (HIP 5.7 copies more often), instructions that kernels 3 to 5 of pipeline have in lock step.
KERNELS = {"12": {"pipeline": 10, "peer": 8, "reduction": 5, "vecadd": 4}, "13": {"pipeline": 13, "peer": 9, "reduction": 6, "vecadd": 6}}[release.name()]
COMPARED = {"12": 600, "13": 2320}[release.name()]


def run(app, *options):
    return gantry("run", *options, "--", app)


def launches(folder):
    with open(folder / "kernels.csv") as table:
        return list(csv.DictReader(table))


@pytest.mark.shows("B.6", "S4.7")
@pytest.mark.parametrize("app, regions", [("pipeline", ("1..1", "3..5", "8..99")), ("peer", ("2..2", "4..6")), ("reduction", ("3..4",))])
def test_same_data(apps, tmp_path, app, regions):
    """At every border memory is what the model before it has left: the same `data`, output and instructions as on the golden model and on the RTL alone.
    Kernels of several queues that overlap elsewhere do not across a border.  As many rows as the region has kernels have cycles."""
    golden, rtl = run(apps / app, "--model", "golden"), run(apps / app, "-o", tmp_path / "rtl")
    for region in regions:
        done = run(apps / app, "--roi", f"kernel:{region}", "-o", tmp_path / region)
        assert done.returncode == 0 and lines(done) == [], done.stderr
        assert done.stdout == golden.stdout == rtl.stdout
        for figure in ("data", "kernels", "instructions", "repeatable"):
            assert figures(done)[figure] == figures(golden)[figure] == figures(rtl)[figure], figure
        first, last = (min(int(n), KERNELS[app]) for n in region.split(".."))
        rows = launches(tmp_path / region)
        timed = [row for row in rows if row["model"] == "rtl"]
        assert len(rows) == KERNELS[app] and len(timed) == last - first + 1
        assert all(int(row["cycles"]) > 500 for row in timed) and all(row["cycles"] == "0" for row in rows if row not in timed)
        begin, end = (f(int(row[column]) for row in timed) for f, column in ((min, "start"), (max, "end")))
        assert int(figures(done)["cycles"]) == end - begin
        for row in rows:  # nobody else is there beside the region
            assert row in timed or int(row["end"]) < begin or int(row["start"]) > end
        assert "model" in launches(tmp_path / "rtl")[0] and all(row["model"] == "rtl" for row in launches(tmp_path / "rtl"))
        dashes = [line for line in done.stderr.splitlines() if re.match(r"\s*\d+\s+\d+ .* -\s+-\s+-\s+\d+\s+\d+\s+-\s+\d+(-\d+)?$", line)]
        assert bool(dashes) == (len(timed) < KERNELS[app])


@pytest.mark.shows("B.6")
def test_the_region_is_compared(apps):
    """The same cycles and hash in each run, under host threads, without skipping and in lock step, which compares the region's instructions."""
    whole = run(apps / "pipeline", "--roi", "kernel:3..5")
    for options in ([], ["--threads", "2"], ["--no-skip"]):
        assert figures(run(apps / "pipeline", "--roi", "kernel:3..5", *options)) == figures(whole), options
    done = run(apps / "pipeline", "--roi", "kernel:3..5", "--lockstep")
    assert done.returncode == 0, done.stderr
    compared, retired = map(int, re.search(r"lockstep compared=(\d+) retired=(\d+)", done.stderr).groups())
    assert compared == COMPARED and retired == int(figures(done)["instructions"]) > 5000
    for figure in ("cycles", "hash", "data"):
        assert figures(done)[figure] == figures(whole)[figure]


@pytest.mark.shows("B.6")
def test_first_kernel_as_without(apps, tmp_path):
    """A region from the first kernel on finds the machine as a whole RTL run does: the same kernels with the same cycles."""
    run(apps / "pipeline", "-o", tmp_path / "rtl")
    run(apps / "pipeline", "-o", tmp_path / "roi", "--roi", "kernel:1..99")
    rtl, roi = (launches(tmp_path / name) for name in ("rtl", "roi"))
    assert [(row["kernel"], row["cycles"]) for row in rtl] == [(row["kernel"], row["cycles"]) for row in roi]


@pytest.mark.shows("B.6")
def test_with_limits(apps, tmp_path):
    """--exit-after counts kernels of both models; a cycle limit ends the run on either side of a border."""
    done = run(apps / "pipeline", "--roi", "kernel:3..5", "--exit-after", "kernel:4", "-o", tmp_path)
    assert done.returncode == 0 and figures(done)["kernels"] == "4", done.stderr
    assert [row["model"] for row in launches(tmp_path) if row["finished"] == "1"] == ["golden"] * 2 + ["rtl"] * 2
    for limit in ("5", "9K", "14K"):
        done = run(apps / "pipeline", "--roi", "kernel:3..5", "--max-cycles", limit)
        assert done.returncode == 75 and "--max-cycles: stopped after" in done.stderr, done.stderr


@pytest.fixture(scope="module")
def warm():
    """16 KiB are written by kernel 3 and read by kernels 4 and 5; 4,096 words of as many lines are written by 3 and read by 4."""
    return built("warm")


def warmed(program, folder, lines, region, *options):
    """One run: figures of the final line, cycles of its region, counters of the L2, and the lines read before the region."""
    done = run(program, "-c", "demo", "--set", f"roi.warm={lines}", "--roi", f"kernel:{region}", "-o", folder, *options)
    assert done.returncode == 0 and "0 values are wrong" in done.stdout, done.stderr

    def total(place, what):
        found = sqlite3.connect(folder / "metrics.sqlite").execute("select sum(value) from metrics where location like ? and what = ?", [place, what])
        return int(found.fetchone()[0] or 0)
    l2 = {name: total("%.l2s_", name) + total("%.l2s__", name) for name in ("read-hit", "read-miss", "write-hit")}
    return figures(done), l2, total("%.dram", "read"), total("gpu0.roi", "warmed")


@pytest.mark.shows("B.6")
def test_warm_caches(warm, tmp_path):
    """roi.warm: what the kernels before have left in the L2 is there when the region begins, as if they had run on the RTL; nobody sees it but by time."""
    array = 4096 * 4 // 64
    cold, l2, reads, none = warmed(warm, tmp_path / "cold", 0, "5..5")
    assert none == 0 and l2["read-hit"] < 16 and l2["read-miss"] >= array <= reads
    full, l2_full, reads_full, lines = warmed(warm, tmp_path / "full", 16384, "5..5")
    # kernel 5 finds the array and what kernel 4 has written: it reads nothing but what it alone reads
    assert l2_full["read-hit"] >= array and l2_full["write-hit"] >= array and l2["write-hit"] == 0
    assert reads_full - lines <= reads - array and l2_full["read-miss"] - lines == reads_full - lines < 32
    # the array, sums, the lines of single words that kernel 4 has read, code; no line twice
    assert 2 * array + 4096 < lines < 2 * array + 4096 + 64
    for figure in ("data", "kernels", "instructions", "repeatable"):
        assert full[figure] == cold[figure]
    assert int(full["cycles"]) < int(cold["cycles"])
    # the last lines are those of kernel 4's last wavefronts, 64 of each read for single words, which kernel 5 does not look at;
    # kernel 3 leaves no line where it stores single words
    _, l2_few, reads_few, lines = warmed(warm, tmp_path / "few", 100, "5..5")
    assert lines == 100 and 0 < l2_few["write-hit"] and l2_few["read-hit"] + l2_few["write-hit"] <= 100 - 64 and reads_few > reads
    _, l2_put, _, lines = warmed(warm, tmp_path / "put", 16384, "4..4")
    assert array <= lines < array + 16 and l2_put["read-hit"] >= array and l2_put["read-miss"] - lines >= 4096


@pytest.mark.shows("B.6")
def test_warm_caches_repeat(warm, tmp_path):
    """The same cycles, hash and counters in every run and under host threads; in lock step the same cycles; more lines than the L2 has places do no harm."""
    first = warmed(warm, tmp_path / "first", 262144, "4..5")
    for n, options in enumerate(([], ["--threads", "2"], ["--no-skip"])):
        assert warmed(warm, tmp_path / f"again{n}", 262144, "4..5", *options) == first, options
    locked = warmed(warm, tmp_path / "locked", 262144, "4..5", "--lockstep")
    assert [locked[0][f] for f in ("cycles", "hash", "data", "now")] == [first[0][f] for f in ("cycles", "hash", "data", "now")]
    small = ["--set", "gpu.l2.kib_per_slice=4"]
    full, _, reads, lines = warmed(warm, tmp_path / "small", 16384, "5..5", *small)
    cold, _, reads_cold, _ = warmed(warm, tmp_path / "small_cold", 0, "5..5", *small)
    assert lines > 4096 and reads - lines <= reads_cold
    assert [full[f] for f in ("data", "kernels", "instructions")] == [cold[f] for f in ("data", "kernels", "instructions")]


@pytest.mark.shows("B.6")
def test_system_scope_empties(warm, tmp_path):
    """What a fence of system scope has emptied is not warm: kernel 6, a copy to the host, waits for one behind kernel 5 on either model."""
    after = warmed(warm, tmp_path / "after", 16384, "6..6")
    assert after[3] == 0 and after[1]["read-hit"] == 0
    run(warm, "-c", "demo", "-o", tmp_path / "rtl")
    hits = sqlite3.connect(tmp_path / "rtl" / "metrics.sqlite").execute("select sum(value) from metrics where location like 'gpu0.l2s%' and what = 'read-hit'")
    assert hits.fetchone()[0] < 2 * 256 + 64  # those of kernels 4 and 5, none of them of what kernel 3 has stored by single words: the copy behind them has none


def test_stopped(apps):
    """Ctrl-C of a run in which a model is built or runs: one line, and the status of the signal."""
    live = subprocess.Popen([GANTRY, "run", "--roi", "kernel:3..5", "--", "sh", "-c", f"{apps}/pipeline; sleep 100"], cwd=ROOT, stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True)
    time.sleep(1)
    live.send_signal(signal.SIGINT)
    _, said = live.communicate(timeout=60)
    assert live.returncode == 130 and "gantry: ended by signal 2" in said, said


def test_never_reached(apps):
    """The program ends before the region: one line, and it is no success."""
    last = KERNELS["vecadd"]
    done = run(apps / "vecadd", "--roi", f"kernel:{last + 1}..{last + 2}")
    assert done.returncode == 64 and lines(done) == [f"gantry: --roi: nothing ran on the RTL: the run ended after kernel {last}, before {last + 1}"], done.stderr


@pytest.mark.parametrize("words, said", [
    (["--roi", "kernel:5..3"], "'kernel:5..3' ends before it begins"),
    (["--roi", "kernel:a..3"], "'a' is not a number"),
    (["--roi", "kernel:1..b"], "'b' is not a number"),
    (["--roi", "kernel:3"], "'kernel:3' is not kernel:A..B"),
    (["--roi", "cycle:3..4"], "'cycle:3..4' is not kernel:A..B"),
    (["--roi", "kernel:0..1"], "'0' must be at least 1"),
    (["--roi", "kernel:1..2", "--model", "golden"], "'golden' has no RTL for the region: use --model rtl"),
    (["--roi", "kernel:1..2", "--record", "{none}"], "'{none}' cannot be recorded: most of such a run enters no RTL"),
    (["--roi", "kernel:1..2", "--checkpoint", "kernel:1,{none}"], "'{none}' cannot be saved: a checkpoint needs --record"),
    (["--roi", "kernel:1..2", "--record", "{none}", "--checkpoint", "kernel:1,{none}"], "'{none}' cannot be recorded: most of such a run enters no RTL"),
])
def test_refused(tmp_path, words, said):
    done = gantry("run", *(word.format(none=tmp_path / "none") for word in words), "--", "true")
    assert (done.returncode, done.stderr) == (64, f"gantry: --roi: {said.format(none=tmp_path / 'none')}\n")
    assert list(tmp_path.iterdir()) == []
