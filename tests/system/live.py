# SPDX-License-Identifier: Apache-2.0
"""Whole programs under `gantry run`: how they are built, started and judged.  GANTRY_MODELS names the models."""
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GANTRY = ROOT / "build/bin/gantry"
APPS = ROOT / "build/apps"
MODELS = os.environ.get("GANTRY_MODELS", "golden").split()
LIMIT = 300


class Result:
    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds
        line = next((l for l in reversed(err.splitlines()) if l.startswith("gantry: gpus=")), "")
        self.line = dict(re.findall(r"(\w+)=(\S+)", line))

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-5000:]}"


def command(program, model="golden", gpus=2, options=()):
    cfg = ["-c", "configs/demo.yaml", "--set", f"system.gpus={gpus}"]
    return [str(GANTRY), "run", *cfg, "--model", model, *options, "--", *map(str, program)]


def gantry_run(program, model="golden", gpus=2, options=(), env=None):
    begin = time.monotonic()
    done = subprocess.run(command(program, model, gpus, options), cwd=ROOT, env={**os.environ, **(env or {})}, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, errors="replace")
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)


def leftovers():
    """What an earlier run may have left in the system: folders, sockets, processes."""
    import glob
    import tempfile
    found = glob.glob(os.path.join(tempfile.gettempdir(), "gantry-*"))
    found = [f for f in found if not re.search(r"gantry-\w+\.", f)]
    found += [l.split()[-1] for l in open("/proc/net/unix") if "@gantry-" in l]
    return found
