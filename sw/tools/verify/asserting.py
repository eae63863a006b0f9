# SPDX-License-Identifier: Apache-2.0
"""Python tests that cannot fail: is there something in the body of a test, in what it calls or in what that calls, that fails when
it is not so?  An assertion, a raise, pytest.raises and the like, a program that must end with status 0.  What is called is looked
for by name among the functions of the file and of the modules of tests/ and sw/tools that it imports; fixtures and decorators do
not count, as they are there whatever the test does.  And: assertions that mix `and` and `or` without parentheses, where half of what is written may say nothing.
Not responsible for: whether what can fail is reached, and says anything."""
import ast
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
FAILS = {"raises", "warns", "fail", "check_call", "check_output", "check_returncode", "skip"}  # the manifest says which may be skipped


def name_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_fixture(function):
    return any("fixture" in ast.dump(decorator) for decorator in function.decorator_list)


def nodes(function):
    return (node for statement in function.body for node in ast.walk(statement))


def fails_itself(function):
    """Something in its own text can fail."""
    for node in nodes(function):
        if isinstance(node, (ast.Assert, ast.Raise)):
            return True
        if isinstance(node, ast.Call) and (name_of(node) in FAILS or any(k.arg == "check" and getattr(k.value, "value", False) is True for k in node.keywords)):
            return True
    return False


def functions_of(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]


def names_used(function):
    """Functions that it calls, or hands on to be called."""
    return {name_of(n) for n in nodes(function) if isinstance(n, ast.Call)} | {n.id for n in nodes(function) if isinstance(n, ast.Name)}


def modules_of(path, root):
    """Files of the tree that the file imports."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
        for name in names:
            near = [folder / f"{name.split('.')[-1]}.py" for folder in (path.parent, root / "tests", root / "tests/system")]
            found += [p for p in (*near, root / "sw/tools" / f"{name.replace('.', '/')}.py") if p.exists()]
    return found


def without(path, root=ROOT):
    """Names of the test functions of a file in which nothing can fail; a file that is no Python is for pytest to refuse."""
    try:
        ast.parse(path.read_text())
    except SyntaxError:
        return []
    known = {f.name: f for module in [*modules_of(path, root), path] for f in functions_of(module) if not is_fixture(f)}

    def can_fail(function, seen):
        if fails_itself(function):
            return True
        for name in names_used(function) & set(known) - seen:
            seen.add(name)
            if can_fail(known[name], seen):
                return True
        return False

    return [f.name for f in functions_of(path) if f.name.startswith("test") and not can_fail(f, {f.name})]


def mixed(path):
    """Lines of assertions with an `and` that is a part of an `or` and has no parentheses of its own."""
    text = path.read_text()
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]

    def bare(node):
        before = text.encode()[:len(text[:starts[node.lineno - 1]].encode()) + node.col_offset].decode().rstrip()
        outer = text.encode()[len(text[:starts[node.end_lineno - 1]].encode()) + node.end_col_offset:].decode().lstrip()
        return not (before.endswith("(") and outer.startswith(")"))

    try:
        asserts = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Assert)]
    except SyntaxError:
        return []
    ors = [n for a in asserts for n in ast.walk(a.test) if isinstance(n, ast.BoolOp) and isinstance(n.op, ast.Or)]
    return sorted({v.lineno for n in ors for v in n.values if isinstance(v, ast.BoolOp) and isinstance(v.op, ast.And) and bare(v)})


def findings(places, root=ROOT):
    """One line for each such test or assertion of the files in, or that are, one of these places."""
    files = sorted({p for place in places for p in ([place] if place.is_file() else place.rglob("test_*.py")) if p.suffix == ".py"})
    return [f"{p.relative_to(root)}::{name}: nothing in it can fail" for p in files for name in without(p, root)] + [
        f"{p.relative_to(root)}:{line}: `and` within `or` without parentheses" for p in files for line in mixed(p)]
