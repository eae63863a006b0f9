#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_links.py OUT.h: the links of a GPU for host/machine, from rtl/gpu/links.yaml; expanded() for check_links.py.

Errors (one line, exit 65): a port that a kind does not have, ends that differ in message, credits or direction, an unknown key,
bound or constant.  Not responsible for: whether rtl/gpu/gpu.sv is so (check_links.py).
"""
import ast
import collections
import pathlib
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_params  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = ROOT / "rtl/gpu/links.yaml"
End = collections.namedtuple("End", "kind instance lane")  # expressions, or numbers once expanded
Link = collections.namedtuple("Link", "each port sender receiver latency bound credit")  # latency: gen_params.Param


class Bad(Exception):
    pass


def read_kinds():
    return yaml.safe_load((ROOT / "bridge/verilated/partitions.yaml").read_text())


def names_in(expression, known):
    """The names of an expression of numbers, + / and %; Bad for anything else."""
    try:
        nodes = list(ast.walk(ast.parse(expression, mode="eval")))
    except SyntaxError:
        raise Bad(f"'{expression}' is no expression") from None
    allowed = (ast.Expression, ast.BinOp, ast.Add, ast.Div, ast.Mod, ast.Name, ast.Load, ast.Constant)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    if not all(isinstance(node, allowed) for node in nodes) or names - known - {"n"}:
        raise Bad(f"'{expression}': only n, constants of gantry_cfg_pkg, numbers, + / and %")
    return names - {"n"}


def value(expression, constants, n):
    return int(eval(expression.replace("/", "//"), {"__builtins__": {}}, dict(constants, n=n)))  # names_in() has seen it


def end(text, known):
    """'KIND[instance].PORT[lane]' -> (End, port)"""
    m = re.fullmatch(r"(\w+)(?:\[([^\]]+)\])?\.(\w+)(?:\[([^\]]+)\])?", text)
    if not m:
        raise Bad(f"'{text}' is not KIND[instance].PORT[lane]")
    for expression in (m[2], m[4]):
        names_in(expression or "0", known)
    return End(m[1], m[2] or "0", m[4] or "0"), m[3]


def port_of(kinds, kind, port, way):
    found = [p for p in kinds.get(kind, {}).get("ports", []) if p["name"] == port and p["dir"] == way]
    if not found:
        raise Bad(f"{kind} has no port {port} that leads {way}")
    return found[0]


class Table:
    """links.yaml, checked against partitions.yaml and configs/params.def."""

    def __init__(self, path=TABLE):
        text = yaml.safe_load(pathlib.Path(path).read_text())
        self.kinds, params = read_kinds(), gen_params.read_table()
        self.params = {p.key: p for p in params}
        self.known = {p.sv for p in params if p.sv != "-"} | set(gen_params.DERIVED)
        self.bounds = text["bounds"]
        for bound in self.bounds.values():
            if not isinstance(bound, int) and bound not in self.known:
                raise Bad(f"bounds: {bound} is no constant of gantry_cfg_pkg")
        self.links = [self.link(group.get("each"), row) for group in text["links"] for row in group["links"]]
        self.outside = {name: end(to, self.known)[0] for name, to in text["outside"].items()}
        for name, to in text["outside"].items():
            inner, port = end(to, self.known)
            ways = [p["dir"] for p in self.kinds["gpu"]["ports"] if p["name"] == name]
            if port != name or not ways:
                raise Bad(f"outside: {name} is {to}")
            for way in ways:
                port_of(self.kinds, inner.kind, port, way)

    def link(self, each, row):
        where = f"{row['from']} -> {row['to']}"
        try:
            (sender, port), (receiver, other) = end(row["from"], self.known), end(row["to"], self.known)
            a, b = port_of(self.kinds, sender.kind, port, "out"), port_of(self.kinds, receiver.kind, other, "in")
            if port != other or a["message"] != b["message"] or a.get("credit") != b.get("credit"):
                raise Bad("the ends differ in name, message or credits")
            if row["latency"] not in self.params or self.params[row["latency"]].sv == "-" or row["bound"] not in self.bounds:
                raise Bad(f"unknown latency {row['latency']} or bound {row['bound']}")
            if each is not None and "instances" not in self.kinds.get(each, {}):
                raise Bad(f"each: {each} is no kind with instances")
        except Bad as wrong:
            raise Bad(f"{where}: {wrong}") from None
        return Link(each, port, sender, receiver, self.params[row["latency"]], row["bound"], bool(a.get("credit")))

    def count(self, kind, constants):
        return constants[self.kinds[kind]["instances"]] if kind and "instances" in self.kinds[kind] else 1

    def expanded(self, constants):
        """Every link of a GPU with these constants, with numbers for its ends."""
        for link in self.links:
            for n in range(self.count(link.each, constants)):
                a, b = (End(e.kind, value(e.instance, constants, n), value(e.lane, constants, n)) for e in (link.sender, link.receiver))
                yield link._replace(sender=a, receiver=b)


def c_locals(table):
    """C declarations of the constants that the table names."""
    texts = [e for link in table.links for e in (*link.sender[1:], *link.receiver[1:])] + [e for x in table.outside.values() for e in x[1:]]
    used = {name for text in texts for name in names_in(text, table.known)} | {table.kinds[link.each]["instances"] for link in table.links if link.each}
    field = {p.sv: f"cfg->{p.field}" for p in table.params.values() if p.sv != "-"}
    derived = {name for name in used if name in gen_params.DERIVED}
    if derived - {"SqcCount"}:
        raise Bad(f"{', '.join(sorted(derived))}: derived constants other than SqcCount are not known in C")
    needed = sorted(used - derived | ({"CuCount", "SqcCus"} if derived else set()))
    rows = [f"    const unsigned {name} = {field[name]};" for name in needed]
    return rows + ["    const unsigned SqcCount = (CuCount + SqcCus - 1) / SqcCus;"] * bool(derived)


def c_end(e):
    return f"{{KIND_{e.kind.upper()}, {e.instance}, {e.lane}}}"


def header(table):
    field = {p.sv: f"cfg->{p.field}" for p in table.params.values() if p.sv != "-"}
    rows, each = [], "nothing yet"
    for link in table.links:
        if link.each != each:
            rows += ["    }"] * (each != "nothing yet")
            rows.append(f"    for (unsigned n = 0; n < {table.kinds[link.each]['instances'] if link.each else 1}; n++) {{")
            each = link.each
        rows.append(f'        fn(arg, &(struct gpu_link){{"{link.port}", {c_end(link.sender)}, {c_end(link.receiver)}, '
                    f"cfg->{link.latency.field}, BOUND_{link.bound.upper()}}});")
    bounds = [f"    case BOUND_{name.upper()}:\n        return {bound if isinstance(bound, int) else field[bound]};" for name, bound in table.bounds.items()]
    outside = [f'    if (strcmp(port, "{name}") == 0)\n        return (struct gpu_end){c_end(e)};' for name, e in table.outside.items()]
    joined = "\n".join
    return f"""/* Generated by sw/tools/gen/gen_links.py from rtl/gpu/links.yaml: included by host/target/gpu_links.c alone. */
static void links_walk(const struct gantry_cfg *cfg, void (*fn)(void *arg, const struct gpu_link *link), void *arg)
{{
{joined(c_locals(table))}
{joined(rows)}
    }}
}}

static struct gpu_end outside_end(const char *port, unsigned n)
{{
{joined(outside)}
    CHECK(0, port, "lane %u: a GPU has no such port", n);
    return (struct gpu_end){{KIND_COUNT, 0, 0}};
}}

static uint32_t bound_of(const struct gantry_cfg *cfg, enum bound bound)
{{
    switch (bound) {{
{joined(bounds)}
    }}
    return 0;
}}
"""


def main():
    try:
        pathlib.Path(sys.argv[1]).write_text(header(Table()))
    except (Bad, KeyError) as wrong:
        print(f"gantry: rtl/gpu/links.yaml: {wrong}", file=sys.stderr)
        sys.exit(65)


if __name__ == "__main__":
    main()
