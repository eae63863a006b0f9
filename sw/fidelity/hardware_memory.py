# SPDX-License-Identifier: Apache-2.0
"""Figures of translation.py, dram.py, fetch.py and reuse.py."""
import translation
from figure import LOST, TIME, Figure, unknown

# gpu-benches, MI210, loads from all of an ever larger buffer with pages of 2 MiB: what comes on top of a load by bytes.  None up to 57 MB, 14 clk at 69 MB, 58
# at 125 MB, 70 at 206 MB, 85 to 100 at 0.34 to 1.5 GB.
ADDED = {32: (0, 14), 64: (58, 70), 128: (70, 85), 256: (85, 100), 512: (85, 100)}


def _translation():
    out = {}
    for size in translation.PAGES:
        for count in translation.COUNTS:
            what = f"{count} pages of {size}: added to a load"
            out[f"{size} x {count}"] = (Figure(what, *ADDED[count], TIME, 0.05, "GB, C") if size == "2 MiB" and count in ADDED else unknown(what, TIME))
    return out


# Keys gpu.dram.* in memory cycles, of which one is 2 clk (500 MHz, HF A).  DRAMsim3 HBM1_4Gb_x128.ini, as params.def says (D): a line takes BL 4 at double
# rate; CL, CWL, RP, RAS, RRD, FAW, WTR, REFI, RFC.  Own, for no document of the chip has them: RTW (the bus turns), RFC_BANK (160 ns), WRITES (those that
# go in one turn: between gpu.dram.write_high - write_low and gpu.dram.places).
RATIO, LINE, CL, CWL, RP, RAS, FAW, REFI, RFC = 2, 2, 7, 2, 7, 17, 15, 1950, 130
WTR, RTW, RFC_BANK, WRITES = (3, 4), 1, 80, (24 - 4, 64)
TIMES = "D: HBM1's times"


def turned(count, wtr):
    """clk a line of `count` reads, then as many writes, and so on: two turns beside the lines' own time.  From the column command of the last read to that of
    the first write the bus takes CL + LINE + RTW - CWL, of which LINE would pass anyhow; from write to read CWL + LINE + WTR, of which LINE."""
    lost = (CL + LINE + RTW - CWL - LINE) + (CWL + LINE + wtr - LINE)
    return RATIO * (2 * count * LINE + lost) / (2 * count)


def refreshed(time):
    """Per cent of a bank's time: the refresh itself, and at most the activation that it ends and the one that follows (RAS + RP)."""
    return 100 * time / REFI, 100 * (time + RAS + RP) / REFI


DRAM = {
    "hit": Figure("one channel, open rows: a line", RATIO * LINE, RATIO * LINE, TIME, 0.05, TIMES + ", BL"),
    "banks": Figure("one channel, each line in a new row, bank after bank: a line", RATIO * FAW / 4, RATIO * FAW / 4, TIME, 0.05, TIMES + ", 4 rows in tFAW"),
    # tRC from row to row, and refresh takes its share
    "conflict": Figure("one bank, each line in a new row: a line", *2 * (RATIO * (RAS + RP) / (1 - RFC_BANK / REFI),), TIME, 0.05,
                       TIMES + ", tRAS + tRP, refresh"),
    "turn": Figure("one channel, open rows, a read and a write by turns: a line", turned(WRITES[1], WTR[0]), turned(WRITES[0], WTR[1]), TIME, 0.05,
                   TIMES + ", tCL, tCWL, tWTR; turns by gpu.dram.write_*, own"),
    "refresh": Figure("refresh of a bank", *refreshed(RFC_BANK), LOST, 0.05, "tREFI D, gpu.dram.trfc_bank own"),
    "refresh all": Figure("refresh of all banks at once (trfc_bank 0)", *refreshed(RFC), LOST, 0.05, TIMES + ", tRFC, tREFI"),
}


def _fetch():
    held = (4, 4, TIME, 0.05)
    out = {"code_16_short 1 1": Figure("4 bytes each, from the L1I: one wavefront", *held, "CLRX, LLVM, ACO, B"),
           "code_16 1 1": Figure("8 bytes each, from the L1I: one wavefront", *held, "CLRX: full rate, B"),
           "code_16 4 1": Figure("8 bytes each, from the L1I: 4 wavefronts of a CU", *held, "CLRX: full rate; OG: 32 bytes a clk and CU, B"),
           "code_16 4 4": unknown("8 bytes each, from the L1I: 4 CUs of 4 wavefronts", TIME)}
    for waves, cus in ((1, 1), (4, 1), (4, 4)):
        out[f"code_64 {waves} {cus}"] = unknown(f"8 bytes each, from the L2: {cus} CUs of {waves} wavefronts", TIME)
    return out | {"scalar 4": Figure("scalar load, the next one's address: from the L1K", 48, 50, TIME, 0.05, "MT: about 48, C; CC: just under 50 ns, C"),
                  "scalar 32": Figure("scalar load, the next one's address: from the L2", 48 + 127, 48 + 156, TIME, 0.05, "MT: 127 to 156 more, C")}


LRU = {0.5: 100, 1: 100, 1.5: 0, 2: 0}
FIGURES = {
    "translation": _translation(), "dram": DRAM, "fetch": _fetch(),
    "reuse": {f"{level} {share}": unknown(f"{level.upper()}: {share} times what it holds", "% hits", f"none; LRU: {LRU[share]}")
              for level in ("l1v", "l2") for share in LRU},
}
