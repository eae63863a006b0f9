# SPDX-License-Identifier: Apache-2.0
"""A mutant of RTL against the benches that have its source, nearest first: those of its folder before others, fewer sources
before more, other forms of the same bench (lanes, synthesis) last.  The C++ that Verilator makes of the change is compared with that
of the tree: equal means no difference, and of the rest only the files that differ are compiled (-O1).  What no bench notices is asked of
`make lint` (a value that nothing reads any more, a width that does not fit: tests/rtl/test_lint.py).
Not responsible for: which mutants, and benches that only `make nightly` runs."""
import argparse
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading

from verify import bench_files
from check import lint
from builder import processor
from builder import rtl_sources
from builder import verilate
from faults.mutate_c import FOLDER, ROOT, flags, timed

LIMIT = 900  # seconds of host time for a build or a run on a busy machine; benches take up to two minutes of CPU


def includes(path, names):
    """Whether a text includes one of the names, with or without a folder before it."""
    return bool(set(re.findall(r'`include\s+"(?:[\w./]*/)?([\w.]+)"', path.read_text())) & names)


def sources_of(file):
    """The sources in which a change of a file shows: itself, or what includes it."""
    if not file.endswith(".svh"):
        return [file]
    name = pathlib.Path(file).name
    names = {name}
    while True:
        more = {p.name for p in rtl_sources.headers() if includes(p, names)} - names
        if not more:
            break
        names |= more
    return [str(p.relative_to(ROOT)) for p in sorted((ROOT / "rtl").rglob("*.sv")) if includes(p, names)]


def benches_of(file, near=False):
    """near: of its own folder only"""
    wanted, found = set(sources_of(file)), []
    folder = file.split("/")[1]
    for bench in sorted((ROOT / "tests/rtl").rglob("tb.cpp")):
        sources = bench_files.sources(bench)
        if "limit" in bench_files.fields(bench) or not wanted & set(sources) or any(s.startswith("build/tests") for s in sources):
            continue
        own = bench.relative_to(ROOT / "tests/rtl").parts[0] == folder
        other_form = 'tb.cpp"' in bench.read_text()
        if near and not own:
            continue
        found.append((other_form, not own, len(sources), bench))
    return [row[-1] for row in sorted(found)]


class Bench:
    def __init__(self, path):
        self.path, self.fields = path, bench_files.fields(path)
        self.name = "-".join(path.relative_to(ROOT / "tests/rtl").parts[:-1])
        self.base = FOLDER / "benches" / self.name
        self.sources = bench_files.sources(path)

    def verilated(self, out, sources, first=()):
        """Verilator alone, into an empty folder."""
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        cmd = [verilate.VERILATOR_ROOT / "bin/verilator", *verilate.COMMON, "-Wno-lint", "-Wno-style", "--top-module", self.fields["top"], "--prefix",
               "V" + self.fields["top"], "--Mdir", out, *first, "-Ibuild/gen", *rtl_sources.include_switches(), "--assert", *shlex.split(self.fields.get("args", "")),
               "--cc", "--exe", self.path, *sources]
        return timed(list(map(str, cmd)), LIMIT, cwd=ROOT, env=dict(os.environ, VERILATOR_ROOT=str(verilate.VERILATOR_ROOT)))

    def made(self, out):
        plain = f"-march={processor.march()} -O1 -std=c++17 -I{ROOT} -I{ROOT}/build/gen -I{ROOT}/host -I{ROOT}/bridge {self.fields.get('cflags', '')}"
        libraries = f"{ROOT}/build/lib/libgantry.a {flags()['LDLIBS']}" if "lib" in self.fields else ""
        return timed(["make", "-C", out, "-f", f"V{self.fields['top']}.mk", "CXX=clang++-19", "LINK=clang++-19", f"OPT_FAST={plain}", "OPT_SLOW=-O1 -std=c++17",
                      f"OPT_GLOBAL={plain}", "CFG_CXXFLAGS_PCH_I=-include-pch", "CFG_GCH_IF_CLANG=.gch", f"USER_LDLIBS={libraries}",
                      f"VERILATOR_ROOT={verilate.VERILATOR_ROOT}", f"PYTHON3={sys.executable}"], LIMIT, cwd=ROOT)

    def run(self, out, cpu=LIMIT):
        """`cpu`: seconds of CPU after which it hangs, however busy the machine is."""
        status, said, used = timed(["prlimit", f"--cpu={cpu}", out / ("V" + self.fields["top"]), *shlex.split(self.fields.get("run", ""))],
                                   LIMIT, cwd=ROOT)
        return "no end" if status == -signal.SIGXCPU else status, said, used

    def patience(self):
        """Seconds of CPU that a mutant of it may take: five times what the tree's text took."""
        return 10 + 5 * int(float((self.base / "passed").read_text().split()[0]))

    def generated(self, out, place=""):
        """{name: text} of the C++; assertions name the file of the source."""
        return {p.name: p.read_text().replace(place, "") if place else p.read_text() for p in sorted(out.iterdir())
                if p.suffix in (".cpp", ".h") and "__ver" not in p.name}

    def key(self):
        """What the bench is made of: a change of any of it makes what was built before worthless."""
        files = [self.path, *(ROOT / s for s in self.sources), *sorted(rtl_sources.headers()), *verilate.include_files(argparse.Namespace(exe=[self.path], dep=[]))]
        files += [ROOT / "build/lib/libgantry.a"] if "lib" in self.fields else []
        return hashlib.sha256(b"".join(hashlib.sha256(p.read_bytes()).digest() for p in files)).hexdigest()[:16]

    def prepare(self):
        """Built of the tree's text as it is now, and passed; its C++ is in base/generated."""
        for generated in [s for s in self.sources if s.startswith("build/gen/")]:
            subprocess.run(["make", "-s", generated], cwd=ROOT, check=True)
        key, passed = self.key(), self.base / "passed"
        if passed.exists() and passed.read_text().split()[1:] == [key]:
            return True
        ok = self.verilated(self.base, self.sources)[0] == 0
        texts = self.generated(self.base) if ok else {}
        ok = ok and self.made(self.base)[0] == 0
        status, _, used = self.run(self.base) if ok else (1, "", 0)
        ok = status == 0
        (self.base / "generated").mkdir(exist_ok=True)
        for name, text in texts.items():
            (self.base / "generated" / name).write_text(text)
        if ok:
            passed.write_text(f"{used:.1f} {key}")
        else:
            print(f"mutation: {self.path.relative_to(ROOT)} does not pass without a change: left out", flush=True)
        return ok


class Runner:
    def __init__(self, folder, slot, near=False):
        self.place = FOLDER / f"{folder.replace('/', '-')}.{slot}"
        self.benches, self.near, self.lock = {}, near, threading.Lock()  # one slot builds a bench, the others wait for it

    def prepare(self):
        """Benches are built when a mutant first needs them."""

    def share(self, other):
        self.benches, self.lock = other.benches, other.lock
        return self

    def linted(self, mutant, changed):
        """What `make lint` says of the modules of its folder that have the change in them."""
        wanted = {ROOT / s for s in sources_of(mutant.file)}
        for module in rtl_sources.modules():
            place = rtl_sources.defined()[module][1]
            if place.parent == (ROOT / mutant.file).parent and wanted & set(rtl_sources.sources(module)):
                found = lint.verilator(module, instead={ROOT / mutant.file: changed}, first=changed.parent)
                if found:
                    return found[0][:200].replace("\t", " ")
        return ""

    def bench(self, path):
        with self.lock:
            if path not in self.benches:
                bench = Bench(path)
                self.benches[path] = bench if bench.prepare() else None
            return self.benches[path]

    def verdict(self, mutant):
        """("killed" | "survived" | "equal" | "no build", by what, seconds of CPU)"""
        changed = self.place / "text" / mutant.file
        shutil.rmtree(self.place / "text", ignore_errors=True)
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text(mutant.text())
        cpu, differs = 0.0, False
        for bench in filter(None, map(self.bench, benches_of(mutant.file, self.near))):
            fresh, work = self.place / "fresh", self.place / "work"
            sources = [str(changed) if s == mutant.file else s for s in bench.sources]
            status, said, used = bench.verilated(fresh, sources, [f"-I{changed.parent}"])
            cpu += used
            if status != 0:
                return "no build", "", cpu
            texts, base = bench.generated(fresh, f"{self.place}/text/"), bench.generated(bench.base / "generated")
            if texts == base:
                continue  # no difference here; perhaps in a bench with other parameters
            differs = True
            shutil.rmtree(work, ignore_errors=True)
            subprocess.run(["cp", "-a", bench.base, work], check=True)
            for name, text in texts.items():
                if base.get(name) != text:
                    (work / name).write_text(text)
            for name in set(base) - set(texts):
                (work / name).unlink()
            for makefile in fresh.glob("*.mk"):  # the runtime is compiled anew behind one that is new
                if makefile.read_bytes() != (work / makefile.name).read_bytes():
                    shutil.copy(makefile, work / makefile.name)
            status, said, used = bench.made(work)
            cpu += used
            if status != 0:
                return "no build", said[-300:].replace("\n", " ").replace("\t", " "), cpu
            status, said, used = bench.run(work, bench.patience())
            cpu += used
            if status != 0:
                return "killed", f"{bench.path.parent.relative_to(ROOT)} ({status})", cpu
        said = differs and self.linted(mutant, changed)
        if said:
            return "killed", f"lint: {said}", cpu
        return ("survived" if differs else "equal"), "", cpu
