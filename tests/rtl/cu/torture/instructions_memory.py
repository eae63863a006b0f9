# SPDX-License-Identifier: Apache-2.0
"""Random gfx803 programs: instructions of scalar memory, LDS, flat and buffer instructions, with addresses inside what a wavefront owns."""
from deck import isa
from pick import FREE_S
from program import Group, Line, registers


class MemoryInstructions:
    """Expects of what it is part of: r (random numbers), pick, waves, the address registers, fix_exec()."""

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
