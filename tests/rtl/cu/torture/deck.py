# SPDX-License-Identifier: Apache-2.0
"""What random programs are dealt from: the cells of sw/tools/verify/isa_cells.py, shuffled."""
import functools
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import isa_cells as isa  # noqa: E402

wanted = None  # cells (encoding, (slot, kind, modifier)) that programs are to deal instead of the whole deck (sw/tools/verify/coverage.py)


def cells():
    return wanted or full()


@functools.cache
def full():
    """Every cell of an implemented encoding, shuffled."""
    legal = isa.legal_cells()
    out = [(e, c) for e in isa.encodings() if e.implemented and e.name not in isa.BLOCKS for c in legal[e.key]]
    random.Random("deck").shuffle(out)
    return out
