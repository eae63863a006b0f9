# SPDX-License-Identifier: Apache-2.0
"""libgantry.so from Python, by ctypes: what the tests of the library use."""
import ctypes
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT / "build/lib/shared/libgantry.so"
GOLDEN, RTL = 1, 0


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_char * 4096)]


class Arg(ctypes.Structure):
    _fields_ = [("spec", ctypes.c_char_p), ("data", ctypes.c_void_p), ("bytes", ctypes.c_uint32)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("model", ctypes.c_int), ("gpu", ctypes.c_uint), ("threads", ctypes.c_uint), ("lockstep", ctypes.c_int),
                ("max_cycles", ctypes.c_uint64)]


class Summary(ctypes.Structure):
    _fields_ = [("gpus", ctypes.c_uint32), ("kernels", ctypes.c_uint32), *((name, ctypes.c_uint64) for name in ("cycles", "instructions", "hash", "data", "counters", "now"))]

    def line(self):
        """As the fields of the command's final line that a machine decides."""
        return {"gpus": str(self.gpus), "kernels": str(self.kernels), "cycles": str(self.cycles), "instructions": str(self.instructions),
                **{key: f"{getattr(self, key):016x}" for key in ("hash", "data", "counters")}, "now": str(self.now)}


class Refused(Exception):
    """code, line"""


def load(library=SHARED):
    gantry = ctypes.CDLL(str(library))
    gantry.gantry_library_version.restype = ctypes.c_char_p
    return gantry


GANTRY = None


def call(name, *args):
    global GANTRY
    GANTRY = GANTRY or load()
    error = Error()
    code = getattr(GANTRY, name)(*args, ctypes.byref(error))
    if code:
        raise Refused(code, error.line.decode())


def options(model, **more):
    return Options(size=ctypes.sizeof(Options), model=model, **more)


class Machine:
    """A machine of a configuration; ends with `close`."""

    def __init__(self, config, model, settings=(), **more):
        self.handle, self.objects = ctypes.c_void_p(), []
        made = ctypes.c_void_p()
        call("gantry_config_new", ctypes.byref(made))
        try:
            call("gantry_config_load", made, str(config).encode())
            for setting in settings:
                call("gantry_config_set", made, setting.encode())
            call("gantry_machine_new", made, ctypes.byref(options(model, **more)), ctypes.byref(self.handle))
        finally:
            GANTRY.gantry_config_free(made)

    def run(self, path, grid, group, specs, name=None):
        code, launch = ctypes.c_void_p(), ctypes.c_void_p()
        call("gantry_object_open", str(path).encode(), ctypes.byref(code))
        self.objects.append(code)
        shape = [(ctypes.c_uint32 * 3)(*[*dims, 1, 1][:3]) if dims else None for dims in (grid, group)]
        args = (Arg * len(specs))(*(Arg(spec.encode(), None, 0) for spec in specs))
        call("gantry_launch_new", self.handle, code, name and name.encode(), *shape, args, len(specs), ctypes.byref(launch))
        call("gantry_launch_run", launch)
        return launch

    def summary(self):
        found = Summary()
        call("gantry_summarize", self.handle, ctypes.byref(found))
        return found.line()

    def close(self):
        GANTRY.gantry_machine_free(self.handle)
        for code in self.objects:
            GANTRY.gantry_object_free(code)
