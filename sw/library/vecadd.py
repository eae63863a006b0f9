# SPDX-License-Identifier: Apache-2.0
"""vecadd.py LIBRARY OBJECT: the same as vecadd.c from Python, by ctypes (docs/library.md)."""
import ctypes
import struct
import sys

ITEMS = 1024


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_char * 4096)]


class Arg(ctypes.Structure):
    _fields_ = [("spec", ctypes.c_char_p), ("data", ctypes.c_void_p), ("bytes", ctypes.c_uint32)]


def call(name, *args):
    """Every function that can fail ends in an error."""
    error = Error()
    if getattr(gantry, name)(*args, ctypes.byref(error)) != 0:
        sys.exit(error.line.decode())


gantry = ctypes.CDLL(sys.argv[1])
config, machine, launch, code = (ctypes.c_void_p() for _ in range(4))
call("gantry_config_new", ctypes.byref(config))
call("gantry_config_load", config, b"tiny")
options = ctypes.create_string_buffer(struct.pack("@Ni", 16, 1), 16)  # size, model: golden; the rest are defaults
call("gantry_machine_new", config, options, ctypes.byref(machine))
call("gantry_object_open", sys.argv[2].encode(), ctypes.byref(code))
place = [ctypes.c_uint64() for _ in range(3)]
for p in place:
    call("gantry_alloc", machine, 0, ctypes.c_uint64(4 * ITEMS), ctypes.byref(p))
for p, step in zip(place[1:], (1, 3)):
    call("gantry_write", machine, p, struct.pack(f"{ITEMS}I", *(step * i for i in range(ITEMS))), ctypes.c_uint64(4 * ITEMS))
args = (Arg * 3)(*(Arg(None, ctypes.addressof(p), 8) for p in place))
shape = [(ctypes.c_uint32 * 3)(n, 1, 1) for n in (ITEMS, 256)]
call("gantry_launch_new", machine, code, b"vecadd", *shape, args, 3, ctypes.byref(launch))
call("gantry_launch_run", launch)
out = ctypes.create_string_buffer(4 * ITEMS)
call("gantry_read", machine, place[0], out, ctypes.c_uint64(4 * ITEMS))
assert struct.unpack(f"{ITEMS}I", out) == tuple(4 * i for i in range(ITEMS))
print("vecadd: all sums are right")
