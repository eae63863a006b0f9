# SPDX-License-Identifier: Apache-2.0
"""check.lds (C.7): an LDS access outside the allocation is named once for each place, by the golden model and in lock step alike; accesses inside never (B.8)."""
import re

import pytest
from snippet import assemble, run

# 64 bytes of LDS are named; allocated are 512, the granule.
BODY = """
    s_mov_b32 m0, -1
    s_mov_b32 s9, 2
    v_mov_b32 v0, 508
    v_mov_b32 v1, 0x20000000
    v_mov_b32 v2, 512
    v_mov_b32 v3, v1
    v_mov_b32 v4, 0
loop:
    ds_write_b32 v0, v4
    flat_load_dword v5, v[0:1]
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    ds_write_b32 v0, v4 offset:4
    ds_read_b64 v[6:7], v0 offset:12
    s_waitcnt lgkmcnt(0)
    ds_add_u32 v2, v4 offset:256
    flat_store_dword v[2:3], v4
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    s_sub_u32 s9, s9, 1
    s_cmp_lg_u32 s9, 0
    s_cbranch_scc1 loop
    s_endpgm
"""
WANTED = [("512", "ds_write_b32"), ("520", "ds_read_b64"), ("768", "ds_add_u32"), ("512", "flat_store_dword")]
ON = ["--set", "check.lds=on"]


def warnings(code, *args):
    """What is said of the LDS, without who says it."""
    said = run(code, "--grid", "256", "--group", "128", *args)
    return [line[line.index("LDS access"):] for line in said.splitlines() if "LDS access" in line]


@pytest.fixture(scope="module")
def beyond(tmp_path_factory):
    return assemble(tmp_path_factory.mktemp("lds"), "beyond", BODY, vgprs=8, lds=64)


def places(lines):
    return [re.sub(r"wavefront \d+", "wavefront", line) for line in lines]


@pytest.mark.shows("C.7")
def test_each_place_once(beyond):
    """In the order of the code; the wavefront that comes first may be another in lock step."""
    golden = warnings(beyond, "--model", "golden", *ON)
    assert [re.fullmatch(r"LDS access at byte (\d+) of \d+ at pc 0x[0-9a-f]+, CU 0 wavefront \d+: (\w+) .*", line).groups() for line in golden] == WANTED, golden
    assert sorted(places(warnings(beyond, "--lockstep", *ON))) == sorted(places(golden))


def test_off_by_default(beyond):
    assert warnings(beyond, "--model", "golden") == warnings(beyond, "--lockstep") == []


def test_the_rtl_alone_does_not_look(beyond):
    said = run(beyond, "--grid", "64", "--group", "64", *ON, status=64)
    assert said == "gantry: check.lds: only with --model golden or --lockstep, which find them\n"
