# SPDX-License-Identifier: Apache-2.0
"""make fidelity and make synth write a page of docs/ only with UPDATE=1, else a copy below build/, and say which."""
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sw/tools"), str(ROOT / "sw/fidelity")]
import fidelity  # noqa: E402
import groups  # noqa: E402
from synthesis import synth  # noqa: E402
from synthesis import synth_blocks  # noqa: E402


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Stands for the root; nothing is measured."""
    (tmp_path / "docs/reference").mkdir(parents=True)
    (tmp_path / "docs/fidelity.md").write_text("old\n")
    (tmp_path / "docs/reference/synthesis.md").write_text("old\n")
    monkeypatch.setattr(fidelity, "ROOT", tmp_path)
    monkeypatch.setattr(groups, "GROUPS", {})
    monkeypatch.setattr(synth, "ROOT", tmp_path)
    monkeypatch.setattr(synth, "BUILD", tmp_path / "build/synth")
    monkeypatch.setattr(synth, "PAGE", tmp_path / "docs/reference/synthesis.md")
    monkeypatch.setattr(synth, "constants", lambda path: ({}, ""))
    monkeypatch.setattr(synth_blocks, "table", dict)
    return tmp_path


@pytest.mark.parametrize("update", [False, True])
def test_pages(tree, update, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["synth.py", *["--update"] * update, "smallest", "other"])
    fidelity.main(["--update"] * update)
    assert synth.main() == 0
    said = capsys.readouterr().out
    for page, copy in {"docs/fidelity.md": "build/fidelity/docs/fidelity.md", "docs/reference/synthesis.md": "build/synth/synthesis.md"}.items():
        assert ((tree / page).read_text() == "old\n") == (not update) and (tree / copy).exists() == (not update)
        assert f"wrote {page}\n" in said if update else f"wrote {copy}; UPDATE=1 writes {page}\n" in said
    text = (tree / ("docs/reference" if update else "build/synth") / "synthesis.md").read_text()
    assert text.startswith("old\n") and re.findall("## Configuration (.*)", text) == ["smallest", "other"]
    shutil.rmtree(tree / "build", ignore_errors=True)


@pytest.mark.parametrize("target", ["fidelity", "synth"])
def test_make_hands_it_on(target):
    for words, there in (([], False), (["UPDATE=1"], True), (["UPDATE=0"], False)):
        done = subprocess.run(["make", "-n", target, *words], cwd=ROOT, capture_output=True, text=True, check=True)
        line = next(line for line in done.stdout.splitlines() if f"{target}.py" in line)
        assert ("--update" in line) == there
