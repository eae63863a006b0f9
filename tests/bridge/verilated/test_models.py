# SPDX-License-Identifier: Apache-2.0
"""The model builder as the command uses it: no Python at a start that changes nothing, asked again when a source did;
a changed parameter changes the key of those models alone that read it; no model of the smallest machine builds with a
warning; tools that are missing and sources that do not build end the command with one line and exit 70; a build that is
ended leaves no process and no half of a library."""
import argparse
import errno
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from processes import Terminal, holding, names, programs, within

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from builder import models  # noqa: E402

CODE = "build/kernels/vecadd.v4.co"
KINDS = ["cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch"]
SOURCE = ROOT / "rtl/rdma/rdma.sv"


COMMAND = [ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", CODE, "--grid", "64", "--group", "64", "--arg", "zero:256",
           "--arg", "fill:1:256", "--arg", "fill:2:256"]


def kernel(**env):
    done = subprocess.run(COMMAND, cwd=ROOT, env=dict(os.environ, **env), capture_output=True, text=True, timeout=800)
    return done.returncode, done.stderr


@pytest.fixture(scope="module", autouse=True)
def warm():
    subprocess.run(["make", "-s", CODE], cwd=ROOT, check=True)
    status, err = kernel()
    assert status == 0, err


@pytest.fixture
def touched():
    """A source of the model whose time, not its text, is another."""
    before = SOURCE.stat()
    os.utime(SOURCE)
    yield
    os.utime(SOURCE, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_start_without_change_runs_no_python(tmp_path):
    status, err = kernel(PATH=str(tmp_path))
    assert status == 0 and err.count("\n") == 1, err


def test_the_models_build_without_warnings():
    """The smallest parameters are where widths go wrong; a warning does not stop a user's build.  With the assertions, as every test."""
    constants = subprocess.run([ROOT / "build/bin/gantry", "config", "-c", "tiny", "--sv"], capture_output=True, text=True, check=True).stdout
    done = subprocess.run(["python3", "sw/tools/builder/models.py", "--check", *[f"--set={c}" for c in constants.split()], *KINDS], cwd=ROOT, capture_output=True,
                          text=True, check=True)
    libraries = [pathlib.Path(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(libraries) == len(KINDS)
    for library in libraries:
        assert "%Warning" not in (library.parent / "build.log").read_text(), library


def test_a_changed_source_is_looked_at(tmp_path, touched):
    status, err = kernel(PATH=str(tmp_path))
    assert (status, err) == (70, "gantry: models: python3: No such file or directory\n")
    status, err = kernel()
    assert status == 0 and err.count("\n") == 1, err  # same text, same library


def test_a_model_that_does_not_build():
    status, err = kernel(GANTRY_MODEL_DEFINES="GANTRY_CU_FAULT=(")
    lines = [line for line in err.splitlines() if not line.startswith("gantry: building model ")]
    assert status == 70 and len(lines) == 1 and lines[0].startswith("gantry: models: cu: does not build: "), err
    assert "cu_pkg.sv" in lines[0], err


def test_an_environment_without_its_modules(tmp_path, touched):
    """A Python that lacks PyYAML: what a tree without build/venv has on a bare machine."""
    (tmp_path / "yaml.py").write_text("raise ModuleNotFoundError(\"No module named 'yaml'\", name='yaml')\n")
    status, err = kernel(PYTHONPATH=str(tmp_path))
    assert (status, err) == (70, "gantry: models: Python module yaml is missing: run sw/tools/builder/bootstrap.sh\n")


@pytest.mark.parametrize("count, step", [(1, ""), (2, ""), (2, "1")])
def test_a_long_build_says_that_it_lives(count, step):
    """Without a terminal; within a step of make, which says so itself, only what begins and ends."""
    plan = "type('P', (), dict(kind='{}', sources=[], command=lambda self, jobs: ['sleep', '1'], built=lambda self, status, text: None))()"
    code = f"from builder import models; models.QUIET = 0.3; models.build_each([{', '.join(plan.format(kind) for kind in ('cu', 'l2')[:count])}])"
    env = {k: v for k, v in os.environ.items() if k != "GANTRY_STEP"} | ({"GANTRY_STEP": step} if step else {})
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "sw/tools", env=env, capture_output=True, text=True, check=True)
    if count == 1:
        assert re.fullmatch(r"gantry: building model cu \(1 of 1\) \.\.\.\.+ \d s\n", done.stderr), done.stderr
    else:
        lines = done.stderr.splitlines()
        assert ("gantry: building model cu, l2 ... 0 s so far" in lines) == (step == "") and sum("so far" not in line for line in lines) == 4, lines


@pytest.mark.parametrize("there, board, opt, taken", [({"-O3"}, False, "-O3 or -O0", "-O3"), (set(), False, "-O3 or -O0", "-O0"), ({"-O0"}, False, "-O3 or -O0", "-O0"),
                                                     (set(), True, "-O3 or -O0", "-O3"), ({"-O3"}, False, "-O1", "-O1")])
def test_what_is_built_already_is_taken(there, board, opt, taken, monkeypatch):
    """Of levels of optimization; what is not there is built at the last, but a board at the first."""
    class Plan:
        def __init__(self, kind, args, settings):
            self.opt = args.opt

        def done(self):
            return self.opt in there

    monkeypatch.setattr(models, "Plan", Plan)
    monkeypatch.setattr(models, "Board", Plan)
    assert models.plan_of("cu", argparse.Namespace(board=board, opt=opt, set=[])).opt == taken


def remains(build, pids):
    """What a build that was under way may leave: library, what it is made from, objects on their way into the cache."""
    folders = [ROOT / "build/models" / build, ROOT / "build/models/generated" / build]
    return [f for f in folders if f.exists()] + [f for pid in pids for f in (ROOT / "build/obj/verilated").glob(f"*.{pid}")]


@pytest.mark.parametrize("way", ["terminal", "signal", "killed", "builder"])
@pytest.mark.parametrize("stage", ["verilator_bin", "clang"])
def test_a_build_is_ended(stage, way):
    """Ctrl-C on the terminal, SIGTERM to the command, SIGKILL of the command and of the builder; while Verilator runs and while compilers do."""
    mark = f"GANTRY_MODEL_DEFINES=FarPorts={os.getpid()}"  # only the RDMA engine has this word: one small model
    env = dict(os.environ, **dict([mark.split("=", 1)]))

    terminal = Terminal(COMMAND, cwd=ROOT, env=env)
    assert within(120, lambda: stage in programs(holding(mark))), terminal.process.poll()
    pids = holding(mark)
    build = re.search(r"build/models/(rdma_test-[\w-]+)", "\n".join(names(pids)))[1]
    begin = time.monotonic()
    if way == "terminal":
        terminal.ctrl_c()
    elif way == "builder":
        builder, = [int(text.split(":")[0]) for text in names(pids) if "models.py" in text and os.getsid(int(text.split(":")[0])) != int(text.split(":")[0])]
        os.kill(builder, signal.SIGKILL)
    else:
        terminal.process.send_signal(signal.SIGTERM if way == "signal" else signal.SIGKILL)
    status = terminal.process.wait(10)
    assert within(1.0, lambda: not holding(mark)) is True, names(holding(mark))
    seconds = time.monotonic() - begin
    text = terminal.wait(10)[1]
    assert status == {"terminal": 130, "signal": 143, "killed": -9, "builder": 70}[way] and seconds < 1.0, (status, seconds, text)
    if way == "builder":  # who tidies up: the next build of this library, which knows that it was not finished
        assert "the builder of the RTL models was ended" in text and [f.name for f in remains(build, pids)] == [build] * 2
        assert (ROOT / "build/models/generated" / build / "unfinished").exists()
        for folder in remains(build, pids):
            shutil.rmtree(folder)
        return
    assert "building model rdma (1 of 1) ..." in text and " stopped\r\n" in text and "Traceback" not in text, text
    assert remains(build, pids) == []


@functools.cache
def folders(*settings):
    """Kind -> folder in which its model is kept with these settings beside those of the smallest machine; nothing is built."""
    command = [ROOT / "build/bin/gantry", "config", "-c", "tiny", *(w for s in settings for w in ("--set", s)), "--sv"]
    constants = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    args = argparse.Namespace(cc="clang", trace=False, observe=False, check=False, std_x=False, coverage=False, define=[], opt="-O3")
    return {kind: models.Plan(kind, args, constants).folder for kind in KINDS}


@pytest.mark.parametrize("setting, kinds", [("gpu.l2.kib_per_slice=128", {"l2"}), ("gpu.rdma.outstanding=128", {"rdma"}), ("gpu.cu.lds_kib=32", {"cu", "dispatch"}),
                                            ("clock.patience=3", set())])
def test_a_changed_parameter_rebuilds_only_what_it_must(setting, kinds):
    """Issue 3, point 1.  A model is kept under a key of what its partition reads."""
    before, after = folders(), folders(setting)
    assert {kind for kind in KINDS if before[kind] != after[kind]} == kinds


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_is_read_is_in_the_key(kind):
    """What Verilator says that it has read for the model of the last start: texts included by a path, too."""
    log = max(models.MODELS.glob(f"{kind}-*/V*__ver.d"), key=lambda p: p.stat().st_mtime)
    read = {m[1] for word in log.read_text().split() if (m := re.search(r"/(rtl/(?:\w+/)+\w+\.svh?)$", "/" + os.path.normpath(word)))}
    args = argparse.Namespace(cc="clang", trace=False, observe=False, check=False, std_x=False, coverage=False, define=[], opt="-O3")
    plan = models.Plan(kind, args, [])
    key = {str(p.relative_to(ROOT)) for p in [*plan.sources, *plan.headers]} | set(models.FIXED)
    assert read and read - key == set()


@pytest.fixture
def linked(tmp_path, monkeypatch):
    """A plan whose library is linked in no time, and how often that was."""
    monkeypatch.setattr(models, "MODELS", tmp_path)
    args = argparse.Namespace(cc="clang", trace=False, observe=False, check=False, std_x=False, coverage=False, define=[], opt="-O3")
    plan = models.Plan("rdma", args, [])
    links = []

    def link(count, most, begin, ended, waiting=None):
        for i in range(count):
            cmd = begin(i)
            if not (plan.folder / ".key").exists():
                links.append(cmd)
                (plan.folder / f"V{plan.top}___024root.cpp").write_text("region trigger index 0 is active: @(posedge clk_i)")
                plan.library.write_text("linked")
                (plan.folder / ".key").touch()
            ended(i, 0, "")
    monkeypatch.setattr(models.build_process, "run_each", link)
    return plan, links


DAMAGES = {
    "cut": lambda library: os.truncate(library, 3),
    "flipped": lambda library: library.write_bytes(b"lhnked"),
    "foreign": lambda library: library.write_bytes(b"another"),
    "writable": lambda library: library.chmod(0o664),
    "folder": lambda library: library.parent.chmod(0o777),
    "seal": lambda library: models.model_cache.sum_of(library).write_text("0"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_library_is_built_anew(linked, what, capsys):
    """Told in one line, and linked again from nothing; what is whole is not."""
    plan, links = linked
    models.build_all([plan])
    models.build_all([plan])
    assert plan.done() and len(links) == 1
    DAMAGES[what](plan.library)
    assert not plan.done()
    capsys.readouterr()
    models.build_all([plan])
    assert plan.done() and len(links) == 2 and plan.library.read_text() == "linked"
    assert capsys.readouterr().err.count(f"gantry: models: {plan.library}: ") == 1
    assert not plan.folder.stat().st_mode & 0o022


def test_a_library_without_a_seal_gets_one(linked):
    """Of an earlier version."""
    plan, links = linked
    models.build_all([plan])
    models.model_cache.sum_of(plan.library).unlink()
    assert not plan.done()
    models.build_all([plan])
    assert plan.done() and len(links) == 1


def test_a_build_that_lost_its_power(linked, monkeypatch):
    """What was linked before the machine started anew may not be on the disk: not taken, unlike that of a build which was killed."""
    plan, links = linked

    def end():
        raise models.build_process.Ended(signal.SIGKILL)
    with monkeypatch.context() as patch:
        patch.setattr(plan, "rewrite", end)
        with pytest.raises(models.build_process.Ended):
            models.build_process.run_each(1, 2, lambda i: plan.command(2), lambda i, *result: plan.built(*result))
    monkeypatch.setattr(models.model_cache, "boot", lambda: "another")
    models.build_all([plan])
    assert plan.done() and len(links) == 2


def test_what_is_sealed_is_on_the_disk(linked, monkeypatch):
    """Library, its name, seal, its name: each is written before the next is begun."""
    plan, _ = linked
    steps = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (steps.append(("sync", pathlib.Path(f"/proc/self/fd/{fd}").resolve().name.split(".sum.")[0])), fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda a, b: (steps.append(("rename", pathlib.Path(b).name)), replace(a, b)))
    models.build_all([plan])
    folder, name = plan.folder.name, plan.library.name
    assert steps == [("sync", "library.fresh"), ("rename", name), ("sync", folder), ("sync", name), ("sync", name), ("rename", f"{name}.sum"), ("sync", folder)]


def test_a_damaged_profile_is_not_used(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(models, "PROFILE", tmp_path / "profile.profdata")
    assert not models.profile_fits()
    models.PROFILE.write_bytes(b"counts")
    models.model_cache.seal(models.PROFILE)
    assert models.profile_fits() and capsys.readouterr().err == ""
    models.PROFILE.write_bytes(b"countz")
    assert not models.profile_fits() and capsys.readouterr().err.count("it is damaged (check sum)") == 1


def test_whose_cache(tmp_path, monkeypatch):
    """The tree's where it may be written, else one of the user's own, of which the first that can be is taken."""
    cache, may = models.model_cache, set()
    monkeypatch.setattr(cache, "creatable", lambda path: path in may)
    monkeypatch.setenv("HOME", "/home/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.delenv("GANTRY_MODEL_CACHE", raising=False)
    for place in (f"/var/tmp/gantry-models-{os.geteuid()}", "/home/a/.cache/gantry/models", "/x/gantry/models", str(cache.SHARED)):
        may.add(pathlib.Path(place))
        assert str(cache.folder()) == place
    monkeypatch.setenv("GANTRY_MODEL_CACHE", "/named")
    assert str(cache.folder()) == "/named"
    monkeypatch.undo()
    assert cache.creatable(tmp_path / "a/b") and not cache.creatable("/etc/passwd/b")


def flip(library):
    """One bit of what is executed."""
    data = bytearray(library.read_bytes())
    data[len(data) // 2] ^= 4
    library.write_bytes(data)


FOREIGN = '#include <stdio.h>\n__attribute__((constructor)) static void c(void) { fputs("foreign code\\n", stderr); }\n'


@pytest.mark.nightly
@pytest.mark.parametrize("what", ["foreign", "cut", "empty", "flipped"])
def test_a_run_heals_a_damaged_library(tmp_path, what):
    """In a copy of the cache, with the builder as it is: the same result as before, and nothing of the damaged file has run.
    By day: tests/bridge/verilated/test_library.c, and above without a compiler."""
    cache = tmp_path / "cache"
    subprocess.run(["cp", "-a", ROOT / "build/models", cache], check=True)
    shutil.rmtree(cache / "stamps")
    status, err = kernel(GANTRY_MODEL_CACHE=str(cache))
    assert status == 0, err
    before = re.search(r"hash=\w+ data=\w+ counters=\w+", err)[0]
    stamp, = (cache / "stamps").iterdir()
    library = pathlib.Path(re.search(r"^out rdma (.*)$", stamp.read_text(), re.M)[1])
    if what == "foreign":
        (tmp_path / "x.c").write_text(FOREIGN)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "x.c"], check=True)
    else:
        {"cut": lambda: os.truncate(library, 100000), "empty": lambda: os.truncate(library, 0), "flipped": lambda: flip(library)}[what]()
    status, err = kernel(GANTRY_MODEL_CACHE=str(cache))
    assert status == 0 and before in err and "foreign code" not in err, err
    assert f"gantry: models: {library}: it is damaged (check sum); it is built anew" in err and "building model rdma" in err, err


def test_a_library_is_taken_when_it_was_rewritten(linked, monkeypatch):
    """Ended between link and rewrite: the next start finishes it, and links nothing."""
    plan, links = linked

    def end():
        raise models.build_process.Ended(signal.SIGKILL)
    with monkeypatch.context() as patch:
        patch.setattr(plan, "rewrite", end)
        with pytest.raises(models.build_process.Ended):
            models.build_process.run_each(1, 2, lambda i: plan.command(2), lambda i, *result: plan.built(*result))
    assert not plan.done()
    before = plan.library.stat().st_ino
    models.build_all([plan])
    assert plan.done() and len(links) == 1 and plan.library.stat().st_ino != before


def test_no_room_to_rewrite(linked, monkeypatch):
    """The library stays as it was linked and the run goes on; the next start tries again."""
    plan, links = linked

    def copy(source, to):
        to.write_text("lin")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), to)
    with monkeypatch.context() as patch:
        patch.setattr(models.shutil, "copy", copy)
        models.build_all([plan])
    assert plan.library.read_text() == "linked" and not plan.done() and not (plan.folder / "library.fresh").exists()
    models.build_all([plan])
    assert plan.library.read_text() == "linked" and plan.done() and len(links) == 1


def test_a_cache_that_cannot_be_written():
    """74, what is wrong and what to do, for both commands."""
    line = "gantry: models: /proc/nowhere: No such file or directory; make room or let GANTRY_MODEL_CACHE name a folder of yours for models\n"
    assert kernel(GANTRY_MODEL_CACHE="/proc/nowhere") == (74, line)
    subprocess.run(["make", "-s", "build/apps/vecadd"], cwd=ROOT, check=True)
    done = subprocess.run([ROOT / "build/bin/gantry", "run", "-c", "tiny", "-q", "--", "build/apps/vecadd"], cwd=ROOT, capture_output=True, text=True,
                          env=dict(os.environ, GANTRY_MODEL_CACHE="/proc/nowhere"), timeout=100)
    assert done.returncode == 74 and line in done.stderr and "no GPU work" not in done.stderr, done.stderr


def test_a_cache_elsewhere(tmp_path):
    """GANTRY_MODEL_CACHE: libraries and stamps are there, and the next start finds them without Python."""
    cache = tmp_path / "mine"
    subprocess.run(["cp", "-r", ROOT / "build/models", cache], check=True)
    (cache / "stamps").rename(cache / "none")
    assert kernel(GANTRY_MODEL_CACHE=str(cache))[0] == 0 and list((cache / "stamps").iterdir())
    status, err = kernel(GANTRY_MODEL_CACHE=str(cache), PATH=str(tmp_path))
    assert status == 0 and err.count("\n") == 1, err


def test_old_libraries_go_when_the_cache_is_too_large(tmp_path, monkeypatch):
    """The ones used longest ago, until the others take no more than the limit; never one that this run uses."""
    monkeypatch.setattr(models, "MODELS", tmp_path)
    monkeypatch.setattr(models, "KEEP_GIB", 3500 / 2**30)
    for age, name in enumerate(["cu-a", "l2-b", "cu-c", "noc_test-d", "cu-e"]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "V").write_bytes(bytes(1000))
        os.utime(tmp_path / name, (1000 + age, 1000 + age))
    (tmp_path / "stamps").mkdir()
    models.sweep({tmp_path / "cu-a"})
    assert {p.name for p in tmp_path.iterdir()} == {"cu-a", "noc_test-d", "cu-e", "stamps"}
    monkeypatch.setattr(models, "KEEP_GIB", 0)
    models.sweep({tmp_path / "cu-a"})
    assert {p.name for p in tmp_path.iterdir()} == {"cu-a", "stamps"}
