# SPDX-License-Identifier: Apache-2.0
"""A table of matrix products that a card was timed with (r9nano.tsv and a reader's own): tab-separated columns that its head line `#transA ...` names; `us` is
what a call took.  Lines that begin with # are remarks."""
import dataclasses
import pathlib

COLUMNS = ("transA", "transB", "precision", "M", "N", "batch", "K", "us")


class Bad(Exception):
    """One line with file and line."""


@dataclasses.dataclass(frozen=True)
class Row:
    trans_a: str
    trans_b: str
    m: int
    n: int
    k: int
    us: float
    kernel: str = ""

    @property
    def gflop(self):
        return 2e-9 * self.m * self.n * self.k

    @property
    def name(self):
        return f"{self.trans_a}{self.trans_b}-{self.m}-{self.n}-{self.k}"


def row_of(words, head, where):
    if len(words) != len(head):
        raise Bad(f"{where}: {len(words)} columns, the head has {len(head)}")
    cell = dict(zip(head, words))
    try:
        m, n, k, batch, us = *(int(cell[c]) for c in ("M", "N", "K", "batch")), float(cell["us"])
    except ValueError:
        raise Bad(f"{where}: M, N, K and batch are whole numbers, us is a number") from None
    if cell["transA"] not in ("N", "T") or cell["transB"] not in ("N", "T"):
        raise Bad(f"{where}: transA and transB are N or T")
    if cell["precision"] != "s" or batch != 1:
        raise Bad(f"{where}: only single precision (s) and a batch of 1 are measured")
    if min(m, n, k) < 1 or max(m, n, k) > 1000000 or not 0 < us < 1e9:
        raise Bad(f"{where}: a size is not 1 to 1000000, or us not above 0")
    return Row(cell["transA"], cell["transB"], m, n, k, us, cell.get("kernel", ""))


def read(path):
    """Rows, those first that took the card least: the RTL takes as long for a cycle of either kind of kernel."""
    path, head, rows = pathlib.Path(path), None, {}
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Bad(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from None
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if line.startswith("#transA\t"):
            head = line[1:].split("\t")
            if missing := [c for c in COLUMNS if c not in head]:
                raise Bad(f"{where}: no column {missing[0]}")
        elif line and not line.startswith("#"):
            if head is None:
                raise Bad(f"{where}: no head line (#transA ...) before it")
            row = row_of(line.split("\t"), head, where)
            if row.name in rows:
                raise Bad(f"{where}: {row.name} stands there twice")
            rows[row.name] = row
    if not rows:
        raise Bad(f"{path}: no row")
    return sorted(rows.values(), key=lambda row: (row.us, row.name))
