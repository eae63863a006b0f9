# SPDX-License-Identifier: Apache-2.0
"""One function for all instances of a module.  Verilator merges functions of two instances that are equal, but not those with local
variables of tasks, whose names it numbers, nor those with assertions, which name their instance.

merge(folder) compares the functions of each class, behind the names of local variables and of the instance, and leaves in place of one
that equals another a call of that one; assertions take the instance's name from the object then.  What differs in one more place stays:
a bench whose top connects an instance to a part of its own ports names the instance's ports in a file of its own (*.vlt,
public_flat_rd), else Verilator puts the top's in their place.  Not responsible for: small functions, and the top's own (nothing is gained).
"""
import collections
import pathlib
import re

READ = [pathlib.Path(__file__)]
LEAST = 20_000  # bytes of a function
FUNCTION = re.compile(r"^void (\w+)\((V\w+)\* vlSelf\) \{\n(.*?)^\}\n", re.M | re.S)
LOCAL = re.compile(r"^ +(?:const )?(?:[CSIQ]Data|Vl\w+<[^;\n]*>|V\w+_struct__\d+|std::string)(?:/\*[^*\n]*\*/)? (\w+)(?:\[[^\]\n]*\])*(?: = [^;\n]*)?;$", re.M)
INSTANCE = re.compile(r"TOP__(\w+)__\d+$")
WORD = re.compile(r"(?<![.\w])\w+\b")


def path(name):
    """A pattern of the hierarchical name of the instance that a function is of: drf_top.gen_l2[1].u_l2.gen_channel[0].u_channel."""
    words = re.sub(r"__BRA__(\d+)__KET__", r"[\1]", INSTANCE.search(name)[1]).replace("__DOT__", ".")
    return r"(?:\.|__)".join(re.escape(word) for word in words.split("__"))


def shared(name, body):
    """The function's text as any instance's: assertions ask the object for its name."""
    return re.sub(rf'vlSymsp->name\(\),(\s*"){path(name)}\.', r"vlSelf->vlNamep,\1", body)


def plain(name, body):
    """The text to compare: local variables are numbered as they come."""
    local, numbers = set(LOCAL.findall(body)), {}
    text = WORD.sub(lambda m: f"@{numbers.setdefault(m[0], len(numbers))}" if m[0] in local else m[0], body.replace(name, "@"))
    return re.sub(r"\s+", "", text)  # lines are broken by the length of names


def merge(folder):
    """Returns how many functions are calls now."""
    groups, texts = collections.defaultdict(list), {}
    for source in sorted(pathlib.Path(folder).glob("V*.cpp")):
        texts[source] = source.read_text()
        for m in FUNCTION.finditer(texts[source]):
            name, of, body = m.groups()
            if len(body) >= LEAST and INSTANCE.search(name):
                body = shared(name, body)
                groups[of, plain(name, body)].append((source, name, m[0], body))
    merged = 0
    for (of, _), same in groups.items():
        if len(same) < 2:
            continue
        first = same[0][1]
        for n, (source, name, whole, body) in enumerate(same):
            new = f"void {name}({of}* vlSelf) {{\n{body}}}\n" if n == 0 else f"void {first}({of}* vlSelf);\nvoid {name}({of}* vlSelf) {{\n    {first}(vlSelf);\n}}\n"
            texts[source] = texts[source].replace(whole, new)
        merged += len(same) - 1
    for source, text in texts.items():
        if text != source.read_text():
            source.write_text(text)
    return merged
