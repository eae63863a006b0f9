# SPDX-License-Identifier: Apache-2.0
"""sw/tools/verify/bare.py: both commands of the README on a bare machine with each release of Debian (nightly); what is missing is said in one line,
and nothing that it mounted or started is there behind it, however it ends."""
import os
import pathlib
import signal
import subprocess
import sys
import time

from verify import bare
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABSENT = "bare machines need root and debootstrap"
PART = ["tests/harness/test_bootstrap.sh", "tests/system/test_ladder.py", "tests/system/test_cycles.py"]


def ends(monkeypatch, capsys, *words):
    """Exit status and what it says."""
    monkeypatch.setattr(sys, "argv", ["bare.py", *words])
    kept = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        return bare.main(), capsys.readouterr().err
    finally:
        for number, action in kept.items():
            signal.signal(number, action)


def test_what_is_missing_is_one_line(monkeypatch, capsys):
    for words in ([], ["13"], ["13", "nobody"], ["thirteen", "root"]):
        assert ends(monkeypatch, capsys, *words) == (64, "bare: usage: bare.py RELEASE root|user [TEST...]\n")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert ends(monkeypatch, capsys, "13", "root") == (69, "bare: a machine is a chroot: run this as root\n")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(bare.shutil, "which", lambda tool: None if tool == "debootstrap" else f"/bin/{tool}")
    assert ends(monkeypatch, capsys, "13", "root") == (69, "bare: debootstrap is missing: apt-get install debootstrap util-linux\n")


@pytest.mark.may_skip(ABSENT)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays(tmp_path, number):
    """Ctrl-C, an end by others, and one that it does not see."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip(ABSENT)  # within a chroot, which is no place of a mount, there are no name spaces of mounts either
    folder, log, mark = tmp_path / "mounted", tmp_path / "log", f"{os.getpid()}{int(number)}"
    folder.mkdir()
    script = f"mount --make-rprivate /; mount -t tmpfs none {folder}; grep -c {folder} /proc/mounts; setsid sleep 9{mark} & sleep 8{mark}"
    text = f"import sys; sys.path.insert(0, 'sw/tools'); from verify import bare; bare.catch(); bare.apart({script!r}, {str(log)!r})"
    program = subprocess.Popen([sys.executable, "-c", text], cwd=ROOT)

    def sleepers():
        listed = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True).stdout.splitlines()
        return sum(line.strip() in (f"sleep 8{mark}", f"sleep 9{mark}") for line in listed)

    def until(what):
        limit = time.monotonic() + 60
        while not what() and time.monotonic() < limit:
            time.sleep(0.05)
        return what()

    assert until(lambda: log.exists() and log.read_text() == "1\n" and sleepers() == 2), "mounted there"
    assert str(folder) not in pathlib.Path("/proc/mounts").read_text(), "and nowhere else"
    program.send_signal(number)
    assert program.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
    assert until(lambda: sleepers() == 0)


@pytest.mark.nightly
@pytest.mark.may_skip(ABSENT)
@pytest.mark.parametrize("who", ["root", "user"])
@pytest.mark.parametrize("name", ["12", "13"])
def test_both_commands(name, who):
    """The user's machine has the demo alone."""
    done = subprocess.run([sys.executable, ROOT / "sw/tools/verify/bare.py", name, who, *(PART if who == "root" else [])], capture_output=True, text=True)
    if done.returncode == 69:
        pytest.skip(f"{ABSENT}: {done.stderr.strip()}")
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith(f"bare: Debian {name}, {who}: demo passed"), done
    assert who == "user" or ", 0 failed" in done.stdout, done
