#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the verilated partitions that a configuration needs: one shared library a kind and parameter set.

models.py [--cc clang|gcc] [--trace] [--observe] [--check] [--std-x] [--coverage] [--define NAME[=VALUE]] [--opt=-O3] [--set KEY=VALUE]... KIND...
models.py ... --board KIND...   the same of simulated boards (board_plan.py): PATH is an executable, started as PATH --fd N
models.py ... --hello KIND...   what a board of the kind says of itself: KIND RTL KEYS GRAPH LINKS, 16 hexadecimal digits each; nothing is built
  Prints one line `KIND PATH` for each kind; progress on stderr.  A library lies in build/models/KIND-KEY-PROCESSOR (or another cache, model_cache.py), where KEY
  covers every source the partition reads, the generated wrapper and the constants of gantry_cfg_pkg that those
  sources name: a changed parameter or source rebuilds only what it must.  Observation ports (lock step) and RTL
  assertions cost time even when nobody looks: only with --observe (kinds that have such ports) or --check (all).
  Ordinary models (-O3, clang), with or without observation ports, are laid out by build/models/profile.profdata when sw/tools/speed/tune.py has left it there.
  --coverage: the compute unit counts its lines and branches (verilate_coverage.py); other kinds as always.
  One command builds at a time (lock), two kinds or with two compilers.  Exit 70 with one line when something does not build, 74 when the cache cannot be written; 128 + N when
  signal N ended it: no process of the build is left then, nor the half-built library (build_process.py).
  A library is sealed (model_cache.py); one that is not what was sealed, or that others may write, is built anew.
"""
import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback before main() catches it
import argparse
import fcntl
import hashlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
ROOT = pathlib.Path(__file__).resolve().parents[3]
VENV_PYTHON = str(ROOT / "build/venv/bin/python")
if __name__ == "__main__" and os.environ.get("GANTRY_MODELS_PYTHON") != VENV_PYTHON and os.path.exists(VENV_PYTHON):
    os.environ["GANTRY_MODELS_PYTHON"] = VENV_PYTHON  # PyYAML lives there; once only
    os.execv(VENV_PYTHON, [VENV_PYTHON, *sys.argv])

try:
    from builder import board_plan  # noqa: E402
    from builder import build_process  # noqa: E402
    from gen import gen_board  # noqa: E402
    from gen import gen_params  # noqa: E402
    from gen import gen_wrappers  # noqa: E402
    from builder import model_cache  # noqa: E402
    from builder import processor  # noqa: E402
    from builder import rtl_sources  # noqa: E402
    from builder import verilate_coverage  # noqa: E402
except ModuleNotFoundError as lost:
    print(f"gantry: models: Python module {lost.name} is missing: run sw/tools/builder/bootstrap.sh", file=sys.stderr)
    sys.exit(70)

MODELS = model_cache.folder()
FIXED = ["bridge/verilated/model.hpp", "bridge/verilated/model.h", "bridge/part/window.h",
         "host/saved/state.h", "bridge/verilated/model_save.hpp", "bridge/verilated/model_structs.hpp", "sw/tools/builder/verilate_save.py",
         "sw/tools/builder/verilate.py", "rtl/common/gantry_assert.svh"]
READ = ["configs/params.def", "bridge/proto/messages.def", "bridge/verilated/partitions.yaml", "sw/tools/builder/models.py",
        "sw/tools/gen/gen_params.py", "sw/tools/gen/gen_messages.py", "sw/tools/gen/gen_wrappers.py", "sw/tools/builder/rtl_sources.py",
        "sw/tools/builder/verilate_coverage.py", "sw/tools/builder/build_process.py", "sw/tools/builder/model_cache.py", "sw/tools/builder/processor.py", "bridge/verilated/coverage.hpp"]
FLAGS = ["--arg=-Wno-fatal", "--ldflag=-shared", "--cflag=-fPIC", "--cflag=-fvisibility=hidden", "--cflag=-DVL_USER_FATAL",
         "--cflag=-DVL_USER_STOP", "--cflag=-DVL_USER_FINISH", "--cflag=-DVL_IGNORE_UNKNOWN_ARCH"]
FAST = ["--arg=-DGANTRY_NO_ASSERT", "--arg=-DGANTRY_NO_OBSERVE", "--arg=-Wno-UNUSEDSIGNAL"]  # signals that only assertions read
SHARED = None if os.environ.get("GANTRY_MODEL_CACHE") or MODELS == model_cache.SHARED else model_cache.SHARED  # used beside MODELS, not written
PROFILE = next((p for p in (MODELS / "profile.profdata", *([SHARED / "profile.profdata"] if SHARED else [])) if os.path.exists(p)), MODELS / "profile.profdata")
TUNED = [f"-fprofile-use={PROFILE}", "-Wno-profile-instr-out-of-date", "-Wno-profile-instr-unprofiled"]
SAVE = ["--arg=--savable", "--cflag=-DGANTRY_SAVABLE=1"]  # costs nothing at run time: Verilator writes functions that nobody else calls
COUNT = ["--coverage", "--arg=--coverage-max-width", "--arg=0"]  # no toggles: they are for module benches, a model would take several times as long to build
KEEP_GIB = float(os.environ.get("GANTRY_MODEL_GIB", "8"))  # libraries that may stay; the ones used longest ago go first
KEEP_STAMPS = 100
QUIET = 8  # seconds without a word to whoever waits for a build


class Plan:
    """What it takes to build one kind."""

    def __init__(self, kind, args, settings):
        entry = gen_wrappers.partitions().get(kind)
        if entry is None:
            raise SystemExit(f"models: {kind}: no such partition kind")
        self.kind, self.top, self.args = kind, entry["top"], args
        if self.top not in rtl_sources.defined():
            raise SystemExit(f"models: {kind}: module {self.top} is missing")
        paths = rtl_sources.sources(self.top)
        self.sources = [p for p in paths if p.name != "gantry_cfg_pkg.sv"]
        text = "\n".join(rtl_sources.strip(p.read_text()) for p in self.sources)
        self.headers = sorted({h for p in self.sources for h in rtl_sources.included(p) if h.name != "gantry_assert.svh"})
        text += "\n".join(rtl_sources.strip(p.read_text()) for p in self.headers)
        words = set(re.findall(r"\b[A-Z]\w*\b", text))
        params = gen_params.read_table()
        value = {name: v for name, (v, _) in gen_params.constants(params, settings).items()}
        self.only = sorted(name for name in value if name in words)
        self.package = gen_params.package(params, settings, self.only)
        self.define = [d for d in args.define if d.split("=")[0] in words]  # others do not concern this kind
        self.wrapper = gen_wrappers.emit(kind, value, "GANTRY_FAULTS" in self.define)
        self.coverage = args.coverage and any(str(p.relative_to(ROOT)).startswith(verilate_coverage.FOLDERS) for p in self.sources)
        self.opt = "-O0" if self.coverage else args.opt if self.define or args.std_x or not args.define else "-O3"  # coverage: short runs
        special = (self.define, self.opt) if self.define or self.opt != "-O3" else []
        h = hashlib.sha256(repr((args.cc, args.trace, args.std_x, special, FLAGS, self.wrapper)).encode())
        h.update(re.sub(r"//[^\n]*", "", self.package).encode())
        for p in [*self.sources, *self.headers, *(ROOT / f for f in FIXED)]:
            h.update(p.name.encode() + b"\0" + p.read_bytes())
        self.fast = [] if args.check or (args.observe and "obs_en_i" in text) else FAST
        self.save = [] if self.coverage else SAVE
        h.update(repr((self.fast, self.save)).encode())
        if self.coverage:
            h.update(repr(COUNT).encode() + b"".join(p.read_bytes() for p in verilate_coverage.READ))
        plain = args.cc == "clang" and not special and not args.check and not args.trace and not args.std_x
        self.tuned = TUNED if plain and profile_fits() else []
        if self.tuned:
            h.update(PROFILE.read_bytes())
        self.label = f"{kind}_cover" if self.coverage else f"{kind}_test" if special else kind
        h.update(processor.name().encode())
        self.place(MODELS, f"{self.label}-{h.hexdigest()[:12]}-{processor.name()}")
        if SHARED and not self.done():
            self.place(SHARED, self.folder.name)
            if not self.done():
                self.place(MODELS, self.folder.name)

    def place(self, cache, name):
        self.folder = cache / name
        self.library = self.folder / f"V{self.top}"
        self.generated = cache / "generated" / name
        self.unfinished = self.generated / "unfinished"  # there while the library is built, and after a build that was killed

    def done(self):
        """The key alone tells that it was linked (verilate.py), not that clock_check() and rewrite() came to their ends."""
        return os.path.exists(self.folder / ".key") and model_cache.whole(self.library) and not os.path.exists(self.unfinished)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.generated, ignore_errors=True)

    def command(self, jobs):
        """What builds it, by so many compilers at a time; its folders are there then."""
        why = model_cache.wrong(self.library) if self.library.exists() else None
        if why:
            print(f"gantry: models: {self.library}: {why}; it is built anew", file=sys.stderr)
        if why or (self.unfinished.exists() and self.unfinished.read_text(errors="replace") != model_cache.boot()):
            self.remove()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.generated.mkdir(parents=True, exist_ok=True)
        self.unfinished.write_text(model_cache.boot())
        package, wrapper = self.generated / "gantry_cfg_pkg.sv", self.generated / f"{self.kind}_model.cpp"
        package.write_text(self.package)
        wrapper.write_text(self.wrapper)
        cmd = [sys.executable, str(ROOT / "sw/tools/builder/verilate.py"), "--top", self.top, "--out", str(self.folder), "--cc", self.args.cc, f"--jobs={jobs}",
               *self.switches()]
        cmd += ["--trace"] * self.args.trace + ["--std-x"] * self.args.std_x + COUNT * self.coverage + self.save + self.fast + [f"--arg=-D{d}" for d in self.define] + [f"--opt={' '.join([self.opt, *self.tuned])}"]
        return [*cmd, str(package), *map(str, self.sources)]

    def switches(self):
        """Of verilate.py: what is linked, and how."""
        return ["--exe", str(self.generated / f"{self.kind}_model.cpp"), "--whole", *FLAGS]

    def built(self, status, text):
        """The command has ended."""
        if status:
            (self.folder / "error.log").write_text(text)
            lines = [line for line in text.splitlines() if "rror" in line] or ["no message"]
            raise SystemExit(f"models: {self.kind}: does not build: {lines[0].strip()[:300]} (all of it: {self.folder}/error.log)")
        self.clock_check()
        try:
            (self.folder / "tools.txt").write_text(f"Verilator {importlib.metadata.version('verilator')}, "
                                                   f"{tool_version('clang++-19' if self.args.cc == 'clang' else 'g++')}, {self.opt} -march={processor.march()}\n")
            self.rewrite()
        except OSError:  # no room: the library is right as it was linked, the next start tries again
            (self.folder / "library.fresh").unlink(missing_ok=True)
            model_cache.seal(self.library)
        else:
            model_cache.seal(self.library)
            self.unfinished.unlink()

    def rewrite(self):
        """Write the library once more, in one piece: a file stays in the memory into which the linker wrote it bit by bit, and code
        that runs from there took 13 to 20 % longer in most cases (docs/performance.md)."""
        fresh = self.folder / "library.fresh"
        shutil.copy(self.library, fresh)
        model_cache.put(fresh, self.library)

    def clock_check(self):
        """model.hpp evaluates rising edges of clk_i only: there must be no other event."""
        text = "".join(p.read_text() for p in self.folder.glob(f"V{self.top}___024root*.cpp"))
        events = set(re.findall(r"region trigger index \d+ is active: (@[^\\]*)", text))
        if events != {"@(posedge clk_i)"}:
            raise SystemExit(f"models: {self.kind}: evaluated at {', '.join(sorted(events))}, not at @(posedge clk_i) alone")


class Board(board_plan.BoardPlan, Plan):
    """A simulated board."""


def profile_fits():
    """The profile is there, and what sw/tools/speed/tune.py has left."""
    why = model_cache.wrong(PROFILE) if os.path.exists(PROFILE) else "missing"
    if why not in (None, "missing"):
        print(f"gantry: models: {PROFILE}: {why}; make tune makes it anew, models do without", file=sys.stderr)
    return why is None


def tool_version(program):
    """First line of what it says of itself."""
    return (subprocess.run([program, "--version"], capture_output=True, text=True).stdout.splitlines() or [program])[0]


def size(folder):
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


def sweep(keep):
    """Remove the libraries that were used longest ago until the others take no more than KEEP_GIB; never those in `keep`."""
    folders = [p for p in MODELS.glob("*-*") if p.is_dir()]
    sizes = {p: size(p) + size(MODELS / "generated" / p.name) for p in folders}
    left = sum(sizes.values())
    for folder in sorted(folders, key=lambda p: p.stat().st_mtime):
        if left <= KEEP_GIB * 2**30:
            break
        if folder not in keep:
            left -= sizes[folder]
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(MODELS / "generated" / folder.name, ignore_errors=True)


def build_each(todo):
    """Two at a time with one compiler each, since half of a build is one process (Verilator, header, linker); the one with the most text first.  One
    alone has two compilers."""
    todo = sorted(todo, key=lambda p: -sum(s.stat().st_size for s in p.sources))
    jobs = 2 if len(todo) == 1 else 1
    begun, said = {}, [time.time()]

    def begin(i):
        begun[i] = said[0] = time.time()
        print(f"gantry: building model {todo[i].kind} ({i + 1} of {len(todo)}) ...", end="" if len(todo) == 1 else "\n", file=sys.stderr, flush=True)
        return todo[i].command(jobs)

    def tell(i, what):
        print(f" {what}" if len(todo) == 1 else f"gantry: building model {todo[i].kind} ... {what}", file=sys.stderr, flush=True)

    def waiting(running):
        """A sign of life after QUIET seconds; within a step of make, which gives its own, none."""
        if time.time() - said[0] < QUIET or os.environ.get("GANTRY_STEP"):
            return
        said[0] = time.time()
        if len(todo) == 1:
            print(".", end="", file=sys.stderr, flush=True)
        else:
            print(f"gantry: building model {', '.join(todo[i].kind for i in running)} ... {time.time() - min(begun.values()):.0f} s so far",
                  file=sys.stderr, flush=True)

    def ended(i, status, text):
        said[0] = time.time()
        start = begun.pop(i)
        try:
            todo[i].built(status, text)
        except SystemExit:
            tell(i, "failed")
            raise
        except build_process.Ended:
            begun[i] = start
            raise
        tell(i, f"{time.time() - start:.0f} s")

    try:
        build_process.run_each(len(todo), 2, begin, ended, waiting)
    finally:
        for i in begun:  # the others of a build that failed, or all when a signal ended it
            todo[i].remove()
            tell(i, "stopped")


def build_all(plans):
    model_cache.make(MODELS)
    with open(MODELS / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        todo = [p for p in plans if not p.done()]
        build_each(todo)
        if todo:
            sweep({p.folder for p in plans})


def inputs(board=False):
    """(size, time, path below the root) of everything that a Plan may read, and of the folders it looks through."""
    paths = {ROOT / f for f in [*FIXED, *READ, *(board_plan.READ if board else [])]} | set((ROOT / "rtl").rglob("*.sv*")) | set((ROOT / "build/gen").glob("*_pkg.sv"))
    paths |= {ROOT / "rtl"} | {p for p in (ROOT / "rtl").rglob("*") if p.is_dir()}
    return [(p.stat().st_size, p.stat().st_mtime_ns, p.relative_to(ROOT)) for p in sorted(paths)]


def stamp_write(name, before, plans):
    """What bridge/verilated/stamp.c reads; `before` was taken before anything was read."""
    folder = MODELS / "stamps"
    model_cache.make(MODELS)
    folder.mkdir(exist_ok=True)
    lines = [f"in {size} {time_ns} {path}" for size, time_ns, path in before]
    lines += [f"out {p.kind} {p.library.relative_to(ROOT) if p.library.is_relative_to(ROOT) else p.library}" for p in plans]
    fresh = folder / f"{name}.{os.getpid()}"
    try:
        fresh.write_text("\n".join([*lines, "end", ""]))
        fresh.rename(folder / name)
    finally:
        fresh.unlink(missing_ok=True)
    for old in sorted(folder.iterdir(), key=lambda p: p.stat().st_mtime)[:-KEEP_STAMPS]:
        old.unlink(missing_ok=True)


def plan_of(kind, args):
    """Of several levels of optimization the first at which the model is there, else the last: what is built for one short run need not be fast.  A board
    has many cycles of its own for each of the machine, so it gets the first."""
    for level in args.opt.split(" or ")[:1 if args.board else None]:
        plan = (Board if args.board else Plan)(kind, argparse.Namespace(**{**vars(args), "opt": level}), args.set)
        if plan.done():
            break
    return plan


def hello(kinds, settings):
    for kind in kinds:
        if kind not in gen_wrappers.partitions():
            raise SystemExit(f"models: {kind}: no such partition kind")
        said = gen_board.hashes(kind, settings)
        print(kind, *(f"{said[name]:016x}" for name in ("rtl", "keys", "graph", "links")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", default="clang", choices=["clang", "gcc"])
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--observe", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--std-x", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--opt", default=os.environ.get("GANTRY_MODEL_OPT", "-O3"),
                        help="of kinds that a --define concerns, or of all; '-O3 or -O0': -O3 of what is there already, -O0 of what is not")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--board", action="store_true")
    parser.add_argument("--hello", action="store_true")
    parser.add_argument("--stamp", help="leave the answer in build/models/stamps under this name")
    parser.add_argument("kinds", nargs="+")
    args = parser.parse_args()
    os.umask(os.umask(0) | 0o022)  # nobody else may write a library, or it is not taken
    if args.hello:
        hello(args.kinds, args.set)
        return
    before = inputs(args.board)
    plans = [plan_of(kind, args) for kind in args.kinds]
    if not all(p.done() for p in plans):
        build_all(plans)
    for p in plans:
        if p.folder.parent == MODELS:  # of others only what is used
            os.utime(p.folder)
        print(p.kind, p.library)
    if args.stamp and all(p.done() for p in plans):
        try:
            stamp_write(args.stamp, before, plans)
        except OSError:  # no place for it: the next start asks again
            pass


if __name__ == "__main__":
    try:
        build_process.signals_catch()
        main()
    except build_process.Ended as ended:
        sys.exit(128 + ended.number)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(f"gantry: {error.code}", file=sys.stderr)
            sys.exit(70)
        raise
    except OSError as error:  # 74: no right to write, no room
        print(f"gantry: models: {error.filename or MODELS}: {error.strerror or error}; make room or let GANTRY_MODEL_CACHE name a folder of yours for models",
              file=sys.stderr)
        sys.exit(74)
