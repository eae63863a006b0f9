# SPDX-License-Identifier: Apache-2.0
"""Mutants of the text of C and SystemVerilog: one small change each, of an operator, a constant, a condition or a statement.
Comments, strings, preprocessor lines, checks (CHECK, assert; of a module: its section of assertions and what only that reads) and messages
(log_, fprintf, snprintf) are left alone, and declarations: a range is a type, and of one that fits nothing `make lint` tells.
Not responsible for: whether a mutant compiles, and whether it means anything else (mutate_c.py, mutate_rtl.py)."""
import dataclasses
import pathlib
import random
import re

from check import check_floors

ROOT = pathlib.Path(__file__).resolve().parents[3]
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "+", "/": "*", "&&": "||", "||": "&&",
         "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "++": "--", "--": "++", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}
OPERATOR = re.compile(r"(?<=[\w)\]}] )(<=|>=|==|!=|&&|\|\||<<|>>|[-+*/&|^<>]|[-+|&]=)(?= [\w(~!{'-])")
STEP = re.compile(r"(?<=\w)(\+\+|--)(?=[;),])")
NOT = re.compile(r"(?<=[(\s&|=?:!{,])[!~](?=[\w(])")
NUMBER = re.compile(r"(?<![\w.'\[$])(\d+)(?=u?(?:ll)?\b)(?![\w.']*'|\.\d|\w*x)")
SIZED = re.compile(r"(?<=\w)('[bd])([01])\b|(?<![\w'])'([01])\b|\b(true|false)\b")
CONDITION = re.compile(r"\b(?:if|while) (\()")
SIMPLE = re.compile(r"^\s*(?!return|break|continue|goto|case|default|typedef|struct|static|extern|const|enum|import|end|assign|logic|input|output|"
                    r"localparam|parameter|int |unsigned |uint|bool |char |size_t|void \w|[\w ]+_t \w)[\w.>*\[\]()&, +:'{}<!=|-]+;\s*$")
LEFT_ALONE = re.compile(r"^\s*[#`]|\b(\w*CHECK|assert|static_assert|_Static_assert|assume|cover|STREAM_ASSERT)\b|\$error|\$fatal|\$display|\blog_\w+\(|printf\(|user_error|Seed(?:Fault|Bug|Store)|GANTRY_CU_FAULT|SIMD_FAULT|^\s*(?:parameter|localparam|import|input|output|function|task|genvar)\b|^\s*logic\b[^=]*;")
SECTION = "// ---- assertions"  # from here to the end of a module there are checks only
TARGETS = re.compile(r"^\s*(\w+|\{[\w, ]+\})\s+<= ([^;]*);\s*$")
FOLDERS = {**{room: ".c" for room in (*check_floors.DRIVER, *check_floors.FIRMWARE, "host/vm", "bridge", *check_floors.MACHINE)},
           **{f"rtl/{name}": ".sv" for name in ("control", "sqc", "l2", "tlb", "utcl2", "noc", "rdma", "dispatch",
                                                 *(f"cu/{part}" for part in ("front", "scalar", "simd", "vmem", "l1v", "lds", "narrow")))}}


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    column: int
    old: str
    new: str

    def text(self):
        """The whole file with the change."""
        lines = (ROOT / self.file).read_text().split("\n")
        at = lines[self.line - 1]
        assert at[self.column:].startswith(self.old), self
        lines[self.line - 1] = at[:self.column] + self.new + at[self.column + len(self.old):]
        return "\n".join(lines)

    def name(self):
        return f"{self.file}:{self.line}:{self.column}\t{self.old}\t{self.new}"


def code_of(text):
    """The text with comments and strings blanked, place by place."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])  # noqa: E731
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'(?!\w)', blank, text, flags=re.S)


def closing(line, start):
    depth = 0
    for at in range(start, len(line)):
        depth += (line[at] == "(") - (line[at] == ")")
        if depth == 0:
            return at
    return None


def of_line(line, verilog):
    """(column, old, new) of each change of one line of code."""
    for m in OPERATOR.finditer(line):
        if verilog and m[0] == "<=" and not re.search(r"\b(if|while|assign|return|for)\b|[=?(]", line[:m.start()]):
            continue  # an assignment
        yield m.start(), m[0], SWAPS[m[0]]
    yield from ((m.start(), m[0], SWAPS[m[0]]) for m in STEP.finditer(line))
    yield from ((m.start(), m[0], "") for m in NOT.finditer(line))
    for m in NUMBER.finditer(line):
        yield m.start(1), m[1], str(int(m[1]) + 1)
        if m[1] not in "0":
            yield m.start(1), m[1], str(int(m[1]) - 1)
    for m in SIZED.finditer(line):
        old = m[2] or m[3] or m[4]
        group = 2 if m[2] else 3 if m[3] else 4
        yield m.start(group), old, {"0": "1", "1": "0", "true": "false", "false": "true"}[old]
    for m in CONDITION.finditer(line):
        end = closing(line, m.start(1))
        if end is not None:
            whole = line[m.start(1):end + 1]
            yield from ((m.start(1), whole, new) for new in (f"(!{whole})", "(0)", "(1)"))
    statement = line.strip()
    if SIMPLE.match(line) and statement != ";":
        yield line.index(statement), statement, ";"


def checked_only(text):
    """Registers that nothing but the section of assertions reads: what is kept for it is a part of the check."""
    body, _, section = text.partition(SECTION)
    lines, names = code_of(body).split("\n"), set(re.findall(r"\b\w+_q\b", code_of(section)))
    for line in lines:
        written = TARGETS.match(line)
        read = written[2] if written else "" if re.match(r"\s*logic\b[^=]*;", line) else line
        names -= set(re.findall(r"\w+", read))
    return names


def of_file(path):
    """All mutants of a source, in the order of its text."""
    file, verilog = str(path.relative_to(ROOT)), path.suffix != ".c"
    text, off, open_brackets = path.read_text(), False, 0
    lines, code = text.split("\n"), code_of(text).split("\n")
    kept = checked_only(text) if verilog else set()
    for number, (line, bare) in enumerate(zip(lines, code), 1):
        if verilog and line.strip().startswith(SECTION):
            break
        written = TARGETS.match(bare)
        if written and set(re.findall(r"\w+", written[1])) <= kept:
            continue
        off = bool(re.match(r"\s*`ifn?def", line)) or (off and not re.match(r"\s*`(endif|else)", line))  # text of another build
        left_alone = open_brackets > 0 or LEFT_ALONE.search(bare)  # a check or a message goes on to its closing bracket
        open_brackets = max(0, open_brackets + bare.count("(") - bare.count(")")) if left_alone else 0
        if off or left_alone or (not verilog and not bare.startswith((" ", "\t"))):
            continue
        for column, old, new in of_line(bare, verilog):
            yield Mutant(file, number, column, line[column:column + len(old)], new)


def of_folder(folder):
    suffixes = (".sv", ".svh") if FOLDERS[folder] == ".sv" else (".c",)
    return [m for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes for m in of_file(p)]


def sample(folder, seed):
    """All mutants of a folder in the order of a draw: the first N that are worth it are the sample."""
    drawn = of_folder(folder)
    random.Random(f"{seed} {folder}").shuffle(drawn)
    return drawn
