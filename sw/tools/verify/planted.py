#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""planted.py [NAME...]: plant bugs (tests/planted/NAME.patch, all when none is named) and see that their tests fail.

A patch is a `git diff` of the bug, paths from the top, with lines before it:
  # test: FILE[::TEST]   a test that must notice it: a pytest node, of a C test or bench FILE::CASE; one line for each
  # what: WORDS          what is wrong with the machine then
Each is planted in a copy of the tree (build/planted), whose objects and models come from this one, so that only what
the patch changes is built.  The tests pass in the copy without the patch and fail with it, by a check: what does not
build, crashes, hangs or is skipped has noticed nothing.  One line a patch; exit 1 when a test missed its bug.
"""
import dataclasses
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
PATCHES = ROOT / "tests/planted"
COPY = ROOT / "build/planted"
LIMIT = 900  # seconds that a test may take
TOPS = ("rtl", "host", "bridge", "fpga", "sw")  # where what is moved may be
NOT_A_CHECK = re.compile(r"does not (build|compile)|Test failed with exception")


@dataclasses.dataclass
class Patch:
    name: str
    path: pathlib.Path
    tests: list
    what: str

    def files(self):
        return re.findall(r"^\+\+\+ [ab]/(\S+)", self.path.read_text(), re.M)


def read(path):
    head = path.read_text().split("diff --git", 1)[0]
    fields = re.findall(r"^# (test|what): (.*\S)", head, re.M)
    return Patch(path.stem, path, [text for kind, text in fields if kind == "test"], " ".join(text for kind, text in fields if kind == "what"))


def patches():
    return [read(path) for path in sorted(PATCHES.glob("*.patch"))]


def test_is_there(node, root=ROOT):
    """A file of tests, and its text has a function or a case of that name."""
    file, _, case = node.partition("::")
    path = root / file
    name = case.split("[")[0].rsplit("::", 1)[-1]
    if not path.is_file() or not (path.name == "tb.cpp" or path.name.startswith("test_")):
        return False
    if path.suffix == ".py":
        return bool(re.search(rf"^ *def {re.escape(name)}\(", path.read_text(), re.M))
    near = "".join(p.read_text() for p in sorted({path, *path.parent.glob("*.[ch]"), *path.parent.glob("*.cpp")}))
    return not name or bool(re.search(rf"\b{re.escape(name)}\b", near if path.name == "tb.cpp" else path.read_text()))


def text_in(root, patch):
    """The patch, with the paths that its files have in this tree: one that was moved is the only one of its name."""
    text = patch.path.read_text()
    for name in set(patch.files()):
        places = [] if (root / name).exists() else [p for top in TOPS for p in (root / top).rglob(pathlib.Path(name).name)]
        if len(places) == 1:
            text = re.sub(rf"\b([ab])/{re.escape(name)}$", rf"\1/{places[0].relative_to(root)}", text, flags=re.M)
            text = re.sub(rf"^diff --git a/{re.escape(name)} ", f"diff --git a/{places[0].relative_to(root)} ", text, flags=re.M)
    return text


def apply(root, patch, *options):
    """The words of git, "" when it went well.  One line of context must match: others change the tree as well."""
    done = subprocess.run(["git", "apply", "-C1", *options], cwd=root, input=text_in(root, patch), capture_output=True, text=True,
                          env={**os.environ, "GIT_CEILING_DIRECTORIES": str(root.parent)})
    return done.stderr.strip() if done.returncode else ""


def listed():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in out.split("\0") if name and (ROOT / name).is_file()]


def copy_sources():
    fresh, names = not COPY.exists(), listed()
    for name in names:
        source, target = ROOT / name, COPY / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        if not fresh:
            os.utime(target)  # newer than what was built from another text
    known = set(names)
    for path in COPY.rglob("*"):
        name = str(path.relative_to(COPY))
        if not name.startswith("build/") and path.is_file() and name not in known:
            path.unlink()


def copy_tree():
    """The copy, up to date and without a patch; what was built is taken along once."""
    copy_sources()
    build = COPY / "build"
    build.mkdir(exist_ok=True)
    for folder, how in (("obj", "-a"), ("lib", "-a"), ("bin", "-a"), ("gen", "-a"), ("apps", "-a"), ("kernels", "-a"), ("models", "-al")):
        if (ROOT / "build" / folder).is_dir() and not (build / folder).exists():
            subprocess.run(["cp", how, ROOT / "build" / folder, build], check=True)
    if (build / "models/stamps").is_dir() and (ROOT / "build/models/stamps").is_dir():  # written in place: not to be shared
        shutil.rmtree(build / "models/stamps")
        shutil.copytree(ROOT / "build/models/stamps", build / "models/stamps")
    if not (build / "venv").exists():
        (build / "venv").symlink_to(ROOT / "build/venv")
    return COPY


def environment():
    """That of a tree of its own."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GANTRY_", "PYTEST_", "MAKE", "MFLAGS"))}
    return {**env, "GANTRY_NIGHTLY": "1"}  # a test that runs only there may be the one


def run_test(node, root=COPY):
    """("passed" | "noticed" | "spoilt", what it said)"""
    file, _, case = node.partition("::")
    plain = file.endswith((".c", ".cpp", ".sh"))
    report = root / "build/planted.xml"
    report.unlink(missing_ok=True)
    cmd = [str(ROOT / "build/venv/bin/python"), "-m", "pytest", "--rootdir", ".", f"--junitxml={report}",
           f"{file}::{pathlib.Path(file).name}" if plain else node]
    try:
        done = subprocess.run(cmd, cwd=root, env=environment(), capture_output=True, text=True, errors="replace", timeout=LIMIT,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "spoilt", f"no end after {LIMIT} s"
    if not report.exists():
        return "spoilt", done.stdout + done.stderr
    return judge(xml.etree.ElementTree.parse(report).getroot(), plain, case)


def judge(report, plain, case):
    """The same of pytest's report in XML."""
    cases = report.findall(".//testcase")
    wrong = [(kind, found.get("message") or "", found.text or "") for c in cases for kind in ("failure", "error", "skipped")
             if (found := c.find(kind)) is not None]
    if not wrong:
        return ("passed", "") if cases else ("spoilt", "no such test")
    text = "\n".join(f"{message}\n{body}" for _, message, body in wrong)
    if any(kind != "failure" for kind, _, _ in wrong):
        return "spoilt", text
    if plain:
        failed = re.search(r"exit status (-?\d+)", text)
        checked = failed and (int(failed[1]) > 0 or "%Error" in text) and (not case or re.search(rf"\b{re.escape(case)}\b", text))
        if case and re.search(r"\[  FAILED  \]", text):  # cmocka names each case that failed
            checked = checked and re.search(rf"\[  FAILED  \] {re.escape(case)}$", text, re.M)
    else:
        checked = all(re.match(r"AssertionError|assert |Failed", message) for _, message, _ in wrong)
    return ("noticed" if checked and not NOT_A_CHECK.search(text) else "spoilt"), text


def build(root=COPY):
    done = subprocess.run(["make", "-s", "-j2", "all"], cwd=root, env=environment(), capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def check_clean(nodes):
    """What is wrong with the tests in the copy without a patch: lines."""
    copy_tree()
    said = build()
    return [f"the copy does not build:\n{said}"] if said else [
        f"{node} in the copy without a patch: {end}\n{text}" for node in nodes for end, text in [run_test(node)] if end != "passed"]


def check_patch(patch):
    """What is wrong: "" when all its tests notice it.  The copy is left without it, and its objects out of date."""
    copy_tree()
    said = apply(COPY, patch)
    if said:
        return f"does not apply: {said}"
    try:
        for name in patch.files():
            os.utime(COPY / name)
        said = build()
        if said:
            return f"does not build: {said}"
        for node in patch.tests:
            end, text = run_test(node)
            if end != "noticed":
                return f"{node}: {'did not notice it' if end == 'passed' else 'ended otherwise'}\n{text[-4000:]}"
    finally:
        copy_sources()
    return ""


def main():
    os.chdir(ROOT)
    (ROOT / "build").mkdir(exist_ok=True)
    chosen = [p for p in patches() if not sys.argv[1:] or p.name in sys.argv[1:]]
    unknown = set(sys.argv[1:]) - {p.name for p in chosen}
    if unknown:
        print(f"planted: {', '.join(sorted(unknown))}: no such patch in tests/planted", file=sys.stderr)
        return 64
    with open(ROOT / "build/planted.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = check_clean(sorted({node for p in chosen for node in p.tests}))
        print("\n".join(said), end="\n" * bool(said))
        missed = len(said)
        for patch in chosen if not said else []:
            wrong = check_patch(patch)
            missed += bool(wrong)
            print(f"{patch.name}: {wrong or 'noticed'}: {patch.what}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
