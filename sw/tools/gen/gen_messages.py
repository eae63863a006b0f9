#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_messages.py SOURCE.def gantry_NAME.h gantry_NAME_pkg.sv: C structs (NAME_*) and SystemVerilog packed structs of every message and
view.

Errors (one line, exit 65): unknown type, misaligned field, message size not a multiple of 8, duplicate name, view of what is no message or
of another size.
"""
import pathlib
import re
import sys

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}


class Bad(Exception):
    pass


def parse(path):
    """List of ("enum"|"message", name, help, rows); rows are (name, value, help) or (type, name, count, help).  A view is a message whose size is
    that of the one that it names."""
    items, names, views = [], set(), []  # views: (name, of which message, where)
    for number, line in enumerate(open(path), 1):
        line = line.split("#")[0].rstrip()
        if not line.strip():
            continue
        where = f"{path}:{number}"
        if not line[0].isspace():
            m = re.fullmatch(r"(enum|message|view)\s+(\w+)\s*(.*)", line)
            if not m:
                raise Bad(f"{where}: expected 'enum NAME', 'message NAME' or 'view NAME of MESSAGE'")
            if m[2] in names:
                raise Bad(f"{where}: {m[2]} is defined twice")
            names.add(m[2])
            if m[1] == "view":
                of = re.fullmatch(r"of (\w+)\s*(.*)", m[3])
                if not of or not any(kind == "message" and name == of[1] for kind, name, *_ in items):
                    raise Bad(f"{where}: {m[2]} is a view of no message above")
                views.append((m[2], of[1], where))
            items.append(("enum" if m[1] == "enum" else "message", m[2], m[3], []))
            continue
        kind, rows = items[-1][0], items[-1][3]
        if kind == "enum":
            m = re.fullmatch(r"\s+(\w+)\s*=\s*(\d+)\s*(.*)", line)
            if not m:
                raise Bad(f"{where}: expected 'VALUE = NUMBER help'")
            if m[1] in names:
                raise Bad(f"{where}: {m[1]} is defined twice")
            names.add(m[1])
            rows.append((m[1], int(m[2]), m[3]))
        else:
            m = re.fullmatch(r"\s+(\w+)\s+(\w+)(?:\[(\d+)\])?\s*(.*)", line)
            if not m or m[1] not in SIZES:
                raise Bad(f"{where}: expected 'u8|u16|u32|u64 FIELD[COUNT] help'")
            rows.append((m[1], m[2], int(m[3] or 1), m[4], bool(m[3]), where))
    for kind, name, _, rows in items:
        if kind == "message":
            offset = 0
            for typ, field, count, _, _, where in rows:
                if offset % SIZES[typ]:
                    raise Bad(f"{where}: {name}.{field} is not aligned: offset {offset}")
                offset += SIZES[typ] * count
            if offset % 8:
                raise Bad(f"{path}: {name}: size {offset} is not a multiple of 8")
    sizes = {name: size(rows) for kind, name, _, rows in items if kind == "message"}
    for name, of, where in views:
        if sizes[name] != sizes[of]:
            raise Bad(f"{where}: {name} has {sizes[name]} bytes, {of} has {sizes[of]}")
    return items


def size(rows):
    return sum(SIZES[r[0]] * r[2] for r in rows)


def emit_c(items, source="messages.def", stem="msg"):
    guard = f"GANTRY_{stem.upper()}_H"
    out = [f"/* Generated from bridge/proto/{source}. */", f"#ifndef {guard}", f"#define {guard}",
           "#include <assert.h>", "#include <stdint.h>", ""]
    for kind, name, text, rows in items:
        out.append(f"/* {text} */" if text else "")
        if kind == "enum":
            out += [f"enum {name} {{"] + [f"    {n} = {v}, {'/* ' + h + ' */' if h else ''}".rstrip() for n, v, h in rows] + ["};", ""]
        else:
            out.append(f"struct {stem}_{name} {{")
            for typ, field, count, text, array, _ in rows:
                dim = f"[{count}]" if array else ""
                out.append(f"    uint{typ[1:]}_t {field}{dim};{' /* ' + text + ' */' if text else ''}")
            out += ["};", f'static_assert(sizeof(struct {stem}_{name}) == {size(rows)}, "message layout");', ""]
    return "\n".join(out + ["#endif", ""])


# Field names that SystemVerilog reserves get a trailing underscore there.
SV_WORDS = {"end", "begin", "type", "release", "priority", "local", "static"}


def emit_sv(items, source="messages.def", stem="msg"):
    out = [f"// Generated from bridge/proto/{source}.", "/* verilator lint_off UNUSEDPARAM */", f"package gantry_{stem}_pkg;"]
    for kind, name, text, rows in items:
        out.append(f"  // {name}: {text}")
        if kind == "enum":
            for n, v, _ in rows:
                out.append(f"  localparam logic [7:0] {n} = 8'd{v};")
        else:
            out.append("  typedef struct packed {")
            for typ, field, count, _, array, _ in reversed(rows):
                bits = int(typ[1:])
                dim = f"[{count - 1}:0]" if array else ""
                out.append(f"    logic {dim}[{bits - 1}:0] {field}{'_' if field in SV_WORDS else ''};")
            out.append(f"  }} {name}_t;  // {size(rows)} bytes")
            out.append(f"  localparam int unsigned {''.join(p.title() for p in name.split('_'))}Bits = {size(rows) * 8};")
            out.append(f"  localparam bit Check_{name} = 1'(1 / ($bits({name}_t) == {size(rows) * 8} ? 1 : 0));")
    return "\n".join(out + ["endpackage", ""])


def main():
    try:
        source, header, package = sys.argv[1:]
        items = parse(source)
    except Bad as error:
        sys.exit(print(f"gen_messages: {error}", file=sys.stderr) or 65)
    names = pathlib.Path(source).name, pathlib.Path(header).stem.removeprefix("gantry_")
    open(header, "w").write(emit_c(items, *names))
    open(package, "w").write(emit_sv(items, *names))


if __name__ == "__main__":
    main()
