# SPDX-License-Identifier: Apache-2.0
"""What it takes to build a simulated board of one kind: for sw/tools/builder/models.py --board, whose Plan of a library is the base.

The executable is the RTL of the partition, of the board (rtl/board, sw/tools/gen/gen_board.py) and the process around it (fpga/sim).
"""
import hashlib

from gen import gen_board
from builder import model_cache
from builder import processor
from builder import rtl_sources

ROOT = rtl_sources.ROOT
SIM = ["fpga/sim/board.cpp", "fpga/sim/chip.cpp"]
READ = [*SIM, "fpga/sim/chip.hpp", "fpga/sim/faults.hpp", "fpga/sim/wire.h", "sw/tools/builder/board_plan.py", "sw/tools/gen/gen_board.py", "bridge/proto/stream.def",
        "sw/tools/builder/verilate.py", *gen_board.GRAPH]
FLAGS = ["--arg=-Wno-fatal", "--cflag=-DVL_IGNORE_UNKNOWN_ARCH"]


class BoardPlan:
    """Before Plan in a class of both."""

    def __init__(self, kind, args, settings):
        super().__init__(kind, args, settings)
        self.text = gen_board.emit(kind, settings)
        board = [p for p in gen_board.board_sources() if p not in self.sources and p.name != "gantry_cfg_pkg.sv"]
        self.sources = [*[p for p in board if p.name.endswith("_pkg.sv")], *self.sources, *[p for p in board if not p.name.endswith("_pkg.sv")]]
        self.top, self.save, self.tuned = "board", [], []
        h = hashlib.sha256(repr((args.cc, args.trace, args.std_x, self.define, self.opt, self.fast, FLAGS, self.text, self.package, processor.name())).encode())
        for p in [*self.sources, *self.headers, *(ROOT / f for f in READ)]:
            h.update(p.name.encode() + b"\0" + p.read_bytes())
        self.place(model_cache.folder(), f"board_{self.label}-{h.hexdigest()[:12]}-{processor.name()}")

    def command(self, jobs):
        cmd = super().command(jobs)
        text = self.generated / "board.sv"
        text.write_text(self.text)
        return [*cmd, str(text)]

    def switches(self):
        """Of verilate.py: what is linked, and how."""
        return [*[w for f in SIM for w in ("--exe", str(ROOT / f))], *FLAGS, f'--cflag=-DGANTRY_BOARD_KIND=\\"{self.kind}\\"', "--ldflag=-fuse-ld=lld"]

    def clock_check(self):
        """A board has three clocks."""
