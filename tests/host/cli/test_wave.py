# SPDX-License-Identifier: Apache-2.0
"""--wave SCOPE@FROM:TO, of a kernel and of a program: an FST file of that part whose blocks are whole and whose times lie in the window; what the run
computes is the same with and without; wrong scopes are refused before anything is built.  The progress line on a
terminal, with the time to --max-cycles.  (GTKWave's fst2vcd reads the files; it is not needed here.)"""
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess

import pytest
from builder import release

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
HASH = "build/kernels/hash.v4.co"
LAUNCH = [HASH, "--grid", "1024", "--group", "64", "--arg", "zero:4096", "--arg", "zero:4096"]
HEADER, HIERARCHY, VALUES = 0, (4, 6, 7), (1, 5, 8)


@pytest.fixture(scope="module", autouse=True)
def code():
    subprocess.run(["make", "-s", HASH], cwd=ROOT, check=True)


def kernel(*options, status=0):
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", "-q", *options, *LAUNCH], cwd=ROOT, capture_output=True, text=True, timeout=800)
    assert done.returncode == status, done.stderr
    return done.stderr


def final(text):
    line = text.splitlines()[-1]
    return re.findall(r"\b(?:cycles|instructions|hash|data|counters|now)=\S+", line)


def blocks(path):
    """(kind, contents) of every block; the file must end with the last one."""
    data, at, out = path.read_bytes(), 0, []
    while at < len(data):
        kind, length = struct.unpack_from(">BQ", data, at)
        out.append((kind, data[at + 9:at + 1 + length]))
        at += 1 + length
    assert at == len(data), path
    return out


def window(folder, part, first, last, module, port, still=False):
    """The one file is of that part, and of those cycles only; still: nothing moves in them."""
    assert [p.name for p in folder.glob("*.fst")] == [f"{part}.fst"]
    found = blocks(folder / f"{part}.fst")
    kinds = [kind for kind, _ in found]
    assert kinds[0] == HEADER and any(k in HIERARCHY for k in kinds) and any(k in VALUES for k in kinds)
    start, end = struct.unpack_from(">QQ", found[0][1])
    assert start == 2 * first and (start == end if still else start < end <= 2 * last + 1)  # two times a cycle: the clock's edges
    names = next(data for kind, data in found if kind in HIERARCHY)
    assert module in names and port in names


@pytest.mark.parametrize("part, module, port", [("gpu0.sqc0", b"part_sqc", b"ifetch_req"),
                                                pytest.param("gpu0.cu0", b"part_cu", b"ifetch_req", marks=pytest.mark.nightly)])
def test_window_of_one_part(tmp_path, part, module, port):
    plain, traced = kernel(), kernel("--wave", f"{part}@4600:5000", "-o", tmp_path)
    assert final(traced) == final(plain)
    window(tmp_path, part, 4600, 5000, module, port)


def test_link_in_the_place_of_a_wave(tmp_path):
    """It is replaced; the file that it leads to stays as it is."""
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_text("mine")
    folder.mkdir()
    (folder / "gpu0.sqc0.fst").symlink_to(victim)
    kernel("--wave", "gpu0.sqc0@4600:5000", "-o", folder)
    assert victim.read_text() == "mine" and not (folder / "gpu0.sqc0.fst").is_symlink()
    window(folder, "gpu0.sqc0", 4600, 5000, b"part_sqc", b"ifetch_req")


def test_window_in_which_nothing_happens(tmp_path):
    """One before the first message, one behind the last cycle: what the part was then, in a whole file."""
    for first, last in ((100, 200), (10**9, 10**9 + 100)):
        folder = tmp_path / str(first)
        kernel("--wave", f"gpu0.sqc0@{first}:{last}", "-o", folder)
        window(folder, "gpu0.sqc0", first, last, b"part_sqc", b"ifetch_req", still=True)


def test_wave_of_a_program(tmp_path):
    """A whole HIP program: same result, same cycles."""
    subprocess.run(["make", "-s", "build/apps/vecadd"], cwd=ROOT, check=True)

    def run(*options):
        done = subprocess.run([GANTRY, "run", "-c", "tiny", "-q", *options, "--", "build/apps/vecadd"], cwd=ROOT, capture_output=True, text=True,
                              timeout=800)
        assert done.returncode == 0 and "PASSED" in done.stdout, done.stderr
        return done.stderr
    plain, traced = run(), run("--wave", "gpu0.sqc0@3000:20000", "-o", tmp_path)
    assert final(traced) == final(plain)
    window(tmp_path, "gpu0.sqc0", 3000, 20000, b"part_sqc", b"ifetch_req")


@pytest.mark.parametrize("scope, cause", [("gpu1", "no part of the machine is called 'gpu1'"), ("gpu0.cu", "no part of the machine"),
                                          ("gpu0.sqc0@9:3", "is not SCOPE[@FROM:TO]"), ("gpu0.sqc0@a:b", "is not SCOPE[@FROM:TO]")])
def test_wrong_scope(scope, cause):
    err = kernel("--wave", scope, status=64)
    assert err.count("\n") == 1 and err.startswith("gantry: --wave: ") and cause in err


def test_golden_model_has_none():
    assert kernel("--wave", "gpu0.cu0", "--model", "golden", status=64) == "gantry: --wave: the golden model has no signals\n"


def test_progress_line_on_a_terminal():
    """Cycle, instructions, rate, kernels, the one that runs with its work-groups, and the time to --max-cycles, drawn over itself and wiped at
    the end."""
    code = ROOT / "build/tests/host/cli/wait.co"
    code.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=4",
                    release.bitcode(), "-o", code, ROOT / "sw/kernels/bench_sleep.cl"], check=True)
    ours, theirs = pty.openpty()
    run = subprocess.Popen([GANTRY, "kernel", "-c", "tiny", "--max-cycles", "1000000000000", code, "--grid", "64", "--group", "64", "--arg",
                            "zero:256", "--arg", "u32:4000000000"], cwd=ROOT, stderr=theirs)
    os.close(theirs)
    text, drawn, asked = b"", [], False
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
        drawn = re.findall(rb"\rcycle (\d+), \d+ instructions, [0-9.]+ M/s, 0 kernels done, \w+ 0 of 1 work-groups, ETA \d+ s\x1b\[K", text)
        if len(drawn) >= 2 and not asked:  # however fast the host is
            asked = True
            run.send_signal(signal.SIGINT)
    os.close(ours)
    assert run.wait(timeout=10) == 128 + signal.SIGINT
    assert [int(c) for c in drawn] == sorted({int(c) for c in drawn}), text
    assert b"\r\x1b[Kgantry: ended by signal 2" in text, text[-400:]
