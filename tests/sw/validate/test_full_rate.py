# SPDX-License-Identifier: Apache-2.0
"""The private copy of rocBLAS's kernels: v_fma_f32 D, A, B, D becomes v_mac_f32 D, A, B, as LLVM's disassembler reads it; others stay, and are counted."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sw/validate"), str(ROOT / "tests")]
import kernels  # noqa: E402
import snippet  # noqa: E402

SAME = ["v_fma_f32 v0, v1, v2, v0", "v_fma_f32 v255, v254, v3, v255", "v_fma_f32 v7, s4, v9, v7", "v_fma_f32 v8, v1, 1.0, v8"]
OTHER = ["v_fma_f32 v0, v1, v2, v3", "v_fma_f32 v0, -v1, v2, v0", "v_fma_f32 v0, |v1|, v2, v0", "v_fma_f32 v0, v1, v2, v0 clamp", "v_fma_f32 v0, v1, v2, v0 mul:2",
         "v_fma_f32 v0, v1, v2, -v0", "v_fma_f32 v0, v1, v2, s0", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[0:1]", "v_mad_f32 v0, v1, v2, v0"]


def read_back(code):
    done = subprocess.run(["llvm-objdump-19", "-d", "--mcpu=gfx803", code], capture_output=True, text=True, check=True)
    return [line.strip() for line in re.findall(r"^\t(v_\S+ .*?)\s*//", done.stdout, re.M)]


@pytest.mark.shows("S4.17")
def test_as_the_disassembler_reads_it(tmp_path):
    lines = [word for pair in zip(SAME, OTHER) for word in pair] + OTHER[len(SAME):]
    code = snippet.assemble(tmp_path, "products", "\n".join([*lines, "s_endpgm"]), 256)
    before = read_back(code)
    data, done, left = kernels.changed(code.read_bytes())
    assert (done, left) == (len(SAME), sum("v_fma_f32" in word for word in OTHER))
    (tmp_path / "changed.co").write_bytes(data)
    after = read_back(tmp_path / "changed.co")
    assert len(after) == len(before) == len(lines)
    for old, new, line in zip(before, after, lines):
        wanted = re.sub(r"v_fma_f32 (.*), \w+$", r"v_mac_f32_e64 \1", old) if line in SAME else old
        assert new == wanted


@pytest.mark.parametrize("data, cause", [(b"", "not a 64-bit ELF"), (b"\x7fELF\x01\x01" + bytes(100), "not a 64-bit ELF"),
                                         (b"\x7fELF\x02\x01" + bytes(40), "no .text"), (b"\x7fELF\x02\x01" + bytes(500), "no .text")],
                         ids=["empty", "32-bit", "cut", "zeros"])
def test_what_is_no_code_object(data, cause):
    with pytest.raises(kernels.Bad, match=cause):
        kernels.changed(data, "x.co")


def test_a_folder_is_whole_or_not_there(tmp_path):
    packaged, folder = tmp_path / "library", tmp_path / "full-rate"
    packaged.mkdir()
    (packaged / "TensileLibrary.dat").write_text("table")
    (packaged / "Kernels.so-000-gfx803.hsaco").write_text("others")
    good = snippet.assemble(tmp_path, "good", "\n".join([*SAME, "s_endpgm"]), 256).read_bytes()
    odd = snippet.assemble(tmp_path, "odd", "\n".join([*SAME, *OTHER[:1], "s_endpgm"]), 256).read_bytes()
    (packaged / "TensileLibrary_gfx803.co").write_bytes(odd)
    with pytest.raises(kernels.Bad, match="4 v_fma_f32 can be v_mac_f32, 1 cannot"):
        kernels.full_rate(packaged, folder)
    assert not folder.exists()
    (packaged / "TensileLibrary_gfx803.co").write_bytes(good)
    assert sorted(p.name for p in kernels.full_rate(packaged, folder).iterdir()) == ["Kernels.so-000-gfx803.hsaco", "TensileLibrary.dat", "TensileLibrary_gfx803.co", "changed"]
    assert (folder / "TensileLibrary_gfx803.co").read_bytes() == kernels.changed(good)[0] != good
    assert (packaged / "TensileLibrary_gfx803.co").read_bytes() == good  # the package's is never touched
