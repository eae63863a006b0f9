# SPDX-License-Identifier: Apache-2.0
"""How far rows are from the card, by each reading of what was timed there.  Not responsible for: measuring (measure.py), words (page.py)."""
import dataclasses
import math
import statistics

# What of a call may have been timed: nobody has said it.
READINGS = {
    "kernel": lambda r: r["kernel_us"],
    "kernel and beta": lambda r: r["kernel_us"] + r["beta_us"],
    "event": lambda r: r["event_us"],
}
WITHIN = 0.25
SMALL, LARGE = 35.0, 2.2  # microseconds on the card: less judges launches; GFLOP


@dataclasses.dataclass(frozen=True)
class Summary:
    rows: int
    ratio: float  # median of ours / the card's
    error: float  # median of |ours / card's - 1|
    signed: float  # mean of it without the bars
    within: int  # rows within 25 %
    correlation: float  # of the logarithms; nan below three rows



def correlation(pairs):
    logs = [(math.log(a), math.log(b)) for a, b in pairs]
    if len(logs) < 3 or len({a for a, _ in logs}) < 2 or len({b for _, b in logs}) < 2:
        return math.nan
    return statistics.correlation(*zip(*logs))


def summary(pairs):
    """Of (ours, the card's); None without any."""
    if not pairs:
        return None
    ratios = [ours / card for ours, card in pairs]
    errors = [abs(r - 1) for r in ratios]
    return Summary(len(pairs), statistics.median(ratios), statistics.median(errors), statistics.fmean(ratios) - 1, sum(e <= WITHIN for e in errors),
                   correlation(pairs))


def judged(row):
    """Rows by which the goals are judged: neither launches nor what takes hours to simulate."""
    return row.us >= SMALL and row.gflop < LARGE


def untouched(led):
    """Rows by which the goals are judged, without those that led to a change of the model."""
    return lambda row: judged(row) and row.name not in led


def pairs(rows, found, reading, which=judged):
    """[(ours, the card's)] of the rows that are measured; found: {row's name: result}."""
    return [(READINGS[reading](found[row.name]), row.us) for row in rows if row.name in found and which(row)]
