#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sanitize.py asan|tsan [--short] [PATTERN...]: host, bridge and shim built by clang with sanitizers in build/asan or build/tsan, and what runs there:
C tests, `gantry kernel`, HIP programs under `gantry run`, SystemC programs of the tests, and clients that are C programs.  The shim lives in the program: in the C programs
it has the sanitizers of gantry, as they have; in HIP programs those of undefined behaviour alone, which trap (ROCr takes addresses that the
sanitizers need).
A line for each, with its report when there is one; ends with `asan: N passed, N failed`, exit status 1 when one failed.

PATTERN: only cases that have one in their name.  --short: what `make test` runs.
"""
import argparse
import concurrent.futures
import fcntl
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from check import check_floors  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT = 1800  # seconds a case
REPORT = re.compile(r"ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error:|Sanitizer:DEADLYSIGNAL|internal error")
# A shift into the sign, as linux/kfd_ioctl.h has one, is defined by the compilers.  fuzzer-no-link: the fuzzers (fuzzers.py) link the same objects.
FLAGS = {
    "asan": "-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=shift-base -fno-sanitize-recover=undefined"
            " -fsanitize-coverage-ignorelist=sw/tools/verify/fuzz_uncovered.txt",
    "tsan": "-fsanitize=thread",
}
ENV = {
    # The runtime of the client reserves a TiB of addresses; a test of descriptors or of memory that is full wants NULL, as without.
    "ASAN_OPTIONS": "protect_shadow_gap=0:allocator_may_return_null=1:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}
SHORT_C = {"asan": ["loader"], "tsan": ["lib"]}  # folders of the C tests in `make test`
QUICK_C = ["base", "saved", "loader", "vm", *(room.split("/")[1] for room in (*check_floors.FIRMWARE, *check_floors.DRIVER))]  # folders whose C tests take a second or two: what `make mutation` asks
# Of the shim: that of a C program with the same sanitizers, which has their run-time library, and that of any program.  TSan's opens and maps
# files before its threads can be told apart, by the shim's functions then: they cannot be instrumented.
SHIM = {"asan": "-fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=undefined"}
ANY_SHIM = {"asan": "-fsanitize=undefined -fno-sanitize=shift-base -fsanitize-trap=undefined", "tsan": ""}
DESCRIPTORS = ["duplicates", "arguments", "closes", "threads", "exec", "fork"]  # arguments of tests/system/programs/descriptors.c
HOSTILE = ["files", "asks 1", "edges", "crowd", "dies"]  # and of hostile.c
SHORT_APPS = ["peer"]
# What takes half of the build, and where what `make test` runs reads no bytes from outside: by day the objects of the ordinary build, without sanitizers.
PLAIN = [*check_floors.GCN3, "host/golden", "host/lockstep", *check_floors.MACHINE, "host/lib", "host/metrics", *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "bridge").iterdir()) if p.is_dir())]
SHORT_KERNELS = ["vecadd"]


def make(kind, *targets):
    """gcc has seen all warnings; clang knows fewer pragmas."""
    cmd = ["make", "-s", "-j2", f"B=build/{kind}", f"CC=clang-19 {FLAGS[kind]}", "EXTRA_CFLAGS=-O1 -gline-tables-only -fno-omit-frame-pointer -w -DGANTRY_SANITIZED", *targets]
    return subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def shim_build(kind, flags, sanitizers, folder):
    """The shim in folder/lib, gantry in folder/bin; None or the compiler's text."""
    for part in ("bin", "lib"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    if not (folder / "bin/gantry").exists() or not (folder / "bin/gantry").samefile(ROOT / f"build/{kind}/bin/gantry"):
        (folder / "bin/gantry").unlink(missing_ok=True)
        (folder / "bin/gantry").hardlink_to(ROOT / f"build/{kind}/bin/gantry")
    shim, sources = folder / "lib/libgantry_shim.so", [*sorted((ROOT / "sw/shim").glob("*.c")), *sorted((ROOT / "host/clients").glob("preload*.c"))]
    read = [*sources, *(ROOT / "sw/shim").glob("*.h"), *(ROOT / "host/driver").glob("*.h"), *(ROOT / "host/clients").glob("*.h"), pathlib.Path(__file__)]
    if shim.exists() and shim.stat().st_mtime > max(p.stat().st_mtime for p in read):
        return None
    cmd = ["clang-19", *shlex.split(sanitizers), *shlex.split(flags["CFLAGS"]), "-fPIC", "-shared", "-fvisibility=hidden", f"-Wl,-soname,{shim.name}", "-o", shim, *sources,
           "-ldl", "-lpthread"]
    done = subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout if done.returncode else None


def take_plain(kind, wanted):
    """Objects of PLAIN as the ordinary build has them, where there are none with sanitizers yet; or, where they are not wanted, without those that an
    earlier run has taken."""
    objects, note = ROOT / f"build/{kind}/obj", ROOT / f"build/{kind}/plain"
    taken = set(note.read_text().split()) if note.exists() else set()
    if not wanted:
        for name in taken:
            (objects / name).unlink(missing_ok=True)
        note.unlink(missing_ok=True)
        return
    for source in (p for place in PLAIN for p in sorted((ROOT / "build/obj" / place).glob("*.o"))):
        name = str(source.relative_to(ROOT / "build/obj"))
        to = objects / name
        if not to.exists() or (name in taken and to.stat().st_mtime < source.stat().st_mtime):
            to.parent.mkdir(parents=True, exist_ok=True)
            taken.add(name)
            note.write_text("\n".join(sorted(taken)))
            shutil.copy(source, to)


def build(kind, short=False):
    """libgantry.a, gantry beside a shim for any program, and for a C program in `client`.  Text of the error, or None.  short: PLAIN without sanitizers."""
    folder = ROOT / f"build/{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:  # tests that run beside each other want the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        take_plain(kind, short)
        done = make(kind, f"build/{kind}/bin/gantry")
        if done.returncode:
            return done.stdout
        flags = variables(kind)
        wrong = shim_build(kind, flags, ANY_SHIM[kind], folder)
        return wrong or (shim_build(kind, flags, SHIM[kind], folder / "client") if kind in SHIM else None)


def variables(kind):
    return dict(line.split("=", 1) for line in make(kind, "print-flags").stdout.splitlines() if "=" in line)


def compile_c(kind, flags, source, out, *more):
    """Link one C file with the library; None or the compiler's text."""
    out.parent.mkdir(parents=True, exist_ok=True)
    cmd = [*shlex.split(flags["CC"]), "-fuse-ld=lld", *shlex.split(flags["CFLAGS"]), "-rdynamic", "-o", out, source, f"build/{kind}/lib/libgantry.a",
           *more, *shlex.split(flags["LDLIBS"])]
    done = subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout if done.returncode else None


def judged(cmd, wanted=(0,), env=None):
    """Run to its end: None when its exit status is wanted and no sanitizer has spoken, else what it wrote."""
    try:
        done = subprocess.run(cmd, cwd=ROOT, env={**os.environ, **ENV, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {LIMIT} s"
    if done.returncode in wanted and not REPORT.search(done.stdout):
        return None
    return f"exit status {done.returncode}\n{done.stdout[-6000:]}"


def c_test(kind, flags, source):
    exe = ROOT / f"build/{kind}" / pathlib.Path(source).with_suffix("")
    libs = re.findall(r"^ \* libs: (.+)$", (ROOT / source).read_text()[:3000], re.M)
    wrong = compile_c(kind, flags, source, exe, "-lcmocka", *shlex.split(" ".join(libs)))
    return wrong or judged([exe])


def program(kind, path, *options, wanted=(0,)):
    """A HIP program on the golden model."""
    done = subprocess.run(["make", "-s", path], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        return done.stdout
    return judged([f"build/{kind}/bin/gantry", "run", "-c", "tiny", "-q", "--set", "system.gpus=2", *options, "--", path], wanted)


def client_compile(kind, flags, source, exe):
    """A C program for the shim of `client`; None or the compiler's text."""
    cmd = ["clang-19", *shlex.split(SHIM[kind]), *shlex.split(flags["CFLAGS"]), "-Ihost/drm", "-o", exe, source, "-lpthread",
           "-Wl,--no-as-needed", "-lhsa-runtime64"]  # with which the time-stamp counter traps
    done = subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout if done.returncode else None


def client_run(kind, exe, *words):
    return judged([f"build/{kind}/client/bin/gantry", "run", "-c", "tiny", "-q", "--set", "system.gpus=2", "--model", "golden", "--", exe, *words],
                  env={"ASAN_OPTIONS": ENV["ASAN_OPTIONS"] + ":symbolize=0"})  # the symbolizer would have the shim, too


def client(kind, flags, name, *words):
    """A program of tests/system/programs that is C: it and its shim have the sanitizers, too."""
    exe = ROOT / f"build/{kind}/client/{name}-{words[0]}"  # cases run at the same time
    return client_compile(kind, flags, f"tests/system/programs/{name}.c", exe) or client_run(kind, exe, *words)


def kernel(kind, name, *options):
    """A code object under `gantry kernel`; it faults where it takes the sizes for something else, and ends all the same (76)."""
    file = f"build/kernels/{name}.v4.co"
    done = subprocess.run(["make", "-s", file], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        return done.stdout
    return judged([f"build/{kind}/bin/gantry", "kernel", "-c", "tiny", "-q", *options, file, "--grid", "4096", "--group", "256",
                   "--arg", "out:16384:/dev/null", "--arg", "zero:16384", "--arg", "zero:16384"])


# What looks at the threads of a process: ThreadSanitizer has one of its own in each, which sleeps.
LEFT_OUT = {"asan": (), "tsan": ("tests/host/clock/test_at_rest.c",)}


def cases(kind, flags, short):
    """(name, function) of everything that runs."""
    from verify import sanitize_tlm  # which asks this one how to build
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.c")):
        source = str(path.relative_to(ROOT))
        if source in LEFT_OUT[kind]:
            continue
        if not short or (path.parent.name in SHORT_C[kind] and not path.stem.endswith("_rtl")):
            found.append((source, lambda s=source: c_test(kind, flags, s)))
    models = [("golden", ["--model", "golden"])] if kind == "asan" else [("golden", ["--model", "golden", "--threads", "3"])]
    models += [] if short else [("rtl", ["--model", "rtl", "--threads", "3"])]
    apps = SHORT_APPS if short else sorted(p.stem for folder in ("sw/apps", "sw/apps/families") for p in (ROOT / folder).glob("*.hip"))
    for app in apps:
        for label, options in models[:1]:
            found.append((f"{app} {label}", lambda a=app, o=options: program(kind, f"build/apps/{a}", *o)))
    if kind in SHIM:
        found += [(f"client {what}", lambda w=what: client(kind, flags, "descriptors", w)) for what in DESCRIPTORS]
        found += [(f"hostile {what}", lambda w=what: client(kind, flags, "hostile", *w.split())) for what in HOSTILE if not short]
    if kind == "asan" and not short:
        found += sanitize_tlm.cases(kind)
    for name in SHORT_KERNELS:
        for label, options in models:
            found.append((f"kernel {name} {label}", lambda n=name, o=options: kernel(kind, n, *o)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=FLAGS)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("pattern", nargs="*")
    args = parser.parse_args()
    wrong = build(args.kind, args.short)
    if wrong:
        print(f"{wrong}\n{args.kind}: does not build\n{args.kind}: 0 passed, 1 failed")
        return 1
    found = [(n, f) for n, f in cases(args.kind, variables(args.kind), args.short) if not args.pattern or any(p in n for p in args.pattern)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        def timed(case):
            begin = time.monotonic()
            return case[0], case[1](), time.monotonic() - begin
        for name, text, seconds in pool.map(timed, found):
            failed += text is not None
            print(f"{name}: {'passed' if text is None else 'FAILED'} ({seconds:.0f} s)" + (f"\n{text}" if text else ""), flush=True)
    print(f"{args.kind}: {len(found) - failed} passed, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
