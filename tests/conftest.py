# SPDX-License-Identifier: Apache-2.0
"""How the tests of the tree are found and run; see tests/README.md.

test_*.c   cmocka program, linked with libgantry.a          (build/tests/<path>); lines in its first comment: ` * limit: N`
           (seconds it may take in `make nightly`), lines ` * libs: FLAGS`, ` * nightly: yes` (only there)
tb.cpp     Verilator bench: comment lines before all else, what it is built of (sw/tools/verify/bench_files.py), optional `// args:`, `// lib: yes`,
           `// mutant: ARG` (built a second time with the Verilator argument ARG: must then fail),
           `// mutate: OLD => NEW` (built with a copy of the source that has OLD, once, in which NEW stands for it: the checks of the
           bench must then fail; `// mutate: NAME: OLD => NEW` where several sources have it: of the file of this name); of these two kinds the first FAULTS run in `make test` (none of a
           bench that includes another's tb.cpp), all where
           GANTRY_SEEDED=all, which `make test T=path` sets, and in `make nightly`; `// limit: N` (seconds it may take in `make nightly`),
           `// nightly: yes` (only there), `// opt: -O0` (of its C++, where it runs shortly; else -O1); with GANTRY_RTL_COVERAGE=FOLDER one that counts into it
test_*.sh  script: exit 0 passed, 77 skipped (reason on the last line)
test_*.py  pytest, as usual
Cases of the first three: sw/tools/verify/test_cases.py; each must have run.  The marker `shows` of a Python test names requirements,
`may_skip` the reason for which it may be skipped (it begins so); sw/tools/verify/manifest.py lists all in build/manifest.tsv.
"""
import functools
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import bench_files  # noqa: E402
from faults import mutation  # noqa: E402
from verify import test_cases  # noqa: E402

BUILD = ROOT / "build/tests"
# Of a C test, which runs for less time than it takes to compile and link, by LLVM's linker: what it tests is in the library, as a user has it.
SHORT = ["-O1", "-B/usr/lib/llvm-19/bin", "-fuse-ld=lld"]
LIMIT = 900  # seconds a test may take before it counts as hung
SPLIT = ("tests/formal/test_formal.py", "tests/rtl/test_lint.py", "tests/rtl/test_synthesis.py")
# Seeded faults of a bench that `make test` plants, to see that the bench can fail at all: each is a build of its own.  None where the text is another
# bench's, whose checks are seen to fail there.
FAULTS = 1
# By day: of a model that nobody else has, and that runs for a second, no optimization, which would take as long as all else; what `make test` has built for
# most tests (tests-models-files) is taken as it is.
LIGHT = "-O3 or -O0"  # sw/tools/builder/models.py --opt
cpu_seen = [0.0]  # at the end of the last phase of a test


def run(cmd, limit=LIMIT, **kw):
    try:
        return subprocess.run(cmd, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=limit, stdin=subprocess.DEVNULL, **kw)
    except subprocess.TimeoutExpired as late:
        out = late.stdout or b""
        raise Failed(f"no end after {limit} s: {cmd}\n{out.decode(errors='replace') if isinstance(out, bytes) else out}") from None


class Failed(Exception):
    pass


class Item(pytest.Item):
    def repr_failure(self, excinfo):
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, str(self.path.relative_to(ROOT))

    def cases_ran(self, output):
        """Hand on which cases a run names."""
        self.user_properties += [("case", (name, outcome)) for name, outcome in test_cases.in_output(self.path, output).items()]

    def cases_complete(self, output):
        """Those of a run that ended with status 0 must be the ones in the text."""
        wrong = test_cases.difference(self.path, output)
        if wrong:
            raise Failed(f"{wrong}\n{output[-3000:]}")


@functools.cache
def make_variables():
    """Of the Makefile, asked once in each process: it takes as long as to compile a small test."""
    out = run(["make", "-s", "print-flags"]).stdout.splitlines()
    return dict(line.split("=", 1) for line in out if "=" in line)


class CTest(Item):
    def runtest(self):
        rel = self.path.relative_to(ROOT)
        exe = BUILD / rel.with_suffix("")
        exe.parent.mkdir(parents=True, exist_ok=True)
        flags = make_variables()
        head = self.path.read_text()[:3000]
        limit, libs = re.search(r"^ \* limit: (\d+)$", head, re.M), " ".join(re.findall(r"^ \* libs: (.+)$", head, re.M))
        build = run([*shlex.split(flags["CC"]), *shlex.split(flags["CFLAGS"]), *SHORT, "-rdynamic", "-o", str(exe), str(rel), "build/lib/libgantry.a",
                     "-lcmocka", *shlex.split(libs), *shlex.split(flags["LDLIBS"])])
        if build.returncode:
            raise Failed("does not compile:\n" + build.stdout)
        nightly = os.environ.get("GANTRY_NIGHTLY") == "1"
        done = run([str(exe)], limit=int(limit[1]) if limit and nightly else LIMIT, env=os.environ)
        self.cases_ran(done.stdout)
        if done.returncode:
            raise Failed(f"exit status {done.returncode}\n{done.stdout[-6000:]}")
        self.cases_complete(done.stdout)


class BenchTest(Item):
    mutant = None  # Verilator argument that seeds a fault
    fault = None   # [NAME: ]OLD => NEW

    @property
    def seeded(self):
        return bool(self.mutant or self.fault)

    def planted(self, sources):
        """The sources with the copy that has the fault instead of the file."""
        try:
            name, old, new = mutation.parse(self.fault)
            source = mutation.source_of(sources, name, old)
            copy = BUILD / self.path.relative_to(ROOT).parent / f"{self.label()}.fault" / pathlib.Path(source).name
            mutation.plant(source, copy, old, new)
        except (OSError, ValueError) as wrong:
            raise Failed(f"mutate: {wrong}") from None
        return [str(copy.relative_to(ROOT)) if s == source else s for s in sources]

    def label(self):
        seeded = self.mutant or self.fault
        return "V" if seeded is None else "V" + re.sub(r"\W+", "_", self.mutant or self.name)

    def runtest(self):
        rel = self.path.relative_to(ROOT)
        field = bench_files.fields(self.path)
        cover = bool(os.environ.get("GANTRY_RTL_COVERAGE"))
        out = BUILD / rel.parent / ("Vcoverage" if cover else self.label())
        sources = bench_files.sources(self.path)
        for generated in [s for s in sources if s.startswith("build/gen/")]:
            run(["make", "-s", generated])
        if self.fault:
            sources = self.planted(sources)
        cmd = ["build/venv/bin/python", "sw/tools/builder/verilate.py", "--top", field["top"], "--out", str(out), "--exe", str(rel), f"--opt={field.get('opt', '-O1')}"]
        cmd += ["--coverage"] * cover + ["--ldflag=-fuse-ld=lld"]
        cmd += [f"--arg={a}" for a in shlex.split(field.get("args", ""))] + ([f"--arg={self.mutant}"] if self.mutant else [])
        cmd += ["--arg=-Wno-lint", "--arg=-Wno-style"] if self.fault else []  # what a fault leaves unused
        cmd += ["--base", str(BUILD / rel.parent / "V")] * self.seeded
        cmd += [f"--cflag={a}" for a in shlex.split(field.get("cflags", ""))]
        if field.get("lib"):
            flags = make_variables()
            cmd += ["--dep", "build/lib/libgantry.a", "--ldflag", str(ROOT / "build/lib/libgantry.a"),
                    *[f"--ldflag={a}" for a in shlex.split(flags["LDLIBS"])]]
        build = run(cmd + sources)
        if build.returncode:
            raise Failed("does not build:\n" + build.stdout)
        done = run([str(out / ("V" + field["top"])), *shlex.split(field.get("run", ""))],
                   limit=int(field.get("limit", LIMIT)) if os.environ.get("GANTRY_NIGHTLY") == "1" or cover else LIMIT)
        seeded = self.mutant or self.fault
        if not seeded:
            self.cases_ran(done.stdout)
            if done.returncode:
                raise Failed(f"exit status {done.returncode}\n{done.stdout[-6000:]}")
            self.cases_complete(done.stdout)
        if seeded and done.returncode == 0:
            raise Failed(f"the bench does not notice the seeded fault {seeded}\n{done.stdout[-2000:]}")
        if self.fault and done.returncode < 0 and "%Error" not in done.stdout:  # Verilator ends so when an assertion of the RTL fails
            raise Failed(f"the bench crashed (signal {-done.returncode}) instead of noticing the seeded fault {seeded}\n{done.stdout[-2000:]}")


class ShellTest(Item):
    def runtest(self):
        done = run(["bash", str(self.path)])
        if done.returncode == 77:
            pytest.skip((done.stdout.strip().splitlines() or ["no reason given"])[-1])
        self.cases_ran(done.stdout)
        if done.returncode:
            raise Failed(f"exit status {done.returncode}\n{done.stdout[-6000:]}")
        self.cases_complete(done.stdout)


class File(pytest.File):
    kind = None

    def collect(self):
        first = self.kind.from_parent(self, name=self.path.name)
        nightly = mutation.head_lines(self.path, "nightly") == ["yes"] if self.kind is BenchTest else re.search(r"^ \* nightly: yes$", self.path.read_text(), re.M)
        if nightly:
            first.add_marker(pytest.mark.nightly)
        yield first
        if self.kind is BenchTest:
            other = re.search(r'^#include "\.\./\w+/tb\.cpp"', self.path.read_text(), re.M)
            for number, item in enumerate(self.seeded(), 1):
                if other or nightly or number > FAULTS:
                    item.add_marker(pytest.mark.nightly("seeded"))
                yield item

    def seeded(self):
        for text in mutation.head_lines(self.path, "mutant"):
            item = BenchTest.from_parent(self, name=f"mutant[{text.split()[0]}]")
            item.mutant = text.split()[0]
            yield item
        for number, text in enumerate(mutation.head_lines(self.path, "mutate"), 1):
            item = BenchTest.from_parent(self, name=f"mutate[{number}]")
            item.fault = text
            yield item


def pytest_collect_file(parent, file_path):
    kind = None
    if file_path.name == "tb.cpp":
        kind = BenchTest
    elif file_path.name.startswith("test_"):
        kind = {".c": CTest, ".sh": ShellTest}.get(file_path.suffix)
    if kind:
        file = File.from_parent(parent, path=file_path)
        file.kind = kind
        return file
    return None


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly(kind): long; runs only in `make nightly` (GANTRY_NIGHTLY=1); kind `seeded`: a seeded fault")
    config.addinivalue_line("markers", "shows(id, ...): the requirements of docs/map.md that the test shows")
    config.addinivalue_line("markers", "may_skip(why): it may be skipped for a reason that begins so")


def pytest_addoption(parser):
    parser.addoption("--print-manifest", action="store_true", help="print the rows of build/manifest.tsv (sw/tools/verify/manifest.py)")
    parser.addoption("--slice", default="1/1", metavar="K/N", help="of the tests found only every N-th, from the K-th on (sw/tools/verify/nightly.py)")


def manifest_rows(item):
    """(case, ids, why it may be skipped) of what one test consists of."""
    skip = "nightly" if item.get_closest_marker("nightly") else " | ".join(m.args[0] for m in item.iter_markers("may_skip"))
    if isinstance(item, Item) and not getattr(item, "seeded", False):
        file = item.nodeid.split("::")[0]
        return [(f"{file}::{name}", " ".join(ids), skip) for name, ids in (test_cases.in_text(item.path) or {item.name: []}).items()]
    return [(item.nodeid, " ".join(sorted({i for m in item.iter_markers("shows") for i in m.args})), skip)]


def pytest_collection_finish(session):
    if session.config.getoption("--print-manifest"):
        for row in (row for item in session.items for row in manifest_rows(item)):
            print("manifest", *row, sep="\t")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """`--dist loadfile`: a file's tests in one process, but those of SPLIT, which share nothing, in any; in the order of the items."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return scope(nodeid)

    config.option.loadscopereorder = False
    return Files(config, log)


def scope(nodeid):
    file = nodeid.split("::")[0]
    return nodeid if file in SPLIT else file


@functools.cache
def bench_size(bench):
    """Fewer than nothing, so that those with most come first."""
    return -len(bench_files.sources(bench))


def longest_first(items):
    """By the seconds of the last whole run here, where there was one; what it did not have first: what is split, then whole files, benches last, those
    with most sources first."""
    seconds = {}
    results = ROOT / "build/test-results.tsv"
    for line in results.read_text().splitlines() if results.exists() else ():
        _, took, test = line.split("\t")[:3]
        seconds[scope(test)] = seconds.get(scope(test), 0) + float(took)
    unknown = 0 if seconds else 1

    def place(item):
        of = scope(item.nodeid)
        return -seconds.get(of, unknown), of != item.nodeid, bench_size(item.path) if isinstance(item, BenchTest) else -1e9, of

    return sorted(items, key=place)


def pytest_collection_modifyitems(config, items):
    number, count = map(int, config.getoption("slice").split("/"))
    if count > 1:
        config.hook.pytest_deselected(items=[item for at, item in enumerate(items) if at % count != number - 1])
        items[:] = items[number - 1::count]
    if os.environ.get("GANTRY_NIGHTLY") != "1":
        every_fault = os.environ.get("GANTRY_SEEDED") == "all"
        for item in items:
            if campaign(item) or (item.get_closest_marker("nightly") and not every_fault):
                item.add_marker(pytest.mark.skip(reason="long: part of make nightly"))
        if config.getoption("dist", "no") == "loadfile" or "workerinput" in dir(config):
            items[:] = longest_first(items)
    elif {item.path.relative_to(ROOT).parts[1] for item in items} <= {"rtl", "formal"}:
        items[:] = long_first(items)


def campaign(item):
    mark = item.get_closest_marker("nightly")
    return mark is not None and mark.args != ("seeded",)


def long_first(items):
    """Campaigns first, each followed by another test: a process of run_tests.py holds two at a time, so no campaign waits for another."""
    campaigns = [i for i in items if campaign(i)]
    others = [i for i in items if not campaign(i)]
    pairs = [i for pair in zip(campaigns, others) for i in pair]
    n = len(pairs) // 2
    return pairs + campaigns[n:] + others[n:]


def cpu_used():
    """Seconds of this process and of all that it has started and waited for."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart():
    cpu_seen[0] = cpu_used()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Each report has the CPU time of its phase: sw/tools/verify/run_tests.py names the tests that are too long for every run."""
    report = (yield).get_result()
    report.cpu, cpu_seen[0] = cpu_used() - cpu_seen[0], cpu_used()


def pytest_sessionstart(session):
    os.environ.setdefault("GANTRY_ROOT", str(ROOT))
    os.environ.setdefault("GANTRY_BUILD_NICE", "10")  # compilers and proofs behind programs (processor.behind)
    if os.environ.get("GANTRY_NIGHTLY") != "1":
        os.environ.setdefault("GANTRY_MODEL_OPT", LIGHT)
    os.environ.setdefault("GANTRY_MODEL_CHECK", "1")  # whole GPUs with the assertions of the RTL; what is about production models unsets it
