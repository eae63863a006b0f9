# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzzers: inputs that are right, made from what the tree has, so that nothing but findings is kept in it."""
import pathlib
import re
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
CODE = ["vecadd.v2", "vecadd.v3", "vecadd.v5", "saxpy.v4", "reduction.v4"]
TRIPLE = b"hipv4-amdgcn-amd-amdhsa--gfx803"


def code_object(name):
    path = ROOT / f"build/kernels/{name}.co"
    subprocess.run(["make", "-s", path.relative_to(ROOT)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return path.read_bytes()


def bundle(*entries):
    """A clang offload bundle of (triple, bytes)."""
    at = 32 + sum(24 + len(t) for t, _ in entries)
    table, bodies = b"", b""
    for triple, body in entries:
        table += struct.pack("<QQQ", at + len(bodies), len(body), len(triple)) + triple
        bodies += body
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)) + table + bodies


def host_elf(folder, section):
    """A host library with a section .hip_fatbin."""
    source, part, out = folder / "host.c", folder / "host.part", folder / "host.so"
    source.write_text("int host;\n")
    part.write_bytes(section)
    subprocess.run(["gcc", "-shared", "-nostdlib", "-s", "-Wl,-z,noseparate-code,--build-id=none", "-o", out, source], check=True)
    subprocess.run(["objcopy", "--add-section", f".hip_fatbin={part}", out], check=True)
    data = out.read_bytes()
    for path in (source, part, out):
        path.unlink()
    return data


def objects(folder):
    code = {name: code_object(name) for name in CODE}
    both = bundle((b"host-x86_64-unknown-linux--", b""), (b"hipv4-amdgcn-amd-amdhsa--gfx900", b"none"), (TRIPLE, code["vecadd.v5"]))
    return {**code, "bundle": both, "host": host_elf(folder, both)}, [".kd", "gfx803", "amdgcn", "amdhsa.kernels", ".symbol", ".args", ".value_kind", "Kernels:"]


def configs(_folder):
    found = {p.stem: p.read_bytes() for p in (ROOT / "configs").glob("*.yaml")}
    rows = re.findall(r"^\s*\w+\(\s*([a-z][\w.]+)", (ROOT / "configs/params.def").read_text(), re.M)
    listed = subprocess.run([ROOT / "build/bin/gantry", "config", "-c", "tiny"], check=True, capture_output=True, text=True).stdout
    keys = [line.split(":")[0] for line in listed.splitlines() if re.match(r"[a-z][\w.]+: ", line)]
    lines = [line for line in listed.splitlines() if ": " in line]
    for n in range(0, len(lines), 12):
        found[f"some{n}"] = "\n".join(lines[n:n + 12]).encode()
        found[f"set{n}"] = ("!" + "\n".join(re.sub(r": ", "=", line, count=1) for line in lines[n:n + 12])).encode()
    found["alias"] = b"gpu: &g {l1v: {kib: 4}, l2: &l {slices: 2}}\n"
    return found, sorted({*keys, *rows, "include", "&a ", "*a", "<<: ", "!!str ", "[", "{", "]", "}", "4294967296", "-1", "1e400", "0x10"})


def kernel_lines(_folder):
    lines = {
        "vecadd": "bbb\n-c\ntiny\n--grid\n1024\n--group\n256\n--arg\nout:4096:c.bin\n--arg\nzero:4096\n--arg\nfill:7:4K",
        "values": "12488l\n-c\ntiny\n--arg\nu8:255\n--arg\ni16:-3\n--arg\nf32:1.5\n--arg\nf64:nan\n--arg\ni64:-9\n--arg\nlds:512\n--grid\n64,2,3",
        "hidden": "bongrdhL\n-c\ntiny\n--arg\nu64:1\n--grid\n100,7\n--group\n10,2\n--gpu\n0\n-q\n-v",
        "plain": "?\n-c\ntiny\n--set\ngpu.cu.count=2\n--arg\nin:c.bin\n--arg\nlds:4\n--arg\nu32:1\n--seed\n3\n--max-cycles\n5\n--progress\nnever",
        "model": "b\n-c\ntiny\n--model\ngolden\n--threads\n3\n--wave\ngpu0@1:2\n--lockstep\n--no-skip\n--arg\ninout:c.bin:d.bin",
    }
    words = {w for text in lines.values() for w in text.split("\n")[1:]} | {"f16:", "u16:", "i8:", "i32:", "G", "M", "0x", "-", "18446744073709551615", "--trace\nmemory"}
    return {name: text.encode() for name, text in lines.items()}, sorted(words)


def packets(_folder):
    """A head, then packets of 64 bytes (packets.c): every program alone, then some together, in both queues."""
    def packet(program, kind=0, group=0, grid=63, signal=0x81, then=1, mode=1):
        b = bytearray(64)
        b[0], b[2], b[5], b[11], b[12], b[13], b[14], b[62], b[63] = kind, group, grid, program, 0, signal, 0x14, then, mode
        return bytes(b)
    head = bytearray(64)
    head[0], head[1], head[2], head[3], head[5], head[8], head[9], head[12] = 3, 2, 2, 1, 0x08, 32, 4, 1
    found = {f"program{n}": bytes(head) + packet(n) for n in range(16)}
    found["two"] = bytes(head) + b"".join(packet(n % 4, mode=0x81 if n % 2 else 1, group=n % 8, grid=200) for n in range(12))
    found["barriers"] = bytes(head) + packet(1) + packet(0, kind=4) + packet(0, kind=5) + packet(0, kind=6) + packet(3, mode=0x81)
    return found, []


def requests(_folder):
    """Operations of 16 bytes (requests.c); the ring of client 0 is handle 0 at 0x10000000."""
    def op(*b):
        return bytes(b) + bytes(16 - len(b))
    alloc, code = op(0, 0, 1, 0, 2, 0, 0, 0xc0), op(2, 0, 2, 0, 1)
    queue, packet, step = op(6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), op(7, 0, 2, 0x15, 63, 200, 1, 0, 1, 0, 8), op(12, 0, 3)
    event = op(9, 0, 0, 0, 0, 0, 1)
    found = {
        "kernel": alloc + code + queue + packet + step + step, "unmap": alloc + code + queue + packet + op(4, 0, 2, 0, 1) + op(5, 0, 2) + step,
        "events": event + event + op(9, 0, 4, 0, 0, 0, 0, 3) + op(9, 1, 1, 1) + step + op(9, 0, 3, 1),
        "user": op(0, 1, 2, 0, 1, 0, 2, 0xc0) + op(2, 1, 2, 0, 1) + op(4, 1, 2) + op(5, 1, 2), "park": queue + op(14, 2, 1) + op(14, 0, 0, 9) + step,
        "ring": alloc + op(6, 0, 0, 0, 0, 0, 0, 0, 0, 1) + packet * 3 + op(11, 0, 0, 0) + packet + step + op(11, 0, 0, 50) + step + op(10, 0, 0),
        "any": b"".join(op(15, n % 4, n % 9, n, 160, n, n, 128, 3, 1, 2, 5, 6, 7, 8, 9) for n in range(36)),
    }
    return found, []


MAKERS = {"packets": packets, "requests": requests, "object": objects, "config": configs, "kernel_args": kernel_lines}


def write(target, folder):
    """Write the seeds of a target's source into the folder; the words that its mutators may use."""
    seeds, words = MAKERS[target](folder)
    for name, data in seeds.items():
        (folder / name).write_bytes(data)
    return words
