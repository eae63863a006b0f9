# SPDX-License-Identifier: Apache-2.0
"""--checkpoint, `gantry restore` and --exit-after (S4.7, B.5): a recorded run goes on from a state of any cycle, or behind any kernel, to the figures of
the run that was never interrupted; states of other machines, damaged ones and full disks are told in one line."""
import json
import re
import shutil
import signal
import subprocess
import time

import pytest
from builder import release
from live import ROOT
from test_replay import FAULTY, KERNELS, bar, figures, gantry, kernel, kernels, lines, small_disk, table  # noqa: F401 (fixtures)

LAUNCHES = {"12": 8, "13": 9}  # of the program `peer`: HIP 5.7 copies once more


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A recording of one kernel and a checkpoint in its middle, from the same run."""
    folder = tmp_path_factory.mktemp("saved")
    done = kernel("--record", folder / "rec", "--checkpoint", f"cycle:4001,{folder}/ck")
    assert done.returncode == 0 and lines(done) == [], done.stderr
    return folder / "rec", folder / "ck", done


@pytest.fixture(scope="module")
def peer(apps, tmp_path_factory):
    """A program on two GPUs with copies between them; saved when three of its kernels have ended."""
    folder = tmp_path_factory.mktemp("peer")
    done = gantry("run", "--record", folder / "rec", "--checkpoint", f"kernel:3,{folder}/ck", "-o", folder / "out", "--", apps / "peer")
    assert done.returncode == 0 and lines(done) == [], done.stderr
    return folder, done


def launches(folder):
    """The kernel table, a row a launch, without its head."""
    return (folder / "kernels.csv").read_text().splitlines()[1:]


@pytest.mark.shows("S4.7", "B.5")
def test_any_cycle(saved, tmp_path):
    """Saved by the live run and by its replay, in the middle of a kernel, before it and behind it; again from a restored run: bit-identical ends."""
    rec, ck, done = saved
    assert figures(done) == figures(kernel())
    for options in ([], ["--threads", "2"], ["--no-skip"]):
        again = gantry("restore", ck, *options)
        assert again.returncode == 0 and lines(again) == [], again.stderr
        assert figures(again) == figures(done) and table(again) == table(done)
    for cycle in (1, 2600, 9003, 10700):
        one, two = tmp_path / f"one{cycle}", tmp_path / f"two{cycle}"
        assert figures(gantry("replay", rec, "--checkpoint", f"cycle:{cycle},{one}")) == figures(done)
        then = gantry("restore", one, "--checkpoint", f"cycle:{cycle + 37},{two}")
        assert then.returncode == 0 and figures(then) == figures(done), then.stderr
        last = gantry("restore", two)
        assert last.returncode == 0 and figures(last) == figures(done), last.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{n}{c}" for n in ("one", "two") for c in (1, 2600, 9003, 10700))


@pytest.mark.shows("S4.7", "B.5")
def test_behind_a_kernel(peer, tmp_path):
    """Two GPUs: the table has the kernels that were left, the final line all figures of the run; once more behind a later kernel."""
    folder, done = peer
    then = gantry("restore", folder / "ck", "-o", tmp_path / "out", "--checkpoint", f"kernel:6,{tmp_path}/ck")
    assert then.returncode == 0 and lines(then) == [] and figures(then) == figures(done), then.stderr
    assert launches(tmp_path / "out") == launches(folder / "out")[3:] and len(launches(folder / "out")) == LAUNCHES[release.name()]
    last = gantry("restore", tmp_path / "ck", "-o", tmp_path / "last")
    assert last.returncode == 0 and figures(last) == figures(done), last.stderr
    assert launches(tmp_path / "last") == launches(folder / "out")[6:]


@pytest.mark.shows("S4.7", "B.6")
def test_lockstep_from_a_checkpoint(peer, saved, tmp_path):
    """Every instruction of the kernels that were left is compared; not in the middle of one."""
    folder, done = peer
    then = gantry("restore", folder / "ck", "--lockstep", "-q")
    assert then.returncode == 0, then.stderr
    compared, retired = map(int, re.search(r"lockstep compared=(\d+) retired=(\d+)", then.stderr).groups())
    left = sum(int(row.split(",")[-9]) for row in launches(folder / "out")[3:])
    assert retired == int(figures(done)["instructions"]) > compared == left > 1000
    middle = gantry("restore", saved[1], "--lockstep")
    assert (middle.returncode, middle.stderr) == (
        65, f"gantry: {saved[1]}/state: kernels run in this state: lock step can only begin before their start\n")


@pytest.mark.shows("S4.7")
def test_waves_from_a_checkpoint(saved, tmp_path):
    """Of a state that models with waves have saved; models without them are others."""
    scope = "gpu0.sqc0@4100:4200"
    then = gantry("replay", "-q", saved[0], "--wave", "gpu0.sqc0@1:2", "-o", tmp_path / "first", "--checkpoint", f"cycle:4001,{tmp_path}/ck")
    assert then.returncode == 0, then.stderr
    last = gantry("restore", tmp_path / "ck", "--wave", scope, "-o", tmp_path / "out")
    assert last.returncode == 0 and figures(last) == figures(saved[2]), last.stderr
    assert (tmp_path / "out/gpu0.sqc0.fst").stat().st_size > 10000
    other = gantry("restore", saved[1], "--wave", scope, "-o", tmp_path / "none")
    assert other.returncode == 65 and re.fullmatch(r"gantry: \S+/state: models: model \S+ was saved, \S+ is here", other.stderr.strip()), other.stderr


@pytest.mark.shows("S4.7")
def test_program_that_writes_into_vram(bar, tmp_path):  # noqa: F811
    """What a program puts into VRAM through its mapping, before and after the state, reaches the GPU once."""
    done = gantry("run", "--record", tmp_path / "rec", "--checkpoint", f"kernel:2,{tmp_path}/ck", "--", bar)
    assert done.returncode == 0, done.stderr
    for option in ("kernel:1", "cycle:30001", "cycle:60001"):
        assert gantry("replay", tmp_path / "rec", "--checkpoint", f"{option},{tmp_path}/{option}").returncode in (0, 64)
    states = [path.parent for path in tmp_path.glob("*/state")]
    assert len(states) >= 3
    for state in states:
        then = gantry("restore", state)
        assert then.returncode == 0 and figures(then) == figures(done), (state, then.stderr)


@pytest.mark.shows("S4.7")
def test_exit_after(apps, peer, saved, tmp_path):
    """The live run, its replay and a run that was restored end behind the same kernel with the same figures: a success that is marked incomplete."""
    folder, done = peer
    live = gantry("run", "--exit-after", "kernel:5", "-o", tmp_path / "live", "--", apps / "peer")
    again = gantry("replay", "--exit-after", "kernel:5", "-o", tmp_path / "again", folder / "rec")
    then = gantry("restore", "--exit-after", "kernel:5", "-o", tmp_path / "then", folder / "ck")
    for end, name in ((live, "live"), (again, "again"), (then, "then")):
        assert end.returncode == 0 and lines(end) == [], end.stderr
        run = json.loads((tmp_path / name / "run.json").read_text())
        assert run["complete"] is False and run["exit_status"] == 0 and run["kernels"] == 5
        for figure in ("kernels", "instructions", "hash", "counters", "now"):
            assert figures(end)[figure] == figures(live)[figure] != figures(done)[figure], figure
    finished = [row for row in launches(tmp_path / "live") if re.search(r",1,rtl,\d+,\d+,\d+$", row)]
    assert launches(tmp_path / "again") == finished == launches(folder / "out")[:5] and launches(tmp_path / "then") == finished[3:]
    late = gantry("replay", "--exit-after", "kernel:2", saved[0])  # it has one: the run comes to its own end
    assert late.returncode == 0 and figures(late) == figures(saved[2]), late.stderr


@pytest.mark.shows("S4.7", "B.5")
def test_states_that_are_refused(saved, peer, tmp_path):
    """Another configuration, other RTL, another recording, a state that is damaged, cut off or missing: one line, and nothing runs."""
    copy = tmp_path / "copy"
    copy.mkdir()
    state, recording = ((saved[1] / name).read_bytes() for name in ("state", "recording"))

    def restore(state, recording, env=None):
        (copy / "state").write_bytes(state)
        (copy / "recording").write_bytes(recording)
        done = gantry("restore", copy, env=env)
        said = [line for line in done.stderr.splitlines(True) if not line.startswith("gantry: building model")]
        assert len(said) == 1, done.stderr
        return done.returncode, said[0]
    assert restore((peer[0] / "ck/state").read_bytes(), recording) == (
        65, f"gantry: {copy}/state: configuration: 'system.gpus: 2' was saved, 'system.gpus: 1' is here\n")
    status, said = restore(state, recording, env=FAULTY)
    assert status == 65 and re.fullmatch(r"gantry: \S+/state: models: model \S+ was saved, \S+ is here\n", said), said
    other = kernel("--record", tmp_path / "other", "--max-cycles", "6000")
    assert other.returncode == 75
    said = f"gantry: {copy}/state: is of another recording than recording beside it, or of more than is left of it\n"
    assert restore(state, (tmp_path / "other/recording").read_bytes()) == (65, said)
    for at in (30, len(state) // 2, len(state) - 1):
        assert restore(state[:at] + bytes([state[at] ^ 16]) + state[at + 1:], recording) == (65, f"gantry: {copy}/state: is damaged or cut off\n")
        assert restore(state[:at], recording) == (65, f"gantry: {copy}/state: is damaged or cut off\n")
    assert restore(b"", recording) == (65, f"gantry: {copy}/state: is no saved state\n")
    assert restore(state, recording[:100] + b"?" + recording[101:])[0] == 65
    (copy / "state").unlink()
    shutil.copy(saved[1] / "recording", copy / "recording")
    done = gantry("restore", copy)
    assert (done.returncode, done.stderr) == (66, f"gantry: {copy}/state: No such file or directory\n")


@pytest.mark.shows("S4.7")
def test_killed(tmp_path):
    """kill -9 behind a checkpoint: it goes on as far as the recording does."""
    words = [ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", "--record", tmp_path / "rec", "--checkpoint", f"cycle:20K,{tmp_path}/ck",
             KERNELS / "bench_int.v4.co", "--grid", "2560", "--group", "256", "--arg", "zero:10240", "--arg", "u32:1000000"]
    live = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 600
    while time.monotonic() < end and not (tmp_path / "ck").exists():
        assert live.poll() is None, live.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)  # some more of the recording
    live.send_signal(signal.SIGKILL)
    live.wait()
    live.stderr.close()
    then = gantry("restore", tmp_path / "ck")
    assert then.returncode == 0 and lines(then) == ["gantry: the recording was cut off: replayed as far as it goes"], then.stderr
    whole = gantry("replay", tmp_path / "rec")
    assert figures(then) == figures(whole) and int(figures(then)["now"]) > 20000


@pytest.mark.shows("S4.7")
@pytest.mark.may_skip("no right to mount")
def test_full_disk(saved, small_disk):  # noqa: F811
    """One line; the run goes on to its figures and is no success; nothing is left of the folder."""
    done = gantry("replay", saved[0], "--checkpoint", f"cycle:4001,{small_disk}/ck")
    assert done.returncode == 74 and figures(done) == figures(saved[2]), done.stderr
    assert len(lines(done)) == 1 and re.fullmatch(rf"gantry: {small_disk}/ck\S*: No space left on device", lines(done)[0]), done.stderr
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("words, status, said", [
    (["run", "--checkpoint", "cycle:5,{none}", "--", "true"], 64, "--checkpoint: a run goes on from its recording: give --record DIR, too"),
    (["run", "--checkpoint", "cycle:5,{ck}", "--record", "{none}", "--", "true"], 64, "{ck}: exists already: a checkpoint makes its folder"),
    (["run", "--checkpoint", "cycle:5,{none}/a/b", "--record", "{none}", "--", "true"], 74, "{none}/a/b: No such file or directory"),
    (["run", "--checkpoint", "cycle:5", "--", "true"], 64, "--checkpoint: 'cycle:5' is neither kernel:N,DIR nor cycle:C,DIR"),
    (["run", "--checkpoint", "cycle:5,", "--", "true"], 64, "--checkpoint: 'cycle:5,' is neither kernel:N,DIR nor cycle:C,DIR"),
    (["run", "--checkpoint", "wave:5,{none}", "--", "true"], 64, "--checkpoint: 'wave:5,{none}' is neither kernel:N,DIR nor cycle:C,DIR"),
    (["run", "--checkpoint", "kernel:0,{none}", "--", "true"], 64, "--checkpoint: '0' must be at least 1"),
    (["run", "--checkpoint", "cycle:-5,{none}", "--", "true"], 64, "--checkpoint: '-5' is not a number"),
    (["run", "--checkpoint", "cycle:5MK,{none}", "--", "true"], 64, "--checkpoint: '5MK' is not a number"),
    (["run", "--checkpoint", "cycle:99999999999999G,{none}", "--", "true"], 64, "--checkpoint: '99999999999999G' is too large"),
    (["run", "--exit-after", "cycle:5", "--", "true"], 64, "--exit-after: 'cycle:5' is not kernel:N"),
    (["run", "--exit-after", "kernel:", "--", "true"], 64, "--exit-after: '' is not a number"),
    (["replay", "--only", "gpu0", "--checkpoint", "cycle:5,{none}", "{rec}"], 64, "--checkpoint: 'gpu0' alone cannot be saved: without --only"),
    (["restore", "--checkpoint", "cycle:4001,{none}", "{ck}"], 64, "--checkpoint: cycle 4001 is over: here begins 4001"),
    (["restore", "--checkpoint", "kernel:3,{none}", "{peer}"], 64, "--checkpoint: kernel 3 has ended before: 3 have here"),
    (["restore", "--exit-after", "kernel:2", "{peer}"], 64, "--exit-after: kernel 2 has ended before: 3 have here"),
    (["restore", "--record", "{none}", "{ck}"], 64, "restore: unknown option --record, which gantry run has"),
    (["restore"], 64, "restore: no checkpoint: gantry restore [options] DIR"),
    (["restore", "{ck}", "more"], 64, "restore: unexpected argument more"),
    (["restore", "{none}"], 66, "{none}/recording: No such file or directory"),
    (["restore", "{rec}"], 66, "{rec}/state: No such file or directory"),
])
def test_refused(saved, peer, tmp_path, words, status, said):
    """One line, and no folder is left."""
    names = {"none": tmp_path / "none", "rec": saved[0], "ck": saved[1], "peer": peer[0] / "ck"}
    done = gantry(*(word.format(**names) for word in words))
    assert (done.returncode, done.stderr) == (status, f"gantry: {said.format(**names)}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("goal, said", [("kernel:2", "after 1 kernel, before kernel 2 had"), ("cycle:1M", "before cycle 1000000")])
def test_never_reached(saved, tmp_path, goal, said):
    """The run ends first: one line, and it is no success."""
    done = gantry("replay", saved[0], "--checkpoint", f"{goal},{tmp_path}/ck", "-o", tmp_path / "out")
    assert done.returncode == 64 and lines(done) == [f"gantry: --checkpoint: nothing was saved: the run ended {said}"], done.stderr
    assert figures(done) == figures(saved[2]) and not (tmp_path / "ck").exists()
    assert json.loads((tmp_path / "out/run.json").read_text())["exit_status"] == 64


def test_help():
    done = gantry("restore", "--help")
    assert done.returncode == 0 and "gantry restore [options] DIR" in done.stdout and "--exit-after" in done.stdout and "--record DIR[" not in done.stdout
    assert "--exit-after" not in gantry("kernel", "--help").stdout
