# SPDX-License-Identifier: Apache-2.0
"""A client that wishes ill harms neither the simulator nor its neighbours: an ordinary program beside it
ends as alone.  Who does not belong to the run stays out."""
import errno
import os
import pathlib
import subprocess
import sys

import pytest
from live import ROOT, command, gantry_run

NOBODY = 65534


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    program = tmp_path_factory.mktemp("hostile") / "hostile"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wno-unused-result", "-Ihost", "-o", program, "tests/system/programs/hostile.c"],
                   cwd=ROOT, check=True)
    return program


def data(result):
    assert result.status == 0 and "vecadd: PASSED" in result.out, result
    return result.line["data"]


def beside(apps, neighbour, model="golden", options=()):
    return gantry_run(["/bin/sh", "-c", f"{neighbour} & {apps}/vecadd && {apps}/vecadd; status=$?; wait; exit $status"], model, options=options)


@pytest.mark.shows("S0.10", "S3.12")
@pytest.mark.parametrize("what", ["files", "asks 1", "edges", "crowd", "dies"])
def test_hostile_client(apps, hostile, what):
    result = beside(apps, f"{hostile} {what}")
    assert f"hostile {what.split()[0]}: done" in result.out, result
    assert data(result) == data(beside(apps, "true")), result


@pytest.mark.nightly
@pytest.mark.parametrize("what", ["files", "asks 3", "dies"])
def test_hostile_client_on_rtl(apps, hostile, what):
    result = beside(apps, f"{hostile} {what}", "rtl")
    assert f"hostile {what.split()[0]}: done" in result.out, result
    assert data(result) == data(beside(apps, "true", "rtl")), result


def test_flood(apps, hostile):
    """A client that asks without end never rests, and the clock waits for all to rest: but not for ever."""
    result = gantry_run(["/bin/sh", "-c", f"{hostile} flood & {apps}/vecadd; status=$?; kill $!; exit $status"],
                        options=["--set", "clock.patience=0.01"])
    assert data(result) == data(gantry_run([apps / "vecadd"])), result
    assert result.line["repeatable"] == "no", result


@pytest.mark.shows("S0.10")
def test_many_allocations_and_mistakes(hostile):
    """No request takes longer because the client owns much (65,536 allocations and frees took the driver 100 s and more), and its mistakes fill no log."""
    result = gantry_run([hostile, "many"])
    assert result.status == 0 and "65536 allocations" in result.out and "not freed" not in result.out, result
    assert float(result.line["cpu_s"]) < 15, result
    lines = result.err.splitlines()
    for told in ("mmap offset 0x", "ioctl 0xc0084b99"):
        assert sum(told in line for line in lines) == 11, result
        assert any(line.startswith("gantry: 2990 more lines were left out, like: ") and told in line for line in lines), result
    assert len(lines) < 30, result


ASK = """
import os, socket, struct, sys
os.setgroups([]), os.setresgid(*3 * [int(sys.argv[2])]), os.setresuid(*3 * [int(sys.argv[2])])
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
try:
    s.connect(sys.argv[1])
except OSError as e:
    sys.exit(e.errno)
try:
    s.send(struct.pack("IIiiQII160s", 2, 0, 0, 1, 0, 0, 0, b""))  # REQ_OPEN_KFD
except BrokenPipeError:  # turned away before
    pass
try:
    answer = s.recv(200)
except ConnectionResetError:  # told once, when it was turned away with the request unread
    answer = s.recv(200)
result, error = struct.unpack("iI", answer[:8])
sys.exit(100 + error if result == -2 else error)  # ANSWER_REFUSED of host/clients/protocol.h
"""


def ask(path, user):
    return subprocess.run([sys.executable, "-c", ASK, str(path), str(user)], cwd="/").returncode


@pytest.mark.shows("S0.10")
@pytest.mark.may_skip("needs root")
def test_strangers_stay_out(apps, tmp_path):
    """Another user, and a process of the same user that the run did not start."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    for folder in (tmp_path, *tmp_path.parents):  # the folders above are pytest's own
        if folder.owner() == "root" and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    run = subprocess.Popen(command(["/bin/sh", "-c", f"echo $GANTRY_ROOT; read x; exec {apps}/vecadd"]), cwd=ROOT, text=True, stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)})
    root = pathlib.Path(run.stdout.readline().strip())
    assert root.parent == tmp_path and root.stat().st_mode & 0o777 == 0o700
    assert ask(root / "socket", NOBODY) == errno.EACCES
    assert ask(root / "socket", 0) == 100 + errno.EACCES
    root.chmod(0o777), (root / "socket").chmod(0o777)
    assert ask(root / "socket", NOBODY) == 100 + errno.EACCES
    out, err = run.communicate("go\n", timeout=60)
    assert run.returncode == 0 and "vecadd: PASSED" in out, (out, err)
    assert f"of user {NOBODY} (2 so far)" in err and "which was not started by this run" in err, err
    alone = gantry_run([apps / "vecadd"])
    assert f" data={alone.line['data']} " in err, err
