# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: one DRAM channel as a kernel sees it, beside what the times of its standard allow.  Loads that no cache keeps (glc slc), of
lines whose bank, row and column are chosen: lines alternate between the channels, banks are not hashed, a store is a burst, and a work-item's next loads
come after the others' (16 instructions a CU).  A line that is under way is not read again in DRAM,
so 128 lines (misses of a CU) lie between two loads of one."""
import vector

PLAIN = ("--set", "gpu.dram.bank_hash=0", "--set", "gpu.dram.channel_bit=0", "--set", "gpu.dram.write_rest=0",
         "--set", "gpu.cu.vmem_slots=16")
THROUGH = (*PLAIN, "--set", "gpu.l2.write=through")  # a store goes to DRAM at once
NO_REFRESH = (*PLAIN, "--set", "gpu.dram.trefi=65535")  # 34 times as seldom
ALL_BANKS = (*PLAIN, "--set", "gpu.dram.trfc_bank=0")


SLICES = {"r9nano": 4, "demo": 2}  # of a configuration, as a power of two


def line(bank, row, column, slices):
    """Byte of a line in the first channel of the first slice: of each 256 bytes a slice it has 256, of these a channel every second line; from the low end
    column (5 bits), bank (4), row."""
    return ((row << 4 | bank) << 4 | column >> 1) << 8 + slices | (column & 1) << 7


PLACES = {  # (bank, row, column)
    "hit": [(bank, 0, column) for column in range(32) for bank in range(16)],  # all of an open row in each bank
    "half": [(bank, 0, column) for column in range(32) for bank in range(8)],  # the other 8 banks are written
    # one bank, of two wavefronts, so that one waits for the other's end; the next three instructions have the rows behind, then come these again
    "row": [(0, row, row % 32) for row in range(128)],
    "bank": [(n % 16, n // 16, n // 16 % 32) for n in range(1024)],  # bank after bank, never a row twice
}


# from instruction to instruction, and where they begin anew
STEPS = {"row": ((0, 128, 0), (0, 512, 0)), "bank": ((0, 64, 0), (0, 256, 0)), "half": ((0, 0, 0), (8, 0, 0))}


def each(kernel, places, config, options=PLAIN, laps=(4, 16), cus=1):
    """Cycles of a line, of work-items that load (turn: load, and store 8 banks further) one of the places each, again and again; several CUs
    have rows of their own and are 8 banks apart."""
    slices = SLICES[config]
    lines = [line(*place, slices) for place in PLACES[places]]
    step, window = STEPS.get(places, ((0, 0, 0), (0, 64, 0)))
    step, window = line(*step, slices), line(*window, slices)
    where = {"groups": cus, "base": window, "begin": line(8, 0, 0, slices)}
    more = vector.cycles(kernel, lines, step, window - 1, laps, config, options, **where, room=2 * cus * window)
    return more / (8 * len(lines) * cus * (laps[1] - laps[0]))


def share(options, config):
    """Per cent of the time of a bank that refresh takes."""
    return 100 * (1 - each("pass", "row", config, NO_REFRESH, (2, 8)) / each("pass", "row", config, options, (2, 8)))


MEASURES = {
    "hit": lambda config: each("pass", "hit", config, laps=(16, 64)),  # wavefronts part in the first laps
    "banks": lambda config: each("pass", "bank", config, laps=(2, 6), cus=2),  # the misses of one do not fill tFAW behind hardware's latency
    "conflict": lambda config: each("pass", "row", config, laps=(2, 8)),
    "turn": lambda config: each("turn", "half", config, THROUGH),
    "refresh": lambda config: share(PLAIN, config),
    "refresh all": lambda config: share(ALL_BANKS, config),
}


def dram(config="r9nano", names=tuple(MEASURES)):
    return {name: MEASURES[name](config) for name in names}
