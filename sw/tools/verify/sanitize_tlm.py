# SPDX-License-Identifier: Apache-2.0
"""What sw/tools/verify/sanitize.py runs of the SystemC modules (docs/systemc.md): programs of the tests with libgantry_tlm and the library in it, all of them built
by clang with the sanitizers; SystemC itself and the RTL models are not.  Not responsible for: what the programs print (tests/bridge/tlm, tests/host/tlm)."""
import functools
import shlex
import subprocess
import threading

from verify import sanitize

LAUNCH = "--grid 64 --group 64 --arg zero:256 --arg fill:1:256 --arg fill:2:256"
# Program, words: an L2 slice alone, a GPU without the host model, and one with it.
PROGRAMS = {
    "l2": ("bridge/tlm/l2_module", "200 140 promised -c smallest"),
    "far": ("host/tlm/far", "140 150 -c smallest"),
    "kernel": ("host/tlm/kernel", f"140 272 -c smallest // kernel -q build/kernels/vecadd.v4.co {LAUNCH}"),
    "bad command": ("host/tlm/kernel", f"140 272 -c smallest // kernel nowhere.co {LAUNCH}"),
}
WANTED = {"bad command": (66,)}
ONE = threading.Lock()  # cases run beside each other and want the same library


def compiler(kind):
    """Inputs of fuzzers do not come here."""
    return f"clang++-19 {sanitize.FLAGS[kind]}".replace(",fuzzer-no-link", "")


@functools.cache
def library(kind):
    """libgantry_tlm.so; None or the compiler's text."""
    done = sanitize.make(kind, f"CXX={compiler(kind)}", "EXTRA_CXXFLAGS=-O1 -gline-tables-only -fno-omit-frame-pointer -w", "systemc-files")
    return done.stdout if done.returncode else None


def program(kind, name):
    """None or what went wrong."""
    source, words = PROGRAMS[name]
    exe = sanitize.ROOT / f"build/{kind}/tests" / f"{source}-{name.split()[0]}"
    exe.parent.mkdir(parents=True, exist_ok=True)
    with ONE:
        wrong = library(kind)
    if wrong:
        return wrong
    folder = sanitize.ROOT / f"build/{kind}/lib"
    cmd = [*shlex.split(compiler(kind)), "-std=gnu++17", "-O1", "-gline-tables-only", "-w", "-fuse-ld=lld", "-I.", "-Ihost", "-Ibridge", "-Ibuild/gen", "-o", exe,
           f"tests/{source}.cpp", f"-L{folder}", f"-Wl,-rpath,{folder}", "-lgantry_tlm", "-lsystemc"]
    done = subprocess.run(cmd, cwd=sanitize.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        return done.stdout
    subprocess.run(["make", "-s", "build/kernels/vecadd.v4.co"], cwd=sanitize.ROOT, check=True)
    return sanitize.judged([exe, *words.split()], WANTED.get(name, (0,)), {"GANTRY_MODEL_OPT": "-O0"})


def cases(kind):
    return [(f"tlm {name}", lambda n=name: program(kind, n)) for name in PROGRAMS]
