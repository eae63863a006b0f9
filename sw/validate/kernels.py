# SPDX-License-Identifier: Apache-2.0
"""A private copy of rocBLAS's kernels for gfx803 with v_mac_f32 where the package has v_fma_f32.

Fiji issues v_mac_f32 at full rate and v_fma_f32 at a quarter of it (docs/fidelity.md).  The table has up to 7,471 GFLOPS and a quarter of the peak is 2,048, so
AMD timed v_mac_f32; clang, by which Debian built the package, takes v_fma_f32.  Each `v_fma_f32 D, A, B, D` without modifiers becomes `v_mac_f32_e64 D, A, B`
of the same 8 bytes (VOP3; opcodes 0x1cb and 0x116 of the GCN3 ISA manual).  v_mac_f32 rounds the product and v_fma_f32 does not: with the whole numbers of
gemm.cpp both are exact."""
import pathlib
import shutil
import struct

FMA, MAC = 0xD1CB0000, 0xD1160000


class Bad(Exception):
    """One line."""


def text_of(data, name):
    """(first byte, end) of .text of a 64-bit little-endian ELF file."""
    try:
        if bytes(data[:6]) != b"\x7fELF\x02\x01":
            raise Bad(f"{name}: not a 64-bit ELF file")
        table, (size, count, names) = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<HHH", data, 0x3A)
        sections = [struct.unpack_from("<IIQQQQ", data, table + size * i) for i in range(count)]
        for word, _, _, _, at, length in sections:
            start = sections[names][4] + word
            if bytes(data[start:start + 6]) == b".text\0" and at + length <= len(data):
                return at, at + length
    except (struct.error, IndexError):
        pass
    raise Bad(f"{name}: no .text")


def changed(data, name="code object"):
    """The bytes with v_mac_f32, how many were changed, and how many v_fma_f32 are left (others than D = A * B + D)."""
    data = bytearray(data)
    first, end = text_of(data, name)
    done = left = 0
    for at in range(first, end - 4, 4):
        low, high = struct.unpack_from("<II", data, at)
        if low & 0xFFFF0000 != FMA:
            continue
        if not low & 0xFF00 and high >> 18 & 0x1FF == 256 + (low & 0xFF) and not high >> 27:
            struct.pack_into("<II", data, at, MAC | low & 0xFF, high & 0x3FFFF)
            done += 1
        else:
            left += 1
    return bytes(data), done, left


def full_rate(packaged, folder):
    """`folder` with the packaged kernels, those of products with v_mac_f32; made when it is not there."""
    packaged, folder = pathlib.Path(packaged), pathlib.Path(folder)
    told = folder / "changed"
    if told.exists():
        return folder
    fresh = folder.with_name(folder.name + ".part")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for file in sorted(packaged.glob("*gfx803*")) + sorted(packaged.glob("*.dat")):
        if not (fresh / file.name).exists() and not file.name.endswith(".co"):
            shutil.copy(file, fresh / file.name)
    whole = packaged / "TensileLibrary_gfx803.co"
    data, done, left = changed(whole.read_bytes(), str(whole))
    if not done or left:
        raise Bad(f"{whole}: {done} v_fma_f32 can be v_mac_f32, {left} cannot")
    (fresh / whole.name).write_bytes(data)
    (fresh / "changed").write_text(f"{done}\n")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return folder
