# SPDX-License-Identifier: Apache-2.0
"""A precompiled header of Verilator's runtime and of the C++ library, one for each set of flags: what every model and bench includes takes a
compiler half a second, more than most files of a model take.  A model's own precompiled header stands on it.

take() leaves it beside the runtime's objects (verilate.py) under a name that the tree's own place is part of, since it names its sources by their
paths.  clang refuses one whose sources have changed since, and says so in the log: stale().  Not responsible for: gcc, which has no chains of such headers.
"""
import fcntl
import hashlib
import subprocess

NAME = "runtime.h"
SAVE = "verilated_save.h"
HEADERS = ["verilated.h", "algorithm", "array", "cstdio", "cstdlib", "cstring", "deque", "map", "memory", "random", "set", "string", "vector"]
USED = "-fpch-instantiate-templates"  # else each user of a header makes its templates anew


def text(headers):
    return "// SPDX-License-Identifier: Apache-2.0\n" + "".join(f"#include <{name}>\n" for name in headers)


def folder(objects, root):
    return objects.with_name(f"{objects.name}.header-{hashlib.sha256(str(root).encode()).hexdigest()[:6]}")


def take(make, place, savable, log, env):
    """The words that make a compiler of C++ use it; none where it can not be built or written."""
    header = place / NAME
    built, done = place / f"{NAME}.fast.gch", place / f"{NAME}.done"
    try:
        place.mkdir(parents=True, exist_ok=True)
        with open(place / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                built.unlink(missing_ok=True)
                header.write_text(text([*HEADERS, *[SAVE] * savable]))
                if subprocess.run([*make, str(built)], stdout=log, stderr=subprocess.STDOUT, env=env).returncode:
                    return ""
                done.touch()
    except OSError:  # the tree is not ours to write
        return ""
    return f" -include-pch {built} {USED}"


def stale(log):
    """Whether a build failed for a header whose sources are not those of its time."""
    said = log.read_text(errors="replace")
    return any(name in said for name in ("precompiled header", "precompiled file", "PCH file", "AST file"))


def drop(place, out):
    """Remove it and what stands on it."""
    for file in [place / f"{NAME}.done", *out.glob("*.gch")]:
        file.unlink(missing_ok=True)
