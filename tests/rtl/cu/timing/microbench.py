#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times instructions of the RTL compute unit with s_memtime: cycles from one of a row to the next, for each class of classes.tsv.

usage: microbench.py [--config NAME] [--write]    --write: the measured columns of classes.tsv and the table of docs/reference/cu.md
A row of n instructions stands between two s_memtime; what is told is (time of LONG - time of SHORT) / (LONG - SHORT), of the pass over the same code (not
the first) that was fastest, so that neither the caches, nor what surrounds the row, nor a refresh of the DRAM count.  Three measurements a class: independent
instructions of one wavefront, the same in four wavefronts (one a SIMD; cycles of the CU for each instruction), dependent ones."""
import argparse
import csv
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
TABLE = pathlib.Path(__file__).with_name("classes.tsv")
PAGE = ROOT / "docs/reference/cu.md"
BEGIN, END = "<!-- classes.tsv -->\n", "<!-- end of classes.tsv -->\n"
MEASURED = ("alone", "cu", "dependent")
SHORT, LONG, PASSES = 24, 56, 4  # the shorter is longer than any latency, so that what it ends with is the same for both


def read_table():
    with open(TABLE) as f:
        return list(csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t"))


def row(template, n):
    """n times the instructions of a template; {d}, {p}, {r} and {q}: another register, pair, three and quadruple for each."""
    out = []
    for i in range(n):
        d, p, q = 32 + i % 8, 40 + i % 8 * 2, 56 + i % 4 * 4
        out += template.format(d=d, p=f"{p}:{p + 1}", r=f"{q}:{q + 2}", q=f"{q}:{q + 3}", s=40 + i % 8, t=f"{48 + i % 4 * 2}:{49 + i % 4 * 2}").split("; ")
    return ["  " + line for line in out]


def timed(template, n, slot):
    """One measurement; its cycles go to dword `slot` of the wavefront's results (s[12:15]) of this pass (s24).  The row's first
    instruction once before: a class that was measured earlier may have turned its line out of the L1."""
    drain = "  s_waitcnt vmcnt(0) & lgkmcnt(0)"
    return [drain, "  s_barrier", *row(template, 1), drain, "  s_barrier", "  s_nop 7", "  s_nop 7", "  s_nop 7", "  .p2align 6", "  s_memtime s[16:17]", "  s_waitcnt lgkmcnt(0)", *row(template, n), drain, "  s_memtime s[18:19]",
            "  s_waitcnt lgkmcnt(0)", "  s_sub_u32 s18, s18, s16", "  v_mov_b32 v1, s18", f"  buffer_store_dword v1, off, s[12:15], s24 offset:{4 * slot}"]


def source(templates):
    """A kernel that measures templates; registers: v2 lane * 4, v8 lane * 8, v[4:5] address of the data, v6 and v7 0, s[8:11] resource of the data,
    s[64:67] the same as scratch: swizzled by 64 lanes of a dword, the lane added; v[16:17] flat address of that (FLAT_SCRATCH: the data); m0 is -1."""
    body, slot = [], 0
    for text in templates:
        for n in (SHORT, LONG):
            body += timed(text, n, slot)
            slot += 1
    start = ["s_load_dwordx4 s[4:7], s[0:1], 0x0", "v_readfirstlane_b32 s20, v0", "s_lshr_b32 s20, s20, 6", "s_mul_i32 s20, s20, 256", "s_mov_b32 m0, -1",
             "s_waitcnt lgkmcnt(0)", "s_add_u32 s12, s4, s20", "s_addc_u32 s13, s5, 0", "s_movk_i32 s14, 256", "s_mov_b32 s15, 0x24fac", "s_mov_b64 s[8:9], s[6:7]",
             "s_movk_i32 s10, 4096", "s_mov_b32 s11, 0x24fac", "s_mov_b32 s64, s6", "s_or_b32 s65, s7, 0x80000000", "s_movk_i32 s66, 4096", "s_mov_b32 s67, 0xea4fac", "s_movk_i32 flat_scratch_lo, 4096", "s_lshr_b64 s[68:69], s[6:7], 8",
             "s_mov_b32 flat_scratch_hi, s68", "v_mov_b32 v16, 0", "v_mov_b32 v17, 0x20000001", "s_mov_b64 s[2:3], s[6:7]", "v_mbcnt_lo_u32_b32 v2, -1, 0", "v_mbcnt_hi_u32_b32 v2, -1, v2",
             "v_lshlrev_b32 v2, 2, v2", "v_mov_b32 v4, s6", "v_mov_b32 v5, s7", "v_add_u32 v4, vcc, v4, v2", "v_addc_u32 v5, vcc, 0, v5, vcc", "v_mov_b32 v6, 0",
             "v_mov_b32 v7, 0", "v_lshlrev_b32 v8, 1, v2", "v_mov_b32 v10, v2", "v_mov_b32 v11, 0", "s_mov_b32 s30, 0", "s_mov_b32 s31, 0", "s_mov_b32 s24, 0", f"s_movk_i32 s21, {PASSES}"]
    return "\n".join(['.amdgcn_target "amdgcn-amd-amdhsa--gfx803"', ".text", ".globl timing", ".p2align 8", ".type timing,@function", "timing:",
                      *("  " + line for line in start), "again:", *body, f"  s_add_u32 s24, s24, {4 * slot}", "  s_sub_u32 s21, s21, 1", "  s_cmp_lg_u32 s21, 0",
                      "  s_cbranch_scc0 done", "  s_getpc_b64 s[22:23]", "near:", "  s_sub_u32 s22, s22, near-again", "  s_subb_u32 s23, s23, 0", "  s_setpc_b64 s[22:23]",
                      "done:", "  s_endpgm", "Lend:", ".size timing, Lend-timing", DESCRIPTOR]) + "\n"


DESCRIPTOR = """.rodata
.p2align 6
.amdhsa_kernel timing
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 8192
  .amdhsa_next_free_vgpr 96
  .amdhsa_next_free_sgpr 80
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: timing
    .symbol: timing.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 8192
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 88
    .vgpr_count: 96
    .max_flat_workgroup_size: 256
    .args:
      - { .name: results, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: data, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata"""


def run(templates, waves, folder, config, options=()):
    """Cycles between instructions of each template, as waves wavefronts see it."""
    asm, code, out = folder / "timing.s", folder / "timing.co", folder / "out"
    asm.write_text(source(templates))
    done = subprocess.run(["clang-19", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code, asm],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", ROOT / f"configs/{config}.yaml", *options, "-q", code, "--grid", str(64 * waves), "--group", str(64 * waves),
                           "--arg", f"out:1024:{out}", "--arg", "zero:8192"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    took = struct.unpack("<256I", out.read_bytes())
    rows = 2 * len(templates)
    worst = [min(max(took[64 * w + rows * p + n] for w in range(waves)) for p in range(1, PASSES)) for n in range(rows)]
    return [(long - short) / (LONG - SHORT) for short, long in zip(worst[::2], worst[1::2])]


def measure(table, config="demo", at_once=4, options=()):
    """{class: (alone, cu, dependent)} in cycles; None where a class has no such measurement.  options: of gantry kernel."""
    result = {line["class"]: [None, None, None] for line in table}
    with tempfile.TemporaryDirectory() as name:
        for column, waves, key in ((0, 1, "independent"), (1, 4, "independent"), (2, 1, "dependency")):
            lines = [line for line in table if line[key] != "-" and not (column == 1 and line["cu"] == "-")]
            for n in range(0, len(lines), at_once):
                part = lines[n:n + at_once]
                for line, cycles in zip(part, run([line[key] for line in part], waves, pathlib.Path(name), config, options)):
                    result[line["class"]][column] = cycles / waves
    return result


def number(value):
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def page_table(table):
    """Lines of the table in docs/reference/cu.md."""
    out = ["| class | example | alone | per CU | to a dependent | hardware | source |", "|---|---|---|---|---|---|---|"]
    for line in table:
        example = (line["independent"] if line["independent"] != "-" else line["dependency"]).split(" ")[0]
        out.append(f"| {line['class']} | `{example}` | {line['alone']} | {line['cu']} | {line['dependent']} | {line['hardware']} | {line['source']} |")
    return "\n".join(out) + "\n"


def write(table, measured):
    head = "".join(line for line in TABLE.read_text().splitlines(keepends=True) if line.startswith("#"))
    for line in table:
        line.update(zip(MEASURED, map(number, measured[line["class"]])))
    columns = list(table[0])
    TABLE.write_text(head + "".join("\t".join(words) + "\n" for words in [columns, *([line[c] for c in columns] for line in table)]))
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(before + BEGIN + page_table(table) + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default="demo")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    table = read_table()
    measured = measure(table, args.config)
    for line in table:
        now = [number(v) for v in measured[line["class"]]]
        print(f"{line['class']:34} {now[0]:>7} {now[1]:>7} {now[2]:>7}  {line['hardware']}")
    if args.write:
        write(table, measured)


if __name__ == "__main__":
    sys.exit(main())
