# SPDX-License-Identifier: Apache-2.0
"""SystemC programs of the tests: built against libgantry_tlm and run, without SystemC's own first lines."""
import fcntl
import functools
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/tests"
FLAGS = ["-std=gnu++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", f"-I{ROOT}/host", f"-I{ROOT}/bridge", f"-I{ROOT}/build/gen"]
LIBRARY = ROOT / "build/lib/libgantry_tlm.so"


@functools.cache
def library():
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "systemc.lock", "w") as lock:  # tests that run beside each other want the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["make", "-s", "systemc-files"], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]


@functools.cache
def program(name):
    """Program "host/tlm/kernel" of tests/host/tlm/kernel.cpp, built when a header, its source or the library is newer."""
    library()
    out, source = BUILD / name, ROOT / f"tests/{name}.cpp"
    out.parent.mkdir(parents=True, exist_ok=True)
    inputs = [source, *source.parent.glob("*.hpp"), *ROOT.glob("*/tlm/*.hpp"), LIBRARY]
    if not out.exists() or out.stat().st_mtime < max(path.stat().st_mtime for path in inputs):
        done = subprocess.run(["g++", *FLAGS, "-o", out, source, f"-L{LIBRARY.parent}", f"-Wl,-rpath,{LIBRARY.parent}", "-lgantry_tlm", "-lsystemc"],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
    return out


def run(name, *words, limit=600, **environment):
    """Status, standard output, standard error."""
    env = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", **environment}
    done = subprocess.run([program(name), *map(str, words)], cwd=ROOT, env=env, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    chatter = re.compile(r"\s*(SystemC .*?RESERVED\s*|Info: /OSCI/SystemC: Simulation stopped by user.\n)", re.S)
    return done.returncode, chatter.sub("", done.stdout), chatter.sub("", done.stderr)
