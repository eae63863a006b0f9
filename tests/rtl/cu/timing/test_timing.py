# SPDX-License-Identifier: Apache-2.0
"""Every class of instructions costs what classes.tsv says, and docs/reference/cu.md shows that table."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import microbench  # noqa: E402


def test_costs():
    table = microbench.read_table()
    measured = microbench.measure(table)
    now = {line["class"]: [microbench.number(v) for v in measured[line["class"]]] for line in table}
    assert now == {line["class"]: [line[c] for c in microbench.MEASURED] for line in table}


def test_page_shows_the_table():
    assert microbench.BEGIN + microbench.page_table(microbench.read_table()) + microbench.END in microbench.PAGE.read_text()


def test_a_cost_that_differs_is_seen():
    table = [dict(line) for line in microbench.read_table() if line["class"] == "scalar ALU"]
    table[0]["dependency"] += "; s_nop 0"
    assert microbench.measure(table)["scalar ALU"][2] == 2 * microbench.measure([dict(table[0], dependency="s_nop 0")])["scalar ALU"][2]
