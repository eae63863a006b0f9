# SPDX-License-Identifier: Apache-2.0
"""libgantry against the command: the same final line, the same refusals, machines in threads, a recording replayed; its header and libraries as
other programs see them: compiled by several compilers, linked outside of the tree through pkg-config, from Python."""
import functools
import os
import re
import shutil
import subprocess
import sys
import threading

import library
import pytest
from library import GOLDEN, ROOT, RTL, Machine, Refused, Summary, call, options

sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_library  # noqa: E402

GANTRY = ROOT / "build/bin/gantry"
LIMIT = 600
N = 512
WORDS, TWICE = f"zero:{4 * N}", f"fill:3:{8 * N}"
# kernel: grid, group (None: its own), arguments
KERNELS = {
    "bench_copy": ([N], [64], [f"zero:{16 * N}", f"fill:5:{16 * N}", f"u32:{N}", "u32:1"]),
    "bench_fir": ([N], [64], [WORDS, TWICE, TWICE]),
    "bench_fma": ([N], [64], [WORDS, "u32:20"]),
    "bench_fp64": ([N], [64], [f"zero:{8 * N}", "u32:10"]),
    "bench_hash": ([N], [64], [WORDS, TWICE, "u32:10"]),
    "bench_int": ([N], [64], [WORDS, "u32:20"]),
    "bench_matmul": ([32, 32], None, ["zero:4096", "fill:60:4096", "fill:61:4096", "u32:32"]),
    "bench_mem": ([N], [64], [WORDS, TWICE, "u32:511", "u32:8"]),
    "bench_reread": ([N], [64], [WORDS, TWICE, "u32:511", "u32:8"]),
    "bench_sleep": ([N], [64], [WORDS, "u32:2"]),
    "blur": ([32, 16], [16, 16], ["zero:512", "fill:77:512", "i32:32", "i32:16"]),
    "grid3d": ([8, 8, 8], [4, 4, 4], [WORDS]),
    "hash": ([N], [64], [WORDS, TWICE]),
    "histogram": ([N], [256], ["zero:1024", "fill:9:4096", "u32:4096"]),
    "matmul": ([32, 32], None, ["zero:4096", "fill:60:4096", "fill:61:4096", "u32:32"]),
    "mix64": ([N], [64], [f"zero:{8 * N}", f"fill:7:{8 * N}", "u64:81985529216486895"]),
    "nbody": ([64], [64], ["zero:2048", "fill:63:2048", "u32:64", "f64:0.5"]),
    "pack": ([N], [64], [WORDS, TWICE, TWICE, TWICE, "i16:-3"]),
    "real64": ([N], [64], [f"zero:{64 * N}", f"zero:{64 * N}", f"zero:{64 * N}", f"fill:64:{8 * N}", f"u32:{N}"]),
    "reduction": ([N], [64], ["zero:64", TWICE, f"u32:{N}", "lds:256", "lds:256"]),
    "saxpy": ([N], [64], [WORDS, TWICE, "f32:1.5"]),
    "transpose": ([32, 32], None, ["zero:4096", "fill:6:4096", "u32:32", "u32:32"]),
    "vecadd": ([N], [64], [WORDS, TWICE, TWICE]),
}
RTL_BY_DAY = ["vecadd"]
CONFIG = {GOLDEN: "tiny", RTL: "smallest"}


@functools.cache
def code(name):
    path = ROOT / f"build/kernels/{name}.v4.co"
    subprocess.run(["make", "-s", path.relative_to(ROOT)], cwd=ROOT, check=True)
    return path


@pytest.fixture(scope="module", autouse=True)
def built():
    subprocess.run(["make", "-s", "lib-files"], cwd=ROOT, check=True)
    code("vecadd")


def words(name):
    grid, group, specs = KERNELS[name]
    shape = ["--grid", ",".join(map(str, grid)), *(["--group", ",".join(map(str, group))] if group else [])]
    return [code(name), *shape, *(w for spec in specs for w in ("--arg", spec))]


def command(*options_and_words):
    done = subprocess.run([GANTRY, *options_and_words], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    return done.returncode, done.stderr


def final(text):
    last = dict(word.split("=") for word in text.splitlines()[-1].removeprefix("gantry: ").split())
    return {key: last[key] for key in ("gpus", "kernels", "cycles", "instructions", "hash", "data", "counters", "now")}


def compared(name, model):
    status, text = command("kernel", "-c", CONFIG[model], "--model", "golden" if model == GOLDEN else "rtl", "-q", *words(name))
    assert status == 0, text
    machine = Machine(CONFIG[model], model)
    machine.run(code(name), *KERNELS[name])
    have = machine.summary()
    machine.close()
    assert have == final(text)


@pytest.mark.parametrize("name", KERNELS)
def test_final_line_of_the_golden_model(name):
    compared(name, GOLDEN)


@pytest.mark.parametrize("name", RTL_BY_DAY)
def test_final_line_of_the_rtl(name):
    compared(name, RTL)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [k for k in KERNELS if k not in RTL_BY_DAY])
def test_final_line_of_the_rtl_of_the_others(name):
    compared(name, RTL)


def test_two_machines_in_threads_on_the_rtl():
    """Each alone, then both at once: other kernels, the same figures."""
    work = {"vecadd": None, "bench_int": None}

    def run(name):
        machine = Machine(CONFIG[RTL], RTL)
        machine.run(code(name), *KERNELS[name])
        work[name] = machine.summary()
        machine.close()
    for name in work:
        run(name)
    alone = dict(work)
    threads = [threading.Thread(target=run, args=(name,)) for name in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert work == alone and alone["vecadd"]["hash"] != alone["bench_int"]["hash"]


REFUSED = {
    "unknown key": (["--set", "gpu.cu.cuont=4"], ["gpu.cu.cuont=4"], {}),
    "rule between keys": (["--set", "gpu.l2.slices=3"], ["gpu.l2.slices=3"], {}),
    "arguments": ([], [], {"specs": ["zero:4"]}),
    "a value for a buffer": ([], [], {"specs": ["u32:4", "zero:4", "zero:4"]}),
    "no input file": ([], [], {"specs": ["in:/nowhere", "zero:4", "zero:4"]}),
    "no memory": ([], [], {"specs": ["zero:32G", "zero:4", "zero:4"]}),
    "a group that is too large": ([], [], {"group": [4096], "grid": [4096]}),
    "a fault": ([], [], {"specs": ["u64:4096", "zero:2048", "zero:2048"]}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_as_by_the_command(what):
    given, settings, changed = REFUSED[what]
    grid, group, specs = (changed.get(key, old) for key, old in zip(("grid", "group", "specs"), KERNELS["vecadd"]))
    shape = ["--grid", str(grid[0]), "--group", str(group[0])]
    status, text = command("kernel", "-c", "tiny", "--model", "golden", "-q", *given, code("vecadd"), *shape, *(w for s in specs for w in ("--arg", s)))
    with pytest.raises(Refused) as refused:
        Machine("tiny", GOLDEN, settings).run(code("vecadd"), grid, group, specs)
    exits = {-10: 64, -20: 65, -21: 65, -22: 65, -30: 66, -50: 74, -60: 75, -70: 76}
    assert refused.value.args[1] == text.splitlines()[0] and exits[refused.value.args[0]] == status, (refused.value, text)


def test_a_recording_is_replayed(tmp_path):
    """The figures of the command's replay; a recording that is none is refused as by the command."""
    status, text = command("kernel", "-c", CONFIG[RTL], "-q", "--record", tmp_path / "r", *words("vecadd"))
    assert status == 0, text
    found = Summary()
    rtl = library.ctypes.byref(options(RTL))
    call("gantry_replay", str(tmp_path / "r").encode(), None, 0, rtl, library.ctypes.byref(found))
    status, text = command("replay", "-q", tmp_path / "r")
    assert status == 0 and found.line() == final(text), (found.line(), text)
    status, text = command("replay", tmp_path)
    with pytest.raises(Refused) as refused:
        call("gantry_replay", str(tmp_path).encode(), None, 0, rtl, None)
    assert status and refused.value.args[1] == text.rstrip("\n")
    setting = "gpu.cu.count=2"
    status, text = command("replay", "--set", setting, tmp_path / "r")
    with pytest.raises(Refused) as refused:
        call("gantry_replay", str(tmp_path / "r").encode(), (library.ctypes.c_char_p * 1)(setting.encode()), 1, rtl, None)
    assert status == 64 and refused.value.args == (-10, text.rstrip("\n"))
    with pytest.raises(Refused) as refused:
        call("gantry_replay", str(tmp_path / "r").encode(), None, 0, library.ctypes.byref(options(GOLDEN)), None)
    assert "a replay is one of the RTL" in refused.value.args[1]


def test_warnings_are_told_by_the_machine(tmp_path):
    """Nothing of a machine comes on stderr: neither a fault nor a report of several lines."""
    script = tmp_path / "quiet.py"
    script.write_text(f"""
import sys
sys.path.insert(0, {str(ROOT / 'tests/system')!r})
from library import GOLDEN, Machine, Refused
try:
    Machine("tiny", GOLDEN).run({str(code('vecadd'))!r}, [64], [64], ["u64:4096", "zero:256", "zero:256"])
except Refused as refused:
    print(refused.args[1])
""")
    done = subprocess.run([sys.executable, script], cwd="/", capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stdout.startswith("gantry: vecadd: gpu0: memory fault") and not done.stderr, done


# ---- as other programs see it
@pytest.mark.parametrize("compiler", [["gcc", "-x", "c", "-std=c99"], ["gcc", "-x", "c", "-std=c11"], ["g++", "-x", "c++", "-std=c++11"],
                                      ["clang-19", "-x", "c", "-std=c99"], ["clang++-19", "-x", "c++", "-std=c++20"]], ids=" ".join)
def test_header_alone(compiler):
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", ROOT / "host/lib/gantry.h"], cwd="/", check=True)


@pytest.mark.shows("S4.13")
def test_interface_is_as_written_down(tmp_path):
    """check_library.py (in lint) finds nothing, and each kind of change."""
    assert check_library.findings() == []
    text = (ROOT / "host/lib/gantry.h").read_text()
    changes = {"a member before others": ("    int model;           /* enum", "    int more;\n    int model;           /* enum"),
               "another type": ("int gantry_now(struct gantry_machine *machine, uint64_t", "int gantry_now(struct gantry_machine *machine, uint32_t"),
               "another value": ("GANTRY_STOPPED = 1,", "GANTRY_STOPPED = 2,"),
               "a function that is not exported": ("GANTRY_API void gantry_object_free(", "GANTRY_API int gantry_more(void);\nGANTRY_API void gantry_object_free(")}
    for what, (old, new) in changes.items():
        assert text.count(old) == 1, what
        header = tmp_path / "gantry.h"
        header.write_text(text.replace(old, new))
        assert check_library.findings(header=header), what


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["make", "-s", "install-library", f"PREFIX={folder}"], cwd=ROOT, check=True)
    return folder


def package(prefix, *words_):
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    return subprocess.run(["pkg-config", *words_, "gantry"], env=env, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("how", ["shared", "static"])
def test_example_in_c_outside_of_the_tree(prefix, tmp_path, how):
    """The installed header and libraries, found by pkg-config; the program finds the configurations by GANTRY_FILES."""
    shutil.copy(ROOT / "sw/library/vecadd.c", tmp_path)
    shutil.copy(code("vecadd"), tmp_path / "vecadd.co")
    flags = package(prefix, "--cflags", "--libs") if how == "shared" else package(prefix, "--cflags", "--libs", "--static")
    if how == "static":
        flags = [str(prefix / "lib/libgantry.a") if flag == "-lgantry" else flag for flag in flags]
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "vecadd.c", "-o", "vecadd", *flags, f"-Wl,-rpath,{prefix}/lib"], cwd=tmp_path, check=True)
    done = subprocess.run(["./vecadd", "vecadd.co"], cwd=tmp_path, env={**os.environ, "GANTRY_FILES": str(ROOT)}, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stdout.startswith("vecadd: 400 instructions in 16 wavefronts") and not done.stderr, done
    done = subprocess.run(["./vecadd", "nothing.co"], cwd=tmp_path, env={**os.environ, "GANTRY_FILES": str(ROOT)}, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1 and done.stderr == "gantry: nothing.co: No such file or directory\n", done
    linked = subprocess.run(["ldd", "./vecadd"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert ("libgantry.so.1" in linked) == (how == "shared"), linked


def test_example_in_python(prefix, tmp_path):
    done = subprocess.run([sys.executable, ROOT / "sw/library/vecadd.py", prefix / "lib/libgantry.so", code("vecadd")], cwd=tmp_path,
                          env={**os.environ, "GANTRY_FILES": str(ROOT)}, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and done.stdout == "vecadd: all sums are right\n", done
    assert len((ROOT / "sw/library/vecadd.py").read_text().splitlines()) <= 50


def test_versions_agree(prefix):
    version = package(prefix, "--modversion")[0]
    assert library.load(prefix / "lib/libgantry.so").gantry_library_version().decode() == version
    found = subprocess.run(["readelf", "-d", prefix / "lib/libgantry.so"], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"soname: \[libgantry\.so\.{version.split('.')[0]}\]", found)
