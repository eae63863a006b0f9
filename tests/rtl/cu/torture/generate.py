# SPDX-License-Identifier: Apache-2.0
"""Random gfx803 programs: what stands between the instructions (instructions.py): fresh values and addresses, nested blocks under EXEC,
branches, loops, jumps, barriers.  docs/verification.md, "Random programs", has the plan of the registers."""
import random

from deck import isa
from instructions import Instructions
from pick import FREE_S, Pick, word
from program import Block, Group, Line, registers

PAIRS = {"s[40:41]": ("s40", "s41"), "s[42:43]": ("s42", "s43"), **{p: (f"{p}_lo", f"{p}_hi") for p in ("vcc", "exec", "flat_scratch")}}  # of jumps


class Generator(Instructions):
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
