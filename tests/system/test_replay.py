# SPDX-License-Identifier: Apache-2.0
"""--record and `gantry replay` (S4.7): what entered the RTL of a run is enough to run it again alone, to the same hash; one GPU, one partition;
recordings that were cut off or damaged; RTL that behaves otherwise is named by its first message."""
import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from live import GANTRY, ROOT, built

KERNELS = ROOT / "build/kernels"
FIGURES = ("kernels", "cycles", "instructions", "repeatable", "hash", "data", "counters", "now")
FAULTY = {"GANTRY_MODEL_DEFINES": "GANTRY_FAULTS", "GANTRY_MODEL_OPT": "-O0"}  # as tests/host/cli/test_bad_ends.py


def gantry(*words, env=None):
    return subprocess.run([GANTRY, *map(str, words)], cwd=ROOT, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=900,
                          env={**os.environ, **(env or {})})


def figures(done):
    """Of the final line, which must be the last one."""
    line = done.stderr.splitlines()[-1]
    assert line.startswith("gantry: gpus="), done.stderr
    found = dict(re.findall(r"(\w+)=(\S+)", line))
    return {name: found[name] for name in FIGURES}


def table(done):
    return [line for line in done.stderr.splitlines() if re.match(r"\s*(gpu|\d+)\s", line)]


def lines(done):
    """What was said without table and final line, that nothing differs, and models that were built: which test finds none is not said."""
    return [line for line in done.stderr.splitlines()
            if line.startswith("gantry: ") and not line.startswith(("gantry: gpus=", "gantry: building model")) and not line.endswith(" as recorded")]


@pytest.fixture(scope="module", autouse=True)
def kernels():
    subprocess.run(["make", "-s", "build/kernels/hash.v4.co", "build/kernels/bench_int.v4.co"], cwd=ROOT, check=True)


def kernel(*options, env=None):
    """16 wavefronts that write 4 KiB from 4 KiB of input."""
    return gantry("kernel", "-c", "tiny", *options, KERNELS / "hash.v4.co", "--grid", "1024", "--group", "64", "--arg", "zero:4096", "--arg", "fill:7:4096",
                  env=env)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording of that kernel with the messages of three partitions."""
    folder = tmp_path_factory.mktemp("recorded") / "rec"
    done = kernel("--record", f"{folder},gpu0.cu0,gpu0.sqc0,gpu0.l2s1")
    assert done.returncode == 0, done.stderr
    return folder, done


@pytest.mark.shows("S4.7", "B.3")
def test_kernel(recorded):
    """A recorded run is the run without recording, and its replay is, too: every figure, counters and kernel table included."""
    folder, done = recorded
    live, again = kernel(), gantry("replay", folder)
    assert again.returncode == 0, again.stderr
    assert figures(live) == figures(done) == figures(again)
    assert table(live) == table(again) and len(table(live)) == 2
    assert lines(again) == [] and again.stderr.count("gantry: replay: every message, hash and counters as recorded\n") == 1
    for options in (["--no-skip"], ["--threads", "2"]):
        assert figures(gantry("replay", folder, *options)) == figures(live)


@pytest.mark.shows("S4.7")
def test_lockstep(recorded):
    """A replay compares every instruction with the golden model."""
    done = gantry("replay", "--lockstep", recorded[0])
    assert done.returncode == 0, done.stderr
    compared, retired = map(int, re.search(r"lockstep compared=(\d+) retired=(\d+)", done.stderr).groups())
    assert compared == retired == int(figures(done)["instructions"]) > 0
    assert "gantry: replay: every message and hash as recorded\n" in done.stderr  # the recorded run has no counters of lock step


@pytest.mark.shows("S4.7")
def test_one_partition(recorded, tmp_path):
    """A CU and an L2 slice alone, a cache group with its wave; a replay keeps the messages of another partition."""
    for part in ("gpu0.cu0", "gpu0.l2s1"):
        done = gantry("replay", recorded[0], "--only", part)
        assert done.returncode == 0, done.stderr
        assert int(re.search(rf"{part}: (\d+) messages out, all as recorded", done.stderr)[1]) > 50
    done = gantry("replay", recorded[0], "--only", "gpu0.sqc0", "--wave", "gpu0.sqc0@3000:4000", "-o", tmp_path / "out")
    assert done.returncode == 0 and (tmp_path / "out/gpu0.sqc0.fst").stat().st_size > 10000, done.stderr
    more = gantry("replay", recorded[0], "--record", f"{tmp_path}/more,gpu0.noc")
    assert more.returncode == 0 and figures(more) == figures(recorded[1]), more.stderr
    assert gantry("replay", tmp_path / "more", "--only", "gpu0.noc").returncode == 0
    assert figures(gantry("replay", tmp_path / "more")) == figures(recorded[1])


@pytest.fixture(scope="module")
def bar():
    return built("bar")


@pytest.mark.shows("S4.7", "B.3")
def test_program_that_writes_into_vram(bar, tmp_path):
    """Through its mapping, between kernels and into lines that the GPU has written: found and kept."""
    live = gantry("run", "--", bar)
    done = gantry("run", "--record", tmp_path / "rec", "--", bar)
    assert live.returncode == done.returncode == 0 and "bar: 0 values are wrong" in done.stdout, done.stderr
    again = gantry("replay", tmp_path / "rec")
    assert again.returncode == 0, again.stderr
    assert figures(live) == figures(done) == figures(again) and table(live) == table(again)


@pytest.mark.shows("S4.7", "B.3", "S0.1")
def test_two_gpus(apps, tmp_path):
    """A program with copies between GPUs: whole, and each GPU without the other."""
    live = gantry("run", "--", apps / "peer")
    done = gantry("run", "--record", f"{tmp_path}/rec,gpu1.rdma", "--", apps / "peer")
    again = gantry("replay", tmp_path / "rec")
    assert live.returncode == done.returncode == again.returncode == 0, again.stderr
    assert figures(live) == figures(done) == figures(again) and table(live) == table(again)
    rows = 0
    instructions = 0
    for gpu in range(2):
        one = gantry("replay", tmp_path / "rec", "--only", f"gpu{gpu}")
        assert one.returncode == 0 and lines(one) == [] and f"gantry: replay: gpu{gpu}: every message as recorded\n" in one.stderr, one.stderr
        rows += int(figures(one)["kernels"])
        instructions += int(figures(one)["instructions"])
    assert rows == int(figures(live)["kernels"]) and instructions == int(figures(live)["instructions"])
    assert gantry("replay", tmp_path / "rec", "--only", "gpu1.rdma").returncode == 0


@pytest.mark.shows("S4.7", "B.6")
def test_changed_rtl_is_named(tmp_path):
    """Recorded with sound RTL, replayed with seeded faults of the CU: exit 70 and one line with the first message that differs, its cycle, link, fields."""
    done = kernel("--record", f"{tmp_path}/rec,gpu0.cu0", env=FAULTY)
    assert done.returncode == 0, done.stderr
    assert gantry("replay", tmp_path / "rec", env=FAULTY).returncode == 0
    fault = {**FAULTY, "GANTRY_FAULT": "12"}  # small negative constants
    part = gantry("replay", tmp_path / "rec", "--only", "gpu0.cu0", env=fault)
    assert part.returncode == 70, part.stderr
    assert re.fullmatch(r"gantry: replay: gpu0\.cu0: message \d+ differs: \w+ 0 at cycle \d+ \(recorded \w+ 0 at cycle \d+\)(, \w+(\[\d\])?=0x[0-9a-f]+ "
                        r"\(recorded 0x[0-9a-f]+\))*", lines(part)[0]), part.stderr
    whole = gantry("replay", tmp_path / "rec", env=fault)
    assert whole.returncode == 70 and len(lines(whole)) == 1, whole.stderr
    assert re.match(r"gantry: replay: gpu0\.dispatch -> host\.cp: cp_evt \d+ (differs: cycle \d+ \(recorded \d+\)|of cycle \d+, which was recorded, does)",
                    lines(whole)[0]), whole.stderr


@pytest.mark.shows("S4.7")
def test_killed(tmp_path):
    """kill -9 of a run: its recording replays as far as it goes, and says so."""
    words = [GANTRY, "kernel", "-c", "tiny", "-q", "--record", tmp_path / "rec", KERNELS / "bench_int.v4.co", "--grid", "2560", "--group", "256",
             "--arg", "zero:10240", "--arg", "u32:1000000"]
    live = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 600
    while time.monotonic() < end and not ((tmp_path / "rec/recording").exists() and (tmp_path / "rec/recording").stat().st_size > 3500):
        assert live.poll() is None, live.stderr.read()
        time.sleep(0.05)
    live.send_signal(signal.SIGKILL)
    live.wait()
    live.stderr.close()
    done = gantry("replay", tmp_path / "rec")
    assert done.returncode == 0 and lines(done) == ["gantry: the recording was cut off: replayed as far as it goes"], done.stderr
    assert int(figures(done)["instructions"]) > 1000 and figures(done)["kernels"] == "0"


@pytest.mark.shows("S4.7")
def test_cut_off_and_damaged(recorded, tmp_path):
    """A file that ends early is replayed to its last whole message; a byte that differs is noticed before anything runs."""
    text = (recorded[0] / "recording").read_bytes()
    copy = tmp_path / "copy"
    copy.mkdir()

    def replay(data):
        (copy / "recording").write_bytes(data)
        return gantry("replay", "-q", copy)
    cut = replay(text[:-1])
    assert cut.returncode == 0 and "cut off" in cut.stderr, cut.stderr
    assert figures(cut)["instructions"] == figures(recorded[1])["instructions"], cut.stderr  # only the end's mark is missing
    early = replay(text[:len(text) // 2])
    assert early.returncode == 0 and "cut off" in early.stderr and int(figures(early)["cycles"]) < int(figures(recorded[1])["cycles"]), early.stderr
    for at in [*range(0, len(text), len(text) // 11), len(text) - 1]:
        done = replay(text[:at] + bytes([text[at] ^ 4]) + text[at + 1:])
        assert done.returncode == 65 and len(done.stderr.splitlines()) == 1, (at, done.stderr)
        assert done.stderr.startswith(f"gantry: {copy}/recording: "), done.stderr


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("no right to mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.shows("S4.7")
@pytest.mark.may_skip("no right to mount")
def test_full_disk(small_disk):
    """The run goes on to its end with the right figures and says that its recording is lost; what is there is not taken for whole."""
    done = kernel("--record", f"{small_disk}/rec,gpu0.cu0,gpu0.noc")
    assert done.returncode == 74, done.stderr
    assert re.fullmatch(rf"gantry: {small_disk}/rec: the recording ends at cycle \d+: .*", lines(done)[0]) and len(lines(done)) == 1, done.stderr
    assert figures(done) == figures(kernel())
    again = gantry("replay", small_disk / "rec")
    assert again.returncode in (0, 65) and "cut off" in again.stderr, again.stderr


@pytest.mark.parametrize("words, status, said", [
    (["replay"], 64, "gantry: replay: no recording: gantry replay [options] DIR"),
    (["replay", "{none}"], 66, "gantry: {none}/recording: No such file or directory"),
    (["replay", "{file}"], 66, "gantry: {file}/recording: Not a directory"),
    (["replay", "{rec}", "more"], 64, "gantry: replay: unexpected argument more"),
    (["replay", "{rec}", "--set", "gpu.cu.count=2"], 64, "gantry: --set: 'gpu.cu.count=2' is the recording's: only keys place.* and metrics.kernels can be set"),
    (["replay", "{rec}", "--model", "golden"], 64, "gantry: replay: unknown option --model, which gantry run has"),
    (["replay", "{rec}", "--only", "gpu1"], 64, "gantry: --only: the recording keeps no messages of 'gpu1'; "
                                               "gantry replay --record DIR,PART makes one that does"),
    (["replay", "{rec}", "--only", "gpu0.noc"], 64, "gantry: --only: the recording keeps no messages of 'gpu0.noc'; "
                                                    "gantry replay --record DIR,PART makes one that does"),
    (["replay", "{rec}", "--record", "{rec}"], 64, "gantry: {rec}: exists already: a recording makes its folder"),
    (["replay", "{rec}", "--wave", "gpu7"], 64, "gantry: --wave: no part of the machine is called 'gpu7'"),
    (["run", "--record", "{rec}", "--", "true"], 64, "gantry: {rec}: exists already: a recording makes its folder"),
    (["run", "--record", "{none}/deep", "--", "true"], 74, "gantry: {none}/deep: No such file or directory"),
    (["run", "--record", "{none},gpu0.cu9", "--", "true"], 64, "gantry: --record: no part of the machine is called 'gpu0.cu9'"),
    (["run", "--record", "{none}", "--model", "golden", "--", "true"], 64,
     "gantry: --record: 'golden' keeps what enters the RTL: use --model rtl"),
])
def test_refused(recorded, tmp_path, words, status, said):
    """One line, and no folder is left."""
    (tmp_path / "file").write_text("")
    names = {"none": tmp_path / "none", "file": tmp_path / "file", "rec": recorded[0]}
    done = gantry(*(word.format(**names) for word in words))
    assert (done.returncode, done.stderr) == (status, said.format(**names) + "\n")
    assert not (tmp_path / "none").exists()


def test_other_machine_and_nothing(recorded, tmp_path):
    """A recording that never began; one that nobody has made."""
    (tmp_path / "recording").write_bytes((recorded[0] / "recording").read_bytes()[:32])
    done = gantry("replay", tmp_path)
    assert (done.returncode, done.stderr) == (65, f"gantry: {tmp_path}: the recording was cut off before its run began\n")
    shutil.copy(GANTRY, tmp_path / "recording")
    done = gantry("replay", tmp_path)
    assert (done.returncode, done.stderr) == (65, f"gantry: {tmp_path}/recording: is no recording\n")


def test_help():
    done = gantry("replay", "--help")
    assert done.returncode == 0 and "--only" in done.stdout and "place.gpus" in done.stdout and "--seed" not in done.stdout
    assert "--record DIR[,PART...]" in gantry("run", "--help").stdout
