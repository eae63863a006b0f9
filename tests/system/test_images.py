# SPDX-License-Identifier: Apache-2.0
"""Images, which the hardware does not have: HIP says so, each call for textures, arrays and surfaces ends in HIP's own error, pitched
memory works, and the program goes on (programs/images.hip)."""
import os
import subprocess

import pytest
from builder import release
from live import ROOT, gantry_run

ERRORS = {"12": {"InvalidValue": 12, "OutOfMemory": 0, "NotSupported": 2, "InvalidHandle": 1},  # of HIP 5.2
          "13": {"InvalidValue": 3, "OutOfMemory": 10, "NotSupported": 1, "InvalidHandle": 1}}  # of HIP 5.7


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-Wno-deprecated-declarations", "-o", folder / "images", "tests/system/programs/images.hip"],
                   cwd=ROOT, env={**os.environ, "TMPDIR": str(folder)}, check=True)
    return folder / "images"


@pytest.mark.shows("B.1")
def test_images(images, model):
    result = gantry_run([images], model)
    assert result.status == 0 and "images: PASSED" in result.out, result
    assert "images 0," in result.out and "Assertion" not in result.err, result
    counts = {error: result.out.count(f": hipError{error}\n") for error in ("InvalidValue", "OutOfMemory", "NotSupported", "InvalidHandle")}
    assert counts == ERRORS[release.name()], result
