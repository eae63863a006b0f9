# SPDX-License-Identifier: Apache-2.0
"""For which processor models are compiled: `native`, this one (default), or what GANTRY_MARCH or the file build/march says
(a tree that was built to be moved: x86-64-v3, sw/tools/mk/install.mk).  Not responsible for: the command itself (Makefile, MARCH)."""
import functools
import hashlib
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]


@functools.cache
def march():
    """The argument of -march."""
    note = ROOT / "build/march"
    return os.environ.get("GANTRY_MARCH") or (note.read_text().strip() if note.exists() else "native")


@functools.cache
def name():
    """Part of a cache's key: code for `native` runs only where the model and its features are the same."""
    if march() != "native":
        return march()
    fields = dict(re.findall(r"^(model name|flags)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M))
    kind = re.sub(r"[^a-z0-9]+", "_", fields.get("model name", "unknown").lower()).strip("_")
    return f"{kind[:24]}_{hashlib.sha256(fields.get('flags', '').encode()).hexdigest()[:4]}"


def behind():
    """Words before a command that makes a processor busy for long and waits for nobody: with GANTRY_BUILD_NICE, which the tests set, it takes what
    programs leave that run beside it; those of several processes wait for each other at every message, and would wait for it as often."""
    level = os.environ.get("GANTRY_BUILD_NICE")
    return ["nice", "-n", level] if level else []
