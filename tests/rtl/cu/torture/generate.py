# SPDX-License-Identifier: Apache-2.0
"""Random gfx803 programs: instruction and operand choice.  Half of the instructions are dealt from the cells of
sw/tools/isa_cells.py in a shuffled order that goes on from seed to seed, so that enough seeds deal every cell; the others are
chosen by their frequency in the code of public suites.  docs/verification.md, "Random programs", has the plan of the registers."""
import functools
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "sw/tools"), str(pathlib.Path(__file__).parent)]
import isa_cells as isa  # noqa: E402
from program import Block, Group, Line, registers  # noqa: E402

FREE_S = range(36, 72)          # scalar registers that programs may write; below: pointers, resources, counters, masks
CORNERS = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001,
           0xffc12345, 0x00000001, 0x007fffff, 0x00800000, 0x80400000, 0x7f7fffff, 0x3c003c00, 0x7c00fc00, 0x7e017d01, 0x03ff0001, 0x7ff00000,
           0x7ff80001, 0x7ff40000, 0x000fffff, 0x43000000, 0x5f000000, 0x4f800000, 0xcf000000, 0x33800000, 0x42fe0000, 0x0000ffff, 0xffff0000]
PAIRS = {"s[40:41]": ("s40", "s41"), "s[42:43]": ("s42", "s43"), **{p: (f"{p}_lo", f"{p}_hi") for p in ("vcc", "exec", "flat_scratch")}}  # of jumps
NUMBERS = {"flat_scratch": 102, "vcc": 106, "ttmp": 112, "m0": 124, "exec": 126}
MODES = ["hwreg(HW_REG_MODE, 0, 4)", "hwreg(HW_REG_MODE, 4, 4)", "hwreg(HW_REG_MODE, 4, 2)", "hwreg(HW_REG_MODE, 8, 1)", "hwreg(HW_REG_MODE, 9, 1)",
         "hwreg(HW_REG_MODE, 0, 8)", "hwreg(HW_REG_MODE, 2, 2)"]


def word(r):
    """A register's worth of anything."""
    kind = r.randrange(8)
    if kind < 3:
        return r.choice(CORNERS)
    if kind == 3:
        return 1 << r.randrange(32)
    if kind == 4:
        return r.getrandbits(r.randrange(1, 33))
    if kind == 5:
        return (r.randrange(100, 156) << 23 | r.getrandbits(23) | r.getrandbits(1) << 31)
    return r.getrandbits(32)


def scalar_number(text):
    """Operand code of a scalar register, the first one's of several."""
    if m := re.match(r"(s|ttmp)\[?(\d+)", text):
        return int(m[2]) + (NUMBERS["ttmp"] if m[1] == "ttmp" else 0)
    return NUMBERS[re.sub("_(lo|hi)$", "", text)] + text.endswith("_hi")


def pool(seed, dwords=4096):
    r = random.Random(f"pool {seed}")
    return b"".join(word(r).to_bytes(4, "little") for _ in range(dwords))


wanted = None  # cells (encoding, (slot, kind, modifier)) that programs are to deal instead of the whole deck (sw/tools/coverage.py)


def deck():
    return wanted or full_deck()


@functools.cache
def full_deck():
    """Every cell of an implemented encoding, shuffled."""
    cells = isa.legal_cells()
    out = [(e, c) for e in isa.encodings() if e.implemented and e.name not in isa.BLOCKS for c in cells[e.key]]
    random.Random("deck").shuffle(out)
    return out


class Pick:
    """Registers for isa_cells.render_*."""

    def __init__(self, r, free_v):
        self.r, self.free_v = r, free_v
        self.taken = set()

    @property
    def literal(self):
        return hex(word(self.r) & (0x7fff if self.half else 0xffffffff))

    half = False

    def vgpr(self, width, slot):
        for _ in range(20):
            first = self.r.randrange(self.free_v - width + 1)
            rows = set(range(first, first + width))
            if slot != "dst" and not rows & self.taken:
                break
            if slot == "dst":
                self.taken = rows if self.apart else set()
                break
        return f"v{first}" if width == 1 else f"v[{first}:{first + width - 1}]"

    apart = False

    def sgpr(self, width, slot):
        written = slot == "dst" or (slot == "mask" and self.mask_written)
        step = min(width, 4)
        low = FREE_S.start if written or self.r.random() < 0.8 else 0
        first = low + step * self.r.randrange((FREE_S.stop - low - width) // step + 1)
        return f"s{first}" if width == 1 else f"s[{first}:{first + width - 1}]"

    mask_written = False

    def pick(self, choices):
        return self.r.choice(choices)

    def inline_int(self):
        return str(self.r.choice([0, 1, -1, 64, -16, self.r.randrange(-16, 65)]))


class Generator:
    def __init__(self, seed, size, waves_per_group, free_v):
        self.r, self.seed, self.size = random.Random(f"torture {seed}"), seed, size
        self.free_v, self.pairs = free_v, [free_v + 2 * n for n in range(4)]
        self.lds_v, self.index_v, self.small_v, self.raw_v, self.lane_v = (free_v + 8 + n for n in range(5))
        self.vgprs = free_v + 13
        self.waves = waves_per_group
        self.pick = Pick(self.r, free_v)
        self.dealt = seed * size // 2
        self.label = self.depth = self.masks = self.counters = 0
        self.scalar_stores = 0
        self.cells = isa.legal_cells()
        usable = [e for e in isa.encodings() if e.implemented and e.name not in isa.BLOCKS and self.cells[e.key]]
        self.usable, self.weights = usable, [e.count + 30 for e in usable]

    # ---- single instructions

    def cell(self):
        if self.r.random() < (0.5 if wanted is None else 0.8):
            found = deck()[self.dealt % len(deck())]
            self.dealt += 1
            return found
        e = self.r.choices(self.usable, self.weights)[0]
        plain = [c for c in self.cells[e.key] if c[2] == "none"] if self.r.random() < 0.6 else []
        return e, self.r.choice(plain or self.cells[e.key])

    def kinds_of(self, e, slot, kind):
        """A kind for every operand, `kind` for `slot`, at most one operand on the scalar bus of a vector instruction."""
        kinds = isa.default_kinds(e)
        known = self.by_slot(e.key)
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

    @functools.lru_cache(maxsize=None)
    def by_slot(self, key):
        out = {}
        for s, k, m in self.cells[key]:
            if m in ("none", "offset", "offen") or s == "sdst":
                out.setdefault(s, set()).add(k)
        return {s: sorted(k) for s, k in out.items()}

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

    # ---- memory

    def scalar_memory(self, e, slot, kind):
        if e.kind == "store":
            return self.scalar_store(e, slot, kind)
        if not e.width("dst"):
            return Line(e.name)
        kinds = {"sdst": "sgpr", "src0": "sgpr", "src1": "int"}
        kinds[slot] = kind
        if kinds["sdst"] == "exec":
            self.restore = 1
        dst_text = isa.render_smem(e, kinds, self.pick, "BASE", "OFFSET")
        dst = registers(dst_text)
        if not e.width("src0"):  # time: it differs between runs, so nothing may depend on it
            target = dst_text.split(" ", 1)[1]
            return Group([Line(dst_text, "sm", frozenset(dst)), Line(f"s_mov_b64 {target}, {self.r.randrange(65)}")])
        head, base = [], "s[2:3]"
        if "buffer" in e.name:
            head, base = self.scalar_buffer("s2", "s3", 0, 16384)
        elif kinds["src0"] != "sgpr":
            base = {"vcc": "vcc", "trap": "flat_scratch"}[kinds["src0"]]
            head.append(Line(f"s_mov_b64 {base}, s[2:3]"))
        offset = hex(self.r.randrange(0, 16384 - 64) & ~self.r.choice([3, 0]))
        if kinds["src1"] != "int":
            reg = "m0" if kinds["src1"] == "m0" else f"s{self.r.choice([n for n in FREE_S if f's{n}' not in registers(base)])}"
            head.append(Line(f"s_movk_i32 {reg}, {offset}"))
            offset = reg
        text = dst_text.replace("BASE", base).replace("OFFSET", offset)
        return Group(head + [Line(text, "sm", frozenset(dst))])

    def scalar_buffer(self, low, high, start, room):
        """Lines that make a buffer resource of `room` bytes at most from `start` on, and its registers."""
        r = self.r
        first = 4 * r.randrange(FREE_S.start // 4, FREE_S.stop // 4)
        stride = r.choice([0, 0, 4, 12, 16, 0x3fff])
        records = r.choice([room, r.randrange(room + 1)]) // (stride or 1)
        words = [f"s_add_u32 s{first}, {low}, {start}", f"s_addc_u32 s{first + 1}, {high}, {hex(stride << 16)}", f"s_movk_i32 s{first + 2}, {records}",
                 f"s_mov_b32 s{first + 3}, 0x24fac"]
        return [Line(w) for w in words], f"s[{first}:{first + 3}]"

    def scalar_store(self, e, slot, kind):
        """To a part of the own memory that vector instructions do not reach (the vector cache would not see it), 16 bytes for each, and
        often loaded again.  Scalar memory has no order of its own: what was used before waits."""
        r, number = self.r, self.scalar_stores
        self.scalar_stores += 1
        kinds = {"src0": "sgpr", "src1": "int", "src2": "sgpr", slot: kind}
        at = number % 32 * 16 + 4 * r.randrange(5 - e.width("src2"))
        lines = [Line("@wait lgkm 0")] if number >= 32 else []
        if "buffer" in e.name:
            head, base = self.scalar_buffer("s0", "s1", 0x1a00, 512)
            offset = hex(at | r.randrange(4))
        else:
            base = {"sgpr": "s[0:1]", "vcc": "vcc", "trap": "flat_scratch"}[kinds["src0"]]
            head, offset = ([Line(f"s_mov_b64 {base}, s[0:1]")] if base != "s[0:1]" else []), hex(0x1a00 + at | r.randrange(4))
        if kinds["src1"] != "int":
            reg = "m0" if kinds["src1"] == "m0" else f"s{r.choice([n for n in FREE_S if f's{n}' not in registers(base)])}"
            head.append(Line(f"s_movk_i32 {reg}, {offset}"))
            offset = reg
        lines += [*head, Line(isa.render_smem(e, kinds, self.pick, base, offset), "sm")]
        if r.random() < 0.6:
            width = r.choice([1, 2, 4])
            dst = self.pick.sgpr(width, "dst")
            lines += [Line("@wait lgkm 0"), Line("s_dcache_wb", "sm")] if r.random() < 0.3 else []
            lines += [Line("@wait lgkm 0"), Line(f"s_load_dword{'' if width == 1 else f'x{width}'} {dst}, s[0:1], {hex(0x1a00 + number % 32 * 16)}", "sm",
                                                 frozenset(registers(dst)))]
        return Group(lines)

    def lds(self, e, slot, kind, mod):
        r, head, offset = self.r, [], ""
        if "m0_r" in e.flags:
            limit = self.r.choices([None, -1, self.r.getrandbits(r.randrange(1, 16)), 0], [3, 16, 1, 1])[0]
            head = [] if limit is None else [Line(f"s_mov_b32 m0, {limit}")]
        address = f"v{self.lds_v}"
        if e.kind in ("permute", "bpermute", "swizzle"):
            address = self.pick.vgpr(1, "src0")
            offset = f" offset:{r.getrandbits(16)}" if mod == "offset" else ""
        elif mod == "offset" and ":two" in e.mem:
            top = 1 if ":st64" in e.mem else 496 // e.bytes
            a, b = r.randrange(top + 1), r.randrange(top + 1)
            offset = f" offset0:{a} offset1:{b}" if a or b else " offset1:1"
        elif mod == "offset":
            offset = f" offset:{r.randrange(1, 497)}" if r.random() < 0.9 else f" offset:{r.randrange(0x8000, 0x10000)}"
        text = isa.render_memory(e, {}, [], self.pick, address, offset=offset)
        return self.memory_line(head, text, e, [], "ds" if e.name != "ds_nop" else "")

    def memory_line(self, head, text, e, mods, counter):
        returns = e.width("dst") and (not e.mem.endswith(":glc") or "glc" in mods)
        writes = frozenset(registers(text.split(" ", 1)[1].split(",")[0])) if returns else frozenset()
        line = Line(text, counter, writes)
        return Group(head + [line]) if head else line

    def flat(self, e, slot, kind, mod):
        atomic = e.kind == "atomic"
        pair = self.r.choice(self.pairs[:2] if atomic else self.pairs)
        mods = [mod] if mod != "none" else []
        if atomic and mod == "slc" and self.r.random() < 0.5:
            mods.append("glc")
        text = isa.render_memory(e, {}, mods, self.pick, f"v[{pair}:{pair + 1}]")
        return self.memory_line([], text, e, mods, "vm")

    def buffer(self, e, slot, kind, mod):
        if e.kind == "inv":
            return Line(e.name)
        if mod == "lds" or e.name == "buffer_store_lds_dword":
            return self.buffer_lds(e, kind if slot == "src2" else "int", mod)
        r, head = self.r, []
        atomic = e.kind == "atomic"
        mods = [] if mod == "none" else [mod]
        if slot == "src2" and mod in ("none", "offset", "glc", "slc") and r.random() < 0.3:
            mods.append(r.choice(["offen", "idxen", "bothen"]))
        if atomic and "glc" not in mods and r.random() < 0.3:
            mods.append("glc")
        swizzled = r.random() < 0.3 and not atomic
        if "idxen" in mods:
            resource, address = ("s[12:15]" if swizzled else "s[8:11]"), f"v{self.index_v}"
        elif "bothen" in mods:
            resource, address = ("s[12:15]" if swizzled else "s[8:11]"), f"v[{self.index_v}:{self.small_v}]"
        else:
            resource, address = "s[4:7]", f"v{self.raw_v}" if "offen" in mods else ""
        room = 8 if resource == "s[12:15]" else 2000
        soffset, plain = "0", kind if slot == "src2" else "int"
        if plain == "int":
            soffset = str(r.choice([0, 8, 16, 64] if resource != "s[12:15]" else [0, 8]))
        elif plain == "float":
            soffset = r.choice(["1.0", "-4.0"]) if resource != "s[12:15]" else "1.0"
            resource, address = ("s[4:7]", f"v{self.raw_v}") if resource == "s[12:15]" else (resource, address)
            mods = ["offen" if m in ("idxen", "bothen") else m for m in mods] if resource == "s[4:7]" else mods
        elif plain == "m0":
            head, soffset = [Line(f"s_movk_i32 m0, {r.randrange(room) & ~7}")], "m0"
        else:
            soffset = "s21"
            if resource != "s[12:15]" and not atomic and r.random() < 0.5:
                soffset = self.pick.sgpr(1, "src2")
        offset = ""
        if "offset" in mods or r.random() < 0.3 and mod == "none" and slot == "src2":
            amount = r.randrange(1, 4096 if resource != "s[12:15]" else 13)
            offset = f" offset:{max(amount & ~7, 8) if atomic else amount}"
        text = isa.render_memory(e, {}, mods, self.pick, address, soffset, offset, resource)
        return self.memory_line(head, text, e, mods, "vm")

    def buffer_lds(self, e, soffset, mod):
        """Between memory and 64 dwords of the own LDS, at any dword; a lone wavefront of its group also reaches over the end.  A load has
        written when it ends: stores wait for that, DS instructions need not (the front end holds them back)."""
        r, load = self.r, e.kind == "load"
        form = r.choice(["off", "offen", "idxen", "bothen"]) if load else "off"
        mods = [m for m in (mod, form) if m not in ("none", "off", "offset")] + ([r.choice(["glc", "slc"])] if load and r.random() < 0.2 else [])
        resource, address = {"off": (r.choice(["s[4:7]", "s[8:11]", "s[8:11]"]), ""), "offen": ("s[4:7]", f"v{self.raw_v}"), "idxen": ("s[8:11]", f"v{self.index_v}"),
                             "bothen": ("s[8:11]", f"v[{self.index_v}:{self.small_v}]")}[form]
        at = r.randrange(769)  # lane 0 in the own kilobyte
        if self.waves == 1 and r.random() < 0.3:
            at = r.randrange(768, 1100)
        offset = r.randrange(1, at + 1) if at and (mod == "offset" or r.random() < 0.3) else 0
        head = [Line(f"s_add_u32 m0, s20, {at - offset}")]
        if r.random() < 0.06:  # beyond the allocation of the group
            head = [Line(f"s_movk_i32 m0, {self.waves * 1024 + r.randrange(4000)}")]
        if r.random() < 0.2:  # the upper half of M0 plays no part
            head.append(Line("s_bitset1_b32 m0, 30"))
        soffset = {"m0": "m0", "int": str(r.choice([0, 8, 16, 64])), "float": r.choice(["1.0", "-4.0"]), "sgpr": r.choice(["s21", self.pick.sgpr(1, "src2")])}[soffset]
        text = isa.render_memory(e, {}, mods, self.pick, address, soffset, f" offset:{offset}" if offset else "", resource)
        lds = frozenset(["lds"])
        return Group([*head, Line(text, "vm", lds if load else frozenset(), frozenset() if load else lds)])

    # ---- what keeps a program interesting

    def reload(self):
        """Fresh values from the pool into vector or scalar registers, and fresh addresses."""
        r = self.r
        what = r.randrange(8)
        if what < 4:
            width = r.choice([1, 1, 2, 4])
            name = {1: "dword", 2: "dwordx2", 4: "dwordx4"}[width]
            self.pick.apart, self.pick.taken = False, set()
            dst = self.pick.vgpr(width, "dst")
            return Line(f"buffer_load_{name} {dst}, v{self.lane_v}, s[16:19], 0 offen offset:{r.randrange(0, 4095) & ~3}", "vm", frozenset(registers(dst)))
        if what < 6:
            width = r.choice([1, 2, 4, 8])
            dst = self.pick.sgpr(width, "dst")
            name = {1: "", 2: "x2", 4: "x4", 8: "x8"}[width]
            return Line(f"s_load_dword{name} {dst}, s[2:3], {hex(r.randrange(0, 16000) & ~3)}", "sm", frozenset(registers(dst)))
        return self.addresses()

    def addresses(self):
        """One of the address registers anew, for all lanes, from a random register."""
        r, source = self.r, f"v{self.r.randrange(self.free_v)}"
        which = r.randrange(6)
        save = [Line("s_mov_b64 s[34:35], exec"), Line("s_mov_b64 exec, -1")]
        back = [Line("s_mov_b64 exec, s[34:35]")]
        if which < 4:
            pair, mask = self.pairs[which], [0xff8, 0xff8, 0xfef, 0xffc][which]
            body = [Line(f"v_and_b32_e32 v{pair}, {hex(mask)}, {source}"),
                    *([Line(f"v_lshlrev_b32_e32 v{pair}, 4, v{self.lane_v}"), Line(f"v_lshrrev_b32_e32 v{pair}, 2, v{pair}")] if which == 0 else []),
                    Line(f"v_add_u32_e32 v{pair}, vcc, s0, v{pair}"), Line(f"v_mov_b32_e32 v{pair + 1}, s1"),
                    Line(f"v_addc_u32_e32 v{pair + 1}, vcc, 0, v{pair + 1}, vcc")]
        elif which == 4:
            body = [Line(f"v_and_b32_e32 v{self.lds_v}, 0x1ff, {source}"), Line(f"v_add_u32_e32 v{self.lds_v}, vcc, s20, v{self.lds_v}")]
        else:
            body = [Line(f"v_and_b32_e32 v{self.index_v}, 0x1ff, {source}"), Line(f"v_and_b32_e32 v{self.raw_v}, 0x1ff8, {source}"),
                    Line(f"v_bfe_u32 v{self.small_v}, {source}, 7, 1"), Line(f"v_lshlrev_b32_e32 v{self.small_v}, 3, v{self.small_v}")]
        return Group(save + body + back)

    def phase(self):
        """Wavefronts of a group read each other's LDS between two barriers."""
        v = self.pick.vgpr(1, "dst")
        limit = self.waves * 1024
        return Block([Line("s_barrier")], [Group([
            Line("s_mov_b32 m0, -1"), Line(f"v_add_u32_e32 v{self.lds_v}, vcc, 0x{self.r.randrange(1, self.waves + 1) * 1024:x}, v{self.lds_v}"),
            Line(f"v_and_b32_e32 v{self.lds_v}, {hex(limit - 1 if limit & limit - 1 == 0 else 0x3ff)}, v{self.lds_v}"),
            Line(f"ds_read_b32 {v}, v{self.lds_v}", "ds", frozenset(registers(v)))])],
            [Line("s_barrier"), Line("s_mov_b64 exec, -1"), Line(f"v_and_b32_e32 v{self.lds_v}, 0x1ff, v{self.lane_v}"), Line(f"v_add_u32_e32 v{self.lds_v}, vcc, s20, v{self.lds_v}")],
            "phase", settle=True)

    def jump(self):
        """s_getpc, address arithmetic, s_setpc, s_swappc or s_rfe over something that must not run, by any pair of registers."""
        self.label += 1
        n, pair = self.label, self.r.choice(sorted(PAIRS))
        low, high = PAIRS[pair]
        how = self.r.choice([f"s_setpc_b64 {pair}", f"s_swappc_b64 {self.r.choice(sorted(set(PAIRS) - {pair}))}, {pair}", f"s_rfe_b64 {pair}"])
        self.restore = 1 if "exec" in how else self.restore
        return Group([Line(f"s_getpc_b64 {pair}"), Line(f"Lg{n}:"), Line(f"s_add_u32 {low}, {low}, Lt{n}-Lg{n}"), Line(f"s_addc_u32 {high}, {high}, 0"), Line(how),
                      Line("s_trap 1"), Line(f"Lt{n}:")])

    def block(self, size):
        r = self.r
        self.label += 1
        n, kind = self.label, r.choice(["mask", "mask", "mask", "skip", "skip", "loop"])
        p = self.pick
        p.half = False
        if kind == "loop" and self.depth < 3 and self.counters < 3:
            counter = f"s{22 + self.counters}"
            self.counters += 1
            body = self.items(size)
            self.counters -= 1
            return Block([Line(f"s_movk_i32 {counter}, {r.randrange(2, 5)}"), Line(f"Ll{n}:")], body,
                         [Line(f"s_addk_i32 {counter}, -1"), Line(f"s_cmp_lg_u32 {counter}, 0"), Line(f"s_cbranch_scc1 Ll{n}")], "loop")
        if kind == "mask" and self.masks < 4:
            save = f"s[{26 + 2 * self.masks}:{27 + 2 * self.masks}]"
            self.masks += 1
            body = self.items(size)
            self.masks -= 1
            v = f"v{r.randrange(self.free_v)}"
            compare = r.choice([f"v_cmp_gt_i32_e32 vcc, {p.inline_int()}, {v}", f"v_cmp_lt_f32_e32 vcc, 0, {v}",
                                f"v_cmp_gt_u32_e32 vcc, {r.randrange(65)}, v{self.lane_v}", f"v_cmp_ne_u32_e64 vcc, s{r.choice(FREE_S)}, {v}"])
            head = [Line(compare), Line(r.choice(["s_and_saveexec_b64", "s_and_saveexec_b64", "s_andn2_saveexec_b64", "s_xor_saveexec_b64"]) + f" {save}, vcc")]
            if r.random() < 0.7:
                head.append(Line(f"s_cbranch_execz Lj{n}"))
            return Block(head, body, [Line(f"Lj{n}:"), Line(r.choice([f"s_mov_b64 exec, {save}", f"s_or_b64 exec, exec, {save}"]))], "if")
        body = self.items(size)
        test = r.choice(["scc0", "scc1", "vccz", "vccnz", "execz", "execnz", "always"])
        head = [Line(f"s_cmp_lt_i32 s{r.choice(FREE_S)}, s{r.choice(FREE_S)}")] if "scc" in test else []
        return Block(head + [Line(f"s_cbranch_{test} Lj{n}" if test != "always" else f"s_branch Lj{n}")], body, [Line(f"Lj{n}:")], "if")

    restore = 0

    def items(self, size):
        out, r = [], self.r
        self.depth += 1
        while size > 0:
            size -= 1
            if self.restore:
                self.restore -= 1
                if not self.restore:
                    out.append(Line(r.choice(["s_mov_b64 exec, -1", "s_mov_b64 exec, -1", "s_mov_b64 exec, vcc", "s_not_b64 exec, exec", f"s_mov_b64 exec, {word(r):#x}"])))
            x = r.random()
            if x < 0.02:
                out.append(Line("s_mov_b64 exec, -1"))
            elif x < 0.14:
                out.append(self.reload())
            elif x < 0.15:
                out.append(Line(f"@wait {r.choice(['vm', 'lgkm'])} {r.randrange(4)}"))
            elif x < 0.155:
                out.append(self.jump())
            elif x < 0.175 and self.depth < 5 and size > 6:
                inner = min(size, r.randrange(3, 30))
                size -= inner
                out.append(self.block(inner))
            elif x < 0.18 and self.depth == 1 and not self.counters:
                out.append(self.phase())
            else:
                out.append(self.instruction())
        self.depth -= 1
        return out
