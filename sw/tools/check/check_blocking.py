#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_blocking.py TREE.json: a variable that an edge-triggered block assigns with '=' must be private to that block.
TREE.json comes from `verilator --json-only --Mdir D ...` (5.0xx). Exit 1 and one line per offending variable."""
import collections, json, os, sys
tree = json.load(open(sys.argv[1]))
meta = sys.argv[1].replace(".tree.json", ".tree.meta.json")
files = json.load(open(meta))["files"] if os.path.exists(meta) else {}
tasks, var, use = {}, {}, collections.defaultdict(lambda: collections.defaultdict(set))  # use[var][block] = kinds
where = lambda n: (lambda f, p: f"{files.get(f, {}).get('filename', f)}:{p}")(*n["loc"].split(",")[:2])
def kids(n):
    for v in n.values():
        for c in v if isinstance(v, list) else [v] if isinstance(v, dict) else []:
            if isinstance(c, dict): yield c
def index(n):
    if n.get("type") in ("FUNC", "TASK"): tasks[n["addr"]] = n
    if n.get("type") == "VAR" and not n.get("lifetime", "").startswith("VAUTOM"): var[n["addr"]] = n
    for c in kids(n): index(c)
def refs(n, blk, dly, stack=()):  # collect the accesses of one process; called functions count as part of the caller
    t = n.get("type")
    if t in ("VARREF", "VARXREF"):
        w = n["access"] != "RD"
        use[n["varp"]][blk].add(("nba" if dly else "blk") if w else "rd")
    if t in ("FUNCREF", "TASKREF") and n["taskp"] in tasks and n["taskp"] not in stack:
        refs(tasks[n["taskp"]], blk, False, stack + (n["taskp"],))
    for c in kids(n): refs(c, blk, dly or t == "ASSIGNDLY", stack)
def walk(n):
    t = n.get("type", "")
    if t in ("FUNC", "TASK", "INITIAL", "INITIALSTATIC", "FINAL"): return
    if t.startswith("ALWAYS") or t.startswith("ASSIGN") or t == "PIN":
        edge = any(s.get("edgeType") in ("POS", "NEG", "BOTH") for st in n.get("sentreep", []) for s in st.get("sensesp", []))
        return refs(n, (where(n), "edge" if edge else "pin" if t == "PIN" else "comb"), False)
    for c in kids(n): walk(c)
index(tree); walk(tree); bad = 0
for v, blocks in use.items():
    for b in [b for b, k in blocks.items() if b[1] == "edge" and "blk" in k and v in var]:  # automatic variables are private
        why = [f"used by {c[1]} {c[0]}" for c in blocks if c != b] + ["also assigned with <="] * ("nba" in blocks[b])
        why += ["is a port"] * (var[v].get("direction", "NONE") in ("OUTPUT", "INOUT") and var[v].get("varType") == "PORT")
        if why: bad += 1; print(f"RACE {where(var[v])} '{var[v]['name']}' assigned with '=' at {b[0]}: " + "; ".join(why))
print(f"{bad} variable(s) with blocking assignments visible outside their block"); sys.exit(bad != 0)
