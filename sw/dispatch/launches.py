# SPDX-License-Identifier: Apache-2.0
"""Empty kernels on a GPU, launched by `gantry kernel --script`: target cycles from the doorbell to the completion signal of a launch whose code
object has been launched before, and lines through them."""
import pathlib
import re
import resource
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 3600  # seconds of a run; the first of a configuration builds its models
LAUNCH_CYCLES = (2870, 2920)  # S3.4: the constant of a kernel


def slope_of(waves):
    """S3.2, S3.3: cycles of a work-group of so many wavefronts."""
    return 4.0 if waves <= 4 else 1.03 * waves + 0.02


def code(folder, vgprs=4, lds=0):
    """The code object of empty.s with these resources."""
    out = pathlib.Path(folder) / f"empty_{vgprs}_{lds}.co"
    if not out.exists():
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-x", "assembler", f"-Wa,-defsym,VGPRS={vgprs}",
                        f"-Wa,-defsym,LDS={lds}", "-o", out, ROOT / "sw/dispatch/empty.s"], check=True)
    return out


def script(folder, launches, options=(), config="r9nano"):
    """Runs launches (code object, groups, wavefronts a group, times), one after another: (target cycles, CPU seconds)."""
    text = "launches:\n" + "".join(f"  - {{object: {co}, grid: {groups * waves * 64}, group: {waves * 64}, repeat: {times}}}\n"
                                   for co, groups, waves, times in launches)
    path = pathlib.Path(folder) / "launches.yaml"
    path.write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", config, "-q", *options, "--script", path], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr[-500:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(re.search(r"\bcycles=(\d+)", done.stderr.splitlines()[-1])[1]), cpu


def first_launch(folder, co, options=()):
    """Cycles of the first launch of a code object: nothing of it is in any cache or TLB."""
    return script(folder, [(co, 1, 1, 1)], options)[0]


def cycles(folder, co, groups, waves, first, options=()):
    """Cycles of a launch behind a first one, which took `first` with the same options."""
    return script(folder, [(co, 1, 1, 1), (co, groups, waves, 1)], options)[0] - first


def line(points):
    """(slope, constant, R^2) of the line of least squares through [(x, y)]."""
    n, mean_x, mean_y = len(points), sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    sxx = sum((x - mean_x) ** 2 for x, _ in points)
    syy = sum((y - mean_y) ** 2 for _, y in points)
    sxy = sum((x - mean_x) * (y - mean_y) for x, y in points)
    slope = sxy / sxx
    return slope, mean_y - slope * mean_x, 1.0 if n < 3 or not syy else sxy * sxy / (sxx * syy)
