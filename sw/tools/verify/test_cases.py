# SPDX-License-Identifier: Apache-2.0
"""Cases of the tests that are no Python: what stands in the text (with the requirement ids each shows) and what ran.

C      a case is `static void NAME(void **state)`; ids in the comment right before it: `/* shows S0.8, S0.9: ... */`
bench  a case is `case_done("NAME")` or `case_done("NAME", "S0.5, S3.12")` (tests/rtl/case_done.h), reached always
shell  a case is `echo "case done: NAME"`, behind it perhaps `# shows S0.8`
Also of files of the tests that are included.  Not responsible for: Python (its functions and `@pytest.mark.shows`)."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
ID = re.compile(r"\b(?:S[0134]|[BC])\.\d+\b")
IN_TEXT = {
    ".c": re.compile(r"(?:/\* shows (?P<ids>[^:*]+)(?:(?!\*/).)*\*/\s*)?^static void (?P<name>\w+)\(void \*\*\w*\)\s*\{", re.M | re.S),
    ".cpp": re.compile(r'\bcase_done\("(?P<name>[^"]+)"(?:,\s*"(?P<ids>[^"]*)")?\)'),
    ".sh": re.compile(r'^\s*echo "case done: (?P<name>[^"]+)"(?:\s*# shows (?P<ids>.*))?', re.M),
}
CMOCKA = re.compile(r"\[\s+(OK|FAILED|SKIPPED)\s+\] (\w+)$", re.M)


def text_with_includes(path, seen=None):
    """The text of a test, behind that of the files of tests/ that it includes."""
    seen = {path} if seen is None else seen
    text, whole = path.read_text(), []
    for name in re.findall(r'^#include "([^"]+)"', text, re.M):
        for file in (path.parent / name, ROOT / name):
            file = file.resolve()
            if file.is_file() and ROOT / "tests" in file.parents and file.name != "case_done.h" and file not in seen:
                seen.add(file)
                whole.append(text_with_includes(file, seen))
                break
    return "\n".join([*whole, text])


def in_text(path):
    """{name: ids} of the cases that stand in a test."""
    return {m["name"]: sorted(ID.findall(m["ids"] or "")) for m in IN_TEXT[path.suffix].finditer(text_with_includes(path))}


def in_output(path, output):
    """{name: outcome} of the cases that a run of it names."""
    if path.suffix == ".c":
        outcomes = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
        return {name: outcomes[word] for word, name in CMOCKA.findall(output)}
    return {name: "passed" for name in re.findall(r"case done: (.+)$", output, re.M)}


def difference(path, output):
    """What is wrong with the cases of a run that ended with status 0; "" if nothing is."""
    want, got = in_text(path), in_output(path, output)
    wrong = [f"case {name} did not run" for name in want if got.get(name) != "passed"]
    wrong += [f"case {name} ran, but stands nowhere in the text" for name in got if name not in want]
    return "\n".join(wrong if want else ["no case stands in the text (sw/tools/verify/test_cases.py says how)"])
