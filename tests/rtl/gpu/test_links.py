# SPDX-License-Identifier: Apache-2.0
"""rtl/gpu/gpu.sv has the links of rtl/gpu/links.yaml, from which the partitioned machine is connected: mistakes planted in either are
told with the link, and a table that says what cannot be is refused."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from check import check_links  # noqa: E402
from gen import gen_links  # noqa: E402
from faults import mutation  # noqa: E402

# A folder for each process of the runner: tests of one file may run beside each other.
FOLDER = ROOT / "build/tests/rtl/gpu/links" / os.environ.get("PYTEST_XDIST_WORKER", "alone")
TEXT = "rtl/gpu/gpu.sv"


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def net():
    return check_links.elaborate(FOLDER / "good")


@pytest.mark.shows("S0.2")
def test_the_top_has_the_links_of_the_table(net):
    table = gen_links.Table()
    assert len(list(table.expanded(check_links.constants()))) == 5 * 10 + 2 * 4 + 2 * 4 + 8 + 8
    assert check_links.findings(net, table) == []


# (old, new, how a finding about it begins); those of one list stand in one copy
MISTAKES = [
    [(".valid_i(dispatch_cu_cmd_valid[n])", ".valid_i(dispatch_cu_cmd_valid[0])", "dispatch[0].cu_cmd[1] -> cu[1].cu_cmd[0]: valid"),
     (".Latency(LinkDispatch), .Depth(EvtDepth)", ".Latency(LinkDispatch), .Depth(EvtDepth + 1)", "cu[0].cu_evt[0] -> dispatch[0].cu_evt[0]: Depth 9, not 8"),
     ("#(.Msg(ifetch_req_t), .Latency(LinkCuSqc))", "#(.Msg(ifetch_req_t), .Latency(LinkDispatch))", "cu[4].ifetch_req[0] -> sqc[1].ifetch_req[0]: Latency 19, not 9"),
     (".msg_i(sqc_smem_rsp[Group][Place])", ".msg_i(sqc_smem_rsp[Group][0])", "sqc[0].smem_rsp[3] -> cu[3].smem_rsp[0]: message"),
     (".credit_i(noc_in_req_credit[InSqc+n])", ".credit_i(noc_in_req_credit[n])", "sqc[1].mem_req[0] -> noc[0].mem_req[6]: credits: valid"),
     (".msg_i(noc_out_req[OutUtcl2])", ".msg_i(noc_out_req[OutRdma])", "noc[0].mem_req[2] -> utcl2[0].mem_req[0]: message"),
     (".valid_i(ctl_evt_valid), .msg_i(ctl_evt),\n      .valid_o(dispatch_ctl_evt_valid[CtlL2+n])",
      ".valid_i(ctl_cmd_valid), .msg_i(ctl_evt),\n      .valid_o(dispatch_ctl_evt_valid[CtlL2+n])", "l2[1].ctl_evt[0] -> dispatch[0].ctl_evt[6]: valid"),
     (".dram_rsp_i(dram_rsp_i[n])", ".dram_rsp_i(dram_rsp_i[0])", "gpu.dram_rsp[1], in"),
     (".far_rsp_valid_o, .far_rsp_o, .far_rsp_credit_i,", ".far_rsp_valid_o, .far_rsp_o, .far_rsp_credit_i(far_req_credit_i),", "gpu.far_rsp[0], out"),
     ("assign links_idle[PartSqc+n] = idle == '1;", "assign links_idle[PartSqc+n] = idle[2:0] == '1;", "idle_o: wrong while gen_sqc[0].u_ctl_evt"),
     ("assign sqc_smem_req_valid[n/SqcCus][n%SqcCus] = 1'b0;", "assign sqc_smem_req_valid[n/SqcCus][n%SqcCus] = 1'b1;", "sqc[1].smem_req[1], in"),
     (".obs_row_valid_o(obs_row_valid_o[n])", ".obs_row_valid_o(obs_row_valid_o[CuCount-1-n])", "cu[0].obs_row_valid"),
     ("  logic unused;\n", "  logic unused, more_valid, more_idle;\n  ctl_evt_t more;\n  gpu_link #(.Msg(ctl_evt_t)) u_more (.clk_i, .rst_ni, .valid_i(more_valid), "
      ".msg_i(more), .valid_o(more_valid), .msg_o(more), .idle_o(more_idle));\n", "u_more.u_messages: a channel that is not in the table")],
    [("part_l2 u_l2 (\n      .clk_i, .rst_ni, .id_i({id_i[15:8], 8'(n)})", "part_l2 u_l2 (\n      .clk_i, .rst_ni, .id_i({id_i[15:8], 8'd0})",
      "gen_l2[1].u_l2: id_i is not its own number"),
     ("part_idle == '1 && links_idle == '1", "part_idle == '1 || links_idle == '1", "idle_o: wrong while"),
     ("part_utcl2 u_utcl2 (\n      .clk_i, .rst_ni", "part_utcl2 u_utcl2 (\n      .clk_i, .rst_ni(1'b1)", "gen_utcl2.u_utcl2.rst_ni")],
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_in_the_text_are_told(number):
    text = (ROOT / TEXT).read_text()
    for old, new, _ in MISTAKES[number]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    copy = FOLDER / f"bad{number}/gpu.sv"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text)
    found = check_links.findings(check_links.elaborate(copy.parent, copy))
    missed = [want for _, _, want in MISTAKES[number] if not any(f.startswith(want) for f in found)]
    assert missed == [], "\n".join(found)


def table(old, new):
    """The table with other text in one place."""
    path = FOLDER / "links.yaml"
    mutation.plant("rtl/gpu/links.yaml", path, old, new)
    return gen_links.Table(path)


DIFFERENT = {
    "latency": ('to: "noc.mem_req[n]", latency: link.cu_noc', 'to: "noc.mem_req[n]", latency: link.noc_l2', "cu[0].mem_req[0] -> noc[0].mem_req[0]: Latency"),
    "bound": ('"rdma.mem_req", to: "noc.mem_req[CuCount + SqcCount + 1]", latency: link.cu_noc, bound: initiator',
              '"rdma.mem_req", to: "noc.mem_req[CuCount + SqcCount + 1]", latency: link.cu_noc, bound: target',
              "rdma[0].mem_req[0] -> noc[0].mem_req[8]: Depth 32, not 64"),
    "bounds": ("events: 8,", "events: 9,", "cu[0].cu_evt[0] -> dispatch[0].cu_evt[0]: Depth 8, not 9"),
    "group": ('"sqc[n / SqcCus].smem_req[n % SqcCus]"', '"sqc[n % SqcCount].smem_req[n / SqcCount]"', "cu[1].smem_req[0] -> sqc[1].smem_req[0]"),
    "lane": ('"noc.mem_rsp[L2Slices + 1]"', '"noc.mem_rsp[L2Slices]"', "rdma[0].mem_rsp[0] -> noc[0].mem_rsp[2]"),
    "missing": ('      - {from: "utcl2.ctl_evt", to: "dispatch.ctl_evt[0]", latency: link.dispatch, bound: port}\n', "",
                "gen_utcl2.u_ctl_evt.u_messages: a channel that is not in the table"),
    "outside": ('dram_req: "l2[n].dram_req"', 'dram_req: "l2[1 + n % 1].dram_req"', "gpu.dram_req[0], out"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_differences_of_the_table_are_told(net, name):
    old, new, want = DIFFERENT[name]
    found = check_links.findings(net, table(old, new))
    assert any(f.startswith(want) for f in found), "\n".join(found)


REFUSED = {
    "port": ('from: "sqc[n].mem_req"', 'from: "sqc[n].mem_rsp"', "sqc has no port mem_rsp that leads out"),
    "ends": ('to: "sqc[n].ctl_cmd"', 'to: "sqc[n].mem_rsp"', "the ends differ in name, message or credits"),
    "expression": ("noc.mem_rsp[L2Slices + 1]", "noc.mem_rsp[L2Slices ** 1]", "'L2Slices ** 1': only n, constants"),
    "constant": ("noc.mem_rsp[L2Slices + 1]", "noc.mem_rsp[Slices + 1]", "'Slices + 1': only n, constants"),
    "latency": ('to: "noc.mem_req[n]", latency: link.cu_noc', 'to: "noc.mem_req[n]", latency: link.l2_store', "unknown latency link.l2_store"),
    "outside": ('far_req: "rdma.far_req[n]"', 'far_req: "rdma.far_rsp[n]"', "outside: far_req is rdma.far_rsp[n]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_table_that_cannot_be_is_refused(name):
    old, new, want = REFUSED[name]
    with pytest.raises(gen_links.Bad) as wrong:
        table(old, new)
    assert want in str(wrong.value)


def test_the_check_is_a_command():
    done = subprocess.run([sys.executable, "sw/tools/check/check_links.py"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "links: 0 findings")
