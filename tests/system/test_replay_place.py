# SPDX-License-Identifier: Apache-2.0
"""`gantry replay` and `gantry restore` with GPUs in worker processes (--set place.*; S4.7, B.3, B.5): what was recorded, and saved, in one process goes
on in several to the same figures; what is refused, and a worker that is killed."""
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from builder import release
from live import GANTRY, ROOT
from test_checkpoint import LAUNCHES
from processes import alive, children, within
from test_place import figures, gantry, kernel, loop, placed, ran, start, tables
from test_replay import small_disk  # noqa: F401

PLACES = [(), (2, ""), (2, "gpu0=1"), (2, "gpu0=1 gpu1=1"), (3, "gpu0=1 gpu1=2")]
# `make test` has the default and two workers.
SOME = [pytest.param(p, marks=[] if p in ((), (3, "gpu0=1 gpu1=2")) else pytest.mark.nightly) for p in PLACES]
CYCLES = (1, 30001, 63003, 90003, 141007)  # before anything; copies between the GPUs; a kernel; another copy; a kernel of GPU 1

MOMENTS = {**{str(cycle): f"cycle:{cycle}" for cycle in CYCLES}, "third": "kernel:3"}


def where(processes=1, gpus=""):
    return ["--set", f"place.processes={processes}", "--set", f"place.gpus={gpus}"]


def again(command, folder, place, out, *more, status=0):
    """Figures, counters and kernel table of a replay or a restored run."""
    words = [] if place == () else where(*place)
    done = start_plain(command, *words, "-q", "-o", out, *more, folder)
    _, err = done.communicate(timeout=900)
    assert done.returncode == status, err
    return figures(err), *tables(out)


def start_plain(command, *words):
    """test_place.start without a configuration, which is the recording's."""
    return subprocess.Popen([GANTRY, command, *map(str, words)], cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def refused(command, *words, status=64):
    done = start_plain(command, *words)
    out, err = done.communicate(timeout=900)
    assert (done.returncode, out) == (status, "") and len(err.splitlines()) == 1, err
    return err


@pytest.fixture(scope="module")
def kept(apps, tmp_path_factory):
    """A program on two GPUs with copies between them, recorded in one process; states of some moments of it."""
    folder = tmp_path_factory.mktemp("kept")
    out, err = gantry("run", *placed(2), "--record", folder / "rec", "--checkpoint", f"kernel:3,{folder}/kernel", "-o", folder / "out", "--", apps / "peer")
    assert "PASSED" in out
    for name, at in MOMENTS.items():
        done = start_plain("replay", "-q", "--checkpoint", f"{at},{folder}/{name}", folder / "rec")
        assert done.wait(timeout=900) == 0, done.stderr.read()
    done = start_plain("restore", "-q", "--checkpoint", f"{MOMENTS['63003']},{folder}/next", folder / "30001")
    assert done.wait(timeout=900) == 0, done.stderr.read()
    return folder, (figures(err), *tables(folder / "out"))


@pytest.mark.parametrize("place", SOME[1:])
@pytest.mark.shows("S4.7", "B.3")
def test_replay_anywhere(kept, place, tmp_path):
    """Final line, every counter in the same order, kernel table: those of the live run."""
    assert again("replay", kept[0] / "rec", place, tmp_path / "out") == kept[1]


@pytest.mark.parametrize("place", SOME)
@pytest.mark.shows("S4.7", "B.5")
def test_restore_anywhere(kept, place, tmp_path):
    """Saved in one process at any cycle, messages under way included, it goes on in several, bit for bit."""
    folder, (figures_live, counters, launches) = kept
    for state in ("kernel", *map(str, CYCLES)):
        seen = again("restore", folder / state, place, tmp_path / state)
        assert seen[:2] == (figures_live, counters), (state, seen[0])
        left = seen[2].splitlines()
        assert left[0] == launches.splitlines()[0] and launches.splitlines()[len(launches.splitlines()) - len(left) + 1:] == left[1:], state
    assert len((tmp_path / "kernel/kernels.csv").read_text().splitlines()) == 1 + LAUNCHES[release.name()] - 3


@pytest.mark.parametrize("place", SOME[1:])
@pytest.mark.shows("S4.7", "B.5")
def test_saved_anywhere(kept, place, tmp_path):
    """The file of one process, byte for byte, also from a run that was itself restored in several; and the run goes on as if nothing had been saved."""
    folder, live = kept
    for name, at in MOMENTS.items():
        assert again("replay", folder / "rec", place, tmp_path / f"{name}.out", "--checkpoint", f"{at},{tmp_path}/{name}") == live
        assert (tmp_path / name / "state").read_bytes() == (folder / name / "state").read_bytes(), name
    assert again("restore", tmp_path / "30001", place, tmp_path / "out", "--checkpoint", f"{MOMENTS['63003']},{tmp_path}/next")[:2] == live[:2]
    assert (tmp_path / "next/state").read_bytes() == (folder / "next/state").read_bytes()
    assert again("restore", tmp_path / "next", (), tmp_path / "end")[:2] == live[:2]  # as of one process in one process


def test_saved_behind_looks_of_the_watchdog(endless, tmp_path):
    """What has moved since its last look is part of a state: a message between processes counts once."""
    states = []
    for n in (1, 2):
        done = start_plain("replay", "-q", *where(n), "--max-cycles", "1200K", "--checkpoint", f"cycle:1100007,{tmp_path}/{n}", endless / "rec")
        _, err = done.communicate(timeout=900)
        assert done.returncode == 75, err
        states.append((tmp_path / str(n) / "state").read_bytes())
    assert states[0] == states[1]


@pytest.mark.may_skip("no right to mount")
def test_full_disk_while_saving(kept, small_disk):  # noqa: F811
    """One line; the run goes on to its figures and is no success; nothing is left of the folder."""
    done = start_plain("replay", "-q", *where(2), "--checkpoint", f"cycle:90003,{small_disk}/ck", kept[0] / "rec")
    _, err = done.communicate(timeout=900)
    assert done.returncode == 74 and figures(err) == kept[1][0], err
    assert re.match(rf"gantry: {small_disk}/ck\S*: No space left on device\ngantry: replay: every message, hash and counters as recorded\ngantry: gpus=", err) and list(small_disk.iterdir()) == [], err


def test_lock_step(kept, tmp_path):
    """A worker compares what its GPU retires with what the recording has answered."""
    told = []
    for place in (PLACES[0], PLACES[2]):
        for command, name in (("replay", "rec"), ("restore", "kernel")):
            done = start_plain(command, *where(*place), "-q", "--lockstep", kept[0] / name)
            _, err = done.communicate(timeout=900)
            assert done.returncode == 0, err
            told.append(re.search(r"lockstep compared=([1-9]\d*) retired=(\d+)", err).groups())
    assert told[:2] == told[2:] and told[0][0] == told[0][1]


def test_what_is_refused(kept):
    rec, state = kept[0] / "rec", kept[0] / "kernel"
    for command, folder in (("replay", rec), ("restore", state)):
        assert refused(command, "--set", "gpu.cu.count=1", folder) == (
            "gantry: --set: 'gpu.cu.count=1' is the recording's: only keys place.* and metrics.kernels can be set\n")
        for words, key, why in ((where(2, "gpu2=1"), "place.gpus", "gpu2=1: expected gpuK=P with a GPU of this machine (gpu0 to gpu1)"),
                                (where(2, "gpu0=2"), "place.gpus", "gpu0=2: no such process (place.processes is 2: 0 to 1)"),
                                (where(4), "place.processes", "process 2 would run nothing (2 GPUs)")):
            run = start("run", "--set", "system.gpus=2", *words, "--", "true")
            assert run.wait(timeout=900) == 65
            said = run.stderr.read()
            assert refused(command, *words, folder, status=65) == said and key in said and why in said
    assert refused("replay", *where(2), "--only", "gpu0", rec) == "gantry: --only: not with place.processes above 1\n"


def test_where_it_ran_is_not_asked(apps, tmp_path):
    """Every GPU was put into process 0 by name; the replay has a placement of its own."""
    _, err = gantry("run", "--record", tmp_path / "rec", *placed(2, 1, "gpu0=0 gpu1=0"), "--", apps / "peer")
    done = start_plain("replay", *where(2), "-q", tmp_path / "rec")
    _, again = done.communicate(timeout=900)
    assert done.returncode == 0 and figures(again) == figures(err), again


@pytest.fixture(scope="module")
def parts(apps, kept, tmp_path_factory):
    """What is said of each part's replay when one process has recorded it."""
    folder = tmp_path_factory.mktemp("parts")
    again("replay", kept[0] / "rec", (), folder / "out", "--record", f"{folder}/rec,{','.join(PARTS)}")
    return {part: only(folder / "rec", part) for part in (*PARTS, "gpu0", "gpu1")}


PARTS = ("gpu0.cu0", "gpu1.cu0", "gpu1.noc")


def only(folder, part):
    done = start_plain("replay", "-q", "--only", part, folder)
    _, err = done.communicate(timeout=900)
    assert done.returncode == 0, err
    return re.sub(r"cpu_s=\S+ inst_per_cpu_s=\S+ ", "", err)


@pytest.mark.parametrize("place", SOME[1:])
@pytest.mark.shows("S4.7", "B.5")
def test_recorded_anywhere(apps, kept, parts, place, tmp_path):
    """A run in several processes has the figures that it has in one without a recording; its recording replays whole, GPU by GPU, part by part, and from
    its checkpoint as that of one process, in one process."""
    words = ["--record", f"{tmp_path}/rec,{','.join(PARTS)}", "--checkpoint", f"kernel:3,{tmp_path}/state", "-o", tmp_path / "live"]
    out, err = gantry("run", *placed(2), *where(*place), *words, "--", apps / "peer")
    assert "PASSED" in out and (figures(err), *tables(tmp_path / "live")) == kept[1]
    assert again("replay", tmp_path / "rec", (), tmp_path / "whole") == kept[1]
    assert {part: only(tmp_path / "rec", part) for part in parts} == parts
    assert again("restore", tmp_path / "state", place, tmp_path / "then")[:2] == kept[1][:2]


def test_replay_recorded_anywhere(kept, parts, tmp_path):
    """A replay in several processes records, too."""
    again("replay", kept[0] / "rec", (3, "gpu0=1 gpu1=2"), tmp_path / "out", "--record", f"{tmp_path}/rec,{','.join(PARTS)}")
    assert again("replay", tmp_path / "rec", (), tmp_path / "whole") == kept[1]
    assert {part: only(tmp_path / "rec", part) for part in parts} == parts


@pytest.mark.shows("S4.7")
def test_recorded_writes_of_the_program(apps, tmp_path):
    """Copies through the large BAR into the memory of a GPU that runs elsewhere: what its GPU reads is what was recorded."""
    ends = []
    for place in PLACES[:3]:
        out, err = gantry("run", *placed(2), *(where(*place) if place else []), "--record", tmp_path / f"rec{len(ends)}", "--", apps / "copies")
        assert "PASSED" in out
        ends += [figures(err), again("replay", tmp_path / f"rec{len(ends)}", (), tmp_path / f"out{len(ends)}")[0]]
    assert all(end == ends[0] for end in ends), ends


def cut_off(folder, *words):
    """Cycle to which a recording goes that is not whole."""
    done = start_plain("replay", "-q", *words, folder)
    _, err = done.communicate(timeout=900)
    assert done.returncode == 0 and "gantry: the recording was cut off: replayed as far as it goes\n" in err, err
    return int(re.search(r" now=(\d+)", err)[1])


@pytest.mark.parametrize("whom", ["worker", pytest.param("gantry", marks=pytest.mark.nightly)])
@pytest.mark.shows("S4.7")
def test_killed_while_recording(whom, tmp_path):
    """What all processes had kept by the last commit is a recording that was cut off there: of the whole machine and of each GPU."""
    process = start("kernel", "-q", *kernel(loop(tmp_path)), *placed(2, 2), "--record", tmp_path / "rec")
    workers = within(900, lambda: children(process.pid, "gantry:1"))
    assert within(60, lambda: ran(workers[0]) > 150)  # 1.5 s of CPU time: the kernel runs, some commits
    os.kill(workers[0] if whom == "worker" else process.pid, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    if whom == "worker":
        lines = [text for text in err.splitlines() if not text.startswith("gantry: gpus=")]
        assert process.returncode == 74 and len(lines) == 1 and f"process worker1 (pid {workers[0]}) ended at cycle" in lines[0], err
    end = cut_off(tmp_path / "rec")
    assert end > 20000 and cut_off(tmp_path / "rec", *where(2)) == end
    assert cut_off(tmp_path / "rec", "--only", "gpu1") == end == cut_off(tmp_path / "rec", "--only", "gpu0")


@pytest.mark.shows("S4.7")
def test_ended_while_a_worker_stands_still(tmp_path):
    """Nobody knows how far it would have run: the recording ends with the last commit, which is said, and replays."""
    process = start("kernel", "-q", *kernel(loop(tmp_path)), *placed(2, 2), "--record", tmp_path / "rec")
    workers = within(900, lambda: children(process.pid, "gantry:1"))
    assert within(60, lambda: ran(workers[0]) > 150)
    os.kill(workers[0], signal.SIGSTOP)
    time.sleep(0.5)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode in (74, 128 + signal.SIGTERM), err
    assert f"gantry: {tmp_path}/rec: the recording ends before the run: processes did not come to rest\n" in err, err
    assert not alive(workers[0]) and cut_off(tmp_path / "rec") > 20000


@pytest.mark.may_skip("no right to mount")
def test_full_disk_while_recording(apps, kept, small_disk):  # noqa: F811
    """The run goes on to its figures, says so once and is no success."""
    _, err = gantry("run", *placed(2, 2), "-q", "--record", f"{small_disk}/rec,gpu1.cu0", "--", apps / "peer", status=74)
    told = [text for text in err.splitlines() if not text.startswith("gantry: gpus=")]
    assert len(told) == 1 and re.fullmatch(rf"gantry: {small_disk}/rec: the recording ends at cycle \d+: .*", told[0]), err
    assert figures(err) == kept[1][0]


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """A kernel of GPU 1 that took longer than anybody waits for, and a state in its middle."""
    folder = tmp_path_factory.mktemp("endless")
    options = ("--max-cycles", "2M", "--record", folder / "rec", "--checkpoint", f"cycle:9001,{folder}/state")
    gantry("kernel", *kernel(loop(folder), *options), *placed(2), status=75)
    return folder


@pytest.mark.parametrize("command,name", [("replay", "rec"), ("restore", "state")])
def test_killed_worker(endless, command, name):
    process = start_plain(command, "-q", *where(2), endless / name)
    workers = within(60, lambda: children(process.pid, "gantry:1"))
    assert within(60, lambda: ran(workers[0]) > 20)  # 0.2 s of CPU time: the kernel runs
    os.kill(workers[0], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    lines = [text for text in err.splitlines() if not text.startswith("gantry: gpus=")]
    assert process.returncode == 74 and len(lines) == 1, err
    assert re.fullmatch(rf"gantry: gpu1\.rdma:\d+ -> \S+: process worker1 \(pid {workers[0]}\) ended at cycle [1-9]\d*, before the run did", lines[0]), err
    assert not alive(workers[0])
