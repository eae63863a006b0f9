#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_fields.py messages.def OUT.h: a table of the fields of every channel message, for what people are told of them.

Apart from gen_messages.py, because models are built anew when that changes.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_messages  # noqa: E402


def emit(items):
    out = ["/* Generated from bridge/proto/messages.def: included by one file. */", "#ifndef GANTRY_MSG_FIELDS_H", "#define GANTRY_MSG_FIELDS_H",
           "#include <stdint.h>", "", "static const struct message_field {", "    const char *message, *name; /* NULL: the end */",
           "    uint16_t offset, bytes, count;", "} message_fields[] = {"]
    for kind, name, _, rows in items:
        offset = 0
        for typ, field, count, *_ in rows if kind == "message" else []:
            out.append(f'    {{"{name}", "{field}", {offset}, {gen_messages.SIZES[typ]}, {count}}},')
            offset += gen_messages.SIZES[typ] * count
    return "\n".join(out + ["    {0},", "};", "#endif", ""])


def main():
    source, out = sys.argv[1:]
    open(out, "w").write(emit(gen_messages.parse(source)))


if __name__ == "__main__":
    main()
