# SPDX-License-Identifier: Apache-2.0
"""The shim's places in the ROCm runtime's table for tools (sw/shim/runtime.h) are those of the installed runtime's header."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMES = {"QUEUE_READ": "hsa_queue_load_read_index", "QUEUE_WRITE": "hsa_queue_load_write_index", "SIGNAL_LOAD": "hsa_signal_load",
         "SIGNAL_WAIT": "hsa_signal_wait", "MEMORY_COPY": "hsa_memory_copy", "SAMPLER": "hsa_ext_sampler", "AMD_IMAGE_CREATE": "hsa_amd_image_create"}
BEGIN = """#include <cstddef>
#define AMD_INTERNAL_BUILD
#include "hsa_api_trace.h"
#include "sw/shim/runtime.h"
static_assert(sizeof(ApiTableVersion) == 16 && offsetof(HsaApiTable, core_) == 16, "versions in front");
static_assert(offsetof(HsaApiTable, amd_ext_) == 24 && offsetof(HsaApiTable, image_ext_) == 40, "parts");
static_assert(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED == 0x3000, "sw/shim/images.c");
static_assert((HSA_API_TABLE_MAJOR_VERSION == 1 || HSA_API_TABLE_MAJOR_VERSION == 3) && SHIM_CORE_USED * sizeof(void *) + 16 <= sizeof(CoreApiTable), "whole");
"""


def slot(place):
    """Table and member of one of the shim's names."""
    kind = next(k for k in NAMES if place.startswith(k))
    table = {"AMD_IMAGE_CREATE": "AmdExtTable", "SAMPLER": "ImageExtTable"}.get(kind, "CoreApiTable")
    return f"{table}, {NAMES[kind]}{place.removeprefix(kind).lower()}_fn"


def test_places(tmp_path):
    places = re.findall(r"SHIM_(\w+) = \d+", (ROOT / "sw/shim/runtime.h").read_text())
    assert len(places) == 12
    source = tmp_path / "places.cpp"
    lines = []
    for place in places:
        name, version = re.fullmatch(r"(.*?)(?:_(\d))?", place).groups()  # of one major version or of each
        line = f'static_assert(offsetof({slot(name)}) == 16 + SHIM_{place} * sizeof(void *), "{place}");\n'
        lines.append(f"#if HSA_API_TABLE_MAJOR_VERSION == {version}\n{line}#endif\n" if version else line)
    source.write_text(BEGIN + "".join(lines))
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-I.", "-I/usr/include/hsa", source], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
