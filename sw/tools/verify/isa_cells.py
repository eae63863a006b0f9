# SPDX-License-Identifier: Apache-2.0
"""Encodings of gfx803 and the cells (operand, kind, modifier) of each, for random programs (tests/rtl/cu/torture) and coverage
(sw/tools/verify/coverage.py).  What exists is asked of LLVM's assembler: a cell whose text it refuses is none.
Names of operands, kinds and modifiers are those of host/lockstep/lockstep_coverage.c."""
import functools
import hashlib
import json
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE, COUNTS = ROOT / "host/isa/opcodes.tsv", ROOT / "host/isa/encodings.tsv"
SELECTS = {"b0": "BYTE_0", "b1": "BYTE_1", "b2": "BYTE_2", "b3": "BYTE_3", "w0": "WORD_0", "w1": "WORD_1", "dw": "DWORD"}
UNUSED = {"pad": "UNUSED_PAD", "sext": "UNUSED_SEXT", "preserve": "UNUSED_PRESERVE"}
DPP = {"quad_perm": "quad_perm:[3,0,2,1]", "row_shl": "row_shl:3", "row_shr": "row_shr:1", "row_ror": "row_ror:5", "wave_shl": "wave_shl:1",
       "wave_rol": "wave_rol:1", "wave_shr": "wave_shr:1", "wave_ror": "wave_ror:1", "row_mirror": "row_mirror",
       "row_half_mirror": "row_half_mirror", "bcast15": "row_bcast:15", "bcast31": "row_bcast:31"}
SDWA_MODS = ([f"sel0:{s}" for s in SELECTS] + [f"sel1:{s}" for s in SELECTS] + [f"dst:{s}" for s in SELECTS] + list(UNUSED) +
             ["sext0", "sext1", "sdwa:neg0", "sdwa:neg1", "sdwa:abs0", "sdwa:abs1", "sdwa:clamp"])
DPP_MODS = list(DPP) + ["bound_ctrl", "row_mask", "bank_mask", "dpp:neg0", "dpp:neg1", "dpp:abs0", "dpp:abs1"]
VOP3_MODS = ["none", "neg0", "neg1", "neg2", "abs0", "abs1", "abs2", "clamp", "mul2", "mul4", "div2"]
MUBUF_MODS = ["none", "glc", "slc", "offset", "offen", "idxen", "bothen", "lds"]
SCALAR_KINDS = ["sgpr", "vcc", "exec", "m0", "trap", "int", "float", "literal", "scc"]
DEST_KINDS = ["sgpr", "vcc", "exec", "m0", "trap"]
BUS = {"sgpr", "vcc", "exec", "m0", "trap", "literal", "scc"}  # a vector instruction reads one of these at most


@dataclass(frozen=True)
class Encoding:
    name: str
    fmt: str    # of this encoding; VOP3 for the long forms of VOP1, VOP2, VOPC
    base: str   # of its row in opcodes.tsv
    count: int  # in the code of public suites
    dst: str
    src: tuple  # texts of the table's columns
    flags: frozenset = field(hash=False)
    mem: str = "-"
    unit: str = ""
    implemented: bool = False

    @property
    def key(self):
        return self.name, self.fmt

    def width(self, slot):
        """Dwords of an operand, 0 when there is none."""
        text = self.dst if slot == "dst" else self.src[int(slot[-1])]
        return 0 if text == "-" else 2 if text == "m" else 1 if text == "a" else int(text.lstrip("vs"))

    @property
    def kind(self):
        return self.mem.split(":")[0]

    @property
    def bytes(self):
        return int(self.mem.split(":")[1]) if self.mem != "-" else 0


def read_tsv(path):
    return [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith(("#", "mnemonic\t")) and line.strip()]


@functools.cache
def encodings():
    """All compute encodings, in the order of encodings.tsv."""
    rows = {(r[0], r[1]): r for r in read_tsv(TABLE)}
    out = []
    for name, fmt, count in read_tsv(COUNTS):
        base = next(f for f in (fmt, "VOP2", "VOP1", "VOPC") if (name, f) in rows)
        r = rows[name, base]
        out.append(Encoding(name, fmt, base, int(count), r[6], tuple(r[7:10]), frozenset(r[10].split(",")), r[11], r[4], r[12] == "yes"))
    return out


class Registers:
    """Chooses registers for rendering; the probe takes the same ones always."""
    literal = "0x3f12"

    def vgpr(self, width, slot):
        first = {"dst": 0, "src0": 4, "src1": 8, "src2": 12}[slot]
        return f"v{first}" if width == 1 else f"v[{first}:{first + width - 1}]"

    def sgpr(self, width, slot):
        first = {"dst": 36, "src0": 40, "src1": 44, "src2": 48, "mask": 52}[slot]
        return f"s{first}" if width == 1 else f"s[{first}:{first + width - 1}]"

    def pick(self, choices):
        return choices[0]

    def inline_int(self):
        return "17"


def operand(regs, kind, width, slot, half=False):
    """Text of an operand, None when the kind has no such width."""
    if kind == "vgpr":
        return regs.vgpr(width, slot)
    if kind == "sgpr":
        return regs.sgpr(width, slot)
    if width > 2:
        return None
    if kind in ("vcc", "exec"):
        return kind if width == 2 else regs.pick([f"{kind}_lo", f"{kind}_hi"])
    if kind == "m0":
        return "m0" if width == 1 else None
    if kind == "trap":  # in a program TTMP read 0 and writes to them have no effect
        return regs.pick(["ttmp5", "ttmp11", "flat_scratch_lo", "flat_scratch_hi"] if width == 1 else ["ttmp[4:5]", "flat_scratch", "flat_scratch"])
    if kind == "int":
        return regs.inline_int()
    if kind == "float":
        return regs.pick(["1.0", "0.5", "-0.5", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494" if width == 1 else "0.15915494309189532"])
    if kind == "literal":
        return regs.literal if half else regs.pick([regs.literal, "0x7f800000", "0xff812345"])
    return regs.pick(["src_scc", "src_vccz", "src_execz"])


def constant_slot(e):
    """The source of v_madmk and v_madak that is a literal by the opcode."""
    return ("src1" if "madmk" in e.name else "src2") if "literal" in e.flags else None


def source_kinds(e, slot):
    """Kinds that a source of this encoding may have, by the rules of its format."""
    vector = e.fmt.startswith("VOP")
    if not e.width(slot):
        return []
    if e.fmt in ("DS", "FLAT"):
        return ["vgpr"]
    if e.fmt == "MUBUF":
        return ["sgpr", "m0", "int", "float"] if slot == "src2" else ["vgpr"]
    if e.fmt == "SMEM":
        return [] if slot == "src1" else ["sgpr"] if e.width(slot) > 2 else ["sgpr", "vcc", "trap"]
    if e.fmt == "SOPK":
        return DEST_KINDS if e.name.startswith(("s_cmpk", "s_setreg_b32")) else []
    if not vector:
        return [] if slot == "src1" and e.fmt == "SOP1" else SCALAR_KINDS
    if slot == constant_slot(e):
        return ["literal"]
    mask = e.src[int(slot[-1])] == "m"
    if e.fmt != "VOP3":
        if mask:
            return ["vcc"]
        return ["vgpr"] + SCALAR_KINDS if slot == "src0" else ["vgpr"]
    if mask:
        return ["sgpr", "vcc", "trap", "exec", "int"]
    if slot == "src2" and "dst_r" in e.flags:
        return ["vgpr"]
    if "lane_b32" in e.name and "first" not in e.name:
        return ["sgpr", "m0", "vcc", "exec", "trap", "int", "float", "vgpr"]
    return ["vgpr"] + [k for k in SCALAR_KINDS if k != "literal"]


def modifiers(e):
    """Candidates: which of them an encoding takes is for the assembler."""
    sources = {str(n) for n in range(3) if e.src[n] not in ("-", "m") and not (n == 2 and "dst_r" in e.flags)}

    def applies(m):
        word = m.split(":")[-1] if m.startswith(("sdwa:", "dpp:")) else m.split(":")[0]
        if m.startswith("dst:") or m in UNUSED or m == "sdwa:clamp":
            return e.dst.startswith("v")
        return word[:-1] not in ("neg", "abs", "sel", "sext") or word[-1] in sources

    if e.fmt == "VOP3":
        no_abs = "vcc_w" in e.flags and e.dst.startswith("v")  # a second destination stands in the place of abs; LLVM takes some all the same
        return [m for m in VOP3_MODS if applies(m) and not (no_abs and m.startswith("abs"))]
    if e.fmt in ("VOP1", "VOP2", "VOPC"):
        return (["none"] + ([m for m in SDWA_MODS if applies(m)] if "sdwa" in e.flags else []) +
                ([m for m in DPP_MODS if applies(m)] if "dpp" in e.flags else []))
    if e.fmt == "DS":
        return ["none", "offset"] if e.width("src0") or "swizzle" in e.name else ["none"]
    if e.fmt == "FLAT":
        return ["none", "glc", "slc"]
    if e.fmt == "MUBUF":  # lds: only loads have a form without
        return ["none"] if e.kind == "inv" else MUBUF_MODS if e.kind == "load" else MUBUF_MODS[:-1]
    return ["none"]


def is_sdwa(mods):
    return any(m in SDWA_MODS for m in mods)


def is_dpp(mods):
    return any(m in DPP_MODS for m in mods)


def decorate(text, n, mods):
    """neg and abs around source n."""
    for prefix in ("", "sdwa:", "dpp:"):
        if f"{prefix}abs{n}" in mods:
            text = f"abs({text})"
        if f"{prefix}neg{n}" in mods:
            text = f"neg({text})"
    return f"sext({text})" if f"sext{n}" in mods else text


def vop_tail(mods, sources, has_dst, regs):
    out = []
    if is_sdwa(mods):
        chosen = {m.split(":")[0]: m.split(":")[1] for m in mods if m.startswith(("sel", "dst:"))}
        unused = next((m for m in mods if m in UNUSED), None)
        if "sdwa:clamp" in mods:
            out.append("clamp")
        if has_dst:
            out.append("dst_sel:" + SELECTS[chosen.get("dst") or regs.pick(["w1", "b2", "w0", "dw"])])
            out.append("dst_unused:" + UNUSED[unused or regs.pick(["preserve", "pad", "sext"])])
        for n in range(min(sources, 2)):
            out.append(f"src{n}_sel:" + SELECTS[chosen.get(f"sel{n}") or regs.pick(["w1", "b1", "dw"])])
    elif is_dpp(mods):
        out.append(DPP[next((m for m in mods if m in DPP), None) or regs.pick(["quad_perm", "row_ror", "row_shr"])])
        out += ["row_mask:" + (regs.pick(["0x5", "0x3", "0xe"]) if "row_mask" in mods else "0xf"),
                "bank_mask:" + (regs.pick(["0xa", "0x7", "0xc"]) if "bank_mask" in mods else "0xf")]
        if "bound_ctrl" in mods:
            out.append("bound_ctrl:0")
    else:
        out += [w for w in ("clamp",) if w in mods] + [{"mul2": "mul:2", "mul4": "mul:4", "div2": "div:2"}[m] for m in mods if m in ("mul2", "mul4", "div2")]
    return (" " + " ".join(out)) if out else ""


def render_vop(e, kinds, mods, regs):
    """kinds: {slot: kind}; None when some kind has no text."""
    half = "half" in e.flags
    sources = [s for s in ("src0", "src1", "src2") if e.width(s)]
    if "dst_r" in e.flags and "src2" in sources:
        sources.remove("src2")
    if e.name == "v_writelane_b32":
        sources = ["src0", "src1"]
    text = []
    for s in sources:
        if e.src[int(s[-1])] == "m":
            t = "vcc" if e.fmt != "VOP3" else operand(regs, kinds[s], 2, "mask")
        else:
            t = operand(regs, kinds[s], e.width(s), s, half)
        if t is None:
            return None
        text.append(decorate(t, int(s[-1]), mods))
    if "literal" in e.flags:  # one of three is the constant, and source 0 may be the same
        text[int(constant_slot(e)[-1])] = literal = regs.literal
        text[0] = literal if kinds["src0"] == "literal" else text[0]
    out, sdst = [], kinds.get("sdst", "sgpr")
    if e.dst.startswith("v"):
        out.append(regs.vgpr(e.width("dst"), "dst"))
    elif e.dst.startswith("s"):
        out.append(operand(regs, sdst, 1, "dst"))
    if "vcc_w" in e.flags or e.dst == "m":
        out.append("vcc" if e.fmt != "VOP3" else operand(regs, sdst, 2, "dst" if e.dst == "m" else "mask"))
    if None in out:
        return None
    suffix = "_sdwa" if is_sdwa(mods) else "_dpp" if is_dpp(mods) else "_e64" if e.fmt == "VOP3" and e.base != "VOP3" else \
        "_e32" if e.base in ("VOP1", "VOP2", "VOPC") and "literal" not in e.flags and e.name not in ("v_nop", "v_clrexcp", "v_readfirstlane_b32") else ""
    return f"{e.name}{suffix} {', '.join(out + text)}{vop_tail(mods, len(sources), e.dst.startswith('v'), regs)}"


def render_scalar(e, kinds, regs, imm="0x1234"):
    out = []
    if e.dst.startswith("s"):
        out.append(operand(regs, kinds.get("sdst", "sgpr"), e.width("dst"), "dst"))
    for s in ("src0", "src1"):
        if source_kinds(e, s) and not (e.fmt == "SOPK" and e.name == "s_setreg_b32"):
            out.append(operand(regs, kinds[s], e.width(s), s))
    if None in out:
        return None
    if e.name == "s_setreg_b32":
        t = operand(regs, kinds["src0"], 1, "src0")
        return t and f"s_setreg_b32 {imm}, {t}"
    if e.name == "s_setreg_imm32_b32":
        return f"s_setreg_imm32_b32 {imm}, {regs.literal}"
    if e.fmt == "SOPK":
        out.append(imm)
    return f"{e.name} {', '.join(out)}"


def render_smem(e, kinds, regs, base, offset):
    if not e.width("dst") and not e.width("src2"):
        return e.name
    if e.width("src2"):
        data = operand(regs, kinds["src2"], e.width("src2"), "src2")
        return data and f"{e.name} {data}, {base}, {offset}"
    dst = operand(regs, kinds.get("sdst", "sgpr"), e.width("dst"), "dst")
    return dst and (f"{e.name} {dst}" + (f", {base}, {offset}" if e.width("src0") else ""))


def render_memory(e, kinds, mods, regs, address, soffset="0", offset="", resource="s[40:43]"):
    """DS, FLAT, MUBUF with the given address register; glc decides whether an atomic returns."""
    returns = e.width("dst") and (not e.mem.endswith(":glc") or "glc" in mods)
    out = [regs.vgpr(e.width("dst"), "dst")] if returns else []
    data = [regs.vgpr(e.width(s), s) for s in ("src1", "src2") if e.width(s) and not (e.fmt == "MUBUF" and s == "src2")]
    if e.fmt == "MUBUF":
        if e.kind == "inv":
            return e.name
        words = [m for m in mods if m in ("offen", "idxen")] + (["idxen", "offen"] if "bothen" in mods else [])
        if returns and data or "lds" in mods:  # an atomic returns into its operand, the LDS takes the place of a register
            out = []
        from_lds = e.name == "buffer_store_lds_dword"  # no register of data or address; the assembler wants its words in this order
        where = [] if from_lds and not words else [address if words else "off"]
        return (f"{e.name} {', '.join(out + data + where + [resource, soffset])} {' '.join(words)}{offset}{' lds' if from_lds else ''}"
                f"{' glc' if 'glc' in mods else ''}{' slc' if 'slc' in mods else ''}{' lds' if 'lds' in mods else ''}")
    if not e.width("src0"):
        return e.name
    tail = "".join(f" {m}" for m in mods if m in ("glc", "slc"))
    return f"{e.name} {', '.join(out + ([address] + data if e.fmt == 'DS' or returns or e.kind != 'load' else [address]))}{offset}{tail}"


# Encodings that random programs do not deal as single instructions: control flow is made of blocks, others end a wavefront.
BLOCKS = {"s_branch", "s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz",
          "s_getpc_b64", "s_setpc_b64", "s_swappc_b64", "s_rfe_b64", "s_trap", "s_endpgm", "s_endpgm_saved", "s_barrier", "s_waitcnt"}


PLAIN = {"s_endpgm", "s_endpgm_saved", "s_barrier", "s_icache_inv", "s_wakeup"}  # SOPP without an operand


def probe_text(e, kinds, mods):
    regs = Registers()
    if e.fmt.startswith("VOP"):
        return render_vop(e, kinds, mods, regs)
    if e.fmt == "SOPP":
        return e.name if e.name in PLAIN else f"{e.name} 0"
    if e.fmt == "SMEM":
        base = kinds.get("src0") and operand(regs, kinds["src0"], e.width("src0"), "src0")
        offset = "0x10" if kinds.get("src1", "int") == "int" else operand(regs, kinds["src1"], 1, "src1")
        return render_smem(e, kinds, regs, base, offset) if base or not e.width("src0") else None
    if e.fmt in ("DS", "FLAT", "MUBUF"):
        soffset = operand(regs, kinds.get("src2", "int"), 1, "src2") if e.fmt == "MUBUF" else ""
        two = ":two" in e.mem
        return render_memory(e, kinds, mods, regs, "v[20:21]" if e.fmt == "FLAT" or "bothen" in mods else "v20", soffset,
                             (" offset0:1 offset1:3" if two else " offset:16") if "offset" in mods else "")
    return render_scalar(e, kinds, regs)


def default_kinds(e):
    kinds = {s: source_kinds(e, s)[0] for s in ("src0", "src1", "src2") if source_kinds(e, s)}
    if "lane_b32" in e.name and "first" not in e.name:
        kinds["src0"] = "vgpr" if "read" in e.name else "sgpr"
        kinds["src1"] = "int"
    return kinds


def candidates(e):
    """(slot, kind, modifier) of an encoding, before the assembler is asked."""
    slots = {s: source_kinds(e, s) for s in ("src0", "src1", "src2")}
    if e.fmt == "SMEM" and e.width("src0"):
        slots["src1"] = ["int", "sgpr", "m0"]
    if e.dst.startswith("s") or (e.fmt == "VOP3" and (e.dst == "m" or "vcc_w" in e.flags)):
        slots["sdst"] = DEST_KINDS
    elif e.dst == "m" or "vcc_w" in e.flags:
        slots["sdst"] = ["vcc"]
    if e.name == "s_setreg_imm32_b32":
        slots["src0"] = ["literal"]
    if not any(slots.values()):
        slots["-"] = ["none"]
    for slot, kinds in slots.items():
        for kind in kinds:
            for m in modifiers(e):
                if (m in SDWA_MODS or m in DPP_MODS) and slot in ("src0", "src1") and kind != "vgpr":
                    continue
                if slot == "src0" and e.fmt == "MUBUF" and m not in ("offen", "idxen", "bothen"):
                    continue  # no address register
                yield slot, kind, m


@functools.cache
def legal_cells():
    """{encoding.key: [(slot, kind, modifier)]} that LLVM assembles; remembered in build/ by the contents of tables and rules."""
    stamp = hashlib.sha256(b"".join(p.read_bytes() for p in (TABLE, COUNTS, pathlib.Path(__file__)))).hexdigest()[:16]
    place = ROOT / f"build/torture/cells-{stamp}.json"
    if place.exists():
        return {tuple(k.split()): [tuple(c) for c in v] for k, v in json.loads(place.read_text()).items()}
    asked = []
    for e in encodings():
        for cell in candidates(e):
            kinds = default_kinds(e)
            if cell[0] != "-":
                kinds[cell[0]] = cell[1]
            text = probe_text(e, kinds, [] if cell[2] == "none" else [cell[2]])
            if text:
                asked.append((e, cell, text))
    refused = refused_lines([t for _, _, t in asked])
    legal = {e.key: [] for e in encodings()}
    for n, (e, cell, _) in enumerate(asked, 1):
        if n not in refused:
            legal[e.key].append(cell)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({" ".join(k): v for k, v in legal.items()}))
    return legal


def refused_lines(lines):
    """Numbers (from 1) of the lines that LLVM's assembler does not take for gfx803, with its reason."""
    done = subprocess.run(["llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-filetype=null"], input="\n".join(lines) + "\n",
                          capture_output=True, text=True)
    return {int(m[1]): m[2] for m in re.finditer(r"^<stdin>:(\d+):\d+: error: (.*)$", done.stderr, re.M)}


def illegal_cells(cells):
    """Numbers (from 0) of the cells (encoding, cell) that LLVM assembles and the golden model's decoder refuses, and so the RTL's does."""
    texts = []
    for e, (slot, kind, mod) in cells:
        kinds = default_kinds(e) | ({slot: kind} if slot != "-" else {})
        texts.append(probe_text(e, kinds, [] if mod == "none" else [mod]))
    done = subprocess.run(["llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-show-encoding"], input="\n".join(texts) + "\n",
                          capture_output=True, text=True, check=True)
    words = [bytes(int(b, 16) for b in m.split(",")).ljust(8, b"\0") for m in re.findall(r"encoding: \[([^\]]*)\]", done.stdout)]
    assert len(words) == len(texts)
    lengths = decoded_lengths([(int.from_bytes(w[:4], "little"), int.from_bytes(w[4:8], "little")) for w in words])
    return {n for n, length in enumerate(lengths) if not length}


@functools.cache
def decoder():
    """tests/rtl/cu/torture/legal.c, built."""
    exe = ROOT / "build/torture/legal"
    exe.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-std=c11", "-O2", "-D_GNU_SOURCE", "-Ihost", "-Ibridge", "-Ibuild/gen", "-o", exe, "tests/rtl/cu/torture/legal.c",
                    "build/lib/libgantry.a"], cwd=ROOT, check=True)
    return exe


def decoded_lengths(pairs):
    """Dwords of each instruction of two words, by the golden model's decoder; 0: illegal."""
    text = "".join(f"{a:x} {b:x}\n" for a, b in pairs)
    return [int(n) for n in subprocess.run([decoder()], input=text, capture_output=True, text=True, check=True).stdout.split()]


def hitless(e, cell):
    """Why a legal cell cannot be hit; empty when it can."""
    slot, kind, _ = cell
    if slot == "sdst" and kind == "exec" and e.name.startswith(("v_cmp_t_", "v_cmpx_t_", "v_cmp_tru_", "v_cmpx_tru_")):
        return "true in every active lane: EXEC stays"
    if e.name == "s_swappc_b64" and kind in ("int", "float", "literal", "scc"):
        return "the fetch that follows is a fault, which ends the comparison: test_torture.py, test_wild_jump"
    return ""
