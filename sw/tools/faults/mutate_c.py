# SPDX-License-Identifier: Apache-2.0
"""A mutant of a C source of host/ or bridge/ against its tests, nearest first: the C tests of its folder, those of the folders
beside it, then programs on the golden model, whose end (status, output, instructions, data) must be that of the tree, then
the C tests as `make asan` runs them (a leak, an access beyond the end), then tests of the commands and of the client
boundary (SYSTEM), on the golden model, too. Of host/machine and the rooms beside it, which are the machine around the RTL and whose sources are in no
model, also on the RTL of `tiny` and `demo`, whose models are built once and found from then on; of other folders nothing
that needs one. The changed file alone is compiled (-O1; of the warnings only that of a function that ends without its value
is an error, as what it returns then means nothing) and linked before libgantry.a. Not responsible for: which mutants."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from check import check_floors
from verify import sanitize

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build/mutation"


def beside(rooms, *more):
    """{room: folders of tests, its own first}"""
    return {room: [room, *(r for r in rooms if r != room), *more] for room in rooms}


FIRMWARE, DRIVER = check_floors.FIRMWARE, check_floors.DRIVER
NEAR = {**beside(DRIVER, *FIRMWARE, "host/vm"), **beside(FIRMWARE, *DRIVER), **beside(check_floors.MACHINE, "bridge", *FIRMWARE, *DRIVER),
        "host/vm": ["host/vm", *FIRMWARE, *DRIVER], "bridge": ["bridge", *check_floors.MACHINE, *FIRMWARE, *DRIVER]}
CLIENTS = ("tests/system/test_shim.py", "tests/system/test_boundary.py")
COMMAND = ("tests/host/cli/test_run_command.py", "tests/system/test_no_progress.py", "tests/system/test_exits.py", *CLIENTS)
FAULTS = ("tests/system/test_fault_matrix.py", "tests/system/test_faults.py", "tests/system/test_traps.py", *CLIENTS)
SYSTEM = {"host/local/local.c": ("tests/host/cli/test_kernel_command.py", "tests/host/cli/test_bad_ends.py"), "host/clients/debugger.c": ("tests/system/test_debugger.py",),
          **{f"host/{name}.c": COMMAND for name in ("clients/janitor", "clients/run", "clock/at_rest", "clock/gate", "clock/standstill", "clock/time_slice",
                                                    "system/machine")},
          **{f"host/{name}.c": FAULTS for name in ("clients/source_lines", "driver/driver", "driver/event")}}  # of the others: CLIENTS
REPLAY = ("tests/system/test_replay.py", "tests/system/test_checkpoint.py")
PLACE = ("tests/system/test_place.py",)
WAVE, STUCK = ("tests/host/cli/test_wave.py",), ("tests/system/test_no_progress.py",)
WATCHES = ("watchdog", "rtl_where", "host_events", "pending", "golden_part")  # files that tell why nothing moves
PLACED = ("place", "place_ask", "placed", "worker", "figures", "message_sink", "assembly", "rtl_groups")  # files whose greater part serves several processes


def system_of(file):
    """The tests of commands that fit to a source, those of its matter first."""
    if str(pathlib.PurePath(file).parent) not in check_floors.MACHINE:
        return SYSTEM.get(file, CLIENTS)
    stem = pathlib.Path(file).stem
    return (*WAVE, *PLACE) if stem in PLACED else (*STUCK, *WAVE) if stem in WATCHES else (*WAVE, *REPLAY)


LIMIT = 90  # seconds of host time for what takes a few: a hang is noticed, also on a busy machine
KEPT = re.compile(r"\b(?:kernels|instructions|data|repeatable)=\S+")  # no figure of time: what the tests hold
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?(?:\[[^]]*\])?)(?: - .*)?$", re.M)
RUN = ["run", "-c", "configs/demo.yaml", "--model", "golden", "--"]
VECADD = ["kernel", "-c", "tiny", "--model", "golden", "-q", "build/kernels/vecadd.v4.co", "--grid", "4096", "--group", "256", "--arg", "out:16384:/dev/null",
          "--arg", "fill:1:16384", "--arg", "fill:2:16384"]
PROGRAMS = [("vecadd.co", VECADD), *((" ".join(p), [*RUN, *(f"build/apps/{p[0]}", *p[1:])]) for p in (
    ["peer"], ["hsa_queue", "many"], ["hsa_queue", "barrier"], ["hsa_queue", "full"], ["copies"], ["pipeline"], ["wild_store"], ["illegal"]))]

# With an RTL whose cycles, hash and counters are held, too; --lockstep by a second library of each kind.
ON_RTL = [(f"rtl {name}", words) for name, words in (
    ("hash", ["kernel", "-c", "tiny", "build/kernels/hash.v4.co", "--grid", "1024", "--group", "64", "--arg", "zero:4096", "--arg", "fill:7:4096"]),
    ("lockstep", ["kernel", "-c", "tiny", "--lockstep", "build/kernels/hash.v4.co", "--grid", "512", "--group", "64", "--arg", "zero:4096", "--arg",
                  "fill:7:4096"]))]
RTL_KEPT = re.compile(r"\b(?:kernels|cycles|instructions|hash|data|counters|now|repeatable)=\S+")


def flags():
    out = subprocess.run(["make", "-s", "print-flags"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in out.splitlines() if "=" in line)


def timed(cmd, limit, **options):
    """(exit status or "no end", output, seconds of CPU) of a command in a process group of its own."""
    with tempfile.TemporaryFile("w+", errors="replace") as out:
        child = subprocess.Popen(cmd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        deadline, ended = time.monotonic() + limit, 0
        while not ended and time.monotonic() < deadline:
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            time.sleep(0 if ended else 0.02)
        try:
            os.killpg(child.pid, signal.SIGKILL)  # also what a program of it has left
        except ProcessLookupError:
            pass
        if not ended:
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return child.returncode if ended else "no end", out.read(), usage.ru_utime + usage.ru_stime


SANITIZER = threading.Lock()  # one slot builds for all


class Runner:
    """One slot: two of them share nothing that is written but what prepare() made."""

    def __init__(self, folder, slot):
        self.on_rtl = folder in check_floors.MACHINE
        self.programs = [*PROGRAMS, *(ON_RTL if self.on_rtl else [])]
        self.folder, self.place = folder, FOLDER / f"{folder.replace('/', '-')}.{slot}"
        self.flags = flags()
        self.cflags = [f for f in shlex.split(self.flags["CFLAGS"]) if not re.match(r"-O|-g$|-W", f)] + ["-O1", "-Werror=return-type"]
        self.tests = [t for near in NEAR[folder] for t in sorted((ROOT / "tests" / near).rglob("test_*.c")) if self.on_rtl or not t.stem.endswith("_rtl")]
        tree = self.place / "tree"
        for name in ("configs", "rtl", "sw", "host", "bridge", "Makefile", "pytest.ini", "README.md", "build/models", "build/gen", "build/lib", "build/apps",
                     "build/kernels", "build/venv"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            if not (tree / name).is_symlink():
                (tree / name).symlink_to(ROOT / name)
        (tree / "build/bin").mkdir(exist_ok=True)
        shutil.rmtree(tree / "tests", ignore_errors=True)  # of an earlier run
        self.tree, self.gantry = tree, tree / "build/bin/gantry"
        self.members, self.unfit = {}, {}

    def compiled(self, source, out):
        return timed([self.flags["CC"], *self.cflags, "-fPIC", "-c", "-o", out, source], LIMIT, cwd=ROOT)

    def linked(self, first, objects, out, libs=()):
        out.parent.mkdir(parents=True, exist_ok=True)
        return timed([self.flags["CC"], "-B/usr/lib/llvm-19/bin", "-fuse-ld=lld", "-rdynamic", "-o", out, first, *objects, ROOT / "build/lib/libgantry.a", *libs,
                      *shlex.split(self.flags["LDLIBS"])], LIMIT, cwd=ROOT)

    def linked_test(self, test, objects, out):
        libs = re.findall(r"^ \* libs: (.+)$", test.read_text()[:3000], re.M)
        return self.linked(self.test_object(test), [*objects, "-lcmocka"], out, ["-Wl,-t", *shlex.split(" ".join(libs))])

    def test_object(self, test):
        return FOLDER / "objects" / test.relative_to(ROOT).with_suffix(".o")

    def program(self, arguments):
        kept = RTL_KEPT if arguments in [words for _, words in ON_RTL] else KEPT
        status, out, cpu = timed([self.gantry, *arguments], LIMIT, cwd=ROOT)
        lines = [line for line in out.splitlines() if not line.startswith("gantry: ")] if status == 0 else []
        final = next((kept.findall(line) for line in reversed(out.splitlines()) if line.startswith("gantry: gpus=")), [])
        return (status, lines[:20], final), cpu

    def prepare(self):
        """Objects of the tests, and how they and the programs end without a change; a test that then fails is left out.  Without a change, but with
        objects as mutants have them: a library of an older tree would make all tests fail with any."""
        apps = [word for _, words in self.programs for word in words if word.startswith("build/apps/") and "hsa_queue" not in word]
        subprocess.run(["make", "-s", *dict.fromkeys(apps), "build/kernels/vecadd.v4.co", "build/kernels/hash.v4.co"], cwd=ROOT, check=True)
        subprocess.run(["gcc", "-O1", "-o", "build/apps/hsa_queue", "tests/system/programs/hsa_queue.c", "-lhsa-runtime64"], cwd=ROOT, check=True)
        for old in (FOLDER / "objects").rglob("*.plain.o"):
            old.unlink()  # a header or a flag may be another since
        files = sorted((ROOT / self.folder).rglob("*.c"))
        good, sources, plain = [], {p.stem for p in files}, {p.stem: self.place / "control" / f"{p.stem}.o" for p in files}
        (self.place / "control").mkdir(exist_ok=True)
        for path in files:  # as mutants are: what fails with these fails without a mutant, too
            self.compiled(path, plain[path.stem])
        for test in self.tests:
            self.test_object(test).parent.mkdir(parents=True, exist_ok=True)
            self.compiled(test, self.test_object(test))
            exe = self.place / "test"
            status, said, _ = self.linked_test(test, [], exe)
            self.members[test] = set(re.findall(r"libgantry\.a\W+(\w+)\.o", said))
            if status == 0 and not self.members[test] & sources:
                continue
            if status == 0:
                status = self.linked_test(test, [plain[stem] for stem in sorted(self.members[test] & sources)], exe)[0]
            if status == 0 and timed([exe], LIMIT * 4, cwd=ROOT)[0] == 0:
                good.append(test)
            else:
                print(f"mutation: {test.relative_to(ROOT)} does not pass without a change: left out")
        self.tests = good
        self.linked(ROOT / "build/obj/host/cli/main.o", [], self.gantry)
        for _, words in ON_RTL if self.on_rtl else ():  # builds their models if need be
            if timed([self.gantry, *words], LIMIT * 10, cwd=ROOT)[0] != 0:
                raise RuntimeError(f"{' '.join(map(str, words))}: fails without a change")
        self.reference = {name: self.program(words)[0] for name, words in self.programs}
        again = {name: self.program(words)[0] for name, words in self.programs}
        self.unsteady = {name for name in again if again[name] != self.reference[name]}
        print(f"mutation: {self.folder}: {len(self.tests)} C tests, programs {', '.join(n for n in again if n not in self.unsteady)}")

    def share(self, other):
        self.tests, self.reference, self.unsteady = other.tests, other.reference, other.unsteady
        self.members, self.unfit = other.members, other.unfit
        return self

    def same_object(self, mutant, source, out):
        """Whether the change means nothing; None when it does not compile."""
        plain = FOLDER / "objects" / (mutant.file + ".plain.o")
        plain.parent.mkdir(parents=True, exist_ok=True)
        copy = self.place / "plain" / pathlib.Path(mutant.file).name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text((ROOT / mutant.file).read_text())
        if not plain.exists() or plain.stat().st_mtime < (ROOT / mutant.file).stat().st_mtime:
            self.compiled_as(copy, mutant, plain)
        if self.compiled_as(source, mutant, out)[0] != 0:
            return None
        return plain.read_bytes() == out.read_bytes()

    def compiled_as(self, source, mutant, out):
        """As if it stood in its own folder: its includes are found, and the text of __FILE__ is the same."""
        own = (ROOT / mutant.file).parent
        return timed([self.flags["CC"], *self.cflags, f"-I{own}", f"-ffile-prefix-map={source}={mutant.file}", "-fPIC", "-c", "-o", out, source], LIMIT, cwd=ROOT)

    def verdict(self, mutant):
        """("killed" | "survived" | "equal" | "no build", by what, seconds of CPU)"""
        source, out, exe, cpu = self.place / "mutant" / pathlib.Path(mutant.file).name, self.place / "mutant.o", self.place / "test", 0.2
        source.parent.mkdir(exist_ok=True)
        source.write_text(mutant.text())
        same = self.same_object(mutant, source, out)
        if same is not False:
            return ("equal" if same else "no build"), "", cpu
        for test in sorted(self.tests, key=lambda t: source.stem not in t.stem):  # its own first
            if source.stem not in self.members[test]:
                continue  # nothing of the file is in it
            status, said, used = self.linked_test(test, [out], exe)
            cpu += used
            if status != 0:
                raise RuntimeError(f"{test}: {said[-2000:]}")
            status, said, used = timed([exe], LIMIT, cwd=ROOT)
            cpu += used
            if status == 0 and "[  PASSED  ]" not in said:
                return "killed", f"{test.relative_to(ROOT)} (ended before its end)", cpu  # a forked child's way through the parent
            if status != 0:
                case = re.search(r"\[  FAILED  \] (\w+)$", said, re.M)
                return "killed", f"{test.relative_to(ROOT)}{'::' + case[1] if case else ''} ({status})", cpu
        cpu += self.linked(ROOT / "build/obj/host/cli/main.o", [out], self.gantry)[2]
        for name, words in self.programs:
            if name in self.unsteady:
                continue
            end, used = self.program(words)
            cpu += used
            if end != self.reference[name]:
                again, used = self.program(words)  # what a busy machine did once is no difference
                cpu += used
                if again != self.reference[name]:
                    return "killed", f"program {name} ({end[0]})", cpu
        by, used = self.sanitized(mutant, source)
        cpu += used
        if by:
            return "killed", by, cpu
        by, used = self.system(system_of(mutant.file), out)
        return "killed" if by else "survived", by, cpu + used

    def sanitized(self, mutant, source):
        """The first C test of the folder itself that fails with the mutant under AddressSanitizer, LeakSanitizer and UBSan."""
        own = [t for t in self.tests if t.is_relative_to(ROOT / "tests" / self.folder) and source.stem in self.members[t]]
        if self.folder.split("/")[-1] not in (*sanitize.QUICK_C, "bridge", *(room.split("/")[1] for room in check_floors.MACHINE)) or not own:
            return "", 0
        with SANITIZER:
            if "asan" not in self.unfit:
                wrong = sanitize.build("asan")
                if wrong:
                    raise RuntimeError(wrong)
                self.unfit["asan"] = {"flags": sanitize.variables("asan")}
        made, cpu, out, exe = self.unfit["asan"], 0, self.place / "mutant.asan.o", self.place / "test.asan"
        cc, cflags = shlex.split(made["flags"]["CC"]), [f for f in shlex.split(made["flags"]["CFLAGS"]) if not re.match(r"-O\d", f)] + ["-O1"]

        def run(test, objects):
            """(whether it passed, seconds of CPU)"""
            head, object = test.read_text()[:3000], FOLDER / "objects" / test.relative_to(ROOT).with_suffix(".asan.o")
            with SANITIZER:
                if not object.exists() or object.stat().st_mtime < test.stat().st_mtime:
                    timed([*cc, *cflags, "-c", "-o", object, test], LIMIT, cwd=ROOT)
            libs = shlex.split(" ".join(re.findall(r"^ \* libs: (.+)$", head, re.M)))
            status, said, used = timed([*cc, "-fuse-ld=lld", "-rdynamic", "-o", exe, object, *objects, ROOT / "build/asan/lib/libgantry.a", "-lcmocka", *libs,
                                        *shlex.split(made["flags"]["LDLIBS"])], LIMIT, cwd=ROOT)
            if status != 0:
                raise RuntimeError(f"{test}: {said[-2000:]}")
            status, said, more = timed([exe], LIMIT, cwd=ROOT, env={**os.environ, **sanitize.ENV})
            return status == 0 and not sanitize.REPORT.search(said), used + more

        status, said, used = timed([*cc, *cflags, f"-I{(ROOT / mutant.file).parent}", "-fPIC", "-c", "-o", out, source], LIMIT, cwd=ROOT)
        cpu += used
        if status != 0:
            raise RuntimeError(f"{mutant.name()}: {said[-2000:]}")
        for test in own:
            passed, used = run(test, [out])
            cpu += used
            if not passed and not run(test, [out])[0] and run(test, [])[0]:
                return f"asan {test.relative_to(ROOT)}", cpu
        return "", cpu

    def pytest(self, files, *options):
        env = {**os.environ, "GANTRY_MODELS": "golden rtl" if self.on_rtl else "golden", "PYTHONDONTWRITEBYTECODE": "1"}
        return timed([ROOT / "build/venv/bin/python", "-m", "pytest", "--rootdir", self.tree, *options, *files], LIMIT * 10, cwd=self.tree, env=env)

    def system(self, files, out):
        """The first of these tests that fails with the mutant, again when it is alone, and not without; "" when none does."""
        tests, main, cpu = self.tree / "tests", ROOT / "build/obj/host/cli/main.o", 0
        if not files:
            return "", cpu
        if not tests.exists():  # no symbolic link: they find the command from where they lie
            shutil.copytree(ROOT / "tests", tests, copy_function=os.link, ignore=shutil.ignore_patterns("__pycache__"))
        if files not in self.unfit:
            self.linked(main, [], self.gantry)
            status, said, cpu = self.pytest(files)
            if status == "no end":
                raise RuntimeError(f"{' '.join(files)}: no end without a change")
            self.unfit[files] = FAILED.findall(said)
            self.linked(main, [out], self.gantry)
        unfit = list(self.unfit[files])
        while True:
            status, said, used = self.pytest(files, "-x", *(f"--deselect={node}" for node in unfit))
            cpu += used
            if status == 0:
                return "", cpu
            if status == "no end":
                return f"{files[0]}: no end", cpu
            failed = FAILED.findall(said)
            if not failed:
                raise RuntimeError(said[-3000:])
            if self.pytest(failed)[0] != 0:
                return failed[0], cpu
            unfit += failed
