# SPDX-License-Identifier: Apache-2.0
"""Memory whose entries a GPU gets on its first access (key migrate.map: lazy; S1.4, S1.10: the access waits, and finds the page where it is then): the page
moves to who asks first, or is mapped far; `data` as with eager entries and as the golden model; what is no memory of the program is the same fault."""
import re
import subprocess

import pytest
from live import GANTRY, ROOT, gantry_run, on_last_gpus
from test_policies import folder, program  # noqa: F401

LAZY = ["migrate.map=lazy", "migrate.fault_cycles=100"]


def firsts(done):
    told = re.search(r"^gantry: first accesses: (\d+) \((\d+) have moved their page, (\d+) mapped far, (\d+) late, (\d+) denied\), (\d+) pages ahead of them; "
                     r"decision=(\d+) each$",                     done.err, re.M)
    return [int(n) for n in told.groups()] if told else None


@pytest.fixture(scope="module")
def eager(folder):  # noqa: F811
    return program(folder, "never", "use", "16")


@pytest.fixture(scope="module")
def touched(folder):  # noqa: F811
    return program(folder, "first-touch", "use", "16", settings=LAZY)


def kernel_cycles(done):
    return max(int(c) for c in re.findall(r"^  1 .* use .*?(\d+) +16 +18896", done.err, re.M))


@pytest.mark.shows("S1.10")
def test_a_page_moves_before_it_is_read(eager, touched):
    assert touched.data == eager.data and eager.far is None
    assert firsts(eager) is None and firsts(touched) == [4, 4, 0, 0, 0, 0, 100]
    assert [(row["from"], row["to"], row["bytes"], row["moved"], row["decision"]) for row in touched.moves] == [(0, 1, 65536, 1, 100)] * 4
    assert [row["batch"] for row in touched.moves] == [1, 3, 3, 3]  # with the second come those behind it
    assert len(re.findall("to gpu1: ahead of its accesses", touched.err)) == 2
    assert touched.far == 0  # nothing was read from afar, before or behind it
    assert max(row["map"] for row in touched.moves) < 1000  # its lowest page table was there: two lines to write, not 64 more
    assert "and those of pages that have moved on their first access" in touched.err
    assert kernel_cycles(touched) < 0.5 * kernel_cycles(eager)


@pytest.mark.parametrize("settings, options", [(["place.processes=2"], []), ([], ["--lockstep"])], ids=["processes", "lockstep"])
def test_wherever_it_runs(folder, touched, settings, options):  # noqa: F811
    assert program(folder, "first-touch", "use", "16", settings=[*LAZY, *settings], options=options).figures == touched.figures


def test_recorded_and_replayed(folder, touched):  # noqa: F811
    done = program(folder, "first-touch", "use", "16", settings=LAZY, options=["--record", folder / "recording"])
    replayed = subprocess.run([GANTRY, "replay", folder / "recording"], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.figures == touched.figures and replayed.returncode == 0, replayed.stderr
    for key in ("cycles", "hash", "data"):
        assert f"{key}={done.figures[key]}" in replayed.stderr


def test_adaptive_moves_what_is_asked_for(folder, touched):  # noqa: F811
    """All four blocks may come at once (migrate.first_bytes), and no counter has to speak for them."""
    done = program(folder, "adaptive", "use", "16", settings=LAZY)
    assert (done.data, done.far, firsts(done), done.cycles) == (touched.data, 0, firsts(touched), touched.cycles)
    assert "migrate info adaptive: page 0x1000000100000 to gpu1: its first access" in done.err


def test_the_decision_takes_its_time(folder, eager):  # noqa: F811
    """Of four blocks that a kernel reads one after the other; with `never` each is mapped where it is."""
    done = program(folder, "never", "use", "16", settings=["migrate.map=lazy"])
    assert firsts(done) == [4, 0, 4, 0, 0, 0, 20000] and done.moves == []
    assert done.data == eager.data
    assert 4 * 20000 < kernel_cycles(done) - kernel_cycles(eager) < 4 * 22000


@pytest.mark.parametrize("options", [["--model", "golden"], ["--roi", "kernel:2..2"]], ids=["golden", "roi"])
def test_golden_gpus_have_all_entries(folder, eager, options):  # noqa: F811
    done = program(folder, "never", "use", "16", settings=LAZY, options=options)
    assert firsts(done) is None and done.data == eager.data


@pytest.fixture(scope="module")
def looked():
    """A table in GPU 0's memory, eight pages, and GPUs 1 and 2 look everywhere in it: what a run told, numbers of first accesses."""
    subprocess.run(["make", "-s", "build/apps/pages_tables"], cwd=ROOT, check=True)

    def run(*settings, options=()):
        words = [word for key in settings for word in ("--set", key)]
        done = subprocess.run([GANTRY, "run", "-c", "tiny", "-v", "--set", "system.gpus=3", *words, *options, "--", ROOT / "build/apps/pages_tables", "table", "32", "1"],
                              cwd=ROOT, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0 and "table: PASSED" in done.stdout, done.stderr
        told = re.search(r"^gantry: first accesses: (\d+) \((\d+) \D+(\d+) \D+(\d+) \D+(\d+) ", done.stderr, re.M)
        return done.stderr, re.search(r" data=(\w+)", done.stderr)[1], [int(n) for n in told.groups()] if told else None
    return run


def test_three_gpus_ask_at_once(looked):
    """Each page goes to one of them, the other has it mapped there."""
    _, data, (count, moved, mapped, late, denied) = looked(*LAZY, "migrate.policy=first-touch", "migrate.page=4K")
    assert data == looked(options=["--model", "golden"])[1]
    assert count == moved + mapped + late and denied == 0
    assert moved == 8 and mapped + late == 8  # of 8 pages: whoever comes second does not move them


def test_adaptive_waits_for_so_much(looked):
    """Two pages come to a GPU at a time; what it asks for meanwhile is mapped far, and moves when its counts say so."""
    keys = [*LAZY, "migrate.policy=adaptive", "migrate.page=4K"]
    told, data, (count, moved, mapped, late, denied) = looked(*keys, "migrate.first_bytes=8192")
    assert data == looked(options=["--model", "golden"])[1]
    assert count == moved + mapped + late == 16 and denied == 0 and 2 <= moved < mapped
    assert re.search(r"migrate info adaptive: page \S+ to gpu[12]: \d+ by gpu[12], \d+ by others", told)
    assert looked(*keys)[2][2] == 0  # 256 KiB: all eight


def test_what_is_no_memory_is_a_fault(apps):
    """The same line and end of the program, whoever decides."""
    told = []
    for settings in ([], LAZY):
        done = gantry_run([apps / "wild_store"], "rtl", 2, env=on_last_gpus(2), options=[word for s in settings for word in ("--set", s)])
        assert done.status == 128 + 6 and "went on" not in done.out, done
        told.append(re.search(r"^gantry: gpu1: memory fault at address 0xdead00000: .*$", done.err, re.M)[0])
    assert told[0] == told[1]


def test_a_run_that_ends_meanwhile(folder):  # noqa: F811
    """The decision lies behind the end of the run: it ends as it was told, and says what was reached."""
    done = subprocess.run([GANTRY, "run", "-c", "demo", "--set", "migrate.map=lazy", "--set", "migrate.fault_cycles=1000000000", "--max-cycles", "300000", "--",
                           folder / "writers", "use", "2"], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 75, done.stderr
    assert re.search(r"^gantry: first accesses: [1-4] \(0 have moved their page, 0 mapped far, 0 late, 0 denied\), 0 pages", done.stderr, re.M), done.stderr
