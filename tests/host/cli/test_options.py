# SPDX-License-Identifier: Apache-2.0
"""Options and commands as they are typed: help and version among other options, what was meant by a word with a slip, values that were
forgotten."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"


def gantry(*args, cwd=ROOT):
    done = subprocess.run([GANTRY, *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", ["run -c demo --help", "run --set gpu.cu.count=2 -h", "run -c nothing --model rtl --help -- x", "kernel x.co --grid 64 --help",
                                   "replay DIR --help", "restore -q -h DIR", "config --list --help", "config -c demo -h", "cuda-path --help", "boards --echo X -h"])
def test_help_behind_other_options(words):
    status, out, err = gantry(*words.split())
    assert status == 0 and not err and out == gantry(words.split()[0], "--help")[1] and out.startswith(f"usage: gantry {words.split()[0]}")


@pytest.mark.parametrize("words", ["run --version", "run -c demo --version", "kernel x.co --version", "replay --version", "restore --version", "config --version",
                                   "cuda-path --version", "boards --echo X --version"])
def test_version_of_each_command(words):
    assert gantry(*words.split()) == gantry("--version") and gantry("--version")[1].startswith("gantry ")


def test_words_of_the_program_are_its_own():
    """Behind its name, and as values of options."""
    for words in (["--", "/bin/echo", "--help"], ["/bin/echo", "--version"], ["--", "/bin/echo", "-h"]):
        status, out, _ = gantry("run", "-c", "tiny", "--model", "golden", "-q", *words)
        assert status == 0 and not out.startswith(("usage: gantry", "gantry 0")), out
    assert gantry("run", "--set", "--help", "--", "x")[0] == 64


@pytest.mark.parametrize("words, line", [
    ("rnu -- x", "rnu: unknown command; did you mean run?"),
    ("kernal x.co", "kernal: unknown command; did you mean kernel?"),
    ("cudapath", "cudapath: unknown command; did you mean cuda-path?"),
    ("board", "board: unknown command; did you mean boards?"),
    ("frobnicate", "frobnicate: unknown command (gantry --help shows all)"),
    ("run --recrod DIR -- x", "run: unknown option --recrod; did you mean --record?"),
    ("kernel --max-cyles=5 x.co", "kernel: unknown option --max-cyles=5; did you mean --max-cycles?"),
    ("config --lst", "config: unknown option --lst; did you mean --list?"),
    ("replay --onyl gpu0 DIR", "replay: unknown option --onyl; did you mean --only?"),
    ("run --banana -- x", "run: unknown option --banana"),
    ("run --grid 64 -- x", "run: unknown option --grid, which gantry kernel has"),
    ("replay --config demo DIR", "replay: unknown option --config, which gantry run has"),
    ("run --max 5 -- x", "run: unknown option --max: one of --max-cycles, --max-seconds?"),
    ("run --quiet=1 -- x", "run: --quiet=1: this option takes no value"),
    ("run -z -- x", "run: unknown option -z"),
    ("config --set gpu.cu.cuont=3", "--set: gpu.cu.cuont: unknown key; did you mean gpu.cu.count?"),
])
def test_what_was_meant(words, line):
    status, out, err = gantry(*words.split())
    assert (status, out, err) == (65 if "key" in line else 64, "", f"gantry: {line}\n")


@pytest.mark.parametrize("words", ["run --record -- /bin/true", "run --record -q -- /bin/true", "kernel --record -- x.co", "run -o -- /bin/true", "run -o -q -- /bin/true",
                                   "run -c -- /bin/true", "kernel --script -- x", "replay --only -- DIR", "config -c --list", "run --output=-x -- /bin/true",
                                   "run --checkpoint -- /bin/true", "run --wave -- /bin/true", "kernel --arg -- x.co", "run --set -- /bin/true",
                                   "run --model -- /bin/true", "run --roi -- /bin/true", "run --max-cycles -- /bin/true", "kernel --grid -- x.co"])
def test_value_that_was_forgotten(words, tmp_path):
    """The next option is no value: nothing is made of that name, nothing runs."""
    status, out, err = gantry(*words.split(), cwd=tmp_path)
    assert status == 64 and not out and err.count("\n") == 1 and err.startswith("gantry: -"), err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["-c", "-o", "--record"])
def test_empty_name(option, tmp_path):
    assert gantry("run", option, "", "--", "/bin/true", cwd=tmp_path) == (64, "", f"gantry: {option}: an empty name\n")
    assert not list(tmp_path.iterdir())


def test_folder_with_such_a_name(tmp_path):
    assert gantry("run", "-c", "tiny", "--model", "golden", "-q", "-o", "./--", "--", "/bin/true", cwd=tmp_path)[0] == 0
    assert (tmp_path / "--/run.json").exists()
