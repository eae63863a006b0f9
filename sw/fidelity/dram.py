# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: one DRAM channel as a kernel sees it, beside what its keys gpu.dram.* allow.  Loads that no cache keeps (glc slc), of lines whose
bank, row and column are chosen; the address mapping of the default keys without the hash of banks."""
import vector

MIB = 1024 * 1024
PLAIN = ("--set", "gpu.dram.bank_hash=0")
# clk a memory cycle and the keys that figures are made of, each by the source that params.def names: DRAMsim3 HBM1_4Gb_x128.ini but for the last two, which
# are own (no document of Fiji has them).
RATIO, BURST, RCD, RP, RAS, CL, CWL, WTR_L, FAW, REFI, RFC, WRITES_LEFT, WRITES_HIGH = 2, 2, 7, 7, 17, 7, 2, 4, 15, 1950, 130, 8, 40
RTW, RFC_BANK = 1, 80


def line(bank, row, column):
    """Byte of a line of the first channel of slice 0: 256 bytes of each 4 KiB are one slice's, every second line of these a channel's; column, bank, row."""
    return row << 20 | bank << 16 | column >> 1 << 12 | (column & 1) << 7


def each(kernel, lines, config, laps=(8, 40), options=PLAIN, lanes=None):
    """Cycles of a line, of work-items that load (or turn: load and store) `lines` again and again, all one after the other."""
    lanes = lanes or len(lines)
    rows = 64 * MIB
    return vector.cycles(kernel, lines, 0, rows - 1, laps, config, options, room=2 * rows) / (len(lines) * (8 if kernel == "pass" else 4) * (laps[1] - laps[0]))
