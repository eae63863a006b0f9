# SPDX-License-Identifier: Apache-2.0
"""A bench is built again when a header changes, from wherever in the tree it includes it."""
import pathlib
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
import verilate  # noqa: E402


def test_headers_of_headers_count(tmp_path):
    (tmp_path / "bench").mkdir()
    bench, near, far = tmp_path / "bench/tb.cpp", tmp_path / "bench/near.h", tmp_path / "far.h"
    bench.write_text('#include "near.h"\n#include "gcn3/gcn3.h"\n#include "Vtop.h"\n')
    near.write_text('#pragma once\n#include "../far.h"\n#include "near.h"\n')
    far.write_text("")
    (tmp_path / "bench/unused.h").write_text("")
    names = {p.relative_to(tmp_path).as_posix() if p.is_relative_to(tmp_path) else p.relative_to(ROOT).as_posix()
             for p in verilate.include_files(types.SimpleNamespace(exe=[str(bench)], dep=[]))}
    assert {"bench/near.h", "far.h", "host/gcn3/gcn3.h"} <= names
    assert "bench/unused.h" not in names and not any("Vtop" in n for n in names)


def test_benches_of_the_tree():
    files = verilate.include_files(types.SimpleNamespace(exe=[str(ROOT / "tests/rtl/cu/cu/tb.cpp")], dep=[]))
    assert ROOT / "tests/rtl/cu/harness.h" in files
