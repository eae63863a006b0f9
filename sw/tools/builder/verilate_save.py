# SPDX-License-Identifier: Apache-2.0
"""What Verilator's --savable leaves out.  It writes no operators that save and restore an unpacked struct, and saves variables that
nobody has ever set (those of functions, with --x-initial fast), which hold what was in the memory before.

instrument(folder) adds the operators behind the definition of each struct in the generated headers, member by member, so that padding
is not saved, and lets a model begin in memory that is zero, so that equal states have equal bytes.  The functions that save and restore
a class are thousands of calls in a row, of which a compiler makes a fourth of the whole build of a compute unit: they stay as they are.  Not responsible for: the rest of the state (Verilator), where it goes (bridge/verilated/model_save.hpp).
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
HELPER = ROOT / "bridge/verilated/model_structs.hpp"
READ = [pathlib.Path(__file__), HELPER]
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^    bool operator==.*?^struct VlIsCustomStruct<\1> : public std::true_type \{\};\n", re.M | re.S)
MEMBER = re.compile(r"^    \S.*?\s\**(\w+);$", re.M)

SYMS = re.compile(r"^(class \S* ?(V\w+__Syms) final : public VerilatedSyms \{\n)", re.M)

SAVERS = re.compile(r"^void V\w+::__V(?:de)?serialize\(Verilated(?:Des|S)erialize& os\) \{$", re.M)


def operators(name, body):
    members = MEMBER.findall(body)
    if len(members) != len([line for line in body.splitlines() if line.strip()]):
        raise SystemExit(f"verilate: struct {name}: a member was not understood")
    puts = "".join(f"    gantry::state_member(os, rhs.{m});\n" for m in members)
    return "".join(f"inline Verilated{way}serialize& operator{sign}(Verilated{way}serialize& os, {const}{name}& rhs) {{\n{puts}    return os;\n}}\n"
                   for way, sign, const in (("", "<<", "const "), ("De", ">>", ""))).replace("Verilatedserialize", "VerilatedSerialize")


def instrument(folder):
    for header in sorted(pathlib.Path(folder).glob("V*.h")):
        text = header.read_text()
        new = STRUCT.sub(lambda m: m[0] + operators(m[1], m[2]), text)
        if new != text:
            first = new.index("\nstruct ")
            new = f'{new[:first]}\n#include "{HELPER.relative_to(ROOT)}"\n{new[first:]}'
        if header.name.endswith("__Syms.h"):
            new, found = SYMS.subn(lambda m: f'{m[1]}  public:\n    GANTRY_ZEROED\n', new)
            if found != 1:
                raise SystemExit(f"verilate: {header.name}: no class was found in it")
            new = f'#include "{HELPER.relative_to(ROOT)}"\n{new}'
        if new != text:
            header.write_text(new)
    for source in sorted(pathlib.Path(folder).glob("V*__Slow.cpp")):
        text = source.read_text()
        new = SAVERS.sub(r"GANTRY_UNOPTIMIZED \g<0>", text)
        if new != text:
            source.write_text(new)
