# SPDX-License-Identifier: Apache-2.0
"""From a seed to a code object: size and shape of a program, its frame (registers, resources and LDS at the start, a digest of all
registers in memory at the end), the assembler.  Every wavefront owns 8 KiB of one buffer and 1 KiB of LDS, so that the result does not
depend on the order of wavefronts; a second buffer, the pool, is read only."""
import pathlib
import random
import subprocess
import sys
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from deck import isa  # noqa: E402
from generate import Generator  # noqa: E402
from pick import FREE_S, pool  # noqa: E402
from program import Line, emit  # noqa: E402

REGION = 8192  # bytes of memory of a wavefront: 4 KiB that instructions reach, and what swizzled accesses and the digest need beyond
LINKS = {"link.cu_noc": (8, 60), "link.noc_l2": (8, 60), "link.cu_sqc": (8, 40), "link.store": (8, 120), "link.dispatch": (8, 40),
         "link.sqc_noc": (8, 60)}


@dataclass
class Program:
    seed: int
    items: list
    generator: Generator
    groups: int
    waves: int              # of a group
    rounding: int = 0       # MODE at the start
    denormals: int = 0
    ieee: int = 1
    dx10_clamp: int = 1
    resource: tuple = (0, 0)  # add-tid of the strided one, index stride of the swizzled one
    settings: dict = field(default_factory=dict)  # --set KEY=VALUE: latencies
    sgprs: int = FREE_S.stop


def make(seed, size=1500, most_waves=16):
    """The program of a seed; size: instructions of its body, as written; most_waves: of a group that the CU has room for."""
    r = random.Random(f"shape {seed}")
    waves = min(r.choice([1, 1, 2, 3, 4, 4, 8, 16]), most_waves)
    free_v = r.choice([11, 11, 15, 19, 35, 51])
    g = Generator(seed, size, waves, free_v)
    slots = 4 * (256 // ((g.vgprs + 3) // 4 * 4))
    groups = max(1, min(r.choice([1, 2, 10, 12]) // waves + 1, min(slots, 40) // waves + 1))
    if seed % 8 == 3:
        groups = -(-min(slots, 40) // waves)  # as many wavefronts as fit, and some that wait
    items = g.items(size)
    settings = {k: r.randrange(*span) for k, span in LINKS.items() if r.random() < 0.5}
    return Program(seed, items, g, groups, waves, r.randrange(16) if r.random() < 0.4 else 0, r.choice([0, 3, 12, 15, r.randrange(16)]),
                   r.randrange(2), r.randrange(2), (r.randrange(2), r.randrange(4)), settings)


def resource(base, words):
    return [f"  s_mov_b32 s{base + n}, {w}" if not w.startswith("s_") else f"  {w}" for n, w in enumerate(words)]


def prologue(p):
    g, v = p.generator, p.generator.lane_v
    out = ["  s_mov_b64 exec, -1", "  s_load_dwordx4 s[4:7], s[0:1], 0x0", "  v_readfirstlane_b32 s20, v0", "  s_lshr_b32 s20, s20, 6",
           f"  s_mul_i32 s21, s2, {p.waves}", "  s_add_u32 s21, s21, s20", "  s_lshl_b32 s22, s21, 13", "  s_mulk_i32 s21, 132", "  s_and_b32 s23, s21, 0x1ffc",
           "  s_waitcnt lgkmcnt(0)", "  s_mov_b64 s[2:3], s[6:7]", "  s_add_u32 s0, s4, s22", "  s_addc_u32 s1, s5, 0", "  s_lshl_b32 s20, s20, 10",
           f"  v_mbcnt_lo_u32_b32 v{v}, -1, 0", f"  v_mbcnt_hi_u32_b32 v{v}, -1, v{v}", f"  v_lshlrev_b32_e32 v{v}, 2, v{v}"]
    out += resource(4, ["s0", "s1", "4096", "0x24fac"])
    out += resource(8, ["s0", "s_or_b32 s9, s1, 0x100000", "4096", hex(0x24fac | p.resource[0] << 23)])
    out += resource(12, ["s0", "s_or_b32 s13, s1, 0x80100000", "256", hex(0x24fac | 1 << 19 | p.resource[1] << 21)])
    out += resource(16, ["s2", "s3", "16384", "0x24fac"])
    out += [f"  buffer_load_dword v{n}, v{v}, s[16:19], s23 offen offset:{(n * 252) % 4096 & ~3}" for n in range(g.free_v)]
    out += ["  s_load_dwordx16 s[36:51], s[2:3], s23", "  s_add_u32 s23, s23, 64", "  s_load_dwordx16 s[52:67], s[2:3], s23", "  s_waitcnt lgkmcnt(0) & vmcnt(0)",
            "  s_mov_b64 s[68:69], s[36:37]", "  s_mov_b64 s[70:71], s[40:41]"]
    out += [f"  s_mov_b64 s[{n}:{n + 1}], s[{n + 20}:{n + 21}]" for n in range(22, 36, 2)]
    out += ["  s_mov_b64 flat_scratch, s[60:61]", "  s_mov_b64 vcc, s[62:63]", "  s_mov_b32 m0, -1", "  s_movk_i32 s21, 64"]
    state, g.r, seen = g.r, random.Random(f"addresses {p.seed}"), set()
    while len(seen) < 6:  # every kind of address once
        group = g.addresses()
        register = group.lines[2].text.split(",")[0]
        if register not in seen:
            seen.add(register)
            out += ["  " + line.text for line in group.lines]
    g.r = state
    out += [f"  v_lshlrev_b32_e32 v{g.lds_v}, 2, v{v}", f"  v_add_u32_e32 v{g.lds_v}, vcc, s20, v{g.lds_v}",
            f"  ds_write_b64 v{g.lds_v}, v[0:1]", f"  ds_write_b64 v{g.lds_v}, v[2:3] offset:8", "  s_waitcnt lgkmcnt(0)",
            f"  v_and_b32_e32 v{g.lds_v}, 0x1ff, v5", f"  v_add_u32_e32 v{g.lds_v}, vcc, s20, v{g.lds_v}"]
    return out


def epilogue(p):
    """All registers folded into two dwords a lane behind the wavefront's memory."""
    g = p.generator
    out = ["  s_mov_b64 exec, -1", "  s_movk_i32 s6, 0x2000"]
    out += [f"  s_xor_b32 s36, s36, s{n}\n  s_lshl_b32 s37, s36, 3\n  s_lshr_b32 s36, s36, 29\n  s_or_b32 s36, s36, s37" for n in FREE_S if n > 37]
    for n in range(1, g.free_v):
        out += [f"  v_xor_b32_e32 v0, v0, v{n}", "  v_alignbit_b32 v0, v0, v0, 27"]
    out += ["  v_mov_b32_e32 v1, s36", "  s_movk_i32 s21, 0x1e00", f"  buffer_store_dword v0, v{g.lane_v}, s[4:7], s21 offen",
            f"  buffer_store_dword v1, v{g.lane_v}, s[4:7], s21 offen offset:256",
            "  s_endpgm_saved" if p.seed % 4 == 1 else "  s_endpgm"]
    return out


def text(p):
    """Assembler source of the whole program."""
    return "\n".join(['.amdgcn_target "amdgcn-amd-amdhsa--gfx803"', ".text", ".globl torture", ".p2align 8", ".type torture,@function", "torture:",
                      *prologue(p), "; body", *emit(p.items), "; end of body", *epilogue(p), "Lend:", ".size torture, Lend-torture", descriptor(p)]) + "\n"


def descriptor(p):
    return f""".rodata
.p2align 6
.amdhsa_kernel torture
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size {p.waves * 1024}
  .amdhsa_next_free_vgpr {p.generator.vgprs}
  .amdhsa_next_free_sgpr {p.sgprs}
  .amdhsa_float_round_mode_32 {p.rounding & 3}
  .amdhsa_float_round_mode_16_64 {p.rounding >> 2}
  .amdhsa_float_denorm_mode_32 {p.denormals & 3}
  .amdhsa_float_denorm_mode_16_64 {p.denormals >> 2}
  .amdhsa_ieee_mode {p.ieee}
  .amdhsa_dx10_clamp {p.dx10_clamp}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: torture
    .symbol: torture.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {p.waves * 1024}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: {p.sgprs + 8}
    .vgpr_count: {p.generator.vgprs}
    .max_flat_workgroup_size: 1024
    .args:
      - {{ .name: region, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}
      - {{ .name: pool, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }}
...
.end_amdgpu_metadata"""


def drop_refused(items, refused):
    """Take out the lines that the assembler refuses (rare combinations of legal parts); number taken out."""
    dropped = 0
    for item in list(items):
        if isinstance(item, Line):
            if item.text in refused:
                items.remove(item)
                dropped += 1
        elif hasattr(item, "body"):
            dropped += drop_refused(item.body, refused)
        elif any(line.text in refused for line in item.lines):
            items.remove(item)
            dropped += 1
    return dropped


def settle(p):
    """Make the program one that assembles; number of items taken out."""
    lines = emit(p.items)
    refused = {lines[n - 1].strip(): why for n, why in isa.refused_lines(lines).items()}
    return drop_refused(p.items, refused), refused


def assemble(p, folder):
    """Code object, and the files of the two buffers."""
    source, code = folder / "torture.s", folder / "torture.co"
    source.write_text(text(p))
    done = subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code, source],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    content = pool(p.seed)
    (folder / "pool").write_bytes(content)
    (folder / "region").write_bytes((content * (p.groups * p.waves * REGION // len(content) + 1))[:p.groups * p.waves * REGION])
    return code
