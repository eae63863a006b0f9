# SPDX-License-Identifier: Apache-2.0
"""A kernel written as a few lines of assembly, made into a code object, and what `gantry kernel` says when it runs.  The kernel takes no arguments."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
GANTRY = ROOT / "build/bin/gantry"
FRAME = """
    .text
    .globl {name}
    .p2align 8
    .type {name},@function
{name}:
{body}
    .rodata
    .p2align 6
    .amdhsa_kernel {name}
      .amdhsa_next_free_vgpr {vgprs}
      .amdhsa_next_free_sgpr 16
      .amdhsa_group_segment_fixed_size {lds}
    .end_amdhsa_kernel
    .amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.kernels:
  - {{.name: {name}, .symbol: {name}.kd, .kernarg_segment_size: 0, .group_segment_fixed_size: {lds}, .private_segment_fixed_size: 0,
     .kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: {vgprs}, .max_flat_workgroup_size: 256}}
    .end_amdgpu_metadata
"""


def assemble(folder, name, body, vgprs, lds=0):
    """The code object, in that folder; lds: bytes of a work-group."""
    source, code = folder / f"{name}.s", folder / f"{name}.co"
    source.write_text(FRAME.format(name=name, body=body.strip("\n"), vgprs=vgprs, lds=lds))
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-o", code, source], check=True)
    return code


def run(code, *args, status=0):
    """Its standard error on the smallest machine."""
    done = subprocess.run([GANTRY, "kernel", "-c", "tiny", "-q", code, *args], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == status, done.stderr
    return done.stderr
