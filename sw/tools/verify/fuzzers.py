#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzzers.py [--inputs N] [--short] [TARGET...]: the fuzzers of tests/fuzz, libFuzzer of clang 19 on the build of `make asan`.

First the inputs kept in tests/fuzz/regressions/TARGET, each of which was a fault once; then N inputs (seed 1) from the seeds of fuzz_seeds.py.
A finding is written to build/fuzz/TARGET, run once more for what it says, and shown.  A line for each target; ends with
`fuzz: N passed, N failed`, exit status 1 when one failed.  --short: what `make test` runs.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from verify import fuzz_seeds  # noqa: E402
from verify import sanitize  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORK = ROOT / "build/fuzz"
# What is freed is kept back for an input or more, not for thousands: memory that is used again is in the host's caches.
FEW = ":quarantine_size_mb=16:malloc_context_size=12"
HANG = 120  # seconds of libFuzzer; a fuzzer itself ends an input that took more than 2 s of CPU time (tests/fuzz/fuzz.h)


@dataclasses.dataclass(frozen=True)
class Target:
    """inputs, short: of a whole run, of `make test`; most: bytes of an input; source: of tests/fuzz; define: what is compiled in."""
    short: int
    most: int
    inputs: int = 1_000_000
    source: str = ""
    define: str = ""


TARGETS = {
    "object": Target(short=3000, most=16384),
    "config": Target(short=1000, most=1024),
    "kernel_args": Target(short=6000, most=1024),
    "requests": Target(short=300, most=16 * 32),
    "packets_golden": Target(short=500, most=64 * 25, source="packets", define="FUZZ_MODEL=SIM_GOLDEN"),
    "packets_rtl": Target(short=60, most=64 * 25, inputs=100_000, source="packets", define="FUZZ_MODEL=SIM_RTL"),  # a packet or more each
}


def compile_target(name, flags):
    """None or the compiler's text."""
    target = TARGETS[name]
    exe = WORK / name / "fuzz"
    more = [f"-D{target.define}"] if target.define else []
    return sanitize.compile_c("asan", flags, f"tests/fuzz/{target.source or name}.c", exe, "-fsanitize=fuzzer", *more)


def run(name, *words):
    """libFuzzer's exit status and what it wrote, in a folder of its own."""
    env = {**os.environ, **sanitize.ENV, "ASAN_OPTIONS": sanitize.ENV["ASAN_OPTIONS"] + FEW, "GANTRY_ROOT": str(ROOT), "LSAN_OPTIONS": "report_objects=1"}
    env.update(e.split("=", 1) for e in words if re.match(r"FUZZ_\w+=", str(e)))
    cmd = [WORK / name / "fuzz", f"-timeout={HANG}", "-rss_limit_mb=4096", "-malloc_limit_mb=200000", f"-artifact_prefix={WORK / name}/",
           *[w for w in words if not re.match(r"FUZZ_\w+=", str(w))]]
    (WORK / name / "files").mkdir(parents=True, exist_ok=True)
    done = subprocess.run(cmd, cwd=WORK / name / "files", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def replay(name, files):
    """Each of these inputs once; None or what the first one that fails says."""
    status, text = run(name, "FUZZ_VERBOSE=1", *files)
    return text[-8000:] if status else None


def regressions(name):
    folder = ROOT / "tests/fuzz/regressions" / (TARGETS[name].source or name)
    return sorted(folder.glob("*")) if folder.is_dir() else []


def campaign(name, inputs, flags):
    """(what is wrong or None, what was done)."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    wrong = compile_target(name, flags)
    if wrong:
        return f"does not build:\n{wrong}", ""
    kept = regressions(name)
    wrong = replay(name, kept) if kept else None
    if wrong:
        return f"an input of tests/fuzz/regressions fails again:\n{wrong}", ""
    for part in ("corpus", "seeds"):
        (folder / part).mkdir(parents=True)
    words = fuzz_seeds.write(TARGETS[name].source or name, folder / "seeds")
    more = []
    if words:
        (folder / "words").write_text("".join('"' + "".join(f"\\x{b:02x}" for b in w.encode()) + '"\n' for w in words))
        more = [f"-dict={folder / 'words'}"]
    status, text = run(name, f"-runs={inputs}", "-seed=1", f"-max_len={TARGETS[name].most}", "-close_fd_mask=1", "-print_final_stats=1",
                       "-print_funcs=0", *more,
                       folder / "corpus", folder / "seeds")
    done = re.search(r"number_of_executed_units: (\d+)", text)
    if status == 0 and done and int(done[1]) >= inputs:
        return None, f"{int(done[1]):,} inputs, {len(kept)} kept ones"
    found = sorted(p for p in folder.glob("*-*") if p.is_file())
    said = replay(name, found[:1]) if found else None
    return f"{text[-3000:]}\n{found[0] if found else 'no input kept'}:\n{said or 'passes when it is run alone'}", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("target", nargs="*", choices=[[], *TARGETS])
    args = parser.parse_args()
    names = args.target or list(TARGETS)
    wrong = sanitize.build("asan", args.short)
    if wrong:
        print(f"{wrong}\nfuzz: does not build\nfuzz: 0 passed, {len(names)} failed")
        return 1
    flags = sanitize.variables("asan")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        def timed(name):
            begin = time.monotonic()
            target = TARGETS[name]
            return name, *campaign(name, args.inputs or (target.short if args.short else target.inputs), flags), time.monotonic() - begin
        for name, wrong, what in ((n, w, f"{d} in {s:.0f} s") for n, w, d, s in pool.map(timed, names)):
            failed += wrong is not None
            print(f"{name}: " + (f"FAILED\n{wrong}" if wrong else f"passed ({what})"), flush=True)
    print(f"fuzz: {len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
