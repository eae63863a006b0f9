# SPDX-License-Identifier: Apache-2.0
"""Random gfx803 programs: choice of an instruction and its operands.  Half are dealt from the deck, which goes on from seed to seed,
so that enough seeds deal every cell; the others are chosen by their frequency in the code of public suites."""
import functools

import deck
from deck import isa
from instructions_memory import MemoryInstructions
from pick import FREE_S, scalar_number
from program import Group, Line

MODES = ["hwreg(HW_REG_MODE, 0, 4)", "hwreg(HW_REG_MODE, 4, 4)", "hwreg(HW_REG_MODE, 4, 2)", "hwreg(HW_REG_MODE, 8, 1)", "hwreg(HW_REG_MODE, 9, 1)",
         "hwreg(HW_REG_MODE, 0, 8)", "hwreg(HW_REG_MODE, 2, 2)"]


@functools.cache
def by_slot(key):
    """Slot -> kinds of operands that an encoding may have there."""
    out = {}
    for s, k, m in isa.legal_cells()[key]:
        if m in ("none", "offset", "offen") or s == "sdst":
            out.setdefault(s, set()).add(k)
    return {s: sorted(k) for s, k in out.items()}


class Instructions(MemoryInstructions):
    """Expects of what it is part of: r (random numbers), pick, cells, usable, weights, dealt, free_v."""

    def cell(self):
        if self.r.random() < (0.5 if deck.wanted is None else 0.8):
            found = deck.cells()[self.dealt % len(deck.cells())]
            self.dealt += 1
            return found
        e = self.r.choices(self.usable, self.weights)[0]
        plain = [c for c in self.cells[e.key] if c[2] == "none"] if self.r.random() < 0.6 else []
        return e, self.r.choice(plain or self.cells[e.key])

    def kinds_of(self, e, slot, kind):
        """A kind for every operand, `kind` for `slot`, at most one operand on the scalar bus of a vector instruction."""
        kinds = isa.default_kinds(e)
        known = by_slot(e.key)
        vector = e.fmt.startswith("VOP")
        if slot in kinds or slot == "sdst" or slot == "src1":
            kinds[slot] = kind
        implicit = "m" in e.src or "vcc_r" in e.flags
        busy = implicit or kind in isa.BUS and slot != "sdst" or kinds.get("src0") in isa.BUS or kinds.get("src1") in isa.BUS
        for s, choices in known.items():
            if s == slot or s == "-" or (s == "sdst" and e.fmt == "VOPC"):
                continue
            if vector and s != "sdst":
                choices = [k for k in choices if k not in isa.BUS]
                if not choices or e.src[int(s[-1])] == "m":
                    continue
            if e.fmt in ("SOP2", "SOPC") and "literal" in kinds.values():
                choices = [k for k in choices if k != "literal"]
            kinds[s] = self.r.choice(choices)
            if vector and s != "sdst" and not busy and self.r.random() < 0.25 and e.fmt == "VOP3" and "sgpr" in known[s]:
                kinds[s], busy = "sgpr", True
        return kinds

    def mods_of(self, e, mod):
        """The modifier, and some others of its family."""
        if mod == "none" or e.fmt in ("DS", "FLAT", "MUBUF"):
            return [] if mod == "none" else [mod]
        have = {m for _, _, m in self.cells[e.key]}
        family = isa.SDWA_MODS if mod in isa.SDWA_MODS else isa.DPP_MODS if mod in isa.DPP_MODS else isa.VOP3_MODS[1:]
        mods = [mod]
        for m in family:
            group = m.split(":")[0] if ":" in m and not m.startswith(("sdwa", "dpp")) else m
            alone = {"mul2", "mul4", "div2"}, set(isa.UNUSED), set(isa.DPP)
            clash = any(x.split(":")[0] == group for x in mods) or any(m in a and set(mods) & a for a in alone)
            if m in have and m not in mods and not clash and self.r.random() < 0.12:
                mods.append(m)
        for n in "01":  # sext goes with integers, neg and abs with floats
            if f"sext{n}" in mods:
                mods = [m for m in mods if not m.endswith((f"neg{n}", f"abs{n}"))]
        if "sext" in mods and "dst:dw" in mods:
            mods.remove("sext")
        return mods

    def instruction(self):
        e, (slot, kind, mod) = self.cell()
        p = self.pick
        p.half, p.apart, p.taken = "half" in e.flags, "sad_" in e.name and "64" in str(e.width("dst") * 32), set()
        p.mask_written = "vcc_w" in e.flags and e.dst != "m"
        if e.fmt.startswith("VOP"):
            return self.vector(e, slot, kind, mod)
        if e.fmt == "SMEM":
            return self.scalar_memory(e, slot, kind)
        if e.fmt in ("DS", "FLAT", "MUBUF"):
            return getattr(self, {"DS": "lds", "FLAT": "flat", "MUBUF": "buffer"}[e.fmt])(e, slot, kind, mod)
        if e.fmt == "SOPP":
            return Line(self.internal(e.name))
        kinds = self.kinds_of(e, slot, kind)
        if e.name.startswith("s_movrel"):
            return self.scalar_relative(e, kinds)
        if "setreg" in e.name or "getreg" in e.name:
            return self.mode(e, kinds)
        imm = hex(self.r.choice([0, 1, 0x7fff, 0x8000, 0xffff, self.r.getrandbits(16)]))
        return self.fix_exec(e, Line(isa.render_scalar(e, kinds, p, imm)))

    def fix_exec(self, e, line):
        """After an instruction that changes EXEC some lanes come back before long."""
        if "exec_w" in e.flags or "exec" in line.text.split(",")[0]:
            self.restore = self.r.randrange(1, 5)
        return line

    def mode(self, e, kinds):
        if "getreg" in e.name:
            which = self.r.choice(["hwreg(HW_REG_MODE)", "hwreg(HW_REG_MODE, 4, 4)", "hwreg(HW_REG_MODE, 2, 7)", "hwreg(HW_REG_IB_STS, 0, 8)", "hwreg(HW_REG_HW_ID)",
                                   "hwreg(HW_REG_GPR_ALLOC)", "hwreg(HW_REG_LDS_ALLOC, 12, 9)", "hwreg(HW_REG_LDS_ALLOC)", "hwreg(HW_REG_STATUS)", "hwreg(HW_REG_STATUS, 3, 12)"])
            text = isa.render_scalar(e, kinds, self.pick, which)
            if any(where in which for where in ("HW_ID", "GPR_ALLOC", "LDS_ALLOC)")):  # differs between runs: nothing may depend on it
                return Group([Line(text), Line(f"s_mov_b32 {text.split(' ')[1]} {self.pick.inline_int()}")])
            return self.fix_exec(e, Line(text))
        else:
            which = self.r.choice(MODES)
        return Line(isa.render_scalar(e, kinds, self.pick, which))

    def internal(self, name):
        if name == "s_nop" and self.r.random() < 0.3:  # without a trap handler that is all a trap is
            return f"s_trap {self.r.choice([0, 1, 3, 255])}"
        return name + {"s_nop": f" {self.r.randrange(16)}", "s_sleep": f" {self.r.randrange(3)}", "s_setprio": f" {self.r.randrange(4)}", "s_sethalt": " 0",
                       "s_sendmsg": " 0"}.get(name, "")

    def scalar_relative(self, e, kinds):
        """s_movrel: the register is number + M0, of whatever base; it stays among the free ones."""
        width, source = e.width("dst"), "movrels" in e.name
        if source and kinds["src0"] == "scc":  # the assembler takes it, for both models it is a fault
            kinds = {**kinds, "src0": "sgpr"}
        text = isa.render_scalar(e, kinds, self.pick)
        moved = text.split(", ")[1] if source else text.split(" ", 1)[1].split(",")[0]
        base = scalar_number(moved)
        low = base if base in FREE_S else FREE_S.start
        target = low + self.r.randrange((FREE_S.stop - width - low) // width + 1) * width
        target = base if base < FREE_S.start else target
        extra = frozenset(f"s{target + n}" for n in range(width))
        return Group([Line(f"s_mov_b32 m0, {hex((target - base) & 0xffffffff)}"), self.fix_exec(e, Line(text, extra=extra))])

    def vector(self, e, slot, kind, mod):
        if "movrel" in e.name:
            return self.vector_relative(e, self.kinds_of(e, slot, kind))
        kinds, mods = self.kinds_of(e, slot, kind), self.mods_of(e, mod)
        if isa.is_sdwa(mods) or isa.is_dpp(mods):
            kinds.update({s: "vgpr" for s in ("src0", "src1") if s in kinds})
        text = isa.render_vop(e, kinds, mods, self.pick)
        return self.fix_exec(e, Line(text))

    def vector_relative(self, e, kinds):
        step = self.r.choice([0, self.r.randrange(4)])
        top = self.free_v - 1 - step
        d, s = self.r.randrange(top + 1), self.r.randrange(top + 1)
        extra = frozenset([f"v{d + step}"] * ("reld" in e.name or "relsd" in e.name) + [f"v{s + step}"] * ("rels" in e.name))
        suffix = "_e64" if e.fmt == "VOP3" else "_e32"
        value = f"v{s}" if kinds["src0"] == "vgpr" else isa.operand(self.pick, kinds["src0"], 1, "src0")
        return Group([Line(f"s_mov_b32 m0, {step}"), Line(f"{e.name}{suffix} v{d}, {value}", extra=extra)])
