#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_cuda.py FOLDER: headers (FOLDER/include) and library sources (FOLDER/src) of CUDA's APIs, from sw/cuda/names.tsv.

Errors (one line, exit 65): a row with the wrong number of fields or of an unknown kind, a name or an error number that is there twice.
Not responsible for: what is written by hand (sw/cuda/include, sw/cuda/lib).
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "sw/cuda/names.tsv"
FIELDS = {"error": "runtime driver number hip text", "enum": "type name value", "define": "name value", "prop": "member source",
          "attr": "runtime driver number source", "fn": "area name params body", "drv": "area name params body", "no": "area name reason"}
ROWS = {kind: collections.namedtuple(kind, fields) for kind, fields in FIELDS.items()}
# Headers of which each is the whole of cuda_runtime.h.
FORWARDS = """channel_descriptor common_functions device_atomic_functions device_functions device_launch_parameters device_types host_defines
 math_functions sm_11_atomic_functions sm_12_atomic_functions sm_13_double_functions sm_20_atomic_functions sm_20_intrinsics sm_30_intrinsics
 texture_fetch_functions texture_indirect_functions texture_types cuda_device_runtime_api cuda_texture_types cuda_profiler_api cudaProfiler
 builtin_types surface_types surface_functions surface_indirect_functions crt/host_defines crt/device_functions crt/math_functions""".split()
HEAD = "/* SPDX-License-Identifier: Apache-2.0\n * Made by sw/tools/gen/gen_cuda.py from sw/cuda/names.tsv.\n */\n"
# Vector types: C type and bytes of an element; those of 3 are aligned like one element, of 2 and 4 whole up to 16 bytes.
VECTORS = {"char": ("signed char", 1), "uchar": ("unsigned char", 1), "short": ("short", 2), "ushort": ("unsigned short", 2), "int": ("int", 4),
           "uint": ("unsigned int", 4), "long": ("long int", 8), "ulong": ("unsigned long int", 8), "longlong": ("long long int", 8),
           "ulonglong": ("unsigned long long int", 8), "float": ("float", 4), "double": ("double", 8)}


class Bad(Exception):
    pass


def read_table(text=None):
    """{kind: [row]}"""
    table = {kind: [] for kind in FIELDS}
    seen = set()
    for number, line in enumerate((TABLE.read_text() if text is None else text).splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        kind, *fields = line.split("\t")
        if kind not in ROWS or len(fields) != len(ROWS[kind]._fields):
            raise Bad(f"names.tsv:{number}: {kind}: not a row of {', '.join(FIELDS)} with its fields")
        row = ROWS[kind](*fields)
        names = {getattr(row, f) for f in ("name", "runtime", "driver") if hasattr(row, f)} - {"-"}
        names |= {f"{kind} {row.number}"} if hasattr(row, "number") else set()
        if names & seen:
            raise Bad(f"names.tsv:{number}: {', '.join(sorted(names & seen))}: is there twice")
        seen |= names
        table[kind].append(row)
    return table


def parameters(text):
    """[(type, name, default or None)] of 'size_t size, void **p = 0'"""
    found = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        declared, _, default = (w.strip() for w in word.partition("="))
        m = re.fullmatch(r"(.*?[ *])(\w+)", declared)
        found.append((m[1].strip(), m[2], default or None))
    return found


def prototype(row, defaults=True):
    shown = [f"{t}{'' if t.endswith('*') else ' '}{n}" + (f" GANTRY_DEFAULT({d})" if d and defaults else "") for t, n, d in parameters(row.params)]
    return f"{row.name}({', '.join(shown) or 'void'})"


def enumeration(name, rows):
    body = "".join(f"    {n} = {v},\n" for n, v in rows)
    return f"typedef enum {name} {{\n{body}}} {name};\n" if name.startswith("CU") else f"enum {name} {{\n{body}}};\n"


def enums(table, driver):
    groups = collections.defaultdict(list)
    for row in table["enum"]:
        if row.name.startswith("CU_") == driver:
            groups[row.type].append((row.name, row.value))
    return "".join(enumeration(name, rows) for name, rows in groups.items()) + "".join(
        f"#define {row.name} {row.value}\n" for row in table["define"] if row.name.startswith("CU_") == driver)


def unavailable(table, driver):
    return "".join(f'GANTRY_UNAVAILABLE({"CUresult" if driver else "cudaError_t"}, {row.name}, "{row.reason}");\n'
                   for row in table["no"] if (not row.name.startswith("cuda")) == driver)


def runtime_types(table):
    errors = [(row.runtime, row.number) for row in table["error"] if row.runtime != "-"]
    props = "".join(f"    {row.member};\n" for row in table["prop"])
    return (HEAD + enumeration("cudaError", errors) + "typedef enum cudaError cudaError_t;\n" + enums(table, False)
            + enumeration("cudaDeviceAttr", [(row.runtime, row.number) for row in table["attr"]]) + f"struct cudaDeviceProp {{\n{props}}};\n")


def runtime_functions(table):
    return HEAD + "".join(f"GANTRY_API cudaError_t {prototype(row)};\n" for row in table["fn"]) + unavailable(table, False)


def driver_names(table):
    errors = [(row.driver, row.number) for row in table["error"] if row.driver != "-"]
    types = (enumeration("CUresult", errors) + enums(table, True)
             + enumeration("CUdevice_attribute", [(row.driver, row.number) for row in table["attr"]]))
    return HEAD + types + "".join(f"GANTRY_API CUresult {prototype(row)};\n" for row in table["drv"]) + unavailable(table, True)


def functions(rows, done, result):
    text = ""
    for row in rows:
        if row.body == "@":
            continue
        arguments = ", ".join(f"native({n})" for _, n, _ in parameters(row.params))
        unused = "".join(f"(void){n}; " for _, n, _ in parameters(row.params)) if row.body.startswith("=") else ""
        value = row.body[1:] if row.body.startswith("=") else f"{row.body}({arguments})"
        text += f"{result} {prototype(row, False)}\n{{\n    {unused}return {done}({value});\n}}\n"
    return text


def errors_table(table):
    """X(runtime's name, driver's name, number, number in HIP or -1, text)"""
    def quoted(name):
        return "nullptr" if name == "-" else f'"{name}"'
    return HEAD + "".join(f'X({quoted(r.runtime)}, {quoted(r.driver)}, {r.number}, {-1 if r.hip == "-" else r.hip}, "{r.text}")\n' for r in table["error"])


def props_fill(table):
    text = HEAD
    for row in table["prop"]:
        m = re.fullmatch(r".*?(\w+)(?:\[(\d+)\])?", row.member)
        name, length, source = m[1], m[2], row.source
        if source in ("0", "{0, 0}", "{0, 0, 0}"):
            continue  # the whole is cleared before
        if source.startswith("{"):
            text += "".join(f"p->{name}[{i}] = {v.strip()};\n" for i, v in enumerate(source[1:-1].split(",")))
        elif length:
            text += f"memcpy(p->{name}, {source}, sizeof(p->{name}));\n"
        elif source == "uuid":
            text += f"memcpy(&p->{name}, &uuid, sizeof(p->{name}));\n"
        else:
            text += f"p->{name} = {source};\n"
    return text


def attrs_fill(table):
    return HEAD + "".join(f"case {row.number}: return (int){row.source};\n" for row in table["attr"])


def vectors():
    """Types (C and C++) and make_ functions."""
    types, makers = HEAD, HEAD
    for name, (element, size) in VECTORS.items():
        for n in range(1, 5):
            align = size if n in (1, 3) else min(size * n, 16)
            members = ", ".join("xyzw"[:n])
            types += f"struct GANTRY_ALIGN({align}) {name}{n} {{ {element} {members}; }};\ntypedef struct {name}{n} {name}{n};\n"
            arguments = ", ".join(f"{element} {m}" for m in "xyzw"[:n])
            makers += f"GANTRY_VECTOR {name}{n} make_{name}{n}({arguments}) {{ {name}{n} v = {{{members}}}; return v; }}\n"
    return types, makers


def channels():
    """Traits of what a texture may hold (C++)."""
    text = HEAD + ("template <typename T> struct gantry_channels;\ntemplate <int n> struct gantry_floats;\n"
                   "template <> struct gantry_floats<1> { typedef float type; };\n")
    text += "".join(f"template <> struct gantry_floats<{n}> {{ typedef float{n} type; }};\n" for n in (2, 3, 4))
    for name, (element, _) in VECTORS.items():
        kind = "Float" if name in ("float", "double") else "Unsigned" if name.startswith("u") else "Signed"
        facts = (f"static constexpr bool is_float = {'true' if name == 'float' else 'false'}; "
                 f"static constexpr enum cudaChannelFormatKind kind = cudaChannelFormatKind{kind};")
        text += f"template <> struct gantry_channels<{element}> {{ typedef {element} type; static constexpr int n = 1; {facts} }};\n"
        for n in range(1, 5):
            text += f"template <> struct gantry_channels<{name}{n}> {{ typedef {element} type; static constexpr int n = {n}; {facts} }};\n"
    text += "template <> struct gantry_channels<char> { typedef char type; static constexpr int n = 1; static constexpr bool is_float = false; "
    return text + "static constexpr enum cudaChannelFormatKind kind = cudaChannelFormatKindSigned; };\n"


def renames():
    """Names of HIP's vector types, so that CUDA's can have theirs."""
    words = [f"{prefix}{name}{n}" for name in VECTORS for n in range(1, 5) for prefix in ("", "make_")]
    return (HEAD + "".join(f"#define {w} gantry_hip_{w}\n" for w in words), HEAD + "".join(f"#undef {w}\n" for w in words))


def outputs(table):
    types, makers = vectors()
    define, undef = renames()
    source = HEAD + '#include "native.h"\n'
    return {"include/gantry/runtime_types.h": runtime_types(table), "include/gantry/runtime_functions.h": runtime_functions(table),
            "include/gantry/driver_names.h": driver_names(table), "include/gantry/vectors.h": types, "include/gantry/vector_makers.h": makers,
            "include/gantry/channels.h": channels(), "include/gantry/rename.h": define, "include/gantry/rename_end.h": undef,
            "src/runtime.cpp": source + functions(table["fn"], "runtime_done", "cudaError_t"),
            "src/driver.cpp": source + functions(table["drv"], "driver_done", "CUresult"),
            "src/errors.inc": errors_table(table), "src/props.inc": props_fill(table), "src/attrs.inc": attrs_fill(table)}


def main():
    try:
        table = read_table()
    except Bad as bad:
        sys.exit(print(f"gen_cuda: {bad}", file=sys.stderr) or 65)
    for name, text in (outputs(table) | {f"include/{name}.h": HEAD + "#include <cuda_runtime.h>\n" for name in FORWARDS}).items():
        path = pathlib.Path(sys.argv[1], name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
