#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build a Verilator model in the house style, cached by content.

verilate.py --top MODULE --out DIR [--exe TB.cpp ...] [--arg VERILATOR_ARG] [--cc gcc] SOURCE.sv ...
  Without --exe: DIR/libV<top>.a and its headers (class V<top>).  With --exe: the executable DIR/V<top>.
  The key is the content of every source, the arguments and the tool version: an unchanged call takes no time.
  --base DIR: a build of nearly the same text (without a seeded fault): only what differs is compiled, if it is there.
  --json-only: only DIR/V<top>.tree.json, for sw/tools/check/check_blocking.py.
  --coverage: count lines, branches and toggles (verilate_coverage.py).
Switches follow the measurements in docs/performance.md: --no-std-package, --unroll-stmts 1, clang -O3.
"""
import argparse
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from builder import processor  # noqa: E402
from builder import rtl_sources  # noqa: E402
from builder import verilate_coverage  # noqa: E402
from builder import verilate_header  # noqa: E402
from builder import verilate_same  # noqa: E402
from builder import verilate_save  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERILATOR_ROOT = next(ROOT.glob("build/venv/lib/python3.*/site-packages/verilator"), ROOT / "build/venv")  # 3.11 or 3.13, as the release of Debian
SMALL = 8192  # bytes of a source that is compiled together with others of its size
COMMON = ["--no-std-package", "-fno-dedup", "--unroll-stmts", "1", "-Wall", "-Wno-PINCONNECTEMPTY", "-Wno-UNUSEDPARAM", "--x-assign", "fast", "--x-initial", "fast"]


def include_files(args):
    """Headers that the test bench includes, from wherever in the tree, and those that they include count for the key."""
    found, left = {}, [pathlib.Path(p).resolve() for p in args.exe]
    while left:
        file = left.pop()
        for name in re.findall(r'^\s*#\s*include "([^"]+)"', file.read_text(), re.M):
            places = [(base / name).resolve() for base in (file.parent, ROOT, ROOT / "host", ROOT / "build/gen")]
            header = next((p for p in places if p.is_file()), None)  # else of Verilator or of what it writes
            if header and header not in found:
                found[header] = True
                left.append(header)
    return sorted(found) + [pathlib.Path(p) for p in args.dep]


def digest(args):
    h = hashlib.sha256()
    h.update(processor.name().encode())
    h.update(repr((args.top, args.arg, args.cc, args.json_only, args.trace, args.opt, args.std_x)).encode())
    if args.coverage:
        h.update(b"coverage" + b"".join(p.read_bytes() for p in verilate_coverage.READ))
    if "--savable" in args.arg:
        h.update(b"".join(p.read_bytes() for p in verilate_save.READ))
    for path in [pathlib.Path(__file__), *verilate_same.READ, *map(pathlib.Path, args.sources), *map(pathlib.Path, args.exe), *include_files(args),
                 *rtl_sources.headers()]:
        h.update(str(path.name).encode() + b"\0" + path.read_bytes())
    h.update((VERILATOR_ROOT / "bin/verilator").read_bytes()[:0])
    return h.hexdigest()


def runtime_cache(key):
    """Folder of the objects of Verilator's own runtime for these flags: the same for every model."""
    words = [processor.name(), *(str(k).replace(str(ROOT), "") for k in key)]
    return ROOT / "build/obj/verilated" / hashlib.sha256(repr(words).encode()).hexdigest()[:12]


def runtime_take(shared, out):
    for obj in shared.glob("*.o"):
        shutil.copy(obj, out / obj.name)  # newer than its source: make takes it as it is


def runtime_keep(shared, out):
    if not shared.exists():
        fresh = shared.with_name(f"{shared.name}.{os.getpid()}")
        try:
            fresh.mkdir(parents=True)
            for obj in out.glob("verilated*.o"):
                shutil.copy(obj, fresh / obj.name)
            fresh.rename(shared)
        except OSError:  # another build was first, or the tree is not ours to write: the next build compiles them again
            shutil.rmtree(fresh, ignore_errors=True)


def header_compile(make, header, beside, log, env):
    """The precompiled header of the fast files serves the slow ones, too: they differ in the level of optimization only.  What does not
    use it is compiled beside it."""
    fast, slow = (header.with_name(f"{header.name}.{kind}.gch") for kind in ("fast", "slow"))
    ok = not header.exists() or subprocess.run([*make, fast.name, *beside], stdout=log, stderr=subprocess.STDOUT, env=env).returncode == 0
    if ok and fast.exists():
        slow.unlink(missing_ok=True)
        os.link(fast, slow)
    return ok


def reuse(base, out):
    """Objects of the base; C++ that is equal takes the base's time and the rest that of now, so that make compiles the rest only."""
    if not base.exists():
        return
    with open(base / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        if not (base / ".key").exists():
            return
        for file in base.iterdir():
            if file.suffix in (".o", ".d", ".gch") and not file.name.endswith(".slow.gch"):
                shutil.copy2(file, out / file.name)
        for mine in [p for p in out.iterdir() if p.suffix in (".cpp", ".h")]:
            file = base / mine.name
            if file.exists() and mine.read_bytes() == file.read_bytes():
                shutil.copystat(file, mine)
            else:  # the base may have been compiled after this was written
                os.utime(mine)
    for rule in list(out.glob("*.d")):  # small files may have been joined otherwise: make knows no rule for one that is not here
        if any(word.endswith((".cpp", ".h")) and "/" not in word and not (out / word).exists() for word in rule.read_text().split()):
            rule.unlink()
            rule.with_suffix(".o").unlink(missing_ok=True)


def join_small(out, prefix):
    """One file of the short sources that are compiled for size (a dozen where there are packages): each would take half a second for
    what all of them include."""
    makefile = out / f"{prefix}_classes.mk"
    small = [p for p in sorted(out.glob(f"{prefix}*__Slow.cpp")) if p.stat().st_size < SMALL]
    lines = makefile.read_text().splitlines(keepends=True)
    entries = {f"  {p.stem} \\\n" for p in small}
    first = next((i for i, line in enumerate(lines) if line in entries), None)
    if first is None or len(small) < 2:
        return
    (out / f"{prefix}__small__Slow.cpp").write_text("".join(p.read_text() for p in small))
    makefile.write_text("".join(f"  {prefix}__small__Slow \\\n" if i == first else line for i, line in enumerate(lines) if i == first or line not in entries))
    for p in small:
        p.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--exe", action="append", default=[])
    parser.add_argument("--dep", action="append", default=[], help="further file that counts for the key")
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--cflag", action="append", default=[])
    parser.add_argument("--ldflag", action="append", default=[])
    parser.add_argument("--cc", default="clang", choices=["clang", "gcc"])
    parser.add_argument("--opt", default="-O3")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at a time")
    parser.add_argument("--trace", action="store_true", help="compile FST tracing in")
    parser.add_argument("--std-x", action="store_true", help="x-initial and x-assign unique instead of fast")
    parser.add_argument("--json-only", action="store_true")
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--whole", action="store_true", help="what --exe names reads the whole model: compile it behind the model's own precompiled header")
    parser.add_argument("--coverage", action="store_true", help="count lines, branches and toggles")
    parser.add_argument("sources", nargs="+")
    args = parser.parse_args()
    args.arg += args.cflag[:0]
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    lock = open(out / ".lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    key = digest(args) + repr(args.cflag + args.ldflag)
    stamp = out / ".key"
    if stamp.exists() and stamp.read_text() == key:
        return 0
    for old in out.iterdir():
        if old.name != ".lock":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    common = list(COMMON)
    if args.std_x:
        common[common.index("--x-assign") + 1] = common[common.index("--x-initial") + 1] = "unique"
    cmd = [*processor.behind(), str(VERILATOR_ROOT / "bin/verilator"), *common, "--top-module", args.top, "--prefix", "V" + args.top,
           "--Mdir", str(out), "-I" + str(ROOT / "build/gen"), *[f"-I{ROOT / word[2:]}" for word in rtl_sources.include_switches()], "--assert", *args.arg]
    if args.json_only:
        cmd += ["--json-only"]
    else:
        cmd += ["--cc"]
        if args.trace:
            cmd += ["--trace-fst"]
        if args.exe:
            cmd += ["--exe", *[str(pathlib.Path(e).resolve()) for e in args.exe]]
    env = dict(os.environ, VERILATOR_ROOT=str(VERILATOR_ROOT))
    log = out / "build.log"
    sources = args.sources
    if args.coverage:
        cmd += verilate_coverage.SWITCHES
        sources = verilate_coverage.copies(args.sources, out / "sources")
    with open(log, "w") as f:
        ok = subprocess.run(cmd + sources, stdout=f, stderr=subprocess.STDOUT, env=env).returncode == 0
        if ok and args.coverage:
            verilate_coverage.instrument(out, "V" + args.top)
        if ok and "--savable" in args.arg:
            verilate_save.instrument(out)
        if ok and not args.json_only:
            verilate_same.merge(out)
            join_small(out, "V" + args.top)
        if ok and not args.json_only:
            cxx = "clang++-19" if args.cc == "clang" else "g++"
            flags = " ".join([f"-march={processor.march()}", args.opt, "-std=c++17", f"-I{ROOT}", f"-I{ROOT}/build/gen", f"-I{ROOT}/host",
                              f"-I{ROOT}/bridge", *args.cflag])
            profiling = [word for word in args.opt.split() if word.startswith("-fprofile-generate")]  # links its runtime
            slow = re.sub(r"-O[2-9]\b", "-O1", flags)  # a header compiled at -O0 fits no other level, nor the other way round
            savable = "--savable" in args.arg
            shared = runtime_cache([cxx, flags, args.trace, *["coverage"] * args.coverage, *["savable"] * savable, cmd[cmd.index("--cc"):][:2]])
            headers = verilate_header.folder(shared, ROOT)
            objects = [f"{pathlib.Path(e).stem}.o" for e in args.exe]

            def command(header):
                make = [*processor.behind(), "make", "-C", str(out), "-f", f"V{args.top}.mk", f"-j{args.jobs}", f"CXX={cxx}", f"LINK={cxx}",
                        f"OPT_FAST={flags}{header}", f"OPT_SLOW={slow}", f"OPT_GLOBAL={flags}",
                        # large models: several files behind a precompiled header
                        "CFG_CXXFLAGS_PCH_I=" + ("-include-pch" if args.cc == "clang" else "-include"),
                        "CFG_GCH_IF_CLANG=" + (".gch" if args.cc == "clang" else ""),
                        "USER_LDLIBS=" + " ".join([*args.ldflag, *profiling]), f"VERILATOR_ROOT={VERILATOR_ROOT}", f"PYTHON3={sys.executable}"]
                return make if args.exe else [*make, f"libV{args.top}"]

            def compiled():
                header = verilate_header.take(command(f" {verilate_header.USED}"), headers, savable, f, env) if args.cc == "clang" else ""
                make, own = command(header), out / f"V{args.top}__pch.h"
                steps = [make]
                if args.cc == "clang" and not header_compile(make, own, [] if args.whole else objects, f, env):
                    return False
                if header and args.whole and own.exists():
                    steps.insert(0, [*command(f" -include-pch {own.name}.fast.gch"), *objects])
                return all(subprocess.run(step, stdout=f, stderr=subprocess.STDOUT, env=env).returncode == 0 for step in steps)

            if args.base:
                reuse(args.base, out)
            runtime_take(shared, out)  # after the base's: they must be newer than Verilator's makefile
            ok = compiled()
            if not ok and verilate_header.stale(log):
                verilate_header.drop(headers, out)
                ok = compiled()
            if ok:
                runtime_keep(shared, out)
    if not ok:
        sys.stderr.write(log.read_text()[-4000:])
        print(f"verilate: {args.top}: failed; see {log}", file=sys.stderr)
        return 1
    stamp.write_text(key)
    return 0


if __name__ == "__main__":
    sys.exit(main())
