# SPDX-License-Identifier: Apache-2.0
"""No test is lost behind another of its name: Python keeps the last of two functions, and says nothing."""
import ast
import collections
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def twice(text):
    """Names that a module or a class of it defines more than once."""
    tree = ast.parse(text)
    scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    counts = (collections.Counter(node.name for node in scope.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))) for scope in scopes)
    return [name for count in counts for name, times in count.items() if times > 1]


def test_every_name_is_defined_once():
    files = [path for folder in ("tests", "sw") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 100
    assert {str(path.relative_to(ROOT)): found for path in files if (found := twice(path.read_text()))} == {}


@pytest.mark.parametrize("text, found", [
    ("def a(): pass\ndef b(): pass\ndef a(): pass\n", ["a"]),
    ("class C:\n    def a(self): pass\n    def a(self): pass\n", ["a"]),
    ("def a():\n    def c(): pass\ndef b():\n    def c(): pass\n", []),
])
def test_names_defined_twice_are_seen(text, found):
    assert twice(text) == found
