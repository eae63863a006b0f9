#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_wrappers.py KIND OUT.cpp NAME=VALUE...: the tables that bind one partition's Verilator class to bridge/verilated.

Reads bridge/verilated/partitions.yaml; NAME=VALUE are constants of gantry_cfg_pkg.  Constants that only the bridge
needs (EXTRA) are computed here.  Not responsible for: behaviour (model.hpp), compiling (models.py).
"""
import copy
import functools
import pathlib
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from gen import gen_messages  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Port counts that are no constant of the table: control agents (CtlPorts of part_dispatch).
EXTRA = {"CtlCount": lambda c: 3 + c["SqcCount"] + c["L2Slices"] + c["CuCount"]}


@functools.cache
def partitions_read():
    return yaml.safe_load((ROOT / "bridge/verilated/partitions.yaml").read_text())


def partitions():
    """{kind: entry}, a copy that the caller may change; the file is read once, for that takes a tenth of a second and each kind asks twice."""
    return copy.deepcopy(partitions_read())


def message_bytes():
    items = gen_messages.parse(ROOT / "bridge/proto/messages.def")
    return {name: gen_messages.size(rows) for kind, name, _, rows in items if kind == "message"}


def count_of(port, constants):
    name = port.get("count")
    if name is None:
        return 1
    return EXTRA[name](constants) if name in EXTRA else constants[name]


def constants_named(kind):
    """Constants whose value shapes this wrapper."""
    entry = partitions()[kind]
    names = {p["count"] for p in entry["ports"] if "count" in p}
    names |= {name for inner in entry.get("holds", []) if (name := partitions()[inner].get("instances"))}
    for part in [entry, *(partitions()[inner] for inner in entry.get("holds", []))]:
        if meters := part.get("meters"):
            names |= {meters["when"]} | {count for row in meters["rows"] for count in row["of"].values() if isinstance(count, str)}
    return (names - EXTRA.keys()) | ({"SqcCount", "L2Slices", "CuCount"} if "CtlCount" in names else set())


def port_tables(entry, constants):
    """C rows of model_port, C++ statements that bind inputs, and that send what is at the outputs; how many lanes in and out."""
    size, rows, ins, outs = message_bytes(), [], [], []
    slot = {"in": 0, "out": 0}
    ports = [(p, count_of(p, constants), size[p["message"]]) for p in entry["ports"]]
    for p, count, _ in ports:
        p["slot"] = slot[p["dir"]]
        slot[p["dir"]] += count
    for p, count, _ in ports:
        other = "out" if p["dir"] == "in" else "in"
        p["credit_slot"] = slot[other] if p.get("credit") else 0
        slot[other] += count if p.get("credit") else 0
    for p, count, width in ports:
        n, out = p["name"], p["dir"] == "out"
        rows.append(f'    {{"{n}", {int(out)}, {int(bool(p.get("credit")))}, {count}, {width}, {p["slot"]}, {p["credit_slot"]}}},')
        if out:
            outs.append(f'        gantry::valid_lanes(root.{n}_valid_o, [&](uint32_t lane) {{ send({p["slot"]} + lane, '
                        f'gantry::lane_of<{count}, {width}>(root.{n}_o, lane)); }});')
        else:
            ins.append(f"    m->input(m->top->{n}_valid_i, m->top->{n}_i, {count}, {width});")
    for p, count, _ in ports:
        if p.get("credit") and p["dir"] == "out":
            ins.append(f'    m->credit_input(m->top->{p["name"]}_credit_i, {count});')
        elif p.get("credit"):
            outs.append(f'        gantry::valid_lanes(root.{p["name"]}_credit_o, [&](uint32_t lane) {{ send({p["credit_slot"]} + lane, nullptr); }});')
    return rows, ins, outs, slot["in"], slot["out"]


def counter_rows(names, part=""):
    """C rows of model_counter; part: the one inside a whole GPU that has them."""
    rows = []
    for text in names:
        m = re.fullmatch(r"(?:([\w.-]+)\.)?([\w-]+)(?:\s*\[([^\]]+)\])?", text)
        if not m:
            sys.exit(f"partitions.yaml: counter '{text}'")
        rows.append(f'    {{"{".".join(filter(None, [part, m[1]]))}", "{m[2]}", "{m[3] or "count"}"}},')
    return rows


def meter_names(entry, constants):
    """Counters of `meters`, in the order in which they are read; none where they are off."""
    meters, names = entry.get("meters"), []
    for row in meters["rows"] if meters and constants[meters["when"]] else []:
        for name, count in row["of"].items():
            blocks = [f"{name}{i}" for i in range(constants[count])] if isinstance(count, str) else [name]
            names += [f"{block}.{kind}.{what}" if kind else f"{block}.{what}"
                      for block in blocks for kind in row.get("kinds", [None]) for what in row["what"]]
    return names


METER = 254  # perf_addr_i of all of them
ID = 253  # of a partition's strap


def whole_counters(entry, constants):
    """Of a whole GPU: C rows of model_counter and of model_ask, and how many partitions it has."""
    rows, places, number = [], [], 0
    for kind in entry["holds"]:
        part = partitions()[kind]
        for i in range(constants[part["instances"]] if "instances" in part else 1):
            plain = part.get("counters") or []
            names = plain + meter_names(part, constants)
            rows += counter_rows(names, part.get("title", kind) + (str(i) if "instances" in part else ""))
            places += asks(len(plain), len(names), number)
            number += 1
    return rows, places, number


def asks(plain, count, part=0):
    """C rows of model_ask: plain counters have numbers of their own, the meters behind them one together."""
    return [f"    {{{part}, {n if n < plain else METER}}}," for n in range(count)]


# How a model answers questions: one partition, or a whole GPU, which must be told whose counter.
ASKED = """uint64_t counter(void *m, uint32_t n) { return static_cast<M *>(m)->counter(ask_rows[n].address); }
uint64_t shown(const void *m) { return static_cast<const M *>(m)->shown(); }
uint64_t look(void *m, uint32_t what) { return static_cast<M *>(m)->look(what); }"""
WHOLE = """// Work-groups above 40 bits of instructions (RTL_ISSUED of bridge/verilated/rtl_part.h).
uint64_t shown(const void *model)
{
    const M *m = static_cast<const M *>(model);
    return m->asked ? m->kept : m->top->ended_o << 40 | (m->top->issued_o & ((UINT64_C(1) << 40) - 1));
}
template <class Ask> uint64_t ask(void *model, uint8_t part, Ask question)
{
    M *m = static_cast<M *>(model);
    const uint64_t before = shown(model);
    m->top->perf_part_i = part;
    const uint64_t answer = question(m);
    m->top->perf_part_i = 255;
    m->kept = before;
    return answer;
}
uint64_t counter(void *model, uint32_t n)
{
    return ask(model, ask_rows[n].part, [n](M *m) { return m->counter(ask_rows[n].address); });
}
uint64_t look(void *model, uint32_t what)
{
    return ask(model, static_cast<uint8_t>(what >> 8), [what](M *m) { return m->look(what & 255); });
}"""


def emit(kind, constants, faults=False):
    """faults: the model of GANTRY_FAULTS, which takes its seeded fault from the environment."""
    entry = partitions()[kind]
    top = "V" + entry["top"]
    rows, binds, sent, ins, outs = port_tables(entry, constants)
    plain = entry.get("counters") or []
    names = plain + meter_names(entry, constants)
    counters, places, parts = whole_counters(entry, constants) if "holds" in entry else (counter_rows(names), asks(len(plain), len(names)), 1)
    places += [f"    {{{part}, {ID}}}," for part in range(parts)]
    obs = entry.get("obs") or []
    asked = WHOLE if "holds" in entry else ASKED
    if constants.get(entry.get("time"), entry.get("time")):
        binds.append("    m->cycle_port = reinterpret_cast<uint64_t *>(&m->top->cycle_i);")
    if counters:
        binds += ["    m->top->perf_en_i = 1;", "    m->perf_en = &m->top->perf_en_i;", "    m->perf_addr = &m->top->perf_addr_i;",
                  "    m->perf_data = reinterpret_cast<const uint64_t *>(&m->top->perf_data_o);"]
    if "holds" in entry:
        binds += ["    m->top->perf_part_i = 255;", "    m->top->obs_en_i = 0;"]
    if obs:
        binds.append("    m->observe_port = &m->top->obs_en_i;")
    for i, o in enumerate(obs):
        binds.append(f'    obs_rows[{i}].bytes = m->observation(m->top->{o["name"]}_valid_o, m->top->{o["name"]}_o, {o.get("count", 1)});')
    obs_rows = [f'    {{"{o["name"]}", 0, {o.get("count", 1)}}},' for o in obs]
    choose = """
    if (const char *fault = std::getenv("GANTRY_FAULT"))
        m->top->__PVT__cu_pkg->FaultSeed = static_cast<IData>(std::atoi(fault));""" if faults else ""
    package = f'\n#include "{top}_cu_pkg.h"' if faults else ""
    return f"""// Generated by sw/tools/gen/gen_wrappers.py from bridge/verilated/partitions.yaml: partition kind {kind}.
#include "bridge/verilated/model.hpp"
#include "{top}.h"
#include "{top}___024root.h"{package}

using Root = {top}___024root;
void {top}___024root___eval_nba(Root *);
// The two that a partition without assertions, or without logic from inputs to registers, does not have.
__attribute__((weak)) void {top}___024root___sample(Root *);
__attribute__((weak)) void {top}___024root___eval_ico(Root *);

namespace {{
// A rising edge, in the order of Verilator's eval(): values for assertions, logic that hangs on inputs, registers.
struct Edge {{
    template <class R> static auto inputs(R *r, int) -> decltype(r->__VicoTriggered[0], void())
    {{
        r->__VicoTriggered[0] = 1;
        {top}___024root___eval_ico(r);
    }}
    template <class R> static void inputs(R *, long) {{}}
    static void run(Root *r, bool changed)
    {{
        if ({top}___024root___sample)
            {top}___024root___sample(r);
        if (changed)
            inputs(r, 0);
        r->__VnbaTriggered[0] = 1;
        {top}___024root___eval_nba(r);
        r->__VnbaTriggered[0] = 0;
    }}
}};
// What leaves in a cycle: send(output number, message or nullptr: a credit), port by port.  The class of the module itself has
// references to these only.
struct Ports {{
    template <class Send> static void sent(const Root &root, Send send)
    {{
{chr(10).join(sent)}
    }}
}};
using M = gantry::Model<{top}, Edge, Ports>;
const model_port port_rows[] = {{
{chr(10).join(rows)}
}};
const model_counter counter_rows[] = {{
{chr(10).join(counters)}
    {{"", "", ""}}}};
const model_ask ask_rows[] = {{
{chr(10).join(places)}
    {{0, 0}}}};
model_obs obs_rows[] = {{
{chr(10).join(obs_rows)}
    {{"", 0, 0}}}};

void bind(M *m)
{{
{chr(10).join(binds)}
}}

void *create(const model_api *, const char *name, uint16_t id, uint64_t seed)
{{
    M *m = new M(name, seed);
    m->top->id_i = id;
    bind(m);
    m->reset();{choose}
    return m;
}}
void destroy(void *m) {{ delete static_cast<M *>(m); }}
bool step(void *m, uint64_t from, part_in *const *due, const uint32_t *count, bool no_skip, const model_sink *sink)
{{
    return static_cast<M *>(m)->step(from, due, count, no_skip, *sink);
}}
uint64_t evaluated(const void *m) {{ return static_cast<const M *>(m)->evaluated; }}
{asked}
void observe(void *m, bool on) {{ static_cast<M *>(m)->observe(on); }}
#if VM_TRACE
bool trace(void *m, const char *file, uint64_t from, uint64_t to) {{ return static_cast<M *>(m)->trace(file, from, to); }}
#else
constexpr bool (*trace)(void *, const char *, uint64_t, uint64_t) = nullptr;
#endif
#if GANTRY_SAVABLE
void save(void *m, state_writer *to) {{ static_cast<M *>(m)->save(to); }}
bool restore(void *m, state_reader *from) {{ return static_cast<M *>(m)->restore(from); }}
void hold(void *m) {{ static_cast<M *>(m)->hold(); }}
void release(void *m) {{ static_cast<M *>(m)->release(); }}
constexpr const char *unsavable = nullptr;
#else
constexpr void (*hold)(void *) = nullptr, (*release)(void *) = nullptr;
constexpr void (*save)(void *, state_writer *) = nullptr;
constexpr bool (*restore)(void *, state_reader *) = nullptr;
constexpr const char *unsavable = "its model was compiled without saving (coverage)";
#endif
void set_bug(void (*bug)(const char *, uint64_t, const char *)) {{ gantry::bug_handler = bug; }}
const model_api api = {{MODEL_ABI, "{kind}", port_rows, counter_rows, ask_rows, obs_rows, {len(rows)}, {len(counters)}, {len(obs)}, {ins}, {outs},
                       create, destroy, step, evaluated, counter, shown, look, observe, trace, save, restore, hold, release,
                       set_bug, unsavable}};
}}  // namespace

__attribute__((visibility("default"))) const model_api *gantry_model(void)
{{
    return &api;
}}
"""


def main():
    kind, out, *settings = sys.argv[1:]
    constants = {k: int(v) for k, v in (s.split("=") for s in settings)}
    pathlib.Path(out).write_text(emit(kind, constants))


if __name__ == "__main__":
    main()
