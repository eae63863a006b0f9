# SPDX-License-Identifier: Apache-2.0
"""Sets of DRAM times other than HBM (configs/fpga-ddr3.yaml, fpga-sdr.yaml), other address mappings and queues: kernels have the
results of the CPU and the `data` of the golden model, no rule of the DRAM is broken (rtl/l2/dram/dram_checker, a part of every model
of these tests), and a slower memory takes longer.  Requirement S1.5."""
import functools
import pathlib
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "sw/kernels"), str(HERE)]
import test_kernels  # noqa: E402
from live import MODELS  # noqa: E402

SETS = {  # what each is set beside `tiny`
    "hbm": ("tiny", {}),
    "ddr3": ("fpga-ddr3", {}),
    "sdr": ("fpga-sdr", {}),
    "banks alternate": ("tiny", {"gpu.dram.bank_bit": 0, "gpu.dram.bank_hash": 0}),
    "all banks refreshed at once, small queue": ("tiny", {"gpu.dram.trfc_bank": 0, "gpu.dram.places": 16,
                                                              "gpu.dram.write_high": 8, "gpu.dram.write_low": 2}),
}
pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


@functools.cache
def cycles(name, kernel):
    config, settings = SETS[name]
    options = [w for key, value in settings.items() for w in ("--set", f"{key}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        line, got, want = test_kernels.launch(kernel, 4, pathlib.Path(folder), *options, config=config)
        golden, _, _ = test_kernels.launch(kernel, 4, pathlib.Path(folder), *options, "--model", "golden", config=config)
    test_kernels.difference(got, want)
    assert line["data"] == golden["data"], (line, golden)
    return int(line["cycles"])


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.nightly) if n in ("ddr3", "sdr", "banks alternate") else n for n in SETS])
@pytest.mark.shows("S1.5")
def test_results(name):
    assert cycles(name, "transpose") > 0 and cycles(name, "histogram") > 0


@pytest.mark.parametrize("name", ["hbm", pytest.param("ddr3", marks=pytest.mark.nightly)])
@pytest.mark.shows("S1.5")
def test_slower_memory_takes_longer(name):
    """SDR moves a line in 32 cycles, DDR3 in four, HBM two in four."""
    assert cycles(name, "transpose") < cycles("sdr", "transpose")
