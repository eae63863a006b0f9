# SPDX-License-Identifier: Apache-2.0
"""What of a .cu file and of the files that it includes by name is no C++ for clang, or cannot work on gfx803.

Launches written `<< <` and `>> >`, textures that are static and the statements of KNOWN_PTX are rewritten, line by line, in copies that the compiler sees in place of the files
(overlay).  inline_ptx() and literal_32() say where the text shows a problem; they see no macros and no #if.
"""
import json
import os
import pathlib
import re

WARP_CALL = re.compile(r"\b__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|activemask|match_any|match_all)(?:_sync)?\s*\(|\b__syncwarp\s*\(")
LANES = re.compile(r"\bthreadIdx\s*\.\s*x\s*(?:&\s*(?:31|0x1[fF])|[%/]\s*32|>>\s*5)\b")
ASM = re.compile(r"\b(?:__)?asm(?:__)?\b\s*(?:(?:__)?volatile(?:__)?\s*)?\(")
PTX = re.compile(r"(?:^|[\s;{\"])@?!?%?p?\d*\s*(?:\.reg\b|[a-z][a-z0-9]*(?:\.[a-z0-9_]+)+\b[\s;]?|%%?(?:laneid|warpid|clock|smid|lanemask))")
# mov.u32 %0, %laneid; and what else HIP has a function for
KNOWN_PTX = [(re.compile(ASM.pattern + r'\s*"\s*mov\.u32\s+%0\s*,\s*%%?laneid\s*;?\s*"\s*:\s*"=r"\s*\(\s*([\w.\->\[\]]+)\s*\)\s*:?\s*:?\s*\)'), r"(\1 = gantry_lane())"),
             (re.compile(ASM.pattern + r'\s*"\s*mov\.u32\s+%0\s*,\s*%%?lanemask_lt\s*;?\s*"\s*:\s*"=r"\s*\(\s*([\w.\->\[\]]+)\s*\)\s*:?\s*:?\s*\)'),
              r"(\1 = ((gantry_mask)1 << gantry_lane()) - 1)")]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"\n]+)"', re.M)
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
OPEN = re.compile(r"<\s*<\s*<")
STATIC_TEXTURE = re.compile(r"\bstatic(\s+(?:texture|surface)\s*<)")  # clang has no texture for the device then
CLOSE = re.compile(r">\s*>\s*>(?=\s*\()")


def read_all(name, includes):
    """{absolute path: text} of the file and of all that it includes by "name", here or in a folder of -I."""
    found, waiting = {}, [os.path.abspath(name)]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        try:
            found[path] = pathlib.Path(path).read_text(errors="surrogateescape")
        except OSError:
            continue
        for inner in INCLUDE.findall(found[path]):
            places = [os.path.join(folder, inner) for folder in [os.path.dirname(path), *includes]]
            waiting += [os.path.abspath(p) for p in places if os.path.isfile(p)][:1]
    return found


def masked(text):
    """The text with comments blank and literals crossed out, each character in its place."""
    return HIDDEN.sub(lambda m: re.sub(r"[^\n]", " " if m[0].startswith("/") else "_", m[0]), text)


def joined(match):
    """Three angles without what is between, which follows them: lines stay where they are."""
    blank = re.sub(r"[<>]", "", match[0])
    return re.sub(r"\s", "", match[0]) + blank


def rewritten(text):
    code = masked(text)
    for pattern in (OPEN, CLOSE):
        for m in reversed(list(pattern.finditer(code))):
            if re.search(r"\s", m[0]):
                text = text[:m.start()] + joined(m) + text[m.end():]
                code = code[:m.start()] + joined(m) + code[m.end():]
    for m in reversed(list(STATIC_TEXTURE.finditer(code))):
        text = text[:m.start()] + " " * 6 + m[1] + text[m.end():]
    for pattern, replacement in KNOWN_PTX:
        text = pattern.sub(replacement, text)
    return text


def overlay(files, folder):
    """Options by which the compiler reads rewritten copies, which keep the names of their files."""
    roots = []
    for number, (path, text) in enumerate(sorted(files.items())):
        new = rewritten(text)
        if new != text:
            copy = os.path.join(folder, f"{number}.source")
            pathlib.Path(copy).write_text(new, errors="surrogateescape")
            roots.append({"name": path, "type": "file", "external-contents": copy})
    if not roots:
        return []
    table = os.path.join(folder, "overlay.yaml")
    pathlib.Path(table).write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}))
    return [f"-ivfsoverlay{table}"]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def shown(path):
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


def inline_ptx(files):
    """The first statement of PTX that no function of HIP stands for: 'FILE:LINE: inline PTX "..."'; None."""
    for path, text in sorted(files.items()):
        text = rewritten(text)
        for m in ASM.finditer(text):
            strings = re.match(r'\s*(?:"(?:\\.|[^"\\])*"\s*)+', text[m.end():])
            if strings and PTX.search(strings[0]):
                first = " ".join(re.findall(r'"((?:\\.|[^"\\])*)"', strings[0])).replace("\\n", " ").replace("\\t", " ")
                return f'{shown(path)}:{line_of(text, m.start())}: inline PTX "{" ".join(first.split())[:60]}"'
    return None


def literal_32(files):
    """Places where an index of a lane is made with 32, in programs that call functions between lanes."""
    code = {path: masked(text) for path, text in files.items()}
    if not any(WARP_CALL.search(text) for text in code.values()):
        return []
    return [f"{shown(path)}:{line_of(text, m.start())}" for path, text in sorted(code.items()) for m in LANES.finditer(text)]
