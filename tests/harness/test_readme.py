# SPDX-License-Identifier: Apache-2.0
"""What README, documents and help show to be typed works as printed, in the tree's root, and leaves nothing there: what it makes goes below
build/ (of a test into a folder of its own; the commands are the same)."""
import os
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_tree  # noqa: E402

MADE = re.compile(r"\bbuild/(?!(?:bin|cuda|kernels|apps)/)")  # what the examples make, not what make does
GANTRY = ROOT / "build/bin/gantry"


def blocks(page):
    """Fenced blocks, and indented ones behind an empty line."""
    text = (ROOT / page).read_text()
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S) + [re.sub("^    ", "", b, flags=re.M) for b in re.findall(r"\n\n((?:    .*\n)+)", text)]


def typed(page, *words):
    """The one block with these words."""
    found = [b for b in blocks(page) if all(w in b for w in words)]
    assert len(found) == 1, (page, words)
    return found[0]


def run(folder, script, drop=("GANTRY_MODEL_CHECK",), **more):
    """As a user: models without assertions; by day compiled in half the time."""
    env = {k: v for k, v in os.environ.items() if k not in (*drop, "GANTRY_STEP", "V", "MAKEFLAGS")}
    if os.environ.get("GANTRY_NIGHTLY") != "1":
        env.setdefault("GANTRY_MODEL_OPT", "-O0")
    done = subprocess.run(["bash", "-ec", MADE.sub(f"{folder}/", script)], cwd=ROOT, env={**env, **more}, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done
    assert check_tree.findings() == [], "what it leaves in the tree"
    return done


def final(text):
    return re.findall(r"^gantry: gpus=.* (hash=\w+) (data=\w+)", text, re.M)


def test_readme_own_program_its_recording_and_its_checkpoint(tmp_path):
    first = run(tmp_path, typed("README.md", "hipcc ", "build/mine\n"))
    assert "vecadd: PASSED" in first.stdout and {"run.json", "metrics.sqlite", "kernels.csv"} <= {p.name for p in (tmp_path / "result").iterdir()}
    again = run(tmp_path, typed("README.md", "--record ", "replay", "restore"))
    assert final(first.stderr) * 3 == final(again.stderr), again


def test_cuda_program(tmp_path):
    done = run(tmp_path, typed("README.md", "gantry-nvcc "))
    assert re.sub(" +#.*", "", typed("docs/cuda.md", "gantry-nvcc ")) == typed("README.md", "gantry-nvcc ")
    assert len(final(done.stderr)) == 1 and "FAILED" not in done.stdout, done


def test_readme_kernel_without_rocm(tmp_path):
    run(tmp_path, typed("README.md", "gantry kernel"))
    a, b, c = (struct.unpack("<1024I", (tmp_path / f"{name}.bin").read_bytes()) for name in "abc")
    assert len(set(a)) > 1000 and [(x + y) % 2**32 for x, y in zip(a, b)] == list(c)


def used(text):
    """Cycles of each kernel `use`."""
    return [int(cycles) for cycles in re.findall(r"^ +1 +\d+ +use +1 +\d+,1,1 +256,1,1 +\d+ +\d+ +(\d+) ", text, re.M)]


def test_readme_pages_that_move(tmp_path):
    """By day a quarter of the memory on GPUs of 4 CUs, which gain less, of the models that the tests share."""
    script = typed("README.md", "pages_turns")
    assert script.count("-c r9nano-2gpu") == script.count(" 1024 ") == 2
    if day := os.environ.get("GANTRY_NIGHTLY") != "1":
        script = script.replace("-c r9nano-2gpu", "-c demo").replace(" 1024 ", " 256 ")
    done = run(tmp_path, script, drop=() if day else ("GANTRY_MODEL_CHECK",))
    without, moved = used(done.stderr)
    assert done.stdout.count("reuse: PASSED") == 2 and len({data for _, data in final(done.stderr)}) == 1
    assert moved < (0.9 if day else 0.25) * without
    if not day:
        text = (ROOT / "README.md").read_text()
        assert f"{without:,} cycles" in text and f"in {moved:,} with a policy" in text


def test_first_run_of_the_reference(tmp_path):
    run(tmp_path, typed("docs/reference/cli.md", "make all kernels"))
    assert (tmp_path / "sum.bin").read_bytes() == b"\3" * 256


def test_readme_names_targets_that_are_there():
    named = set(re.findall(r"`make ([a-z-]+)", (ROOT / "README.md").read_text())) | set(re.findall(r"^make ([a-z-]+)", (ROOT / "README.md").read_text(), re.M))
    there = {line.split()[0] for line in subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()}
    assert len(named) > 6 and named <= there


def test_help(tmp_path):
    """Those without a placeholder, by the golden model."""
    shown = subprocess.run([GANTRY, "--help"], capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in shown.splitlines() if line.startswith("           gantry ") and not re.search(r"\b[A-Z]{3,}\b", line)]
    assert len(lines) >= 3
    run(tmp_path, "make -s kernels build/apps/vecadd\n" + "\n".join(re.sub(r"^gantry (run|kernel)", rf"{GANTRY} \1 --model golden", line).replace("gantry config", f"{GANTRY} config")
                                                                    for line in lines))


WRITES = re.compile(r"(?:(?<![\w-])-o |(?:--output|--record) |--checkpoint \w+:\w+,|\bout:\w+:|\binout:[^:\s]+:|(?<!<) >)([\w./~][\w./~-]*)")


def test_what_is_shown_writes_below_build():
    """Placeholders are in capitals."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    helps = [subprocess.run([GANTRY, *words, "--help"], capture_output=True, text=True, check=True).stdout for words in ([], ["run"], ["kernel"], ["replay"], ["restore"])]
    places, seen = [], 0
    for name, text in [(p.relative_to(ROOT), "\n".join([*blocks(p.relative_to(ROOT)), *re.findall(r"`([^`\n]+)`", p.read_text())])) for p in pages] + [("help", t) for t in helps]:
        for place in WRITES.findall(text):
            seen += 1
            if not place.startswith("build/") and not re.match(r"[A-Z]+\d?\b", place):
                places.append(f"{name}: {place}")
    assert seen > 20 and places == [], "\n".join(places)
