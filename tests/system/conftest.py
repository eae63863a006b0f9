# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the whole-program tests: the programs, built; the models and numbers of GPUs they run on."""
import shutil
import subprocess

import pytest
from live import APPS, LADDER_FAMILIES, MODELS, ROOT


@pytest.fixture(scope="session")
def apps():
    """The HIP programs and the raw HSA client, built."""
    if not shutil.which("hipcc"):
        pytest.skip("hipcc is not installed")
    subprocess.run(["make", "-s", "apps", *(f"build/apps/{name}" for name in LADDER_FAMILIES)], cwd=ROOT, check=True, capture_output=True, text=True)
    client = APPS / "hsa_queue"
    source = ROOT / "tests/system/programs/hsa_queue.c"
    if not client.exists() or client.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O1", "-g", "-Wall", "-o", client, source, "-lhsa-runtime64"], check=True)
    return APPS


@pytest.fixture(params=MODELS)
def model(request):
    return request.param


@pytest.fixture(params=[1, 2, 4])
def gpus(request):
    return request.param
