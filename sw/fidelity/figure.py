# SPDX-License-Identifier: Apache-2.0
"""What a figure of hardware is.  A result may be `band` (a share) outside low..high and is never faster than hardware by more than the rule of measuring
(FASTER).  None: no figure; `source` then says what is known instead."""
from typing import NamedTuple

FASTER = 0.01  # a figure of hardware is itself known to about a hundredth


class Figure(NamedTuple):
    what: str
    low: float | None
    high: float | None
    unit: str
    band: float
    source: str


RATE, TIME, LOST = "GB/s", "clk", "% of the time"
LESS_IS_FASTER = {TIME, LOST}


def unknown(what, unit, source="none"):
    return Figure(what, None, None, unit, 0, source)
