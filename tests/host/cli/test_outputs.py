# SPDX-License-Identifier: Apache-2.0
"""Files that gantry writes: what cannot be had or written is one line and the same exit status for every command, old results stay until new
ones are whole, links are not followed."""
import json
import os
import pathlib
import resource
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"
VECADD = ["build/kernels/vecadd.v4.co", "--grid", "64", "--group", "64", "--arg", "zero:256", "--arg", "zero:256", "--arg", "zero:256"]
RESULTS = ("run.json", "metrics.sqlite", "kernels.csv", "log.txt")


@pytest.fixture(scope="module", autouse=True)
def code():
    subprocess.run(["make", "-s", VECADD[0]], cwd=ROOT, check=True)


def gantry(*args, **kw):
    done = subprocess.run([GANTRY, *map(str, args)], cwd=ROOT, capture_output=True, text=True, timeout=100, **kw)
    return done.returncode, done.stderr


def kernel(*options, **kw):
    return gantry("kernel", "-c", "tiny", "--model", "golden", "-q", *VECADD, *options, **kw)


def program(*options, words=("/bin/true",), **kw):
    return gantry("run", "-c", "tiny", "--model", "golden", "-q", *options, "--", *words, **kw)


@pytest.mark.parametrize("kind, amount, cause", [(resource.RLIMIT_FSIZE, 100 << 10, "File too large: ulimit -f, which holds for shared memory, too"),
                                                 (resource.RLIMIT_AS, 3 << 30, "Cannot allocate memory")])
@pytest.mark.parametrize("start", [kernel, program])
def test_memory_of_the_machine(start, kind, amount, cause):
    """Also under a limit on the size of files, whose signal ended gantry without a word."""
    assert start(preexec_fn=lambda: resource.setrlimit(kind, (amount, amount))) == (74, f"gantry: memory of the machine: {cause}\n")


def test_limit_on_files_in_the_middle_of_a_run(tmp_path):
    """A file that gets too large is lost like on a full disk: a line, exit status 74, what was there before is whole."""
    assert program("-o", tmp_path)[0] == 0
    before = {name: (tmp_path / name).read_bytes() for name in RESULTS}
    run = subprocess.Popen([GANTRY, "run", "-c", "tiny", "--model", "golden", "-q", "-o", tmp_path, "--", "/bin/sh", "-c", "echo ready; read line"], cwd=ROOT, text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout.readline() == "ready\n"
    resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (1000, 1000))
    err = run.communicate("go on\n", timeout=60)[1]
    assert run.returncode == 74 and f"gantry: {tmp_path}/metrics.sqlite: " in err, err
    assert {name: (tmp_path / name).read_bytes() for name in RESULTS[:3]} == {name: before[name] for name in RESULTS[:3]}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(RESULTS)


def test_the_program_has_its_own_signals(tmp_path):
    """SIGPIPE and SIGXFSZ, which gantry ignores, are as they were."""
    status, _ = program(words=("/bin/sh", "-c", f"grep SigIgn /proc/self/status > {tmp_path}/signals"))
    ignored = int((tmp_path / "signals").read_text().split()[1], 16)
    assert status == 0 and not ignored & (1 << (signal.SIGXFSZ - 1) | 1 << (signal.SIGPIPE - 1))


@pytest.mark.parametrize("start, wrong, status", [
    (kernel, ["--gpu", "7"], 64), (kernel, ["--arg", "zero:4"], 64), (kernel, ["--set", "gpu.cu.count=0"], 65), (program, ["--record", "/proc/x", "--model", "rtl"], 74),
    (program, ["--frob"], 64), (program, ["-c", "nothing"], 66)])
def test_failed_start_leaves_old_results(tmp_path, start, wrong, status):
    assert start("-o", tmp_path)[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(before) == sorted(RESULTS)
    assert start("-o", tmp_path, *wrong)[0] == status
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert start("-o", tmp_path / "new", *wrong)[0] == status and not (tmp_path / "new").exists()


def test_program_that_cannot_start_leaves_old_results(tmp_path):
    assert program("-o", tmp_path)[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert program("-o", tmp_path, words=("/no/such/program",))[0] == 66
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_links_are_replaced(tmp_path):
    """Where a result was a link to another file, that file stays as it is."""
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_text("mine")
    folder.mkdir()
    for name in RESULTS:
        (folder / name).symlink_to(victim)
    assert kernel("-o", folder)[0] == 0
    assert victim.read_text() == "mine" and all(not (folder / name).is_symlink() for name in RESULTS)
    assert json.loads((folder / "run.json").read_text())["kernels"] == 1
    (tmp_path / "link").symlink_to(folder)  # the folder itself may be one
    assert kernel("-o", tmp_path / "link")[0] == 0 and (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", RESULTS)
def test_folder_in_the_place_of_a_result(tmp_path, name):
    (tmp_path / name).mkdir()
    assert kernel("-o", tmp_path) == (74, f"gantry: {tmp_path}/{name}: Is a directory\n")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_no_folder(tmp_path):
    """A file where the folder should be, a folder that cannot be made: the same for each command."""
    (tmp_path / "file").write_text("mine")
    for start in kernel, program:
        assert start("-o", tmp_path / "file") == (74, f"gantry: {tmp_path}/file: Not a directory\n")
        assert start("-o", "/proc/x") == (74, "gantry: /proc/x: No such file or directory\n")
    assert (tmp_path / "file").read_text() == "mine"


def test_run_json_of_any_bytes(tmp_path):
    """An argument that is no UTF-8, or moves the cursor: the file is JSON in UTF-8 without control characters, and tells the bytes."""
    words = [b"/bin/true", b"\xff\xfe \xc3(", b"\x1b[2J\r\n\x7f", "\u00e4\u20ac\U0001f600 \u202e\x9b".encode(), b'"\\']
    done = subprocess.run([bytes(GANTRY), b"run", b"-c", b"tiny", b"--model", b"golden", b"-q", b"-o", bytes(tmp_path), b"--", *words], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "run.json").read_bytes().decode()
    assert all(c.isprintable() or c == "\n" for c in text)
    assert [os.fsencode(word) for word in json.loads(text)["command"][-len(words):]] == words
